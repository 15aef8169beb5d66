"""Objects: made inside and passed in, stored to by methods, with what their classes define; what is refused of them."""

import functools
from collections import namedtuple
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad
from tests.objects import check

from .checking import everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
Pair = namedtuple("Pair", "a b", defaults=(2.0,))


@dataclass(frozen=True)
class Fixed:
    x: object
    k: float = 0.5


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Base:
    scale = 2.0

    def __init__(self, x):
        self.x = x

    def scaled(self, y):
        return self.x * y * self.scale

    def step(self, y):
        self.x = np.sin(self.x) * y
        return self

    @property
    def total(self):
        return np.sum(self.x)

    @functools.cached_property
    def squares(self):
        return self.x**2

    @staticmethod
    def twice(x):
        return 2 * x

    @classmethod
    def of(cls, x):
        return cls(x)

    def __add__(self, other):
        return type(self)(self.x + other.x)

    def __call__(self, y):
        return self.scaled(y) + 1

    def __getitem__(self, i):
        return self.x[i]

    def __len__(self):
        return len(self.x)


class Derived(Base):
    scale = 3.0

    def scaled(self, y):
        return super().scaled(y) + self.x


def made(x):
    p, q, s, n = Pair(x[0]), Fixed(x * 2), Slotted(x), SimpleNamespace(x=x, other=None)
    q = replace(q, k=x[1])
    n.other = {"s": [s, Base(x * 3)]}
    s.x = s.x * p.b
    return np.sum(n.other["s"][0].x * q.x) * q.k * p._replace(b=x[2]).b + n.other["s"][1].total


def stored(x, n):
    b, c = Base(x), Base(x * 2)
    a = b
    for i in range(n):
        a.step(1.5)
        if i > 0:
            c.x = c.x + b.x
        c = Base(c.x * 0.5)
    return b.total * c.total


def defined(x):
    d = Derived.of(x) + Base(x * x)
    t = d(x) * len(d) + d[1] * Base.twice(x) + d.squares
    if isinstance(d, Base) and hasattr(d, "x") and not hasattr(d, "y"):
        setattr(d, "x", getattr(d, "x") * x)
    return np.sum(t) * d.total


def by_parts(model, x):
    model.step(2.0)
    return np.sum(model.scaled(x))


class Single:
    def __new__(cls):
        return object.__new__(cls)


class Magic:
    def __getattr__(self, name):
        return 2.0


def test_objects_of_classes():
    everywhere(made, X)


@pytest.mark.parametrize("n", [0, 3])
def test_attributes_that_methods_store(n):
    everywhere(stored, X, n)


def test_what_classes_define():
    everywhere(defined, X)


def test_gradients_by_parts_of_objects():
    check(by_parts, Derived(X.copy()), X)
    d = grad(by_parts, "model.x")(Derived(X), X)
    np.testing.assert_allclose(d, (3 * X + 1) * 2 * np.cos(X))


@pytest.mark.parametrize("f", [lambda x: np.sum(x) * (Single() is None), lambda x: np.sum(x) * Magic().k,
                               lambda x: sum(v for v in Base(x)), lambda x: vars(Base(x))["x"][0]])  # fmt: skip
def test_classes_that_are_refused(f):
    with pytest.raises(UnsupportedError):
        grad(f)(X)
