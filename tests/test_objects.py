"""Objects with several names, in loops and branches, in one another; what they are asked; what is refused of them."""

import copy
import dataclasses
import functools
from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from adcompiler import GradientError, UnsupportedError, differentiable, grad, jvp, value_and_grad, vjp
from tests.objects import check, tree

X = np.array([1.0, 2.0, 3.0])


class C:
    """Something with an attribute, and methods that change it."""

    k = 3.0
    table = {"k": 1.0}
    buffer = np.zeros(3)
    items = []

    def __init__(self, x):
        self.x = x

    def grown(self, y):
        self.x = self.x * y
        return self

    def put(self, i, v):
        self.x[i] = v


# --------------------------------------------------------------------------------- several names of one object
def two_names(o, y):
    p = o
    p.x = o.x * y
    o.x = p.x + 1
    return np.sum(p.x * o.x) * o.k


def methods_that_return_self(o, y):
    return np.sum(o.grown(y).grown(y).x * o.x)


def by_a_helper(o, y):
    def change(q):
        if y > 1:
            q.x = q.x * y
            return q
        q.x = q.x + y
        return q

    p = change(o)
    return np.sum(p.x * o.x) if p is o else 0.0


def by_a_closure(o, y):
    f = lambda z: np.sum(o.x * z)
    o.x = o.x * y
    return f(y)


def in_two_slots(o, y):
    both = [o, C(o.x * 2), o]
    for p in both:
        p.grown(y)
    return np.sum(o.x) + np.sum(both[1].x * both[2].x)


def attributes_exchanged(o, y):
    o.y = o.x * y
    o.x, o.y = o.y, o.x
    z, o.x = o.x, o.x * 2
    return np.sum(o.x**3) + np.sum(o.y * z)


def an_array_with_two_attributes(o, y):
    o.a = o.x * 1.0
    o.b = o.a
    o.v = o.a[1:]
    o.a[0] = y
    o.v[0] = y * y
    return np.sum(o.b * o.x) + np.sum(o.v**3)


def copies(o, y):
    p, q = copy.copy(o), copy.deepcopy(o)
    p.x = p.x * y
    q.x[0] = y
    o.x[1] = y * y
    return np.sum(o.x**2) + np.sum(p.x * 2) + np.sum(q.x * 3)


def shallow_copy_shares_its_array(o, y):
    p = copy.copy(o)
    o.x[0] = y
    return np.sum(p.x**2)


def namespaces(o, y):
    m = SimpleNamespace(q=o.x, r=o)
    m.r.x = m.r.x + 1
    return np.sum(m.q * o.x) * y


# -------------------------------------------------------------------------------------------- paths that meet
def stored_in_a_branch(o, y):
    p = o
    if y > 1:
        p.grown(y)
        o.z = o.x * 2
    else:
        o.z = o.x + y
    return np.sum(o.x * o.z)


def made_in_branches(o, y):
    if y > 1:
        p = C(o.x)
    else:
        p = C(o.x * 2)
    p.x = p.x * y
    return np.sum(p.x) * y + np.sum(o.x)


def chosen_and_read(o, y):
    a, b = C(o.x), C(o.x * 2)
    p = a if y > 1 else b
    t = np.sum(p.x)
    a.x = a.x * y
    return t + np.sum(a.x) + np.sum(b.x)


def made_where_the_other_path_raises(o, y):
    if y > 100:
        raise ValueError("too large")
    else:
        q = C(o.x * y)
    return np.sum(q.x) * y


def best_of_candidates(o, y):
    best = None
    for k in (1.0, 2.0, 3.0):
        c = C(o.x * k * y)
        if best is None or np.sum(c.x) > np.sum(best.x):
            best = c
    return np.sum(best.x)


# ------------------------------------------------------------------------------------------------------ loops
def stored_in_a_loop(o, y):
    t, i = 0.0, 0
    for k in range(3):
        o.x = np.sin(o.x) * y + k
        t = t + np.sum(o.x)
    while i < 2:
        o.grown(y)
        i += 1
    return t + np.sum(o.x**2)


