"""The programs in the form that another library asks for: without stores, or with its own loops.

A table has another function for a program, or a line that says why the library cannot run it. `np` in a program
stands for the library's own namespace. Programs that are not in a table run as they are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import accumulation, factorization, numbers, products, recurrent, stencils

Table = dict[Callable[..., Any], Callable[..., Any] | str]

# ---- without stores ------------------------------------------------------------------------------


def energies(A: Any, Bs: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        C = A @ Bs[k]
        total = total + np.sum(C * C)
    return total


def filtered(a: Any, x: Any) -> Any:
    h = x[0]
    total = h * h
    for i in range(1, x.shape[0]):
        h = a * h + x[i]
        total = total + h * h
    return total


def burgers(u: Any, n: int, dt: float) -> Any:
    for _ in range(n):
        inner = u[1:-1] - dt * u[1:-1] * (u[2:] - u[:-2])
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u**2)


# ---- with the loops of jax -----------------------------------------------------------------------


def affine_scanned(W: Any, b: Any, x: Any, n: int) -> Any:
    import jax

    return jax.lax.fori_loop(0, n, lambda i, total: total + np.sum(W @ x + b), 0.0)


def affine_each_scanned(W: Any, b: Any, xs: Any, n: int) -> Any:
    import jax

    return jax.lax.scan(lambda total, x: (total + np.sum(W @ x + b), None), 0.0, xs)[0]


def energies_scanned(A: Any, Bs: Any, n: int) -> Any:
    import jax

    return jax.lax.scan(lambda total, B: (total + np.sum((A @ B) ** 2), None), 0.0, Bs)[0]


def lstm_scanned(Wx: Any, Wh: Any, b: Any, xs: Any) -> Any:
    import jax

    H = Wh.shape[0]

    def step(state: Any, x: Any) -> Any:
        h, c = state
        z = x @ Wx + h @ Wh + b
        i, f, o = (1.0 / (1.0 + np.exp(-z[:, k * H : (k + 1) * H])) for k in (0, 1, 3))
        c = f * c + i * np.tanh(z[:, 2 * H : 3 * H])
        return (o * np.tanh(c), c), None

    zeros = np.zeros((xs.shape[1], H))
    (h, _), _ = jax.lax.scan(step, (zeros, zeros), xs)
    return np.sum(h * h)


def lorenz_scanned(x: Any, y: Any, z: Any, s: Any, r: Any, b: Any, n: int, dt: float) -> Any:
    import jax

    def slope(x: Any, y: Any, z: Any) -> Any:
        return s * (y - x), x * (r - z) - y, x * y - b * z

    def moved(state: Any, slopes: Any, by: float) -> Any:
        return tuple(a + by * d for a, d in zip(state, slopes))

    def step(state: Any, _: Any) -> Any:
        k1 = slope(*state)
        k2 = slope(*moved(state, k1, 0.5 * dt))
        k3 = slope(*moved(state, k2, 0.5 * dt))
        k4 = slope(*moved(state, k3, dt))
        mean = tuple(a + 2.0 * b + 2.0 * c + d for a, b, c, d in zip(k1, k2, k3, k4))
        return moved(state, mean, dt / 6.0), None

    (x, y, z), _ = jax.lax.scan(step, (x, y, z), None, length=n)
    return x * x + y * y + z * z


def filtered_scanned(a: Any, x: Any) -> Any:
    import jax

    def step(h: Any, element: Any) -> Any:
        h = a * h + element
        return h, h

    h = jax.lax.scan(step, np.zeros_like(x[0]), x)[1]
    return np.sum(h * h)


def jacobi_scanned(A: Any, n: int) -> Any:
    import jax

    def swept(A: Any, B: Any) -> Any:
        five = A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        return B.at[1:-1, 1:-1].set(0.2 * five)

    def step(state: Any, _: Any) -> Any:
        A, B = state
        B = swept(A, B)
        return (swept(B, A), B), None

    (A, _), _ = jax.lax.scan(step, (A, A), None, length=n)
    return np.sum(A * A)


def burgers_scanned(u: Any, n: int, dt: float) -> Any:
    import jax

    def step(u: Any, _: Any) -> Any:
        return u.at[1:-1].add(-dt * u[1:-1] * (u[2:] - u[:-2])), None

    u, _ = jax.lax.scan(step, u, None, length=n)
    return np.sum(u**2)


# ---- with the names of torch ---------------------------------------------------------------------


def jacobi_cloned(A: Any, n: int) -> Any:
    A = A.clone()
    B = A.clone()
    for _ in range(n):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A * A)


AUTOGRAD: Table = {
    products.energies: energies,
    numbers.filtered: filtered,
    stencils.burgers: burgers,
    stencils.jacobi: "no stores into arrays",
    factorization.cholesky: "no stores into arrays",
}

JAX: Table = {
    accumulation.affine: affine_scanned,
    accumulation.affine_each: affine_each_scanned,
    products.energies: energies_scanned,
    recurrent.lstm: lstm_scanned,
    numbers.lorenz: lorenz_scanned,
    numbers.filtered: filtered_scanned,
    stencils.jacobi: jacobi_scanned,
    stencils.burgers: burgers_scanned,
    factorization.cholesky: "36,000 operations after unrolling",
}

TORCH: Table = {
    products.energies: energies,
    numbers.filtered: filtered,
    stencils.burgers: burgers,
    stencils.jacobi: jacobi_cloned,
    factorization.cholesky: "no stores into what was read",
}
