"""Rules of what `np.linalg` has besides the functions of `np` that do the same, under the names of the Array API.

They take their arguments by position, and the matrices of a stack are in its last two axes.
"""

import numpy as np

from rules.kind import (
    Array,
    KindError,
    array_or_number,
    broadcast,
    kind_of,
    lengths,
    library,
    normalize_axis,
    ufunc_dtype,
)  # fmt: skip
from rules.numpy import axes as reordered
from rules.numpy import diagonals, linalg
from rules.numpy.diagonals import diagonal_shape, on_diagonal
from rules.numpy.matrices import conj, matrix
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, rule


@rule("C = matmul(x1, x2)", np.linalg.matmul)
class matmul:
    def kind(x1, x2): return linalg.matmul.kind(x1, x2)
    def d_x1(d_C, x1: Like, x2): return linalg.matmul.d_A(d_C, x1, x2)
    def d_x2(d_C, x1, x2: Like): return linalg.matmul.d_B(d_C, x1, x2)
    def t_C(x1, x2, t_x1, t_x2): return t_x1 @ x2 + x1 @ t_x2


@rule("c = outer(x1, x2)", np.linalg.outer)
class outer:
    def kind(x1, x2): return linalg.outer.kind(x1, x2)
    def d_x1(d_c, x2): return d_c @ x2
    def d_x2(d_c, x1): return d_c.T @ x1
    def t_c(x1, x2, t_x1, t_x2): return np.outer(t_x1, x2) + np.outer(x1, t_x2)


@rule("c = cross(x1, x2, axis=-1)", np.linalg.cross)
class cross:
    def kind(x1, x2, axis): return linalg.cross.kind(x1, x2, -1, -1, -1, axis)
    def d_x1(d_c, x2, axis): return np.cross(x2, d_c, axis=axis)
    def d_x2(d_c, x1, axis): return np.cross(d_c, x1, axis=axis)
    def t_c(x1, x2, axis, t_x1, t_x2): return np.cross(t_x1, x2, axis=axis) + np.cross(x1, t_x2, axis=axis)


@rule("c = tensordot(x1, x2, axes=2)", np.linalg.tensordot)
class tensordot:
    def kind(x1, x2, axes): return linalg.tensordot.kind(x1, x2, axes)
    def d_x1(d_c, x1: Like, x2, axes): return linalg.tensordot.d_a(d_c, x1, x2, axes)
    def d_x2(d_c, x1, x2: Like, axes): return linalg.tensordot.d_b(d_c, x1, x2, axes)
    def t_c(x1, x2, axes, t_x1, t_x2): return np.tensordot(t_x1, x2, axes) + np.tensordot(x1, t_x2, axes)


@rule("c = vecdot(x1, x2, axis=-1)", np.vecdot, np.linalg.vecdot)
class vecdot:
    """The sum of conj(x1) x2 along an axis."""

    def kind(x1, x2, axis):
        x1, x2 = kind_of(x1), kind_of(x2)
        if axis >= 0 and rank(x1) != rank(x2):
            raise KindError("vecdot of different ranks, not along an axis from the end, is not supported",
                            "count the axis from the end: axis=-1")  # fmt: skip
        (i,), (j,) = normalize_axis(axis, rank(x1)), normalize_axis(axis, rank(x2))
        lengths().agree(x1.shape[i], x2.shape[j])
        shape = broadcast(x1.shape[:i] + x1.shape[i + 1 :], x2.shape[:j] + x2.shape[j + 1 :])
        return array_or_number(ufunc_dtype(np.vecdot, x1, x2), shape, library(x1, x2))

    def d_x1(d_c, x2, axis): return conj((np.expand_dims(d_c, axis) if rank(d_c) else d_c) * x2)
    def d_x2(d_c, x1, axis): return (np.expand_dims(d_c, axis) if rank(d_c) else d_c) * conj(x1)
    def t_c(x1, x2, axis, t_x1, t_x2): return np.vecdot(t_x1, x2, axis=axis) + np.vecdot(x1, t_x2, axis=axis)


@rule("y = matrix_transpose(x)", np.linalg.matrix_transpose)
class matrix_transpose:
    def kind(x): return reordered.matrix_transpose.kind(matrix(x))
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return np.swapaxes(d_y, -1, -2)
    def t_y(t_x): return np.swapaxes(t_x, -1, -2)


@rule("y = diagonal(x, offset=0)", np.linalg.diagonal)
class diagonal:
    def kind(x, offset): return Array(matrix(x).dtype, diagonal_shape(x, offset, -2, -1), x.xp)
    view = "x"
    def d_x(d_y, x: Like, offset): return on_diagonal(d_y, x, offset, -2, -1)
    def t_y(t_x, offset): return np.diagonal(t_x, offset, -2, -1)


@rule("c = trace(x, offset=0)", np.linalg.trace)
class trace:
    def kind(x, offset): return diagonals.trace.kind(matrix(x), offset, -2, -1)
    def d_x(d_c, x: Like, offset): return diagonals.trace.d_a(d_c, x, offset, -2, -1)
    def t_c(t_x, offset): return np.trace(t_x, offset, -2, -1)


def _rank_kind(A):
    A = kind_of(A)
    return array_or_number(np.dtype(np.intp), A.shape[:-2], A.xp) if rank(A) >= 2 else kind_of(1)


nondifferentiable("r = matrix_rank(A, tol=None, hermitian=False)", np.linalg.matrix_rank, kind=_rank_kind)
