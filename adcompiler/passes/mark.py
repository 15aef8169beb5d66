"""Places in the program, kept as operations so that passes move with them."""

from typing import Any

from adcompiler.ir.core import Function, Region, Value, free_values, leaves


def turn() -> None:
    """Does nothing; the backward sweep begins here."""


def split(*cotangents: Any) -> None:
    """Does nothing; here begins the pullback, a function of the cotangents, which may be called again and again."""


def give_back(array: Any) -> None:
    """Does nothing; here nobody needs an array any more that a loop has kept, and it may be computed into again."""


def at_split(function: Function) -> int | None:
    """Where among its operations the pullback of a function begins; None if it has none."""
    return next((i for i, op in enumerate(function.body.ops) if op.target is split), None)


def read_by_pullback(function: Function) -> set[Value]:
    """What the pullback of a function reads of the forward sweep; empty without a pullback."""
    at = at_split(function)
    if at is None:
        return set()
    mark, *ops = function.body.ops[at:]
    return set(free_values(Region([], ops, list(leaves(function.result[1]))))) - set(mark.operands())
