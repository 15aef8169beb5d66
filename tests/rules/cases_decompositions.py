"""`np.linalg`: solving, determinants, norms, factorisations, of one matrix and of stacks."""

import numpy as np

from rules.numpy.decompositions import by_triangle, cofactors, cofactors_along, inverse
from rules.numpy.least_squares import beside, pseudoinverse, regular, weights
from rules.numpy.singular_values import leading
from rules.numpy.spectral import anchors, beyond, complex_eig, complex_eigvals, eigenvectors, gaps
from tests.rules.case import case, normal

# A, B are regular, S and T symmetric and positive definite; P, Q stacks of such.
A = normal(3, 3) + 3 * np.eye(3)
P = normal(2, 3, 3, seed=4) + 3 * np.eye(3)
S, T = A @ A.T, P @ P.swapaxes(-1, -2)
BIG = normal(33, 33) + 30 * np.eye(33)
V, M, X = normal(3), normal(3, 4), normal(2, 3, 4)
# Eigenvalues of these come in pairs, and LAPACK gives no vector the other sign where a matrix is changed a little.
TURNS = np.array([[[0.8, -1.2, 0.1, -0.9], [1.8, 0.9, -0.4, -1.0], [0.0, -1.1, 1.4, -2.0], [1.5, 0.7, 2.2, 2.1]],
                  [[0.2, -1.9, -1.3, -0.8], [1.2, 0.7, 0.4, 0.1], [-0.3, -0.2, 1.4, -2.2], [-0.5, -0.4, 1.7, 1.6]]])
TURN = TURNS[0]

CASES = [
    *[case(np.linalg.solve, a, b) for a, b in [
        (A, V), (A, M), (P, V), (P, M), (A, X), (P, X), (P[:1], X), (A.T, V)]],
    *[case(f, a) for f in (np.linalg.inv, np.linalg.det, cofactors) for a in (A, P, A[:1, :1])],
    *[case(np.linalg.det, a).but(complex=False) for a in (
        np.diag([1.0, 2.0, 0.0]), np.diag([1.0, 0.0, 0.0]), np.zeros((2, 2)), np.outer(V, V + 1), A[:1, :1] * 0)],
    case(np.linalg.det, np.diag([0.0, 2j, 1.0])),
    *[case(cofactors_along, a, b).but(skip="broadcast")
      for a, b in ((A, S), (P, T), (A[:1, :1], S[:1, :1]), (S, np.diag(V)), (np.diag([1.0, 2.0, 0.1]), S))],
    *[case(inverse, a) for a in (A, P)],
    *[case(by_triangle, f(a), b, f is np.triu).but(skip="broadcast")
      for f in (np.triu, np.tril) for a, b in ((A, M), (P, P), (BIG, BIG))],
    *[case(np.linalg.slogdet, a) for a in (A, P, -A)],
    *[case(np.linalg.matrix_power, a, n) for a, n in [(A, 0), (A, 1), (A, 2), (A, 3), (P, 4), (A, -1), (P, -3)]],
    *[case(np.linalg.norm, a, axis=axis) for a, axis in [
        (V, None), (M, None), (X, None), (M, 0), (X, (0, 2)), (M, -1)]],
    *[case(np.linalg.norm, a, ord=p, axis=axis, keepdims=k)
      for p in (1, 2, 3, np.inf, 2.5) for k in (False, True) for a, axis in [(V, None), (M, 1)]],
    case(np.linalg.norm, M, "fro"),
    case(np.linalg.norm, X, "fro", axis=(1, 2), keepdims=True),
    *[case(np.linalg.norm, a, p, axis=axis, keepdims=k)
      for p in ("nuc", 1, -1, 2, -2, np.inf, -np.inf) for a, axis, k in [
        (M, None, False), (X, (2, 0), True)]],
    case(np.linalg.norm, M, 2, keepdims=True),
    case(np.linalg.norm, X, 1, axis=(-2, -1)),
    *[case(np.linalg.vector_norm, a, axis=axis, ord=p, keepdims=k)
      for p, a, axis, k in [(1, X, None, False), (2, X, (0, 2), True), (2.5, X, (0, 2), False), (np.inf, M, -1, True)]],
    *[case(np.linalg.matrix_norm, X, ord=p, keepdims=k) for p, k in [("fro", False), ("nuc", True), (1, False)]],
    *[case(np.linalg.cond, a, p) for p in (None, -2) for a in (A, M, X)],
    *[case(np.linalg.cond, a, p) for p, a in [("fro", P), ("nuc", A), (1, P), (-1, A), (np.inf, A), (-np.inf, P)]],
    *[case(np.linalg.cholesky, a, upper=u) for a in (S, T) for u in (False, True)],
    case(np.linalg.slogdet, A + 0.5j),
    case(gaps, np.array([0.5, 1.25, 3.0])),
    *[case(np.linalg.eigvalsh, a, UPLO=u) for a in (S, T) for u in "LU"],
    *[case(np.linalg.eigh, a, UPLO=u).but(complex=False) for a in (S, T) for u in "LU"],
    *[case(f, a) for f in (complex_eig, complex_eigvals) for a in (TURN, TURNS, S, T)],
    *[case(f, a + 0.5j) for f in (np.linalg.eig, np.linalg.eigvals) for a in (A, P)],
    case(eigenvectors, TURN, np.linalg.eigvals(TURN)).but(wrt="a", complex=False),
    case(anchors, np.linalg.eig(TURN)[1]).but(wrt=""),
    # Complex singular vectors have phases that nothing determines: tests/rules/test_phases.py.
    *[case(np.linalg.svd, a, full_matrices=f).but(complex=False)
      for f in (False, True) for a in (A, M, M.T, X)],
    *[case(np.linalg.svd, a, compute_uv=False) for a in (A, X)],
    *[case(np.linalg.svdvals, a) for a in (M, M.T, X)],
    case(leading, M, normal(2)).but(wrt="U", skip="zero-dim numbers scalars"),
    case(beyond, np.linalg.qr(M.T)[0], M.T),
    *[case(np.linalg.qr, a, mode) for mode in ("reduced", "r") for a in (A, M, M.T, X, X.swapaxes(-1, -2))],
    case(beside, M, A),
    *[case(np.linalg.pinv, a) for a in (A, M, M.T, X)],
    case(pseudoinverse, M.T, normal(4)),
    case(regular, np.linalg.qr(P)[1]),
    *[case(np.linalg.lstsq, a, b) for a, b in [
        (A, V), (A, M), (M, V), (M, A), (M.T, normal(4)), (M.T, normal(4, 2)), (M, M)]],
    case(weights, normal(4), M).but(skip="zero-dim scalars"),
]  # fmt: skip
