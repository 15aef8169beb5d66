"""What the reverse sweep keeps of the forward sweep, and in which form.

    tape of %x[%i]; .. for %i, %e in reversed          ->   %e = %x[%i] taken again, no tape
    %d = zeros_like(%a) with %a otherwise dead         ->   zeros_like(%b) of an array of the same shape and dtype,
                                                            or of the same view of one that a loop carries

Cheap things (views, indices, lengths, arithmetic on ints) are computed again; what is wanted for its shape alone
is not kept.
"""

import operator
from collections import defaultdict
from typing import Any

import numpy as np

from adcompiler.ir.alias import shared
from adcompiler.ir.core import For, Function, Op, Region, Value, While, leaves, walk
from adcompiler.ir.state import FromState
from adcompiler.passes.common_factors import common_factors
from adcompiler.passes.dce import dce, live_values
from adcompiler.passes.idle import without_idle_tapes
from adcompiler.passes.missing import missing
from adcompiler.passes.retake import reads_of_one_place, regions_in, retaken
from adcompiler.passes.settled import Settled
from rules.cotangent import (
    length,
    size,
    spread,
    update,
    winners,
    zeros_like,
)  # fmt: skip
from rules.kind import Array, Num, lengths, same_shape
from rules.rule import find
from rules.sequences import backwards


def capture(function: Function) -> Function:
    """The same function with less on its tapes."""
    function = _shapes(dce(without_idle_tapes(function)))
    function = dce(function)
    body = _hoisted(retaken(function.body, missing(function), Settled(function)))
    function = dce(Function(function.name, function.params, body, function.result, function.doc))
    return dce(common_factors(dce(without_idle_tapes(function))))


# -------------------------------------------------------------------------------------------- shapes
def shape_only(op: Op) -> set[Value]:
    """The operands of which an operation wants shape and dtype alone."""
    if op.target in (zeros_like, length, size, winners, np.empty_like):
        return {v for v in leaves(op.args[:1]) if isinstance(v.kind, Array)} - set(leaves(op.args[1:]))
    if isinstance(op.target, FromState):
        named = list(zip(op.target.derivative.wants, op.args, strict=True))
        kept = {v for name, x in named if name not in op.target.derivative.like for v in leaves(x)}
        return {v for _, x in named for v in leaves(x) if isinstance(v.kind, Array)} - kept
    rule = find(op.target)
    if rule is None or not any(p.name in rule.like for p in rule.parameters):
        return set()
    bound = rule.bind(op.args, op.kwargs)
    kept = {v for n, x in bound.items() if n not in rule.like for v in leaves(x)}
    return {v for n in rule.like for v in leaves(bound.get(n)) if isinstance(v.kind, Array)} - kept


def _shapes(function: Function) -> Function:
    """Take shapes from arrays that are needed anyway."""

    def valued(op: Op) -> list[Value]:
        like = shape_only(op)
        return [v for v in op.operands() if v not in like]

    needed = live_values(function, valued) | set(function.params)
    needed -= missing(function)
    visible = [p for p in function.params if isinstance(p.kind, Array)]
    reads = [op for op in walk(function.body) if op.target is operator.getitem and shared(op)]
    views = {op.result: op for op in reads if isinstance(op.args[0], Value) and isinstance(op.args[0].kind, Array)}
    views |= {e: views[v] for e, v in _kept(function.body).items() if v in views}
    body = _take_shapes(function.body, visible, needed, views)
    return Function(function.name, function.params, body, function.result, function.doc)


def _kept(body: Region) -> dict[Value, Any]:
    """The elements of tapes that loops read, with what was written there."""
    loops = [op for op in walk(body) if isinstance(op, For | While)]
    written = {r: x for op in loops for r, x in list(zip(op.results, op.body.results))[len(op.inits) :]}
    tape_of = {op.result: op.args[0] for op in walk(body) if op.target is backwards}
    return {
        e: written[tape_of[s]]
        for op in loops if isinstance(op, For)
        for e, s in zip(op.elements, op.sequences, strict=True)
        if isinstance(s, Value) and tape_of.get(s) in written
    }  # fmt: skip


def _take_shapes(region: Region, visible: list[Value], needed: set[Value], views: dict[Value, Op]) -> Region:
    visible = visible + [p for p in region.params if isinstance(p.kind, Array)]
    ops: list[Op] = []
    for op in region.ops:
        swap: dict[Value, Value] = {}
        for v in shape_only(op):
            if v not in needed:
                other = _alike(v, visible, needed, op.target in (length, size))
                if other is None:
                    other = _alike_view(v, region.params, needed, views, ops)
                if other is not None:
                    swap[v] = other
                else:
                    op = _from_lengths(op, v, visible, needed, ops)

        def renamed(v: Value, swap: dict[Value, Value] = swap) -> Value:
            return swap.get(v, v)

        ops.append(op.rebuild(renamed, lambda sub: _take_shapes(sub, visible, needed, views)))
        visible.extend(r for r in op.results if isinstance(r.kind, Array))
    return Region(region.params, ops, region.results)


def _alike(v: Value, visible: list[Value], needed: set[Value], shape: bool) -> Value | None:
    for c in visible:
        if c in needed and c is not v and same_shape(c.kind, v.kind) and c.kind.xp == v.kind.xp:
            if shape or c.kind.dtype == v.kind.dtype:
                return c
    return None


