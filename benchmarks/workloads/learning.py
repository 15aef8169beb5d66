"""What is trained: logistic regression, and a network of three layers."""

from typing import Any

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once

# ---- logistic regression -------------------------------------------------------------------------


def logistic(w: Array, X: Array, y: Array) -> float:
    return np.mean(np.log1p(np.exp(-y * (X @ w))))


def logistic_by_hand(w: Array, X: Array, y: Array) -> tuple[float, tuple[Array]]:
    e = np.exp(-y * (X @ w))
    value = np.mean(np.log1p(e))
    return value, (-y * (e / (1.0 + e)) / y.size @ X,)


def logistic_pre(w: Array, X: Array, y: Array) -> Gradient:
    z, t, d_w = np.empty_like(y), np.empty_like(y), np.empty_like(w)

    def gradient(w: Array, X: Array, y: Array) -> tuple[float, tuple[Array]]:
        np.dot(X, w, out=z)
        np.multiply(z, y, out=z)
        np.negative(z, out=z)
        e = np.exp(z, out=z)
        np.log1p(e, out=t)
        value = t.sum() / y.size
        np.add(e, 1.0, out=t)
        d_z = np.divide(e, t, out=e)
        np.multiply(d_z, y, out=d_z)
        np.multiply(d_z, -1.0 / y.size, out=d_z)
        np.dot(d_z, X, out=d_w)
        return value, (d_w,)

    return gradient


def logistic_arguments(rows: int, columns: int) -> tuple[Array, Array, Array]:
    return normal(columns) / 10, normal(rows, columns, seed=1), np.sign(normal(rows, seed=2))


# ---- a network of three layers -------------------------------------------------------------------


def network(W1: Array, b1: Array, W2: Array, b2: Array, W3: Array, b3: Array, X: Array, Y: Array) -> float:
    h1 = np.maximum(X @ W1 + b1, 0.0)
    h2 = np.maximum(h1 @ W2 + b2, 0.0)
    z = h2 @ W3 + b3
    z = z - np.max(z, axis=1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.sum(Y * logp) / X.shape[0]


def network_by_hand(
    W1: Array, b1: Array, W2: Array, b2: Array, W3: Array, b3: Array, X: Array, Y: Array
) -> tuple[Array, ...]:
    h1 = np.maximum(X @ W1 + b1, 0.0)
    h2 = np.maximum(h1 @ W2 + b2, 0.0)
    z = h2 @ W3 + b3
    e = np.exp(z - z.max(axis=1, keepdims=True))
    d_z = (e / e.sum(axis=1, keepdims=True) - Y) / X.shape[0]  # a row of Y sums to one
    d_2 = d_z @ W3.T * (h2 > 0)
    d_1 = d_2 @ W2.T * (h1 > 0)
    return X.T @ d_1, d_1.sum(0), h1.T @ d_2, d_2.sum(0), h2.T @ d_z, d_z.sum(0)


def network_pre(*arguments: Array) -> Gradient:
    _, b1, _, b2, _, b3, X, _ = arguments
    n = X.shape[0]
    h1, h2, z = (np.empty((n, b.size), X.dtype) for b in (b1, b2, b3))
    d_1, d_2 = np.empty_like(h1), np.empty_like(h2)
    active_1, active_2 = np.empty(h1.shape, bool), np.empty(h2.shape, bool)
    column = np.empty((n, 1), X.dtype)
    d_W1, d_b1, d_W2, d_b2, d_W3, d_b3 = (np.empty_like(a) for a in arguments[:6])

    def layer(x: Array, W: Array, b: Array, out: Array) -> None:
        np.matmul(x, W, out=out)
        np.add(out, b, out=out)

    def softmax() -> None:
        np.max(z, axis=1, keepdims=True, out=column)
        np.subtract(z, column, out=z)
        np.exp(z, out=z)
        np.sum(z, axis=1, keepdims=True, out=column)
        np.divide(z, column, out=z)

    def gradient(
        W1: Array, b1: Array, W2: Array, b2: Array, W3: Array, b3: Array, X: Array, Y: Array
    ) -> tuple[Array, ...]:
        layer(X, W1, b1, out=h1)
        np.maximum(h1, 0.0, out=h1)
        layer(h1, W2, b2, out=h2)
        np.maximum(h2, 0.0, out=h2)
        layer(h2, W3, b3, out=z)
        softmax()

        d_z = np.subtract(z, Y, out=z)
        np.divide(d_z, n, out=d_z)
        np.matmul(h2.T, d_z, out=d_W3)
        np.sum(d_z, axis=0, out=d_b3)

        np.matmul(d_z, W3.T, out=d_2)
        np.greater(h2, 0.0, out=active_2)
        np.multiply(d_2, active_2, out=d_2)
        np.matmul(h1.T, d_2, out=d_W2)
        np.sum(d_2, axis=0, out=d_b2)

        np.matmul(d_2, W2.T, out=d_1)
        np.greater(h1, 0.0, out=active_1)
        np.multiply(d_1, active_1, out=d_1)
        np.matmul(X.T, d_1, out=d_W1)
        np.sum(d_1, axis=0, out=d_b1)
        return d_W1, d_b1, d_W2, d_b2, d_W3, d_b3

    return gradient


def network_arguments(batch: int, widths: tuple[int, ...], dtype: Any) -> tuple[Array, ...]:
    parameters = []
    for layer, (n, m) in enumerate(zip(widths, widths[1:])):
        parameters += [normal(n, m, seed=2 * layer) / n**0.5, normal(m, seed=2 * layer + 1) / 10]
    X, classes = normal(batch, widths[0], seed=10), np.arange(batch) % widths[-1]
    return tuple(a.astype(dtype) for a in (*parameters, X, np.eye(widths[-1])[classes]))


def _network(dtype: Any, name: str, tolerance: float) -> Workload:
    return Workload(
        f"MLP 784-256-128-10, batch 128, {name}",
        network,
        lambda: network_arguments(128, (784, 256, 128, 10), dtype),
        lambda: network_arguments(3, (4, 3, 3, 2), np.float64),  # differences need the precision
        argnums=tuple(range(6)),
        references={"pre": network_pre, "hand": once(network_by_hand)},
        bar=1.1,
        tolerance=tolerance,
    )


WORKLOADS = (
    Workload(
        "logistic regression, 10,000 x 100, value+grad",
        logistic,
        lambda: logistic_arguments(10_000, 100),
        lambda: logistic_arguments(5, 3),
        argnums=(0,),
        references={"pre": logistic_pre, "hand": once(logistic_by_hand)},
        value=True,
        bar=1.05,
    ),
    _network(np.float32, "f32", tolerance=1e-4),
    _network(np.float64, "f64", tolerance=1e-9),
)
