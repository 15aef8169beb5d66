"""A cotangent that a selection has zeroed stays zero through every infinite or undefined factor behind it.

The gradients are compared with differences at points at which the function is smooth: what is selected out is
constant there.
"""

from typing import Any

import numpy as np
import pytest

from adcompiler import differentiable, grad, jvp

from .numerics import assert_close, differences

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([-1.0, -0.3, 0.5, 2.0])
BIG = np.array([-1000.0, 1000.0, 0.5, 2.0])
ROWS = np.array([[-1.0, 2.0], [0.5, 2.0], [1.5, 0.7]])


def guarded(value: Any) -> Any:
    """`value` of an array where that is positive, 0 elsewhere, summed."""
    return lambda x: np.sum(np.where(x > 0, value(x), 0.0))


def moderate(value: Any) -> Any:
    """`value` of an array where nothing overflows, 0 elsewhere, summed."""
    return lambda x: np.sum(np.where(np.abs(x) < 700, value(x), 0.0))


def by_rows(value: Any) -> Any:
    """`value` of the rows of a matrix where their first element is positive, 0 elsewhere, summed."""
    return lambda A: np.sum(np.where(A[:, 0] > 0, value(A), 0.0))


PROGRAMS = [
    (guarded(lambda x: (np.log(x) + 1) * x), X),
    (guarded(lambda x: np.tanh(2 * np.log(x) + 1)), X),
    (guarded(lambda x: np.sin(np.log(x)) * x), X),
    (guarded(lambda x: np.sqrt(x) * x), X),
    (guarded(lambda x: np.abs(np.log(x)) * x), X),
    (guarded(lambda x: (np.log(x) + x) * (np.log(x) + x) * x), X),
    (guarded(lambda x: np.maximum(np.log(x), 0.1) * x), X),
    (guarded(lambda x: np.stack([np.log(x), np.log(x) * x])), X),
    (guarded(lambda x: 1 / (1 + np.exp(np.log(x)))), X),
    (guarded(lambda x: np.log(np.log(x) ** 2 + 1)), X),
    (guarded(lambda x: x**1.5 * x), X),
    (guarded(lambda x: np.where(x > -0.5, np.log(x), 0.0) * x), X),
    (moderate(lambda x: np.exp(x) * x), BIG),
    (moderate(lambda x: 1 / (1 + np.exp(-x))), BIG),
    (moderate(lambda x: 1 / (1 + np.exp(-x)) * (x + np.exp(x))), BIG),
    (moderate(lambda x: np.log(1 + np.exp(x)) * np.cosh(x)), BIG),
    (by_rows(lambda A: np.sum(np.log(A), axis=1)), ROWS),
    (by_rows(lambda A: np.mean(np.log(A) * A, axis=1)), ROWS),
    (by_rows(lambda A: np.cumsum(np.log(A) * A, axis=1)[:, 1]), ROWS),
]


@pytest.mark.parametrize("f, x", PROGRAMS)
def test_what_is_not_selected_has_no_gradient(f, x):
    assert_close(grad(f)(x), differences(f, (x,)), 1e-5)


@pytest.mark.parametrize(
    "reduced", [np.max, np.min, np.prod, np.std, np.var, np.linalg.norm], ids=lambda r: r.__name__
)
def test_a_row_of_what_is_not_selected_is_reduced(reduced):
    f = by_rows(lambda A: reduced(np.log(A), axis=1) * A[:, 1])
    assert_close(grad(f)(ROWS), differences(f, (ROWS,)), 1e-5)


def test_a_sigmoid_is_guarded_where_it_may_overflow_and_nowhere_else():
    def f(w, A, y):
        p = 1 / (1 + np.exp(-(A @ w)))
        return -np.sum(np.clip(np.where(y > 0, p, 1 - p), 0.01, 0.99))

    w, A, y = np.array([0.3, -0.4]), ROWS, np.array([1.0, 0.0, 1.0])
    assert differentiable(f).source("grad", example=(w, A, y)).count("strong(") == 1
    assert_close(grad(f)(w, A, y), differences(f, (w, A, y)))


