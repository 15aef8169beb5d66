"""Differences along an axis, and what is made of them: the trapezoidal rule, gradients on a grid.

Their pullbacks are differences again: of a cotangent laid between zeros, or added to one side and taken from the other.
"""

from typing import Any

import numpy as np

from rules.arrays import device
from rules.cotangent import scatter, update
from rules.kind import (
    ONE,
    Array,
    KindError,
    array_or_number,
    broadcast,
    constant,
    kind_of,
    lengths,
    library,
    normalize_axis,
    promote,
    reduced,
)  # fmt: skip
from rules.numpy.reductions import mean_dtype, one
from rules.numpy.shape import array_kind, product, reshape_like
from rules.operands import is_complex, rank
from rules.rule import Like, primitive, rule


# ------------------------------------------------------------------------------------------------- diff
@primitive
def undiff(d: Any, like: Any, n: int = 1, axis: int = -1) -> Any:
    """The cotangent of what `d` is the differences' of: its own between zeros, with the sign (-1)**n."""
    k = axis % like.ndim
    if d.shape[k] != max(like.shape[k] - n, 0):
        raise ValueError(f"{d.shape[k]} differences of order {n} are not those of {like.shape[k]} elements")
    if like.shape[k] <= n:
        return np.zeros(like.shape, d.dtype, like=device(d))
    widths = [(n, n) if i == k else (0, 0) for i in range(like.ndim)]
    out = np.diff(np.pad(d, widths), n=n, axis=k)
    return np.negative(out, out=out) if n % 2 else out


def _diff_kind(a, n, axis):
    k = normalize_axis(axis, len(a.shape))[0]
    short = lengths().at_least(a.shape[k], n)
    size = a.shape[k] + -n if short else constant(0) if short is False else lengths().fresh()
    dtype = np.diff(np.ones(n + 1, a.dtype), n).dtype
    return Array(dtype, (*a.shape[:k], size, *a.shape[k + 1 :]), a.xp)


@rule("y = diff(a, n=1, axis=-1)", np.diff)
class diff:
    static = "n"
    def kind(a, n, axis): return _diff_kind(a, n, axis)

    def d_a(d_y, a: Like, n, axis): return undiff(d_y, a, n, axis)
    def t_y(t_a, n, axis): return np.diff(t_a, n=n, axis=axis)


@rule("y = undiff(d, like, n=1, axis=-1)", undiff)
class undiff_rule:
    static = "n"
    def kind(d, like): return Array(d.dtype, like.shape, like.xp)
    def d_d(d_y, n, axis): return np.diff(d_y, n=n, axis=axis)
    def t_y(t_d, like: Like, n, axis): return undiff(t_d, like, n, axis)


@rule("y = ediff1d(ary, to_end=None, to_begin=None)", np.ediff1d)
class ediff1d:
    """The differences of all elements in a row."""

    def kind(ary, to_end, to_begin):
        if to_end is not None or to_begin is not None:
            raise KindError("np.ediff1d with to_end or to_begin is not supported", "join them: np.concatenate([...])")
        a = array_kind(ary)
        flat = Array(a.dtype, (product(a.shape),), a.xp)
        return _diff_kind(flat, 1, 0)

    def d_ary(d_y, ary: Like):
        return undiff(d_y, ary) if rank(ary) == 1 else reshape_like(undiff(d_y, np.ravel(ary)), ary)

    def t_y(t_ary): return np.ediff1d(t_ary)


# ----------------------------------------------------------------------------------- the trapezoidal rule
def sides(a: Any, axis: int) -> tuple[Any, Any]:
    """The indices of all elements but the first along an axis, and of all but the last."""
    upper, lower = slice(1, None), slice(None, -1)
    before = (slice(None),) * (axis % rank(a))
    return ((*before, upper), (*before, lower)) if before else (upper, lower)


def heights(y: Any, axis: int) -> Any:
    """The mean of each two neighbours."""
    upper, lower = sides(y, axis)
    return 0.5 * (y[upper] + y[lower])


def steps(x: Any, y: Any, dx: Any, axis: int) -> Any:
    """The widths of the intervals, so shaped that they broadcast against what lies over them."""
    if x is None:
        return dx
    if rank(x) != 1:
        return np.diff(x, axis=axis)
    after = rank(y) - 1 - axis % rank(y)
    return np.expand_dims(np.diff(x), one(range(1, after + 1))) if after else np.diff(x)


def over(d: Any, axis: int) -> Any:
    return np.expand_dims(d, axis) if rank(d) else d


