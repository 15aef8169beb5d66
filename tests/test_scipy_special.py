"""Programs that call `scipy.special`: all modes, derivatives of derivatives, modules ahead of time, refusals."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special as sc
from scipy import special
from scipy.special import gammaln, logsumexp

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.ahead import compile_module

ROOT = Path(__file__).parents[1]
X = np.array([0.4, 1.7, 2.6])


def logistic_regression(w, X, y):
    z = X @ w
    return -np.mean(y * special.log_expit(z) + (1 - y) * special.log_expit(-z))


def dirichlet(a, p):
    return np.sum(special.xlogy(a - 1.0, p)) + gammaln(np.sum(a)) - np.sum(sc.gammaln(a))


def variables_of_the_same_names(a, x):
    beta = special.beta(a, 2.0)
    gamma, special_ = special.gamma(a), sc.psi(x)
    psi = gamma * beta * special_
    return np.sum(psi)


def forward_algorithm(start, steps, seen):
    log_p = start
    for t in range(seen.shape[0]):
        log_p = logsumexp(log_p[:, None] + steps, axis=0) + seen[t]
    return logsumexp(log_p)


def von_mises(kappa, angles):
    return np.sum(kappa * np.cos(angles)) - angles.size * (np.log(special.i0e(kappa)) + kappa)


def attention(q, k, v):
    return np.sum(special.softmax(q @ k.T, axis=1) @ v)


def into_an_array(x):
    y = np.empty_like(x)
    special.erf(x, out=y)
    y[1:] += special.jv(2, x[:-1])
    return np.sum(y * special.ndtr(x))


def in_a_loop(x, n):
    for _ in range(n):
        x = special.expit(x) + special.erfcx(x)
    return np.sum(x)


def of_several_results(x, lmbda):
    ai, aip, *_ = special.airy(-x)
    sn, cn, dn, ph = special.ellipj(x, 0.3)
    waves = special.sici(x)
    return np.sum(ai * aip + sn * dn - cn * ph + waves[0] * special.boxcox(x, lmbda)) + special.ellipk(0.1 * lmbda)


def series(c, x):
    degrees = np.arange(c.size)
    basis = special.eval_legendre(degrees, x[:, None]) + special.eval_hermitenorm(degrees, 0.3 * x[:, None])
    return np.sum((basis @ c) ** 2) + np.sum(special.eval_chebyt(3, 0.2 * x) * special.spherical_jn(1, x))


def spectral_lines(x, sigma, gamma):
    return np.sum(np.log(special.voigt_profile(x, sigma, gamma))) + np.abs(special.wofz(x[0] + 1j * gamma)) ** 2


def growth(x, a):
    branches = np.sum(np.real(special.lambertw(x * np.exp(a))) + special.wrightomega(a - x))
    return branches + special.owens_t(a, x[1])


def pendulum(m, phi):
    return special.ellipkinc(phi, m) + special.ellipeinc(3 * phi, m) + special.agm(m, 1.0) + special.rgamma(m)


RNG = np.random.default_rng(0)
PROGRAMS = [
    (logistic_regression, (RNG.random(3), RNG.random((5, 3)), np.array([0.0, 1, 1, 0, 1])), (0, 1)),
    (dirichlet, (X, np.array([0.2, 0.3, 0.5])), (0, 1)),
    (variables_of_the_same_names, (1.3, X), (0, 1)),
    (forward_algorithm, (RNG.random(3), RNG.random((3, 3)), RNG.random((4, 3))), (0, 1, 2)),
    (von_mises, (1.7, X), (0, 1)),
    (attention, (RNG.random((2, 4)), RNG.random((3, 4)), RNG.random((3, 2))), (0, 1, 2)),
    (into_an_array, (X,), 0),
    (of_several_results, (X, 0.4), (0, 1)),
    (in_a_loop, (X, 3), 0),
    (series, (np.array([0.3, -0.2, 0.5, 0.1]), 0.3 * X), (0, 1)),
    (spectral_lines, (X, 0.7, 0.4), (0, 1, 2)),
    (growth, (X, 0.3), (0, 1)),
    (pendulum, (0.4, 0.9), (0, 1)),
]


@pytest.mark.parametrize("f, args, argnums", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args, argnums):
    check_grad(f, *args, argnums=argnums)


def test_forward_and_reverse_mode_agree():
    for f, args, argnums in (PROGRAMS[3], PROGRAMS[5]):
        moved = tuple(np.cos(np.arange(a.size)).reshape(a.shape) for a in args)
        _, t = jvp(f, args, moved)
        gradients = grad(f, argnums=argnums)(*args)
        np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-12)


def test_second_derivatives():
    second = grad(lambda x: np.sum(grad(lambda v: np.sum(special.gammaln(v)))(x)))(X)
    np.testing.assert_allclose(second, special.polygamma(1, X), rtol=1e-12)
    third = grad(grad(grad(special.erf)))(0.7)
    np.testing.assert_allclose(third, 2 / np.sqrt(np.pi) * np.exp(-0.49) * (4 * 0.49 - 2), rtol=1e-12)


def test_far_wings_of_a_line():
    """Far from the centre the profile is gamma / (pi x**2), and its slope is -2 of that by x."""
    g = grad(lambda x: special.voigt_profile(x, 1.0, 0.5))
    np.testing.assert_allclose([g(1e5), g(-1e5)], [-1e-15 / np.pi, 1e-15 / np.pi], rtol=1e-9)


def test_reciprocal_of_the_gamma_function_at_its_zeros():
    np.testing.assert_allclose(grad(lambda x: np.sum(special.rgamma(x)))(np.array([0.0, -1.0, -2.0])), [1, -1, 2])


def test_degrees_that_are_negative_or_zero():
    g = grad(special.eval_legendre, argnums=1)
    assert [g(-3, 0.3), g(0, -1.0), g(2, 0.3)] == pytest.approx([0.9, 0, 0.9])
    assert grad(special.eval_chebyu, argnums=1)(-4, 0.3) == pytest.approx(-2.4)


def test_bare_functions():
    assert grad(special.gammaln)(2.5) == special.psi(2.5)
    y, pullback = vjp(special.logsumexp, X)
    np.testing.assert_allclose(pullback(2.0)[0], 2 * special.softmax(X), rtol=1e-14)
    assert value_and_grad(special.jv, argnums=1)(2, 0.7)[1] == (special.jv(1, 0.7) - special.jv(3, 0.7)) / 2


def test_numbers_use_scipy_and_not_math():
    """`math.gamma` raises at a pole, and `special.gamma` does not."""
    assert np.isnan(grad(lambda x: special.gamma(x) * 1.0)(-1.0))
    assert grad(lambda x: special.gamma(x) if x > 0 else 0.0 * x)(-1.0) == 0


def test_single_precision_stays():
    f = differentiable(lambda x: np.sum(special.gammaln(x) + special.jv(2, x) + special.softmax(x) * special.erfcx(x)))
    assert grad(f)(X.astype(np.float32)).dtype == np.float32
    y, t = jvp(f, (X.astype(np.float32),), (np.ones(3, np.float32),))
    assert y.dtype == t.dtype == np.float32


def test_a_pole_behind_a_selection():
    x = np.array([0.0, 2.0, -1.0])
    for f in (special.gammaln, special.psi, special.logit, special.entr, special.exp1, special.k0):
        with np.errstate(all="ignore"):
            g = grad(lambda x: np.sum(np.where(x > 1, x, np.where(x == 7, f(x), 0.0))))(x)
        np.testing.assert_array_equal(g, [0, 1, 0])


def test_empty_and_zero_dimensional():
    f = lambda x: np.sum(special.erfcx(x) + special.log_softmax(x))
    assert grad(lambda x: np.sum(special.erfcx(x) * special.expit(x)))(np.zeros((0, 3))).shape == (0, 3)
    assert grad(lambda x: special.dawsn(x) + special.logsumexp(x))(np.array(0.5)).shape == ()
    assert grad(f)(np.array([0.5])).shape == (1,)


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda v: special.jv(v, 1.0), "jv has no derivative with respect to v: the derivative by the order"),
        (lambda a: special.gammainc(a, 2.0), "gammainc has no derivative with respect to a: "),
        (lambda x: special.zeta(x), "zeta has no derivative with respect to x: "),
        (lambda x: special.hyp2f1(x, 1.0, 2.0, 0.3), "hyp2f1 has no derivative with respect to a: "),
        (lambda x: special.logsumexp(x, return_sign=True)[0], "return_sign=True is not supported"),
        (lambda x: special.kelvin(x)[0], "special.kelvin has no rule: it has several results"),
        (lambda x: special.diric(x, 3) * 2.0, "special.diric has no rule: its rule is not written yet"),
        (lambda x: special.binom(x, 2.0) * 2.0, "special.binom has no rule: write it with gammaln: "),
        (lambda x: special.eval_legendre(x, 0.3), "eval_legendre of a degree that is no integer is not supported"),
        (lambda x: special.eval_jacobi(2, x, 1.0, 0.3), "eval_jacobi has no derivative with respect to alpha: "),
        (lambda x: special.lambertw(0.3, x).real, "lambertw has no derivative with respect to k: the branch is an"),
        (lambda m: grad(special.ellipkinc, argnums=1)(0.3, m) * 2.0, "special.elliprd has no rule: it is a symmetric"),
        (lambda x: np.real(special.psi(1j * x)), "the derivative of digamma is not there for complex numbers"),
    ],
)
def test_what_has_no_derivative_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError, match="(?s)Instead: ") as caught:
        grad(f)(0.7)
    assert words in str(caught.value)


def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    f = differentiable(forward_algorithm, argnums=(0, 1, 2))
    kinds = "f64[n], f64[n,n], f64[m,n]"
    text = compile_module(f, tmp_path / "forward_grad.py", signatures=(kinds,), argnums=(0, 1, 2))
    assert "import scipy.special as special\n" in text and "_logsumexp" not in text
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("forward_grad")
    args = PROGRAMS[3][1]
    for mine, theirs in zip(module.forward_algorithm_grad(*args), grad(f, argnums=(0, 1, 2))(*args)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)


LAZY = """
import sys
import adcompiler, rules, numpy as np
adcompiler.grad(lambda x: np.sum(np.tanh(x)))(np.ones(2))
assert not [m for m in sys.modules if m.split(".")[0] == "scipy" or m.startswith("rules.scipy")]
import scipy.special
adcompiler.grad(lambda x: np.sum(np.tanh(x)) * 2.0)(np.ones(2))
assert "rules.scipy" not in sys.modules
assert adcompiler.grad(scipy.special.gammaln)(2.0) == scipy.special.psi(2.0)
"""


def test_scipy_is_not_imported_before_it_is_met(tmp_path):
    (tmp_path / "program.py").write_text(LAZY)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr


def test_half_precision_is_refused():
    with pytest.raises(UnsupportedError, match="of float16 in another precision"):
        grad(lambda x: np.sum(special.sici(x)[0]))(np.ones(3, np.float16))
