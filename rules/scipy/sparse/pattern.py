"""Where the elements of a sparse matrix are: what a matrix of SciPy has besides its data, as a value of its own.

A matrix that is made of data is its pattern and its data. The data have derivatives, with a cotangent for each element
of the pattern, however many there are in one place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rules.kind import Array, KindError, Length, Num, Token, constant, length_of, lengths
from rules.rule import nondifferentiable, primitive


class Pattern:
    """The places of elements: `first` and `second` are row and column of each, or indices and where each line begins.

    They are copies, since a pattern lasts until the reverse sweep.
    """

    def __init__(self, form: str, first: Any, second: Any, shape: Any = None) -> None:
        self.form = form
        parts = (np.array(first), np.array(second))
        made = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}[form]
        held = np.zeros(len(parts[0]), np.int8)
        self.made: Callable[..., Any] = made
        empty: Any = made((held, parts) if form == "coo" else (held, *parts), shape)
        self.parts: tuple[Any, Any] = (empty.row, empty.col) if form == "coo" else (empty.indices, empty.indptr)
        if form != "coo":
            empty.check_format(full_check=True)
            if len(parts[0]) != parts[1][-1]:
                raise ValueError("a sparse matrix with more elements than its rows have is not supported: prune() it")
        self.shape: tuple[int, int] = empty.shape

    @property
    def count(self) -> int:
        """The number of elements."""
        return len(self.parts[0])

    def matrix(self, data: Any) -> Any:
        """The matrix of SciPy, with these elements."""
        parts = (data, self.parts) if self.form == "coo" else (data, *self.parts)
        return self.made(parts, shape=self.shape)

    @cached_property
    def places(self) -> tuple[Any, Any]:
        """The row and the column of each element."""
        first, second = (part.astype(np.intp) for part in self.parts)
        if self.form == "coo":
            return first, second
        line = np.repeat(np.arange(len(second) - 1), np.diff(second))
        return (line, first) if self.form == "csr" else (first, line)

    @cached_property
    def transposed(self) -> "Pattern":
        """The pattern of the transpose, with the elements in the same order."""
        made: Pattern = object.__new__(Pattern)
        made.form = {"csr": "csc", "csc": "csr", "coo": "coo"}[self.form]
        made.made = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}[made.form]
        made.parts = self.parts[::-1] if self.form == "coo" else self.parts
        made.shape = self.shape[::-1]
        return made


# ------------------------------------------------------------------------------------------------- kinds
@dataclass(frozen=True, slots=True)
class Structure(Token):
    """The kind of a pattern: how many rows, columns and elements there are."""

    what: str = "pattern"
    rows: Length = constant(0)
    columns: Length = constant(0)
    count: Length = constant(0)


def structure(p: Any) -> Structure:
    """The kind of a pattern, known or not."""
    if isinstance(p, Pattern):
        return Structure("pattern", constant(p.shape[0]), constant(p.shape[1]), constant(p.count))
    if not isinstance(p, Structure):
        raise KindError("a sparse matrix is one of several patterns here", "make it of one pattern on every path")
    return p


def _sized(shape: Any, count: Length) -> Structure:
    if not isinstance(shape, tuple | list):
        return Structure("pattern", lengths().fresh(), lengths().fresh(), count)
    rows, columns = map(length_of, shape)
    return Structure("pattern", rows, columns, count)


def _indices(*parts: Any) -> None:
    for x in parts:
        if not isinstance(x, Array) or x.ndim != 1 or x.dtype.kind not in "iu":
            raise KindError(f"{x} for the indices of a sparse matrix is not supported", "give it a vector of ints")


def _places(n: Length) -> Array:
    return Array(np.dtype(np.intp), (n,))


# ------------------------------------------------------------------------------------------------ making
@primitive
def compressed_rows(indices: Any, indptr: Any, shape: Any = None) -> Pattern:
    """The pattern of a matrix of SciPy's format "csr"."""
    return Pattern("csr", indices, indptr, shape)


@primitive
def compressed_columns(indices: Any, indptr: Any, shape: Any = None) -> Pattern:
    """The pattern of a matrix of SciPy's format "csc"."""
    return Pattern("csc", indices, indptr, shape)


@primitive
def coordinates(rows: Any, columns: Any, shape: Any = None) -> Pattern:
    """The pattern of a matrix of SciPy's format "coo"."""
    return Pattern("coo", rows, columns, shape)


def _compressed(indices: Any, indptr: Any, shape: Any) -> Structure:
    _indices(indices, indptr)
    return _sized(shape, indices.shape[0])


