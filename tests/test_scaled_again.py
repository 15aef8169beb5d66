"""What an arm of a loop scales is computed again in the arm that reads it, with all that it is made of there."""

import numpy as np
import pytest

from adcompiler import grad

from .numerics import check

X = np.array([0.3, -0.7, 1.1, 0.9])
W = np.arange(16.0).reshape(4, 4) / 16.0


def shifted(x):
    t = 0.0
    for i in range(4):
        if i != 1:
            d = x - x[i]
            t += np.sum(d * d * d)
    return t


def skipped(x):
    t = 0.0
    for i in range(4):
        if i == 1:
            continue
        d = x - x[i]
        r = d * d
        for j in range(2):
            t += d[j] * r[j]
    return t


def scaled_before(x):
    t = 0.0
    for i in range(4):
        if i > 0:
            v = 0.5 * x[i - 1]
            u = x - v
            t += np.sum(u**3) * v
    return t


def by_what_is_carried(x):
    y = x
    for i in range(4):
        if y[i] > -5:
            a = y[i] / 2
            w = a * x
            y = y + np.sin(w)
    return np.sum(y)


def at_a_computed_place(x):
    t = 0.0
    for i in range(4):
        if x[i] > 0:
            k = 2 * i
            d = x[k % 4] * x
            t += np.sum(d * d * d)
    return t


def of_a_constant(x):
    c = 0.5
    for i in range(4):
        if i % 2 == 1:
            c = c + np.sum((W * x[i]) @ x)
    return c


def on_both_sides(x):
    t = 0.0
    for i in range(4):
        if i < 3:
            t += np.sum(np.sin(x * x[i + 1]))
        else:
            t += np.sum(np.cos(x * x[i - 3]))
    return t


PROGRAMS = [shifted, skipped, scaled_before, by_what_is_carried, at_a_computed_place, of_a_constant, on_both_sides]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_and_second_derivatives(f):
    first = grad(f)

    def product(x):
        return np.sum(first(x) * np.cos(x))

    check(f, X)
    check(product, X)


def test_what_an_inner_loop_carries_may_have_been_stored_into():
    def f(x, c):
        t = x * 1.5
        for i in range(3):
            t[0] = x[i]
            for _ in range(2):
                t = np.tanh(c * (x - x[i]))
        return np.sum(t * t)

    check(f, X, 0.5)


def test_rows_that_a_comprehension_reads_are_not_given_back():
    def f(x, A):
        t = 0.0
        for _ in A:
            t += np.tanh(np.sum(np.outer(x, x - 1.0), axis=0))
        return np.sum(t)

    first = grad(f)

    def product(x):
        return np.sum(first(x, W) * np.cos(x))

    check(product, X)
