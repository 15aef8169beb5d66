"""Equations solved in place: Jacobi's method in the plane, and Burgers' equation on a line."""

from collections.abc import Sequence

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once

# ---- Jacobi's method, from one array into the other and back -------------------------------------


def jacobi(A: Array, n: int) -> float:
    A = A.copy()
    B = A.copy()
    for _ in range(n):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A * A)


def jacobi_by_hand(A: Array, n: int) -> tuple[Array]:
    A = A.copy()
    B = A.copy()
    for _ in range(n):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    d_A = 2.0 * A
    d_B = np.zeros_like(A)
    for _ in range(n):
        for d_to, d_from in ((d_A, d_B), (d_B, d_A)):
            d = 0.2 * d_to[1:-1, 1:-1]
            d_to[1:-1, 1:-1] = 0.0
            d_from[1:-1, 1:-1] += d
            d_from[1:-1, :-2] += d
            d_from[1:-1, 2:] += d
            d_from[2:, 1:-1] += d
            d_from[:-2, 1:-1] += d
    return (d_A + d_B,)


def jacobi_pre(A: Array, n: int) -> Gradient:
    P, Q, d_P, d_Q = (np.empty_like(A) for _ in range(4))
    term = np.empty_like(A[1:-1, 1:-1])
    at_P, at_Q, at_d_P, at_d_Q = map(_five_points, (P, Q, d_P, d_Q))

    def forward(source: Sequence[Array], target: Sequence[Array]) -> None:
        np.add(source[0], source[1], out=term)
        for neighbour in source[2:]:
            np.add(term, neighbour, out=term)
        np.multiply(term, 0.2, out=target[0])

    def backward(d_target: Sequence[Array], d_source: Sequence[Array]) -> None:
        np.multiply(d_target[0], 0.2, out=term)
        d_target[0].fill(0.0)
        for point in d_source:
            np.add(point, term, out=point)

    def gradient(A: Array, n: int) -> tuple[Array]:
        P[:] = A
        Q[:] = A
        for _ in range(n):
            forward(at_P, at_Q)
            forward(at_Q, at_P)
        np.multiply(P, 2.0, out=d_P)
        d_Q.fill(0.0)
        for _ in range(n):
            backward(at_d_P, at_d_Q)
            backward(at_d_Q, at_d_P)
        np.add(d_P, d_Q, out=d_P)
        return (d_P,)

    return gradient


def _five_points(A: Array) -> tuple[Array, ...]:
    """Views of the inner points and of their four neighbours."""
    return A[1:-1, 1:-1], A[1:-1, :-2], A[1:-1, 2:], A[2:, 1:-1], A[:-2, 1:-1]


# ---- Burgers' equation ---------------------------------------------------------------------------


def burgers(u: Array, n: int, dt: float) -> float:
    u = u.copy()
    for _ in range(n):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def burgers_by_hand(u: Array, n: int, dt: float) -> tuple[Array]:
    u = u.copy()
    tape = []
    for _ in range(n):
        tape.append(u.copy())
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    d_u = 2.0 * u
    for u in reversed(tape):
        d_slope = -dt * d_u[1:-1]
        d_speed = d_slope * (u[2:] - u[:-2])
        d_slope *= u[1:-1]
        d_u[1:-1] += d_speed
        d_u[2:] += d_slope
        d_u[:-2] -= d_slope
    return (d_u,)


def burgers_pre(u: Array, n: int, dt: float) -> Gradient:
    states = np.empty((n + 1, u.size))
    d_u, d_slope, d_speed = np.empty_like(u), np.empty_like(u[1:-1]), np.empty_like(u[1:-1])

    def forward(u: Array, after: Array, dt: float) -> None:
        change = np.subtract(u[2:], u[:-2], out=d_speed)
        np.multiply(change, u[1:-1], out=change)
        np.multiply(change, dt, out=change)
        np.subtract(u[1:-1], change, out=after[1:-1])
        after[0], after[-1] = u[0], u[-1]

    def backward(u: Array, dt: float) -> None:
        np.multiply(d_u[1:-1], -dt, out=d_slope)
        np.subtract(u[2:], u[:-2], out=d_speed)
        np.multiply(d_speed, d_slope, out=d_speed)
        np.multiply(d_slope, u[1:-1], out=d_slope)
        np.add(d_u[1:-1], d_speed, out=d_u[1:-1])
        np.add(d_u[2:], d_slope, out=d_u[2:])
        np.subtract(d_u[:-2], d_slope, out=d_u[:-2])

    def gradient(u: Array, n: int, dt: float) -> tuple[Array]:
        states[0] = u
        for t in range(n):
            forward(states[t], states[t + 1], dt)
        np.multiply(states[n], 2.0, out=d_u)
        for t in reversed(range(n)):
            backward(states[t], dt)
        return (d_u,)

    return gradient


WORKLOADS = (
    Workload(
        "Jacobi in place, 100 x 100, 100 steps",
        jacobi,
        lambda: (normal(100, 100), 100),
        lambda: (normal(4, 5), 3),
        argnums=(0,),
        references={"pre": jacobi_pre, "hand": once(jacobi_by_hand)},
        constants=1,
        bar=1.15,
    ),
    Workload(
        "Burgers in place, 1e5 cells, 20 steps",
        burgers,
        lambda: (normal(100_000), 20, 1e-3),
        lambda: (normal(6), 3, 1e-1),
        argnums=(0,),
        references={"pre": burgers_pre, "hand": once(burgers_by_hand)},
        constants=2,
    ),
)
