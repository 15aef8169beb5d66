"""The programs that are measured, in plain NumPy, and their adjoints as an engineer writes them by hand."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray
Params = dict[str, Array]


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# ---- three elements ------------------------------------------------------------------------------


def wave(x: Array) -> float:
    return np.sum(np.sin(x) * x)


def wave_by_hand(x: Array) -> Array:
    return np.sin(x) + x * np.cos(x)


# ---- logistic regression -------------------------------------------------------------------------


def logistic(w: Array, X: Array, y: Array) -> float:
    return np.mean(np.log1p(np.exp(-y * (X @ w))))


def logistic_by_hand(w: Array, X: Array, y: Array) -> tuple[float, Array]:
    e = np.exp(-y * (X @ w))
    return np.mean(np.log1p(e)), -y * (e / (1.0 + e)) / y.size @ X


def logistic_arguments(rows: int, columns: int) -> tuple[Array, Array, Array]:
    rng = generator()
    X = rng.standard_normal((rows, columns))
    return rng.standard_normal(columns) / 10, X, np.sign(rng.standard_normal(rows))


# ---- a recurrent network -------------------------------------------------------------------------


def rnn(params: Params, xs: Array, h: Array) -> float:
    total = 0.0
    for x in xs:
        h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
        total += np.sum(h * h)
    return total


def rnn_by_hand(params: Params, xs: Array, h: Array) -> tuple[float, Params]:
    W, U, b = params["W"], params["U"], params["b"]
    total, states = 0.0, [h]
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
        total += np.sum(h * h)
        states.append(h)
    d_W, d_U, d_b, d_h = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b), np.zeros_like(h)
    for x in reversed(xs):
        h = states.pop()
        d_h += 2.0 * h
        d_h *= 1.0 - h * h
        d_W += np.outer(d_h, states[-1])
        d_U += np.outer(d_h, x)
        d_b += d_h
        d_h = W.T @ d_h
    return total, {"W": d_W, "U": d_U, "b": d_b}


def rnn_arguments(steps: int, hidden: int, inputs: int) -> tuple[Params, Array, Array]:
    rng = generator()
    params = {
        "W": rng.standard_normal((hidden, hidden)) / hidden**0.5,
        "U": rng.standard_normal((hidden, inputs)) / inputs**0.5,
        "b": rng.standard_normal(hidden),
    }
    return params, rng.standard_normal((steps, inputs)), np.zeros(hidden)


# ---- a network of three layers -------------------------------------------------------------------


def mlp(params: Params, X: Array, Y: Array) -> float:
    h = np.tanh(X @ params["W1"] + params["b1"])
    h = np.tanh(h @ params["W2"] + params["b2"])
    z = h @ params["W3"] + params["b3"]
    z = z - np.max(z, axis=1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(np.sum(Y * logp, axis=1))


def mlp_by_hand(params: Params, X: Array, Y: Array) -> Params:
    h1 = np.tanh(X @ params["W1"] + params["b1"])
    h2 = np.tanh(h1 @ params["W2"] + params["b2"])
    z = h2 @ params["W3"] + params["b3"]
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    d_z = (e / np.sum(e, axis=1, keepdims=True) - Y) / len(X)  # a row of Y sums to one
    d_2 = d_z @ params["W3"].T * (1.0 - h2 * h2)
    d_1 = d_2 @ params["W2"].T * (1.0 - h1 * h1)
    d_W = {"W1": X.T @ d_1, "W2": h1.T @ d_2, "W3": h2.T @ d_z}
    return d_W | {"b1": d_1.sum(0), "b2": d_2.sum(0), "b3": d_z.sum(0)}


def mlp_arguments(batch: int = 32, widths: tuple[int, ...] = (64, 32, 16, 10)) -> tuple[Params, Array, Array]:
    rng, params = generator(), {}
    for layer, (n, m) in enumerate(zip(widths, widths[1:]), 1):
        params[f"W{layer}"] = rng.standard_normal((n, m)) / n**0.5
        params[f"b{layer}"] = rng.standard_normal(m)
    classes = rng.integers(0, widths[-1], batch)
    return params, rng.standard_normal((batch, widths[0])), np.eye(widths[-1])[classes]


# ---- twenty lines, `def` included ----------------------------------------------------------------


def straight(a: Array, b: float, X: Array, y: Array) -> float:
    n = X.shape[0]
    center = np.mean(X, axis=0)
    spread = np.sqrt(np.var(X, axis=0) + 1e-6)
    Z = (X - center) / spread
    u = Z @ a + b
    s = 1.0 / (1.0 + np.exp(-u))
    v = np.tanh(Z @ (a * a))
    w = np.where(u > 0.0, s * v, v)
    r = w - y
    squares = r * r
    robust = np.log(1.0 + squares)
    loss = np.sum(robust) / n
    gram = Z.T @ Z / n
    energy = a @ gram @ a
    top = np.max(u)
    soft = top + np.log(np.sum(np.exp(u - top)))
    cross = np.sum(np.sin(u) * np.cos(v)) / n
    penalty = np.sum(np.abs(a)) + b**2
    return loss + 0.1 * energy + 0.01 * soft + 0.1 * cross + 1e-3 * penalty


def straight_arguments() -> tuple[Array, float, Array, Array]:
    rng = generator()
    return rng.standard_normal(6), 0.3, rng.standard_normal((40, 6)), rng.standard_normal(40)


def branching(params: Params, X: Array, Y: Array, decay: float, steps: int) -> float:
    W1, b1 = params["W1"], params["b1"]
    n = X.shape[0]
    h = np.tanh(X @ W1 + b1)
    total = 0.0
    for k in range(steps):
        r = np.maximum(h @ params["W2"] + params["b2"], 0.0)
        h = h + 0.5 * r / (k + 1)
        total += np.sum(r * r) / n
    z = h @ params["W3"]
    z = z - np.max(z, axis=1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    loss = -np.sum(Y * logp) / n
    penalty = np.sum(W1**2)
    if decay > 0.0:
        penalty = penalty + np.sum(params["W2"] ** 2)
        loss = loss + decay * penalty
    else:
        loss = loss + 1e-3 * np.sqrt(penalty)
    return loss + 0.01 * total


def branching_arguments() -> tuple[Params, Array, Array, float, int]:
    rng = generator()
    params = {
        "W1": rng.standard_normal((5, 4)),
        "b1": rng.standard_normal(4),
        "W2": rng.standard_normal((4, 4)) / 2,
        "b2": rng.standard_normal(4),
        "W3": rng.standard_normal((4, 3)),
    }
    return params, rng.standard_normal((20, 5)), np.eye(3)[rng.integers(0, 3, 20)], 0.1, 3


# ---- a loop that runs for long -------------------------------------------------------------------


def repeated(x: Array, n: int) -> float:
    total = 0.0
    for _ in range(n):
        x = 0.5 * np.sin(x)
        total += np.sum(x * x)
    return total


def repeated_by_hand(x: Array, n: int) -> Array:
    states = [x]
    for _ in range(n):
        x = 0.5 * np.sin(x)
        states.append(x)
    d_x = np.zeros_like(x)
    for before, after in zip(states[-2::-1], states[::-1]):
        d_x = 0.5 * (d_x + 2.0 * after) * np.cos(before)
    return d_x


def with_literal_count(count: int) -> Callable[..., Any]:
    """`repeated` with the number of iterations in its source, which linecache shows to the compiler."""
    text = (
        "def repeated(x):\n"
        "    total = 0.0\n"
        f"    for _ in range({count}):\n"
        "        x = 0.5 * np.sin(x)\n"
        "        total += np.sum(x * x)\n"
        "    return total\n"
    )
    file = f"<repeated {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), scope)
    made: Callable[..., Any] = scope["repeated"]
    return made
