"""What a gradient keeps of the forward sweep for the backward sweep, by the lines of the user's program.

The program is run by the interpreter up to the place where the backward sweep begins, and what that reads is measured.
"""

import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from adcompiler.compile import Build, leaf_values
from adcompiler.errors import GradientError
from adcompiler.ir.core import For, Function, Loc, Op, Region, Value, While, leaves, walk
from adcompiler.ir.interpret import interpret as run_ir
from adcompiler.passes.capture import shape_only
from adcompiler.passes.mark import turn
from rules.arrays import is_array
from rules.kind import Num


@dataclass(frozen=True)
class Kept:
    """Something that is kept: where it is made, what the program calls it, how many arrays or numbers, their bytes."""

    file: str
    line: int
    name: str
    count: int
    bytes: int

    @property
    def source(self) -> str:
        """The line of the program."""
        return linecache.getline(self.file, self.line).strip()


@dataclass(frozen=True)
class TapeReport:
    """What is kept, in the order of the lines. Arguments and shapes are not: they are there anyway."""

    kept: list[Kept] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """All of it."""
        return sum(k.bytes for k in self.kept)

    def __str__(self) -> str:
        rows = [
            (f"{Path(k.file).name}:{k.line}", k.name, f"{k.count} x {k.bytes // max(k.count, 1)}", f"{k.bytes} bytes",
             k.source)
            for k in self.kept
        ]  # fmt: skip
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, f"{self.bytes} bytes are kept"])


def tape_report(made: Build, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TapeReport:
    """What a gradient keeps for these arguments."""
    f = made.stages["capture"]
    at = next((i for i, op in enumerate(f.body.ops) if op.target is turn), None)
    if at is None:
        raise GradientError("what this gradient keeps is not known: its backward sweep does not begin in one place")
    forward, backward = Region([], f.body.ops[:at]), Region([], f.body.ops[at:], list(leaves(f.result)))
    made_before = {v: op for op in forward.ops for v in op.results}
    moving = _depending(forward, f.params)
    kept = [v for v in dict.fromkeys(_read(backward)) if v in made_before and v in moving and not _plain(v)]
    values = leaf_values(made.lowered, args, kwargs, made.request)
    found = run_ir(Function(f.name, f.params, Region([], forward.ops, kept), tuple(kept)), values) if kept else ()
    given = [x for x in values if is_array(x)]
    seen: set[int] = set()  # one array may be on several lists
    out = []
    for v, x in zip(kept, found, strict=True):
        items = [i for i in _items(x) if not _is_given(i, given) and id(i) not in seen]
        seen.update(id(i) for i in items if is_array(i))
        made_of = _element(v, made_before[v])
        loc = made_of.loc or made_before[v].loc or Loc("", 0)
        if items:
            out.append(Kept(loc.file, loc.line, made_of.hint, len(items), sum(map(_bytes, items))))
    return TapeReport(sorted(out, key=lambda k: (k.file, k.line)))


def _read(region: Region) -> list[Value]:
    """What the backward sweep reads of the values, and not for their shapes alone."""
    read = [v for op in walk(region) for v in op.operands() if v not in shape_only(op)]
    return [
        *read,
        *(v for op in walk(region) for sub in op.regions for v in leaves(sub.results)),
        *leaves(region.results),
    ]


def _plain(v: Value) -> bool:
    """Is this a number or a range, which costs nothing to keep?"""
    return isinstance(v.kind, Num) or bool(getattr(v.kind, "range", False))


def _items(x: Any) -> Iterator[Any]:
    """The arrays and numbers in something that is kept: in lists of lists, and in factors of matrices."""
    if isinstance(x, list | tuple):
        for item in x:
            yield from _items(item)
    else:
        yield x


def _bytes(x: Any) -> int:
    return int((x if is_array(x) else np.asarray(x)).nbytes)


def _is_given(x: Any, given: list[Any]) -> bool:
    return x is None or (is_array(x) and any(np.may_share_memory(x, g) for g in given))


def _element(v: Value, op: Op) -> Value:
    """What stands for something that is kept: for what a loop has collected, what it collects."""
    if isinstance(op, For | While) and v in op.results:
        y = op.body.results[op.results.index(v)]
        inits = dict(zip(op.carried, op.inits, strict=False))
        if isinstance(y, Value) and op.results.index(v) >= len(op.inits) and y not in inits:
            return y
        if isinstance(y, Value) and y in inits:  # what the iteration before has left
            before = op.body.results[op.carried.index(y)]
            return before if isinstance(before, Value) else v
    return v


def _depending(region: Region, params: list[Value]) -> set[Value]:
    """What depends on the values of arguments, and not on shapes alone."""
    found = set(params)
    for op in region.ops:
        inside = [v for o in walk(Region([], [op])) for v in o.operands() if v not in shape_only(o)]
        if not found.isdisjoint(inside):
            found.update(op.results)
    return found
