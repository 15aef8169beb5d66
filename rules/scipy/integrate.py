"""Rules for the integrals of sampled functions in `scipy.integrate`, along an axis.

All are linear in the samples, with weights made of the widths of the intervals between them.
"""

from typing import Any

import numpy as np
from scipy import integrate

from rules.cotangent import length, scatter, update
from rules.kind import Array, KindError, array_or_number, kind_of, lengths, library, normalize_axis, promote
from rules.numpy import differences
from rules.numpy.differences import undiff
from rules.numpy.reductions import one
from rules.numpy.shape import array_kind
from rules.operands import is_complex, rank
from rules.rule import Like, recorded, rule, unsupported
from rules.scipy import ode, quadrature  # noqa: F401 - the rules for functions that take functions


# --------------------------------------------------------------------------------- the trapezoidal rule
@rule("z = trapezoid(y, x=None, dx=1.0, axis=-1)", integrate.trapezoid)
class trapezoid:
    """As `np.trapezoid`."""

    def kind(y, x, dx, axis):
        z = differences.trapezoid.kind(y, x, dx, axis)
        y, two = array_kind(y), np.ones(2, array_kind(y).dtype)
        if x is not None:  # whose precision counts in older versions of SciPy alone
            dtype = integrate.trapezoid(two, np.ones(2, array_kind(x).dtype)).dtype
        else:
            dtype = integrate.trapezoid(two, dx=kind_of(dx).type(1)).dtype
        return array_or_number(dtype, z.shape, library(y))

    def d_y(d_z, y: Like, x, dx, axis): return differences.trapezoid.d_y(d_z, y, x, dx, axis)
    def d_x(d_z, y, x: Like, axis): return differences.trapezoid.d_x(d_z, y, x, axis)
    def d_dx(d_z, y, x, axis): return differences.trapezoid.d_dx(d_z, y, x, axis)
    def t_z(y, x, dx, axis, t_y, t_x, t_dx): return differences.trapezoid.t_z(y, x, dx, axis, t_y, t_x, t_dx)


@rule("z = cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None)", integrate.cumulative_trapezoid)
class cumulative_trapezoid:
    """The integral up to each place but the first; with `initial=0` up to that, too."""

    static = "initial"

    def kind(y, x, dx, axis, initial):
        if initial is not None and initial != 0:
            raise KindError("integrate.cumulative_trapezoid with another initial value than 0 is not supported",
                            "write initial=0")
        differences.trapezoid.kind(y, x, dx, axis)
        y, w = array_kind(y), kind_of(dx) if x is None else array_kind(x)
        (k,) = normalize_axis(axis, y.ndim)
        dtype, n = promote(y, w), y.shape[k]
        if lengths().at_least(n, 1) is False:
            raise KindError("integrate.cumulative_trapezoid of nothing is not defined", "give it one place at least")
        n = n if initial is not None else lengths().resolve(n) + -1
        dtype = dtype if dtype.kind in "fc" else np.dtype(float)
        return Array(dtype, (*y.shape[:k], n, *y.shape[k + 1 :]), library(y, w))

    def d_y(d_z, y: Like, x, dx, axis, initial):
        half = _rest(d_z, axis, initial) * (0.5 * differences.steps(x, y, dx, axis))
        half = np.real(half) if is_complex(half) and not is_complex(y) else half
        upper, lower = differences.sides(y, axis)
        return update(scatter(half, y, upper), (lower,), "add", half)

    def d_x(d_z, y, x: Like, axis, initial):
        return _moved(_rest(d_z, axis, initial) * differences.heights(y, axis), y, x, axis)

    def d_dx(d_z, y, x, axis, initial):
        return np.sum(_rest(d_z, axis, initial) * differences.heights(y, axis)) if x is None else 0.0 * np.sum(d_z)

    def t_z(y, x, dx, axis, initial, t_y, t_x, t_dx):
        if x is None:
            t = recorded(integrate.cumulative_trapezoid, t_y, dx=dx, axis=axis, initial=initial)
            return t + t_dx * recorded(integrate.cumulative_trapezoid, y, axis=axis, initial=initial)
        t = recorded(integrate.cumulative_trapezoid, t_y, x, axis=axis, initial=initial)
        return t + recorded(integrate.cumulative_trapezoid, y, t_x, axis=axis, initial=initial)


