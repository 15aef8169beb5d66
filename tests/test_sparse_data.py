"""Programs that make sparse matrices of data: with duplicated, unsorted and zero elements, and empty rows."""

import importlib.util

import numpy as np
import pytest
from scipy import integrate, sparse
from scipy.sparse import linalg

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.ahead import compile_module

RNG = np.random.default_rng(0)
#: Unsorted, with an empty row; then the same as coordinates, with two elements in one place.
INDPTR, INDICES = np.array([0, 2, 3, 3, 5, 6]), np.array([3, 0, 1, 4, 1, 2])
ROW, COL = np.array([0, 0, 1, 3, 3, 4, 0, 4, 2]), np.array([3, 0, 1, 4, 1, 2, 3, 4, 2])
D, E, F, X, Y, W = (RNG.normal(size=n) for n in (9, 9, 6, 5, (5, 3), 4))
D[2] = 0.0
EYE = sparse.eye_array(5).tocsc()
KNOWN = sparse.csr_array(np.diag(np.arange(1.0, 6.0)) + np.diag(np.ones(4), 1))
OLD, COO = sparse.csc_matrix(KNOWN), sparse.coo_array(KNOWN)
PAIR = (ROW, COL)


# --------------------------------------------------------------------------------------------- products
def compressed(d, x):
    A = sparse.csr_matrix((d, INDICES, INDPTR), shape=(5, 5))
    B = sparse.csc_array((d, INDICES, INDPTR))
    return np.sum((A @ x) ** 2) + np.sum((x @ A) ** 3) + np.sum(B.dot(x)) * B.shape[0] + A.shape[1]


def coordinates(d, V):
    A = sparse.coo_array((d, PAIR), shape=(6, 5))
    return np.sum((A @ V) ** 2) + np.sum((V.T @ A.T) ** 3) + A.dtype.itemsize


def of_coordinates(d, x):
    A = sparse.csr_matrix((d, PAIR), shape=(5, 5))
    B = sparse.csc_array((d, PAIR), shape=(5, 6), dtype=float)
    return np.sum(A.dot(x) ** 2) + np.sum(A.data**3) + A.nnz + A.indices[2] + np.sum((B.T @ x) ** 2 * B.indptr[1])


def stars(d, x):
    """`*` is the product of a matrix, and goes element by element for what SciPy calls an array."""
    A, B = sparse.csr_matrix((d, PAIR), shape=(5, 5)), sparse.csr_array((d, PAIR), shape=(5, 5))
    y = np.sum((A * x) ** 2) + np.sum((x * A) ** 2) + np.sum((B * x).toarray() ** 2 * np.arange(5))
    return y + np.sum((B.multiply(x[:, None]) @ x) ** 2) + np.sum(B.multiply(np.outer(x, x)).toarray() ** 2)


def scaled(d, x, c):
    B = c * sparse.coo_matrix((d, PAIR), shape=(5, 5)) * 2.0 / (1 + c)
    return np.sum((B @ x) ** 2) + np.sum(((-B).T @ x) ** 2) + np.sum(B.multiply(c).sum() ** 2) + np.sum(d[0] * EYE @ x)


def dense(d):
    A = sparse.coo_matrix((d, PAIR), shape=(5, 5))
    y = np.sum(A.toarray() ** 3) + np.sum(A.diagonal() ** 2) + A.trace() ** 2 + A.sum() ** 2
    return y + np.sum(A.tocsr().diagonal(1) ** 2) + np.sum((sparse.csr_array(A) - np.ones((5, 5))) ** 3)


def of_dense(M):
    """All elements of a dense matrix have a derivative, zero or not."""
    A = sparse.csr_matrix(M)
    return np.sum((A.T @ M) ** 2)


def sums(d, x):
    A = sparse.csr_array((d, PAIR), shape=(5, 6))
    return np.sum(A.sum(axis=0) ** 2) + np.sum(A.sum(axis=1) ** 3 * x) + A.sum(axis=-1) @ x


# -------------------------------------------------------------------------------------- of other matrices
def added(d, e, x):
    A, B = sparse.coo_matrix((d, PAIR), shape=(5, 5)), sparse.csr_matrix((e, (COL, ROW)), shape=(5, 5))
    return np.sum(((A + B - 0.5 * A) @ x) ** 2) + np.sum((sum([A, B]) @ x) ** 2)


