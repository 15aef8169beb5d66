"""Expressions -> values. What is known when compiling is computed here; the rest becomes operations."""

import ast
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adcompiler.errors import ELSEWHERE, Problem, Refusal, problem_at
from adcompiler.frontend.desugar import hint, is_flag
from adcompiler.frontend.kinds import Known, ListOf, join_kinds
from adcompiler.frontend.scope import Callback, Closure, Frame, Maybe, Method, Poison, Scope, Unreturned, poison_problem
from adcompiler.frontend.words import (
    CONSTRUCTS,
    FUNCTIONS,
    SYMBOLS,
    construct,
    describe,
    method_remedy,
    no_number,
    one_kind,
)
from adcompiler.ir.build import Builder, kind_of_operand
from adcompiler.ir.core import UNDEF, If, Loc, Op, Region, Value, leaves, map_tree
from adcompiler.ir.printer import target_name
from rules import find_method
from rules.cotangent import assigned, length, size
from rules.kind import Array, KindError, Lengths, Num, Opaque, Seq, Unfilled

INDEXED = "index an array, a tuple, a list or a dict"
BINARY: dict[type, Callable[..., Any]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_, gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}  # fmt: skip
UNARY: dict[type, Callable[..., Any]] = {
    gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert, gast.Not: operator.not_,
}  # fmt: skip
COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt, gast.GtE: operator.ge, gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}  # fmt: skip


class Diverges:
    """The status of code that never reaches its end: it raises."""


DIVERGES = Diverges()


class Promote(Exception):
    """Lowering needs these leaves by value: it starts again with them known, or has this problem."""

    def __init__(self, steps: frozenset[tuple[Any, ...]], problem: Problem) -> None:
        super().__init__(steps)
        self.steps = steps
        self.problem = problem


class Unroll(Exception):
    """Lowering needs the index of this loop by value: the loop is unrolled."""

    def __init__(self, loop: Any, problem: Problem) -> None:
        super().__init__(loop)
        self.loop = loop
        self.problem = problem


def no_rule(op: Op) -> Problem:
    """What is said where something is done with the result of a call that the compiler cannot see into."""
    maker = target_name(op.target)
    reason = f"{maker} has no rule, so it is not known what it returns"
    remedy = f"use functions that have rules (`adc rules`), give {maker} one, or call it outside"
    if maker.rpartition(".")[2] in FUNCTIONS:
        remedy = FUNCTIONS[maker.rpartition(".")[2]]
    return problem_at(op.loc, reason, remedy)


