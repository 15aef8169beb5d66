"""`lfilter`: y with sum_k a_k y[n-k] = sum_k b_k x[n-k] + a_0 z[n], from the state z that is there at first.

The multiplier l of this equation solves it backwards: sum_k a_k l[n+k] = d_y[n], with l = d_zf / a_0 behind the last n.
All cotangents are products of l with what it is multiplied by: of x with sum_k b_k l[n+k], of b_k with
sum_n l[n] x[n-k], of a_k with -sum_n l[n] y[n-k]. Behind its end the equation, with y = 0, gives the last state.
"""

from typing import Any

import numpy as np
from scipy import signal

from rules.cotangent import length, update
from rules.kind import Array, KindError, lengths, library, normalize_axis
from rules.numpy.shape import array_kind
from rules.operands import rank
from rules.rule import Like, primitive, recorded, rule


# ----------------------------------------------------------------------------------------------- primitives
@primitive
def lag_products(l: Any, x: Any, like: Any, axis: int = -1) -> Any:
    """sum_n l[n + k] x[n] along `axis` and over all others, for as many k as `like` has elements. l may be longer."""
    l, x = np.moveaxis(l, axis, -1), np.moveaxis(x, axis, -1)
    m, n = l.shape[-1], x.shape[-1]
    sums = [np.sum(l[..., k : k + n] * x[..., : max(m - k, 0)]) for k in range(len(like))]
    return np.array(sums, np.result_type(l, x))


def _filtered(b: Any, a: Any, x: Any, axis: int) -> Any:
    return recorded(signal.lfilter, b, a, x, axis=axis)


def _backwards(b: Any, a: Any, x: Any, axis: int) -> Any:
    return np.flip(_filtered(b, a, np.flip(x, axis), axis), axis)


def _one(b: Any) -> Any:
    """The coefficients of the filter that changes nothing, in the precision of `b`."""
    return np.ones_like(b[:1])


def _part(x: Any, axis: int, part: slice) -> Any:
    before = (slice(None),) * (axis % rank(x))
    return x[(*before, part)]


@rule("c = lag_products(l, x, like, axis=-1)", lag_products)
class lag_products_rule:
    def kind(l, x, like): return Array(np.result_type(l.dtype, x.dtype), like.shape, like.xp)

    def d_l(d_c, l: Like, x, axis):
        rest = np.zeros_like(_part(l, axis, slice(length(x, axis), None)))
        return _filtered(d_c, _one(d_c), np.concatenate([x, rest], axis), axis)

    def d_x(d_c, l, x: Like, axis):
        return _part(_backwards(d_c, _one(d_c), l, axis), axis, slice(length(x, axis)))

    def t_c(l, x, like: Like, axis, t_l, t_x):
        return lag_products(t_l, x, like, axis) + lag_products(l, t_x, like, axis)


# ------------------------------------------------------------------------------------------------- lfilter
def _multiplier(d_y: Any, a: Any, axis: int, zi: Any) -> Any:
    """l, to the end of x, or of the last state behind it."""
    if zi is None:
        return _backwards(_one(a), a, d_y, axis)
    behind = _backwards(a, _one(a), d_y[1], axis) / a[0]
    return _backwards(_one(a), a, np.concatenate([d_y[0], behind], axis), axis)


def _dtype(*operands: Array) -> np.dtype[Any]:
    dtype = np.result_type(*(k.dtype for k in operands))
    if dtype.char not in "fdgFDG":
        raise KindError(f"signal.lfilter of {dtype} is not defined", "convert x: x.astype(float)")
    return dtype