def with_known(c, x):
    y = np.sum(((c * KNOWN) @ x) ** 2) + np.sum(((KNOWN * c + KNOWN) @ x) ** 2) + np.sum((KNOWN.T @ x) ** 2)
    return y + np.sum(((OLD - c * COO) @ x) ** 2) + np.sum((-OLD @ x) ** 2) + np.sum((KNOWN.tocoo() @ KNOWN) @ x)


def mixed(d, x):
    A = sparse.csr_array((d, PAIR), shape=(5, 5))
    y = np.sum(((KNOWN + A) @ x) ** 2) + np.sum(((A - OLD) @ x) ** 2) + np.sum(((KNOWN @ A) @ x) ** 2)
    return y + np.sum(((A @ KNOWN) @ x) ** 2) + np.sum(A.dot(COO) @ x) + np.sum(KNOWN.dot(A) @ x)


def multiplied(d, e):
    A, B = sparse.csr_array((d, PAIR), shape=(5, 5)), sparse.coo_matrix((e, PAIR), shape=(5, 6))
    return np.sum((A @ B).toarray() ** 2) + np.sum((A @ A @ A).toarray())


def diagonals(a, b, c):
    A = sparse.diags([b, a, c], [-1, 0, 2])
    B = sparse.diags_array([b, a, c], offsets=[-1, 0, 2], shape=(5, 5), format="csr")
    S = sparse.diags(a) @ KNOWN @ sparse.diags([np.sin(a)], [0])
    return np.sum((A @ a) ** 2) + np.sum((B @ a) ** 3) + np.sum(S.toarray() ** 2)


def bands(V):
    A = sparse.spdiags(V.T, np.array([0, 1, -1]), 5, 5)
    B = sparse.dia_array((V.T, [0, 1, -1]), shape=(5, 4))
    return np.sum((A @ V) ** 2) + np.sum((B.T @ V) ** 2)


def kronecker(d, x):
    A = sparse.csr_matrix((d, PAIR), shape=(5, 5))
    K = sparse.kron(sparse.eye(2), A) + sparse.kron(A, np.array([[1.0, 2.0], [0.0, 3.0]]), format="csr")
    return np.sum((K @ np.concatenate([x, x * x])) ** 2)


def blocks(d, x):
    A = sparse.csr_matrix((d, PAIR), shape=(5, 5))
    K, H = sparse.bmat([[A, None], [2 * A, OLD]], format="csr"), sparse.hstack([A, A.T])
    V, B = sparse.vstack([OLD, A]), sparse.block_diag([A, OLD])
    v = np.concatenate([x, x * x])
    return np.sum((K @ v) ** 2) + np.sum((H @ v) ** 2) + np.sum((V @ x) ** 2) + np.sum((B @ v) ** 2)


def converted(d, x):
    A = sparse.csr_array((d, PAIR), shape=(5, 5))
    B = A.tocsc()
    C = B.tocoo()
    G = C.asformat("csr")
    y = np.sum(B.data**3 * np.arange(len(B.data))) + np.sum(C.data**2 * C.row) + np.sum(G.data**2 * G.indices)
    return y + np.sum((sparse.csc_matrix(A) @ x) ** 2) + np.sum((A.copy().astype(float).transpose() @ x) ** 3)


# ------------------------------------------------------------------------------------------------ systems
def implicit(d, x, dt):
    M = sparse.eye(5) * 3.0 - dt * sparse.csr_matrix((d, PAIR), shape=(5, 5))
    return np.sum(linalg.spsolve(M.tocsc(), x) ** 2)


def right_hands(d, V):
    A = sparse.csc_array((d, PAIR), shape=(5, 5)) + 4 * EYE
    return np.sum(linalg.spsolve(A, V) ** 3) + np.sum(linalg.spsolve(A.T, V[:, 0]) ** 2)


def factors(d, x):
    A = sparse.csc_array((d, PAIR), shape=(5, 5)) + 4 * EYE
    lu, solve = linalg.splu(A), linalg.factorized(A)
    for _ in range(3):
        x = lu.solve(x) + lu.solve(x, trans="T") + 0.1 * solve(x * x)
    return np.sum(x**2)


def stepping(d, x):
    for k in range(3):
        A = sparse.csc_array((d * np.sin(x[ROW] + k), PAIR), shape=(5, 5))
        x = linalg.spsolve(A + 5 * EYE, x) + 0.1 * (A @ x)
    return np.sum(x**2)


