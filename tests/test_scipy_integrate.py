"""Programs that call `scipy.integrate` on samples, and `scipy.spatial.distance`."""

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import cumulative_trapezoid, simpson
from scipy.spatial import distance
from scipy.spatial.distance import cdist, pdist

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp
from adcompiler.ahead import compile_module

RNG = np.random.default_rng(0)
T, Y = np.cumsum(RNG.uniform(0.2, 1.0, 6)), RNG.normal(size=(6, 3))
P, Q = RNG.normal(size=(5, 2)), RNG.normal(size=(3, 2))


def areas(t, y, h):
    whole = integrate.trapezoid(y, t, axis=0) * simpson(y[:5], x=t[:5], axis=0)
    running = cumulative_trapezoid(y[:, 0], t, initial=0) * cumulative_trapezoid(y, dx=h, axis=-1)[:, 0]
    return np.sum(whole) + np.sum(running**2) + np.sum(simpson(y, dx=h, axis=0)) * simpson(y[:, 1], x=t)


def kernel(x, z, scale, w):
    K = np.exp(-cdist(x, z, "sqeuclidean") / scale) + cdist(x, z, metric="cityblock") * w
    return np.sum((K @ np.cos(z[:, 0])) ** 2) + np.sum(cdist(x, z, "minkowski", p=3) + cdist(x, z, "cosine"))


def stress(x, wanted):
    """Multidimensional scaling."""
    d = pdist(x)
    return np.sum((d - wanted) ** 2) + np.sum(distance.squareform(1.0 / d) ** 2)


def repulsion(x):
    """With zeros on the diagonal, at which a distance has the subgradient 0."""
    D = cdist(x, x)
    return np.sum(np.exp(-D)) + np.sum(np.sqrt(1.0 + D))


PROGRAMS = [
    (areas, (T, Y, 0.3), (0, 1, 2)),
    (kernel, (P, Q, 1.3, 0.2), (0, 1, 2, 3)),
    (stress, (P, np.linspace(0.5, 2.0, 10)), (0, 1)),
]


@pytest.mark.parametrize("f, args, argnums", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args, argnums):
    check_grad(f, *args, argnums=argnums)


def test_forward_mode():
    for f, args, argnums in PROGRAMS:
        moved = tuple(np.cos(np.arange(np.size(a))).reshape(np.shape(a)) for a in args)
        _, t = jvp(f, args, moved)
        gradients = grad(f, argnums=argnums)(*args)
        np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-10)


def test_second_derivatives():
    f, args, argnums = PROGRAMS[2]
    check_grad(lambda x, wanted: np.sum(grad(f)(x, wanted) ** 2), *args, argnums=argnums)


def test_a_distance_of_zero_has_the_subgradient_zero():
    r = P[:, None] - P[None]
    d = np.sqrt(np.sum(r * r, 2)) + np.eye(5)
    slope = (0.5 / np.sqrt(1 + d) - np.exp(-d)) * (1 - np.eye(5)) / d
    np.testing.assert_allclose(grad(repulsion)(P), 2 * np.sum(slope[:, :, None] * r, axis=1), rtol=1e-12)
    for metric in ("euclidean", "cityblock", "chebyshev", "sqeuclidean", "minkowski"):
        assert not np.any(grad(lambda x: np.sum(cdist(x, x + 0.0, metric)) + np.sum(pdist(x, metric)))(P[[1, 1]]))


def test_points_near_to_each_other_far_from_the_origin_keep_their_digits():
    g = grad(lambda x, z: np.sum(cdist(x, z)))(P + 1e6, P[::-1] + (1e6 + 1e-3))
    r = (P + 1e6)[:, None] - (P[::-1] + (1e6 + 1e-3))[None]
    np.testing.assert_allclose(g, np.sum(r / np.sqrt(np.sum(r * r, 2))[:, :, None], axis=1), rtol=1e-13)


def test_single_precision_stays():
    x = P.astype("f4")
    for metric in ("euclidean", "cosine", "chebyshev"):
        g = grad(lambda x: np.sum(cdist(x, Q, metric)))(x)
        assert g.dtype == np.float32
        np.testing.assert_allclose(g, grad(lambda x: np.sum(cdist(x, Q, metric)))(P), rtol=2e-5, atol=2e-6)
    assert grad(lambda y: integrate.trapezoid(y, T))(T.astype("f4")).dtype == np.float32


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda x: cdist(x, x, "canberra"), "distance.cdist with another metric than euclidean"),
        (lambda x: cdist(x, x, "minkowski", p=x[0, 0]), "the derivative by the order of a distance is not written yet"),
        (lambda x: cdist(x, x, w=x[0]), "distance.cdist with w or out is not supported"),
        (lambda x: pdist(x[0]), "distance.pdist takes arrays of two axes"),
        (lambda x: simpson(x[0]), "integrate.simpson of less than three places is not supported"),
        (lambda x: simpson(x[:, 0].astype("f4")), "the precision of integrate.simpson of float32 depends"),
        (lambda x: cumulative_trapezoid(x, initial=1.0), "with another initial value than 0 is not supported"),
        (lambda x: integrate.romb(x), "integrate.romb has no rule: write the quadrature with weights"),
    ],
)
def test_what_has_no_derivative_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda x: np.sum(f(x)))(P)
    assert words in " ".join(str(caught.value).split())


def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    file = tmp_path / "stress_grad.py"
    text = compile_module(differentiable(stress), file, signatures=("f64[n,2], f64[m]",))
    assert "import scipy.spatial.distance as distance\n" in text
    monkeypatch.syspath_prepend(tmp_path)
    np.testing.assert_allclose(__import__("stress_grad").stress_grad(*PROGRAMS[2][1]), grad(stress)(*PROGRAMS[2][1]))
