"""What generated gradients execute, counted: see tests/counting.py."""

import sys
from pathlib import Path

import numpy as np
import pytest

from adcompiler import differentiable, grad, value_and_grad

from .counting import compiled, counted
from .numerics import assert_close, differences

RNG = np.random.default_rng(0)
A, B, C, X = RNG.normal(size=(4, 3, 3))
b, x = RNG.normal(size=(2, 3))


def chain(A, B, C, X):
    return np.sum(A @ B @ C @ X)


def affine(W, b, x, n):
    total = 0.0
    for _ in range(n):
        total += np.sum(W @ x + b)
    return total


def quotients(z, x):
    return np.sum(z * x) / np.sum(z) / np.sum(x)


def recurrence(h, W, n):
    for _ in range(n):
        h = np.tanh(W @ h)
    return np.sum(h)


# ------------------------------------------------------------------------------------------ the counter itself
def test_operators_are_counted_each_time_they_run():
    def program(x, n):
        total = 0.0
        for _ in range(n):
            total = total + np.sum(np.exp(x) * x)
        return total

    _, counts = counted(program, x, 7, value=True)
    assert counts["exp"] == 7 and counts["multiply"] >= 7


@pytest.mark.parametrize("product", [lambda W, x: W @ x, np.dot, np.matmul, lambda W, x: W.dot(x)])
def test_a_product_is_counted_under_each_of_its_names(product):
    def program(x, W):
        return np.sum(np.sin(product(W, x)))

    gradient, counts = counted(program, x, A)
    assert counts.products == 2
    assert_close(gradient, A.T @ np.cos(A @ x))


def test_what_the_rules_execute_is_counted():
    def program(A, b):
        return np.sum(np.linalg.solve(A, b) ** 2)

    gradient, counts = counted(program, A, b)
    assert_close(gradient, differences(program, (A, b)))
    assert counts["solve"] == 2


def test_a_counted_run_computes_the_gradient():
    assert_close(counted(recurrence, x, A, 5)[0], grad(recurrence)(x, A, 5), 0.0, 0.0)


# -------------------------------------------------------------------------------------------------- the bars
def test_a_chain_of_products_needs_three_without_the_value():
    gradient, counts = counted(chain, A, B, C, X, argnums="X")
    assert_close(gradient, (A @ B @ C).T @ np.ones((3, 3)))
    assert counts.products <= 3


def test_a_chain_of_products_needs_four_with_the_value():
    (value, gradient), counts = counted(chain, A, B, C, X, argnums="X", value=True)
    assert_close((value, gradient), (chain(A, B, C, X), (A @ B @ C).T @ np.ones((3, 3))))
    assert counts.products <= 4


def test_the_gradient_of_a_bias_in_a_loop_needs_no_product():
    gradient, counts = counted(affine, A, b, x, 10, argnums="b")
    assert_close(gradient, np.full(3, 10.0))
    assert counts.products == 0


def test_a_gradient_does_nothing_for_arguments_that_nobody_asked_for():
    gradient, counts = counted(quotients, RNG.uniform(1, 2, 4), RNG.uniform(1, 2, 4), argnums="x")
    assert np.shape(gradient) == (4,)
    text = compiled(quotients, b, x, argnums="x").text
    assert "d_x" in text and "d_z" not in text


def test_quotients_of_sums_divide_numbers_only():
    z, y = RNG.uniform(1, 2, (2, 4))
    gradient, counts = counted(quotients, z, y, argnums="x")
    assert_close(gradient, differences(quotients, (z, y), 1))
    # z * x once for the value of the sum, and one multiple of z: no product of arrays is for z
    assert counts["multiply"] <= 4


def test_the_gradient_of_weights_does_nothing_for_data():
    def loss(W, X, y):
        return np.sum((X @ W - y) ** 2)

    gradient, counts = counted(loss, x, A, b)
    assert_close(gradient, 2 * A.T @ (A @ x - b))
    assert counts.products == 2
    text = compiled(loss, x, A, b).text
    assert "d_X" not in text and "d_y" not in text


def test_the_gradient_of_the_last_layer_stops_there():
    def layers(W1, W2, x):
        return np.sum(W2 @ np.tanh(W1 @ x))

    assert counted(layers, A, B, x, argnums="W2")[1].products <= 2
    assert counted(layers, A, B, x, argnums="W1")[1].products <= 3


def test_an_unused_branch_executes_nothing():
    def program(x, flag):
        if flag > 0:
            return np.sum(np.exp(x))
        return np.sum(np.sin(x))

    _, counts = counted(program, x, 1.0, argnums="x")
    assert counts["exp"] == 1 and not counts["sin"] and not counts["cos"]


def test_an_exponential_is_computed_once():
    def program(x):
        return np.sum(np.exp(x))

    _, counts = counted(program, x, value=True)
    assert counts["exp"] == 1


def test_the_value_costs_nothing_where_it_is_not_asked_for():
    def program(x):
        return np.sum(x * np.log(x))

    _, counts = counted(program, np.abs(x) + 1)
    assert counts["sum"] == 0


