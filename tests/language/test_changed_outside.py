"""What is outside of a function may change between two calls of its gradient: the second one sees it."""

import dataclasses
import enum
import functools
import importlib
import itertools
import linecache
import os
import time

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, value_and_grad, vjp
from adcompiler.dispatch import Dispatcher
from adcompiler.request import Request

_numbers = itertools.count()

MODEL = """
class Model:
    def __init__(self, k): self.k = k
"""
METHOD = """
class P:
    def __init__(self, k): self.k = k
    def meth(self, x): return x * self.k
class H: pass
"""
BOX = """
class Box:
    def __init__(self, xs): self.xs = xs
    def __len__(self): return len(self.xs)
    def __bool__(self): return self.xs[0] > 0
    def __contains__(self, x): return x < self.xs[0]
bx = Box([1.0, 2.0])
"""
VEC = """
class Vec:
    def __init__(self, k): self.k = k
    def __mul__(self, x): return self.k * x
    def __radd__(self, x): return self.k + x
    def __getitem__(self, i): return self.k * i
    def __call__(self, x): return self.k * x
    def __neg__(self): return -self.k
    def __abs__(self): return abs(self.k)
    def __float__(self): return self.k
    def __lt__(self, x): return self.k < x
    def __eq__(self, x): return self.k == x
vec = Vec(2.0)
"""
EQUAL = """
class Equal:
    def __init__(self, k): self.k = k
    def __eq__(self, other): return True
    def __hash__(self): return 1
"""
EQUAL_BY_K = """
class Equal:
    def __init__(self, k): self.k = k
    def __eq__(self, other): return self.k == other.k
    def __str__(self): return "abc"
    def __hash__(self): return 1
    def __index__(self): return int(self.k)
    def __lt__(self, other): return self.k < other.k
a, b = Equal(1.0), Equal(1.0)
"""
LAYER = """
@dataclasses.dataclass(frozen=True)
class Layer:
    name: str
    w: float = dataclasses.field(compare=False)
net = Layer("a", 2.0)
"""
#: The program; what happens between the calls.
CHANGED = {
    "an object called like its class": (
        MODEL + "model = Model(3.0)\ndef f(x): return model.k * x", ["model = Model(5.0)"]),
    "a variable around it called like its class": (
        MODEL + "def made():\n    model = Model(3.0)\n    def f(x): return model.k * x\n"
        "    def change():\n        nonlocal model\n        model = Model(5.0)\n    return f, change\n"
        "f, change = made()",
        ["change()"]),
    "names of generated code": (
        "key = read = _names = _id = _default_o = f_grad = f_value_and_grad = 3.0\no = [1.0]\n"
        "def f(x, o=o): return np.sum(key * x) + read * _names * _id + f_grad * x * f_value_and_grad * _default_o",
        ["key = np.array([1.0, 5.0])", "f_grad = np.float64(2.0)", "f_value_and_grad = 4.0"]),
    "a global that an argument hides": (
        "scale = 3.0\ndef scaled(x): return x * scale\ndef f(x, scale=2.0): return scaled(x) * scale", ["scale = 5.0"]),
    "arguments called like builtins": (
        "cs = {'a': [3.0, 1.0, 's']}\ndef f(x, len=1.0, id=2.0, type=3.0): return x * cs['a'][0] * len * id * type",
        ["cs['a'][0] = 5.0"]),
    "an equal object": (LAYER + "def f(x): return x * net.w", ["net = Layer('a', 5.0)"]),
    "an equal object in containers": (
        EQUAL + "xs, ys = [Equal(2.0)], (Equal(3.0), Equal(3.0))\ndef f(x): return x * xs[0].k + x * ys[1].k",
        ["xs[0] = Equal(5.0)", "ys = (Equal(2.0), Equal(5.0))"]),
    "an equal object in an attribute": (
        EQUAL + "class H: pass\nh = H(); h.o = Equal(2.0)\ndef f(x): return x * h.o.k", ["h.o = Equal(5.0)"]),
    "another kind in an equal object": (
        LAYER + "def f(x): return np.sum(net.w * x)",
        ["net = Layer('a', 3.0)", "object.__setattr__(net, 'w', np.array([1.0, 2.0]))"]),
    "the length": (BOX + "def f(x): return x * len(bx)", ["bx.xs = [-1.0, 2.0, 3.0]"]),
    "truth": (BOX + "def f(x): return x if bx else 2 * x", ["bx.xs = [-1.0]"]),
    "not": (BOX + "def f(x): return x if not bx else 2 * x", ["bx.xs = [-1.0]"]),
    "in": (BOX + "def f(x): return x if 0.5 in bx else 2 * x", ["bx.xs = [-1.0]"]),
    "truth that there is later": (
        "class E: pass\ne = E()\ndef never(self): return False\ndef f(x): return x if e else 2 * x",
        ["E.__bool__ = never"]),
    "another class": (
        "class A:\n    def k(self): return 2.0\nclass B:\n    def k(self): return 3.0\na = A()\n"
        "def f(x): return x * a.k()", ["a.__class__ = B"]),
    "the fields of a dataclass": (
        "@dataclasses.dataclass\nclass D:\n    k: float\na, b = D(1.0), D(1.0)\n"
        "def f(x): return x if a == b else 2 * x", ["b.k = 2.0"]),
    "operators": (
        VEC + "def f(x): return vec * x + (x + vec) + vec[3] * x + vec(x) * -vec + abs(vec) * float(vec) * x",
        ["vec.k = -5.0", "vec = Vec(3.0)"]),
    "comparisons": (
        VEC + "def f(x): return (x if vec < 4.0 else 2 * x) * (x if vec == 2.0 else 3 * x)",
        ["vec.k = 5.0", "vec = Vec(3.0)"]),
    "a bound method in an attribute": (
        METHOD + "h = H(); h.fn = P(4.0).meth\ndef f(x): return h.fn(x)", ["h.fn = P(5.0).meth"]),
    "a bound method in a class": (METHOD + "H.fn = P(4.0).meth\ndef f(x): return H.fn(x)", ["H.fn = P(5.0).meth"]),
    "a bound method of another object in place of its own": (
        METHOD + "p = P(4.0)\ndef f(x): return p.meth(x)", ["p.meth = P(5.0).meth"]),
    "a function in place of a method, and another object": (
        METHOD + "p = P(3.0)\ndef other(x): return x * 11.0\ndef f(x): return p.meth(x)",
        ["p.meth = other", "p = P(4.0)"]),
    "the keywords of a partial": (
        "def scaled(x, a, b=1.0): return a * x * b\ng = functools.partial(scaled, a=2.0)\ndef f(x): return g(x)",
        ["g.keywords['a'] = 5.0", "g.keywords['b'] = 3.0", "g = functools.partial(scaled, a=3.0)"]),
    "an array in a partial": (
        "def scaled(x, a): return np.sum(a * x)\ng = functools.partial(scaled, a=np.ones(2))\ndef f(x): return g(x)",
        ["g.keywords['a'][0] = 5.0", "g.keywords['a'] = np.ones(3)"]),
    "the defaults of a function": (
        "def scaled(x, a=2.0, *, b=3.0): return a * x * b\ndef f(x): return scaled(x)",
        ["scaled.__defaults__ = (4.0,)", "scaled.__kwdefaults__['b'] = 5.0"]),
    "an object that is a default": (
        MODEL + "m = Model(2.0)\ndef scaled(x, m=m): return m.k * x\ndef f(x, m=m): return scaled(x) * m.k",
        ["m.k = 5.0", "scaled.__defaults__ = (Model(4.0),)"]),
    "truth beside a computed condition": (
        BOX + "def f(x): return x if bx and x > 0 else 2 * x if not (bx or x < 0) else 3 * x", ["bx.xs = [-1.0]"]),
    "in a list": (EQUAL_BY_K + "def f(x): return x if a in [b] else 2 * x", ["b.k = 2.0", "b = a"]),
    "lists that are equal": (EQUAL_BY_K + "def f(x): return x if [a] == [b] else 2 * x", ["b.k = 2.0"]),
    "the method of a base class": (
        "class A:\n    k = 1.0\n    def m(self, x): return x * self.k\n"
        "class B(A):\n    def m(self, x): return super().m(x) * 3\n"
        "def other(self, x): return x * 7.0\no = B()\ndef f(x): return o.m(x)", ["A.m = other", "B.k = 2.0"]),
    "an equal string": (
        "mode = 'abc'\ndef f(x): return x if mode == 'abc' else 2 * x", ["mode = ''.join(['a', 'bc'])", "mode = 'z'"]),
    "a bool and an int": ("on = True\ndef f(x): return x if on else 2 * x", ["on = 1", "on = 0", "on = False"]),
    "a member of an enumeration": (
        "class C(enum.Enum):\n    A = 1\n    B = 2\nmode = C.A\ndef f(x): return x if mode == C.A else 2 * x",
        ["mode = C.B"]),
}  # fmt: skip


