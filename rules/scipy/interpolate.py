"""Splines of `scipy.interpolate` through points: functions that are followed line by line where SciPy makes an object.

Of such an object a program can only call: the object is the inner function. A spline that is made outside is a function
of its argument alone, whose derivative SciPy has.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate
from scipy.linalg import solve_banded

from rules.kind import KindError, array_or_number, kind_of, library
from rules.libraries import follow, operations
from rules.operands import is_complex
from rules.rule import borrows, primitive, rule, unsupported
from rules.scipy.forms import refused


# ---------------------------------------------------------------------------------------------- arguments
@primitive
def increasing(x: Any, least: int) -> Any:
    """The places x themselves. Raises ValueError for fewer than `least` of them, and where they do not increase."""
    if len(x) < least:
        raise ValueError(f"a spline through {len(x)} points is not supported here, where {least} determine its ends")
    if np.any(np.diff(x) <= 0):
        raise ValueError("the places of a spline have to be strictly increasing")
    return x


@rule("y = increasing(x, least)", increasing)
class increasing_rule:
    static = "least"
    view = "x"
    def kind(x): return x
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return t_x


def points(x: Any, y: Any, axis: int, extrapolate: Any, least: int = 2) -> Any:
    """The places and a copy of the values of a spline, in double precision as in SciPy."""
    x, y = increasing(np.asarray(x, dtype=float), least), np.array(y)
    if y.dtype.kind != "c":
        y = np.asarray(y, dtype=float)
    if axis % y.ndim:
        refused("a spline along another axis than the first", "np.moveaxis(y, axis, 0)")
    if extrapolate == "periodic":
        refused("a periodic spline", "repeat the points on both sides")
    return x, y


def intervals(x: Any, y: Any) -> Any:
    """The lengths of the intervals, so shaped that they broadcast against differences of the values."""
    return np.reshape(np.diff(x), (-1,) + (1,) * (y.ndim - 1))


# ------------------------------------------------------------------------------------------------ splines
def hermite_spline(x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> Callable[..., Any]:
    """`CubicHermiteSpline`: the cubic polynomials with these values, and slopes, at the places x."""
    x, y = points(x, y, axis, extrapolate)
    return cubics(x, y, np.array(dydx), extrapolate)


def cubics(x: Any, y: Any, dydx: Any, extrapolate: Any) -> Callable[..., Any]:
    """The polynomials between points, as a function of the place."""
    steps = intervals(x, y)
    slope = np.diff(y, axis=0) / steps
    bend = (dydx[:-1] + dydx[1:] - 2 * slope) / steps
    cubic = bend / steps
    square = (slope - dydx[:-1]) / steps - bend
    bounded = extrapolate is False

    def spline(x_new: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        if extrapolate == "periodic" or nu not in (0, 1, 2, 3):
            refused("a spline that is periodic, or of another derivative", "leave out extrapolate; write nu of 0 to 3")
        t = np.asarray(x_new, dtype=float)
        k = np.clip(np.searchsorted(x, t, side="right") - 1, 0, len(x) - 2)
        u = np.reshape(t - x[k], t.shape + (1,) * (y.ndim - 1))
        if nu == 0:
            value = y[k] + u * (dydx[k] + u * (square[k] + u * cubic[k]))
        elif nu == 1:
            value = dydx[k] + u * (2 * square[k] + 3 * u * cubic[k])
        elif nu == 2:
            value = 2 * square[k] + 6 * u * cubic[k]
        else:
            value = 6 * cubic[k] + 0 * u
        if extrapolate is False or (extrapolate is None and bounded):
            inside = np.reshape((t >= x[0]) & (t <= x[-1]), t.shape + (1,) * (y.ndim - 1))
            value = np.where(inside, value, np.nan)
        return value

    return spline


def cubic_spline(
    x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> Callable[..., Any]:
    """`CubicSpline`: with the slopes of which the second derivatives are continuous (de Boor, 1978)."""
    if isinstance(bc_type, str):
        first, last = bc_type, bc_type
    else:
        first, last = bc_type
    if first == "periodic":
        refused("a periodic spline", "repeat the points on both sides")
    x, y = points(x, y, axis, extrapolate, 4 if "not-a-knot" in (first, last) else 2)
    n = len(x)
    h, steps = np.diff(x), intervals(x, y)
    slope = np.diff(y, axis=0) / steps
    bands, b = np.zeros((3, n)), np.zeros_like(y)
    bands[1, 1:-1] = 2 * (h[:-1] + h[1:])
    bands[0, 2:] = h[:-1]
    bands[2, :-2] = h[1:]
    b[1:-1] = 3 * (steps[1:] * slope[:-1] + steps[:-1] * slope[1:])
    diagonal, beside, value = end(first, h, slope, 1)
    bands[1, 0] = diagonal
    bands[0, 1] = beside
    b[0] = value
    diagonal, beside, value = end(last, h[::-1], slope[::-1], -1)
    bands[1, -1] = diagonal
    bands[2, -2] = beside
    b[-1] = value
    dydx = np.reshape(solve_banded((1, 1), bands, np.reshape(b, (n, -1))), b.shape)
    return cubics(x, y, dydx, extrapolate)


def end(kind: Any, h: Any, slope: Any, side: int) -> Any:
    """The equation at an end, from the intervals there: two coefficients, and what stands on the right-hand side."""
    if kind == "not-a-knot":
        d = h[0] + h[1]
        return h[1], d, ((h[0] + 2 * d) * h[1] * slope[0] + h[0] * h[0] * slope[1]) / d
    if kind == "clamped":
        return 1.0, 0.0, 0.0 * slope[0]
    if kind == "natural":
        return 2 * h[0], h[0], 3 * h[0] * slope[0]
    order, value = kind
    if order == 1:
        return 1.0, 0.0, value + 0.0 * slope[0]
    return 2 * h[0], h[0], 3 * h[0] * slope[0] - side * 0.5 * value * h[0] * h[0]


def pchip(x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> Callable[..., Any]:
    """`PchipInterpolator`: monotonic between points, with the harmonic mean of the slopes on both sides of one."""
    x, y = points(x, y, axis, extrapolate, 3)
    h = intervals(x, y)
    slope = np.diff(y, axis=0) / h
    before, after = slope[:-1], slope[1:]
    alike = np.sign(before) * np.sign(after) > 0
    v, w = h[:-1] + 2 * h[1:], 2 * h[:-1] + h[1:]
    mean = (v + w) / (v / np.where(alike, before, 1.0) + w / np.where(alike, after, 1.0))
    dydx = np.zeros_like(y)
    dydx[1:-1] = np.where(alike, mean, 0.0)
    dydx[0] = pchip_end(h[0], h[1], slope[0], slope[1])
    dydx[-1] = pchip_end(h[-1], h[-2], slope[-1], slope[-2])
    return cubics(x, y, dydx, extrapolate)


def pchip_end(h: Any, h_next: Any, slope: Any, slope_next: Any) -> Any:
    """The slope at an end, from three points (Moler, "Numerical Computing with MATLAB", 3.6)."""
    d = ((2 * h + h_next) * slope - h * slope_next) / (h + h_next)
    turns = np.sign(d) != np.sign(slope)
    steep = (np.sign(slope) != np.sign(slope_next)) & (np.abs(d) > 3 * np.abs(slope))
    return np.where(turns, 0.0, np.where(steep, 3 * slope, d))


def pchip_values(xi: Any, yi: Any, x: Any, der: int = 0, axis: int = 0) -> Any:
    """`pchip_interpolate`."""
    return pchip(xi, yi, axis)(x, der)


follow(cubic_spline, interpolate.CubicSpline)
follow(hermite_spline, interpolate.CubicHermiteSpline)
follow(pchip, interpolate.PchipInterpolator)
follow(pchip_values, interpolate.pchip_interpolate)


# -------------------------------------------------------------------------------- splines made outside
@primitive
def spline_values(spline: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """`spline(x, nu)`, of the derivative of order `nu`; of a number a number."""
    return spline(x, nu, extrapolate)[()]


@rule("y = spline_values(spline, x, nu=0, extrapolate=None)", spline_values)
class spline_values_rule:
    """At a knot, where the derivative may jump, it is that from the right."""

    static = "nu extrapolate"

    def kind(spline, x, nu):
        x = kind_of(x)
        if is_complex(x):
            raise KindError("a spline of complex numbers is not defined", "take the real part")
        if np.ndim(spline(0.0)) or nu < 0:
            raise KindError("a spline of vectors, or integrated, is not supported", "make one for each component")
        return array_or_number(np.asarray(spline(0.0)).dtype, x.shape, library(x))

    def d_x(d_y, spline, x, nu, extrapolate): return d_y * spline_values(spline, x, nu + 1, extrapolate)
    def t_y(spline, x, nu, extrapolate, t_x): return t_x * spline_values(spline, x, nu + 1, extrapolate)


operations(interpolate.PPoly, __call__=spline_values)
operations(interpolate.BSpline, __call__=spline_values)

# ------------------------------------------------------------------------------------------------ refused
unsupported(
    *(getattr(interpolate, name) for name in (
        "approximate_taylor_polynomial barycentric_interpolate bisplev bisplrep griddata interpn krogh_interpolate "
        "lagrange make_interp_spline make_lsq_spline make_smoothing_spline make_splprep make_splrep "
        "generate_knots pade splantider splder splev splint splprep splrep sproot insert").split()
      if hasattr(interpolate, name)),
    why="its rule is not written yet; take CubicSpline, PchipInterpolator or np.interp",
)  # fmt: skip
