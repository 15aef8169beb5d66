"""`break`, `continue`, `else` of loops, and `return` anywhere: values, gradients and second derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import differentiable, grad, jvp, value_and_grad, vjp
from tests.numerics import assert_close, assert_form, check, differences

X = np.array([0.7, 0.4, 1.3, 0.9])
ROWS = np.array([[0.3, 0.6], [0.5, -0.4], [1.2, 0.7]])


# ------------------------------------------------------------------------------------------------- programs
def breaks(x, c):
    total = 0.0
    for v in x:
        if v > c:
            break
        total = total + v * v
    return total


def breaks_after_work(x, c):
    total = 0.0
    for v in x:
        total = total + np.sin(v)
        if total > c:
            total = total * v
            break
    return total * x[0]


def breaks_at_an_index(x, c):
    total = 1.0
    for i in range(len(x)):
        if x[i] > c:
            break
        total = total * x[i]
    return total


def breaks_backwards(x, c):
    total = 1.0
    for i in range(len(x) - 1, 0, -1):
        total = total * x[i]
        if total > c:
            break
    return total


def always_breaks(x, c):
    total = 0.0
    for v in x:
        total += v * v * c
        break
    return total


def breaks_on_the_other_side(x, c):
    total = 0.0
    for v in x:
        if v <= c:
            total += v**3
        else:
            total -= v
            break
    return total


def breaks_on_both_sides(x, c):
    total = 0.0
    for v in x:
        if v > c:
            total += v
            break
        else:
            total = v * v
            break
    return total


def breaks_in_a_chain(x, c):
    total = 0.0
    for i, v in enumerate(x):
        if v > c:
            break
        elif i == 2:
            total = total * 2.0
        elif v < 0.5:
            continue
        total = total + v * v
    return total


def breaks_deep_inside(x, c):
    total = 0.0
    for i, v in enumerate(x):
        if v > 0.5:
            if total > c:
                break
            total = total + v
        total = total + v * v * i
    return total


def breaks_deeper(x, c):
    total = 0.0
    for i, v in enumerate(x):
        if v > 0.3:
            if i > 0:
                if total > c:
                    total = total * v
                    break
                total = total + v
            total = total * 1.1
        if v > 1.25:
            break
        total = total + v * v
    return total


def breaks_twice(x, c):
    total = 0.0
    for v in x:
        if v > 1.2:
            break
        total = total + v
        if total > c:
            total = total * total
            break
        total = total + v * v
    return total


def breaks_with_a_name(x, c):
    for v in x:
        y = v * v
        if y > c:
            break
        z = y * v
    return y * z


def breaks_with_arrays(rows, c):
    h = rows[0]
    for row in rows:
        h = np.tanh(h + row)
        if np.sum(h) > c:
            break
        h = h * row
    return np.sum(h * h)


def breaks_in_place(rows, c):
    h = rows[0] * 2.0
    for row in rows:
        h += row
        if np.sum(h) > c:
            h *= row
            break
    return np.sum(h * h)


def breaks_over_pairs(rows, x, c):
    total = 0.0
    for row, v in zip(rows, x):
        if v > c:
            break
        total += np.sum(row) * v
    return total


def breaks_over_a_slice(x, c):
    total = 0.0
    for v in x[1:]:
        if v > c:
            break
        total += v * x[0]
    return total


def breaks_over_reversed(x, c):
    total = 0.0
    for v in reversed(x):
        if total > c:
            break
        total += v * v
    return total


def skips(x, c):
    total = 0.0
    for v in x:
        if v > c:
            continue
        total = total + v * v
    return total


def skips_after_work(x, c):
    total = 0.0
    for v in x:
        total = total + v
        if v > c:
            total = total * 1.5
            continue
        total = total + v * v
    return total


def skips_deep_inside(x, c):
    total = 0.0
    for i, v in enumerate(x):
        if i > 0:
            if v > c:
                total = total + 2.0 * v
                continue
            total = total + v
        total = total + v * v
    return total


def skips_and_breaks_deep_inside(x, c):
    total = 0.0
    for i, v in enumerate(x):
        if v < c:
            if i == 1:
                continue
            if total > c:
                break
            total = total + np.sin(v)
        total = total + v * v
        if total > 2.0:
            break
        total = total * v
    return total


def otherwise(x, c):
    total = 0.0
    for v in x:
        if v > c:
            break
        total = total + v
    else:
        total = total * x[0] * x[0]
    return total


def otherwise_without_break(x, c):
    total = 0.0
    for v in x:
        total = total + v * c
    else:
        total = total * total
    return total


def otherwise_with_continue(x, c):
    total = 0.0
    for v in x:
        if v > c:
            continue
        total = total + v
    else:
        total = total * total
    return total


def otherwise_leaves_the_outer_loop(x, c):
    total = 0.0
    for u in x:
        for v in x:
            if v > c:
                break
            total = total + u * v
        else:
            break
        total = total * 1.1
    return total


def otherwise_returns(x, c):
    total = 0.0
    for v in x:
        total = total + v
        if total > c:
            break
    else:
        return total * total
    return total * x[0]


def while_breaks(x, c):
    y, n = x[0], 0
    while n < 6:
        n += 1
        y = y + y * x[1]
        if y > c:
            break
        y = y * 1.1
    return y


def while_true(x, c):
    y = x[0]
    while True:
        y = 0.5 * (y + x[1] / y)
        if abs(y * y - x[1]) < 1e-10 * abs(c):
            break
    return y


def while_assigns_in_its_test(x, c):
    y, n = x[0], 0
    while (z := y * x[1] + n) < c:
        y = y + 0.5 + z * 0.1
        n += 1
        if n == 5:
            break
    return y * z


def while_assigns_in_its_test_otherwise(x, c):
    y, n = x[0], 0
    while (z := y * x[1]) < c and n < 4:
        y = y + 0.5
        n += 1
    else:
        y = y * z
    return y


def while_true_and_returns(x, c):
    y = x[0]
    while True:
        y = y * (1.0 + x[1])
        if y > c:
            return y * x[2]


def while_continues(x, c):
    total, i = 0.0, -1
    while i < 3:
        i += 1
        if x[i] > c:
            continue
        total += x[i] ** 3
    return total


def while_otherwise(x, c):
    y = x[0]
    while y < 4.0:
        y = y * y + 1.0
        if y > c:
            break
    else:
        y = y * x[1]
    return y


def returns(x, c):
    for v in x:
        if v > c:
            return v * v
    return x[0] * x[1]


def returns_after_work(x, c):
    total = 0.0
    for v in x:
        total = total + v * v
        if total > c:
            return np.sin(total)
    return total


def returns_and_breaks(x, c):
    total = 0.0
    for i, v in enumerate(x):
        total = total + v * v
        if total > c:
            return total * v
        if i == 2:
            break
        total = total * x[0]
    return total + x[3]


def returns_and_breaks_or_else(x, c):
    total = 0.0
    for v in x:
        if total > c:
            return total * v
        if v > 1.2:
            break
        total = total + v
    else:
        total = total * 3.0
    return total + x[3]


def returns_from_an_inner_loop(x, c):
    total = 0.0
    for u in x:
        for v in x:
            total = total + u * v
            if total > c:
                return total * u
        total = total + u
    return total


def returns_from_a_while_in_a_branch(x, c):
    y = x[0]
    if x[1] > 0.0:
        while y < 10.0:
            y = y + x[1]
            if y > c:
                return y * y
        y = y * x[2]
    return y * x[3]


def returns_in_branches_of_branches(x, c):
    if x[0] > c:
        if x[1] > c:
            return x[0] * x[1]
        y = x[0] ** 2
    else:
        if x[2] > 1.0:
            y = x[2] ** 3
        else:
            return x[3]
    if y > 1.0:
        return y * x[1]
    return np.sum(x) * y


def nested(x, c):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0.5:
            continue
        for j in range(i + 1):
            if x[j] > 1.25:
                break
            if total > c:
                return total * x[j]
            total += x[i] * x[j]
        else:
            total *= 1.5
    return total


def three_deep(x, c):
    total = 0.0
    for u in x:
        for v in x:
            k = 0
            while True:
                k += 1
                total = total + u * v / k
                if k > 2 or total > c:
                    break
            if total > c:
                break
        if v > 1.0:
            continue
        if total > 2.0 * c:
            break
        total = total * 1.01
    return total


def array_or_its_square(x, c):
    y = x * 2.0
    for v in x:
        if v > c:
            y = y * v
            break
    else:
        y = x * x
    return np.sum(y)


def helper_returns(x, c):
    def first(values, limit):
        for i, v in enumerate(values):
            if v > limit:
                return i + 1.0, v * v
        return -1.0, values[0]

    a, b = first(x, c)
    p, q = first(x[1:], c)
    return a * b + p * q


def helper_returns_arrays(rows, c):
    def first(rows):
        for row in rows:
            if np.sum(row) > c:
                return {"row": row * row, "scale": row[0]}
        return {"row": rows[0], "scale": 2.0}

    found = first(rows)
    return np.sum(found["row"]) * found["scale"]


def helper_in_a_loop(x, c):
    def capped(v):
        for _ in range(3):
            v = v * 1.5
            if v > c:
                return v * x[0]
        return v

    total = 0.0
    for v in x:
        total = total + capped(v)
    return total


def items_of_a_dict(x, c):
    p = {"a": x[0], "b": x[1] * x[1], "c": x[2]}
    total = 0.0
    for k, v in p.items():
        if k == "b":
            continue
        if v > c:
            break
        total = total + v * x[3]
    else:
        total = total + 1.0
    return total * x[1]


def returns_from_an_unrolled_loop(x, c):
    for scale, part in ((1.0, x[0]), (2.0, np.sum(x)), (3.0, x[2])):
        if part > c:
            return scale * part * part
        if scale > 2.5:
            return part
    return x[3]


def breaks_statically(x, c):
    total = 0.0
    for k in (1, 2, 3, 4):
        if k == 3:
            break
        total = total + x[k] ** k * c
    return total


def axis_in_a_loop(rows, c):
    total = 0.0
    for axis in range(2):
        y = np.sum(rows * rows, axis=axis)
        if y[0] > c:
            total = total + np.sum(y * y)
            break
        total = total + y[0]
    return total


def raises_or_breaks(x, c):
    total = 0.0
    for v in x:
        if v > 100.0:
            raise ValueError("large")
        if v > c:
            break
        total += v * v
    return total


def returns_in_a_branch_that_is_known(x, c):
    if x.ndim == 1:
        y = x * 2.0
        if c > 1.5:
            return np.sum(y * y)
        y = y * x
    return np.sum(y)


def returns_where_nothing_does(x, c):
    total = 0.0
    while True:
        total += np.sum(x * x)
        if x.ndim == 2:
            return total * total
        if total > c:
            break
    return total * x[0]


def carried_pair(x, c):
    a, b = x[0], x[1]
    for v in x:
        a, b = b * v, a
        if a > c:
            break
        b = b + a
    return a * b * b


def counts(x, c):
    n = 0
    for v in x:
        if v > c:
            break
        n += 1
    return n * np.sum(x * x)


def keeps_its_loop_variable(x, c):
    for v in x:
        if v > c:
            break
    return v * v * v


def returns_now_and_then(x, c):
    s = np.sum(x * x)
    if s > c:
        s = s * 1.1
        if s > 4.0 * c:
            return s * x[0]
        s = s + x[1]
    elif c > 40.0:
        return x[0] ** 2
    if x[1] < c:
        y = x * s
        for v in x:
            if v > c:
                return v * y[2]
            s = s + np.sin(v)
    else:
        y = x * c
        if c < 0.0:
            return np.sum(y)
    y[0] *= s
    if s < 3.0:
        if s < 2.0 or x[2] > 1.0:
            return np.sum(y) * s
        y[1] += s
    return np.sum(y * y)


def returns_arrays_now_and_then(x, c):
    if x[0] > c:
        if c < 0.5:
            return x * 2.0
        c = c * 2.0
    if c > 1.0:
        if c > 1.3:
            return x * x
        x = x + c
    if c < 20.0:
        c = c + 1.0
        if c > 10.0:
            return x
    return np.sin(x) * c


def helper_returns_now_and_then(x, c):
    return np.sum(returns_arrays_now_and_then(x, c) * x) * returns_arrays_now_and_then(x * x, c)[1]


ON_NUMBERS = [
    returns_now_and_then, helper_returns_now_and_then,
    breaks, breaks_after_work, breaks_at_an_index, breaks_backwards, always_breaks, breaks_on_the_other_side,
    breaks_on_both_sides, breaks_in_a_chain, breaks_deep_inside, breaks_deeper, breaks_twice, breaks_over_a_slice,
    breaks_over_reversed, skips, skips_after_work, skips_deep_inside, skips_and_breaks_deep_inside, otherwise,
    otherwise_without_break, otherwise_with_continue, otherwise_leaves_the_outer_loop, otherwise_returns,
    while_breaks, while_true, while_true_and_returns, while_continues, while_otherwise, while_assigns_in_its_test,
    while_assigns_in_its_test_otherwise, returns, returns_after_work,
    returns_and_breaks, returns_and_breaks_or_else, returns_from_an_inner_loop, returns_from_a_while_in_a_branch,
    returns_in_branches_of_branches, nested, three_deep, array_or_its_square, helper_returns, helper_in_a_loop,
    returns_in_a_branch_that_is_known, returns_where_nothing_does, items_of_a_dict, returns_from_an_unrolled_loop,
    breaks_statically, raises_or_breaks, carried_pair, counts, keeps_its_loop_variable,
]  # fmt: skip
ON_ROWS = [breaks_with_arrays, breaks_in_place, helper_returns_arrays, axis_in_a_loop]


def second(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose gradient is a product of the Hessian of `f`."""

    def product(x, c):
        return np.sum(grad(f)(x, c) * np.cos(x))

    return product