def module(text):
    """The names of a module with this text."""
    name = f"changed_outside_{next(_numbers)}"
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"__name__": name, "np": np, "dataclasses": dataclasses, "enum": enum, "functools": functools}
    exec(compile(text, file, "exec"), names)
    return names


@pytest.mark.parametrize("text, changes", CHANGED.values(), ids=CHANGED)
def test_the_next_call_sees_what_has_changed(text, changes):
    names = module(text)
    f = names["f"]
    both, alone = value_and_grad(f), grad(f)

    def check():
        value, slope = both(2.0)
        assert np.isclose(value, f(2.0))
        assert np.isclose(slope, (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6)
        assert np.isclose(alone(2.0), slope)

    check()
    for change in changes:
        exec(change, names)
        check()
        check()


@pytest.mark.parametrize("text, told", [
    ("import collections\nbx = collections.UserDict()\ndef f(x): return x * len(bx)", "__len__ of the object"),
    ("import collections\nbx = collections.UserList()\ndef f(x): return x if bx else 2 * x", "__bool__ of the object"),
    ("class M(type):\n    def __len__(cls): return 2\nclass K(metaclass=M): pass\ndef f(x): return x * len(K)",
     "__len__ of the class K"),
    ("class It:\n    def __iter__(self): return iter([1.0])\nit = It()\ndef f(x): return sum(x * v for v in it)",
     "a loop over an object of class It"),
    ("class It:\n    def __iter__(self): return iter([1.0])\nit = It()\ndef f(x):\n    a, = it\n    return a * x",
     "a loop over an object of class It"),
    (EQUAL_BY_K + "def f(x): return x * (1.0, 2.0)[a]", "whose methods decide what it stands for"),
    (EQUAL_BY_K + "def f(x): return x * {'abc': 2.0}[str(a)]", "must be known when compiling"),
    (EQUAL_BY_K + "def f(x): return x * {'abc': 2.0}[f'{a}']", "must be known when compiling"),
    (EQUAL_BY_K + "def f(x): return x * {'abc': 2.0}['{}'.format(a)]", "must be known when compiling"),
    (EQUAL_BY_K + "def f(x): return x * [b].count(a)", "the method count of a list is not supported"),
    (EQUAL_BY_K + "def f(x): return x if a in frozenset([1, 2]) else 2 * x", "whose methods decide"),
    (EQUAL_BY_K + "def f(x): return sorted([a, b])[0].k * x", "sorted compares what are no numbers"),
    (EQUAL_BY_K + "def f(x): return sum(x for _ in range(a))", "range of an object of class Equal"),
    ("class M(type):\n    def __instancecheck__(cls, o): return True\nclass K(metaclass=M): pass\n"
     "def f(x): return x if isinstance(x, K) else 2 * x", "__instancecheck__ of the class K"),
    ("d = {1: 1.0}.values()\ndef f(x): return x if 1.0 in d else 2 * x", "__contains__ of the object"),
])  # fmt: skip
def test_what_may_give_another_result_unseen_is_refused(text, told):
    with pytest.raises(UnsupportedError, match=told):
        grad(module(text)["f"])(2.0)


def test_an_object_that_cannot_be_hashed_is_found_at_once():
    names = module("class Seen:\n    k = 2.0\n    def __eq__(self, other): return True\ns = Seen()\n"
                   "def f(x): return x * s.k")  # fmt: skip
    made = Dispatcher(Request(names["f"], 0))
    assert made.call()(1.0) == 2.0
    key, table = made.state[0]
    assert key(1.0) in table


def test_functions_that_are_reloaded_in_place(tmp_path, monkeypatch):
    """As editors and notebooks do it: a function stays the object that it was, and runs other code."""
    path, clock = tmp_path / "reloaded_in_place.py", itertools.count(1)

    def write(k, m):
        lines = ["import numpy as np", "def scaled(x):", f"    return x * {k}", "def loss(x):"]
        path.write_text("\n".join([*lines, f"    return np.sum(scaled(x)) * {m}", ""]))
        later = time.time() + 10 * next(clock)
        os.utime(path, (later, later))

    def reload():
        old = {name: getattr(module, name) for name in ("scaled", "loss")}
        importlib.reload(module)
        for name, f in old.items():
            f.__code__ = getattr(module, name).__code__
            setattr(module, name, f)

    monkeypatch.syspath_prepend(tmp_path)
    write(2.0, 1.0)
    module = importlib.import_module("reloaded_in_place")
    g, x = grad(module.loss), np.ones(2)
    assert g(x).tolist() == vjp(module.loss, x)[1](1.0)[0].tolist() == [2.0, 2.0]
    for k, m in ((3.0, 1.0), (4.0, 2.0), (4.0, 5.0)):
        write(k, m)
        reload()
        assert g(x).tolist() == vjp(module.loss, x)[1](1.0)[0].tolist() == [k * m, k * m]
    write(5.0, 2.0)
    importlib.reload(module)
    assert grad(module.loss)(x).tolist() == [10.0, 10.0]
