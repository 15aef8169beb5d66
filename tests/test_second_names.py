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


def parts_of_a_flat_vector(x):
    p = np.concatenate([x, x * 2.0, x * 3.0])
    W, b, V = p[:6].reshape(2, 3), p[6:8], p[8:].reshape(2, 2)
    W -= 0.1 * np.outer(b, p[:3])
    b *= W[:, 0]
    V[:] = V @ V
    p *= 0.9
    return np.sum((W @ np.ones(3) + b) @ V)


def reversed_in_two_rows(x):
    y = x * 2.0
    m = y[::-1].reshape(2, 2)
    m[0] = y[:2]
    y[3] *= m[1, 0]
    return np.sum(m @ m) + np.sum(y * x)


def blocks_of_three_axes(x):
    u = np.zeros((2, 2, 2))
    rows = u.reshape(2, 4)
    block = rows[1].reshape(2, 2)
    rows[0] = x
    block.T[0] = x[:2] * x[2:]
    u[:, 0] *= x[1]
    block += u[0]
    return np.sum(u * u * u)


def new_axes_within(x):
    y = x * 1.0
    r, c, s = y[None], y[:, None], y[...]
    r[0, 1] *= 3.0
    c[2] = y[0]
    s[3] += 1.0
    r *= x
    return np.sum(y * x) + np.sum(r * c)


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


def indexed_by_lists(x):
    y = x * 2
    picks = [k for k in range(1, 3) if x[k] > 0]
    a = y[picks]
    b = y[list(range(1, 3))]
    y[1] = 0.0
    a[0] *= x[0]
    return np.sum(a * a * b) + np.sum(y)


def real_part_of_what_is_real(x):
    y = x * 2
    b = y.real
    b[0] = 7.0 * x[1]
    c = np.real(y)
    c[1] = x[0]
    return np.sum(y * y)


def new_axes(x):
    y = x * 2
    b = y[None, :, None]
    b[0, 1, 0] = x[0]
    c = y[..., None]
    c += 1.0
    return np.sum(b * b) + np.sum(y * c[:, 0])


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


def closure_that_writes(x):
    y = x * 2

    def grow(i):
        y[i] = y[i] * x[0] + y[i - 1]

    for i in range(3):
        grow(i)
    return np.sum(y * y)


def closure_over_a_view(x):
    y = x * 1.0

    def made():
        z = y[1:]

        def write():
            z[0] = z[1] * x[0]

        return write

    write = made()
    write()
    y[2] = x[3]
    write()
    return np.sum(y * y)


def unpacked(x):
    y = x * 2
    a, *b = y, y[1:], x
    b[0][0] = x[0] * x[0]
    for v in {"a": a, "b": b[0]}.values():
        v *= 2.0
        v[0] += x[0]
    return np.sum(a * a)


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


def scaled_item(d, name):
    d[name] *= 2.0
    d["b"][0] = d[name][1]


def items_that_helpers_change(x):
    d = {"a": x * 1.0, "b": x * x, "s": np.array(2.0)}
    e, a = d, d["a"]

    def grow():
        e["s"] += x[0]

    for _ in range(2):
        scaled_item(d, "a")
        e["a"] += d["b"]
        a[2] *= 1.1
        grow()
    return np.sum(a * e["b"]) + np.sum(d["a"]) * d["s"]


def items_of_an_inner_list(x):
    p = [x * 1.0, x * 2.0]
    q = (p, p[0])
    for _ in range(2):
        for b in p:
            b *= x[0]
        q[0][1] += q[1]
    return np.sum(p[1] * q[1])


def exchanged(d):
    d["u"] = d["u"] + 0.1 * d["v"]
    d["v"] = d["v"] * d["u"]


def items_that_a_helper_puts_in_a_loop(x):
    d = {"u": x * 1.0, "v": x * 2.0, "count": {"n": 0.0}}

    def count(c):
        c["n"] += x[0]
        c["n"] = c["n"] * d["u"][1]

    for i in range(3):
        exchanged(d)
        if i != 1:
            count(d["count"])
        d["u"][0] *= 0.9
    return np.sum(d["u"] * d["v"]) * d["count"]["n"]


def items_put_into_what_a_function_returns(x):
    d = {"u": x * 1.0}

    def get():
        return d

    k = 0
    while k < 2:
        e = get()
        e["u"] = e["u"] * x
        k += 1
    return np.sum(d["u"])


def items_put_in_a_loop_that_does_not_run(x):
    d = {"u": x * 1.0, "v": x * 2.0}
    for _ in range(0):
        exchanged(d)
    return np.sum(d["u"] * d["v"])


def unpacked_from_a_generator(x):
    a, b, c = (np.zeros_like(x) for _ in range(3))
    a[:] = x
    b += a * a
    c[1:] = b[:-1]
    return np.sum(a * b * c)


