"""Statements -> regions. Names become values; loops carry what they assign.

`lower` gives a pure function whose parameters are the leaves of the arguments and of what is captured.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Problem, Refusal, UnsupportedError, problem_at
from adcompiler.frontend.calls import Calls, Iteration, Once, assigned_names
from adcompiler.frontend.expressions import BINARY, DIVERGES, Diverges, Promote, Unroll, _construct, _describe
from adcompiler.frontend.kinds import MAX_UNROLLED, Describe, Known, Leaf, ListOf, join_kinds
from adcompiler.frontend.scope import (
    Captured,
    Closure,
    Frame,
    Identity,
    Maybe,
    Method,
    Poison,
    Scope,
    poison_problem,
)
from adcompiler.frontend.source import Source
from adcompiler.ir.alias import new_memory, reached
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import (
    UNDEF,
    For,
    Function,
    Loc,
    Region,
    Value,
    While,
    clone,
    leaves,
    map_tree,
    raise_,
)
from rules.kind import Array, KindError, Lengths, Num, Seq


@dataclass
class Lowered:
    """A function as IR, and how its parameters are found: argument trees, captured inputs, guards."""

    function: Function
    source: Source
    arguments: dict[str, Any]
    leaves: list[Leaf]
    captured: list[Captured]
    identities: list[Identity]
    env: Lengths
    result: Any
    free_names: dict[str, Any] = field(default_factory=dict)


@dataclass
class Returned:
    """The status of code that returns: with what."""

    value: Any


class _Header:
    """What a loop carries: a parameter and an initial operand for each leaf of each assigned name."""

    def __init__(self, lowerer: "Lowerer", entry: dict[str, Any]) -> None:
        self.lowerer = lowerer
        self.entry = entry
        self.kinds: dict[tuple[Any, ...], Any] = {}
        self.poisoned: dict[str, Poison] = {}
        self.reported = False
        self.open_lengths: set[Any] = set()
        self.owned = {
            n for n, d in entry.items() if isinstance(d, Value) and isinstance(d.kind, Array) and lowerer.owned(d, n)
        }

    def start(self) -> tuple[dict[str, Any], list[Value], list[Any], dict[Value, tuple[Any, ...]]]:
        """Names as the body finds them, with the parameters, the initial operands and each parameter's path."""
        self.params: list[Value] = []
        self.inits: list[Any] = []
        self.paths: dict[Value, tuple[Any, ...]] = {}
        names = {}
        for name, d in self.entry.items():
            d = d.value if isinstance(d, Maybe) else d
            names[name] = self.poisoned[name] if name in self.poisoned else self.leaf((name,), d, name)
        return names, self.params, self.inits, self.paths

    def leaf(self, path: tuple[Any, ...], d: Any, name: str) -> Any:
        if isinstance(d, Value) or (isinstance(d, Known) and isinstance(d.value, bool | int | float | complex)):
            operand = self.lowerer.operand(d)
            kind = self.kinds.get(path)
            if kind is None:
                kind = _plain(kind_of_operand(operand))
            param = Value(kind, name, self.lowerer.builder.loc)
            self.params.append(param)
            self.inits.append(operand)
            self.paths[param] = path
            if path in {(n,) for n in self.owned}:
                self.lowerer.owned_joins.add(param)
            return param
        return _walk(d, path, lambda x, p: self.leaf(p, x, name))

    def accept(self, path: tuple[Any, ...], d: Any, end: Any, yields: dict[Value, Any]) -> bool:
        """Compare what the body found (`d`) with what it leaves (`end`). False: the header has changed."""
        end = end.value if isinstance(end, Maybe) else end
        name = path[0]
        if isinstance(d, Poison):
            return True
        if isinstance(d, Value) and d in self.paths:
            if isinstance(end, Value) or (
                isinstance(end, Known) and isinstance(end.value, bool | int | float | complex)
            ):
                operand = self.lowerer.operand(end)
                kind = self.join(d.kind, kind_of_operand(operand))
                if kind is not None:
                    yields[d] = operand
                    if d in self.lowerer.owned_joins and end is not d and not self.lowerer.owned(end, name):
                        self.owned.discard(name)
                        return False
                    if str(kind) != str(d.kind) or kind != d.kind:
                        self.kinds[path] = kind
                        return False
                    return True
            return self.poison(name, d, end)
        if isinstance(d, tuple | list) and type(d) is type(end) and len(d) == len(end):
            accepted = [self.accept((*path, i), x, y, yields) for i, (x, y) in enumerate(zip(d, end, strict=True))]
            return all(accepted)
        if isinstance(d, dict) and isinstance(end, dict) and list(d) == list(end):
            accepted = [self.accept((*path, k), d[k], end[k], yields) for k in d]
            return all(accepted)
        if isinstance(d, ListOf) and isinstance(end, ListOf):
            return self.accept((*path, "*"), d.element, end.element, yields)
        if d is end or (isinstance(d, Known) and isinstance(end, Known) and d.value is end.value):
            return True
        return self.poison(name, d, end)

    def poison(self, name: str, d: Any, end: Any) -> bool:
        if isinstance(end, Poison):
            self.poisoned[name] = end
            self.reported |= end.reported
        else:
            self.poisoned[name] = Poison(
                "{name} is " + _describe(d) + " before the loop and " + _describe(end) + " after its body",
                "give {name} one kind before and in the loop", self.lowerer.builder.loc)  # fmt: skip
        return False

    def join(self, a: Any, b: Any) -> Any:
        """The kind that holds on entry and after each iteration; lengths that vary stay open."""
        env = self.lowerer.env
        if isinstance(a, Array) and isinstance(b, Array) and a.ndim == b.ndim and a.xp == b.xp:
            shape = []
            for x, y in zip(a.shape, b.shape, strict=True):
                if x in self.open_lengths or env.same(x, y):
                    shape.append(x)
                elif not x.anonymous and not y.anonymous and env.size(x) is not None and env.size(x) == env.size(y):
                    shape.append(env.agree(x, y))
                else:
                    shape.append(env.fresh())
                    self.open_lengths.add(shape[-1])
            joined = join_kinds(a, b, env)
            return Array(joined.dtype, tuple(shape), a.xp)
        if isinstance(a, Seq) and isinstance(b, Seq):
            element = self.join(a.element, b.element)
            return None if element is None else Seq(element, a.range and b.range)
        kind = join_kinds(a, b, env)
        return _plain(kind) if kind is not None else None


