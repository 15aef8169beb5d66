"""What makes sparse matrices, of data and of others: followed in place of SciPy's classes and functions."""

from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

from rules.libraries import follow
from rules.numpy.lent import lent
from rules.scipy.forms import refused
from rules.scipy.sparse.elements import collected
from rules.scipy.sparse.matrices import is_sparse, matrix, operand
from rules.scipy.sparse.pattern import (
    compressed_columns,
    compressed_rows,
    coordinates,
    diagonals_pattern,
    everywhere,
    kronecker,
    merged,
    moved,
    shape_of,
    united,
)


# ----------------------------------------------------------------------------------------------- classes
def made(form: str, is_array: bool, given: Any, shape: Any, dtype: Any, copy: bool) -> Any:
    """What a call of a class of SciPy makes."""
    if is_sparse(given):
        A = operand(given).asformat(form, copy)
        data = A.held if dtype is None or A.dtype == dtype else A.held.astype(dtype)
        made = matrix(form, is_array, A.pattern, data, A.shape, hasattr(A, "computed"), A._offsets)
        return made.sharing(A)
    if not isinstance(given, tuple):
        return of_dense(form, is_array, np.asarray(given), dtype)
    if isinstance(given[0], Number):
        refused("a sparse matrix without elements, to be filled", "give it its elements: (data, (row, column))")
    data = np.array(given[0], dtype) if copy else np.asarray(given[0], dtype)
    if form == "dia":
        if shape is None:
            refused("a dia_matrix without a shape", "give it one")
        return banded(data, given[1], tuple(shape), is_array)
    if data.ndim != 1:
        refused("a sparse matrix whose data are not a vector", "give it a vector")
    size = None if shape is None else tuple(shape)
    if len(given) == 3:
        if form == "coo":
            refused("a coo_matrix of indices and indptr", "write csr_matrix")
        indices, indptr = np.asarray(given[1]), np.asarray(given[2])
        if form == "csr":
            pattern = compressed_rows(indices, indptr, size)
        else:
            pattern = compressed_columns(indices, indptr, size)
        return matrix(form, is_array, pattern, lent(data), shape_of(pattern) if size is None else size, False)
    if len(given[1]) != 2:
        refused("a sparse array that has not two axes", "give it (row, column)")
    pattern = coordinates(np.asarray(given[1][0]), np.asarray(given[1][1]), size)
    size = shape_of(pattern) if size is None else size
    if form == "coo":
        return matrix(form, is_array, pattern, data, size, False)
    pattern, positions = merged(pattern, form)
    return matrix(form, is_array, pattern, collected(pattern, positions, data), size, False)


def of_dense(form: str, is_array: bool, M: Any, dtype: Any) -> Any:
    """A matrix of all elements of a dense one: those that are zero have a derivative, too."""
    if M.ndim != 2:
        refused("a sparse matrix of an array that has not two axes", "give it a matrix")
    data = np.ravel(M).copy() if dtype is None else np.ravel(M).astype(dtype)
    return matrix(form, is_array, everywhere(M.shape), data, M.shape)


def csr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csr", True, arg1, shape, dtype, copy)


def csc_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csc", True, arg1, shape, dtype, copy)


def coo_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("coo", True, arg1, shape, dtype, copy)


def dia_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("dia", True, arg1, shape, dtype, copy)


def csr_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csr", False, arg1, shape, dtype, copy)


def csc_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csc", False, arg1, shape, dtype, copy)


def coo_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("coo", False, arg1, shape, dtype, copy)


def dia_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("dia", False, arg1, shape, dtype, copy)


for _function in (csr_array, csc_array, coo_array, dia_array, csr_matrix, csc_matrix, coo_matrix, dia_matrix):
    follow(_function, getattr(sparse, _function.__name__))


# --------------------------------------------------------------------------------------------- diagonals
def banded(data: Any, offsets: Any, shape: Any, is_array: bool) -> Any:
    """A matrix of diagonals as the format "dia" has them: each begins in the column in which it stands."""
    rows, places = np.atleast_2d(data), (offsets,) if isinstance(offsets, int) else tuple(offsets)
    if rows.shape[0] != len(places):
        raise ValueError("number of diagonals does not match the number of offsets")
    return matrix("dia", is_array, diagonals_pattern(places, shape, rows.shape[1]), rows, shape, False, places)


def of_diagonals(diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any, is_array: bool) -> Any:
    """`diags` and `diags_array`."""
    if isinstance(offsets, int):
        lines, places = [np.asarray(diagonals) if np.ndim(diagonals[0]) == 0 else diagonals[0]], [offsets]
    else:
        lines, places = diagonals, offsets
    if len(lines) != len(places):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        n = np.size(lines[0]) + abs(places[0])
        shape = (n, n)
    m, n = shape
    parts = [diagonal(d, min(m + k, n - k, m, n)) for d, k in zip(lines, places)]
    data = np.concatenate(parts)
    if dtype in (float, complex, np.float32, np.float64, np.complex64, np.complex128):
        data = data.astype(dtype)
    elif data.dtype.kind in "iub":
        data = data.astype(float)
    pattern = diagonals_pattern(tuple(places), tuple(shape))
    return matrix("dia", is_array, pattern, data, tuple(shape)).asformat(format)


