"""Every construct that the frontend accepts: the value is that of the program, the gradient that of differences."""

import math
import operator
import runpy
from functools import partial
from math import exp, pi

import numpy as anp
import numpy as np
import pytest
from numpy import sin as s
from numpy.linalg import norm as length_of

from adcompiler import check_grad, checkpoint, differentiable, grad, value_and_grad
from adcompiler.compile import interpret
from adcompiler.errors import UnsupportedError

from . import elsewhere
from .elsewhere import amplified, power
from .numerics import assert_close, assert_same, check, differences

RNG = np.random.default_rng(1)
X, Y = RNG.uniform(0.5, 2.0, (2, 4))
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(4, 4))
COUNT = 3
WEIGHTS = np.array([1.0, -2.0, 0.5, 3.0])
TABLE = {"rate": 0.25, "steps": 2}
PAIR = (2.0, 3.0)


# --------------------------------------------------------------------------------------------------- assignment
def tuple_targets(x, y):
    a, b = x, y
    (c, d), e = (a, b), a * b
    [f, g] = c, d
    return a * b + c / d - e * f * g


def swap(x, y):
    x, y = y, x
    x, y = y * 2, x
    return x - y * y


def starred_targets(x, y):
    first, *rest = (x, y, x * y, 2.0)
    *front, last = rest
    a, *none = (x,)
    return first * front[0] + front[1] * last + len(none) + a


def unpacked_array(x):
    a, b, *c = x[:2][0], x[1], x[2]
    return a * b + c[0]


def several_targets(x, y):
    a = b = x * y
    c = (d, e) = (a, b)
    return a * d + c[1] * e


def augmented_numbers(x, y):
    x += y
    x *= 2.0
    x -= y * y
    x /= 3.0
    x **= 2
    z = 7.5
    z //= 2
    z %= 2
    return x * z


def augmented_arrays(x, y):
    z = x * y
    z += x
    z *= 2.0
    z -= y
    z /= x
    z **= 2
    return np.sum(z)


def augmented_matmul(x, y):
    z = x + y
    z @= B
    return np.sum(z * z)


def annotated(x: float, y):
    a: float = x * y
    b: "never.evaluated[1]" = a + 1.0  # noqa: F821
    c: int
    c = 2
    return a * b * c


def walrus(x, y):
    if (z := x * y) > 0:
        return z * z
    return (w := -z) * w * w


def walrus_in_a_call(x):
    return np.sum((z := np.sin(x)) * z) + np.sum(z)


def reassigned_in_its_own_terms(x, y):
    x = x * y
    x = np.sin(x) + x
    y = x
    x = x * y
    return x


NUMBERS = [
    tuple_targets,
    swap,
    starred_targets,
    several_targets,
    augmented_numbers,
    annotated,
    walrus,
    reassigned_in_its_own_terms,
]


@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x, y", [(1.5, 0.7), (-0.4, 2.0)])
def test_assignment_of_numbers(f, x, y):
    check(f, x, y)


@pytest.mark.parametrize("f", [augmented_arrays, augmented_matmul], ids=lambda f: f.__name__)
def test_assignment_of_arrays(f):
    check(f, X, Y)


def test_assignment_from_arrays():
    check(unpacked_array, X)
    check(walrus_in_a_call, X)


def unpack_rows(x):
    a, b, c = x
    return np.sum(a * b) + np.sum(c)


def test_an_array_is_unpacked():
    check(unpack_rows, A)


# --------------------------------------------------------------------------------------------------- operators
def plus(a, b):
    return a + b


def minus(a, b):
    return a - b


def times(a, b):
    return a * b


def over(a, b):
    return a / b


def floor_over(a, b):
    return a // b + a * b


def modulo(a, b):
    return a % b * a


def to_the(a, b):
    return a**b


def negated(a, b):
    return -a * +b


BINARY = [plus, minus, times, over, floor_over, modulo, to_the, negated]


@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "a, b", [(1.3, 0.7), (2, 0.7), (1.3, 2), (np.float64(1.3), 0.7), (np.float32(1.25), 0.5)], ids=str
)
def test_operators_on_numbers(f, a, b):
    if isinstance(a, np.float32):
        assert_same(interpret(f, (a, b)), f(a, b))
    else:
        check(f, a, b)


@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "a, b",
    [(X, Y), (X, 0.7), (1.3, Y), (A + 3.0, Y), (X, 2), (2, X), (X[:1], Y), (X, np.array(2.0))],
    ids=lambda x: str(np.shape(x)),
)
def test_operators_on_arrays(f, a, b):
    def program(a, b):
        return np.sum(f(a, b) * 1.5)

    check(program, a, b)


def matrix_product(a, b):
    return np.sum(np.sin(a @ b))


@pytest.mark.parametrize("a, b", [(A, X), (X, A.T), (A, A.T), (X, Y), (np.stack([A, A]), B), (np.stack([A, 2 * A]), X)],
                         ids=lambda x: str(x.shape))  # fmt: skip
def test_the_matrix_product(a, b):
    check(matrix_product, a, b)


def bitwise(x, k):
    mask = (x > 0.7) & (x < 1.9) | ~(x > 0.6) ^ (x > 1.8)
    return np.sum(np.where(mask, x * x, x)) * ((k & 3 | 4) ^ 1) * (1 << k) / (8 >> 1)


def test_bitwise_operators():
    check(bitwise, X, 2, argnums=(0,))


def comparisons(x, y):
    a = np.where(x < y, x, y) + np.where(x <= y, 1.0, x)
    b = np.where(x > y, x * x, y) + np.where(x >= y, 2.0, y)
    return np.sum(a * b + np.where(x == y, 1.0, x) + np.where(x != y, y, 1.0))


def test_comparisons_of_arrays():
    check(comparisons, X, Y)


def chained(x, y):
    if 0 < x < y < 3:
        return x * y
    if x == x != y:
        return x + y
    return x - y


@pytest.mark.parametrize("x, y", [(1.0, 2.0), (2.0, 1.0), (-1.0, 2.0)])
def test_chained_comparisons(x, y):
    check(chained, x, y)


def boolean(x, y):
    a = 1.0 if x > 0 and y > 0 else 2.0
    b = 3.0 if x > 1 or y > 1 and not x > y else 4.0
    return a * x * b * y + (3.0 if not (x > 0) else 5.0) * x


@pytest.mark.parametrize("x, y", [(0.5, 0.5), (1.5, 0.5), (-1.0, 2.0), (0.5, 1.5)])
def test_and_or_not(x, y):
    check(boolean, x, y)


def operands(x, y):
    z = x and y
    w = x or y * 3.0
    return z * 2.0 + w * w


