"""Moving elements without changing them: shapes, axes, order, joining, repeating, copies."""

import numpy as np

from rules.numpy.banded import banded, in_rows
from rules.numpy.diagonals import diagonals, on_diagonal, on_diagonals
from rules.numpy.joining import joined, part, parts, placed
from rules.numpy.lent import lent
from rules.numpy.padding import COPIES, unpad
from rules.numpy.shape import reshape_like
from tests.rules.case import case, normal

V, M, S, X = normal(6), normal(2, 3), normal(2, 3, 4), np.array(1.5)
COLUMN, ROW, EMPTY = normal(3, 1), normal(1, 3), normal(0, 3)

CASES = [
    # reshape
    *[case(f, a, shape) for f in (np.reshape, "ndarray.reshape") for a, shape in [
        (M, (3, 2)), (M, -1), (M, 6), (S, (2, -1)), (S, (6, 4)), (S, (-1, 4)), (S, (4, -1, 2)), (V, (1, -1)),
        (V, (2, 3)), (EMPTY, (3, 0)), (X, (1, 1)), (M[:1, :1], ()), (S.T, (-1,))]],
    case("ndarray.reshape", M, 3, 2),
    case("ndarray.reshape", S, 2, -1),
    case(np.reshape, 2.5, (1, 1)),
    *[case(f, a) for f in (np.ravel, "ndarray.ravel", "ndarray.flatten") for a in (V, M, S.T, EMPTY, X, ROW)],
    case(np.ravel, 2.5),
    *[case(np.expand_dims, a, axis) for a, axis in [(V, 0), (V, -1), (M, (0, -1)), (M, 1), (X, 0), (2.5, 0)]],
    *[case(f, a, axis=axis) for f in (np.squeeze, "ndarray.squeeze") for a, axis in [
        (COLUMN, None), (COLUMN, 1), (ROW, -2), (M, None), (normal(1, 3, 1), (0, 2)), (normal(1, 1), None)]],
    *[case(f, a) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d) for a in (2.5, X, V, M, S)],
    # axes
    *[case(np.transpose, a, axes=axes) for a, axes in [
        (M, None), (S, None), (S, (1, 2, 0)), (S, [2, 0, 1]), (S, (-1, 0, 1)), (V, None)]],
    case("ndarray.transpose", S),
    case("ndarray.transpose", S, 1, 2, 0),
    case("ndarray.transpose", S, (1, 2, 0)),
    *[case("ndarray.T", a) for a in (V, M, S, EMPTY)],
    *[case(f, a) for f in (np.matrix_transpose, "ndarray.mT") for a in (M, S)],
    *[case(f, S, 0, -1) for f in (np.swapaxes, "ndarray.swapaxes")],
    *[case(np.moveaxis, S, a, b) for a, b in [(0, -1), (2, 0), ((0, 1), (-1, 0)), ([0, 2], [1, 0]), (1, 1)]],
    # order
    *[case(np.flip, a, axis=axis) for a, axis in [(V, None), (M, 0), (S, (0, 2)), (M, -1), (EMPTY, 1)]],
    *[case(f, M) for f in (np.fliplr, np.flipud)],
    *[case(np.roll, a, shift, axis=axis) for a, shift, axis in [
        (V, 2, None), (M, -1, 1), (S, (1, 2), (0, 2)), (M, 4, None), (EMPTY, 1, 0)]],
    *[case(np.rot90, M, k=k) for k in (1, 2, 3, -1, 0)],
    case(np.rot90, S, k=1, axes=(0, 2)),
    *[case(f, a, float) for f in ([np.astype] if hasattr(np, "astype") else []) for a in (V, M)],
    *[case(f, M) for f in (np.asarray_chkfinite, np.asfortranarray)],
    # triangles and diagonals
    *[case(f, a, k=k) for f in (np.tril, np.triu) for a, k in [(M, 0), (M, 1), (M, -1), (S, 0), (V, 0)]],
    *[case(np.diag, a, k=k) for a in (V, M, M.T, EMPTY, normal(3, 3)) for k in (0, 1, -2)],
    *[case(f, S, 1, 2, 0) for f in (np.diagonal, "ndarray.diagonal")],
    *[case(np.diagonal, a, offset=k) for a in (M, S, normal(3, 3)) for k in (0, 1, -1, 5)],
    *[case(np.diagflat, a, k=k) for a in (V, M) for k in (0, 1, -1)],
    *[case(on_diagonal, normal(2), M, k).but(wrt="d") for k in (0, 1)],
    case(on_diagonal, normal(4, 2), S, 0, 1, 0).but(wrt="d"),
    case(lent, M), case(lent, X),
    *[case(banded, normal(2, n), (-1, 2), (3, 4)) for n in (1, 3, 4, 6)],
    *[case(in_rows, normal(n), normal(2, k), (-1, 2), (3, 4)).but(wrt="e") for n, k in [(3, 3), (4, 4)]],
    *[case(diagonals, a, axes) for a, axes in [
        (normal(3, 3), (0, 0)), (normal(3, 2, 3), (1, 0, 1)), (normal(2, 3, 2, 3), (0, 1, 0, 1))]],
    *[case(on_diagonals, d, a, axes).but(wrt="d") for d, a, axes in [
        (normal(3), normal(3, 3), (0, 0)), (normal(2, 3), normal(3, 2, 3), (1, 0, 1))]],
    case(reshape_like, M, V).but(wrt="d"),
    # joining
    *[case(np.concatenate, arrays, axis=axis) for arrays, axis in [
        ([V, V], 0), ((V, V[:2]), 0), ([M, M, ROW], 0), ([M, normal(2, 1)], 1), ([S, S], -1), ([V], 0),
        ([V, [1.5, 2.5]], 0), ([[1.5], V, []], 0), ([M, [[1.5, 2.5, 0.5]]], 0), ([[[0.5], [1.5]], M], 1),
        ([EMPTY, M], 0), ([V[:1], V, V[:1]], 0), ([V, V[:1]], 0), ([V[:1], V[::2]], 0), ([M.T, M.T], 1)]],
    *[case(np.stack, arrays, axis=axis) for arrays, axis in [
        ([V, V], 0), ((V, V), 1), ([M, M, M], -1), ([M, M], 1), ([X, X], 0), ([1.5, 2.5], 0),
        ([EMPTY, EMPTY], 0)]],
    *[case(np.vstack, arrays) for arrays in (
        [V, V], [M, V[:3]], [M, [1.5, 2.5, 0.5]], (M, M, EMPTY), [X, 2.5], [ROW, M])],
    *[case(np.hstack, arrays) for arrays in (
        [V, V], [M, M[:, :1]], (M, M), [V, 2.5, X], [1.5, V], [V, [1.5, 2.5]], [S, S])],
    *[case(np.column_stack, arrays) for arrays in ([V, V], [V[:2], M], (M, V[:2]), [1.5, X], [M, M])],
    *[case(np.dstack, arrays) for arrays in ([V, V], [M, M], (S, M), [X, 2.5], [S, S])],
    *[case(np.append, a, b, axis=axis) for a, b, axis in [
        (V, V[:2], None), (M, V, None), (M, M, 0), (M, ROW, 0), (V, 2.5, None), (V, [1.5, 2.5], None)]],
    case(part, V, V[:2], 3).but(wrt="d", skip="empty"),
    case(part, M, M[:, :1], 1, 1).but(wrt="d"),
    case(placed, V[:2], V, 3).but(wrt="d"),
    case(placed, M[:, :1], M, 1, 1).but(wrt="d"),
    case(parts, V, [V[:2], V[:3], V[:1]]).but(wrt="d", skip="empty"),
    case(parts, M, [M[:, :1], M[:, :2]], axis=1).but(wrt="d"),
    case(joined, [V[:2], V[:3], V[:1]]),
    case(joined, [M[:, :1], M[:, :2]], axis=1),
    # splitting
    *[case(f, a, places, axis=axis) for f in (np.split, np.array_split) for a, places, axis in [
        (V, 3, 0), (V, 1, 0), (V, [2, 5], 0), (V, (2, 2, 100), 0), (M, 3, 1), (S, [1], -1), (EMPTY, 3, 1),
        (V, [], 0)]],
    case(np.array_split, V, 4),
    *[case(np.meshgrid, *xi, indexing=indexing) for indexing in ("xy", "ij")
      for xi in [(V, V[:2]), (V,), (V, V[:2], V[:3]), (V, 2.5), (M, V), (X, X)]],
    # arrays of lists
    *[case(f, a) for f in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray) for a in (
        V, M.T, X, 2.5, [1.5, 2.5, 3.5], [[1.5, 2], [3, 4.5]], [V, V], (V, [M, M][0][0].repeat(2)),
        [[V], [V]],
        [np.float64(1.5), 2], [X, X])],
    case(np.array, [1.5, 2.5], dtype=np.float32).but(tol=1e-2),
    case(np.array, M, dtype=float),
    # repeating
    *[case(f, a, n, axis=axis) for f in (np.repeat, "ndarray.repeat") for a, n, axis in [
        (V, 2, None), (M, 3, None), (M, 2, 0), (M, 2, -1), (S, 1, 1), (EMPTY, 2, 1), (M, 0, 0)]],
    case(np.repeat, 2.5, 3),
    *[case(np.tile, a, reps) for a, reps in [
        (V, 2), (V, (2, 3)), (M, 2), (M, (2, 1)), (M, (2, 1, 3)), (2.5, 3), (EMPTY, 2), (V, (2,)), (V, 1)]],
    *[case(np.pad, a, width) for a, width in [(V, 1), (V, (2, 0)), (M, ((1, 2), (0, 3))), (M, 1),
        (EMPTY, 2)]],
    case(np.pad, V, 2, mode="constant", constant_values=3.0),
    *[case(np.pad, a, width, mode) for mode in COPIES
      for a, width in [(V, 2), (M, ((1, 2), (0, 7))), (M, ((0, 0), (3, 4)))]],
    *[case(unpad, S, ((1, 0), (0, 0), (1, 2)), mode) for mode in COPIES],
    # copies
    *[case(np.broadcast_to, a, shape) for a, shape in [
        (V, (2, 6)), (ROW, (4, 3)), (2.5, (2, 3)), (X, (2,)), (M, (2, 3)), (X, ()), (V, 6)]],
    *[case(f, a) for f in (np.copy, "ndarray.copy") for a in (V, M.T, X)],
    case(np.copy, 2.5),
    case("ndarray.astype", V, np.float64),
    case("ndarray.astype", V, complex),
    case("ndarray.astype", V, float),
    case("ndarray.astype", V.astype(np.float32), np.float64).but(upto=1),
]  # fmt: skip
