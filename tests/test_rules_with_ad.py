"""Rules that differentiate the functions that theirs are given: `ad`."""

import math

import numpy as np
import pytest

from adcompiler import UnsupportedError, differentiable, grad, jvp, primitive, rule
from rules import ad
from rules.kind import Array, Num
from rules.rule import RuleError
from rules.testing import check_rule
from tests.numerics import differences

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(4, 3)), np.array([1.2, 0.9, 0.7])


def map_rows(f, xs):
    return np.stack([f(x) for x in xs])


@rule("ys = map_rows(f, xs)", map_rows)
class map_rows_rule:
    def calls_f(xs):
        return (Array(xs.dtype, xs.shape[1:]),)

    def kind(f, xs):
        return Array(f.result.dtype, (xs.shape[0], *(f.result.shape if f.result.ndim else ())))

    def d_xs(ad, d_ys, f, xs):
        return ad.each(lambda x, d_y: ad.vjp(f, x)[1](d_y)[1], xs, d_ys)

    def d_f(ad, d_ys, f, xs):
        rows = ad.each(lambda x, d_y: ad.vjp(f, x)[1](d_y)[0], xs, d_ys)
        return (None, *(np.sum(r, axis=0) for r in rows[1:]))

    def t_ys(ad, f, xs, t_f, t_xs):
        return ad.each(lambda x, t_x: ad.jvp(f, (x,), (t_x,), t_f)[1], xs, t_xs)


