"""The exponential integrals, DLMF 6.2 and 8.19, and the dilogarithm."""

from typing import Any

import numpy as np
from scipy import special

from rules.rule import elementwise, primitive, rule
from rules.scipy.special.kinds import hyp2f1, in_precision_of, together, whole

elementwise("y = exp1(x)", special.exp1, derivative=lambda x: -np.exp(-x) / x)
elementwise("y = expi(x)", special.expi, derivative=lambda x: np.exp(x) / x)

# The dilogarithm of 1 - x: log(x) / (1 - x), which is smooth at 1 too (DLMF 25.12.2 and 15.4.1).
elementwise("y = spence(x)", special.spence, derivative=lambda x: -hyp2f1(1.0, 1.0, 2.0, 1 - x))

ORDER = "the order is an integer"


@primitive
def expn_of_any_order(n: Any, x: Any) -> Any:
    """E_n(x), also for integers n that are 0 or negative: x**(n - 1) Gamma(1 - n, x) there (DLMF 8.19.1)."""
    with np.errstate(all="ignore"):
        above = special.expn(np.maximum(n, 1), x)
        m = 1 - np.minimum(n, 0)
        below = special.gamma(m) * special.gammaincc(m, x) * np.power(x, -m, dtype=float)
        return in_precision_of(np.where(np.greater(n, 0), above, below), n, x)


@rule("y = expn_of_any_order(n, x)", expn_of_any_order)
class expn_of_any_order_rule:
    infinite_at_pole = True
    why_n = ORDER
    def kind(n, x): return together(n, x)
    def d_x(d_y, n, x): return d_y * -expn_of_any_order(n - 1, x)
    def t_y(t_x, n, x): return t_x * -expn_of_any_order(n - 1, x)


@rule("y = expn(n, x)", special.expn)
class expn:
    infinite_at_pole = True
    why_n = ORDER
    def d_x(d_y, n, x): return d_y * -expn_of_any_order(whole(n) - 1, x)
    def t_y(t_x, n, x): return t_x * -expn_of_any_order(whole(n) - 1, x)
