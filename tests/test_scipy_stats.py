"""Programs that call `scipy.stats`."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import psi
from scipy.stats import norm

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp
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


def robust_regression(w, s, df, X, y):
    return -np.sum(stats.t.logpdf(y, df=np.exp(df), loc=X @ w, scale=np.exp(s)))


def survival(a, scale, t, ended):
    return np.sum(np.where(ended, stats.gamma.logpdf(t, a, scale=scale), stats.expon.logsf(t, scale=scale)))


def rates(w, X, k):
    mu = np.exp(X @ w)
    return np.sum(stats.poisson.logpmf(k, mu)) + np.sum(stats.nbinom.logpmf(k, np.exp(w[0]), p=1 / (1 + mu)))


def mixture(points, mean, L, w):
    C = L @ L.T
    p = w * stats.multivariate_normal.pdf(points, mean, C)
    return np.sum(np.log(p + (1 - w) * stats.multivariate_normal.pdf(points, mean=-mean, cov=2.0 * C)))


def shares(z, alpha):
    p = np.exp(z) / np.sum(np.exp(z))
    total = stats.dirichlet.logpdf(p, np.exp(alpha)) + stats.dirichlet.logpdf(p[:2], np.exp(alpha))
    return total + np.sum(stats.beta.logpdf(p, 2.0, np.exp(alpha)))


OPTION = (100.0, 95.0, 0.2, 0.5)
PRIOR, NOISE = stats.gamma(2.0, scale=1.5), norm(np.zeros(3), scale=2.0)


def with_parameters_in_them(m, s, x):
    """Distributions from outside, made in an expression, and named."""
    tail = stats.t(3.0, loc=m, scale=s)
    total = PRIOR.logpdf(s) + np.sum(NOISE.logcdf(x)) + np.sum(norm(x * m, s).logpdf(x[::-1]))
    for xi in x:
        total += tail.logpdf(xi)
    return total + stats.multivariate_normal(m * x, np.eye(3)).logpdf(x)


ROWS = np.array([[0.3, -1.0, 0.5], [1.2, 0.4, -0.6], [-0.2, 0.9, 1.1], [0.1, 0.2, -1.3]])
FACTOR = np.array([[1.3, 0.0, 0.0], [0.4, 0.9, 0.0], [-0.3, 0.2, 1.1]])
PROGRAMS = [
    (robust_regression, (X, 0.2, 1.1, ROWS, ROWS[:, 1])),
    (survival, (1.7, 0.8, np.abs(X), X > 0)),
    (rates, (0.3 * X, ROWS, np.array([0, 1, 4, 2]))),
    (mixture, (ROWS, X, FACTOR, 0.3)),
    (shares, (X, 0.5 * X)),
    (with_parameters_in_them, (0.1, 1.2, np.abs(X))),
    (likelihood, (0.2, 1.3, X)),
    (censored, (0.2, 1.3, X)),
    (black_scholes, OPTION),
    (quantiles, (np.array([0.1, 0.6]), 1.3)),
]


@pytest.mark.parametrize("f, args", PROGRAMS)
def test_gradient(f, args):
    check_grad(f, *args, argnums=tuple(k for k, x in enumerate(args) if np.asarray(x).dtype.kind == "f"))


def test_second_derivative():
    delta = grad(black_scholes)
    gamma = grad(lambda p: delta(p, 95.0, 0.2, 0.5))(100.0)
    d = (np.log(100.0 / 95.0) + 0.01) / (0.2 * np.sqrt(0.5))
    np.testing.assert_allclose(gamma, norm.pdf(d) / (100.0 * 0.2 * np.sqrt(0.5)), rtol=1e-10)


def test_forward_mode():
    _, t = jvp(black_scholes, OPTION, (1.0, 0.5, 0.3, -1.0))
    gradient = grad(black_scholes, argnums=(0, 1, 2, 3))(*OPTION)
    np.testing.assert_allclose(t, np.dot(gradient, (1.0, 0.5, 0.3, -1.0)), rtol=1e-12)


def test_far_from_the_mean():
    """phi / Phi as a quotient, or from logarithms, has no digits left here."""
    np.testing.assert_allclose(grad(norm.logcdf)(-1e8), 1e8, rtol=1e-12)
    np.testing.assert_allclose(grad(lambda x: norm.logsf(x))(1e8), -1e8, rtol=1e-12)


def test_forward_mode_and_second_derivatives_of_densities_of_points():
    moved = (np.cos(ROWS), np.sin(X), FACTOR - 0.5, 0.7)
    _, t = jvp(mixture, PROGRAMS[3][1], moved)
    gradients = grad(mixture, argnums=(0, 1, 2, 3))(*PROGRAMS[3][1])
    np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-10)
    check_grad(lambda L: np.sum(grad(mixture, argnums=2)(ROWS, X, L, 0.3) ** 2), FACTOR)


def test_students_distribution_is_nearly_normal():
    """With v degrees of freedom the logarithm has, for large v, the slope -(u**4 - 2 u**2 - 1) / (4 v**2) by v."""
    for v in (1e6, 1e9):
        for u in (0.3, 1.7):
            g = grad(lambda df: stats.t.logpdf(u, df))(v)
            np.testing.assert_allclose(g, -(u**4 - 2 * u**2 - 1) / (4 * v**2), rtol=1e-4)


def test_students_distribution_far_out():
    """There log p has the slope (psi((v + 1) / 2) - psi(v / 2) + 1 - log(1 + u**2 / v)) / 2 by v, nearly."""
    for u in (1e6, 1e9, 1e14):
        want = 0.5 * (psi(2.5) - psi(2.0) + 1 - np.log1p(u**2 / 4))
        np.testing.assert_allclose(grad(lambda df: stats.t.logpdf(u, df))(4.0), want, rtol=1e-10)


def test_only_what_is_read_of_a_covariance_gets_a_gradient():
    g = grad(lambda C: stats.multivariate_normal.logpdf(X, np.zeros(3), C))(FACTOR @ FACTOR.T)
    inverse = np.linalg.inv(FACTOR @ FACTOR.T)
    full = 0.5 * (np.outer(inverse @ X, inverse @ X) - inverse)
    np.testing.assert_allclose(g, np.tril(2 * full) - np.diag(np.diag(full)), rtol=1e-10)


def test_single_precision_of_parameters_stays():
    f = lambda a, m: np.sum(stats.gamma.logpdf(X**2, a)) + np.sum(stats.multivariate_normal.logpdf(ROWS, m, FACTOR))
    assert [g.dtype for g in grad(f, argnums=(0, 1))(np.ones(3, "f4"), np.ones(3, "f4"))] == ["f4", "f4"]


def of_a_changed_parameter(x):
    """SciPy reads the array when the method is called."""
    means = x * 1.0
    distribution = stats.norm(means)
    means[0] = 0.0
    return distribution.logpdf(X)


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda x: stats.gamma.cdf(X, x[0]), "gamma_cdf has no derivative with respect to a: the derivative of the"),
        (lambda x: stats.t.ppf(0.3, x), "t_ppf has no derivative with respect to df: the derivative of the"),
        (lambda x: stats.poisson.pmf(x, 2.0), "poisson_pmf has no derivative with respect to k: it is a count"),
        (of_a_changed_parameter, "stats.norm has no rule: it makes an object with the parameters in it"),
        (lambda x: stats.norm(x[0], 1.0).mean(), "stats.norm.mean has no rule"),
        (lambda x: stats.norm(x[0]).logpdf(X, 2.0), "a method of a frozen distribution takes one argument"),
        (lambda x: stats.weibull_max(2.0, x).logpdf(X), "stats.weibull_max has no rule"),
        (lambda x: (stats.norm(x[0]) if x[1] > 0 else stats.cauchy(x[0])).logpdf(X), "is one distribution on one path"),
        (lambda x: stats.weibull_max.logpdf(x, 2.0), "stats.weibull_max.logpdf has no rule"),
        (lambda x: stats.multivariate_normal.logpdf(x, 1.0, 2.0), "with a number for the mean, is not supported"),
        (lambda x: stats.multivariate_normal.pdf(x, X, FACTOR, True), "with allow_singular=True is not supported"),
    ],
)
def test_what_has_no_derivative_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError, match="(?s)Instead: ") as caught:
        grad(lambda x: np.sum(f(x)))(np.abs(X))
    assert words in str(caught.value)


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
