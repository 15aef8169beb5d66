"""Convolution and correlation along any number of axes: linear in each operand, and pullbacks are convolutions again.

What a mode cuts off is as much on both sides, or one more behind. So a cotangent is laid into the middle of zeros.
"""

from typing import Any

import numpy as np
from scipy import signal

from rules.kind import Array, KindError, kind_of, lengths, library, normalize_axis
from rules.numpy.convolutions import MODES, convolved_length
from rules.operands import is_complex
from rules.rule import Like, primitive, recorded, rule

#: What computes a convolution: a `method` of `signal.convolve`, or a function that is told the axes.
_BY = {"fftconvolve": signal.fftconvolve, "oaconvolve": signal.oaconvolve}
METHODS = ("auto", "direct", "fft")


# ----------------------------------------------------------------------------------------------- primitives
def _convolve(a: Any, v: Any, mode: str, axes: Any, by: str) -> Any:
    if by in _BY:
        return _BY[by](a, v, mode, axes=axes)
    return signal.convolve(a, v, mode, method=by)


def _axes(a: Any, axes: Any) -> tuple[int, ...]:
    return normalize_axis(tuple(axes) if isinstance(axes, list) else axes, a.ndim)


def _middle(full: tuple[int, ...], part: tuple[int, ...], axes: tuple[int, ...]) -> tuple[slice, ...]:
    """Where a part of what a convolution gives is in the whole."""
    start = [(n - m) // 2 if k in axes else 0 for k, (n, m) in enumerate(zip(full, part))]
    return tuple(slice(s, s + m) for s, m in zip(start, part))


@primitive
def convolved(a: Any, v: Any, like: Any, axes: Any = None, by: str = "auto") -> Any:
    """The middle of the convolution of `a` and `v` along `axes`, of the shape of `like`."""
    full = _convolve(a, v, "full", axes, by)
    return full[_middle(full.shape, like.shape, _axes(a, axes))]


@primitive
def unconvolve(d: Any, v: Any, like: Any, axes: Any = None, by: str = "auto") -> Any:
    """The cotangent of `like` from `d`, that of the middle of its convolution with `v` along `axes`."""
    over = _axes(like, axes)
    shape = tuple(m + n - 1 if k in over else p for k, (m, n, p) in enumerate(zip(like.shape, v.shape, d.shape)))
    if shape != d.shape:
        full = np.zeros(shape, d.dtype)
        full[_middle(shape, d.shape, over)] = d
        d = full
    out = _convolve(d, np.flip(v, over), "valid", axes, by)
    sums = tuple(k for k, n in enumerate(like.shape) if n == 1 != out.shape[k])
    return np.sum(out, sums, keepdims=True) if sums else out


def _product_dtype(a: Any, v: Any, by: str) -> np.dtype[Any]:
    return _convolve(np.ones(1, a.dtype), np.ones(1, v.dtype), "full", None, by).dtype


@rule("y = convolved(a, v, like, axes=None, by='auto')", convolved)
class convolved_rule:
    static = "by"
    def kind(a, v, like, by): return Array(_product_dtype(a, v, by), like.shape, like.xp)
    def d_a(d_y, a: Like, v, axes, by): return unconvolve(d_y, v, a, axes, by)
    def d_v(d_y, a, v: Like, axes, by): return unconvolve(d_y, a, v, axes, by)

    def t_y(a, v, like: Like, axes, by, t_a, t_v):
        return convolved(t_a, v, like, axes, by) + convolved(a, t_v, like, axes, by)


@rule("y = unconvolve(d, v, like, axes=None, by='auto')", unconvolve)
class unconvolve_rule:
    static = "by"
    def kind(d, v, like, by): return Array(_product_dtype(d, v, by), like.shape, like.xp)
    def d_d(d_y, d: Like, v, axes, by): return convolved(d_y, v, d, axes, by)
    def d_v(d_y, d, v: Like, axes, by): return unconvolve(d, d_y, v, axes, by)

    def t_y(d, v, like: Like, axes, by, t_d, t_v):
        return unconvolve(t_d, v, like, axes, by) + unconvolve(d, t_v, like, axes, by)


# -------------------------------------------------------------------------------------------------- kinds
def _kind(name: str, a: Any, v: Any, mode: Any, axes: Any = None, by: str = "auto") -> Array:
    a, v = kind_of(a), kind_of(v)
    if not isinstance(a, Array) or not isinstance(v, Array) or a.ndim != v.ndim or not a.ndim:
        raise KindError(f"signal.{name} takes two arrays of one rank, at least 1, not {a} and {v}",
                        "give one of them axes of length 1: v[:, None]; multiply by a number")
    if mode not in MODES:
        raise KindError(f"signal.{name} has no mode {mode!r}", f"write one of {', '.join(MODES)}")
    over, env, shape = _axes(a, axes), lengths(), []
    for k, (m, n) in enumerate(zip(a.shape, v.shape)):
        if env.at_least(m, 1) is False or env.at_least(n, 1) is False:
            raise KindError(f"signal.{name} of nothing has another shape, and is not supported", "leave it out")
        both = convolved_length(m, n, mode) if k in over else env.broadcast(m, n)
        shape.append(m if k in over and mode == "same" else both)
    return Array(_product_dtype(a, v, by), tuple(shape), library(a, v))


def _conj(x: Any) -> Any:
    return np.conj(x) if is_complex(x) else x


def _known_method(name: str, method: Any) -> None:
    if method not in METHODS:
        raise KindError(f"signal.{name} has no method {method!r}", f"write one of {', '.join(METHODS)}")


# ------------------------------------------------------------------------------------------- along all axes
@rule("y = convolve(in1, in2, mode='full', method='auto')", signal.convolve)
class convolve:
    """The shape of mode "same" is that of `in1`, whichever is longer."""

    static = "method"

    def kind(in1, in2, mode, method):
        _known_method("convolve", method)
        return _kind("convolve", in1, in2, mode, None, method)

    def d_in1(d_y, in1: Like, in2, method): return unconvolve(d_y, in2, in1, by=method)
    def d_in2(d_y, in1, in2: Like, method): return unconvolve(d_y, in1, in2, by=method)

    def t_y(in1, in2, mode, method, t_in1, t_in2):
        moved = recorded(signal.convolve, t_in1, in2, mode=mode, method=method)
        return moved + recorded(signal.convolve, in1, t_in2, mode=mode, method=method)


@rule("y = correlate(in1, in2, mode='full', method='auto')", signal.correlate)
class correlate:
    """The convolution with `in2` from its end, conjugated."""

    static = "method"

    def kind(in1, in2, mode, method):
        _known_method("correlate", method)
        return _kind("correlate", in1, in2, mode, None, method)

    def d_in1(d_y, in1: Like, in2, method): return unconvolve(d_y, np.flip(_conj(in2)), in1, by=method)
    def d_in2(d_y, in1, in2: Like, method): return np.flip(_conj(unconvolve(d_y, in1, in2, by=method)))

    def t_y(in1, in2, mode, method, t_in1, t_in2):
        moved = recorded(signal.correlate, t_in1, in2, mode=mode, method=method)
        return moved + recorded(signal.correlate, in1, t_in2, mode=mode, method=method)


# ------------------------------------------------------------------------------------------- along some axes
@rule("y = fftconvolve(in1, in2, mode='full', axes=None)", signal.fftconvolve)
class fftconvolve:
    def kind(in1, in2, mode, axes): return _kind("fftconvolve", in1, in2, mode, axes, "fftconvolve")
    def d_in1(d_y, in1: Like, in2, axes): return unconvolve(d_y, in2, in1, axes, "fftconvolve")
    def d_in2(d_y, in1, in2: Like, axes): return unconvolve(d_y, in1, in2, axes, "fftconvolve")

    def t_y(in1, in2, mode, axes, t_in1, t_in2):
        moved = recorded(signal.fftconvolve, t_in1, in2, mode=mode, axes=axes)
        return moved + recorded(signal.fftconvolve, in1, t_in2, mode=mode, axes=axes)


@rule("y = oaconvolve(in1, in2, mode='full', axes=None)", signal.oaconvolve)
class oaconvolve:
    def kind(in1, in2, mode, axes): return _kind("oaconvolve", in1, in2, mode, axes, "oaconvolve")
    def d_in1(d_y, in1: Like, in2, axes): return unconvolve(d_y, in2, in1, axes, "oaconvolve")
    def d_in2(d_y, in1, in2: Like, axes): return unconvolve(d_y, in1, in2, axes, "oaconvolve")

    def t_y(in1, in2, mode, axes, t_in1, t_in2):
        moved = recorded(signal.oaconvolve, t_in1, in2, mode=mode, axes=axes)
        return moved + recorded(signal.oaconvolve, in1, t_in2, mode=mode, axes=axes)


# ------------------------------------------------------------------------------------------- of two axes
def _zeros_outside(name: str, a: Any, v: Any, mode: Any, boundary: Any, fillvalue: Any) -> Array:
    if kind_of(a).ndim != 2 or kind_of(v).ndim != 2:
        raise KindError(f"signal.{name} takes arrays of two axes", "write signal.convolve, or a loop")
    if mode != "valid" and (boundary != "fill" or fillvalue != 0):
        raise KindError(f"signal.{name} is supported with zeros outside alone",
                        'extend the array first, and write mode="valid"; or scipy.ndimage.convolve')
    return _kind(name, a, v, mode, None, "direct")


@rule("y = convolve2d(in1, in2, mode='full', boundary='fill', fillvalue=0)", signal.convolve2d)
class convolve2d:
    static = "boundary fillvalue"
    def kind(in1, in2, mode, boundary, fillvalue):
        return _zeros_outside("convolve2d", in1, in2, mode, boundary, fillvalue)

    def d_in1(d_y, in1: Like, in2): return unconvolve(d_y, in2, in1)
    def d_in2(d_y, in1, in2: Like): return unconvolve(d_y, in1, in2)

    def t_y(in1, in2, mode, t_in1, t_in2):
        return recorded(signal.convolve2d, t_in1, in2, mode=mode) + recorded(signal.convolve2d, in1, t_in2, mode=mode)


@rule("y = correlate2d(in1, in2, mode='full', boundary='fill', fillvalue=0)", signal.correlate2d)
class correlate2d:
    static = "boundary fillvalue"

    def kind(in1, in2, mode, boundary, fillvalue):
        if mode == "same":  # where in2 has an even length, another place is its middle than for convolve2d
            raise KindError('signal.correlate2d with mode="same" is not supported',
                            'write signal.convolve2d(in1, np.conj(np.flip(in2)), mode="same")')
        if mode == "valid" and (is_complex(kind_of(in1)) or is_complex(kind_of(in2))):  # in1, if it is the smaller one
            raise KindError("which operand signal.correlate2d conjugates depends on their sizes",
                            'write signal.correlate(in1, in2, mode="valid")')
        return _zeros_outside("correlate2d", in1, in2, mode, boundary, fillvalue)

    def d_in1(d_y, in1: Like, in2): return unconvolve(d_y, np.flip(_conj(in2)), in1)
    def d_in2(d_y, in1, in2: Like): return np.flip(_conj(unconvolve(d_y, in1, in2)))

    def t_y(in1, in2, mode, t_in1, t_in2):
        return recorded(signal.correlate2d, t_in1, in2, mode=mode) + recorded(signal.correlate2d, in1, t_in2, mode=mode)
