"""Maxima and minima. Equal elements share the cotangent equally: the subgradient of least norm.

Against a number that is written in the program a tie gives 0, the least of what one argument alone can get:
the slope of relu, `np.maximum(x, 0)`, at 0 is 0, and that of `clip` at its bounds.
"""

import numpy as np

from rules.cotangent import strong, unstack
from rules.kind import Num, Seq, array_or_number, broadcast, element_of, kind_of, library, promote
from rules.numpy.reductions import beside, reduction
from rules.numpy.shape import array_kind
from rules.operands import dtype_of, is_constant, rank
from rules.rule import recorded, rule
from rules.sequences import largest, smallest


def _shared(d, wins, x, y):
    """The part of the cotangent `d` that x gets, which `wins` over y or is equal to it."""
    return d * wins if is_constant(y) else d * wins + 0.5 * d * (x == y)


def chosen(t, wins):
    """The tangent `t` where its argument wins, and zero elsewhere, whatever `t` is there: it may be infinite."""
    return np.where(wins, t, 0.0) if rank(wins) else strong(wins, t)


def _moved(t, wins, x, y):
    """How x, which `wins` over y or is equal to it, moves the result."""
    return chosen(t, wins) if is_constant(y) else chosen(t, wins) + chosen(0.5 * t, x == y)


@rule("z = maximum(x, y)", np.maximum)
class maximum:
    selects = True
    def d_x(d_z, x, y): return _shared(d_z, x > y, x, y)
    def d_y(d_z, x, y): return _shared(d_z, y > x, y, x)
    def t_z(x, y, t_x, t_y): return _moved(t_x, x > y, x, y) + _moved(t_y, y > x, y, x)


@rule("z = minimum(x, y)", np.minimum)
class minimum:
    selects = True
    def d_x(d_z, x, y): return _shared(d_z, x < y, x, y)
    def d_y(d_z, x, y): return _shared(d_z, y < x, y, x)
    def t_z(x, y, t_x, t_y): return _moved(t_x, x < y, x, y) + _moved(t_y, y < x, y, x)


def _or_alone(wins, y):
    """`wins`, or y is no number: fmax and fmin then take the other."""
    return wins if is_constant(y) else np.logical_or(wins, y != y)


@rule("z = fmax(x, y)", np.fmax)
class fmax:
    selects = True
    def d_x(d_z, x, y): return _shared(d_z, _or_alone(x > y, y), x, y)
    def d_y(d_z, x, y): return _shared(d_z, _or_alone(y > x, x), y, x)

    def t_z(x, y, t_x, t_y):
        return _moved(t_x, _or_alone(x > y, y), x, y) + _moved(t_y, _or_alone(y > x, x), y, x)


@rule("z = fmin(x, y)", np.fmin)
class fmin:
    selects = True
    def d_x(d_z, x, y): return _shared(d_z, _or_alone(x < y, y), x, y)
    def d_y(d_z, x, y): return _shared(d_z, _or_alone(y < x, x), y, x)

    def t_z(x, y, t_x, t_y):
        return _moved(t_x, _or_alone(x < y, y), x, y) + _moved(t_y, _or_alone(y < x, x), y, x)


def _wider(x, y):
    """The kind of one of two numbers, whichever it is."""
    x, y = kind_of(x), kind_of(y)
    if x.python and y.python:
        return Num(type(x.type(1) + y.type(1)))
    return x if y.python else y if x.python else Num(np.result_type(x.dtype, y.dtype).type)


@rule("z = max(x, y)", max)
class max_of_two:
    """Python's `max` of two numbers."""

    def kind(x, y): return _wider(x, y)
    def d_x(d_z, x, y): return _shared(d_z, x > y, x, y)
    def d_y(d_z, x, y): return _shared(d_z, y > x, y, x)
    def t_z(x, y, t_x, t_y): return _shared(t_x, x > y, x, y) + _shared(t_y, y > x, y, x)


@rule("z = min(x, y)", min)
class min_of_two:
    """Python's `min` of two numbers."""

    def kind(x, y): return _wider(x, y)
    def d_x(d_z, x, y): return _shared(d_z, x < y, x, y)
    def d_y(d_z, x, y): return _shared(d_z, y < x, y, x)
    def t_z(x, y, t_x, t_y): return _shared(t_x, x < y, x, y) + _shared(t_y, y < x, y, x)


# -------------------------------------------------------------------------------------- of a sequence
def _element(items):
    return element_of(items.element) if isinstance(items, Seq) else array_or_number(items.dtype, (), items.xp)


def _to_elements(d, items, y):
    """The cotangent of the elements of which some are `y`: of an array, or of a list."""
    if hasattr(items, "ndim"):
        return to_ties(d, items, y, None, False)
    return unstack(to_ties(d, recorded(np.array, items), y, None, False))


def _of_elements(t, items, y):
    t, a = (x if hasattr(items, "ndim") else recorded(np.array, x) for x in (t, items))
    return of_ties(t, a, y, None, False)


@rule("y = largest(items)", largest)
class largest_of_a_sequence:
    """Python's `max` of a list or of a 1-d array."""

    def kind(items): return _element(items)
    def d_items(d_y, items, y): return _to_elements(d_y, items, y)
    def t_y(t_items, items, y): return _of_elements(t_items, items, y)


