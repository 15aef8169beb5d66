"""Linear interpolation between knots: a mean of two values at knots, weighted by the place between them.

It is linear in the values at the knots; `uninterp` is its transpose. Moving a knot moves the line over it, so the
cotangent of the knots is that of the values times minus the slope. Beyond the last knot the slope is 0, and at a
knot it is the subgradient of least norm: 0 if the slopes on both sides differ in sign, else the smaller one.
"""

from typing import Any

import numpy as np

from rules.arrays import as_array, device
from rules.cotangent import scatter
from rules.kind import Array, KindError, array_or_number, kind_of, lengths, library, promote
from rules.masked import quotient
from rules.numpy.differences import undiff
from rules.operands import rank
from rules.rule import nondifferentiable, primitive, rule


@primitive
def pieces(x: Any, xp: Any, fp: Any) -> Any:
    """Which piece x lies in: 0 where the slope is 0, k between the knots k-1 and k; of two, the flatter one."""
    before, after = np.searchsorted(xp, x, side="left"), np.searchsorted(xp, x, side="right")
    slope = np.pad(np.diff(fp) / np.diff(xp), 1)
    flatter = np.where(np.abs(slope[before]) < np.abs(slope[after]), before, after)
    turns = np.real(slope[before] * np.conj(slope[after])) <= 0
    return np.where(np.logical_and(turns, before != after), 0, flatter)[()]


nondifferentiable("i = pieces(x, xp, fp)", pieces,
                  kind=lambda x: array_or_number(np.dtype(np.intp), kind_of(x).shape))  # fmt: skip


@primitive
def uninterp(d: Any, x: Any, xp: Any) -> Any:
    """The cotangent of the values at the knots `xp` from `d`, that of what was interpolated at `x`."""
    x = as_array(x, xp)
    d, last = np.broadcast_to(as_array(d, xp), x.shape), len(xp) - 1
    low = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(last - 1, 0))
    high = np.minimum(low + 1, last)
    weight = np.clip(quotient(x - xp[low], xp[high] - xp[low]), 0, 1)
    out = np.zeros(len(xp), np.result_type(d, np.float64), like=device(xp))
    np.add.at(out, low, d * (1 - weight))
    np.add.at(out, high, d * weight)
    return out


def _slope(x: Any, xp: Any, fp: Any) -> Any:
    return np.pad(np.diff(fp) / np.diff(xp), 1)[pieces(x, xp, fp)]


def _unslope(d: Any, x: Any, xp: Any) -> Any:
    """The cotangent of the values at the knots from that of the slopes at `x`."""
    each = scatter(d, np.pad(1.0 * xp, (0, 1)), np.searchsorted(xp, x, side="right"))
    return undiff(each[1:-1] / np.diff(xp), 1.0 * xp)


@rule("y = uninterp(d, x, xp)", uninterp)
class uninterp_rule:
    def kind(d, x, xp): return Array(promote(kind_of(d), xp, Array(np.dtype(np.float64), ())), xp.shape, xp.xp)
    def d_d(d_y, x, xp): return np.interp(x, xp, d_y)
    def d_x(d_y, d, x, xp): return d * _slope(x, xp, d_y)
    def d_xp(d_y, d, x, xp): return uninterp(-d * _slope(x, xp, d_y), x, xp)

    def t_y(d, x, xp, t_d, t_x, t_xp):
        return uninterp(t_d, x, xp) + _unslope(d * (t_x - np.interp(x, xp, t_xp)), x, xp)


@rule("y = interp(x, xp, fp, left=None, right=None, period=None)", np.interp)
class interp:
    def kind(x, xp, fp, period):
        x, xp, fp = kind_of(x), kind_of(xp), kind_of(fp)
        if period is not None:
            raise KindError("np.interp with period= is not supported", "take x % period, between knots that cover it")
        if rank(xp) != 1 or rank(fp) != 1:
            raise KindError("np.interp between knots that are not of rank 1 is not supported", "give arrays of rank 1")
        lengths().agree(xp.shape[0], fp.shape[0])
        dtype = np.dtype(np.complex128 if fp.dtype.kind == "c" else np.float64)
        return array_or_number(dtype, x.shape, library(x, xp, fp))

    def d_x(d_y, x, xp, fp): return d_y * _slope(x, xp, fp)
    def d_xp(d_y, x, xp, fp): return uninterp(-d_y * _slope(x, xp, fp), x, xp)

    def d_fp(d_y, x, xp, left, right):
        d = d_y if left is None else np.where(x < xp[0], 0, d_y)
        return uninterp(d if right is None else np.where(x > xp[-1], 0, d), x, xp)

    def d_left(d_y, x, xp): return np.where(x < xp[0], d_y, 0)
    def d_right(d_y, x, xp): return np.where(x > xp[-1], d_y, 0)

    def t_y(x, xp, fp, left, right, t_x, t_xp, t_fp, t_left, t_right):
        t = _slope(x, xp, fp) * (t_x - np.interp(x, xp, t_xp)) + np.interp(x, xp, t_fp)
        t = t if left is None else np.where(x < xp[0], t_left, t)
        return t if right is None else np.where(x > xp[-1], t_right, t)
