"""Distributions of u = (x - loc) / scale, with or without parameters of their shape, by the derivatives of log p(u).

With the score s, the derivative by u, log p(x) = log p(u) - log(scale) has the slopes s / scale by x, -s / scale by
loc and -(1 + s u) / scale by scale. Outside of the support all slopes count as 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rules.cotangent import strong, strong_divide, unless_zero
from rules.kind import array_or_number, broadcast, kind_of, library
from rules.operands import dtype_of, is_constant
from rules.rule import partials, recorded

NO_CLOSED_FORM = "the derivative of the distribution function by a parameter of the shape has no closed form"
#: A finite number below all logarithms of a probability but -inf.
LEAST = -1e308
#: Numbers where every density counts as 0, by the bytes of a dtype.
FARTHEST = {2: 6e4, 4: 1e37, 8: 1e300}


def doubles(*operands: Any) -> Any:
    """The kind of what `scipy.stats` computes element by element: it is in double precision."""
    kinds = [kind_of(x) for x in operands]
    return array_or_number(np.dtype(float), broadcast(*(k.shape for k in kinds)), library(*kinds))


@dataclass(frozen=True)
class LogDensity:
    """log p(u) by its derivatives, each a function of u and the parameters of the shape.

    `score` is the one by u, `scaled` that times u (where the product is not good at 0), `by` those by the parameters.
    `outside` says which u are not in the support, where that is not the whole line; `point` is in it.
    `moved` has minus the derivatives of quantiles u by parameters, where these have a closed form.
    """

    score: Callable[..., Any]
    scaled: Callable[..., Any] | None = None
    by: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    outside: Callable[[Any], Any] | None = None
    point: float = 1.0
    moved: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def slope(self, wrt: str, x: Any, *rest: Any) -> Any:
        """The derivative of log p(x) by one of its arguments; `rest` ends with loc and scale."""
        *shapes, loc, scale = rest
        u = _standard(x, loc, scale)
        if self.outside is None:
            return self._slope(wrt, u, shapes, scale)
        out = self.outside(u)
        return np.where(out, 0.0, self._slope(wrt, np.where(out, self.point, u), shapes, scale))

    def move(self, wrt: str, x: Any, *rest: Any) -> Any:
        """Minus the derivative of x, as a quantile, by a parameter: the distribution function stays."""
        *shapes, loc, scale = rest
        u = _standard(x, loc, scale)
        u = u if self.outside is None else np.where(self.outside(u), self.point, u)
        return scale * self.moved[wrt](u, *shapes)

    def _slope(self, wrt: str, u: Any, shapes: list[Any], scale: Any) -> Any:
        if wrt == "x":
            return _per(self.score(u, *shapes), scale)
        if wrt == "loc":
            return -_per(self.score(u, *shapes), scale)
        if wrt == "scale":
            return (-1 - (self.score(u, *shapes) * u if self.scaled is None else self.scaled(u, *shapes))) / scale
        return self.by[wrt](u, *shapes)


def _standard(x: Any, loc: Any, scale: Any) -> Any:
    return _per(x if is_constant(loc) and loc == 0 else x - loc, scale)


def _of(method: Any, law: LogDensity, x: Any, rest: Any) -> Any:
    """The density, or its logarithm, which SciPy does not tell at infinity where that is an end of the support."""
    far = FARTHEST[dtype_of(x).itemsize if dtype_of(x).kind == "f" else 8]
    return recorded(method, x if law.outside is None else np.minimum(x, far), *rest)


def _per(y: Any, scale: Any) -> Any:
    return y if is_constant(scale) and scale == 1 else y / scale


def _densities(name: str, distribution: Any, law: LogDensity) -> None:
    def of_logarithm(wrt: str, d: Any, *arguments: Any) -> Any:
        return d * law.slope(wrt, *arguments[:-1])

    def of_density(wrt: str, d: Any, *arguments: Any) -> Any:
        y, slope = arguments[-1], law.slope(wrt, *arguments[:-1])
        plain = law.outside is None and not law.by
        return d * (y * slope if plain else strong(y, slope))  # 0 at an end where the slope is infinite

    for which, along in (("logpdf", of_logarithm), ("pdf", of_density)):
        partials(_signature("y", name, which, "x", law), getattr(distribution, which), kind=doubles,
                 by={wrt: partial(along, wrt) for wrt in ("x", *law.by, "loc", "scale")},
                 infinite_at_pole=which == "logpdf")  # fmt: skip


def _signature(result: str, name: str, which: str, first: str, law: LogDensity) -> str:
    return f"{result} = {name}_{which}({', '.join((first, *law.by))}, loc=0, scale=1)"


def _by_density(name: str, distribution: Any, which: str, law: LogDensity, slope: Callable[..., Any]) -> None:
    """A function whose slope by x is `slope(x, *shapes, loc, scale, y)`: by loc it is minus that, by scale times -u."""
    times = strong if law.outside is not None else np.multiply  # the density may be infinite at an end of the support

    def by_scale(d: Any, *arguments: Any) -> Any:
        x, *_, loc, scale, _ = arguments
        u = _standard(x, loc, scale)
        moved = strong(slope(*arguments), u)  # 0 at infinity, an end of an interval that is open
        return d * -(moved if law.outside is None else unless_zero(u, moved))

    def by_shape(wrt: str, d: Any, *arguments: Any) -> Any:
        move = law.move(wrt, *arguments[:-1])
        return d * unless_zero(move, strong(slope(*arguments), move))

    partials(_signature("y", name, which, "x", law), getattr(distribution, which), kind=doubles,
             by={"x": lambda d, *arguments: times(d, slope(*arguments)),
                 "loc": lambda d, *arguments: times(d, -slope(*arguments)), "scale": by_scale,
                 **{wrt: partial(by_shape, wrt) for wrt in law.moved}},
             reasons=_without(law), infinite_at_pole=which.startswith("log"))  # fmt: skip


def _without(law: LogDensity) -> dict[str, str]:
    return {wrt: NO_CLOSED_FORM for wrt in law.by if wrt not in law.moved}


def _inverse(name: str, distribution: Any, which: str, law: LogDensity, sign: int) -> None:
    """The x at which the distribution function, or its complement, is q."""

    def by_q(d: Any, *arguments: Any) -> Any:
        q, *shapes, loc, scale, x = arguments
        if law.outside is None or (is_constant(loc) and loc == 0):
            return strong_divide(d, sign * _of(distribution.pdf, law, x, (*shapes, loc, scale)))
        u = recorded(getattr(distribution, which), q, *shapes)  # beside loc a small one has no digits
        return strong_divide(d * scale, sign * _of(distribution.pdf, law, u, shapes))

    def by_scale(d: Any, *arguments: Any) -> Any:
        *_, loc, scale, x = arguments
        return d * _standard(x, loc, scale)

    def by_shape(wrt: str, d: Any, *arguments: Any) -> Any:
        _, *rest, x = arguments
        return d * -law.move(wrt, x, *rest)

    partials(_signature("x", name, which, "q", law), getattr(distribution, which), kind=doubles,
             by={"q": by_q, "loc": lambda d, *arguments: d * 1.0, "scale": by_scale,
                 **{wrt: partial(by_shape, wrt) for wrt in law.moved}},
             reasons=_without(law), infinite_at_pole=True)  # fmt: skip


def serve(
    distribution: Any, law: LogDensity, hazard: Callable[[Any], Any] | None = None, symmetric: bool = False
) -> None:
    """Rules for a distribution: `hazard` is the derivative of the logarithm of the distribution function at u, where
    there is a formula for it that is good far from 0 too."""
    name = distribution.name

    def density(x: Any, *rest: Any) -> Any:
        return _of(distribution.pdf, law, x, rest[:-1])

    def less(x: Any, *rest: Any) -> Any:
        return -_of(distribution.pdf, law, x, rest[:-1])

    def share(x: Any, *rest: Any) -> Any:
        """The density by what has this logarithm, and 0 outside of the support, where both may be 0."""
        return np.exp(_of(distribution.logpdf, law, x, rest[:-1]) - np.maximum(rest[-1], LEAST))

    def rate(x: Any, *rest: Any) -> Any:
        if hazard is not None:
            *_, loc, scale, _ = rest
            return _per(hazard(_standard(x, loc, scale)), scale)
        return share(x, *rest)

    def falling(x: Any, *rest: Any) -> Any:
        if hazard is not None and symmetric:
            *_, loc, scale, _ = rest
            return -_per(hazard(-_standard(x, loc, scale)), scale)
        return -share(x, *rest)

    _densities(name, distribution, law)
    for which, slope in (("cdf", density), ("sf", less), ("logcdf", rate), ("logsf", falling)):
        _by_density(name, distribution, which, law, slope)
    _inverse(name, distribution, "ppf", law, 1)
    _inverse(name, distribution, "isf", law, -1)