@rule("y = smallest(items)", smallest)
class smallest_of_a_sequence:
    """Python's `min` of a list or of a 1-d array."""

    def kind(items): return _element(items)
    def d_items(d_y, items, y): return _to_elements(d_y, items, y)
    def t_y(t_items, items, y): return _of_elements(t_items, items, y)


# --------------------------------------------------------------------------------------------- clip
def _clip_kind(a, low, high):
    kinds = [array_kind(a), *(kind_of(k) for k in (low, high) if k is not None)]
    return array_or_number(promote(*kinds), broadcast(*(k.shape for k in kinds)), library(*kinds))


def _raised(a, low):
    return a if low is None else np.maximum(a, low)


def _to_raised(d, a, low, high):
    """The cotangent of `maximum(a, low)` in `minimum(maximum(a, low), high)`."""
    return d if high is None else _shared(d, (m := _raised(a, low)) < high, m, high)


def _clip_a(d, a, low, high):
    if is_constant(low) and is_constant(high):
        return d * ((a > low) & (a < high))
    d = _to_raised(d, a, low, high)
    return d * 1 if low is None and high is None else d if low is None else _shared(d, a > low, a, low)


def _clip_low(d, a, low, high):
    return _shared(_to_raised(d, a, low, high), low > a, low, a)


def _clip_high(d, a, low, high):
    m = _raised(a, low)
    return _shared(d, high < m, high, m)


def _clip_tangent(a, low, high, t_a, t_low, t_high):
    between = is_constant(low) and is_constant(high)
    t = chosen(t_a, (a > low) & (a < high)) if between else _clip_a(t_a, a, low, high)
    if low is not None:
        t = t + _clip_low(t_low, a, low, high)
    return t if high is None else t + _clip_high(t_high, a, low, high)


@rule("y = clip(a, a_min, a_max)", np.clip)
class clip:
    selects = True
    def kind(a, a_min, a_max): return _clip_kind(a, a_min, a_max)
    def d_a(d_y, a, a_min, a_max): return _clip_a(d_y, a, a_min, a_max)
    def d_a_min(d_y, a, a_min, a_max): return _clip_low(d_y, a, a_min, a_max)
    def d_a_max(d_y, a, a_min, a_max): return _clip_high(d_y, a, a_min, a_max)

    def t_y(a, a_min, a_max, t_a, t_a_min, t_a_max):
        return _clip_tangent(a, a_min, a_max, t_a, t_a_min, t_a_max)


@rule("y = clip(a, min=None, max=None)", "ndarray.clip")
class clip_method:
    selects = True
    def kind(a, min, max): return _clip_kind(a, min, max)
    def d_a(d_y, a, min, max): return _clip_a(d_y, a, min, max)
    def d_min(d_y, a, min, max): return _clip_low(d_y, a, min, max)
    def d_max(d_y, a, min, max): return _clip_high(d_y, a, min, max)
    def t_y(a, min, max, t_a, t_min, t_max): return _clip_tangent(a, min, max, t_a, t_min, t_max)


# --------------------------------------------------------------------------------- over axes
def _ties(a, y, axis, keepdims):
    """Where `a` is its extremum, and how often that is, both of the dtype of `a`."""
    ties = a == beside(y, axis, keepdims)
    return ties, np.sum(ties, axis=axis, dtype=dtype_of(a), keepdims=keepdims)


def to_ties(d, a, y, axis, keepdims):
    ties, count = _ties(a, y, axis, keepdims)
    return beside(d / count, axis, keepdims) * ties


def of_ties(t, a, y, axis, keepdims):
    ties, count = _ties(a, y, axis, keepdims)
    return np.sum(chosen(t, ties), axis=axis, keepdims=keepdims) / count


@rule("y = max(a, axis=None, keepdims=False)", np.max, np.amax, "ndarray.max")
class max_over_axes:
    def kind(a, axis, keepdims): return reduction(a, kind_of(a).dtype, axis, keepdims)
    def d_a(d_y, a, y, axis, keepdims): return to_ties(d_y, a, y, axis, keepdims)
    def t_y(t_a, a, y, axis, keepdims): return of_ties(t_a, a, y, axis, keepdims)


@rule("y = min(a, axis=None, keepdims=False)", np.min, np.amin, "ndarray.min")
class min_over_axes:
    def kind(a, axis, keepdims): return reduction(a, kind_of(a).dtype, axis, keepdims)
    def d_a(d_y, a, y, axis, keepdims): return to_ties(d_y, a, y, axis, keepdims)
    def t_y(t_a, a, y, axis, keepdims): return of_ties(t_a, a, y, axis, keepdims)


@rule("y = ptp(a, axis=None, keepdims=False)", np.ptp)
class ptp:
    """The largest less the smallest element."""

    def kind(a, axis, keepdims): return reduction(a, kind_of(a).dtype, axis, keepdims)

    def d_a(d_y, a, axis, keepdims):
        high, low = np.max(a, axis=axis, keepdims=keepdims), np.min(a, axis=axis, keepdims=keepdims)
        return to_ties(d_y, a, high, axis, keepdims) - to_ties(d_y, a, low, axis, keepdims)

    def t_y(t_a, a, axis, keepdims):
        high, low = np.max(a, axis=axis, keepdims=keepdims), np.min(a, axis=axis, keepdims=keepdims)
        return of_ties(t_a, a, high, axis, keepdims) - of_ties(t_a, a, low, axis, keepdims)
