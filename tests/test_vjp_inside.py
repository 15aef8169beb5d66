"""`vjp` called inside functions that are compiled: in every mode, against differences."""

import numpy as np
import pytest

from adcompiler import GradientError, UnsupportedError, compile_module, grad, jvp, value_and_grad, vjp
from adcompiler.compile import STAGES, interpret

X = np.array([0.5, 1.2, -0.3])
A, Y = np.arange(6.0).reshape(3, 2) / 5, np.array([0.1, 0.2, 0.3])
SCALE = np.array([2.0, 0.5, -1.0])


def of_one_argument(x):
    y, pull = vjp(lambda v: np.sin(v) * v, x)
    (d,) = pull(y)
    return np.sum(d * y)


def gauss_newton(w, A, y):
    r, pull = vjp(lambda w: np.tanh(A @ w) - y, w)
    (g,) = pull(r)
    (h,) = pull(g[0] * r * r)
    return np.sum(g * g) + np.sum(h)


def of_a_structure(x, s):
    def body(a, b):
        return a * b + np.sum(a), {"s": b * b, "n": 3}

    v, pull = vjp(body, x, s)
    d_x, d_s = pull((np.cos(x), {"s": 2.0, "n": None}))
    return np.sum(d_x * x) * d_s + v[1]["s"] * v[1]["n"]


def of_a_constant(x):
    _, pull = vjp(np.multiply, x, 3.0)
    d_x, d_c = pull(x)
    return np.sum(d_x) * d_c


def of_arguments_by_number(x):
    v, pull = vjp(np.multiply, x, x * 2.0, argnums=1)
    d_x, d_y = vjp(np.multiply, x, x * 2.0, argnums=(0, 1))[1](v)
    return np.sum(pull(np.ones(3)) * v * d_x) + np.sum(d_y)


def with_none(x):
    _, pull = vjp(lambda a: (a * a, a + 1.0), x)
    (d,), (e,) = pull((None, x)), pull((x, None))
    (zero,) = pull(None)
    return np.sum(d * e + zero)


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        y, pull = vjp(lambda a: np.sin(a) * (i + 1.0), x)
        (d,) = pull(y)
        total = total + np.sum(d * x)
        x = x + d * 0.1
    return total


def before_a_loop(x):
    y, pull = vjp(np.sin, x)
    total = 0.0
    for i in range(3):
        (d,) = pull(y * i)
        if i > 1:
            total = total + np.sum(pull(d)[0])
    return total


def in_a_branch(x):
    if x[0] > 0:
        y, pull = vjp(np.sin, x)
        (d,) = pull(y)
    else:
        y, pull = vjp(np.cos, x)
        (d,) = pull(2.0 * y)
    return np.sum(d)


def of_what_stores(x):
    def body(a):
        a[0] = 2.0
        return a * a

    y, pull = vjp(body, x)
    y[1] = 5.0
    (d,) = pull(x)
    d[2] = 1.0
    return np.sum(d * x * y)


def of_a_recursion(x):
    def power(v, n):
        return v if n == 0 else v * power(v, n - 1)

    y, pull = vjp(power, np.sum(x), 2, argnums=0)
    return pull(y) * y


def of_a_closure_and_a_global(x):
    w = np.exp(x)
    y, pull = vjp(lambda v: v * w * SCALE, x)
    w = w * 100.0  # the pullback has the old one
    return np.sum(pull(y)[0] * w)


def under_grad(x):
    f = lambda v: vjp(np.sin, v)[1](v)[0]
    return np.sum(grad(lambda v: np.sum(f(v)))(x) * x)


def under_jvp(x):
    return np.sum(jvp(lambda v: vjp(np.tanh, v)[1](v * v)[0], (x,), (np.cos(x),))[1])


def with_a_pole(x):
    y, pull = vjp(lambda v: np.where(v > 0, np.log(np.where(v > 0, v, 1.0)), 0.0), x)
    return np.sum(pull(y)[0])


CASES = [(of_one_argument, (X,)), (gauss_newton, (np.array([0.3, 0.4]), A, Y)), (of_a_structure, (X, 1.5)),
         (of_a_constant, (X,)), (of_arguments_by_number, (X,)), (with_none, (X,)), (in_a_loop, (X,)),
         (before_a_loop, (X,)), (in_a_branch, (X,)), (in_a_branch, (-X,)), (of_what_stores, (X,)),
         (of_a_recursion, (X,)), (of_a_closure_and_a_global, (X,)), (under_grad, (X,)), (under_jvp, (X,)),
         (with_a_pole, (X,))]  # fmt: skip
