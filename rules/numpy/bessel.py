"""`np.i0`, the modified Bessel function of order 0, by its series, and those of higher order that its derivatives are.

I_n(x) / x**n = sum over k of (x/2)**(2k) / (2**n k! (n+k)!) is even, has no pole and terms of one sign, and its
derivative is x times that of the next order (Abramowitz and Stegun, 9.6.10 and 9.6.28).
"""

import math
from typing import Any

import numpy as np

from rules.arrays import as_array
from rules.kind import Array, array_or_number, kind_of, library
from rules.masked import largest_finite
from rules.numpy.reductions import mean_dtype
from rules.numpy.shape import array_kind
from rules.rule import primitive, rule

#: Where (x/2)**2 is beyond this, the function is infinite in double precision.
OVERFLOW = 360.0**2


@primitive
def bessel_over_power(x: Any, n: int) -> Any:
    """`I_n(x) / x**n`, of real x, in its precision."""
    quarter = np.multiply(x, 0.5)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        quarter = as_array(np.multiply(quarter, quarter, out=quarter if np.ndim(x) else None), x)
        largest = largest_finite(quarter)
        out = np.ones_like(quarter)
        for k in range(_terms(min(float(largest), OVERFLOW), n), 0, -1):
            out *= quarter
            out /= k * (k + n)
            out += 1
    out /= 2**n * math.factorial(n)
    return out[()]


def _terms(quarter: float, n: int) -> int:
    """How many terms the largest argument needs; the others need no more."""
    term = total = 1.0
    k = 0
    while term > 1e-17 * total:
        k += 1
        term *= quarter / (k * (k + n))
        total += term
    return k


@rule("y = bessel_over_power(x, n)", bessel_over_power)
class bessel_over_power_rule:
    static = "n"
    infinite_at_pole = True  # it overflows
    def kind(x): return array_or_number(mean_dtype(kind_of(x)), kind_of(x).shape, library(kind_of(x)))
    def d_x(d_y, x, n): return d_y * (x * bessel_over_power(x, n + 1))
    def t_y(t_x, x, n): return t_x * (x * bessel_over_power(x, n + 1))


@rule("y = i0(x)", np.i0)
class i0:
    infinite_at_pole = True  # it overflows
    def kind(x): return Array(mean_dtype(kind_of(x)), array_kind(x).shape, array_kind(x).xp)
    def d_x(d_y, x): return d_y * (x * bessel_over_power(x, 1))
    def t_y(t_x, x): return t_x * (x * bessel_over_power(x, 1))