@pytest.mark.parametrize("x, y", [(2.0, 3.0), (0.5, -2.0)])
def test_and_or_give_an_operand(x, y):
    check(operands, x, y)


def short_circuit(x, y):
    return x if y == 0.0 or x / y > 1.0 else y * y


def test_and_or_evaluate_no_more_than_they_need():
    assert_same(interpret(short_circuit, (2.0, 0.0)), 2.0)
    assert grad(short_circuit, (0, 1))(2.0, 0.0) == (1.0, 0.0)
    check(short_circuit, 1.0, 3.0)


def ternary(x, y):
    return np.sum(x * x if np.sum(x) > y else x) + (y if y > 0 else -y if y < -1 else y * y)


@pytest.mark.parametrize("y", [0.5, -0.5, -2.0, 100.0])
def test_the_conditional_expression(y):
    check(ternary, X, y)


# ----------------------------------------------------------------------------------------------------- branches
def three_ways(x):
    if x > 1:
        y = x * x
    elif x > 0:
        y = np.sin(x)
    elif x > -1:
        y = 1.0
        y = y * x * 3
    else:
        pass
        y = -x
    return y * x


@pytest.mark.parametrize("x", [1.5, 0.5, -0.5, -1.5])
def test_if_elif_else(x):
    check(three_ways, x)


def without_else(x, y):
    if np.sum(x) > y:
        x = x * y
        if y > 0:
            y = y + np.sum(x)
    return np.sum(x * x) * y


@pytest.mark.parametrize("y", [0.5, -0.5, 100.0])
def test_if_without_else(y):
    check(without_else, X, y)


def assigned_on_one_side(x):
    if x > 0:
        y = x * x
    if x > 0:
        return y * x
    return x


def test_a_name_assigned_on_one_side_only():
    check(assigned_on_one_side, 2.0)
    check(assigned_on_one_side, -2.0)


def unbound(x):
    if x > 0:
        y = x * x
    return y * x


def test_a_name_that_may_be_unbound_raises_what_python_raises():
    check(unbound, 2.0)
    with pytest.raises(UnboundLocalError):
        grad(unbound)(-2.0)


def int_or_float(x, flag):
    y = 1
    if flag > 0:
        y = x
    return y * 2.0


def test_a_join_of_int_and_float():
    check(int_or_float, 3.0, 1.0, argnums=(0,))
    check(int_or_float, 3.0, -1.0, argnums=(0,))


def early_return(x, y):
    if y > 2:
        return x * y
    x = x * x
    if y > 1:
        if x > 4:
            return x
        y = y * 3
    else:
        return np.sin(x) * y
    return x * y


@pytest.mark.parametrize("x, y", [(1.0, 3.0), (3.0, 1.5), (1.0, 1.5), (1.0, 0.5)])
def test_early_returns(x, y):
    check(early_return, x, y)


def returns_of_both_arms(x):
    if x > 0:
        return x * x
    else:
        return x * 3.0


def test_a_return_in_each_arm():
    check(returns_of_both_arms, 2.0)
    check(returns_of_both_arms, -2.0)


def branch_on_a_reduction(x):
    if np.any(x > 1.5) and np.all(x > 0):
        return np.max(x) * np.sum(x)
    return np.min(x)


def test_branches_on_reductions():
    check(branch_on_a_reduction, X + 1.0)
    check(branch_on_a_reduction, X * 0.5)


def branch_on_a_size(x):
    if x.shape[0] > 3 and x.ndim == 1 and len(x) < 10:
        return np.sum(x * x)
    return np.sum(x)


def test_branches_on_sizes():
    g = grad(branch_on_a_size)
    for n in (4, 3, 12, 5, 0):
        x = RNG.normal(size=n)
        assert_close(g(x), differences(branch_on_a_size, (x,)))


# -------------------------------------------------------------------------------------------------------- loops
def counting(x, n):
    for i in range(n):
        x = np.sin(x) + i * 0.1
    return np.sum(x)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_range(n):
    check(counting, X, n, argnums=(0,))
    check(counting, 0.5, n, argnums=(0,))


def stepping(x, start, stop, step):
    out = 0.0
    for i in range(start, stop, step):
        out = out * x + i * x
    return out


@pytest.mark.parametrize("start, stop, step", [(0, 5, 2), (5, 0, -1), (5, -2, -3), (0, 5, -1), (3, 3, 1), (2, 3, 10)])
def test_range_with_start_and_step(start, stop, step):
    check(stepping, 1.3, start, stop, step, argnums=(0,))


def literal_steps(x):
    out = x * 0.0
    for i in range(4, -1, -2):
        out = out + x[i - 4] * i
    for i in range(1, 4):
        out = out * x + i
    return np.sum(out)


def test_range_of_literals():
    check(literal_steps, X)


def indexed(x, n):
    out = 0.0
    for i in range(n):
        out = out + x[i] * x[-1 - i] * (i + 1)
    return out


@pytest.mark.parametrize("n", [0, 1, 4])
def test_elements_by_the_loop_variable(n):
    check(indexed, X, n)


def indexed_rows(x, y):
    out = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out = out + x[i, j] ** 2 * y[j]
    return out


def test_nested_loops():
    check(indexed_rows, A, Y)
    check(indexed_rows, A[:0], Y)


def triangular(x):
    out = 0.0
    for i in range(len(x)):
        for j in range(i):
            out = out + x[i] * x[j]
    return out


def test_an_inner_loop_whose_length_varies():
    check(triangular, X)


def row_by_row(x, y):
    out = 0.0
    for row in x:
        out = out + np.sum(row * y) ** 2
    return out


def test_rows_of_an_array():
    check(row_by_row, A, Y)
    check(row_by_row, A[:1], Y)
    check(row_by_row, A[:0], Y)


def element_by_element(x):
    out = 1.0
    for e in x:
        out = out * e + np.sin(e)
    return out


def test_elements_of_an_array():
    check(element_by_element, X)
    check(element_by_element, X[:0])


def slices_of_slices(x):
    out = 0.0
    for matrix in x:
        for row in matrix:
            for e in row:
                out = out + e**3
    return out


def test_an_array_of_three_dimensions():
    check(slices_of_slices, np.stack([A, 2 * A]))


def over_a_tuple(x, y):
    out = 0.0
    for a in (x, y, x * y):
        out = out + np.sum(a * a)
    for a, k in ((x, 1), (y, 2)):
        out = out * k + np.sum(a)
    return out


def test_tuples_of_values():
    check(over_a_tuple, X, Y)


def over_mixed_kinds(p):
    out = 0.0
    for a in p:
        out = out + np.sum(a * a)
    return out


