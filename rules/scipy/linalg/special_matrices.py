"""Matrices that are laid out from others: blocks on the diagonal, constant diagonals, products of columns."""

from typing import Any

import numpy as np
from scipy import linalg

from rules.cotangent import length, scatter
from rules.kind import Array, KindError, Length, constant, kind_of, lengths, library, promote
from rules.numpy.matrices import conj
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, primitive, recorded, rule


# ------------------------------------------------------------------------------------------- block_diag
def _sum(sizes: Any) -> Length:
    known = [n for n in sizes if n.constant]
    rest = [n for n in sizes if not n.constant]
    if len(rest) > 1:
        return lengths().fresh()
    offset = sum(n.offset for n in known)
    return rest[0] + offset if rest else constant(offset)


def _size(x: Any, axis: int) -> Any:
    """The length of an axis of a block: -1 are the columns, -2 the rows."""
    return length(x, rank(x) + axis) if rank(x) >= -axis else 1


@rule("D = block_diag(*arrs)", linalg.block_diag)
class block_diag:
    """A number is a matrix of one element, a vector one of one row."""

    def kind(arrs):
        kinds = [kind_of(a) for a in arrs]
        if not kinds:
            raise KindError("linalg.block_diag of nothing is not supported", "give it a matrix")
        if any(k.ndim > 2 for k in kinds):
            raise KindError("linalg.block_diag of stacks of matrices is not supported", "write a loop")
        one = constant(1)
        rows = _sum([k.shape[-2] if k.ndim == 2 else one for k in kinds])
        dtype = np.result_type(*(k.dtype for k in kinds))  # a Python number has one here
        return Array(dtype, (rows, _sum([k.shape[-1] if k.ndim else one for k in kinds])), library(*kinds))

    @borrows("d_D")
    def d_arrs(d_D, arrs):
        out, i, j = [], 0, 0
        for a in arrs:
            m, n = _size(a, -2), _size(a, -1)
            block = d_D[i : i + m, j : j + n]
            out.append(block if rank(a) == 2 else block[0] if rank(a) else block[0, 0])
            i, j = i + m, j + n
        return out

    def t_D(t_arrs): return recorded(linalg.block_diag, *t_arrs)


# --------------------------------------------------------------------------------------------- toeplitz
@primitive
def lags(c: Any, r: Any) -> Any:
    """The row less the column of each element of a matrix with rows as `c` and columns as `r` has elements."""
    return np.subtract.outer(np.arange(len(c)), np.arange(len(r)))


nondifferentiable("k = lags(c, r)", lags, kind=lambda c, r: Array(np.dtype(np.intp), (c.shape[0], r.shape[0]), c.xp))


@rule("T = toeplitz(c, r=None)", linalg.toeplitz)
class toeplitz:
    """The first column is c; the first row r, but for its first element; or the conjugate of c."""

    def kind(c, r):
        given = [kind_of(x) for x in (c, r) if x is not None]
        if any(k.ndim != 1 for k in given):
            raise KindError("linalg.toeplitz of what is not of rank 1 is not supported", "give it vectors")
        return Array(promote(*given), (given[0].shape[0], given[-1].shape[0]), library(*given))

    def d_c(d_T, c: Like, r: Like):
        k = lags(c, c if r is None else r)
        d = np.where(k >= 0, d_T, 0)
        found = scatter(d, c, np.maximum(k, 0))
        return found if r is not None else found + scatter(conj(d_T - d), c, np.maximum(-k, 0))

    def d_r(d_T, c: Like, r: Like):
        k = lags(c, r)
        return scatter(np.where(k < 0, d_T, 0), r, np.maximum(-k, 0))

    def t_T(c, r, t_c, t_r):
        return recorded(linalg.toeplitz, t_c) if r is None else recorded(linalg.toeplitz, t_c, t_r)


@primitive
def turns(c: Any) -> Any:
    """Which element of `c` is in each place of a matrix whose columns are turned by one more."""
    return lags.__wrapped__(c, c) % max(len(c), 1)


@primitive
def places(c: Any, r: Any) -> Any:
    """The row plus the column of each element of a matrix with rows as `c` and columns as `r` has elements."""
    return np.add.outer(np.arange(len(c)), np.arange(len(r)))


nondifferentiable("k = turns(c)", turns, kind=lambda c: Array(np.dtype(np.intp), (c.shape[0], c.shape[0]), c.xp))
nondifferentiable("k = places(c, r)", places,
                  kind=lambda c, r: Array(np.dtype(np.intp), (c.shape[0], r.shape[0]), c.xp))


def _vectors(name, *given):
    if any(kind_of(x).ndim != 1 for x in given):
        raise KindError(f"linalg.{name} of what is not of rank 1 is not supported", "give it vectors")
    return [kind_of(x) for x in given]


@rule("C = circulant(c)", linalg.circulant)
class circulant:
    """The first column is c."""

    def kind(c):
        (c,) = _vectors("circulant", c)
        return Array(c.dtype, (c.shape[0], c.shape[0]), c.xp)

    def d_c(d_C, c: Like): return scatter(d_C, c, turns(c))
    def t_C(t_c): return recorded(linalg.circulant, t_c)


@rule("H = hankel(c, r=None)", linalg.hankel)
class hankel:
    """The first column is c; the last row r, but for its first element; or 0."""

    def kind(c, r):
        given = _vectors("hankel", *(x for x in (c, r) if x is not None))
        return Array(promote(*given), (given[0].shape[0], given[-1].shape[0]), library(*given))

    def d_c(d_H, c: Like, r: Like):
        k = places(c, c if r is None else r)
        n = length(c)
        return scatter(np.where(k < n, d_H, 0), c, np.minimum(k, n - 1))

    def d_r(d_H, c: Like, r: Like):
        k = places(c, r) - (length(c) - 1)
        return scatter(np.where(k > 0, d_H, 0), r, np.maximum(k, 0))

    def t_H(c, r, t_c, t_r):
        return recorded(linalg.hankel, t_c) if r is None else recorded(linalg.hankel, t_c, t_r)


@rule("C = khatri_rao(a, b)", linalg.khatri_rao)
class khatri_rao:
    """The Kronecker products of the columns of two matrices."""

    def kind(a, b):
        if any(kind_of(x).ndim != 2 for x in (a, b)):
            raise KindError("linalg.khatri_rao of what is not of rank 2 is not supported", "give it matrices")
        (m, n), (p, q) = a.shape, b.shape
        rows = constant(m.offset * p.offset) if m.constant and p.constant else lengths().fresh()
        return Array(np.result_type(a.dtype, b.dtype), (rows, lengths().agree(n, q)), library(a, b))

    def d_a(d_C, a: Like, b): return np.sum(_apart(d_C, a, b) * b, axis=1)
    def d_b(d_C, a, b: Like): return np.sum(_apart(d_C, a, b) * np.expand_dims(a, 1), axis=0)

    def t_C(a, b, t_a, t_b):
        return recorded(linalg.khatri_rao, t_a, b) + recorded(linalg.khatri_rao, a, t_b)


def _apart(d, a, b):
    return np.reshape(d, (*a.shape[:1], *b.shape))
