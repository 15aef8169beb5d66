"""Programs over single numbers: an orbit in Python floats, and a recurrence over the elements of an array."""

import numpy as np

from benchmarks.workloads.workload import Array, Workload, normal, once

# ---- Lorenz's equations, Runge and Kutta's method ------------------------------------------------


def lorenz(x: float, y: float, z: float, s: float, r: float, b: float, n: int, dt: float) -> float:
    for _ in range(n):
        u1 = s * (y - x)
        v1 = x * (r - z) - y
        w1 = x * y - b * z
        x1 = x + 0.5 * dt * u1
        y1 = y + 0.5 * dt * v1
        z1 = z + 0.5 * dt * w1
        u2 = s * (y1 - x1)
        v2 = x1 * (r - z1) - y1
        w2 = x1 * y1 - b * z1
        x2 = x + 0.5 * dt * u2
        y2 = y + 0.5 * dt * v2
        z2 = z + 0.5 * dt * w2
        u3 = s * (y2 - x2)
        v3 = x2 * (r - z2) - y2
        w3 = x2 * y2 - b * z2
        x3 = x + dt * u3
        y3 = y + dt * v3
        z3 = z + dt * w3
        u4 = s * (y3 - x3)
        v4 = x3 * (r - z3) - y3
        w4 = x3 * y3 - b * z3
        x = x + dt / 6.0 * (u1 + 2.0 * u2 + 2.0 * u3 + u4)
        y = y + dt / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
        z = z + dt / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4)
    return x * x + y * y + z * z


def lorenz_by_hand(x: float, y: float, z: float, s: float, r: float, b: float, n: int, dt: float) -> tuple[float, ...]:
    tape = []
    for _ in range(n):
        u1 = s * (y - x)
        v1 = x * (r - z) - y
        w1 = x * y - b * z
        x1 = x + 0.5 * dt * u1
        y1 = y + 0.5 * dt * v1
        z1 = z + 0.5 * dt * w1
        u2 = s * (y1 - x1)
        v2 = x1 * (r - z1) - y1
        w2 = x1 * y1 - b * z1
        x2 = x + 0.5 * dt * u2
        y2 = y + 0.5 * dt * v2
        z2 = z + 0.5 * dt * w2
        u3 = s * (y2 - x2)
        v3 = x2 * (r - z2) - y2
        w3 = x2 * y2 - b * z2
        x3 = x + dt * u3
        y3 = y + dt * v3
        z3 = z + dt * w3
        u4 = s * (y3 - x3)
        v4 = x3 * (r - z3) - y3
        w4 = x3 * y3 - b * z3
        tape.append((x, y, z, x1, y1, z1, x2, y2, z2, x3, y3, z3))
        x = x + dt / 6.0 * (u1 + 2.0 * u2 + 2.0 * u3 + u4)
        y = y + dt / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
        z = z + dt / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4)
    d_x, d_y, d_z, d_s, d_r, d_b = 2.0 * x, 2.0 * y, 2.0 * z, 0.0, 0.0, 0.0
    sixth, third, half = dt / 6.0, dt / 3.0, 0.5 * dt
    for _ in range(n):
        x, y, z, x1, y1, z1, x2, y2, z2, x3, y3, z3 = tape.pop()
        d_u = sixth * d_x
        d_v = sixth * d_y
        d_w = sixth * d_z
        d_x3 = (r - z3) * d_v - s * d_u + y3 * d_w
        d_y3 = s * d_u - d_v + x3 * d_w
        d_z3 = -x3 * d_v - b * d_w
        d_s += d_u * (y3 - x3)
        d_r += d_v * x3
        d_b -= d_w * z3
        d_u = third * d_x + dt * d_x3
        d_v = third * d_y + dt * d_y3
        d_w = third * d_z + dt * d_z3
        d_x2 = (r - z2) * d_v - s * d_u + y2 * d_w
        d_y2 = s * d_u - d_v + x2 * d_w
        d_z2 = -x2 * d_v - b * d_w
        d_s += d_u * (y2 - x2)
        d_r += d_v * x2
        d_b -= d_w * z2
        d_u = third * d_x + half * d_x2
        d_v = third * d_y + half * d_y2
        d_w = third * d_z + half * d_z2
        d_x1 = (r - z1) * d_v - s * d_u + y1 * d_w
        d_y1 = s * d_u - d_v + x1 * d_w
        d_z1 = -x1 * d_v - b * d_w
        d_s += d_u * (y1 - x1)
        d_r += d_v * x1
        d_b -= d_w * z1
        d_u = sixth * d_x + half * d_x1
        d_v = sixth * d_y + half * d_y1
        d_w = sixth * d_z + half * d_z1
        d_x += (r - z) * d_v - s * d_u + y * d_w + d_x1 + d_x2 + d_x3
        d_y += s * d_u - d_v + x * d_w + d_y1 + d_y2 + d_y3
        d_z += -x * d_v - b * d_w + d_z1 + d_z2 + d_z3
        d_s += d_u * (y - x)
        d_r += d_v * x
        d_b -= d_w * z
    return d_x, d_y, d_z, d_s, d_r, d_b


def lorenz_arguments(n: int) -> tuple[float, ...]:
    return 1.0, 2.0, 3.0, 10.0, 28.0, 8.0 / 3.0, n, 0.005


# ---- h[i] = a * h[i - 1] + x[i] ------------------------------------------------------------------


def filtered(a: float, x: Array) -> float:
    h = np.zeros(x.shape)
    h[0] = x[0]
    for i in range(1, x.shape[0]):
        h[i] = a * h[i - 1] + x[i]
    return np.sum(h * h)


def filtered_by_hand(a: float, x: Array) -> tuple[float, Array]:
    n = x.shape[0]
    h = np.zeros(n)
    h[0] = x[0]
    for i in range(1, n):
        h[i] = a * h[i - 1] + x[i]
    d_h, d_x, d_a = 2.0 * h, np.zeros(n), 0.0
    for i in range(n - 1, 0, -1):
        d = d_h[i]
        d_a += d * h[i - 1]
        d_h[i - 1] += a * d
        d_x[i] += d
    d_x[0] += d_h[0]
    return d_a, d_x


def filtered_best(a: float, x: Array) -> tuple[float, Array]:
    """Floats in lists, as an element of an array is slow to come by."""
    last, h = 0.0, []
    for element in x.tolist():
        last = a * last + element
        h.append(last)
    d, reverse = 0.0, []
    for last in reversed(h):
        d = a * d + 2.0 * last
        reverse.append(d)
    d_x = np.array(reverse[::-1])
    return float(d_x[1:] @ np.array(h[:-1])), d_x


WORKLOADS = (
    Workload(
        "Lorenz, RK4, 1000 steps, Python floats",
        lorenz,
        lambda: lorenz_arguments(1000),
        lambda: lorenz_arguments(5),
        argnums=tuple(range(6)),
        references={"hand": once(lorenz_by_hand)},
        constants=2,
        bar=1.25,
    ),
    Workload(
        "recurrence over 10,000 elements",
        filtered,
        lambda: (0.9, normal(10_000)),
        lambda: (0.9, normal(5)),
        argnums=(0, 1),
        references={"hand": once(filtered_by_hand), "best": once(filtered_best)},
        bar=1.2,
    ),
)
