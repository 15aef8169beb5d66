"""Where a derivative ends, and which values decide nothing: for people who wonder about a zero.

f(x, n): %a = np.floor(x); %b = a * n; return %b      ->      x reaches the result, its derivative ends at np.floor
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adcompiler.ir.callee import CALLS
from adcompiler.ir.core import Checkpoint, For, Function, If, Op, Region, Value, While, leaves, walk
from adcompiler.passes.activity import useful, varied
from adcompiler.passes.capture import shape_only

_LIKE = (np.zeros_like, np.ones_like)


@dataclass(frozen=True)
class Reach:
    """What becomes of one value: does the result depend on it, its derivative, and where does that end?

    `shape` is true if what reads it wants its shape alone.
    """

    shape: bool
    result: bool
    derivative: bool
    ends: tuple[Op, ...]


def reach(function: Function, v: Value) -> Reach:
    """What becomes of a parameter of pure IR that has not been differentiated."""
    ops = list(walk(function.body))
    readers = [op for op in ops if v in op.operands() or any(v in leaves(r.results) for r in op.regions)]
    returned = v in set(leaves(function.body.results))
    touched = _touched(function, v)
    moving = varied(function, [v])
    for op in ops:
        if isinstance(op, While):
            moving.update(t for t, c in zip(op.test.params, op.carried, strict=True) if c in moving)
    wanted = useful(function)
    result = any(r in touched for r in leaves(function.body.results))
    ends = tuple(op for op in ops if _ends(op, moving) and _counts(op, function))
    return Reach(
        bool(readers) and not returned and all(op.target in _LIKE or v in shape_only(op) for op in readers),
        result,
        v in wanted,
        ends,
    )


def _ends(op: Op, moving: set[Value]) -> bool:
    """Does an operation read what moves, and give nothing that does?"""
    if isinstance(op, For | Checkpoint) or isinstance(op.target, CALLS):
        return False
    if isinstance(op, If):
        return any(v in moving for v in leaves(op.cond))
    if isinstance(op, While):
        return any(v in moving for v in leaves(op.test.results))
    read = any(v in moving and v not in shape_only(op) for v in op.operands())
    return read and not any(r in moving for r in op.results)


def _counts(op: Op, function: Function) -> bool:
    """Does the result depend on what an operation gives?"""
    if op.regions:
        return True
    results = set(leaves(function.body.results))
    return any(not results.isdisjoint(_touched(function, r)) for r in op.results)


def _touched(function: Function, v: Value) -> set[Value]:
    """All that depends on a value, by its derivative or not, or by the path that is taken."""
    found = {v}
    size = 0
    while size != len(found):
        size = len(found)
        _spread(function.body, found)
    return found


def _spread(region: Region, found: set[Value]) -> None:
    for op in region.ops:
        for sub in op.regions:
            _spread(sub, found)
        if isinstance(op, For):
            _joined(op.elements, op.sequences, found)
            if not found.isdisjoint(leaves(op.sequences)):  # how often it runs
                found.update(op.results)
        if isinstance(op, For | While):
            _joined(op.carried, op.inits, found)
            _joined(op.carried, op.body.results, found)
            _joined(op.results, [*op.inits, *op.body.results[len(op.inits) :]], found)
        if isinstance(op, While):
            _joined(op.test.params, op.carried, found)
        for sub in op.regions if not isinstance(op, While) else [op.body]:
            _joined(op.results, sub.results, found)
        if isinstance(op, While) and found & set(leaves(op.test.results)):
            found.update(op.results)
        if isinstance(op, For | While) and op.stop and found & set(leaves(op.body.results[-1])):
            found.update(op.results)
        if not isinstance(op, For | While | Checkpoint) and any(w in found for w in op.operands()):
            found.update(op.results)


def _joined(targets: list[Value], sources: Sequence[object], found: set[Value]) -> None:
    found.update(t for t, s in zip(targets, sources, strict=False) if isinstance(s, Value) and s in found)