def equations(d, x):
    A = sparse.csr_matrix((d, PAIR), shape=(5, 5))
    sol = integrate.solve_ivp(lambda t, y: A @ y, (0, 1), x, rtol=1e-9, atol=1e-11)
    return np.sum(sol.y[:, -1] ** 2)


# --------------------------------------------------------------------------------------------- as objects
class Model:
    def __init__(self, d):
        self.A = sparse.csr_matrix((d, PAIR), shape=(5, 5))

    def __call__(self, x):
        return self.A @ x


def held(d, x):
    m, parts = Model(d * d), [sparse.csr_array((k * d, PAIR), shape=(5, 5)) for k in range(2)]
    return np.sum(m(m(x)) ** 2) + sum(np.sum((A @ x) ** 2) for A in parts)


def stored(d):
    A = sparse.coo_array((d * 1.0, PAIR), shape=(5, 5))
    A.data[0] = d[1] ** 2
    A.data *= 2.0
    return np.sum((A @ np.arange(5.0)) ** 2)


def branches(d, c):
    A = sparse.coo_array((d, PAIR), shape=(5, 5))
    A = A * c if c > 0.5 else A * (2 * c)
    for _ in range(2):
        A = A * 1.1
    for _ in range(0):
        A = A * 3.0
    return np.sum((A @ np.arange(5.0)) ** 2)


def asked(d, x):
    A = sparse.csr_matrix((d, PAIR), shape=(5, 5))
    is_matrix = sparse.issparse(A) and isinstance(A, sparse.csr_matrix) and not isinstance(A, sparse.sparray)
    if is_matrix and not sparse.issparse(x) and type(A) is sparse.csr_matrix and (A.format, A.ndim) == ("csr", 2):
        return np.sum((A @ x) ** 2)
    return np.sum(x)


def complex_numbers(d, x):
    A = sparse.csr_array((d, PAIR), shape=(5, 5)) + 5 * EYE
    y, z, u = A @ x, A.T @ np.conj(x) + A.conj() @ x, linalg.spsolve(A, x)
    lu = linalg.splu(A.tocsc().astype(complex))
    v = lu.solve(x.astype(complex), "H") + lu.solve(x * 1j, "T")
    return np.sum(np.abs(y) ** 2 + np.real(z * z) + np.abs(u) ** 2 + np.abs(v) ** 2)


