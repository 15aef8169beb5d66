"""Calls that may raise what is caught, in a statement that has read what they change: Python reads first."""

import contextlib
import math

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError

from .checking import everywhere


class Doubling:
    def __init__(self, v):
        self.v = v
        self.w = v * 2.0

    def double(self, z):
        self.v = self.v * 2.0
        if z < 0:
            raise ValueError(z)
        return self.v

    def root(self, z):
        self.v = self.v * 2.0
        return math.sqrt(z)

    def __add__(self, z):
        self.v = self.v * 2.0
        if z < 0:
            raise ValueError
        return self.v


def product(a, b):
    return a * b


def times_its_double(x):
    b = Doubling(x[0])
    y = 0.0
    try:
        y = b.v * b.double(x[1])
    except ValueError:
        pass
    return y


def its_double_added(x):
    b = Doubling(x[0])
    try:
        b.v += b.double(x[1])
    except ValueError:
        pass
    return b.v


def times_its_operator(x):
    b = Doubling(x[0])
    y = 0.0
    try:
        y = b.v * (b + x[1])
    except ValueError:
        pass
    return y


def as_an_argument(x):
    b = Doubling(x[0])
    y = 0.0
    try:
        y = product(b.v, b.double(x[1]))
    except ValueError:
        pass
    return y


def an_element(x):
    a = x * 1.0
    y = 0.0

    def g(z):
        a[0] *= 2.0
        if z < 0:
            raise ValueError
        return a[0]

    try:
        y = a[0] * g(x[1])
    except ValueError:
        pass
    return y


def doubled_item(d, z):
    d["v"] = d["v"] * 2.0
    if z < 0:
        raise ValueError
    return d["v"]


def an_item(x):
    d = {"v": x[0]}
    y = 0.0
    try:
        y = d["v"] * doubled_item(d, x[1])
    except ValueError:
        pass
    return y


def a_variable_around(x):
    v = x[0]
    y = 0.0

    def risky(z):
        nonlocal v
        v = v * 2.0
        if z < 0:
            raise ValueError
        return v

    try:
        y = v * risky(x[1])
    except ValueError:
        pass
    return y


def times_its_root(x):
    b = Doubling(x[0])
    y = 0.0
    try:
        y = b.v * b.root(x[1])
    except ValueError:
        pass
    return y


def in_a_loop(x):
    b = Doubling(x[0])
    y = 0.0
    with contextlib.suppress(ValueError):
        for i in range(2):
            y += b.v * b.double(x[1])
    return y


def another_is_read(x):
    b = Doubling(x[0])
    y = 0.0
    try:
        y = y + b.w * b.double(x[1])
    except ValueError:
        pass
    return y + b.v


def read_by_the_call_itself(x):
    b = Doubling(x[0])
    y = 0.0
    try:
        b.v = b.double(b.v * x[1])
    except ValueError:
        pass
    return y + b.v


def read_after_the_call(x):
    b = Doubling(x[0])
    y = x[0]
    try:
        for i in range(3):
            y = y + b.double(x[1]) * b.v
    except ValueError:
        y = y * b.v
    return y + b.v


REFUSED = [times_its_double, its_double_added, times_its_operator, as_an_argument, an_element, an_item,
           a_variable_around, times_its_root, in_a_loop]  # fmt: skip
X = np.array([0.5, 1.0])


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_is_read_before_a_call_that_changes_it_and_may_raise_is_refused(f):
    with pytest.raises(UnsupportedError, match="is read before a call that changes it"):
        grad(f)(X)


@pytest.mark.parametrize("f", [another_is_read, read_by_the_call_itself, read_after_the_call], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [X, -X, 3.0 * X], ids=["", "raises", "larger"])
def test_what_is_read_before_a_call_that_leaves_it_alone(f, x):
    everywhere(f, x)
