"""Box and Cox's transformations and their inverses: (x**lmbda - 1) / lmbda, and log(x) where lmbda is 0.

With u = lmbda log(x) this is log(x) (exp(u) - 1) / u, and its inverse the exponential of y log(1 + v) / v with
v = lmbda y: in this form the derivative by lmbda is smooth at 0 too.
"""

import numpy as np
from scipy import special

from rules.cotangent import strong
from rules.operands import dtype_of
from rules.rule import rule
from rules.scipy.special.kinds import curvature_of_log


def _by_lambda(log, lmbda):
    return 0.5 * log * log * special.hyp1f1(2.0, 3.0, lmbda * log)


def _log(x):
    """The logarithm; at 0 so far below 0 that the derivative by lmbda is right there as well."""
    return np.log(np.maximum(x, 1e-300 if dtype_of(x).itemsize > 4 else 1e-37))


@rule("y = boxcox(x, lmbda)", special.boxcox)
class boxcox:
    def d_x(d_y, x, lmbda): return strong(d_y, np.power(x, lmbda - 1))
    def d_lmbda(d_y, x, lmbda): return d_y * _by_lambda(_log(x), lmbda)

    def t_y(x, lmbda, t_x, t_lmbda):
        return strong(t_x, np.power(x, lmbda - 1)) + t_lmbda * _by_lambda(_log(x), lmbda)


@rule("y = boxcox1p(x, lmbda)", special.boxcox1p)
class boxcox1p:
    """The same of 1 + x."""

    def d_x(d_y, x, lmbda): return strong(d_y, np.power(1 + x, lmbda - 1))
    def d_lmbda(d_y, x, lmbda): return d_y * _by_lambda(np.log1p(x), lmbda)

    def t_y(x, lmbda, t_x, t_lmbda):
        return strong(t_x, np.power(1 + x, lmbda - 1)) + t_lmbda * _by_lambda(np.log1p(x), lmbda)


def _inverse_by_lambda(x, y, lmbda):
    return -x * y * y * curvature_of_log(lmbda * y)


@rule("x = inv_boxcox(y, lmbda)", special.inv_boxcox)
class inv_boxcox:
    infinite_at_pole = True
    def d_y(d_x, lmbda, x): return strong(d_x, np.power(x, 1 - lmbda))
    def d_lmbda(d_x, y, lmbda, x): return d_x * _inverse_by_lambda(x, y, lmbda)

    def t_x(y, lmbda, x, t_y, t_lmbda):
        return strong(t_y, np.power(x, 1 - lmbda)) + t_lmbda * _inverse_by_lambda(x, y, lmbda)


@rule("x = inv_boxcox1p(y, lmbda)", special.inv_boxcox1p)
class inv_boxcox1p:
    """The same, less 1."""

    infinite_at_pole = True
    def d_y(d_x, lmbda, x): return strong(d_x, np.power(1 + x, 1 - lmbda))
    def d_lmbda(d_x, y, lmbda, x): return d_x * _inverse_by_lambda(1 + x, y, lmbda)

    def t_x(y, lmbda, x, t_y, t_lmbda):
        return strong(t_y, np.power(1 + x, 1 - lmbda)) + t_lmbda * _inverse_by_lambda(1 + x, y, lmbda)
