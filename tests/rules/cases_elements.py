"""Adding elements to an array, removing some, sorting, and blocks."""

import numpy as np

from rules.numpy.elements import new_part, old_part, undelete, unresize
from tests.rules.case import case, normal

V, M, S = normal(6), normal(3, 4), normal(2, 3, 4)
I = np.array([2, 0, 2])

CASES = [
    *[case(np.insert, a, obj, v, axis=k) for a, obj, v, k in [
        (V, 2, 1.5, None), (V, -1, 1.5, None), (V, 2, normal(2), None), (V, [1, 3], normal(2), None),
        (V, I, normal(3), 0), (V, [1], normal(2), None),
        (V, slice(1, 5, 2), normal(2), None), (M, 1, normal(4), 0), (M, 1, normal(3), 1),
        (M, 1, normal(3, 2).T, 1), (M, 1, 1.5, -1), (M, 2, normal(2, 4), 0), (M, 5, normal(2), None),
        (M, [0, 2], normal(3, 2), 1), (M, I, normal(4), 0), (S, 1, normal(2, 4), 1)]],
    *[case(f, normal(5), V[:3], obj).but(wrt="d", skip="empty") for f in (old_part, new_part) for obj in (1, [1, 2])],
    *[case(np.delete, a, obj, axis=k) for a, obj, k in [
        (V, 2, None), (V, -1, None), (V, [1, 3], None), (V, I, 0), (V, slice(1, 5, 2), None), (V, V > 0, None),
        (M, 1, 0), (M, -1, 1), (M, [0, 2], -1), (M, 5, None), (S, 1, 1)]],
    case(undelete, normal(2, 4), M, 1).but(wrt="d", skip="empty"),
    *[case(np.resize, a, n) for a, n in [
        (V, 4), (V, 15), (M, (2, 7)), (M, (3, 4)), (1.5, (2, 2)), (V, (0, 2)), (V, (12,))]],
    case(unresize, normal(2, 7), M).but(wrt="d"),
    *[case(np.partition, a, k, axis=axis) for a, k, axis in [(M, 1, 0), (M, (0, 2), 1), (S, 1, 1)]],
    case(np.partition, V, 2).but(skip="float16"),  # NumPy may order what is on one side otherwise than as doubles
    case(np.sort_complex, M).but(complex=False), case(np.sort_complex, V + 1j * V[::-1]),
    *[case(np.block, a) for a in [
        [V, V[:2]],
        [[M, M[:, :1]], [M[:1], np.ones((1, 1))]], [[V], [V]], [[1.5, 2.5], [V[:1], 0.5]], [V, 1.5], [[M], [M[0]]],
        [[[V[:2]], [V[2:4]]], [[V[1:3]], [V[3:5]]]], [[S, S[..., :1]]], [M], M, 1.5, [[M[:, :0], M]]]],
    *[case(np.rollaxis, S, *k) for k in [(0,), (1,), (2,), (-1, 1), (0, 3), (0, -1), (1, 2), (2, 0)]],
    *[case(np.hsplit, a, n) for a, n in [(V, 3), (M, 2), (M, [1, 3]), (S, 3)]],
    *[case(np.vsplit, a, n) for a, n in [(M, 3), (S, [1])]],
    case(np.dsplit, S, 2), case(np.dsplit, S, [1, 2]),
    *[case(np.broadcast_arrays, *a) for a in [(V, 1.5), (M, M[:, :1], M[0]), (M, S), (V,)]],
]
CASES += [case(np.row_stack, [M, M[0]])] if "row_stack" in vars(np) else []
