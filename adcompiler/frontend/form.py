"""What tells the calls of a function apart: calls of one form are calls of one function of the IR.

f(x[1:], 3), f(y, n - 1)      ->      f(f64[a], int)      twice
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Closure, Frame
from adcompiler.ir.core import Value
from rules.kind import ONE, Array, Length, Num, Seq


class Form:
    """What tells the calls of a function apart: the structure and kinds of its arguments, and what is known of them.

    `given` are the denotations that become parameters, by their places; `lengths` those of the axes of arrays.
    """

    def __init__(self, static: Callable[[tuple[Any, ...]], bool]) -> None:
        self.static = static
        self.given: list[tuple[tuple[Any, ...], Any]] = []
        self.lengths: list[Length] = []
        self.frames: list[int] = []

    def of(self, d: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(d, Known):
            if not is_number(d) or self.static(path):
                plain = d.value is None or isinstance(d.value, int | float | complex | str | bytes)
                return "known", type(d.value), repr(d.value) if plain else id(d.value)
            self.given.append((path, d))
            return "number", type(d.value)
        if isinstance(d, Value):
            self.given.append((path, d))
            return self.kind(d.kind)
        if isinstance(d, tuple | list):
            return type(d), *(self.of(x, (*path, i)) for i, x in enumerate(d))
        if isinstance(d, dict):
            return dict, *((k, self.of(x, (*path, k))) for k, x in d.items())
        if isinstance(d, ListOf):
            return ListOf, self.of(d.element, (*path, "*"))
        if isinstance(d, Closure):
            self.frames.append(id(d))
            return Closure, d.node.lineno, d.node.col_offset
        if isinstance(d, slice):
            return slice, *(self.of(x, path) for x in (d.start, d.stop, d.step) if isinstance(x, Known))
        self.frames.append(id(d))
        return (type(d), d.name) if isinstance(d, Record) else (type(d),)

    def kind(self, kind: Any) -> Any:
        if isinstance(kind, Array):
            self.lengths.extend(kind.shape)
            return "array", str(kind.dtype), kind.ndim, kind.xp
        if isinstance(kind, Num):
            return "number", kind.type
        if isinstance(kind, Seq):
            element = kind.element
            if isinstance(element, Array):
                return "list", str(element.dtype), tuple(n == ONE for n in element.shape), element.xp
            return "list", kind.range, str(element)
        return "object", str(kind)


def identity_of(node: Any, frame: Frame) -> Any:
    """Which function this is: where it stands, and the variables around it if it exists already."""
    source = frame.source
    cells = tuple(map(id, source.cells.values())) if frame.parent is None else ()
    followed = (id(source.function),) if source.of_rules and frame.parent is None else ()  # it stands at its call
    return (source.file, node.lineno, node.col_offset, *followed, *cells)


def is_number(d: Known) -> bool:
    return isinstance(d.value, int | float | complex | np.number) and not isinstance(d.value, bool)


def wider(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """What two calls have in common: axes that are equally long in both, and axes of length 1."""
    pairs = list(zip(a, b, strict=True))
    kinds = [p for p in dict.fromkeys(pairs) if p != (-1, -1)]
    return tuple(-1 if p == (-1, -1) else kinds.index(p) for p in pairs)
