"""Statements in the reverse sweep: `with cotangent(y) as d_y:`."""

import sys
from typing import Any

import numpy as np
import pytest

import adcompiler
from adcompiler import (
    UnsupportedError,
    checkpoint,
    compile_module,
    cotangent,
    differentiable,
    grad,
    jvp,
    value_and_grad,
    vjp,
)

X = np.array([0.3, -0.7, 1.2])
LOG: list[Any] = []
KEPT: list[Any] = []


def clipped_layers(W, x, n=3, most=0.5):
    h = x
    for _ in range(n):
        h = np.tanh(W @ h)
        with cotangent(h) as d_h:
            size = np.sqrt(np.sum(d_h * d_h))
            if size > most:
                d_h = d_h * (most / size)
    return np.sum(h * h)


def clipped_by_hand(W, x, n=3, most=0.5):
    kept, h = [], x
    for _ in range(n):
        kept.append(h)
        h = np.tanh(W @ h)
    d_h, d_W = 2 * h, np.zeros_like(W)
    for before in reversed(kept):
        size = np.sqrt(np.sum(d_h * d_h))
        d_h = d_h * (most / size) if size > most else d_h
        d = d_h * (1 - np.tanh(W @ before) ** 2)
        d_W += np.outer(d, before)
        d_h = W.T @ d
    return d_W, d_h


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("reuse", [True, False])
def test_clipping_in_a_loop(n, reuse):
    gradient = grad(clipped_layers, argnums=("W", "x"), reuse_buffers=reuse)
    for seed in (0, 1, 0):
        rng = np.random.default_rng(seed)
        W, x = rng.normal(size=(4, 4)), rng.normal(size=4)
        for got, want in zip(gradient(W, x, n), clipped_by_hand(W, x, n), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13)


def test_the_body_is_code_of_the_reverse_sweep():
    source = differentiable(clipped_layers).source(signature="f64[n,n], f64[n]")
    assert source.index("# backward") < source.index("if size > most:") < source.index("d_W += ")


# ------------------------------------------------------------------------------------- run as usual
def test_python_passes_over_the_body():
    seen = []

    def f(x):
        y = 2 * x
        with cotangent(y) as d_y:
            seen.append("here")
            d_y = d_y + undefined  # noqa: F821
        with adcompiler.cotangent(y):
            raise AssertionError
        return np.sum(y)

    before = sys.gettrace()
    for _ in range(3):
        assert f(X) == pytest.approx(1.6)
    assert not seen
    assert sys.gettrace() is before


def test_a_tracer_stays_where_it_is():
    lines = []

    def tracer(frame, event, arg):
        if event == "line":
            lines.append(frame.f_lineno - frame.f_code.co_firstlineno)
        return tracer

    def f(x):
        y = 2 * x
        with cotangent(y) as d_y:
            d_y = d_y * 2
        z = y + 1
        return z

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        f(1.0)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert {1, 2, 4, 5} <= set(lines)


def test_an_exception_goes_on():
    def f(x):
        y = 2 * x
        with cotangent(y) as d:
            d = d * 2
        raise KeyError("after")

    with pytest.raises(KeyError, match="after"):
        f(1.0)


# ------------------------------------------------------------------------------------- what has a cotangent
def number(x):
    s = np.sum(x * x)
    with cotangent(s) as d_s:
        d_s = min(d_s, 0.25)
    return s * 3


def python_number(x):
    s = float(np.sum(x * x)) * 1.0
    with cotangent(s) as d_s:
        d_s *= 0.5
    return s * 3


def argument(x):
    with cotangent(x) as d:
        d = np.clip(d, -1, 1)
    return np.sum(x**2)


class Layer:
    def __init__(self):
        self.W = np.eye(3) * 0.5
        self.h = None

    def run(self, x):
        self.h = self.W @ x
        with cotangent(self.h) as d:
            d[d > 0.1] = 0.1
        return np.sum(self.h**2)


