import numpy as np


def implicit(K, u, dt, steps):
    """Implicit Euler steps of u' = -K(u) u: a system of equations each."""
    for _ in range(steps):
        M = np.eye(u.shape[0]) + dt * (K + np.diag(u * u))
        u = np.linalg.solve(M, u)
    return np.sum(u * u)