def one_array_unpacked_twice(x):
    y = x * 2.0
    a, b = [y for _ in range(2)]
    a[0] = x[1]
    return np.sum(a * b)


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


def second_name_of_a_dict(x):
    p = {"w": x * 1.0, "b": x[0]}
    q = p
    q["b"] = 3.0 * x[1]
    p["w"] *= q["b"]
    q["w"] = p["w"] + x
    return p["b"] * np.sum(p["w"] * q["w"])


def second_name_of_a_dict_in_a_branch(x):
    p = {"w": x * 1.0, "in": {"b": x[0]}}
    q = p["in"]
    if x[0] > 1.0:
        q["b"] = 3.0 * x[1]
    else:
        p["in"]["b"] = x[2]
    q["b"] += 1.0
    return p["in"]["b"] * np.sum(p["w"])


def advance(state, dt):
    state["x"] += dt * state["v"]
    state["v"] = state["v"] - dt * state["x"]
    state["t"] += dt


def helper_that_changes_a_dict(x):
    state = {"x": x * 1.0, "v": x[::-1] * 2.0, "t": 0.0}
    seen = [state]
    advance(state, 0.1)
    advance(seen[0], x[0])
    return np.sum(state["x"] * seen[0]["v"]) * state["t"]


def buffers_of_a_comprehension(y):
    h = 0.1
    k = [np.empty_like(y) for _ in range(3)]
    for _ in range(2):
        k[0][:] = -y * y
        k[1][:] = -((y + h * k[0]) ** 2)
        k[2][1:] = k[1][:-1]
        k[2][0] = y[3]
        y = y + h / 2 * (k[0] + k[1] * k[2])
    for b in k:
        b[1] += y[0]
    return np.sum(y * y) + np.sum(k[0] * k[2])


# ------------------------------------------------------------------------------------------------ gradients inside
def gradient_is_an_array_of_its_own(x):
    y = x * 2.0
    g = grad(lambda u: np.sum(u * y))(x)
    g[0] = 7.0
    return np.sum(y * g)


def two_gradients_are_two_arrays(x):
    y = x * 2.0
    a, b = grad(lambda u, v: np.sum((u + v) * y), (0, 1))(x, x * x)
    a[0] = x[1]
    y[1] = 3.0
    return np.sum(a * b * y)


def pullback_does_not_see_what_changes(x):
    y = x * 2.0
    _, pull = vjp(lambda u: np.sum(u * u), y)
    y[0] = 0.0
    return np.sum(pull(1.0)[0] * x) + y[1]


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


def rows_as_a_function_calls_its_own(A):
    def squared(row, b=2.0):
        return np.sum(row * row) * b

    b = A * 1.0
    total = 0.0
    for row in b:
        total += squared(row)
        row[:1] += total
    return np.sum(b) + total


def rows_from_the_last_on(A):
    b = A * 1.0
    for row in reversed(b):
        row *= row[0]
        b[0] += row
    for i, (row, x) in enumerate(zip(reversed(b), A)):
        row[1:] *= x[:-1] * i
    return np.sum(b * b)


def elements_from_the_last_on(x):
    y = x * 1.0
    for i, v in enumerate(reversed(y)):
        y[i] += v * x[i]
    return np.sum(y * y)


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
    names_of_one_array, base_and_view, view_of_a_view, reversed_view, view_without_a_named_base, transposed, flattened,
    flattened_in_a_loop, parts_of_complex, of_no_axes, with_new_axes, results_smaller_than_out, indexed_by_lists,
    real_part_of_what_is_real, new_axes, closure_that_writes,
    closure_over_a_view, unpacked, in_a_dict, in_a_list_and_a_tuple, two_names_of_a_list, in_a_closure,
    second_name_of_a_dict, second_name_of_a_dict_in_a_branch, helper_that_changes_a_dict,
    buffers_of_a_comprehension, gradient_is_an_array_of_its_own, two_gradients_are_two_arrays,
    pullback_does_not_see_what_changes,
    in_a_closure_that_outlives_its_frame, in_a_list_of_closures, swapped_elements, swapped_names, several_targets,
    helper_in_a_loop, helper_on_an_argument, helper_that_returns_its_argument, helper_that_returns_a_view,
    helper_that_returns_one_of_two_views, one_array_for_two_parameters, helper_that_leaves_its_result_in_an_argument,
    view_before_a_branch, name_for_one_of_two, view_in_a_loop, view_made_in_a_loop, view_in_a_while,
    loop_that_does_not_run, loop_with_a_break, loops_in_loops, what_a_loop_reads, unrolled, parts_of_a_flat_vector,
    reversed_in_two_rows, blocks_of_three_axes, new_axes_within, items_that_helpers_change, items_of_an_inner_list,
    items_that_a_helper_puts_in_a_loop, items_put_into_what_a_function_returns, items_put_in_a_loop_that_does_not_run,
    unpacked_from_a_generator, one_array_unpacked_twice, elements_from_the_last_on,
]  # fmt: skip
TWO = [other_permutations, read_only_views, swapped_rows_through_a_view, swapped_rows_at_once, swapped_rows_of_copies,
       rows_of_a_loop, numbered_rows, rows_from_the_last_on, rows_as_a_function_calls_its_own,
       read_by_a_loop_that_makes_another]  # fmt: skip