@pytest.mark.parametrize("c", [-1.0, 0.35, 0.63, 1.0, 1.7, 50.0])
@pytest.mark.parametrize("f", ON_NUMBERS, ids=lambda f: f.__name__)
def test_gradient_and_value(f, c):
    check(f, X, c, argnums=(0,))


@pytest.mark.parametrize("c", [0.63, 1.0])
@pytest.mark.parametrize("f", ON_NUMBERS, ids=lambda f: f.__name__)
def test_second_derivative(f, c):
    check(second(f), X, c, argnums=(0,))


@pytest.mark.parametrize("c", [-5.0, 0.5, 50.0])
@pytest.mark.parametrize("f", ON_ROWS, ids=lambda f: f.__name__)
def test_arrays_and_their_second_derivatives(f, c):
    check(f, ROWS, c, argnums=(0,))
    check(second(f), ROWS, c, argnums=(0,))


def test_a_piece_is_kept_only_of_an_array_that_was_made():
    def breaks_first(z, M, b):
        k = 0
        while True:
            k += 1
            if k:
                break
            z[1] *= M
            z += b.reshape(0)
        return np.sum(z)

    def product(z, M, b):
        d_z, d_M = grad(breaks_first, (0, 1))(z, M, b)
        return np.sum(d_z * z) + np.sum(d_M * M)

    z, M, b = np.zeros((0, 2)), np.array([0.5, 0.1]), np.array([1.4, 0.4])
    d_z, d_M, d_b = grad(product, (0, 1, 2))(z, M, b)
    assert d_z.shape == z.shape and not d_M.any() and not d_b.any()


