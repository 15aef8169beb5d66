"""Which products are formed by `np.dot`: it costs less than `np.matmul`, but its array must lie in memory as C has it.

%z = %W @ %x     ->     z = ws.z = np.dot(W, x, ws.z)

An array that a product has made does, and a vector. A matrix that anything else has made may not: `np.sin(X.T)` lies
as `X.T` does. Of operands with strides that BLAS does not take the two round differently: `np.dot` copies them.
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.alias import edges, shared
from adcompiler.ir.core import Function, Op, Value, walk
from adcompiler.passes.bufferize import Buffers
from adcompiler.passes.mark import give_back
from adcompiler.passes.memory import Memory
from adcompiler.passes.outs import is_product
from rules.kind import Array, Length, Num, lengths
from rules.rule import find

#: Views of matrices and vectors whose strides BLAS takes.
_PLAIN = (np.transpose, np.swapaxes, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.asarray)


def dots(function: Function, buffers: Buffers, memory: Memory) -> set[int]:
    """The products that compute into arrays of the workspace that lie as C has them, of operands that BLAS takes."""
    places = {**buffers.slots, **buffers.spares}  # of each operation, the name of its array or list
    products = [op for op in walk(function.body) if id(op) in places and is_product(op)]
    if not products:
        return set()
    doubtful = _doubtful(function, places, buffers, memory)
    odd = _strided(function)
    sure = [op for op in products if places[id(op)] not in doubtful and odd.isdisjoint(op.operands())]
    return {id(op) for op in sure if _fits(*(x.kind.shape for x in op.args))}


def _fits(left: tuple[Length, ...], right: tuple[Length, ...]) -> bool:
    """Do the lengths agree that are summed over? Else `np.matmul` tells what does not, as the user's program does."""
    return lengths().same(left[-1], right[max(len(right) - 2, 0)])


def _doubtful(function: Function, places: dict[int, Value], buffers: Buffers, memory: Memory) -> set[Value | None]:
    """The arrays and lists of which one that has been made otherwise than by a product may lie as C does not."""
    makers: dict[Value, set[Value]] = {}
    for op in walk(function.body):
        if id(op) in places:
            makers.setdefault(places[id(op)], set()).add(op.results[-1])
        elif op.target is give_back:
            makers.setdefault(buffers.given[id(op)], set()).update(memory.roots(op.args[0]))
    made = {op.result: places.get(id(op)) for op in walk(function.body) if is_product(op)}
    out: set[Value | None] = set()
    for place, roots in makers.items():
        arrays = [r for r in roots if isinstance(r.kind, Array)]  # the list that has held one is a root too
        if any(r in memory.foreign or (r not in made and r.kind.ndim > 1) for r in arrays):
            out.add(place)
    while more := {p for p, roots in makers.items() if out.intersection(map(made.get, roots))} - out:
        out |= more
    return out


def _strided(function: Function) -> set[Value]:
    """What may be a view with strides that BLAS does not take, as `A[::-1]` and what is broadcast."""
    ops = list(walk(function.body))
    out = {r for op in ops if type(op) is Op and shared(op) and not _takes(op) for r in op.results}
    size = 0
    while size != len(out):
        size = len(out)
        out.update(r for op in ops for x, r in edges(op) if x in out)
    return out


def _takes(op: Op) -> bool:
    """Does BLAS take the result of a view, if it takes that of which it is one?"""
    base: Any = op.args[0]
    if not isinstance(base, Value) or not isinstance(base.kind, Array):
        return False
    if op.target is not operator.getitem:
        return base.kind.ndim < 3 and find(op.target) in [find(f) for f in _PLAIN]
    index = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
    if any(isinstance(i, slice) and i.step is not None for i in index):
        return False
    return base.kind.ndim < 3 or all(
        type(i) is int or (isinstance(i, Value) and isinstance(i.kind, Num)) for i in index
    )
