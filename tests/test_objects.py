"""Objects with several names, in loops and branches, in one another, against differences; what is refused of them."""

import copy
import functools
from types import SimpleNamespace

import numpy as np
import pytest

from adcompiler import GradientError, UnsupportedError, grad
from tests.objects import check
from tests.test_classes import Derived, Fixed

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


def copies_of_containers(o, y):
    kept = {"a": o, "b": (o, C(o.x * 2))}
    deep, shallow = copy.deepcopy(kept), copy.copy(kept)
    deep["a"].x = deep["a"].x * y
    shallow["a"].x = shallow["a"].x + y
    return np.sum(o.x) + 2 * np.sum(deep["b"][0].x) + np.sum(kept["b"][0].x * deep["b"][1].x)


def stored_in_comprehensions(o, y):
    a = np.array([o.grown(v).x[0] for v in (1.5, y) if v > 0.2])
    c = sum(o.grown(v).x[0] for v in (0.5, y) if v > 0.2)
    return np.sum(a) * c + np.sum(np.array([o.grown(v).x[0] for v in o.x])) + np.sum(o.x)


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
    an_array_with_two_attributes, copies, copies_of_containers, shallow_copy_shares_its_array, namespaces,
    stored_in_comprehensions, stored_in_a_branch,
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


GLOBAL = C(X.copy())


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


def deep_copy_of_one_array_or_two(o, y):
    o.z = o.x if y > 1 else o.x * 2
    q = copy.deepcopy(o)
    q.x[0] = y
    return np.sum(q.z)


def deep_copy_of_one_object_or_two(o, y):
    p = C(C(o.x))
    p.other = p.x if y > 1 else C(o.x)
    q = copy.deepcopy(p)
    q.x.x = q.x.x * y
    return np.sum(q.other.x)


def given_twice(o, y):
    return np.sum(grad(lambda a, b: np.sum(a.grown(2.0).x * b.x))(o, o)["x"]) * y


def changed_in_the_test(o, y):
    while np.sum(o.grown(1.5).x) < 20:
        pass
    return y


def set_anew_in_the_test(o, y):
    def small():
        o.k = o.k + 1.0
        return o.k < 6

    while small():
        pass
    return y * o.k


class Cached:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def c(self):
        return self.x * 2

    def m(self):
        return 1.0


def cached_in_a_loop(o, y):
    p, t = Cached(y), 0.0
    for _ in range(3):
        p.x = p.x * y
        t += p.c
    return t


def cached_on_one_path(o, y):
    p, t = Cached(y), 0.0
    if y > 1:
        t = p.c
    p.x = p.x * 3
    return t + p.c


def method_hidden_on_one_path(o, y):
    p = Cached(y)
    if y > 1:
        p.m = lambda: 2.0
    return p.m() * y


def there_or_not(o, y):
    if y > 1:
        o.new = y
    return getattr(o, "new", 1.0) * y


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


class Outside:
    """An object whose class runs code for its attributes."""

    made = 0
    d = Descriptor()

    def __init__(self):
        self.n, self.w = 0, 2.0

    @property
    def counted(self):
        self.n += 1
        return self.w * self.n

    @property
    def doubled(self):
        return self.w * 2.0

    def __getattr__(self, name):
        Outside.made += 1
        return 3.0


OUTSIDE = Outside()


def property_with_effects_outside(o, y):
    return OUTSIDE.counted * y * OUTSIDE.counted


def made_by_getattr_outside(o, y):
    return OUTSIDE.z * y


def asked_for_outside(o, y):
    return y if hasattr(OUTSIDE, "z") else 2 * y


def had_with_a_default_outside(o, y):
    return y * getattr(OUTSIDE, "z", 1.0)


def descriptor_outside(o, y):
    return OUTSIDE.d * y


def deleted_and_read(o, y):
    p = C(o.x)
    del p.x
    return p.x[0] * y


def deleted_in_a_loop(o, y):
    p = C(o.x)
    for _ in range(3):
        del p.x
    return y


def deleted_on_one_path(o, y):
    p = C(o.x)
    if y > 2:
        del p.x
    return y if hasattr(p, "x") else 2 * y


def deleted_of_the_class(o, y):
    del OUTSIDE.counted
    return y