PROGRAMS = [
    (compressed, (F, X)), (coordinates, (D, Y)), (of_coordinates, (D, X)), (stars, (D, X)), (scaled, (D, X, 0.3)),
    (dense, (D,)), (of_dense, (Y * (Y > 0),)), (sums, (D, X)), (added, (D, E, X)), (with_known, (0.3, X)),
    (mixed, (D, X)), (multiplied, (D, E)), (diagonals, (X, W, 0.3)), (bands, (Y,)), (kronecker, (D, X)),
    (blocks, (D, X)), (converted, (D, X)), (implicit, (D, X, 0.1)), (right_hands, (D, Y)), (factors, (D, X)),
    (stepping, (D, X)), (equations, (D, X)), (held, (D, X)), (stored, (D,)), (branches, (D, 0.7)), (branches, (D, 0.2)),
    (asked, (D, X)), (complex_numbers, (D + 1j * E, X)), (complex_numbers, (D, X + 1j)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args):
    check_grad(f, *args, argnums=tuple(range(len(args))))
    np.testing.assert_allclose(value_and_grad(f)(*args)[0], f(*args), rtol=1e-9)


@pytest.mark.parametrize("f, args", [(coordinates, (D, Y)), (mixed, (D, X)), (factors, (D, X)), (stepping, (D, X))])
def test_forward_mode_and_second_derivatives(f, args):
    gradient = grad(f, argnums=(0, 1))
    tangents = tuple(np.sin(a) for a in args)
    _, t = jvp(f, args, tangents)
    np.testing.assert_allclose(t, sum(np.sum(g * v) for g, v in zip(gradient(*args), tangents, strict=True)))
    check_grad(lambda a, b: sum(np.sum(np.sin(g)) for g in grad(f, argnums=(0, 1))(a, b)), *args, argnums=(0, 1))


def test_a_pullback_has_its_own_pattern():
    def f(d, i, j, x):
        A = sparse.csr_matrix((d, (i, j)), shape=(5, 5)) + 4 * EYE
        return linalg.spsolve(A, x)

    i, j = ROW.copy(), COL.copy()
    wanted = vjp(f, D, ROW, COL, X)[1](X)
    _, pullback = vjp(f, D, i, j, X)
    i[:], j[:] = 0, 0
    for _ in range(2):
        for got, want in zip(pullback(X), wanted, strict=True):
            np.testing.assert_array_equal(got, want)


def test_the_code_is_that_of_the_formula():
    lines = differentiable(compressed_once, argnums=(0, 1)).source(example=(F, X)).split("\n")
    lines = [line.partition("#")[0].strip() for line in lines]
    assert "d_d = element_products(pattern, d_y, x)" in lines
    assert "d_x = matrix_product(transposed(pattern), d, d_y)" in lines


def compressed_once(d, x):
    A = sparse.csr_matrix((d, INDICES, INDPTR), shape=(5, 5))
    y = A @ x
    return np.sum(y * y)


def test_nothing_dense_is_made():
    """A dense matrix would have 320 GB."""
    n = 200_000
    a, b = np.linspace(1.0, 2.0, n), np.linspace(0.1, 0.2, n - 1)

    def f(a, b):
        A = sparse.diags([a, b], [0, 1], format="csc")
        x = linalg.spsolve(A, a)
        return np.sum(x * (A @ (A @ x)))

    at, tangent = (a, b), (np.cos(a), np.sin(b))
    _, t = jvp(f, at, tangent)
    np.testing.assert_allclose(t, sum(g @ v for g, v in zip(grad(f, argnums=(0, 1))(*at), tangent, strict=True)))


def test_single_precision_stays():
    def f(d, x):
        A = sparse.csr_array((d, PAIR), shape=(5, 5)) + 4 * EYE.astype("f4")
        return np.sum(linalg.spsolve(A, A @ x) ** 2) + np.sum(A.toarray())

    args = D.astype("f4"), X.astype("f4")
    for got, want in zip(grad(f, argnums=(0, 1))(*args), grad(f, argnums=(0, 1))(D, X), strict=True):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_a_singular_matrix_warns_as_in_scipy():
    def f(d):
        return np.sum(linalg.spsolve(sparse.csc_array((d, (np.arange(2), np.arange(2))), shape=(2, 2)), np.ones(2)))

    with pytest.warns(linalg.MatrixRankWarning):
        value, d = value_and_grad(f)(np.array([1.0, 0.0]))
    assert np.isnan(value) and np.isnan(d).all()


def test_a_module_makes_the_matrix(tmp_path):
    def f(d, i, j, x, n):
        A = sparse.csr_matrix((d, (i, j)), shape=(n, n))
        return np.sum((A @ x) ** 2) + np.sum(linalg.spsolve(A + sparse.eye(n) * 5.0, x))

    compile_module(differentiable(f), tmp_path / "m.py", signatures=("f64[k], i64[k], i64[k], f64[n], int",))
    spec = importlib.util.spec_from_file_location("m", tmp_path / "m.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    np.testing.assert_allclose(module.f_grad(D, ROW, COL, X, 5), grad(f)(D, ROW, COL, X, 5), rtol=1e-14)


def made(d):
    return sparse.csr_array((d, PAIR), shape=(5, 5))


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda d: made(d)[0, 3], "an index into a sparse matrix is not supported. Instead: write A.toarray()"),
        (lambda d: made(d).power(2).sum(), "power of a csr_array that is made in the function is not supported"),
        (lambda d: np.sum((made(d) + EYE).data), "the data of a sparse matrix that is computed of others cannot be"),
        (lambda d: (made(d) + EYE).nnz * d[0], "what a sparse matrix consists of, where it is computed of others"),
        (lambda d: np.sum(np.abs(made(d))), "an object of class csr_array cannot be passed to a library function"),
        (lambda d: linalg.cg(made(d), X)[0][0], "an object of class csr_array cannot be passed to a library function"),
        (lambda d: (made(d) != made(d)).sum() * d[0], "a comparison of sparse matrices is not supported"),
        (lambda d: d[0] if made(d) else d[1], "the truth of a sparse matrix is not supported"),
        (lambda d: np.sum(made(d) + 1.0), "the sum of a sparse matrix and a number is not supported"),
        (lambda d: np.sum(sparse.coo_matrix(made(d)) + np.eye(5)), "the sum of a sparse matrix and an array, which is"),
        (lambda d: np.sum(made(d).multiply(KNOWN) @ X), "the product of the elements of two sparse matrices"),
        (lambda d: np.sum(sparse.csr_matrix(made(d)).sum(axis=1)), "the sum over an axis of a sparse matrix, which is"),
        (lambda d: np.sum(made(d) @ np.ones((5, 2, 2))), "the product of a sparse matrix and f64[5,2,2]"),
        (lambda d: np.sum(linalg.spsolve(made(d), X[:, None])), "spsolve of one column, which gives a vector"),
        (lambda d: np.sum(linalg.spsolve(made(d), made(d)) @ X), "spsolve with a sparse right-hand side"),
        (lambda d: np.sum(sparse.csr_matrix((5, 5)) @ d[:5]), "a sparse matrix without elements, to be filled"),
        (lambda d: np.sum(linalg.splu(made(d)).solve(X * 1j).real), "the solution by factors of another dtype"),
    ],
)  # fmt: skip
def test_what_is_refused(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(f)(D)
    assert words in " ".join(str(caught.value).split())


def test_a_matrix_is_not_returned():
    with pytest.raises(UnsupportedError, match="it returns a csr_array that it makes"):
        vjp(made, D)


def test_elements_that_do_not_fit_their_places_are_an_error():
    with pytest.raises(ValueError, match="elements|same length"):
        value_and_grad(lambda d: np.sum(sparse.csr_array((d, PAIR), shape=(5, 5)) @ X))(D[:1])


@pytest.mark.parametrize(("axis", "way_out"), [(0, "A.T @ np.ones(A.shape[0])"), (1, "A @ np.ones(A.shape[1])")])
def test_the_way_out_of_a_sum_over_an_axis(axis, way_out):
    places = (np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0]))

    def f(x):
        A = sparse.coo_matrix((x, places), shape=(3, 3))
        return np.sum(np.asarray(A.sum(axis=axis)) ** 3)

    with pytest.raises(UnsupportedError) as caught:
        grad(f)(np.arange(4.0))
    assert way_out in str(caught.value)
    A = sparse.coo_matrix((np.arange(4.0), places), shape=(3, 3))
    np.testing.assert_array_equal(eval(way_out, {"A": A, "np": np}), np.asarray(A.sum(axis=axis)).ravel())


