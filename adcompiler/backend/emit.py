"""Statements: the IR as the syntax tree of a Python function."""

import ast
import itertools
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.backend.exits import Exits, Facts, after, at, resolved, stop_of
from adcompiler.backend.names import Names
from adcompiler.backend.spell import BINARY, Speller, name
from adcompiler.backend.unmade import needless
from adcompiler.ir.core import (
    UNDEF,
    For,
    Function,
    If,
    ListOf,
    Loc,
    Op,
    Region,
    Value,
    While,
    errstate_of,
    leaves,
    raise_,
    walk,
)  # fmt: skip
from adcompiler.passes.bufferize import Buffers, handed_on
from adcompiler.passes.flags import unset
from adcompiler.passes.mark import at_split, read_by_pullback, split, turn
from adcompiler.passes.schedule import Schedule
from rules.cotangent import accumulate, appended, length, update, without_last
from rules.kind import Num, Seq
from rules.sequences import backwards

#: Names that generated code uses as Python means them: no variable is called so.
BUILTINS = frozenset(
    "zip reversed enumerate slice len range float int complex bool print abs min max round list tuple dict str".split()
)
PULLBACK = "pullback"
_AUGMENTED = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div}


@dataclass
class Input:
    """Where a parameter of the IR comes from: an expression with steps; `*` for "of each element".

    `pullback` marks cotangents, which come in where the pullback is called.
    """

    value: Value
    access: str
    steps: tuple[Any, ...] = ()
    captured: bool = False
    pullback: bool = False


@dataclass
class Emitted:
    """A generated function: its tree, the objects its free names stand for, and the functions that it calls."""

    tree: ast.FunctionDef
    free: dict[str, Any] = field(default_factory=dict)
    helpers: list[ast.FunctionDef] = field(default_factory=list)


def emit(
    function: Function,
    plan: Schedule,
    buffers: Buffers,
    inputs: list[Input],
    signature: ast.arguments,
    reserved: dict[str, Any],
    names: dict[Any, str],
    free: dict[str, Any],
    called: bool = False,
) -> Emitted:
    """The Python function that computes `function`.

    `reserved` are names that mean something already, `names` those of the functions of the IR that are called, and
    `free` what the free names of these stand for. With `called` it is one of them: it returns its values one by one.
    """
    return _Emitter(function, plan, buffers, inputs, Speller(reserved, names, free), called).function(signature)