def test_tuples_of_different_kinds():
    check(over_mixed_kinds, (X, 2.0, A))
    check(over_mixed_kinds, (X,))


def over_a_list(xs, y):
    for x in xs:
        y = np.tanh(x @ y)
    return np.sum(y)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_lists_of_arrays(n):
    check(over_a_list, [B * (k + 1) / 4 for k in range(n)], X)


def over_a_list_of_pairs(layers, x):
    for W, b in layers:
        x = np.tanh(W @ x + b)
    return np.sum(x)


def test_lists_of_tuples():
    check(over_a_list_of_pairs, [(B, X), (B.T, Y)], X)
    check(over_a_list_of_pairs, [(A, X[:3]), (A.T, Y)], X)


def over_a_list_of_dicts(layers, x):
    for layer in layers:
        x = np.tanh(layer["W"] @ x + layer["b"])
    return np.sum(x)


def test_lists_of_dicts():
    check(over_a_list_of_dicts, [{"W": B, "b": X}, {"W": B.T, "b": Y}], X)


def over_a_dict(p):
    out = 0.0
    for k in p:
        out = out + np.sum(p[k] ** 2)
    for k in p.keys():
        out = out + np.sum(p[k])
    for v in p.values():
        out = out * 0.5 + np.sum(v)
    for k, v in p.items():
        out = out + np.sum(np.sin(v)) * len(k)
    return out


def test_dicts():
    check(over_a_dict, {"a": X, "bb": 2.0, "ccc": A})


def in_pairs(x, y):
    out = 0.0
    for a, b in zip(x, y):
        out = out * 0.5 + a * b
    return out


@pytest.mark.parametrize("n, m", [(4, 4), (4, 2), (2, 4), (0, 4), (4, 0)])
def test_zip_stops_with_the_shortest(n, m):
    check(in_pairs, X[:n], Y[:m])


def in_threes(xs, y, ws):
    out = 0.0
    for x, row, w in zip(xs, y, ws):
        out = out + np.sum(x * row) * w
    return out


def test_zip_of_lists_arrays_and_tuples():
    check(in_threes, [X, Y, X * Y], A, (1.0, 2.0, 3.0))
    check(in_threes, [X, Y], A, (1.0, 2.0, 3.0))
    check(in_threes, [X, Y, X], A, (1.0,))


def zipped_with_range(x):
    out = 0.0
    for i, e in zip(range(1, 10, 2), x):
        out = out + e**i
    return out


def test_zip_of_a_range():
    check(zipped_with_range, X)


def numbered(x, y):
    out = 0.0
    for i, e in enumerate(x):
        out = out + e * i
    for k, row in enumerate(y, 2):
        out = out + np.sum(row) ** k
    for k, (a, b) in enumerate(zip(x, x), start=1):
        out = out + a * b / k
    return out


def test_enumerate():
    check(numbered, X, A)
    check(numbered, X[:0], A[:0])


def backwards(x, n):
    out = 0.0
    for e in reversed(x):
        out = out * e + np.sin(e)
    for i in reversed(range(n)):
        out = out * x[0] + i
    return out


def test_reversed():
    check(backwards, X, 3, argnums=(0,))
    check(backwards, X, 0, argnums=(0,))


def reversed_list(xs):
    out = 1.0
    for x in reversed(xs):
        out = out * np.sum(x) + 1.0
    return out


def test_reversed_lists():
    check(reversed_list, [X, Y, X * Y])


def after_the_loop(x, n):
    last = x
    for i in range(n):
        last = np.sin(last)
        y = last * i
    return last + y + i


def test_loop_variables_live_on():
    check(after_the_loop, 0.5, 3, argnums=(0,))


def loop_else(x, n):
    for _ in range(n):
        x = np.sin(x)
    else:
        x = x * 2
    return x


def test_the_else_of_a_loop():
    check(loop_else, 0.5, 2, argnums=(0,))


def carried_tuple(x, y, n):
    state = (x, y)
    for _ in range(n):
        a, b = state
        state = (a * b, a + b)
    return state[0] + state[1]


def test_a_tuple_is_carried():
    check(carried_tuple, 0.5, 0.7, 4, argnums=(0, 1))


def carried_dict(x, n):
    state = {"x": x, "v": x * 0.0}
    for _ in range(n):
        state = {"x": state["x"] + 0.1 * state["v"], "v": state["v"] - 0.1 * state["x"]}
    return np.sum(state["x"] * state["v"])


def test_a_dict_is_carried():
    check(carried_dict, X, 4, argnums=(0,))


