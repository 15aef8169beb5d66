"""Selections: what a condition keeps, one of several arrays."""

import numpy as np

from rules.numpy.selections import unchoose, uncompress
from tests.rules.case import case, normal

V, M, S = normal(6), normal(3, 4), normal(2, 3, 4)
W, N = normal(6, seed=2), normal(3, 4, seed=2)
I = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
SHORT = np.array([False, True])

CASES = [
    *[case(np.compress, c, a, axis=k) for c, a, k in [
        (V > 0, V, None), (SHORT, V, None), (M[:, 0] > 0, M, 0), (SHORT, S, -1), (M.ravel() > 0, M, None)]],
    case("ndarray.compress", M, SHORT, 1),
    case(uncompress, normal(3, 1), M, SHORT, 1).but(wrt="d", skip="empty"),
    *[case(np.extract, c, a) for c, a in [(V > 0, V), (M > 0, M), (M.ravel() > 0, M)]],
    *[case(np.select, [V > 0.5, V < 0], [V, W], d) for d in (0, 1.5, V * 2)],
    case(np.select, [M > 0.5, M[0] < 0], [M, N[:, :1]], N[0]),
    case(np.select, [M > 0], [2.5], M),
    *[case(np.choose, a, b) for a, b in [
        (I, [M, N]), (I, [M, N[0]]), (I, [M, 1.5]), (I, S[:, :, :4]), (I, normal(2, 4)), (I[0], normal(2, 3, 1)),
        (1, [M, N]), (np.array([0, 1, 0]), normal(2))]],
    *[case(np.choose, 3 * I - 1, [M, N], mode=m) for m in ("clip", "wrap")],
    case(np.choose, 3 * I - 1, S, mode="wrap"),
    case("ndarray.choose", I, [M, N]),
    case(unchoose, M, I, S).but(wrt="d", skip="empty broadcast"),
]
