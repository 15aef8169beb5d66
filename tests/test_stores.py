"""Stores into arrays, lists and dicts: `a[i] = v`, `a[i] += v`, `a += v`, against differences; what is not ours is
refused or left alone."""

import collections
import copy

import numpy as np
import pytest

from adcompiler import UnsupportedError, check_grad, grad, value_and_grad
from adcompiler.compile import interpret

X = np.array([0.5, 1.5, -1.0, 2.0, 0.8])
A = np.outer(X, np.cos(X[:4])) + 0.3
INDEX = np.array([0, 2, 2, 1])


def element(x):
    y = np.zeros(3)
    y[0] = x[1] * x[2]
    y[-1] = x[0]
    return np.sum(y * y * y) + y[0]


def slices(x):
    y = x * 1.0
    y[1:3] = x[:2] * x[0]
    y[::2] = 3.0
    y[-2:] = x[-1]
    return np.sum(y * y)


def overlapping(x):
    x[1:] = x[:-1]
    x[:-1] += x[1:] * x[1:]
    x[::-1] -= 0.5 * x
    return np.sum(x * np.arange(5.0))


def whole(x):
    y = np.empty(5)
    y[:] = x * x
    z = np.empty_like(y)
    z[...] = y[0]
    y[:] = y + z
    return np.sum(y * z)


def augmented(x):
    y = x * x
    y[0] += x[1]
    y[1] -= x[2]
    y[2:4] *= x[0]
    y[2] /= x[3]
    y[3] **= 2
    y[1:] += 1.0
    y[4] *= y[0]
    y += x
    y *= x[0]
    return np.sum(np.sin(y))


def rows_and_columns(A):
    B = np.zeros((4, 5))
    B[0] = A[:, 0]
    B[:, 1] = A[2]
    B[1:3, 2:4] = A[:2, :2].T
    B[-1, ...] += A[:, 1]
    B[:, None, 0] *= 2.0
    return np.sum(B * B)


def through_views(A):
    B = A * 1.0
    B[1:][::2] *= 3.0
    B.T[0] = A[:, 1]
    B[1][2] = A[0, 0]
    B[1:].T[0][1:] -= A[0, 1]
    return np.sum(B * B)


def broadcast(A, x):
    B = np.ones((5, 4))
    B[:2] = A[0]
    B[2:4] += x[0]
    B[:, :] *= x[:, None]
    B[4:] = A[4:5, :1]
    return np.sum(B * B)


def masks(x):
    y = x * 2.0
    y[x > 0.6] = x[0]
    y[y < 0] *= x[1]
    y[x > 0] += x[x > 0]
    return np.sum(y * y)


def gathered(x):
    y = np.zeros(4)
    y[INDEX] = x[:4] * x[:4]
    y[INDEX] += x[1:]
    y[[0, 3]] *= x[0]
    return np.sum(y * np.array([1.0, 2.0, 3.0, 4.0]))


def gathered_from_one(x):
    y = x * 1.0
    y[INDEX] = x[0] * x[1]
    return np.sum(y * X)


def gathered_rows(A):
    B = np.zeros((3, 4))
    B[INDEX[:2]] = A[:2]
    B[INDEX, INDEX] -= A[0]
    B[np.array([True, False, True])] *= A[1, 1]
    return np.sum(B * B)


def recurrence(x, a):
    h = np.zeros(len(x))
    h[0] = x[0]
    for i in range(1, len(x)):
        h[i] = a * h[i - 1] + x[i]
    return np.sum(h * h)


def stencil(u, dt):
    for _ in range(3):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def swapped_buffers(u, dt):
    new = np.zeros_like(u)
    for _ in range(3):
        new[1:-1] = u[1:-1] + dt * (u[2:] * u[:-2])
        u, new = new, u
    return np.sum(u**2) + u[1] * new[2]


def views_that_are_done_with(u, dt):
    for _ in range(3):
        left = u[:-2]
        right = u[2:]
        u[1:-1] = dt * (left * right)
    return np.sum(u**2)


def matrix_in_loops(A):
    n, m = A.shape
    B = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if (i + j) % 2:
                B[i, j] = A[i, j] ** 2
            else:
                B[i, j] -= A[i, j] * B[i - 1, j]
    return np.sum(np.sin(B))