class _Emitter:
    def __init__(
        self,
        function: Function,
        plan: Schedule,
        buffers: Buffers,
        inputs: list[Input],
        speller: Speller,
        called: bool,
    ) -> None:
        self.f = function
        self.plan = plan
        self.buffers = buffers
        self.inputs = inputs
        self.speller = speller
        self.called = called
        reserved = {**speller.reserved, **dict.fromkeys(speller.functions.values())}
        lasting = {i.value for i in inputs if i.captured} & read_by_pullback(function)  # the module may change them
        whole = [i for i in inputs if not i.steps and i.access.isidentifier() and i.value not in lasting]
        fixed = {i.value: i.access for i in whole}
        direct = {i.access for i in inputs if not i.steps and not i.captured}
        taken = (set(reserved) - direct) | {
            _head(i.access) for i in inputs if i.steps or i.captured or not i.access.isidentifier()
        }
        again = {i.access for i in inputs if i.pullback}
        taken |= {PULLBACK, *again} if again else set()
        self.used = self._used_inputs()
        self._scan_names(function.body)
        frozen = {i.value for i in inputs if i.captured and not i.steps} - lasting
        taken |= set(self.speller.free) | BUILTINS | {"np"}
        self.idle = next(t for n in itertools.count(1) if (t := "_" * n) not in {*taken, *reserved, *fixed.values()})
        self.names = Names(function, plan, buffers, taken | {self.idle}, fixed, frozen)
        self.handed_on = {self.names.find(v) for v in handed_on(function)} | self._moved()
        self.read_as: dict[int, str] = {}  # what the list of a loop is called where it is read
        self.tapes = self._tape_groups()
        self.exits = Exits(function, plan)
        self.needless = needless(function)
        self.out: list[ast.stmt] = []
        self.loc: Loc | None = None
        self.pending = ""
        self.errstate: tuple[Any, ...] = ()

    def _moved(self) -> set[Value]:
        """The variables that loops and branches assign to others, perhaps before they are assigned themselves."""
        pairs: list[tuple[Any, Any]] = []
        for op in walk(self.f.body):
            if isinstance(op, For | While):
                pairs += zip(op.carried, op.inits, strict=True)
                pairs += zip(op.carried, op.body.results, strict=False)
            elif isinstance(op, If):
                pairs += [pair for side in op.regions for pair in zip(op.results, side.results, strict=False)]
        return {self.names.find(x) for r, x in pairs if isinstance(x, Value) and not self.names.same(r, x)}

    def _scan_names(self, region: Region) -> None:
        """Learn the names of the functions that are called, so that no variable takes one."""
        for op in walk(region):
            if type(op) is Op and op.target not in (update, raise_, turn, split):
                self.speller.call(op, _anything, _anything)

    def _used_inputs(self) -> set[Value]:
        used = set(leaves((self.f.result, self.f.body.results)))
        for op in walk(self.f.body):
            used.update(op.operands() if op.target is not split else ())
            for sub in op.regions:
                used.update(leaves(sub.results))
        return used

    # ---------------------------------------------------------------------------------------- function
    def function(self, signature: ast.arguments) -> Emitted:
        sweeps = any(op.target is turn for op in self.f.body.ops)
        self.pending = "forward" if sweeps and self.f.body.ops and self.f.body.ops[0].target is not turn else ""
        self.enter([i for i in self.inputs if not i.pullback])
        self.region(self.f.body)
        self.loc = None
        self.add(ast.Return(self.returned()))
        body = self.out
        if self.f.doc:
            body = [ast.Expr(ast.Constant(self.f.doc)), *body]
        tree = ast.FunctionDef(self.f.name, signature, body, [], None)
        ast.fix_missing_locations(tree)
        return Emitted(tree, self.speller.free)

    def returned(self) -> ast.expr:
        """What the function returns: its result; with a pullback, the value and that."""
        if at_split(self.f) is None:
            return self.result(self.f.result)
        value, _ = self.f.result
        values = [self.result(x) for x in value] if self.called else [self.result(value)]
        return ast.Tuple([*values, name(PULLBACK)], ast.Load())

    def enter(self, inputs: list[Input]) -> None:
        """Give the inputs that are read the names of their variables."""
        for i in inputs:
            if i.value in self.used and not (not i.steps and i.access == self.names[i.value]):
                self.add(ast.Assign([_store(self.names[i.value])], _path(name(i.access), i.steps)))

    def pullback(self, ops: list[Op]) -> None:
        """The operations behind the split, as a function in the function."""
        inputs = [i for i in self.inputs if i.pullback]

        def build() -> None:
            self.loc = None
            self.enter(inputs)
            self.region(Region([], ops))
            self.loc = None
            self.add(ast.Return(self.result(self.f.result[1])))

        cotangents = [ast.arg(a) for a in dict.fromkeys(i.access for i in inputs)]
        signature = ast.arguments([], cotangents, None, [], [], None, [])
        body = self.block(build)
        self.loc = None
        self.add(ast.FunctionDef(PULLBACK, signature, body, [], None))

    def result(self, tree: Any) -> ast.expr:
        """The returned structure: gradients alone, or (value, gradients)."""
        if isinstance(tree, Value):
            return self.expr(tree)
        if isinstance(tree, tuple):
            return ast.Tuple([self.result(x) for x in tree], ast.Load())
        if isinstance(tree, list):
            return ast.List([self.result(x) for x in tree], ast.Load())
        if isinstance(tree, dict):
            return ast.Dict([self.speller.constant(k) for k in tree], [self.result(x) for x in tree.values()])
        if isinstance(tree, ListOf):
            return self.rows(tree.element)
        return self.speller.constant(tree)

    def rows(self, element: Any) -> ast.expr:
        """A list of structures, of one list for each leaf."""
        values = list(leaves(element))
        targets = [f"{self.names[v]}_k" if v not in self.plan.inlined else f"x_{i}" for i, v in enumerate(values)]
        by_value = dict(zip(values, targets, strict=True))

        def build(x: Any) -> ast.expr:
            if isinstance(x, Value):
                return name(by_value[x])
            if isinstance(x, tuple):
                return ast.Tuple([build(y) for y in x], ast.Load())
            if isinstance(x, dict):
                return ast.Dict([self.speller.constant(k) for k in x], [build(y) for y in x.values()])
            return self.speller.constant(x)

        iterable = (
            ast.Call(self.speller.builtin(zip), [self.expr(v) for v in values], [])
            if len(values) > 1
            else self.expr(values[0])
        )
        target: ast.expr = (
            ast.Tuple([_store(t) for t in targets], ast.Store()) if len(values) > 1 else _store(targets[0])
        )
        return ast.ListComp(build(element), [ast.comprehension(target, iterable, [], 0)])

    def add(self, statement: ast.stmt) -> None:
        """Append a statement with its source line and, where a part begins, its heading."""
        if self.loc is not None:
            statement.comment = f"{os.path.basename(self.loc.file)}:{self.loc.line}"  # type: ignore[attr-defined]
            statement.place = self.loc  # type: ignore[attr-defined]
        if self.pending:
            statement.comment_before = self.pending  # type: ignore[attr-defined]
            self.pending = ""
        self.out.append(statement)

    def block(self, build: Any) -> list[ast.stmt]:
        """The statements that `build` adds, as a block of their own."""
        outer, self.out = self.out, []
        pending, self.pending = self.pending, ""
        try:
            build()
            return self.out or [ast.Pass()]
        finally:
            self.out, self.pending = outer, pending

    # ----------------------------------------------------------------------------------------- regions
    def region(self, region: Region) -> None:
        self.written_ops(region.ops)

    def written_ops(self, ops: list[Op]) -> None:
        for k, op in enumerate(ops):
            if op.target is split:
                self.pullback(ops[k + 1 :])
                return
            if op.target is turn:
                self.pending = "backward"
            elif self.plan.is_written(op):
                with self.handling_errors(op):
                    self.loc = op.loc or self.loc
                    self.statement(op)

    @contextmanager
    def handling_errors(self, op: Op) -> Iterator[None]:
        """What is added within stands under the `with np.errstate(...)` that the operation is under."""
        outer, wanted = self.errstate, errstate_of(op)
        more = wanted[len(outer) :] if wanted[: len(outer)] == outer else ()
        if not more:
            yield
            return
        statements, pending = self.out, self.pending
        last = statements[-1] if statements else None
        self.errstate, self.pending = wanted, ""
        joined = isinstance(last, ast.With) and getattr(last, "errstate", None) == wanted and not pending
        self.out = last.body if isinstance(last, ast.With) and joined else []
        yield
        made, self.out, self.errstate, self.pending = self.out, statements, outer, pending
        if made and not joined:
            errstate = name(f"{self.speller.free_name('np', np)}.errstate")
            calls = [ast.Call(errstate, [], [ast.keyword(k, ast.Constant(v)) for k, v in h]) for h in more]
            block = ast.With([ast.withitem(call, None) for call in calls], made)
            block.errstate = wanted  # type: ignore[attr-defined]
            self.loc = op.loc
            self.add(block)

    def statement(self, op: Op) -> None:
        if id(op) in self.plan.expressions:
            self.assign(op.result, self.written(op), self.plan.read_by(op))
        elif isinstance(op, If):
            self.branch(op)
        elif isinstance(op, For):
            self.loop(op)
        elif isinstance(op, While):
            self.while_loop(op)
        elif op.target is update:
            self.update(op)
        elif op.target is raise_:
            self.add(ast.Raise(self.expr(op.args[0]), self.expr(op.args[1]) if len(op.args) > 1 else None))
        elif id(op) in self.buffers.in_place:
            self.overwrite(op)
        elif not op.results or (op.effect and self.used.isdisjoint(op.results)):
            self.add(ast.Expr(self.written(op)))
        elif len(op.results) > 1:
            targets: list[ast.expr] = [_store(self.names[r] if r in self.used else self.idle) for r in op.results]
            self.add(ast.Assign([ast.Tuple(targets, ast.Store())], self.written(op)))
        else:
            self.assign(op.result, self.written(op), self.plan.read_by(op))

    def assign(self, v: Value, value: ast.expr, reads: Iterable[Value] = ()) -> None:
        """`v = value`, an expression that reads these variables; `v op= y` where that rebinds a number.

        What is read under the same name may be a 0-d array, of which `op=` would change the memory.
        """
        target = self.names[v]
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.left, ast.Name)
            and not isinstance(value.op, ast.MatMult)
            and value.left.id == target
            and all(isinstance(x.kind, Num) for x in (v, *reads) if self.names[x] == target)
        ):
            self.add(ast.AugAssign(_store(target), value.op, value.right))
            return
        self.add(ast.Assign([_store(target)], value))

    def overwrite(self, op: Op) -> None:
        """`x op= y`, `xs.append(x)`, `xs.pop()`."""
        x = self.buffers.in_place[id(op)]
        if op.target is appended:
            self.append(self.names[x], self.expr(op.args[1]))
            return
        if op.target is without_last:
            self.pop(self.names[x])
            return
        other = op.args[1] if op.args[0] is x else op.args[0]
        self.add(ast.AugAssign(_store(self.names[x]), BINARY[op.target](), self.expr(other)))

    def update(self, op: Op) -> None:
        base, path, kind, value = op.args
        place = self.names[op.result]
        if id(op) in self.buffers.copied:
            self.add(ast.Assign([_store(place)], ast.Call(ast.Attribute(self.expr(base), "copy", ast.Load()), [], [])))
        target: ast.expr = name(place)
        for step in path:
            target = ast.Attribute(target, "T", ast.Load()) if isinstance(step, str) else \
                ast.Subscript(target, self.index(step), ast.Load())  # fmt: skip
        assert isinstance(target, ast.Subscript)
        if kind in ("add", "sub") and _repeats(path[-1]):
            at = name(f"{self.speller.free_name('np', np)}.{'add' if kind == 'add' else 'subtract'}.at")
            self.add(ast.Expr(ast.Call(at, [target.value, self.expr(path[-1]), self.expr(value)], [])))
            return
        target.ctx = ast.Store()
        if kind == "set":
            self.add(ast.Assign([target], self.expr(value)))
        elif isinstance(base, Value) and isinstance(base.kind, Seq):
            assert kind == "add", "lists of cotangents are only added to"
            callee = self.speller.callee(accumulate)
            load = ast.Subscript(target.value, target.slice, ast.Load())
            self.add(ast.Assign([target], ast.Call(callee, [load, self.expr(value)], [])))
        else:
            self.add(ast.AugAssign(target, _AUGMENTED[kind](), self.expr(value)))

    # ------------------------------------------------------------------------------------ control flow
    def branch(self, op: If) -> None:
        cond = self.expr(op.cond)

        def arm(side: Region) -> list[ast.stmt]:
            def build() -> None:
                self.region(side)
                self.loc = op.loc
                if not any(o.target is raise_ for o in side.ops):
                    self.moves(op.results, side.results, none=True)

            return self.block(build)

        loc = op.loc
        then, orelse = arm(op.then), arm(op.orelse)
        self.loc = loc
        if isinstance(then[0], ast.Pass) and not isinstance(orelse[0], ast.Pass):
            cond, then, orelse = _negated(cond), orelse, then
        self.add(ast.If(cond, then, [] if isinstance(orelse[0], ast.Pass) else orelse))

    def moves(self, targets: list[Value], sources: list[Any], none: bool = False) -> None:
        """Assign what a region yields, all at once where one is read after another is assigned."""
        pairs = [
            (t, s) for t, s in zip(targets, sources, strict=False)
            if not self.names.same(t, s) and (s is not UNDEF or none and t not in self.needless)
            and t not in self.exits.idle
        ]  # fmt: skip
        pending = [(t, s, {self.names[x] for x in self.plan.reads(s)}) for t, s in pairs]
        while pending:
            for i, (t, s, _) in enumerate(pending):
                if all(self.names[t] not in reads for j, (_, _, reads) in enumerate(pending) if j != i):
                    self.assign(t, self.expr(s), self.plan.reads(s))
                    del pending[i]
                    break
            else:
                left: list[ast.expr] = [_store(self.names[t]) for t, _, _ in pending]
                right = [self.expr(s) for _, s, _ in pending]
                self.add(ast.Assign([ast.Tuple(left, ast.Store())], ast.Tuple(right, ast.Load())))
                return

    def loop(self, op: For) -> None:
        n, loc = len(op.inits), op.loc
        self.start_loop(op)
        element_of = dict(zip(op.elements, op.sequences, strict=True))
        grouped: dict[int, list[Value]] = defaultdict(list)
        targets: list[ast.expr] = []
        iterables: list[ast.expr] = []
        used = set(self.plan.read_in(Region([], op.body.ops, op.body.results)))
        singles: list[tuple[ast.expr, Any]] = []
        for e, s in element_of.items():
            tape = self.tape_behind(s)
            if tape is not None and tape[1] in self.tapes.get(id(tape[0]), ([], ""))[0]:
                grouped[id(tape[0])].append(e)
                if len(grouped[id(tape[0])]) == 1:
                    singles.append((ast.Tuple([], ast.Store()), tape))
                continue
            singles.append((_store(self.names[e] if e in used else self.idle), s))
        for target, s in sorted(singles, key=lambda pair: isinstance(pair[1], tuple)):
            if isinstance(s, tuple):
                writer = s[0]
                group = self.tapes[id(writer)][0]
                by_tape = {self.tape_behind(element_of[e])[1]: e for e in grouped[id(writer)]}  # type: ignore[index]
                parts = []
                for inner, elements in self.packed([by_tape[t] for t in group]):
                    parts.append(_store(self.shortest(elements)))
                    if inner is not None:
                        self.read_as[inner] = self.shortest(elements)
                targets.append(parts[0] if len(parts) == 1 else ast.Tuple(list(parts), ast.Store()))
                iterables.append(ast.Call(self.speller.builtin(reversed), [name(self.read_as[id(writer)])], []))
            else:
                targets.append(target)
                unread = isinstance(target, ast.Name) and target.id == self.idle
                iterables.append(self.iterable(s, unread))
        merged = self.enumerated(op, targets, iterables) if not grouped else None
        if merged is not None:
            target, iterable = merged
        elif len(targets) == 1:
            target, iterable = targets[0], iterables[0]
        else:
            target, iterable = ast.Tuple(targets, ast.Store()), ast.Call(self.speller.builtin(zip), iterables, [])
        body = self.block(lambda: self.body(op, n))
        self.loc = loc
        self.add(ast.For(target, iterable, body, []))

    def enumerated(
        self, op: For, targets: list[ast.expr], iterables: list[ast.expr]
    ) -> tuple[ast.expr, ast.expr] | None:
        """`for i, x in enumerate(xs)` where a range as long as a sequence is read beside it."""
        if len(targets) < 2 or not isinstance(op.sequences[0], Value):
            return None
        made = self.plan.defs.get(op.sequences[0])
        if made is None or made.target is not range or len(made.args) != 1 or op.sequences[0] not in self.plan.inlined:
            return None
        count = self.plan.defs.get(made.args[0]) if isinstance(made.args[0], Value) else None
        if count is None or count.target is not length or count.args[0] is not op.sequences[1] or len(count.args) > 1:
            return None
        rest: ast.expr = iterables[1] if len(iterables) == 2 else ast.Call(self.speller.builtin(zip), iterables[1:], [])
        inner: ast.expr = targets[1] if len(targets) == 2 else ast.Tuple(targets[1:], ast.Store())
        return ast.Tuple([targets[0], inner], ast.Store()), ast.Call(self.speller.builtin(enumerate), [rest], [])

    def iterable(self, s: Any, unread: bool = False) -> ast.expr:
        """What a loop reads; backwards or not is all one where only the number of elements counts."""
        op = self.plan.defs.get(s) if isinstance(s, Value) and s in self.plan.inlined else None
        if op is not None and op.target is backwards and unread:
            return self.expr(op.args[0])
        if op is not None and op.target is backwards:
            return ast.Call(self.speller.builtin(reversed), [self.expr(op.args[0])], [])
        return self.expr(s)

    def start_loop(self, op: For | While) -> None:
        self.moves(op.carried, op.inits)
        for p, i in zip(op.carried, op.inits, strict=True):
            if i is UNDEF and self.names.find(p) in self.handed_on:  # kept or handed on, perhaps before it is assigned
                self.assign(p, self.expr(None))
        for r in op.results[len(op.inits) :]:
            if id(op) in self.tapes and r in self.tapes[id(op)][0]:
                continue
            self.assign(r, ast.List([], ast.Load()))
        if id(op) in self.tapes:
            self.add(ast.Assign([_store(self.tapes[id(op)][1])], ast.List([], ast.Load())))

    def body(self, op: For | While, n: int) -> None:
        early = id(op) in self.plan.early
        self.loc = op.loc
        if early:
            self.keep(op)

        def end(jump: ast.stmt | None = None) -> None:
            self.loc = op.loc
            if not early:
                self.keep(op)
            self.moves(op.carried, op.body.results[:n], none=True)
            if jump is not None:
                self.add(jump)

        if id(op) in self.exits.jumping:
            ops = self.exits.written(op.body)
            if not early and len(op.results) > n and self.kept_before_exit(op, ops):
                early = True
                self.written_ops(ops[:-1])
                self.keep(op)
                ops = ops[-1:]
            if self.flow(ops, stop_of(op), unset(op), lambda _: end(ast.Break()), lambda: end(ast.Continue())):
                end()
            return
        self.region(op.body)
        end(ast.If(self.expr(stop_of(op)), [ast.Break()], []) if op.stop else None)

    def kept_before_exit(self, op: For | While, ops: list[Op]) -> bool:
        """Is what a loop collects there before the branch in which it stops?"""
        last = self.exits.last(ops)
        if last is None or id(last) in self.exits.asking:
            return False
        return not self.plan.reads(op.body.results[len(op.inits) : len(op.results)]) & set(last.results)

    def flow(self, ops: list[Op], flag: Any, facts: Facts, leave: Callable[[Facts], None],
             go_on: Callable[[], None] | None) -> bool:  # fmt: skip
        """Statements, with what `leave` writes on each path on which the flag is true: a jump at the end.

        `go_on` writes a jump to the end of the iteration. Returns whether a path is left that does not jump.
        """
        known, op = resolved(flag, facts), self.exits.last(ops)
        if known is not None and (op is None or not (id(op) in self.exits.asking or self.exits.asks_inside(op))):
            self.written_ops(ops)
            if known:
                leave(facts)
            return not known
        assert op is not None

        def moved(side: Region) -> None:
            self.loc = op.loc
            self.moves(op.results, side.results, none=True)

        def jump(side: Region, f: Facts) -> None:
            """Leave the loop from the end of one side, or go on with the next iteration."""
            moved(side)
            if resolved(at(op, side, flag), f):
                leave(after(op, side, f))
            else:
                assert go_on is not None
                go_on()

        def through(side: Region, facts: Facts) -> bool:
            """One side, and what it yields."""

            def ended() -> None:
                moved(side)
                assert go_on is not None
                go_on()

            end = ended if go_on is not None else None
            falls = self.flow(self.exits.written(side), at(op, side, flag), facts, lambda f: jump(side, f), end)
            falls = falls and not any(o.target is raise_ for o in side.ops)
            if falls:
                moved(side)
            return falls

        if id(op) in self.exits.asking:
            inner = self.exits.before(ops, facts)
            falls = self.flow(ops[:-1], op.cond, facts, lambda f: jump(op.then, f), None)
            return falls and inner is not None and through(op.orelse, inner)
        self.written_ops(ops[:-1])
        with self.handling_errors(op):
            return self.split(op, facts, through)

    def split(self, op: If, facts: Facts, through: Callable[[Region, Facts], bool]) -> bool:
        """An `if` of which one side may jump: what the other does follows it. Returns whether a path is left."""
        self.loc = op.loc or self.loc
        loc, cond = self.loc, self.expr(op.cond)
        open_ends: list[bool] = []
        then, orelse = (
            self.block(lambda side=side, true=true: open_ends.append(through(side, {**facts, op.cond: true})))
            for side, true in ((op.then, True), (op.orelse, False))
        )
        self.loc = loc
        if open_ends == [True, False] or (all(open_ends) and isinstance(then[0], ast.Pass)):
            cond, then, orelse = _negated(cond), orelse, then
        self.add(ast.If(cond, then, orelse if all(open_ends) and not isinstance(orelse[0], ast.Pass) else []))
        if not all(open_ends):
            self.out += [s for s in orelse if not isinstance(s, ast.Pass)]
        return any(open_ends)

    def keep(self, op: For | While) -> None:
        """Append what the loop collects."""
        n = len(op.inits)
        self.loc = None
        collected = dict(zip(op.results[n:], op.body.results[n:], strict=False))
        group, variable = self.tapes.get(id(op), ([], ""))
        for r, y in collected.items():
            if r not in group:
                self.loc = r.loc if r.loc != op.loc and r.hint != "tape" else None
                self.append(self.names[r], self.expr(y))
        self.loc = None
        if group:
            packed = self.packed([collected[r] for r in group])
            parts = [self.expr(vs[0]) if inner is None else name(self.tapes[inner][1]) for inner, vs in packed]
            self.append(variable, parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()))

    def append(self, variable: str, value: ast.expr) -> None:
        self.add(ast.Expr(ast.Call(name(f"{variable}.append"), [value], [])))

    def pop(self, variable: str) -> None:
        """`xs.pop()`, as part of the statement before it where that reads `xs[-1]`."""
        pop = ast.Call(name(f"{variable}.pop"), [], [])
        last = self.out[-1] if self.out else None
        if isinstance(last, ast.Assign | ast.AugAssign) and not self.pending and _plain_read(last.value, variable):
            if _mentions(last, variable) == 1:
                last.value = _Popped(variable, pop).visit(last.value)
                return
        self.add(ast.Expr(pop))

    def while_loop(self, op: While) -> None:
        loc = op.loc
        self.start_loop(op)
        simple = all(not self.plan.is_written(o) for o in op.test.ops)

        def build() -> None:
            if not simple:
                self.region(op.test)
                self.add(ast.If(_negated(self.expr(op.test.results[0])), [ast.Break()], []))
            self.body(op, len(op.inits))

        test = self.expr(op.test.results[0]) if simple else ast.Constant(True)
        body = self.block(build)
        self.loc = loc
        self.add(ast.While(test, body, []))

    def tape_behind(self, s: Any) -> tuple[For | While, Value] | None:
        """The loop that collected what is read backwards here, and the list."""
        made = self.plan.defs.get(s) if isinstance(s, Value) and s in self.plan.inlined else None
        if made is None or made.target is not backwards or not isinstance(made.args[0], Value):
            return None
        tape = self.names.sources.get(made.args[0], made.args[0])
        writer = self.plan.defs.get(tape) if isinstance(tape, Value) else None
        if isinstance(writer, For | While) and tape in writer.results[len(writer.inits) :]:
            return writer, tape
        return None

    def packed(self, values: list[Any]) -> list[tuple[int | None, list[Any]]]:
        """What a loop keeps of each iteration, or reads back, lists that are one list of tuples together.

        With those goes the inner loop that makes the list, with another value None.
        """
        out: list[tuple[int | None, list[Any]]] = []
        for v in values:
            tape = self.names.sources.get(v, v) if isinstance(v, Value) else None
            inner = id(self.plan.defs.get(tape)) if tape is not None else 0
            if tape not in self.tapes.get(inner, ([], ""))[0]:
                out.append((None, [v]))
                continue
            same = [vs for other, vs in out if other == inner]
            if same:
                same[0].append(v)
            else:
                out.append((inner, [v]))
        return out

    def shortest(self, values: list[Value]) -> str:
        """The name of a list of tuples: the shortest of those of the lists in it."""
        return min((self.names[v] for v in values), key=lambda text: (len(text), text))

    def _tape_groups(self) -> dict[int, tuple[list[Value], str]]:
        """For each loop, the lists that one loop alone reads backwards: kept as one list of tuples."""
        readers: dict[int, dict[Value, list[int]]] = defaultdict(lambda: defaultdict(list))
        writers: dict[int, For | While] = {}
        uses: dict[Value, int] = defaultdict(int)
        read_as: dict[Value, tuple[For | While, Value]] = {}
        within: dict[Value, Value] = {}  # the list of an inner loop, as an element of the list of the outer one
        for op in walk(self.f.body):
            for v in op.operands():
                uses[v] += 1
            for sub in op.regions:
                for v in leaves(sub.results):
                    uses[v] += 1
            if isinstance(op, For) and id(op) not in self.plan.expressions:
                for e, s in zip(op.elements, op.sequences, strict=True):
                    tape = self.tape_behind(s)
                    if tape is not None:
                        writers[id(tape[0])] = tape[0]
                        readers[id(tape[0])][tape[1]].append(id(op))
                        read_as[e] = tape
                        behind = self.plan.defs[s].args[0]
                        if behind is not tape[1]:
                            within[tape[1]] = behind
        for v in leaves(self.f.result):
            uses[v] += 1
        out: dict[int, tuple[list[Value], str]] = {}

        def together(v: Value) -> bool:
            """Is a list of an inner loop kept and read by the outer ones alone, in one list of tuples?"""
            if v not in within:
                return True
            writer, tape = read_as[within[v]]
            return uses[within[v]] == 1 and tape in out.get(id(writer), ([], ""))[0]

        for key, lists in readers.items():  # those of outer loops first
            first = next(iter(lists.values()))[0]
            group = [v for v in writers[key].results if v in lists and lists[v] == [first] and uses[v] == 1]
            group = _in_order_of_definition(list(filter(together, group)), writers[key])
            if group and key not in self.plan.expressions:
                out[key] = (group, self.shortest(group))
                self.read_as[key] = out[key][1]
        return out

    # ----------------------------------------------------------------------------------- expressions
    def expr(self, x: Any) -> ast.expr:
        """An operand as an expression."""
        if isinstance(x, Value):
            return self.written(self.plan.defs[x]) if x in self.plan.inlined else name(self.names[x])
        if isinstance(x, tuple):
            return ast.Tuple([self.expr(y) for y in x], ast.Load())
        if isinstance(x, list):
            return ast.List([self.expr(y) for y in x], ast.Load())
        if isinstance(x, dict):
            return ast.Dict([self.expr(k) for k in x], [self.expr(y) for y in x.values()])
        if isinstance(x, slice):
            return ast.Call(self.speller.builtin(slice), [self.expr(y) for y in (x.start, x.stop, x.step)], [])
        return self.speller.constant(None if x is UNDEF else x)

    def index(self, x: Any) -> ast.expr:
        """What stands between the brackets of a subscript."""
        if isinstance(x, slice):
            start, stop, step = (None if y is None else self.expr(y) for y in (x.start, x.stop, x.step))
            return ast.Slice(start, stop, step)
        return ast.Tuple([self.index(y) for y in x], ast.Load()) if isinstance(x, tuple) else self.expr(x)

    def written(self, op: Op) -> ast.expr:
        """An operation as an expression."""
        if isinstance(op, If):
            return self.conditional(op)
        if isinstance(op, For):
            targets: list[ast.expr] = [_store(self.names[e]) for e in op.elements]
            iterables = [self.iterable(s) for s in op.sequences]
            merged = self.enumerated(op, targets, iterables)
            target, iterable = merged or (
                (targets[0], iterables[0]) if len(targets) == 1
                else (ast.Tuple(targets, ast.Store()), ast.Call(self.speller.builtin(zip), iterables, []))
            )  # fmt: skip
            return ast.ListComp(self.expr(op.body.results[0]), [ast.comprehension(target, iterable, [], 0)])
        return self.speller.call(op, self.expr, self.index)

    def conditional(self, op: If) -> ast.expr:
        """`a and b`, `a or b`, `x if c else y`."""
        cond, then, orelse = op.cond, op.then.results[0], op.orelse.results[0]
        if orelse is cond:
            return ast.BoolOp(ast.And(), [self.expr(cond), self.expr(then)])
        if then is cond:
            return ast.BoolOp(ast.Or(), [self.expr(cond), self.expr(orelse)])
        return ast.IfExp(self.expr(cond), self.expr(then), self.expr(orelse))