def attribute(x):
    return Layer().run(x)


def item(x):
    p = {"a": [x * 2, x]}
    with cotangent(p["a"][0]) as d:
        d = d * 3
    return np.sum(p["a"][0] * p["a"][1])


def two_names(x):
    y = x * 2
    z = y
    with cotangent(y) as d:
        d = d * 0.5
    return np.sum(y) + np.sum(z * 3)


def view_of_it(x):
    y = x * 2
    z = y[1:]
    with cotangent(y) as d:
        d = d * 2
    return np.sum(y) + np.sum(z)


def changed_after(x):
    y = np.zeros(3)
    y[0] = x[0]
    y[1:] = x[1:] * 2
    with cotangent(y) as d:
        d *= 2
    y[1] = 5.0
    return np.sum(y**2)


def on_one_path(x):
    y = x * 2
    if x[0] > 0:
        with cotangent(y) as d:
            d = d * 2
    else:
        y = y * 3
    return np.sum(y)


def in_a_while(x):
    y = x
    while np.sum(np.abs(y)) > 0.5:
        y = y * 0.5
        with cotangent(y) as d:
            d = d * 3
    return np.sum(y)


def helped(y):
    with cotangent(y) as d:
        d = d * 2
    return y * 1.0


def in_a_helper(x):
    y = x * 2
    z = helped(y)
    return np.sum(z * y)


def reads_around(x):
    y = x * 2
    with cotangent(y) as d:
        d = d * (np.abs(y) < 1)
    return np.sum(y * y)


def becomes_a_number(x):
    y = x * 2
    with cotangent(y) as d:
        d = 1.5  # noqa: F841
    return np.sum(y)


def shares_a_cotangent(x):
    a, b = x * 2, x * 3
    with cotangent(a) as d:
        d *= 0.0
    return np.sum(np.sin(a + b))


def twice(x):
    y = x * 2
    with cotangent(y) as d:
        d = d + 1
    with cotangent(y) as d:
        d = d * 10
    return np.sum(y)


def loops_inside(x):
    y = x * 2
    with cotangent(y) as d:
        for i in range(5):
            if i == 2:
                break
            d = d * 2
    return np.sum(y)


CASES = [
    (number, 2 * X * 0.25),
    (python_number, 3 * X),
    (argument, np.clip(2 * X, -1, 1)),
    (attribute, 0.5 * np.minimum(X, 0.1)),
    (item, 3 * 2 * X + 2 * X),
    (two_names, np.full(3, 4.0)),
    (view_of_it, np.array([4.0, 8.0, 8.0])),
    (changed_after, np.array([4 * X[0], 0.0, 16 * X[2]])),
    (on_one_path, np.full(3, 4.0)),
    (in_a_while, np.full(3, 1.5**3)),
    (in_a_helper, 16 * X),
    (reads_around, 8 * X * (np.abs(2 * X) < 1)),
    (becomes_a_number, np.full(3, 3.0)),
    (shares_a_cotangent, 3 * np.cos(5 * X)),
    (twice, np.full(3, 22.0)),
    (loops_inside, np.full(3, 8.0)),
]


