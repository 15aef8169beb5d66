"""What second derivatives are where there is none, and derivatives of whole programs: rows of docs/conventions.md."""

import math
from typing import Any

import numpy as np
import pytest

from adcompiler import grad

V = np.array([1.0, 2.0, -1.0])


def along_v(f: Any, x: np.ndarray, v: Any = V) -> np.ndarray:
    """The derivative of the gradient of `f`, which compiles, along `v`."""

    def slope(x):
        return np.sum(grad(f)(x) * v)

    with np.errstate(all="ignore"):
        return grad(slope)(x)


def differences_along(f: Any, x: np.ndarray, v: Any) -> np.ndarray:
    """The same by differences of the gradient."""
    h = 1e-6
    steps = [h * e.reshape(x.shape) for e in np.eye(x.size)]
    return np.array([np.sum((grad(f)(x + s) - grad(f)(x - s)) * v) / (2 * h) for s in steps]).reshape(x.shape)


def test_squares_of_roots() -> None:
    zeros = np.zeros(3)
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.sqrt(x) ** 2))(zeros), zeros)
    for f in (lambda x: np.linalg.norm(x) ** 2, lambda x: np.std(x) ** 2):
        np.testing.assert_array_equal(grad(f)(zeros), zeros)
        np.testing.assert_array_equal(along_v(f, zeros), zeros)
    np.testing.assert_array_equal(along_v(lambda x: x @ x, zeros), 2 * V)
    np.testing.assert_allclose(along_v(lambda x: np.var(x), zeros), 2 / 3 * (V - V.mean()))


@pytest.mark.parametrize("f, point", [
    (lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), 0.0),
    (lambda x: np.sum(np.where(x > 0, np.cbrt(x), 0.0)), 0.0),
    (lambda x: np.sum(np.where(x < 1, np.arcsin(x), 0.0)), 1.0), (lambda x: np.sum(np.where(x > 0, x**0.3, 0.0)), 0.0),
    (lambda x: np.sum(np.where(x > 1, np.arccosh(x), 0.0)), 1.0), (lambda x: 0.0 * np.sum(np.sqrt(x)), 0.0),
    (lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)), 0.0), (lambda x: np.sum(np.where(x > 0, 1 / x, 0.0)), 0.0),
])  # fmt: skip
def test_strong_zero_to_second_order(f: Any, point: float) -> None:
    with np.errstate(invalid="ignore"):
        x = np.array([point, 1.5 if f(np.array([1.5])) and point else 0.5])
    got = along_v(f, x, V[:2])
    assert got[0] == 0
    np.testing.assert_allclose(got[1], differences_along(f, x[1:], V[1:2])[0], rtol=1e-6)


def test_powers_of_zero_to_second_order() -> None:
    x = np.array([0.0, 2.0, -1.0])
    np.testing.assert_array_equal(along_v(lambda x: np.sum(x**0), x), [0, 0, 0])
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.power(x, np.zeros(3))), x), [0, 0, 0])
    np.testing.assert_array_equal(along_v(lambda p: np.sum(np.power(np.zeros(2), p)), x[:2], V[:2]), [0, 0])
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.power(x, np.array([1.0, 2.0, 2.0]))), 0 * x), [0, 4, -2])


def test_kinks_to_second_order() -> None:
    zeros = np.zeros(3)
    for f in (lambda x: np.sum(np.abs(x)), lambda x: np.linalg.norm(x), lambda x: np.sum(np.hypot(x, 2 * x)),
              lambda x: np.std(x), lambda x: np.sum(np.maximum(x, 0.0) ** 2),
              lambda x: np.sum(np.clip(x, 0.0, 1.0) ** 2)):
        np.testing.assert_array_equal(along_v(f, zeros), zeros)


def test_squares_of_absolute_values() -> None:
    x = np.array([1.0, -1.0, 1.0, -1.0])  # three zeros among four frequencies
    v = np.arange(4.0)
    for power in (lambda x: np.abs(np.fft.fft(x)) ** 2, lambda x: np.abs(np.fft.fft(x)) * np.abs(np.fft.fft(x))):
        np.testing.assert_allclose(along_v(lambda x: np.sum(power(x)), x, v), 8 * v, atol=1e-14)
        np.testing.assert_allclose(along_v(lambda x: power(x) @ np.arange(1.0, 5.0), x, v),
                                   differences_along(lambda x: power(x) @ np.arange(1.0, 5.0), x, v), atol=1e-5)
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.abs(x) ** 2), np.zeros(4), v), 2 * v)
    for k in (1, 3):
        f = lambda x: np.sum(np.abs(np.fft.fft(x)) ** k)
        assert np.isfinite(along_v(f, np.zeros(4), v)).all()
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.abs(x + 0j)), np.zeros(4), v), np.zeros(4))


