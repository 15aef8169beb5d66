"""Programs that make splines, and that call splines made outside."""

import numpy as np
import pytest
from scipy import interpolate
from scipy.interpolate import CubicHermiteSpline, CubicSpline, PchipInterpolator

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp, value_and_grad
from adcompiler.ahead import compile_module

RNG = np.random.default_rng(0)
X, Y, Z = np.cumsum(RNG.uniform(0.3, 1.0, 7)), RNG.normal(size=7), RNG.normal(size=(7, 2))
T = np.array([X[0] - 0.3, 0.9, 1.7, 2.6, X[-1] + 0.2])
OUTSIDE, PLANE = CubicSpline(X, Y), CubicSpline(X, Z)


def ends(x, y, v, w):
    t = x[:-1] + 0.2
    total = np.sum(CubicSpline(x, y, bc_type=("natural", (2, w)))(t, 2) ** 2)
    return total + np.sum(CubicSpline(x, y, bc_type=((1, v), "clamped"))(t, nu=3) ** 2)


def vectors(y, t):
    """A curve in the plane, and NaN outside of it."""
    return np.nansum(CubicSpline(X, y, extrapolate=False)(t.reshape((5, 1)), 1) ** 2)


def monotonic(x, y, t):
    return np.sum(PchipInterpolator(x, y)(t) ** 2)


def slopes(x, y, s, t):
    return np.sum(CubicHermiteSpline(x, y, s)(t) ** 2)


def driven(y, u):
    """A differential equation with a force that is known at some times."""
    force = CubicSpline(X, y)
    for k in range(10):
        u = u + 0.1 * np.sin(force(0.3 * k) * u)
    return u


def changed_afterwards(y, t):
    """A spline goes through the points that there were."""
    y = y * 1.0
    spline = CubicSpline(X, y)
    y[0] = 7.0
    return np.sum(spline(t) ** 2) + np.sum(y * y)


def outside(t, spline):
    return np.sum(OUTSIDE(t) ** 2) + np.sum(spline(t, nu=1)) + OUTSIDE(t[1]) * spline(0.7)


def through(x, y, t):
    return np.sum(CubicSpline(x, y)(t) ** 2)


PROGRAMS = [
    (through, (X, Y, T), (0, 1, 2)),
    (ends, (X, Y, 0.3, 0.4), (0, 1, 2, 3)),
    (vectors, (Z, T), (0, 1)),
    (monotonic, (X, Y, T), (0, 1, 2)),
    (slopes, (X, Y, np.cos(Y), T), (0, 1, 2, 3)),
    (driven, (Y, 1.0), (0, 1)),
    (changed_afterwards, (Y, T), (0, 1)),
    (outside, (T, interpolate.make_interp_spline(X, Y)), 0),
]


@pytest.mark.parametrize("f, args, argnums", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args, argnums):
    check_grad(f, *args, argnums=argnums)
    np.testing.assert_allclose(value_and_grad(f)(*args)[0], f(*args), rtol=1e-13)


def test_forward_mode_and_second_derivatives():
    moved = (np.sin(X), np.cos(Y), np.cos(T))
    _, t = jvp(through, (X, Y, T), moved)
    gradients = grad(through, argnums=(0, 1, 2))(X, Y, T)
    np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-11)
    check_grad(lambda y: np.sum(grad(through, argnums=2)(X, y, T) ** 2), Y)


def test_a_spline_is_of_double_precision_whatever_its_points_are():
    y = Y.astype("f4")
    value, g = value_and_grad(lambda y, t: np.sum(CubicSpline(X, y)(t)))(y, T)
    assert g.dtype == np.float32 and abs(value - np.sum(CubicSpline(X, y)(T))) < 1e-12
    whole = np.arange(7) ** 2
    value, _ = value_and_grad(lambda t: np.sum(CubicSpline(X, whole)(t)))(T)
    assert abs(value - np.sum(CubicSpline(X, whole)(T))) < 1e-10


def test_what_is_flat_or_turns_has_flat_slopes():
    y = np.array([0.0, 1.0, 1.0, 0.0, 2.0])
    g = grad(lambda y: np.sum(PchipInterpolator(np.arange(5.0), y)(np.arange(5.0), 1)[1:-1]))(y)
    assert not np.any(g)


def test_places_have_to_increase_and_to_determine_the_ends():
    for f, words in ((lambda y: CubicSpline(X[::-1], y), "the places of a spline have to be strictly increasing"),
                     (lambda y: CubicSpline(X[:3], y[:3]), "a spline through 3 points is not supported"),
                     (lambda y: PchipInterpolator(X[:2], y[:2]), "a spline through 2 points is not supported")):
        with pytest.raises(ValueError, match=words):
            grad(lambda y: np.sum(f(y)(T)))(Y)
    check_grad(lambda y: CubicSpline(X[:2], y, bc_type="natural")(1.0) ** 2, Y[:2])


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda y: CubicSpline(X, y, bc_type="periodic")(T), "a periodic spline is not supported."),
        (lambda y: CubicSpline(X, y, extrapolate="periodic")(T), "a periodic spline is not supported."),
        (lambda y: CubicSpline(X, y[None], axis=1)(T), "a spline along another axis than the first is not supported."),
        (lambda y: PchipInterpolator(X, y)(T, -1), "a spline that is periodic, or of another derivative is not"),
        (lambda y: CubicSpline(X, y).derivative()(T), "the attribute derivative of the function spline"),
        (lambda y: CubicSpline(X, y, extra=1)(T), "extra"),
        (lambda y: OUTSIDE(y, -1), "a spline of vectors, or integrated, is not supported."),
        (lambda y: PLANE(y), "a spline of vectors, or integrated, is not supported."),
        (lambda y: interpolate.krogh_interpolate(X, y, T), "krogh_interpolate has no rule: its rule is"),
    ],
)
def test_what_has_no_derivative_is_refused_where_it_is_called(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda y: np.sum(f(y)))(Y)
    assert words in " ".join(str(caught.value).split()) and "rules" not in str(caught.value).split("Instead")[0]





def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    file = tmp_path / "through_grad.py"
    compile_module(differentiable(through), file, signatures=("f64[n], f64[n], f64[m]",))
    monkeypatch.syspath_prepend(tmp_path)
    np.testing.assert_allclose(__import__("through_grad").through_grad(X, Y, T), grad(through)(X, Y, T), rtol=1e-13)