@rule("y = lfilter(b, a, x, axis=-1, zi=None)", signal.lfilter)
class lfilter:
    """y is an array, or with `zi` a pair: the array, and the state at its end."""

    def kind(b, a, x, axis, zi):
        b, a, x = map(array_kind, (b, a, x))
        if b.ndim != 1 or a.ndim != 1 or not x.ndim:
            raise KindError("signal.lfilter of coefficients, or of an array, of another rank is not supported",
                            "give it vectors of coefficients: np.array([b])")
        (axis,) = normalize_axis(axis, x.ndim)
        if lengths().at_least(x.shape[axis], 1) is False:  # of which SciPy gives a state that nobody has set
            raise KindError("signal.lfilter of nothing is not supported", "leave it out")
        if zi is None:
            return Array(_dtype(b, a, x), x.shape, library(x))
        z = array_kind(zi)
        if z.ndim != x.ndim:
            raise KindError("signal.lfilter takes a state of the rank of x", "give zi as many axes: zi[None]")
        if lengths().at_least(z.shape[axis], 1) is False:
            raise KindError("signal.lfilter with an empty state is not supported", "leave zi out")
        dtype = _dtype(b, a, x, z)
        last = (*x.shape[:axis], z.shape[axis], *x.shape[axis + 1 :])
        return Array(dtype, x.shape, library(x)), Array(dtype, last, library(x))

    def d_x(d_y, b, a, x: Like, axis, zi: Like):
        d = _backwards(b, _one(b), _multiplier(d_y, a, axis, zi), axis)
        return d if zi is None else _part(d, axis, slice(length(x, axis)))

    def d_b(d_y, b: Like, a, x, axis, zi: Like):
        return lag_products(_multiplier(d_y, a, axis, zi), x, b, axis)

    def d_a(d_y, a, y, axis, zi):
        l = _multiplier(d_y, a, axis, zi)
        if zi is None:
            return -lag_products(l, y, a, axis)
        y, last = y
        by_state = np.sum(_part(l, axis, slice(length(zi, axis))) * zi)
        by_state = by_state - np.sum(_part(l, axis, slice(length(y, axis), None)) * last)
        return update(-lag_products(l, y, a, axis), (0,), "add", by_state)

    def d_zi(d_y, a, axis, zi: Like):
        return a[0] * _part(_multiplier(d_y, a, axis, zi), axis, slice(length(zi, axis)))

    def t_y(b, a, x, y, axis, zi, t_b, t_a, t_x, t_zi):
        if zi is None:
            moved = _by(b, t_x, axis) + _by(t_b, x, axis) - _by(t_a, y, axis)
            return _filtered(_one(a), a, moved, axis)
        y, last = y
        n, none = length(y, axis), np.zeros_like(last)
        x, t_x, whole = (np.concatenate([v, none], axis) for v in (x, t_x, y))
        moved = _by(b, t_x, axis) + _by(t_b, x, axis) - _by(t_a, whole, axis)
        first = (*(slice(None),) * (axis % rank(y)), slice(length(zi, axis)))
        moved = update(moved, (first,), "add", t_a[0] * zi + a[0] * t_zi)
        t = _filtered(_one(a), a, _part(moved, axis, slice(n)), axis)
        behind = moved - _by(a, np.concatenate([t, none], axis), axis)
        return t, (_part(behind, axis, slice(n, None)) - t_a[0] * last) / a[0]


def _by(b: Any, x: Any, axis: int) -> Any:
    return _filtered(b, _one(b), x, axis)


# ------------------------------------------------------------------------------------------------- sosfilt
@rule("y = sosfilt(sos, x, axis=-1, zi=None)", signal.sosfilt)
class sosfilt:
    why_sos = "write it section by section: for s in sos: x = signal.lfilter(s[:3], s[3:], x)"

    def kind(sos, x, axis, zi):
        if zi is not None:
            raise KindError("signal.sosfilt with a state is not supported",
                            "write it section by section, with signal.lfilter and its zi")
        sos, x = array_kind(sos), array_kind(x)
        normalize_axis(axis, x.ndim)
        return Array(_dtype(sos, x), x.shape, library(x))

    def d_x(d_y, sos, axis): return np.flip(recorded(signal.sosfilt, sos, np.flip(d_y, axis), axis=axis), axis)
    def t_y(sos, axis, t_x): return recorded(signal.sosfilt, sos, t_x, axis=axis)
