"""The error function and its kin, the normal distribution, and their inverses: DLMF 7.2.

exp(x**2) erfc(x) and Dawson's integral have derivatives 2xy - 2/sqrt(pi) and 1 - 2xy, differences of numbers that are
nearly equal where x is large: these are calls of a function that takes the asymptotic series there (DLMF 7.12.1).
"""

import math
from typing import Any

import numpy as np
from scipy import special

from rules.arrays import on_device
from rules.operands import dtype_of, is_complex
from rules.rule import elementwise, primitive, rule
from rules.scipy.special.kinds import together

TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)
HALF_ROOT_PI = math.sqrt(math.pi) / 2
ROOT_TWO_PI = math.sqrt(2 * math.pi)
ROOT_TWO_BY_PI = math.sqrt(2 / math.pi)
ROOT_HALF = math.sqrt(0.5)
#: From here on the series has more digits than the difference; it takes this many terms.
FAR, TERMS = 30.0, 8


def _bell(x):
    return np.exp(-x * x)


def density_by_distribution(x):
    """phi(x) / Phi(x) of the normal distribution, also where both underflow; what is below 1e-270 is left at that."""
    if is_complex(x):
        return np.exp(-0.5 * x * x - special.log_ndtr(x)) / ROOT_TWO_PI
    before_overflow = -25.0 if dtype_of(x).itemsize > 4 else -9.0
    return ROOT_TWO_BY_PI / special.erfcx(np.maximum(-ROOT_HALF * x, before_overflow))


elementwise("y = erf(x)", special.erf, derivative=lambda x: TWO_BY_ROOT_PI * _bell(x), infinite_at_pole=False)
elementwise("y = erfc(x)", special.erfc, derivative=lambda x: -TWO_BY_ROOT_PI * _bell(x), infinite_at_pole=False)
elementwise("y = erfi(x)", special.erfi, derivative=lambda x: TWO_BY_ROOT_PI * np.exp(x * x))
elementwise("y = erfinv(x)", special.erfinv, derivative=lambda y: HALF_ROOT_PI * np.exp(y * y))
elementwise("y = erfcinv(x)", special.erfcinv, derivative=lambda y: -HALF_ROOT_PI * np.exp(y * y))
elementwise("y = ndtr(x)", special.ndtr, infinite_at_pole=False,
            derivative=lambda x: np.exp(-0.5 * x * x) / ROOT_TWO_PI)  # fmt: skip
elementwise("y = log_ndtr(x)", special.log_ndtr,
            derivative=lambda x: density_by_distribution(x))  # fmt: skip
elementwise("y = ndtri(x)", special.ndtri, derivative=lambda y: ROOT_TWO_PI * np.exp(0.5 * y * y))
elementwise("y = erfcx(x)", special.erfcx, derivative=lambda x: erfcx_slope(x, 1))
elementwise("y = dawsn(x)", special.dawsn, derivative=lambda x: dawsn_slope(x, 1), infinite_at_pole=False)


@primitive
def erfcx_slope(x: Any, n: int) -> Any:
    """The derivative of order n of `erfcx`, in the precision of `x`."""
    return _slope(special.erfcx(x), x, n, 1, TWO_BY_ROOT_PI)


@primitive
def dawsn_slope(x: Any, n: int) -> Any:
    """The derivative of order n of `dawsn`, in the precision of `x`."""
    return _slope(special.dawsn(x), x, n, -1, 1.0)


def _slope(y: Any, x: Any, n: int, sign: int, c: float) -> Any:
    """The derivative of order n of y, of which the first is sign (2xy - c)."""
    g = sign * 2 * x
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        last, near = y, g * y - sign * c
        for k in range(1, n):
            last, near = near, g * near + sign * (2 * k) * last
        size = np.abs(np.real(x))
        far = (np.abs(x) > FAR) & (np.real(x) >= 0) if sign > 0 else (size > FAR) & (2 * np.abs(np.imag(x)) <= size)
        return np.where(far, _series(x, n, sign, c / 2), near)[()] if on_device(x) or np.any(far) else near


def _series(x: Any, n: int, sign: int, c: float) -> Any:
    """Term by term, the derivative of order n of c (1/x - sign 1/(2 x**3) + 1*3 / (4 x**5) - ...)."""
    total = 0.0 * x
    for k in reversed(range(TERMS)):
        factor = math.prod(range(2 * k + 1, 2 * k + 1 + n)) * math.prod(range(1, 2 * k, 2)) / 2.0**k
        total = total / (x * x) + (-sign) ** k * factor
    return (-1) ** n * c * total / x ** (n + 1)


@rule("y = erfcx_slope(x, n)", erfcx_slope)
class erfcx_slope_rule:
    static = "n"
    infinite_at_pole = True
    def kind(x): return together(x)
    def d_x(d_y, x, n): return d_y * erfcx_slope(x, n + 1)
    def t_y(t_x, x, n): return t_x * erfcx_slope(x, n + 1)


@rule("y = dawsn_slope(x, n)", dawsn_slope)
class dawsn_slope_rule:
    static = "n"
    def kind(x): return together(x)
    def d_x(d_y, x, n): return d_y * dawsn_slope(x, n + 1)
    def t_y(t_x, x, n): return t_x * dawsn_slope(x, n + 1)