@rule("z = trapezoid(y, x=None, dx=1.0, axis=-1)", np.trapezoid)
class trapezoid:
    def kind(y, x, dx, axis):
        y, w = array_kind(y), kind_of(dx) if x is None else array_kind(x)
        (axis,) = normalize_axis(axis, y.ndim)
        if x is None and w.ndim:
            raise KindError("np.trapezoid with an array dx is not supported", "give the places: x=...")
        if x is not None and w.ndim not in (1, y.ndim):
            raise KindError("np.trapezoid over places of another rank is not supported", "give x of rank 1")
        dtype = promote(y, w)
        if x is None:
            shape = y.shape
        elif w.ndim == 1:
            shape = y.shape
            if lengths().agree(shape[axis], w.shape[0]).anonymous and lengths().size(shape[axis]) is not None:
                raise KindError("np.trapezoid with one interval for all is not supported", "write it as dx=...")
        else:
            shape = broadcast(y.shape, w.shape)
            of_one = [[lengths().resolve(n) == ONE for n in a.shape] for a in (y, w)]
            if of_one[0] != of_one[1]:
                raise KindError("np.trapezoid of arrays that broadcast is not supported", "give x of the shape of y")
        dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)
        return array_or_number(dtype, reduced(shape, axis), library(y, w))

    def d_y(d_z, y: Like, x, dx, axis):
        half = over(d_z, axis) * (0.5 * steps(x, y, dx, axis))
        half = np.real(half) if is_complex(half) and not is_complex(y) else half
        upper, lower = sides(y, axis)
        return update(scatter(half, y, upper), (lower,), "add", half)

    def d_x(d_z, y, x: Like, axis):
        d = over(d_z, axis) * heights(y, axis)
        if rank(x) == rank(y):
            return undiff(d, x, axis=axis)
        return undiff(np.sum(d, axis=one(k for k in range(rank(y)) if k != axis % rank(y))), x)

    def d_dx(d_z, y, x, axis): return d_z * np.sum(heights(y, axis), axis=axis) if x is None else d_z * 0

    def t_z(y, x, dx, axis, t_y, t_x, t_dx):
        if x is None:
            return np.trapezoid(t_y, dx=dx, axis=axis) + t_dx * np.sum(heights(y, axis), axis=axis)
        t = np.trapezoid(t_y, x, axis=axis)
        return t + np.trapezoid(y, t_x, axis=axis) if rank(t_x) else t  # places that are ints do not move


# ---------------------------------------------------------------------------------------------- gradient
@primitive
def ungradient(d: Any, axis: int = -1, edge_order: int = 1) -> Any:
    """The cotangent of what `d` is that of the gradient of, along an axis with the spacing 1."""
    d = np.moveaxis(d, axis, -1)
    out = np.zeros_like(d)
    half = 0.5 * d[..., 1:-1]
    out[..., 2:] += half
    out[..., :-2] -= half
    for k, weight in enumerate((-1.0, 1.0) if edge_order == 1 else (-1.5, 2.0, -0.5)):
        out[..., k] += weight * d[..., 0]
        out[..., -1 - k] -= weight * d[..., -1]
    return np.moveaxis(out, -1, axis)


@rule("y = ungradient(d, axis=-1, edge_order=1)", ungradient)
class ungradient_rule:
    static = "edge_order"
    def kind(d): return d
    def d_d(d_y, axis, edge_order): return np.gradient(d_y, axis=axis, edge_order=edge_order)
    def t_y(t_d, axis, edge_order): return ungradient(t_d, axis, edge_order)


def _grid(ndim: int, spacing: Any, axis: Any) -> list[tuple[int, int | None]]:
    """The axes along which there is a gradient, each with the place of its spacing among those given."""
    axes = normalize_axis(axis, ndim)
    if len(spacing) not in (0, 1, len(axes)):
        raise KindError(f"np.gradient along {len(axes)} axes with {len(spacing)} spacings", "give one for each axis")
    return [(k, None if not spacing else 0 if len(spacing) == 1 else i) for i, k in enumerate(axes)]


def _several(xs: Any) -> tuple[Any, ...]:
    return tuple(xs) if isinstance(xs, tuple | list) else (xs,)


@rule("g = gradient(f, *spacing, axis=None, edge_order=1)", np.gradient)
class gradient:
    static = "edge_order"

    def kind(f, spacing, axis, edge_order):
        f = array_kind(f)
        if any(rank(kind_of(h)) for h in spacing):
            raise KindError("np.gradient over places is not supported", "give the spacing, a number, if it is constant")
        one = Array(mean_dtype(f), f.shape, f.xp)
        grid = _grid(f.ndim, spacing, axis)
        if not grid:
            raise KindError("np.gradient of a number is not supported", "give it an array")
        return one if len(grid) == 1 else (one,) * len(grid)

    def d_f(d_g, f: Like, spacing, axis, edge_order):
        terms = [ungradient(d, k, edge_order) if i is None else ungradient(d, k, edge_order) / spacing[i]
                 for d, (k, i) in zip(_several(d_g), _grid(rank(f), spacing, axis))]  # fmt: skip
        return sum(terms[1:], terms[0])

    def d_spacing(d_g, g, spacing):
        terms = [-np.sum(d * y) for d, y in zip(_several(d_g), _several(g))]
        terms = terms if len(spacing) == len(terms) else [sum(terms[1:], terms[0])]
        return tuple(t / h for t, h in zip(terms, spacing))

    def t_g(t_f, f: Like, g, spacing, axis, edge_order, t_spacing):
        moved = _several(np.gradient(t_f, *spacing, axis=axis, edge_order=edge_order))
        out = [t if i is None else t - y * (t_spacing[i] / spacing[i])
               for t, y, (_, i) in zip(moved, _several(g), _grid(rank(f), spacing, axis))]  # fmt: skip
        return out[0] if len(out) == 1 else tuple(out)
