"""Sums over iterations: cotangents that are added up, of the same matrix or of the same array again and again."""

from typing import Any

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once

# ---- total += sum(W @ x + b) ---------------------------------------------------------------------


def affine(W: Array, b: Array, x: Array, n: int) -> float:
    total = 0.0
    for _ in range(n):
        total += np.sum(W @ x + b)
    return total


def affine_by_hand(W: Array, b: Array, x: Array, n: int) -> tuple[Array, Array]:
    d_W, d_b, ones = np.zeros_like(W), np.zeros_like(b), np.ones_like(b)
    for _ in range(n):
        d_b += ones
        d_W += np.outer(ones, x)
    return d_W, d_b


def affine_pre(W: Array, b: Array, x: Array, n: int) -> Gradient:
    d_W, d_b, term = np.empty_like(W), np.empty_like(b), np.empty_like(W)
    ones = np.ones((b.size, 1))

    def gradient(W: Array, b: Array, x: Array, n: int) -> tuple[Array, Array]:
        d_W.fill(0.0)
        d_b.fill(0.0)
        for _ in range(n):
            np.add(d_b, 1.0, out=d_b)
            np.multiply(ones, x, out=term)
            np.add(d_W, term, out=d_W)
        return d_W, d_b

    return gradient


def affine_best(W: Array, b: Array, x: Array, n: int) -> tuple[Array, Array]:
    """Every iteration adds the same."""
    return np.tile(n * x, (b.size, 1)), np.full_like(b, n)


def affine_d_b(W: Array, b: Array, x: Array, n: int) -> tuple[Array]:
    d_b, ones = np.zeros_like(b), np.ones_like(b)
    for _ in range(n):
        d_b += ones
    return (d_b,)


def affine_d_b_pre(W: Array, b: Array, x: Array, n: int) -> Gradient:
    d_b = np.empty_like(b)

    def gradient(W: Array, b: Array, x: Array, n: int) -> tuple[Array]:
        d_b.fill(0.0)
        for _ in range(n):
            np.add(d_b, 1.0, out=d_b)
        return (d_b,)

    return gradient


def affine_arguments(size: int, n: int) -> tuple[Array, Array, Array, int]:
    return normal(size, size), normal(size, seed=1), normal(size, seed=2), n


# ---- total += sum(W @ xs[i] + b) -----------------------------------------------------------------


def affine_each(W: Array, b: Array, xs: Array, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += np.sum(W @ xs[i] + b)
    return total


def affine_each_by_hand(W: Array, b: Array, xs: Array, n: int) -> tuple[Array, Array]:
    d_W, d_b, ones = np.zeros_like(W), np.zeros_like(b), np.ones_like(b)
    for i in reversed(range(n)):
        d_b += ones
        d_W += np.outer(ones, xs[i])
    return d_W, d_b


def affine_each_pre(W: Array, b: Array, xs: Array, n: int) -> Gradient:
    d_W, d_b, term = np.empty_like(W), np.empty_like(b), np.empty_like(W)
    ones = np.ones((b.size, 1))

    def gradient(W: Array, b: Array, xs: Array, n: int) -> tuple[Array, Array]:
        d_W.fill(0.0)
        d_b.fill(0.0)
        for i in reversed(range(n)):
            np.add(d_b, 1.0, out=d_b)
            np.multiply(ones, xs[i], out=term)
            np.add(d_W, term, out=d_W)
        return d_W, d_b

    return gradient


def affine_each_best(W: Array, b: Array, xs: Array, n: int) -> tuple[Array, Array]:
    """Each row of the cotangent of W is the sum of the vectors."""
    return np.tile(np.sum(xs, axis=0), (b.size, 1)), np.full_like(b, n)


def affine_each_arguments(size: int, n: int) -> tuple[Array, Array, Array, int]:
    return normal(size, size), normal(size, seed=1), normal(n, size, seed=2), n


# ---- a sum of N terms of one array ---------------------------------------------------------------


def terms(x: Array, n: int) -> float:
    y: Any = 0.0  # a number at first, then an array
    for k in range(n):
        c = 1.0 / (k + 1)
        if k % 2 == 0:
            y = y + c * x * x
        else:
            y = y + np.sin(c * x)
    return np.sum(y)


def terms_by_hand(x: Array, n: int) -> tuple[Array]:
    d_x = np.zeros_like(x)
    for k in range(n):
        c = 1.0 / (k + 1)
        if k % 2 == 0:
            d_x += 2.0 * c * x
        else:
            d_x += c * np.cos(c * x)
    return (d_x,)


def terms_pre(x: Array, n: int) -> Gradient:
    d_x, term = np.empty_like(x), np.empty_like(x)

    def gradient(x: Array, n: int) -> tuple[Array]:
        d_x.fill(0.0)
        for k in range(n):
            c = 1.0 / (k + 1)
            if k % 2 == 0:
                np.multiply(x, 2.0 * c, out=term)
            else:
                np.multiply(x, c, out=term)
                np.cos(term, out=term)
                np.multiply(term, c, out=term)
            np.add(d_x, term, out=d_x)
        return (d_x,)

    return gradient


def _terms(n: int) -> Workload:
    return Workload(
        f"{n} terms of an array of 1e5",
        terms,
        lambda: (normal(100_000), n),
        lambda: (normal(5), n),
        argnums=(0,),
        references={"pre": terms_pre, "hand": once(terms_by_hand)},
        constants=1,
        bar=1.1,
    )


WORKLOADS = (
    Workload(
        "500 times sum(W @ x + b), wrt W, b",
        affine,
        lambda: affine_arguments(64, 500),
        lambda: affine_arguments(3, 4),
        argnums=(0, 1),
        references={"pre": affine_pre, "hand": once(affine_by_hand), "best": once(affine_best)},
        constants=1,
        bar=1.05,
    ),
    Workload(
        "500 times sum(W @ x + b), wrt b",
        affine,
        lambda: affine_arguments(64, 500),
        lambda: affine_arguments(3, 4),
        argnums=(1,),
        references={"pre": affine_d_b_pre, "hand": once(affine_d_b)},
        constants=1,
        bar=0.6,
    ),
    Workload(
        "500 times sum(W @ xs[i] + b), wrt W, b",
        affine_each,
        lambda: affine_each_arguments(64, 500),
        lambda: affine_each_arguments(3, 4),
        argnums=(0, 1),
        references={
            "pre": affine_each_pre,
            "hand": once(affine_each_by_hand),
            "best": once(affine_each_best),
        },
        constants=1,
    ),
    *map(_terms, (3, 10, 50)),
)
