"""Distributions of `scipy.stats` with parameters in them: their methods are those of the distribution itself.

norm(m, s).logpdf(x)       ->       norm.logpdf(x, m, s)
"""

import types
from dataclasses import dataclass
from typing import Any

from adcompiler.frontend.kinds import Known
from adcompiler.frontend.scope import Callback
from adcompiler.ir.core import Loc, Value
from adcompiler.ir.printer import target_name
from rules import find
from rules.kind import Num
from rules.libraries import distribution_of, is_distribution

#: The methods that take the parameters of a distribution after an argument of their own.
METHODS = frozenset("pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf".split())
MORE_THAN_ONE = "a method of a frozen distribution takes one argument"


def method_of(made: Any, name: str) -> Known | None:
    """The method of a distribution, or of a frozen one, that takes the parameters too, if it has a rule."""
    function = getattr(made, name, None) if name in METHODS and is_distribution(made) else None
    rule = find(function)
    return Known(function) if rule is not None and not rule.why else None


def thawed(method: types.MethodType) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """The method of the distribution itself, and the parameters, for that of a frozen one; None for others."""
    found = distribution_of(method.__self__)
    if found is None:
        return None
    distribution, args, kwargs = found
    function = method_of(distribution, method.__name__)
    return None if function is None else (function, args, kwargs)


def is_number(d: Any) -> bool:
    """Is this a number, which nothing changes?"""
    if isinstance(d, Known):
        return type(d.value) in (int, float)
    return isinstance(d, Value) and isinstance(d.kind, Num)


def takes_one(args: Any, kwargs: Any) -> bool:
    """Is a method of a frozen distribution called with its own argument alone, as it has to be?"""
    return len(args) + len(kwargs) == 1


@dataclass(eq=False)
class Frozen(Callback):
    """A distribution with numbers for parameters: arrays could change between its making and a call of a method."""

    distribution: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    place: Loc
    name = "distribution"

    @property
    def loc(self) -> Loc | None:  # type: ignore[override]
        """Where it is made."""
        return self.place

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        raise lowerer.refuse(node, "a distribution with parameters in it is called", "call a method of it")

    def method(self, lowerer: Any, name: str, node: Any) -> "FrozenMethod":
        """A method, before it is called. Raises a refusal for one that has no rule."""
        function = method_of(self.distribution, name)
        if function is None:
            what = f"{target_name(self.distribution)}.{name}"
            raise lowerer.refuse(node, f"{what} has no rule", f"call it outside, or give {what} a rule")
        return FrozenMethod(self, function)


@dataclass(eq=False)
class FrozenMethod(Callback):
    """A method of a frozen distribution."""

    frozen: Frozen
    function: Known
    name = "method of a distribution"

    @property
    def loc(self) -> Loc | None:  # type: ignore[override]
        """Where the distribution is made."""
        return self.frozen.place

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The parameters follow what the method takes itself."""
        if not takes_one(args, kwargs):
            raise lowerer.refuse(node, MORE_THAN_ONE, "leave out the others")
        return lowerer.call(self.function, (*args, *self.frozen.args), {**kwargs, **self.frozen.kwargs}, node)
