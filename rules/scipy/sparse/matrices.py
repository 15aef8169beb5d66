"""Sparse matrices that are made of data, as they are followed: classes that stand for those of SciPy.

A matrix has its pattern and its `data`. One that is computed of others has the same elements as SciPy's, but SciPy may
leave out zeros and order them otherwise: there the data are `computed`, and cannot be read. Two matrices share their
data where those of SciPy do, so that both see a change in place.
"""

import inspect
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

from rules.libraries import TAKEN_APART, operations, stands_for
from rules.numpy.banded import banded
from rules.numpy.lent import lent
from rules.results import unknown
from rules.scipy.forms import refused
from rules.scipy.sparse.elements import (
    collected,
    dense,
    matrix_diagonal,
    matrix_product,
    picked,
)
from rules.scipy.sparse.pattern import (
    columns_of,
    coordinates,
    known_elements,
    known_pattern,
    merged,
    paired,
    regrouped,
    rows_of,
    starts_of,
    transposed,
    united,
)
from rules.scipy.sparse.refusing import Refusing

#: Does `tocoo` copy the data, where it is not told to? It depends on the format, and on the version of SciPy.
TOCOO_COPIES = {
    "csr": inspect.signature(sparse.csr_array.tocoo).parameters["copy"].default,
    "csc": inspect.signature(sparse.csc_array.tocoo).parameters["copy"].default,
    "coo": inspect.signature(sparse.coo_array.tocoo).parameters["copy"].default,
    "dia": True,
}


def is_number(x: Any) -> bool:
    """Is this a number, or an array of one without axes?"""
    return isinstance(x, Number) or (not is_sparse(x) and np.ndim(x) == 0)


def is_sparse(x: Any) -> bool:
    """Is this a sparse matrix: one that is followed, or a known one?"""
    return isinstance(x, (sparse.sparray, sparse.spmatrix))


