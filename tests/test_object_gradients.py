"""Gradients by objects: paths, methods, of which class they are, higher ones; when code is compiled anew."""


import numpy as np
import pytest

from adcompiler import GradientError, check_grad, differentiable, grad, jvp, value_and_grad, vjp
from tests.objects import tree
from tests.test_classes import Fixed, Pair, Run, dataclasses_of_the_caller
from tests.test_objects import GLOBAL, C, X, made_anew


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

    def stepped_sum(self, u):
        return np.sum(self.stepped(self.inner, u).x)

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


def test_checks_and_explanations_take_paths():
    net = Net(np.array([1.0, 2.0]))
    assert check_grad(Net.loss.__wrapped__, net, V, argnums=("self.w", "self.layers[1].x")) < 1e-7
    assert check_grad(net.stepped_sum, 0.1) < 1e-7
    told = {a.name: a.why for a in net.loss.explain(V).arguments}
    assert told["self.w"] == "differentiated" and "no gradient" in told["self.n"]
    assert told["self.layers[0].x"] == "matters, and is not in argnums"


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


def test_a_class_may_get_what_it_had_not(monkeypatch):
    """A property that hides an attribute, a special method, what refuses: of the class, or of one that it is from."""

    class Above:
        pass

    class Below(Above):
        def __init__(self, x):
            self.x, self.k = x, 2.0

    def step(c, y):
        c.k = c.k * y
        return np.sum(c.x) * c.k * (1.0 if c else 3.0)

    g, c = grad(step, "c.x"), Below(X)
    pull = lambda: vjp(step, c, 2.0)[1](1.0)[0]["x"]
    for cls in (Below, Above):
        np.testing.assert_allclose(g(c, 2.0), 4.0)
        monkeypatch.setattr(cls, "__bool__", lambda self: False, raising=False)
        np.testing.assert_allclose(g(c, 2.0), 12.0)
        np.testing.assert_allclose(pull(), 12.0)
        monkeypatch.delattr(cls, "__bool__")
        np.testing.assert_allclose(g(c, 2.0), 4.0)
        store = property(lambda self: self.x[0], lambda self, v: None)
        monkeypatch.setattr(cls, "k", store, raising=False)
        np.testing.assert_allclose(g(c, 2.0), X[0] + np.array([np.sum(X), 0, 0]))
        monkeypatch.delattr(cls, "k")
        np.testing.assert_allclose(pull(), 4.0)
        monkeypatch.setattr(cls, "__setattr__", lambda self, *rest: object.__setattr__(self, *rest), raising=False)
        with pytest.raises(Exception, match="`__setattr__` of its own"):
            g(c, 2.0)
        monkeypatch.delattr(cls, "__setattr__")
        np.testing.assert_allclose(g(c, 2.0), 4.0)


def test_a_class_may_get_one_thing_for_another_or_have_others_above_it():
    """Between two calls: the number of its names stays."""

    class Plain:
        def f(self):
            return np.sum(self.x)

    class Squared(Plain):
        def f(self):
            return np.sum(self.x**2)

    class Below(Plain):
        def __init__(self, x):
            self.x, self.k = x, 2.0

        def unused(self):
            return 0.0

    def loss(c):
        return c.f() * c.k * (1.0 if c else 3.0)

    g, c = grad(loss, "c.x"), Below(X)
    pull = lambda: vjp(loss, c)[1](1.0)[0]["x"]
    np.testing.assert_allclose(g(c), 2.0)
    np.testing.assert_allclose(pull(), 2.0)
    del Below.unused
    Below.__bool__ = lambda self: False
    np.testing.assert_allclose(g(c), 6.0)
    np.testing.assert_allclose(pull(), 6.0)
    del Below.__bool__
    Below.k = property(lambda self: self.x[0])
    del c.__dict__["k"]
    np.testing.assert_allclose(g(c), X[0] + np.array([np.sum(X), 0, 0]))
    Below.__bases__ = (Squared,)
    np.testing.assert_allclose(g(c), 2 * X[0] * X + np.array([np.sum(X**2), 0, 0]))
    np.testing.assert_allclose(pull(), 2 * X[0] * X + np.array([np.sum(X**2), 0, 0]))
    Below.__bases__ = (Plain,)
    np.testing.assert_allclose(g(c), X[0] + np.array([np.sum(X), 0, 0]))


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


