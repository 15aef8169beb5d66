"""What is an int on one path and a float on another: it is a float from there on, and so is all that is made of it."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, value_and_grad

from .numerics import check

W = np.array([0.6, 1.1, 1.6])


def full(w, c):
    n = 2 if c > 0 else c
    return np.sum(np.full(3, n) * w) + 0.5 * w[0]


def array_of_numbers(w, c):
    n = 2 if c > 0 else c
    return np.sum(np.array([n, n, n]) * w) + 0.5 * w[0]


def arrays(w, c):
    y = np.arange(3) if c > 0 else c * np.ones(3)
    return w @ y + np.dot(y, w) + 0.5 * w[0]


def lists(w, c):
    y = [1, 2, 3] if c > 0 else [c, c, c]
    return np.sum(np.array(y) * w) + 0.5 * w[0]


def counter(w, c):
    k = 0
    for _ in range(3):
        k = k + c if c < 0 else k + 1
    return np.sum(np.full(3, k) * w) + 0.5 * w[0]


def matrix(w, c):
    A = np.eye(3, dtype=int)
    if c < 0:
        A = A * c
    return np.sum(A @ w) + 0.5 * w[0]


def stores_beside(w, c):
    n = 2 if c > 0 else c
    v = w.copy()
    v[1:] += 0.25 * v[:-1]
    v[1:] *= 0.3
    return np.sum(v * np.full(3, n))


def reused(w, c):
    n = 2 if c > 0 else c
    v = np.tanh(w) * w
    return np.sum(np.full(3, n) * v) + 0.5 * np.sum(w[1:] * w[:-1]) + v[0] * 0.3


def largest(w, c):
    return np.sum(np.full(3, max(0, c)) * w) + np.sum(np.full(3, min(1, c)) * w) + 0.5 * w[0]


def made_a_float(w, c):
    n = 2 if c > 0 else c
    y = np.full(3, n) * 1.0
    y[0] += c
    return np.sum(y * w)


PROGRAMS = [full, array_of_numbers, arrays, lists, counter, matrix, stores_beside, reused, largest, made_a_float]


@pytest.mark.parametrize("c", [0.5, -0.5, 5.5])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_of_floats_on_both_paths(f, c):
    check(f, W, c, argnums=(0,))


def sum_of_some(w, n):
    k = 0
    for i in range(n):
        k += w[i]
    return np.sum(np.full(3, k) * w) + sum(v for v in w[:n]) + 0.5 * w[0]


def ints_then_floats(w, n):
    y = np.array([1, 0, 2])
    for _ in range(n):
        y = y * w
    return y @ w + 0.5 * w[0]


def zeros_of_ints(w, n):
    y = np.zeros_like(np.arange(3))
    for _ in range(n):
        y = y + w
    return np.sum(y * w) + w[1]


def single_then_double(w, n):
    y = np.zeros(3, np.float32)
    for _ in range(n):
        y = y + w
    return np.sum(w * y) + w[1]


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("f", [sum_of_some, ints_then_floats, zeros_of_ints, single_then_double])
def test_loops_carry_what_is_wider(f, n):
    check(f, W, n, argnums=(0,))
    assert grad(f)(W, n).dtype == np.float64


def powers(z, n):
    y = np.ones(3)
    for _ in range(n):
        y = y * z
    return np.real(y @ z + 0.5j * z[0])


def real_or_complex(z, c):
    x = z if c > 0 else np.broadcast_to(c, z.shape)
    return np.real(np.sum(x * 0.5) + np.sum(x * x * z))


@pytest.mark.parametrize(("f", "x"), [(powers, 0), (powers, 2), (real_or_complex, 0.5), (real_or_complex, -0.5)])
def test_real_numbers_become_complex(f, x):
    z = np.arange(1, 4.0) + 1j
    check(f, z, x, argnums=(0,))
    assert grad(f)(z, x).dtype == np.complex128


def stores_into_ints(w, c):
    y = np.arange(3)
    if c < 0:
        y = y * w
    z = y + y
    z[1] = c
    return np.sum(w * z)


def adds_to_ints(w, c):
    n = 1 if c > 0 else c * 0.5
    y = np.array([n, n, n])
    for i in range(2):
        y[i] += w[i]
    return np.sum(y * w)


def adds_in_place(w, c):
    y = np.full(3, max(1, c))
    y -= 1
    return np.sum(y * w)


@pytest.mark.parametrize("f", [stores_into_ints, adds_to_ints, adds_in_place])
def test_what_may_be_an_array_of_ints_is_not_changed_in_place(f):
    with pytest.raises(UnsupportedError, match="is an array of ints on one path and of floats on another"):
        value_and_grad(f)(W, 0.5)


def assigned_later(w, c):
    single = w.astype(np.float32)
    if c > 0:
        y = single * c
    if c > 1:
        y = w * w
    return np.sum(y * w)


def assigned_in_the_loop(w, c):
    if c > 0:
        y = w.astype(np.float32)
    for _ in range(len(w)):
        y = y * w
    return np.sum(y)


def in_a_list(w, c):
    if c > 0:
        y = [w.astype(np.float32), 1]
    if c > 1:
        y = [w, c]
    return np.sum(y[0] * w)


@pytest.mark.parametrize("f", [assigned_later, assigned_in_the_loop, in_a_list])
def test_what_may_be_missing_is_not_converted(f):
    with pytest.raises(UnsupportedError, match="y is (not )?assigned on (every|one) path"):
        grad(f)(W, 0.5)


def never_read(w, c):
    total = 0.0
    for k in range(3):
        if k > c:
            w = np.exp(w * 0.5)
            continue
        y = np.ones(3, np.float32) if k == 0 else w
        total += y[0]
    return total + np.sum(w * w)


@pytest.mark.parametrize("c", [-1.0, 0.5, 4.0])
def test_what_may_be_missing_and_is_not_read(c):
    check(never_read, W, c, argnums=(0,))
