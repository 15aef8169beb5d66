"""Forward mode: tangents against central differences, complex step and closed forms, for every form of argument."""

import math
from copy import deepcopy
from unittest.mock import patch

import numpy as np
import pytest

import adcompiler.dispatch
from adcompiler import GradientError, UnsupportedError, grad, jvp, value_and_grad, vjp
from adcompiler.compile import build, interpret
from adcompiler.ir.verify import verify
from adcompiler.request import Request, from_call
from rules.kind import Lengths
from tests.fuzz.arguments import inner, random_tangent, same_bits
from tests.test_stores import NAMES
from tests.test_stores import PROGRAMS as STORES

RNG = np.random.default_rng(5)
X, Y, T_X, T_Y = RNG.uniform(0.5, 1.5, (4, 3))
W, T_W = RNG.uniform(-0.6, 0.6, (2, 3, 3))


def along(f, primals, tangents, step=1e-6):
    """The central difference of `f`, which returns an array or a number."""
    up, down = (f(*(p if t is None else p + s * step * t for p, t in zip(primals, tangents, strict=True)))
                for s in (1, -1))  # fmt: skip
    return (up - down) / (2 * step)


def built(f, primals, tangents):
    """The specialisation that `jvp` makes."""
    request = Request(f, tuple(i for i, t in enumerate(tangents) if t is not None), mode="jvp")
    given = dict(zip(request.tangents.values(), (t for t in tangents if t is not None), strict=True))
    return build(request, from_call(request, primals, given), Lengths())


# ----------------------------------------------------------------------------------------------------- programs
def products(x, y):
    return x * y / (1 + np.exp(-x)) - np.sin(y) @ x * x


def branch(x, y):
    if np.sum(x) > 2.0:
        z = x * y
    else:
        z = y
    return z if y[0] > 100.0 else z * z


def recurrence(w, x, n):
    total = 0.0
    for _ in range(n):
        x = np.tanh(w @ x)
        total += np.sum(x * x)
    return x * total


def newton(x, y):
    z = x
    k = 0
    while np.max(np.abs(z * z - y)) > 1e-13 and k < 50:
        z = 0.5 * (z + y / z)
        k = k + 1
    return z


def rows(w, x):
    found = [np.sin(row * x) for row in w]
    return np.stack(found) @ x + sum([np.sum(row) for row in found])


def last_row(w, x):
    for row in w:
        y = row * x
    return y


def pieces(x, y):
    z = np.concatenate([x[1:], y, np.zeros(2)])
    return np.where(z > 0.9, z, 2.0)[::-1] * np.max(y) + np.linalg.norm(x)


def solved(w, x):
    return np.linalg.solve(w + 3 * np.eye(3), x)


PROGRAMS = [(products, (X, Y)), (branch, (X, Y)), (newton, (X, Y)), (rows, (W, X)), (last_row, (W, X)),
            (pieces, (X, Y)), (solved, (W, X))]  # fmt: skip