def _alike_view(
    v: Value, carried: list[Value], needed: set[Value], views: dict[Value, Op], ops: list[Op]
) -> Value | None:
    """Where `v` is a view: the same view of what a loop carries and needs anyway, which it keeps nothing for."""
    view = views.get(v)
    if view is None or any(True for _ in leaves(view.args[1])):
        return None
    arrays = [c for c in carried if isinstance(c.kind, Array)]
    base = _alike(view.args[0], arrays, needed, shape=False)
    if base is None:
        return None
    ops.append(Op(operator.getitem, (base, view.args[1]), {}, [Value(v.kind, v.hint, v.loc)], loc=v.loc))
    return ops[-1].result


def _from_lengths(op: Op, v: Value, visible: list[Value], needed: set[Value], ops: list[Op]) -> Op:
    """The operation with the shape of `v` put together from the axes of arrays that are needed anyway."""
    kind = v.kind
    if op.target not in (spread, zeros_like, size, length) or kind.xp != "numpy" or not _plain(op):
        return op
    axes: Any = range(kind.ndim)
    if op.target is length:
        axes = [op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", 0)]
    found: list[Any] = []
    made: list[Op] = []
    for n in (lengths().resolve(kind.shape[k]) for k in axes):
        if n.constant:
            found.append(n.offset)
            continue
        source = _axis_of(n, visible, needed)
        if source is None:
            return op
        made.append(Op(length, source if source[1] else source[:1], {}, [Value(Num(int, n), "", op.loc)], loc=op.loc))
        found.append(made[-1].result)
    if op.target in (size, length):
        return _product(op, found, made, ops)
    ops.extend(made)
    shape = tuple(found) if len(found) != 1 else found[0]
    given = {} if kind.dtype == np.float64 else {"dtype": kind.dtype}
    if op.target is zeros_like:
        return Op(np.zeros, (shape,), given, op.results, loc=op.loc)
    if given or not isinstance(shape, tuple):
        return Op(np.full, (shape, op.args[0]), given, op.results, loc=op.loc)
    return Op(np.broadcast_to, (op.args[0], shape), {}, op.results, loc=op.loc)


def _axis_of(n: Any, visible: list[Value], needed: set[Value]) -> tuple[Value, int] | None:
    """An array that is needed anyway, and the axis of it that has this length."""
    for c in visible:
        if c in needed:
            for k, m in enumerate(c.kind.shape):
                if lengths().same(m, n):
                    return c, k
    return None


def _product(op: Op, found: list[Any], made: list[Op], ops: list[Op]) -> Op:
    """The product of lengths, with the result of `op`."""
    if len(found) == 1 and made:
        return Op(length, made[0].args, {}, op.results, loc=op.loc)
    if len(found) < 2 or not made:
        return op
    ops.extend(made)
    total = found[0]
    for n in found[1:-1]:
        ops.append(Op(operator.mul, (total, n), {}, [Value(Num(int), "", op.loc)], loc=op.loc))
        total = ops[-1].result
    return Op(operator.mul, (total, found[-1]), {}, op.results, loc=op.loc)


def _plain(op: Op) -> bool:
    """A spread of one number, or anything that is not a spread."""
    if op.target is not spread:
        return True
    d = op.args[0]
    return len(op.args) == 2 and not op.kwargs and (not isinstance(d, Value) or isinstance(d.kind, Num))


# ------------------------------------------------------------------------------------------ reading early
def _hoisted(region: Region) -> Region:
    """Of an array that is stored into, the places that are read later are read before: then it need not be copied."""
    ops = [op.rebuild(lambda v: v, _hoisted) for op in region.ops]
    for op, old in zip(ops, region.ops, strict=True):
        op.results = old.results
    stored = [op.args[0] for op in ops if op.target is update and isinstance(op.args[0], Value)]
    if not stored:
        return Region(region.params, ops, region.results)
    place = {id(op): i for i, op in enumerate(ops)}
    made = {r: id(op) for op in ops for r in op.results}
    readers: dict[Value, list[Op]] = defaultdict(list)
    for op in ops:
        for v in _read_within(op):
            readers[v].append(op)
    for x in stored:
        first = min(place[id(op)] for op in readers[x] if op.target is update and op.args[0] is x)
        later = sorted((op for op in readers[x] if place[id(op)] > first), key=lambda op: place[id(op)])
        reads = reads_of_one_place(x, Region([], later, region.results))
        if not reads or any(id(o) not in place for o in reads):
            continue
        if all(v not in made or place[made[v]] < first for v in leaves(reads[0].args[1])):
            ops = [*ops[:first], *reads, *(op for op in ops[first:] if op not in reads)]
            place = {id(op): i for i, op in enumerate(ops)}
    return Region(region.params, ops, region.results)


def _read_within(op: Op) -> set[Value]:
    """What an operation reads, and what its regions read and yield."""
    around = Region([], [op])
    read = {v for o in walk(around) for v in o.operands()}
    return read.union(*(leaves(sub.results) for sub in regions_in(around)))


def tapes(function: Function) -> int:
    """How many lists loops collect: a count for tests."""
    return sum(len(op.results) - len(op.inits) for op in walk(function.body) if isinstance(op, For | While))