def _rest(d: Any, axis: int, initial: Any) -> Any:
    """The sum of the cotangents of all integrals that an interval is in."""
    d = d if initial is None else d[differences.sides(d, axis)[0]]
    return np.flip(np.cumsum(np.flip(d, axis), axis=axis), axis)


def _moved(d_h: Any, y: Any, x: Any, axis: int) -> Any:
    """The cotangent of the places, from that of the widths between them, at each interval of `y`."""
    d_h = np.real(d_h) if is_complex(d_h) and not is_complex(x) else d_h
    if rank(x) == rank(y):
        return undiff(d_h, x, axis=axis)
    return undiff(np.sum(d_h, axis=one(k for k in range(rank(y)) if k != axis % rank(y))), x)


# ----------------------------------------------------------------------------------------- Simpson's rule
#: Where the three places of each pair of intervals are, the two intervals, and the places and intervals at the end.
_PLACES = (slice(None, -2, 2), slice(1, -1, 2), slice(2, None, 2))
_WIDTHS = (slice(None, -1, 2), slice(1, None, 2))
_LAST_PLACES = (slice(-3, -2), slice(-2, -1), slice(-1, None))
_LAST_WIDTHS = (slice(-2, -1), slice(-1, None))


def _at(axis: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, part)


def _parts(y: Any, axis: int, parts: tuple[slice, ...]) -> list[Any]:
    return [y[_at(axis, part)] for part in parts]


