"""What an arm of a loop scales is computed again in the arm that reads it, with all that it is made of there."""

import importlib.util

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


CONDITIONS = ["i != 1", "i > 0", "x[i] > 0", "x[i] > 0.5 or i == 1", "y[i] > -0.5", "i % 2 == 1 and i > 0"]
BODIES = [
    "d = x - x[i]; t += np.sum(d * d * d)",
    "d = x * x[i]; t += np.sum(np.sin(d))",
    "d = x[i] * 2.0; y = y + np.sin(x * d)",
    "p = x[i]; q = p - 0.5; d = W[i] * q; t += np.sum(d * d) * p",
    "p = y[i]; d = -x; d = d * p; y = np.tanh(y + d)",
    "k = (2 * i) % 4; d = x[k] + x; t += np.sum(d ** 3); y = y - 0.1 * d",
    "c = 1.0 / (i + 1); d = c * x; e = x[i] * d; y = y + np.cos(e) * d",
    "v = 0.5 * x[i - 1]; u = x - v; t += np.sum(u ** 3) * v",
    "c = np.sum(x) * 0.1; d = c * x; t += np.sum(np.exp(-d)) * c; y = y * 0.9",
]
PROGRAM = """
import importlib.util

import numpy as np

W = np.arange(16.0).reshape(4, 4) / 16.0


def f(x):
    y = x * 1.0
    t = 0.0
    for i in range(4):
        if {condition}:
            {body}
        {otherwise}
    return t + np.sum(y * y)
"""


@pytest.mark.parametrize("body", range(len(BODIES)))
@pytest.mark.parametrize("condition", range(len(CONDITIONS)))
def test_arms_of_all_sorts(condition, body, tmp_path):
    """Programs as text: each body under each condition, and another body in the other arm."""
    other = BODIES[(body + 4) % len(BODIES)]
    otherwise = [f"else: {other}", "t = t + 0.1 * y[i]", f"if y[i] < 0.283: {other}"][(condition + body) % 3]
    lines = BODIES[body].replace("; ", "\n            ")
    path = tmp_path / f"arms_{condition}_{body}.py"
    path.write_text(PROGRAM.format(condition=CONDITIONS[condition], body=lines, otherwise=otherwise))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check(module.f, X)
