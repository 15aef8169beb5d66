"""What the generator knows of a value: its kind with symbolic lengths, a bound, and whose memory it is.

Lengths are Python expressions over symbols, or digits: n, m, k stand for two or more, p, q for the same in
helpers, e for zero, u for the unknown length of a list. Two arrays
broadcast only where their lengths are the same *text*, or "1"; so a program that runs for one choice of sizes
runs for all of them.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

Dim = str
Dims = tuple[Dim, ...]
Type = Literal["float", "int", "bool"]

SMALLEST = (("e", 0), ("k", 2), ("m", 2), ("n", 2), ("p", 2), ("q", 2), ("u", 0))
LARGEST = (("e", 0), ("k", 5), ("m", 5), ("n", 5), ("p", 5), ("q", 5), ("u", 5))
NOBODY = "!"  # the root of a view of a temporary: not a name, and not ours to write into either


@dataclass(frozen=True)
class Number:
    """A Python float, a NumPy scalar or an int."""

    type: Type = "float"


@dataclass(frozen=True)
class Array:
    """An array with one length for each axis; no axes for a 0-d array."""

    dims: Dims
    type: Type = "float"


@dataclass(frozen=True)
class Sequence:
    """A tuple or list of known structure."""

    items: tuple["Kind", ...]
    flavour: Literal["tuple", "list"] = "tuple"


@dataclass(frozen=True)
class ListOf:
    """A list, or a tuple of any length, with elements of one kind."""

    element: "Kind"
    length: Dim


@dataclass(frozen=True)
class Dict:
    """A dict with known string keys."""

    items: tuple[tuple[str, "Kind"], ...]


@dataclass(frozen=True)
class Record:
    """An object of a class of the program, with the attributes that can be read of it."""

    name: str
    items: tuple[tuple[str, "Kind"], ...]


@dataclass(frozen=True)
class Static:
    """A str, bool or None that the caller fixes; `value` is what the caller passes."""

    value: str | bool | None


@dataclass(frozen=True)
class Text:
    """A local string."""


Kind = Number | Array | Sequence | ListOf | Dict | Record | Static | Text
FLOAT = Number("float")
INT = Number("int")


@dataclass(frozen=True)
class Expr:
    """Source text and what is known of its value.

    Every number in it lies in [-bound, bound] and is at least `low`; both are meant to keep values tame.
    `roots` names the variables that it may share memory with, and is empty for fresh memory.
    """

    text: str
    kind: Kind = FLOAT
    bound: float = 1.0
    low: float = float("-inf")
    roots: frozenset[str] = frozenset()
    atom: bool = True

    @property
    def dims(self) -> Dims:
        """The lengths of an array; () for a number."""
        return self.kind.dims if isinstance(self.kind, Array) else ()

    @property
    def closed(self) -> str:
        """The text, in parentheses unless it binds tightest."""
        return self.text if self.atom else f"({self.text})"

    def but(self, text: str, **changes: object) -> "Expr":
        """The same value written differently."""
        return replace(self, text=text, **changes)  # type: ignore[arg-type]


@cache
def length(dim: Dim, sizes: tuple[tuple[str, int], ...]) -> int:
    """The length that a symbolic length has for the given sizes."""
    return int(eval(dim, {"max": max}, dict(sizes)))


def shortest(dims: Dims) -> int:
    """The least length that an axis can have."""
    return min((length(d, SMALLEST) for d in dims), default=1)


def most(dims: Dims) -> int:
    """The largest number of elements that an array can have."""
    count = 1
    for dim in dims:
        count *= length(dim, LARGEST)
    return count


def less(dim: Dim, by: int) -> Dim:
    """The length after `by` elements are sliced off."""
    return f"max({dim}-{by},0)"


def renamed(kind: Kind, symbols: dict[str, str]) -> Kind:
    """The kind with the symbols in its lengths replaced by other lengths."""
    match kind:
        case Array(dims, type):
            return Array(tuple(substituted(d, symbols) for d in dims), type)
        case Sequence(items, flavour):
            return Sequence(tuple(renamed(item, symbols) for item in items), flavour)
        case ListOf(element, dim):
            return ListOf(renamed(element, symbols), substituted(dim, symbols))
        case Dict(items):
            return Dict(tuple((key, renamed(item, symbols)) for key, item in items))
    return kind


def substituted(dim: Dim, symbols: dict[str, str]) -> Dim:
    """A length with its symbols replaced."""

    def by(found: re.Match[str]) -> str:
        text = symbols.get(found[0], found[0])
        return text if text.isalnum() or text.startswith("max(") else f"({text})"

    return symbols[dim] if dim in symbols else re.sub(r"\b[a-z]\b", by, dim)


def lengths_of(kind: Kind) -> list[Dim]:
    """The lengths that occur in a kind."""
    match kind:
        case Array(dims):
            return list(dims)
        case Sequence(items):
            return [dim for item in items for dim in lengths_of(item)]
        case ListOf(element, dim):
            return [dim, *lengths_of(element)]
        case Dict(items):
            return [dim for _, item in items for dim in lengths_of(item)]
    return []


def symbols_of(kinds: list[Kind]) -> list[str]:
    """The symbols that occur in the lengths of some kinds, in order."""
    return sorted({s for kind in kinds for dim in lengths_of(kind) for s in re.findall(r"\b[a-z]\b", dim)})
