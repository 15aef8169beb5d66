"""The gradient against central differences at two step sizes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import inner, random_like, tree_map
from .generate import Program
from .laws import Wrong

TOLERANCE = 1e-5  # of a gradient, relative


class Kink(Exception):
    """Differences at two step sizes disagree: there is nothing to compare with."""


def against_differences(
    program: Program,
    f: Callable[..., Any],
    args: tuple[Any, ...],
    gradient: Any,
    joint: int = 2,
    single: bool = True,
) -> None:
    """The gradient along random directions: of all arguments together, and of each alone."""
    rng = np.random.default_rng(abs(program.seed) + 17)
    gradients, like = program.gradients(gradient), program.chosen(args)
    directions = [random_like(like, rng) for _ in range(joint)]
    count = len(program.wanted)
    if single and count > 1:
        for i in range(count):
            drawn = random_like(like, rng)
            directions.append(tuple(d if i == k else nothing(d) for k, d in enumerate(drawn)))
    for direction in directions:
        compare(program.along(f, args, direction), inner(gradients, direction), "gradient")


def nothing(direction: Any) -> Any:
    """A direction that leads nowhere."""
    return tree_map(lambda along: None if along is None else np.zeros_like(along), direction)


def compare(along: Callable[[float], float], slope: float, what: str, steps: tuple[float, ...] = (1e-4, 2e-6)) -> None:
    """A slope at 0 against central differences at two step sizes, once more with smaller ones if in doubt.

    Raises Wrong where both differ from the slope and agree with each other, Kink where they disagree.
    """
    if not np.isfinite(slope):
        raise Wrong(f"{what}: not finite along a direction where the function is")
    here = float(along(0.0))
    verdict = ""
    for step in steps:
        tolerance = TOLERANCE if step > 1e-5 else 1e-4
        values = {h: float(along(h)) for h in (step, -step, step / 2, -step / 2)}
        wide = (values[step] - values[-step]) / (2 * step)
        narrow = (values[step / 2] - values[-step / 2]) / step
        finest = (4 * narrow - wide) / 3
        floor = 1e-8 * (1 + abs(here)) * (1e-4 / step) ** 0.5
        allowed = tolerance * max(abs(slope), abs(narrow)) + floor
        if min(abs(slope - d) for d in (wide, narrow, finest)) <= allowed:
            return
        corners = [abs(values[h] + values[-h] - 2 * here) / h for h in (step, step / 2)]
        smooth = corners[1] < 0.75 * corners[0] + floor
        agreeing = tolerance * max(abs(wide), abs(narrow)) + floor  # whatever the slope is
        if abs(wide - narrow) <= agreeing and smooth:
            verdict = f"{what}: {slope!r}, but differences give {finest!r} (steps {step} and {step / 2})"
            break
    if verdict:
        raise Wrong(verdict)
    raise Kink(f"{what}: differences at two step sizes disagree")