def stores_indices(d, indices):
    A = sparse.csr_array((d, indices, np.array([0, 2, 3])), shape=(2, 2))
    indices[0] = 1
    return np.sum((A @ np.array([1.0, 3.0])) ** 2)


def stores_rows(d, rows):
    A = sparse.coo_array((d, (rows, np.array([0, 1, 1]))), shape=(2, 2))
    rows[0] = 1
    return np.sum((A.T @ np.array([1.0, 3.0])) ** 2)


def stores_its_indices(d, indices):
    A = sparse.csr_array((d, indices, np.array([0, 2, 3])), shape=(2, 2))
    A.indices[0] = 1
    return np.sum((A @ np.array([1.0, 3.0])) ** 2)


@pytest.mark.parametrize("f", [stores_indices, stores_rows, stores_its_indices])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_places_that_are_changed_under_a_matrix_are_refused(f, dtype):
    """SciPy's matrix may share the arrays that it was given."""
    with pytest.raises(UnsupportedError, match="may share memory with A.pattern"):
        grad(f)(np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1], dtype))


def test_places_that_are_changed_where_nothing_shares_them():
    def f(d, rows):
        A = sparse.csr_array((d, (rows, np.array([0, 1, 1]))), shape=(2, 2))
        rows[0] = 1
        B = sparse.csr_array((d, (rows, np.array([0, 1, 1]))), shape=(2, 2))
        return np.sum((A @ np.array([1.0, 3.0])) ** 2) + np.sum((B @ np.array([1.0, 3.0])) ** 3)

    d, rows = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1])
    got = grad(f)(d, rows.copy())
    ends = [[f(d + s * e, rows.copy()) for s in (1e-6, -1e-6)] for e in np.eye(3)]
    np.testing.assert_allclose(got, [(a - b) / 2e-6 for a, b in ends], rtol=1e-7)
