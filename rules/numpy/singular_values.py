"""Rules of the singular value decomposition A = U diag(s) V^H, of one matrix or a stack.

What is computed of complex vectors must not change with their phases, each of which a column of U and of V share; what
is computed of the columns that `full_matrices` adds must not change as these turn. Vectors of equal values have no
derivative, as those of eigenvalues have none (`rules.numpy.spectral`), and neither have those of the value 0 where they
lie in the larger of the two spaces. Formulas are those of Townsend, "Differentiating the singular value decomposition"
(2016), and of Wan and Zhang, "Automatic differentiation for complex valued SVD" (2019).
"""

from typing import Any

import numpy as np

from rules.cotangent import direction, strong, strong_divide
from rules.kind import Array, KindError
from rules.numpy.joining import placed
from rules.numpy.matrices import adjoint, columns, conj, matrix, shorter, sizes, transposed, working
from rules.numpy.spectral import beyond, gaps
from rules.operands import is_complex
from rules.rule import Like, primitive, rule


def _values(a: Any) -> tuple[Any, Array]:
    return working(matrix(a)), Array(sizes(a), (*a.shape[:-2], shorter(a)), a.xp)


@rule("y = svd(a, full_matrices=True, compute_uv=True, hermitian=False)", np.linalg.svd)
class svd:
    """y is (U, s, V^H), or s alone without `compute_uv`."""

    static = "full_matrices compute_uv hermitian"

    def kind(a, full_matrices, compute_uv, hermitian):
        if hermitian:
            raise KindError("np.linalg.svd with hermitian=True is not supported", "leave it out")
        dtype, s = _values(a)
        if not compute_uv:
            return s
        (m, n), k = a.shape[-2:], s.shape[-1]
        U, V = ((m, m), (n, n)) if full_matrices else ((m, k), (k, n))
        return Array(dtype, (*a.shape[:-2], *U), a.xp), s, Array(dtype, (*a.shape[:-2], *V), a.xp)

    def d_a(d_y, a, y, full_matrices, compute_uv):
        if not compute_uv:
            return of_values(d_y, a)
        (U, s, W), (d_U, d_s, d_W) = y, d_y
        V, d_V = transposed(W), transposed(d_W)  # the conjugate of V in A = U diag(s) V^H
        if full_matrices:
            (U, left), (V, right) = _within(U, d_U, s), _within(V, d_V, s)
            d_U, d_V = leading(d_U, s), leading(d_V, s)
        else:
            left = strong_divide(beyond(conj(U), d_U), columns(s))
            right = strong_divide(beyond(conj(V), d_V), columns(s))
        M, N = transposed(U) @ d_U, conj(transposed(V) @ d_V)
        if is_complex(U):
            phases = direction(1j * np.imag(np.diagonal(M, axis1=-2, axis2=-1)), s * present(s))
            left = left + conj(U) * columns(phases)
        M, N = _turned(M, s), _turned(N, s)
        inside = (M + adjoint(M)) * columns(s) + np.expand_dims(s, -1) * (N + adjoint(N))
        left = left + conj(U) @ inside + conj(U) * columns(d_s)
        return left @ adjoint(V) + conj(U) @ transposed(right)

    def t_y(a, y, full_matrices, compute_uv, t_a):
        if not compute_uv:
            return moved_values(a, t_a)
        U, s, W = y
        V = adjoint(W)
        U1, V1 = (leading(U, s), leading(V, s)) if full_matrices else (U, V)
        A, B = t_a @ V1, adjoint(t_a) @ U1
        P = adjoint(U1) @ A
        t_s = np.real(np.diagonal(P, axis1=-2, axis2=-1))
        R, L = P * columns(s), np.expand_dims(s, -1) * P
        R, L = _turned(R, s), _turned(L, s)
        t_U, t_V = U1 @ (R - adjoint(R)), V1 @ (L - adjoint(L))
        if is_complex(U):
            phases = direction(1j * np.imag(np.diagonal(P, axis1=-2, axis2=-1)), s * present(s))
            t_U = t_U + U1 * columns(phases)
        if not full_matrices:
            t_U = t_U + strong_divide(beyond(U1, A), columns(s))
            t_V = t_V + strong_divide(beyond(V1, B), columns(s))
            return t_U, t_s, adjoint(t_V)
        t_U, t_V = _with_the_rest(t_U, A, U, U1, s), _with_the_rest(t_V, B, V, V1, s)
        return t_U, t_s, adjoint(t_V)


def _turned(M: Any, s: Any) -> Any:
    """M_ij / (s_j^2 - s_i^2), and 0 where M_ij is."""
    return strong_divide(strong(M, gaps(s)), columns(s) + np.expand_dims(s, -1))


@primitive
def leading(U: Any, s: Any) -> Any:
    """As many columns as there are singular values; a view."""
    return U[..., : s.shape[-1]]


@rule("y = leading(U, s)", leading)
class leading_rule:
    like = "s"
    def kind(U, s): return Array(U.dtype, (*U.shape[:-1], s.shape[-1]), U.xp)
    view = "U"
    def d_U(d_y, U: Like): return placed(d_y, U, 0, U.ndim - 1)
    def t_y(t_U, s: Like): return leading(t_U, s)


def _within(U: Any, d_U: Any, s: Any) -> tuple[Any, Any]:
    """The columns of a square U that belong to singular values, and the cotangent of their part in the others."""
    k = s.shape[-1]
    U1, U2 = leading(U, s), U[..., k:]
    P = transposed(U2) @ leading(d_U, s) - adjoint(transposed(U1) @ d_U[..., k:])
    return U1, conj(U2) @ strong_divide(P, columns(s))


def _with_the_rest(t: Any, A: Any, U: Any, U1: Any, s: Any) -> Any:
    """The tangent of the square U from that `t` of its first columns within the space of these."""
    rest = U[..., s.shape[-1] :]
    out = strong_divide(adjoint(rest) @ A, columns(s))
    return np.concatenate((t + rest @ out, -(U1 @ adjoint(out))), axis=-1)


def present(s: Any) -> Any:
    """1 for each singular value, and 0 for those that are 0 up to rounding: there is a kink, as of absolute values."""
    return np.sign(s) * (s > np.finfo(s.dtype).eps * np.sum(s, axis=-1, keepdims=True))


def of_values(d_s: Any, a: Any) -> Any:
    """The cotangent of a matrix from that of its singular values."""
    U, s, W = np.linalg.svd(a, full_matrices=False)
    return (conj(U) * columns(d_s * present(s))) @ conj(W)


def moved_values(a: Any, t_a: Any) -> Any:
    """The tangent of the singular values from that of the matrix."""
    U, s, W = np.linalg.svd(a, full_matrices=False)
    return np.real(np.sum(conj(U) * (t_a @ adjoint(W)), axis=-2)) * present(s)


@rule("s = svdvals(x)", np.linalg.svdvals)
class svdvals:
    def kind(x): return _values(x)[1]
    def d_x(d_s, x): return of_values(d_s, x)
    def t_s(x, t_x): return moved_values(x, t_x)
