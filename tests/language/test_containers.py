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


def visited(x):
    seen, total = set(), 0.0
    other = seen
    for i in (1, 2, 1, 3):
        if i in seen:
            continue
        other.add(i)
        total += x[i] ** 2
    return total * len(seen)


def changed_sets(x):
    a = set(range(6))
    a.difference_update([1, 2], (3,))
    a.symmetric_difference_update({4, 7})
    b = a.union({1})
    c = a.copy()
    c.clear()
    a ^= {0}
    a -= {9}
    a &= {5, 7, 0}
    b.discard(20)
    b.remove(1)
    try:
        b.remove(1)
    except KeyError:
        b.update([30], {31})
    for i in sorted(b):
        x = x * (i + 1.0) / 3.0
    same = 1.0 if a <= b and a == {5, 7} and a.issubset(b) else x[2]
    return x[0] ** len(a) * x[1] ** len(b) * same * (1 + len(c))


def sets_of_others(x):
    def note(i, where):
        where["seen"].add(i)

    state = {"seen": set(), "v": x[0]}
    for i in (1, 1, 2):
        note(i, state)
    if x[0] > 0.8:
        state["seen"].add("big")
        y = x[1] * len(state["seen"])
    else:
        y = x[2] * len(state["seen"])
    return state["v"] ** 2 * y


@pytest.mark.parametrize("f", [visited, changed_sets, sets_of_others], ids=lambda f: f.__name__)
def test_sets_that_change(f):
    everywhere(f, X, twice=False)
    at(f, X[::-1].copy())


def one_of_two_sets(x):
    s, t = {1}, {1}
    u = s if x[0] > 0.5 else t
    u.add(2)
    return x[0] ** len(s) * x[1] ** len(t)


def a_set_of_both_paths(x):
    s = set()
    if x[0] > 0.5:
        s.add(1)
    return x[0] * len(s)


def a_set_in_a_long_loop(x):
    s = set()
    for v in x:
        if len(s) < 2:
            s.add("k")
            x = x * v
    return x[0]


def the_order_of_a_set(x):
    y = x[0]
    for k in {"a", "b", "cc"}:
        y = y * x[len(k)] + 1.0
    return y


def a_default_that_is_kept(x):
    def g(i, d={}):
        d[i] = x[i] ** 2
        return sum(d.values())

    return g(0) * g(1)


def a_set_that_is_kept(x):
    def g(i, d=set()):
        d.add(i)
        return len(d) * x[i]

    return g(0) * g(1)


LIST, DICT = [1.0], {"a": 1.0, "inner": [1.0]}


def a_list_outside(x):
    other = LIST
    other.append(x[0])
    return sum(LIST) * x[1]


def a_dict_outside(x):
    other = DICT
    other["a"] = x[0]
    return DICT["a"] * x[1]


def a_list_in_a_dict_outside(x):
    inner = DICT["inner"]
    inner[0] = x[0]
    return DICT["inner"][0] * x[1]


def a_dict_outside_by_a_method(x):
    other = DICT
    other.update(a=x[0])
    return DICT["a"] * x[1]


OUTSIDE = [a_list_outside, a_dict_outside, a_list_in_a_dict_outside, a_dict_outside_by_a_method]


@pytest.mark.parametrize("f", OUTSIDE, ids=lambda f: f.__name__)
def test_what_is_outside_is_not_changed_by_another_name(f):
    with pytest.raises(UnsupportedError, match="may be the same (list|dict) as |a store into a list of any length"):
        grad(f)(X)
    assert LIST == [1.0] and DICT == {"a": 1.0, "inner": [1.0]}


