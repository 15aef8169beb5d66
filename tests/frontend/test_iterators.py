"""Iterators and views of dicts read what they are of when they are read: right, or refused."""

import functools
import itertools

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad

from ..numerics import check

X = np.array([0.3, 0.7, 1.1])


def zipped(x):
    ys = [x[0], x[1]]
    z = zip(ys, [1.0, 2.0])
    ys[0] = x[2]
    return sum([a * b for a, b in z])


def numbered(x):
    ys = [x[0], x[1]]
    z = enumerate(ys)
    ys[0] = x[2]
    return sum([a * i for i, a in z])


def turned(x):
    ys = [x[0], x[1]]
    z = reversed(ys)
    ys[1] = x[2]
    return functools.reduce(lambda a, b: 2.0 * a + b, z)


def longer(x):
    ys = [x[0], x[1]]
    z = zip(ys, [1.0, 2.0, 3.0])
    ys.append(x[2])
    return sum([a * b for a, b in z])


def longer_of_any_length(x):
    ys = [v * 2.0 for v in x]
    z = map(abs, ys)
    ys.append(x[2])
    return sum(z)


def mapped(x):
    ys = [x[0], x[1]]
    z = map(lambda v: v * v, ys)
    ys[0] = x[2]
    return sum(z)


def of_an_array(x):
    y = x.copy()
    z = itertools.accumulate(y)
    y[0] = x[1] * x[2]
    return sum(z)


def items(x):
    d = {"a": x[0], "b": x[1]}
    z = d.items()
    d["a"] = x[2]
    return sum([v * v for _, v in z])


def values(x):
    d = {"a": x[0]}
    z = d.values()
    d["b"] = x[2]
    return sum([v * v for v in z])


def kept_by_a_partial(x):
    y = x * 2.0
    product = functools.partial(np.dot, y)
    y += 1.0
    return product(x)


def in_a_branch(x):
    if x[0] > 0.0:
        z = zip([x[0] * 2.0], [x[1]])
    return sum([a * b for a, b in z])


def in_a_loop(x):
    for i in range(2):
        scaled = functools.partial(lambda a, b: a * b, x[0] * i)
    return scaled(x[1])


def method_in_a_loop(x):
    for _ in range(2):
        y = x * 2.0
        total = y.sum
    return total()


REFUSED = [zipped, numbered, turned, longer, longer_of_any_length, mapped, of_an_array, items, values,
           kept_by_a_partial, in_a_branch, in_a_loop, method_in_a_loop]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_what_is_changed_before_it_is_read(f):
    with pytest.raises(UnsupportedError, match="in place|made (on one path|in the loop)"):
        grad(f)(X)


# ------------------------------------------------------------------------------------------------ right
def a_variable_of_the_function(x):
    c = 2.0
    z = map(lambda v: v * c, x)
    c = x[0]
    return sum(z)


def a_list_that_is_made_anew(x):
    ys = [x[0], x[1]]
    z = zip(ys, ys)
    ys = [x[2], x[2]]
    return sum([a * b for a, b in z]) + ys[0]


def changed_when_it_has_been_read(x):
    ys = [x[0], x[1]]
    z = zip(ys, ys)
    total = sum([a * b for a, b in z])
    ys[0] = x[2]
    return total + ys[0] * ys[1]


def copies(x):
    d = {"a": x[0], "b": x[1]}
    before = list(d.values())
    d["a"] = x[2]
    return sum(before) * sum(d.values())


def views(x):
    d = {"a": x[0] * 2.0, "b": x[1]}
    total = 0.0
    for k, v in d.items():
        total += v * len(d.items()) + (d[k] if "a" in d.keys() else 0.0)
    return total + max(d.values()) + sum([d[k] for k in sorted(d)])


def arrays_in_a_dict(x):
    d = {"a": x.copy(), "b": x * 2.0}
    for k in d.keys():
        d[k] = d[k] * d[k]
    for v in d.values():
        v[0] = x[1]
    return sum(np.sum(v) for v in d.values())


def nested(x):
    pairs = list(zip(x, map(np.sin, x)))
    first, second = zip([x[0], x[1]], [x[1], x[2]])
    named = dict(zip(["a", "b", "c"], x))
    return sum([a * b for a, b in pairs]) + first[0] * second[1] + named["a"] * named["c"]


def ordered(x):
    falling = sorted(x, reverse=True)
    return sum([v * k for k, v in enumerate(falling)]) + sorted([x[0], x[2], x[1]])[1] ** 2


RIGHT = [a_variable_of_the_function, a_list_that_is_made_anew, changed_when_it_has_been_read, copies, views,
         arrays_in_a_dict, nested, ordered]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT)
def test_gradients(f):
    check(f, X, argnums=(0,))
