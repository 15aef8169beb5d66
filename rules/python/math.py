"""`math` and the number types, where no ufunc shares the rule: those that do are served with their ufunc."""

import math

import numpy as np

from rules.kind import Num
from rules.rule import borrows, nondifferentiable, rule

TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)


@rule("y = float(x)", float)
class to_float:
    def kind(): return Num(float)
    @borrows("d_y")
    def d_x(d_y): return d_y
    @borrows("t_x")
    def t_y(t_x): return t_x


@rule("y = erf(x)", math.erf)
class erf:
    def d_x(d_y, x): return d_y * (TWO_BY_ROOT_PI * np.exp(-x * x))
    def t_y(t_x, x): return t_x * (TWO_BY_ROOT_PI * np.exp(-x * x))


@rule("y = erfc(x)", math.erfc)
class erfc:
    def d_x(d_y, x): return d_y * (-TWO_BY_ROOT_PI * np.exp(-x * x))
    def t_y(t_x, x): return t_x * (-TWO_BY_ROOT_PI * np.exp(-x * x))


nondifferentiable("b = isfinite(x)", math.isfinite, kind=lambda: Num(bool))
nondifferentiable("b = isinf(x)", math.isinf, kind=lambda: Num(bool))
nondifferentiable("b = isnan(x)", math.isnan, kind=lambda: Num(bool))
nondifferentiable("b = isclose(x, y, rel_tol=1e-09, abs_tol=0.0)", math.isclose, kind=lambda: Num(bool))