def diagonal(d: Any, size: Any) -> Any:
    """The elements of a diagonal, of which one is repeated."""
    if np.ndim(d) == 0:
        return np.full(size, d)
    line = np.asarray(d)
    if line.shape[0] == 1:
        return np.full(size, line[0])
    return line[:size]


def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    return of_diagonals(diagonals, offsets, shape, format, dtype, False)


def diags_array(diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None,
                dtype: Any = None) -> Any:  # fmt: skip
    return of_diagonals(diagonals, offsets, shape, format, dtype, True)


def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    rows = np.atleast_2d(np.asarray(data))
    if m is None and n is None:
        shape = (rows.shape[1], rows.shape[1])
    else:
        shape = m if n is None else (m, n)
    return banded(rows, diags, tuple(shape), False).asformat(format)


def eye(m: Any, n: Any = None, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return ones_at(m, n, k, dtype, format, False)


def eye_array(m: Any, n: Any = None, *, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return ones_at(m, n, k, dtype, format, True)


def identity(n: Any, dtype: Any = "d", format: Any = None) -> Any:
    return ones_at(n, n, 0, dtype, format, False)


def ones_at(m: Any, n: Any, k: int, dtype: Any, format: Any, is_array: bool) -> Any:
    """A matrix with ones on a diagonal."""
    shape = (m, m if n is None else n)
    data = np.ones(max(min(shape[0] + k, shape[1] - k, shape[0], shape[1]), 0), dtype)
    return matrix("dia", is_array, diagonals_pattern((k,), shape), data, shape).asformat(format)


follow(diags, sparse.diags)
follow(diags_array, sparse.diags_array)
follow(spdiags, sparse.spdiags)
follow(eye, sparse.eye)
follow(eye_array, sparse.eye_array)
follow(identity, sparse.identity)


# ------------------------------------------------------------------------------------- of other matrices
def kron(A: Any, B: Any, format: Any = None) -> Any:
    a, b = factor(A), factor(B)
    shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
    data = np.ravel(np.outer(a.elements, b.elements))
    made = matrix("coo", a.is_array or b.is_array, kronecker(a.pattern, b.pattern), data, shape)
    return made.asformat(format)


def factor(A: Any) -> Any:
    """A factor of a Kronecker product, that may be dense."""
    return operand(A) if is_sparse(A) else of_dense("coo", False, np.asarray(A), None)


def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    blocks = [factor(A) for A in mats]
    empty: list[Any] = [None]
    rows = [empty * i + [A] + empty * (len(blocks) - 1 - i) for i, A in enumerate(blocks)]
    return of_blocks(rows, format, dtype, any(A.is_array for A in blocks))


def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return of_blocks([[factor(A) for A in blocks]], format, dtype, False)


def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return of_blocks([[factor(A)] for A in blocks], format, dtype, False)


def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return of_blocks([[None if A is None else factor(A) for A in row] for row in blocks], format, dtype, False)


def block_array(blocks: Any, *, format: Any = None, dtype: Any = None) -> Any:
    return of_blocks([[None if A is None else factor(A) for A in row] for row in blocks], format, dtype, True)


def of_blocks(rows: Any, format: Any, dtype: Any, is_array: bool) -> Any:
    """A matrix of matrices, of which None is one of zeros."""
    heights = [first([A.shape[0] for A in row if A is not None]) for row in rows]
    columns = [[row[j] for row in rows] for j in range(len(rows[0]))]
    widths = [first([A.shape[1] for A in column if A is not None]) for column in columns]
    shape = (sum(heights), sum(widths))
    placed, parts = [], []
    for i, row in enumerate(rows):
        for j, A in enumerate(row):
            if A is not None:
                is_array = is_array or A.is_array
                placed.append(moved(A.pattern, sum(heights[:i]), sum(widths[:j]), shape))
                parts.append(A.elements)
    pattern = placed[0]
    for block in placed[1:]:
        pattern = united(pattern, block)
    data = np.concatenate(parts)
    made = matrix("coo", is_array, pattern, data if dtype is None else data.astype(dtype), shape)
    return made.asformat(format)


def first(sizes: Any) -> Any:
    """The size of a row or a column of blocks."""
    if len(sizes) == 0:
        raise ValueError("blocks: a row or a column has no matrix in it")
    return sizes[0]


follow(kron, sparse.kron)
follow(block_diag, sparse.block_diag)
follow(hstack, sparse.hstack)
follow(vstack, sparse.vstack)
follow(bmat, sparse.bmat)
follow(block_array, sparse.block_array)


def issparse(x: Any) -> bool:
    return is_sparse(x)


follow(issparse, sparse.issparse)