class Matrix(Refusing):
    """A sparse matrix: `pattern`, `shape`, and `data` or `computed`, one element for each of the pattern."""

    __array_ufunc__ = None
    format = ""
    is_array = True
    ndim = 2

    def __init__(self, pattern: Any, data: Any, shape: Any, computed: bool = True, offsets: Any = None) -> None:
        self.pattern = pattern
        self._shape = shape
        self._offsets = offsets
        self._outside = False  # are the data those of a matrix of SciPy?
        self.hold(data, computed)

    def hold(self, data: Any, computed: bool) -> None:
        """Have these data."""
        if computed:
            self.computed = data
            self.data = unknown("the data of a sparse matrix that is computed of others cannot be read: SciPy leaves "
                                "out zeros, and orders them otherwise", "use what it is made of, or multiply it")
        else:
            self.data = data

    @property
    def shape(self) -> Any:
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        refused("a store to the shape of a sparse matrix", "make another one: csr_array((A.data, ...), shape)")

    @property
    def held(self) -> Any:
        """The data, whether they can be read or not."""
        return self.computed if hasattr(self, "computed") else self.data

    @property
    def elements(self) -> Any:
        """One number for each of the pattern."""
        return self.held

    @property
    def dtype(self) -> Any:
        return self.held.dtype

    @property
    def nnz(self) -> Any:
        self.own()
        return self.elements.shape[0]

    def own(self) -> None:
        """Refuse what only a matrix has that was made of its data."""
        if hasattr(self, "computed"):
            refused("what a sparse matrix consists of, where it is computed of others,",
                    "read it where the matrix is made of its data")

    def alike(self, data: Any) -> Any:
        """A matrix with other data in the same places."""
        computed = hasattr(self, "computed")
        return matrix(self.format, self.is_array, self.pattern, data, self.shape, computed, self._offsets)

    # ------------------------------------------------------------------------------------ numbers
    def __neg__(self) -> Any:
        return self.alike(-self.held)

    def __mul__(self, x: Any) -> Any:
        if isinstance(x, Number):
            return self.alike(self.held * x)
        return self.multiply(x) if self.is_array else self @ x

    def __rmul__(self, x: Any) -> Any:
        if isinstance(x, Number):
            return self.alike(x * self.held)
        return self.multiply(x) if self.is_array else x @ self

    def __truediv__(self, x: Any) -> Any:
        if not isinstance(x, Number):
            refused("a sparse matrix divided by an array", "write A.multiply(1 / x)")
        return self.alike(self.held / x)

    def sharing(self, of: Any) -> Any:
        """The matrix, which shares its data with another one."""
        self._outside = of._outside
        return self

    def __imul__(self, x: Any) -> Any:
        if not is_number(x):
            return self * x
        if self._outside:
            refused("a change in place of a sparse matrix that is made outside", "write A = A * x")
        if hasattr(self, "computed"):
            self.computed *= x
        else:
            self.data[...] *= x
        return self

    def __itruediv__(self, x: Any) -> Any:
        if not is_number(x):
            return self / x
        self *= 1.0 / x
        return self

    def multiply(self, other: Any) -> Any:
        """Element by element."""
        if isinstance(other, Number):
            return self.alike(self.held * other)
        if is_sparse(other):
            refused("the product of the elements of two sparse matrices", "multiply their data, where they are alike")
        factor = np.asarray(other)
        if factor.ndim == 0:
            return self.alike(self.held * factor[()])
        if factor.ndim > 2:
            refused("a sparse matrix times an array of more than two axes", "write a loop")
        if factor.ndim == 1 or factor.shape[0] == 1:
            at = factor if factor.ndim == 1 else factor[0]
            if at.shape[0] == 1:
                return self.alike(self.held * at[0])
            at = at[columns_of(self.pattern)]
        elif factor.shape[1] == 1:
            at = factor[rows_of(self.pattern), 0]
        else:
            at = picked(self.pattern, factor)
        return matrix(self.format, self.is_array, self.pattern, self.elements * at, self.shape)

    # ----------------------------------------------------------------------------------- matrices
    def __add__(self, other: Any) -> Any:
        return self.plus(other, 1)

    def __radd__(self, other: Any) -> Any:
        return self.plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self.plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self).plus(other, 1)

    def plus(self, other: Any, sign: int) -> Any:
        """The sum with a matrix; with 0 it is the matrix itself."""
        if isinstance(other, Number):
            if isinstance(other, int) and other == 0:
                return self.alike(self.held.copy())
            refused("the sum of a sparse matrix and a number", "write A.toarray() + c")
        if not is_sparse(other):
            if not self.is_array:
                refused("the sum of a sparse matrix and an array, which is a np.matrix", "write A.toarray() + x")
            return self.toarray() + (other if sign > 0 else -other)
        b = operand(other)
        joined = united(self.pattern, b.pattern)
        form = "csc" if self.format == "csc" else "csr"
        pattern, positions = merged(joined, form)
        elements = np.concatenate([self.elements, b.elements if sign > 0 else -b.elements])
        is_array = self.is_array or b.is_array
        return matrix(form, is_array, pattern, collected(pattern, positions, elements), self.shape)

    def __matmul__(self, x: Any) -> Any:
        if not is_sparse(x):
            return matrix_product(self.pattern, self.elements, np.asarray(x))
        b = operand(x)
        pairs, left, right = paired(self.pattern, b.pattern)
        form = "csc" if self.format == "csc" else "csr"
        pattern, positions = merged(pairs, form)
        data = collected(pattern, positions, self.elements[left] * b.elements[right])
        return matrix(form, self.is_array or b.is_array, pattern, data, (self.shape[0], b.shape[1]))

    def __rmatmul__(self, x: Any) -> Any:
        if is_sparse(x):
            return operand(x) @ self
        x = np.asarray(x)
        if x.ndim == 1:
            return matrix_product(self.turned(), self.elements, x)
        return matrix_product(self.turned(), self.elements, x.T).T

    def dot(self, other: Any) -> Any:
        return self * other if isinstance(other, Number) else self @ other

    # ------------------------------------------------------------------------------------- others
    @property
    def T(self) -> Any:
        return self.transpose()

    def turned(self) -> Any:
        """The pattern of the transpose."""
        return transposed(self.pattern)

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        form = "csc" if self.format == "csr" else "csr" if self.format == "csc" else self.format
        pattern, computed = self.turned(), hasattr(self, "computed") or form == "dia"
        if copy or form == "dia":
            return matrix(form, self.is_array, pattern, self.elements.copy(), self.shape[::-1], computed)
        data = self.elements if form == "coo" else lent(self.elements)
        return matrix(form, self.is_array, pattern, data, self.shape[::-1], computed).sharing(self)

    def conj(self, copy: bool = True) -> Any:
        if not copy and self.dtype.kind != "c":
            return self
        return self.alike(np.conj(self.held) if self.dtype.kind == "c" else self.held.copy())

    def conjugate(self, copy: bool = True) -> Any:
        return self.conj(copy)

    def copy(self) -> Any:
        return self.alike(self.held.copy())

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        if casting != "unsafe":
            refused("astype with casting", "leave it out")
        if not copy and self.dtype == dtype:
            return self
        return self.alike(self.held.astype(dtype))

    def toarray(self) -> Any:
        return dense(self.pattern, self.elements)

    def todense(self) -> Any:
        if not self.is_array:
            refused("todense, which gives a np.matrix", "write toarray()")
        return self.toarray()

    def diagonal(self, k: int = 0) -> Any:
        return matrix_diagonal(self.pattern, self.elements, k)

    def trace(self, offset: int = 0) -> Any:
        return np.sum(self.diagonal(offset))

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if out is not None:
            refused("the sum of a sparse matrix into an array", "assign what it gives")
        if dtype is not None and dtype != self.dtype:
            return self.astype(dtype).sum(axis)
        if axis is None:
            return np.sum(self.elements)
        if not self.is_array:
            summed = "A.T @ np.ones(A.shape[0])" if axis in (0, -2) else "A @ np.ones(A.shape[1])"
            refused("the sum over an axis of a sparse matrix, which is a np.matrix",
                    f"write {summed}, or make it by csr_array")
        if axis in (0, -2):
            return matrix_product(transposed(self.pattern), self.elements, np.ones(self.shape[0], self.dtype))
        return matrix_product(self.pattern, self.elements, np.ones(self.shape[1], self.dtype))

    def tocoo(self, copy: Any = None) -> Any:
        copied = TOCOO_COPIES[self.format] if copy is None else copy
        if self.format == "coo":
            return self.copy() if copied else self
        pattern = coordinates(rows_of(self.pattern), columns_of(self.pattern), self.shape)
        computed = hasattr(self, "computed") or self.format == "dia"
        if copied or self.format == "dia":
            return matrix("coo", self.is_array, pattern, self.elements.copy(), self.shape, computed)
        return matrix("coo", self.is_array, pattern, self.elements, self.shape, computed).sharing(self)

    def tocsr(self, copy: bool = False) -> Any:
        return self.compressed("csr", copy)

    def tocsc(self, copy: bool = False) -> Any:
        return self.compressed("csc", copy)

    def compressed(self, form: str, copy: bool) -> Any:
        """The matrix in format "csr" or "csc"."""
        if self.format == form:
            return self.copy() if copy else self
        if self.format in ("csr", "csc"):
            pattern, positions = regrouped(self.pattern, form)
        else:
            pattern, positions = merged(self.pattern, form)
        data = collected(pattern, positions, self.elements)
        computed = hasattr(self, "computed") or self.format == "dia"
        return matrix(form, self.is_array, pattern, data, self.shape, computed)

    def asformat(self, format: Any, copy: bool = False) -> Any:
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format == "coo":
            return self.tocoo(copy)
        if format not in ("csr", "csc"):
            refused("a sparse matrix in this format", 'write "csr", "csc" or "coo"')
        return self.compressed(format, copy)


