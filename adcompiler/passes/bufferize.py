"""Where arrays are written in place, where they are copied, and who owns them.

    %d_p.2 = %d_p * %q      ->     d_p *= q          (%d_p is ours, and nobody reads it again)
    return %d_x             ->     return d_x.copy()  (where d_x may share memory with an argument)

Decisions are made one at a time and each is checked: an in-place write is legal iff nothing else that may share
the memory is alive after it, and none of it belongs to the caller. With `reuse=False`, the reference, nothing is
written in place but fresh copies.
"""

import operator
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.ir.alias import holds_memory, shared
from adcompiler.ir.core import UNDEF, For, Function, If, Op, Region, Value, While, free_values, leaves, walk
from adcompiler.passes.dce import dce
from adcompiler.passes.flags import keep_flags
from adcompiler.passes.schedule import ELEMENTWISE, Schedule, fits, schedule
from rules.cotangent import assigned, spread, update
from rules.kind import Array, Seq
from rules.rule import primitive

#: What gives views that cannot be written.
_READ_ONLY = (spread, np.broadcast_to, np.diag, np.diagonal)


@primitive
def copied(x: Any) -> Any:
    """A list of cotangents with arrays of its own."""
    return [copied.__wrapped__(v) for v in x] if isinstance(x, list) else np.array(x)  # type: ignore[attr-defined]


@dataclass
class Buffers:
    """The decisions: operations that write into an operand, updates whose base is copied first."""

    in_place: dict[int, Value] = field(default_factory=dict)
    copied: set[int] = field(default_factory=set)


def handed_on(function: Function) -> set[Value]:
    """What loops keep on tapes, and what branches give that was not made in them."""
    out: set[Value] = set()
    for op in walk(function.body):
        if isinstance(op, For | While):
            out.update(leaves(op.body.results[len(op.inits) : len(op.results)]))
        elif isinstance(op, If):
            for side in op.regions:
                out.update(set(leaves(side.results)) - {r for o in side.ops for r in o.results})
    return out


def _without_idle_checks(function: Function) -> Function:
    """Drop the check that a loop has assigned a variable where the variable is read anyway: Python checks it then."""
    defs = {r: op for op in walk(function.body) for r in op.results}
    kept = handed_on(function)

    def natural(v: Any) -> bool:
        op = defs.get(v)
        if v in kept or (isinstance(op, For | While) and set(op.carried) & kept):
            return False
        return (
            isinstance(op, For | While) and v in op.results[: len(op.inits)] and op.inits[op.results.index(v)] is UNDEF
        )

    def clean(region: Region) -> Region:
        ops = [op.rebuild(lambda v: v, clean) for op in region.ops]
        read = {v for op in ops if op.target is not assigned for v in op.operands()} | set(leaves(region.results))
        kept = [op for op in ops if op.target is not assigned or not (natural(op.args[0]) and op.args[0] in read)]
        return Region(region.params, kept, region.results)

    return Function(function.name, function.params, clean(function.body), function.result, function.doc)


def _settled(region: Region, loop: For | While | None = None) -> Region:
    """In loops, what replaces a carried value stands after the last line that reads the old one."""

    def inner(op: Op) -> Op:
        around = op if isinstance(op, For | While) else None
        return op.rebuild(lambda v: v, lambda r: _settled(r, around if around and r is around.body else None))

    ops = [inner(op) for op in region.ops]
    if loop is not None and loop.carried:
        read = _read(ops)
        stops = ops[-1:] if loop.stop and ops and region.results[-1] in ops[-1].results else []
        kept = _read(stops) | {r for op in stops for r in op.results}
        last: list[Op] = []
        for p, y in zip(loop.carried, region.results, strict=False):
            for op in ops:
                if y in op.results and y not in read and len(op.results) == 1 and not op.effect and not op.regions:
                    if (p not in set(op.operands()) or op.target not in (*ELEMENTWISE, update)) and not kept & {p, y}:
                        last.append(op)
        ops = [*(op for op in ops if op not in [*last, *stops]), *(op for op in ops if op in last), *stops]
    return Region(region.params, ops, region.results)


def _read(ops: list[Op]) -> set[Value]:
    """What operations read, and what is read in them from outside."""
    return {v for op in ops for v in (*op.operands(), *(x for sub in op.regions for x in free_values(sub)))}


class _Classes:
    """Values that may share memory, flow-insensitively; what is the caller's, or kept for later, is not ours."""

    def __init__(self, function: Function) -> None:
        self.parent: dict[Value, Value] = {}
        self.foreign: set[Value] = set()
        for p in function.params:
            self.disown(p)
        self.visit(function.body)

    def find(self, v: Value) -> Value:
        while v in self.parent:
            v = self.parent[v]
        return v

    def unite(self, a: Any, b: Any) -> None:
        if not (isinstance(a, Value) and isinstance(b, Value) and holds_memory(a.kind) and holds_memory(b.kind)):
            return
        a, b = self.find(a), self.find(b)
        if a is not b:
            self.parent[a] = b
            if a in self.foreign:
                self.foreign.add(b)

    def disown(self, v: Any) -> None:
        if isinstance(v, Value):
            self.foreign.add(self.find(v))

    def ours(self, v: Value) -> bool:
        return self.find(v) not in self.foreign

    def visit(self, region: Region) -> None:
        for op in region.ops:
            if isinstance(op, If):
                for side in op.regions:
                    self.visit(side)
                    for r, x in zip(op.results, side.results, strict=False):
                        self.unite(r, x)
            elif isinstance(op, For | While):
                self.loop(op)
            else:
                for v in shared(op):
                    for r in op.results:
                        self.unite(r, v)
                if op.target in _READ_ONLY or op.effect:
                    for r in op.results:
                        self.disown(r)

    def loop(self, op: For | While) -> None:
        n = len(op.inits)
        for sub in op.regions:
            self.visit(sub)
        for k, (init, p, r) in enumerate(zip(op.inits, op.carried, op.results[:n], strict=True)):
            for x in (init, op.body.results[k], r):
                self.unite(p, x)
            if isinstance(op, While):
                self.unite(op.test.params[k], p)
        if isinstance(op, For):
            for e, s in zip(op.elements, op.sequences, strict=True):
                self.unite(e, s)
        for y, r in zip(op.body.results[n:], op.results[n:], strict=False):
            self.unite(y, r)
            self.disown(y)


