"""Distributions with parameters of their shape: Student's t, gamma, beta and others of one variable.

By these the densities are differentiated; the distribution functions only where u to a power, or a multiple of its
logarithm, has a distribution without parameters.
"""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from rules.cotangent import strong_divide
from rules.rule import primitive, rule
from rules.scipy.special.kinds import curvature_of_log, in_precision_of, together
from rules.scipy.stats.continuous import LogDensity, serve


# ---------------------------------------------------------------------------------- on half a line, and an interval
def _negative(u: Any) -> Any:
    return u < 0


def _beyond_unit(u: Any) -> Any:
    return (u < 0) | (u > 1)


serve(stats.gamma, LogDensity(
    lambda u, a: strong_divide(a - 1, u) - 1,
    scaled=lambda u, a: a - 1 - u,
    by={"a": lambda u, a: np.log(u) - special.psi(a)},
    outside=_negative,
))  # fmt: skip
serve(stats.chi2, LogDensity(
    lambda u, df: strong_divide(0.5 * df - 1, u) - 0.5,
    scaled=lambda u, df: 0.5 * (df - u) - 1,
    by={"df": lambda u, df: 0.5 * (np.log(0.5 * u) - special.psi(0.5 * df))},
    outside=_negative,
))  # fmt: skip
serve(stats.beta, LogDensity(
    lambda u, a, b: strong_divide(a - 1, u) - strong_divide(b - 1, 1 - u),
    scaled=lambda u, a, b: a - 1 - strong_divide((b - 1) * u, 1 - u),
    by={"a": lambda u, a, b: np.log(u) - special.psi(a) + special.psi(a + b),
        "b": lambda u, a, b: np.log1p(-u) - special.psi(b) + special.psi(a + b)},
    outside=_beyond_unit, point=0.5,
))  # fmt: skip

serve(stats.invgamma, LogDensity(
    lambda u, a: (1 / u - a - 1) / u,
    scaled=lambda u, a: 1 / u - a - 1,
    by={"a": lambda u, a: -np.log(u) - special.psi(a)},
    outside=lambda u: u <= 0,
))  # fmt: skip
serve(stats.lognorm, LogDensity(
    lambda u, s: -(1 + np.log(u) / (s * s)) / u,
    scaled=lambda u, s: -1 - np.log(u) / (s * s),
    by={"s": lambda u, s: ((np.log(u) / s) ** 2 - 1) / s},
    outside=lambda u: u <= 0,
    moved={"s": lambda u, s: -u * np.log(u) / s},
))  # fmt: skip
serve(stats.weibull_min, LogDensity(
    lambda u, c: strong_divide(c - 1, u) - c * np.power(u, c - 1),
    scaled=lambda u, c: c - 1 - c * np.power(u, c),
    by={"c": lambda u, c: 1 / c + np.log(u) - special.xlogy(np.power(u, c), u)},
    outside=_negative,
    moved={"c": lambda u, c: special.xlogy(u, u) / c},
))  # fmt: skip
serve(stats.pareto, LogDensity(
    lambda u, b: -(b + 1) / u,
    scaled=lambda u, b: -(b + 1),
    by={"b": lambda u, b: 1 / b - np.log(u)},
    outside=lambda u: u < 1,
    moved={"b": lambda u, b: u * np.log(u) / b},
))  # fmt: skip

# ------------------------------------------------------------------------------------------------------ on a circle
serve(stats.vonmises, LogDensity(
    lambda u, kappa: -kappa * np.sin(u),
    by={"kappa": lambda u, kappa: np.cos(u) - special.i1e(kappa) / special.i0e(kappa)},
))  # fmt: skip


# ------------------------------------------------------------------------------------------------------- Student's t
#: From here on the series has more digits than the difference; it takes these terms, (4**k - 1) B_2k / k by v**(-2k).
FAR = 50.0
TERMS = (1 / 2, -1 / 4, 1 / 2, -17 / 8, 31 / 2)


@primitive
def half_step(v: Any, n: int) -> Any:
    """The derivative of order n of psi((v + 1) / 2) - psi(v / 2) - 1 / v, which is small for large v: DLMF 5.11.2."""
    with np.errstate(all="ignore"):
        near = (special.polygamma(n, (v + 1) / 2) - special.polygamma(n, v / 2)) / 2.0**n
        near = near - (-1) ** n * math.factorial(n) / np.power(v, n + 1.0)
        far: Any = 0.0
        for k, c in reversed(list(enumerate(TERMS, 1))):
            far = (far + (-1) ** n * math.prod(range(2 * k, 2 * k + n)) * c) / np.multiply(v, v)
        return in_precision_of(np.where(np.less(v, FAR), near, far / np.power(v, float(n))), v)


@rule("y = half_step(v, n)", half_step)
class half_step_rule:
    static = "n"
    infinite_at_pole = True
    def kind(v): return together(v)
    def d_v(d_y, v, n): return d_y * half_step(v, n + 1)
    def t_y(t_v, v, n): return t_v * half_step(v, n + 1)


def _by_freedom(u: Any, df: Any) -> Any:
    """Half of psi((df + 1) / 2) - psi(df / 2) - 1 / df - (log(1 + w) - w / (1 + w)) + w / (df (1 + w)), w = u**2 / df.

    The difference in the middle is small where w is.
    """
    w = u * u / df
    return 0.5 * (half_step(df, 0) - w * w * curvature_of_log(w) + w / (df * (1 + w)))


serve(stats.t, LogDensity(
    lambda u, df: -(1 + 1 / df) * u / (1 + u * u / df),
    by={"df": _by_freedom},
))  # fmt: skip