def test_a_root_of_what_is_positive_needs_no_guard():
    def f(x):
        return np.sum(x / np.sqrt(np.sum(x**2) + 1e-8))

    assert "strong" not in differentiable(f).source("grad", example=(X,))
    assert_close(grad(f)(X), differences(f, (X,)))


def test_a_root_of_what_may_be_zero_keeps_its_guard():
    def f(x, shift):
        return np.sum(np.sqrt(x * x + shift) * 0.0)

    assert_close(grad(f)(np.zeros(2), 0.0), np.zeros(2))


def test_what_vanishes_in_half_precision_keeps_no_quotient_from_a_pole():
    def f(x):
        return np.sum(np.where(x != 0, x / np.sqrt(x * x + 1e-12), 0.0))

    x = np.array([0.0, 1.0], np.float16)
    assert_close(grad(f)(x), np.zeros(2, np.float16), 1e-3)


def test_a_logarithm_of_a_determinant_may_be_selected():
    def f(A):
        return np.sum(np.where(np.array([True, False]), np.linalg.slogdet(A)[1], 0.0))

    A = np.array([[[2.0, 0.5], [0.3, 1.0]], [[1.0, 0.2], [0.1, 3.0]]])
    assert_close(grad(f)(A), np.stack([np.linalg.inv(A[0]).T, np.zeros((2, 2))]))


MASKED = {
    "root": (lambda v: np.sqrt(v), lambda v: 0.375 * v**-2.5),
    "power": (lambda v: v**0.5, lambda v: 0.375 * v**-2.5),
    "logarithm": (lambda v: np.log(v), lambda v: 2.0 * v**-3),
    "reciprocal": (lambda v: 1.0 / v, lambda v: -6.0 * v**-4),
}


@pytest.mark.parametrize("name", MASKED)
def test_third_derivatives_behind_a_mask(name):
    f, third = MASKED[name]
    slope = lambda g: lambda x: np.sum(grad(g)(x))
    masked = lambda x: np.sum(np.where(x > 0, f(x), 0.0))
    x = np.array([0.0, 1.0, 2.5])
    with np.errstate(all="ignore"):
        assert_close(grad(slope(slope(masked)))(x), np.where(x > 0, third(np.where(x > 0, x, 1.0)), 0.0))
        d = np.ones(3)
        first = lambda x: jvp(masked, (x,), (d,))[1]
        second = lambda x: jvp(first, (x,), (d,))[1]
        assert_close(jvp(second, (x,), (d,))[1], np.sum(np.where(x > 0, third(np.where(x > 0, x, 1.0)), 0.0)))


# What is measured is not known everywhere: the residuals there are NaN, and so are the factors of their cotangents.
MEASURED, DESIGN = np.array([1.0, np.nan, 2.0, 0.5]), np.array([[1.0, 0.5], [0.3, -1.0], [0.2, 0.7], [-0.4, 0.9]])


def left_out(w, X, y):
    return np.nanmean((X @ w - y) ** 2)


def left_out_by_a_test(w, X, y):
    r = X @ w - y
    return np.sum(np.where(np.isnan(r), 0.0, r * r)) / 3


def left_out_in_a_loop(w, X, y):
    s = 0.0
    for row, v in zip(X, y):
        r = np.dot(row, w) - v
        s += np.nan_to_num(r * r)
    return s / 3


def left_out_by_rows(w, X, y):
    return np.nansum(np.nanmean((w * X - np.expand_dims(y, 1)) ** 3, axis=1) / (1 + y * y))


