"""Generated source says what an engineer would: names, tapes, arguments; with the numbers that differences give."""

from typing import Any

import numpy as np
import pytest

from adcompiler import differentiable, grad, value_and_grad
from adcompiler.compile import build
from adcompiler.passes.capture import tapes
from adcompiler.request import Request, from_call
from rules.kind import Lengths

from .numerics import assert_close, assert_same, differences

V = np.array([0.7, 1.3, -0.4, 0.9])
M = np.random.default_rng(3).normal(size=(5, 6))


def source(f: Any, *args: Any, argnums: Any = 0) -> str:
    return differentiable(f, argnums=argnums).source("grad", example=args)


def kept(f: Any, *args: Any) -> int:
    """The number of lists that the loops of a gradient keep."""
    request = Request(f, 0)
    return tapes(build(request, from_call(request, args, {}), Lengths()).stages["capture"])


# -------------------------------------------------------------------------------------------------- names
def called_d(x, y):
    d = x - y
    d_x = np.exp(-d)
    return np.sum(d * d) + np.sum(d_x * d)


def called_as_a_cotangent(x):
    d = x[0] * x[1]
    d_x = d * x[2]
    return d_x * d


def called_d_in_a_loop(x, n):
    d = x * 2.0
    for _ in range(n):
        d = d * np.sin(d)
    d += x
    return np.sum(d)


@pytest.mark.parametrize(
    "f, args", [(called_d, (V, V[::-1])), (called_as_a_cotangent, (V,)), (called_d_in_a_loop, (V, 3))]
)
def test_variables_that_are_called_as_cotangents_are(f, args):
    assert_close(grad(f)(*args), differences(f, args))


def test_a_variable_is_called_as_its_user_calls_it_and_a_cotangent_otherwise():
    text = source(called_as_a_cotangent, V)
    assert "d = part * part_2\n" in text and "d_x = d * x[2] " in text
    assert "d_x = zeros_like" not in text


def test_what_the_user_has_named_is_a_statement_of_its_own():
    def f(x):
        d = x * 3.0
        return np.sum(np.sin(d))

    assert "d = x * 3.0" in source(f, V)


def test_the_value_has_the_bits_of_the_function_whatever_variables_are_called():
    def f(x):
        data = np.zeros(2)
        data[0] += x[0] * 1e16
        data[0] += x[1]
        data[0] += x[2]
        data[0] -= x[0] * 1e16
        return data[0]

    x = np.array([1.0, 1.0, 1.0])
    value, d = value_and_grad(f)(x)
    assert_same(value, f(x))
    assert_close(d, np.array([0.0, 1.0, 1.0]))


def test_the_cotangent_of_a_nameless_cotangent_is_nameless():
    def f(x, A):
        return np.sum(grad(lambda z: np.sum(np.sin(z) * (A @ z)))(x) ** 2)

    assert "d_d" not in source(f, V, np.ones((4, 4)))
    assert_close(grad(f)(V, np.ones((4, 4))), differences(f, (V, np.ones((4, 4)))), 1e-5)


def underscore_before_a_loop(x):
    _ = np.sin(x)
    for i in range(2):
        x = x * _
    return np.sum(x)


def underscore_in_a_sum(x):
    _ = np.sin(x)
    s = 0.0
    for i in range(2):
        s = s + np.sum(x * _)
    return s + np.sum(_)


def underscore_of_a_loop(x):
    s = 0.0
    for _ in x:
        s += np.sin(_) * _
    return s


def underscore_argument(_):
    for i in range(2):
        _ = _ * np.cos(_)
    return np.sum(_)


@pytest.mark.parametrize(
    "f", [underscore_before_a_loop, underscore_in_a_sum, underscore_of_a_loop, underscore_argument]
)
def test_an_underscore_that_is_read_is_a_variable(f):
    assert_close(grad(f)(V), differences(f, (V,)))


def test_temporaries_leave_the_users_names_alone():
    def f(w, rate, xs):
        total = 0.0
        for t, x in enumerate(xs):
            total += rate**t * (w * x) ** 2
        return total

    text = source(f, 0.5, 0.9, V, argnums=(0, 1))
    assert "for x, t, (" in text or "for t, x, (" in text
    for i in (0, 1):
        assert_close(grad(f, i)(0.5, 0.9, V), differences(f, (0.5, 0.9, V), i))


