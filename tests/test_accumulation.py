"""Sums of cotangents: they are kept apart though they begin as one array, and make no more arrays than are returned."""

import numpy as np
import pytest

from adcompiler import grad
from benchmarks.allocations import allocations

from .numerics import check

X, Y = np.array([0.7, 1.3, -0.4, 0.9]), np.array([1.1, -0.6, 0.8, 1.7])


def plus(x, y):
    return np.prod(x + y) / x[0]


def minus(x, y):
    return np.prod(x - y) / y[0]


def by_ufunc(x, y):
    return np.prod(np.add(x, y)) / x[0] * y[1]


def twice_the_same(x, y):
    return np.prod(x + x) / x[0] + np.sum(y)


def augmented(x, y):
    z = x + 0.0
    z += y
    return np.prod(z) / x[0]


def identities(x, y):
    a, b = x, y
    c = a + b
    d = c
    return np.prod(d) / a[0] + np.sum(c * b)


def pairs(x, y):
    p = (x, y, x)
    return np.prod(p[0] + p[1]) / p[2][0]


def joined(x, y):
    z = np.concatenate([x, y, x])
    return np.prod(z) / x[0] + np.sum(z[2:6] * y)


def parted(x, y):
    a, b = np.split(x + y, 2)
    return np.prod(a * b) / x[0] + np.sum(a) * np.sum(b)


def views(x, y):
    z = (x + y).reshape(2, 2)
    return np.prod(z.T[0]) / x[0] + np.sum(z[::-1] * x.reshape(2, 2))


def stacked(x, y):
    z = np.stack([x, y, x + y])
    return np.sum(np.prod(z, axis=0)) / x[0] + np.sum(z[2] * z[0])


PROGRAMS = [plus, minus, by_ufunc, twice_the_same, augmented, identities, pairs, joined, parted, views, stacked]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_of_two_arguments_are_two_arrays(f):
    check(f, X, Y, argnums=(0, 1))
    gradient = grad(f, (0, 1))
    results = [d for _ in range(3) for d in gradient(X, Y)]
    for i, d in enumerate(results):
        assert not any(np.shares_memory(d, other) for other in (*results[:i], X, Y))


def two_products(x, B, C):
    return np.sum(x @ B) + np.sum(x @ C)


def two_activations(x, B, C):
    return np.sum(np.tanh(x @ B)) + np.sum(np.sin(x @ C))


@pytest.mark.parametrize("f", [two_products, two_activations], ids=lambda f: f.__name__)
def test_terms_are_added_into_one_array_of_the_size_of_the_argument(f):
    rng = np.random.default_rng(0)
    args = rng.normal(size=(50, 40)), rng.normal(size=(40, 30)), rng.normal(size=(40, 20))
    check(f, *args, argnums=(0,))
    gradient = grad(f)
    for _ in range(2):
        gradient(*args)
    assert allocations(lambda: gradient(*args)).large == 1


def accumulated(W, b, xs, n):
    total = 0.0
    for i in range(n):
        total += np.sum(np.tanh(W @ xs[i % 3] + b))
    return total


def uniform(b, n):
    total = 0.0
    for _ in range(n):
        total += np.sum(b + 1.0)
    return total


def test_accumulators_take_the_same_memory_whatever_the_number_of_iterations():
    b = np.ones(300)
    gradient = grad(uniform)
    gradient(b, 5)
    few, many = (allocations(lambda n=n: gradient(b, n)) for n in (500, 500_000))
    assert few.large == many.large and few.bytes == many.bytes
    np.testing.assert_array_equal(gradient(b, 500_000), np.full(300, 500_000.0))


def test_in_a_loop_terms_are_added_without_new_arrays():
    rng = np.random.default_rng(1)
    args = rng.normal(size=(40, 30)) / 30.0, rng.normal(size=40), rng.normal(size=(3, 30))
    check(accumulated, *args, 7, argnums=(0, 1))
    gradient = grad(accumulated, (0, 1))
    counts = [allocations(lambda n=n: gradient(*args, n)).large for n in (5, 5, 50, 50)]
    assert counts[1] == counts[3] == 1  # the gradient of W; of b's 40 numbers no large one