# ------------------------------------------------------------------------------------------- the formats
class csr_array(Matrix):
    format = "csr"

    @property
    def indices(self) -> Any:
        self.own()
        return columns_of(self.pattern)

    @property
    def indptr(self) -> Any:
        self.own()
        return starts_of(self.pattern)


class csc_array(Matrix):
    format = "csc"

    @property
    def indices(self) -> Any:
        self.own()
        return rows_of(self.pattern)

    @property
    def indptr(self) -> Any:
        self.own()
        return starts_of(self.pattern)


class coo_array(Matrix):
    format = "coo"

    @property
    def row(self) -> Any:
        self.own()
        return rows_of(self.pattern)

    @property
    def col(self) -> Any:
        self.own()
        return columns_of(self.pattern)

    @property
    def coords(self) -> Any:
        return self.row, self.col


class dia_array(Matrix):
    """Its data have a row for each diagonal, in the columns of the matrix."""

    format = "dia"

    @property
    def offsets(self) -> Any:
        self.own()
        return np.array(self._offsets)

    def hold(self, data: Any, computed: bool) -> None:
        if computed:
            self.computed = data
        else:
            self._data = data
            self.stored = banded(data, self._offsets, self.shape)

    @property
    def data(self) -> Any:
        self.own()
        return self._data

    @data.setter
    def data(self, data: Any) -> None:
        refused("a store to the data of a matrix of diagonals", "write A.data[...] = x, or make another one")

    @property
    def elements(self) -> Any:
        return self.computed if hasattr(self, "computed") else self.stored

    def turned(self) -> Any:
        above = not hasattr(self, "computed") and max(self._offsets) > 0
        if above and self.data.shape[1] > max(self.shape):  # where SciPy takes other elements
            raise ValueError("a transpose of diagonals that are longer than the matrix is not supported: cut them")
        return transposed(self.pattern)

    def diagonal(self, k: int = 0) -> Any:
        if hasattr(self, "computed") or k not in self._offsets:
            return matrix_diagonal(self.pattern, self.elements, k)
        first, last = max(k, 0), min(self.shape[0] + k, self.shape[1])
        there = self.data[self._offsets.index(k), first:last]
        missing = last - first - there.shape[0]
        return np.concatenate([there, np.zeros(missing, self.dtype)]) if missing > 0 else there


