"""Iterative and direct solvers that sweep over arrays in place."""

import numpy as np

RNG = np.random.default_rng(1)
A = RNG.normal(size=(4, 4)) * 0.4 + 3 * np.eye(4)
B = RNG.uniform(0.5, 1.5, 4)
SOURCE = RNG.uniform(-1, 1, (5, 5))
BAND = RNG.uniform(0.1, 0.4, 5)
LONG = RNG.uniform(-1, 1, 9)


def jacobi(A, b, sweeps):
    """Jacobi's method, with a row at a time into a second vector."""
    x, new = np.zeros_like(b), np.zeros_like(b)
    for _ in range(sweeps):
        for i in range(len(b)):
            new[i] = (b[i] - A[i] @ x + A[i, i] * x[i]) / A[i, i]
        x[:] = new
    return np.sum(x * x)


def gauss_seidel(A, b, sweeps):
    """Gauss and Seidel: each unknown is overwritten as soon as it is known."""
    x = np.zeros_like(b)
    for _ in range(sweeps):
        for i in range(len(b)):
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return np.sum(x * x)


def over_relaxed(f, omega, sweeps):
    """SOR for Poisson's equation, point by point."""
    u = np.zeros_like(f)
    for _ in range(sweeps):
        for i in range(1, f.shape[0] - 1):
            for j in range(1, f.shape[1] - 1):
                r = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j]) - u[i, j]
                u[i, j] += omega * r
    return np.sum(u * u)


def red_black(f, sweeps):
    """Red and black points by strided views, in turn."""
    u = np.zeros(len(f))
    red, black = u[1:-1:2], u[2:-1:2]
    for _ in range(sweeps):
        red[:] = 0.5 * (u[:-2:2] + u[2::2] - f[1:-1:2])
        black[:] = 0.5 * (u[1:-2:2] + u[3::2] - f[2:-1:2])
    return np.sum(u * u * u)


def thomas(lower, diagonal, upper, d):
    """A tridiagonal system, eliminated and substituted in the vectors themselves."""
    n = len(d)
    diagonal, d = diagonal.copy(), d.copy()
    for i in range(1, n):
        w = lower[i] / diagonal[i - 1]
        diagonal[i] -= w * upper[i - 1]
        d[i] -= w * d[i - 1]
    d[-1] /= diagonal[-1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - upper[i] * d[i + 1]) / diagonal[i]
    return np.sum(d * d)


def alternating_directions(u0, steps):
    """ADI: implicit by rows, then by columns, with a helper that solves in the row it is given."""

    def solve(row, work):
        work[0] = -0.25
        row[0] /= 1.5
        for i in range(1, len(row)):
            pivot = 1.5 + 0.25 * work[i - 1]
            work[i] = -0.25 / pivot
            row[i] = (row[i] + 0.25 * row[i - 1]) / pivot
        for i in range(len(row) - 2, -1, -1):
            row[i] -= work[i] * row[i + 1]

    u = u0.copy()
    work = np.zeros(len(u0))
    for _ in range(steps):
        for i in range(u.shape[0]):
            solve(u[i], work)
        for j in range(u.shape[1]):
            solve(u[:, j], work)
    return np.sum(u * u)


def forward_then_back(L, b):
    """Two triangular systems, by elements, in one vector."""
    x = b.copy()
    n = len(x)
    for i in range(n):
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] -= L[j, i] * x[j]
        x[i] /= L[i, i]
    return np.sum(x * b)


def conjugate_gradients(A, b, steps):
    """Conjugate gradients: x, r and p are updated in place, the product goes into an array made before."""
    x, r, q = np.zeros_like(b), b.copy(), np.empty_like(b)
    p = r.copy()
    rr = r @ r
    for _ in range(steps):
        np.dot(A.T @ A, p, out=q)
        alpha = rr / (p @ q)
        x += alpha * p
        r -= alpha * q
        new = r @ r
        p *= new / rr
        p += r
        rr = new
    return np.sum(x * x)


def multigrid(f, cycles):
    """A V-cycle on two grids: restriction and prolongation through strided views."""

    def smooth(u, f, times):
        for _ in range(times):
            u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2] + f[1:-1:2])
            u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] + f[2:-1:2])

    u = np.zeros(len(f))
    residual, correction = np.zeros(len(f)), np.zeros(len(f))
    coarse = np.zeros((len(f) + 1) // 2)
    for _ in range(cycles):
        smooth(u, f, 2)
        residual[1:-1] = f[1:-1] + u[2:] - 2 * u[1:-1] + u[:-2]
        rhs = 4.0 * residual[::2]
        rhs[1:-1] = 0.5 * rhs[1:-1] + 0.25 * 4.0 * (residual[1:-2:2] + residual[3::2])
        coarse.fill(0.0)
        smooth(coarse, rhs, 4)
        correction[::2] = coarse
        correction[1::2] = 0.5 * (coarse[:-1] + coarse[1:])
        u += correction
        smooth(u, f, 1)
    return np.sum(u * u)


def sinkhorn(cost, steps):
    """Sinkhorn's scaling of rows and columns, in the kernel itself."""
    K = np.exp(-cost)
    for _ in range(steps):
        K /= K.sum(axis=1, keepdims=True)
        K /= K.sum(axis=0)
    return np.sum(K * cost)


def power_iteration(A, steps):
    """The largest eigenvalue: a product with out=, scaled in place."""
    v, w = np.ones(len(A)), np.empty(len(A))
    for _ in range(steps):
        np.matmul(A, v, out=w)
        w /= np.linalg.norm(w)
        v, w = w, v
    return v @ A @ v


def newton_in_place(x0, steps):
    """Newton's method for a small system, the Jacobian refilled at each step."""
    x, J = x0.copy(), np.zeros((2, 2))
    for _ in range(steps):
        J[0, 0], J[0, 1] = 2 * x[0], 1.0
        J[1] = x[1], x[0] + 3.0
        r = np.array([x[0] * x[0] + x[1] - 3.0, x[0] * x[1] + 3 * x[1] - 5.0])
        x -= np.linalg.solve(J, r) * 0.7
    return np.sum(x * x)


def until_converged(A, b, tolerance):
    """Sweeps that stop when they change little."""
    x = np.zeros_like(b)
    for _ in range(50):
        change = 0.0
        for i in range(len(b)):
            old = x[i]
            x[i] += (b[i] - A[i] @ x) / A[i, i]
            change = max(change, abs(x[i] - old))
        if change < tolerance:
            break
    return np.sum(x**3)


PROGRAMS = [
    (jacobi, (A, B, 3)), (gauss_seidel, (A, B, 3)), (over_relaxed, (SOURCE, 1.3, 2)), (red_black, (LONG, 3)),
    (thomas, (BAND, BAND + 2.0, BAND[::-1], LONG[:5])), (alternating_directions, (SOURCE, 2)),
    (forward_then_back, (A, B)), (conjugate_gradients, (A, B, 2)), (multigrid, (LONG, 2)),
    (sinkhorn, (SOURCE, 3)), (power_iteration, (A, 3)), (newton_in_place, (B[:2], 3)),
    (until_converged, (A, B, 0.05)),
]  # fmt: skip