def elements_stored_in_a_loop(o, y):
    for i in range(3):
        o.x[i] = o.x[i - 1] * y
        o.put(i, o.x[i] + o.x[i - 2])
    return np.sum(o.x * o.x)


def left_early(o, y):
    for i in range(10):
        o.x = o.x * y
        if i == 1:
            continue
        if np.sum(o.x) > 12:
            o.x = o.x * 2
            break
    while True:
        o.x = o.x + y
        if np.sum(o.x) > 30:
            return np.sum(o.x) * y


def made_anew(o, y, n):
    state = C(o.x)
    for _ in range(n):
        state = C(state.x * y + 1)
        state.x = state.x * 2
    return np.sum(state.x) + np.sum(o.x)


def made_anew_with_buffers(o, y, n):
    state = C(np.zeros(4) + y)
    for i in range(n):
        new = C(state.x.copy())
        new.x[i] = y * i + np.sum(o.x)
        state = new
    return np.sum(state.x**2)


def accepted_or_not(o, y):
    state = C(o.x)
    for _ in range(4):
        new = C(state.x * y)
        if np.sum(new.x) < 10:
            state = new
    return np.sum(state.x)


def best_so_far(o, y):
    state = C(o.x)
    best = state
    for _ in range(4):
        state = C(state.x * y)
        if np.sum(state.x) < 10:
            best = state
    return np.sum(state.x) + np.sum(best.x)


def exchanged(o, y):
    a, b = C(o.x), C(o.x * 2)
    for _ in range(3):
        a.x = a.x * y
        a, b = b, a
    return np.sum(a.x * y) + np.sum(b.x * y**2)


def objects_in_objects(o, y):
    inner = C(o.x)
    s, t = C(inner), C(C(o.x * 3))
    for i in range(4):
        s = C(s.x)
        s.x.x = s.x.x * y
        t = C(C(t.x.x * y + i))
        t.x.x = t.x.x + 1
    return np.sum(s.x.x) + np.sum(inner.x) + np.sum(t.x.x)


def first_assigned_in_a_loop(o, y):
    for i in range(3):
        q = C(o.x * i)
        q.x = q.x * y
        p = o
        p.x = p.x + y
        o.last = q.x
    p.x = p.x * 2
    return np.sum(q.x) + np.sum(o.x) + np.sum(o.last)


def lists_and_dicts_of_objects(o, y):
    d = {"a": C(o.x), "b": C(o.x * 2)}
    ps = [C(o.x), C(o.x * 2)]
    for i in range(3):
        ps = [ps[1], ps[0]]
        ps[0].x = ps[0].x * y
        for p in ps:
            p.x = p.x + i
        d["a"].x = d["b"].x * y
        d["b"] = C(d["a"].x + 1)
    ps = [C(p.x * y) for p in ps]
    return np.sum(d["a"].x) + 2 * np.sum(d["b"].x) + np.sum(ps[0].x) + 3 * np.sum(ps[1].x)


def containers_in_objects(o, y):
    o.d = {"a": o.x, "b": y}
    o.list = []

    def add(v):
        o.list.append(v)

    for i in range(4):
        o.d["a"] = o.d["a"] * o.d["b"]
        add(y * i)
    p = C(o.d)
    p.x["b"] += 2.0
    return np.sum(o.d["a"]) * o.d["b"] + np.sum(np.array(o.list))


def loop_variable_is_an_attribute(o, y):
    for o.k in range(3):
        o.x = o.x + o.k * y
    return np.sum(o.x) * o.k


SHARED = [
    two_names, methods_that_return_self, by_a_helper, by_a_closure, in_two_slots, attributes_exchanged,
    an_array_with_two_attributes, copies, shallow_copy_shares_its_array, namespaces, stored_in_a_branch,
    made_in_branches, chosen_and_read, made_where_the_other_path_raises, best_of_candidates, stored_in_a_loop,
    elements_stored_in_a_loop, left_early, accepted_or_not, best_so_far, exchanged, objects_in_objects,
    first_assigned_in_a_loop, lists_and_dicts_of_objects, containers_in_objects, loop_variable_is_an_attribute,
]  # fmt: skip


