"""Time steppers, particles and filters with state that is updated in place."""

import numpy as np

RNG = np.random.default_rng(4)
POSITIONS = RNG.normal(size=(3, 2))
VELOCITIES = RNG.normal(size=(3, 2))
MASSES = np.array([1.0, 2.0, 0.5])
Y = RNG.uniform(0.5, 1.5, 3)
M = RNG.normal(size=(3, 3)) * 0.3


def runge_kutta(y0, M, dt, steps):
    """Runge and Kutta's method with stages made before, written by out=."""
    y = y0.copy()
    k1, k2, k3, k4, t = (np.empty_like(y) for _ in range(5))

    def slope(y, out):
        np.matmul(M, y, out=out)
        np.sin(out, out=out)
        out -= 0.1 * y

    for _ in range(steps):
        slope(y, k1)
        np.add(y, 0.5 * dt * k1, out=t)
        slope(t, k2)
        np.add(y, 0.5 * dt * k2, out=t)
        slope(t, k3)
        np.multiply(k3, dt, out=t)
        t += y
        slope(t, k4)
        k2 += k3
        k1 += 2 * k2
        k1 += k4
        y += dt / 6.0 * k1
    return np.sum(y * y)


def stages_in_rows(y0, dt, steps):
    """The same with the stages as rows of one array, and Butcher's table."""
    a = np.array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    b = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
    y, k = y0.copy(), np.zeros((4, len(y0)))
    for _ in range(steps):
        for i in range(4):
            k[i] = np.cos(y + dt * (a[i, :i] @ k[:i]))
        y += dt * (b @ k)
    return np.sum(y**3)


def adams_bashforth(y0, steps):
    """A multi-step method: the history is a buffer that is shifted."""
    history = np.zeros((3, len(y0)))
    history[:] = np.sin(y0)
    y = y0.copy()
    for _ in range(steps):
        history[1:] = history[:-1].copy()
        history[0] = np.sin(y)
        y += 0.1 * (23 * history[0] - 16 * history[1] + 5 * history[2]) / 12
    return np.sum(y * y)


def ring_buffer(y0, steps):
    """A delay equation: the past is a ring."""
    past = np.ones((4, len(y0)))
    past[0] = y0
    for n in range(steps):
        past[(n + 1) % 4] = past[n % 4] - 0.2 * past[(n + 2) % 4] * past[n % 4]
    return np.sum(past**2)


def n_body(x0, v0, mass, steps):
    """Kicks and drifts of bodies, pair by pair."""
    x, v = x0.copy(), v0.copy()
    for _ in range(steps):
        for i in range(len(x)):
            for j in range(i):
                d = x[j] - x[i]
                pull = d / (d @ d + 0.5) ** 1.5
                v[i] += 0.05 * mass[j] * pull
                v[j] -= 0.05 * mass[i] * pull
        x += 0.05 * v
    return np.sum(mass * np.sum(v * v, axis=1)) + np.sum(x)


def verlet(state, steps):
    """Velocity Verlet, with positions, velocities and forces in a dict that helpers update."""

    def forces(s):
        s["f"][:] = -s["x"]
        s["f"][1:] += 0.3 * s["x"][:-1] ** 2

    def kick(s, dt):
        s["v"] += 0.5 * dt * s["f"]

    s = {"x": state["x"].copy(), "v": state["v"].copy(), "f": np.zeros_like(state["x"])}
    forces(s)
    for _ in range(steps):
        kick(s, 0.1)
        s["x"] += 0.1 * s["v"]
        forces(s)
        kick(s, 0.1)
    return np.sum(s["x"] ** 2) + np.sum(s["v"] ** 2)


def bounced(x0, v0, steps):
    """Particles in a box: velocities are turned where a wall is hit."""
    x, v = x0.copy(), v0.copy()
    for _ in range(steps):
        x += 0.3 * v
        out = np.abs(x) > 1.0
        v[out] *= -0.9
        x[x > 1.0] = 2.0 - x[x > 1.0]
        x[x < -1.0] = -2.0 - x[x < -1.0]
    return np.sum(x * v)


def kalman(observed, F, q, r):
    """A Kalman filter, whose mean and covariance are updated in place."""
    x, P = np.zeros(3), np.eye(3)
    loss = 0.0
    for z in observed:
        x[:] = F @ x
        P[:] = F @ P @ F.T
        P[np.diag_indices(3)] += q
        s = P[0, 0] + r
        e = z - x[0]
        gain = P[:, 0] / s
        x += gain * e
        P -= np.outer(gain, P[0])
        loss += 0.5 * (np.log(s) + e * e / s)
    return loss


def momentum(w0, rate, steps):
    """Gradient descent with momentum and decay, by hand, in place."""
    w, m, s = w0.copy(), np.zeros_like(w0), np.zeros_like(w0)
    for _ in range(steps):
        g = 2 * w - np.cos(w)
        m *= 0.9
        m += 0.1 * g
        s += 0.1 * (g * g - s)
        w -= rate * m / (np.sqrt(s) + 1e-3)
    return np.sum(w * w)


def diffusing_agents(x0, noise):
    """Random walks stored as rows, each from the one before, with rows shifted by a mean."""
    path = np.empty((len(noise) + 1, len(x0)))
    path[0] = x0
    for t, e in enumerate(noise):
        path[t + 1] = path[t] + 0.1 * np.sin(path[t]) + e
    for row in path:
        row -= np.mean(row)
    return np.sum(path**2)


PROGRAMS = [
    (runge_kutta, (Y, M, 0.3, 2)), (stages_in_rows, (Y, 0.3, 2)), (adams_bashforth, (Y, 3)), (ring_buffer, (Y, 6)),
    (n_body, (POSITIONS, VELOCITIES, MASSES, 2)), (verlet, ({"x": Y, "v": Y[::-1] - 1.0}, 2)),
    (bounced, (POSITIONS, VELOCITIES, 3)), (kalman, (Y, M + np.eye(3), 0.1, 0.5)), (momentum, (Y, 0.2, 3)),
    (diffusing_agents, (Y, M)),
]  # fmt: skip
