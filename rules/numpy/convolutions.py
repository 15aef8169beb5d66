"""Convolution and correlation of two sequences: linear in each, and their pullbacks are convolutions again."""

from typing import Any

import numpy as np

from rules.arrays import device
from rules.kind import Array, KindError, Length, constant, kind_of, lengths, library, promote
from rules.operands import is_complex
from rules.rule import Like, primitive, rule

MODES = ("full", "same", "valid")


@primitive
def unconvolve(d: Any, v: Any, like: Any, mode: str = "full") -> Any:
    """The cotangent of `like` from `d`, that of its convolution with `v`."""
    if mode != "full":
        short = min(len(like), len(v)) - 1
        start = short if mode == "valid" else short // 2
        full = np.zeros(len(like) + len(v) - 1, d.dtype, like=device(d))
        full[start : start + len(d)] = d
        d = full
    return np.convolve(d, v[::-1], "valid")


def convolved_length(m: Length, n: Length, mode: str) -> Length:
    """The length of a convolution, as far as it can be said: of equal lengths, or where one is a constant."""
    m, n = lengths().resolve(m), lengths().resolve(n)
    if m.constant:
        m, n = n, m
    if m == n and mode != "full":
        return m if mode == "same" else constant(1)
    if not n.constant or (mode != "full" and lengths().at_least(m, n.offset) is None):
        return lengths().fresh()
    k = n.offset
    if mode == "full":
        return m + (k - 1)
    if lengths().at_least(m, k):
        return m if mode == "same" else m + (1 - k)
    m = lengths().resolve(m)
    return constant(k) if mode == "same" else constant(k - m.offset + 1) if m.constant else lengths().fresh()


def _kind(name: str, a: Any, v: Any, mode: Any) -> Array:
    a, v = kind_of(a), kind_of(v)
    if a.ndim != 1 or v.ndim != 1:
        raise KindError(f"np.{name} of what is not of rank 1 is not supported", "give it arrays of rank 1")
    if mode not in MODES:
        raise KindError(f"np.{name} with mode={mode!r} is not supported", f"write one of {', '.join(MODES)}")
    return Array(promote(a, v), (convolved_length(a.shape[0], v.shape[0], mode),), library(a, v))


@rule("c = convolve(a, v, mode='full')", np.convolve)
class convolve:
    def kind(a, v, mode): return _kind("convolve", a, v, mode)
    def d_a(d_c, a: Like, v, mode): return unconvolve(d_c, v, a, mode)
    def d_v(d_c, a, v: Like, mode): return unconvolve(d_c, a, v, mode)
    def t_c(a, v, mode, t_a, t_v): return np.convolve(t_a, v, mode) + np.convolve(a, t_v, mode)


@rule("y = unconvolve(d, v, like, mode='full')", unconvolve)
class unconvolve_rule:
    def kind(d, v, like): return Array(promote(d, v), like.shape, like.xp)
    def d_d(d_y, v, mode): return np.convolve(d_y, v, mode)
    def d_v(d_y, d, v: Like, mode): return unconvolve(d, d_y, v, mode)

    def t_y(d, v, like: Like, mode, t_d, t_v):
        return unconvolve(t_d, v, like, mode) + unconvolve(d, t_v, like, mode)


@rule("c = correlate(a, v, mode='valid')", np.correlate)
class correlate:
    """The convolution with `v` from its end, conjugated."""

    def kind(a, v, mode):
        if mode == "same":  # where both lengths are even, which of two places is the middle depends on the longer
            raise KindError('np.correlate with mode="same" is not supported',
                            'write np.convolve(a, np.conj(v)[::-1], mode="same")')  # fmt: skip
        return _kind("correlate", a, v, mode)

    def d_a(d_c, a: Like, v, mode): return unconvolve(d_c, (np.conj(v) if is_complex(v) else v)[::-1], a, mode)

    def d_v(d_c, a, v: Like, mode):
        d = unconvolve(d_c, a, v, mode)[::-1]
        return np.conj(d) if is_complex(d) else d

    def t_c(a, v, mode, t_a, t_v): return np.correlate(t_a, v, mode) + np.correlate(a, t_v, mode)