PROGRAMS = [(f, X) for f in ONE] + [(f, A) for f in TWO]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradient(f, x):
    check(f, x)


@pytest.mark.parametrize(("f", "x"), PROGRAMS[::2], ids=lambda p: getattr(p, "__name__", ""))
def test_pullback_is_called_twice(f, x):
    mine = x.copy()
    value, pull = vjp(f, mine)
    mine += 7.0
    first, second = pull(2.0)[0], pull(-1.0)[0]
    np.testing.assert_allclose(value, f(x.copy()), rtol=1e-12)
    np.testing.assert_array_equal(first, -2.0 * second)
    np.testing.assert_allclose(first, 2.0 * grad(f)(x), rtol=1e-12)


@pytest.mark.parametrize(("f", "x"), PROGRAMS[1::2], ids=lambda p: getattr(p, "__name__", ""))
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


def columns_as_one(x, c):
    y = np.outer(x, x)
    z = y[:, 1:].reshape(-1)
    z[0] = c
    return np.sum(y) + np.sum(z)


def items_put_in_the_test_of_a_loop(x, c):
    d = {"u": x * 1.0, "v": x}

    def more():
        exchanged(d)
        return np.sum(d["u"])

    while more() < 100.0 * c:
        d["u"] = d["u"] + 1.0
    return np.sum(d["u"])


def items_put_in_a_comprehension(x, c):
    d = {"u": x * 1.0, "v": x}

    def more():
        exchanged(d)
        return np.sum(d["u"])

    return sum([more() for _ in range(c)]) * np.sum(d["u"])


def items_put_in_a_loop_of_a_helper(x, c):
    d = {"u": x * 1.0, "v": x}

    def run():
        for _ in range(c):
            exchanged(d)

    run()
    return np.sum(d["u"])


def dict_that_a_loop_names_first(x, c):
    d = {"u": x * 1.0, "v": x}
    for _ in range(c):
        exchanged(d)
        e = d
    e["u"] = e["u"] * 2.0
    return np.sum(d["u"] * e["u"])


def dict_that_has_two_names_from_the_second_iteration_on(x, c):
    d, e, total = {"u": x}, {"u": 2 * x}, 0.0
    for _ in range(c):
        e["u"] = e["u"] * x
        total = total + np.sum(d["u"])
        d = e
    return total


def list_that_has_two_names_from_the_second_iteration_on(x, c):
    d, e, k = [x, x], [2 * x, x], 0
    while k < c:
        d[0] = d[0] * x
        d = e
        k += 1
    return np.sum(e[0])


def dict_that_an_item_denotes_from_the_second_iteration_on(x, c):
    d, total = {"u": x}, 0.0
    k = {"d": {"u": x * 1.0}}
    for _ in range(c):
        d["u"] = d["u"] * x
        total = total + np.sum(k["d"]["u"])
        k = {"d": d}
    return total


def array_changed_in_the_test_of_a_loop(x, c):
    y = x * 1.0

    def more():
        y[:] = y * 0.5
        return np.sum(y)

    while more() > 1.0:
        pass
    return np.sum(y)


def taken_as_a_method(x, c):
    y = x * 2.0
    fill = y.fill
    y[0] = c
    fill(1.0)
    return np.sum(y)


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
        (items_put_in_the_test_of_a_loop, "the test of a `while` changes what it reads"),
        (array_changed_in_the_test_of_a_loop, "the test of a `while` changes what it reads|may share memory"),
        (dict_that_a_loop_names_first, "e may be the same dict as d"),
        (dict_that_has_two_names_from_the_second_iteration_on, "e may be the same dict as d"),
        (list_that_has_two_names_from_the_second_iteration_on, "d may be the same list as e"),
        (dict_that_an_item_denotes_from_the_second_iteration_on, r"d may be the same dict as k\['d'\]"),
        (items_put_in_a_comprehension, "d is changed within an expression"),
        (items_put_in_a_loop_of_a_helper, "d may be the same dict as d in items_put_in_a_loop_of_a_helper"),
        (columns_as_one, "z may share memory with y"),
        (taken_as_a_method, "y may share memory with fill, a method of it, which"),
        (while_it_is_read, "y may share memory with what this expression has read before"),
        (in_a_comprehension, "y .* within an expression|y may share memory"),
        (iterator_over_it, "y may share memory with pairs, which reads it"),
    ],
)
def test_what_cannot_be_followed_is_refused(f, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(X, 2)