# ------------------------------------------------------------------------------------- kinds of what is read
def breaks_over_a_list(xs, c):
    total = 0.0
    for x in xs:
        if np.sum(x) > c:
            break
        total = total + np.sum(x * x)
    return total


def breaks_over_a_list_of_pairs(layers, x, c):
    for W, b in layers:
        x = np.tanh(W * x + b)
        if np.sum(x) > c:
            break
    return np.sum(x)


def returns_an_array_from_a_loop(xs, c):
    def first():
        for x in xs:
            if np.sum(x) > c:
                return x * x
        return xs[0] * 3.0

    return np.sum(np.sin(first()))


@pytest.mark.parametrize("c", [-9.0, 1.5, 90.0])
def test_lists_of_arrays_are_read_as_far_as_the_loop_went(c):
    xs = [np.array([0.3, 0.5]), np.array([0.9, 0.7, 0.2]), np.array([0.4])]
    check(breaks_over_a_list, xs, c, argnums=(0,))
    pairs = [(0.3, 0.2), (0.8, 1.4), (0.5, 0.1)]
    check(breaks_over_a_list_of_pairs, pairs, X, c, argnums=(0, 1))


@pytest.mark.parametrize("c", [-9.0, 1.5, 90.0])
def test_an_array_returned_from_a_loop_joins_one_returned_after_it(c):
    xs = [np.array([0.3, 0.5]), np.array([0.9, 0.7]), np.array([0.4, 0.1])]
    check(returns_an_array_from_a_loop, xs, c, argnums=(0,))
    check(lambda xs, c: np.sum(grad(returns_an_array_from_a_loop)(xs, c)[1] ** 2), xs, c, argnums=(0,))