def cholesky(A):
    S = A[:4] @ A[:4].T + 4.0 * np.eye(4)
    L = np.zeros((4, 4))
    for j in range(4):
        L[j, j] = np.sqrt(S[j, j] - np.sum(L[j, :j] ** 2))
        for i in range(j + 1, 4):
            L[i, j] = (S[i, j] - np.sum(L[i, :j] * L[j, :j])) / L[j, j]
    return np.sum(L * np.cos(L))


def elimination(A):
    M = A[:4] + 3.0 * np.eye(4)
    for k in range(3):
        M[k + 1 :, k] /= M[k, k]
        M[k + 1 :, k + 1 :] -= np.outer(M[k + 1 :, k], M[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diag(M))))


def in_branches(x, c):
    y = x * 1.0
    if c:
        y[0] = x[1] ** 2
    else:
        y[1:] *= x[0]
        y[2] = 0.0
    if x[0] > 0:
        y[3] += y[0] * y[1]
    return np.sum(y * y)


def in_a_while(x, c):
    y = np.zeros_like(x)
    k = 0
    while k < 4 and np.sum(y) < 5:
        y[k] = x[k] * x[k + 1]
        y[k + 1] += y[k]
        k += 1
    return np.sum(y * y)


def no_trips(x, n):
    y = x * x
    for i in range(n):
        y[i] = 0.0
    y[n:n] = 1.0
    return np.sum(y)


def argument_and_result(x):
    x[0] = 2.0 * x[1]
    y = x * x
    x[1] += y[0]
    return np.sum(x) * y[1]


def argument_in_place(x):
    x *= x
    x += 1.0
    return np.sum(x * x)


def tuple_of_places(x):
    y = np.zeros(3)
    y[0], y[1] = x[0] * x[1], x[2]
    y[0], y[1] = y[1], y[0]
    y[2] = z = x[3] * x[0]
    return y[0] * 3.0 + y[1] ** 2 + y[2] * z


def overwritten_poles(x):
    y = np.log(np.abs(x - 1.5))
    y[1] = 0.0
    z = np.sqrt(np.abs(x - 0.5))
    z[0] = x[1]
    return np.sum(y) + np.sum(z)


def table_of_ints(x):
    k = np.zeros(3, dtype=int)
    k[1] = 2
    k[2] += 1
    y = x * x
    y[k] = x[:3]
    return np.sum(y * X)


def read_after_a_store(x):
    y = x * 1.0
    s = y[0] * y[1]
    part = y[1:3].copy()
    y[0] = s
    y[1:3] = part * y[0]
    return np.sum(y) * s + np.sum(part)


def dict_items(p, x):
    p["b"] = np.sum(x)
    p["W"][0] = p["b"] * x[0]
    p["W"] *= x[1]
    p["new"] = {"a": x}
    p["new"]["a"][1:] += p["W"][0]
    return np.sum(p["W"] ** 2) + p["b"] + np.sum(p["new"]["a"])


def list_items(x):
    q = [x[0], x * 2.0, (x * 1.0, 3.0)]
    q[0] = q[0] * x[1]
    q[-2][1:] = q[0]
    q[2][0][0] += x[2]
    for i in range(3):
        q[1][i] += x[i] * q[0]
        q[0] += 1.0
    return q[0] * np.sum(q[1]) + np.sum(q[2][0])


def of_a_helper(x):
    def smooth(y, k):
        z = np.zeros_like(y)
        z[k:] = y[k:] * y[: len(y) - k]
        return z

    z = smooth(x, 1)
    z[0] = smooth(z, 2)[3]
    return np.sum(z * z)


def three_dimensions(A):
    C = np.zeros((2, 5, 4))
    C[0] = A
    C[1, :, ::2] = A[:, ::2] * A[:, 1::2]
    C[:, 1:, 1] -= C[:, :-1, 0]
    C[..., 3] *= A[0, 0]
    C[1, INDEX, INDEX] = A[1]
    return np.sum(C * C)


