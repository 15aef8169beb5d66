"""`np.linalg` under the names of the Array API, and for tensors that stand for matrices."""

import numpy as np

from tests.rules.case import case, normal

V, M, X = normal(3), normal(3, 4), normal(2, 3, 4)
Y = normal(2, 4, 3, seed=2)
# As matrices of 6 by 6 these are regular.
SIX = np.eye(6) * 3 + normal(6, 6) / 2
BOX = SIX.reshape(2, 3, 6)

CASES = [
    *[case(np.linalg.matmul, a, b) for a, b in [(M, M.T), (X, Y), (V, M), (X, normal(4))]],
    case(np.linalg.outer, V, normal(4)),
    *[case(np.linalg.cross, a, b, axis=k) for a, b, k in [(V, V[::-1], -1), (M, M[:, ::-1], 0), (Y, V, -1)]],
    *[case(np.linalg.tensordot, a, b, axes=k) for a, b, k in [
        (X, Y, ((1, 2), (2, 1))), (M, M.T, 1), (X, normal(3, 4, 2), 2), (V, M, 0)]],
    *[case(f, a, b, axis=k) for f in (np.vecdot, np.linalg.vecdot) for a, b, k in [
        (V, V[::-1], -1), (X, M, -1), (X, X[::-1], 1), (M, X, -2)]],
    case(np.linalg.vecdot, M + 1j, M * 2j),
    *[case(np.linalg.matrix_transpose, a) for a in (M, X)],
    *[case(np.linalg.diagonal, a, offset=k) for a in (M, X) for k in (0, 1, -1)],
    *[case(np.linalg.trace, a, offset=k) for a in (M, X) for k in (0, 1)],
    *[case(np.linalg.matrix_rank, a) for a in (V, M, X)],
    *[case(np.linalg.multi_dot, arrays) for arrays in [
        [M, M.T], [M, M.T, M], [V, M, normal(4, 2)], [M, M.T, V], [V, M, normal(4)], [V, M, M.T, normal(3, 1)]]],
    *[case(np.linalg.tensorsolve, a, b, axes=k) for a, b, k in [
        (SIX, normal(6), None), (BOX, normal(2, 3), None), (SIX.reshape(6, 3, 2), normal(6), None),
        (np.moveaxis(BOX, 2, 0), normal(2, 3), (0,)), (SIX.reshape(6, 2, 3), normal(2, 3), (0,))]],
    *[case(np.linalg.tensorinv, a, ind=k) for a, k in [(SIX, 1), (BOX, 2), (SIX.reshape(6, 3, 2), 1)]],
]  # fmt: skip
