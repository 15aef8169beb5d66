"""Sequences that loops read: lists, ranges and arrays by their rows."""

import operator
from typing import Any

from rules.kind import Array, Seq, lengths
from rules.rule import borrows, primitive, rule


@primitive
def backwards(x: Any) -> Any:
    """The elements in reverse order, as something that can be read again: `x[::-1]`."""
    return x[::-1]


@primitive
def largest(items: Any) -> Any:
    """Python's `max(items)`, of a list or a 1-d array. Raises ValueError where there is nothing."""
    return max(items)


@primitive
def smallest(items: Any) -> Any:
    """Python's `min(items)`, of a list or a 1-d array. Raises ValueError where there is nothing."""
    return min(items)


@primitive
def must_run(name: str, *sequences: Any) -> None:
    """Raise ValueError where a loop has nothing to run over whose first iteration makes a number an array."""
    if not min(map(len, sequences)):
        raise ValueError(
            f"{name} is an array after a loop that runs at least once, and a number after one that does not: "
            "begin with an array of zeros, such as np.zeros_like(x)"
        )


@primitive
def same_value(a: Any, b: Any) -> bool:
    """Python's `a == b` of what is not known when compiling, where it is true or false."""
    return bool(a == b)


@primitive
def same_items(a: Any, b: Any) -> bool:
    """Python's `a == b` of lists of numbers, which may be kept in arrays."""
    return len(a) == len(b) and all(map(operator.eq, a, b))


@primitive
def among(x: Any, items: Any) -> bool:
    """Python's `x in items` of a number, in a list of numbers, which may be kept in an array, or a range."""
    return x in items


def _reversed_kind(x: Any) -> Any:
    """The same kind; a list whose elements are lists or arrays of varying lengths stays one."""
    if isinstance(x, Seq):
        return Seq(x.element, x.range, x.length)
    return Array(x.dtype, (lengths().resolve(x.shape[0]), *x.shape[1:]), x.xp)


@rule("y = backwards(x)", backwards)
class backwards_rule:
    def kind(x): return _reversed_kind(x)
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return backwards(d_y)
    def t_y(t_x): return backwards(t_x)