IDS = [f"{f.__name__}_{i}" for i, (f, _) in enumerate(CASES)]


def plain(f, args):
    """The value, with `vjp`, `grad` and `jvp` called by Python."""
    return f(*(a.copy() if isinstance(a, np.ndarray) else a for a in args))


def differences(f, args, h=1e-5):
    x, rest = args[0], args[1:]
    units = np.eye(x.size)
    return np.array([(8 * (plain(f, (x + h * e, *rest)) - plain(f, (x - h * e, *rest)))
                      - (plain(f, (x + 2 * h * e, *rest)) - plain(f, (x - 2 * h * e, *rest)))) / (12 * h)
                     for e in units])  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_gradient(f, args):
    value, d = value_and_grad(f)(*args)
    assert np.isclose(value, plain(f, args), rtol=1e-13)
    np.testing.assert_allclose(d, differences(f, args), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_pullback_and_tangent(f, args):
    expected = differences(f, args)
    _, pull = vjp(f, *args, argnums=0)
    np.testing.assert_allclose(pull(1.0), expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(pull(-2.0), -2.0 * expected, rtol=1e-7, atol=1e-8)
    t = np.cos(np.arange(args[0].size))
    assert np.isclose(jvp(f, args, (t,), argnums=(0,))[1], expected @ t, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_second_derivative(f, args):
    t = np.cos(np.arange(args[0].size))

    def slope(*a):
        return np.sum(grad(f)(*a) * t)

    np.testing.assert_allclose(grad(slope)(*args), differences(slope, args, h=1e-4), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_interpreted_after_each_stage(f, args):
    value, d = value_and_grad(f)(*args)
    assert np.allclose(interpret(f, args, "lower", 0), value)
    for stage in STAGES[STAGES.index("adjoint") : STAGES.index("bufferize")]:
        v, g = interpret(f, args, stage, 0)
        assert np.allclose(v, value)
        np.testing.assert_allclose(g, d)


def test_ahead_of_time():
    namespace = {"__name__": "made"}
    exec(compile(compile_module(of_one_argument, signatures="f64[n]"), "<made>", "exec"), namespace)
    np.testing.assert_array_equal(namespace["of_one_argument_grad"](X), grad(of_one_argument)(X))


def one_path(x):
    if x[0] > 9.0:
        raise ValueError(x[0])
    else:
        y, pull = vjp(np.sin, x)
    return np.sum(pull(y)[0])


def either(x):
    if x[0] > 0:
        y, pull = vjp(np.sin, x)
    else:
        y, pull = vjp(np.cos, x)
    return np.sum(pull(y)[0])


def returned(x):
    return vjp(np.sin, x)[1]


@pytest.mark.parametrize(("f", "reason"), [(one_path, "may not have run"), (either, "one pullback on one path"),
                                           (returned, "returns a pullback")])  # fmt: skip
def test_refused(f, reason):
    with pytest.raises(UnsupportedError, match=reason):
        grad(f)(X)


def of_another_length(x):
    y, pull = vjp(np.sin, x)
    return np.sum(pull(np.ones(5))[0])


def of_another_structure(x):
    y, pull = vjp(lambda v: (v, v), x)
    return np.sum(pull(x)[0])


def of_ints(x):
    return np.sum(vjp(np.multiply, 3, x, argnums=0)[1](x))


@pytest.mark.parametrize(("f", "reason"), [(of_another_length, "cotangent of the value is float64.5."),
                                           (of_another_structure, "where a tuple of 2 is wanted"),
                                           (of_ints, "cannot be differentiated with respect to")])  # fmt: skip
def test_bad_input(f, reason):
    with pytest.raises(GradientError, match=reason):
        grad(f)(X)


def in_a_recursion(x, n):
    if n == 0:
        return np.sum(x)
    v, pull = vjp(np.sin, x)
    return in_a_recursion(pull(v)[0], n - 1)


def within_another(x):
    def inner(u):
        v, pull = vjp(np.sin, u)
        return pull(v)[0]

    v, pull = vjp(inner, x)
    return np.sum(pull(v)[0] * x)


def pulled_in_a_recursion(x):
    _, pull = vjp(np.sin, x)

    def go(z, n):
        return np.sum(z) if n == 0 else go(pull(z)[0], n - 1)

    return go(x, 3)


def pulled_in_another(x):
    v, pull = vjp(np.sin, x)
    w, again = vjp(lambda d: pull(d * d)[0], v)
    return np.sum(again(w)[0])


def test_a_pullback_within_another():
    """By Python alone the inner `vjp` would be of a function that calls a pullback made outside."""
    s, c = np.sin(X), np.cos(X)
    np.testing.assert_allclose(grad(pulled_in_another)(X), 6 * c**3 * s**2 - 4 * c * s**4, rtol=1e-12)  # 2 c^2 s^3


def gradient_that_is_an_argument(x):
    def inner(y):
        g = grad(lambda t: np.sum(y * t))(y)
        return np.sum(g * g)

    _, pull = vjp(lambda u: inner(u), x * 0.8)
    return np.sum(pull(2.0)[0])


NESTED = [(in_a_recursion, (X, 2)), (within_another, (X,)), (pulled_in_a_recursion, (X,)),
          (gradient_that_is_an_argument, (X,))]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), NESTED, ids=[f.__name__ for f, _ in NESTED])
def test_within_one_another(f, args):
    test_gradient(f, args)
    test_pullback_and_tangent(f, args)
    test_second_derivative(f, args)


VIEWS = {"reshaped": lambda u: u.reshape(3, 1), "same": lambda u: u, "reversed": lambda u: u[::-1]}


@pytest.mark.parametrize("body", VIEWS.values(), ids=VIEWS)
def test_a_value_that_is_a_view_of_the_argument_is_not_changed(body):
    def f(x):
        y = x * 2.0
        v, pull = vjp(body, y)
        v *= 0.0
        return np.sum(y)

    with pytest.raises(UnsupportedError, match="v may share memory with y"):
        grad(f)(X)


def test_a_pullback_made_outside_is_refused():
    _, pull = vjp(np.sin, X)
    with pytest.raises(UnsupportedError, match="a pullback that was made outside"):
        grad(lambda d: np.sum(pull(d)[0]))(X)


# ------------------------------------------------------------------------------------------ at points that are written
LITERAL = {
    "grad": lambda x: grad(lambda t: t**3 * x[0])(2.0),
    "grad that is a constant": lambda x: grad(lambda t: t**3)(2.0) * x[0],
    "grad by one of two": lambda x: grad(lambda t, s: t**3 * x[0] * s, 1)(2.0, 3.0),
    "grad by both": lambda x: sum(grad(lambda t, s: t**3 * x[0] * s, (0, 1))(2.0, s=3.0)),
    "grad of a dict": lambda x: grad(lambda p: p["a"] ** 3 * x[0] + p["b"] * x[1])({"a": 2.0, "b": x[2]})["a"],
    "value_and_grad": lambda x: sum(value_and_grad(lambda t: t**3 * x[0])(2.0)),
    "jvp": lambda x: jvp(lambda t: t**3 * x[0], (2.0,), (1.0,))[1],
    "jvp that is a constant": lambda x: jvp(lambda t: t**3, (2.0,), (1,))[1] * x[0],
    "jvp along what varies": lambda x: jvp(lambda t: t**3 * x[0], (2.0,), (x[1],))[1],
    "jvp beside what varies": lambda x: jvp(lambda t, u: t * u * x[0], (2.0, x[2]), (1.0, x[1]))[1],
    "complex": lambda x: np.real(vjp(lambda z: z * z * x[0], 1.0 + 2.0j)[1](1.0 + 0.0j)[0]),
}  # fmt: skip


@pytest.mark.parametrize("f", LITERAL.values(), ids=LITERAL)
def test_points_that_are_written_in_the_program(f):
    x = np.array([1.5, 0.7, -0.4])
    np.testing.assert_allclose(grad(f)(x), differences(f, (x,)), rtol=1e-7, atol=1e-8)


def test_an_int_that_is_written_has_no_gradient():
    with pytest.raises(GradientError, match="which is 2: only float and complex"):
        grad(lambda x: grad(lambda t: t**3 * x[0])(2))(np.ones(2))
