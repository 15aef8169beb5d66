"""x log y and what entropies are made of: 0 where x is 0, and there the derivative by y is 0 as well.

The derivative by x is infinite where y is 0: zero in, zero out.
"""

import numpy as np
from scipy import special

from rules.cotangent import strong, strong_divide
from rules.rule import rule


@rule("z = xlogy(x, y)", special.xlogy)
class xlogy:
    def d_x(d_z, y): return strong(d_z, np.log(y))
    def d_y(d_z, x, y): return strong_divide(d_z * x, y)
    def t_z(x, y, t_x, t_y): return strong(t_x, np.log(y)) + strong_divide(t_y * x, y)


@rule("z = xlog1py(x, y)", special.xlog1py)
class xlog1py:
    def d_x(d_z, y): return strong(d_z, np.log1p(y))
    def d_y(d_z, x, y): return strong_divide(d_z * x, 1 + y)
    def t_z(x, y, t_x, t_y): return strong(t_x, np.log1p(y)) + strong_divide(t_y * x, 1 + y)


@rule("y = entr(x)", special.entr)
class entr:
    """-x log x."""

    infinite_at_pole = True
    def d_x(d_y, x): return strong(d_y, -1 - np.log(x))
    def t_y(t_x, x): return strong(t_x, -1 - np.log(x))


@rule("z = rel_entr(x, y)", special.rel_entr)
class rel_entr:
    """x log(x / y)."""

    infinite_at_pole = True
    def d_x(d_z, x, y): return strong(d_z, np.log(x / y) + 1)
    def d_y(d_z, x, y): return -strong_divide(d_z * x, y)
    def t_z(x, y, t_x, t_y): return strong(t_x, np.log(x / y) + 1) - strong_divide(t_y * x, y)


@rule("z = kl_div(x, y)", special.kl_div)
class kl_div:
    """x log(x / y) - x + y."""

    infinite_at_pole = True
    def d_x(d_z, x, y): return strong(d_z, np.log(x / y))
    def d_y(d_z, x, y): return d_z - strong_divide(d_z * x, y)
    def t_z(x, y, t_x, t_y): return strong(t_x, np.log(x / y)) + t_y - strong_divide(t_y * x, y)
