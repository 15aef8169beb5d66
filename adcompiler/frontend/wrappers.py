"""Functions that are made by others, inside of a program and before it: `functools.partial`, `operator.itemgetter`,
`np.vectorize`, and decorators that give what they are given.
"""

import functools
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.frontend.narrower import category, least
from adcompiler.frontend.scope import Callback, Closure
from adcompiler.ir.core import Value
from rules.libraries import fitting
from rules.python.higher_order import VECTORIZED

NONE = Known(None)
SIMPLE = ("np.vectorize with a signature, with arguments left out or with several results is not supported",
          "give it a function of numbers that returns one number, and otypes")  # fmt: skip


@dataclass(eq=False)
class Partial(Callback):
    """A function with some of its arguments."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name = "partial"

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The function with these arguments, and the others."""
        return lowerer.call(self.function, (*self.args, *args), {**self.kwargs, **kwargs}, node)

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.function, *self.args, *self.kwargs.values())


@dataclass(eq=False)
class Getter(Callback):
    """What `operator.itemgetter`, `attrgetter` and `methodcaller` make."""

    made: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name = "function of operator"

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The items, the attributes, or what the method of the argument gives."""
        if len(args) != 1 or kwargs:
            raise lowerer.refuse(node, f"what {self.made.__name__} makes is called with other than one argument",
                                 "give it the object alone")  # fmt: skip
        (x,) = args
        if self.made is operator.methodcaller:
            name, *rest = self.args
            method = lowerer.attribute(x, lowerer.static(name, node, "the name of a method"), node)
            return lowerer.call(method, tuple(rest), self.kwargs, node)
        found = []
        for part in self.args:
            d = x
            if self.made is operator.itemgetter:
                d = lowerer.subscript(x, part, node)
            else:
                for name in lowerer.static(part, node, "the name of an attribute").split("."):
                    d = lowerer.attribute(d, name, node)
            found.append(d)
        return found[0] if len(found) == 1 else tuple(found)

    @property
    def parts(self) -> tuple[Any, ...]:
        return (*self.args, *self.kwargs.values())


@dataclass(eq=False)
class Itself(Callback):
    """A decorator that gives the function that it is given, as far as values go."""

    name = "decorator"

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The function."""
        if len(args) != 1 or kwargs:
            raise lowerer.refuse(node, "a decorator is called with other than a function", "decorate a function")
        return args[0]


@dataclass(eq=False)
class Vectorized(Callback):
    """A function of numbers, of each element of arrays that are broadcast; with the dtype of what it gives."""

    function: Any
    dtype: Any = None
    name = "np.vectorize"

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The function of each element."""
        written = fitting(VECTORIZED, (self.function, *args, self.dtype), {})
        if written is None or kwargs:
            reason = "a function that np.vectorize made is called with other than one to three arrays"
            raise lowerer.refuse(node, reason, "write a loop over the elements")
        made = lowerer.follow(self.name, written, (self.function, *args, Known(self.dtype)), {}, node)
        if self.dtype is None:
            first_decides(lowerer, made, self.name, "name the dtype: np.vectorize(f, otypes=[float])", node)
        return made

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.function,)


def first_decides(lowerer: Any, made: Any, name: str, remedy: str, node: Any) -> None:
    """Refuse what NumPy gives the dtype of the first value, where that may be another than those of the rest."""
    if isinstance(made, Value) and least(made, lowerer.lowest, lowerer.defs, {}) < category(made.kind):
        reason = f"{name} gives the dtype of the first value, which may be an int while others are floats"
        raise lowerer.refuse(node, reason, remedy)


def vectorized(self: Any, node: Any, f: np.vectorize) -> Vectorized:
    """What `np.vectorize` made before the program runs. Raises Refusal."""
    if f.signature is not None or f.excluded or len(f.otypes or "") > 1:
        raise self.refuse(node, *SIMPLE)
    return Vectorized(Known(f.pyfunc), np.dtype(f.otypes) if f.otypes else None)


def _partial(self: Any, node: Any, f: Any, /, *args: Any, **kwargs: Any) -> Any:
    return Partial(f, args, kwargs)


def _vectorize(self: Any, node: Any, f: Any, otypes: Any = NONE, **kwargs: Any) -> Any:
    kinds = self.static(otypes, node, "the argument otypes of np.vectorize")
    kinds = [] if kinds is None else list(kinds)
    if kwargs or len(kinds) > 1:
        raise self.refuse(node, *SIMPLE)
    return Vectorized(f, np.dtype(kinds[0]) if kinds else None)


def _getter(made: Any) -> Any:
    def make(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
        return Getter(made, args, kwargs)

    return make


def _wraps(self: Any, node: Any, wrapped: Any, *args: Any, **kwargs: Any) -> Any:
    return Itself()


def _cached(self: Any, node: Any, function: Any = NONE, *args: Any, **kwargs: Any) -> Any:
    """A cache gives what the function gives."""
    called = isinstance(function, Closure | Callback) or (isinstance(function, Known) and callable(function.value))
    return function if called else Itself()


def remade(self: Any, node: Any, f: Any) -> Getter:
    """What one of `operator` has made before the program runs."""
    made, args = f.__reduce__()
    kwargs = made.keywords if isinstance(made, functools.partial) else {}
    args = (*made.args, *args) if isinstance(made, functools.partial) else args
    return Getter(type(f), tuple(map(self._outside, args)), {k: self._outside(v) for k, v in kwargs.items()})


GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
#: What makes a function.
WRAPPERS: dict[Any, Any] = {
    functools.partial: _partial, np.vectorize: _vectorize, functools.wraps: _wraps, functools.lru_cache: _cached,
    functools.cache: _cached, **{made: _getter(made) for made in GETTERS},
}  # fmt: skip
