"""Conditions: comparisons, `and`, `or`, `x if c else y`. Operands that may not be reached are lowered on a path.

0.1 < x and f(x) < 1       ->       %a = 0.1 < %x; %c = if %a { %y = f(%x); %b = %y < 1; yield %b } else { yield %a }
"""

import operator
from collections.abc import Callable
from typing import Any

import gast

from adcompiler.errors import Refusal
from adcompiler.frontend.instances import is_object
from adcompiler.frontend.iterators import View
from adcompiler.frontend.joins import Joins
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.scope import Poison, poison_problem
from adcompiler.ir.core import Loc, Value, leaves
from rules.cotangent import length
from rules.kind import Array, Num, Opaque, Seq

COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt, gast.GtE: operator.ge, gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}  # fmt: skip


class Conditions(Joins):
    """Lowers what is true or false, and what depends on it."""

    def truth(self, d: Any, node: Any) -> Any:
        """A denotation as a condition: a Python bool if known, else a Value."""
        if isinstance(d, Known):
            return bool(d.value)
        if isinstance(d, tuple | list | dict):
            return bool(d)
        if isinstance(d, Value) and d in self.surely:
            return True
        if isinstance(d, Value):
            if isinstance(d.kind, Seq):
                return self.operand(self.emit(operator.ne, self.emit(length, d), Known(0)))
            there = isinstance(d.kind, Array) and not d.kind.ndim and d.kind.xp != "numpy"
            return self.emit(bool, d) if there else d  # waited for once, and known on the way back
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this", self.loc(node)))
        if isinstance(d, ListOf):
            return self.truth(next(leaves(d.element)), node)
        return True

    def expr_Compare(self, node: Any) -> Any:
        left = self.expr(node.left)
        result: Any = None
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            if result is not None and not isinstance(result, Known):
                return self._chained(node, result, left, op, right_node)
            right = self.expr(right_node)
            result = self.compare(op, left, right, node)
            if isinstance(result, Known) and not result.value:
                return result
            left = right
        return result

    def _chained(self, node: Any, result: Any, left: Any, op: Any, right_node: Any) -> Any:
        k = node.ops.index(op)
        rest = list(zip(node.ops[k:], node.comparators[k:], strict=True))

        def more() -> Any:
            here, out = left, None
            for o, n in rest:
                right = self.expr(n)
                step = self.compare(o, here, right, node)
                out = step if out is None else self.conjunction(out, step)
                here = right
            return out

        return self.fork(self.truth(result, node), more, lambda: result, self.loc(node))

    def conjunction(self, a: Any, b: Any) -> Any:
        """`a and b` where evaluating b is free."""
        if isinstance(a, Known):
            return b if a.value else a
        if isinstance(b, Known):
            return a if b.value else b
        return self.fork(a, lambda: b, lambda: a, self.builder.loc or Loc("", 0))

    def compare(self, op: Any, a: Any, b: Any, node: Any) -> Any:
        if isinstance(op, gast.Is | gast.IsNot):
            for x, y in ((a, b), (b, a)):  # what Python computes is one of its two bools
                known = isinstance(x, Known) and isinstance(x.value, bool)
                if known and isinstance(y, Value) and isinstance(y.kind, Num) and y.kind.type is bool:
                    return y if x.value is isinstance(op, gast.Is) else self.emit(operator.not_, y)
            same = self._is(a, b, node)
            return Known(same if isinstance(op, gast.Is) else not same)
        if isinstance(op, gast.In | gast.NotIn):
            inside = self._contains(a, b, node)
            if isinstance(inside, bool):
                return Known(inside if isinstance(op, gast.In) else not inside)
            return inside if isinstance(op, gast.In) else self.emit(operator.not_, inside)
        target = COMPARE[type(op)]
        if isinstance(a, tuple | list | dict) or isinstance(b, tuple | list | dict):
            return self._compare_structures(target, a, b, node)
        if isinstance(a, Known) and isinstance(b, Known):
            try:
                return Known(target(a.value, b.value))
            except TypeError as error:
                raise self.refuse(node, f"this raises TypeError: {error}", "compare numbers") from None
        if target in (operator.eq, operator.ne) and (self.never_one(a, b) or self.never_one(b, a)):
            return Known(target is operator.ne)
        for x in (a, b):
            if (
                isinstance(x, Known)
                and (x.value is None or isinstance(x.value, str))
                and target in (operator.eq, operator.ne)
            ):
                return Known(target is operator.ne)
        self.check_operands(target, (a, b), node)
        return self.emit(target, a, b)

    def never_one(self, n: Any, one: Any) -> bool:
        """Is this the length of an axis that is known not to be 1, beside a 1?"""
        length = n.kind.length if isinstance(n, Value) and isinstance(n.kind, Num) else None
        known = isinstance(one, Known) and type(one.value) is int and one.value == 1
        return known and length is not None and not self.env.may_be_one(self.env.resolve(length))

    def _compare_structures(self, target: Any, a: Any, b: Any, node: Any) -> Any:
        if target not in (operator.eq, operator.ne):
            raise self.refuse(node, "the order of tuples and lists is not supported", "compare their elements")
        if isinstance(a, Known) and isinstance(a.value, tuple):
            a = tuple(map(Known, a.value))
        if isinstance(b, Known) and isinstance(b.value, tuple):
            b = tuple(map(Known, b.value))
        if type(a) is not type(b) or len(a) != len(b) or isinstance(a, dict):
            return Known(target is operator.ne)
        equal: Any = Known(True)
        for x, y in zip(a, b, strict=True):
            equal = self.conjunction(equal, self.compare(gast.Eq(), x, y, node))
        if isinstance(equal, Known):
            return Known(equal.value == (target is operator.eq))
        return equal if target is operator.eq else self.emit(operator.not_, equal)

    def _is(self, a: Any, b: Any, node: Any) -> bool:
        if isinstance(a, Known) and isinstance(b, Known):
            return a.value is b.value
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Known) and (x.value is None or isinstance(x.value, bool | str | type)):
                if isinstance(y, Poison):
                    raise Refusal(poison_problem(y, "this", self.loc(node)))
                if not (isinstance(y, Value) and isinstance(y.kind, Opaque)):
                    return False
        raise self.refuse(node, "identity of computed values is not known when compiling",
                          "compare with ==, or test `x is None` where it may be None")  # fmt: skip

    def _contains(self, a: Any, b: Any, node: Any) -> Any:
        if isinstance(b, View):
            b = b.make()
        if isinstance(b, dict):
            return self.static(a, node, "the key of a dict") in b
        if isinstance(b, tuple | list):
            if all(isinstance(x, Known) and not is_object(x.value) for x in (a, *b)):
                return a.value in [x.value for x in b]
            inside: Any = Known(False)
            for x in b:
                one = isinstance(a, Known) and isinstance(x, Known) and a.value is x.value
                equal = Known(True) if one else self.compare(gast.Eq(), a, x, node)
                inside = (
                    equal if isinstance(inside, Known) and not inside.value else self.emit(operator.or_, inside, equal)
                )
            return inside.value if isinstance(inside, Known) else inside
        if isinstance(b, Known):
            return self.static(a, node, "what is looked for") in b.value
        raise self.refuse(node, "`in` an array or a list of any length is not supported", "use np.any(a == x)")

    def expr_BoolOp(self, node: Any) -> Any:
        return self._bool(node, node.values)

    def condition(self, node: Any) -> Any:
        """Whether a test holds: of the operands of `and` and `or` in it only that matters."""
        d = self._bool(node, node.values, True) if isinstance(node, gast.BoolOp) else self.expr(node)
        return self.truth(d, node)

    def _bool(self, node: Any, values: list[Any], test: bool = False) -> Any:
        first = self.expr(values[0])
        if test and not isinstance(first, Value):
            t = self.truth(first, values[0])
            first = Known(t) if isinstance(t, bool) else t
        if len(values) == 1:
            return first
        stop_at = isinstance(node.op, gast.Or)
        t = self.truth(first, values[0])
        if isinstance(t, bool):
            return first if t == stop_at else self._bool(node, values[1:], test)

        def rest() -> Any:
            return self._bool(node, values[1:], test)

        def here() -> Any:
            return first

        return self.fork(t, *((here, rest) if stop_at else (rest, here)), self.loc(node))

    def expr_IfExp(self, node: Any) -> Any:
        t = self.condition(node.test)
        if isinstance(t, bool):
            return self.expr(node.body if t else node.orelse)
        d = self.fork(t, lambda: self.expr(node.body), lambda: self.expr(node.orelse), self.loc(node))
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this value", self.loc(node)))
        return d
