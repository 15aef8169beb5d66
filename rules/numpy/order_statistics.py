"""Medians and quantiles: fixed weights times two neighbours in the order of the elements.

As with extrema, elements that are equal share a weight equally.
"""

from typing import Any

import numpy as np

from rules.arrays import is_array
from rules.kind import Array, KindError, Num, kind_of, promote
from rules.masked import added
from rules.numpy.products import along_last
from rules.numpy.reductions import beside, mean_dtype, reduction
from rules.rule import nondifferentiable, primitive, rule


@primitive
def quantile_weights(a: Any, q: Any, axis: Any = None) -> Any:
    """The weight of each element of `a` in its quantile `q` along `axis`; NaN where one of them is NaN."""
    if not is_array(a):
        return type(a)(1)
    if not a.size:
        return np.zeros_like(a)
    (lines,), back = along_last(axis, a)
    last = lines.shape[-1] - 1
    low = min(int(last * q), last)
    high = min(low + 1, last)
    ordered = np.partition(lines, [low, high, last], axis=-1)
    out = np.zeros_like(lines)
    for place, weight in ((low, 1 - (last * q - low)), (high, last * q - low)):
        ties = np.equal(lines, ordered[..., place : place + 1])
        out += ties * (weight / np.sum(ties, axis=-1, dtype=a.dtype, keepdims=True))
    out[np.isnan(ordered[..., last])] = np.nan
    return back(out)


nondifferentiable("w = quantile_weights(a, q, axis=None)", quantile_weights,
                  kind=lambda a: a if isinstance(a, Array) else kind_of(a))  # fmt: skip


def _kind(name: str, a: Any, axis: Any, out: Any, overwrite_input: Any, keepdims: bool, q: Any = 0.5) -> Num | Array:
    a, q = kind_of(a), kind_of(q)
    if out is not None or overwrite_input:
        raise KindError(f"np.{name} with out= or overwrite_input= writes into an array", "assign what it returns")
    if a.dtype.kind == "c":
        raise KindError(f"np.{name} of complex numbers is not supported", "take it of their real part, or modulus")
    if not isinstance(q, Num):
        raise KindError(f"np.{name} at several places at once is not supported", "call it for each of them")
    if keepdims and not a.ndim:
        raise KindError(f"np.{name} of a number with keepdims=True is a stored 0-d array", "leave out keepdims")
    return reduction(a, promote(Array(mean_dtype(a), ()), q), axis, keepdims)


def _linear(name: str, method: Any) -> None:
    if method != "linear":
        found = "y[k]" if method in _ONE_ELEMENT else "(1 - t) * y[k] + t * y[k + 1]"
        given = "a[~np.isnan(a)]" if name.startswith("nan") else "a"
        remedy = f'sort and index, y = np.sort({given}); {found}: method="linear" is another function'
        raise KindError(f"np.{name} with method={method!r} is not supported", remedy)


#: The methods whose result is one of the elements.
_ONE_ELEMENT = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def _pulled(d: Any, a: Any, q: Any, axis: Any, keepdims: bool) -> Any:
    return beside(d, axis, keepdims) * quantile_weights(a, q, axis)


