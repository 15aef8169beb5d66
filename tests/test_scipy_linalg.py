"""Programs that call `scipy.linalg`: all modes, derivatives of derivatives, modules ahead of time, refusals."""

import numpy as np
import pytest
from scipy import linalg
from scipy.linalg import cho_factor, cho_solve

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp
from adcompiler.ahead import compile_module

RNG = np.random.default_rng(0)
X, Y, B = RNG.normal(size=(5, 2)), RNG.normal(size=5), RNG.normal(size=(3, 3))
P = B @ B.T + np.eye(3)


def gaussian_process(scale, noise, X, y):
    """Minus the logarithm of the marginal likelihood, up to a constant."""
    r = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    K = np.exp(-r / scale) + noise * np.eye(len(y))
    c, low = cho_factor(K, lower=True)
    return 0.5 * y @ cho_solve((c, low), y) + np.sum(np.log(np.diag(c)))


def solved_at_once(A, b):
    return np.sum(cho_solve(cho_factor(A @ A.T), b) ** 2)


def by_triangles(A, b):
    U = linalg.cholesky(A)
    y = linalg.solve_triangular(U, b, trans=1)
    return y @ y + np.sum(np.log(np.diagonal(U)))


def by_lu(A, b):
    lu, piv = linalg.lu_factor(A)
    return np.sum(linalg.lu_solve((lu, piv), b, trans=1) ** 2) + np.sum(np.log(np.abs(np.diag(lu))))


def crank_nicolson(k, x, n):
    r = k * np.ones(len(x))
    bands = np.stack([-r, 1.0 + 2.0 * r, -r])
    for _ in range(n):
        x = linalg.solve_banded((1, 1), bands, x)
    return np.sum(x * x)


def diffusion(rates, x, n):
    for _ in range(n):
        x = linalg.expm(0.1 * rates) @ x
    return np.sum(x * x)


def structured(a, b, c):
    D = linalg.block_diag(a, b)
    T = linalg.toeplitz(c)
    return np.sum(linalg.solve(D + 0.1 * T, c, assume_a="gen") ** 2) + linalg.det(a) + np.sum(linalg.inv(b))


def steady(A, Q):
    return np.sum(linalg.solve_continuous_lyapunov(A, Q) ** 3) + np.sum(linalg.solve_sylvester(A, Q, A) ** 2)


def spectrum(A):
    w, V = linalg.eigh(A)
    return np.sum(np.exp(w)) + np.sum((V * np.sin(w)) @ V.T) + linalg.eigh(A, eigvals_only=True)[0]


def regression(A, b):
    x, _, rank, s = linalg.lstsq(A, b)
    norms = linalg.norm(x) * rank + linalg.norm(A) + linalg.svdvals(A)[0]
    return norms + np.sum(np.sqrt(s)) + np.sum(linalg.pinv(A) ** 2)


def factors(A):
    Q, R = linalg.qr(A, mode="economic")
    U, s, V = linalg.svd(A @ A.T + np.eye(3))
    P, L, T = linalg.lu(A)
    return np.sum(Q[0] * R[0]) + np.sum((U * np.log(s)) @ V) + np.sum(P @ L**2) + np.sum(T * A)


def roots(A):
    C = A.astype(complex)
    return np.sum(np.real(linalg.sqrtm(C) + linalg.logm(C))) + np.sum(linalg.cosm(0.3 * A))


def regulator(A, B, q, r):
    X = linalg.solve_continuous_are(A, B, q @ q.T, r @ r.T)
    Y = linalg.solve_discrete_are(0.3 * A, B, q @ q.T, r @ r.T)
    return np.sum(np.sin(X)) + np.sum(Y * Y) + np.trace(linalg.solve_discrete_lyapunov(0.1 * A, q))


def smoothed(k, x):
    bands = np.stack([-k * np.ones(5), 1.0 + 3.0 * k * np.ones(5)])
    return np.sum(linalg.solveh_banded(bands, linalg.solveh_banded(bands[::-1], x, lower=True)) ** 2)


def filtered(c, r, x):
    y = linalg.matmul_toeplitz((c, r), x)
    return np.sum(linalg.solve_toeplitz((c, r), x) * y) + np.sum(linalg.circulant(x) @ linalg.hankel(c) @ r)


