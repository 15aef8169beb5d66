"""Trigonometric and hyperbolic functions and their inverses, for arrays and (`math`) numbers.

The squares are written `x * x`: of a Python number that may overflow, which `x ** 2` answers with an exception.
"""

import math

import numpy as np

from rules.cotangent import strong_divide
from rules.operands import is_complex
from rules.rule import elementwise, rule

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

    def d_x(d_z, x, y): return strong_divide(d_z * y, x * x + y * y)
    def d_y(d_z, x, y): return strong_divide(-d_z * x, x * x + y * y)
    def t_z(x, y, t_x, t_y): return strong_divide(t_x * y - t_y * x, x * x + y * y)


@rule("y = degrees(x)", np.degrees, np.rad2deg, math.degrees)
class degrees:
    def d_x(d_y): return d_y / DEGREE
    def t_y(t_x): return t_x / DEGREE


@rule("y = radians(x)", np.radians, np.deg2rad, math.radians)
class radians:
    def d_x(d_y): return d_y * DEGREE
    def t_y(t_x): return t_x * DEGREE
