"""What must hold of results, each law a function that raises Wrong."""

from dataclasses import is_dataclass
from typing import Any

import numpy as np

from .arguments import attributes, is_object, same_bits, tree_leaves
from .generate import Program


class Wrong(Exception):
    """A law that does not hold."""


def expect_close(what: str, got: Any, expected: Any, tolerance: float) -> None:
    """Two numbers, to a relative tolerance."""
    if np.shape(got) != () or not np.isfinite(got):
        raise Wrong(f"{what}: {got!r}, expected {expected!r}")
    if abs(float(got) - float(expected)) > tolerance * max(1.0, abs(float(expected))):
        raise Wrong(f"{what}: {got!r}, expected {expected!r}")


def expect_tree(what: str, got: Any, expected: Any, tolerance: float, absolute: float = 1e-13) -> None:
    """Two trees of numbers and arrays, to a tolerance relative to the largest entry of each leaf."""
    largest = max((float(np.max(np.abs(leaf), initial=0.0)) for leaf in tree_leaves(expected)), default=0.0)
    for one, other in zip(tree_leaves(got), tree_leaves(expected), strict=True):
        if np.shape(one) != np.shape(other):
            raise Wrong(f"{what}: shapes {np.shape(one)} and {np.shape(other)}")
        scale = float(np.max(np.abs(other), initial=0.0)) + 1e-3 * largest
        difference = float(np.max(np.abs(np.asarray(one, "float64") - other), initial=0.0))
        if not difference <= tolerance * scale + absolute:
            raise Wrong(f"{what}: differ by {difference:.3g}, of {scale:.3g}")


def well_formed(program: Program, gradient: Any, args: tuple[Any, ...]) -> None:
    """The gradient has the argument's structure, shapes, dtypes and types, is finite, and owns its memory."""
    if isinstance(program.argnums, tuple) and not isinstance(gradient, tuple):
        raise Wrong(f"several arguments, but a {type(gradient).__name__} of gradients")
    gradients, wanted = program.gradients(gradient), program.chosen(args)
    if len(gradients) != len(wanted):
        raise Wrong(f"{len(gradients)} gradients of {len(wanted)} arguments")
    for name, one, argument in zip(program.wanted, gradients, wanted, strict=True):
        same_form(f"gradient of argument {name}", one, argument)
    leaves = [leaf for leaf in tree_leaves(gradients) if isinstance(leaf, np.ndarray)]
    for leaf in leaves:
        if not leaf.flags.writeable:
            raise Wrong("a gradient is read-only")
    apart(leaves, "two gradients")
    for leaf in leaves:
        for other in tree_leaves(args):
            if isinstance(other, np.ndarray) and np.shares_memory(leaf, other):
                raise Wrong("a gradient shares memory with an argument")


def same_form(what: str, one: Any, argument: Any) -> None:
    """Raise unless a gradient looks like its argument, or is a dict of the attributes of one that is no dataclass."""
    if is_object(argument):
        wanted = type(argument) if is_dataclass(argument) else dict
        if type(one) is not wanted:
            raise Wrong(f"{what}: a {type(one).__name__}, where a {wanted.__name__} is meant")
        argument = attributes(argument)
        one = attributes(one) if is_object(one) else one
    if type(one) is not type(argument):
        raise Wrong(f"{what}: a {type(one).__name__}, where the argument is a {type(argument).__name__}")
    if isinstance(argument, dict):
        if list(one) != list(argument):
            raise Wrong(f"{what}: keys {list(one)}, where the argument has {list(argument)}")
        for key in argument:
            same_form(f"{what}[{key!r}]", one[key], argument[key])
    elif isinstance(argument, (tuple, list)):
        if len(one) != len(argument):
            raise Wrong(f"{what}: {len(one)} items, where the argument has {len(argument)}")
        for i, (part, whole) in enumerate(zip(one, argument, strict=True)):
            same_form(f"{what}[{i}]", part, whole)
    elif isinstance(argument, np.ndarray):
        if one.shape != argument.shape or one.dtype != argument.dtype:
            raise Wrong(f"{what}: {one.dtype}{one.shape}, expected {argument.dtype}{argument.shape}")
    if isinstance(argument, (float, np.ndarray)) and not np.all(np.isfinite(one)):
        raise Wrong(f"{what}: not finite")


def apart(leaves: list[Any], what: str) -> None:
    """Raise if two of the arrays share memory."""
    arrays = [leaf for leaf in leaves if isinstance(leaf, np.ndarray)]
    for i, one in enumerate(arrays):
        for other in arrays[i + 1 :]:
            if np.shares_memory(one, other):
                raise Wrong(f"{what} share memory")


def unchanged(what: str, args: tuple[Any, ...], pristine: tuple[Any, ...]) -> None:
    """Raise if an argument is no longer what was passed."""
    if not same_bits(args, pristine):
        raise Wrong(f"{what} changed an argument")
