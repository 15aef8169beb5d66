"""Rules of eigenvalues and singular values, and of the vectors that belong to them, of one matrix or a stack.

Vectors of equal values turn as they please, and have no derivative: a zero cotangent of them stays zero, another
becomes infinite or NaN. So a function of the values alone, symmetric in equal ones, has its gradient. Values are equal
if they differ by no more than what rounding in LAPACK makes of equal ones.
"""

from typing import Any

import numpy as np

from rules.arrays import device, on_device
from rules.cotangent import strong, zeros_like
from rules.kind import Array, KindError
from rules.numpy.matrices import adjoint, columns, conj, lower, mirrored, sizes, square, transposed, working
from rules.numpy.reductions import largest
from rules.operands import is_complex
from rules.rule import Like, nondifferentiable, primitive, rule


# ------------------------------------------------------------------------------------------- primitives
def _in_order(w: Any, least: Any) -> bool:
    """Do numbers rise, or fall, by more than `least` from each to the next?"""
    if is_complex(w):
        return False
    steps = np.diff(w)
    return bool(np.all(steps > least) or np.all(steps < -least))


@primitive
def gaps(w: Any) -> Any:
    """1 / (w_j - w_i), infinite or NaN where two are equal up to rounding, and 0 on the diagonal."""
    F = w[..., None, :] - w[..., :, None]
    least = np.finfo(w.dtype).eps * w.shape[-1] * largest(np.abs(w))
    if on_device(w):
        F = np.where(np.abs(F) <= least[..., None], 0, F)
    elif not _in_order(w, least):
        np.copyto(F, 0, where=np.abs(F) <= least[..., None])
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(1, F, out=F)
    i = np.arange(w.shape[-1], like=device(w))
    F[..., i, i] = 0
    return F


@rule("F = gaps(w)", gaps)
class gaps_rule:
    def kind(w): return Array(w.dtype, (*w.shape, w.shape[-1]), w.xp)

    def d_w(d_F, F):
        d = strong(strong(d_F, F), F)
        return np.sum(d, axis=-1) - np.sum(d, axis=-2)

    def t_F(F, t_w): return -strong(strong(np.expand_dims(t_w, -2) - np.expand_dims(t_w, -1), F), F)


@primitive
def beyond(U: Any, X: Any) -> Any:
    """X - U U^H X: what of X lies outside of the space that the orthonormal columns of U span. Zeros for a square U."""
    if U.shape[-1] == U.shape[-2]:
        return np.zeros_like(X, np.result_type(U, X))
    return X - U @ (adjoint(U) @ X)


@rule("Y = beyond(U, X)", beyond)
class beyond_rule:
    """By U as far as its columns stay orthonormal, if it is square."""

    def kind(U, X): return Array(np.result_type(U.dtype, X.dtype), X.shape, X.xp)
    def d_X(d_Y, U): return beyond(conj(U), d_Y)
    def d_U(d_Y, U, X): return -(d_Y @ transposed(adjoint(U) @ X)) - conj(X @ (transposed(d_Y) @ U))

    def t_Y(U, X, t_U, t_X):
        return beyond(U, t_X) - t_U @ (adjoint(U) @ X) - U @ (adjoint(t_U) @ X)


# ---------------------------------------------------------------------------------- Hermitian matrices
def _read(UPLO: Any) -> str:
    if UPLO not in ("L", "U", "l", "u"):
        raise KindError(f"UPLO={UPLO!r} names no triangle", 'write "L" or "U"')
    return UPLO.upper()


def _triangle(S: Any, UPLO: Any) -> Any:
    """The cotangent of a matrix of which one triangle is read."""
    return lower(S) if _read(UPLO) == "L" else transposed(lower(transposed(S)))


def _whole(t: Any, UPLO: Any) -> Any:
    """The Hermitian matrix of which one triangle is read."""
    return mirrored(t) if _read(UPLO) == "L" else transposed(mirrored(transposed(t)))


@rule("y = eigh(A, UPLO='L')", np.linalg.eigh)
class eigh:
    """y is (eigenvalues, eigenvectors) of a symmetric or Hermitian matrix, of which one triangle is read.

    What is computed of complex vectors must not change with their phases.
    """

    static = "UPLO"

    def kind(A, UPLO):
        _read(UPLO)
        return Array(sizes(square(A)), A.shape[:-1], A.xp), Array(working(A), A.shape, A.xp)

    def d_A(d_y, y, UPLO):
        (w, V), (d_w, d_V) = y, d_y
        M = strong(transposed(V) @ d_V, gaps(w))
        return _triangle((conj(V) * columns(d_w) + conj(V) @ M) @ transposed(V), UPLO)

    def t_y(y, UPLO, t_A):
        w, V = y
        M = adjoint(V) @ _whole(t_A, UPLO) @ V
        return np.real(np.diagonal(M, axis1=-2, axis2=-1)), V @ strong(M, gaps(w))


@rule("w = eigvalsh(A, UPLO='L')", np.linalg.eigvalsh)
class eigvalsh:
    static = "UPLO"

    def kind(A, UPLO):
        _read(UPLO)
        return Array(sizes(square(A)), A.shape[:-1], A.xp)

    def d_A(d_w, A, UPLO):
        V = np.linalg.eigh(A, UPLO)[1]
        return _triangle((conj(V) * columns(d_w)) @ transposed(V), UPLO)

    def t_w(A, UPLO, t_A):
        V = np.linalg.eigh(A, UPLO)[1]
        return np.real(np.diagonal(adjoint(V) @ _whole(t_A, UPLO) @ V, axis1=-2, axis2=-1))