# ---------------------------------------------------------------------------------------------------- loops
@pytest.mark.parametrize("program, args", [(recurrence, (x, A)), (affine, (A, b, x))])
def test_the_source_does_not_depend_on_the_number_of_iterations(program, args):
    texts = {compiled(program, *args, n).text for n in (10, 500, 10**6)}
    assert len(texts) == 1


def test_five_hundred_iterations_nest_nothing():
    depths = []

    def program(h, n):
        for _ in range(n):
            h = np.sin(h)
        return np.sum(h)

    gradient = grad(program)
    gradient(x, 2)  # compiled, which may go as deep as it likes
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(__import__("inspect").stack()) + 60)
        depths.append(gradient(x, 500))
    finally:
        sys.setrecursionlimit(limit)
    product, h = np.ones(3), x
    for _ in range(500):
        product, h = product * np.cos(h), np.sin(h)
    assert_close(depths[0], product)


def test_a_loop_executes_as_many_operations_as_it_has_iterations():
    few, many = (sum(counted(recurrence, x, A, n)[1].values()) for n in (10, 30))
    more = sum(counted(recurrence, x, A, 50)[1].values())
    assert many - few == more - many > 0


def test_the_stages_of_a_loop_do_not_depend_on_the_number_of_iterations():
    made = [compiled(recurrence, x, A, n) for n in (10, 500)]
    for stage in ("lower", "adjoint", "unthunk", "simplify", "capture", "bufferize"):
        assert made[0].text_of(stage) == made[1].text_of(stage)


def test_a_loop_of_a_million_iterations_runs():
    def program(a, n):
        total = 0.0
        for _ in range(n):
            total = total + a * 0.5
        return total

    assert value_and_grad(program)(2.0, 10**6) == (10**6, 5e5)


@pytest.mark.parametrize(
    ("name", "copies"),
    [("burgers", 2), ("jacobi", 2), ("recurrence", 0)],
)
def test_programs_that_store_copy_as_often_as_by_hand(name, copies):
    """On entry where an argument or its copy is written, and once an iteration what is overwritten and needed."""
    text = (Path(__file__).parent / "golden" / name / "adjoint.py").read_text()
    assert text.count(".copy()") == copies


