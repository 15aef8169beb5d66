"""What a workload is: a program to differentiate, and the adjoints that a person would write for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
Arguments = tuple[Any, ...]

#: Takes the arguments of the program. Gives a tuple of gradients in the order of `argnums`, or (value, gradients).
Gradient = Callable[..., Any]

#: Takes the arguments too, allocates what their shapes need, and gives the gradient, which writes into that.
Prepare = Callable[..., Gradient]


@dataclass(frozen=True)
class Workload:
    """A program, what it is called with, and its references. Arguments are made when they are asked for."""

    name: str
    function: Callable[..., Any]
    #: Arguments to measure with, and a few numbers to test with.
    arguments: Callable[[], Arguments]
    small: Callable[[], Arguments]
    argnums: tuple[int, ...]
    #: Adjoints by hand: `hand` allocates as it goes; `pre` has allocated before, and is what others are compared
    #: with where there is one; `best` knows what no derivative of a single operation can know.
    references: dict[str, Prepare]
    #: Is the value asked for with the gradient?
    value: bool = False
    #: So many of the last arguments are numbers that a tracing compiler takes as constants: counts, step sizes.
    constants: int = 0
    #: Ours may take at most this many times as long as the reference.
    bar: float | None = None
    #: The largest relative difference that rounding accounts for.
    tolerance: float = 1e-9
    #: Too long for a quick run.
    long: bool = False

    @property
    def base(self) -> str:
        """The reference that ratios are taken to."""
        return "pre" if "pre" in self.references else "hand"


def once(gradient: Gradient) -> Prepare:
    """A reference that has nothing to prepare."""
    return lambda *arguments: gradient


def normal(*shape: int, seed: int = 0) -> Array:
    """Standard normal numbers, the same on every run."""
    return np.random.default_rng(seed).standard_normal(shape)


def uniform(low: float, high: float, *shape: int, seed: int = 0) -> Array:
    """Numbers between `low` and `high`, the same on every run."""
    return np.random.default_rng(seed).uniform(low, high, shape)
