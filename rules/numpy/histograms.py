"""Histograms: how much weight falls into each bin. In the weights they are linear; in the data they have jumps."""

from typing import Any

import numpy as np

from rules.arrays import as_array
from rules.cotangent import scatter, zeros_like
from rules.kind import Array, KindError, Num, array_or_number, kind_of, length_of, lengths, library, promote
from rules.masked import added, mean
from rules.numpy.creation import ramp
from rules.numpy.shape import array_kind
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, primitive, rule

INDEX = np.dtype(np.intp)


@primitive
def bin_places(a: Any, edges: Any) -> Any:
    """Which bin each element is in; the number of bins where it is in none."""
    count = len(edges) - 1
    out = np.searchsorted(edges, a, side="right") - 1
    return np.where(np.equal(a, edges[-1]), count - 1, np.where(out < 0, count, np.minimum(out, count)))


nondifferentiable("i = bin_places(a, edges)", bin_places, kind=lambda a: Array(INDEX, array_kind(a).shape))


def _edges(name: str, a: Any, bins: Any, range: Any) -> Array:
    """The kind of the edges of the bins."""
    a = array_kind(a)
    if isinstance(bins, str):
        raise KindError(f"np.{name} that chooses the number of bins by the data is not supported", "give their number")
    if a.dtype.kind == "c":
        raise KindError(f"np.{name} of complex numbers is not supported", "take it of their real part, or modulus")
    if isinstance(kind_of(bins), Array):
        if rank(kind_of(bins)) != 1:
            raise KindError(f"np.{name} with edges that are not of rank 1 is not supported", "give an array of rank 1")
        return kind_of(bins)
    if range is not None and (not isinstance(range, tuple | list) or len(range) != 2):
        raise KindError(f"np.{name} takes two numbers for a range", "give a tuple of them: range=(low, high)")
    dtype = promote(a, *map(kind_of, range or ()))
    size = length_of(bins) + 1
    return Array(dtype if dtype.kind == "f" else np.dtype(np.float64), (size,), a.xp)


def _given(bins: Any, range: Any) -> bool:
    """Are the edges independent of the data?"""
    return bool(rank(bins)) or range is not None


@primitive
def spanned(t: Any, a: Any, like: Any) -> Any:
    """How equidistant edges, as many as `like` has, move that lie between the extrema of `a`, if it moves by `t`."""
    a = as_array(a, a)
    t = np.broadcast_to(as_array(t, a), a.shape)
    if not a.size:
        return np.zeros_like(like)
    low, high = (mean(t, np.equal(a, extremum)) for extremum in (np.min(a), np.max(a)))
    return (low + (high - low) * ramp.__wrapped__(like)).astype(like.dtype)


@primitive
def unspanned(d: Any, a: Any) -> Any:
    """The cotangent of `a` from that of edges between its extrema; equal ones share."""
    a = as_array(a, a)
    out = np.zeros_like(a)
    if a.size:
        high = np.dot(d, ramp.__wrapped__(d))
        for extremum, part in ((np.min(a), np.sum(d) - high), (np.max(a), high)):
            ties = np.equal(a, extremum)
            added(out, part / np.count_nonzero(ties), ties)
    return out[()]


@rule("e = spanned(t, a, like)", spanned)
class spanned_rule:
    like = "like"
    def kind(like): return like
    def d_t(d_e, a): return unspanned(d_e, a)
    def d_a(d_e, a: Like): return zeros_like(a)  # which elements are the extrema changes by jumps
    def t_e(t_t, a, like: Like): return spanned(t_t, a, like)


@rule("y = unspanned(d, a)", unspanned)
class unspanned_rule:
    def kind(a): return a if isinstance(a, Array) and a.ndim else kind_of(a)
    def d_d(d_y, d: Like, a): return spanned(d_y, a, d)
    def d_a(d_y, a: Like): return zeros_like(a)
    def t_y(t_d, a): return unspanned(t_d, a)


def _to_data(d: Any, a: Any, bins: Any, range: Any) -> Any:
    """The cotangent of the data from that of the edges."""
    return zeros_like(a) if _given(bins, range) else unspanned(d, a)


def _to_range(d: Any, bins: Any) -> list[Any]:
    """The cotangents of the first and the last edge, between which the others lie equally far apart."""
    if rank(bins):
        return [0.0, 0.0]
    last = np.dot(d, ramp(d))
    return [np.sum(d) - last, last]


def _of_edges(e: Any, a: Any, bins: Any, range: Any, t_a: Any, t_bins: Any, t_range: Any) -> Any:
    """The tangent of the edges `e`."""
    if rank(bins):
        return zeros_like(e) + t_bins
    if range is not None:
        first, last = t_range
        return first + (last - first) * ramp(e)
    return spanned(t_a, a, e)


@rule("e = histogram_bin_edges(a, bins=10, range=None)", np.histogram_bin_edges)
class histogram_bin_edges:
    view = "bins"
    def kind(a, bins, range): return _edges("histogram_bin_edges", a, bins, range)
    def d_a(d_e, a, bins: Like, range): return _to_data(d_e, a, bins, range)
    @borrows("d_e")
    def d_bins(d_e): return d_e
    def d_range(d_e, bins: Like): return _to_range(d_e, bins)

    def t_e(e: Like, a, bins: Like, range, t_a, t_bins, t_range):
        return _of_edges(e, a, bins, range, t_a, t_bins, t_range)


@rule("r = histogram(a, bins=10, range=None, density=None, weights=None)", np.histogram)
class histogram:
    """Counts, or weights, and the edges of the bins."""

    selects = True
    static = "density"
    view = "bins"

    def kind(a, bins, range, density, weights):
        if density:
            raise KindError("np.histogram with density=True is not supported",
                            "divide by its sum and by the widths, np.diff(edges)")  # fmt: skip
        edges = _edges("histogram", a, bins, range)
        size = lengths().resolve(edges.shape[0])
        dtype = INDEX if weights is None else array_kind(weights).dtype
        return Array(dtype, (size + -1,), edges.xp), edges

    def d_a(d_r, a, bins: Like, range): return _to_data(d_r[1], a, bins, range)
    @borrows("d_r")
    def d_bins(d_r): return d_r[1]
    def d_range(d_r, bins: Like): return _to_range(d_r[1], bins)
    def d_weights(d_r, r, a): return np.pad(d_r[0], (0, 1))[bin_places(a, r[1])]

    def t_r(r, a, bins: Like, range, weights, t_a, t_bins, t_range, t_weights):
        moved = _of_edges(r[1], a, bins, range, t_a, t_bins, t_range)
        if weights is None:
            return zeros_like(r[0]), moved
        return scatter(t_weights, np.pad(r[0], (0, 1)), bin_places(a, r[1]))[:-1], moved


@rule("h = bincount(x, weights=None, minlength=0)", np.bincount)
class bincount:
    def kind(weights):
        if weights is not None and array_kind(weights).dtype.kind == "c":
            raise KindError("np.bincount with complex weights is not supported", "call it for both parts")
        return Array(INDEX if weights is None else np.dtype(np.float64), (lengths().fresh(),))

    def d_weights(d_h, x): return d_h[x]
    def t_h(t_weights, h: Like, x): return scatter(t_weights, h, x)


def _digitized(x: Any) -> Array | Num:
    x = kind_of(x)
    return array_or_number(INDEX, x.shape, library(x))


nondifferentiable("i = digitize(x, bins, right=False)", np.digitize, kind=lambda x: _digitized(x))
