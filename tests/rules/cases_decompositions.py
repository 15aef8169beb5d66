"""`np.linalg`: solving, determinants, norms, factorisations, of one matrix and of stacks."""

import numpy as np

from rules.numpy.decompositions import cofactors, gaps
from tests.rules.case import case, normal

# A, B are regular, S and T symmetric and positive definite; P, Q stacks of such.
A = normal(3, 3) + 3 * np.eye(3)
P = normal(2, 3, 3, seed=4) + 3 * np.eye(3)
S, T = A @ A.T, P @ P.swapaxes(-1, -2)
V, M, X = normal(3), normal(3, 4), normal(2, 3, 4)

CASES = [
    *[case(np.linalg.solve, a, b) for a, b in [
        (A, V), (A, M), (P, V), (P, M), (A, X), (P, X), (P[:1], X), (A.T, V)]],
    *[case(f, a) for f in (np.linalg.inv, np.linalg.det, cofactors) for a in (A, P, A[:1, :1])],
    case(np.linalg.det, np.diag([1.0, 2.0, 0.0])).but(upto=1, complex=False),
    case(np.linalg.det, np.zeros((2, 2))).but(upto=1, complex=False),
    *[case(np.linalg.slogdet, a) for a in (A, P, -A)],
    *[case(np.linalg.matrix_power, a, n) for a, n in [(A, 0), (A, 1), (A, 2), (A, 3), (P, 4)]],
    *[case(np.linalg.norm, a, axis=axis) for a, axis in [
        (V, None), (M, None), (X, None), (M, 0), (X, (0, 2)), (M, -1)]],
    *[case(np.linalg.norm, a, ord=p, axis=axis, keepdims=k)
      for p in (1, 2, 3, np.inf, 2.5) for k in (False, True) for a, axis in [(V, None), (M, 1)]],
    case(np.linalg.norm, M, "fro"),
    case(np.linalg.norm, X, "fro", axis=(1, 2), keepdims=True),
    *[case(np.linalg.cholesky, a) for a in (S, T)],
    case(gaps, np.array([0.5, 1.25, 3.0])),
    *[case(np.linalg.eigvalsh, a) for a in (S, T)],
    *[case(np.linalg.eigh, a) for a in (S, T)],
]  # fmt: skip
