"""The elements on the diagonals of a matrix, of rows that hold them in its columns, as SciPy's format "dia" does."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rules.arrays import device
from rules.kind import Array, lengths
from rules.rule import Like, primitive, rule


def _places(offsets: tuple[int, ...], shape: Any, width: int) -> Iterator[tuple[int, slice]]:
    """The row and the columns in which each diagonal lies; rows may end before the last column."""
    for i, k in enumerate(offsets):
        first = max(k, 0)
        yield i, slice(first, max(min(shape[0] + k, shape[1], width), first))


@primitive
def banded(rows: Any, offsets: tuple[int, ...], shape: Any) -> Any:
    """The elements on the diagonals of a matrix of this shape, one diagonal after the other."""
    return np.concatenate([rows[at] for at in _places(offsets, shape, rows.shape[1])])


@primitive
def in_rows(e: Any, like: Any, offsets: tuple[int, ...], shape: Any) -> Any:
    """Zeros of the shape of `like` with the elements where `banded` reads."""
    out, start = np.zeros(like.shape, e.dtype, like=device(like)), 0
    for at in _places(offsets, shape, like.shape[1]):
        end = start + out[at].size
        out[at], start = e[start:end], end
    return out


@rule("e = banded(rows, offsets, shape)", banded)
class banded_rule:
    """It is no view, and read again like one when the rows are changed (`lenses`)."""

    view = "rows"
    def kind(rows): return Array(rows.dtype, (lengths().fresh(),), rows.xp)
    def d_rows(d_e, rows: Like, offsets, shape): return in_rows(d_e, rows, offsets, shape)
    def t_e(t_rows, offsets, shape): return banded(t_rows, offsets, shape)


@rule("rows = in_rows(e, like, offsets, shape)", in_rows)
class in_rows_rule:
    def kind(e, like): return Array(e.dtype, like.shape, like.xp)
    def d_e(d_rows, offsets, shape): return banded(d_rows, offsets, shape)
    def t_rows(t_e, like: Like, offsets, shape): return in_rows(t_e, like, offsets, shape)