def _quotient(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is: of places that are equal, as SciPy has it."""
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def _weights(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Those of three places with the intervals a and b between them."""
    s = a + b
    r = _quotient(a, b)
    return s / 6 * (2 - _quotient(1.0, r)), s / 6 * (s * _quotient(s, a * b)), s / 6 * (2 - r)


def _last_weights(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Those of the integral over an interval b behind an interval a, at the three places of both (Cartwright, 2017)."""
    s = a + b
    return -_quotient(b**3, 6 * a * s), _quotient(b**2 + 3 * a * b, 6 * a), _quotient(2 * b**2 + 3 * a * b, 6 * s)


def _slopes(y: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The derivatives of the integral over a pair of intervals by their widths."""
    s, ab = a + b, a * b
    mean = y[0] * (2 - _quotient(b, a)) + y[1] * _quotient(s * s, ab) + y[2] * (2 - _quotient(a, b))
    by_a = y[0] * _quotient(b, a * a) + y[1] * (_quotient(2 * s, ab) - _quotient(s * s, a * ab)) - _quotient(y[2], b)
    by_b = y[2] * _quotient(a, b * b) + y[1] * (_quotient(2 * s, ab) - _quotient(s * s, ab * b)) - _quotient(y[0], a)
    return (mean + s * by_a) / 6, (mean + s * by_b) / 6


def _last_slopes(y: Any, a: Any, b: Any) -> tuple[Any, Any]:
    s = 6 * (a + b) * (a + b)
    by_a = y[2] * _quotient(b * b, s) - y[1] * _quotient(b * b, 6 * a * a)
    by_b = y[2] * _quotient(3 * a * a + 4 * a * b + 2 * b * b, s) + y[1] * (_quotient(b, 3 * a) + 0.5)
    by_a = by_a + y[0] * _quotient(b**3 * (2 * a + b), a * a * s)
    return by_a, by_b - y[0] * _quotient(b * b * (3 * a + 2 * b), a * s)


def _widths(x: Any, y: Any, dx: Any, axis: int) -> tuple[list[Any], list[Any]]:
    """The widths of the intervals in pairs, and of the last two."""
    if x is None:
        return [dx, dx], [dx, dx]
    h = _intervals(x, y, axis)
    return _parts(h, axis, _WIDTHS), _parts(h, axis, _LAST_WIDTHS)


def _intervals(x: Any, y: Any, axis: int) -> Any:
    """The widths of the intervals between the places `x`, with the axes of `y`."""
    if rank(x) == rank(y):
        return np.diff(x, axis=axis)
    return np.expand_dims(np.diff(x), tuple(k for k in range(rank(y)) if k != axis))


def _odd(y: Any, axis: int) -> Any:
    """1 if one interval is left over, 0 if they are all in pairs."""
    return 1 - length(y, axis) % 2


def _by_widths(y: Any, x: Any, axis: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """The derivatives of the integral by the widths of the intervals in pairs, and by those of the last two."""
    pairs, last = _widths(x, y, None, axis)
    by_last = _last_slopes(_parts(y, axis, _LAST_PLACES), *last)
    odd = _odd(y, axis)
    return _slopes(_parts(y, axis, _PLACES), *pairs), (odd * by_last[0], odd * by_last[1])


@rule("z = simpson(y, x=None, dx=1.0, axis=-1)", integrate.simpson)
class simpson:
    """Parabolas over each two intervals; where one is left over, over the last two the part that is missing."""

    def kind(y, x, dx, axis):
        z = differences.trapezoid.kind(y, x, dx, axis)
        y = array_kind(y)
        if x is not None and is_complex(array_kind(x)):
            raise KindError("integrate.simpson over complex places is not defined", "take their real parts")
        if y.dtype.char not in "dD":
            raise KindError(f"the precision of integrate.simpson of {y.dtype} depends on the number of places",
                            "convert y: y.astype(float)")
        if lengths().at_least(y.shape[normalize_axis(axis, y.ndim)[0]], 3) is False:
            raise KindError("integrate.simpson of less than three places is not supported", "write integrate.trapezoid")
        return z

    def d_y(d_z, y: Like, x, dx, axis):
        axis = axis % rank(y)
        pairs, last = _widths(x, y, dx, axis)
        d = differences.over(d_z, axis)
        out = np.zeros_like(y)
        for part, w in zip(_PLACES, _weights(*pairs)):
            out = update(out, (_at(axis, part),), "add", _fit(d * w, y))
        for part, w in zip(_LAST_PLACES, _last_weights(*last)):
            out = update(out, (_at(axis, part),), "add", _fit(d * (_odd(y, axis) * w), y))
        return out

    def d_x(d_z, y, x, axis):
        axis = axis % rank(y)
        d = differences.over(d_z, axis)
        pairs, last = _by_widths(y, x, axis)
        d_h = np.zeros_like(y[differences.sides(y, axis)[0]])
        for part, w in (*zip(_WIDTHS, pairs), *zip(_LAST_WIDTHS, last)):
            d_h = update(d_h, (_at(axis, part),), "add", d * w)
        return _moved(d_h, y, x, axis)

    def d_dx(d_z, y, x, axis):
        return d_z * recorded(integrate.simpson, y, axis=axis) if x is None else d_z * 0

    def t_z(y, x, dx, axis, t_y, t_x, t_dx):
        if x is None:
            moved = recorded(integrate.simpson, t_y, dx=dx, axis=axis)
            return moved + t_dx * recorded(integrate.simpson, y, axis=axis)
        axis = axis % rank(y)
        t = _intervals(t_x, y, axis)
        pairs, last = _by_widths(y, x, axis)
        each = (*zip(_WIDTHS, pairs), *zip(_LAST_WIDTHS, last))
        return sum((np.sum(w * t[_at(axis, part)], axis=axis) for part, w in each),
                   recorded(integrate.simpson, t_y, x, axis=axis))  # fmt: skip


def _fit(d: Any, y: Any) -> Any:
    return np.real(d) if is_complex(d) and not is_complex(y) else d


# ------------------------------------------------------------------------------------------------ refused
unsupported(
    *(getattr(integrate, name) for name in (
        "cubature fixed_quad lebedev_rule newton_cotes nquad nsum qmc_quad romb solve_bvp tanhsinh tplquad "
        "cumulative_simpson").split() if hasattr(integrate, name)),
    why="write quad, one in the function of the other, or the quadrature with weights at nodes",
)  # fmt: skip
