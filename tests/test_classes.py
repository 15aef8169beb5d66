"""What classes have: inheritance, properties, operators, dataclasses, named tuples, slots; against differences."""

import dataclasses
import functools
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from adcompiler import grad
from tests.objects import check

X = np.array([1.0, 2.0, 3.0])

Pair = namedtuple("Pair", "a b", defaults=(2.0,))


class Triple(NamedTuple):
    a: float
    b: float = 3.0

    def norm(self):
        return self.a**2 + self.b**2

    @property
    def sum(self):
        return self.a + self.b

    def __add__(self, other):
        return Triple(self.a + other.a, self.b + other.b)

    def __call__(self, y, scale=1.0):
        return (self.a * y - self.b) * scale


@dataclass
class Run:
    x: object
    y: float = 2.0
    history: list = field(default_factory=list)
    k: int = 3

    def run(self, t):
        self.x = self.x * t
        self.history.append(self.y)
        return np.sum(self.x) * self.y


@dataclass(frozen=True)
class Fixed:
    x: object
    y: float = 2.0
    z: float = field(init=False)
    s: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, s):
        object.__setattr__(self, "z", self.y * s)

    def moved(self, t):
        return dataclasses.replace(self, y=self.y * t, s=1.5)

    def __mul__(self, other):
        return np.sum(self.x * other.x) if isinstance(other, Fixed) else Fixed(self.x * other, self.y)

    __rmul__ = __mul__

    def __neg__(self):
        return Fixed(-self.x, -self.y)


class Base:
    scale = 2.0

    def __init__(self, w):
        self.w = w
        self._c = 1.5
        self.__hidden = w * 3

    def f(self, x):
        return self.w * x * self.scale + self.__hidden

    @property
    def c(self):
        return self._c * self.w

    @c.setter
    def c(self, v):
        self._c = v

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def make(cls, w):
        return cls(w * cls.scale)

    def __call__(self, x):
        return self.f(x) + 1

    def __getitem__(self, i):
        return self.w * i

    def __setitem__(self, i, v):
        self.w = self.w + i * v

    def __len__(self):
        return 3

    def __eq__(self, other):
        return isinstance(other, Base) and self.scale == other.scale

    def __lt__(self, other):
        return self.w < other.w


class Derived(Base):
    scale = 3.0

    def __init__(self, w, u):
        super().__init__(w)
        self.u = u
        self.__hidden = w * u

    def f(self, x):
        return super().f(x) * self.u + self.__hidden

    @functools.cached_property
    def cached(self):
        return self.w * self.u

    @classmethod
    def make(cls, w):
        return super().make(w) if False else cls(w, w)


def named_tuples(p, q, y):
    a, b = p
    r = p._replace(a=a * y)
    for _ in range(3):
        q = Triple(q.a * y, q.b + 1) + q
    if y > 1:
        q = Triple(q.a * y)
    return r.a * b + r._asdict()["b"] * r[0] + Pair(y).b * y + q.norm() * q.sum + (p == (a, b)) * y


def dataclasses_of_the_caller(d, y):
    return d.run(y) + d.run(y) * d.k


def dataclasses_made_inside(x, y):
    d, e = Run(x, y), Run(x=x * 2, y=y)
    e.history.append(y * y)
    same = d == Run(x, y, []) if False else e.k == d.k
    return d.run(y) + e.run(y) + sum(e.history) + len(d.history) * same


def frozen_dataclasses(f, y):
    g = f
    for _ in range(3):
        g = g.moved(y) * 2.0
    return (g * (-g)) + g.z + np.sum((2.0 * f).x) + g.moved(y).z


def everything_a_class_has(d, y):
    d.c = d.c * y
    d[2] = y
    d[1] += y
    return d(y) + d.c * d.square(d.u) + d[2] * len(d) + Base.make(y).w + type(d)(y, y).w + d.cached * d.cached


def asked_about(x, y):
    d, b = Derived(x, y), Base(x)
    t = 0.0
    for m in [d, b]:
        t = t + m.f(y) + m(y)
    if isinstance(d, Base) and d != b and not callable(Run(x)) and callable(d):
        t = t * 2
    if hasattr(d, "u") and not hasattr(d, "nothing"):
        t = t + getattr(d, "u") * getattr(d, "nothing", 2.0)
    setattr(d, "u", y * 3)
    if b < d or d.w > 100:
        t = t * 7
    return t * d.u * (d == Derived(1.0, 2.0)) + Derived.make(x).u