NEEDING_NONE = [breaks, breaks_after_work, skips, otherwise_with_continue, breaks_deep_inside, three_deep]


@pytest.mark.parametrize("f", NEEDING_NONE, ids=lambda f: f.__name__)
def test_no_iteration_at_all(f):
    def g(x, c):
        return f(x[2:2], c) if f is not breaks_after_work else f(np.concatenate([x[:1], x[2:2]]), c)

    check(g, X, 1.0, argnums=(0,))


@pytest.mark.parametrize("f", [breaks, returns, skips_deep_inside, nested], ids=lambda f: f.__name__)
def test_float32_stays_float32(f):
    x = X.astype(np.float32)
    value, d = value_and_grad(f)(x, 1.0)
    assert type(value) is type(f(x, 1.0))
    assert_form(d, x)
    assert_close(d, grad(f)(X, 1.0), 1e-5)


def test_complex_numbers_before_a_break():
    def f(z, c):
        total = 0.0 + 0.0j
        for v in z:
            if abs(v) > c:
                break
            total = total * v + v * v
        return np.abs(total)

    check(f, X + 1j * X[::-1], 1.4, argnums=(0,))
    check(f, X + 1j * X[::-1], 0.1, argnums=(0,))


def test_python_floats():
    def f(a, n, c):
        for i in range(n):
            a = a * a + 0.1 * i
            if a > c:
                return a
        return a * 2.0

    for n, c in ((0, 1.0), (5, 0.9), (5, 50.0)):
        check(f, 1.1, n, c, argnums=(0,))
        check(lambda a: grad(f)(a, n, c), 1.1)


