"""Names that only some iterations of a loop assign keep their value through the others; and broadcast cotangents."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, check_grad, grad, value_and_grad

X = np.array([0.5, 1.5, -1.0, 2.0])


def inner_loop_ends_empty(x):
    for i in range(3):
        for j in range(2 - i):
            a = x[j] * x[j]
    return a


def rows_end_empty(rows):
    for r in rows:
        for v in r:
            last = v * v
    return last


def read_in_the_outer_loop(x):
    total = 0.0
    for i in range(2):
        for j in range(1 - i):
            a = x[j] * x[j]
        total = total + a
    return total


def assigned_under_an_if(x):
    for i in range(3):
        if i < 1:
            a = x * x
    return np.sum(a)


def assigned_at_times(x):
    total = 0.0
    for i in range(4):
        if i % 2 == 0:
            a = x[i]
        total = total + a * x[i]
    return total


def inner_loop_begins_empty(x):
    total = 0.0
    for i in range(3):
        for j in range(i):
            z = x[j] * 2
        total = total + x[i]
    return total + z


def assigned_in_an_inner_while(x):
    total = 0.0
    for i in range(3):
        k = i
        while k < 1:
            a = x[k] * x[k]
            k = k + 1
        total = total + a * x[i]
    return total


def product_under_its_own_name(x):
    y = x * 2
    y = y @ np.ones(4)
    return y


def broadcast_beside_a_slice(A):
    part = A.sum(axis=0)[:-1]
    return part[1] + np.sum(np.sin(A))


def one_row_beside_a_trace(A):
    row = np.sum(A, axis=0)[[0, 1, 1]]
    return np.trace(A) + row[1]


def handed_to_another_name(x):
    u = x
    for _ in range(2):
        for i in range(1):
            j = i
            while j < 1:
                b = x[1:] * x[1]
                j += 1
        u = b
    return np.sum(u)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (handed_to_another_name, X),
        (inner_loop_ends_empty, X),
        (rows_end_empty, [X[:2], X[:0]]),
        (read_in_the_outer_loop, X),
        (assigned_under_an_if, X),
        (assigned_at_times, X),
        (inner_loop_begins_empty, X),
        (assigned_in_an_inner_while, X),
        (product_under_its_own_name, X),
        (broadcast_beside_a_slice, np.outer(X[:3], X[:3]) + X[:3]),
        (one_row_beside_a_trace, X[None, :2]),
        (one_row_beside_a_trace, np.outer(X[:2], X[:3])),
    ],
)
def test_gradient_against_differences(f, x):
    assert value_and_grad(f)(x)[0] == f(x)
    check_grad(f, x)


def a_dict_on_one_path(x):
    for i in range(3):
        if i < 1:
            d = {"a": x[0] * 2}
        r = d["a"] * x[i]
    return r


def test_containers_that_only_some_iterations_make_are_refused():
    with pytest.raises(UnsupportedError, match="assign d before the if"):
        grad(a_dict_on_one_path)(X)


def mean_beside_another_length(b, y, A):
    if np.sum(A) > -100:
        y = np.mean(np.broadcast_to(b, (len(y), 3, A.shape[1])), axis=2, keepdims=True)
    return np.sum(y)


def test_a_length_kept_across_is_that_of_its_own_axis():
    args = X[:3, None], np.ones((2, 3, 4)), np.ones((3, 5))
    for argnum in range(3):
        check_grad(mean_beside_another_length, *args, argnums=argnum)


def nested_choices(A, y):
    i = 0
    while i < 1:
        y = y @ y + (A.T @ A if y.size >= 4 else y.T @ (np.eye(A.shape[1]) if i == 1 else y)) / 8.0
        i += 1
    return np.sum(np.tanh(y @ np.ones(len(y))))


def means_of_nothing(x):
    b = out = 1.0
    for _ in range(2):
        b, out = sum([np.mean(x) * j for j in range(0)]) / 2.0, b
    return out + np.sum(x * x)


@pytest.mark.parametrize("A", [np.full((1, 2), 0.3), np.full((1, 1), 0.3)])
def test_second_derivatives_of_choices_in_loops(A):
    y = np.full((A.shape[1],) * 2, 0.4) + np.eye(A.shape[1])
    for argnum in range(2):
        check_grad(nested_choices, A, y, argnums=argnum)
        check_grad(lambda A, y, argnum=argnum: np.sum(grad(nested_choices, argnum)(A, y) ** 2), A, y, argnums=argnum)


def test_second_derivatives_of_comprehensions_in_loops():
    check_grad(lambda x: np.sum(grad(means_of_nothing)(x) ** 2), X)


def single_precision_joined_with_an_int(B):
    total = 0
    for _ in range(3):
        total = np.sin(total) + np.trace(B)
    return total + 0.0


def choice_of_what_was_never_made(x, c):
    y = 0.0
    while y < 3.0:
        z = (x * x if c else x) if x > 0 else x + 1.0
        y += 1.0 + abs(z)
    return y * y


def test_a_gradient_through_a_widened_carry_is_of_the_arguments_dtype():
    d = grad(single_precision_joined_with_an_int)(np.eye(3, dtype=np.float32))
    assert d.dtype == np.float32
    check_grad(single_precision_joined_with_an_int, 0.1 * np.eye(3))


@pytest.mark.parametrize("c", [0, 1])
def test_second_derivatives_of_choices_among_choices(c):
    for x in (0.7, -0.3):
        check_grad(lambda x: grad(choice_of_what_was_never_made)(x, c) * x, x)


def cubed_again(B):
    for _ in range(2):
        B = np.power(B, 2) * B
    return np.sum(B)


def test_second_derivatives_of_a_carried_power():
    check_grad(lambda B: np.sum(grad(cubed_again)(B) ** 2), X)
    check_grad(lambda B: np.sum(grad(lambda B: np.sum(grad(cubed_again)(B) ** 2))(B) * X), 0.5 * X)
