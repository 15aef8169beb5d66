"""Lists of ints and booleans as indices: elements that are named twice are stored, and added to, once."""

import numpy as np
import pytest

from .numerics import check

X = np.array([1.0, 2.0, 3.0, 4.0])
A = np.arange(12.0).reshape(3, 4) * 0.1
PLACES = [0, 2, 2]


def added(x, places):
    y = x * 1.0
    y[places] += x[:3]
    return np.sum(y**2)


def stored(x, places):
    y = x * 1.0
    y[places] = np.sin(y[places]) * x[:3]
    return np.sum(y**2)


def of_a_global(x, places):
    y = x * 1.0
    y[PLACES] *= x[:3]
    return np.sum(y * y)


def of_a_comprehension(x, places):
    halves = [i // 2 for i in range(3)]
    y = x * 1.0
    y[halves] = x[:3] ** 2
    return np.sum(y)


def of_a_list_that_grows(x, places):
    found = []
    for i in range(3):
        found.append(i - i % 2)
    y = x * 1.0
    y[found] += x[1:]
    return np.sum(y * y)


def of_each_of_a_list(x, places):
    y = np.zeros(4)
    for pair in [[2, 2], [0, 1]]:
        y[pair] += x[pair] ** 2
    return y @ x


@pytest.mark.parametrize("f", [added, stored, of_a_global, of_a_comprehension, of_a_list_that_grows, of_each_of_a_list])
def test_places_that_are_named_twice(f):
    check(f, X, [0, 2, 2], argnums=(0,))


def test_matrices():
    def f(M, rows):
        M = M.copy()
        M[rows, 0] = M[rows, 1] * M[rows, 2]
        M[1, rows] += M[0, rows]
        M[rows] += 2.0 * M[rows]
        M[rows, rows] *= M[0, 1]
        return np.sum(M**2)

    check(f, A, [0, 2, 2], argnums=(0,))


def test_masks_and_nothing():
    def f(x, mask):
        y = x * 1.0
        y[mask] *= x[0]
        return np.sum(y**2)

    check(f, X, [True, False, True, True], argnums=(0,))
    check(f, X, [], argnums=(0,))
