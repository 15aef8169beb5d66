"""Rules of norms, of vectors and of matrices, and of condition numbers.

Both modes come from the slope, an array of the shape of the argument. At a kink it is a subgradient of least norm: 0 at
the origin, shared among maxima that are equal.
"""

from typing import Any

import numpy as np

from rules.cotangent import direction, strong_divide
from rules.kind import KindError, Num, array_or_number, kind_of, normalize_axis, reduced
from rules.numpy.matrices import columns, conj, matrix, sizes, transposed
from rules.numpy.singular_values import present
from rules.operands import is_complex, rank
from rules.rule import rule

_MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


# ------------------------------------------------------------------------------------------------ slopes
def _form(ord: Any, axis: Any, ndim: int) -> tuple[str, Any]:
    """The norm that `np.linalg.norm` takes: of "vectors" or "matrices", and its order."""
    if isinstance(ord, str) and ord not in _MATRIX_ORDERS:
        raise KindError(f"the norm of order {ord!r} is not known", 'write "fro", "nuc" or a number')
    axes = axis if isinstance(axis, tuple) else (axis,) if axis is not None else tuple(range(ndim))
    if len(axes) == 2 and ord not in (None, "fro"):
        return "matrices", matrix_order(ord)
    if len(axes) != 1 and ord is not None and not (len(axes) == 2 and ord == "fro"):
        raise KindError(f"the norm of order {ord} of an array of {ndim} axes is not defined", "name the axis")
    return "vectors", 2.0 if ord in (None, "fro") else vector_order(ord)


def matrix_order(ord: Any) -> Any:
    """The order of a matrix norm, if NumPy has it."""
    if ord not in _MATRIX_ORDERS:
        raise KindError(f"the matrix norm of order {ord!r} is not defined",
                        f"take one of {', '.join(map(repr, _MATRIX_ORDERS))}")
    return ord


def vector_order(ord: Any) -> float:
    """The order of a vector norm."""
    if isinstance(ord, str) or not ord >= 1:
        raise KindError(f"the norm of order {ord} is no norm, and not supported", "write out its sum")
    return float(ord)


def _kept(y: Any, axis: Any, keepdims: bool) -> Any:
    return y if keepdims or axis is None or not rank(y) else np.expand_dims(y, axis)


def _sign(x: Any, size: Any) -> Any:
    return strong_divide(np.conj(x), size) if is_complex(x) else np.sign(x)


def _shared(size: Any, y: Any, axis: Any) -> Any:
    """1/n for each of the n elements that are the extremum `y` along `axis`, and 0 for the others."""
    found = size == y
    return found / np.sum(found, axis=axis, keepdims=axis is not None, dtype=size.dtype)


def of_vectors(x: Any, y: Any, ord: float, axis: Any) -> Any:
    """The slope of the norm `y` of the elements of `x` along axes, which `y` has kept."""
    if ord == 2:
        return direction(conj(x), y)
    size = np.abs(x)
    if ord == 1:
        return _sign(x, size)
    if ord == np.inf:
        return _sign(x, size) * _shared(size, y, axis)
    return _sign(x, size) * strong_divide(size, y) ** (ord - 1)


def of_matrices(x: Any, y: Any, ord: Any, axes: tuple[int, int]) -> Any:
    """The slope of the norm `y` of the matrices in two axes of `x`, which `y` has kept."""
    row, column = axes
    if ord in (1, -1, np.inf, -np.inf):
        summed, other = (row, column) if abs(ord) == 1 else (column, row)
        size = np.abs(x)
        return _sign(x, size) * _shared(np.sum(size, axis=summed, keepdims=True), y, other)
    last = x if axes == (rank(x) - 2, rank(x) - 1) else np.moveaxis(x, axes, (-2, -1))
    U, s, W = np.linalg.svd(last, full_matrices=False)
    if ord == "nuc":
        weight = present(s)
    else:
        weight = _shared(s, s[..., :1] if ord == 2 else s[..., -1:], -1)
    slope = (conj(U) * columns(weight)) @ conj(W)
    return slope if last is x else np.moveaxis(slope, (-2, -1), axes)


def _slope(x: Any, y: Any, ord: Any, axis: Any) -> Any:
    form, ord = _form(ord, axis, x.ndim)
    if form == "vectors":
        return of_vectors(x, y, ord, axis)
    row, column = normalize_axis(axis, x.ndim)
    return of_matrices(x, np.reshape(y, (1, 1)) if axis is None and not rank(y) else y, ord, (row, column))


