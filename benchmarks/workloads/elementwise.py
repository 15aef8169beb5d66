"""A chain of elementwise functions of two arrays: all overhead if they are small, all memory if they are large."""

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, once, uniform

#: Elements that stay in the cache with all buffers of `waves_pre`.
BLOCK = 4096


def waves(x: Array, y: Array) -> float:
    t = np.tanh(x * y) + np.exp(-x) * y**2
    u = t * x - y / (1.0 + x * x)
    return np.sum(np.sin(u) * t + u * u)


def waves_by_hand(x: Array, y: Array) -> tuple[Array, Array]:
    h = np.tanh(x * y)
    e = np.exp(-x)
    y2 = y * y
    t = h + e * y2
    s = 1.0 + x * x
    q = y / s
    u = t * x - q
    d_u = np.cos(u) * t + 2.0 * u
    d_t = np.sin(u) + d_u * x
    d_xy = d_t * (1.0 - h * h)
    d_x = d_u * t + 2.0 * (d_u * q / s) * x + d_xy * y - d_t * y2 * e
    d_y = d_xy * x - d_u / s + 2.0 * d_t * e * y
    return d_x, d_y


def waves_pre(x: Array, y: Array) -> Gradient:
    h, ey, t, s, q, u, d_x, d_y, a = (np.empty_like(x) for _ in range(9))
    add, subtract, multiply, divide = np.add, np.subtract, np.multiply, np.divide

    def gradient(x: Array, y: Array) -> tuple[Array, Array]:
        multiply(x, y, out=h)
        np.tanh(h, out=h)
        np.negative(x, out=ey)
        np.exp(ey, out=ey)
        multiply(ey, y, out=ey)
        multiply(ey, y, out=t)
        add(t, h, out=t)
        multiply(x, x, out=s)
        add(s, 1.0, out=s)
        divide(y, s, out=q)
        multiply(t, x, out=u)
        subtract(u, q, out=u)

        np.cos(u, out=a)
        multiply(a, t, out=a)
        d_t = np.sin(u, out=d_y)
        d_u = add(u, u, out=u)
        add(d_u, a, out=d_u)
        multiply(d_u, x, out=a)
        add(d_t, a, out=d_t)
        multiply(d_u, t, out=d_x)
        divide(d_u, s, out=d_u)  # from here on the cotangent of y that comes through q, negated
        multiply(d_u, q, out=q)
        multiply(q, x, out=q)
        add(q, q, out=q)
        add(d_x, q, out=d_x)

        multiply(h, h, out=h)
        subtract(1.0, h, out=h)
        d_xy = multiply(h, d_t, out=h)
        multiply(d_xy, y, out=a)
        add(d_x, a, out=d_x)
        multiply(d_t, ey, out=ey)
        multiply(ey, y, out=a)
        subtract(d_x, a, out=d_x)
        multiply(d_xy, x, out=d_y)
        subtract(d_y, d_u, out=d_y)
        add(ey, ey, out=ey)
        add(d_y, ey, out=d_y)
        return d_x, d_y

    return gradient


def waves_best(x: Array, y: Array) -> Gradient:
    """Block by block: what one statement wrote is still in the cache when the next reads it."""
    d_x, d_y = np.empty_like(x), np.empty_like(y)
    blocks = [slice(start, start + BLOCK) for start in range(0, x.size, BLOCK)]
    whole = waves_pre(x[:BLOCK], y[:BLOCK])
    last = waves_pre(x[blocks[-1]], y[blocks[-1]])

    def gradient(x: Array, y: Array) -> tuple[Array, Array]:
        for block in blocks:
            part = last if block is blocks[-1] else whole
            d_x[block], d_y[block] = part(x[block], y[block])
        return d_x, d_y

    return gradient


def waves_arguments(n: int) -> tuple[Array, Array]:
    return uniform(-1, 1, n), uniform(-1, 1, n, seed=1)


def _waves(n: int, bar: float) -> Workload:
    blocked = {"best": waves_best} if n > BLOCK else {}
    return Workload(
        f"elementwise chain, {n:.0e}".replace("e+0", "e"),
        waves,
        lambda: waves_arguments(n),
        lambda: waves_arguments(5),
        argnums=(0, 1),
        references={"pre": waves_pre, "hand": once(waves_by_hand), **blocked},
        bar=bar,
        long=n > 1e6,
    )


WORKLOADS = (_waves(10, 1.4), _waves(1_000, 1.15), _waves(100_000, 1.1), _waves(10_000_000, 1.1))
