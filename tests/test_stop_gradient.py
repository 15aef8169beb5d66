"""`stop_gradient` is the identity, which no derivative of any order passes; generated code shows nothing of it."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, compile_module, differentiable, grad, stop_gradient, value_and_grad
from adcompiler.compile import interpret
from adcompiler.ir.verify import verify
from adcompiler.passes.capture import tapes

from .numerics import assert_close, assert_form, assert_same, differences
from .test_passes import GRADIENTS, Program, made

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 4)
W = RNG.normal(size=(4, 4))


def squares(x):
    return np.sum(stop_gradient(x) * x)


def number(x):
    return stop_gradient(x) * x


# ------------------------------------------------------------------------------------------------ outside
@pytest.mark.parametrize("x", [1.0, 3, X, None, {"W": W, "b": [X, 2.0]}], ids=str)
def test_called_by_python_it_returns_its_argument(x):
    assert stop_gradient(x) is x


# ------------------------------------------------------------------------------------------------ results
@pytest.mark.parametrize(
    "x", [X, W, W[:, ::2], W.T, X.astype(np.float32), np.zeros(0), np.zeros((0, 3)), W[:, :1], np.array(3.0)],
    ids=lambda x: f"{x.dtype}{x.shape}",
)  # fmt: skip
def test_an_array_of_any_form(x):
    value, gradient = value_and_grad(squares)(x)
    assert_close(value, np.sum(x * x))
    assert_form(gradient, x)
    assert_close(gradient, x)
    assert not np.shares_memory(gradient, x)


@pytest.mark.parametrize(
    "x", [2.0, np.float64(2.0), np.float32(2.0), np.array(2.0), np.array(2.0, np.float32)], ids=repr
)
def test_a_number_of_any_type(x):
    value, gradient = value_and_grad(number)(x)
    assert_form(gradient, x)
    assert (float(value), float(gradient)) == (4.0, 2.0)


def test_complex_numbers():
    z = X + 1j * X[::-1]
    assert_close(grad(lambda z: np.sum(np.real(stop_gradient(z) * z)))(z), z)


def test_integers_and_what_is_no_number_go_through():
    def f(x, k, name):
        return np.sum(x) * stop_gradient(k) if stop_gradient(name) == "a" else np.sum(x)

    assert_close(grad(f)(X, 3, "a"), np.full(4, 3.0))


def test_every_float_of_a_tree_is_stopped():
    def f(p):
        q = stop_gradient(p)
        return np.sum(q["W"] @ p["W"]) * q["b"][0] + p["b"][0] * q["b"][1]

    gradient = grad(f)({"W": W, "b": (1.5, 2.5)})
    assert_close(gradient, {"W": 1.5 * np.outer(W.sum(0), np.ones(4)), "b": (2.5, 0.0)})


def test_a_list_of_any_length():
    def f(xs):
        total = 0.0
        for y, x in zip(stop_gradient([x * x for x in xs]), xs):
            total = total + np.sum(y * x)
        return total

    xs = [X, X[:2], np.zeros(0)]
    assert_close(grad(f)(xs), [x * x for x in xs])


def test_a_straight_through_estimator():
    assert_close(grad(lambda x: np.sum((x + stop_gradient(np.round(x) - x)) ** 2))(X), 2 * np.round(X))


def test_a_result_that_is_stopped_has_zeros():
    value, gradient = value_and_grad(lambda x: stop_gradient(np.sum(x)))(X)
    assert_close(value, np.sum(X))
    assert_same(gradient, np.zeros(4))


def test_the_gradient_is_that_of_a_function_where_the_stopped_value_is_another_argument():
    def f(x, held):
        h, s = x, held
        total = 0.0
        for _ in range(3):
            total = total + np.sum(h * s)
            h, s = np.sin(h) * s, np.sin(s) * s
        return total

    def g(x):
        h = x
        total = 0.0
        for _ in range(3):
            s = stop_gradient(h)
            total = total + np.sum(h * s)
            h = np.sin(h) * s
        return total

    value, gradient = value_and_grad(g)(X)
    assert_close(value, g(X))
    assert_close(gradient, differences(f, (X, X)))
    assert_same(value_and_grad(g)(np.zeros(0))[1], np.zeros(0))


def test_in_one_branch_alone():
    def f(x):
        y = stop_gradient(x) if x[0] > 0 else x
        return np.sum(y * x)

    assert_close(grad(f)(X), X)
    assert_close(grad(f)(-X), -2 * X)


def test_in_a_while_loop_of_no_iteration_and_of_some():
    def f(x, limit):
        while np.sum(x) < limit:
            x = x * stop_gradient(x) + 1.0
        return np.sum(x * x)

    assert_close(grad(f)(X, 0.0), 2 * X)
    assert_close(grad(f)(X, np.sum(X) + 0.1), 2 * (X * X + 1.0) * X)


def test_a_view():
    def f(x):
        tail = stop_gradient(x[1:])
        return np.sum(tail * x[:-1])

    assert_close(grad(f)(X), np.append(X[1:], 0.0))


# ----------------------------------------------------------------------------------------------- orders
def test_the_second_derivative_is_stopped_too():
    def slope(x):
        return np.sum(grad(lambda v: np.sum(stop_gradient(v) * v * v))(x))

    assert_close(grad(slope)(X), 2 * X)  # of 2 s v, where s is held, and not of 2 v v


def test_stopped_inside_and_differentiated_outside():
    def slope(x):
        return np.sum(stop_gradient(grad(lambda v: np.sum(v**3))(x)) * x)

    assert_close(grad(slope)(X), 3 * X**2)


def test_a_gradient_taken_of_a_gradient():
    first = grad(lambda x: stop_gradient(x) * x**2)
    assert first(3.0) == 18.0
    assert grad(first)(3.0) == 6.0
    assert grad(grad(first))(3.0) == 0.0


# ----------------------------------------------------------------------------------------- generated code
def loop(x):
    for _ in range(5):
        s = stop_gradient(x)
        x = np.sin(x) * s + s
    return np.sum(x)


def test_the_source_shows_nothing_of_it():
    for f in (squares, loop):
        assert "stop" not in differentiable(f).source(signature="f64[n]").replace("stop_gradient.py", "")
    assert "stop" not in compile_module(loop, signatures="f64[n]").replace("test_stop_gradient", "")


def test_what_is_stopped_is_not_kept_beside_what_it_is():
    def plain(x):
        for _ in range(5):
            x = np.sin(x) * x + x
        return np.sum(x)

    kept = tapes(made(Program(loop, (X,))).stages["capture"])
    assert kept == 1 <= tapes(made(Program(plain, (X,))).stages["capture"])
    numbers = made(Program(lambda x: loop(x), (0.5,))).text
    assert numbers.count("append") == 1 and "append((" not in numbers


def test_nothing_is_computed_for_what_is_stopped():
    text = differentiable(lambda x, W: np.sum(stop_gradient(np.tanh(W @ x)) * x)).source(
        signature="f64[n], f64[n,n]"
    )
    assert "tanh(W @ x)" in text and "W.T" not in text


@pytest.mark.parametrize("f, x", [(loop, X), (squares, W), (number, 0.5)])
def test_every_stage_is_lawful_and_computes_the_same(f, x):
    assert_same(interpret(f, (x,), checked=True), f(x))
    build = made(Program(f, (x,)))
    wanted = build.run(x)
    assert_same(made(Program(f, (x,)), reuse=False).run(x), wanted)
    for stage in ("lower", *GRADIENTS):
        verify(build.stages[stage])
    for stage in GRADIENTS:
        assert_close(interpret(f, (x,), stage, checked=True), wanted, 1e-13)


# ---------------------------------------------------------------------------------------------- aliasing
def test_a_store_that_the_stopped_name_would_see_is_refused():
    def array(x):
        y = x * 1.0
        z = stop_gradient(y)
        y[0] = 2.0
        return np.sum(z * x)

    def container(x):
        p = {"b": x}
        q = stop_gradient(p)
        q["b"] = 3.0
        return p["b"] * x

    with pytest.raises(UnsupportedError, match=r"y may share memory with z(.|\n)*y = y.copy\(\)"):
        grad(array)(X)
    with pytest.raises(UnsupportedError, match="q may be the same dict as p"):
        grad(container)(2.0)


def test_a_store_into_a_copy():
    def f(x):
        y = stop_gradient(x).copy()
        y[0] = x[1]
        return np.sum(y * x)

    assert_close(grad(f)(X), np.array([X[1], X[1] + X[0], X[2], X[3]]))
