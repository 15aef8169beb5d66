"""Right or refused: programs whose memory is shared, or changed where the compiler cannot see it.

Each either computes what Python computes, with the gradient of differences, or is refused. There is no third outcome.
"""

import dataclasses
import functools
import heapq
import linecache
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import grad, value_and_grad
from adcompiler.errors import DifferentiationError

X = np.array([1.5, 2.0, 3.0, 4.0])
W = np.array([1.0, -2.0, 3.0, 0.5])


def program(text: str) -> Callable[..., Any]:
    """The function `f` of a program, with its source at hand as in a notebook."""
    file = f"<program {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "W": W, "functools": functools}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def right_or_refused(f: Callable[..., Any]) -> None:
    try:
        expected = f(X.copy())
    except Exception:  # then nothing is asked of the gradient
        return
    x = X.copy()
    try:
        value, g = value_and_grad(f)(x)
    except DifferentiationError:
        return
    assert np.array_equal(x, X), "the argument was changed"
    assert np.allclose(value, expected, rtol=1e-13), "the value is wrong"
    for t in np.eye(4):
        difference = (f(X + 1e-6 * t) - f(X - 1e-6 * t)) / 2e-6
        assert abs(g @ t - difference) <= 1e-6 * max(1.0, abs(difference)), "the gradient is wrong"


# ------------------------------------------------------------------------------------------ two names for an array
ALIASES = """
y; y[:]; y[...]; y.T; y.reshape(2, 2); y.ravel(); np.ravel(y); np.real(y); y.real; np.asarray(y)
np.asarray(y, dtype=float); np.array(y); y.astype(float); y.astype(float, copy=False)
np.broadcast_to(y, (3, 4)); np.expand_dims(y, 0); y[None]; y[::-1]; np.squeeze(y); np.transpose(y)
np.swapaxes(np.outer(y, y), 0, 1); np.split(y, 2)[0]; y[[0, 1]]; y[y > 0]; np.flip(y); list(y)[0]; [y][0]
(y,)[0]; {'a': y}['a']; np.where(True, y, y); np.atleast_1d(y); np.atleast_2d(y); np.diag(y)
np.diag(np.outer(y, y)); y.copy(); +y; y + 0; np.concatenate([y]); np.stack([y]); y if x[0] > 0 else x
(lambda v: v)(y); [v for v in (y,)][0]; np.roll(y, 1); np.squeeze(y[None]); y.clip(0, 100)
np.moveaxis(np.outer(y, x), 0, 1); y.flatten(); y.squeeze(); np.conj(y); y.conj()
np.broadcast_arrays(y, x)[0]; np.nan_to_num(y); np.round(y); np.ascontiguousarray(y); y.view()
np.tile(y, 1); np.repeat(y, 1); np.array(y, copy=False); np.array(y, copy=None); np.array([y]); y or x
np.rot90(np.outer(y, y)); np.triu(y); sum([y]); sum([], y); sum((y,), 0); np.add(y, 0.0); np.maximum(y, y)
max((y,), key=len); [y, x][int(x[0])]; dict(a=y)['a']; next(iter([y])); [*[y]][0]; min([y]); tuple([y])[0]
y.flat; y.data; getattr(y, 'T'); np.asanyarray(y); np.array(y, ndmin=2)
"""
EXPRESSIONS = [e.strip() for line in ALIASES.strip().split("\n") for e in line.split(";")]


@pytest.mark.parametrize("update", ["y += 1.0", "a += 1.0", "y *= a", "a -= y"])
@pytest.mark.parametrize("alias", EXPRESSIONS)
def test_one_of_two_names_changes_in_place(alias: str, update: str) -> None:
    right_or_refused(
        program(f"def f(x):\n    y = x * 2.0\n    a = {alias}\n    {update}\n    return np.sum(a) * np.sum(y * W)\n")
    )


def program_default_of_a_lambda(x):
    y = x * 2.0
    f = lambda v=y: np.sum(v * W)
    y += 1.0
    return f()


def program_default_of_a_nested_function(x):
    y = x * 2.0

    def f(v=y):
        return np.sum(v * W)

    y += 1.0
    return f()


def program_closure(x):
    y = x * 2.0
    f = lambda: np.sum(y * W)
    y += 1.0
    return f()


def program_bound_method(x):
    y = x * 2.0
    dot = y.dot
    y += 1.0
    return dot(W)