class Expressions:
    """Lowers expressions into the current region. A denotation is a Value, a Known, or a container of them."""

    def __init__(self, scope: Scope, frame: Frame, env: Lengths) -> None:
        self.scope = scope
        self.frame = frame
        self.env = env
        self.builder = Builder()
        self.defs: dict[Value, Op] = {}
        self.loop_elements: dict[Value, Any] = {}
        self.promotable: dict[Value, tuple[Any, ...]] = {}
        self.problems: list[Problem] = []
        self.errstate: tuple[tuple[tuple[str, str], ...], ...] = ()

    # ------------------------------------------------------------------------------------ plumbing
    def loc(self, node: Any) -> Loc:
        return Loc(self.frame.source.file, node.lineno, node.col_offset, self.errstate)

    def refuse(self, node: Any, reason: str, remedy: str = "") -> Refusal:
        return Refusal(problem_at(node if isinstance(node, Loc) else self.loc(node), reason, remedy or ELSEWHERE))

    def expr(self, node: Any) -> Any:
        """The denotation of an expression."""
        handler = getattr(self, f"expr_{type(node).__name__}", None)
        if handler is None:
            remedy = CONSTRUCTS.get(type(node).__name__, ELSEWHERE)
            raise self.refuse(node, f"{construct(node)} is not supported", remedy)
        before = self.builder.loc
        self.builder.loc = self.loc(node)
        try:
            return handler(node)
        except KindError as error:
            raise self.refuse(node, str(error), error.remedy or ELSEWHERE) from None
        finally:
            self.builder.loc = before

    def emit(self, target: Any, *args: Any, hint: str = "", **kwargs: Any) -> Any:
        """An operation on denotations; the denotation of its result."""
        operands = tuple(self.operand(a) for a in args)
        if target not in (str.format, np.shape):
            for v in leaves((operands, kwargs)):
                if isinstance(v.kind, Seq) and isinstance(v.kind.element, Unfilled) and target is not length:
                    raise Refusal(self.unfilled_problem(v.kind.element, self.builder.loc or Loc("", 0)))
                self.refuse_opaque(v)
        result = self.builder.call(target, *operands, hint=hint, **{k: self.operand(v) for k, v in kwargs.items()})
        if isinstance(result, Value):
            self.defs[result] = self.builder.region.ops[-1]
        elif isinstance(result, tuple) and all(isinstance(r, Value) for r in result) and result:
            for r in result:
                self.defs[r] = self.builder.region.ops[-1]
        else:
            return Known(result) if not isinstance(result, tuple) else tuple(map(Known, result))
        return result

    def refuse_opaque(self, d: Any) -> None:
        """Refuse to do anything with what a function without a rule has returned."""
        if isinstance(d, Value) and isinstance(d.kind, Opaque) and d in self.defs:
            raise Refusal(no_rule(self.defs[d]))

    def unfilled_problem(self, kind: Unfilled, loc: Loc) -> Problem:
        """What is wrong with reading a list before its elements are known."""
        what = hint(kind.what)
        return problem_at(loc, f"the elements of {what} are not known where it is read: it is empty so far",
                          f"begin {what} with a first element, or read it after the append")  # fmt: skip

    def operand(self, d: Any) -> Any:
        """A denotation as an argument of an operation."""
        if isinstance(d, Value):
            return d
        if isinstance(d, Known):
            return d.value
        if isinstance(d, tuple | list):
            return type(d)(self.operand(x) for x in d)
        if isinstance(d, dict):
            return {k: self.operand(v) for k, v in d.items()}
        if isinstance(d, slice):
            return slice(*(self.operand(x) for x in (d.start, d.stop, d.step)))
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this", self.builder.loc or Loc("", 0)))
        if isinstance(d, ListOf):
            raise KindError("a list of tuples or dicts cannot be passed to a library function",
                            "make a list of the one part that is wanted: [p[0] for p in ...]")  # fmt: skip
        if isinstance(d, Closure | Method):
            raise KindError(f"the function {d.name} cannot be passed to a library function",
                            "write out what it does: a loop, or a comprehension")  # fmt: skip
        return d

    def static(
        self, d: Any, node: Any, what: str, remedy: str = "pass it as an int argument, or write it as a constant"
    ) -> Any:
        """The Python value of a denotation that must be known when compiling; promotes ints to get it."""
        if isinstance(d, Known):
            return d.value
        if isinstance(d, tuple | list):
            return type(d)(self.static(x, node, what, remedy) for x in d)
        if isinstance(d, dict):
            return {k: self.static(v, node, what) for k, v in d.items()}
        if isinstance(d, slice):
            return slice(*(self.static(x, node, what) for x in (d.start, d.stop, d.step)))
        if isinstance(d, Value):
            roots = self._roots(d)
            steps = [self.promotable[r] for r in roots if r in self.promotable]
            loops = [self.loop_elements[r] for r in roots if r in self.loop_elements]
            reason = f"{what} must be known when compiling, and depends on a computed value"
            problem = problem_at(self.loc(node), reason, remedy)
            if roots and len(steps) + len(loops) == len(roots):
                if loops:
                    raise Unroll(loops[-1], problem)
                told = f"{what} must be known when compiling, and the signature gives only its kind"
                value = "write the value in the signature: 'f64[n], 2' rather than 'f64[n], int'"
                raise Promote(frozenset(steps), problem_at(self.loc(node), told, value))
            raise Refusal(problem)
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, what, self.loc(node)))
        raise self.refuse(node, f"{what} must be known when compiling", "write it as a constant")

    def _roots(self, v: Value) -> list[Value]:
        """The parameters, loop elements and unexplained values that a value is computed from."""
        seen: dict[Value, None] = {}
        stack, roots = [v], []
        while stack:
            x = stack.pop()
            if x in seen:
                continue
            seen[x] = None
            op = self.defs.get(x)
            if op is None or x in self.promotable or type(op) is not Op or op.target in (length, size):
                roots.append(x)
            else:
                stack.extend(op.operands())
        return roots

    def truth(self, d: Any, node: Any) -> Any:
        """A denotation as a condition: a Python bool if known, else a Value."""
        if isinstance(d, Known):
            return bool(d.value)
        if isinstance(d, tuple | list | dict):
            return bool(d)
        if isinstance(d, Value):
            if isinstance(d.kind, Seq):
                return self.operand(self.emit(operator.ne, self.emit(length, d), Known(0)))
            return d
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this", self.loc(node)))
        if isinstance(d, ListOf):
            return self.truth(next(leaves(d.element)), node)
        return True

    # --------------------------------------------------------------------------------------- forks
    def fork(
        self, cond: Value, then: Callable[[], Any], orelse: Callable[[], Any], loc: Loc, statement: bool = False
    ) -> Any:
        """Lower two paths into the regions of an If, and join them. Each path gives a denotation or DIVERGES."""
        frame, outer = self.frame, self.builder.region
        before = frame.env
        sides = []
        for path in (then, orelse):
            frame.env = dict(before)
            region = self.builder.region = Region()
            try:
                result = path()
            except Unreturned:
                result = DIVERGES
            except BaseException:
                frame.env = before
                raise
            finally:
                self.builder.region = outer
            sides.append((region, frame.env, result))
        (r1, env1, d1), (r2, env2, d2) = sides
        changed = [n for n in env1 if env1[n] is not env2.get(n)]
        held: list[set[str]] = [self.owned_names(env, changed) if statement else set() for env in (env1, env2)]
        op = If("if", (cond,), {}, [], False, False, loc, r1, r2)
        op.effect = any(o.effect for o in (*r1.ops, *r2.ops))
        dead1, dead2 = d1 is DIVERGES, d2 is DIVERGES
        joined: Any = DIVERGES
        frame.env = dict(before)
        if not (dead1 and dead2):
            known: dict[tuple[Any, Any], Value] = {}
            missing = UNDEF
            for name in dict.fromkeys([*env1, *env2]):
                a = missing if dead1 else env1.get(name, missing)
                b = missing if dead2 else env2.get(name, missing)
                if (dead1 and b is before.get(name)) or (dead2 and a is before.get(name)):
                    frame.env[name] = before[name]
                else:
                    d = frame.env[name] = self.join(a, b, op, known, name, loc, maybe=not (dead1 or dead2))
                    self.alike(a, d)
                    self.alike(b, d)
                    self.note_owned(d, name, held[0] & held[1])
            joined = self.join(missing if dead1 else d1, missing if dead2 else d2, op, known, "", loc)
            self.alike(d1, joined)
            self.alike(d2, joined)
        if op.results or op.effect:
            outer.ops.append(op)
            for v in op.results:
                self.defs[v] = op
        return joined

    owned_joins: set[Value]

    def owned_names(self, env: dict[str, Any], names: list[str], live: Any = None) -> set[str]:
        """Of the arrays that these names hold, those that nothing else does, where names mean `env`: their places."""
        raise NotImplementedError

    def note_owned(self, d: Any, name: str, places: set[str]) -> None:
        """Note that of the arrays in `d` those at these places are held by the name alone."""
        raise NotImplementedError

    def alike(self, a: Any, b: Any) -> None:
        """Note that two denotations may be the same lists and dicts."""
        raise NotImplementedError

    def join(self, a: Any, b: Any, op: If, known: dict[tuple[Any, Any], Value], name: str, loc: Loc,
             maybe: bool = False) -> Any:  # fmt: skip
        """One denotation for what is `a` on one path of an If and `b` on the other."""
        if a is b or (isinstance(a, Known) and isinstance(b, Known) and _same_constant(a.value, b.value)):
            return a
        if isinstance(a, Maybe) or isinstance(b, Maybe):
            x, y = (s.value if isinstance(s, Maybe) else s for s in (a, b))
            inner = self.join(x, y, op, known, name, loc)
            return inner if isinstance(inner, Poison) else Maybe(inner)
        if a is UNDEF or b is UNDEF:
            other = b if a is UNDEF else a
            if isinstance(other, tuple | list | dict | ListOf):
                if maybe and not is_flag(name):
                    reason = "{name} is assigned on one path of the if at line " + f"{loc.line} alone"
                    return Poison(reason, "assign {name} before the if", loc)
                if a is UNDEF:
                    inner = _rebuild(other, lambda x: self.join(UNDEF, x, op, known, name, loc))
                else:
                    inner = _rebuild(other, lambda x: self.join(x, UNDEF, op, known, name, loc))
                return Maybe(inner) if maybe else inner
            if not isinstance(other, Value) and not _number(other):
                return other
            x, y = (UNDEF if s is UNDEF else self.operand(s) for s in (a, b))
            value = self._result(x, y, kind_of_operand(self.operand(other)), op, known, name, loc)
            return Maybe(value) if maybe else value
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        if isinstance(a, tuple | list) and type(a) is type(b) and len(a) == len(b):
            return type(a)(self.join(x, y, op, known, name, loc) for x, y in zip(a, b, strict=True))
        if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
            return {k: self.join(a[k], b[k], op, known, name, loc) for k in a}
        if isinstance(a, ListOf) and isinstance(b, ListOf):
            inner = self.join(a.element, b.element, op, known, name, loc)
            return inner if isinstance(inner, Poison) else ListOf(inner)
        if isinstance(a, Callback) and isinstance(b, Callback):
            reason = "{name} is one " + f"{a.name} on one path of the if at line {loc.line} and another on the other"
            return Poison(reason, "call it in the branch, and keep its result", loc)
        if _data(a) and _data(b):
            x, y = self.operand(a), self.operand(b)
            kind = join_kinds(kind_of_operand(x), kind_of_operand(y), self.env)
            if kind is not None:
                return self._result(x, y, kind, op, known, name, loc)
        return Poison("{name} is " + describe(a) + f" on one path of the if at line {loc.line} and " + describe(b)
                      + " on the other", one_kind(a, b, "on both paths"), loc)  # fmt: skip

    def _result(self, x: Any, y: Any, kind: Any, op: If, known: Any, name: str, loc: Loc) -> Value:
        key = (id(x), id(y))
        if isinstance(x, Value) and isinstance(y, Value) and key in known:
            return known[key]
        value = Value(kind, hint(name), loc)
        if self.shares_scalar(kind, x, y):
            self.frozen_joins.add(value)
        op.results.append(value)
        op.then.results.append(self.as_kind(x, value, op.then))
        op.orelse.results.append(self.as_kind(y, value, op.orelse))
        known[key] = value
        return value

    frozen_joins: set[Value]

    def shares_scalar(self, kind: Any, *sides: Any) -> bool:
        """Is a number of this kind a 0-d array on one of these sides, whose memory Python's `+=` would change?"""
        return isinstance(kind, Num) and any(
            isinstance(x, Value) and (isinstance(x.kind, Array) or x in self.frozen_joins) for x in sides
        )

    def as_kind(self, x: Any, like: Value, region: Region) -> Any:
        """What a region yields for `like`: of a 0-d array that becomes a number its element, which shares no memory."""
        if not (isinstance(x, Value) and isinstance(x.kind, Array) and isinstance(like.kind, Num)):
            return x
        outer, self.builder.region = self.builder.region, region
        try:
            return self.emit(operator.getitem, x, Known(()), hint=like.hint)
        finally:
            self.builder.region = outer

    # ---------------------------------------------------------------------------------- expressions
    def expr_Constant(self, node: Any) -> Any:
        return Known(node.value)

    def expr_Name(self, node: Any) -> Any:
        d = self.scope.lookup(self.frame, node.id, self.loc(node))
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, node.id, self.loc(node)))
        if isinstance(d, Maybe) and is_flag(node.id):
            return d.value
        if isinstance(d, Maybe):
            last = [o for o in self.builder.region.ops if o.target is assigned and o.args[0] is d.value]
            if not last:  # the name stays one that may have no value: a loop has to carry it
                self.builder.effect(assigned, d.value, node.id)
            d = d.value
        self.note_captures()
        return d

    def note_captures(self) -> None:
        """Int leaves captured since last time can be promoted like arguments."""
        for leaf in self.scope.leaves[len(self.promotable_seen) :]:
            self.promotable_seen.append(leaf)
            if isinstance(leaf.value.kind, Num) and leaf.value.kind.type is int and "*" not in leaf.steps:
                self.promotable[leaf.value] = leaf.steps

    promotable_seen: list[Any]

    def expr_Tuple(self, node: Any) -> Any:
        return tuple(self._items(node.elts))

    def expr_List(self, node: Any) -> Any:
        return self._items(node.elts)

    def _items(self, nodes: list[Any]) -> list[Any]:
        out: list[Any] = []
        for n in nodes:
            if isinstance(n, gast.Starred):
                out.extend(self.elements(self.expr(n.value), n))
            else:
                out.append(self.expr(n))
        return out

    def elements(self, d: Any, node: Any) -> list[Any]:
        """The elements of something whose number of elements is known."""
        raise NotImplementedError

    def expr_Dict(self, node: Any) -> Any:
        out: dict[Any, Any] = {}
        for k, v in zip(node.keys, node.values, strict=True):
            if k is None:
                inner = self.expr(v)
                if not isinstance(inner, dict):
                    raise self.refuse(v, "** of something that is not a dict of known keys", "write the keys out")
                out.update(inner)
            else:
                out[self.static(self.expr(k), k, "the key of a dict")] = self.expr(v)
        return out

    def expr_BinOp(self, node: Any) -> Any:
        return self.binary(BINARY[type(node.op)], self.expr(node.left), self.expr(node.right), node)

    def binary(self, target: Any, a: Any, b: Any, node: Any, hint: str = "") -> Any:
        """`a op b` on denotations, tuples, lists and strings included."""
        for x in (a, b):
            if isinstance(x, Poison):
                raise Refusal(poison_problem(x, "this", self.loc(node)))
        if isinstance(a, tuple | list) or isinstance(b, tuple | list):
            if target is operator.add and type(a) is type(b):
                return a + b
            if target is operator.mul:
                seq, times = (a, b) if isinstance(a, tuple | list) else (b, a)
                if isinstance(seq, tuple | list) and _int_like(times):
                    remedy = "make an array, np.full(n, value), or append in a loop"
                    return seq * self.static(times, node, "the number of copies of a list", remedy)
            if all(isinstance(x, tuple | list) for x in (a, b)) or not any(
                isinstance(x, Value) and isinstance(x.kind, Array) for x in (a, b)
            ):
                if not (isinstance(a, Known) and isinstance(a.value, str)):
                    raise self.refuse(node, f"{describe(a)} {target.__name__} {describe(b)} is not supported",
                                      "make arrays of both, with np.array(...)")  # fmt: skip
            if isinstance(a, list | tuple):
                a = self.emit(np.array, list(a))
            if isinstance(b, list | tuple) and not isinstance(a, Known):
                b = self.emit(np.array, list(b))
        if target in (operator.mod, operator.add, operator.mul) and isinstance(a, Known) and isinstance(a.value, str):
            if target is operator.add and not (isinstance(b, Known) and isinstance(b.value, str)):
                self.check_operands(target, (a, b), node)
            b = self.static(b, node, "what is put into a string", "use an f-string")
            try:
                return Known(target(a.value, b))
            except TypeError as error:
                raise self.refuse(node, f"this raises TypeError: {error}", "use an f-string") from None
        self.check_operands(target, (a, b), node)
        return self.emit(target, a, b, hint=hint)

    def check_operands(self, target: Any, operands: tuple[Any, ...], node: Any) -> None:
        """Refuse an operand of an operator that is neither a number nor an array."""
        for remedy in filter(None, map(no_number, operands)):
            raise self.refuse(node, f"{SYMBOLS[target]} is applied to {' and '.join(map(describe, operands))}", remedy)

    def expr_UnaryOp(self, node: Any) -> Any:
        d = self.expr(node.operand)
        if isinstance(node.op, gast.Not):
            t = self.truth(d, node)
            return Known(not t) if isinstance(t, bool) else self.emit(operator.not_, t)
        target = UNARY[type(node.op)]
        self.check_operands(target, (d,), node)
        return self.emit(target, d)

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
        for x in (a, b):
            if (
                isinstance(x, Known)
                and (x.value is None or isinstance(x.value, str))
                and target in (operator.eq, operator.ne)
            ):
                return Known(target is operator.ne)
        self.check_operands(target, (a, b), node)
        return self.emit(target, a, b)

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
        if isinstance(b, dict):
            return self.static(a, node, "the key of a dict") in b
        if isinstance(b, tuple | list):
            if isinstance(a, Known) and all(isinstance(x, Known) for x in b):
                return a.value in [x.value for x in b]
            inside: Any = Known(False)
            for x in b:
                equal = self.compare(gast.Eq(), a, x, node)
                inside = (
                    equal if isinstance(inside, Known) and not inside.value else self.emit(operator.or_, inside, equal)
                )
            return inside.value if isinstance(inside, Known) else inside
        if isinstance(b, Known):
            return self.static(a, node, "what is looked for") in b.value
        raise self.refuse(node, "`in` an array or a list of any length is not supported", "use np.any(a == x)")

    def expr_BoolOp(self, node: Any) -> Any:
        return self._bool(node, node.values)

    def _bool(self, node: Any, values: list[Any]) -> Any:
        first = self.expr(values[0])
        if len(values) == 1:
            return first
        stop_at = isinstance(node.op, gast.Or)
        t = self.truth(first, values[0])
        if isinstance(t, bool):
            return first if t == stop_at else self._bool(node, values[1:])

        def rest() -> Any:
            return self._bool(node, values[1:])

        def here() -> Any:
            return first

        return self.fork(t, *((here, rest) if stop_at else (rest, here)), self.loc(node))

    def expr_IfExp(self, node: Any) -> Any:
        t = self.truth(self.expr(node.test), node.test)
        if isinstance(t, bool):
            return self.expr(node.body if t else node.orelse)
        d = self.fork(t, lambda: self.expr(node.body), lambda: self.expr(node.orelse), self.loc(node))
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this value", self.loc(node)))
        return d

    def expr_NamedExpr(self, node: Any) -> Any:
        if node.target.id not in self.frame.locals:
            raise self.refuse(node, "`:=` inside a comprehension is not supported", "write the comprehension as a loop")
        d = self.expr(node.value)
        self.bind(node.target.id, d)
        return d

    def bind(self, name: str, d: Any) -> None:
        """Give a name its new meaning."""
        self.frame.env[name] = d
        if isinstance(d, Value) and not d.hint:
            d.hint = hint(name)

    def expr_Lambda(self, node: Any) -> Any:
        return self.closure(node, "<lambda>")

    def closure(self, node: Any, name: str) -> Closure:
        """A nested function; its defaults are evaluated now."""
        a = node.args
        names = [p.id for p in (*a.posonlyargs, *a.args)]
        defaults = dict(zip(names[len(names) - len(a.defaults) :], map(self.expr, a.defaults), strict=True))
        defaults.update((p.id, self.expr(d)) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None)
        return Closure(node, self.frame, name, defaults)

    def expr_JoinedStr(self, node: Any) -> Any:
        template, parts = self._template(node)
        values = [self.expr(p) for p in parts]
        if all(isinstance(v, Known) for v in values):
            return Known(template.format(*(v.value for v in values)))
        return self.emit(str.format, Known(template), *values)

    def _template(self, node: Any, parts: list[Any] | None = None) -> tuple[str, list[Any]]:
        parts = [] if parts is None else parts
        text = ""
        for piece in node.values:
            if isinstance(piece, gast.Constant):
                text += str(piece.value).replace("{", "{{").replace("}", "}}")
                continue
            k = len(parts)
            parts.append(piece.value)
            conversion = "" if piece.conversion == -1 else "!" + chr(piece.conversion)
            spec = self._template(piece.format_spec, parts)[0] if piece.format_spec else ""
            text += "{" + str(k) + conversion + (":" + spec if spec else "") + "}"
        return text, parts

    # ------------------------------------------------------------------------ attributes, subscripts
    def expr_Attribute(self, node: Any) -> Any:
        owner = self.expr(node.value)
        return self.attribute(owner, node.attr, node)

    def attribute(self, owner: Any, name: str, node: Any) -> Any:
        if isinstance(owner, Known):
            if isinstance(owner.value, int | float | complex | str | slice) and not isinstance(owner.value, bool):
                value = getattr(owner.value, name, None)
                return Method(owner, name) if callable(value) else Known(value)
            d = self.scope.attribute(owner.value, name, self.loc(node))
            self.note_captures()
            return d
        if isinstance(owner, Value) and isinstance(owner.kind, Array | Num):
            kind = owner.kind
            if name == "shape":
                return tuple(self.emit(length, owner, Known(i)) for i in range(kind.ndim))
            if name == "ndim":
                return Known(kind.ndim)
            if name == "size":
                return self.emit(size, owner) if kind.ndim else Known(1)
            if name == "dtype":
                return Known(kind.dtype)
            if name in ("T", "real", "imag", "mT"):
                return self.method_rule(name, node, owner)
            if not hasattr(np.ndarray if isinstance(kind, Array) else kind.type, name):
                noun = "an array" if isinstance(kind, Array) else f"a {kind.type.__name__}"
                remedy = f"write np.{name}(...)" if hasattr(np, name) else "check the name"
                raise self.refuse(node, f"{noun} has no method or attribute {name}", remedy)
            return Method(owner, name)
        if isinstance(owner, tuple) and not hasattr(tuple, name):
            raise self.refuse(node, f"the field {name} of a tuple is not known", "unpack it, or index it: result[1]")
        if isinstance(owner, tuple | list | dict | Value | ListOf):
            return Method(owner, name)
        if isinstance(owner, Poison):
            raise Refusal(poison_problem(owner, "this", self.loc(node)))
        raise self.refuse(node, f"the attribute {name} of {describe(owner)} is not supported",
                          "pass the value as an argument")  # fmt: skip

    def method_rule(self, name: str, node: Any, owner: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A method or attribute of an array, by its rule."""
        rule = find_method("ndarray." + name)
        if rule is None:
            raise self.refuse(
                node,
                f"the array method {name} has no rule",
                method_remedy(np.ndarray, name, self.text(getattr(node.func, "value", node.func)))
                if isinstance(node, gast.Call)
                else "use a NumPy function that has one (`adc rules`)",
            )
        target = rule.functions[0] if rule.functions else getattr(np.ndarray, name)
        return self.rule_call(rule, target, (owner, *args), kwargs or {}, node)

    def text(self, node: Any) -> str:
        """A piece of the source."""
        return ast.unparse(gast.gast_to_ast(node))

    def rule_call(self, rule: Any, target: Any, args: Any, kwargs: Any, node: Any) -> Any:
        raise NotImplementedError

    def expr_Subscript(self, node: Any) -> Any:
        return self.subscript(self.expr(node.value), self.index(node.slice), node)

    def index(self, node: Any) -> Any:
        if isinstance(node, gast.Slice):
            parts = [Known(None) if p is None else self.expr(p) for p in (node.lower, node.upper, node.step)]
            return slice(*parts)
        if isinstance(node, gast.Tuple):
            return tuple(self.index(n) for n in node.elts)
        return self.expr(node)

    def subscript(self, base: Any, index: Any, node: Any) -> Any:
        """`base[index]` on denotations."""
        if isinstance(base, dict):
            key = self.static(index, node, "the key of a dict")
            if key not in base:
                reason = f"the dict has no key {key!r}; it has {', '.join(map(repr, base))}"
                raise self.refuse(node, reason, "use a key that it has, or add this one to the argument")
            return base[key]
        if isinstance(base, tuple | list):
            k = self.static(index, node, "the index into a tuple or a list of known structure")
            try:
                return base[k]
            except (IndexError, TypeError) as error:
                remedy = f"it has {len(base)} elements: use an int or a slice within that"
                raise self.refuse(node, str(error), remedy) from None
        if isinstance(base, Known):
            if isinstance(base.value, tuple | list | dict | str):
                return Known(base.value[self.static(index, node, "this index")])
            raise self.refuse(node, f"{describe(base)} is indexed", INDEXED)
        if isinstance(base, ListOf):
            element = _rebuild(base.element, lambda v: self.subscript(v, index, node))
            return ListOf(element) if isinstance(index, slice) else element
        if isinstance(base, Value):
            if isinstance(base.kind, Num):
                raise self.refuse(node, f"{describe(base)} is indexed, and has no elements", INDEXED)
            return self.emit(operator.getitem, base, index)
        raise self.refuse(node, f"{describe(base)} is indexed", INDEXED)


# ------------------------------------------------------------------------------------------- small helpers
def _rebuild(d: Any, f: Callable[[Any], Any]) -> Any:
    """`f` over the leaves of a structured denotation."""
    if isinstance(d, tuple | list):
        return type(d)(_rebuild(x, f) for x in d)
    if isinstance(d, dict):
        return {k: _rebuild(v, f) for k, v in d.items()}
    if isinstance(d, ListOf):
        return ListOf(_rebuild(d.element, f))
    return f(d)


def _same_constant(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, int | float | complex | str | bool) and a == b)


def _number(d: Any) -> bool:
    return isinstance(d, Known) and isinstance(d.value, int | float | complex | np.generic)


def _data(d: Any) -> bool:
    return isinstance(d, Value) or _number(d)


def _int_like(d: Any) -> bool:
    return (isinstance(d, Known) and isinstance(d.value, int)) or (
        isinstance(d, Value) and isinstance(d.kind, Num) and d.kind.type is int
    )


__all__ = ["DIVERGES", "Expressions", "Promote", "Unroll", "map_tree"]
