"""Struve's functions and the modified ones, from those of the orders beside: DLMF 11.4.25 to 11.4.28."""

import math
from typing import Any

import numpy as np
from scipy import special

from rules.operands import dtype_of, is_constant
from rules.rule import elementwise, rule
from rules.scipy.special.bessel import ORDER


def _power(v: Any, x: Any) -> Any:
    """(x / 2)**v / (sqrt(pi) Gamma(v + 3/2))."""
    scale = special.rgamma(v + 1.5) / math.sqrt(math.pi)
    return np.power(0.5 * x, v) * (float(scale) if is_constant(v) else scale)


@rule("y = struve(v, x)", special.struve)
class struve:
    infinite_at_pole = True
    why_v = ORDER
    def d_x(d_y, v, x): return d_y * _of_struve(v, x)
    def t_y(t_x, v, x): return t_x * _of_struve(v, x)


def _of_struve(v: Any, x: Any) -> Any:
    return 0.5 * (special.struve(v - 1, x) - special.struve(v + 1, x) + _power(v, x))


@rule("y = modstruve(v, x)", special.modstruve)
class modstruve:
    infinite_at_pole = True
    why_v = ORDER
    def d_x(d_y, v, x): return d_y * _of_modified(v, x)
    def t_y(t_x, v, x): return t_x * _of_modified(v, x)


def _of_modified(v: Any, x: Any) -> Any:
    return 0.5 * (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + _power(v, x))


def _of_order_zero(function: Any, x: Any) -> Any:
    return function(np.float32(0) if dtype_of(x) == np.float32 else 0.0, x)


elementwise("y = itstruve0(x)", special.itstruve0, derivative=lambda x: _of_order_zero(special.struve, x))
elementwise("y = itmodstruve0(x)", special.itmodstruve0, derivative=lambda x: _of_order_zero(special.modstruve, x))
