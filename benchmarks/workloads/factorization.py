"""Cholesky's factorization, element by element: loops over indices, and stores into one array."""

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once


def cholesky(A: Array) -> float:
    """The sum of the logarithms of the diagonal of the factor; of A only the lower triangle is read."""
    n = A.shape[0]
    L = np.zeros_like(A)
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k]
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return np.sum(np.log(np.diagonal(L)))


def cholesky_by_hand(A: Array) -> tuple[Array]:
    L, d_L, d_A = np.zeros_like(A), np.zeros_like(A), np.zeros_like(A)
    factor_into(L, A)
    pull_back_into(d_A, d_L, L)
    return (d_A,)


def cholesky_pre(A: Array) -> Gradient:
    L, d_L, d_A = np.zeros_like(A), np.empty_like(A), np.zeros_like(A)

    def gradient(A: Array) -> tuple[Array]:
        factor_into(L, A)  # writes the lower triangle, all of it: the zeros above stay
        d_L.fill(0.0)
        pull_back_into(d_A, d_L, L)
        return (d_A,)

    return gradient


def factor_into(L: Array, A: Array) -> None:
    """The lower triangle of L becomes the factor of A."""
    n = A.shape[0]
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k]
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]


def pull_back_into(d_A: Array, d_L: Array, L: Array) -> None:
    """The lower triangle of d_A becomes the gradient; d_L comes with zeros and is used up."""
    n = L.shape[0]
    for j in range(n):
        d_L[j, j] = 1.0 / L[j, j]
    for j in reversed(range(n)):
        for i in reversed(range(j + 1, n)):
            d_s = d_L[i, j] / L[j, j]
            d_L[j, j] -= d_s * L[i, j]
            d_A[i, j] = d_s
            for k in range(j):
                d_L[i, k] -= d_s * L[j, k]
                d_L[j, k] -= d_s * L[i, k]
        d_s = 0.5 * d_L[j, j] / L[j, j]
        d_A[j, j] = d_s
        for k in range(j):
            d_L[j, k] -= 2.0 * d_s * L[j, k]


def cholesky_best(A: Array) -> tuple[Array]:
    """Half the logarithm of the determinant; an element below the diagonal stands for the one above it too."""
    d_A = np.tril(np.linalg.inv(A))
    d_A[np.diag_indices_from(d_A)] *= 0.5
    return (d_A,)


def positive_definite(n: int) -> tuple[Array]:
    X = normal(n, n)
    return (X @ X.T / n + np.eye(n),)


WORKLOADS = (
    Workload(
        "Cholesky by elements, 60 x 60",
        cholesky,
        lambda: positive_definite(60),
        lambda: positive_definite(4),
        argnums=(0,),
        references={"pre": cholesky_pre, "hand": once(cholesky_by_hand), "best": once(cholesky_best)},
    ),
)
