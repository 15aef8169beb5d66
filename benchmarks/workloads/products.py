"""Products of matrices: a chain, and one matrix after another through one buffer."""

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once

# ---- sum(A @ B @ C @ X) --------------------------------------------------------------------------


def chain(A: Array, B: Array, C: Array, X: Array) -> float:
    return np.sum(A @ B @ C @ X)


def chain_d_last(A: Array, B: Array, C: Array, X: Array) -> tuple[Array]:
    return ((A @ B @ C).T @ np.ones_like(X),)


def chain_d_first(A: Array, B: Array, C: Array, X: Array) -> tuple[Array]:
    return (np.ones_like(X) @ X.T @ C.T @ B.T,)


def chain_d_all(A: Array, B: Array, C: Array, X: Array) -> tuple[Array, ...]:
    AB = A @ B
    ABC = AB @ C
    ones = np.ones_like(X)
    d_X = ABC.T @ ones
    d_ABC = ones @ X.T
    d_C = AB.T @ d_ABC
    d_AB = d_ABC @ C.T
    return d_AB @ B.T, A.T @ d_AB, d_C, d_X


def chain_d_last_pre(A: Array, B: Array, C: Array, X: Array) -> Gradient:
    AB, ABC, d_X = (np.empty_like(X) for _ in range(3))
    ones = np.ones_like(X)

    def gradient(A: Array, B: Array, C: Array, X: Array) -> tuple[Array]:
        np.matmul(A, B, out=AB)
        np.matmul(AB, C, out=ABC)
        np.matmul(ABC.T, ones, out=d_X)
        return (d_X,)

    return gradient


def chain_d_first_pre(A: Array, B: Array, C: Array, X: Array) -> Gradient:
    d_ABC, d_AB, d_A = (np.empty_like(X) for _ in range(3))
    ones = np.ones_like(X)

    def gradient(A: Array, B: Array, C: Array, X: Array) -> tuple[Array]:
        np.matmul(ones, X.T, out=d_ABC)
        np.matmul(d_ABC, C.T, out=d_AB)
        np.matmul(d_AB, B.T, out=d_A)
        return (d_A,)

    return gradient


def chain_d_all_pre(A: Array, B: Array, C: Array, X: Array) -> Gradient:
    AB, ABC, d_ABC, d_AB, d_A, d_B, d_C, d_X = (np.empty_like(X) for _ in range(8))
    ones = np.ones_like(X)

    def gradient(A: Array, B: Array, C: Array, X: Array) -> tuple[Array, ...]:
        np.matmul(A, B, out=AB)
        np.matmul(AB, C, out=ABC)
        np.matmul(ABC.T, ones, out=d_X)
        np.matmul(ones, X.T, out=d_ABC)
        np.matmul(AB.T, d_ABC, out=d_C)
        np.matmul(d_ABC, C.T, out=d_AB)
        np.matmul(A.T, d_AB, out=d_B)
        np.matmul(d_AB, B.T, out=d_A)
        return d_A, d_B, d_C, d_X

    return gradient


def chain_d_last_best(A: Array, B: Array, C: Array, X: Array) -> tuple[Array]:
    """The cotangent of a sum has rank one: vectors times matrices will do."""
    column = A.sum(0) @ B @ C
    return (np.repeat(column[:, None], X.shape[1], axis=1),)


def chain_arguments(n: int) -> tuple[Array, ...]:
    return tuple(normal(n, n, seed=k) / n**0.5 for k in range(4))


# ---- dot into a buffer ---------------------------------------------------------------------------


def energies(A: Array, Bs: Array, n: int) -> float:
    C = np.empty((A.shape[0], Bs.shape[2]))
    total = 0.0
    for k in range(n):
        np.dot(A, Bs[k], out=C)
        total += np.sum(C * C)
    return total


def energies_by_hand(A: Array, Bs: Array, n: int) -> tuple[Array, Array]:
    C = np.empty((A.shape[0], Bs.shape[2]))
    d_A, d_Bs = np.zeros_like(A), np.zeros_like(Bs)
    tape = []
    for k in range(n):
        np.dot(A, Bs[k], out=C)
        tape.append(C.copy())
    for k in reversed(range(n)):
        d_C = 2.0 * tape.pop()
        d_A += d_C @ Bs[k].T
        d_Bs[k] += A.T @ d_C
    return d_A, d_Bs


def energies_pre(A: Array, Bs: Array, n: int) -> Gradient:
    tape = np.empty((n, A.shape[0], Bs.shape[2]))
    d_A, d_Bs, term = np.empty_like(A), np.empty_like(Bs), np.empty_like(A)

    def gradient(A: Array, Bs: Array, n: int) -> tuple[Array, Array]:
        for k in range(n):
            np.dot(A, Bs[k], out=tape[k])
        d_A.fill(0.0)
        for k in reversed(range(n)):
            d_C = tape[k]
            np.multiply(d_C, 2.0, out=d_C)
            np.dot(d_C, Bs[k].T, out=term)
            np.add(d_A, term, out=d_A)
            np.dot(A.T, d_C, out=d_Bs[k])
        return d_A, d_Bs

    return gradient


def energies_arguments(n: int, rows: int, inner: int, columns: int) -> tuple[Array, Array, int]:
    return normal(rows, inner), normal(n, inner, columns, seed=1), n


WORKLOADS = (
    Workload(
        "sum(A@B@C@X), 100 x 100, wrt X",
        chain,
        lambda: chain_arguments(100),
        lambda: chain_arguments(3),
        argnums=(3,),
        references={
            "pre": chain_d_last_pre,
            "hand": once(chain_d_last),
            "best": once(chain_d_last_best),
        },
        bar=0.8,
    ),
    Workload(
        "sum(A@B@C@X), 100 x 100, wrt A",
        chain,
        lambda: chain_arguments(100),
        lambda: chain_arguments(3),
        argnums=(0,),
        references={"pre": chain_d_first_pre, "hand": once(chain_d_first)},
    ),
    Workload(
        "sum(A@B@C@X), 100 x 100, wrt all",
        chain,
        lambda: chain_arguments(100),
        lambda: chain_arguments(3),
        argnums=(0, 1, 2, 3),
        references={"pre": chain_d_all_pre, "hand": once(chain_d_all)},
        bar=1.05,
    ),
    Workload(
        "dot(A, B, out=C), 100 times, 16 x 32 x 8",
        energies,
        lambda: energies_arguments(100, 16, 32, 8),
        lambda: energies_arguments(3, 2, 4, 3),
        argnums=(0, 1),
        references={"pre": energies_pre, "hand": once(energies_by_hand)},
        constants=1,
        bar=1.15,
    ),
)
