"""Arrays with several names: second names, views, containers, helpers that write, loops; against differences."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, vjp
from tests.numerics import check

X = np.array([1.5, 2.0, 3.0, 4.0])
W = np.array([1.0, -2.0, 3.0, 0.5])
A = np.outer(X, np.cos(X[:3])) + 0.3


def names_of_one_array(x):
    b = x * 1.0
    a = b
    a[0] = 3 * x[1]
    b[1] *= 2
    a += x
    return np.sum(a * b * b)


def base_and_view(x):
    y = x * 2
    z = y[1:]
    y[1] = 0.0
    z[2] *= x[0]
    return np.sum(y * y) + z[0] + np.sum(z * z * z)


def view_of_a_view(x):
    a = x * 2
    b = a[1:]
    c = b[1:]
    c[0] = 7.0 * x[0]
    b[0] = x[3]
    a *= x
    c -= b[1]
    return np.sum(a) + np.sum(b * b) + np.sum(c * c * c)


def reversed_view(x):
    u = x * 2
    v = u[::-1]
    for i in range(len(v)):
        v[i] = v[i] * u[0]
    return np.sum(u * x)


def view_without_a_named_base(x):
    b = (x * x)[1:]
    b[0] = x[0]
    b = b[1:]
    b[0] *= 3.0
    return np.sum(b * b)


def transposed(x):
    m = np.outer(x, x)
    r = m.T[1:]
    r[0] = x
    t = m.T
    t *= 2.0
    t[0] += m[1]
    return np.sum(m * m * m)


def other_permutations(A):
    b = A * A
    s = np.swapaxes(b, 0, 1)
    s[0] = b[:, 1] * 2.0
    m = np.moveaxis(b, 0, 1)
    m[1] -= s[2]
    f = np.flip(b, 0)
    f[0] *= b[0]
    e = np.expand_dims(b, 0)
    e[0, 1] += 1.0
    q = np.squeeze(e)
    q[2] = e[0, 0]
    return np.sum(b * b * A)


def of_no_axes(x):
    s = np.array(x.sum())
    t = s
    s += np.exp(0.5)
    t *= x[0] * np.float64(0.25)
    np.multiply(s, np.float64(0.5), out=t)
    s[...] -= x[1]
    return s * t


def with_new_axes(x):
    y = x * 2.0
    v = y[None]
    v[0, 1] = x[0]
    w = v[:, None]
    w *= x
    y[..., None][2] += x[3]
    v[None][0, 0, 0] *= x[1]
    return np.sum(v * y * w)


def flattened(x):
    m = np.zeros((2, 2))
    f = m.reshape(-1)
    f[:] = x
    f[1] *= x[0]
    m[1] += f[:2]
    return np.sum(m @ m) + f[3]


def flattened_in_a_loop(x):
    m = np.zeros((2, 2))
    f = m.ravel()
    for i in range(4):
        f[i] = x[i] * x[i - 1]
    return np.sum(m @ m)


def read_only_views(A):
    b = A * 1.0
    d = np.diagonal(b)
    c = np.broadcast_to(b[0], (2, 3))
    first, second = np.split(b, 2)
    b[0, 0] = A[1, 1] * 5.0
    b[2] = b[1]
    return np.sum(d * d) + np.sum(c * c * c) + np.sum(first * second)


def parts_of_complex(x):
    z = x + 1j * x[::-1]
    re = z.real
    z[1] = 2.0 * x[0]
    return np.sum(re * re) + np.sum(z.imag)


def results_smaller_than_out(x):
    m = np.outer(x, x)
    np.multiply(x, 0.5, out=m[1:3])
    np.sin(m[:, :1], m[:2].T)
    np.exp(x[0], out=m[3])
    part = m[x > 3.5]  # one row, which only shows when it runs
    np.cos(part, out=m[2:])
    return np.sum(m * m * x)


# -------------------------------------------------------------------------------------------- containers, closures
def in_a_dict(x):
    d = {"u": x * 2, "v": x * 3}
    u = d["u"]
    u[1] = 5 * x[0]
    d["v"] += u
    d["u"][2] = d["v"][0]
    return np.sum(d["u"] * d["v"]) + u[2]


def in_a_list_and_a_tuple(x):
    y = x * 2.0
    both = [y, (x, y)]
    y += 1.0
    both[1][1][0] = x[2]
    return np.sum(both[0] * y) + both[1][1][0]


def two_names_of_a_list(x):
    p = [x * 1.0, x * 2.0]
    q = p
    p[0][1] = x[3]
    q[1][0] *= p[0][1]
    return np.sum(q[0] * p[1])


def in_a_closure(x):
    def total():
        return np.sum(y * y * x)

    y = x * 2.0
    z = y
    z[0] = x[3]
    return total() + z[0]


def made_by(u):
    def total():
        return np.sum(u * u)

    return total


def in_a_closure_that_outlives_its_frame(x):
    u = x * 2
    total = made_by(u)
    u[0] = 0.0
    return total()


def in_a_list_of_closures(x):
    u = x * 2
    made = [made_by(u), made_by(x)]
    u[1] = x[0]
    return made[0]() * made[1]()


# ---------------------------------------------------------------------------------------------------------- swaps
def swapped_elements(x):
    a = x * 1.0
    i, j = 0, 2
    t = a[i]
    a[i] = a[j]
    a[j] = t
    a[0], a[3] = a[3], a[0]
    return np.sum(a * W)


def swapped_rows_through_a_view(A):
    b = A * A
    t = b[0]
    b[0] = b[2]
    b[2] = t
    return np.sum(b * b * A)


def swapped_rows_at_once(A):
    b = A * A
    b[0], b[1] = b[1], b[0]
    return np.sum(b[0] * A[0]) + np.sum(b[1] * A[1] * A[1])


def swapped_rows_of_copies(A):
    b = A * A
    b[[0, 1]] = b[[1, 0]]
    b[2], b[3] = b[3].copy(), b[2].copy()
    return np.sum(b * b * A)


def swapped_names(x):
    u, new = x * 1.0, np.zeros(4)
    for _ in range(3):
        new[1:-1] = u[2:] * u[:-2]
        new[0], new[-1] = u[0], u[-1]
        u, new = new, u
    return np.sum(u * u)


def several_targets(x):
    a = x * 1.0
    b = a[1:] = a[:-1] * 2.0
    c = d = a
    c[0] = b[1]
    return np.sum(d * d) + np.sum(b)


# -------------------------------------------------------------------------------------------------------- helpers
def step(u):
    u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]


def helper_in_a_loop(x):
    u = x * x
    v = u[1:]
    for _ in range(3):
        step(u)
    return np.sum(u * u) + v[1]


def helper_on_an_argument(x):
    step(x)
    return np.sum(x * x)


def scaled(v):
    v *= 3.0
    return v


def helper_that_returns_its_argument(x):
    y = x * 2.0
    z = scaled(y)
    z[0] = x[1]
    return np.sum(y) + np.sum(z * x)


def tail(v):
    v[0] = 1.0
    return v[1:]


def helper_that_returns_a_view(x):
    y = x * 2.0
    z = tail(y)
    z[0] *= x[3]
    y[2] = 4.0 * x[0]
    return np.sum(y * y) + np.sum(z)


def ends(v, c):
    if c > 0:
        v[0] = 1.0
        return v[1:]
    v[1] = 2.0
    return v[2:]


def helper_that_returns_one_of_two_views(x):
    y = x * 2.0
    z = ends(y, x[0])
    return np.sum(y * y) + np.sum(z)


def added(u, v):
    u[1:] += v[:-1]


def one_array_for_two_parameters(x):
    u = x * 1.0
    added(u, u)
    added(u, u[::-1])
    return np.sum(u * u)


def fill(out, x):
    for i in range(len(out)):
        out[i] = x[i] * x[i]


def helper_that_leaves_its_result_in_an_argument(x):
    y = np.empty(4)
    z = y[2:]
    fill(y, x)
    return np.sum(y) + z[0] * z[1]


# ---------------------------------------------------------------------------------------------------- control flow
def view_before_a_branch(x):
    u = x * x
    v = u[1:]
    if x[0] > 0:
        v[0] = x[3] * 3
    else:
        u[2] = 1.0
    u[1] += v[1]
    return np.sum(u * v[0])


def name_for_one_of_two(x):
    u, v = x * 2.0, x * 3.0
    w = u if x[0] > 2 else v
    w = w * 1.0
    u[0] = w[1]
    return np.sum(u * v * w)


def view_in_a_loop(x):
    u = x * x
    v = u[1:]
    for _ in range(3):
        v *= u[:-1] * 0.5
    return np.sum(u * u) + np.sum(v)


def view_made_in_a_loop(x):
    u = x * 2
    for k in range(3):
        w = u[k:]
        w *= 1.5
    return np.sum(u * u)


def view_in_a_while(x):
    u = x * 2
    v = u[:2]
    i = 0
    while i < 3 and v[1] < 100.0:
        v[0] = v[0] * v[1]
        u[1] += v[0] * 0.1
        i += 1
    return np.sum(u * u)


def loop_that_does_not_run(x):
    u = x * 2
    v = u[1:]
    for i in range(0):
        v[i] = x[0]
    return np.sum(u * u) + v[0]


def loop_with_a_break(x):
    u = x * 2
    v = u[1:]
    for i in range(3):
        v[i] = v[i] * u[i]
        if u[i] > 5.0:
            break
        u[0] += 1.0
    return np.sum(u * u) + np.sum(v)


def loops_in_loops(x):
    u = np.outer(x, x)
    row = u[1]
    for i in range(2):
        for j in range(3):
            row[j] += u[i, j + 1] * 0.1
            u[j, i] *= row[j]
    return np.sum(u) + np.sum(row * row)


def rows_of_a_loop(A):
    b = A * 1.0
    for row in b:
        row[0] = row[1] * row[2]
        row *= 2.0
    return np.sum(b * b)


def numbered_rows(A):
    b = A * 1.0
    for i, (row, x) in enumerate(zip(b, A)):
        row += x * i
        b[0] *= 1.1
    return np.sum(b * b)


def what_a_loop_reads(x):
    y = x * 1.0
    s = 0.0
    for i, v in enumerate(y):
        y[i - 1] = v * 2.0
        s += v * y[0]
    return s + np.sum(y * y)


def read_by_a_loop_that_makes_another(A):
    b = A * 1.0
    z = A[0] * 2.0
    for row in b:
        z = np.sin(z) + row
    v = b[1:]
    b[0] = z
    v[0] *= z
    return np.sum(b * b)


def unrolled(x):
    u, v = x * 1.0, x * 2.0
    for w in (u, v, u):
        w *= x[0]
        w[1] += v[0]
    return np.sum(u * v)


ONE = [
    names_of_one_array, base_and_view, view_of_a_view, reversed_view, view_without_a_named_base, transposed,
    of_no_axes, with_new_axes, flattened, flattened_in_a_loop, parts_of_complex, results_smaller_than_out,
    in_a_dict, in_a_list_and_a_tuple, two_names_of_a_list, in_a_closure, in_a_closure_that_outlives_its_frame,
    in_a_list_of_closures, swapped_elements, swapped_names, several_targets, helper_in_a_loop,
    helper_on_an_argument, helper_that_returns_its_argument, helper_that_returns_a_view,
    helper_that_returns_one_of_two_views, one_array_for_two_parameters,
    helper_that_leaves_its_result_in_an_argument, view_before_a_branch, name_for_one_of_two, view_in_a_loop,
    view_made_in_a_loop, view_in_a_while, loop_that_does_not_run, loop_with_a_break, loops_in_loops,
    what_a_loop_reads, unrolled,
]  # fmt: skip
TWO = [other_permutations, read_only_views, swapped_rows_through_a_view, swapped_rows_at_once, swapped_rows_of_copies,
       rows_of_a_loop, numbered_rows, read_by_a_loop_that_makes_another]  # fmt: skip
PROGRAMS = [(f, X) for f in ONE] + [(f, A) for f in TWO]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradient(f, x):
    check(f, x)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_pullback_is_called_twice(f, x):
    mine = x.copy()
    value, pull = vjp(f, mine)
    mine += 7.0
    first, second = pull(2.0)[0], pull(-1.0)[0]
    np.testing.assert_allclose(value, f(x.copy()), rtol=1e-12)
    np.testing.assert_array_equal(first, -2.0 * second)
    np.testing.assert_allclose(first, 2.0 * grad(f)(x), rtol=1e-12)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_single_precision_stays(f, x):
    g = grad(f)(x.astype(np.float32))
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, grad(f)(x), rtol=2e-3, atol=2e-4 * np.max(np.abs(grad(f)(x))))


# -------------------------------------------------------------------------------------------------------- refusals
def after_a_branch(x, c):
    y = x * 1.0
    z = y if c else x * 2.0
    y[0] = 0.0
    return np.sum(y * z)


def view_of_what_one_path_has(x, c):
    y = x * 2.0
    z = x
    if c:
        z = y[1:]
    y[1] = 0.0
    return np.sum(y) * np.sum(z)


def split_by_a_loop(x, c):
    y = x * 1.0
    z = y
    for _ in range(c):
        z[0] = 1.0
        y = y * x
    return np.sum(y * z)


def reordered_by_a_helper(x, c):
    u, v = x * 1.0, x * 2.0

    def run(a, b):
        for _ in range(c):
            b[0] = a[1]
            a, b = b, a

    run(u, v)
    return np.sum(u * v)


def view_or_copy(x, c):
    y = np.outer(x, x).T * 1.0
    z = y.reshape(-1)
    y[0, 1] = 0.0
    return np.sum(z) * c


def while_it_is_read(x, c):
    y = x * 2.0

    def change():
        y[0] = 1.0
        return 2.0

    return np.sum(y * change())


def in_a_comprehension(x, c):
    y = x * 2.0

    def change(k):
        y[k] = 1.0
        return y

    return np.sum(np.array([change(k) for k in range(2)])) * c


def iterator_over_it(x, c):
    y = x * 2.0
    pairs = zip(y, x)
    y[0] = 1.0
    return sum([a * b for a, b in pairs]) * c


def result_larger_than_out(x, c):
    y = x * 2.0
    np.add(np.outer(x, x)[:1], c, out=y)
    return np.sum(y)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (result_larger_than_out, "does not fit in place"),
        (after_a_branch, "y may share memory with z"),
        (view_of_what_one_path_has, "y may share memory with z"),
        (split_by_a_loop, "z may share memory with y"),
        (reordered_by_a_helper, "b may share memory with v in reordered_by_a_helper"),
        (view_or_copy, "y may share memory with z"),
        (while_it_is_read, "y may share memory with what this expression has read before"),
        (in_a_comprehension, "y .* within an expression|y may share memory"),
        (iterator_over_it, "y may share memory with pairs, which reads it"),
    ],
)
def test_what_cannot_be_followed_is_refused(f, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(X, 2)