ROWS = np.vstack([B, P[:2]])
PROGRAMS = [
    (gaussian_process, (1.3, 0.2, X, Y), (0, 1, 2, 3)),
    (solved_at_once, (P, Y[:3]), (0, 1)),
    (by_triangles, (P, Y[:3]), (0, 1)),
    (by_lu, (B, Y[:3]), (0, 1)),
    (crank_nicolson, (0.7, Y, 3), (0, 1)),
    (diffusion, (B, Y[:3], 3), (0, 1)),
    (structured, (P, P[:2, :2], Y), (0, 1, 2)),
    (steady, (P, P @ P), (0, 1)),
    (spectrum, (P,), 0),
    (regression, (ROWS, Y[:5]), (0, 1)),
    (factors, (B,), 0),
    (roots, (P,), 0),
    (regulator, (B, P[:, :2], P, B[:2, :2]), (0, 1, 2, 3)),
    (smoothed, (0.7, Y), (0, 1)),
    (filtered, (Y[:3] + np.array([4.0, 0, 0]), Y[1:4], Y[2:]), (0, 1, 2)),
]


@pytest.mark.parametrize("f, args, argnums", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args, argnums):
    check_grad(f, *args, argnums=argnums)


def test_forward_and_reverse_mode_agree():
    for f, args, argnums in (PROGRAMS[1], PROGRAMS[2], PROGRAMS[3], PROGRAMS[7]):
        moved = tuple(np.cos(np.arange(a.size)).reshape(a.shape) for a in args)
        _, t = jvp(f, args, moved)
        gradients = grad(f, argnums=argnums)(*args)
        np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-10)


def test_forward_mode_of_equations_and_factors():
    for f, args, argnums in PROGRAMS[9:]:
        moved = tuple(np.cos(np.arange(np.size(a))).reshape(np.shape(a))[()] for a in args)
        _, t = jvp(f, args, moved)
        gradients = grad(f, argnums=range(len(args)))(*args)
        np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-8)


def test_second_derivative_of_a_regulator():
    A, B, q, r = PROGRAMS[12][1]
    check_grad(lambda q: np.sum(grad(regulator, argnums=2)(A, B, q, r) ** 2), q)
    check_grad(lambda A: np.sum(grad(roots)(A) ** 2), P)


def test_second_derivatives():
    for f, args, _ in PROGRAMS[1:6:2]:
        check_grad(lambda A, *rest: np.sum(grad(f)(A, *rest) ** 2), *args)


def test_only_what_is_read_of_a_matrix_gets_a_gradient():
    g = grad(lambda A: np.sum(linalg.solve(A, Y[:3], assume_a="pos")))(P)
    assert not np.any(np.tril(g, -1)) and np.all(np.triu(g) != 0, where=np.triu(np.ones((3, 3))) == 1)
    assert not np.any(np.triu(grad(lambda A: np.sum(linalg.cholesky(A, lower=True)))(P), 1))


def test_single_precision_stays():
    f = lambda A, b: np.sum(linalg.solve(A, b) + linalg.expm(A) @ b + linalg.cholesky(A) @ b)
    assert [g.dtype for g in grad(f, argnums=(0, 1))(P.astype("f4"), Y[:3].astype("f4"))] == ["f4", "f4"]


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda A: linalg.solve(A, A, overwrite_a=True), "overwrite_a=True, or another of its kind, writes into"),
        (lambda A: linalg.solve(A, A, assume_a="banded"), "assume_a='banded' is not supported"),
        (lambda A: linalg.eigh(A, A)[0], "linalg.eigh of two matrices is not supported"),
        (lambda A: linalg.sqrtm(A) @ A, "linalg.sqrtm of a real matrix is not supported: whether the result is real"),
        (lambda A: linalg.lstsq(A, A)[1] + 1.0, "what linalg.lstsq gives here is told by its values alone, so that"),
        (lambda A: linalg.norm(A, 1), "linalg.norm of a matrix with ord=1 is not supported"),
        (lambda A: linalg.qr(A)[0], "linalg.qr is supported in the economic mode"),
        (lambda A: linalg.eig(A)[0], "linalg.eig has no rule: whether the result is real"),
        (lambda A: linalg.solve(np.stack([A, A]), A), "linalg.solve of a stack of matrices is not supported"),
        (lambda A: cho_solve(A, A), "linalg.cho_solve takes what linalg.cho_factor gives"),
    ],
)
def test_what_has_no_derivative_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError, match="(?s)Instead: ") as caught:
        grad(lambda A: np.sum(f(A)))(P)
    assert words in str(caught.value)


def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    kinds, file = "float, float, f64[n,m], f64[n]", tmp_path / "process_grad.py"
    text = compile_module(differentiable(gaussian_process), file, signatures=(kinds,), argnums=(0, 1))
    assert "import scipy.linalg as linalg\n" in text and "_decomp" not in text
    monkeypatch.syspath_prepend(tmp_path)
    found = __import__("process_grad").gaussian_process_grad(*PROGRAMS[0][1])
    np.testing.assert_allclose(found, grad(gaussian_process, argnums=(0, 1))(*PROGRAMS[0][1]), rtol=1e-13)
