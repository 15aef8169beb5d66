"""Factorisations that overwrite their matrix, with pivots, views of blocks and rotations."""

import numpy as np

RNG = np.random.default_rng(2)
A = RNG.normal(size=(4, 4)) + np.diag([1.0, 2.0, 3.0, 4.0])
S = A @ A.T + 4 * np.eye(4)
TALL = RNG.normal(size=(4, 3))
B = RNG.uniform(0.5, 1.5, 4)


def lu_in_place(A):
    """LU without pivots; the determinant."""
    U = A.copy()
    n = len(U)
    for k in range(n - 1):
        U[k + 1 :, k] /= U[k, k]
        U[k + 1 :, k + 1 :] -= np.outer(U[k + 1 :, k], U[k, k + 1 :])
    return np.prod(np.diagonal(U)) + np.sum(U)


def lu_with_pivots(A, b):
    """LU with rows swapped by fancy indices, the right-hand side along with them."""
    U, y = A.copy(), b.copy()
    n = len(U)
    for k in range(n):
        p = k + np.argmax(np.abs(U[k:, k]))
        if p != k:
            U[[k, p]] = U[[p, k]]
            y[k], y[p] = y[p], y[k]
        for i in range(k + 1, n):
            m = U[i, k] / U[k, k]
            U[i, k:] -= m * U[k, k:]
            y[i] -= m * y[k]
    for i in range(n - 1, -1, -1):
        y[i] = (y[i] - U[i, i + 1 :] @ y[i + 1 :]) / U[i, i]
    return np.sum(y * y)


def gauss_jordan(A):
    """The inverse, by Gauss and Jordan on rows swapped through a copy."""
    M = np.hstack([A, np.eye(len(A))])
    n = len(A)
    for k in range(n):
        p = k + int(np.argmax(np.abs(M[k:, k])))
        row = M[k].copy()
        M[k] = M[p]
        M[p] = row
        M[k] /= M[k, k]
        for i in range(n):
            if i != k:
                M[i] -= M[i, k] * M[k]
    return np.sum(M[:, n:] ** 2)


def cholesky_by_elements(S):
    """Cholesky by elements, in the lower half of its matrix."""
    L = S.copy()
    n = len(L)
    for j in range(n):
        for k in range(j):
            L[j, j] -= L[j, k] * L[j, k]
        L[j, j] = np.sqrt(L[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                L[i, j] -= L[i, k] * L[j, k]
            L[i, j] /= L[j, j]
    return np.sum(np.log(np.diagonal(L))) + np.sum(np.tril(L) ** 2)


def cholesky_by_columns(S):
    """Cholesky by columns: the rest of the matrix is a view that is updated."""
    L = S.copy()
    for j in range(len(L)):
        column = L[j:, j]
        column /= np.sqrt(column[0])
        rest = L[j + 1 :, j + 1 :]
        rest -= np.outer(column[1:], column[1:])
    return np.sum(np.tril(L))


def gram_schmidt(A):
    """Modified Gram and Schmidt, on the columns themselves."""
    Q = A.copy()
    for j in range(Q.shape[1]):
        q = Q[:, j]
        q /= np.linalg.norm(q)
        for k in range(j + 1, Q.shape[1]):
            Q[:, k] -= (q @ Q[:, k]) * q
    return np.sum(Q**3)


def orthogonal_rows(A):
    """Gram and Schmidt by rows, with `for row in`."""
    Q = A.copy()
    for i, row in enumerate(Q):
        for other in Q[:i]:
            row -= (row @ other) * other
        row /= np.sqrt(row @ row)
    return np.sum(Q**3)


def householder(A):
    """R of QR by reflections of the columns that remain."""
    R = A.copy()
    for k in range(R.shape[1]):
        v = R[k:, k].copy()
        v[0] += np.sign(v[0]) * np.linalg.norm(v)
        v /= np.linalg.norm(v)
        block = R[k:, k:]
        block -= 2.0 * np.outer(v, v @ block)
    return np.sum(np.triu(R) ** 3)


def givens(A):
    """R of QR by rotations of two rows at a time."""
    R = A.copy()
    m, n = R.shape
    for j in range(n):
        for i in range(m - 1, j, -1):
            r = np.sqrt(R[i - 1, j] ** 2 + R[i, j] ** 2)
            c, s = R[i - 1, j] / r, R[i, j] / r
            upper = c * R[i - 1] + s * R[i]
            R[i] = c * R[i] - s * R[i - 1]
            R[i - 1] = upper
    return np.sum(np.triu(R) ** 3)


def jacobi_rotations(S):
    """Eigenvalues of a symmetric matrix by rotations, rows and then columns, through a transposed view."""

    def rotate(M, p, q, c, s):
        old = M[p].copy()
        M[p] = c * old - s * M[q]
        M[q] = s * old + c * M[q]

    D = S.copy()
    for p, q in ((0, 1), (2, 3)):
        angle = 0.5 * np.arctan2(2 * D[p, q], D[q, q] - D[p, p])
        c, s = np.cos(angle), np.sin(angle)
        rotate(D, p, q, c, s)
        rotate(D.T, p, q, c, s)
    return np.sum(np.diagonal(D) ** 2)


def rank_one_update(S, x):
    """The Cholesky factor of S + x x', updated in place."""
    L, w = np.linalg.cholesky(S), x.copy()
    for k in range(len(w)):
        r = np.sqrt(L[k, k] ** 2 + w[k] ** 2)
        c, s = r / L[k, k], w[k] / L[k, k]
        L[k, k] = r
        L[k + 1 :, k] = (L[k + 1 :, k] + s * w[k + 1 :]) / c
        w[k + 1 :] = c * w[k + 1 :] - s * L[k + 1 :, k]
    return np.sum(L**2 * np.arange(1.0, 5.0))


def blocked_product(A, B):
    """A product by blocks, added into views of the result."""
    C = np.zeros((4, 4))
    for i in range(0, 4, 2):
        for j in range(0, 4, 2):
            block = C[i : i + 2, j : j + 2]
            for k in range(0, 4, 2):
                block += A[i : i + 2, k : k + 2] @ B[k : k + 2, j : j + 2]
    return np.sum(C * C)


PROGRAMS = [
    (lu_in_place, (A,)), (lu_with_pivots, (A, B)), (gauss_jordan, (A,)), (cholesky_by_elements, (S,)),
    (cholesky_by_columns, (S,)), (gram_schmidt, (TALL,)), (orthogonal_rows, (TALL.T,)), (householder, (TALL,)),
    (givens, (TALL,)), (jacobi_rotations, (S,)), (rank_one_update, (S, B)), (blocked_product, (A, S)),
]  # fmt: skip