REFUSED = {
    one_of_two_sets: "u may be the same set as s", a_set_of_both_paths: r"s is the set \{1\} on one path",
    a_set_in_a_long_loop: "s is an empty set before the loop", the_order_of_a_set: r"loop over sorted\(",
    a_default_that_is_kept: "d may be the same dict as a default of g",
    a_set_that_is_kept: "d may be the same set as a default of g",
}  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_sets_of_which_not_all_is_known_are_refused(f):
    with pytest.raises(UnsupportedError, match=REFUSED[f]):
        grad(f)(X)


def appended_by_helpers(x):
    def put(out, v):
        out.append(v * v)

    def kept(v, store=None):
        if store is None:
            store = []
        store.append(v)
        return store

    out = []
    put(out, x[0])
    put(out, x[1] * x[2])
    a = kept(x[0])
    b = kept(x[3], a)
    return sum(out) * out[1] * sum(a) * len(b)


def appended_by_other_names(x):
    a = [x[0]]
    b = a
    b.append(x[1])
    a += [x[2]]
    c = b.pop()
    b.insert(0, x[3] * x[0])
    b.extend((x[1], c))
    if x[1] > 0.6:
        b.append(x[2])
    else:
        b.append(x[3] ** 2)
    for i in range(3):
        c, b = b, [x[i]]
        c.append(x[i] ** 2)
    return sum(a) * a[0] * len(b) + a[-1] ** 2 * a[4]


def added_between(x):
    def add(out, v):
        out.append(v)
        return v

    a = [x[0]]
    y = sum(a) + add(a, x[1]) * sum(a)
    return y * len(a)


@pytest.mark.parametrize("f", [appended_by_helpers, appended_by_other_names, added_between], ids=lambda f: f.__name__)
def test_other_names_of_a_list_see_the_change(f):
    everywhere(f, X, twice=False)
    at(f, X[::-1].copy())


def stored_by_inner_functions(x):
    state, memo, w = {"n": 0, "sum": x[0]}, {}, [x[0], x[1]]

    def step(v):
        state["n"] += 1
        if v > 0.5:
            state["sum"] += v * state["n"]
        else:
            state["sum"] = state["sum"] * v
        return state["sum"]

    def fib(n):
        if n not in memo:
            memo[n] = x[n] if n < 2 else fib(n - 1) * x[2] + fib(n - 2)
        return memo[n]

    def swap():
        w[0], w[1] = w[1], w[0] * 2.0

    y = step(x[1]) * step(x[2])
    for i in range(3):
        y = y + step(x[i]) * 0.1
    other = state
    step(x[3])
    swap()
    swap()
    return y * other["sum"] + fib(5) * w[0] * w[1] * other["n"]


def stored_in_a_long_loop(x):
    state = {"sum": x[0]}

    def step(v):
        state["sum"] = state["sum"] * 0.9 + v
        return state["sum"]

    y = 0.0
    try:
        for v in x:
            y = y + step(v) ** 2
    except KeyError:
        step(y)
    return y * state["sum"]


@pytest.mark.parametrize("f", [stored_by_inner_functions, stored_in_a_long_loop], ids=lambda f: f.__name__)
def test_items_that_inner_functions_store(f):
    everywhere(f, X, twice=f is stored_in_a_long_loop)
    at(f, X[::-1].copy())


def test_what_an_expression_has_read_is_not_changed_in_it():
    def item(d, v):
        d["k"] = v
        return v

    def append(d, v):
        d["list"].append(v)
        return v

    def product(d, v):
        return d["k"] * sum(d["list"]) * v

    for change in (item, append):

        def f(x, change=change):
            d = {"k": x[0], "list": [x[1]]}
            return product(d, change(d, x[2])) if change is item else d["list"] and product(d, change(d, x[2]))

        def pair(x, change=change):
            d = {"k": x[0], "list": [x[1]]}
            e, v = d["list"] if change is append else d, change(d, x[2])
            return len(e) * v

        for g in (f, pair):
            with pytest.raises(UnsupportedError, match="by a call in an expression that has read it before"):
                grad(g)(X)


