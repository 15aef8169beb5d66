"""A root is finite where its slope is not: what a mask leaves out of that is zero, in each mode and to second order."""

import math

import numpy as np
import pytest

from adcompiler import differentiable, grad, jvp, vjp

X, V = np.array([-1.0, 4.0, 0.25]), np.array([0.3, -1.0, 0.5])


def in_a_loop(x):
    s = 0.0
    for v in x:
        s += np.sqrt(max(v, 0.0)) + np.sqrt(np.maximum(v, 0.0)) + np.sqrt(v * (v > 0))
    return s / 3.0


ROOTS = [
    lambda x: np.sum(np.sqrt(np.maximum(x, 0.0))),
    lambda x: np.sum(np.sqrt(np.clip(x, 0.0, None))),
    lambda x: np.sum(np.sqrt(np.fmax(x, 0.0))),
    lambda x: np.sum(np.sqrt(x * (x > 0))),
    lambda x: np.sum(np.maximum(x, 0.0) ** 0.5),
    lambda x: sum(math.sqrt(max(v, 0.0)) for v in x),
    lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0)),
    in_a_loop,
]


@pytest.mark.parametrize("f", ROOTS)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_constant_where_the_mask_is_false(f):
    exact, second = [0.0, 0.25, 1.0], [0.0, -1 / 32, -2.0]
    np.testing.assert_allclose(grad(f)(X), exact, rtol=1e-12)
    np.testing.assert_allclose(vjp(f, X)[1](2.0)[0], np.multiply(exact, 2.0), rtol=1e-12)
    assert jvp(f, (X,), (V,))[1] == pytest.approx(np.dot(exact, V))
    hessian = np.multiply(second, V)
    np.testing.assert_allclose(grad(lambda x: grad(f)(x) @ V)(X), hessian, rtol=1e-12)
    np.testing.assert_allclose(jvp(grad(f), (X,), (V,))[1], hessian, rtol=1e-12)
    assert grad(f)(X.astype(np.float32)).dtype == np.float32


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_others():
    assert grad(lambda x: np.sum(np.arccos(np.clip(x, -1.0, 1.0))))(np.array([1.5, 0.0])).tolist() == [0.0, -1.0]
    assert grad(lambda x: np.sqrt(np.sum(np.maximum(x - 5.0, 0.0))))(X).tolist() == [0.0, 0.0, 0.0]
    two = grad(lambda x, y: np.sum(np.sqrt(np.maximum(x, y))), argnums=(0, 1))(X, np.array([-2.0, 0.0, 1.0]))
    assert math.isnan(two[0][0]) and two[0][1:].tolist() == [0.25, 0.0] and two[1].tolist() == [0.0, 0.0, 0.5]


def test_forward_and_then_back():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    with np.errstate(all="ignore"):
        found = grad(lambda x: jvp(f, (x,), (V,))[1])(X)
    np.testing.assert_allclose(found, [0.0, V[1] * -1 / 32, V[2] * -2.0])


def test_a_product_stays_one_where_nothing_is_infinite():
    text = differentiable(lambda x, w: np.sum(np.maximum(w @ x, 0.0) ** 2)).source(signature="f64[n], f64[m,n]")
    assert "np.where" not in text


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.abs(x) ** 2), lambda x: np.sum(np.abs(x) ** 2.0), lambda x: np.sum(np.abs(x) * np.abs(x)),
    lambda x: np.sum(np.square(np.abs(x))),
])  # fmt: skip
def test_squares_of_absolute_values_at_zero(f):
    """Smooth together, to second order in each order of modes."""
    x, u = np.array([0.0, -0.5, 2.0]), np.array([1.0, -2.0, 0.5])

    def moved(y):
        return jvp(f, (y,), (u,))[1]

    for found in (grad(moved)(x), grad(lambda y: grad(f)(y) @ u)(x), jvp(grad(f), (x,), (u,))[1]):
        np.testing.assert_allclose(found, 2.0 * u)
    assert jvp(moved, (x,), (u,))[1] == pytest.approx(2.0 * u @ u)


def test_deviation_of_equal_elements():
    """Zero through the kink, in each order of modes."""
    x, u = np.ones(3), np.array([1.0, 0.0, 0.0])

    def moved(y):
        return jvp(np.std, (y,), (u,))[1]

    assert moved(x) == 0.0 and grad(moved)(x).tolist() == [0.0, 0.0, 0.0]
    assert jvp(moved, (x,), (u,))[1] == 0.0 and jvp(grad(np.std), (x,), (u,))[1].tolist() == [0.0, 0.0, 0.0]
    y = np.array([0.3, 1.0, -2.0])
    np.testing.assert_allclose(grad(moved)(y), grad(lambda z: grad(np.std)(z) @ u)(y))