# -------------------------------------------------------------------------------------------- small helpers
def _in_order_of_definition(group: list[Value], writer: For | While) -> list[Value]:
    """Lists in the order in which the loop that fills them makes their elements."""
    order = {v: i for i, v in enumerate(_defined(writer.body))}
    kept = dict(zip(writer.results, writer.body.results, strict=False))
    return sorted(group, key=lambda v: order.get(kept[v], -1))


def _defined(region: Region) -> list[Value]:
    """What a region defines, in order."""
    return [*region.params, *(r for op in region.ops for r in op.results)]


def _anything(x: Any) -> ast.expr:
    return ast.Constant(0)


def _store(text: str) -> ast.Name:
    return ast.Name(text, ast.Store())


def _head(access: str) -> str:
    """The name that an access begins with."""
    return access.split(".")[0].split("[")[0]


def _negated(cond: ast.expr) -> ast.expr:
    if isinstance(cond, ast.UnaryOp) and isinstance(cond.op, ast.Not):
        return cond.operand
    return ast.UnaryOp(ast.Not(), cond)


def _last_of(node: ast.AST, variable: str) -> bool:
    """Is this `variable[-1]`?"""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == variable
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == -1
    )


def _mentions(node: ast.AST, variable: str) -> int:
    return sum(1 for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == variable)