def _pushed(t: Any, a: Any, q: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(t * quantile_weights(a, q, axis), axis=axis, keepdims=keepdims)


@primitive
def nanquantile_weights(a: Any, q: Any, axis: Any = None) -> Any:
    """The weights of `quantile_weights` among the elements that are no NaN; 0 for those that are."""
    if not is_array(a):
        return type(a)(a == a)
    if not a.size:
        return np.zeros_like(a)
    (lines,), back = along_last(axis, a)
    ordered = np.sort(lines, axis=-1)
    last = np.maximum(np.sum(np.equal(lines, lines), axis=-1, keepdims=True) - 1, 0)
    beyond = last * q
    low = beyond.astype(np.intp)
    beyond -= low
    out = np.zeros_like(lines)
    for place, weight in ((low, 1 - beyond), (np.minimum(low + 1, last), beyond)):
        ties = np.equal(lines, np.take_along_axis(ordered, place, axis=-1))
        weight /= np.maximum(np.sum(ties, axis=-1, keepdims=True), 1)
        added(out, weight, ties)
    return back(out)


nondifferentiable("w = nanquantile_weights(a, q, axis=None)", nanquantile_weights,
                  kind=lambda a: a if isinstance(a, Array) else kind_of(a))  # fmt: skip


@rule("y = median(a, axis=None, out=None, overwrite_input=False, keepdims=False)", np.median)
class median:
    static = "out overwrite_input"
    def kind(a, axis, out, overwrite_input, keepdims): return _kind("median", a, axis, out, overwrite_input, keepdims)
    def d_a(d_y, a, axis, keepdims): return _pulled(d_y, a, 0.5, axis, keepdims)
    def t_y(t_a, a, axis, keepdims): return _pushed(t_a, a, 0.5, axis, keepdims)


@rule("y = quantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False)", np.quantile)
class quantile:
    static = "out overwrite_input method"

    def kind(a, q, axis, out, overwrite_input, method, keepdims):
        _linear("quantile", method)
        return _kind("quantile", a, axis, out, overwrite_input, keepdims, q)

    def d_a(d_y, a, q, axis, keepdims): return _pulled(d_y, a, q, axis, keepdims)
    def t_y(t_a, a, q, axis, keepdims): return _pushed(t_a, a, q, axis, keepdims)


@rule("y = percentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False)",
      np.percentile)  # fmt: skip
class percentile:
    static = "out overwrite_input method"

    def kind(a, q, axis, out, overwrite_input, method, keepdims):
        _linear("percentile", method)
        return _kind("percentile", a, axis, out, overwrite_input, keepdims, q)

    def d_a(d_y, a, q, axis, keepdims): return _pulled(d_y, a, q / 100, axis, keepdims)
    def t_y(t_a, a, q, axis, keepdims): return _pushed(t_a, a, q / 100, axis, keepdims)


# --------------------------------------------------------------------------------------- NaN left out
def _nan_pulled(d: Any, a: Any, q: Any, axis: Any, keepdims: bool) -> Any:
    return np.where(np.isnan(a), 0, beside(d, axis, keepdims) * nanquantile_weights(a, q, axis))


def _nan_pushed(t: Any, a: Any, q: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.where(np.isnan(a), 0, t) * nanquantile_weights(a, q, axis), axis=axis, keepdims=keepdims)


@rule("y = nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False)", np.nanmedian)
class nanmedian:
    """Where all are NaN, so is the result, and no element moves it."""

    static = "out overwrite_input"
    selects = True

    def kind(a, axis, out, overwrite_input, keepdims):
        return _kind("nanmedian", a, axis, out, overwrite_input, keepdims)

    def d_a(d_y, a, axis, keepdims): return _nan_pulled(d_y, a, 0.5, axis, keepdims)
    def t_y(t_a, a, axis, keepdims): return _nan_pushed(t_a, a, 0.5, axis, keepdims)


@rule("y = nanquantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False)",
      np.nanquantile)  # fmt: skip
class nanquantile:
    static = "out overwrite_input method"
    selects = True

    def kind(a, q, axis, out, overwrite_input, method, keepdims):
        _linear("nanquantile", method)
        return _kind("nanquantile", a, axis, out, overwrite_input, keepdims, q)

    def d_a(d_y, a, q, axis, keepdims): return _nan_pulled(d_y, a, q, axis, keepdims)
    def t_y(t_a, a, q, axis, keepdims): return _nan_pushed(t_a, a, q, axis, keepdims)


@rule("y = nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False)",
      np.nanpercentile)  # fmt: skip
class nanpercentile:
    static = "out overwrite_input method"
    selects = True

    def kind(a, q, axis, out, overwrite_input, method, keepdims):
        _linear("nanpercentile", method)
        return _kind("nanpercentile", a, axis, out, overwrite_input, keepdims, q)

    def d_a(d_y, a, q, axis, keepdims): return _nan_pulled(d_y, a, q / 100, axis, keepdims)
    def t_y(t_a, a, q, axis, keepdims): return _nan_pushed(t_a, a, q / 100, axis, keepdims)