def test_a_deque_that_is_not_full_in_a_loop_is_refused():
    def f(x):
        d = deque(maxlen=2)
        for v in x:
            d.append(v)
        return d[0] * d[1]

    with pytest.raises(UnsupportedError, match="begin with a deque that is full"):
        grad(f)(X)


def defaults(x):
    d, n, t = collections.defaultdict(list), collections.defaultdict(float), collections.defaultdict(lambda: x[0])
    nested = collections.defaultdict(lambda: collections.defaultdict(float))
    for i, k in enumerate(["a", "b", "a"]):
        d[k].append(x[i] ** 2)
        n[k] += x[i] * x[3]
        t[k] *= x[i]
        nested[k][i % 2] += x[i]
    same = t
    same["c"] = same["c"] * x[1]
    before = 0.0 if "z" in n else 1.0
    zero = n["z"]
    plain = dict(n)
    try:
        missing = plain["nothing"]
    except KeyError:
        missing = x[2]
    total = sum(d["a"]) * sum(d["b"]) * n["a"] + zero + before * len(n) * t["a"] * t["c"] * missing
    return total * nested["a"][0] * (1.0 + nested["b"][5]) * len(nested["a"]) * isinstance(d, collections.defaultdict)


def counters(x):
    c, w = collections.Counter("abca"), collections.Counter()
    c["a"] += 1
    for i, k in enumerate("abca"):
        w[k] += x[i] ** 2
    return w["a"] * w["b"] ** c["a"] + w["none"] + w["c"] * len(w)


def setdefault_and_get(x):
    t, count = {}, {}
    for i, k in enumerate("abca"):
        t.setdefault(k, []).append(x[i] ** 2)
        count[k] = count.get(k, 0.0) + x[i]
    return sum(t["a"]) * sum(t["b"]) * count["a"] * count["c"]


class Totals:
    def __init__(self):
        self.sums = collections.defaultdict(float)
        self.seen = set()

    def add(self, k, v):
        self.sums[k] += v
        self.seen.add(k)


def totals(x):
    t = Totals()
    for i in range(4):
        t.add(i % 2, x[i] ** 2)
    return t.sums[0] * t.sums[1] * len(t.seen)


def filled_in_a_long_loop(x):
    d = collections.defaultdict(list)
    d["all"] = []
    for v in x:
        d["all"].append(v * v)
    return np.sum(np.array(d["all"]) ** 2)


@pytest.mark.parametrize("f", [defaults, counters, setdefault_and_get, totals, filled_in_a_long_loop],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_dicts_with_defaults(f):
    everywhere(f, X, twice=f is defaults)
    at(f, X[::-1].copy())


def a_new_key_in_a_long_loop(x):
    d = collections.defaultdict(list)
    for v in x:
        d["all"].append(v * v)
    return sum(d["all"])


def read_before(x):
    d = collections.defaultdict(float)

    def size(e, v):
        return v + len(e)

    return x[0] * size(d, d["new"])


def of_a_function_that_has_returned(x):
    def make(s):
        return collections.defaultdict(lambda: s * 2.0)

    return make(x[0])["a"] * x[1]


def sums_of_counters(x):
    return x[0] * (collections.Counter("abca") + collections.Counter("ab"))["a"]


def updated_counter(x):
    c = collections.Counter("abca")
    c.update("ab")
    return x[0] * c["a"]


DEFAULTS_REFUSED = {
    a_new_key_in_a_long_loop: "make the item before the loop", read_before: "in an expression that has read it before",
    of_a_function_that_has_returned: "by a function of one that has returned",
    sums_of_counters: "operators of Counters", updated_counter: "adds to its items",
}  # fmt: skip


@pytest.mark.parametrize("f", DEFAULTS_REFUSED, ids=lambda f: f.__name__)
def test_defaults_that_are_refused(f):
    with pytest.raises(UnsupportedError, match=DEFAULTS_REFUSED[f]):
        grad(f)(X)