def program_reversed(x):
    y = x * 2.0
    backwards = reversed(y)
    y += 1.0
    total = 0.0
    for v in backwards:
        total = total + v * v
    return total


def program_enumerate(x):
    y = x * 2.0
    numbered = enumerate(y)
    y += 1.0
    total = 0.0
    for i, v in numbered:
        total = total + v * v * i
    return total


def program_zip(x):
    y = x * 2.0
    pairs = zip(y, x)
    y += 1.0
    total = 0.0
    for u, v in pairs:
        total = total + u * v
    return total


def program_array_changes_while_it_is_read(x):
    y = x * 2.0
    total = 0.0
    for v in y:
        y += 1.0
        total = total + v * v
    return total


def program_rows_of_a_list(x):
    m = np.outer(x, x)
    rows = list(m)
    m += 1.0
    return np.sum(rows[0] * rows[1])


def program_unpacked_rows(x):
    m = np.outer(x[:2], x)
    first, second = m
    m += 1.0
    return np.sum(first * second)


def program_collected_rows(x):
    m = np.outer(x, x)
    rows = [row for row in m]
    m += 1.0
    return np.sum(rows[0] * rows[1])


def program_collected_alias(x):
    y = x * 2.0
    same = [y for _ in range(3)]
    y += 1.0
    return np.sum(same[0] * same[2])


def program_alias_of_one_iteration(x):
    y = x * 2.0
    previous = y
    total = 0.0
    for _ in range(3):
        y = y * 1.5
        total = total + np.sum(previous * W)
        previous = y
        y += 1.0
    return total


def program_alias_on_one_path(x):
    y = x * 2.0
    z = x * 3.0
    if x[0] > 0:
        z = y
    z += 1.0
    return np.sum(y * W) + np.sum(z)


def program_two_targets(x):
    y = z = x * 2.0
    y += 1.0
    return np.sum(z * W)


def program_walrus(x):
    z = (y := x * 2.0)
    y += 1.0
    return np.sum(z * W)


def program_partial(x):
    y = x * 2.0
    dot = functools.partial(np.dot, y)
    y += 1.0
    return dot(W)


def program_dict_of_aliases(x):
    y = x * 2.0
    d = {"y": y}
    y += 1.0
    return np.sum(d["y"] * W)


def program_swap(x):
    a = x * 2.0
    b = x * 3.0
    a, b = b, a
    a += 1.0
    return np.sum(a * W) + np.sum(b * b)


# ------------------------------------------------------------- what a call changes, and what is used up by reading
def program_list_append(x):
    ys = [x[0], x[1]]
    list.append(ys, x[2])
    return sum(ys)


def program_heapify(x):
    ys = [x[3], x[2], x[0]]
    heapq.heapify(ys)
    return ys[0] * 1.0


def program_setitem(x):
    ys = [x[3], x[2], x[0]]
    operator.setitem(ys, 0, 5.0)
    return ys[0] * x[1]


def program_setitem_of_an_array(x):
    y = x * 2.0
    operator.setitem(y, 0, 5.0)
    return np.sum(y * W)


def program_iadd(x):
    y = x * 2.0
    operator.iadd(y, 1.0)
    return np.sum(y * W)


def program_dict_update(x):
    d = {"a": x[0]}
    dict.update(d, a=x[1])
    return d["a"] * d["a"]


def program_sort_of_a_list_of_arrays(x):
    ys = [x, 2.0 * x]
    list.reverse(ys)
    return np.sum(ys[0] * W)


def program_zip_read_twice(x):
    pairs = zip(x, W)
    total = 0.0
    for u, v in pairs:
        total = total + u * v
    for u, v in pairs:
        total = total + u * v
    return total


def program_enumerate_read_twice(x):
    numbered = enumerate(x)
    total = 0.0
    for _, v in numbered:
        total = total + v * v
    for _, v in numbered:
        total = total + v * v
    return total


def program_map_read_twice(x):
    sizes = map(abs, (x[0], x[1]))
    return sum(sizes) + sum(sizes)


def program_reversed_read_twice(x):
    backwards = reversed([x[0], x[1]])
    return sum(backwards) + sum(backwards)


def program_items_read_twice(x):
    items = {"a": x[0], "b": x[1]}.items()
    return sum([v for _, v in items]) + sum([v for _, v in items])


