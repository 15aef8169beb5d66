"""Distributions of u = (x - loc) / scale that have no other parameter: all from the derivative of log p(u).

With this score s, log p(x) = log p(u) - log(scale) has the slopes s / scale by x, -s / scale by loc and
-(1 + s u) / scale by scale. Outside of the support the score counts as 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from rules.cotangent import strong_divide
from rules.kind import array_or_number, broadcast, kind_of, library
from rules.operands import is_constant
from rules.rule import recorded, rule
from rules.scipy.special.error_functions import density_by_distribution


def _double(*operands: Any) -> Any:
    kinds = [kind_of(x) for x in operands]
    return array_or_number(np.dtype(float), broadcast(*(k.shape for k in kinds)), library(*kinds))


def _standard(x: Any, loc: Any, scale: Any) -> Any:
    u = x if is_constant(loc) and loc == 0 else x - loc
    return _per(u, scale)


def _per(y: Any, scale: Any) -> Any:
    return y if is_constant(scale) and scale == 1 else y / scale


def _densities(name: str, distribution: Any, score: Callable[[Any], Any]) -> None:
    @rule(f"y = {name}_logpdf(x, loc=0, scale=1)", distribution.logpdf)
    class logpdf:
        infinite_at_pole = True
        def kind(x, loc, scale): return _double(x, loc, scale)
        def d_x(d_y, x, loc, scale): return d_y * (_per(score(_standard(x, loc, scale)), scale))
        def d_loc(d_y, x, loc, scale): return d_y * (-_per(score(_standard(x, loc, scale)), scale))

        def d_scale(d_y, x, loc, scale):
            u = _standard(x, loc, scale)
            return d_y * ((-1 - score(u) * u) / scale)

        def t_y(x, loc, scale, t_x, t_loc, t_scale):
            u = _standard(x, loc, scale)
            return (t_x - t_loc) * (score(u) / scale) + t_scale * ((-1 - score(u) * u) / scale)

    @rule(f"y = {name}_pdf(x, loc=0, scale=1)", distribution.pdf)
    class pdf:
        def kind(x, loc, scale): return _double(x, loc, scale)
        def d_x(d_y, x, loc, scale, y): return d_y * (y * _per(score(_standard(x, loc, scale)), scale))
        def d_loc(d_y, x, loc, scale, y): return d_y * (-y * _per(score(_standard(x, loc, scale)), scale))

        def d_scale(d_y, x, loc, scale, y):
            u = _standard(x, loc, scale)
            return d_y * (y * (-1 - score(u) * u) / scale)

        def t_y(x, loc, scale, y, t_x, t_loc, t_scale):
            u = _standard(x, loc, scale)
            return y / scale * ((t_x - t_loc) * score(u) + t_scale * (-1 - score(u) * u))


def _by_density(name: str, distribution: Any, which: str, slope: Callable[..., Any]) -> None:
    """A function whose slope by x is `slope(x, loc, scale, y)`: by loc it is minus that, by scale that times -u."""

    @rule(f"y = {name}_{which}(x, loc=0, scale=1)", getattr(distribution, which))
    class function:
        infinite_at_pole = which.startswith("log")
        def kind(x, loc, scale): return _double(x, loc, scale)
        def d_x(d_y, x, loc, scale, y): return d_y * slope(x, loc, scale, y)
        def d_loc(d_y, x, loc, scale, y): return d_y * -slope(x, loc, scale, y)
        def d_scale(d_y, x, loc, scale, y): return d_y * (-slope(x, loc, scale, y) * _standard(x, loc, scale))

        def t_y(x, loc, scale, y, t_x, t_loc, t_scale):
            return slope(x, loc, scale, y) * (t_x - t_loc - t_scale * _standard(x, loc, scale))


def _inverse(name: str, distribution: Any, which: str, sign: int) -> None:
    """The x at which the distribution function, or its complement, is q."""

    @rule(f"x = {name}_{which}(q, loc=0, scale=1)", getattr(distribution, which))
    class function:
        infinite_at_pole = True
        def kind(q, loc, scale): return _double(q, loc, scale)
        def d_q(d_x, x, loc, scale): return strong_divide(d_x, sign * recorded(distribution.pdf, x, loc, scale))
        def d_loc(d_x): return d_x * 1.0
        def d_scale(d_x, x, loc, scale): return d_x * _standard(x, loc, scale)

        def t_x(x, loc, scale, t_q, t_loc, t_scale):
            t = strong_divide(t_q, sign * recorded(distribution.pdf, x, loc, scale))
            return t + t_loc + t_scale * _standard(x, loc, scale)


def location_scale(
    name: str, score: Callable[[Any], Any], hazard: Callable[[Any], Any] | None = None, symmetric: bool = False
) -> None:
    """Rules for a distribution: `score` is the derivative of log p(u), `hazard` that of the logarithm of the
    distribution function, where there is a formula for it that is good far from 0 too."""
    distribution = getattr(stats, name)

    def density(x: Any, loc: Any, scale: Any, y: Any) -> Any:
        return recorded(distribution.pdf, x, loc, scale)

    def less(x: Any, loc: Any, scale: Any, y: Any) -> Any:
        return -recorded(distribution.pdf, x, loc, scale)

    def rate(x: Any, loc: Any, scale: Any, y: Any) -> Any:
        if hazard is not None:
            return _per(hazard(_standard(x, loc, scale)), scale)
        return np.exp(recorded(distribution.logpdf, x, loc, scale) - y)

    def falling(x: Any, loc: Any, scale: Any, y: Any) -> Any:
        if hazard is not None and symmetric:
            return -_per(hazard(-_standard(x, loc, scale)), scale)
        return -np.exp(recorded(distribution.logpdf, x, loc, scale) - y)

    _densities(name, distribution, score)
    for which, slope in (("cdf", density), ("sf", less), ("logcdf", rate), ("logsf", falling)):
        _by_density(name, distribution, which, slope)
    _inverse(name, distribution, "ppf", 1)
    _inverse(name, distribution, "isf", -1)


location_scale("norm", lambda u: -u, density_by_distribution, symmetric=True)
location_scale("logistic", lambda u: -np.tanh(0.5 * u), lambda u: special.expit(-u), symmetric=True)
location_scale("laplace", lambda u: -np.sign(u))
location_scale("cauchy", lambda u: -2 * u / (1 + u * u))
location_scale("gumbel_r", lambda u: np.exp(-u) - 1, lambda u: np.exp(-u))
location_scale("expon", lambda u: -1.0 * (u >= 0))