PROGRAMS = [
    (element, (X,)),
    (slices, (X,)),
    (overlapping, (X,)),
    (whole, (X,)),
    (augmented, (X,)),
    (rows_and_columns, (A,)),
    (through_views, (A,)),
    (broadcast, (A, X)),
    (masks, (X,)),
    (gathered, (X,)),
    (gathered_from_one, (X,)),
    (gathered_rows, (A,)),
    (recurrence, (X, 0.7)),
    (stencil, (X, 0.1)),
    (swapped_buffers, (X, 0.1)),
    (views_that_are_done_with, (X, 0.7)),
    (matrix_in_loops, (A,)),
    (cholesky, (A,)),
    (elimination, (A,)),
    (in_branches, (X, 0)),
    (in_branches, (X, 1)),
    (in_a_while, (X, 1)),
    (no_trips, (X, 0)),
    (no_trips, (X, 2)),
    (argument_and_result, (X,)),
    (argument_in_place, (X,)),
    (tuple_of_places, (X,)),
    (overwritten_poles, (X,)),
    (table_of_ints, (X,)),
    (read_after_a_store, (X,)),
    (dict_items, ({"W": X * 1.0, "b": 2.0}, X)),
    (list_items, (X,)),
    (of_a_helper, (X,)),
    (three_dimensions, (A,)),
]
NAMES = [f"{f.__name__}-{i}" for i, (f, _) in enumerate(PROGRAMS)]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_gradients_against_differences(f, args):
    args = copy.deepcopy(args)
    value = f(*copy.deepcopy(args))
    assert interpret(f, args) == value
    assert value_and_grad(f)(*args)[0] == value
    check_grad(f, *args)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_arguments_and_earlier_results_are_left_alone(f, args):
    before = copy.deepcopy(args)
    compiled = value_and_grad(f)
    first = compiled(*args)
    kept = copy.deepcopy(first)
    compiled(*args)
    for a, b in zip(_leaves((args, first)), _leaves((before, kept)), strict=True):
        assert np.array_equal(a, b)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # at poles that a store covers
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_second_derivatives_against_differences(f, args):
    def projected(x, *rest):
        d = grad(f)(x, *rest)
        return np.sum(np.sin(d)) if f is not dict_items else np.sum(np.sin(d["W"]))

    check_grad(projected, *args, argnums=0)


def _leaves(tree):
    if isinstance(tree, tuple | list):
        return [leaf for x in tree for leaf in _leaves(x)]
    return [leaf for x in tree.values() for leaf in _leaves(x)] if isinstance(tree, dict) else [tree]


@pytest.mark.parametrize("f", [slices, augmented, recurrence, stencil, masks, gathered])
def test_single_precision_stays(f):
    args = (X.astype(np.float32), *([0.5] if f in (recurrence, stencil) else []))
    d = grad(f)(*args)
    assert d.dtype == np.float32
    assert np.allclose(d, grad(f)(X, *args[1:]), rtol=1e-4, atol=1e-4)


def into_single(x):
    y = np.zeros(3, dtype=np.float32)
    y[:] = x[:3]
    y[0] += x[1]
    return np.sum(y * y)


def test_a_store_casts():
    d = grad(into_single)(X)
    assert d.dtype == np.float64
    assert np.allclose(d, [4.0, 7.0, -2.0, 0.0, 0.0])
    assert value_and_grad(into_single)(X)[0].dtype == np.float32


def two(a, b):
    a[0] = b[1]
    return np.sum(a * b)


def test_arguments_that_share_memory_are_refused_where_one_is_written():
    x = X * 1.0
    check_grad(two, x[:2], x[3:])
    compiled = grad(two)
    for a, b in ((x, x), (x[:3], x[2:]), (x, x[::-1])):
        with pytest.raises(ValueError, match="shares memory"):
            compiled(a, b)
    assert np.array_equal(x, X)


def after_a_branch(x, c):
    y = x * 1.0
    z = y if c else x * 2.0
    y[0] = 0.0
    return np.sum(y * z)


def on_the_way_round(x):
    y = x * 1.0
    z = x * 2.0
    for _ in range(3):
        y[0] = z[1]
        z = y
    return np.sum(y * z)


def same_dict_in_a_loop(p):
    q = p
    for _ in range(2):
        p["b"] = p["b"] * 2.0
    return q["b"] * np.sum(p["W"])


