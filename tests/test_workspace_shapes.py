"""Arrays whose shapes the shapes of the arguments do not tell: what one call has made may not fit the next."""

import numpy as np
import pytest

from adcompiler import grad

from .workspaces import call, follow

X, Y = np.array([0.5, -1.0, 1.5, 0.3, -0.2]), np.array([1.0, 0.7, 0.4, 0.9, 0.1])
ONE_TWO, TWO_ONE, TWO_TWO = np.array([1, 2]), np.array([2, 1]), np.array([2, 2])


def chain(z):
    e = np.exp(z)
    s = np.sin(e)
    return np.sum(s * e * z)


def counted(x):
    return chain(np.ones(np.sum(x > 0)) * x[1])


def counted_slice(x):
    return chain(x[: (x > 0).sum()])


def masked(x):
    return chain(x[x > 0])


def found(x):
    return chain(x[np.nonzero(x > 0)])


def element(x, i):
    return chain(np.ones(i[0]) * x[1])


def largest(x, i):
    return chain(np.ones(np.max(i)) * x[1])


def element_slice(x, i):
    return chain(x[: i[0]])


def number(x, n):
    return chain(np.ones((n, 5)) * x)


def number_slice(x, n):
    return chain(x[n:])


def number_step(x, n):
    return chain(x[::n])


def repeated(x, n):
    return chain(np.repeat(x, n))


def stacked(x, n):
    return chain(np.stack([x * i for i in range(n)]))


def either(x, n):
    return chain(x[:2] if n > 1 else x[:3])


def number_of_rows(x, n):
    rows = 2 if n > 1 else 3
    return chain(np.ones((rows, 5)) * x)


def windows(x):
    total = 0.0
    for i in range(len(x)):
        total = total + chain(x[: i + 1])
    return total


def shrinking(x):
    total = 0.0
    while len(x) > 1:
        x = x[1:] * x[:-1]
        total = total + chain(x)
    return total


def growing(x, n):
    y = x
    for _ in range(n):
        y = np.concatenate([y, x])
    return chain(y)


def varied(f):
    """Calls with arguments of one shape that ask for arrays of several."""
    if f.__code__.co_argcount == 1:
        return [call(X), call(Y), call(-Y[::-1] + 0.5), call(X)]
    if "i" in f.__code__.co_varnames[:2]:
        return [call(X, ONE_TWO), call(X, TWO_ONE), call(X, TWO_TWO), call(X, ONE_TWO)]
    return [call(X, 1), call(X, 2), call(Y, 3), call(X, 1)]


@pytest.mark.parametrize(
    "f",
    [
        counted, counted_slice, masked, found, element, largest, element_slice, number, number_slice, number_step,
        repeated, stacked, either, number_of_rows, windows, shrinking, growing,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_one_call_has_made_is_not_forced_on_the_next(f):
    follow(f, *varied(f))


def test_an_array_of_one_int_is_no_shape():
    def f(x, n):
        return chain(x[:n])

    follow(f, call(X, np.array(2)), call(X, np.array(3)), call(X, np.array(2)))


N = 2


def test_a_number_outside_is_no_shape(monkeypatch):
    def f(x):
        return chain(np.ones((N, 5)) * x)

    gradients = []
    for n in (2, 3, 2):
        monkeypatch.setitem(globals(), "N", n)
        results, gradient = follow(f, call(X), call(Y), call(X))
        gradients.append(gradient)
        for g in gradients:
            np.testing.assert_allclose(g(X)[1], results[0][1], rtol=1e-13)


def test_an_array_that_a_path_does_not_make_leaves_nothing_behind():
    def f(x, m):
        if m > 0:
            y = np.tanh(x)
            z = y * x
        else:
            y = x[1:]
            z = np.exp(y)
            z = z * y
        return np.sum(z * z) + np.sum(y)

    first = grad(f)

    def product(x, m):
        return np.sum(first(x, m) * np.cos(x))

    second, plain = grad(product), grad(product, reuse_buffers=False)
    for m in (1, -1, 1, -1):
        np.testing.assert_array_equal(second(X, m), plain(X, m))