def _coordinates(rows: Any, columns: Any, shape: Any) -> Structure:
    _indices(rows, columns)
    return _sized(shape, lengths().agree(rows.shape[0], columns.shape[0]))


for _function in (compressed_rows, compressed_columns):
    nondifferentiable(f"p = {_function.__name__}(indices, indptr, shape=None)", _function, kind=_compressed,
                      view="indices indptr")  # as SciPy's matrix may: a store into these after that is refused
nondifferentiable("p = coordinates(rows, columns, shape=None)", coordinates, kind=_coordinates, view="rows columns")


@primitive
def known_pattern(S: Any) -> Pattern:
    """The pattern of a matrix of SciPy."""
    if S.format in ("csr", "csc"):
        return Pattern(S.format, S.indices[: S.nnz], S.indptr, S.shape)
    S = S.tocoo(copy=False)
    return Pattern("coo", S.row, S.col, S.shape)


@primitive
def known_elements(pattern: Pattern, S: Any) -> Any:
    """The elements of a matrix of SciPy, in the order of its pattern."""
    return S.data[: S.nnz].copy() if S.format in ("csr", "csc") else S.tocoo().data


nondifferentiable("p = known_pattern(S)", known_pattern,
                  kind=lambda S: _sized(S.shape, lengths().fresh()))
nondifferentiable("e = known_elements(pattern, S)", known_elements,
                  kind=lambda pattern, S: Array(S.dtype, (structure(pattern).count,)))


@primitive
def everywhere(shape: Any) -> Pattern:
    """The pattern of a matrix all of whose elements are there, row by row."""
    rows, columns = np.indices(shape)
    return Pattern("coo", rows.ravel(), columns.ravel(), shape)


nondifferentiable("p = everywhere(shape)", everywhere, kind=lambda shape: _sized(shape, lengths().fresh()))


@primitive
def shape_of(pattern: Pattern) -> tuple[int, int]:
    """The numbers of rows and columns."""
    return pattern.shape


@primitive
def transposed(pattern: Pattern) -> Pattern:
    """The pattern of the transpose, with the elements in the same order."""
    return pattern.transposed


def _transposed(pattern: Any) -> Structure:
    p = structure(pattern)
    return Structure("pattern", p.columns, p.rows, p.count)


def _shape(pattern: Any) -> tuple[Num, Num]:
    p = structure(pattern)
    return Num(int, p.rows), Num(int, p.columns)


nondifferentiable("shape = shape_of(pattern)", shape_of, kind=_shape)
nondifferentiable("q = transposed(pattern)", transposed, kind=_transposed, view="pattern")


@primitive
def rows_of(pattern: Pattern) -> Any:
    """The row of each element."""
    return pattern.places[0].copy()


@primitive
def columns_of(pattern: Pattern) -> Any:
    """The column of each element."""
    return pattern.places[1].copy()


@primitive
def starts_of(pattern: Pattern) -> Any:
    """Where the elements of each row begin, or of each column, in format "csc"."""
    return pattern.parts[1].astype(np.intp)


def _one_each(pattern: Any) -> Array:
    return _places(structure(pattern).count)


nondifferentiable("i = rows_of(pattern)", rows_of, kind=_one_each, view="pattern")
nondifferentiable("i = columns_of(pattern)", columns_of, kind=_one_each, view="pattern")
nondifferentiable("i = starts_of(pattern)", starts_of, kind=lambda pattern: _places(lengths().fresh()), view="pattern")


# ---------------------------------------------------------------------------------------- others of them
@primitive
def merged(pattern: Pattern, form: str = "csr") -> tuple[Pattern, Any]:
    """The pattern with one element in each place, sorted, in format "csr" or "csc"; in which of them each one goes."""
    rows, columns = pattern.places
    first, second = (rows, columns) if form == "csr" else (columns, rows)
    order = np.lexsort((second, first))
    lines, indices = first[order], second[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(lines) != 0) | (np.diff(indices) != 0)
    positions = np.empty(len(order), np.intp)
    positions[order] = np.cumsum(new) - 1
    n = pattern.shape[form == "csc"]
    starts = np.searchsorted(lines[new], np.arange(n + 1))
    return Pattern(form, indices[new], starts, pattern.shape), positions


@primitive
def regrouped(pattern: Pattern, form: str) -> tuple[Pattern, Any]:
    """The pattern of another compressed format, as SciPy converts it; where each element goes."""
    rows, columns = pattern.places
    lines, indices = (rows, columns) if form == "csr" else (columns, rows)
    order = np.argsort(lines, kind="stable")
    positions = np.empty(len(order), np.intp)
    positions[order] = np.arange(len(order))
    starts = np.searchsorted(lines[order], np.arange(pattern.shape[form == "csc"] + 1))
    return Pattern(form, indices[order], starts, pattern.shape), positions


