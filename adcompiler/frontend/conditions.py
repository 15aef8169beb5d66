"""Conditions: comparisons, `and`, `or`, `x if c else y`. Operands that may not be reached are lowered on a path.

0.1 < x and f(x) < 1       ->       %a = 0.1 < %x; %c = if %a { %y = f(%x); %b = %y < 1; yield %b } else { yield %a }
"""

import operator
from typing import Any

import gast

from adcompiler.errors import Refusal
from adcompiler.frontend.comparisons import Comparisons
from adcompiler.frontend.iterators import Once, View
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.records import Parent
from adcompiler.frontend.scope import Callback, Closure, Method, Poison, poison_problem
from adcompiler.frontend.words import describe
from adcompiler.ir.core import Value, leaves
from rules.cotangent import length
from rules.kind import Array, Seq


class Conditions(Comparisons):
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
        if isinstance(d, View):
            return self.truth(d.make(), node)
        if isinstance(d, Closure | Method | Callback | Once | slice | Parent):
            return True
        raise self.refuse(node, f"whether {describe(d)} is true is not known when compiling", "write the test out")

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

    def expr_BoolOp(self, node: Any) -> Any:
        return self._bool(node, node.values)

    def condition(self, node: Any) -> Any:
        """Whether a test holds: of the operands of `and` and `or` in it only that matters."""
        d = self._bool(node, node.values, True) if isinstance(node, gast.BoolOp) else self.expr(node)
        return self.truth(d, node)

    def _bool(self, node: Any, values: list[Any], test: bool = False) -> Any:
        first = self.expr(values[0])
        if test and not (isinstance(first, Value) and not isinstance(first.kind, Seq)):
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
