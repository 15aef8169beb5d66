"""`np.block`: arrays in nested lists, joined along the last axes; the cotangents are the same pieces, taken apart."""

from typing import Any

import numpy as np

from rules.cotangent import length
from rules.kind import ONE, Array, KindError, Seq
from rules.numpy.joining import at_axis, join_kind, part, sum_of
from rules.numpy.shape import array_kind
from rules.operands import rank
from rules.rule import Like, borrows, recorded, rule


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) and arrays else 0


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for a in arrays for leaf in _leaves(a)] if isinstance(arrays, list) else [arrays]


def _checked(arrays: Any, depth: int) -> None:
    """Raise KindError for what are no lists of arrays of one depth."""
    if isinstance(arrays, list) and (not arrays or not depth):
        raise KindError("np.block takes lists that are nested alike, and none that is empty", "nest all of them alike")
    if isinstance(arrays, tuple | Seq) or (depth and not isinstance(arrays, list)):
        raise KindError("np.block takes lists that are written out, nested alike", "write lists of arrays")
    for a in arrays if isinstance(arrays, list) else []:
        _checked(a, depth - 1)


def _blocked(arrays: Any, depth: int, ndim: int) -> Array:
    if not depth:
        a = array_kind(arrays)
        return Array(a.dtype, (ONE,) * (ndim - a.ndim) + a.shape, a.xp)
    items = [_blocked(a, depth - 1, ndim) for a in arrays]
    return join_kind(items, items, ndim - depth)



def _extent(arrays: Any, axis: int, depth: int, ndim: int) -> Any:
    """The length of a block along an axis."""
    if not depth:
        k = axis - (ndim - rank(arrays))
        return length(arrays, k) if k >= 0 else 1
    if axis != ndim - depth:
        return _extent(arrays[0], axis, depth - 1, ndim)
    return sum_of([_extent(a, axis, depth - 1, ndim) for a in arrays])


def _unblocked(d: Any, arrays: Any, depth: int, ndim: int) -> Any:
    """The pieces of `d`, nested as the arrays are."""
    axis = ndim - depth
    steps = [_extent(a, axis, depth - 1, ndim) for a in arrays]
    out = []
    for i, a in enumerate(arrays):
        start = sum_of(steps[:i])
        if depth == 1 and rank(a) == ndim and not (isinstance(start, int) and isinstance(steps[i], int)):
            out.append(part(d, a, start, axis))
            continue
        piece = d[at_axis(slice(start, start + steps[i]), axis)]
        if depth > 1:
            out.append(_unblocked(piece, a, depth - 1, ndim))
        else:
            out.append(piece[(0,) * (ndim - rank(a))] if rank(a) < ndim else piece)
    return out


@rule("y = block(arrays)", np.block)
class block:
    def kind(arrays):
        depth = _depth(arrays)
        _checked(arrays, depth)
        return _blocked(arrays, depth, max(depth, *(array_kind(a).ndim for a in _leaves(arrays)), 0))

    @borrows("d_y")
    def d_arrays(d_y, arrays: Like):
        depth = _depth(arrays)
        return _unblocked(d_y, arrays, depth, d_y.ndim) if depth else d_y

    def t_y(t_arrays): return recorded(np.block, t_arrays)