def fibonacci(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a + b * x
    return a


def test_a_swap_in_a_loop():
    check(fibonacci, 0.7, 6, argnums=(0,))


def branch_in_a_loop(x, n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            x = np.sin(x)
        elif i == 3:
            total = total + x
        else:
            x = x * x
    return x + total


def test_whether_an_argument_has_one_element_is_known():
    def f(x):
        return np.sum(x) * (x[0] if x.shape[0] == 1 else 2.0) + (np.sum(x[1:]) if len(x) != 1 else 0.0)

    assert "if" not in differentiable(f).source(example=(np.ones(3),)).partition('"""')[2]
    for n in (1, 2, 3):
        check_grad(f, np.arange(1.0, n + 1.0))


def test_a_branch_in_a_loop():
    check(branch_in_a_loop, 0.7, 6, argnums=(0,))
    check(branch_in_a_loop, 0.7, 0, argnums=(0,))


def becomes_an_array(x, n):
    total = 0.0
    for _ in range(n):
        total = total + x
    return np.sum(total * total)


def becomes_an_array_by_its_sum(x, n):
    total = 1.0
    for _ in range(n):
        total = total * x + np.sum(total)
    return np.sum(total * total)


def becomes_an_array_on_both_paths(x, n):
    y = 0.5
    for k in range(n):
        c = 1.0 / (k + 1)
        if k % 2 == 0:
            y = y + c * x * x
        else:
            y = np.maximum(y, np.sin(c * x)) / 2.0
    return np.sum(y)


def becomes_an_array_in_place(x, n):
    total = 0
    for k in range(n):
        total += x * k
    return np.sum(total * total)


def becomes_a_matrix(x, n):
    y = 1.0
    z = 0.0
    for row in np.outer(x, x):
        z = z + row
        y = y + row[:, None] * x
    return np.sum(y * n) + np.sum(z * z)


def moments(x, n):
    m = 0.0
    v = 0
    for _ in range(n):
        g = np.cos(x)
        m = 0.9 * m + 0.1 * g
        v = 0.9 * v + 0.1 * g**2
        x = x - 0.1 * m / (np.sqrt(v) + 1e-3)
    return np.sum(x * x)


def leaves_the_number(x, n):
    y = 1.5
    z = 0.0
    for _ in range(n):
        z = y * 2.0
        y = y * x
    return np.sum(y) + z


@pytest.mark.parametrize(
    "f", [becomes_an_array, becomes_an_array_on_both_paths, becomes_an_array_in_place, becomes_a_matrix, moments]
)
def test_a_number_that_becomes_an_array_in_a_loop(f):
    check(f, X, 1, argnums=(0,))
    check(f, X, 4, argnums=(0,))


def test_a_number_that_becomes_an_array_where_the_loop_does_not_run():
    with pytest.raises(ValueError, match="total is an array after a loop that runs at least once, and a number after"):
        grad(becomes_an_array)(X, 0)


def asked_for_its_size(x, n):
    total = 0.0
    for _ in range(n):
        total = x * np.size(total) + total
    return np.sum(total)


def asked_for_its_type(x, n):
    total = 0.0
    for _ in range(n):
        total = x + total if isinstance(total, float) else total * x
    return np.sum(total)


def asked_for_its_rank_by_a_helper(x, n):
    def step(t):
        return x * (1 + np.ndim(t)) + t

    total = 0.0
    for _ in range(n):
        total = step(total)
    return np.sum(total)


def asked_for_its_rank_under_another_name(x, n):
    total = 0.0
    for _ in range(n):
        t = total
        total = x * (1 + np.ndim(t)) + total
    return np.sum(total)


NOT_ELEMENTWISE = [
    (becomes_an_array_by_its_sum, "total"), (leaves_the_number, "y"), (asked_for_its_size, "total"),
    (asked_for_its_type, "total"), (asked_for_its_rank_by_a_helper, "total"),
    (asked_for_its_rank_under_another_name, "total"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "name"), NOT_ELEMENTWISE, ids=lambda x: getattr(x, "__name__", x))
def test_a_number_that_becomes_an_array_not_element_by_element_is_refused_by_name(f, name):
    with pytest.raises(UnsupportedError, match=f"{name} is a number .* before the loop and an array"):
        grad(f)(X, 3)


def augmented_in_a_loop(x, n):
    y = np.zeros(4)
    total = 0.0
    for i in range(n):
        y += np.sin(x) * i
        y *= x
        total += np.sum(y)
    return total


def test_augmented_assignment_in_a_loop():
    check(augmented_in_a_loop, X, 3, argnums=(0,))


def shrinking(x, n):
    for _ in range(n):
        x = x[1:] * x[:-1]
    return np.sum(x)


def shrinking_to_one(x, n):
    total = 0.0
    for _ in range(n):
        total = total + np.sum(x) ** 2
        x = x[:-1] * 1.0
    return total


def growing(x, n):
    y = x
    for _ in range(n):
        y = np.concatenate([y, x])
    return np.sum(y * y)


def growing_by_itself(x, n):
    for _ in range(n):
        x = np.concatenate([x, x * 2])
    return np.sum(x * x)


def shrinking_while(x, n):
    while np.sum(x) > n:
        x = x[1:]
    return np.sum(x * x)


def shrinking_swap(x, n):
    y = x * 2
    for _ in range(n):
        x, y = y, x[:-1]
    return np.sum(x) * np.sum(y * y)


def shrinking_at_times(x, n):
    total = 0.0
    for i in range(n + 1):
        if i == 1:
            x = x[1:]
        total = total + np.sum(x) ** 2
    return total


def read_after_the_loop(x, n):
    total = 0.0
    for i in range(n):
        y = x[i:]
        total = total + np.sum(y * y)
    return total + np.sum(y)


def shrinking_to_broadcast(x, n):
    for _ in range(n):
        x = np.sum(x, axis=0, keepdims=True) * x
        x = x[:1]
    return np.sum(x * x)


@pytest.mark.parametrize(
    "f",
    [
        shrinking,
        shrinking_to_one,
        growing,
        growing_by_itself,
        shrinking_while,
        shrinking_swap,
        shrinking_at_times,
        read_after_the_loop,
        shrinking_to_broadcast,
    ],
    ids=lambda f: f.__name__,
)
def test_an_array_whose_length_varies_in_a_loop(f):
    check(f, X[:3], 2, argnums=(0,))


def until(x, limit):
    steps = 0
    while x < limit:
        x = x * x + 0.5
        steps = steps + 1
    return x * steps


@pytest.mark.parametrize("limit", [0.1, 1.0, 50.0])
def test_while(limit):
    check(until, 0.9, limit, argnums=(0,))


def bisection(a, low, high):
    while high - low > 1e-3:
        middle = (low + high) / 2
        if middle * middle < a:
            low = middle
        else:
            high = middle
    return low * a


def test_a_branch_in_while():
    check(bisection, 2.0, 0.0, 2.0, argnums=(0,))


def while_counting(x, n):
    i = 0
    while i < n and np.sum(x) > 0.1:
        x = x * 0.7
        i += 1
    return np.sum(x * x)


def test_while_with_two_conditions():
    check(while_counting, X, 3, argnums=(0,))
    check(while_counting, X, 100, argnums=(0,))


# --------------------------------------------------------------------------------------------------------- calls
def helper(a, b=2.0, *rest, c=1.0, **more):
    out = a * b + c
    for r in rest:
        out = out + r * r
    for k in more:
        out = out + more[k] * len(k)
    return out


def by_position(x, y):
    return helper(x) + helper(x, y) + helper(x, y, x, y)


def by_keyword(x, y):
    return helper(b=x, a=y) + helper(x, c=y) + helper(x, extra=y, more_of_it=x)


def by_star(x, y):
    args, kwargs = (x, y), {"c": y, "other": x}
    return helper(*args) + helper(x, **kwargs) + helper(*args, *[x, x], **kwargs) + helper(x, *(y,), c=x)


@pytest.mark.parametrize("f", [by_position, by_keyword, by_star], ids=lambda f: f.__name__)
def test_calls(f):
    check(f, 1.5, 0.7)


def two_results(x):
    return x * x, {"cube": x * x * x}


def several_results(x):
    square, rest = two_results(x)
    return square + rest["cube"] * two_results(x * 2)[0]


def test_helpers_return_structures():
    check(several_results, 1.5)


def imported(x):
    return amplified(x) + elsewhere.amplified(x * x) + power(x) + power(x, 3) + power(exponent=2, x=x)


def test_helpers_of_another_module():
    check(imported, 1.5)


def nested(x, y):
    def inner(a, b=2.0):
        c = a * y
        return c * b

    def other(a):
        return inner(a) + inner(a, a)

    return inner(x) * other(x)


def test_nested_functions():
    check(nested, 1.5, 0.7)


def lambdas(x, y):
    f = lambda a: a * y
    g, h = lambda a: a * a, lambda a, b=y: a + b
    return f(x) + g(f(y)) + h(x) + (lambda: x * 3)()


def test_lambdas():
    check(lambdas, 1.5, 0.7)


def late_binding(x):
    k = 1.0

    def f(a):
        return a * k

    first = f(x)
    k = x * 2.0
    return first + f(x)


def test_closures_bind_late():
    check(late_binding, 1.5)


def late_binding_in_a_comprehension(x):
    fs = [lambda a: a * k for k in (1.0, 2.0, 3.0)]
    return fs[0](x) + fs[1](x * x)


def test_lambdas_of_a_comprehension_bind_late():
    check(late_binding_in_a_comprehension, 1.5)


def returned_function(x, y):
    def scaled(k):
        return lambda a: a * k

    return scaled(y)(x) + scaled(x)(x)


def test_functions_are_returned():
    check(returned_function, 1.5, 0.7)


def passed_function(x, y):
    def twice(f, a):
        return f(f(a))

    return twice(np.sin, x) + twice(lambda a: a * y, x) + twice(helper, y) + twice(math.exp, x * 0.1)


def test_functions_are_passed():
    check(passed_function, 1.5, 0.7)


def nested_in_a_loop(x, n):
    def step(a):
        return np.sin(a) * x

    y = x
    for _ in range(n):
        y = step(y)
    return y


def test_nested_functions_in_a_loop():
    check(nested_in_a_loop, 0.5, 3, argnums=(0,))


def helper_with_exits(x):
    if x > 1:
        return x * x
    for _ in range(2):
        x = np.sin(x)
    return x


def calls_a_helper_with_exits(x):
    return helper_with_exits(x) + helper_with_exits(x * 3)


def test_helpers_with_early_returns():
    check(calls_a_helper_with_exits, 0.7)
    check(calls_a_helper_with_exits, 0.1)


def shadowed(x):
    sum = x * 2.0
    np = sum * x
    return np + sum


def test_names_may_be_those_of_modules_and_builtins():
    check(shadowed, 1.5)


def parameters_named_like_helpers(zeros_like, d_x, tape, spread):
    for _ in range(2):
        d_x = np.sin(d_x) * zeros_like
    return np.sum(d_x) * tape + np.sum(spread)


def parameters_named_like_builtins(x, zip, range, float, reversed):
    y = x
    for a, b in [(zip, 1.0), (reversed, float)]:
        y = y * a * b + range
    for e in x:
        y = y * np.sin(e)
    return np.sum(y)


@pytest.mark.parametrize("f, args", [(parameters_named_like_helpers, (X, Y, 2.0, A)),
                                     (parameters_named_like_builtins, (X, 1.0, 2.0, 3.0, 4.0))])  # fmt: skip
def test_parameters_may_have_the_names_of_generated_code(f, args):
    check(f, *args)


spread, zeros_like, d_x = np.arange(4.0), np.arange(4.0) + 1.0, 2.0


def globals_named_like_helpers(x):
    tape = d_x * 2.0
    for _ in range(2):
        x = np.sin(x) * zeros_like + spread
    return np.sum(x) * tape


def test_globals_may_have_the_names_of_generated_code():
    check(globals_named_like_helpers, X)


def aliased_imports(x):
    return np.sum(s(x)) + exp(anp.sum(x) / 10) * pi + length_of(x)


def test_imports_by_other_names():
    check(aliased_imports, X)


def globals_used(x):
    out = x * WEIGHTS * TABLE["rate"] + PAIR[0]
    for _ in range(COUNT):
        out = np.sin(out) * PAIR[1]
    return np.sum(out)


def test_globals():
    check(globals_used, X)


def builtins_used(x, y, z):
    a = abs(x) + max(x, y) * min(x, y, z) + sum([x, y * y]) + pow(x, 2) + float(y) + len((x, y)) + round(1.4)
    return a + sum((x, y), 1.0) + max([x * x, y]) + int(2.7) * x + bool(1) * y


def test_builtins():
    check(builtins_used, 1.5, 0.7, -0.4)


def of_modules(x, y):
    return math.sin(x) * math.pi + math.sqrt(y) + math.exp(math.log(y)) + operator.mul(x, y) + np.pi * np.e


def test_functions_of_modules():
    check(of_modules, 1.5, 0.7)


DOUBLE, SHIFTED = partial(operator.mul, 2.0), partial(helper, b=3.0)


def library_callables(x, y):
    return DOUBLE(x) * SHIFTED(y) + SHIFTED(x, c=y)


def test_partials():
    check(library_callables, 1.5, 0.7)


# -------------------------------------------------------------------------------------------- attributes, methods
def attributes(x, y):
    n, m = x.shape
    z = x.T @ x / x.shape[0] + x.size - x.ndim
    return np.sum(z) * n + m * np.sum(x.T[0] * 2.0) + len(x) + x.shape[-1] * np.sum(y) + x.T.shape[0]


def methods(x, y):
    a = x.sum(axis=0) * x.mean(0) + x.sum() + x.max() * x.min() + x.prod() * x.std() + x.var(axis=1).sum()
    b = x.dot(y) @ x + x.reshape(-1, 2).sum() + x.ravel()[1] + x.flatten()[2] + x.transpose()[0, 1]
    c = (
        x.T.copy().clip(-1, 1).sum()
        + x.swapaxes(0, 1)[1].sum(keepdims=True)[0]
        + x.astype(float).trace()
        + y.squeeze()[0]
    )
    return np.sum(a * b) + c


def test_attributes_of_arrays():
    check(attributes, A, Y)


def test_methods_of_arrays():
    check(methods, A, Y)


def test_attributes_of_numpy_numbers():
    def f(x):
        y = np.sum(x)
        return y.T * y.sum() + len(y.shape) + y.ndim

    check(f, X)


def method_of_a_result(x):
    return np.sin(x).sum() + (x * x).mean() + x[1:].sum() + float(np.sum(x))


def test_methods_of_results():
    check(method_of_a_result, X)


class Parameters:
    def __init__(self):
        self.rate = 0.5
        self.matrix = B
        self.inner = type("Inner", (), {"offset": X})()


PARAMETERS = Parameters()


def attributes_of_objects(x):
    return np.sum(PARAMETERS.matrix @ x + PARAMETERS.inner.offset) * PARAMETERS.rate


def test_attributes_of_objects():
    check(attributes_of_objects, X)


# --------------------------------------------------------------------------------------------------- subscripts
def sub_element(x):
    return x[1, 2] * x[-1, -2] + x[0][3]


def sub_rows(x):
    return x[1] * x[-1]


def sub_slices(x):
    return x[1:, :-1] * x[:-1, 1:]


def sub_step(x):
    return x[::2, ::3] + x[:1, 1:3]


def sub_negative_step(x):
    return x[::-1] * x[:, ::-1] + x[2::-2, -1:-3:-1].sum()


def sub_ellipsis(x):
    return x[..., 0] * x[0, ..., 1] + x[...].sum() + x[..., 1:].sum()


def sub_newaxis(x):
    return x[:, None, :] * x[None, :, np.newaxis, 0, None][..., 0] + x[None].sum()


def sub_integers(x):
    return x[[0, 2, 0]] * x[np.array([1, 1, 2])]


def sub_integers_of_both_axes(x):
    return x[[0, 2, 0, 0], [1, 1, 1, 1]] * x[np.array([[0], [1]]), np.array([0, 1, 2, 3])]


def sub_integers_and_slices(x):
    return x[1:, [0, 0, 3]] * x[[0, 1], 1:]


def sub_mask(x):
    return x[x > 0] ** 2


def sub_mask_of_rows(x):
    return x[np.array([True, False, True])] * 3.0


def sub_mask_and_slice(x):
    return x[np.array([True, False, True]), 1:] * x[:2, np.array([True, False, True, True])]


def sub_of_a_slice(x):
    y = x[1:]
    return y[0] * y[:, ::2].sum() + y[1][y[1] > 0].sum()


def sub_out_of_range(x):
    return x[5:].sum() + x[:100] * 2.0 + x[-100:2].sum()


def sub_computed(x):
    k = x.shape[0] // 2
    return x[k : x.shape[1] - 1] * x[k]


SUBSCRIPTS = [v for k, v in list(globals().items()) if k.startswith("sub_")]


@pytest.mark.parametrize("f", SUBSCRIPTS, ids=lambda f: f.__name__)
def test_subscripts(f):
    def program(x):
        return np.sum(np.sin(f(x)) * 1.5)

    check(program, A)


def by_index(x, i):
    return x[i] * x[i - 1] + np.sum(x[i:]) + np.sum(x[: i + 1]) * x[-i]


@pytest.mark.parametrize("i", [0, 1, 3])
def test_subscripts_by_an_argument(i):
    check(by_index, X, i, argnums=(0,))


def gathered(x, index):
    return np.sum(x[index] ** 2)


@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 2, 2, -1]),
        np.array([], int),
        np.array([[0, 1], [1, 1]]),
        np.int64(2),
        np.array([True, False, True, True]),
        slice(1, 3),
        (slice(None),),
    ],
    ids=str,
)
def test_subscripts_by_an_array_argument(index):
    check(gathered, X, index, argnums=(0,))