def test_zero_dimensional_arrays():
    def f(x, a):
        total = a * 1.0
        for v in x:
            if v > 1.0:
                break
            total = total * v
        return total * a

    check(f, X, np.array(0.7))


def test_views_of_the_argument_that_loops_read():
    def f(x, c):
        total = 0.0
        for row in x.T[:, ::-1]:
            if row[0] > c:
                continue
            total = total + np.sum(row * row[0])
            if total > c:
                break
        return total

    for c in (0.1, 0.6, 9.0):
        check(f, ROWS, c, argnums=(0,))


# ------------------------------------------------------------------------------------------- what is emitted
def source(f: Callable[..., Any], *args: Any) -> str:
    """The generated code, without comments and docstring."""
    lines = [line.split("  #")[0].rstrip() for line in differentiable(f).source(example=args).splitlines()]
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(("#", '"""'))) + "\n"


def test_a_break_is_a_break():
    assert source(breaks, X, 1.0) == (
        """\
def breaks_grad(x, c):
    count = 0
    for v in x:
        count += 1
        if v > c:
            break
    part = x[:count]
    d_x_rows = []
    for v in reversed(part):
        if v > c:
            d_v = np.float64(0.0)
        else:
            d_v = 2.0 * v
        d_x_rows.append(d_v)
    d_x = restack(d_x_rows[::-1], part)
    d_x_2 = zeros_like(x)
    d_x_2[:count] += d_x
    return d_x_2
"""
    )