def bufferize(function: Function, reuse: bool = True) -> tuple[Function, Schedule, Buffers]:
    """The function with the copies it needs, how it is laid out, and what is written in place."""
    function = _without_idle_checks(_own_results(function))
    function = keep_flags(function)
    function = Function(function.name, function.params, _settled(function.body), function.result, function.doc)
    plan = schedule(function)
    classes = _Classes(function)
    members: dict[Value, set[Value]] = defaultdict(set)
    for v in _values(function):
        members[classes.find(v)].add(v)
    buffers = Buffers()
    decided: dict[Value, list[tuple[Op, Value]]] = defaultdict(list)

    def legal(op: Op, group: set[Value], alive: set[Value]) -> bool:
        return not (group & alive) - set(op.results)

    def decide(op: Op, x: Value) -> bool:
        """Let `op` write into `x`, if that and all that was decided before stays legal."""
        root, other = classes.find(x), classes.find(op.result)
        if not classes.ours(x) or not classes.ours(op.result):
            return False
        group = members[root] | members[other]
        earlier = decided[root] + (decided[other] if other is not root else [])
        if not all(legal(o, group, plan.after[id(o)]) for o, _ in [*earlier, (op, x)]):
            return False
        classes.unite(op.result, x)
        top = classes.find(x)
        members[top] = group
        decided[top] = [*earlier, (op, x)]
        return True

    for op in _in_order(function.body):
        if not plan.is_written(op):
            continue
        if op.target is update:
            base = op.args[0]
            if not (reuse and isinstance(base, Value) and decide(op, base)):
                buffers.copied.add(id(op))
        elif reuse and op.target in ELEMENTWISE and len(op.args) == 2 and isinstance(op.result.kind, Array):
            for x in op.args if op.target in (operator.add, operator.mul) else op.args[:1]:
                if (
                    isinstance(x, Value)
                    and x not in plan.inlined
                    and fits(x, op.result)
                    and _overwritable(x, op)
                    and decide(op, x)
                ):
                    buffers.in_place[id(op)] = x
                    break
    return function, plan, buffers


def _overwritable(x: Value, op: Op) -> bool:
    """Cotangents are overwritten, and a variable that is assigned a new value of itself."""
    mine = x.hint == "d" or x.hint.startswith("d_") or (x.hint == op.result.hint != "")
    return mine and sum(1 for y in op.args if y is x) == 1


def _in_order(region: Region) -> Iterable[Op]:
    return walk(region)


def _values(function: Function) -> Iterable[Value]:
    yield from function.params
    for op in walk(function.body):
        yield from op.results
        for sub in op.regions:
            yield from sub.params


def _own_results(function: Function) -> Function:
    """Gradients are arrays of their own: copy what may share memory with an argument or another result."""
    value, gradients = function.result
    classes = _Classes(function)
    defs = {r: op for op in function.body.ops for r in op.results}
    taken = {classes.find(v) for v in leaves(value)}
    extra: list[Op] = []
    out: list[Any] = []
    for d in gradients:
        if not isinstance(d, Value) or not holds_memory(d.kind):
            if isinstance(d, Value) and isinstance(d.kind, Seq) and d in out:
                extra.append(_op(copied, (d,), d))
                d = extra[-1].result
            out.append(d)
            continue
        root = classes.find(d)
        uniform = defs.get(d)
        if uniform is not None and uniform.target is spread and not isinstance(uniform.args[0], Value | np.ndarray):
            fill, like = uniform.args[:2]
            extra.append(_op(np.ones_like, (like,), d) if fill == 1.0 else _op(np.full_like, (like, fill), d))
        elif uniform is not None and uniform.target is spread and not getattr(uniform.args[0].kind, "ndim", 0):
            extra.append(_op(np.full_like, (uniform.args[1], uniform.args[0]), d))
        elif root in classes.foreign or root in taken:
            extra.append(_op(np.copy if isinstance(d.kind, Array) else copied, (d,), d))
        else:
            taken.add(root)
            out.append(d)
            continue
        out.append(extra[-1].result)
    body = Region(function.body.params, [*function.body.ops, *extra], [*leaves((value, out))])
    return dce(Function(function.name, function.params, body, (value, out), function.doc))


def _op(target: Any, args: tuple[Any, ...], like: Value) -> Op:
    return Op(target, args, {}, [Value(like.kind)], loc=None)
