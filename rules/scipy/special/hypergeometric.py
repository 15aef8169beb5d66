"""Hypergeometric functions by their argument: each derivative is one with all parameters higher by 1.

DLMF 13.3.15, 13.3.22, 15.5.1 and 16.3.1; of Wright's generalised Bessel function, 10.46.
"""

import numpy as np
from scipy import special

from rules.rule import partials, rule

PARAMETERS = "the derivative by a parameter has no closed form"


@rule("y = hyp0f1(v, z)", special.hyp0f1)
class hyp0f1:
    infinite_at_pole = True
    why_v = PARAMETERS
    def d_z(d_y, v, z): return d_y * (special.hyp0f1(v + 1, z) / v)
    def t_y(t_z, v, z): return t_z * (special.hyp0f1(v + 1, z) / v)


@rule("y = hyp1f1(a, b, x)", special.hyp1f1)
class hyp1f1:
    infinite_at_pole = True
    why_a = why_b = PARAMETERS
    def d_x(d_y, a, b, x): return d_y * (a / b * special.hyp1f1(a + 1, b + 1, x))
    def t_y(t_x, a, b, x): return t_x * (a / b * special.hyp1f1(a + 1, b + 1, x))


@rule("y = hyperu(a, b, x)", special.hyperu)
class hyperu:
    infinite_at_pole = True
    why_a = why_b = PARAMETERS
    def d_x(d_y, a, b, x): return d_y * (-a * special.hyperu(a + 1, b + 1, x))
    def t_y(t_x, a, b, x): return t_x * (-a * special.hyperu(a + 1, b + 1, x))


@rule("y = hyp2f1(a, b, c, z)", special.hyp2f1)
class hyp2f1:
    infinite_at_pole = True
    why_a = why_b = why_c = PARAMETERS
    def d_z(d_y, a, b, c, z): return d_y * (a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z))
    def t_y(t_z, a, b, c, z): return t_z * (a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z))


partials("y = wright_bessel(a, b, x)", special.wright_bessel,
         by={"x": lambda d, a, b, x, y: d * special.wright_bessel(a, a + b, x)},
         reasons={"a": PARAMETERS, "b": PARAMETERS})  # fmt: skip
if hasattr(special, "log_wright_bessel"):  # of SciPy 1.14
    partials("y = log_wright_bessel(a, b, x)", special.log_wright_bessel,
             by={"x": lambda d, a, b, x, y: d * np.exp(special.log_wright_bessel(a, a + b, x) - y)},
             reasons={"a": PARAMETERS, "b": PARAMETERS}, infinite_at_pole=True)  # fmt: skip
