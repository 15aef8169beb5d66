"""Correlation and convolution of an image that is extended beyond its edges, in one of `ndimage`'s modes.

y[i] = sum_k conj(w[k]) x'[i + k - c], from the extended image x' and the place c of the middle of the weights. The
cotangent of x' is a convolution, and what of it is beyond an edge goes to the pixel that stands there in x'.
"""

from typing import Any

import numpy as np
from scipy import ndimage

from rules.kind import Array, KindError, library, normalize_axis
from rules.numpy.padding import folded
from rules.numpy.shape import array_kind
from rules.operands import is_complex, rank
from rules.rule import Like, primitive, recorded, rule

#: How `np.pad` calls the modes.
MODES = {"reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant", "grid-constant": "constant",
         "nearest": "edge", "mirror": "reflect", "wrap": "wrap", "grid-wrap": "wrap"}  # fmt: skip


# ----------------------------------------------------------------------------------------------- primitives
def _laid_out(weights: Any, origin: Any, ndim: int, axis: int | None, convolve: bool) -> tuple[Any, list[int]]:
    """The weights of a correlation with as many axes as the image, and where on each their middle is."""
    if axis is not None:
        weights = weights.reshape([-1 if k == axis % ndim else 1 for k in range(ndim)])
        origins = [origin if k == axis % ndim else 0 for k in range(ndim)]
    else:
        origins = [origin] * ndim if np.ndim(origin) == 0 else list(origin)
    if convolve:
        weights = np.conj(np.flip(weights))
        return weights, [(n - 1) // 2 - o for n, o in zip(weights.shape, origins)]
    return weights, [n // 2 + o for n, o in zip(weights.shape, origins)]


def _within(shape: tuple[int, ...], middle: list[int], mode: str, axis: int | None) -> None:
    """Raise ValueError where `ndimage.correlate` reads memory before the image, which `correlate1d` never does."""
    if axis is None and MODES[mode] == "symmetric" and any(0 < 4 * n <= c for n, c in zip(shape, middle)):
        raise ValueError(
            f"ndimage.correlate, or convolve, with mode={mode!r} is wrong where weights reach more than four times "
            f"the length of an image beyond its edge: an image of shape {shape}, of weights with the middle {middle}"
        )


@primitive
def uncorrelate(d: Any, weights: Any, mode: str, origin: Any = 0, axis: Any = None, convolve: bool = False) -> Any:
    """The cotangent of the image from `d`, that of its correlation, or convolution, along one axis or along all."""
    if not d.size:
        return d.copy()
    w, middle = _laid_out(weights, origin, d.ndim, axis, convolve)
    _within(d.shape, middle, mode, axis)
    out = np.pad(d, [(0, n - 1) for n in w.shape])
    start = [n - 1 - n // 2 for n in w.shape]
    if axis is None:
        out = ndimage.correlate(out, np.flip(w), mode="constant", origin=start)
    else:
        out = ndimage.correlate1d(out, np.ravel(np.flip(w)), axis, mode="constant", origin=start[axis])
    for k, n in enumerate(d.shape):
        if w.shape[k] > 1 or middle[k]:
            out = folded(out, n, middle[k], k, MODES[mode])
    return np.ascontiguousarray(out)


@primitive
def weight_products(
    d: Any, x: Any, like: Any, mode: str, cval: Any = 0.0, origin: Any = 0, axis: Any = None, convolve: bool = False
) -> Any:
    """sum_i d[i] x'[i + k - c], for each place k of the weights, as which the result is shaped."""
    w, middle = _laid_out(np.zeros(like.shape), origin, d.ndim, axis, convolve)
    _within(d.shape, middle, mode, axis)
    out = np.zeros(w.shape, np.result_type(d, x))
    if d.size:
        widths = [(c, n - 1 - c) for c, n in zip(middle, w.shape)]
        how = {"constant_values": cval} if MODES[mode] == "constant" else {}
        x = np.pad(x, widths, MODES[mode], **how)
        for k in np.ndindex(w.shape):
            out[k] = np.sum(d * x[tuple(slice(i, i + n) for i, n in zip(k, d.shape))])
    return (np.flip(out) if convolve else out).reshape(like.shape)


def _conj(x: Any, unless: bool = False) -> Any:
    return np.conj(x) if is_complex(x) and not unless else x


def _correlated(x: Any, w: Any, mode: str, cval: Any, origin: Any, axis: Any, convolve: bool) -> Any:
    how = {"mode": mode, "cval": cval, "origin": origin}
    if axis is None:
        return recorded(ndimage.convolve if convolve else ndimage.correlate, x, w, **how)
    return recorded(ndimage.convolve1d if convolve else ndimage.correlate1d, x, w, axis=axis, **how)


@rule("y = uncorrelate(d, weights, mode, origin=0, axis=None, convolve=False)", uncorrelate)
class uncorrelate_rule:
    static = "origin convolve"
    def kind(d, weights): return Array(_dtype(d, weights), d.shape, d.xp)

    def d_d(d_y, weights, mode, origin, axis, convolve):
        return _correlated(d_y, weights, mode, 0.0, origin, axis, convolve)

    def d_weights(d_y, d, weights: Like, mode, origin, axis, convolve):
        return _conj(weight_products(d, d_y, weights, mode, 0.0, origin, axis, convolve), unless=convolve)

    def t_y(d, weights, mode, origin, axis, convolve, t_d, t_weights):
        moved = uncorrelate(t_d, weights, mode, origin, axis, convolve)
        return moved + uncorrelate(d, t_weights, mode, origin, axis, convolve)


@rule("p = weight_products(d, x, like, mode, cval=0.0, origin=0, axis=None, convolve=False)", weight_products)
class weight_products_rule:
    static = "origin convolve"
    def kind(d, x, like): return Array(np.result_type(d.dtype, x.dtype), like.shape, d.xp)

    def d_d(d_p, x, mode, cval, origin, axis, convolve):
        return _correlated(x, _conj(d_p, unless=convolve), mode, cval, origin, axis, convolve)

    def d_x(d_p, d, mode, origin, axis, convolve):
        return uncorrelate(d, _conj(d_p, unless=convolve), mode, origin, axis, convolve)

    def t_p(d, x, like: Like, mode, cval, origin, axis, convolve, t_d, t_x):
        moved = weight_products(t_d, x, like, mode, cval, origin, axis, convolve)
        return moved + weight_products(d, t_x, like, mode, 0.0, origin, axis, convolve)


# -------------------------------------------------------------------------------------------------- kinds
def _dtype(x: Any, w: Any) -> np.dtype[Any]:
    """That of the image, made complex if the weights are."""
    return np.promote_types(x.dtype, np.complex64) if w.dtype.kind == "c" else x.dtype


def image(name: str, x: Any, output: Any, *modes: Any) -> Array:
    """The kind of what a filter gives. Raises KindError for modes there are not, and for an `output`."""
    if output is not None:
        raise KindError(f"ndimage.{name} with output is not supported", "convert x first, or the result: y.astype(...)")
    for mode in modes:
        for m in mode if isinstance(mode, tuple | list) else (mode,):
            if m not in MODES:
                raise KindError(f"ndimage.{name} has no mode {m!r}", f"write one of {', '.join(MODES)}")
    return array_kind(x)


def all_axes(name: str, axes: Any) -> None:
    """Refuse a filter along some axes."""
    if axes is not None:
        raise KindError(f"ndimage.{name} with axes is not supported", "give the weights axes of length 1: w[None]")


def _whole(name: str, x: Any, w: Any, output: Any, mode: Any, axes: Any) -> Array:
    all_axes(name, axes)
    x, w = image(name, x, output, mode), array_kind(w)
    if x.ndim != w.ndim or not x.ndim:
        raise KindError(f"ndimage.{name} takes weights of the rank of the image", "give them axes of length 1: w[None]")
    return Array(_dtype(x, w), x.shape, library(x))


def _along(name: str, x: Any, w: Any, output: Any, mode: Any, axis: int) -> Array:
    x, w = image(name, x, output, mode), array_kind(w)
    if w.ndim != 1:
        raise KindError(f"ndimage.{name} takes a vector of weights", f"write ndimage.{name[:-2]}")
    normalize_axis(axis, x.ndim)
    return Array(_dtype(x, w), x.shape, library(x))


_BEYOND = "put the values around the image yourself: np.pad"


# ------------------------------------------------------------------------------------------ along all axes
@rule("y = correlate(input, weights, output=None, mode='reflect', cval=0.0, origin=0, axes=None)", ndimage.correlate)
class correlate:
    """Weights that are complex are conjugated."""

    static = "origin"
    why_cval = _BEYOND
    def kind(input, weights, output, mode, axes): return _whole("correlate", input, weights, output, mode, axes)
    def d_input(d_y, weights, mode, origin): return uncorrelate(d_y, weights, mode, origin)

    def d_weights(d_y, input, weights: Like, mode, cval, origin):
        return _conj(weight_products(d_y, input, weights, mode, cval, origin))

    def t_y(input, weights, mode, cval, origin, t_input, t_weights):
        moved = _correlated(t_input, weights, mode, 0.0, origin, None, False)
        return moved + _correlated(input, t_weights, mode, cval, origin, None, False)


@rule("y = convolve(input, weights, output=None, mode='reflect', cval=0.0, origin=0, axes=None)", ndimage.convolve)
class convolve:
    """The correlation with the weights from their end."""

    static = "origin"
    why_cval = _BEYOND
    def kind(input, weights, output, mode, axes): return _whole("convolve", input, weights, output, mode, axes)
    def d_input(d_y, weights, mode, origin): return uncorrelate(d_y, weights, mode, origin, None, True)

    def d_weights(d_y, input, weights: Like, mode, cval, origin):
        return weight_products(d_y, input, weights, mode, cval, origin, None, True)

    def t_y(input, weights, mode, cval, origin, t_input, t_weights):
        moved = _correlated(t_input, weights, mode, 0.0, origin, None, True)
        return moved + _correlated(input, t_weights, mode, cval, origin, None, True)


# ------------------------------------------------------------------------------------------- along one axis
@rule("y = correlate1d(input, weights, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)",
      ndimage.correlate1d)  # fmt: skip
class correlate1d:
    static = "origin"
    why_cval = _BEYOND
    def kind(input, weights, axis, output, mode): return _along("correlate1d", input, weights, output, mode, axis)
    def d_input(d_y, weights, axis, mode, origin): return uncorrelate(d_y, weights, mode, origin, axis % rank(d_y))

    def d_weights(d_y, input, weights: Like, axis, mode, cval, origin):
        return _conj(weight_products(d_y, input, weights, mode, cval, origin, axis % rank(d_y)))

    def t_y(input, weights, axis, mode, cval, origin, t_input, t_weights):
        moved = _correlated(t_input, weights, mode, 0.0, origin, axis, False)
        return moved + _correlated(input, t_weights, mode, cval, origin, axis, False)


@rule("y = convolve1d(input, weights, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)",
      ndimage.convolve1d)  # fmt: skip
class convolve1d:
    static = "origin"
    why_cval = _BEYOND
    def kind(input, weights, axis, output, mode): return _along("convolve1d", input, weights, output, mode, axis)

    def d_input(d_y, weights, axis, mode, origin):
        return uncorrelate(d_y, weights, mode, origin, axis % rank(d_y), True)

    def d_weights(d_y, input, weights: Like, axis, mode, cval, origin):
        return weight_products(d_y, input, weights, mode, cval, origin, axis % rank(d_y), True)

    def t_y(input, weights, axis, mode, cval, origin, t_input, t_weights):
        moved = _correlated(t_input, weights, mode, 0.0, origin, axis, True)
        return moved + _correlated(input, t_weights, mode, cval, origin, axis, True)
