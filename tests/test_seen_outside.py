"""Arrays that are seen outside of a compiled function are as many as the function makes: none is another one."""

import collections

import numpy as np
import pytest

from adcompiler import grad, jvp, value_and_grad, vjp

X = np.linspace(0.2, 1.7, 4)


def times_one(x):
    y = np.tanh(x)
    return np.sum(x * y), {"a": y * 1.0, "b": y, "c": 1 * x}


def plus_zero(x):
    return np.sum(x * x), (x + 0.0, 0 + x, x - 0.0, x / 1.0)


def minus_minus(x):
    y = np.sin(x)
    return np.sum(y * y), [-(-y), y, -(-x)]


def views_of_copies(x):
    return np.sum(x), ((x[1:] * 1.0).T, (x * 1.0)[::2], x[::-1].T * 1)


def computed_twice(x):
    return np.sum(np.cos(x)), (np.cos(x), np.cos(x), 2.0 * (0.5 * x))


def in_a_branch(x):
    y = x * 1.0 if x[0] > 0 else x + 1.0
    return np.sum(y * y), y


def leaves(tree):
    if isinstance(tree, dict):
        return leaves(list(tree.values()))
    return [v for x in tree for v in leaves(x)] if isinstance(tree, list | tuple) else [tree]


@pytest.mark.parametrize(
    "f", [times_one, plus_zero, minus_minus, views_of_copies, computed_twice, in_a_branch], ids=lambda f: f.__name__
)
def test_what_is_returned_shares_no_more_memory_than_the_function_lets_it(f):
    def aux(x):
        return f(x)[1]

    found = [
        grad(f, has_aux=True)(X)[1],
        value_and_grad(f, has_aux=True)(X)[0][1],
        jvp(aux, (X,), (np.ones(4),))[0],
        vjp(aux, X)[0],
    ]
    for arrays in map(leaves, found):
        wanted = leaves(f(X)[1])
        for i, (a, b) in enumerate(zip(arrays, wanted, strict=True)):
            np.testing.assert_array_equal(a, b)
            assert np.shares_memory(a, X) <= np.shares_memory(b, X)
            for c, d in zip(arrays[:i], wanted[:i], strict=True):
                assert np.shares_memory(a, c) <= np.shares_memory(b, d)


def test_what_a_call_keeps_is_not_the_argument():
    seen = collections.deque()
    keep = seen.append  # which nobody can see into

    def f(x):
        keep(x * 1.0)
        return np.sum(x * x)

    grad(f)(X)
    assert not np.shares_memory(seen[0], X)
