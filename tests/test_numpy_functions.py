"""NumPy's functions with lists of arrays, several results or callbacks, in functions that are compiled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, jvp
from tests.numerics import assert_close, differences

X, W = np.array([-1.3, 0.4, 0.9, -0.2, 1.7]), np.array([0.5, -0.7, 1.2, 0.3, -1.1])
M = np.array([[0.5, -1.2, 0.7, 1.9], [1.1, 0.3, -0.4, 0.8]])


def selected(x, w):
    return np.sum(np.select([x > 0.5, x < 0.0], [x * w, w**2], default=x**3))


def one_of_two(x, w):
    return np.sum(np.choose((x > 0).astype(int), [x * w, w**3]))


def blocks(m, x):
    return np.sum(np.block([[m, m[:, :1]], [x]]) ** 3)


def polynomials(p, x):
    value = np.polyval(np.polymul(np.polyder(p), p[1:]), x) + np.polyval([1.0, 2.0, 3.0], x)
    return np.sum(value * np.polyval(np.poly(p), x))


def fitted(x, y):
    return np.sum(np.polyval(np.polyfit(x, y, 2, w=1.0 + x**2), y) ** 2)


def in_bins(x, w):
    h, edges = np.histogram(x, 3, weights=w)
    return np.sum(h**2) * edges[1]


def in_a_range(x, high):
    h, edges = np.histogram(x, 3, range=(-0.5 * high, high), weights=x**2)
    return np.sum(h**2) * np.sum(edges**3)


def parts(x, w):
    quotient, rest = np.divmod(x, w)
    fraction, whole = np.modf(3.0 * x)
    return np.sum(quotient * rest**2 + fraction * whole)


def grown(x, w):
    y = np.insert(x, 2, w)
    for i in range(3):
        y = np.delete(y, i) * np.resize(w, 9 - i)
    return np.sum(y**2)


def pieces(x, a):
    y = np.piecewise(x, [x < -0.3, x > 0.6], [lambda v, c: c * v**2, 2.0, lambda v, c: v * np.sum(v) + c], a)
    return np.sum(y * x)


def overlapping_pieces(x, a):
    return np.sum(np.piecewise(x, [x < a, x > 0.0], [np.cos, np.exp]) * x)


def over_axes(m, a):
    return np.sum(np.apply_over_axes(np.sum, m**2, [0, -1])) * a + np.sum(np.apply_over_axes(np.mean, m**3, 1) * m)


def products_by_lists(m, x):
    y = np.einsum(m, [0, 1], [[1.0, -2.0], [0.5, 3.0]], [2, 0], x[:4], [1])  # the rest, in order: [2]
    z = np.einsum(m * m, [Ellipsis, 30], m, [2, 30], [2, Ellipsis])
    t = np.einsum(m, [1, 0])
    return np.einsum("i,i->", y, [2.0, -1.0]) + np.sum(z**2) + np.einsum(t, [3, 1], x[:4], [3], m, [1, 3], [])


def bordered(m, x):
    y = np.pad(m, ((1, 2), (0, 3)), "reflect") ** 2
    y = np.pad(y, 1, "mean") + np.pad(y**2, ((1, 1), (2, 0)), "linear_ramp", end_values=((0.5, 1.0), (2.0, 0.0)))
    y = np.pad(y, 2, "maximum", stat_length=3) * np.pad(y, ((4, 0), (2, 2)), "median", stat_length=((2, 1), (3, 2)))
    return np.sum(np.pad(y, 1, "minimum") ** 2) * np.sum(np.pad(x[:3] ** 2, (2, 5), mode="wrap") * np.arange(10.0))


def windowed(x, beta):
    w = np.kaiser(len(x), beta) * np.kaiser(5, 3.0 * x[0])
    return np.sum(w * x**2) * np.kaiser(1, beta)[0] * np.kaiser(2, beta)[1]


def between(m, x):
    y = np.ediff1d(m, to_end=x[1:3], to_begin=[x[0], 2.0]) ** 2
    z = np.ediff1d(x, to_begin=m[0, 0] * x[1]) * np.ediff1d(x, to_end=m)[:5]
    return np.sum(y * np.arange(11.0)) + np.sum(z**2)


def crossed(m, x):
    a, b = np.stack([m[0], m[1], m[0] * m[1]]), np.stack([m[1], m[0], x[:4] * m[0]], axis=1)
    c = np.cross(a, b, axisa=0, axisc=0) * np.cross(a, a**2, 0, 0, 0)
    return np.sum(np.cross(a, b.T, axis=0) * c) + np.sum(np.cross(a, b, axisa=0) ** 2)


PROGRAMS: list[tuple[Callable[..., Any], Any, Any]] = [
    (selected, X, W), (one_of_two, X, W), (blocks, M, X), (polynomials, X, W), (fitted, X, W), (in_bins, X, W),
    (in_a_range, X, 1.3), (parts, X, W), (grown, X, W), (pieces, X, 1.3), (overlapping_pieces, X, 0.5),
    (over_axes, M, 0.7),
    (products_by_lists, M, X), (bordered, M, X), (windowed, X, 2.5), (between, M, X),
    (crossed, M, X),
]  # fmt: skip


@pytest.mark.parametrize("f, x, y", PROGRAMS, ids=[f.__name__ for f, *_ in PROGRAMS])
def test_both_modes(f: Any, x: Any, y: Any) -> None:
    expected = differences(f, (x, y)), differences(f, (x, y), 1)
    assert_close(grad(f, argnums=(0, 1))(x, y), expected, rtol=1e-6, atol=1e-6)
    directions = np.cos(np.arange(x.size)).reshape(x.shape), (np.sin(y) if np.ndim(y) else 0.6)
    _, tangent = jvp(f, (x, y), directions)
    assert tangent == pytest.approx(sum(np.sum(g * t) for g, t in zip(expected, directions)), rel=1e-6)


@pytest.mark.parametrize("f, y", [(pieces, 1.3), (grown, W), (polynomials, W), (in_bins, W), (in_a_range, 1.3)])
def test_second_derivatives(f: Any, y: Any) -> None:
    def slope(x):
        return np.sum(grad(f)(x, y) * np.arange(5.0))

    assert_close(grad(slope)(X), differences(slope, (X,)), rtol=1e-5, atol=1e-5)


def test_dtypes_and_ranks_are_known_when_compiling() -> None:
    def total(x, w):
        out = np.zeros(x.shape, dtype=np.result_type(x, w, np.float32))
        if np.isscalar(w):
            w = np.full(2, w)
        out += x * w[0] if np.can_cast(np.float32, out.dtype) else 0.0
        return np.sum(out**2)

    for x in (X, X.astype(np.float32)):
        assert_close(grad(total)(x, 0.5), 0.5 * x, rtol=1e-6)
        assert grad(total)(x, 0.5).dtype == x.dtype
    assert_close(grad(total)(X, W), 2.0 * W[0] ** 2 * X)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_left_out_of_a_selection_gets_zero() -> None:
    x, log = np.array([0.0, 1.0, 4.0]), [0.0, 1.0, 0.25]
    for f in (
        lambda x: np.sum(np.compress(x > 0.0, np.log(x))),
        lambda x: np.sum(np.delete(np.log(x), 0)),
        lambda x: np.sum(np.select([x > 0.0], [np.log(x)])),
        lambda x: np.sum(np.choose((x > 0.0).astype(int), [x * 0.0, np.log(x)])),
        lambda x: np.sum(np.piecewise(np.log(x), [x > 0.0], [lambda v: v, 0.0])),
        lambda x: np.sum(np.histogram(x, 2, range=(0.5, 5.0), weights=np.log(x))[0]),
    ):
        np.testing.assert_array_equal(grad(f)(x), log)
    bessel = grad(lambda x: np.sum(np.where(x < 9.0, np.i0(x), 0.0)))(np.array([900.0, 2.0]))
    np.testing.assert_allclose(bessel, [0.0, 1.5906368546373291], rtol=1e-14)


def test_a_function_that_is_refused_says_why() -> None:
    for f, words in [
        (lambda x: np.sum(np.roots(x)), "whether the roots are real"),
        (lambda x: np.sum(np.piecewise(x, [x > 0.0], [1.0, 2.0, 3.0])), "1 conditions and 3 functions"),
        (lambda x: np.sum(np.piecewise(x, [x[:2] > 0.0], [1.0])), "no mask of the shape"),
        (lambda x: np.sum(np.histogram(x, 3, density=True)[0]), "density=True"),
        (lambda x: np.sum(np.pad(x, 2, "empty")), "mode='empty'"),
        (lambda x: np.sum((x + 0j).prod(dtype=float)), "imaginary parts"),
    ]:
        with pytest.raises(UnsupportedError, match=words):
            grad(f)(X)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.polymul(x, x)), lambda x: np.sum(np.polymul(x, [1.0, 2.0])), lambda x: np.sum(np.poly(x)),
    lambda x: np.sum(np.sin(np.polyval(x, [1, 2]))), lambda x: np.sum(np.polyval(x, 0.5)),
])  # fmt: skip
def test_polynomials_without_coefficients_or_roots(f: Any) -> None:
    nothing = np.zeros(0)
    assert grad(f)(nothing).shape == (0,)
    value, tangent = jvp(f, (nothing,), (nothing,))
    assert (value, tangent) == (f(nothing), 0.0)
