"""Loops that are unrolled read elements when their turn comes, as in Python: what is changed before is refused."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad
from tests.numerics import check

Z = np.array([0.39, -0.7])


def array_beside_numbers(z):
    for x, k in zip(z, (0.5, 2.0)):
        z[1] = x * k
    return np.sum(z * z)


def array_beside_arrays(z):
    for x, part in zip(z, (np.ones(2), z)):
        z[part > 0.35] = x
    return np.sum(z * z)


def counted_array(z):
    total = 0.0
    for i, (x, k) in enumerate(zip(z, [3.0, 2.0])):
        z *= k
        total = total + x * i
    return np.sum(z * z) + total


def list_of_numbers(z):
    xs = [z[0], z[1]]
    for x in xs:
        xs[1] = x * 3.0
    return xs[0] * xs[1]


def list_beside_numbers(z):
    xs = [z[0], z[1]]
    for x, k in zip(xs, (0.5, 2.0)):
        xs[1] = x * k
    return xs[0] * xs[1]


def items_of_a_dict(z):
    d = {"a": z[0], "b": z[1]}
    for _, v in d.items():
        d["b"] = v * 2.0
    return d["a"] * d["b"]


def list_from_its_end(z):
    xs = [z[0], z[1]]
    for x in reversed(xs):
        xs[0] = x * 2.0
    return xs[0] * xs[1]


def list_by_another_name(z):
    xs = [z[0], z[1]]
    ys = xs
    for x in xs:
        ys[1] = x * 3.0
    return xs[0] * xs[1]


REFUSED = [array_beside_numbers, array_beside_arrays, counted_array, list_of_numbers, list_beside_numbers,
           items_of_a_dict, list_from_its_end, list_by_another_name]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_is_changed_before_it_is_read_is_refused(f):
    with pytest.raises(UnsupportedError, match="loop around reads later|beside a tuple or a list, and changes it"):
        grad(f)(Z)


def current_elements(z):
    xs = [z[0], z[1], z[0] * z[1]]
    for i, x in enumerate(xs):
        xs[i] = x * 3.0
    return xs[0] * xs[1] * xs[2]


def current_items(z):
    d = {"a": z[0], "b": z[1]}
    for k, v in d.items():
        d[k] = v * 2.0
    for k in d:
        d[k] = d[k] ** 2
    for k in d.keys():
        d[k] *= 2.0
    return d["a"] * d["b"]


def by_indices(z):
    xs = [z[0], z[1]]
    for i in range(2):
        xs[i] = xs[1] * 2.0
    return xs[0] * xs[1]


def a_copy(z):
    xs = [z[0], z[1]]
    for i, x in enumerate(list(xs)):
        xs[1 - i] = x * 2.0
    return xs[0] * xs[1]


def rows(z):
    A = np.outer(z, z)
    total = 0.0
    for row, k in zip(A, (1.0, 2.0)):
        A[1] = row * k
        total = total + np.sum(row)
    return total + np.sum(A**2)


def made_anew(z):
    y, total = z * 1.0, 0.0
    for k, x in zip((1.0, 2.0), y):
        y = y * k
        total = total + x
    return total + np.sum(y)


@pytest.mark.parametrize("f", [current_elements, current_items, by_indices, a_copy, rows, made_anew],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_what_has_been_read_may_be_changed(f):
    check(f, Z)
