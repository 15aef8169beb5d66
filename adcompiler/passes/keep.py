"""What a pullback keeps of the forward sweep is its own: later changes by the caller are not seen.

f(%x) { %y = exp(%x); split(); %d_x = %d_y * %x .. }   ->   f(%x) { %x.2 = copy(%x); %y = exp(%x.2); split(); .. }

An argument that may share memory with something kept is copied where it comes in, a part of the returned value where
it goes out.
"""

from typing import Any

import numpy as np

from adcompiler.ir.core import Function, Op, Region, Value, clone, leaves, map_tree, walk
from adcompiler.passes.capture import shape_only
from adcompiler.passes.mark import at_split, read_by_pullback
from adcompiler.passes.memory import Decisions, Memory, carries
from rules.cotangent import apart, copied
from rules.kind import Array, Num, Seq


def keep(function: Function) -> Function:
    """The function with copies of what is kept and somebody else may change."""
    at = at_split(function)
    assert at is not None
    value, gradients = function.result
    memory = Memory(function, Decisions(shared_carries={op.carried[k] for op, k in carries(function)}))
    kept = frozenset().union(*map(memory.roots, _read(function, at)))

    def lasts(v: Value) -> bool:
        """May it share memory with what is kept?"""
        return bool(memory.roots(v) & kept)

    checks = [op for op in function.body.ops[:at] if op.target is apart]  # of the caller's arrays, not of copies
    entries = [copy_of(p, p) for p in function.params if lasts(p)]
    renamed: dict[Value, Any] = {op.args[0]: op.result for op in entries}
    others = [op for op in function.body.ops if op not in checks]
    at -= len(checks)
    body = clone(Region([], others, []), renamed)

    def now(v: Value) -> Value:
        return renamed.get(v, v)

    leaving = {v: copy_of(v, now(v)) for v in dict.fromkeys(leaves(value)) if lasts(v)}
    result = map_tree(lambda v: leaving[v].result if v in leaving else now(v), value), map_tree(now, gradients)
    ops = [*checks, *entries, *body.ops[:at], *leaving.values(), *body.ops[at:]]
    return Function(function.name, function.params, Region([], ops, list(leaves(result))), result, function.doc)


def _read(function: Function, at: int) -> set[Value]:
    """What the pullback reads of the forward sweep, values that are wanted for their shape alone left out."""
    back = Region([], function.body.ops[at + 1 :], [])
    read = set(leaves(function.result[1]))
    for op in walk(back):
        read.update(set(op.operands()) - shape_only(op))
        for sub in op.regions:
            read.update(leaves(sub.results))
    return read & read_by_pullback(function)


def copy_of(v: Value, source: Value) -> Op:
    """The copy of `source`, which was `v`."""
    numbers = isinstance(v.kind, Seq) and isinstance(v.kind.element, Num)
    target = np.copy if isinstance(v.kind, Array) else list if numbers else copied
    return Op(target, (source,), {}, [Value(v.kind, v.hint, v.loc)], loc=v.loc)