@pytest.mark.parametrize("y", [1.3, 0.9])
@pytest.mark.parametrize("f", SHARED, ids=lambda f: f.__name__)
def test_objects_with_several_names(f, y):
    if not (f is left_early and y < 1):
        check(f, C(X.copy()), y, modes=y > 1)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("f", [made_anew, made_anew_with_buffers], ids=lambda f: f.__name__)
def test_loops_of_any_length(f, n):
    check(f, C(X.copy()), 1.3, n)


# ------------------------------------------------------------------------------------------------- of classes
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


@pytest.mark.parametrize(
    ("f", "args"),
    [
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


# --------------------------------------------------------------------------------------- gradients of objects
class Net:
    def __init__(self, w, n=2):
        self.w, self.n = w, n
        self.inner = Run(np.ones(2), 0.5)
        self.layers = [C(w * 2), C(w * 3)]
        self.twice = self.doubled
        self.line = lambda x: self.w * x

    def doubled(self, x):
        return 2 * self.w * x

    @differentiable(argnums="self.w")
    def loss(self, x):
        self.w = self.w * 2
        return np.sum(self.w * x * self.inner.y) * np.sum(self.layers[0].x * self.layers[1].x)

    def by_functions_in_attributes(self, x):
        self.w = self.w * 2
        return np.sum(self.twice(x) * self.line(x))

    def stepped(self, s, u):
        return Run(s.x + self.w * s.y * u, s.y - s.x[0] * u)


V = np.array([0.3, 0.4])
NET = Net(np.array([1.0, 2.0]))
FACTOR = np.sum(NET.layers[0].x * NET.layers[1].x)


def test_gradients_by_path():
    """Against what the formula gives."""
    f = Net.loss.__wrapped__
    d_w, d_y, d_b, d_x = grad(f, ("self.w", "self.inner.y", "self.layers[1].x", "x"))(NET, V)
    s = 2 * np.sum(NET.w * V)
    np.testing.assert_allclose(d_w, V * FACTOR)
    np.testing.assert_allclose(d_y, s * FACTOR)
    np.testing.assert_allclose(d_b, 0.5 * s * NET.layers[0].x)
    np.testing.assert_allclose(d_x, NET.w * FACTOR)
    np.testing.assert_allclose(grad(f, "self.inner")(NET, V).y, s * FACTOR)
    np.testing.assert_allclose(vjp(f, NET, V, argnums="self.w")[1](2.0), 2 * V * FACTOR)
    np.testing.assert_allclose(jvp(f, (NET, V), (np.ones(2),), argnums=("self.w",))[1], np.sum(V) * FACTOR)


def test_paths_into_dicts_and_lists():
    f = lambda p: np.sum(p["layers"][1]["W"] ** 2) * p["s"]
    p = {"layers": [{"W": X}, {"W": X * 2}], "s": 3.0}
    np.testing.assert_allclose(grad(f, "p['layers'][1]['W']")(p), 12 * X)


def test_methods():
    """Of the class, of an object, and with respect to what the object is: one compilation for all objects."""
    np.testing.assert_allclose(NET.loss.grad(V), V * FACTOR)
    np.testing.assert_allclose(Net.loss.grad(NET, V), V * FACTOR)
    np.testing.assert_allclose(grad(NET.loss.__wrapped__)(V), NET.w * FACTOR)
    np.testing.assert_allclose(grad(NET.loss, argnums=("x", "self.w"))(V)[1], V * FACTOR)
    value, d = NET.loss.value_and_grad(V)
    assert value == NET.loss(V) / 2 or NET.w[0] != 1.0
    NET.w = np.array([1.0, 2.0])
    other = Net(np.array([3.0, 1.0]))
    np.testing.assert_allclose(other.loss.grad(V), V * np.sum(other.layers[0].x * other.layers[1].x))
    assert "self.layers[0].x" in NET.loss.source(example=(V,))
    value, pull = vjp(NET.stepped, Run(V, 0.7), 0.1)
    d_s, d_u = pull({"x": np.ones(2)})
    np.testing.assert_allclose([d_s.y, d_u], [0.1 * np.sum(NET.w), 0.7 * np.sum(NET.w)])
    _, t = jvp(NET.stepped, (Run(V, 0.7), 0.1), ({"y": 1.0}, None))
    np.testing.assert_allclose(t.x, 0.1 * NET.w)


def test_functions_that_an_object_has_as_attributes_read_the_object():
    """A bound method and a lambda, made in `__init__`, of the object that is the argument; of another object next."""
    g = grad(Net.by_functions_in_attributes, "self.w")
    for net in (Net(np.array([1.0, 2.0])), Net(np.array([0.5, 3.0]))):
        np.testing.assert_allclose(g(net, V), 16 * net.w * V * V)


def test_gradients_are_objects_where_they_can_be_made():
    d = grad(dataclasses_of_the_caller)(Run(X.copy()), 1.3)
    assert type(d) is Run and d.k is None and d.history == []
    d = grad(lambda p: p.a * p.b)(Pair(1.5, 2.5))
    assert d == Pair(2.5, 1.5) and type(d) is Pair
    d = grad(lambda o: np.sum(o.x**2))(C(X))
    assert type(d) is dict and list(d) == ["x"]
    d = grad(lambda o: np.sum(o.x) * o.y)(Fixed(X))  # it has a __post_init__, which might do anything
    assert type(d) is dict and list(d) == ["x", "y", "z"]


def test_objects_are_returned():
    value, pull = vjp(lambda x: C((x * 2, {"k": x})), 1.5)
    assert type(value) is C and value.x == (3.0, {"k": 1.5})
    assert pull({"x": (1.0, None)}) == (2.0,)
    assert pull(C((1.0, {"k": 2.0}))) == (4.0,)
    with pytest.raises(GradientError, match="a C with x is wanted"):
        pull({"y": 1.0})
    d, aux = grad(lambda x: (x * x, Run(x * 2)), has_aux=True)(1.5)
    assert (d, type(aux), aux.x, aux.history) == (3.0, Run, 3.0, [])


def test_derivatives_of_derivatives():
    f = lambda s: np.sum(s.x**3) * s.y
    s = Run(np.array([1.0, 2.0]), 0.7)
    wanted = {"x": 6 * s.x * 0.7, "y": 15.0, "history": [], "k": None}
    for g in (grad(lambda s: np.sum(grad(f)(s).x)), grad(lambda s: np.sum(vjp(f, s)[1](1.0)[0].x))):
        np.testing.assert_allclose(g(s).x, wanted["x"])
        np.testing.assert_allclose(g(s).y, wanted["y"])
    np.testing.assert_allclose(grad(grad(f, "s.y"), "s.x")(s), 3 * s.x**2)
    d = grad(lambda p: jvp(lambda q: q.a**3 * q.b, (p,), (p,))[1])(Pair(2.0, 3.0))
    np.testing.assert_allclose(d, (4 * 3 * 2.0**2 * 3.0, 4 * 2.0**3))
    assert grad(lambda p: grad(lambda q: q.a**3 * q.b)(p).a)(Pair(2.0, 3.0)) == Pair(36.0, 12.0)


def test_inputs_and_results_are_not_shared():
    o, p = C(X.copy()), C(X * 2)
    first = grad(lambda o, q: np.sum(o.x * q.x))(o, p)
    second = grad(lambda o, q: np.sum(o.x * q.x))(o, p)
    assert not np.shares_memory(first["x"], p.x) and not np.shares_memory(first["x"], second["x"])


# ----------------------------------------------------------------------------------------------------- guards
class Guarded:
    k = 2.0

    def __init__(self, x):
        self.x = x

    def f(self, y):
        return np.sum(self.x) * y


def test_a_class_may_be_changed(monkeypatch):
    class Sub(Guarded):
        pass

    g = grad(lambda c, y: c.f(y) * c.k, "c.x")
    c, s = Guarded(X), Sub(X)
    np.testing.assert_allclose(g(c, 2.0), 4.0)
    np.testing.assert_allclose(g(s, 2.0), 4.0)
    monkeypatch.setattr(Guarded, "f", _squared)
    np.testing.assert_allclose(g(c, 2.0), 8 * X)
    monkeypatch.setattr(Guarded, "k", 3.0)
    np.testing.assert_allclose(g(c, 2.0), 12 * X)
    Sub.f = _cubed
    np.testing.assert_allclose(g(s, 2.0), 18 * X**2)
    np.testing.assert_allclose(g(c, 2.0), 12 * X)
    c.k = 5.0
    np.testing.assert_allclose(g(c, 2.0), 20 * X)
    monkeypatch.setattr(Guarded, "k", property(lambda self: self.x[0]))
    np.testing.assert_allclose(g(s, 2.0), 6 * X**2 + 2 * np.sum(X**3) * np.array([1, 0, 0]))


def _squared(self, y):
    return np.sum(self.x**2) * y


def _cubed(self, y):
    return np.sum(self.x**3) * y


def test_attributes_may_change_what_they_are():
    g = grad(lambda c, y: c.f(y), "c.x")
    c = Guarded(X)
    for x in (X, 3.0, np.ones((2, 2)), np.float32(2.0), X.astype(np.float32)):
        c.x = x
        d = g(c, 2.0)
        assert np.asarray(d).dtype == np.asarray(x).dtype and np.shape(d) == np.shape(x) and np.all(d == 2.0)
    for x, words in ((3, "integer"), ("s", "'s'"), (None, "None")):
        c.x = x
        with pytest.raises(GradientError, match=f"c.x, which is .*{words}"):
            g(c, 2.0)
    c.x, c.f = X, lambda y: y * c.x[0] ** 2  # it hides the method, and reads the object
    np.testing.assert_allclose(g(c, 2.0), [4.0, 0.0, 0.0])


def test_which_arguments_are_one_object_is_looked_at():
    f = lambda a, b, y: np.sum(a.grown(y).x * b.x)
    a, b = C(X.copy()), C(X.copy())
    by_y, by_a = grad(f, "y"), grad(f, "a.x")
    np.testing.assert_allclose(by_y(a, b, 2.0), np.sum(X * X))
    np.testing.assert_allclose(by_y(a, a, 2.0), 4 * np.sum(X * X))
    np.testing.assert_allclose(by_y(b, a, 2.0), np.sum(X * X))
    np.testing.assert_allclose(by_a(a, b, 2.0), 2 * X)
    with pytest.raises(GradientError, match="b is the same object as a"):
        by_a(a, a, 2.0)


GLOBAL = C(X.copy())


def test_an_argument_that_is_also_a_global_object():
    g = grad(reads_the_global, "o.x")
    other = C(X.copy())
    np.testing.assert_allclose(g(other), 2 * X)
    np.testing.assert_allclose(g(GLOBAL), 8 * X)
    np.testing.assert_allclose(g(other), 2 * X)
    np.testing.assert_array_equal(GLOBAL.x, X)


def reads_the_global(o):
    o.x = o.x * 2
    return np.sum(GLOBAL.x * o.x)


class Node:
    def __init__(self, v):
        self.v, self.child, self.up = v, None, None


def test_cycles_of_objects():
    a, b = Node(2.0), Node(3.0)
    a.child, b.up = b, a
    f = lambda a: through_the_cycle(a)
    d_a, d_b = grad(f, ("a.v", "a.child.v"))(a)
    np.testing.assert_allclose((d_a, d_b), (3 * 3.0, 3 * 2.0))
    with pytest.raises(GradientError, match="a.child.up is an object that lambda_ is given more than once"):
        grad(f)(a)


def through_the_cycle(a):
    a.child.up.v = a.v * 3
    return a.v * a.child.v


def test_arrays_that_two_attributes_hold_are_written_into_apart():
    o = C(X.copy())
    o.y = o.x
    with pytest.raises(ValueError, match="shares memory with another argument"):
        grad(written_into, "t")(o, 3.0)
    o.y = X.copy()
    assert grad(written_into, "t")(o, 3.0) == 1.0
    np.testing.assert_array_equal(o.x, X)


def written_into(o, t):
    o.x[0] = t
    return np.sum(o.y * o.x)


def test_trees_of_objects_are_gone_through():
    def total(node):
        t = node.v**2
        if node.child is not None:
            t = t + 2 * total(node.child)
        return t

    root = Node(1.0)
    root.child = Node(2.0)
    root.child.child = Node(3.0)
    assert tree(grad(total)(root)) == {
        "v": 2.0, "up": None,
        "child": {"v": 8.0, "up": None, "child": {"v": 24.0, "child": None, "up": None}},
    }  # fmt: skip


def test_a_loop_of_any_length_has_one_compilation():
    g = value_and_grad(lambda o, y, n: made_anew(o, y, n), "y")
    for n in (0, 2, 5):
        value, d = g(C(X), 1.1, n)
        wanted = (made_anew(C(X), 1.1 + 1e-6, n) - made_anew(C(X), 1.1 - 1e-6, n)) / 2e-6
        np.testing.assert_allclose(d, wanted, rtol=1e-6, atol=1e-8)


# ---------------------------------------------------------------------------------------------------- refused
def one_of_two_is_changed(o, y):
    a, b = C(o.x), C(o.x * 2)
    p = a if y > 1 else b
    p.x = p.x * y
    return np.sum(a.x) + np.sum(b.x)


def other_name_from_the_second_iteration_on(o, y):
    a, b, t = C(o.x), C(o.x * 2), 0.0
    for _ in range(3):
        b.x = b.x * y
        t = t + np.sum(a.x)
        a = b
    return t


def held_by_a_third_name(o, y):
    a, b = C(o.x), C(o.x * 2)
    k = b
    for _ in range(3):
        a.x = a.x * y
        a, b = b, a
    return np.sum(k.x)


def in_an_attribute_from_the_second_iteration_on(o, y):
    h, t = C(C(o.x * 3)), 0.0
    for _ in range(3):
        o.x = o.x * y
        t = t + np.sum(h.x.x)
        h.x = o
    return t


def changed_after_it_was_the_best(o, y):
    state = C(o.x)
    best = state
    for _ in range(4):
        state = C(state.x * y)
        if np.sum(state.x) < 10:
            best = state
        state.x = state.x + 1
    return np.sum(best.x)


def dict_of_the_class(o, y):
    o.table["k"] = y
    return y


def array_of_the_class(o, y):
    o.buffer[0] = y
    return y


def list_of_the_class(o, y):
    o.items.append(y)
    return y


def object_outside(o, y):
    GLOBAL.x = y
    return y


def frozen(o, y):
    f = Fixed(y)
    f.x = 2.0
    return f.x


def frozen_in_place(o, y):
    f = Fixed(o.x * y)
    f.x += 1.0
    return np.sum(f.x)


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


def no_slot(o, y):
    s = Slotted(y)
    s.z = y
    return s.z


def read_only(o, y):
    d = Derived(y, y)
    d.cached_twice = 1.0
    p = Polite(y)
    p.x = y
    return p.x


class Polite:
    def __init__(self, y):
        self.y = y

    @property
    def x(self):
        return self.y


class Descriptor:
    def __get__(self, owner, cls):
        return 2.0


class Magic:
    d = Descriptor()

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return 5.0


class Watched:
    def __init__(self, x):
        self.x = x

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Single:
    def __new__(cls):
        return object.__new__(cls)


def descriptor(o, y):
    return Magic(y).d * y


def made_by_getattr(o, y):
    return Magic(y).z * y


def set_by_setattr(o, y):
    return Watched(y).x


def made_by_new(o, y):
    Single()
    return y


def no_such_attribute(o, y):
    return o.z * y


def on_one_path_alone(o, y):
    if y > 1:
        p = C(y)
    return p.x


def in_a_comprehension(o, y):
    return sum([o.grown(v).x[0] for v in (y, y)]) if False else np.sum(np.array([o.grown(v).x[0] for v in o.x]))


def to_a_library(o, y):
    return np.sum(o) * y


def no_operator(o, y):
    return o + y


def array_first(o, y):
    return np.sum(o.x * Fixed(o.x))


def order(o, y):
    return y if o < C(y) else 2 * y


def looped_over(o, y):
    return sum(v for v in o) * y


def passed_to_itself(o, y):
    return y if y < 1 else passed_to_itself(o.grown(0.5), y - 1)


def identity_unknown(o, y):
    p = o if y > 1 else C(o.x)
    return y if p is o else 2 * y


def all_attributes(o, y):
    return vars(o)["x"][0] * y


def dict_of_an_object(o, y):
    return o.__dict__["x"][0] * y


REFUSED = [
    (one_of_two_is_changed, "p.x = ", "p may be the same object as a"),
    (other_name_from_the_second_iteration_on, "b.x = ", "b may be the same object as a"),
    (held_by_a_third_name, "a.x = ", "a may be the same object as b"),
    (in_an_attribute_from_the_second_iteration_on, "o.x = ", "o may be the same object as"),
    (changed_after_it_was_the_best, "state.x = state.x + 1", "state may be the same object as best"),
    (dict_of_the_class, "o.table[", "o.table is made outside"),
    (array_of_the_class, "o.buffer[", "o.buffer may share memory"),
    (list_of_the_class, "o.items.append", "o.items may be the same list as the global"),
    (object_outside, "GLOBAL.x = ", "a store to GLOBAL.x, of an object of class C that is made outside"),
    (frozen, "f.x = ", "FrozenInstanceError"),
    (frozen_in_place, "f.x += ", "f.x is changed in place and then assigned"),
    (no_slot, "s.z = ", "z is not in the `__slots__` of Slotted"),
    (read_only, "p.x = ", "the property x has no setter"),
    (descriptor, "Magic(y).d", "a descriptor of class Descriptor"),
    (made_by_getattr, "Magic(y).z", "is made by its `__getattr__`"),
    (set_by_setattr, "self.x = x", "a `__setattr__` of its own"),
    (made_by_new, "Single()", "a `__new__` of its own"),
    (no_such_attribute, "o.z", "has no attribute z here; it has x"),
    (on_one_path_alone, "p.x", "p is assigned on one path of the if"),
    (in_a_comprehension, "self.x = self.x * y", "stored within an expression"),
    (to_a_library, "np.sum(o)", "cannot be passed to a library function"),
    (no_operator, "o + y", "has no method for these operands in C"),
    (array_first, "o.x * Fixed", "NumPy applies \\* to each element"),
    (order, "o < C", "has no method for these operands in C and C"),
    (looped_over, "for v in o", "a loop over an object of class C"),
    (passed_to_itself, "passed_to_itself(o", "calls itself, and is passed an object"),
    (identity_unknown, "p is o", "whether these are one object"),
    (all_attributes, "vars(o)", "vars"),
    (dict_of_an_object, "o.__dict__", "__dict__ of an object of class C"),
]


@pytest.mark.parametrize(("f", "at", "words"), REFUSED, ids=[f.__name__ for f, _, _ in REFUSED])
def test_what_is_refused_of_objects(f, at, words):
    with pytest.raises(UnsupportedError, match=words) as caught:
        grad(f, 1)(C(X.copy()), 1.3)
    problem = caught.value.problems[0]
    assert at in problem.source_line and problem.remedy


@pytest.mark.parametrize("path", ["o.y", "o.x.z", "o[0]", "o['x']", "o.x[0]"])
def test_paths_that_lead_nowhere(path):
    with pytest.raises(GradientError, match="to differentiate by"):
        grad(two_names, path)(C(X), 1.0)


def test_a_store_that_may_go_to_one_of_two_is_taken_where_only_one_is_left():
    """The way out that the message names."""

    def f(o, y):
        a, b = C(o.x), C(o.x * 2)
        p = copy.copy(a if y > 1 else b)
        p.x = p.x * y
        return np.sum(a.x) + np.sum(b.x) + np.sum(p.x)

    check(f, C(X.copy()), 1.3)