def _plain(kind: Any) -> Any:
    """A kind as a loop carries it: an int is no longer known to be a certain length."""
    if isinstance(kind, Num):
        return Num(kind.type)
    return Seq(kind.element, kind.range) if isinstance(kind, Seq) else kind


def _after_loop(kind: Any, open_lengths: set[Any] | None, env: Lengths) -> Any:
    """The kind of a loop's result: lengths that vary from iteration to iteration are new ones after the last."""
    if isinstance(kind, Array):
        shape = tuple(
            env.fresh() if n.anonymous and (open_lengths is None or n in open_lengths) else n for n in kind.shape
        )
        return Array(kind.dtype, shape, kind.xp)
    if isinstance(kind, Seq):
        return Seq(_after_loop(kind.element, open_lengths, env), kind.range)
    return kind


def _walk(d: Any, path: tuple[Any, ...], f: Callable[[Any, tuple[Any, ...]], Any]) -> Any:
    if isinstance(d, tuple | list):
        return type(d)(f(x, (*path, i)) for i, x in enumerate(d))
    if isinstance(d, dict):
        return {k: f(x, (*path, k)) for k, x in d.items()}
    if isinstance(d, ListOf):
        return ListOf(f(d.element, (*path, "*")))
    return d


class Lowerer(Calls):
    """Lowers one function and all it calls into one region."""

    def __init__(self, scope: Scope, frame: Frame, env: Lengths, differentiate: Callable[..., Any]) -> None:
        super().__init__(scope, frame, env)
        self.differentiate = differentiate
        self.stack = []
        self.promotable_seen = []
        self.callers: list[Frame] = []
        self.pinned: list[Value] = []
        self.owned_joins: set[Value] = set()

    def gradient(self, request: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """A call of a gradient: the function is lowered apart, differentiated, and put in place."""
        fresh: dict[Value, Value] = {}

        def rename(d: Any) -> Any:
            if isinstance(d, Value):
                return fresh.setdefault(d, Value(d.kind, d.hint, d.loc))
            return _walk(d, (), lambda x, _: rename(x))

        arguments = tuple(map(rename, args)), {k: rename(v) for k, v in kwargs.items()}
        named = request.named(arguments)
        outer, region = self.builder.region, Region()
        self.builder.region = region
        try:
            f = request.function
            result = self.call(f if isinstance(f, Closure) else Known(f), *arguments, node)
        finally:
            self.builder.region = outer
        for p in _poisons(result):
            raise Refusal(poison_problem(p, "the result", self.loc(node)))
        region.results = list(dict.fromkeys(leaves(_plain_tree(result))))
        inner = Function(request.name, list(fresh.values()), region, _plain_tree(result))
        pure, tree = self.differentiate(request, inner, named, _plain_tree(result), self.loc(node))
        back = dict(zip(pure.params, fresh, strict=True))
        ops = clone(Region([], pure.body.ops, list(leaves(tree))), back)
        self.builder.region.ops.extend(ops.ops)
        for op in ops.ops:
            for r in op.results:
                self.defs[r] = op
        return map_tree(lambda v: back.get(v, v), _denotation(tree))

    # ------------------------------------------------------------------------------------- statements
    def body(self, node: Any) -> Any:
        if not isinstance(node.body, list):
            return self.expr(node.body)
        status = self.block(node.body)
        if isinstance(status, Returned):
            return status.value
        if isinstance(status, Diverges):
            raise self.refuse(node, f"{getattr(node, 'name', 'this function')} raises on every path")
        return Known(None)

    def block(self, statements: list[Any]) -> Returned | Diverges | None:
        """Lower statements in order; how they end."""
        for i, s in enumerate(statements):
            mark = len(self.builder.region.ops)
            try:
                status = self.statement(s, statements[i + 1 :])
            except Refusal as refusal:
                if refusal.problem is not None and refusal.problem not in self.problems:
                    self.problems.append(refusal.problem)
                del self.builder.region.ops[mark:]
                for name in assigned_names([s]):
                    self.frame.env[name] = Poison(reported=True)
                if isinstance(s, gast.Return):
                    return Returned(Poison(reported=True))
                continue
            if status is not None:
                return status
        return None

    def statement(self, node: Any, rest: list[Any]) -> Returned | Diverges | None:
        self.builder.loc = self.loc(node)
        handler = getattr(self, f"stmt_{type(node).__name__}", None)
        if handler is None:
            remedy = _REMEDIES.get(type(node).__name__, "leave it out of the function, or do it before the call")
            raise self.refuse(node, f"{_construct(node)} is not supported yet", remedy)
        try:
            return handler(node, rest)
        except KindError as error:
            raise self.refuse(node, str(error), error.remedy) from None

    def stmt_Pass(self, node: Any, rest: list[Any]) -> None:
        return None

    def stmt_Expr(self, node: Any, rest: list[Any]) -> None:
        if not isinstance(node.value, gast.Constant):
            self.expr(node.value)

    def stmt_Assign(self, node: Any, rest: list[Any]) -> None:
        d = self.expr(node.value)
        for target in node.targets:
            self.assign(target, d)

    def stmt_AnnAssign(self, node: Any, rest: list[Any]) -> None:
        if node.value is not None:
            self.assign(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node: Any, rest: list[Any]) -> None:
        if not isinstance(node.target, gast.Name):
            raise self.refuse(node.target, f"a store to {_target(node.target)} is not supported yet",
                              "make a new array: np.where(mask, new, old), np.concatenate(...), a + b")  # fmt: skip
        name = node.target.id
        self.check_local(name, node)
        old = self.scope.lookup(self.frame, name, self.loc(node.target))
        if isinstance(old, Poison | Maybe):
            old = self.expr(gast.Name(name, gast.Load(), None, None, lineno=node.lineno, col_offset=node.col_offset))
        if isinstance(old, Value) and isinstance(old.kind, Array) and not self.owned(old, name):
            reason = f"{name} may share memory with another name, which this changes in place"
            remedy = f"write {name} = {name} {_symbol(node.op)} ..., or {name} = {name}.copy() first"
            raise self.refuse(node, reason, remedy)
        if isinstance(old, list):
            raise self.refuse(node, f"{name} is a list, which this changes in place: not supported yet",
                              f"write {name} = {name} + [...]")  # fmt: skip
        new = self.binary(BINARY[type(node.op)], old, self.expr(node.value), node)
        if isinstance(old, Value) and isinstance(old.kind, Array) and isinstance(new, Value):
            self.check_in_place(old.kind, new, name, node)
            if isinstance(new.kind, Array) and new.kind.dtype != old.kind.dtype:
                new = self.cast(new, old.kind.dtype, node)
        self.bind(name, new)

    def check_in_place(self, old: Array, new: Value, name: str, node: Any) -> None:
        """`x op= y` keeps the shape of x: where the result has another, NumPy raises."""
        if new.kind.ndim != old.ndim:
            raise self.refuse(node, f"{name} is {old}, and the result is {new.kind}: it does not fit in place",
                              f"write {name} = {name} {_symbol(node.op)} ...")  # fmt: skip

    def cast(self, new: Value, dtype: Any, node: Any) -> Any:
        """What a store into an array of `dtype` makes of a value. NumPy refuses casts of another kind."""
        if not np.can_cast(new.kind.dtype, dtype, "same_kind"):
            raise self.refuse(
                node, f"{new.kind.dtype} does not fit into an array of {dtype} in place", "make a new array"
            )
        return self.method_rule("astype", node, new, (Known(dtype),))

    def owned(self, v: Any, name: str) -> bool:
        """Is this array surely held by this name alone: made by an operation in this function, named once?"""
        if not isinstance(v, Value) or not isinstance(v.kind, Array):
            return True
        op = self.defs.get(v)
        if v not in self.owned_joins and (op is None or not new_memory(op)):
            return False
        family = reached(dict.fromkeys(self.defs.values()), v)
        return not any(x in family for n, x in self._held() if n != name or x is not v)

    def owned_names(self, env: dict[str, Any], names: list[str]) -> set[str]:
        before, self.frame.env = self.frame.env, env
        try:
            return {
                n
                for n in names
                if isinstance(d := env.get(n), Value) and isinstance(d.kind, Array) and self.owned(d, n)
            }
        finally:
            self.frame.env = before

    def _held(self) -> list[tuple[str, Value]]:
        """Every array that a name of any frame denotes, or that a loop is reading."""
        out: list[tuple[str, Value]] = [("a loop", v) for v in self.pinned]
        frames: list[Frame] = []
        for frame in (self.frame, *self.callers):
            scope: Frame | None = frame
            while scope is not None and scope not in frames:
                frames.append(scope)
                scope = scope.parent
        for f in frames:
            for n, d in f.env.items():
                for v in _holds(d):
                    out.append((n if f is self.frame and d is v else n + "[]", v))
        return out

    def check_local(self, name: str, node: Any) -> None:
        if name not in self.frame.locals and name not in self.frame.env:
            raise self.refuse(node, f"{name} is not a local variable", "assign it first")

    def stmt_Return(self, node: Any, rest: list[Any]) -> Returned:
        return Returned(Known(None) if node.value is None else self.expr(node.value))

    def stmt_FunctionDef(self, node: Any, rest: list[Any]) -> None:
        if node.decorator_list:
            raise self.refuse(
                node.decorator_list[0],
                "a decorated nested function is not supported",
                "define it at module level",
            )
        if any(isinstance(n, gast.Yield | gast.YieldFrom) for n in gast.walk(node)):
            raise self.refuse(node, "a generator function is not supported yet", "return a list")
        self.frame.env[node.name] = self.closure(node, node.name)

    def stmt_Assert(self, node: Any, rest: list[Any]) -> Any:
        error = gast.Call(gast.Name("AssertionError", gast.Load(), None, None), [node.msg] if node.msg else [], [])
        gast.copy_location(error, node)
        gast.fix_missing_locations(error)
        test = gast.copy_location(gast.UnaryOp(gast.Not(), node.test), node)
        return self.branch(test, [gast.copy_location(gast.Raise(error, None), node)], [], [], node)

    def stmt_Raise(self, node: Any, rest: list[Any]) -> Diverges:
        if node.exc is None:
            raise self.refuse(node, "a bare `raise` has nothing to raise again here")
        error = self.operand(self.expr(node.exc))
        cause = (self.operand(self.expr(node.cause)),) if node.cause is not None else ()
        self.builder.effect(raise_, error, *cause)
        return DIVERGES

    def stmt_If(self, node: Any, rest: list[Any]) -> Any:
        return self.branch(node.test, node.body, node.orelse, rest, node)

    def branch(self, test: Any, body: list[Any], orelse: list[Any], rest: list[Any], node: Any) -> Any:
        """An `if`. Where one side returns, what follows it belongs to the other."""
        cond = self.truth(self.expr(test), test)
        if isinstance(cond, bool):
            return self.block(body if cond else orelse)
        returns = _returns(body) or _returns(orelse)
        after = rest if returns else []

        def side(statements: list[Any]) -> Callable[[], Any]:
            def run() -> Any:
                status = self.block([*statements, *after])
                if isinstance(status, Diverges):
                    return DIVERGES
                if returns:
                    return status.value if isinstance(status, Returned) else Known(None)
                return Known(None)

            return run

        joined = self.fork(cond, side(body), side(orelse), self.loc(node))
        if joined is DIVERGES:
            return DIVERGES
        return Returned(joined) if returns else None

    # ------------------------------------------------------------------------------------- assignment
    def assign(self, target: Any, d: Any) -> None:
        if isinstance(target, gast.Name):
            self.bind(target.id, d)
        elif isinstance(target, gast.Tuple | gast.List):
            self.unpack(target, d)
        else:
            raise self.refuse(target, f"a store to {_target(target)} is not supported yet",
                              "make a new array: np.where(mask, new, old), np.concatenate(...), a + b")  # fmt: skip

    def unpack(self, target: Any, d: Any) -> None:
        items = self.elements(d, target)
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
        n = len(target.elts)
        if (not stars and len(items) != n) or (stars and len(items) < n - 1):
            raise self.refuse(target, f"{len(items)} values are unpacked into {n} names")
        if not stars:
            for t, x in zip(target.elts, items, strict=True):
                self.assign(t, x)
            return
        k = stars[0]
        tail = n - k - 1
        for t, x in zip(target.elts[:k], items[:k], strict=True):
            self.assign(t, x)
        self.assign(target.elts[k].value, items[k : len(items) - tail])
        for t, x in zip(target.elts[k + 1 :], items[len(items) - tail :], strict=True):
            self.assign(t, x)

    # ------------------------------------------------------------------------------------------ loops
    def check_loop(self, node: Any) -> None:
        for n in _inside(node.body + node.orelse):
            if isinstance(n, gast.Return):
                raise self.refuse(n, "`return` inside a loop is not supported yet", "keep the result in a variable")
            if isinstance(n, gast.Break | gast.Continue):
                word = "break" if isinstance(n, gast.Break) else "continue"
                remedy = "use a `while` with the condition" if word == "break" else "use `if ... else`"
                raise self.refuse(n, f"`{word}` is not supported yet", remedy)

    def stmt_For(self, node: Any, rest: list[Any]) -> Any:
        self.check_loop(node)
        it = self.iterate(self.expr(node.iter), node.iter)
        status: Any = None
        if isinstance(it, Iteration):
            mark, env = len(self.builder.region.ops), dict(self.frame.env)
            problems = len(self.problems)
            names = assigned_names(node.body) | assigned_names([node.target])
            try:
                self.for_loop(it, names, lambda d: self._loop_body(node, d), node)
            except Unroll as unroll:
                if unroll.loop is not node:
                    raise
                del self.builder.region.ops[mark:]
                del self.problems[problems:]
                self.frame.env = env
                it = self.unrolled(it, node.iter, unroll.problem)
        if isinstance(it, list):
            if len(it) > MAX_UNROLLED:
                reason = f"a loop over {len(it)} elements of a structure would be unrolled (at most {MAX_UNROLLED})"
                remedy = "put them into one array, or a list of equal kinds passed as an argument"
                raise self.refuse(node.iter, reason, remedy)
            for d in it:
                status = self._loop_body(node, d)
                if status is not None:
                    return status
        return self.block(node.orelse)

    def _loop_body(self, node: Any, d: Any) -> Any:
        self.assign(node.target, d)
        return self.block(node.body)

    def fold_loop(self, it: Iteration, start: Any, node: Any) -> Any:
        name = "total "
        self.frame.env[name] = start

        def add(d: Any) -> None:
            self.frame.env[name] = self.binary(operator.add, self.frame.env[name], d, node)

        self.for_loop(it, frozenset({name}), add, node)
        return self.frame.env.pop(name)

    def for_loop(self, it: Iteration, names: frozenset[str], body: Callable[[Any], Any], node: Any) -> None:
        """Lower a loop over sequences of unknown length; `body` lowers one iteration."""
        loc = self.loc(node)

        def run(region: Region) -> Any:
            elements = [Value(self.element_kind(kind_of_operand(s)), "", loc) for s in it.sequences]
            region.params[:0] = elements
            for e, s in zip(elements, it.sequences, strict=True):
                if isinstance(s, Value) and isinstance(s.kind, Seq) and s.kind.range:
                    self.loop_elements[e] = node
            return body(it.element(elements))

        pinned = [s for s in it.sequences if isinstance(s, Value)]
        self.pinned.extend(pinned)
        try:
            region, inits, results, effect = self.carry(names, run, loc)
        finally:
            del self.pinned[len(self.pinned) - len(pinned) :]
        for s, e in zip(it.sequences, region.params, strict=False):
            if isinstance(s, Value) and isinstance(s.kind, Seq) and e.hint and "_" in s.hint:
                s.hint = f"{e.hint}s"  # the parts of a list of structures are called as the loop calls them
        op = For("for", (list(it.sequences), inits), {}, results, False, effect, loc, region)
        self.finish_loop(op, results)

    def finish_loop(self, op: Any, results: list[Value]) -> None:
        self.builder.region.ops.append(op)
        for v in results:
            self.defs[v] = op

    def carry(
        self, names: frozenset[str], run: Callable[[Region], Any], loc: Loc
    ) -> tuple[Region, list[Any], list[Value], bool]:
        """Lower a loop's body until what it carries is stable. Leaves the names as they are after the loop."""
        frame, outer = self.frame, self.builder.region
        before = dict(frame.env)
        header = _Header(
            self, {n: before[n] for n in sorted(names) if n in before and not isinstance(before[n], Poison)}
        )
        problems = len(self.problems)
        for _ in range(30):
            if not header.reported:  # what was said about a poisoned name is not said again
                del self.problems[problems:]
            self.builder.loc = loc
            start, params, inits, _paths = header.start()
            frame.env = {**before, **start}
            region = self.builder.region = Region(list(params))
            try:
                status = run(region)
            except BaseException:
                frame.env = before
                raise
            finally:
                self.builder.region = outer
            end = frame.env
            yields: dict[Value, Any] = {}
            self.builder.loc = loc
            if isinstance(status, Diverges):
                yields = dict.fromkeys(params, UNDEF)
                end = {**before, **start}
                break
            accepted = [header.accept((n,), d, end.get(n), yields) for n, d in start.items()]
            if all(accepted):
                break
        else:
            frame.env = before
            raise Refusal(
                problem_at(loc, "the kinds of what this loop carries do not settle", "give each variable one kind")
            )
        results = [Value(_after_loop(p.kind, header.open_lengths, self.env), p.hint, loc) for p in params]
        region.results = [yields.get(p, p) for p in params]
        after = dict(zip(params, results, strict=True))
        frame.env = dict(before)
        for n, d in start.items():
            frame.env[n] = d if isinstance(d, Poison) else _replace(d, after)
            if isinstance(d, Value) and d in self.owned_joins:
                self.owned_joins.add(after[d])
        for n in sorted(names - set(start)):
            if n in end:
                d = end[n].value if isinstance(end[n], Maybe) else end[n]
                frame.env[n] = self._first_assigned(n, d, region, inits, results)
        return region, inits, results, any(o.effect for o in region.ops)

    def _first_assigned(self, name: str, d: Any, region: Region, inits: list[Any], results: list[Value]) -> Any:
        """A name that only the loop assigns: carried from nowhere, so that its last value is there afterwards."""
        if isinstance(d, Value) or (isinstance(d, Known) and isinstance(d.value, int | float | complex)):
            operand = self.operand(d)
            kind = _plain(kind_of_operand(operand))
            region.params.append(Value(kind, name))
            region.results.append(operand)
            inits.append(UNDEF)
            results.append(Value(_after_loop(kind, None, self.env), name, self.builder.loc))
            return results[-1]
        return _walk(d, (), lambda x, _: self._first_assigned(name, x, region, inits, results))

    def stmt_While(self, node: Any, rest: list[Any]) -> Any:
        self.check_loop(node)
        names = assigned_names(node.body) | assigned_names([node.test])
        loc = self.loc(node)
        test = Region()
        known: list[bool] = []

        def run(region: Region) -> Any:
            known.clear()
            test.params = [Value(p.kind, p.hint, p.loc) for p in region.params]
            test.ops = []
            inner = dict(zip(region.params, test.params, strict=True))
            outer_env = self.frame.env
            self.frame.env = {n: _replace(d, inner) for n, d in outer_env.items()}
            self.builder.region = test
            cond = self.truth(self.expr(node.test), node.test)
            if any(n in assigned_names([node.test]) for n in names):
                raise self.refuse(node.test, "`:=` in the test of a `while` is not supported",
                                  "assign before the loop and at the end of its body")  # fmt: skip
            self.builder.region = region
            self.frame.env = outer_env
            test.results = [cond]
            if isinstance(cond, bool):
                known.append(cond)
                if not cond:
                    return None
            return self.block(node.body)

        region, inits, results, effect = self.carry(names, run, loc)
        if known == [True]:
            raise self.refuse(
                node.test, "this loop never ends by its condition", "write the condition for which it goes on"
            )
        extra = len(region.params) - len(test.params)
        test.params.extend(Value(p.kind, p.hint) for p in region.params[len(region.params) - extra :])
        self.finish_loop(While("while", (inits,), {}, results, False, effect, loc, test, region), results)
        return self.block(node.orelse)


def _holds(d: Any) -> Iterator[Value]:
    """The values that a denotation keeps alive: those in it, in a function's defaults, in what is iterated."""
    if isinstance(d, Maybe):
        yield from _holds(d.value)
    elif isinstance(d, Closure):
        for x in d.defaults.values():
            yield from _holds(x)
    elif isinstance(d, Method):
        yield from _holds(d.owner)
    elif isinstance(d, Once):
        yield from _holds(d.iterable)
    elif isinstance(d, Iteration):
        yield from leaves(d.sequences)
    elif isinstance(d, tuple | list):
        for x in d:
            yield from _holds(x)
    elif isinstance(d, dict):
        for x in d.values():
            yield from _holds(x)
    else:
        yield from leaves(d)


def _replace(d: Any, mapping: dict[Value, Value]) -> Any:
    if isinstance(d, Value):
        return mapping.get(d, d)
    return _walk(d, (), lambda x, _: _replace(x, mapping))


_REMEDIES = {
    "Break": "use a `while` with the condition",
    "Continue": "use `if ... else`",
    "With": "leave it out of the function",
    "Try": "test the condition with `if`",
    "Delete": "leave it out: it changes no value",
    "Import": "import it at the top of the file",
    "ImportFrom": "import it at the top of the file",
    "Global": "pass the value as an argument, and return it",
    "Nonlocal": "pass the value as an argument, and return it",
    "Match": "use `if` and `elif`",
    "ClassDef": "define it at the top of the file",
}


def _target(node: Any) -> str:
    return {"Subscript": "an element or a slice", "Attribute": "an attribute"}.get(type(node).__name__, "this")


def _symbol(op: Any) -> str:
    return {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@"}.get(type(op).__name__, "op")


def _inside(statements: list[Any]) -> list[Any]:
    """The statements at any depth, nested functions left out."""
    out: list[Any] = []
    for s in statements:
        out.append(s)
        for name in ("body", "orelse"):
            if not isinstance(s, gast.FunctionDef | gast.ClassDef | gast.Lambda):
                out.extend(_inside(getattr(s, name, []) if isinstance(getattr(s, name, []), list) else []))
    return out


def _returns(statements: list[Any]) -> bool:
    return any(isinstance(s, gast.Return) for s in _inside(statements))


def lower(source: Source, describe: Callable[[Describe], dict[str, Any]], env: Lengths,
          differentiate: Callable[..., Any]) -> Lowered:  # fmt: skip
    """Lower a function for arguments that `describe` builds. Raises UnsupportedError with all problems found.

    Ints that turn out to be needed by value are promoted, and lowering starts again.
    """
    by_value: frozenset[tuple[Any, ...]] = frozenset()
    for _ in range(50):
        fresh = Lengths()
        env.sizes, env.guards, env.equal, env.count = fresh.sizes, fresh.guards, fresh.equal, 0
        scope = Scope(source, env, by_value)
        arguments = describe(scope.describe)
        frame = Frame(
            source,
            dict(arguments),
            locals=assigned_names(source.node.body) if isinstance(source.node.body, list) else frozenset(),
        )
        lowerer = Lowerer(scope, frame, env, differentiate)
        lowerer.note_captures()
        lowerer.stack.append(source.node)
        problems: list[Problem] = []
        result: Any = None
        try:
            result = lowerer.body(source.node)
        except Promote as promote:
            missing = promote.steps - by_value
            if not missing:
                raise
            by_value |= promote.steps
            continue
        except Refusal as refusal:
            if refusal.problem is not None:
                problems.append(refusal.problem)
        except Unroll as unroll:
            problems.append(unroll.problem)
        problems = lowerer.problems + problems
        if not problems:
            problems = [problem_at(p.loc, p.reason.replace("{name}", "the result"), p.remedy) for p in _poisons(result)]
        if problems:
            raise UnsupportedError(list(dict.fromkeys(problems)))
        region = lowerer.builder.region
        region.results = list(dict.fromkeys(leaves(_plain_tree(result))))
        function = Function(source.name if source.name.isidentifier() else "f", [l.value for l in scope.leaves], region,
                            _plain_tree(result))  # fmt: skip
        return Lowered(function, source, arguments, scope.leaves, list(scope.captured.values()),
                       list(scope.identities.values()), env, result, scope.free_names)  # fmt: skip
    raise UnsupportedError("too many arguments are needed by value")


def _poisons(d: Any) -> Iterator[Poison]:
    """What of a result cannot be had."""
    if isinstance(d, Poison):
        yield d
    elif isinstance(d, tuple | list):
        for x in d:
            yield from _poisons(x)
    elif isinstance(d, dict):
        for x in d.values():
            yield from _poisons(x)


def _denotation(tree: Any) -> Any:
    """A tree of values and constants as a denotation."""
    if isinstance(tree, Value | ListOf):
        return tree
    if isinstance(tree, tuple | list | dict):
        return _walk(tree, (), lambda x, _: _denotation(x))
    return Known(tree)


def _plain_tree(d: Any) -> Any:
    """A denotation as a tree of values and constants. Lists of structures stay marked."""
    if isinstance(d, Known):
        return d.value
    if isinstance(d, ListOf):
        return ListOf(_plain_tree(d.element))
    if isinstance(d, Closure):
        raise UnsupportedError(f"the function returns the function {d.name}, which has no derivative")
    return _walk(d, (), lambda x, _: _plain_tree(x))
