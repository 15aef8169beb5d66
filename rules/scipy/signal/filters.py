"""Filters that are linear in an array: what is left by a trend, smoothing by polynomials, the analytic signal."""

from typing import Any

import numpy as np
from scipy import signal

from rules.kind import Array, KindError, normalize_axis
from rules.numpy.shape import array_kind
from rules.operands import is_complex
from rules.rule import primitive, recorded, rule
from rules.scipy.ndimage.correlations import uncorrelate

_uncorrelate = uncorrelate.__wrapped__


# ------------------------------------------------------------------------------------------------- detrend
@rule("y = detrend(data, axis=-1, type='linear', bp=0, overwrite_data=False)", signal.detrend)
class detrend:
    """What is orthogonal to a trend of least squares: a projection, which is its own transpose."""

    static = "type bp overwrite_data"

    def kind(data, axis, overwrite_data):
        if overwrite_data:
            raise KindError("overwrite_data=True lets signal.detrend write into its argument", "leave it out")
        data = array_kind(data)
        normalize_axis(axis, data.ndim)
        return Array(data.dtype if data.dtype.char in "fdFD" else np.dtype(float), data.shape, data.xp)

    def d_data(d_y, axis, type, bp): return recorded(signal.detrend, d_y, axis=axis, type=type, bp=bp)
    def t_y(t_data, axis, type, bp): return recorded(signal.detrend, t_data, axis=axis, type=type, bp=bp)


# ------------------------------------------------------------------------------------------- savgol_filter
@primitive
def unsavgol(
    d: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1, mode: str = "interp"
) -> Any:
    """The cotangent of what `d` is that of the result of `savgol_filter` of."""
    weights = signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta).astype(d.dtype)
    if mode != "interp":
        return _uncorrelate(d, weights, mode, 0, axis % d.ndim, True)
    d = np.moveaxis(d, axis, 0)
    half = window_length // 2
    inner = d.copy()
    inner[:half] = inner[len(d) - half :] = 0
    out = _uncorrelate(inner, weights, "constant", 0, 0, True)
    ends = signal.savgol_filter(np.eye(window_length, dtype=d.dtype), window_length, polyorder, deriv, delta, axis=0)
    out[:window_length] += np.tensordot(ends[:half].T, d[:half], 1)
    out[len(d) - window_length :] += np.tensordot(ends[window_length - half :].T, d[len(d) - half :], 1)
    return np.moveaxis(out, 0, axis)


@rule("y = unsavgol(d, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode='interp')", unsavgol)
class unsavgol_rule:
    def kind(d): return d

    def d_d(d_y, window_length, polyorder, deriv, delta, axis, mode):
        return _smoothed(d_y, window_length, polyorder, deriv, delta, axis, mode)

    def t_y(t_d, window_length, polyorder, deriv, delta, axis, mode):
        return unsavgol(t_d, window_length, polyorder, deriv, delta, axis, mode)


def _smoothed(x: Any, window_length: int, polyorder: int, deriv: int, delta: float, axis: int, mode: str) -> Any:
    return recorded(signal.savgol_filter, x, window_length, polyorder,
                    deriv=deriv, delta=delta, axis=axis, mode=mode)  # fmt: skip


@rule("y = savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode='interp', cval=0.0)",
      signal.savgol_filter)  # fmt: skip
class savgol_filter:
    why_delta = "divide the result of delta=1 by the spacing: y / delta**deriv"
    why_cval = "put the values around the array yourself: np.pad"

    def kind(x, axis):
        x = array_kind(x)
        if is_complex(x):
            raise KindError("signal.savgol_filter of complex numbers takes their real parts", "write it of each part")
        normalize_axis(axis, x.ndim)
        return Array(x.dtype if x.dtype.char in "fd" else np.dtype(float), x.shape, x.xp)

    def d_x(d_y, window_length, polyorder, deriv, delta, axis, mode):
        return unsavgol(d_y, window_length, polyorder, deriv, delta, axis, mode)

    def t_y(t_x, window_length, polyorder, deriv, delta, axis, mode):
        return _smoothed(t_x, window_length, polyorder, deriv, delta, axis, mode)


# ------------------------------------------------------------------------------------------------- hilbert
@rule("y = hilbert(x, N=None, axis=-1)", signal.hilbert)
class hilbert:
    """x + i H x of real x, with H^T = -H."""

    def kind(x, N, axis):
        x = array_kind(x)
        if N is not None:
            raise KindError("signal.hilbert of another length is not supported", "pad x, or cut it off")
        if is_complex(x):
            raise KindError("signal.hilbert of complex numbers is not defined", "take the real part")
        normalize_axis(axis, x.ndim)
        return Array(np.dtype(np.complex64 if x.dtype == np.float32 else complex), x.shape, x.xp)

    def d_x(d_y, axis): return np.real(d_y) + np.imag(recorded(signal.hilbert, np.imag(d_y), axis=axis))
    def t_y(t_x, axis): return recorded(signal.hilbert, t_x, axis=axis)
