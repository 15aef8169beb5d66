"""A number in two products of one cotangent is taken out of both: fewer passes over arrays, going back."""

import numpy as np
import pytest

from adcompiler import differentiable, grad

from .numerics import check

U = np.array([0.3, -0.8, 1.1, 0.4, -0.2, 0.9])


def burgers(u, n, dt):
    u = u.copy()
    for _ in range(n):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def other_order(u, n, dt):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += (u[2:] - u[:-2]) * (u[1:-1] * dt)
    return np.sum(u**2)


def literal(u, n):
    u = u * 1.0
    for _ in range(n):
        u[1:] = u[1:] - 0.1 * u[:-1] * u[1:]
    return np.sum(u**3)


def of_a_number_made_in_the_loop(u, n, dt):
    u = u.copy()
    for k in range(n):
        h = dt * (k + 1.0)
        u[1:-1] -= h * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def broadcast(u, n, dt):
    A = np.outer(u, u)
    for _ in range(n):
        A = A - dt * u * (A * A)
    return np.sum(A * A)


def of_an_active_number(u, n, dt):
    for _ in range(n):
        u = u - (dt * dt) * u * np.sin(u)
    return np.sum(u**2)


STEPS = (U, 3, 0.1)
PROGRAMS = [(burgers, STEPS), (other_order, STEPS), (literal, (U, 3)), (burgers, (U, 0, 0.1)),
            (of_a_number_made_in_the_loop, STEPS), (broadcast, (U, 2, 0.1)), (of_an_active_number, STEPS)]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_gradients(f, args):
    check(f, *args)
    check(f, *args, argnums=(0,))
    single = grad(f)(args[0].astype(np.float32), *args[1:])
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, grad(f)(*args), rtol=1e-3, atol=1e-5)
    direction = np.cos(args[0])
    check(lambda u, *more: grad(f)(u, *more) @ direction, *args, argnums=(0,), rtol=1e-5)


def test_what_is_emitted():
    text = differentiable(burgers, argnums=0).source(signature="f64[n], int, float")
    back = text[text.index("# backward") :]
    assert "d = -dt * d_u[1:-1]" in back and back.count("dt") == 1
    assert "d_u[1:-1] += d * (u[2:] - u[:-2])" in back
    assert "dt * u[1:-1]" in text[: text.index("# backward")]
