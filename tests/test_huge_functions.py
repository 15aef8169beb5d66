"""Functions of hundreds of lines: what compiling them costs grows as they do. Counted, never timed."""

import cProfile
import itertools
import linecache

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.frontend import source
from adcompiler.passes import bufferize, dce, growing

from .counting import compiled
from .numerics import assert_close, differences

RNG = np.random.default_rng(0)
X, W = 0.5 * RNG.normal(size=(2, 6))
_numbers = itertools.count()


def function(*lines):
    """`f(x, w)` with these lines as its body."""
    file = f"<huge {next(_numbers)}>"
    text = "\n    ".join(["def f(x, w):", *lines]) + "\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"np": np}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def straight(n):
    sums = [f"a{i} = np.sin(a{i - 1}) * w + a{max(0, i - 3)} / (2 + x * x)" for i in range(1, n)]
    return function("a0 = x * w", *sums, f"return np.sum(a{n - 1})")


def stores(n):
    block = ["u[0] = v[1] * u[2]", "v[1:] += 0.1 * u[:-1]", "u *= np.cos(v)", "t = u[1:] * v[:-1]", "u[:-1] += 0.1 * t"]
    return function("u = x.copy()", "v = 2 * w", *n * block, "return np.sum(u * v)")


def branches(n):
    block = ["if s > 0.5:", "    u[1] = s", "else:", "    v[0] += u[2]", "for k in range(3):", "    u[k] *= v[k + 1]",
             "    s = s + u[k]"]  # fmt: skip
    return function("u = x.copy()", "v = w.copy()", "s = np.sum(x)", *n * block, "return np.sum(u * v) + s")


def carried(n):
    """Loops that write into as many arrays as there are."""
    made = [f"u{i} = x * {i + 1}.0" for i in range(n)]
    first = [f"    u{i}[k] = u{(i + 1) % n}[k + 1] * w[k] + u{i}[k]" for i in range(n)]
    second = [f"    u{i}[k + 1] += np.sin(u{(i + 3) % n}[k])" for i in range(n)]
    loop = "for k in range(4):"
    return function(*made, loop, *first, loop, *second, f"return np.sum({' + '.join(f'u{i}' for i in range(n))})")


def lists(n):
    """Loops that append to as many lists as there are, that read them, and that pop from them."""
    made = [f"a{i} = [x * {i + 1}.0]" for i in range(n)]
    appended = [f"    a{i}.append(a{i}[-1] * w)" for i in range(n)]
    read = [line for i in range(n) for line in (f"for r in a{i}:", "    s = s + np.sum(r * r)")]
    popped = [f"    s = s + np.sum(a{i}.pop() * w)" for i in range(n)]
    return function(*made, "for k in range(3):", *appended, "s = 0.0", *read, "for k in range(2):", *popped, "return s")


def nested(depth):
    """Loops in one another, each of which carries a sum of its own."""
    lines = ["s0 = x[0]"]
    for d in range(1, depth):
        lines += ["    " * (d - 1) + f"for i{d} in range(2):", "    " * d + f"s{d} = s{d - 1} * w[{d % 6}]"]
    for d in reversed(range(1, depth)):
        lines.append("    " * d + f"s{d - 1} = np.sin(s{d})")
    return function(*lines, "return s0")


def counted_calls(f, patch, owner, name):
    """How often compiling the gradient calls a function of ours."""
    calls = [0]
    original = getattr(owner, name)

    def counting(*args, **kwargs):
        calls[0] += 1
        return original(*args, **kwargs)

    with patch.context() as p:
        p.setattr(owner, name, counting)
        text = compiled(f, X, W, argnums=("x", "w")).text
    return calls[0], text


def calls_of_any(f):
    """How many calls, of Python and of C, compiling the gradient makes."""
    profile = cProfile.Profile()
    profile.runcall(compiled, f, X, W, argnums=("x", "w"))
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("make", [straight, stores, branches, carried, lists])
def test_the_gradient_of_a_long_function_is_right(make):
    f = make(5)
    for i in range(2):
        assert_close(grad(f, argnums=i)(X, W), differences(f, (X, W), i))


@pytest.mark.parametrize("make", [stores, carried, branches])
def test_many_copies_are_decided_on_in_one_round(make, monkeypatch):
    few, some = counted_calls(make(5), monkeypatch, bufferize._Owner, "repaired")
    many, more = counted_calls(make(20), monkeypatch, bufferize._Owner, "repaired")
    assert more.count("copy(") >= some.count("copy(") + 10, "or nothing has to be decided on"
    assert few == many <= 3


def test_many_lists_are_copied_in_one_round(monkeypatch):
    few, some = counted_calls(lists(2), monkeypatch, growing, "_copied_inits")
    many, more = counted_calls(lists(6), monkeypatch, growing, "_copied_inits")
    assert (some.count("list("), more.count("list(")) == (2, 6)
    assert few == many == 2


@pytest.mark.parametrize("make", [straight, stores, branches, carried, lists])
def test_the_calls_that_compiling_takes_grow_with_the_function(make):
    few, some, many = (calls_of_any(make(n)) for n in (4, 7, 13))  # which are compiled nowhere else
    assert many - some < 2.4 * (some - few)


def test_liveness_visits_a_loop_as_often_at_any_depth(monkeypatch):
    few, some, many = (counted_calls(nested(n), monkeypatch, dce, "_mark")[0] for n in (3, 5, 7))
    assert many - some == some - few


def test_a_function_is_compared_with_its_text_once_for_all_calls_of_it(monkeypatch):
    def comparisons(n):
        f = function("y = x", *n * ["y = np.sin(y) + h(y, w)"], "return np.sum(y)")
        f.__globals__["h"] = function("return x * w")
        return counted_calls(f, monkeypatch, source, "_operators")[0]

    assert comparisons(2) == comparisons(8) > 0