# -------------------------------------------------------------------------------------------------- tapes
def places_in_two_loops(u, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += u[i + 1] * u[j + 1] * u[i + 1]
    return total


def convolution(x, k):
    n, m = x.shape[0], k.shape[0]
    y = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        for j in range(m):
            y[i] += x[i + j] * k[j]
    return np.sum(y * y)


def three_deep(A):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(i + 1):
            for k in range(j):
                total += A[i, k] * A[j, k + 1] * A[i, j]
    return total


@pytest.mark.parametrize("f, args", [(places_in_two_loops, (V, 3)), (convolution, (M[0], V)), (three_deep, (M,))])
def test_loops_in_loops_keep_nothing_that_is_taken_again(f, args):
    assert kept(f, *args) == 0
    assert_close(grad(f)(*args), differences(f, args))


def inner_loop_that_stops(A, limit):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] * j > limit:
                break
            total += np.sin(A[i, j]) * A[i, j]
    return total


def outer_loop_that_stops(A, limit):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(i + 1):
            total += np.exp(A[i, j] * A[i, j + 1])
        if total > limit:
            break
    return total


def overwritten_between(A):
    u = A[0].copy()
    for i in range(1, A.shape[0]):
        for j in range(1, i):
            u[j] = np.sin(u[j - 1]) * u[j + 1] * A[i, j]
        u[i] *= u[i - 1]
    return np.sum(u * u)


def index_known_after_the_inner_loop(A):
    total = 0.0
    for i in range(A.shape[0]):
        c = 0
        s = 0.0
        for j in range(i):
            s += A[i, j] * A[i, j]
            c += 2
        total += s * A[i, c - i]
    return total


def inner_while(A):
    total = 0.0
    for i in range(A.shape[0]):
        j = i
        while j > 0:
            total += A[i, j] * np.tanh(A[i, j - 1] * A[0, i])
            j -= 2
    return total


def arrays_of_rows(A):
    total = 0.0
    for i in range(A.shape[0]):
        w = A[i] * 2.0
        for j in range(2):
            w = np.tanh(w[::-1] * A[j]) + w
        total += np.sum(w)
    return total


@pytest.mark.parametrize(
    "f, args",
    [
        (inner_loop_that_stops, (M, 1.0)), (outer_loop_that_stops, (M, 4.0)), (overwritten_between, (M,)),
        (index_known_after_the_inner_loop, (M,)), (inner_while, (M,)), (arrays_of_rows, (M,)),
    ],
)  # fmt: skip
def test_loops_in_loops_are_read_back_as_they_ran(f, args):
    assert_close(grad(f)(*args), differences(f, args), 1e-5)


def test_a_loop_in_a_loop_keeps_one_list_of_tuples():
    def f(A):
        total = 0.0
        for i in range(4):
            for j in range(i + 1):
                r = A[i] * A[j]
                total += np.sum(np.sin(r) * np.exp(-r))
        return total

    text = source(f, M)
    assert text.count(".append(") == 2 and "row.append((" in text and "tape.append(row)" in text
    assert_close(grad(f)(M), differences(f, (M,)), 1e-5)


def test_a_value_is_kept_once():
    def f(x):
        first, second = [], []
        for v in x:
            s = np.sin(v)
            first.append(s)
            second.append(s)
        second.append(x[1])
        first.pop()
        return np.sum(np.array(first) ** 2) + np.sum(np.array(second) ** 3)

    assert_close(grad(f)(V), differences(f, (V,)))


# ------------------------------------------------------------------------------------------- uniform cotangents
def summed_in_a_loop(x, n):
    for _ in range(n):
        x = x * np.cos(x)
    return np.sum(x)


def summed_and_stored(A):
    B = A.copy()
    B[0] = B[0] ** 2
    return np.sum(B)


def summed_in_a_branch(x, a):
    if a > 2:
        return np.sum(x)
    return np.sum(x * x)


def rows_summed_and_one_stored(A):
    return np.sum(np.sum(A, axis=1) * A[:, 0])


@pytest.mark.parametrize(
    "f, args",
    [(summed_in_a_loop, (V, 2)), (summed_and_stored, (M,)), (summed_in_a_branch, (V, 3.0)),
     (rows_summed_and_one_stored, (M,))],
)  # fmt: skip
def test_a_uniform_cotangent_is_made_as_an_array_where_it_is_written_into(f, args):
    text = source(f, *args)
    assert "d_A = d_A.copy()" not in text and "d_x = d_x.copy()" not in text and "return d_x.copy()" not in text
    assert_close(grad(f)(*args), differences(f, args))
    assert grad(f)(*args).flags.writeable


def test_two_uniform_cotangents_are_one():
    def f(v):
        return np.sum(v + 1.0) + np.sum(v * 2)

    assert "np.full_like(v, 3.0)" in source(f, V)
    assert_close(grad(f)(V), np.full(4, 3.0))


