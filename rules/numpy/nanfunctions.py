"""Reductions that leave NaN out, and `nan_to_num`. An element that is left out gets exactly 0, whatever is around it.

Where nothing is left, the result is NaN, or the least there is, and no element moves it.
"""

from typing import Any

import numpy as np

from rules.cotangent import direction, strong, strong_divide
from rules.kind import KindError, array_or_number, kind_of, library
from rules.numpy.extrema import of_ties, to_ties
from rules.numpy.products import cumprod, cumsum, cumulative, others
from rules.numpy.reductions import beside, mean_dtype, reduction, spread_dtype, sum_dtype
from rules.numpy.searching import found
from rules.operands import dtype_of, is_complex
from rules.rule import nondifferentiable, rule


def _kept(d: Any, a: Any) -> Any:
    """`d` where `a` is a number, and 0 where it is NaN."""
    return np.where(np.isnan(a), 0, d)


def _numbers(a: Any, axis: Any, keepdims: bool, ddof: Any = 0) -> Any:
    """How many elements of `a` are no NaN, less `ddof`, in its own precision, so that float32 stays float32."""
    n = np.sum(~np.isnan(a), axis=axis, dtype=dtype_of(a), keepdims=keepdims)
    return n if type(ddof) is int and ddof == 0 else n - ddof


@rule("y = nansum(a, axis=None, dtype=None, keepdims=False)", np.nansum)
class nansum:
    selects = True
    def kind(a, axis, dtype, keepdims): return reduction(a, sum_dtype(kind_of(a), dtype), axis, keepdims)
    def d_a(d_y, a, axis, keepdims): return _kept(beside(d_y, axis, keepdims), a)
    def t_y(t_a, a, axis, keepdims): return np.sum(_kept(t_a, a), axis=axis, keepdims=keepdims)


@rule("y = nanmean(a, axis=None, dtype=None, keepdims=False)", np.nanmean)
class nanmean:
    selects = True
    def kind(a, axis, dtype, keepdims): return reduction(a, mean_dtype(kind_of(a), dtype), axis, keepdims)

    def d_a(d_y, a, axis, keepdims):
        return _kept(beside(d_y / _numbers(a, axis, keepdims), axis, keepdims), a)

    def t_y(t_a, a, axis, keepdims):
        return np.sum(_kept(t_a, a), axis=axis, keepdims=keepdims) / _numbers(a, axis, keepdims)


@rule("y = nanprod(a, axis=None, dtype=None, keepdims=False)", np.nanprod)
class nanprod:
    """NaN counts as 1."""

    selects = True
    def kind(a, axis, dtype, keepdims): return reduction(a, sum_dtype(kind_of(a), dtype), axis, keepdims)
    def d_a(d_y, a, axis, keepdims): return _kept(beside(d_y, axis, keepdims) * _others(a, axis), a)

    def t_y(t_a, a, axis, keepdims):
        return np.sum(_kept(t_a * _others(a, axis), a), axis=axis, keepdims=keepdims)


def _or_one(a: Any) -> Any:
    return np.where(np.isnan(a), 1, a)


def _others(a: Any, axis: Any) -> Any:
    return others(_or_one(a), axis)


@rule("y = nancumsum(a, axis=None, dtype=None)", np.nancumsum)
class nancumsum:
    """NaN counts as 0."""

    selects = True
    def kind(a, axis, dtype): return cumulative(a, axis, dtype)
    def d_a(d_y, a, axis): return _kept(cumsum.d_a(d_y, a, axis), a)
    def t_y(t_a, a, axis): return np.cumsum(_kept(t_a, a), axis=axis)


@rule("y = nancumprod(a, axis=None, dtype=None)", np.nancumprod)
class nancumprod:
    """NaN counts as 1."""

    selects = True
    def kind(a, axis, dtype): return cumulative(a, axis, dtype)
    def d_a(d_y, a, axis): return _kept(cumprod.d_a(d_y, _or_one(a), axis), a)
    def t_y(t_a, a, axis): return cumprod.t_y(_kept(t_a, a), _or_one(a), axis)


# -------------------------------------------------------------------------------------------- variances
def _deviations(a: Any, axis: Any) -> Any:
    """How far the elements are from their mean; NaN is not."""
    return _kept(a - np.nanmean(a, axis=axis, keepdims=True), a)


