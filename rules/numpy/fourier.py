"""Rules of `np.fft`. Transforms are linear, and their matrices symmetric: the pullback of one is one again.

A cotangent is not conjugated, so that of `fft` is an `fft`, with the same norm. That of `rfft`, of which only half of
the frequencies are given, is an `irfft`, which counts the ones in between twice; and the other way round.
"""

from typing import Any

import numpy as np

from rules.kind import (
    Array,
    KindError,
    Length,
    Num,
    constant,
    kind_of,
    length_of,
    lengths,
    normalize_axis,
    promote,
)  # fmt: skip
from rules.numpy.shape import array_kind
from rules.rule import Like, borrows, primitive, rule

NORMS = (None, "backward", "ortho", "forward")


# ------------------------------------------------------------------------------------------- primitives
@primitive
def fitted(d: Any, like: Any) -> Any:
    """`d` cut off, or with zeros behind it, along each axis to the length of `like`; `d` itself where it has that."""
    if d.shape == like.shape:
        return d
    common = tuple(slice(min(pair)) for pair in zip(d.shape, like.shape))
    if all(n >= m for n, m in zip(d.shape, like.shape)):
        return d[common]
    out = np.zeros_like(like, d.dtype)
    out[common] = d[common]
    return out


@rule("y = fitted(d, like)", fitted)
class fitted_rule:
    def kind(d, like): return Array(d.dtype, like.shape, like.xp) if kind_of(d).ndim else d
    view = "d"
    @borrows("d_y")
    def d_d(d_y, d: Like): return fitted(d_y, d)
    def t_y(t_d, like: Like): return fitted(t_d, like)