def _plain_read(node: ast.expr, variable: str) -> bool:
    """Does an expression surely read `variable[-1]`, once?"""
    inner = list(ast.walk(node))
    return any(_last_of(n, variable) for n in inner) and not any(
        isinstance(n, ast.ListComp | ast.IfExp | ast.BoolOp) for n in inner
    )


class _Popped(ast.NodeTransformer):
    """Writes `variable.pop()` for `variable[-1]`."""

    def __init__(self, variable: str, pop: ast.expr) -> None:
        self.variable = variable
        self.pop = pop

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self.pop if _last_of(node, self.variable) else self.generic_visit(node)


def _path(base: ast.expr, steps: tuple[Any, ...]) -> ast.expr:
    """`params["W"]`, `[p[0] for p in params]`."""
    for i, step in enumerate(steps):
        if step == "*":
            if not steps[i + 1 :]:
                return base
            element = _path(name("p"), steps[i + 1 :])
            return ast.ListComp(element, [ast.comprehension(_store("p"), base, [], 0)])
        base = ast.Subscript(base, ast.Constant(step), ast.Load())
    return base


def _repeats(index: Any) -> bool:
    """May an index name an element twice: is there an integer array or a list in it?"""
    if isinstance(index, tuple):
        return any(_repeats(i) for i in index)
    if isinstance(index, list):
        return True
    if not isinstance(index, Value) or isinstance(index.kind, Num):
        return False
    return getattr(index.kind, "dtype", None) != np.bool_
