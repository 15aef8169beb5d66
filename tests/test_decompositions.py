"""Programs with decompositions and Fourier transforms: gradients in both modes and of gradients, and what they run."""

from typing import Any

import numpy as np
import pytest

from adcompiler import grad, jvp
from adcompiler.errors import GradientError, UnsupportedError

from .counting import counted
from .numerics import assert_close, differences

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 4, 4))
TALL, x = RNG.normal(size=(5, 3)), RNG.normal(size=5)
Z = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))


def spectral_radius(A):
    return np.max(np.abs(np.linalg.eigvals(A)))


def exponential(A):
    """Its eigenvalues are real here, which NumPy makes an array of floats for: it counts as complex."""
    w, V = np.linalg.eig(A)
    return np.sum(np.real((V * np.exp(w)) @ np.linalg.inv(V)) * np.arange(16.0).reshape(4, 4))


def truncated(A):
    U, s, W = np.linalg.svd(A, full_matrices=False)
    return np.sum(((U[:, :2] * s[:2]) @ W[:2] - A) ** 2) + np.sum(U[:, 2] ** 3)


def null_vector(A):
    return np.sum(np.linalg.svd(A.T)[2][-1] ** 4 * np.arange(1.0, 6.0))


def fit(A, b):
    x, residuals, rank, s = np.linalg.lstsq(A, b, rcond=None)
    return np.sum(x**3) / rank + residuals[0] ** 2 + s[0] / s[-1]


def orthogonal_iteration(A):
    Q = np.eye(4)[:, :2]
    for _ in range(3):
        Q, R = np.linalg.qr(A @ Q)
    return np.sum((Q.T @ A @ Q) ** 2)


def filtered(x, h):
    n = x.shape[0]
    return np.sum(np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(h, n), n) ** 3)


def periodogram(x):
    p = np.abs(np.fft.fftshift(np.fft.fft(x, norm="ortho"))) ** 2
    return np.sum(p * np.arange(p.shape[0]))


def diffused(Z):
    k = np.fft.fftfreq(Z.shape[0], 0.1)
    return np.sum(np.abs(np.fft.ifft2(np.fft.fft2(Z) * np.exp(-(k[:, None] ** 2 + k**2) / 50))) ** 3)


def by_name(A):
    svd, qr = np.linalg.svd(A, full_matrices=False), np.linalg.qr(A)
    total = np.sum(svd.U[:, 0] ** 4 * svd.S[1]) + np.sum(svd.Vh**4) + np.sum(qr.Q**3) + np.sum(qr.R**2 * np.arange(3.0))
    eigh = np.linalg.eigh(A.T @ A)
    return total + np.sum(eigh.eigenvalues**2) + np.linalg.slogdet(A.T @ A).logabsdet + np.sum(eigh.eigenvectors**4)


def norms(A):
    return np.linalg.norm(A, 2) * np.linalg.norm(A, "nuc") + np.linalg.cond(A) + np.linalg.norm(A, -np.inf)


PROGRAMS: list[Any] = [
    (spectral_radius, A), (exponential, A @ A.T + np.diag(np.arange(4.0)) + 0.1 * B), (exponential, A),
    (truncated, TALL), (truncated, TALL.T), (null_vector, RNG.normal(size=(5, 4))), (fit, TALL, x),
    (orthogonal_iteration, A), (filtered, x, x[:3]), (filtered, RNG.normal(size=6), x[:3]), (periodogram, x),
    (diffused, Z), (norms, A), (by_name, TALL),
]  # fmt: skip


@pytest.mark.parametrize("f, args", [(f, args) for f, *args in PROGRAMS], ids=lambda x: getattr(x, "__name__", ""))
def test_decompositions_in_programs(f: Any, args: Any) -> None:
    every = tuple(range(len(args)))
    gradients = grad(f, every)(*args)
    for k, g in enumerate(gradients):
        assert_close(g, differences(f, tuple(args), k), 2e-5, 1e-6)
    tangents = [RNG.normal(size=a.shape) + 0 * a for a in args]
    pulled = sum(np.sum(np.real(g * t)) for g, t in zip(gradients, tangents))
    assert_close(jvp(f, args, tangents)[1], pulled, 1e-9)


@pytest.mark.parametrize("f, args", [(f, args) for f, *args in (PROGRAMS[1], PROGRAMS[5])])
def test_gradients_of_gradients_of_decompositions(f: Any, args: Any) -> None:
    w, t = RNG.normal(size=(2, *args[0].shape))
    gradient = grad(f)
    second = grad(lambda *args: np.sum(grad(f)(*args) * w))(*args)
    up, down = (np.sum(gradient(args[0] + step * t, *args[1:]) * w) for step in (1e-5, -1e-5))
    assert_close(np.sum(second * t), (up - down) / 2e-5, 1e-5)


def test_single_precision_stays_in_decompositions_and_transforms() -> None:
    for f, *args in (PROGRAMS[1], PROGRAMS[3], PROGRAMS[6], PROGRAMS[8]):
        assert grad(f)(*[a.astype(np.float32) for a in args]).dtype == np.float32


def test_least_squares_of_a_single_precision_matrix_are_solved_in_that_of_the_right_hand_side() -> None:
    def f(b):
        return np.sum(np.linalg.lstsq(TALL.astype(np.float32), b)[0] ** 2)

    assert_close(grad(f)(x), differences(f, (x,)), 1e-8, 1e-9)


@pytest.mark.parametrize("values", [
    lambda A: np.linalg.eigh(A)[0], lambda A: np.linalg.eig(A)[0], lambda A: np.linalg.svd(A, full_matrices=False)[1],
    lambda A: np.linalg.svd(A)[1],
])  # fmt: skip
def test_vectors_that_nothing_asks_for_cost_nothing(values: Any) -> None:
    gradient, counts = counted(lambda A: np.real(np.sum(values(A) ** 3)), A)
    assert counts["gaps"] == counts["beyond"] == 0 and counts.products <= 1
    assert np.all(np.isfinite(gradient))


def test_a_solution_that_nothing_asks_for_costs_nothing() -> None:
    _, counts = counted(lambda A, b: np.linalg.lstsq(A, b)[3][0], TALL, x)
    assert counts["pseudoinverse"] == 0 and counts["svd"] == 1
    _, counts = counted(lambda A, b: np.sum(np.linalg.lstsq(A, b)[0]), TALL, x)
    assert counts["pseudoinverse"] == 1 and counts["svd"] == 0


@pytest.mark.parametrize("f, why", [
    (lambda A: np.sum(np.linalg.qr(A, mode="complete")[0]), "mode='complete' is not supported"),
    (lambda A: np.sum(np.linalg.svd(A, hermitian=True)[1]), "hermitian=True is not supported"),
    (lambda A: np.sum(np.abs(np.fft.fft(A, norm="unitary"))), "has no norm 'unitary'"),
    (lambda A: np.sum(np.abs(np.fft.fftn(A, axes=(0, 0)))), "along one axis twice"),
    (lambda A: np.linalg.norm(A, 3), "matrix norm of order 3 is not defined"),
    (lambda A: np.sum(np.cross(A[:, :2], A[:, 2:])), "vectors of two components"),
    (lambda A: np.sum(np.linalg.eigvals(A)), "a gradient is of one real number"),
])  # fmt: skip
def test_what_is_refused(f: Any, why: str) -> None:
    with pytest.raises((UnsupportedError, GradientError), match=why):
        grad(f)(A)
