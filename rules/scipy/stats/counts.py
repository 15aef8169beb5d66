"""Distributions of counts, by their parameters: of Poisson, binomial, of Bernoulli, geometric, negative binomial.

The sum of the probabilities up to k is an incomplete gamma or beta function, whose derivative is what is integrated
(DLMF 8.2.1 and 8.17.1): a probability of the same family. By k and loc there is none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import special, stats

from rules.cotangent import strong, strong_divide
from rules.operands import is_constant
from rules.rule import partials, recorded
from rules.scipy.stats.continuous import LEAST, NO_CLOSED_FORM, doubles

A_COUNT = "it is a count: between integers there is nothing to differentiate"


@dataclass(frozen=True)
class Counts:
    """The derivatives of a distribution of j = k - loc, each a function of j and the parameters.

    `logarithm` are those of log p(j). `mass` gives that of p(j) itself, by the first of the parameters.
    `sum` gives that of the sum up to j: a factor, a distribution and what its probability is taken of. `outside` says
    which integers are impossible.
    """

    logarithm: Mapping[str, Callable[..., Any]]
    mass: Callable[..., Any]
    sum: Callable[..., tuple[Any, Any, tuple[Any, ...]]]
    outside: Callable[..., Any]
    counts: tuple[str, ...] = field(default=())


def _from_zero(k: Any, loc: Any) -> Any:
    return k if is_constant(loc) and loc == 0 else k - loc


def _serve(distribution: Any, parameters: tuple[str, ...], law: Counts) -> None:
    first = next(iter(law.logarithm))
    reasons = dict.fromkeys(("k", "loc", *law.counts), A_COUNT)

    def slope(wrt: str, k: Any, *rest: Any) -> Any:
        *shapes, loc, _ = rest
        j = _from_zero(k, loc)
        impossible = law.outside(j, *shapes) | (j > np.floor(j))
        return np.where(impossible, 0.0, law.logarithm[wrt](j, *shapes))

    def of_logarithm(wrt: str, d: Any, *arguments: Any) -> Any:
        return d * slope(wrt, *arguments)

    def of_mass(wrt: str, d: Any, *arguments: Any) -> Any:
        k, *shapes, loc, y = arguments
        moved = law.mass(_from_zero(k, loc), *shapes, y) if wrt == first else strong(y, slope(wrt, *arguments))
        return d * moved

    def of_sum(sign: int, d: Any, *arguments: Any) -> Any:
        k, *shapes, loc, _ = arguments
        factor, other, of = law.sum(np.floor(_from_zero(k, loc)), *shapes)
        return d * (sign * factor * recorded(other.pmf, *of))

    def of_logarithm_of_sum(sign: int, d: Any, *arguments: Any) -> Any:
        k, *shapes, loc, y = arguments
        factor, other, of = law.sum(np.floor(_from_zero(k, loc)), *shapes)
        return d * (sign * factor * np.exp(recorded(other.logpmf, *of) - np.maximum(y, LEAST)))

    def function(which: str, by: dict[str, Any]) -> None:
        signature = f"y = {distribution.name}_{which}(k, {', '.join(parameters)}, loc=0)"
        others = {p: NO_CLOSED_FORM for p in law.logarithm if p not in by}
        partials(signature, getattr(distribution, which), kind=doubles, by=by, reasons=others | reasons,
                 infinite_at_pole=which.startswith("log"))  # fmt: skip

    function("pmf", {wrt: partial(of_mass, wrt) for wrt in law.logarithm})
    function("logpmf", {wrt: partial(of_logarithm, wrt) for wrt in law.logarithm})
    for which, along, sign in (("cdf", of_sum, 1), ("sf", of_sum, -1),
                               ("logcdf", of_logarithm_of_sum, 1), ("logsf", of_logarithm_of_sum, -1)):  # fmt: skip
        function(which, {first: partial(along, sign)})


def _negative(j: Any, *shapes: Any) -> Any:
    return j < 0


def _trials(j: Any, n: Any, p: Any) -> Any:
    """The probability of j among one trial less."""
    return recorded(stats.binom.pmf, j, np.maximum(n - 1, 0), p)


_serve(stats.poisson, ("mu",), Counts(
    {"mu": lambda j, mu: strong_divide(j, mu) - 1},
    mass=lambda j, mu, y: recorded(stats.poisson.pmf, j - 1, mu) - y,
    sum=lambda j, mu: (-1.0, stats.poisson, (j, mu)),
    outside=_negative,
))  # fmt: skip
_serve(stats.binom, ("n", "p"), Counts(
    {"p": lambda j, n, p: strong_divide(j, p) - strong_divide(n - j, 1 - p)},
    mass=lambda j, n, p, y: n * (_trials(j - 1, n, p) - _trials(j, n, p)),
    sum=lambda j, n, p: (-1.0 * n, stats.binom, (j, np.maximum(n - 1, 0), p)),
    outside=lambda j, n, p: (j < 0) | (j > n),
    counts=("n",),
))  # fmt: skip
_serve(stats.bernoulli, ("p",), Counts(
    {"p": lambda j, p: strong_divide(j, p) - strong_divide(1 - j, 1 - p)},
    mass=lambda j, p, y: 1.0 * (j == 1) - 1.0 * (j == 0),
    sum=lambda j, p: (-1.0, stats.binom, (j, 0, p)),
    outside=lambda j, p: (j < 0) | (j > 1),
))  # fmt: skip
_serve(stats.geom, ("p",), Counts(
    {"p": lambda j, p: 1 / p - strong_divide(j - 1, 1 - p)},
    mass=lambda j, p, y: (y - recorded(stats.nbinom.pmf, j - 2, 2, p)) / p,
    sum=lambda j, p: (1 / (p * p), stats.nbinom, (j - 1, 2, p)),
    outside=lambda j, p: j < 1,
))  # fmt: skip
_serve(stats.nbinom, ("n", "p"), Counts(
    {"p": lambda j, n, p: n / p - strong_divide(j, 1 - p),
     "n": lambda j, n, p: special.psi(j + n) - special.psi(n) + np.log(p)},
    mass=lambda j, n, p, y: n / p * (y - recorded(stats.nbinom.pmf, j - 1, n + 1, p)),
    sum=lambda j, n, p: (n / (p * p), stats.nbinom, (j, n + 1, p)),
    outside=_negative,
))  # fmt: skip