class Counted:
    """What the class has for objects that have not set it."""

    n = 0.5
    buffer = np.ones(2)

    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def cached(self):
        return self.x * 2


def set_by_some_iterations_and_paths(o, y, k):
    for i in range(k):
        if i > 1:
            o.n = o.n * 2
        else:
            o.n += y
        o.buffer = o.buffer * y
    if y > 1:
        o.x = o.n * o.x
    p = Counted(y)
    if y < 1:
        p.n = o.x
    t = o.cached
    for _ in range(3):
        o.x = o.x * y
        t += o.cached
    return t * o.x + np.sum(o.buffer) * o.n + p.n * p.x


@pytest.mark.parametrize("k", [0, 3])
@pytest.mark.parametrize("y", [0.9, 1.2])
def test_what_a_class_has_for_its_objects(k, y):
    check(set_by_some_iterations_and_paths, Counted(0.7), y, k, modes=False)


class Stack:
    """Lists of arrays and of objects, and how many there are."""

    def __init__(self, n=3):
        rng = np.random.default_rng(3)
        self.weights = [rng.normal(size=(2, 2)) for _ in range(n)]
        self.layers = [Run(rng.normal(size=2)) for _ in range(n)]
        self.pairs = [(1.0, rng.normal(size=2)), (2.0, rng.normal(size=2))]
        self.seen = [1.0, 2.0]
        self.n = n


def lists_of_an_argument(o, y):
    for i in range(len(o.weights)):
        o.weights[i] = o.weights[i] * y
        o.weights[i] -= 0.1 * o.weights[0]
        o.weights[i][0, 0] = y
        o.seen.append(y * i)
    o.pairs[0] = (y, o.pairs[1][1] * y)
    return sum(np.sum(w**2) for w in o.weights) + sum(o.seen) * o.seen[-1] + o.pairs[0][0] * np.sum(o.pairs[0][1])


def layers_by_index(o, y):
    h = np.ones(2) * y
    for i in range(o.n):
        h = np.tanh(h * o.layers[i].x)
    for i in range(len(o.layers) - 1, -1, -1):
        h = h + o.layers[i].x
    for w in o.weights:
        h = w @ h
    o.n += 1
    return np.sum(h) * o.n


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lists_of_an_argument, (Stack(), 1.3)),
        (layers_by_index, (Stack(), 1.3)),
        (named_tuples, (Pair(1.5, 2.5), Triple(1.2, 0.4), 1.3)),
        (dataclasses_of_the_caller, (Run(X.copy()), 1.3)),
        (dataclasses_made_inside, (X.copy(), 1.3)),
        (frozen_dataclasses, (Fixed(X.copy()), 1.1)),
        (everything_a_class_has, (Derived(1.2, 1.4), 1.3)),
        (asked_about, (1.2, 1.3)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_classes_have(f, args):
    check(f, *args)




class Model:
    rate = 0.4

    def __init__(self, v):
        self.v = v


class Other:
    def __init__(self, v):
        self.v = v
        self.rate = v


class Net(Model):
    def __init__(self, v):
        super().__init__(v * 2.0)


net = Other(7.0)


def named_as_a_class(o, model):
    return o.rate * model.rate * o.v


def beside_a_global(x, other):
    n = Net(x)
    return n.rate * net.v * net.rate * n.v * other


def inside_a_closure(n):
    model = Other(3.0)

    def f(x):
        return Model(x).rate * model.v * x * n

    return f


def test_names_that_classes_have_in_lower_case_mean_what_they_mean(monkeypatch):
    check(named_as_a_class, Model(2.0), Other(5.0))
    check(beside_a_global, 2.0, 3.0)
    check(inside_a_closure(2.0), 1.5)
    gradient = grad(beside_a_global)
    assert gradient(2.0, 1.0) == pytest.approx(0.4 * 49.0 * 2.0)
    monkeypatch.setitem(globals(), "net", Other(1.0))
    assert gradient(2.0, 1.0) == pytest.approx(0.4 * 2.0)
    monkeypatch.setattr(Model, "rate", 0.5)
    assert gradient(2.0, 1.0) == pytest.approx(0.5 * 2.0)


def called_tuples(q, y):
    fns = {"q": q, "other": Triple(y * 2.0)}
    return q(y) * sum(f(q.a, scale=y) for f in fns.values()) + fns["other"](q.b)


def test_named_tuples_that_are_called():
    check(called_tuples, Triple(1.5, 0.7), 2.0)
