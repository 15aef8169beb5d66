"""A network with memory: an LSTM over a batch of sequences."""

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once


def lstm(Wx: Array, Wh: Array, b: Array, xs: Array) -> float:
    H = Wh.shape[0]
    h = np.zeros((xs.shape[1], H))
    c = np.zeros((xs.shape[1], H))
    for t in range(xs.shape[0]):
        z = xs[t] @ Wx + h @ Wh + b
        i = 1.0 / (1.0 + np.exp(-z[:, :H]))
        f = 1.0 / (1.0 + np.exp(-z[:, H : 2 * H]))
        g = np.tanh(z[:, 2 * H : 3 * H])
        o = 1.0 / (1.0 + np.exp(-z[:, 3 * H :]))
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h * h)


def lstm_by_hand(Wx: Array, Wh: Array, b: Array, xs: Array) -> tuple[Array, Array, Array]:
    steps, n, _ = xs.shape
    H = Wh.shape[0]
    h, c = np.zeros((n, H)), np.zeros((n, H))
    tape = []
    for t in range(steps):
        z = xs[t] @ Wx + h @ Wh + b
        i = 1.0 / (1.0 + np.exp(-z[:, :H]))
        f = 1.0 / (1.0 + np.exp(-z[:, H : 2 * H]))
        g = np.tanh(z[:, 2 * H : 3 * H])
        o = 1.0 / (1.0 + np.exp(-z[:, 3 * H :]))
        c_next = f * c + i * g
        r = np.tanh(c_next)
        tape.append((h, c, i, f, g, o, r))
        c, h = c_next, o * r
    d_Wx, d_Wh, d_b = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(b)
    d_h, d_c = 2.0 * h, np.zeros((n, H))
    for t in reversed(range(steps)):
        h, c, i, f, g, o, r = tape.pop()
        d_c = d_c + d_h * o * (1.0 - r * r)
        d_z = np.empty((n, 4 * H))
        d_z[:, :H] = d_c * g * i * (1.0 - i)
        d_z[:, H : 2 * H] = d_c * c * f * (1.0 - f)
        d_z[:, 2 * H : 3 * H] = d_c * i * (1.0 - g * g)
        d_z[:, 3 * H :] = d_h * r * o * (1.0 - o)
        d_Wx += xs[t].T @ d_z
        d_Wh += h.T @ d_z
        d_b += d_z.sum(0)
        d_h, d_c = d_z @ Wh.T, d_c * f
    return d_Wx, d_Wh, d_b


def lstm_pre(Wx: Array, Wh: Array, b: Array, xs: Array) -> Gradient:
    return _lstm(Wx, Wh, b, xs, batched=False)


def lstm_best(Wx: Array, Wh: Array, b: Array, xs: Array) -> Gradient:
    """Products with the inputs, and those that give the gradients, over all steps at once."""
    return _lstm(Wx, Wh, b, xs, batched=True)