@primitive
def between(z: Any, factor: float, n: int, axis: int = -1, conjugate: bool = False) -> Any:
    """`z`, the half of `n` frequencies along `axis`, times `factor` but for those that stand for one: 0 and n/2.

    With `conjugate`, of the conjugate of `z`.
    """
    out = np.conjugate(z) if conjugate else np.copy(z)
    inner = (Ellipsis, slice(1, (n + 1) // 2), *(slice(None),) * (z.ndim - 1 - axis % z.ndim))
    out[inner] *= factor
    return out


@rule("y = between(z, factor, n, axis=-1, conjugate=False)", between)
class between_rule:
    def kind(z): return z
    def d_z(d_y, factor, n, axis, conjugate): return between(d_y, factor, n, axis, conjugate)
    def t_y(t_z, factor, n, axis, conjugate): return between(t_z, factor, n, axis, conjugate)


# -------------------------------------------------------------------------------------------------- kinds
def _axes(a: Any, s: Any, axes: Any) -> tuple[int, ...]:
    """The axes that are transformed, none negative: the last ones if only sizes are given."""
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    found = normalize_axis(tuple(axes) if isinstance(axes, list) else axes, a.ndim)
    if len(set(found)) != len(found):
        raise KindError("a transform along one axis twice is not supported", "transform one time after the other")
    return found


def _half(n: Length) -> Length:
    """How many frequencies `rfft` gives of `n` numbers."""
    n = lengths().resolve(n)
    return constant(n.offset // 2 + 1) if n.constant else lengths().derived("rfft", n)


def _whole(m: Length) -> Length:
    """How many numbers `irfft` gives of `m` frequencies, if it is not told."""
    m = lengths().resolve(m)
    return constant(2 * m.offset - 2) if m.constant else lengths().derived("irfft", m)


def _transformed(f: Any, a: Any, s: Any, axes: Any, norm: Any, last: Any = None) -> Array:
    """The kind of the transform `f` along `axes`, of sizes `s`; `last` tells which end of it is "half" or "whole"."""
    a = kind_of(a)
    if not isinstance(a, Array) or not a.ndim:
        raise KindError(f"an array of at least one axis is wanted here, not {a}", "give it an array")
    if norm not in NORMS:
        raise KindError(f"np.fft.{f.__name__} has no norm {norm!r}", 'write "backward", "ortho" or "forward"')
    axes = _axes(a, s, axes)
    if s is not None and len(s) != len(axes):
        raise KindError(f"{len(s)} sizes are given for {len(axes)} axes", "give as many of each")
    shape = list(a.shape)
    for i, n in zip(axes, s or ()):
        shape[i] = a.shape[i] if _is_kept(n) else length_of(n)
    if last == "half":
        shape[axes[-1]] = _half(shape[axes[-1]])
    elif last == "whole" and (s is None or _is_kept(s[-1])):
        shape[axes[-1]] = _whole(shape[axes[-1]])
    return Array(_dtype(f, a.dtype), tuple(shape), a.xp)


def _dtype(f: Any, dtype: np.dtype[Any]) -> np.dtype[Any]:
    try:
        return f(np.ones((2, 2), dtype)).dtype
    except TypeError:
        raise KindError(f"np.fft.{f.__name__} of {dtype} is not defined", "take np.fft.fft, or the real part") from None


def _is_kept(n: Any) -> bool:
    """Does this size say that the axis keeps the one it has?"""
    return isinstance(n, int) and n == -1


def _one(n: Any) -> Any:
    return None if n is None else (n,)


# ------------------------------------------------------------------------------------------ full spectrum
@rule("y = fft(a, n=None, axis=-1, norm=None)", np.fft.fft)
class fft:
    static = "norm"
    def kind(a, n, axis, norm): return _transformed(np.fft.fft, a, _one(n), (axis,), norm)
    def d_a(d_y, a: Like, n, axis, norm): return _undone(np.fft.fft(d_y, axis=axis, norm=norm), a, n)
    def t_y(t_a, n, axis, norm): return np.fft.fft(t_a, n, axis, norm)


@rule("y = ifft(a, n=None, axis=-1, norm=None)", np.fft.ifft)
class ifft:
    static = "norm"
    def kind(a, n, axis, norm): return _transformed(np.fft.ifft, a, _one(n), (axis,), norm)
    def d_a(d_y, a: Like, n, axis, norm): return _undone(np.fft.ifft(d_y, axis=axis, norm=norm), a, n)
    def t_y(t_a, n, axis, norm): return np.fft.ifft(t_a, n, axis, norm)


@rule("y = fft2(a, s=None, axes=(-2, -1), norm=None)", np.fft.fft2)
class fft2:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.fft2, a, s, axes, norm)
    def d_a(d_y, a: Like, s, axes, norm): return _undone(np.fft.fft2(d_y, axes=axes, norm=norm), a, s)
    def t_y(t_a, s, axes, norm): return np.fft.fft2(t_a, s, axes, norm)


@rule("y = ifft2(a, s=None, axes=(-2, -1), norm=None)", np.fft.ifft2)
class ifft2:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.ifft2, a, s, axes, norm)
    def d_a(d_y, a: Like, s, axes, norm): return _undone(np.fft.ifft2(d_y, axes=axes, norm=norm), a, s)
    def t_y(t_a, s, axes, norm): return np.fft.ifft2(t_a, s, axes, norm)


@rule("y = fftn(a, s=None, axes=None, norm=None)", np.fft.fftn)
class fftn:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.fftn, a, s, axes, norm)
    def d_a(d_y, a: Like, s, axes, norm): return _undone(np.fft.fftn(d_y, axes=_named(d_y, s, axes), norm=norm), a, s)
    def t_y(t_a, s, axes, norm): return np.fft.fftn(t_a, s, _named(t_a, s, axes), norm)


@rule("y = ifftn(a, s=None, axes=None, norm=None)", np.fft.ifftn)
class ifftn:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.ifftn, a, s, axes, norm)
    def d_a(d_y, a: Like, s, axes, norm): return _undone(np.fft.ifftn(d_y, axes=_named(d_y, s, axes), norm=norm), a, s)
    def t_y(t_a, s, axes, norm): return np.fft.ifftn(t_a, s, _named(t_a, s, axes), norm)


