"""Arguments of a generated program: specified once, built for any sizes and any seed.

Building the same specification twice with the same seed gives equal arguments in separate memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .kinds import FLOAT, INT, Array, Dict, Dims, Kind, ListOf, Sequence, Static, length

Sizes = tuple[tuple[str, int], ...]
Layout = Literal["plain", "transposed", "strided", "reversed"]


@dataclass(frozen=True)
class ArrayLeaf:
    """A float array, or an array of small integers."""

    dims: Dims
    dtype: str = "float64"
    layout: Layout = "plain"

    @property
    def kind(self) -> Kind:
        return Array(self.dims, "int" if self.dtype == "int64" else "float")

    def build(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        shape = tuple(length(dim, sizes) for dim in self.dims)
        if self.dtype == "int64":
            return rng.integers(-2, 3, shape)
        values = rng.uniform(-1.5, 1.5, shape).astype(self.dtype)
        match self.layout:
            case "transposed":
                return np.array(values.T, order="C").T
            case "strided":
                room = np.zeros((*shape[:-1], 2 * shape[-1]), self.dtype)
                room[..., ::2] = values
                return room[..., ::2]
            case "reversed":
                return values[::-1]
        return values


@dataclass(frozen=True)
class NumberLeaf:
    """A Python float, an np.float64 or a 0-d array."""

    type: Literal["float", "float64", "0-d"] = "float"

    @property
    def kind(self) -> Kind:
        return Array(()) if self.type == "0-d" else FLOAT

    def build(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        value = float(rng.uniform(-1.5, 1.5))
        if self.type == "float":
            return value
        return np.float64(value) if self.type == "float64" else np.array(value)


@dataclass(frozen=True)
class IntLeaf:
    """A Python int, the same for every call."""

    value: int

    @property
    def kind(self) -> Kind:
        return INT

    def build(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        return self.value


@dataclass(frozen=True)
class StaticLeaf:
    """A str, bool or None that selects what the program does."""

    value: str | bool | None

    @property
    def kind(self) -> Kind:
        return Static(self.value)

    def build(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        return self.value


@dataclass(frozen=True)
class Node:
    """A dict, tuple or list of specifications. Of a uniform list the program may not use the length."""

    items: tuple[tuple[str, "Spec"], ...]
    flavour: Literal["dict", "tuple", "list"]

    @property
    def kind(self) -> Kind:
        kinds = tuple((key, spec.kind) for key, spec in self.items)
        if self.flavour == "dict":
            return Dict(kinds)
        if self.flavour == "list" and len({kind for _, kind in kinds}) == 1:
            return ListOf(kinds[0][1], str(len(kinds)))
        return Sequence(tuple(kind for _, kind in kinds), self.flavour)

    def build(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        built = [(key, spec.build(sizes, rng)) for key, spec in self.items]
        if self.flavour == "dict":
            return dict(built)
        return (tuple if self.flavour == "tuple" else list)(value for _, value in built)


Leaf = ArrayLeaf | NumberLeaf | IntLeaf | StaticLeaf
Spec = Leaf | Node


@dataclass(frozen=True)
class Parameter:
    """A parameter of the program and what is passed for it."""

    name: str
    spec: Spec
    default: str | None = None
    omitted: bool = False

    @property
    def differentiable(self) -> bool:
        return is_differentiable(self.spec)


def is_differentiable(spec: Spec) -> bool:
    """Whether every leaf is a float number or array."""
    if isinstance(spec, Node):
        return bool(spec.items) and all(is_differentiable(item) for _, item in spec.items)
    return isinstance(spec, NumberLeaf) or (isinstance(spec, ArrayLeaf) and spec.dtype != "int64")


def leaves_of(spec: Spec) -> list[Leaf]:
    """The leaves, in order."""
    if isinstance(spec, Node):
        return [leaf for _, item in spec.items for leaf in leaves_of(item)]
    return [spec]


def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The tree with `function` of corresponding leaves in place of each leaf."""
    if isinstance(tree, dict):
        return {key: tree_map(function, tree[key], *(other[key] for other in others)) for key in tree}
    if isinstance(tree, (tuple, list)):
        return type(tree)(tree_map(function, *items) for items in zip(tree, *others, strict=True))
    return function(tree, *others)


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves, in order."""
    if isinstance(tree, dict):
        return [leaf for item in tree.values() for leaf in tree_leaves(item)]
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in tree_leaves(item)]
    return [tree]


def is_active(leaf: Any) -> bool:
    """Whether a leaf is a float number or array, and so can have a gradient."""
    return isinstance(leaf, float) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")


def in_double(tree: Any) -> Any:
    """A copy with every float32 array made float64."""
    return tree_map(
        lambda leaf: leaf.astype("float64") if isinstance(leaf, np.ndarray) and is_active(leaf) else leaf,
        tree,
    )


def random_like(tree: Any, rng: np.random.Generator) -> Any:
    """A random direction: of the shape of each active leaf, and None elsewhere."""
    return tree_map(lambda leaf: rng.standard_normal(np.shape(leaf)) if is_active(leaf) else None, tree)


def moved(tree: Any, direction: Any, step: float) -> Any:
    """`tree + step * direction` on active leaves, which keep their types."""

    def move(leaf: Any, along: Any) -> Any:
        if along is None:
            return leaf
        if isinstance(leaf, np.ndarray):
            return np.asarray(leaf + step * along, dtype=leaf.dtype)
        return type(leaf)(leaf + step * float(along))

    return tree_map(move, tree, direction)


def inner(gradient: Any, direction: Any) -> float:
    """The sum over active leaves of gradient times direction."""
    pairs = zip(tree_leaves(gradient), tree_leaves(direction), strict=True)
    return float(sum(np.sum(np.asarray(g, dtype="float64") * along) for g, along in pairs if along is not None))


def random_tangent(tree: Any, rng: np.random.Generator) -> Any:
    """A direction in which the tree can move: of the type, shape and dtype of each active leaf, None elsewhere."""

    def drawn(leaf: Any) -> Any:
        if not is_active(leaf):
            return None
        values = rng.standard_normal(np.shape(leaf))
        return np.asarray(values, leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(values)

    return tree_map(drawn, tree)


def size(gradient: Any, direction: Any) -> float:
    """The sum of the magnitudes of which `inner` is the sum: what rounding is relative to."""
    pairs = zip(tree_leaves(gradient), tree_leaves(direction), strict=True)
    return float(sum(np.sum(np.abs(np.asarray(g, "float64") * along)) for g, along in pairs if along is not None))


def same_bits(one: Any, other: Any) -> bool:
    """Whether two trees have the same structure, types, shapes, dtypes and bits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same_bits(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)) and type(one) is type(other):
        return len(one) == len(other) and all(map(same_bits, one, other))
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        same_form = one.shape == other.shape and one.dtype == other.dtype
        return bool(same_form and one.tobytes() == other.tobytes())
    return bool(one == other) or (one != one and other != other)