# ------------------------------------------------------------------------------------------ what is not written
def recorded(u, n):
    seen = np.empty((n, (len(u) + 1) // 2))
    for t in range(n):
        u = np.sin(u)
        seen[t] = u[::2]
    return np.sum(seen * seen)


def source(f, *args, argnums=0):
    return differentiable(f).source("grad", argnums=argnums, example=args)


def test_what_is_stored_is_not_kept_for_its_shape():
    """The cotangent of `u` has the shape of `u`: nothing but the argument of the sine is kept."""
    text = source(recorded, x, 4)
    assert "tape.append(u)" in text and "copy" not in text
    for u in (x, np.ones(1), np.empty(0)):
        assert_close(grad(recorded)(u, 3), differences(recorded, (u, 3)))
    assert_close(grad(recorded)(x, 0), np.zeros(3))


def test_a_stored_row_that_was_stretched_has_the_cotangent_of_one():
    def stretched(u, n):
        seen = np.empty((n, 4))
        for t in range(n):
            u = np.sin(u)
            seen[t] = u[::2]
        return np.sum(seen * seen)

    for u in (np.array([0.5, 2.0]), np.array([0.5]), np.linspace(0.1, 1.0, 7)):
        assert_close(grad(stretched)(u, 3), differences(stretched, (u, 3)))


def test_two_minuses_are_none():
    assert "-" not in source(lambda x, y: np.sum(3.0 - y / x), x, b).split("# backward")[1]


def test_what_is_added_with_a_minus_is_subtracted():
    def stored(x):
        y = x * 2.0
        y[1:] += y[:-1] - 3.0 * y[1:]
        return np.sum(y * y)

    assert "+= -" not in source(stored, x)
    assert_close(grad(stored)(x), differences(stored, (x,)))


def test_a_quotient_by_a_constant_has_no_pole_to_guard():
    def stored(x, dt):
        y = np.zeros(3)
        y[1:] = x[1:] * (dt / 6)
        return np.sum(y * y)

    assert "unless_zero" not in source(stored, x, 0.1, argnums=(0, 1))
    for i in (0, 1):
        assert_close(grad(stored, i)(x, 0.1), differences(stored, (x, 0.1), i))


@pytest.mark.parametrize("divisor", [0, 0.0])
def test_a_quotient_by_the_constant_zero_has_one(divisor):
    def selected(x, scale):
        return np.sum(np.where(x > 1.0, x, x * (scale / divisor)))

    with np.errstate(all="ignore"):
        assert_close(grad(selected)(np.array([2.0, 3.0]), np.float64(1.0)), np.ones(2))


def test_the_elements_of_a_made_array_are_read_by_a_plain_index():
    def made(x, y):
        return np.sum(np.array([x * y, y - x]) ** 2)

    assert ",]" not in source(made, 2.0, 3.0)


def test_the_cotangent_of_a_running_sum_is_one_from_the_end():
    def run(x):
        return np.sum(np.cumsum(x) ** 2)

    assert "np.cumsum(" in source(run, x) and "flip" not in source(run, x) and "reshape" not in source(run, x)
    for u in (x, np.ones(1), np.empty(0), x.astype(np.float32)):
        assert_close(grad(run)(u), differences(run, (u,)), 1e-3 if u.dtype == np.float32 else 1e-6)


NEW_AXES = [np.s_[:, None], np.s_[None], np.s_[None, :], np.s_[..., None], np.s_[None, ..., None]]


@pytest.mark.parametrize("index", NEW_AXES, ids=str)
def test_the_cotangent_of_new_axes_is_without_them(index):
    def f(x):
        y = x[index]
        return np.sum(np.exp(y) * np.arange(1.0, 1 + y.size).reshape(y.shape))

    def g(x):
        return np.sum((x[:, None] - x[None, :]) ** 3 * np.arange(1.0, 1 + len(x)))

    assert "zeros" not in source(f, x) + source(g, x)
    for u in (x, np.ones(1), np.empty(0)):
        assert_close(grad(f)(u), differences(f, (u,)), 1e-5)
        assert_close(grad(g)(u), differences(g, (u,)))


def test_a_sum_keeps_no_axis_that_is_indexed_away():
    def f(x, A):
        return np.sum(np.exp(A * x[:, None]))

    assert "keepdims" not in source(f, x, A)
    assert_close(grad(f)(x, A), differences(f, (x, A)))


def test_a_minus_times_a_minus_is_none():
    def f(x, y):
        return np.sum(np.cos(3.0 - y / x))

    text = source(f, x, b)
    assert "-(" not in text and "* -" not in text.split("# backward")[1]
    assert_close(grad(f)(x, b), differences(f, (x, b)))


def test_a_term_with_a_minus_behind_is_subtracted():
    def f(x, y):
        return np.sum(np.exp(-x) * y + np.sin(x))

    assert "d_x -= y * np.exp(-x)" in source(f, x, b)
    assert_close(grad(f)(x, b), differences(f, (x, b)))


def test_a_contraction_is_not_copied_to_be_returned():
    def f(A, B):
        return np.sum(np.einsum("ij,jk->ik", A, B) ** 2)

    assert "copy" not in source(f, A, B)


def test_a_quotient_of_a_quotient_has_the_pole_of_that():
    """The second factor is infinite where `y` is zero, there the product is not selected."""
    def f(x, y):
        return np.sum(np.where(y > 0, x * (1 / y / 6), 0.0))

    with np.errstate(all="ignore"):
        assert_close(grad(f)(np.ones(2), np.array([0.0, 2.0])), np.array([0.0, 1 / 12]))


def test_an_array_of_a_list_that_is_wanted_for_its_shape_is_read_again():
    """Of the list, not of an array that the loop carries."""
    def f(arrays, h, n):
        for i in range(n):
            h = np.sin(h) + np.sum(arrays[-1]) * h
        return np.sum(h)

    arrays, h = [np.array([0.1, 0.2]), np.array([0.3, -0.1])], np.array([0.5, 0.25])
    for i in (0, 1):
        assert_close(grad(f, i)(arrays, h, 3), differences(f, (arrays, h, 3), i), 1e-5)


def test_a_factor_that_is_the_same_along_an_axis_goes_out_of_its_sum():
    def scaled(m, s):
        return np.sum(np.sin((A - m) / s) * b)

    def added_up(m, s):
        return np.sum(np.sin((A - m[:, None]) / s[:, None]))

    for f, axis in ((scaled, 0), (added_up, 1)):
        assert f"np.sum(d, axis={axis}) / s" in source(f, x, b, argnums=(0, 1))
        for i in (0, 1):
            assert_close(grad(f, i)(x, b), differences(f, (x, b), i))


def test_a_power_of_two_scales_the_smaller_factor():
    def pairs(p):
        d = p[:, None, :] - p[None, :, :]
        return np.sum(np.sqrt(np.sum(d * d, axis=2) + 1.0))

    assert "d_d = (0.5 / np.sqrt(" in source(pairs, A) and "d_d *=" not in source(pairs, A)
    assert_close(grad(pairs)(A), differences(pairs, (A,)))


def test_sums_over_an_inner_axis_are_by_einsum_where_the_order_is_free():
    def pairs(p):
        d = np.sin(p[:, None, :] - p[None, :, :])
        return np.sum(np.sum(d * d, axis=1) * p)

    def steepness(p):
        return np.sum(grad(pairs)(p) ** 2)

    text = source(pairs, A)
    assert "np.sum(m, axis=1)" in text and 'np.einsum("ijk->ik", d_d)' in text
    for f in (pairs, steepness):
        assert_close(grad(f)(A), differences(f, (A,)), 1e-5)
