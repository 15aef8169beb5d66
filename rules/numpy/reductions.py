"""Sums, means and variances over axes.

The cotangent of a sum is one number for many elements: `spread` keeps it one.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from rules.arrays import device
from rules.cotangent import count, direction, spread
from rules.kind import Array, KindError, Num, array_or_number, kind_of, library, reduced
from rules.operands import is_complex, rank
from rules.rule import Like, borrows, rule


def _asked_for(a: Num | Array, dtype: Any) -> np.dtype[Any]:
    """The dtype that a call names. Of complex numbers a real one would leave out parts, with a warning of NumPy's."""
    if a.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        raise KindError(f"dtype={np.dtype(dtype)} leaves out the imaginary parts", "take np.real(...) of the argument")
    return np.dtype(dtype)


def sum_dtype(a: Num | Array, dtype: Any) -> np.dtype[Any]:
    """The dtype in which NumPy adds or multiplies up: narrow integers are widened."""
    if dtype is not None:
        return _asked_for(a, dtype)
    return np.add.reduce(np.zeros(1, a.dtype)).dtype


def mean_dtype(a: Num | Array, dtype: Any = None) -> np.dtype[Any]:
    """The dtype of a mean: integers give float64."""
    if dtype is not None:
        return _asked_for(a, dtype)
    return np.dtype(a.dtype if a.dtype.kind in "fc" else np.float64)


def reduction(a: Any, dtype: Any, axis: Any, keepdims: bool) -> Num | Array:
    """The kind of a reduction of `a` over `axis`."""
    a = kind_of(a)
    return array_or_number(dtype, reduced(a.shape, axis, keepdims), library(a))


def beside(y: Any, axis: Any, keepdims: bool) -> Any:
    """The result `y` of a reduction, so shaped that it broadcasts against what was reduced."""
    return y if keepdims or axis is None or not rank(y) else np.expand_dims(y, axis)


def largest(x: Any) -> Any:
    """The largest element along the last axis, which is kept; 0 where there is none."""
    if x.shape[-1]:
        return np.max(x, axis=-1, keepdims=True)
    return np.zeros((*x.shape[:-1], 1), x.dtype, like=device(x))


def one(axes: Iterable[int]) -> int | tuple[int, ...]:
    """Axes as they are written: a single one as an int."""
    axes = tuple(axes)
    return axes[0] if len(axes) == 1 else axes


@rule("y = sum(a, axis=None, dtype=None, keepdims=False)", np.sum, "ndarray.sum")
class sum:
    def kind(a, axis, dtype, keepdims): return reduction(a, sum_dtype(kind_of(a), dtype), axis, keepdims)
    @borrows("d_y")
    def d_a(d_y, a: Like, axis, keepdims): return spread(d_y, a, axis, keepdims)
    def t_y(t_a, axis, keepdims): return np.sum(t_a, axis=axis, keepdims=keepdims)


@rule("y = mean(a, axis=None, dtype=None, keepdims=False)", np.mean, "ndarray.mean")
class mean:
    def kind(a, axis, dtype, keepdims): return reduction(a, mean_dtype(kind_of(a), dtype), axis, keepdims)
    def d_a(d_y, a: Like, axis, keepdims): return spread(d_y / count(a, axis), a, axis, keepdims)
    def t_y(t_a, axis, keepdims): return np.mean(t_a, axis=axis, keepdims=keepdims)


def _centred(a: Any, axis: Any) -> Any:
    return a - (np.mean(a) if axis is None else np.mean(a, axis=axis, keepdims=True))


def spread_dtype(a: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype of a variance: that of the mean, and real."""
    return np.empty(0, mean_dtype(kind_of(a), dtype)).real.dtype


@rule("y = var(a, axis=None, dtype=None, ddof=0, keepdims=False)", np.var, "ndarray.var")
class var:
    def kind(a, axis, dtype, keepdims): return reduction(a, spread_dtype(a, dtype), axis, keepdims)

    def d_a(d_y, a, axis, ddof, keepdims):
        w = _centred(a, axis)
        scale = 2 * d_y / (count(a, axis) - ddof)
        return beside(scale, axis, keepdims) * (np.conj(w) if is_complex(a) else w)

    def t_y(a, axis, ddof, keepdims, t_a):
        w = _centred(a, axis)
        products = np.real(np.conj(w) * t_a) if is_complex(a) else w * t_a
        return np.sum(products, axis=axis, keepdims=keepdims) * 2 / (count(a, axis) - ddof)


@rule("y = std(a, axis=None, dtype=None, ddof=0, keepdims=False)", np.std, "ndarray.std")
class std:
    """A norm of `a - mean(a)`: where that is 0 the subgradient of least norm is 0 too."""

    def kind(a, axis, dtype, keepdims): return reduction(a, spread_dtype(a, dtype), axis, keepdims)

    def d_a(d_y, a, y, axis, ddof, keepdims):
        w = _centred(a, axis)
        unit = direction(np.conj(w) if is_complex(a) else w, beside(y, axis, keepdims))
        return beside(d_y / (count(a, axis) - ddof), axis, keepdims) * unit

    def t_y(a, y, axis, ddof, keepdims, t_a):
        w = _centred(a, axis)
        products = np.real(np.conj(w) * t_a) if is_complex(a) else w * t_a
        return direction(np.sum(products, axis=axis, keepdims=keepdims) / (count(a, axis) - ddof), y)
