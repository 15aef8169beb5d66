"""Rules for NumPy's functions with several results: an array split into pieces, grids of coordinates."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, Length, broadcast, constant, lengths, normalize_axis
from rules.numpy.indexing import slice_length
from rules.numpy.shape import array_kind, product, reshape_like
from rules.operands import rank
from rules.rule import Like, borrows, rule


def _pieces(a: Any, places: Any, axis: int, even: bool) -> list[Array]:
    (axis,) = normalize_axis(axis, a.ndim)
    n = lengths().resolve(a.shape[axis])
    if isinstance(places, int | np.integer):
        sizes = _sections(n, int(places), even)
    else:
        bounds = [0, *map(int, places)]
        if bounds != sorted(bounds):
            raise KindError(f"an array cannot be split at {list(places)} here",
                            "give the places in order, none negative")
        sizes = [slice_length(n, slice(*pair)) for pair in zip(bounds, [*bounds[1:], None])]
    return [Array(a.dtype, (*a.shape[:axis], size, *a.shape[axis + 1 :]), a.xp) for size in sizes]


def _sections(n: Length, count: int, even: bool) -> list[Length]:
    if count < 1:
        raise KindError(f"an array cannot be split into {count} pieces", "give a number of pieces above 0")
    if count == 1:
        return [n]
    if n.constant:
        return [constant(n.offset // count + (i < n.offset % count)) for i in range(count)]
    return [lengths().fresh()] * count if even else [lengths().fresh() for _ in range(count)]


@rule("ys = split(ary, indices_or_sections, axis=0)", np.split)
class split:
    static = "indices_or_sections"
    def kind(ary, indices_or_sections, axis): return _pieces(ary, indices_or_sections, axis, even=True)
    view = "ary"
    def d_ary(d_ys, axis): return np.concatenate(list(d_ys), axis=axis)
    def t_ys(t_ary, indices_or_sections, axis): return np.split(t_ary, indices_or_sections, axis=axis)


@rule("ys = array_split(ary, indices_or_sections, axis=0)", np.array_split)
class array_split:
    static = "indices_or_sections"
    def kind(ary, indices_or_sections, axis): return _pieces(ary, indices_or_sections, axis, even=False)
    view = "ary"
    def d_ary(d_ys, axis): return np.concatenate(list(d_ys), axis=axis)
    def t_ys(t_ary, indices_or_sections, axis): return np.array_split(t_ary, indices_or_sections, axis=axis)


def _split_along(name: str, ary: Any, places: Any, axis: int) -> list[Array]:
    a = array_kind(ary)
    if a.ndim <= axis:
        raise KindError(f"np.{name} of an array of {a.ndim} axes is not supported", f"give it {axis + 1} or more")
    return _pieces(a, places, axis, even=True)


@rule("ys = hsplit(ary, indices_or_sections)", np.hsplit)
class hsplit:
    """Along the second axis, or the only one."""

    static = "indices_or_sections"
    view = "ary"
    def kind(ary, indices_or_sections): return _split_along("hsplit", ary, indices_or_sections, int(rank(ary) > 1))
    def d_ary(d_ys, ary: Like): return np.concatenate(list(d_ys), axis=int(rank(ary) > 1))
    def t_ys(t_ary, indices_or_sections): return np.hsplit(t_ary, indices_or_sections)


@rule("ys = vsplit(ary, indices_or_sections)", np.vsplit)
class vsplit:
    static = "indices_or_sections"
    view = "ary"

    def kind(ary, indices_or_sections):
        _split_along("vsplit", ary, indices_or_sections, 1)  # of two axes at least
        return _pieces(ary, indices_or_sections, 0, even=True)

    def d_ary(d_ys): return np.concatenate(list(d_ys), axis=0)
    def t_ys(t_ary, indices_or_sections): return np.vsplit(t_ary, indices_or_sections)


@rule("ys = dsplit(ary, indices_or_sections)", np.dsplit)
class dsplit:
    static = "indices_or_sections"
    view = "ary"
    def kind(ary, indices_or_sections): return _split_along("dsplit", ary, indices_or_sections, 2)
    def d_ary(d_ys): return np.concatenate(list(d_ys), axis=2)
    def t_ys(t_ary, indices_or_sections): return np.dsplit(t_ary, indices_or_sections)


@rule("ys = broadcast_arrays(*rest)", np.broadcast_arrays)
class broadcast_arrays:
    """Views of one shape; each cotangent is summed to that of its array."""

    view = "rest"

    def kind(rest):
        arrays = [array_kind(a) for a in rest]
        shape = broadcast(*(a.shape for a in arrays))
        return tuple(Array(a.dtype, shape, a.xp) for a in arrays)

    @borrows("d_ys")
    def d_rest(d_ys): return tuple(d_ys)
    def t_ys(t_rest): return np.broadcast_arrays(*t_rest)


def _grid_axis(i: int, count: int, indexing: str) -> int:
    """The axis of a grid along which its i-th coordinate runs: the first two swap for "xy"."""
    return 1 - i if indexing == "xy" and i < 2 <= count else i


@rule("ys = meshgrid(*xi, indexing='xy')", np.meshgrid)
class meshgrid:
    static = "indexing"

    def kind(xi, indexing):
        arrays = [array_kind(x) for x in xi]
        shape = [product(a.shape) for a in arrays]
        shape = [shape[_grid_axis(i, len(arrays), indexing)] for i in range(len(arrays))]
        return tuple(Array(a.dtype, tuple(shape), a.xp) for a in arrays)

    @borrows("d_ys")
    def d_xi(d_ys, xi: Like, indexing):
        out = []
        for i, (d, x) in enumerate(zip(d_ys, xi)):
            along = _grid_axis(i, d.ndim, indexing)
            others = tuple(k for k in range(d.ndim) if k != along)
            d = np.sum(d, axis=others) if others else d
            out.append(d if rank(x) == 1 else reshape_like(d, x))
        return tuple(out)

    def t_ys(t_xi, indexing): return np.meshgrid(*t_xi, indexing=indexing)