def _undone(d: Any, a: Any, n: Any) -> Any:
    """The cotangent of `a` from that of what was transformed: `a`, cut off or with zeros behind it, if `n` is given."""
    return d if n is None else fitted(d, a)


def _named(a: Any, s: Any, axes: Any) -> Any:
    """The axes by name, where NumPy is about to require that."""
    return axes if s is None else _axes(a, s, axes)


# ------------------------------------------------------------------------------- half of a symmetric spectrum
#: The norm of the inverse transform that has the same factor.
_SAME_FACTOR = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _d_half(d: Any, a: Any, s: Any, axes: Any, norm: Any, conjugated: bool = False) -> Any:
    """The cotangent of the real `a` from that of the half of its spectrum, or of the conjugate of that."""
    norm = norm if conjugated else _SAME_FACTOR[norm]
    if axes is not None and len(axes) == 1:
        n = _given(None if s is None else s[0], a, axes[0])
        z = between(d, 0.5, n, axes[0], not conjugated)
        return _undone(np.fft.irfft(z, n, axes[0], norm), a, s)
    axes = _axes(d, s, axes)
    n = _given(None if s is None else s[-1], a, axes[-1])
    z = between(d, 0.5, n, axes[-1], not conjugated)
    return _undone(np.fft.irfftn(z, (*(d.shape[k] for k in axes[:-1]), n), axes, norm), a, s)


def _d_whole(d: Any, a: Any, s: Any, axes: Any, norm: Any, conjugated: bool = False) -> Any:
    """The cotangent of the half `a` of a spectrum, or of its conjugate, from that of the real numbers it stands for."""
    norm = norm if conjugated else _SAME_FACTOR[norm]
    if axes is not None and len(axes) == 1:
        z = np.fft.rfft(d, axis=axes[0], norm=norm)
    else:
        axes = _axes(d, s, axes)
        z = np.fft.rfftn(d, axes=axes, norm=norm)
    return _undone(between(z, 2.0, d.shape[axes[-1]], axes[-1], not conjugated), a, s)


def _given(n: Any, a: Any, axis: int) -> Any:
    return a.shape[axis] if n is None or _is_kept(n) else n


@rule("y = rfft(a, n=None, axis=-1, norm=None)", np.fft.rfft)
class rfft:
    static = "norm"
    def kind(a, n, axis, norm): return _transformed(np.fft.rfft, a, _one(n), (axis,), norm, "half")
    def d_a(d_y, a: Like, n, axis, norm): return _d_half(d_y, a, _one(n), (axis,), norm)
    def t_y(t_a, n, axis, norm): return np.fft.rfft(t_a, n, axis, norm)


@rule("y = irfft(a, n=None, axis=-1, norm=None)", np.fft.irfft)
class irfft:
    static = "norm"
    def kind(a, n, axis, norm): return _transformed(np.fft.irfft, a, _one(n), (axis,), norm, "whole")
    def d_a(d_y, a: Like, n, axis, norm): return _d_whole(d_y, a, _one(n), (axis,), norm)
    def t_y(t_a, n, axis, norm): return np.fft.irfft(t_a, n, axis, norm)


@rule("y = hfft(a, n=None, axis=-1, norm=None)", np.fft.hfft)
class hfft:
    """The `irfft` of the conjugate, with the norm the other way round."""

    static = "norm"
    def kind(a, n, axis, norm): return _transformed(np.fft.hfft, a, _one(n), (axis,), norm, "whole")
    def d_a(d_y, a: Like, n, axis, norm): return _d_whole(d_y, a, _one(n), (axis,), norm, conjugated=True)
    def t_y(t_a, n, axis, norm): return np.fft.hfft(t_a, n, axis, norm)