def _products(a: Any, axis: Any, keepdims: bool, t: Any) -> Any:
    """The sum of the deviations times their tangents."""
    w = _deviations(a, axis)
    return np.sum(_kept(np.real(np.conj(w) * t) if is_complex(a) else w * t, a), axis=axis, keepdims=keepdims)


@rule("y = nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False)", np.nanvar)
class nanvar:
    selects = True
    def kind(a, axis, dtype, keepdims): return reduction(a, spread_dtype(a, dtype), axis, keepdims)

    def d_a(d_y, a, axis, ddof, keepdims):
        w = _deviations(a, axis)
        scale = strong_divide(2 * d_y, _numbers(a, axis, keepdims, ddof))
        return beside(scale, axis, keepdims) * (np.conj(w) if is_complex(a) else w)

    def t_y(a, axis, ddof, keepdims, t_a):
        return 2 * _products(a, axis, keepdims, t_a) / _numbers(a, axis, keepdims, ddof)


@rule("y = nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False)", np.nanstd)
class nanstd:
    """Where all deviations are 0 the subgradient of least norm is 0 too."""

    selects = True
    def kind(a, axis, dtype, keepdims): return reduction(a, spread_dtype(a, dtype), axis, keepdims)

    def d_a(d_y, a, y, axis, ddof, keepdims):
        w = _deviations(a, axis)
        unit = direction(np.conj(w) if is_complex(a) else w, beside(y, axis, keepdims))
        return strong(beside(strong_divide(d_y, _numbers(a, axis, keepdims, ddof)), axis, keepdims), unit)

    def t_y(a, y, axis, ddof, keepdims, t_a):
        return strong_divide(_products(a, axis, keepdims, t_a) / _numbers(a, axis, keepdims, ddof), y)


# --------------------------------------------------------------------------------------------- extrema
@rule("y = nanmax(a, axis=None, keepdims=False)", np.nanmax)
class nanmax:
    """Equal maxima share, as those of `max` do."""

    selects = True
    def kind(a, axis, keepdims): return reduction(a, kind_of(a).dtype, axis, keepdims)
    def d_a(d_y, a, y, axis, keepdims): return _kept(to_ties(d_y, a, y, axis, keepdims), a)
    def t_y(t_a, a, y, axis, keepdims): return of_ties(t_a, a, y, axis, keepdims)


@rule("y = nanmin(a, axis=None, keepdims=False)", np.nanmin)
class nanmin:
    """Equal minima share, as those of `min` do."""

    selects = True
    def kind(a, axis, keepdims): return reduction(a, kind_of(a).dtype, axis, keepdims)
    def d_a(d_y, a, y, axis, keepdims): return _kept(to_ties(d_y, a, y, axis, keepdims), a)
    def t_y(t_a, a, y, axis, keepdims): return of_ties(t_a, a, y, axis, keepdims)


# ------------------------------------------------------------------------------------------ replacement
def _within(d: Any, x: Any) -> Any:
    """`d` where x is finite, and 0 where a number stands for it; real and imaginary parts each for themselves."""
    if not is_complex(x):
        return np.where(np.isfinite(x), d, 0)
    return np.where(np.isfinite(np.real(x)), np.real(d), 0) + 1j * np.where(np.isfinite(np.imag(x)), np.imag(d), 0)


@rule("y = nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None)", np.nan_to_num)
class nan_to_num:
    static = "copy"
    selects = True

    def kind(x, copy):
        if not copy:
            raise KindError("np.nan_to_num with copy=False may write into its argument", "assign what it returns")
        x = kind_of(x)
        return array_or_number(x.dtype, x.shape, library(x))

    def d_x(d_y, x): return _within(d_y, x)
    def t_y(t_x, x): return _within(t_x, x)


# --------------------------------------------------------------------------------------------- searching
nondifferentiable("i = nanargmax(a, axis=None, keepdims=False)", np.nanargmax,
                  kind=lambda a, axis, keepdims: found(a, axis, keepdims))  # fmt: skip
nondifferentiable("i = nanargmin(a, axis=None, keepdims=False)", np.nanargmin,
                  kind=lambda a, axis, keepdims: found(a, axis, keepdims))  # fmt: skip