def test_code_of_outside_classes_is_followed_or_refused(monkeypatch):
    """It is not run when compiling, nor once more when a gradient is computed."""
    f = lambda x: OUTSIDE.doubled * OUTSIDE.w * x * (1.0 if hasattr(OUTSIDE, "w") else 2.0)
    g, made = grad(f), Outside.made
    assert g(1.0) == 8.0
    monkeypatch.setattr(OUTSIDE, "w", 3.0)
    assert g(1.0) == 18.0 and Outside.made == made and OUTSIDE.n == 0
    absent = lambda x: x * (1.0 if hasattr(GLOBAL, "extra") else 2.0) * getattr(GLOBAL, "extra", 1.0)
    g = grad(absent)
    assert g(1.0) == 2.0
    GLOBAL.extra = 5.0
    assert g(1.0) == 5.0
    del GLOBAL.extra
    assert g(1.0) == 2.0


def test_attributes_that_are_deleted():
    def f(o, y):
        p = C(o.x * y)
        del p.x
        p.x = o.x**2
        q = C(y)
        del q.x
        try:
            z = q.x
        except AttributeError:
            z = y * 3.0
        return np.sum(p.x) * z * (y if not hasattr(q, "x") else 1.0)

    def of_an_argument(o, y):
        x = o.x
        del o.x
        return np.sum(x) * y * (1.0 if hasattr(o, "x") else 2.0)

    o = C(X.copy())
    np.testing.assert_allclose(grad(f, 1)(o, 1.3), 6.0 * 1.3 * np.sum(X**2))
    np.testing.assert_allclose(grad(of_an_argument, "o.x")(o, 1.3), np.full(X.shape, 2.6))
    np.testing.assert_array_equal(o.x, X)


REFUSED = [
    (property_with_effects_outside, "self.n += 1", "a store to self.n, of an object of class Outside"),
    (made_by_getattr_outside, "OUTSIDE.z", "z of OUTSIDE, an object of class Outside, is made by its `__getattr__`"),
    (asked_for_outside, "hasattr(OUTSIDE", "is made by its `__getattr__`"),
    (had_with_a_default_outside, "getattr(OUTSIDE", "is made by its `__getattr__`"),
    (descriptor_outside, "OUTSIDE.d", "a descriptor of class Descriptor"),
    (deleted_and_read, "return p.x", "p.x is deleted at line"),
    (deleted_in_a_loop, "del p.x", "in a loop, of an object that is made before it"),
    (deleted_on_one_path, "hasattr(p", "p.x is deleted at line"),
    (deleted_of_the_class, "del OUTSIDE.counted", "is not of an object that is followed"),
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
    (deep_copy_of_one_array_or_two, "copy.deepcopy(o)", "may hold one object or array twice"),
    (deep_copy_of_one_object_or_two, "copy.deepcopy(p)", "may hold one object or array twice"),
    (given_twice, "grad(lambda a, b", "is given one object more than once"),
    (changed_in_the_test, "while np.sum", "the test of a `while` changes what it reads"),
    (set_anew_in_the_test, "while small", "the test of a `while` changes what it reads"),
    (cached_in_a_loop, "t += p.c", "c is had for the first time"),
    (cached_on_one_path, "return t + p.c", "c is had for the first time"),
    (method_hidden_on_one_path, "p.m()", "m is had for the first time"),
    (there_or_not, "getattr(o", "whether the attribute new is there"),
    (to_a_library, "np.sum(o)", "cannot be passed to a library function"),
    (no_operator, "o + y", "has no method for these operands in C"),
    (array_first, "o.x * Fixed", "NumPy applies \\* to each element"),
    (order, "o < C", "has no method for these operands in C and C"),
    (looped_over, "for v in o", "a loop over o, an object of class C"),
    (passed_to_itself, "passed_to_itself(o", "calls itself, and is passed an object"),
    (identity_unknown, "p is o", "whether these are one object"),
    (all_attributes, "vars(o)", "vars"),
    (dict_of_an_object, "o.__dict__", "__dict__ of o, an object of class C"),
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


class Cell:
    def __init__(self, u, v):
        self.u, self.v = u, v


def shared_on_a_path(x, o):
    if x[0] > 0.5:
        q = Cell(o.u, 1.0)
    else:
        q = Cell(x * 1.0, 2.0)
    o.u[0] = 3.0
    return np.sum(q.u) * q.v + np.sum(o.u)


def test_what_may_share_an_array_is_called_as_the_program_calls_it():
    with pytest.raises(UnsupportedError) as refused:
        grad(shared_on_a_path)(np.array([0.3, 0.7]), Cell(np.ones(2), 0.3))
    problem = refused.value.problems[0]
    assert problem.reason == "o.u may share memory with q.u, which this changes in place"
    assert problem.remedy == "write o.u = o.u.copy() first"