UNIFORM = [
    (lambda u, v: np.sum(u[:, None] * v[None, :]), (V, V[1:])),
    (lambda A, v: np.sum(A - v), (M, M[0])),
    (lambda A, v: np.mean(A * v) + np.sum(A / v), (M, M[0] + 3.0)),
    (lambda u, v: np.sum(np.outer(u, v)), (V, V[1:])),
    (lambda A, v: np.sum(A @ v), (M, M[0])),
    (lambda v, A: 2.5 * np.sum(v @ A), (M[:, 0], M)),
    (lambda A, B: np.sum(A @ B), (M, M.T[:, :3])),
    (lambda A, B: np.sum(B @ A.T), (M, M[:3])),
    (lambda u, A: np.sum(u[:, None] - u[None, :]) + np.sum(A.T - u), (M[:, 0], M)),
    (lambda u, A: np.sum((A.T + u) @ A), (M[:, 0], M)),
    (lambda A, v: np.sum(A - v), (M[:1], M[0])),
    (lambda A, v: np.sum(A @ v), (M.astype(np.float32), M[0].astype(np.float32))),
]


@pytest.mark.parametrize("f, args", UNIFORM)
def test_products_and_sums_of_what_is_one_number_all_over_are_sums(f, args):
    text = differentiable(f, argnums=(0, 1)).source("grad", example=args)
    assert "np.broadcast_to(" not in text and "np.full(" not in text and "@ np.ones" not in text
    wide = tuple(x.astype(float) for x in args)
    for i in (0, 1):
        got = grad(f, i)(*args)
        assert got.dtype == args[i].dtype
        assert_close(got.astype(float), differences(f, wide, i), 1e-5)


# ------------------------------------------------------------------------------------------------ expressions
def test_a_factor_is_taken_into_a_number():
    def f(x, a):
        return a * np.sum(np.sin(x * x))

    assert "2.0 * a * " in source(f, V, 1.5) and "*= 2.0" not in source(f, V, 1.5)
    assert_close(grad(f)(V, 1.5), differences(f, (V, 1.5)))


def bilinear(A, x, y):
    return x @ A.T @ y


def product_of_a_transpose(F, P):
    return np.sum(np.sin(F @ P @ F.T))


@pytest.mark.parametrize("f, args", [(bilinear, (M[:4, :4], V, V[::-1])), (product_of_a_transpose, (M, M.T @ M))])
def test_products_are_not_transposed_afterwards(f, args):
    assert ").T" not in source(f, *args)
    assert_close(grad(f)(*args), differences(f, args), 1e-5)


def test_a_result_that_nobody_reads_has_no_name():
    def f(A):
        return np.linalg.slogdet(A)[1]

    A = M[:, :5] @ M[:, :5].T + np.eye(5)
    text = differentiable(f).source("value_and_grad", example=(A,))
    assert "_, " in text and "t_2" not in text
    assert_close(grad(f)(A), np.linalg.inv(A).T)


def test_numbers_of_the_right_type_are_not_converted():
    def f(x):
        return x * 2.0 * np.float64(x)

    text = source(f, np.float64(1.5))
    assert "np.float64(" not in text
    assert_same(grad(f)(np.float64(1.5)), np.float64(6.0))


def test_arguments_are_written_as_they_commonly_are():
    def f(a, n):
        x = np.linspace(0, 1, n)
        t = np.arange(1, 1 + n)
        return np.sum(np.abs(a - x) * np.sin(2 * np.pi * t / 7) * np.exp(-np.pi * t))

    text = source(f, V, 4)
    for written in ("np.linspace(0, 1, n)", "np.arange(1, 1 + n)", "np.sin(2 * np.pi * t / 7)", "-np.pi * t"):
        assert written in text
    assert_close(grad(f)(V, 4), differences(f, (V, 4)))


def test_a_variable_called_np_is_not_the_module():
    import math

    def f(x):
        np = x * x
        return math.pi * np * np

    assert_close(grad(f)(1.5), 4 * math.pi * 1.5**3)
    assert_close(value_and_grad(f)(1.5)[0], f(1.5))


def test_a_list_that_nobody_reads_is_not_kept_to_count_iterations():
    def sweeps(f, n):
        u = np.zeros(len(f))
        for _ in range(n):
            change = 0.0
            for i in range(1, len(f) - 1):
                new = 0.5 * (u[i - 1] + u[i + 1] + f[i])
                change = max(change, abs(new - u[i]))
                u[i] = new
            if change < 1e-3:
                break
        return np.sum(u**2)

    def fixed(f, n):
        u = np.zeros(len(f))
        for _ in range(n):
            for i in range(1, len(f) - 1):
                u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i])
        return np.sum(u**2)

    f = np.array([0.0, 1.0, 0.5, -0.3, 0.2])
    for program, sizes in ((sweeps, (0, 3, 99)), (fixed, (0, 3))):
        assert "append" not in differentiable(program).source("grad", example=(f, 3))
        for n in sizes:
            assert_close(grad(program)(f, n), differences(program, (f, n)))
