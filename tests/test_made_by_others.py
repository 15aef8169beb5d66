"""Functions that decorators and other functions make, which keep something for all calls: refused in words."""

import functools

import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError


def counting():
    calls = 0

    def counted(x):
        nonlocal calls
        calls += 1
        return x * x

    return counted


def test_a_nonlocal_of_a_function_outside_is_refused():
    with pytest.raises(UnsupportedError, match="the variable calls of a function outside is assigned") as caught:
        grad(counting())(2.0)
    assert len(caught.value.problems) == 1


@functools.singledispatch
def by_class(x):
    return x * x


@by_class.register
def _(x: float):
    return x * x * x


@pytest.mark.parametrize("f", [by_class, lambda x: by_class(x)])
def test_a_function_that_picks_by_class_is_refused(f):
    with pytest.raises(UnsupportedError, match="by_class is made by functools.singledispatch"):
        grad(f)(2.0)
    assert grad(by_class.dispatch(float))(2.0) == 12.0
