"""What users write inside a function about its derivative: `stop_gradient`, `checkpoint` and `cotangent`."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from adcompiler.frontend.kinds import Known
from adcompiler.frontend.scope import Closure
from adcompiler.frontend.structural import STRUCTURAL
from adcompiler.ir.core import Value, map_tree
from adcompiler.passes.stop import stop_gradient
from adcompiler.passes.surgery import cotangent
from rules.kind import is_differentiable


class Checkpointed:
    """A function whose calls are computed again in the reverse sweep. Called by Python, it is the function."""

    def __init__(self, f: Any) -> None:
        functools.update_wrapper(self, f)
        self.__adc_checkpoint__ = f

    @property
    def __adc_wrapped__(self) -> Any:
        return self.__adc_checkpoint__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__adc_checkpoint__(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else Checkpointed(self.__adc_checkpoint__.__get__(instance, owner))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checkpointed) and other.__adc_checkpoint__ == self.__adc_checkpoint__

    def __hash__(self) -> int:
        return hash(self.__adc_checkpoint__)

    def __repr__(self) -> str:
        return f"<checkpoint of {getattr(self, '__qualname__', self.__adc_checkpoint__)}>"


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, of whose calls the reverse sweep keeps the arguments alone, and computes the inside again: time for memory.

    Written in a function that is differentiated, `checkpoint(f)(x)`, or as a decorator of a helper. Value and
    gradient are those without it. What `f` prints is printed once. Called by Python, it is `f`.

    Raises:
        TypeError: `f` is not callable.
        UnsupportedError: when a gradient is compiled, if `f` depends on a call that cannot be seen into, and so may
            return something else the second time.

    >>> import numpy as np
    >>> from adcompiler import grad
    >>> layer = checkpoint(lambda W, h: np.tanh(W @ h))
    >>> def loss(W, h):
    ...     for _ in range(3):
    ...         h = layer(W, h)
    ...     return np.sum(h)
    >>> grad(loss)(np.zeros((2, 2)), np.ones(2))
    array([[0., 0.],
           [0., 0.]])
    """
    if not callable(f):
        raise TypeError(f"checkpoint takes a function, not {f!r}")
    return Checkpointed(f)


def _stop_gradient(self: Any, node: Any, x: Any) -> Any:
    """The same tree, where no derivative goes through the floats; lists and dicts in it stay the same objects."""

    def stopped(v: Value) -> Any:
        return self.emit(stop_gradient, v) if is_differentiable(v.kind) else v

    same = map_tree(stopped, x)
    self.alike(x, same)
    return same


def _checkpoint(self: Any, node: Any, f: Any) -> Any:
    if isinstance(f, Closure):
        return replace(f, checkpoint=True)
    if not isinstance(f, Known) or not callable(f.value):
        raise self.refuse(node, "checkpoint takes a function that is known when compiling",
                          "give it a function or a lambda: checkpoint(f)(x)")  # fmt: skip
    return Known(Checkpointed(f.value))


STRUCTURAL[stop_gradient] = _stop_gradient
STRUCTURAL[checkpoint] = _checkpoint

__all__ = ["checkpoint", "cotangent", "stop_gradient"]
