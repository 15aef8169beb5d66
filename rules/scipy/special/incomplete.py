"""The incomplete gamma and beta functions by the limit of their integral: the derivative is what is integrated.

DLMF 8.2.1 and 8.17.1. By their other arguments there is no closed form.
"""

from typing import Any

import numpy as np
from scipy import special

from rules.cotangent import strong, strong_divide
from rules.rule import primitive, rule
from rules.scipy.special.kinds import in_precision_of, together

NO_CLOSED_FORM = "the derivative has a closed form by the limit of the integral alone"


# ------------------------------------------------------------------------------------------------ gamma
@primitive
def gamma_density(p: Any, a: Any, x: Any) -> Any:
    """x**p exp(-x) / Gamma(a), in the precision of its operands."""
    return in_precision_of(np.exp(special.xlogy(p, x) - x - special.gammaln(a)), p, a, x)


@rule("y = gamma_density(p, a, x)", gamma_density)
class gamma_density_rule:
    infinite_at_pole = True
    why_a = why_p = NO_CLOSED_FORM
    def kind(p, a, x): return together(p, a, x)
    def d_x(d_y, p, a, x, y): return d_y * (strong(p, gamma_density(p - 1, a, x)) - y)
    def t_y(t_x, p, a, x, y): return t_x * (strong(p, gamma_density(p - 1, a, x)) - y)


@rule("y = gammainc(a, x)", special.gammainc)
class gammainc:
    why_a = NO_CLOSED_FORM
    def d_x(d_y, a, x): return strong(d_y, gamma_density(a - 1, a, x))
    def t_y(t_x, a, x): return strong(t_x, gamma_density(a - 1, a, x))


@rule("y = gammaincc(a, x)", special.gammaincc)
class gammaincc:
    why_a = NO_CLOSED_FORM
    def d_x(d_y, a, x): return strong(d_y, -gamma_density(a - 1, a, x))
    def t_y(t_x, a, x): return strong(t_x, -gamma_density(a - 1, a, x))


@rule("x = gammaincinv(a, y)", special.gammaincinv)
class gammaincinv:
    why_a = NO_CLOSED_FORM
    def d_y(d_x, a, x): return strong_divide(d_x, gamma_density(a - 1, a, x))
    def t_x(t_y, a, x): return strong_divide(t_y, gamma_density(a - 1, a, x))


@rule("x = gammainccinv(a, y)", special.gammainccinv)
class gammainccinv:
    why_a = NO_CLOSED_FORM
    def d_y(d_x, a, x): return strong_divide(d_x, -gamma_density(a - 1, a, x))
    def t_x(t_y, a, x): return strong_divide(t_y, -gamma_density(a - 1, a, x))


# ------------------------------------------------------------------------------------------------- beta
@primitive
def beta_density(p: Any, q: Any, a: Any, b: Any, x: Any) -> Any:
    """x**p (1 - x)**q / B(a, b), in the precision of its operands."""
    y = np.exp(special.xlogy(p, x) + special.xlog1py(q, -x) - special.betaln(a, b))
    return in_precision_of(y, p, q, a, b, x)


def _slope_of_beta_density(p, q, a, b, x):
    return strong(p, beta_density(p - 1, q, a, b, x)) - strong(q, beta_density(p, q - 1, a, b, x))


@rule("y = beta_density(p, q, a, b, x)", beta_density)
class beta_density_rule:
    infinite_at_pole = True
    why_a = why_b = why_p = why_q = NO_CLOSED_FORM
    def kind(p, q, a, b, x): return together(p, q, a, b, x)
    def d_x(d_y, p, q, a, b, x): return d_y * _slope_of_beta_density(p, q, a, b, x)
    def t_y(t_x, p, q, a, b, x): return t_x * _slope_of_beta_density(p, q, a, b, x)


def _integrand(a, b, x):
    return beta_density(a - 1, b - 1, a, b, x)


@rule("y = betainc(a, b, x)", special.betainc)
class betainc:
    why_a = why_b = NO_CLOSED_FORM
    def d_x(d_y, a, b, x): return strong(d_y, _integrand(a, b, x))
    def t_y(t_x, a, b, x): return strong(t_x, _integrand(a, b, x))


@rule("y = betaincc(a, b, x)", special.betaincc)
class betaincc:
    why_a = why_b = NO_CLOSED_FORM
    def d_x(d_y, a, b, x): return strong(d_y, -_integrand(a, b, x))
    def t_y(t_x, a, b, x): return strong(t_x, -_integrand(a, b, x))


@rule("x = betaincinv(a, b, y)", special.betaincinv)
class betaincinv:
    why_a = why_b = NO_CLOSED_FORM
    def d_y(d_x, a, b, x): return strong_divide(d_x, _integrand(a, b, x))
    def t_x(t_y, a, b, x): return strong_divide(t_y, _integrand(a, b, x))


@rule("x = betainccinv(a, b, y)", special.betainccinv)
class betainccinv:
    why_a = why_b = NO_CLOSED_FORM
    def d_y(d_x, a, b, x): return strong_divide(d_x, -_integrand(a, b, x))
    def t_x(t_y, a, b, x): return strong_divide(t_y, -_integrand(a, b, x))
