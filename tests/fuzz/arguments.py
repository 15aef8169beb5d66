"""Arguments of a generated program: specified once, built for any sizes and any seed.

Building the same specification twice with the same seed gives equal arguments in separate memory.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .kinds import FLOAT, INT, Array, Dict, Dims, Kind, ListOf, Record, Sequence, Static, length

Sizes = tuple[tuple[str, int], ...]
Layout = Literal["plain", "transposed", "strided", "reversed"]
Classes = Mapping[str, Any]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class ArrayLeaf:
    """A float array, or an array of small integers."""

    dims: Dims
    dtype: str = "float64"
    layout: Layout = "plain"

    @property
    def kind(self) -> Kind:
        return Array(self.dims, "int" if self.dtype == "int64" else "float")

    def build(self, sizes: Sizes, rng: np.random.Generator, classes: Classes) -> Any:
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

    def build(self, sizes: Sizes, rng: np.random.Generator, classes: Classes) -> Any:
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

    def build(self, sizes: Sizes, rng: np.random.Generator, classes: Classes) -> Any:
        return self.value


@dataclass(frozen=True)
class StaticLeaf:
    """A str, bool or None that selects what the program does."""

    value: str | bool | None

    @property
    def kind(self) -> Kind:
        return Static(self.value)

    def build(self, sizes: Sizes, rng: np.random.Generator, classes: Classes) -> Any:
        return self.value


@dataclass(frozen=True)
class Node:
    """A dict, tuple, list or object of specifications. Of a uniform list the program may not use the length.

    An object is of the class that `record` names, which is called with its attributes; what may be read of it besides
    is in the kind alone.
    """

    items: tuple[tuple[str, "Spec"], ...]
    flavour: Literal["dict", "tuple", "list", "object"]
    record: Record | None = None

    @property
    def kind(self) -> Kind:
        kinds = tuple((key, spec.kind) for key, spec in self.items)
        if self.record is not None:
            return self.record
        if self.flavour == "dict":
            return Dict(kinds)
        if self.flavour == "list" and len({kind for _, kind in kinds}) == 1:
            return ListOf(kinds[0][1], str(len(kinds)))
        return Sequence(tuple(kind for _, kind in kinds), self.flavour)

    def build(self, sizes: Sizes, rng: np.random.Generator, classes: Classes) -> Any:
        built = [(key, spec.build(sizes, rng, classes)) for key, spec in self.items]
        if self.record is not None:
            return classes[self.record.name](**dict(built))
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


def parts_of(spec: Spec, text: str = "") -> list[str]:
    """The ways to the differentiable parts of objects: `.v`, `[0].b`."""
    if not isinstance(spec, Node):
        return []
    found = []
    for key, item in spec.items:
        if spec.record is not None:
            there = f"{text}.{key}"
        else:
            there = f'{text}["{key}"]' if spec.flavour == "dict" else f"{text}[{key}]"
        inner = parts_of(item, there)
        found += [there, *inner] if is_differentiable(item) and spec.record is not None else inner
    return found


def leaves_of(spec: Spec) -> list[Leaf]:
    """The leaves, in order."""
    if isinstance(spec, Node):
        return [leaf for _, item in spec.items for leaf in leaves_of(item)]
    return [spec]


# trees: containers and objects of the program's classes, and what they hold


def is_object(tree: Any) -> bool:
    """Is it an object of a class of the program, or a namespace? A named tuple is not: it is a tuple."""
    return not isinstance(tree, (np.ndarray, np.generic, type, tuple, list, dict)) and (
        hasattr(tree, "__dict__") or hasattr(type(tree), "__slots__")
    )


def attributes(tree: Any) -> dict[str, Any]:
    """The attributes of an object that are its own, those in slots first."""
    slots = [name for cls in reversed(type(tree).__mro__) for name in getattr(cls, "__slots__", ())]
    return {**{n: getattr(tree, n) for n in slots if hasattr(tree, n)}, **getattr(tree, "__dict__", {})}


def with_attributes(tree: Any, values: Mapping[str, Any]) -> Any:
    """Another object of the same class, with these attributes."""
    made = type(tree).__new__(type(tree))
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def items_of(tree: Any) -> list[tuple[str | int, Any]] | None:
    """What a container or an object holds, each with its key; None of a leaf."""
    if isinstance(tree, dict):
        return list(tree.items())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(zip(tree._fields, tree, strict=True))
    if isinstance(tree, (tuple, list)):
        return list(enumerate(tree))
    return list(attributes(tree).items()) if is_object(tree) else None


def rebuilt(tree: Any, values: list[Any]) -> Any:
    """A container or an object of the same type that holds these."""
    if isinstance(tree, dict):
        return dict(zip(tree, values, strict=True))
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*values)
    if isinstance(tree, (tuple, list)):
        return type(tree)(values)
    return with_attributes(tree, dict(zip(attributes(tree), values, strict=True)))


def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The tree with `function` of corresponding leaves in place of each leaf."""
    items = items_of(tree)
    if items is None:
        return function(tree, *others)
    insides = [[value for _, value in items_of(other) or []] for other in others]
    return rebuilt(tree, [tree_map(function, *parts) for parts in zip([v for _, v in items], *insides, strict=True)])


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves, in order."""
    items = items_of(tree)
    return [tree] if items is None else [leaf for _, item in items for leaf in tree_leaves(item)]


def held(tree: Any) -> list[int]:
    """The identities of all that a tree holds."""
    return [id(tree), *(i for _, item in items_of(tree) or [] for i in held(item))]


def path_of(text: str) -> Path:
    """The keys in `.v[0]["b"]`."""
    return tuple(int(k) if k.isdigit() else k for k in re.findall(r"\w+", text))


def part(tree: Any, path: Path) -> Any:
    """What is at a place in a tree."""
    for key in path:
        tree = dict(items_of(tree) or [])[key]
    return tree


def replaced(tree: Any, path: Path, value: Any) -> Any:
    """The tree with something else at a place; what is beside it is the same."""
    if not path:
        return value
    items = items_of(tree) or []
    return rebuilt(tree, [replaced(item, path[1:], value) if key == path[0] else item for key, item in items])


def spoil(tree: Any) -> None:
    """Write over all arrays that a tree holds, and over the numbers that can be."""
    for key, item in items_of(tree) or []:
        spoil(item)
        if isinstance(item, np.ndarray):
            item[...] = 77
        elif isinstance(item, float) and isinstance(tree, (dict, list)):
            tree[key] = type(item)(77.0)
        elif isinstance(item, float) and is_object(tree):
            object.__setattr__(tree, str(key), type(item)(77.0))


def shown(tree: Any) -> str:
    """The tree as text."""
    if is_object(tree):
        return f"{type(tree).__name__}({', '.join(f'{k}={shown(v)}' for k, v in attributes(tree).items())})"
    return repr(tree)


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
    if type(one) is not type(other):
        return False
    items, others = items_of(one), items_of(other)
    if items is not None and others is not None:
        same = [key for key, _ in items] == [key for key, _ in others]
        return same and all(same_bits(a, b) for (_, a), (_, b) in zip(items, others, strict=True))
    if isinstance(one, np.ndarray):
        same_form = one.shape == other.shape and one.dtype == other.dtype
        return bool(same_form and one.tobytes() == other.tobytes())
    return bool(one == other) or (one != one and other != other)
