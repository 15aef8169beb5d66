"""`of=`: the gradient of what a function leaves in an argument."""

import numpy as np
import pytest

from adcompiler import GradientError, grad, value_and_grad, vjp
from tests.numerics import differences

X = np.array([1.5, 2.0, 3.0])


def fill(out, x):
    for i in range(len(out)):
        out[i] = x[i] * x[i - 1]


def add_squares(total, x, *, scale=1.0):
    total += np.sum(x * x) * scale


def rebound(u, x):
    u[0] = x[1]
    u = u * 2.0
    u[1] = 5.0
    return u


def step(state, dt):
    state["x"] += dt * state["v"]
    state["v"] -= dt * state["x"]


def test_by_position_and_by_name():
    for of in (0, "out"):
        out = np.zeros(3)
        value, pull = vjp(fill, out, X, of=of)
        np.testing.assert_array_equal(value, [4.5, 3.0, 6.0])
        assert not np.any(out), "the argument is left alone"
        d_out, d_x = pull(np.array([1.0, 0.0, 2.0]))
        np.testing.assert_array_equal(d_out, np.zeros(3))
        np.testing.assert_allclose(d_x, [3.0, 6.0, 1.5 + 4.0])


def test_a_number_that_is_left_in_an_array_has_a_gradient():
    d_total, d_x = grad(add_squares, (0, 1), of="total")(np.array(2.0), X)
    assert d_total == 1.0
    np.testing.assert_array_equal(d_x, 2 * X)
    value, d_x = value_and_grad(add_squares, "x", of="total")(np.array(2.0), X, scale=3.0)
    assert value == 2.0 + 3.0 * np.sum(X * X)
    np.testing.assert_array_equal(d_x, 6 * X)


def test_it_is_the_array_of_the_caller():
    value, pull = vjp(rebound, np.zeros(2), X, of="u", argnums="x")
    np.testing.assert_array_equal(value, [2.0, 0.0])
    np.testing.assert_array_equal(pull(np.array([3.0, 4.0])), [0.0, 3.0, 0.0])


def test_a_dict_of_arrays():
    state = {"x": X * 1.0, "v": X[::-1] * 1.0}
    value, pull = vjp(step, state, 0.1, of=0, argnums=0)
    d = pull({"x": np.ones(3), "v": np.zeros(3)})

    def total(state, dt):
        state = {k: v.copy() for k, v in state.items()}
        step(state, dt)
        return np.sum(state["x"])

    wanted = differences(total, (state, 0.1))
    for k in wanted:
        np.testing.assert_allclose(d[k], wanted[k], rtol=1e-6)
    np.testing.assert_array_equal(state["x"], X)


def test_within_a_gradient():
    def f(x):
        return np.sum(grad(add_squares, "x", of="total")(np.array(0.0), x) ** 2)

    np.testing.assert_allclose(grad(f)(X), 8 * X)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: vjp(fill, np.zeros(3), X, of=5), "fill has no argument 5"),
        (lambda: vjp(fill, np.zeros(3), X, of="y"), r"fill has no argument 'y'(.|\n)* name one of these in of, by"),
        (lambda: grad(fill, "y", of=0)(np.zeros(3), X), r"'y'(.|\n)* name one of these in argnums, by"),
        (lambda: grad(fill, 1, of=0)(np.zeros(3), X), r"f64\[n0\], and a gradient is of one real number"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(GradientError, match=words):
        call()
