"""Products and cumulative sums and products over axes, exact where elements are 0, to any order.

The derivative of a product by one factor is the product of the others: those before it times those after it.
Dividing the product by the factor would fail at 0. Two linear recurrences say it all, and each is the other's
derivative run backwards:

    products_before(a)[m] = a[0] * ... * a[m-1]
    fold(d, a)[m] = d[m-1] + a[m-1] * fold(d, a)[m-1],  fold(d, a)[0] = 0

With `reverse` both run from the end.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rules.arrays import device, is_array, on_device
from rules.kind import ONE, Array, KindError, kind_of, lengths, normalize_axis, promote
from rules.numpy.reductions import beside, reduction, sum_dtype
from rules.numpy.shape import reshape_like
from rules.operands import rank
from rules.rule import Like, primitive, rule

Lines = tuple[list[np.ndarray], Callable[[np.ndarray], np.ndarray]]


def along_last(axis: Any, *arrays: Any) -> Lines:
    """The arrays with the elements along `axis` (if several, in C order) as last axis, and the way back."""
    shape = arrays[0].shape
    axes = normalize_axis(axis, len(shape))
    kept = tuple(k for k in range(len(shape)) if k not in axes)
    order = kept + axes
    rows, n = [shape[k] for k in kept], math.prod(shape[k] for k in axes)

    def back(lines: np.ndarray) -> np.ndarray:
        return lines.reshape([shape[k] for k in order]).transpose(tuple(map(int, np.argsort(order))))

    return [a.transpose(order).reshape([*rows, n]) for a in arrays], back


@primitive
def products_before(a: Any, axis: Any = None, reverse: bool = False) -> Any:
    """The product of the elements before each (after each, if `reverse`) along `axis`; of none, 1."""
    if not is_array(a):
        return type(a)(1)
    (lines,), back = along_last(axis, a)
    step = slice(None, None, -1 if reverse else 1)
    out = np.ones_like(lines)
    if on_device(a):
        out[..., 1:] = np.cumprod(lines[..., step][..., :-1], axis=-1)
    else:
        np.cumprod(lines[..., step][..., :-1], axis=-1, out=out[..., 1:])
    return back(out[..., step])


@primitive
def fold(d: Any, a: Any, axis: Any = None, reverse: bool = False) -> Any:
    """f with f[0] = 0, f[m] = d[m-1] + a[m-1] * f[m-1] along `axis` (from the end, if `reverse`)."""
    if not is_array(a):
        return type(a)(0)
    (lines, terms), back = along_last(axis, a, np.broadcast_to(d, a.shape))
    step = slice(None, None, -1 if reverse else 1)
    lines, terms = lines[..., step], terms[..., step]
    out = np.zeros(lines.shape, np.result_type(lines, terms), like=device(lines))
    for m in range(1, lines.shape[-1]):
        out[..., m] = terms[..., m - 1] + lines[..., m - 1] * out[..., m - 1]
    return back(out[..., step])


@rule("y = products_before(a, axis=None, reverse=False)", products_before)
class products_before_rule:
    static = "reverse"
    def kind(a): return a
    def d_a(d_y, a, y, axis, reverse): return y * fold(d_y, a, axis, not reverse)
    def t_y(t_a, a, y, axis, reverse): return fold(t_a * y, a, axis, reverse)


@rule("f = fold(d, a, axis=None, reverse=False)", fold)
class fold_rule:
    static = "reverse"
    def kind(d, a): return Array(promote(d, a), a.shape, a.xp) if isinstance(a, Array) else a
    def d_d(d_f, a, axis, reverse): return fold(d_f, a, axis, not reverse)
    def d_a(d_f, f, a, axis, reverse): return fold(d_f, a, axis, not reverse) * f
    def t_f(t_d, t_a, f, a, axis, reverse): return fold(t_d + t_a * f, a, axis, reverse)


@rule("y = prod(a, axis=None, dtype=None, keepdims=False)", np.prod, "ndarray.prod")
class prod:
    def kind(a, axis, dtype, keepdims): return reduction(a, sum_dtype(kind_of(a), dtype), axis, keepdims)
    def d_a(d_y, a, axis, keepdims): return beside(d_y, axis, keepdims) * others(a, axis)
    def t_y(t_a, a, axis, keepdims): return np.sum(t_a * others(a, axis), axis=axis, keepdims=keepdims)


def others(a, axis):
    """For each element the product of all others along `axis`."""
    return products_before(a, axis) * products_before(a, axis, reverse=True)


# ------------------------------------------------------------------------------------- cumulative
def cumulative(a, axis, dtype):
    """The kind of a cumulative sum or product."""
    a = kind_of(a)
    shape = a.shape
    if axis is None and len(shape) != 1:
        shape = (lengths().fresh(),) if shape else (ONE,)
    elif axis is not None:
        normalize_axis(axis, len(shape))
    return Array(sum_dtype(a, dtype), shape, a.xp if isinstance(a, Array) else "numpy")


def _from_end(d, axis):
    if rank(d) == 1:
        return np.cumsum(d[::-1])[::-1]
    return np.flip(np.cumsum(np.flip(d, axis), axis=axis), axis)


@rule("y = cumsum(a, axis=None, dtype=None)", np.cumsum, "ndarray.cumsum")
class cumsum:
    def kind(a, axis, dtype): return cumulative(a, axis, dtype)

    def d_a(d_y, a: Like, axis):
        flat = axis is None and rank(a) != 1
        return reshape_like(_from_end(d_y, 0), a) if flat else _from_end(d_y, axis)

    def t_y(t_a, axis): return np.cumsum(t_a, axis=axis)


@rule("y = cumprod(a, axis=None, dtype=None)", np.cumprod, "ndarray.cumprod")
class cumprod:
    def kind(a, axis, dtype): return cumulative(a, axis, dtype)

    def d_a(d_y, a, axis):
        d = d_y if axis is not None else reshape_like(d_y, a)
        return products_before(a, axis) * (d + fold(d * a, a, axis, reverse=True))

    def t_y(t_a, a, axis):
        before = products_before(a, axis)
        t = t_a * before + a * fold(t_a * before, a, axis)
        return t if axis is not None else np.ravel(t)


if hasattr(np, "cumulative_sum"):  # of NumPy 2.1

    def _one_axis(name, x, axis, include_initial):
        if include_initial:
            raise KindError(f"np.{name} with include_initial is not supported", "concatenate what it begins with")
        if axis is None and kind_of(x).ndim != 1:
            raise KindError(f"np.{name} takes an axis for an array of more than one", "give it an axis")

    @rule("y = cumulative_sum(x, axis=None, dtype=None, include_initial=False)", np.cumulative_sum)
    class cumulative_sum:
        static = "include_initial"

        def kind(x, axis, dtype, include_initial):
            _one_axis("cumulative_sum", x, axis, include_initial)
            return cumulative(x, axis, dtype)

        def d_x(d_y, x: Like, axis): return cumsum.d_a(d_y, x, axis)
        def t_y(t_x, axis): return np.cumsum(t_x, axis=axis)

    @rule("y = cumulative_prod(x, axis=None, dtype=None, include_initial=False)", np.cumulative_prod)
    class cumulative_prod:
        static = "include_initial"

        def kind(x, axis, dtype, include_initial):
            _one_axis("cumulative_prod", x, axis, include_initial)
            return cumulative(x, axis, dtype)

        def d_x(d_y, x, axis): return cumprod.d_a(d_y, x, axis)
        def t_y(t_x, x, axis): return cumprod.t_y(t_x, x, axis)
