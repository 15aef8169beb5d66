"""Trigonometric and hyperbolic functions and their inverses, for arrays and (`math`) numbers.

Squares are written `x * x`: that of a Python number may overflow, which `x ** 2` answers with an exception.
"""

import functools
import math
from typing import Any

import numpy as np

from rules.arrays import as_array, on_device
from rules.cotangent import strong_divide
from rules.kind import Array, array_or_number, kind_of, library, normalize_axis, promote
from rules.numpy.shape import array_kind
from rules.operands import is_complex
from rules.rule import borrows, elementwise, primitive, rule

DEGREE = math.pi / 180

elementwise("y = sin(x)", np.sin, math.sin, derivative=lambda x: np.cos(x))
elementwise("y = cos(x)", np.cos, math.cos, derivative=lambda x: -np.sin(x))
elementwise("y = tan(x)", np.tan, math.tan, derivative=lambda y: 1 + y * y)
elementwise("y = sinh(x)", np.sinh, math.sinh, derivative=lambda x: np.cosh(x))
elementwise("y = cosh(x)", np.cosh, math.cosh, derivative=lambda x: np.sinh(x))
elementwise("y = tanh(x)", np.tanh, math.tanh, derivative=lambda y: 1 - y * y)


@rule("y = arcsin(x)", np.arcsin, math.asin)
class arcsin:
    def d_x(d_y, x): return strong_divide(d_y, np.sqrt(1 - x * x))
    def t_y(t_x, x): return strong_divide(t_x, np.sqrt(1 - x * x))


@rule("y = arccos(x)", np.arccos, math.acos)
class arccos:
    def d_x(d_y, x): return strong_divide(-d_y, np.sqrt(1 - x * x))
    def t_y(t_x, x): return strong_divide(-t_x, np.sqrt(1 - x * x))


@rule("y = arctan(x)", np.arctan, math.atan)
class arctan:
    def d_x(d_y, x): return d_y / (1 + x * x)
    def t_y(t_x, x): return t_x / (1 + x * x)


@rule("y = arcsinh(x)", np.arcsinh, math.asinh)
class arcsinh:
    def d_x(d_y, x): return d_y / np.sqrt(1 + x * x)
    def t_y(t_x, x): return t_x / np.sqrt(1 + x * x)


@rule("y = arccosh(x)", np.arccosh, math.acosh)
class arccosh:
    def d_x(d_y, x): return strong_divide(d_y, _arccosh_root(x))
    def t_y(t_x, x): return strong_divide(t_x, _arccosh_root(x))


def _arccosh_root(x):
    return np.sqrt(x - 1) * np.sqrt(x + 1) if is_complex(x) else np.sqrt(x * x - 1)


@rule("y = arctanh(x)", np.arctanh, math.atanh)
class arctanh:
    infinite_at_pole = True
    def d_x(d_y, x): return d_y / ((1 - x) * (1 + x))
    def t_y(t_x, x): return t_x / ((1 - x) * (1 + x))


@rule("z = arctan2(x, y)", np.arctan2, math.atan2)
class arctan2:
    """The angle of the point (y, x), in NumPy's order of arguments. At the origin both derivatives are 0."""

    def d_x(d_z, x, y): return strong_divide(d_z * y, _square(x) + _square(y))
    def d_y(d_z, x, y): return strong_divide(-d_z * x, _square(x) + _square(y))
    def t_z(x, y, t_x, t_y): return strong_divide(t_x * (1.0 * y) - t_y * (1.0 * x), _square(x) + _square(y))


def _square(x):
    """The square, of integers as a float: they might leave their range."""
    x = 1.0 * x
    return x * x


@rule("y = degrees(x)", np.degrees, np.rad2deg, math.degrees)
class degrees:
    def d_x(d_y): return d_y * (1 / DEGREE)
    def t_y(t_x): return t_x * (1 / DEGREE)


@rule("y = radians(x)", np.radians, np.deg2rad, math.radians)
class radians:
    def d_x(d_y): return d_y * DEGREE
    def t_y(t_x): return t_x * DEGREE


# ------------------------------------------------------------------------------------------- sinc
@primitive
def sinc_slope(x: Any, order: int = 1) -> Any:
    """The derivative of `np.sinc` of this order, also where the closed form is 0/0.

    With u = pi x and f = sin(u)/u: u f^(n) + n f^(n-1) = sin^(n)(u), from below; near 0 the power series.
    """
    u = np.atleast_1d(np.pi * as_array(x, x))
    least = 0.5 if order == 1 else order + 1.0  # where the closed form has lost few digits
    near = np.abs(u) <= least
    small = np.where(near, u, 0) if on_device(u) else u[near]
    if on_device(u):
        u = np.where(near, 1, u)
    else:
        np.copyto(u, 1, where=near)
    slope, other = np.sin(u), np.empty_like(u)
    slope /= u
    for n in range(1, order + 1):
        np.add(u, n * (np.pi / 2), out=other)
        np.sin(other, out=other)
        slope *= n
        other -= slope
        other /= u
        slope, other = other, slope
    square = small * small
    first, *coefficients = _sinc_series(order, least)
    series = np.full_like(small, first)
    for c in coefficients:
        series *= square
        series += c
    if order % 2:
        series *= small
    if on_device(u):
        slope = np.where(near, series, slope)
    else:
        slope[near] = series
    slope *= np.pi**order
    return slope.reshape(np.shape(x))[()]


@functools.cache
def _sinc_series(order: int, largest: float) -> list[float]:
    """The coefficients of u^(2j), or u^(2j + 1), in the derivative of sin(u)/u, the last first, up to a `largest` u."""
    k, found = (order + 1) // 2, list[float]()
    while not found or abs(found[0]) * largest ** (2 * len(found)) > 1e-18 * abs(found[-1]):
        m = k + len(found)
        found.insert(0, (-1) ** m * math.factorial(2 * m) / math.factorial(2 * m - order) / math.factorial(2 * m + 1))
    return found


def _float_kind(x):
    x = kind_of(x)
    return array_or_number(x.dtype if x.dtype.kind in "fc" else np.dtype(float), x.shape, library(x))


@rule("y = sinc(x)", np.sinc)
class sinc:
    def kind(x): return _float_kind(x)
    def d_x(d_y, x): return d_y * sinc_slope(x)
    def t_y(t_x, x): return t_x * sinc_slope(x)


@rule("y = sinc_slope(x, order=1)", sinc_slope)
class sinc_slope_rule:
    static = "order"
    def kind(x): return _float_kind(x)
    def d_x(d_y, x, order): return d_y * sinc_slope(x, order + 1)
    def t_y(t_x, x, order): return t_x * sinc_slope(x, order + 1)


@rule("y = unwrap(p, discont=None, axis=-1, period=6.283185307179586)", np.unwrap)
class unwrap:
    """What is added is whole periods, which jump and do not move."""

    def kind(p, axis, period):
        p = array_kind(p)
        normalize_axis(axis, p.ndim)
        return Array(promote(p, kind_of(period)), p.shape, p.xp)

    @borrows("d_y")
    def d_p(d_y): return d_y
    def t_y(t_p): return +t_p