def same_list_after_a_branch(x, c):
    u = [x[0], x[1]]
    v = [x[2], x[3]]
    w = u if c else v
    w[0] = 1.0
    return u[0] * v[0]


def global_array(x):
    X[0] = x[0]
    return np.sum(X * x)


def alias_of_a_global(x):
    y = X
    y[0] = x[0]
    return np.sum(X * x)


@pytest.mark.parametrize(
    ("f", "args", "words"),
    [
        (after_a_branch, (X, 1), "y may share memory with z"),
        (on_the_way_round, (X,), "y may share memory"),
        (same_dict_in_a_loop, ({"W": X, "b": 1.0},), "p may be the same dict as q"),
        (same_list_after_a_branch, (X, 1), "w may be the same list as u"),
        (global_array, (X,), "X is not a local variable"),
        (alias_of_a_global, (X,), "y may share memory"),
    ],
)
def test_what_another_name_may_see_is_refused(f, args, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(*args)


def test_a_view_that_cannot_be_written_is_kept_as_it_was():
    def f(a, b):
        x = a * 2.0
        y = np.broadcast_to(x, (2, 3))
        s = np.sum(y * b)
        x[0] = 5.0
        return s * np.sum(x)

    a, b = np.arange(3.0), np.ones((2, 3))
    np.testing.assert_array_equal(grad(f, 1)(a, b), np.tile([0.0, 22.0, 44.0], (2, 1)))


def two_dicts(p, q):
    p["b"] = p["b"] * 2.0
    return q["b"] * p["b"]


def one_in_another(p):
    p["u"]["b"] = p["u"]["b"] * 2.0
    return p["v"]["b"] * p["u"]["b"]


TABLE = {"b": 3.0}


def global_dict(p):
    p["b"] = p["b"] * 2.0
    return TABLE["b"] * p["b"] * TABLE["b"]


def global_dict_read_before(p):
    b = TABLE["b"]
    p["b"] = p["b"] * 2.0
    return b * p["b"] * TABLE["b"]


def gradient_of_two_dicts(p):
    return grad(two_dicts)(p, p)["b"]


def other_keys(p, q):
    p["b"] = p["b"] * 2.0
    return q["c"] * p["b"]


def done_with(p, q):
    c = q["b"]
    p["b"] = p["b"] * c
    return p["b"] * c


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (two_dicts, ({"b": 3.0}, {"b": 2.0})),
        (one_in_another, ({"u": {"b": 3.0}, "v": {"b": 2.0}},)),
        (global_dict, ({"b": 3.0},)),
        (global_dict_read_before, ({"b": 3.0},)),
        (gradient_of_two_dicts, ({"b": 3.0},)),
    ],
)
def test_dicts_of_the_caller_that_may_be_one_are_refused_where_one_is_changed(f, args):
    with pytest.raises(UnsupportedError, match="may be the same dict as"):
        grad(f)(*args)


@pytest.mark.parametrize("f", [other_keys, done_with])
def test_dicts_of_the_caller_that_cannot_interfere_may_be_changed(f):
    p, q = {"b": 3.0}, {"c": 2.0} if f is other_keys else {"b": 2.0}
    check_grad(f, p, q)
    assert p == {"b": 3.0}


def test_what_an_opaque_call_keeps_is_not_written():
    """What is passed is an array of its own for the user: `s * 1.0` is s to the compiler."""
    seen = collections.deque()
    keep = seen.append  # which nobody can see into

    def f(x):
        s = np.sin(x)
        keep(s * 1.0)
        s[0] = 2.0
        s += x
        return np.sum(s * s * x)

    for reuse in (True, False):
        seen.clear()
        grad(f, reuse=reuse)(X)
        np.testing.assert_array_equal(seen, [np.sin(X)])


def test_what_a_rule_gives_is_not_written_where_rules_are_called():
    """The cotangent of a sum is a read-only view, and that of an addition is the cotangent itself."""

    def f(x):
        u = x * 2.0
        u[1] += x[2]
        u = u + u
        return np.sum(u)

    np.testing.assert_array_equal(grad(f, inline=False)(X), grad(f)(X))
