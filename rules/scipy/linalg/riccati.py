"""Equations of control: Lyapunov's in discrete time, and Riccati's, of real matrices.

Of Riccati's the solution X is symmetric and K the gain, B^T X by R in continuous time. With the closed loop A - B K the
derivative of X solves Lyapunov's equation (Kao and Hennequin, "Automatic differentiation of Sylvester, Lyapunov, and
algebraic Riccati equations", 2020).
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError
from rules.rule import recorded, rule
from rules.scipy.linalg.arguments import real, single


@rule("x = solve_discrete_lyapunov(a, q, method=None)", linalg.solve_discrete_lyapunov)
class solve_discrete_lyapunov:
    """x = a x a^T + q."""

    static = "method"

    def kind(a, q):
        real("solve_discrete_lyapunov", single(a, "solve_discrete_lyapunov"), single(q, "solve_discrete_lyapunov"))
        return Array(np.dtype(float), q.shape, q.xp)

    def d_q(d_x, a): return recorded(linalg.solve_discrete_lyapunov, a.T, d_x)
    def d_a(d_q, a, x): return d_q @ a @ x.T + d_q.T @ a @ x

    def t_x(a, x, t_a, t_q):
        moved = t_a @ x @ a.T + a @ x @ t_a.T
        return recorded(linalg.solve_discrete_lyapunov, a, t_q + moved)


def _kind(name: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Array:
    if e is not None or s is not None:
        raise KindError(f"linalg.{name} with e or s is not supported", "leave them out, and change a and q instead")
    real(name, single(a, name), b, single(q, name), single(r, name))
    return Array(np.dtype(float), a.shape, a.xp)


def _gain(a: Any, b: Any, r: Any, x: Any, discrete: bool) -> tuple[Any, Any]:
    """K, and the closed loop a - b K."""
    if discrete:
        K = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a)
    else:
        K = np.linalg.solve(r, b.T @ x)
    return K, a - b @ K


@rule("x = solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True)", linalg.solve_continuous_are)
class solve_continuous_are:
    """a^T x + x a - x b r^-1 b^T x + q = 0."""

    static = "balanced"
    def kind(a, b, q, r, e, s): return _kind("solve_continuous_are", a, b, q, r, e, s)

    def d_q(d_x, a, b, r, x):
        return recorded(linalg.solve_continuous_lyapunov, _gain(a, b, r, x, False)[1], -d_x)

    def d_a(d_q, x): return x @ (d_q + d_q.T)
    def d_b(d_q, a, b, r, x): return -(x @ (d_q + d_q.T) @ _gain(a, b, r, x, False)[0].T)

    def d_r(d_q, a, b, r, x):
        K, _ = _gain(a, b, r, x, False)
        return K @ d_q @ K.T

    def t_x(a, b, r, x, t_a, t_b, t_q, t_r):
        K, loop = _gain(a, b, r, x, False)
        half = x @ (t_a - t_b @ K)
        return recorded(linalg.solve_continuous_lyapunov, loop.T, -(half + half.T + t_q + K.T @ t_r @ K))


@rule("x = solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True)", linalg.solve_discrete_are)
class solve_discrete_are:
    """a^T x a - x - a^T x b (r + b^T x b)^-1 b^T x a + q = 0."""

    static = "balanced"
    def kind(a, b, q, r, e, s): return _kind("solve_discrete_are", a, b, q, r, e, s)

    def d_q(d_x, a, b, r, x):
        return recorded(linalg.solve_discrete_lyapunov, _gain(a, b, r, x, True)[1], d_x)

    def d_a(d_q, a, b, r, x): return x @ _gain(a, b, r, x, True)[1] @ (d_q + d_q.T)

    def d_b(d_q, a, b, r, x):
        K, loop = _gain(a, b, r, x, True)
        return -(x @ loop @ (d_q + d_q.T) @ K.T)

    def d_r(d_q, a, b, r, x):
        K, _ = _gain(a, b, r, x, True)
        return K @ d_q @ K.T

    def t_x(a, b, r, x, t_a, t_b, t_q, t_r):
        K, loop = _gain(a, b, r, x, True)
        half = (t_a - t_b @ K).T @ x @ loop
        return recorded(linalg.solve_discrete_lyapunov, loop.T, half + half.T + t_q + K.T @ t_r @ K)