def test_an_endless_loop_ends_in_a_break():
    assert source(while_true, X, 1.0) == (
        """\
def while_true_grad(x, c):
    y = x[0]
    tape = []
    while True:
        tape.append(y)
        part = x[1]
        y = 0.5 * (y + part / y)
        if abs(y * y - part) < 1e-10 * abs(c):
            break
    d_x = zeros_like(x)
    d_y = 1.0
    for y in reversed(tape):
        d = d_y * 0.5
        d_x[1] += d / y
        d_y = d - d * (x[1] / y / y)
    d_x[0] = d_y
    return d_x
"""
    )


def test_breaks_deep_inside_leave_no_flag_in_the_forward_sweep():
    assert source(breaks_twice, X, 1.0).startswith(
        """\
def breaks_twice_grad(x, c):
    total = 0.0
    count = 0
    tape = []
    for v in x:
        tape.append(total)
        count += 1
        if v > 1.2:
            break
        total += v
        if total > c:
            total *= total
            break
        total += v * v
    part = x[:count]
"""
    )


PLAIN = [
    breaks, breaks_after_work, breaks_on_the_other_side, breaks_in_a_chain, breaks_deep_inside, breaks_deeper,
    breaks_twice, skips_deep_inside, skips_and_breaks_deep_inside, while_breaks, while_true,
    while_true_and_returns, three_deep, raises_or_breaks, carried_pair, counts,
]  # fmt: skip


@pytest.mark.parametrize("f", PLAIN, ids=lambda f: f.__name__)
def test_a_loop_that_is_not_differentiated_has_no_flag(f):
    def scaled(s, x, c):
        return s * f(x, c)

    text = differentiable(scaled).source(example=(2.0, X, 1.0))
    assert grad(scaled)(2.0, X, 1.0) == f(X, 1.0)
    assert not {"broke", "skipped", "returned"} & set(text.replace(":", " ").split())


def left_at_a_pole(x, c):
    total = 0.0
    for v in x:
        w = c / (v - 1.5)
        part = np.log(np.abs(v - 0.5))
        if np.isinf(w) or np.isinf(part):
            continue
        total += w + part
    return total


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_computed_before_an_exit_does_not_poison_the_gradient():
    x = np.array([2.0, 1.5, 3.0, 0.5])
    expected = np.array([-1 / 0.5**2 + 1 / 1.5, 0.0, -1 / 1.5**2 + 1 / 2.5, 0.0])
    assert np.allclose(grad(left_at_a_pole)(x, 1.0), expected, rtol=1e-12)