def _lstm(Wx: Array, Wh: Array, b: Array, xs: Array, batched: bool) -> Gradient:
    (steps, n, inputs), H = xs.shape, Wh.shape[0]
    add, subtract, multiply, matmul = np.add, np.subtract, np.multiply, np.matmul
    I, F, G, O = (slice(k * H, (k + 1) * H) for k in range(4))

    gates, recurrent = np.empty((steps, n, 4 * H)), np.empty((n, 4 * H))
    hs, cs, rs = np.zeros((steps + 1, n, H)), np.zeros((steps + 1, n, H)), np.empty((steps, n, H))
    d_zs = np.empty((steps if batched else 1, n, 4 * H))
    d_h, d_c, u, v = (np.empty((n, H)) for _ in range(4))
    d_Wx, d_Wh, d_b, term_Wx, term_Wh, term_b = (np.empty_like(a) for a in (Wx, Wh, b, Wx, Wh, b))

    def forward(t: int, z: Array, Wh: Array) -> None:
        """`z` is what comes from the input, and becomes the four gates."""
        matmul(hs[t], Wh, out=recurrent)
        add(z, recurrent, out=z)
        np.tanh(z[:, G], out=u)
        np.negative(z, out=z)
        np.exp(z, out=z)
        add(z, 1.0, out=z)
        np.divide(1.0, z, out=z)
        z[:, G] = u
        c = cs[t + 1]
        multiply(z[:, F], cs[t], out=c)
        multiply(z[:, I], u, out=u)
        add(c, u, out=c)
        np.tanh(c, out=rs[t])
        multiply(z[:, O], rs[t], out=hs[t + 1])

    def backward(t: int, d_z: Array, Wh: Array) -> None:
        """d_h and d_c are of step t + 1, and become those of step t; d_z is written."""
        z, r = gates[t], rs[t]
        i, f, g, o = z[:, I], z[:, F], z[:, G], z[:, O]
        multiply(r, r, out=u)
        subtract(1.0, u, out=u)
        multiply(u, o, out=u)
        multiply(u, d_h, out=u)
        add(d_c, u, out=d_c)

        subtract(1.0, z, out=d_z)
        multiply(d_z, z, out=d_z)  # the derivative of three of the four gates
        multiply(g, g, out=v)
        subtract(1.0, v, out=v)
        multiply(v, i, out=v)
        multiply(v, d_c, out=d_z[:, G])
        multiply(d_c, g, out=u)
        multiply(d_z[:, I], u, out=d_z[:, I])
        multiply(d_c, cs[t], out=u)
        multiply(d_z[:, F], u, out=d_z[:, F])
        multiply(d_h, r, out=u)
        multiply(d_z[:, O], u, out=d_z[:, O])

        matmul(d_z, Wh.T, out=d_h)
        multiply(d_c, f, out=d_c)

    def accumulate(x: Array, h: Array, d_z: Array) -> None:
        matmul(x.T, d_z, out=term_Wx)
        add(d_Wx, term_Wx, out=d_Wx)
        matmul(h.T, d_z, out=term_Wh)
        add(d_Wh, term_Wh, out=d_Wh)
        np.sum(d_z, axis=0, out=term_b)
        add(d_b, term_b, out=d_b)

    def gradient(Wx: Array, Wh: Array, b: Array, xs: Array) -> tuple[Array, Array, Array]:
        if batched:
            matmul(xs.reshape(steps * n, inputs), Wx, out=gates.reshape(steps * n, 4 * H))
            add(gates, b, out=gates)
        for t in range(steps):
            if not batched:
                matmul(xs[t], Wx, out=gates[t])
                add(gates[t], b, out=gates[t])
            forward(t, gates[t], Wh)

        for total in (d_Wx, d_Wh, d_b, d_c):
            total.fill(0.0)
        multiply(hs[steps], 2.0, out=d_h)
        for t in reversed(range(steps)):
            d_z = d_zs[t if batched else 0]
            backward(t, d_z, Wh)
            if not batched:
                accumulate(xs[t], hs[t], d_z)
        if batched:
            rows = steps * n
            accumulate(xs.reshape(rows, inputs), hs[:steps].reshape(rows, H), d_zs.reshape(rows, 4 * H))
        return d_Wx, d_Wh, d_b

    return gradient


def lstm_arguments(steps: int, hidden: int, inputs: int, batch: int) -> tuple[Array, ...]:
    return (
        normal(inputs, 4 * hidden) / inputs**0.5,
        normal(hidden, 4 * hidden, seed=1) / hidden**0.5,
        normal(4 * hidden, seed=2) / hidden**0.5,
        normal(steps, batch, inputs, seed=3),
    )


WORKLOADS = (
    Workload(
        "LSTM, 64 steps, hidden 64, batch 16",
        lstm,
        lambda: lstm_arguments(64, 64, 32, 16),
        lambda: lstm_arguments(3, 2, 2, 2),
        argnums=(0, 1, 2),
        references={"pre": lstm_pre, "hand": once(lstm_by_hand), "best": lstm_best},
        bar=1.1,
    ),
)
