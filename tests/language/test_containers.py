"""Dicts, lists, deques, sets and copies: structure that is decided when compiling."""

import collections
import copy
from collections import deque

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])


def dict_methods(x):
    d = {"a": x[0], "b": x[1] * x[1]}
    e = d
    d.update(c=x[2], a=x[3] * x[0])
    d.update({"b": d["b"] * x[0]})
    first = e.setdefault("z", x[0] ** 2)
    again = d.setdefault("z", x[1])
    gone = d.pop("c")
    none = d.pop("nothing", x[3])
    last, item = d.popitem()
    del d["a"]
    d |= {"n": x[2]}
    f = d | {"b": x[0] * 2.0}
    total = first * again * gone * none * item * len(e) * f["b"]
    for k, v in d.items():
        total = total + v * len(k)
    return total * len(last) * d.get("n") * d.get("m", 3.0)


def dicts_in_loops(x):
    table = {}
    for i, k in enumerate(["a", "b", "c"]):
        table[k] = x[i] * x[i]
    for k in table:
        table[k] += x[3]
    squares = {i: table[k] ** 2 for i, k in enumerate(sorted(table, reverse=True))}
    total = x[0]
    for _ in range(3):
        table["a"] = table["a"] * x[1]
        total = total + table["a"] * squares[1]
        table.update(b=total)
    return total + table["b"] * squares[0]


def list_methods(x):
    a = [x[2], x[0], x[1]]
    a.sort()
    b = [1, 3, 2]
    b.remove(3)
    b.reverse()
    c = a + [x[3] * x[0]]
    c.reverse()
    del c[0], c[-1]
    d = c[:1] + a[1:]
    a.sort(key=lambda v: -v)
    d.clear()
    d.extend(a)
    first, *rest = d
    return first * rest[1] ** 2 * c[0] * b[0] * len(c)


def deques(x):
    d = deque([x[0], x[1]], maxlen=3)
    d.append(x[2])
    d.append(x[3])
    d.appendleft(x[0] ** 2)
    d.rotate(1)
    e = d
    e.extend([x[1] * 3.0])
    e.rotate(-2)
    last = d.pop()
    first = d.popleft()
    f = deque()
    f.extendleft([x[0], x[1], last])
    f.reverse()
    f.insert(1, first)
    return first * last * d[0] * sum(f) * f[1] + np.sum(np.array(e) * x[3]) + len(e)


def window(x):
    """A deque that is full, in a loop of any length."""
    recent = deque([x[0], x[0] * 0.5], maxlen=2)
    total = 0.0
    for v in x:
        total = total + v * recent[0] * sum(recent)
        recent.append(v * recent[-1])
        if v > 1.0:
            recent.rotate()
    return total * recent[0]


def sets(x):
    kinds = {"a", "b"}
    odd = {i % 2 for i in (1, 2, 3)} | set([5])
    total = x[0] if "a" in kinds and "c" not in kinds else x[1]
    for i in sorted(odd):
        total = total * (x[i % 4] + i)
    return total * len(kinds) * len(odd) * len(frozenset("aab"))


def copies(x):
    y = x * x
    model = {"w": y, "layers": [y, {"b": x[1]}], "f": np.sin}
    model["again"] = model["layers"]
    deep, shallow = copy.deepcopy(model), copy.copy(model)
    deep["w"][0] = 2.0 * x[3]
    deep["layers"][1]["b"] = x[0] * x[3]
    shallow["new"] = y
    model["layers"][1]["b"] = x[2]
    z = copy.copy(y)
    z[1] *= x[0]
    total = np.sum(deep["f"](deep["layers"][0]) * y) + deep["again"][1]["b"] * shallow["layers"][1]["b"]
    return total + np.sum(z * model["w"]) + len(model) * len(shallow)


def counted(x):
    c = collections.Counter("abca")
    o = collections.OrderedDict([("b", x[0]), ("a", x[1])])
    o["c"] = x[2] * x[0]
    total = 0.0
    for i, (k, v) in enumerate(o.items()):
        total = total + v * c[k] * (i + 1) ** 2
    return total * len(c)


def read_side_by_side(x):
    parts = [x[0], x[1] * x[2], x[3]]
    total = 0.0
    for i, (a, b) in enumerate(zip(reversed(parts), sorted(parts, key=lambda v: -v)), start=1):
        total = total + i * a * b * b
    return total * max(parts) * min(parts, key=lambda v: v * v) if x[0] in parts else 0.0


def sliced(x):
    s, t = slice(1, -1), slice(None, None, -1)
    y = x[s] * x[t][s]
    parts = [x[0], x[1], x[2]][slice(0, 2)]
    z = x * 1.0
    z[s] *= x[0]
    return np.sum(y) * parts[1] + np.sum(z * z) * s.start


def deleted_names(x):
    y, z = x * x, x * 2.0
    del z
    t = y[0]
    del (y, t)
    y = x[1]
    return y * x[2]


PROGRAMS = [dict_methods, dicts_in_loops, list_methods, deques, window, sets, copies, counted, read_side_by_side,
            sliced, deleted_names]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_containers(f):
    everywhere(f, X, closed=f not in (copies,), twice=f in (window, copies))
    at(f, X[::-1].copy())


def test_an_argument_is_left_alone():
    def f(p):
        p.update(b=p["w"] * 2.0)
        w = p.pop("w")
        return np.sum(w * p["b"])

    p = {"w": X}
    np.testing.assert_allclose(grad(f)(p)["w"], 4.0 * X)
    assert list(p) == ["w"]


@pytest.mark.parametrize("change", ["update(b=1.0)", "clear()", "pop('a')", "setdefault('z', 1.0)"])
def test_another_name_of_a_dict_sees_the_change(change):
    namespace = {"np": np}
    head = "def f(x):\n    d = {'a': x[0] * x[1], 'b': x[2]}\n    e = [d]\n"
    text = f"{head}    d.{change}\n    return x[0] * len(e[0])"
    import linecache

    linecache.cache["<change>"] = (len(text), None, text.splitlines(True), "<change>")
    exec(compile(text, "<change>", "exec"), namespace)
    f = namespace["f"]
    np.testing.assert_allclose(grad(f)(X)[0], f(X) / X[0])
    linecache.cache.pop("<change>")


def test_a_set_of_what_is_computed_is_refused():
    def f(x):
        return x[0] * len({x[0], x[1]})

    with pytest.raises(UnsupportedError, match="the element of a set must be known when compiling"):
        grad(f)(X)


def test_a_known_set_is_not_changed():
    def f(x):
        s = {1, 2}
        s.add(3)
        return x[0] * len(s)

    with pytest.raises(UnsupportedError, match="add changes a set"):
        grad(f)(X)


def test_a_deque_that_is_not_full_in_a_loop_is_refused():
    def f(x):
        d = deque(maxlen=2)
        for v in x:
            d.append(v)
        return d[0] * d[1]

    with pytest.raises(UnsupportedError, match="begin with a deque that is full"):
        grad(f)(X)


def test_a_defaultdict_is_refused():
    def f(x):
        d = collections.defaultdict(float)
        d["a"] += x[0]
        return d["a"]

    with pytest.raises(UnsupportedError, match=r"defaultdict has no rule(.|\n)*d\.setdefault\(key"):
        grad(f)(X)
