"""Derivatives that a compiled function asks for, with the options that they have outside."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, jvp, value_and_grad, vjp

X = np.array([0.3, 0.5, -0.2])


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
