"""Functions that are made of functions: `functools.partial` and `np.vectorize`, inside of a program and before it."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.frontend.narrower import category, least
from adcompiler.frontend.scope import Callback
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


#: What makes a function of a function.
WRAPPERS = {functools.partial: _partial, np.vectorize: _vectorize}
