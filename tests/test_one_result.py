"""Functions that give a tuple or a list of arrays, where it holds one array; and one array that is passed twice."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, check_grad, compile_module, grad, jvp, value_and_grad, vjp

X = np.array([0.7, 0.3, 1.2, 0.4, 1.1])


def last_above(x):
    k = np.where(x > 0.5)[0][-1]
    return k * x[k] ** 2


def pairs(x):
    i = np.nonzero(x > 0.5)[0]
    return np.sum(x[i[::-1]] * x[i] * np.array([1.0, 2.0, 3.0]))


def phase(x):
    (i,) = x.nonzero()
    return np.sum(np.sin(i * x))


def crossing(x):
    i = np.where(np.diff(np.sign(x - 0.5)))[0][0]
    return i + (0.5 - x[i]) / (x[i + 1] - x[i])


def mean_above(x):
    i = np.where(x > 0.5)[0]
    s = 0.0
    for k in i:
        s = s + k * x[k]
    return np.sum(x[i]) / len(i) + i.size * x[0] + s + np.sum(np.diff(i) * x[i[1:]])


def greatest(x):
    (k,) = np.unravel_index(np.argmax(x), x.shape)
    return k * x[k]


def places(x):
    (i,) = np.ix_(x > 0.5)
    (j,) = np.ix_([0, 2])
    k = np.diag_indices(5, 1)[0]
    n = np.array([1, 0])
    (m,) = np.unravel_index(n, x.shape)
    m[0] = 4
    return np.sum(x[i] * i) + np.sum(x[j] ** 3) + np.sum(x[n] ** 2 * x[m]) + np.sum(k * x * x)


def whole(x):
    (p,) = np.split(x * x, 1)
    (q,) = np.broadcast_arrays(p * 1.0)
    (g,) = np.meshgrid(x)
    p[0] = x[1]
    s = np.sum(p * p) + np.sum(q * g)
    for part in np.array_split(x, 1):
        s = s + np.sum(part**3)
    for part in np.hsplit(x, 1):
        s = s + np.sum(part**2)
    return s


def written(x):
    y = x * x
    (v,) = np.split(y, [])
    v[1:] *= x[1:]
    return np.sum(y * np.arange(5.0))


ONE = [last_above, pairs, phase, crossing, mean_above, greatest, places, whole, written]


@pytest.mark.parametrize("f", ONE, ids=lambda f: f.__name__)
def test_the_only_result_is_a_part(f):
    value, gradient = value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    check_grad(f, X)
    t = np.linspace(1.0, 2.0, 5)
    assert jvp(f, (X,), (t,))[1] == pytest.approx(gradient @ t, rel=1e-12)
    names = {"__name__": "module"}
    exec(compile_module(f, signatures="f64[n]"), names)
    np.testing.assert_array_equal(names[f"{f.__name__}_grad"](X), gradient)


# ------------------------------------------------------------------------------- one array, passed twice
def in_a_loop(x):
    s = 0.0
    for _ in range(2):
        s += np.sum(np.convolve(x, x))
        x = 0.5 * x
    return s


def in_a_branch(x):
    if x[0] > 0:
        x = 2.0 * x
        return np.sum(np.correlate(x, x, "full") * np.arange(9.0))
    return 0.0


def polynomial_of_itself(x):
    if x[0] > 0:
        p = 2.0 * x
        return np.sum(np.polyval(p, p))
    return 0.0


def least_squares_of_itself(x):
    if x[0] > 0:
        B = np.outer(x[:2], x[:2]) + np.eye(2)
        return np.sum(np.sin(np.linalg.lstsq(B, B, rcond=None)[0])) + np.sum(B * B)
    return 0.0


def outer_and_kron(x):
    for _ in range(2):
        x = 0.5 * x + np.outer(x, x)[0] + np.kron(x, x)[:5]
    return np.sum(x * x)


TWICE = [in_a_loop, in_a_branch, polynomial_of_itself, least_squares_of_itself, outer_and_kron]


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_an_array_that_is_wanted_for_its_shape_and_for_its_values(f):
    check_grad(f, X)
    for lazy in (False, True):
        x = X.copy()
        _, pullback = vjp(f, x, lazy=lazy)
        x[:] = 0.0
        (d,) = pullback(1.0)
        np.testing.assert_allclose(d() if lazy else d, grad(f)(X), rtol=1e-12)


def test_what_gives_one_result_in_a_tuple_has_to_be_known():
    from rules import primitive, rule

    @primitive
    def alone(x):
        return (x * 2.0,)

    @rule("y = alone(x)", alone)
    class _:
        def kind(x): return (x,)
        def d_x(d_y): return d_y[0] * 2.0

    with pytest.raises(UnsupportedError, match="one result in a tuple"):
        grad(lambda x: np.sum(alone(x)[0]))(X)