@primitive
def halfway(f, low, high):
    """Where f crosses zero, by bisection."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) * f(low) > 0 else (low, middle)
    return 0.5 * (low + high)


@rule("x = halfway(f, low, high)", halfway)
class halfway_rule:
    constant = "low high"

    def calls_f():
        return (Num(float),)

    def kind():
        return Num(float)

    def d_f(ad, d_x, f, x):
        return ad.vjp(f, x)[1](-d_x / ad.jacobian(f, x)[1])[0]

    def t_x(ad, f, x, t_f):
        return -ad.jvp(f, (x,), (None,), t_f)[1] / ad.jacobian(f, x)[1]


def of_vectors(xs, w):
    return np.sum(map_rows(lambda x: np.sin(x * w[0]) * w, xs) ** 2)


def of_numbers(xs, w):
    return np.sum(map_rows(lambda x: np.sum(x * w), xs) ** 2)


def crossing(xs, w):
    return halfway(lambda x: x**3 + x * w[0] - np.sum(xs * xs), 0.0, 9.0) * w[1]


@pytest.mark.parametrize("argnum", [0, 1])
@pytest.mark.parametrize("f", [of_vectors, of_numbers, crossing])
def test_each_mode_and_second_derivatives(f, argnum):
    args, t = (X, W), RNG.normal(size=(X, W)[argnum].shape)
    tangents = tuple(t if i == argnum else np.zeros_like(x) for i, x in enumerate(args))
    g = grad(f, argnum)
    slopes = differences(f, args, argnum)
    np.testing.assert_allclose(g(*args), slopes, rtol=1e-7, atol=1e-8)
    assert abs(jvp(f, args, tangents)[1] - np.sum(slopes * t)) < 1e-7
    along = lambda xs, w: np.sum(g(xs, w) * t)
    np.testing.assert_allclose(grad(along, argnum)(*args), differences(along, args, argnum), rtol=1e-6, atol=1e-7)


def test_the_code_is_what_one_would_write():
    text = differentiable(of_vectors, argnums=(0, 1)).source(example=(X, W))
    assert "d_xs = np.stack([f_grad_2(x, w, d_y) for x, d_y in zip(xs, d)])" in text
    assert "np.sum(np.stack([f_grad(x, w, d_y) for x, d_y in zip(xs, d)]), axis=0)" in text
    assert "f_grad_2" not in differentiable(of_vectors, argnums=1).source(example=(X, W))  # of xs nothing is computed


def rows_summed(f, xs):
    return np.stack([f(x) for x in xs])


@rule("ys = rows_summed(f, xs)", rows_summed)
class rows_summed_rule:
    """The same, by `vjp_each`."""

    def calls_f(xs):
        return (Array(xs.dtype, xs.shape[1:]) if xs.ndim > 1 else Num(np.float64),)

    kind = map_rows_rule.kind
    t_ys = map_rows_rule.t_ys

    def d_xs(ad, d_ys, f, xs):
        return ad.vjp_each(f, xs)[1](d_ys)[1]

    def d_f(ad, d_ys, f, xs):
        return ad.vjp_each(f, xs)[1](d_ys)[0]


@primitive
def applied(f, x):
    return np.array([f(v) for v in x.ravel().tolist()]).reshape(x.shape)


@rule("y = applied(f, x)", applied)
class applied_rule:
    def calls_f():
        return (Num(float),)

    def kind(x):
        return Array(np.dtype(float), x.shape)

    def d_x(ad, d_y, f, x):
        return d_y * ad.elementwise(f)(x)[1]

    def d_f(ad, d_y, f, x):
        return ad.vjp_each(f, np.ravel(x))[1](np.ravel(d_y))[0]

    def t_y(ad, f, x, t_f, t_x):
        flat = ad.each(lambda v, t: ad.jvp(f, (v,), (t,), t_f)[1], np.ravel(x), np.ravel(t_x))
        return np.reshape(flat, x.shape)


def vectors_summed(xs, w):
    return np.sum(rows_summed(lambda x: np.sin(x * w[0]) * w, xs) ** 2) + np.sum(
        rows_summed(lambda v: np.sin(v * w[1]), xs[0]) ** 2
    )


def of_ufuncs(xs, w):
    return np.sum(applied(lambda v: math.sin(v) * 2.0 + v * v * w[1], xs) ** 2)


def of_branches(xs, w):
    return np.sum(applied(lambda v: math.sin(v) * w[1] if v > 0.1 else v * w[0], xs) ** 2)


@pytest.mark.parametrize("argnum", [0, 1])
@pytest.mark.parametrize("f", [vectors_summed, of_ufuncs, of_branches])
def test_each_row_and_each_element(f, argnum):
    test_each_mode_and_second_derivatives(f, argnum)


def test_what_a_function_closes_over_is_summed_in_reverse_order():
    text = differentiable(vectors_summed, argnums=1).source(example=(X, W))
    assert "for x, d in zip(reversed(xs), reversed(" in text
    assert "d_w_2 += f_grad_2(x, w, d)" in text
    assert "reversed" not in differentiable(vectors_summed, argnums=0).source(example=(X, W))


def test_a_function_of_ufuncs_is_called_with_the_whole_array():
    assert "f_jvp(xs, w, np.ones_like(xs))" in differentiable(of_ufuncs).source(example=(X, W))
    assert "np.ravel(xs)" in differentiable(of_branches).source(example=(X, W))


@primitive
def twice(f, x):
    return f(f(x))


@rule("y = twice(f, x)", twice)
class twice_rule:
    def calls_f(x):
        return (x,)

    def kind(x):
        return x

    def d_x(ad, d_y, f, x):
        return ad.vjp(lambda v: twice(f, v), x)[1](d_y)[1]

    def t_y(ad, f, x, t_x):
        return ad.jvp(twice, (x,), (t_x,))[1]


def test_a_rule_does_not_differentiate_what_it_defines():
    f = lambda x: twice(lambda v: v * v, x)
    words = "it differentiates twice itself, whose derivative it defines"
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(2.0)
    with pytest.raises(UnsupportedError, match=words):
        jvp(f, (2.0,), (1.0,))


def four_times(f, x):
    return f(f(f(f(x))))


@rule("y = four_times(f, x)", four_times)
class four_times_rule:
    why_f = "what it closes over stands still"

    def calls_f(x):
        return (x,)

    def kind(x):
        return x

    def d_x(ad, d_y, f, x):
        return ad.vjp(lambda v: f(f(f(f(v)))), x)[1](d_y)[1]

    def t_y(ad, f, x, t_x):
        return ad.jvp(lambda v: f(f(f(f(v)))), (x,), (t_x,))[1]


def test_a_function_of_the_rule_is_differentiated():
    f = lambda x: four_times(lambda v: np.sin(v), x)
    np.testing.assert_allclose(grad(f)(0.5), differences(f, (0.5,)), rtol=1e-8)
    np.testing.assert_allclose(jvp(f, (0.5,), (2.0,))[1], 2 * differences(f, (0.5,)), rtol=1e-8)


def test_what_a_function_closes_over_is_refused_where_the_rule_has_no_pullback_of_it():
    with pytest.raises(UnsupportedError, match="no derivative with respect to f: what it closes over stands still"):
        grad(lambda a: four_times(lambda v: np.sin(v * a), 0.5))(2.0)


def test_a_function_that_is_not_known_when_compiling_is_refused():
    with pytest.raises(UnsupportedError, match="give it a function that is known when compiling"):
        grad(lambda x: four_times(x, 0.5))(2.0)
    with pytest.raises(UnsupportedError, match="cannot be seen into"):
        grad(lambda x: x * four_times(np.vectorize, 0.5))(2.0)


def test_check_rule_says_what_checks_a_rule_that_takes_functions():
    with pytest.raises(ValueError, match=r"adcompiler\.check_grad"):
        check_rule(map_rows, np.sin, X)


def test_switched_off_only_rules_are_known():
    value, pullback = ad.none.vjp(np.multiply, 2.0, 3.0)
    assert (value, pullback(1.0)) == (6.0, (None, 3.0, 2.0))
    assert ad.none.jvp(np.multiply, (2.0, 3.0), (1.0, None)) == (6.0, 3.0)
    for call in (lambda: ad.none.vjp(lambda x: x, 2.0), lambda: ad.none.jvp(np.argmax, (X,), (X,))):
        with pytest.raises(RuleError, match=r"has no rule, and differentiation is switched off \(ad.none\)"):
            call()
    with pytest.raises(RuleError, match="each needs a compiler, and differentiation is switched off"):
        ad.none.each(np.sin, X)