def _merged(pattern: Any) -> tuple[Structure, Array]:
    p, n = structure(pattern), lengths().fresh()
    return Structure("pattern", p.rows, p.columns, n), _places(p.count)


def _regrouped(pattern: Any) -> tuple[Structure, Array]:
    p = structure(pattern)
    return p, _places(p.count)


nondifferentiable("found = merged(pattern, form='csr')", merged, kind=_merged)
nondifferentiable("found = regrouped(pattern, form)", regrouped, kind=_regrouped)


@primitive
def united(a: Pattern, b: Pattern) -> Pattern:
    """The elements of two matrices of one shape, those of the first before those of the second."""
    if a.shape != b.shape:
        raise ValueError(f"inconsistent shapes: {a.shape} and {b.shape}")
    rows, columns = (np.concatenate(pair) for pair in zip(a.places, b.places, strict=True))
    return Pattern("coo", rows, columns, a.shape)


def _united(a: Any, b: Any) -> Structure:
    a, b = structure(a), structure(b)
    rows, columns = lengths().agree(a.rows, b.rows), lengths().agree(a.columns, b.columns)
    return Structure("pattern", rows, columns, lengths().fresh())


nondifferentiable("p = united(a, b)", united, kind=_united)


@primitive
def paired(a: Pattern, b: Pattern) -> tuple[Pattern, Any, Any]:
    """The pattern of a product, with an element for each pair that is multiplied; which of a, and of b, these are."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"matmul: dimension mismatch of {a.shape} and {b.shape}")
    rows, columns = b.places
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(b.shape[0] + 1))
    inner = a.places[1]
    times = np.diff(starts)[inner]
    left = np.repeat(np.arange(a.count), times)
    within = np.arange(len(left)) - np.repeat(np.cumsum(times) - times, times)
    right = order[starts[inner][left] + within]
    return Pattern("coo", a.places[0][left], columns[right], (a.shape[0], b.shape[1])), left, right


@primitive
def kronecker(a: Pattern, b: Pattern) -> Pattern:
    """The pattern of the Kronecker product: for each element of the first all of the second."""
    m, n = b.shape
    rows, columns = (np.add.outer(i * k, j).ravel() for i, j, k in zip(a.places, b.places, (m, n), strict=True))
    return Pattern("coo", rows, columns, (a.shape[0] * m, a.shape[1] * n))


@primitive
def moved(pattern: Pattern, down: int, right: int, shape: Any) -> Pattern:
    """The elements as those of a block in a larger matrix."""
    rows, columns = pattern.places
    return Pattern("coo", rows + down, columns + right, shape)


def _paired(a: Any, b: Any) -> tuple[Structure, Array, Array]:
    a, b, n = structure(a), structure(b), lengths().fresh()
    lengths().agree(a.columns, b.rows)
    return Structure("pattern", a.rows, b.columns, n), _places(n), _places(n)


def _kronecker(a: Any, b: Any) -> Structure:
    structure(a), structure(b)
    return _sized(None, lengths().fresh())


nondifferentiable("found = paired(a, b)", paired, kind=_paired)
nondifferentiable("p = kronecker(a, b)", kronecker, kind=_kronecker)
nondifferentiable("p = moved(pattern, down, right, shape)", moved,
                  kind=lambda pattern, down, right, shape: _sized(shape, structure(pattern).count))


@primitive
def diagonals_pattern(offsets: Any, shape: Any, width: Any = None) -> Pattern:
    """The pattern of a matrix with these diagonals, one after the other, up to a column if there is `width`."""
    m, n = shape
    if len(set(offsets)) < len(offsets):
        raise ValueError("offset array contains duplicate values")
    parts = []
    for k in offsets:
        size = min(m + k, n - k, m, n)
        if width is not None:
            size = max(min(m + k, n, width) - max(k, 0), 0)
        if size < 0:
            raise ValueError(f"Offset {k} out of bounds")
        parts.append(np.arange(size) + np.array([[max(-k, 0)], [max(k, 0)]]))
    rows, columns = np.concatenate(parts, axis=1)
    return Pattern("coo", rows, columns, shape)


nondifferentiable("p = diagonals_pattern(offsets, shape, width=None)", diagonals_pattern,
                  kind=lambda offsets, shape, width: _sized(shape, lengths().fresh()))