@pytest.mark.parametrize(("f", "want"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_gradients(f, want):
    x = X.copy()
    for reuse in (True, False):
        for _ in range(2):
            value, got = value_and_grad(f, reuse_buffers=reuse)(x)
            assert value == pytest.approx(f(x), rel=1e-14)
            np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)
    value, pullback = vjp(f, x)
    for scale in (1.0, 1.0):
        np.testing.assert_allclose(pullback(scale)[0], want, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize(("f", "want"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_ahead_of_time(f, want):
    made: dict[str, Any] = {}
    exec(compile_module(f, signatures="f64[n]"), made)
    np.testing.assert_allclose(made[f"{f.__name__}_grad"](X), want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("f", "want"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_forward_mode_passes_over_it(f, want):
    value, tangent = jvp(f, (X,), (np.ones(3),))
    h = 1e-6
    assert tangent == pytest.approx((f(X + h) - f(X - h)) / (2 * h), rel=1e-7)


def test_the_other_path():
    np.testing.assert_allclose(grad(on_one_path)(-X), np.full(3, 6.0))


def test_single_precision_and_complex():
    def f(x):
        y = x * 2
        with cotangent(y) as d:
            d = d * np.linspace(0.0, 1.0, 3)
        return np.sum(y * y)

    got = grad(f)(X.astype(np.float32))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, 8 * X * np.linspace(0, 1, 3), rtol=1e-6)

    def g(z):
        y = z * (1 + 2j)
        with cotangent(y) as d:
            d = d * 1j
        return np.sum(np.real(y * y))

    z = X + 0.5j
    plain = grad(lambda z: np.sum(np.real((z * (1 + 2j)) ** 2)))(z)
    # the conjugate convention: d_z = conj(1 + 2j) d_y, which is turned by 1j on the way
    np.testing.assert_allclose(grad(g)(z), plain * 1j)


def cubed(x):
    y = x * 2
    with cotangent(y) as d:
        d = d * np.tanh(y)
    return np.sum(y**3)


@pytest.mark.parametrize("f", [cubed, reads_around, in_a_while, attribute, item])
def test_second_derivatives(f):
    """They are of what the gradient computes, the body included."""

    def first(x):
        return np.sum(np.sin(grad(f)(x)))

    x, h = X * 1.1, 1e-6
    v = np.array([0.3, 1.0, -0.4])
    want = (first(x + h * v) - first(x - h * v)) / (2 * h)
    assert grad(first)(x) @ v == pytest.approx(want, rel=1e-6, abs=1e-7)
    assert jvp(first, (x,), (v,))[1] == pytest.approx(want, rel=1e-6, abs=1e-7)


def test_in_a_checkpoint():
    got = grad(lambda x: np.sum(np.sin(checkpoint(lambda v: reads_around(v))(x))))(X)
    want = np.cos(reads_around(X)) * 8 * X * (np.abs(2 * X) < 1)
    np.testing.assert_allclose(got, want)


# ------------------------------------------------------------------------------------- effects
def logged(x):
    y = x
    for i in range(3):
        y = y * 2
        with cotangent(y) as d_y:
            LOG.append(np.linalg.norm(d_y))
            KEPT.append(d_y)
            print("step", i)
            d_y *= 10
    return np.sum(y)


@pytest.mark.parametrize("reuse", [True, False])
def test_what_is_logged(reuse, capsys):
    LOG.clear()
    KEPT.clear()
    gradient = grad(logged, reuse_buffers=reuse)
    for _ in range(2):
        np.testing.assert_allclose(gradient(X), np.full(3, 8000.0))
    np.testing.assert_allclose(LOG, 2 * [np.sqrt(3) * s for s in (1, 20, 400)])
    np.testing.assert_allclose(KEPT, 2 * [np.full(3, s) for s in (1, 20, 400)])
    assert capsys.readouterr().out.split("\n") == [*(2 * ["step 2", "step 1", "step 0"]), ""]
    assert LOG
    LOG.clear()
    logged(X)
    assert not LOG


def test_a_test_that_fails():
    def f(x):
        y = np.sqrt(x)
        with cotangent(y) as d_y:
            assert np.all(np.isfinite(d_y)), "the cotangent of y"
        return np.sum(np.log(y))

    with np.errstate(divide="ignore"):
        f(np.array([0.0, 1.0]))
        with pytest.raises(AssertionError, match="the cotangent of y"):
            grad(f)(np.array([0.0, 1.0]))


def test_it_does_not_run_where_nothing_comes_back():
    def f(x, w):
        y = w * 2
        with cotangent(y) as d:
            LOG.append(np.sum(d))
        z = x * 3
        with cotangent(z) as d:
            LOG.append(np.sum(d))
        return np.sum(x * y) + 0 * float(np.sum(z) > 0)

    LOG.clear()
    grad(f)(X, X)
    assert LOG == []
    grad(f, argnums="w")(X, X)
    assert LOG == [pytest.approx(np.sum(X))]


# ------------------------------------------------------------------------------------- refusals
def read_before(x):
    y = x * 2
    z = y * 3
    with cotangent(y) as d:
        d = d * 2
    return np.sum(y) + np.sum(z)


def read_before_a_branch(x):
    y = x * 2
    z = y * 1.5
    if x[0] > 0:
        with cotangent(y) as d:
            d = d * 2
    return np.sum(y) + np.sum(z)


def a_view(x):
    y = x * 2
    z = y[1:]
    with cotangent(z) as d:
        d = d * 2
    return np.sum(y) + np.sum(z)


def outside_of_a_loop(x):
    y = x * 2
    s = 0.0
    for _ in range(3):
        with cotangent(y) as d:
            d = d * 2
        s = s + np.sum(y)
    return s


def without_a_name(x):
    with cotangent(x * 2) as d:
        d = d * 2
    return np.sum(x)


def of_ints(x):
    k = np.arange(3)
    with cotangent(k) as d:
        d = d * 2
    return np.sum(x * k)


def of_a_list(x):
    k = [x, x]
    with cotangent(k) as d:
        d = d * 2
    return np.sum(k[0])


def returns(x):
    y = x * 2
    with cotangent(y) as d:
        return d
    return np.sum(y)


def breaks(x):
    y = x
    for i in range(3):
        y = y * 2
        with cotangent(y) as d:
            if i == 1:
                break
            d = d * 2
    return np.sum(y)


def assigns(x):
    y = x * 2
    n = 0
    with cotangent(y) as d:
        n = n + 1
        d = d * n
    return np.sum(y) + n


def stores(x):
    y = x * 2
    buf = np.zeros(3)
    with cotangent(y) as d:
        buf[0] = d[0]
    return np.sum(y) + buf[0]


def appends(x):
    y = x * 2
    kept = []
    with cotangent(y) as d:
        kept.append(d)
    return np.sum(y)


def another_rank(x):
    y = x * 2
    with cotangent(y) as d:
        d = np.outer(d, d)
    return np.sum(y)


def complex_of_real(x):
    y = x * 2
    with cotangent(y) as d:
        d = d * 1j
    return np.sum(y)


def two_at_once(x):
    y, z = x * 2, x * 3
    with cotangent(y) as d, cotangent(z) as e:
        d = d * 2
        e = e * 2
    return np.sum(y * z)


REFUSED = [
    (read_before, "y is read at line .* beside this", "straight after y is computed"),
    (read_before_a_branch, "y is read at line .* beside this", "straight after y is computed"),
    (a_view, "z may share memory with y", "z.copy"),
    (outside_of_a_loop, "y is made outside of the loop", "in the same loop"),
    (without_a_name, "nothing has what x \\* 2 gives", "y = x \\* 2"),
    (of_ints, "k is an array .* has no cotangent", "array of floats"),
    (of_a_list, "k is a list.* has no cotangent", "array of floats"),
    (returns, "`return` in the body", "go on"),
    (breaks, "`break` or `continue` in the body", "go on"),
    (assigns, "n is assigned in the body", "another name"),
    (stores, "buf is changed in place in the body", "outside of the body"),
    (appends, "kept is changed in the body", "outside of the body"),
    (another_rank, "d is .* at the end of the body", "let d be like y"),
    (complex_of_real, "d is .* at the end of the body", "let d be like y"),
    (two_at_once, "beside other contexts", "of its own"),
]


@pytest.mark.parametrize(("f", "reason", "remedy"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED])
def test_refused(f, reason, remedy):
    with pytest.raises(UnsupportedError, match=f"(?s)line .*{reason}.*Instead: .*{remedy}"):
        grad(f)(X)