def test_an_index_out_of_range_raises_what_numpy_raises():
    def f(x, i):
        return x[i] * 2.0

    with pytest.raises(IndexError, match="out of bounds"):
        grad(f)(X, 7)


# --------------------------------------------------------------------------------------- tuples, lists, dicts
def tuples(x, y):
    t = (x, y, (x * y, 2.0))
    u = t + (y * 3,)
    return t[0] * t[-1][0] + u[-1] * len(u) + sum(t[:2]) + (x, y)[1] + t[2][1]


def lists(x, y):
    values = [x, y]
    values = values + [x * y] * 2
    return values[0] * values[-1] + len(values) + sum(values) + values[1:3][0]


def dicts(x, y):
    d = {"a": x, "b": {"c": y}}
    e = {**d, "a": y * 2.0, "d": 3.0}
    f = dict(p=x, q=e["d"])
    return d["a"] * d["b"]["c"] + e["a"] * e["d"] + f["p"] + len(e) + (x if "a" in e else y) + e.get("zz", y)


@pytest.mark.parametrize("f", [tuples, lists, dicts], ids=lambda f: f.__name__)
def test_containers(f):
    check(f, 1.5, 0.7)


def static_comprehension(x, y):
    squares = [a * a for a in (x, y, x * y)]
    chosen = [a for a in squares if True]
    pairs = [(a, b) for a in (x, y) for b in (1.0, 2.0)]
    return squares[0] + chosen[2] * pairs[3][0] + pairs[1][1] + sum([k * x for k in range(3)])