@pytest.mark.parametrize(("f", "primals"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_a_tangent_is_the_directional_derivative(f, primals, moving):
    tangents = tuple(RNG.normal(size=p.shape) if i in moving else None for i, p in enumerate(primals))
    value, tangent = jvp(f, primals, tangents)
    np.testing.assert_allclose(value, f(*primals), rtol=1e-14)
    np.testing.assert_allclose(tangent, along(f, primals, tangents), rtol=2e-8, atol=2e-8)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_loops_carry_tangents_however_often_they_run(n):
    value, tangent = jvp(recurrence, (W, X, n), (T_W, T_X, None))
    assert not np.shares_memory(tangent, T_X)
    np.testing.assert_allclose(value, recurrence(W, X, n), rtol=1e-14)
    np.testing.assert_allclose(tangent, along(recurrence, (W, X, n), (T_W, T_X, None)), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(("f", "primals"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("stage", ["tangent", "inline", "simplify", "capture"])
def test_each_stage_is_lawful_and_computes_the_same(f, primals, stage):
    tangents = tuple(np.ones_like(p) for p in primals)
    exact = jvp(f, primals, tangents)
    found = interpret(f, primals, stage, argnums=(0, 1), checked=True, tangents=tangents)
    np.testing.assert_allclose(found[0], exact[0], rtol=1e-13)
    np.testing.assert_allclose(found[1], exact[1], rtol=1e-12)
    verify(built(f, primals, tangents).stages[stage])


# --------------------------------------------------------------------------------------------------------- forms
@pytest.mark.parametrize(
    ("x", "t"),
    [(0.5, 2.0), (0.5, 2), (np.float64(0.5), np.float64(2.0)), (np.float32(0.5), np.float32(2.0)),
     (np.float32(0.5), 2.0), (np.array(0.5), np.array(2.0)), (np.array(0.5), 2.0), (np.zeros(0), np.zeros(0)),
     (np.ones((2, 1, 3), "float32"), np.ones((2, 1, 3), "float32")), (0.5 + 1j, 2.0 - 1j), (0.5 + 1j, 2.0),
     (X + 1j * Y, T_X - 1j * T_Y), (np.ones((6, 4))[::2, ::-1].T, np.ones((4, 3))), (X[:0], T_X[:0])],
    ids=repr,
)  # fmt: skip
def test_value_and_tangent_are_of_the_form_of_the_value(x, t):
    f = lambda v: v * v
    value, tangent = jvp(f, (x,), (t,))
    plain = f(x)
    for found, exact in ((value, plain), (tangent, 2 * x * t)):
        assert type(found) is type(plain)
        assert getattr(found, "dtype", None) == getattr(plain, "dtype", None)
        assert np.shape(found) == np.shape(plain)
        np.testing.assert_allclose(found, exact, rtol=1e-6)


def test_what_is_returned_as_it_came_keeps_its_form():
    for x, t in ((np.array(0.5), np.array(2.0)), (0.5, 2.0), (np.float32(1.0), np.float32(3.0))):
        value, tangent = jvp(lambda v: v, (x,), (t,))
        assert type(tangent) is type(x) and tangent == t and value == x


@pytest.mark.parametrize("f", [lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a * b, lambda a, b: b / a,
                               lambda a, b: np.where(b > 0.7, a, b)])  # fmt: skip
@pytest.mark.parametrize("a", [2.0, np.float64(2.0), X, np.full((3, 1), 2.0), np.full((1, 1), 3.0)], ids=np.shape)
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_broadcast_operands_move_the_whole_result(f, a, moving):
    primals = (a, Y)
    tangents = tuple(p * 0 + 1.5 if i in moving else None for i, p in enumerate(primals))
    value, tangent = jvp(f, primals, tangents)
    assert np.shape(tangent) == np.shape(value)
    np.testing.assert_allclose(tangent, along(f, primals, tangents), rtol=1e-8, atol=1e-9)


def test_a_float32_number_beside_a_float64_array_that_stays():
    value, tangent = jvp(lambda a, b: b - a, (np.float32(2.0), X), (np.float32(1.0), None))
    assert value.dtype == tangent.dtype == np.float64
    np.testing.assert_array_equal(tangent, -np.ones(3))


def test_complex_step_agrees():
    f = lambda v: np.exp(v) * np.sin(v) / (1 + v * v)
    tangent = jvp(f, (X,), (T_X,))[1]
    np.testing.assert_allclose(tangent, np.imag(f(X + 1e-200j * T_X)) / 1e-200, rtol=1e-14)


def test_functions_of_complex_numbers_move_in_both_directions():
    z, t = X + 1j * Y, T_X - 1j * T_Y
    f = lambda v: np.abs(v * v) + np.real(v)
    np.testing.assert_allclose(jvp(f, (z,), (t,))[1], along(f, (z,), (t,)), rtol=1e-8)


# ---------------------------------------------------------------------------------------------------- structures
def test_results_of_any_structure():
    def f(p, n):
        z = p["a"] * p["b"][0]
        return {"z": z, "n": n, "c": 2.5, "s": "text", "t": (z[0], [np.sum(z), 3]), "p": p["b"]}

    p, t = {"a": X, "b": (2.0, Y)}, {"a": T_X, "b": (0.5, None)}
    value, tangent = jvp(f, (p, 2), (t, None))
    t_z = T_X * 2.0 + X * 0.5
    np.testing.assert_allclose(tangent["z"], t_z, rtol=1e-14)
    assert (tangent["n"], tangent["c"], tangent["s"]) == (None, 0.0, None)
    np.testing.assert_allclose(tangent["t"][0], t_z[0], rtol=1e-14)
    np.testing.assert_allclose(tangent["t"][1][0], np.sum(t_z), rtol=1e-14)
    assert tangent["t"][1][1] is None
    assert tangent["p"][0] == 0.5
    np.testing.assert_array_equal(tangent["p"][1], np.zeros(3))
    assert value["s"] == "text" and value["n"] == 2


def test_lists_of_any_length_move_element_by_element():
    def f(ps):
        total = 0.0
        for w, b in ps:
            total += np.sum(w * w) * b
        return total, [w * b for w, b in ps]

    ps, ts = [(X, 2.0), (Y[:2], 3.0)], [(T_X, 0.5), (T_Y[:2], 0.25)]
    _, (tangent, each) = jvp(f, (ps,), (ts,))
    exact = sum(2 * np.sum(w * t) * b + np.sum(w * w) * s for (w, b), (t, s) in zip(ps, ts, strict=True))
    np.testing.assert_allclose(tangent, exact, rtol=1e-13)
    for found, (w, b), (t, s) in zip(each, ps, ts, strict=True):
        np.testing.assert_allclose(found, t * b + w * s, rtol=1e-14)


def test_only_arguments_in_argnums_move():
    for argnums, tangents, exact in ((1, (T_Y,), X * T_Y), (("y", "x"), (T_Y, T_X), X * T_Y + T_X * Y)):
        np.testing.assert_allclose(jvp(lambda x, y: x * y, (X, Y), tangents, argnums)[1], exact, rtol=1e-14)


def test_defaults_star_arguments_and_numpy_functions():
    np.testing.assert_allclose(jvp(lambda x, k=3.0: x * k, (X,), (T_X,))[1], 3 * T_X)
    np.testing.assert_allclose(jvp(lambda *xs: xs[0] * xs[1], (X, Y), (None, T_Y))[1], X * T_Y)
    np.testing.assert_allclose(jvp(np.multiply, (X, Y), (T_X, T_Y))[1], T_X * Y + X * T_Y)


def test_variables_of_the_function_may_be_called_like_tangents():
    def f(x):
        t_x = 3.0
        return x * t_x

    assert jvp(f, (2.0,), (1.0,)) == (6.0, 3.0)


# ------------------------------------------------------------------------------------------------ higher orders
def cubic(x):
    return np.sum(x**3) * x[0]


def hessian_of_cubic(x):
    h = np.diag(6 * x) * x[0]
    h[0] += 3 * x**2
    h[:, 0] += 3 * x**2
    return h


def test_forward_over_reverse():
    value, tangent = jvp(grad(cubic), (X,), (T_X,))
    np.testing.assert_allclose(value, 3 * X**2 * X[0] + np.sum(X**3) * np.eye(3)[0], rtol=1e-13)
    np.testing.assert_allclose(tangent, hessian_of_cubic(X) @ T_X, rtol=1e-13)


def test_reverse_over_forward():
    def slope(x, t):
        return jvp(cubic, (x,), (t,))[1]

    by_x, by_t = grad(slope, (0, 1))(X, T_X)
    np.testing.assert_allclose(by_x, hessian_of_cubic(X) @ T_X, rtol=1e-13)
    np.testing.assert_allclose(by_t, grad(cubic)(X), rtol=1e-13)


def test_forward_over_forward():
    def slope(x):
        return jvp(cubic, (x,), (T_X,))[1]

    np.testing.assert_allclose(jvp(slope, (X,), (T_Y,))[1], T_Y @ hessian_of_cubic(X) @ T_X, rtol=1e-13)


def test_derivatives_of_every_kind_within_a_compiled_function():
    def f(x, k):
        inner = lambda v: np.sum(np.sin(v) * x)  # closes over what is differentiated outside
        value, slope = jvp(inner, (x * x,), (x,))
        _, curved = jvp(grad(inner), (x,), (T_X,))
        return value + slope + np.sum(curved) + np.sum(jvp(lambda v, a: np.sum(v, axis=a), (x, k), (x, None))[1])

    def closed(x, k):
        return np.sum(np.sin(x * x) * x) + np.sum(np.cos(x * x) * x * x) + np.sum(-np.sin(x) * x * T_X) + np.sum(x)

    step = 1e-200
    exact = [np.imag(closed(X + 1j * step * e, 0)) / step for e in np.eye(3)]
    np.testing.assert_allclose(grad(f)(X, 0), exact, rtol=1e-12)
    np.testing.assert_allclose(jvp(f, (X, 0), (T_X, None))[1], exact @ T_X, rtol=1e-12)


def test_a_loop_of_newton_steps_with_tangents_for_slopes():
    def root(a):
        x = 1.0
        for _ in range(8):
            value, slope = jvp(lambda v: v * v - a, (x,), (1.0,))
            x = x - value / slope
        return x

    assert abs(root(2.0) - np.sqrt(2)) < 1e-15
    assert abs(grad(root)(2.0) - 0.5 / np.sqrt(2)) < 1e-15
    assert abs(jvp(root, (2.0,), (3.0,))[1] - 1.5 / np.sqrt(2)) < 1e-15


# -------------------------------------------------------------------------------------------- what it costs, owns
def test_a_function_is_compiled_once_for_arguments_of_a_kind():
    def f(x, y):
        return x * y

    with patch.object(adcompiler.dispatch, "build", wraps=adcompiler.dispatch.build) as builds:
        for x in (X, Y, np.ones(5)):
            jvp(f, (x, x), (x, x))
        assert builds.call_count == 1
        jvp(f, (X, X), (X, None))
        jvp(f, (2.0, X), (1.0, X))
        assert builds.call_count == 3


class _Equal:
    """Each is equal to each other, and another function."""

    def __init__(self, factor):
        self.factor = factor

    def __eq__(self, other):
        return isinstance(other, _Equal)

    def __hash__(self):
        return 0

    def __call__(self, x):
        return x * self.factor

    def scaled(self, x):
        return x * self.factor


def test_equal_functions_are_not_taken_for_one_another():
    assert [jvp(_Equal(k), (2.0,), (1.0,))[1] for k in (3.0, 4.0)] == [3.0, 4.0]
    assert [jvp(_Equal(k).scaled, (2.0,), (1.0,))[1] for k in (3.0, 4.0)] == [3.0, 4.0]


def test_nothing_is_computed_for_what_does_not_move():
    def f(x, y):
        s = np.exp(y)
        z = x * s + y
        return z * np.cos(y)

    text = built(f, (X, Y), (T_X, None)).text
    assert text.count("np.") == 2 and "t_y" not in text and "t_s" not in text and "zeros" not in text


def test_tangents_are_named_after_what_moves():
    text = built(recurrence, (W, X, 3), (T_W, None, None)).text
    assert "t_x = (t_w @ x + w @ t_x) * (1 - " in text
    assert "t_total +=" in text


def test_arguments_and_tangents_stay_and_results_are_apart():
    f = lambda x: (x.T, x[0], x + x, x)
    t = T_W.copy()
    _, tangents = jvp(f, (W,), (t,))
    for i, one in enumerate(tangents):
        assert one.flags.writeable and not np.shares_memory(one, t)
        assert not any(np.shares_memory(one, other) for other in tangents[i + 1 :])
    for one in tangents:
        one[...] = 77.0
    np.testing.assert_array_equal(t, T_W)
    np.testing.assert_array_equal(jvp(f, (W,), (t,))[1][0], T_W.T)


# ------------------------------------------------------------------------------------------------------- stores
@pytest.mark.parametrize(("f", "args"), STORES, ids=NAMES)
def test_stores_move_what_they_store_into(f, args):
    moving = tuple(i for i, a in enumerate(args) if random_tangent(a, RNG) is not None and not isinstance(a, int))
    tangents = tuple(random_tangent(args[i], RNG) for i in moving)
    kept = deepcopy((args, tangents))
    with np.errstate(all="ignore"):  # one of them stores over a pole
        gradients = grad(f, moving)(*args)
        value, tangent = jvp(f, args, tangents, moving)
    assert same_bits((args, tangents), kept)
    exact = sum(inner(g, t) for g, t in zip(gradients, tangents, strict=True))
    np.testing.assert_allclose(tangent, exact, rtol=1e-11, atol=1e-12)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(value, f(*deepcopy(args)), rtol=1e-14)


# ---------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("primals", "tangents", "said"),
    [
        ((X, Y), (X,), "1 tangents are given for 2 arguments"),
        (X, (X,), "primals is a tuple with one entry an argument, not ndarray"),
        ((X, Y), (None, None), "no argument has a tangent"),
        ((X, Y), (X[:2], None), r"the tangent of x is float64\[2\], where float64\[3\] is wanted"),
        ((X, Y), (X[:1], None), r"the tangent of x is float64\[1\], where float64\[3\] is wanted"),
        ((X, Y), (X[None], None), r"the tangent of x is float64\[1, 3\]"),
        ((X, Y), (1.0, None), r"the tangent of x is float, where float64\[3\] is wanted"),
        ((X, Y), (X.astype("float32"), None), r"the tangent of x is float32\[3\]"),
        ((X, Y), (np.ones(3, int), None), r"the tangent of x is int64\[3\]"),
        ((X, Y), (X * 1j, None), r"the tangent of x is complex128\[3\]"),
        ((2.0, Y), (1j, None), "the tangent of x is complex, where float is wanted"),
        ((2.0, Y), ("1", None), "the tangent of x is '1'"),
        ((2.0, Y), (True, None), "the tangent of x is True"),
        ((X, Y), ((X,), None), "the tangent of x is a tuple of 1"),
        (({"a": X}, Y), ({"b": X}, None), "the tangent of x is a dict with 'b', where a dict with 'a' is wanted"),
        (([X, X], Y), ([X], None), "the tangent of x"),
        (((X, 2), Y), ((X, 1.0), None), r"x\[1\] is int, which cannot move, and its tangent is float"),
        ((2, Y), (1.0, None), "only float and complex arguments have"),
    ],
)
def test_tangents_that_do_not_fit(primals, tangents, said):
    with pytest.raises(GradientError, match=said):
        jvp(lambda x, y: y * 1.0, primals, tangents)


def test_lengths_are_compared_in_calls_after_the_first():
    f = lambda x: x * x
    jvp(f, (X,), (T_X,))
    with pytest.raises(GradientError, match="the tangent of x"):
        jvp(f, (X,), (T_X[:2],))


def test_elements_of_lists_are_compared_when_it_runs():
    def f(xs):
        return [x * 2.0 for x in xs]

    with pytest.raises(ValueError, match="tangents of shapes"):
        jvp(f, ([X, X],), ([T_X[:1], T_X[:1]],))


def test_a_loop_that_does_not_run_hands_out_a_tangent_of_its_own():
    def f(x, n):
        for _ in range(n):
            x = x * x
        return x

    t = T_X.copy()
    for n in (0, 2):
        assert not np.shares_memory(jvp(f, (X, n), (t, None))[1], t)


def test_what_has_no_derivative_is_refused():
    with pytest.raises(UnsupportedError, match=r"np\.unique"):
        jvp(lambda x: np.unique(x), (X,), (T_X,))


@pytest.mark.parametrize(
    "f",
    [lambda x: np.maximum(np.log(x), -5.0), lambda x: np.clip(np.log(x), -5.0, 5.0), lambda x: np.fmax(np.log(x), -5.0),
     lambda x: np.maximum(np.log(x), np.full(2, -5.0)), lambda x: -np.minimum(-np.log(x), 5.0),
     lambda x: np.where(x > 0.0, np.log(x), -5.0)],
)  # fmt: skip
def test_what_is_not_chosen_moves_nothing_though_it_is_at_a_pole(f):
    x = np.array([0.0, 2.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jvp(f, (x,), (np.ones(2),))[1], [0.0, 0.5])
        np.testing.assert_array_equal(vjp(f, x)[1](np.ones(2))[0], [0.0, 0.5])


def test_early_exits_stop_tangents_too():
    def f(x, a):
        s = 0.0
        for i in range(len(x)):
            if x[i] > a:
                break
            if i == 1:
                continue
            s = s + np.log(x[i] * a)
            if s > 100.0:
                return s * 3.0
        while True:
            s = s * a
            if s < -9.0 or a < 2.0:
                break
        return s * x[0]

    x, a = np.array([0.5, 0.7, 0.9, 3.0, 0.2]), 1.5
    s, t_s = np.log(0.75) + np.log(1.35), 2.0 + 1 / 0.9 + 2 * 0.5 / 1.5
    exact = t_s * 1.5 * 0.5 + s * 0.5 * 0.5 + s * 1.5
    np.testing.assert_allclose(jvp(f, (x, a), (np.array([1.0, 1, 1, 1, 1]), 0.5))[1], exact, rtol=1e-13)
    d_x, d_a = vjp(f, x, a)[1](1.0)
    np.testing.assert_allclose(np.sum(d_x) + 0.5 * d_a, exact, rtol=1e-13)


@pytest.mark.parametrize("tangent", [1.0, 1, 2.5])
@pytest.mark.parametrize(
    "f",
    [lambda t: t**3, lambda t: 3.0 * t, lambda t: -(t**2), lambda t: t / 2 + 1, lambda t: math.exp(2 * t),
     lambda t: np.sum(t * np.arange(4.0)) + t**2, lambda t: t - 1.0, lambda t: 2.0**t, lambda t: math.sqrt(t) * t],
)  # fmt: skip
def test_a_tangent_that_is_known_when_compiling(f, tangent):
    def moved(t):
        return jvp(f, (t,), (tangent,))[1]

    h = 1e-4
    slope = tangent * (f(1.3 + h) - f(1.3 - h)) / (2 * h)
    bend = tangent * (f(1.3 + h) - 2 * f(1.3) + f(1.3 - h)) / h**2
    for value, derivative in (value_and_grad(moved)(1.3), jvp(moved, (1.3,), (1.0,))):
        np.testing.assert_allclose([value, derivative], [slope, bend], rtol=1e-6, atol=1e-6)


def test_a_tangent_that_is_known_beside_one_that_does_not_move():
    def moved(t, x):
        return jvp(lambda t, x: np.sum(t * x * x) + t * t / x[0], (t, x), (1.0, None))[1]

    x = np.array([1.0, 2.0, 3.0])
    value, (d_t, d_x) = value_and_grad(moved, argnums=(0, 1))(2.0, x)
    np.testing.assert_allclose(value, np.sum(x * x) + 4.0)
    np.testing.assert_allclose(d_t, 2.0)
    np.testing.assert_allclose(d_x, 2.0 * x + np.array([-4.0, 0.0, 0.0]))


def test_newton_by_a_jvp():
    def root(c):
        t = 2.0
        for _ in range(6):
            value, slope = jvp(lambda t: t**3 - c, (t * 1.0,), (1.0,))
            t = t - value / slope
        return t

    value, slope = value_and_grad(root)(5.0)
    np.testing.assert_allclose([value, slope], [5.0 ** (1 / 3), 5.0 ** (-2 / 3) / 3.0], rtol=1e-8)
