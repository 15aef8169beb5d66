"""Places in the program, kept as operations so that passes move with them."""

from typing import Any

from adcompiler.ir.core import Function, Op, Region, Value, free_values, leaves, walk
from rules.kind import is_differentiable


def turn() -> None:
    """Does nothing; the backward sweep begins here."""


def split(*cotangents: Any) -> None:
    """Does nothing; here begins a pullback, a function of the cotangents, which may be called again and again.

    It ends at the next one, or at the end: one does not read what another computes.
    """


def give_back(array: Any) -> None:
    """Does nothing; here nobody needs an array any more that a loop has kept, and it may be computed into again."""


def at_split(function: Function) -> int | None:
    """Where among its operations the first pullback of a function begins; None if it has none."""
    return next((i for i, op in enumerate(function.body.ops) if op.target is split), None)


def pullbacks(ops: list[Op]) -> list[list[Op]]:
    """The operations of each pullback, of those of a function."""
    marks = [i for i, op in enumerate(ops) if op.target is split]
    return [ops[i + 1 : j] for i, j in zip(marks, [*marks[1:], len(ops)], strict=True)]


def behind_split(function: Function) -> set[int]:
    """The operations of the pullbacks of a function, those in loops and branches included."""
    at = at_split(function)
    return set() if at is None else {id(op) for op in walk(Region([], function.body.ops[at:]))}


def end_of_pullback(ops: list[Op], v: Value) -> int:
    """Where among the operations of a function the pullback ends that computes a value; where all end, if none does."""
    at = next((i for i, op in enumerate(ops) if v in op.results), len(ops))
    return next((i for i, op in enumerate(ops) if i > at and op.target is split), len(ops))


def incoming(function: Function, of: set[Value]) -> set[Value]:
    """The cotangents that the pullback of a function takes for these parts of its value."""
    at = at_split(function)
    if at is None:
        return set()
    cotangents = list(function.body.ops[at].operands())
    parts = [v for v in leaves(function.result[0]) if is_differentiable(v.kind)]
    if len(parts) != len(cotangents):  # some part has become a constant
        return set(cotangents)
    return {d for v, d in zip(parts, cotangents, strict=True) if v in of}


def read_by_pullback(function: Function) -> set[Value]:
    """What the pullbacks of a function read of the forward sweep; empty without a pullback."""
    at = at_split(function)
    if at is None:
        return set()
    mark, *ops = function.body.ops[at:]
    return set(free_values(Region([], ops, list(leaves(function.result[1]))))) - set(mark.operands())
