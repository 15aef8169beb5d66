"""What sparse matrices share with each other and with what they are made of, as SciPy has it: right, or refused."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

from adcompiler import UnsupportedError, check_grad, grad, value_and_grad

D, X = np.array([1.0, 2.0]), np.array([1.0, 3.0])
M = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def csr(d):
    return sparse.csr_array((d, [0, 1], [0, 1, 2]), shape=(2, 2))


def csc(d):
    return sparse.csc_array((d, [0, 1], [0, 1, 2]), shape=(2, 2))


def coo(d):
    return sparse.coo_array((d, ([0, 1], [0, 1])), shape=(2, 2))


def dia(d):
    return sparse.dia_array((d, [0]), shape=(2, 2))


KNOWN = csr(np.array([2.0, 3.0]))
COPIES = {
    "T": lambda A: A.T, "T.T": lambda A: A.T.T, "transpose": lambda A: A.transpose(copy=True),
    "tocoo": lambda A: A.tocoo(), "tocoo, no copy": lambda A: A.tocoo(copy=False),
    "tocoo, copy": lambda A: A.tocoo(copy=True), "asformat": lambda A: A.asformat("coo"), "tocsr": lambda A: A.tocsr(),
    "tocsc": lambda A: A.tocsc(), "coo_array": lambda A: sparse.coo_array(A),
    "coo_array, copy": lambda A: sparse.coo_array(A, copy=True), "csr_array": lambda A: sparse.csr_array(A),
    "csr_array, dtype": lambda A: sparse.csr_array(A, dtype=float), "csc": lambda A: sparse.csc_matrix(A, dtype=float),
    "csr_array, copy": lambda A: sparse.csr_array(A, copy=True), "astype": lambda A: A.astype(float),
    "astype, no copy": lambda A: A.astype(float, copy=False), "conj": lambda A: A.conj(),
    "conj, no copy": lambda A: A.conj(copy=False), "copy": lambda A: A.copy(), "-": lambda A: -A, "+": lambda A: A + 0,
    "vstack": lambda A: sparse.vstack([A]), "hstack": lambda A: sparse.hstack([A], format="csr"),
}  # fmt: skip


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("make", [csr, csc, coo, dia])
def test_what_is_stored_into_the_data_of_which_others_are_made(make, copy):
    def f(d, x):
        A = copy(make(d))
        d *= 2.0
        return np.sum(A @ x)

    def of_matrix(d, x):
        A = make(d * 1.0)
        B = copy(A)
        A *= 3.0
        return np.sum(A @ x) + np.sum(B @ x * x)

    for g in (f, of_matrix):
        value, d = value_and_grad(g)(D.copy(), X)
        ends = [g(D + e, X) - g(D - e, X) for e in np.eye(2)]
        np.testing.assert_allclose(value, g(D.copy(), X))
        np.testing.assert_allclose(d, np.array(ends) / 2)


# ------------------------------------------------------------------------------------------------ in place
def half(A):
    A *= 0.5


def by_a_function(d, x):
    A = csr(d * 1.0)
    half(A)
    return np.sum(A @ x)


def of_data(d, x):
    A = csr(d)
    A *= 2.0
    return np.sum(A @ x) + np.sum(d)


def other_names(d, x):
    A = csr(d)
    B, C, L = A, A.T, [A, A]
    A /= 4.0
    return np.sum(B @ x) + np.sum(C @ x) + np.sum(L[0] @ x)


def computed(d, x):
    A = csr(d) + csr(d)
    B = A.T
    for _ in range(3):
        A *= 1.5
    if d[0] > 0:
        B *= d[1]
    return np.sum(B @ x) + np.sum(A @ x * x)


def in_containers(d, x):
    L = [csr(d * 1.0), csr(d * 2.0)]
    B = L[0]
    L[0] *= 3.0
    for A in L:
        A *= d[0]
    return np.sum(B @ x) + np.sum(L[1] @ x)


def of_a_copy_of_what_is_known(d, x):
    B = KNOWN.copy()
    B *= 2.0
    return np.sum(B @ d) + np.sum(KNOWN @ d)


def factored_before(d, x):
    A = csc(d)
    lu = linalg.splu(A)
    A.data *= 2.0
    return np.sum(lu.solve(x) ** 2)


def of_a_dense_one(d, x):
    N = np.outer(d, x)
    A = sparse.csr_array(N)
    N *= 2.0
    return np.sum(A @ x) + np.sum(N)


def of_a_dtype(d, x):
    A, B = sparse.csr_array((d, [0, 1], [0, 1, 2]), shape=(2, 2), dtype=float), sparse.dia_matrix((d, [0]), (2, 2))
    C = sparse.spdiags(d, [0], 2, 2)
    d[0] *= 2
    return np.sum(A @ x) + np.sum(B @ x) + np.sum(C @ x)


def a_diagonal(d, x):
    A = dia(d)
    v = A.diagonal()
    v *= 3.0
    A.data[0, 1] *= x[1]
    return np.sum(A @ x) + np.sum(d) + np.sum(A.offsets) + np.sum(A.data)


def a_row(M, x):
    A = sparse.coo_array((M[0], ([0, 1], [0, 1])), shape=(2, 2))  # which never copies
    M[0] *= 2
    return np.sum(A @ x) + np.sum(csr(M[1]) @ x)


def in_loops(d, x):
    A, B = dia(d), csr(d * 1.0)
    for _ in range(3):
        x = A @ x + B @ x
        d *= 0.5
        B *= 0.5
        B.data += d
    return np.sum(x)


PROGRAMS = [by_a_function, in_loops, of_data, other_names, computed, in_containers, of_a_copy_of_what_is_known,
            factored_before, of_a_dense_one, of_a_dtype, a_diagonal, a_row]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_changes_in_place(f):
    d = M if f is a_row else D
    value, got = value_and_grad(f)(d.copy(), X)
    ends = np.zeros_like(d)
    for i in np.ndindex(d.shape):
        step = np.zeros_like(d)
        step[i] = 1e-6
        ends[i] = (f(d + step, X) - f(d - step, X)) / 2e-6
    np.testing.assert_allclose(value, f(d.copy(), X))
    np.testing.assert_allclose(got, ends, rtol=1e-7)


# ------------------------------------------------------------------------------------------------- refused
def row_of(M, x):
    A = csr(M[0])
    M[0] *= 2
    return np.sum(A @ x)


def column_of(M, x):
    A = csr(M[1:, 1])
    M[1] *= 2
    return np.sum(A @ x)


def reversed_row(M, x):
    A = csr(M[1, ::-1])
    A.data[:] *= 2
    return np.sum(A @ x) + np.sum(M)


def one_of_two(M, x):
    A = csr(M[0] if x[0] > 0 else M[1])
    M[0] *= 2
    return np.sum(A @ x)


def row_in_place(M, x):
    A = csr(M[0])
    A *= 2
    return np.sum(A @ x) + np.sum(M)


def known_in_place(M, x):
    A = KNOWN
    A *= 2.0
    return np.sum(A @ M[0])


def transposed_known(M, x):
    A = KNOWN.T
    A *= 2.0
    return np.sum(A @ M[0]) + np.sum(KNOWN @ M[0])


def data_of_computed(M, x):
    A = csr(M[0]) + csr(M[1])
    A.data = M[2] * 3.0
    return np.sum(A @ x)


def data_of_diagonals(M, x):
    A = dia(M[0])
    A.data = M[1:2]
    return np.sum(A @ x)


@pytest.mark.parametrize(
    "f, words",
    [
        (row_of, "M may share memory with A.data, which this changes in place"),
        (column_of, "M may share memory with A.data, which this changes in place"),
        (reversed_row, "A.data may share memory with M, which this changes in place"),
        (one_of_two, "M may share memory with A.data, which this changes in place"),
        (row_in_place, "A.data may share memory with M"),
        (row_in_place, "Instead: write A = A * ..."),
        (known_in_place, "a change in place of a sparse matrix that is made outside is not supported"),
        (transposed_known, "a change in place of a sparse matrix that is made outside is not supported"),
        (data_of_computed, "a store to A.data: the data of a sparse matrix that is computed of others"),
        (data_of_diagonals, "a store to the data of a matrix of diagonals is not supported"),
        (lambda M, x: sparse.coo_array((M[0], [[1, 0]]), shape=(3,)).sum(), "a sparse array that has not two axes"),
    ],
)
def test_what_may_be_shared_is_not_changed(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(f)(M.copy(), X)
    assert words in " ".join(str(caught.value).split())


# ----------------------------------------------------------------------------------------------- diagonals
def bands(d, x):
    A, B = sparse.dia_array((d, [-1, 0, 2]), shape=(3, 4)), sparse.spdiags(d, [-5, 0, 3], 3, 4)
    y = np.sum((A @ x) ** 2) + np.sum((B @ x) ** 3) + A.nnz + B.nnz
    return y + np.sum(A.diagonal() ** 3) + np.sum(A.diagonal(2) ** 3) + np.sum(A.diagonal(1)) + np.sum(A.tocsr() @ x)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 6])
def test_diagonals_may_be_shorter_and_longer_than_the_matrix_has_columns(width):
    d, x = np.random.default_rng(0).normal(size=(3, width)), np.array([1.0, 2.0, 3.0, 5.0])
    check_grad(bands, d, x, argnums=(0, 1))
    np.testing.assert_allclose(value_and_grad(bands)(d, x)[0], bands(d, x))


def transposed_bands(d, x):
    A = sparse.dia_array((d, [-1, 0, 2]), shape=(3, 4))
    return np.sum(A.T @ x[:3]) + np.sum((x[:3] @ A) ** 2)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_the_transpose_of_diagonals(width):
    d, x = np.random.default_rng(0).normal(size=(3, width)), np.array([1.0, 2.0, 3.0, 5.0])
    check_grad(transposed_bands, d, x, argnums=(0, 1))
    np.testing.assert_allclose(value_and_grad(transposed_bands)(d, x)[0], transposed_bands(d, x))


def test_where_scipy_takes_other_elements_in_a_transpose_it_is_an_error():
    with pytest.raises(ValueError, match="longer than the matrix"):
        grad(transposed_bands)(np.ones((3, 6)), np.ones(4))


def test_the_arguments_of_the_definitions_in_scipy():
    def f(d, x):
        A = csr(d)
        return A.sum(axis=1, dtype=float) @ x + A.astype(float, copy=False).sum(dtype=float)

    check_grad(f, D, X, argnums=(0, 1))
