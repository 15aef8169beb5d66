"""What loops read: sequences of unknown length, iterators, and views of dicts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from adcompiler.ir.core import Value


@dataclass
class Iteration:
    """How a loop reads something of unknown length: sequences, and what the loop variable is of their elements."""

    sequences: list[Any]
    element: Callable[[list[Value]], Any]
    length: Any = None


@dataclass(eq=False)
class Once:
    """What zip, enumerate, map and reversed give: it can be read once, and reads what it is `of` then, not before."""

    of: tuple[Any, ...]
    make: Callable[[], Any]
    read: bool = False
    #: Older than all values that are made after it.
    born: int = field(default_factory=lambda: Value(None).id)


@dataclass(eq=False, kw_only=True)
class Generated(Once):
    """What a call of a generator function gives: `frame` is that of the function, which has not begun."""

    node: Any
    frame: Any
    name: str
    bound: dict[str, Any]


class View(Once):
    """What the methods of a dict give: it can be read again, and sees what the dict has by then."""