def test_ties_to_second_order() -> None:
    x = np.array([1.0, 1.0, 0.0])
    np.testing.assert_array_equal(along_v(lambda x: np.max(x * x), x), [1, 2, 0])
    np.testing.assert_array_equal(along_v(lambda x: np.median(x[:2] ** 2), x), [1, 2, 0])
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.maximum(x * x, x)), x), [1, 2, -1])


def test_selection_to_second_order() -> None:
    x = np.array([math.nan, 0.0, 3.0])
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.where(x > 1, x**2, 1 / x)[2:]), x), [0, 0, -2])
    np.testing.assert_array_equal(along_v(lambda x: np.sum(np.where(x > 1, x**2, 5.0)), x), [0, 0, -2])


def test_triangles_that_are_read_to_second_order() -> None:
    A, v = np.eye(3) * 2 + 1, np.arange(1.0, 10).reshape(3, 3)
    f = lambda A: np.sum(np.linalg.cholesky(A))
    got = along_v(f, A, v)
    assert not np.triu(got, 1).any()
    np.testing.assert_allclose(got, differences_along(f, A, v), atol=1e-7)


def test_angles_at_the_origin_to_second_order() -> None:
    assert np.isnan(along_v(lambda x: np.sum(np.arctan2(x, 2 * x)), np.zeros(3))).all()


@pytest.mark.parametrize("x", [[2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 1.0, 0.0]], ids=str)
def test_running_products_with_zeros(x: Any) -> None:
    f, x = lambda x: np.sum(np.cumprod(x) * np.array([1.0, 2.0, 3.0])), np.array(x)
    a, b, c = x
    np.testing.assert_allclose(grad(f)(x), [1 + 2 * b + 3 * b * c, 2 * a + 3 * a * c, 3 * a * b])
    H = np.array([[0, 2 + 3 * c, 3 * b], [2 + 3 * c, 0, 3 * a], [3 * b, 3 * a, 0]])
    np.testing.assert_allclose(along_v(f, x), H @ V)


@pytest.mark.parametrize(
    "A", [np.outer([1.0, 2, 3], [1, 0.5, 2]), np.diag([1.0, 0, 0]), np.diag([1.0, 2, 0]), np.zeros((3, 3))], ids=str
)
def test_determinants_of_singular_matrices(A: np.ndarray) -> None:
    """Each row of the cofactors is a product of the two others."""

    def cofactors(M: Any) -> np.ndarray:
        rows = M[[1, 2, 0]], M[[2, 0, 1]]
        return np.stack([np.cross(rows[0][i], rows[1][i]) for i in range(3)])

    v = np.arange(1.0, 10).reshape(3, 3) ** 1.5
    np.testing.assert_allclose(grad(lambda A: np.linalg.det(A))(A), cofactors(A), atol=1e-12)
    second = (cofactors(A + v) - cofactors(A - v)) / 2  # of a polynomial of degree two
    np.testing.assert_allclose(along_v(lambda A: np.linalg.det(A), A, v), second, atol=1e-10)


def test_logarithm_of_the_determinant_of_a_singular_matrix() -> None:
    A = np.array([[1.0, 2.0], [2.0, 4.0]])
    with np.errstate(all="ignore"):
        assert np.isinf(grad(lambda A: np.linalg.slogdet(A)[1])(A)).all()
        masked = lambda A: np.sum(np.where(np.linalg.det(A) > 1, np.linalg.slogdet(A)[1], 0.0))
        stack = np.stack([A, A + 3 * np.eye(2)])
        np.testing.assert_allclose(grad(masked)(stack), [np.zeros((2, 2)), np.linalg.inv(stack[1])])


@pytest.mark.parametrize("function", [np.linalg.eigvalsh, np.linalg.svdvals])
def test_equal_values_to_second_order(function: Any) -> None:
    assert np.isnan(along_v(lambda A: np.sum(function(A) ** 2), np.eye(3), np.ones((3, 3)))).any()
