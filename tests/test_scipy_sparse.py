"""Programs that multiply by sparse matrices, and solve with them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp
from adcompiler.ahead import compile_module

RNG = np.random.default_rng(0)
LAPLACE = sparse.diags_array([1.0, -2.0, 1.5], offsets=[-1, 0, 1], shape=(5, 5), format="csc")
STEP = sparse.csc_array(sparse.eye_array(5) - 0.1 * LAPLACE)
FACTORS, SOLVE = linalg.splu(STEP), linalg.factorized(STEP)
U, V = RNG.normal(size=5), RNG.normal(size=(5, 2))


def explicit(u, k, n):
    for _ in range(n):
        u = u + k * (LAPLACE @ u) + 0.1 * LAPLACE.dot(np.sin(u))
    return np.sum(u * u)


def implicit(u, n):
    for _ in range(n):
        u = FACTORS.solve(u * u) + SOLVE(u) - 0.3 * FACTORS.solve(u, trans="T")
    return np.sum(u * u)


def given(u, V, A, B):
    """With matrices that are arguments."""
    return np.sum(linalg.spsolve(A, u) ** 2 * (u @ B)) + np.sum(linalg.spsolve(A, V) ** 3) + np.sum((V.T @ B) ** 2)


PROGRAMS = [(explicit, (U, 0.2, 3), (0, 1)), (implicit, (U, 3), 0), (given, (U, V, STEP, LAPLACE.tocoo()), (0, 1))]


@pytest.mark.parametrize("f, args, argnums", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args, argnums):
    check_grad(f, *args, argnums=argnums)


def test_the_gradient_is_that_of_the_dense_matrix():
    dense = LAPLACE.toarray()
    np.testing.assert_allclose(grad(lambda u: np.sum((LAPLACE @ u) ** 2))(U), 2 * dense.T @ (dense @ U), rtol=1e-13)


def test_forward_mode_and_second_derivatives():
    _, t = jvp(lambda u: implicit(u, 2), (U,), (U[::-1].copy(),))
    np.testing.assert_allclose(t, grad(implicit)(U, 2) @ U[::-1], rtol=1e-12)
    check_grad(lambda u: np.sum(grad(implicit)(u, 2) ** 2), U)


def test_a_matrix_does_not_compile_anew_and_its_numbers_may_change():
    A = STEP.copy()
    gradient = grad(lambda u, A: np.sum(A @ u) + np.sum(FACTORS.solve(u)))
    for _ in range(40):
        first = gradient(U, A)
    A.data *= 2
    np.testing.assert_allclose(gradient(U, A) - first, STEP.sum(axis=0), rtol=1e-12)


def test_single_precision_stays():
    A = STEP.astype("f4")
    assert grad(lambda u: np.sum(A @ u) + np.sum(linalg.spsolve(A, u)))(U.astype("f4")).dtype == np.float32


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda u: LAPLACE[:3] @ u, "the object of class csc_array is indexed"),
        (lambda u: LAPLACE % u, "% has no method for these operands in csc_array"),
        (lambda u: linalg.spsolve(STEP, u[:, None]), "sparse.linalg.spsolve of one column gives a vector"),
        (lambda u: linalg.spsolve(np.diag(u), u), "takes a sparse matrix that is made outside"),
        (lambda u: sparse.lil_array((u, (range(5), range(5)))) @ u, "sparse.lil_array has no rule"),
        (lambda u: FACTORS.solve(u, trans="H"), "the solution by factors with trans='H' is not supported"),
    ],
)
def test_what_has_no_derivative_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda u: np.sum(f(u)))(U)
    assert words in " ".join(str(caught.value).split())


def test_a_module_cannot_hold_a_matrix(tmp_path):
    with pytest.raises(UnsupportedError, match="a module has no way to import it"):
        compile_module(differentiable(explicit), tmp_path / "m.py", signatures=("f64[5], float, int",))