@pytest.mark.parametrize("f", [left_out, left_out_by_a_test, left_out_in_a_loop, left_out_by_rows])
def test_what_is_not_known_has_no_say(f):
    w = np.array([0.3, -0.4])
    known = np.array([True, False, True, True])
    assert_close(grad(f)(w, DESIGN, MEASURED), differences(f, (w, DESIGN[known], MEASURED[known])), 1e-5)
    d_y = grad(f, argnums=2)(w, DESIGN, MEASURED)
    assert d_y[1] == 0
    assert_close(d_y[known], grad(f, argnums=2)(w, DESIGN[known], MEASURED[known]))


def test_a_difference_of_what_may_be_none_needs_no_guard():
    assert "unless_zero" not in differentiable(left_out).source("grad", example=(np.ones(2), DESIGN, MEASURED))


def overwritten_in_a_loop(x, y):
    z = np.log(x) * y
    for i in range(2):
        z[i] = 0.0
    return np.sum(z)


def selected_in_a_loop(x, y):
    z = np.log(x) * y
    for _ in range(1):
        z = np.where(x > 0, z, 0.0)
    return np.sum(z)


def clipped_in_a_loop(x, y):
    z = y / x
    for _ in range(1):
        z = np.clip(z, -1.0, 1.0)
    return np.sum(z)


LEFT_OUT = {overwritten_in_a_loop: (2.0 / 4.0, np.log(4.0)), selected_in_a_loop: (2.0 / 4.0, np.log(4.0)),
            clipped_in_a_loop: (-2.0 / 16.0, 1.0 / 4.0)}  # fmt: skip


@pytest.mark.parametrize("f", LEFT_OUT, ids=lambda f: f.__name__)
def test_a_loop_between_a_pole_and_the_selection(f):
    with np.errstate(all="ignore"):
        d_x, d_y = grad(f, (0, 1))(np.array([0.0, 0.0, 4.0]), np.array([0.5, 1.5, 2.0]))
    by_x, by_y = LEFT_OUT[f]
    assert_close(d_x, np.array([0.0, 0.0, by_x]))
    assert_close(d_y, np.array([0.0, 0.0, by_y]))


def multiplied_by_a_pole_in_a_loop(x, y):
    z = y
    for _ in range(2):
        z = z * np.log(x)
    return np.sum(np.where(x > 0, z, 0.0))


def multiplied_by_a_pole_in_loops(x, y):
    z, k = y, 0
    while k < 2:
        for _ in range(2):
            w = z
            z = w * (1.0 / x)
        z = z * y
        k += 1
    return np.sum(np.where(x > 0, z, 0.0))


@pytest.mark.parametrize("f", [multiplied_by_a_pole_in_a_loop, multiplied_by_a_pole_in_loops])
def test_what_a_loop_carries_may_be_infinite(f):
    x, y = np.array([0.0, 1.0, 4.0]), np.array([0.5, 1.5, 2.0])
    with np.errstate(all="ignore"):
        d_x, d_y = grad(f, (0, 1))(x, y)
        assert d_x[0] == d_y[0] == 0
        assert_close(d_x[1:], differences(f, (x[1:], y[1:]), 0), 1e-5)
        assert_close(d_y[1:], differences(f, (x[1:], y[1:]), 1), 1e-5)


def test_what_a_loop_carries_that_stays_finite_has_no_guard():
    def f(x, y):
        z = y
        for _ in range(2):
            z = np.tanh(z) * y
        return np.sum(np.where(x > 0, z, 0.0))

    text = differentiable(f, argnums=1).source(signature="f64[n], f64[n]")
    assert not any(word in text for word in ("strong", "unless_zero"))


def test_the_second_derivative_of_a_masked_power():
    def masked(x, y):
        return np.sum(np.where(x > 0, x**y, 0.0))

    with np.errstate(all="ignore"):
        d = grad(lambda x, y: np.sum(grad(masked)(x, y)), 1)(np.array([0.0, -1.0, 4.0]), np.array([0.5, 1.5, 2.0]))
    assert np.isfinite(d).all()