def unknown_comprehension(x, n):
    powers = [x * i for i in range(n)]
    total = 0.0
    for p in powers:
        total = total + np.sum(p * p)
    return total + sum([np.sum(np.sin(p)) for p in powers]) + len(powers)


def comprehension_of_rows(x):
    return np.sum(np.array([np.sum(row * row) for row in x]) ** 2)


def comprehension_of_zip(x, y):
    return sum([a * b for a, b in zip(x, y)])


def nested_comprehension(x, y):
    m = [[a * b for b in (y, 2.0)] for a in (x, y, 1.0)]
    return m[0][0] + m[1][1] * m[2][0] + sum([sum(row) for row in m])


def comprehension_scope(x):
    a = 2.0
    b = [a * x for a in (1.0, 3.0)]
    return a * b[1]


@pytest.mark.parametrize("f", [static_comprehension, nested_comprehension], ids=lambda f: f.__name__)
def test_static_comprehensions(f):
    check(f, 1.5, 0.7)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_comprehensions_of_unknown_length(n):
    check(unknown_comprehension, X, n, argnums=(0,))


def test_comprehensions_over_arrays():
    check(comprehension_of_rows, A)
    check(comprehension_of_zip, X, Y)
    check(comprehension_of_zip, X[:2], Y)


def test_comprehensions_have_a_scope_of_their_own():
    check(comprehension_scope, 1.5)


def stacked(x, n):
    rows = [np.sin(x) * i for i in range(n)]
    return np.sum(np.stack(rows) ** 2) + np.sum(np.concatenate(rows)) + np.sum(np.array(rows) * 2)


LISTS_AMONG_ARRAYS = {
    "zero in front": lambda x: np.concatenate(([0.0], np.cumsum(x))),
    "of elements and constants": lambda x: np.concatenate([x[:2], [x[0], 3, x[1] ** 2], x, [2.0]]),
    "empty": lambda x: np.concatenate([x, [], x]),
    "rows": lambda x: np.concatenate([np.outer(x, x), [x, x[::-1]]]),
    "a column": lambda x: np.concatenate([np.outer(x, x), [[x[0]], [1.0], [x[2]]]], axis=1),
    "beside": lambda x: np.hstack([x, [x[1], 1.0]]),
    "below": lambda x: np.vstack([np.outer(x, x), [x[0], 1.0, x[1]]]),
    "stacked": lambda x: np.stack([x, [x[0], 1.0, x[1]]], axis=1),
    "complex": lambda x: np.concatenate([x.astype(complex), [1j * x[0]]]).imag,
}


