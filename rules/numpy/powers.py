"""Powers and roots: where the derivative is infinite and they are not, the zero of a cotangent is strong."""

import math
import operator
from typing import Any

import numpy as np

from rules.arrays import is_array
from rules.cotangent import direction, strong, strong_divide
from rules.kind import Array, Num, array_or_number, broadcast, kind_of, library, promote
from rules.operands import dtype_of, is_constant
from rules.rule import primitive, rule


@primitive
def quiet_power(x: Any, p: Any) -> Any:
    """`x**p`, infinite at a pole or an overflow without an exception or a warning."""
    if isinstance(x, np.ndarray | np.generic) or isinstance(p, np.ndarray | np.generic):
        with np.errstate(divide="ignore", over="ignore"):
            return np.power(x, p, dtype=np.result_type(x, p, np.float16))
    try:
        return _real(x, p, x**p)
    except ZeroDivisionError:
        return math.inf
    except OverflowError:
        return -math.inf if x < 0 and p % 2 == 1 else math.inf


@primitive
def real_power(x: Any, p: Any) -> Any:
    """`x**p` of Python's floats. Raises ValueError where that is complex: the root of a negative number."""
    return _real(x, p, x**p)


def _real(x: Any, p: Any, z: Any) -> Any:
    if isinstance(z, complex) and not isinstance(x, complex) and not isinstance(p, complex):
        raise ValueError(
            f"({x!r}) ** {p!r} is a complex number in Python, which is not followed where a float is the base: "
            "write (x + 0j) ** p"
        )
    return z


@primitive
def log_of_base(x: Any) -> Any:
    """`log(x)`, but 0 where `x` is 0, for `0**y` has no slope in y, and NaN where it is negative."""
    if isinstance(x, np.generic | complex) or is_array(x):
        if dtype_of(x).kind in "iu":  # NumPy's logarithm of small integers is of half precision
            x = x * 1.0
        with np.errstate(invalid="ignore"):
            return np.log(x + np.equal(x, 0))
    return 0.0 if x == 0 else math.log(x) if x > 0 else math.nan


def _by_base(d: Any, x: Any, y: Any, z: Any, raised: Any = operator.pow) -> Any:
    """What moves, or comes back, along the base: `d` times the slope. `raised` is the power that is differentiated."""
    if not is_constant(y) or isinstance(y, complex):
        return strong(d * y, quiet_power(x, y - 1))
    if y == 2:
        return d * (2 * x)
    if y == 1:
        return d * 1
    if y == 0.5:
        return strong_divide(0.5 * d, z)
    if y == 0:
        return d * 0
    if y < 0:
        return d * (y * z / x)
    if y > 1:
        return d * (y * raised(x, y - 1))
    return strong(d * y, quiet_power(x, y - 1))


@rule("z = power(x, y)", np.power, np.float_power, operator.pow, pow, math.pow)
class power:
    infinite_at_pole = True

    def d_x(d_z, x, y, z): return _by_base(d_z, x, y, z)

    def d_y(d_z, x, z):
        if is_constant(x) and not isinstance(x, complex) and x > 0:
            return d_z * (z * math.log(x))
        return strong(d_z * z, log_of_base(x))

    def t_z(x, y, z, t_x, t_y):
        plain = is_constant(y) and not isinstance(y, complex) and y >= 0
        t = _by_base(t_x, x, y, z) if plain else strong(t_x * y, quiet_power(x, y - 1))
        return t + strong(t_y * z, log_of_base(x))


@rule("z = real_power(x, y)", real_power)
class real_power_rule:
    def kind(): return Num(float)

    def d_x(d_z, x, y, z): return _by_base(d_z, x, y, z, real_power)
    def d_y(d_z, x, z): return strong(d_z * z, log_of_base(x))
    def t_z(x, y, z, t_x, t_y): return _by_base(t_x, x, y, z, real_power) + strong(t_y * z, log_of_base(x))


@rule("z = quiet_power(x, p)", quiet_power)
class quiet_power_rule:
    def kind(x, p): return _power_kind(x, p)
    def d_x(d_z, x, p): return strong(d_z * p, quiet_power(x, p - 1))
    def d_p(d_z, x, z): return strong(strong(d_z, z), log_of_base(x))

    def t_z(x, p, z, t_x, t_p):
        return strong(t_x * p, quiet_power(x, p - 1)) + strong(strong(t_p, z), log_of_base(x))


@rule("y = log_of_base(x)", log_of_base)
class log_of_base_rule:
    infinite_at_pole = True
    def kind(x): return _power_kind(x, np.float64(1.0) if kind_of(x).dtype.kind in "iu" else x)
    def d_x(d_y, x): return strong_divide(d_y, x)
    def t_y(t_x, x): return strong_divide(t_x, x)


def _power_kind(x: Any, y: Any) -> Num | Array:
    x, y = kind_of(x), kind_of(y)
    if isinstance(x, Num) and isinstance(y, Num) and x.python and y.python:
        return Num(complex if complex in (x.type, y.type) else float)
    return array_or_number(promote(x, y), broadcast(x.shape, y.shape), library(x, y))


@rule("y = sqrt(x)", np.sqrt, math.sqrt)
class sqrt:
    def d_x(d_y, y): return strong_divide(0.5 * d_y, y)
    def t_y(t_x, y): return strong_divide(0.5 * t_x, y)


@rule("y = cbrt(x)", np.cbrt, math.cbrt)
class cbrt:
    def d_x(d_y, y): return strong_divide(d_y, 3 * y * y)
    def t_y(t_x, y): return strong_divide(t_x, 3 * y * y)


@rule("z = hypot(x, y)", np.hypot, math.hypot)
class hypot:
    """At the origin the subgradient of least norm, 0: `strong_divide` of an x that is zero there."""

    def d_x(d_z, x, z): return d_z * direction(x, z)
    def d_y(d_z, y, z): return d_z * direction(y, z)
    def t_z(x, y, z, t_x, t_y): return t_x * direction(x, z) + t_y * direction(y, z)
