"""Derivatives that a compiled function asks for, with the options that they have outside."""

import functools

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, jvp, value_and_grad, vjp

from .numerics import check, differences

X = np.array([0.3, 0.5, -0.2])


class Net:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return np.sum(np.tanh(self.w * x) ** 2)

    def scaled(self, x, k=2.0):
        return np.sum(x**2) * k

    def force(self, z):
        return -grad(self.loss)(z)

    @staticmethod
    def cubes(x):
        return np.sum(x**3)

    def __call__(self, x):
        return np.sum(np.sin(self.w * x))


def of_a_method(x):
    n = Net(x * 1.0)
    v, pullback = vjp(n.loss, x)
    return np.sum(pullback(v)) + jvp(n.loss, (x,), (x,))[1] + value_and_grad(n.loss)(x)[0]


def forces(x):
    return np.sum(Net(x).force(x) * x)


def others(x):
    n = Net(x)
    by_k = grad(n.scaled, argnums="k")(x, 3.0)
    return np.sum(grad(n.scaled)(x, 3.0)) + np.sum(grad(n.scaled)(x)) + by_k + np.sum(grad(n.cubes)(x) + grad(n)(x))


@pytest.mark.parametrize("f", [of_a_method, forces, others])
def test_methods_of_objects_made_here(f):
    check(f, X, rtol=1e-6)


def test_methods_of_arguments():
    def f(m, x):
        return np.sum(m.force(x) * x)

    for k, name in ((1, 1), (0, "m.w")):
        exact = differences(lambda w, x: f(Net(w), x), (X * 2, X), k)
        np.testing.assert_allclose(grad(f, argnums=name)(Net(X * 2), X), exact, rtol=1e-6)


def test_what_is_made_in_the_call():
    with pytest.raises(UnsupportedError, match="write a lambda that calls it"):
        grad(lambda x: np.sum(grad(functools.partial(lambda a, z: a * np.sum(z**2), 2.0))(x)))(X)


def squares(out, x):
    for i in range(len(x)):
        out[i] = x[i] ** 2


def test_the_result_in_an_argument():
    def f(x):
        v, pullback = vjp(squares, np.zeros(3), x, argnums="x", of="out")
        return np.sum(pullback(v) * v)

    assert f(X) == pytest.approx(np.sum(2 * X**5))
    np.testing.assert_allclose(grad(f)(X), 10 * X**4)


@pytest.mark.parametrize("option", ["inline", "reuse", "reuse_buffers"])
def test_how_it_is_compiled(option):
    def f(x):
        if option == "inline":
            g = grad(lambda y: np.sum(y**3), inline=False)
        elif option == "reuse":
            g = grad(lambda y: np.sum(y**3), reuse=False)
        else:
            g = value_and_grad(lambda y: np.sum(y**3), reuse_buffers=False)
            return np.sum(g(x)[1])
        return np.sum(g(x))

    np.testing.assert_allclose(grad(f)(X), 6 * X)


def test_an_option_that_there_is_not():
    with pytest.raises(UnsupportedError, match="there is no option lazy"):
        grad(lambda x: np.sum(grad(lambda y: np.sum(y**3), lazy=True)(x)))(X)


def test_tangents_that_are_written_in_the_program():
    def square(t):
        return np.conj(t) * t

    def modulus(t):
        z = t * (1 + 2j)
        return np.real(z * np.conj(z))

    assert grad(lambda t: jvp(square, (t,), (1.0,))[1])(0.5) == pytest.approx(2.0)
    assert grad(lambda t: jvp(modulus, (t,), (1.0,))[1])(0.5) == pytest.approx(10.0)
