"""Functions and methods that write into an argument: out=, where=, copyto, fill, sort, add.at; against differences."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, value_and_grad, vjp
from tests.numerics import check

X = np.array([1.5, 2.0, 3.0, 4.0])
A = np.outer(X, np.cos(X[:3])) + 0.3


def by_keyword_by_position_and_in_a_tuple(x):
    y = np.empty(4)
    np.multiply(x, x, out=y)
    np.add(y, x, y)
    np.exp(y * 0.1, out=(y,))
    return np.sum(y * x)


def the_result_is_the_array(x):
    y = x * 2
    r = np.add(y, x, out=y)
    r[0] = 7.0
    return np.sum(y * y)


def where_with_out(x):
    y = np.zeros(4)
    np.divide(x, x - 1.0, out=y, where=x > 1.7)
    np.negative(y, out=y, where=np.array([True, False, True, False]))
    return np.sum(y * y * x)


def dot_in_a_loop(A):
    C = np.zeros((4, 4))
    t = 0.0
    for i in range(3):
        np.dot(A, A.T, out=C)
        t += np.sum(C * C) * i
        C *= 0.5
    return t + np.sum(C)


def reductions(A):
    B = A.copy()
    s = np.zeros(3)
    np.sum(B, axis=0, out=s)
    np.cumsum(s, out=s)
    np.maximum(B, 0.2, out=B)
    B.mean(axis=0, out=s)
    return np.sum(B * B) + np.sum(s * s)


def into_views(x):
    y = x * 1.0
    np.add(y[1:], y[:-1], out=y[1:])
    z = np.zeros((2, 2))
    np.multiply(y.reshape(2, 2), 2.0, out=z.T)
    f = z.reshape(-1)
    np.add(f, x, out=f)
    return np.sum(z @ z) + np.sum(y * y)


def nested(x):
    a = x * 1
    b = a
    c = np.add(np.multiply(a, 2.0, out=a), a, out=b)
    return np.sum(a * b * c)


def methods(x):
    y = x[::-1] * np.array([1.0, -1, 2, -2])
    z = y
    z.sort()
    y[1:].fill(2.0 * x[0])
    y.clip(1.6, 3.5, out=y)
    s = np.zeros((2, 4))
    np.clip(x[:1], 0.0, 9.0, out=s)
    (x[1:2] * x[2]).clip(0.0, 99.0, out=s[0])
    B = np.outer(z, x)
    B.sort(axis=0)
    w = np.outer(x, [3.0, 1.0, 2.0])
    part = w[1]
    w.partition(1, axis=1)
    return np.sum(z * x) + np.sum(B * B * x) + np.sum(s * s * x) + np.sum(part * [1.0, 2.0, 4.0]) * w[3, 1]


def copies_and_masks(x):
    y = np.zeros(4)
    np.copyto(y, x * x)
    np.copyto(y, 3.0, where=x > 3.5)
    z = np.zeros((3, 3))
    np.fill_diagonal(z, x[1])
    np.putmask(z, z < 1.0, x[0])
    np.place(y, y > 8.5, x[2])
    return np.sum(z @ z) + np.sum(y * x)


def masks_with_values(x):
    y = x * 1
    np.putmask(y, x > 1.9, x[:2] ** 2)
    np.place(y, x > 3.5, y[::-1])
    np.place(arr=y, mask=[1, 0, 0, 1], vals=[x[2], x[1]])
    B = np.outer(x, x)
    np.putmask(B, np.array([1, 0, 2, 0]) * B, x)
    np.place(B.T, (B > 4.1).ravel(), x[1:])
    for k in range(2):
        np.putmask(B, B > 7.3 + k, B[k])
    return np.sum(y * y * x) + np.sum(B @ B)


def accumulated_at(x):
    z = np.zeros(5)
    v = z[1:]
    np.add.at(z, np.array([0, 1, 1, 4]), x * x)
    np.subtract.at(v, [0, 0], x[1:3])
    np.add.at(z, (np.array([2]),), x[0])
    return np.sum(z * z) + v[0]


ONE = [by_keyword_by_position_and_in_a_tuple, the_result_is_the_array, where_with_out, into_views, nested, methods,
       copies_and_masks, masks_with_values, accumulated_at]  # fmt: skip
PROGRAMS = [(f, X) for f in ONE] + [(f, A) for f in (dot_in_a_loop, reductions)]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradient(f, x):
    check(f, x)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_pullback_is_called_twice(f, x):
    _, pull = vjp(f, x.copy())
    np.testing.assert_array_equal(pull(2.0)[0], -2.0 * pull(-1.0)[0])


def cast(x):
    z = np.zeros(4, dtype=complex)
    np.exp(1j * x, out=z)
    w = np.zeros(4, dtype=np.float32)
    np.add(x, x, out=w)
    return np.sum(z.real) + np.sum(w)


def test_what_is_written_is_cast():
    np.testing.assert_allclose(grad(cast)(X), 2.0 - np.sin(X), rtol=1e-6)


def quotients(x):
    y = np.zeros(4)
    np.divide(x, x - 2.0, out=y, where=x != 2.0)
    return np.sum(y)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_where_leaves_out_has_no_cotangent():
    value, d = value_and_grad(quotients)(X)
    assert value == quotients(X)
    np.testing.assert_allclose(d, [-8.0, 0.0, -2.0, -0.5])


def test_an_array_is_written_where_the_product_is_made():
    """No zeros, no copy: what np.dot gives is C."""
    from adcompiler import differentiable

    def energy(A, B):
        C = np.zeros((A.shape[0], B.shape[1]))
        np.dot(A, B, out=C)
        return np.sum(C * C)

    text = differentiable(energy).source(signature="f64[n,k], f64[k,m]")
    assert "C = np.dot(A, B)" in text
    assert "zeros" not in text


def read_in_the_same_expression(x):
    y = x * 1.0
    return np.sum(y * np.add(y, 1.0, out=y))


def into_ints(x):
    y = np.zeros(4, dtype=int)
    np.add(x, x, out=y)
    return np.sum(y * x)


def of_another_rank(x):
    y = np.zeros(4)
    np.add(np.outer(x, x), x, out=y)
    return np.sum(y)


def into_a_number(x):
    s = x[0] * 1.0
    np.add(x[1], 1.0, out=s)
    return s


def of_no_such_argument(x):
    y = x * 1.0
    np.place(y, x > 1.0, values=x)
    return np.sum(y)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (of_no_such_argument, "this raises TypeError: got an unexpected keyword argument 'values'|missing"),
        (read_in_the_same_expression, "y may share memory with what this expression has read before"),
        (into_ints, "float64 does not fit into an array of int64 in place"),
        (of_another_rank, "does not fit in place"),
        (into_a_number, "and not an array"),
    ],
)
def test_refused(f, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(X)