class csr_matrix(csr_array):
    is_array = False


class csc_matrix(csc_array):
    is_array = False


class coo_matrix(coo_array):
    is_array = False


class dia_matrix(dia_array):
    is_array = False


stands_for(csr_array, sparse.csr_array)
stands_for(csc_array, sparse.csc_array)
stands_for(coo_array, sparse.coo_array)
stands_for(dia_array, sparse.dia_array)
stands_for(csr_matrix, sparse.csr_matrix)
stands_for(csc_matrix, sparse.csc_matrix)
stands_for(coo_matrix, sparse.coo_matrix)
stands_for(dia_matrix, sparse.dia_matrix)


def matrix(
    form: str, is_array: bool, pattern: Any, data: Any, shape: Any, computed: bool = True, offsets: Any = None
) -> Any:
    """A matrix in this format, an array or a matrix as SciPy calls them."""
    if form == "dia":
        made = dia_array if is_array else dia_matrix
        return made(pattern, data, shape, computed, offsets)
    if is_array:
        if form == "csr":
            return csr_array(pattern, data, shape, computed)
        if form == "csc":
            return csc_array(pattern, data, shape, computed)
        return coo_array(pattern, data, shape, computed)
    if form == "csr":
        return csr_matrix(pattern, data, shape, computed)
    if form == "csc":
        return csc_matrix(pattern, data, shape, computed)
    return coo_matrix(pattern, data, shape, computed)


def operand(A: Any) -> Any:
    """A matrix as it is followed: one of SciPy that is known, with its elements as they are now."""
    if isinstance(A, Matrix):
        return A
    if not is_sparse(A):
        refused("this in place of a sparse matrix", "make one of it: csr_array(A)")
    pattern = known_pattern(A)
    made = matrix(form_of(A), isinstance(A, sparse.sparray), pattern, known_elements(pattern, A), A.shape)
    made._outside = True
    return made


def form_of(A: Any) -> str:
    """The format of a known matrix, or "coo" for those that are followed in this."""
    return A.format if A.format in ("csr", "csc", "dia") else "coo"


for _class in (sparse.sparray, sparse.spmatrix):
    operations(_class, **{TAKEN_APART: operand})