@rule("y = ihfft(a, n=None, axis=-1, norm=None)", np.fft.ihfft)
class ihfft:
    """The conjugate of `rfft`, with the norm the other way round."""

    static = "norm"
    def kind(a, n, axis, norm): return _transformed(np.fft.ihfft, a, _one(n), (axis,), norm, "half")
    def d_a(d_y, a: Like, n, axis, norm): return _d_half(d_y, a, _one(n), (axis,), norm, conjugated=True)
    def t_y(t_a, n, axis, norm): return np.fft.ihfft(t_a, n, axis, norm)


@rule("y = rfft2(a, s=None, axes=(-2, -1), norm=None)", np.fft.rfft2)
class rfft2:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.rfft2, a, s, axes, norm, "half")
    def d_a(d_y, a: Like, s, axes, norm): return _d_half(d_y, a, s, axes, norm)
    def t_y(t_a, s, axes, norm): return np.fft.rfft2(t_a, s, axes, norm)


@rule("y = irfft2(a, s=None, axes=(-2, -1), norm=None)", np.fft.irfft2)
class irfft2:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.irfft2, a, s, axes, norm, "whole")
    def d_a(d_y, a: Like, s, axes, norm): return _d_whole(d_y, a, s, axes, norm)
    def t_y(t_a, s, axes, norm): return np.fft.irfft2(t_a, s, axes, norm)


@rule("y = rfftn(a, s=None, axes=None, norm=None)", np.fft.rfftn)
class rfftn:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.rfftn, a, s, axes, norm, "half")
    def d_a(d_y, a: Like, s, axes, norm): return _d_half(d_y, a, s, axes, norm)
    def t_y(t_a, s, axes, norm): return np.fft.rfftn(t_a, s, _named(t_a, s, axes), norm)


@rule("y = irfftn(a, s=None, axes=None, norm=None)", np.fft.irfftn)
class irfftn:
    static = "norm"
    def kind(a, s, axes, norm): return _transformed(np.fft.irfftn, a, s, axes, norm, "whole")
    def d_a(d_y, a: Like, s, axes, norm): return _d_whole(d_y, a, s, axes, norm)
    def t_y(t_a, s, axes, norm): return np.fft.irfftn(t_a, s, _named(t_a, s, axes), norm)


# ------------------------------------------------------------------------------------------------ the order
@rule("y = fftshift(x, axes=None)", np.fft.fftshift)
class fftshift:
    def kind(x): return array_kind(x)
    def d_x(d_y, axes): return np.fft.ifftshift(d_y, axes)
    def t_y(t_x, axes): return np.fft.fftshift(t_x, axes)


@rule("y = ifftshift(x, axes=None)", np.fft.ifftshift)
class ifftshift:
    def kind(x): return array_kind(x)
    def d_x(d_y, axes): return np.fft.fftshift(d_y, axes)
    def t_y(t_x, axes): return np.fft.ifftshift(t_x, axes)


def _frequencies(n: Any, d: Any, half: bool) -> Array:
    n, d = length_of(n), kind_of(d)
    if not isinstance(d, Num):
        raise KindError(f"the spacing of samples is a number, not {d}", "give it a number")
    return Array(promote(Array(np.dtype(int), ()), d), (_half(n) if half else n,))


@rule("f = fftfreq(n, d=1.0)", np.fft.fftfreq)
class fftfreq:
    """Frequencies for `n` samples at a distance `d`: constants, but for the distance, that they go down with."""

    def kind(n, d): return _frequencies(n, d, False)
    def d_d(d_f, f, d): return -np.sum(d_f * f) / d
    def t_f(f, d, t_d): return f * (-t_d / d)


@rule("f = rfftfreq(n, d=1.0)", np.fft.rfftfreq)
class rfftfreq:
    def kind(n, d): return _frequencies(n, d, True)
    def d_d(d_f, f, d): return -np.sum(d_f * f) / d
    def t_f(f, d, t_d): return f * (-t_d / d)
