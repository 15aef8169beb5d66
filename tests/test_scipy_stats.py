"""Programs that call `scipy.stats`."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from adcompiler import check_grad, differentiable, grad, jvp
from adcompiler.ahead import compile_module

X = np.array([0.3, -1.2, 2.5])


def likelihood(m, s, x):
    return np.sum(norm.logpdf(x, m, s)) + stats.laplace.logpdf(m, scale=2.0)


def censored(m, s, x):
    return np.sum(np.where(x > 1.0, norm.logsf(1.0, loc=m, scale=s), norm.logpdf(x, loc=m, scale=s)))


def black_scholes(price, strike, sigma, t):
    d = (np.log(price / strike) + 0.5 * sigma**2 * t) / (sigma * np.sqrt(t))
    return price * norm.cdf(d) - strike * norm.cdf(d - sigma * np.sqrt(t))


def quantiles(q, s):
    return np.sum(stats.logistic.ppf(q, 1.0, s) + stats.expon.isf(q, scale=s) * stats.gumbel_r.pdf(q))


PROGRAMS = [
    (likelihood, (0.2, 1.3, X)),
    (censored, (0.2, 1.3, X)),
    (black_scholes, (100.0, 95.0, 0.2, 0.5)),
    (quantiles, (np.array([0.1, 0.6]), 1.3)),
]


@pytest.mark.parametrize("f, args", PROGRAMS)
def test_gradient(f, args):
    check_grad(f, *args, argnums=tuple(range(len(args))))


def test_second_derivative():
    delta = grad(black_scholes)
    gamma = grad(lambda p: delta(p, 95.0, 0.2, 0.5))(100.0)
    d = (np.log(100.0 / 95.0) + 0.01) / (0.2 * np.sqrt(0.5))
    np.testing.assert_allclose(gamma, norm.pdf(d) / (100.0 * 0.2 * np.sqrt(0.5)), rtol=1e-10)


def test_forward_mode():
    _, t = jvp(black_scholes, PROGRAMS[2][1], (1.0, 0.5, 0.3, -1.0))
    gradient = grad(black_scholes, argnums=(0, 1, 2, 3))(*PROGRAMS[2][1])
    np.testing.assert_allclose(t, np.dot(gradient, (1.0, 0.5, 0.3, -1.0)), rtol=1e-12)


def test_far_from_the_mean():
    """phi / Phi as a quotient, or from logarithms, has no digits left here."""
    np.testing.assert_allclose(grad(norm.logcdf)(-1e8), 1e8, rtol=1e-12)
    np.testing.assert_allclose(grad(lambda x: norm.logsf(x))(1e8), -1e8, rtol=1e-12)


def test_a_method_that_is_read_anew_does_not_compile_anew():
    gradient = grad(likelihood)
    for _ in range(40):
        gradient(0.2, 1.3, X)


def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    file, kinds = tmp_path / "likelihood_grad.py", "float, float, f64[n]"
    text = compile_module(differentiable(likelihood), file, signatures=(kinds,), argnums=(0, 1), value=True)
    assert "import scipy.stats as stats\n" in text
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("likelihood_grad")
    found = getattr(module, module.__all__[0])(0.2, 1.3, X)
    assert found[0] == likelihood(0.2, 1.3, X)
    np.testing.assert_allclose(found[1], grad(likelihood, argnums=(0, 1))(0.2, 1.3, X), rtol=1e-13)
