"""Filters with weights of their own, one axis after the other: means, Gaussians and their derivatives, differences.

The transpose is that of each axis, in any order: those of different axes commute.
"""

from typing import Any

import numpy as np
from scipy import ndimage

from rules.kind import KindError, normalize_axis
from rules.rule import primitive, recorded, rule
from rules.scipy.ndimage.correlations import image, uncorrelate


def _each(value: Any, axes: tuple[int, ...]) -> list[Any]:
    """One value for each axis, of one for all or of a sequence."""
    return list(value) if isinstance(value, tuple | list | np.ndarray) else [value] * len(axes)


def _over(d: Any, axes: Any) -> tuple[int, ...]:
    return normalize_axis(tuple(axes) if isinstance(axes, list) else axes, d.ndim)


# ---------------------------------------------------------------------------------------------- gaussians
def _gaussian(sigma: float, order: int, truncate: float, radius: Any) -> Any:
    """The weights of a correlation: what the filter makes of an impulse, from its end."""
    r = int(truncate * float(sigma) + 0.5) if radius is None else int(radius)
    impulse = np.zeros(2 * r + 1)
    impulse[r] = 1
    out = ndimage.gaussian_filter1d(impulse, sigma, order=order, mode="constant", truncate=truncate, radius=radius)
    return out[::-1]


@primitive
def ungaussian(
    d: Any, sigma: Any, order: Any = 0, mode: Any = "reflect", truncate: float = 4.0, radius: Any = None,
    axes: Any = None,
) -> Any:  # fmt: skip
    """The cotangent of what `d` is that of the result of `gaussian_filter` of."""
    over, out = _over(d, axes), d.copy()
    for axis, s, o, m, r in zip(over, *(_each(v, over) for v in (sigma, order, mode, radius))):
        if s > 1e-15:
            out = uncorrelate.__wrapped__(out, _gaussian(s, o, truncate, r), m, 0, axis)
    return out


_RADIUS = "how many pixels a Gaussian reaches changes by jumps, and by that its derivative"


@rule("y = ungaussian(d, sigma, order=0, mode='reflect', truncate=4.0, radius=None, axes=None)", ungaussian)
class ungaussian_rule:
    why_sigma = _RADIUS
    def kind(d): return d

    def d_d(d_y, sigma, order, mode, truncate, radius, axes):
        return _blurred(d_y, sigma, order, mode, truncate, radius, axes)

    def t_y(t_d, sigma, order, mode, truncate, radius, axes):
        return ungaussian(t_d, sigma, order, mode, truncate, radius, axes)


def _blurred(x: Any, sigma: Any, order: Any, mode: Any, truncate: Any, radius: Any, axes: Any) -> Any:
    return recorded(ndimage.gaussian_filter, x, sigma, order=order, mode=mode, truncate=truncate,
                    radius=radius, axes=axes)  # fmt: skip


@rule("y = gaussian_filter(input, sigma, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, radius=None, "
      "axes=None)", ndimage.gaussian_filter)  # fmt: skip
class gaussian_filter:
    why_sigma = _RADIUS
    why_cval = "put the values around the image yourself: np.pad"

    def kind(input, output, mode, axes):
        x = image("gaussian_filter", input, output, mode)
        _over(x, axes)
        return x

    def d_input(d_y, sigma, order, mode, truncate, radius, axes):
        return ungaussian(d_y, sigma, order, mode, truncate, radius, axes)

    def t_y(t_input, sigma, order, mode, truncate, radius, axes):
        return _blurred(t_input, sigma, order, mode, truncate, radius, axes)


@rule("y = gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, "
      "radius=None)", ndimage.gaussian_filter1d)  # fmt: skip
class gaussian_filter1d:
    why_sigma = _RADIUS
    why_cval = "put the values around the image yourself: np.pad"

    def kind(input, axis, output, mode):
        x = image("gaussian_filter1d", input, output, mode)
        normalize_axis(axis, x.ndim)
        return x

    def d_input(d_y, sigma, axis, order, mode, truncate, radius):
        return ungaussian(d_y, sigma, order, mode, truncate, radius, (axis,))

    def t_y(t_input, sigma, axis, order, mode, truncate, radius):
        return recorded(ndimage.gaussian_filter1d, t_input, sigma, axis=axis, order=order, mode=mode,
                        truncate=truncate, radius=radius)  # fmt: skip


# -------------------------------------------------------------------------------------------------- means
@primitive
def ununiform(d: Any, size: Any, mode: Any = "reflect", origin: Any = 0, axes: Any = None) -> Any:
    """The cotangent of what `d` is that of the result of `uniform_filter` of."""
    over, out = _over(d, axes), d.copy()
    for axis, n, m, o in zip(over, *(_each(v, over) for v in (size, mode, origin))):
        if n > 1:
            out = uncorrelate.__wrapped__(out, np.full(n, 1 / n), m, o, axis)
    return out