def test_what_follows_two_tests_before_a_return_stands_once():
    def f(a, x):
        if a > 0:
            if a > 2:
                return np.sum(x * a)
        if a < -1:
            if x[0] > 0:
                return np.sum(x) * a
        return np.sum(np.sin(x * x)) * a

    def one(a, x):
        if a > 0:
            if a > 2:
                return np.sum(x * a)
        return np.sum(np.sin(x * x)) * a

    x = np.array([0.3, -0.7])
    assert differentiable(f).source("grad", example=(1.0, x)).count("np.sin(") == 1
    assert differentiable(one).source("grad", argnums=1, example=(1.0, x)).count("np.cos(") == 1
    for a in (3.0, 1.0, -0.5, -2.0):
        assert_close(grad(f)(a, x), differences(f, (a, x)))
        assert_close(grad(f, 1)(a, x), differences(f, (a, x), 1))
        assert_close(grad(f, 1)(a, -x), differences(f, (a, -x), 1))


def chain(k):
    """A function of `k` tests one after the other, each of which may return or go on."""
    lines = ["def f(x, y):", "    s = np.sum(x * x)"]
    for i in range(k):
        test = [f"    if s > {i}.5 + y:", "        s = s * 1.01", f"        if y > {i}.9:"]
        lines += [*test, f"            return s * {i}", f"        s = s + y * {i}"]
    return "\n".join([*lines, "    return s * np.sin(s)", ""])


def test_what_follows_many_tests_that_may_return_is_compiled_at_most_twice(tmp_path):
    """Else the code grows as 2 to the number of tests."""
    made = {}
    for k in (2, 4, 8, 12):
        path = tmp_path / f"chain_{k}.py"
        path.write_text(chain(k))
        names = {"np": np}
        exec(compile(chain(k), str(path), "exec"), names)
        made[k] = names["f"]
        text = differentiable(made[k]).source("grad", example=(X, 0.3))
        assert text.count("np.cos(") <= 2 and len(text.splitlines()) < 45 * k
    for y in (-1.0, 0.3, 1.5, 3.0, 20.0):
        check(made[8], X, y)


def runs_off_the_end(x):
    y = x * 1.0
    i = 0
    while True:
        if i >= len(x):
            break
        y[i] *= y[i - 1] * x[i]
        i += 1
    return np.sum(y)


def next_rows(x):
    A = np.outer(x, x)
    for i in range(len(x)):
        if i < len(x) - 1:
            A[i + 1] *= A[i] * x
    return np.sum(A)


def scaled_unless_one(x):
    y = x.copy()
    for i in range(3):
        if i != 1:
            y[1] *= y[0]
    return y[1] ** 2


def scaled_by_turns(x):
    y = x.copy()
    for i in range(4):
        if i != 1:
            y[i] *= y[i - 1]
        elif x[0] > 0:
            y[i] *= x[0]
        else:
            continue
    return np.sum(y**2)


def scaled_complex_numbers(x):
    z = x * (1 + 1j)
    for i in range(4):
        if i % 2 == 0:
            z[1] *= z[0]
        else:
            z[0] *= x[2]
    return np.abs(z[1]) ** 2


@pytest.mark.parametrize("f", [runs_off_the_end, next_rows, scaled_unless_one, scaled_by_turns, scaled_complex_numbers])
def test_what_one_path_reads_is_not_asked_for_on_the_other(f):
    """There is no element there. Of what is there the derivatives of second and third order come back too."""
    x = np.array([1.5, 2.0, 0.5, 1.2])
    check(f, x, argnums=(0,))
    check(lambda y: np.sum(grad(f)(y) * np.cos(y)), x)
    check(lambda y: np.sum(grad(lambda z: np.sum(grad(f)(z) * np.cos(z)))(y) * np.sin(y)), x, rtol=1e-5)
    v = np.sin(x)
    slope = (grad(f)(x + 1e-6 * v) - grad(f)(x - 1e-6 * v)) / 2e-6
    assert_close(jvp(grad(f), (x,), (v,))[1], slope, 1e-6)
    assert_close(vjp(grad(f), x)[1](v)[0], slope, 1e-6)