# ------------------------------------------------------------------------------------- square matrices
def _spectrum(A: Any) -> np.dtype[Any]:
    """The dtype of eigenvalues: of real matrices too they are complex, even if all happen to be real."""
    return np.result_type(working(square(A)), np.complex64)


@primitive
def complex_eig(a: Any) -> Any:
    """`np.linalg.eig`, with complex results of real matrices too: NumPy's are complex if an eigenvalue is."""
    w, V = np.linalg.eig(a)
    dtype = np.result_type(w, np.complex64)
    return w.astype(dtype, copy=False), V.astype(dtype, copy=False)


@primitive
def complex_eigvals(a: Any) -> Any:
    """`np.linalg.eigvals`, with complex results of real matrices too."""
    w = np.linalg.eigvals(a)
    return w.astype(np.result_type(w, np.complex64), copy=False)


@rule("y = eig(a)", np.linalg.eig, complex_eig)
class eig:
    """y is (eigenvalues, eigenvectors of norm 1), the latter as the columns of a matrix.

    The largest component of a complex vector is real, as LAPACK has it, and is taken to stay so. Of a real matrix all
    is complex, whatever the eigenvalues are: take `np.real` of what is computed of them. Boeddeker et al., "On the
    computation of complex-valued gradients with application to statistically optimum beamforming" (2017).
    """

    def kind(a): return Array(_spectrum(a), a.shape[:-1], a.xp), Array(_spectrum(a), a.shape, a.xp)

    def d_a(d_y, y):
        (w, V), (d_w, d_V) = y, d_y
        T = transposed(V)
        return np.linalg.solve(T, _of_vectors(d_V, w, V) @ T + np.expand_dims(d_w, -1) * T)

    def t_y(y, t_a):
        w, V = y
        P = np.linalg.solve(V, t_a @ V)
        return np.diagonal(P, axis1=-2, axis2=-1), _moved(P, w, V)


@primitive
def anchors(V: Any) -> Any:
    """1 at the largest component of each column that is real, and 0 elsewhere."""
    out = np.zeros_like(V.real)
    if V.size:
        largest = np.argmax(np.where(V.imag == 0, np.abs(V), -1), axis=-2)
        np.put_along_axis(out, largest[..., None, :], 1, axis=-2)
    return out


nondifferentiable("E = anchors(V)", anchors, kind=lambda V: Array(np.empty(0, V.dtype).real.dtype, V.shape, V.xp))


def _of_vectors(d_V: Any, w: Any, V: Any) -> Any:
    """The cotangent of V^-1 dA V from that of V, whose columns have norm 1 and an anchor that is real."""
    E = anchors(V)
    along = np.sum(V * d_V, axis=-2, keepdims=True)
    phase = np.imag(along) / np.sum(E * np.real(V), axis=-2, keepdims=True)
    return strong(transposed(V) @ (d_V - np.conj(V) * np.real(along) - 1j * (phase * E)), gaps(w))


def _moved(P: Any, w: Any, V: Any) -> Any:
    """The tangent of V from P = V^-1 dA V."""
    E, t = anchors(V), V @ strong(P, gaps(w))
    phase = np.sum(E * np.imag(t), axis=-2, keepdims=True) / np.sum(E * np.real(V), axis=-2, keepdims=True)
    return t - V * (np.sum(np.real(np.conj(V) * t), axis=-2, keepdims=True) + 1j * phase)


@primitive
def eigenvectors(a: Any, w: Any) -> Any:
    """The eigenvectors of `a` in the order of its eigenvalues `w`.

    LAPACK finds eigenvalues in another order where it does not look for vectors.
    """
    found, V = complex_eig(a)
    distance = np.abs(w[..., :, None] - found[..., None, :])
    order = np.empty_like(w, np.intp)
    for i in range(w.shape[-1]):  # the nearest that is left
        order[..., i] = np.argmin(distance[..., i, :], axis=-1)
        np.put_along_axis(distance, order[..., None, i, None], np.inf, axis=-1)
    return np.take_along_axis(V, order[..., None, :], axis=-1)


@rule("V = eigenvectors(a, w)", eigenvectors)
class eigenvectors_rule:
    def kind(a): return Array(_spectrum(a), a.shape, a.xp)
    def d_a(d_V, w, V): return np.linalg.solve(transposed(V), _of_vectors(d_V, w, V) @ transposed(V))
    def d_w(d_V, w: Like): return zeros_like(w)
    def t_V(w, V, t_a): return _moved(np.linalg.solve(V, t_a @ V), w, V)


@rule("w = eigvals(a)", np.linalg.eigvals, complex_eigvals)
class eigvals:
    """Of a real matrix too they are complex: take `np.real` of what is computed of them."""

    def kind(a): return Array(_spectrum(a), a.shape[:-1], a.xp)

    def d_a(d_w, a, w):
        T = transposed(eigenvectors(a, w))
        return np.linalg.solve(T, np.expand_dims(d_w, -1) * T)

    def t_w(a, w, t_a):
        V = eigenvectors(a, w)
        return np.diagonal(np.linalg.solve(V, t_a @ V), axis1=-2, axis2=-1)
