"""What is not there when a function is compiled, and comes later: attributes, and globals called like builtins."""

import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest

from adcompiler import grad

X = np.array([0.7, 1.3])
CONFIG, SPACE = types.ModuleType("config"), SimpleNamespace()


class K:
    pass


class Base:
    pass


class Other:
    pass


class Derived(Base):
    pass


ONE, TWO, DERIVED = K(), K(), Derived()


def default(x):
    return x[0] * getattr(CONFIG, "b", 3.0)


def of_an_object(x):
    return x[0] * (2.0 if hasattr(ONE, "a") else 3.0)


def caught(x):
    try:
        t = SPACE.q
    except AttributeError:
        t = 3.0
    return x[0] * t


def of_a_class(x):
    return x[0] * (2.0 if hasattr(K, "z") else 3.0)


def equal(x):
    return x[0] * (2.0 if ONE == TWO else 3.0)


def of_class(x):
    return x[0] * (2.0 if isinstance(DERIVED, Base) else 3.0)


@pytest.mark.parametrize(("f", "owner", "name", "value"), [
    (default, CONFIG, "b", 5.0), (of_an_object, K, "a", 1), (of_an_object, ONE, "a", 1), (caught, SPACE, "q", 7.0),
    (of_a_class, K, "z", 1), (equal, K, "__eq__", lambda self, other: True),
])  # fmt: skip
def test_attributes_that_come_and_go(f, owner, name, value):
    g = grad(f)
    before = f(X)
    for _ in range(2):
        assert g(X)[0] * X[0] == pytest.approx(f(X)) == pytest.approx(before)
        setattr(owner, name, value)
        assert g(X)[0] * X[0] == pytest.approx(f(X)) != pytest.approx(before)
        delattr(owner, name)


def test_other_bases():
    g = grad(of_class)
    assert g(X)[0] == 2.0
    Derived.__bases__ = (Other,)
    try:
        assert g(X)[0] == 3.0 == pytest.approx(of_class(X) / X[0])
    finally:
        Derived.__bases__ = (Base,)
    assert g(X)[0] == 2.0


def total(A):
    return np.max(sum(A) ** 2)


def test_a_global_called_like_a_builtin():
    A = np.array([[1.0, 2.0], [3.0, 4.0]])
    module = sys.modules[__name__]
    g = grad(total)
    for _ in range(2):
        assert g(A).tolist() == [[0.0, 12.0], [0.0, 12.0]]
        module.sum = np.sum
        try:
            assert g(A).tolist() == [[20.0, 20.0], [20.0, 20.0]]
        finally:
            del module.sum


READ = []


class Rated:
    @property
    def rate(self):
        READ.append(1)
        return 2.0


RATED = Rated()


def test_no_property_is_run_to_see_whether_it_is_there():
    g = grad(lambda x: x[0] * (3.0 if hasattr(RATED, "rate") else 1.0))
    assert g(X)[0] == 3.0
    before = len(READ)
    assert g(X)[0] == 3.0 and len(READ) == before
    rate = Rated.rate
    del Rated.rate
    try:
        assert g(X)[0] == 1.0
    finally:
        Rated.rate = rate
    assert g(X)[0] == 3.0