@pytest.mark.parametrize("joined", LISTS_AMONG_ARRAYS.values(), ids=LISTS_AMONG_ARRAYS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lists_among_arrays_are_joined_as_arrays(joined, dtype):
    def f(x):
        y = joined(x)
        return np.sum(np.sin(y) * np.arange(1.0, 1 + y.size).reshape(y.shape))

    x = np.array([0.5, -1.25, 2.0], dtype)
    gradient = grad(f)(x)
    assert gradient.dtype == dtype
    single = dtype == np.float32
    assert_close(gradient, differences(f, (x.astype(float),)), 1e-5 if single else 1e-6, 1e-5 if single else 1e-7)


def list_made_an_array(xs, y):
    return np.sum(np.array(xs) * y)


def test_numbers_of_a_list_get_numbers():
    check(list_made_an_array, [0.5, 2.0], X[:2])
    check(list_made_an_array, [np.float64(0.5), np.float64(2.0)], X[:2])


def test_lists_of_unknown_length_are_stacked():
    check(stacked, X, 3, argnums=(0,))


def array_of_numbers(x, y):
    a = np.array([x, y * y, 2.0])
    b = np.array([[x, 1.0], [y, x * y]])
    return np.sum(a * a) + np.sum(b @ b)


def test_arrays_of_computed_numbers():
    check(array_of_numbers, 1.5, 0.7)


def test_structures_as_results_of_interpret():
    def f(x, y):
        return {"a": (x, [y, x * y]), "b": None, "c": "text", "d": 3}

    assert_same(interpret(f, (X, 2.0)), f(X, 2.0))


# ------------------------------------------------------------------------------------- assert, raise, print, text
def asserting(x):
    assert x > 0, f"not positive: {x}"
    assert x < 100
    return x * x


def test_assert():
    check(asserting, 2.0)
    g = grad(asserting)
    for f in (g, lambda x: interpret(asserting, (x,))):
        with pytest.raises(AssertionError, match=r"not positive: -1\.0"):
            f(-1.0)
        with pytest.raises(AssertionError):
            f(200.0)


def raising(x, kind):
    if kind == 1:
        raise ValueError("one", x)
    elif kind == 2:
        raise KeyError
    if x > 10:
        raise RuntimeError(f"{x:.2f} is too large") from None
    return x * x


def test_raise():
    check(raising, 2.0, 0, argnums=(0,))
    g = grad(raising)
    for f in (g, lambda *a: interpret(raising, a)):
        with pytest.raises(ValueError) as info:
            f(3.0, 1)
        assert info.value.args == ("one", 3.0)
        with pytest.raises(KeyError):
            f(3.0, 2)
        with pytest.raises(RuntimeError, match="11.00 is too large"):
            f(11.0, 0)


def raising_in_a_loop(x):
    out = 0.0
    for i, e in enumerate(x):
        if e < 0:
            raise ValueError(f"element {i} is negative")
        out = out + np.sqrt(e)
    return out


def test_raise_in_a_loop():
    check(raising_in_a_loop, X)
    with pytest.raises(ValueError, match="element 2 is negative"):
        grad(raising_in_a_loop)(np.array([1.0, 2.0, -3.0, -4.0]))


def printing(x, n):
    print("start", x, sep=" = ")
    for i in range(n):
        x = x * 2.0
        print(f"step {i}: {x:.1f}", end=";\n")
    if x > 5:
        print("large")
    print()
    return x * x


@pytest.mark.parametrize("run", [printing, lambda *a: interpret(printing, a), value_and_grad(printing), grad(printing)],
                         ids=["plain", "interpret", "value_and_grad", "grad"])  # fmt: skip
def test_print_keeps_its_order(run, capsys):
    run(1.5, 2)
    assert capsys.readouterr().out == "start = 1.5\nstep 0: 3.0;\nstep 1: 6.0;\nlarge\n\n"


def printing_and_raising(x):
    print("before")
    if x > 0:
        raise ValueError("here")
    print("after")
    return x


def test_print_before_raise(capsys):
    with pytest.raises(ValueError):
        grad(printing_and_raising)(1.0)
    assert capsys.readouterr().out == "before\n"


def formatted(x):
    label = f"{x!r} and {x:>8.3f} and {{}} and {'nested'}joined"
    if label == "":
        return x
    return x * len(f"{3}")


def test_f_strings():
    def f(x):
        return f"{x!r}|{x:8.3f}|{{}}|{'ab'}|{3:>{4}}"

    assert interpret(f, (1.5,)) == f(1.5)


def documented(x):
    """A docstring is no statement.

    Nor is what it says.
    """
    "neither is this"
    ...
    return x * x


def test_docstrings():
    check(documented, 1.5)


def commented(x):
    # a comment, and lines continued
    return (x
            * x) + \
        x  # fmt: skip


def test_lines_are_continued():
    check(commented, 1.5)


# ---------------------------------------------------------------------------------------------- zero-size arrays
def of_nothing(x):
    y = np.sin(x) * 2.0 + np.sum(x)
    return np.sum(y) + np.sum(np.concatenate([x, x])) + np.prod(x) + np.sum(x[:0]) + np.sum(x[::-1] * x)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_arrays_of_no_elements(n):
    check(of_nothing, X[:n])


def matrices_of_nothing(a, b):
    return np.sum(a @ b) + np.sum(a.T) + np.sum(np.sum(a, axis=0) ** 2)


@pytest.mark.parametrize("n, m, k", [(0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0)])
def test_matrices_of_no_elements(n, m, k):
    check(matrices_of_nothing, RNG.normal(size=(n, m)), RNG.normal(size=(m, k)))


# ----------------------------------------------------------------------------------------------- whole programs
def softmax_regression(p, X, labels):
    z = X @ p["W"] + p["b"]
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels]) + 0.1 * np.sum(p["W"] ** 2)


def test_softmax_regression():
    p = {"W": RNG.normal(size=(4, 3)), "b": RNG.normal(size=3)}
    check(softmax_regression, p, RNG.normal(size=(5, 4)), np.array([0, 2, 1, 1, 0]), argnums=(0,))


def rnn(params, xs, h):
    total = 0.0
    for x in xs:
        h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
        total += np.sum(h * h)
    return total


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_recurrent_network(n):
    params = {"W": B / 3, "U": RNG.normal(size=(4, 2)), "b": X}
    check(rnn, params, RNG.normal(size=(n, 2)), Y)