@rule("y = ununiform(d, size, mode='reflect', origin=0, axes=None)", ununiform)
class ununiform_rule:
    static = "origin"
    def kind(d): return d

    def d_d(d_y, size, mode, origin, axes):
        return recorded(ndimage.uniform_filter, d_y, size, mode=mode, origin=origin, axes=axes)

    def t_y(t_d, size, mode, origin, axes): return ununiform(t_d, size, mode, origin, axes)


@rule("y = uniform_filter(input, size=3, output=None, mode='reflect', cval=0.0, origin=0, axes=None)",
      ndimage.uniform_filter)  # fmt: skip
class uniform_filter:
    static = "origin"
    why_cval = "put the values around the image yourself: np.pad"

    def kind(input, output, mode, axes):
        x = image("uniform_filter", input, output, mode)
        _over(x, axes)
        return x

    def d_input(d_y, size, mode, origin, axes): return ununiform(d_y, size, mode, origin, axes)

    def t_y(t_input, size, mode, origin, axes):
        return recorded(ndimage.uniform_filter, t_input, size, mode=mode, origin=origin, axes=axes)


@rule("y = uniform_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)",
      ndimage.uniform_filter1d)  # fmt: skip
class uniform_filter1d:
    static = "origin"
    why_cval = "put the values around the image yourself: np.pad"

    def kind(input, axis, output, mode):
        x = image("uniform_filter1d", input, output, mode)
        normalize_axis(axis, x.ndim)
        return x

    def d_input(d_y, size, axis, mode, origin): return ununiform(d_y, size, mode, origin, (axis,))

    def t_y(t_input, size, axis, mode, origin):
        return recorded(ndimage.uniform_filter1d, t_input, size, axis=axis, mode=mode, origin=origin)


# -------------------------------------------------------------------------------------------- differences
_SLOPE, _CURVE = np.array([-1.0, 0.0, 1.0]), np.array([1.0, -2.0, 1.0])
_ACROSS = {"sobel": np.array([1.0, 2.0, 1.0]), "prewitt": np.array([1.0, 1.0, 1.0])}


@primitive
def undifferences(d: Any, name: str, axis: int = -1, mode: Any = "reflect") -> Any:
    """The cotangent of what `d` is that of the result of `sobel`, `prewitt` or `laplace` of."""
    modes = _each(mode, tuple(range(d.ndim)))
    back = uncorrelate.__wrapped__
    if name == "laplace":
        return sum((back(d, _CURVE, m, 0, k) for k, m in enumerate(modes)), np.zeros_like(d))
    for k, m in enumerate(modes):
        d = back(d, _SLOPE if k == axis % d.ndim else _ACROSS[name], m, 0, k)
    return d


def _differences(x: Any, name: str, axis: int, mode: Any) -> Any:
    if name == "laplace":
        return recorded(ndimage.laplace, x, mode=mode)
    return recorded(ndimage.sobel if name == "sobel" else ndimage.prewitt, x, axis=axis, mode=mode)


@rule("y = undifferences(d, name, axis=-1, mode='reflect')", undifferences)
class undifferences_rule:
    static = "name"
    def kind(d): return d
    def d_d(d_y, name, axis, mode): return _differences(d_y, name, axis, mode)
    def t_y(t_d, name, axis, mode): return undifferences(t_d, name, axis, mode)


def _of_differences(name: str, x: Any, output: Any, mode: Any, axis: int = 0) -> Any:
    x = image(name, x, output, mode)
    if not x.ndim:
        raise KindError(f"ndimage.{name} of a number is not supported", "give it an array")
    normalize_axis(axis, x.ndim)
    return x


@rule("y = sobel(input, axis=-1, output=None, mode='reflect', cval=0.0)", ndimage.sobel)
class sobel:
    why_cval = "put the values around the image yourself: np.pad"
    def kind(input, axis, output, mode): return _of_differences("sobel", input, output, mode, axis)
    def d_input(d_y, axis, mode): return undifferences(d_y, "sobel", axis, mode)
    def t_y(t_input, axis, mode): return _differences(t_input, "sobel", axis, mode)


@rule("y = prewitt(input, axis=-1, output=None, mode='reflect', cval=0.0)", ndimage.prewitt)
class prewitt:
    why_cval = "put the values around the image yourself: np.pad"
    def kind(input, axis, output, mode): return _of_differences("prewitt", input, output, mode, axis)
    def d_input(d_y, axis, mode): return undifferences(d_y, "prewitt", axis, mode)
    def t_y(t_input, axis, mode): return _differences(t_input, "prewitt", axis, mode)


@rule("y = laplace(input, output=None, mode='reflect', cval=0.0, axes=None)", ndimage.laplace)
class laplace:
    why_cval = "put the values around the image yourself: np.pad"

    def kind(input, output, mode, axes):
        if axes is not None:
            raise KindError("ndimage.laplace with axes is not supported", "add up ndimage.correlate1d along each")
        return _of_differences("laplace", input, output, mode)

    def d_input(d_y, mode): return undifferences(d_y, "laplace", mode=mode)
    def t_y(t_input, mode): return _differences(t_input, "laplace", -1, mode)