# --------------------------------------------------------------------------------------------------- names
def program_lambda_in_a_comprehension(x):
    k = 10.0
    fs = [lambda v: v * k for k in (1.0, 2.0)]
    return fs[0](x[0]) * k


def program_lambda_in_a_loop(x):
    for k in (1.0, 2.0):
        f = lambda v: v * k
    k = 5.0
    return f(x[0])


def program_variable_of_a_comprehension(x):
    k = 10.0
    total = sum([k * x[0] for k in (1.0, 2.0)])
    return total * k


def program_free_variable_changes_later(x):
    k = 1.0
    f = lambda v: v * k
    k = 2.0
    return f(x[0])


def program_shadowed_builtin(x):
    sum = 3.0
    return x[0] * sum


PROGRAMS = {n.removeprefix("program_"): f for n, f in list(globals().items()) if n.startswith("program_")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    right_or_refused(PROGRAMS[name])


@pytest.mark.parametrize("change", [random.shuffle, list.reverse, list.clear])
def test_a_list_argument_that_a_call_changes(change: Callable[[list[float]], None]) -> None:
    def f(xs: Any) -> Any:
        change(xs)
        return xs[0] * 2.0

    xs = [1.0, 2.0, 3.0]
    with pytest.raises(DifferentiationError):
        grad(f)(xs)
    assert xs == [1.0, 2.0, 3.0]


# --------------------------------------------------------------------------------------- names that may lack a value
def assigns_on_one_path(x):
    if x[0] > 0:
        y = x * 2.0
    return np.sum(y)


def assigns_a_number_on_one_path(x):
    if x[0] > 0:
        y = 2.0
    return np.sum(x) * y


def assigns_in_a_loop(x):
    for v in x:
        y = v * v
    return y


def assigns_in_a_while(x):
    z = x[0]
    while 0.0 < z < 10.0:
        y = z * z
        z = y + 1.0
    return y


@pytest.mark.parametrize(
    "f, with_value, without",
    [
        (assigns_on_one_path, X, -X),
        (assigns_a_number_on_one_path, X, -X),
        (assigns_in_a_loop, X, X[:0]),
        (assigns_in_a_while, X, -X),
    ],
)
def test_a_name_without_value(f: Callable[..., Any], with_value: Any, without: Any) -> None:
    """Refused, or right where there is a value and Python's own error where there is none."""
    with pytest.raises(UnboundLocalError):
        f(without)
    try:
        value, _ = value_and_grad(f)(with_value)
    except DifferentiationError:
        return
    assert value == f(with_value)
    with pytest.raises(UnboundLocalError):
        grad(f)(without)


# ----------------------------------------------------------------------------- objects that stand for an argument
@dataclasses.dataclass(frozen=True)
class Named:
    """Equal to its like whatever the weights."""

    name: str
    w: Any = dataclasses.field(compare=False)


@dataclasses.dataclass
class Shown:
    """Not hashable; a long array is shown with its middle left out."""

    w: Any


def weighted(x: Any, holder: Any) -> Any:
    return np.sum(x * holder.w)


def test_equal_objects_with_different_fields() -> None:
    g = grad(weighted)
    assert np.array_equal(g(X, Named("a", X)), X)
    assert np.array_equal(g(X, Named("a", 2 * X)), 2 * X)


def test_objects_that_look_the_same() -> None:
    g = grad(weighted)
    x, w = np.ones(3000), np.zeros(3000)
    v = w.copy()
    v[1500] = 1.0
    assert repr(Shown(v)) == repr(Shown(w))
    assert np.array_equal(g(x, Shown(w)), w)
    assert np.array_equal(g(x, Shown(v)), v)


def test_an_object_whose_fields_change() -> None:
    class Holder:
        def __init__(self) -> None:
            self.w, self.k, self.squared = X, 2.0, True

    def f(x: Any, h: Any) -> Any:
        return h.k * np.sum(x * x * h.w) if h.squared else np.sum(x * h.w)

    h, g = Holder(), grad(f)
    assert np.allclose(g(X, h), 4.0 * X * X)
    h.w = W
    assert np.allclose(g(X, h), 4.0 * X * W)
    h.k = 3.0
    assert np.allclose(g(X, h), 6.0 * X * W)
    h.squared = False
    assert np.allclose(g(X, h), W)