def _norm_kind(x: Any, axis: Any, keepdims: bool) -> Any:
    return array_or_number(sizes(x), reduced(x.shape, axis, keepdims), x.xp)


# ------------------------------------------------------------------------------------------------- norms
@rule("y = norm(x, ord=None, axis=None, keepdims=False)", np.linalg.norm)
class norm:
    """Of vectors, of matrices, or of all elements, as the order and the number of axes say."""

    static = "ord"

    def kind(x, ord, axis, keepdims):
        x = kind_of(x)
        if isinstance(x, Num):
            raise KindError("the norm of a number is not supported", "write abs(x)")
        _form(ord, axis, x.ndim)
        return _norm_kind(x, axis, keepdims)

    def d_x(d_y, x, y, ord, axis, keepdims):
        y, d_y = _kept(y, axis, keepdims), _kept(d_y, axis, keepdims)
        return d_y * _slope(x, y, ord, axis)

    def t_y(x, y, ord, axis, keepdims, t_x):
        slope = _slope(x, _kept(y, axis, keepdims), ord, axis)
        return np.sum(np.real(slope * t_x), axis=axis, keepdims=keepdims)


@rule("y = vector_norm(x, axis=None, keepdims=False, ord=2)", np.linalg.vector_norm)
class vector_norm:
    """Of all elements along the axes, as of one vector."""

    static = "ord"

    def kind(x, axis, keepdims, ord):
        vector_order(ord)
        x = kind_of(x)
        if isinstance(x, Num):
            raise KindError("the norm of a number is not supported", "write abs(x)")
        return _norm_kind(x, axis, keepdims)

    def d_x(d_y, x, y, axis, keepdims, ord):
        return _kept(d_y, axis, keepdims) * of_vectors(x, _kept(y, axis, keepdims), vector_order(ord), axis)

    def t_y(x, y, axis, keepdims, ord, t_x):
        slope = of_vectors(x, _kept(y, axis, keepdims), vector_order(ord), axis)
        return np.sum(np.real(slope * t_x), axis=axis, keepdims=keepdims)


@rule("y = matrix_norm(x, keepdims=False, ord='fro')", np.linalg.matrix_norm)
class matrix_norm:
    """Of the matrices in the last two axes."""

    static = "ord"

    def kind(x, keepdims, ord):
        x = matrix(x)
        _form(ord, (-2, -1), x.ndim)
        return _norm_kind(x, (-2, -1), keepdims)

    def d_x(d_y, x, y, keepdims, ord):
        y, d_y = _kept(y, (-2, -1), keepdims), _kept(d_y, (-2, -1), keepdims)
        return d_y * _slope(x, y, ord, (-2, -1))

    def t_y(x, y, keepdims, ord, t_x):
        slope = _slope(x, _kept(y, (-2, -1), keepdims), ord, (-2, -1))
        return np.sum(np.real(slope * t_x), axis=(-2, -1), keepdims=keepdims)


# ------------------------------------------------------------------------------------ condition numbers
def _condition_slope(x: Any, p: Any) -> Any:
    if p in (None, 2, -2):
        U, s, W = np.linalg.svd(x, full_matrices=False)
        over, under = (s[..., -1:], s[..., :1]) if p == -2 else (s[..., :1], s[..., -1:])
        ratio = over / under
        weight = (_shared(s, over, -1) - ratio * _shared(s, under, -1)) / under
        return (conj(U) * columns(weight)) @ conj(W)
    B = np.linalg.inv(x)
    T = transposed(B)
    one, other = (np.linalg.norm(m, p, (-2, -1), True) for m in (x, B))
    return other * _slope(x, one, p, (-2, -1)) - one * (T @ _slope(B, other, p, (-2, -1)) @ T)


@rule("y = cond(x, p=None)", np.linalg.cond)
class cond:
    """The ratio of the largest singular value and the least, or the norm of order `p` times that of the inverse."""

    static = "p"

    def kind(x, p):
        x = matrix(x)
        if p is not None:
            matrix_order(p)
        return _norm_kind(x, (-2, -1), False)

    def d_x(d_y, x, p): return _kept(d_y, (-2, -1), False) * _condition_slope(x, p)
    def t_y(x, p, t_x): return np.sum(np.real(_condition_slope(x, p) * t_x), axis=(-2, -1))
