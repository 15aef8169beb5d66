"""Objects, as expressions denote them: cells of a heap, whose attributes are names in a frame of their own.

p.x = p.x + dt * p.v       ->       the name "p.x" of the heap denotes %x2, for all that denotes the object p

So branches join attributes and loops carry them as they do names, and a change in place of an array reaches those that
hold it. An object stays the same denotation whatever happens to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from adcompiler.frontend.iterators import Once
from adcompiler.frontend.kinds import ListOf
from adcompiler.frontend.scope import Callback, Closure, Maybe, Method, moment
from adcompiler.ir.structure import parts


@dataclass(eq=False)
class Record:
    """An object of a class of the user's. `name` tells it from all others; messages have it too.

    Where paths meet and where loops begin it is one of several objects: `may` are those that were made as such. Two
    denotations may be the same object if they have one of them in common.
    """

    cls: type
    name: str
    born: int = field(default_factory=moment)
    may: "set[Record]" = field(default_factory=set)

    def __post_init__(self) -> None:
        self.may = self.may or {self}

    def may_be(self, other: "Record") -> bool:
        """May both be the same object, without surely being it?"""
        return self is not other and not self.may.isdisjoint(other.may)

    def place(self, attribute: str) -> str:
        """The name of an attribute in the heap."""
        return f"{self.name}.{attribute}"


@dataclass(frozen=True)
class Parent:
    """What `super()` gives: the methods that the classes behind `after` have, of an object or a class."""

    after: type
    owner: Any


@dataclass(eq=False)
class Bound(Callback):
    """A method of an object, before it is called."""

    function: Any
    owner: Any
    name: str = "method"

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        return lowerer.call(self.function, (self.owner, *args), kwargs, node)

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.owner, self.function)


def of_heap(name: str) -> bool:
    """Is this the name of an attribute in the heap, rather than one of a function?"""
    return "." in name


def owner_of(name: str) -> str:
    """The name of the object whose attribute this is."""
    return name.rpartition(".")[0]


def records(d: Any) -> Iterator[Record]:
    """The objects that a denotation holds."""
    if isinstance(d, Record):
        yield d
    elif isinstance(d, Maybe):
        yield from records(d.value)
    elif isinstance(d, Method | Parent):
        yield from records(d.owner)
    elif isinstance(d, ListOf):
        yield from records(d.element)
    elif isinstance(d, Closure):
        for x in d.defaults.values():
            yield from records(x)
    elif isinstance(d, Callback | Once):
        for x in d.parts if isinstance(d, Callback) else d.of:
            yield from records(x)
    elif isinstance(d, tuple | list | dict):
        for _, x in parts(d):
            yield from records(x)
