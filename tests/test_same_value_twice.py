"""A value in two places of the arguments of a derivative, or of its results: each place has a derivative of its own."""

import numpy as np
import pytest

from adcompiler import checkpoint, compile_module, grad, jvp, value_and_grad, vjp

X = np.array([0.3, 0.55, 1.2])


def product(a, b):
    return np.sum(a * b * b)


def two_arguments(x):
    return grad(product)(x, x)


def the_second(x):
    return grad(product, argnums=1)(x, x)


def both(x):
    value, (d_a, d_b) = value_and_grad(product, argnums=(0, 1))(x, x)
    return d_a * value + 3.0 * d_b


def second_name(x):
    y = x
    return grad(product)(x, y)


def in_a_dict(x):
    return grad(lambda q: product(q["a"], q["b"]))({"a": x, "b": x})["a"]


def in_a_tuple(x):
    d = grad(lambda q: product(q[0], q[1]))((x, x))
    return d[0] + 2.0 * d[1]


def in_a_list(x):
    xs = [x, x]
    return grad(product)(xs[0], xs[1])


def one_dict_twice(x):
    p = {"w": x}
    return grad(lambda p, q: product(p["w"], q["w"]))(p, p)["w"]


def along_one(x):
    return jvp(lambda a, b: a * b * b, (x, x), (x, None))[1]


def along_itself(x):
    return jvp(lambda a, b: a * b * b, (x, x), (x, x * x))[1]


def pulled_back(x):
    return vjp(lambda a, b: a * b * b, x, x, argnums=0)[1](x)


def through_a_checkpoint(x):
    return grad(product)(x, checkpoint(lambda q: q)(x))


def with_itself_around(x):
    return grad(lambda a: product(a, x))(x)


def of_a_number(x):
    s = np.sum(x)
    return grad(lambda a, b: a * b * b)(s, s) * x


def returned_twice(x):
    _, pull = vjp(lambda a: (a, a), x)
    return pull((x, x * x))[0]


def made_and_returned_twice(x):
    def f(a):
        b = a * a
        return {"u": b, "v": [b, b * a]}

    _, pull = vjp(f, x)
    return pull({"u": x, "v": [x * x, np.cos(x)]})[0]


def of_a_recursion(x):
    def power(a, b, n):
        return a if n == 0 else b * power(b, a, n - 1)

    return vjp(power, x, x, 2, argnums=0)[1](x)


F = [two_arguments, the_second, both, second_name, in_a_dict, in_a_tuple, in_a_list, one_dict_twice, along_one,
     along_itself, pulled_back, through_a_checkpoint, with_itself_around, of_a_number, returned_twice,
     made_and_returned_twice, of_a_recursion]  # fmt: skip


def jacobian(f, x, h=1e-4):
    """Column by column: by central differences of order four of what `f` gives called by Python."""
    return np.stack([(8 * (f(x + h * e) - f(x - h * e)) - (f(x + 2 * h * e) - f(x - 2 * h * e))) / (12 * h)
                     for e in np.eye(x.size)], axis=-1)  # fmt: skip


@pytest.mark.parametrize("f", F, ids=lambda f: f.__name__)
def test_in_every_mode(f):
    expected = jacobian(f, X)
    value, pull = vjp(f, X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    c = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(pull(c)[0], c @ expected, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(jvp(f, (X,), (c,))[1], expected @ c, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(grad(lambda x: np.sum(f(x) * c))(X), c @ expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("f", F, ids=lambda f: f.__name__)
def test_values_by_python_are_right(f):
    """So that the differences are of the right function: the derivative is of one argument, the other stays."""
    known = {two_arguments: X * X, the_second: 2 * X * X, along_one: X**3, pulled_back: X**3, returned_twice: X + X * X}
    if f in known:
        np.testing.assert_allclose(f(X), known[f], rtol=1e-14)
    assert f(X).shape == X.shape


def of_squares(x):
    return np.sum(grad(product)(x, x))


def test_ahead_of_time():
    namespace = {"__name__": "made"}
    exec(compile(compile_module(of_squares, signatures="f64[n]"), "<made>", "exec"), namespace)
    np.testing.assert_allclose(namespace["of_squares_grad"](X), 2 * X)