def integrate(theta, y, n, dt):
    def slope(y):
        return np.array([y[1], -theta[0] * np.sin(y[0]) - theta[1] * y[1]])

    for _ in range(n):
        k1 = slope(y)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt / 2 * k2)
        k4 = slope(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[0] ** 2 + y[1]


def test_runge_kutta():
    check(integrate, np.array([1.0, 0.1]), np.array([0.5, 0.0]), 5, 0.1)


# ------------------------------------------------------------------------------------------- derivatives of gradients
TWICE = [
    (tuple_targets, (1.5, 0.7)), (augmented_arrays, (X, Y)), (augmented_matmul, (X, Y)), (matrix_product, (A, X)),
    (unpack_rows, (A,)), (ternary, (X, 0.5)), (three_ways, (1.5,)), (early_return, (1.0, 1.5)), (counting, (X, 3)),
    (indexed, (X, 3)), (triangular, (X,)), (row_by_row, (A, Y)), (element_by_element, (X,)), (in_pairs, (X, Y)),
    (numbered, (X, A)), (backwards, (X, 3)), (carried_tuple, (0.5, 0.7, 4)), (carried_dict, (X, 4)),
    (fibonacci, (0.7, 6)), (branch_in_a_loop, (0.7, 6)), (augmented_in_a_loop, (X, 3)), (until, (0.9, 50.0)),
    (bisection, (2.0, 0.0, 2.0)), (nested, (1.5, 0.7)), (lambdas, (1.5, 0.7)), (calls_a_helper_with_exits, (0.1,)),
    (attributes, (A, Y)), (methods, (A, Y)), (unknown_comprehension, (X, 3)), (comprehension_of_rows, (A,)),
    (stacked, (X, 3)), (array_of_numbers, (1.5, 0.7)),
    (of_nothing, (X,)), (of_nothing, (X[:0],)), (sub_mask, (A,)), (sub_integers, (A,)), (sub_of_a_slice, (A,)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", TWICE, ids=lambda x: getattr(x, "__name__", ""))
def test_gradients_are_differentiated(f, args):
    def reduced(x):
        return np.sum(np.sin(f(x)))

    gradient = grad(f if np.ndim(f(*args)) == 0 else reduced)
    along = RNG.normal(size=np.shape(args[0]))

    def slope(*a):
        return np.sum(gradient(*a) * along)

    d_args = grad(slope, "a")(*args)
    assert_close(d_args[0], differences(slope, args), 1e-5, 1e-6)


def test_the_mean_of_a_number():
    for f, slope in ((lambda a: np.mean(a * a), 0.6), (lambda a: np.mean(a) + np.var(a) + np.std(a), 1.0)):
        for x in (0.3, np.float64(0.3), np.array(0.3)):
            assert np.isclose(grad(f)(x), slope)
    cubes = lambda a: np.sum(a * a * a)
    assert np.isclose(grad(lambda a: grad(lambda t: np.sum(grad(cubes)(t) * 2.0))(a))(0.3), 12.0)


def test_decorators_of_nested_functions_that_the_compiler_knows():
    def checkpointed(x):
        @checkpoint
        def step(h):
            return np.sin(h) * h

        for _ in range(3):
            x = step(x)
        return np.sum(x)

    def differentiated(x):
        @grad
        def slope(h):
            return np.sum(np.sin(h) * h)

        return np.sum(slope(x))

    check(checkpointed, X)
    check(differentiated, X)


def test_containers_of_a_module_that_nobody_has_imported(tmp_path):
    path = tmp_path / "unimported.py"
    path.write_text("import numpy as np\nw = (np.array([1.0, 2.0]), 3.0)\n"
                    "def s(x): return np.sum(w[0] * x) * w[1]\n")
    weighted = runpy.run_path(str(path))["s"]
    np.testing.assert_allclose(grad(lambda x: weighted(x) ** 2)(np.ones(2)), 18.0 * np.array([3.0, 6.0]))


def picked_by_where(x):
    w = np.where(x > 0.5)[0]
    return np.sum(x[w] ** 2) + np.sum(np.where(x > 0.5, x, 0.0))


def test_where_of_one_argument_is_nonzero():
    check(picked_by_where, X)
    check(picked_by_where, -X)


def number_that_nobody_reads(x, n):
    t = 0.0
    for _ in range(n):
        x = np.tanh(x)
        t = t + x * x
    return np.sum(x * x)


def test_a_number_that_becomes_an_array_is_not_asked_for_where_nobody_reads_it():
    check(number_that_nobody_reads, X, 0, argnums=(0,))
    check(number_that_nobody_reads, X, 2, argnums=(0,))


def none_at_first(x, y):
    before = None
    total = 0.0
    for i in range(4):
        change = 0.0 if before is None else x[i] - before
        before = x[i]
        total = total + y * change * change
    return total


def test_what_is_none_at_first_in_a_loop_over_a_short_range():
    check(none_at_first, X, 0.7)


def named_by_keywords(a, b):
    made = dict(x=a, y=b)
    more = dict(made, x=b * b, self=a, node=a * b)
    scaled = partial(lambda f, node, self, x: f * node + self * x, node=a, self=b, f=b)
    return made["x"] * made["y"] + more["x"] * more["self"] + more["node"] + scaled(x=a)


def test_keywords_may_be_called_as_the_parameters_of_the_compiler():
    check(named_by_keywords, 1.3, 0.4)


@pytest.mark.parametrize(
    "f",
    [
        lambda y: y * 2 if (y > 1) is True else y * 3,
        lambda y: y * 2 if (y > 1 and y < 5) is not False else y * 3,
        lambda y: y * 2 if (not y > 1) is False else y * 3,
    ],
)
@pytest.mark.parametrize("y", [0.3, 1.3])
def test_a_bool_that_is_computed_is_one_of_two(f, y):
    value, slope = value_and_grad(f)(y)
    assert value == f(y) and slope == pytest.approx(f(1.0 * y) / y)


# ------------------------------------------------------------------------- what is known of an array without its values
def by_bytes(x):
    return np.sum(x) * x.nbytes + x[0] * x.itemsize + x.astype(np.float32).nbytes * x[1]


def by_an_attribute_or_else(x):
    d = {"a": x[0]}
    return np.sum(x) * getattr(x, "nope", 7) + getattr(d, "a", 3) * x[0] + getattr(x, "ndim", 5) * x[1]


@pytest.mark.parametrize("f", [by_bytes, by_an_attribute_or_else])
def test_attributes_of_arrays_that_are_known(f):
    check(f, np.array([1.0, 2.0, 3.0]))
