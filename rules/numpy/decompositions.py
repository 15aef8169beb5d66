"""Rules of `np.linalg`: solving, inverses, determinants, norms and factorisations, of one matrix or a stack.

Formulas are those of Giles, "Collected matrix derivative results for forward and reverse mode" (2008); none
conjugates where the function is holomorphic.
"""

from typing import Any

import numpy as np

from rules.cotangent import direction, strong_divide
from rules.kind import Array, KindError, Num, array_or_number, broadcast, kind_of, lengths, reduced
from rules.lapack import LU
from rules.operands import is_complex, rank
from rules.rule import Like, borrows, primitive, rule


def _transposed(A: Any) -> Any:
    return A.T if A.ndim == 2 else np.swapaxes(A, -1, -2)


def _working(*operands: Any) -> np.dtype[Any]:
    """The dtype in which LAPACK computes: integers become float64."""
    return np.result_type(*(k.dtype if k.dtype.kind in "fc" else np.dtype(float) for k in operands))


def _square(A: Any) -> Array:
    if not isinstance(A, Array) or A.ndim < 2:
        raise KindError(f"a matrix is wanted here, not {A}", "give it an array of two axes")
    lengths().agree(A.shape[-1], A.shape[-2])
    return A


def _copied(A: Any, last: Any) -> Any:
    """A copy of a matrix that is not factored, for its pullback: in the memory of the `last` one if that fits."""
    if isinstance(last, np.ndarray) and last.shape == A.shape and last.dtype == A.dtype:
        last[...] = A
        return last
    return A.copy()


def _each(d: Any, matrix: Any) -> Any:
    """One number for each matrix of a stack, so shaped that it multiplies the matrices."""
    return d if matrix.ndim == 2 else np.expand_dims(d, (-1, -2))


# -------------------------------------------------------------------------------- systems, inverse, powers
@rule("x = solve(A, b)", np.linalg.solve)
class solve:
    """A x = b, with b a vector (if its rank is 1) or a matrix of right-hand sides."""

    def kind(A, b):
        A, b = _square(A), kind_of(b)
        dtype = _working(A, b)
        if b.ndim == 1:
            lengths().agree(A.shape[-1], b.shape[0])
            return Array(dtype, (*A.shape[:-2], b.shape[0]), A.xp)
        lengths().agree(A.shape[-1], b.shape[-2])
        return Array(dtype, (*broadcast(A.shape[:-2], b.shape[:-2]), *b.shape[-2:]), A.xp)

    def d_b(d_x, A, b: Like): return _solved(_transposed(A), d_x, b.ndim)

    def d_A(d_x, A, b: Like, x, d_b):
        if A.ndim == 2 and b.ndim <= 2:
            return -np.outer(d_b, x) if b.ndim == 1 else -(d_b @ x.T)
        d = _solved(_transposed(A), d_x, b.ndim)  # not d_b: that is summed over what b was broadcast to
        if b.ndim == 1:
            return -(np.expand_dims(d, -1) * np.expand_dims(x, -2))
        return -(d @ _transposed(x))

    @borrows()
    def forward(state, A, b):
        """One factorisation for the solution and for the pullback."""
        if b.ndim in (1, 2) and 0 < b.shape[0] == A.shape[-1] and b.size:
            factors = LU.of(A, _working(A, b), state)
            if factors is not None:
                return factors.solve(b), factors
        last = state[0] if isinstance(state, tuple) else None
        return np.linalg.solve(A, b), (_copied(A, last), b.ndim)

    def with_state_d_b(d_x, state):
        if isinstance(state, LU):
            return state.solve(d_x, transposed=True)
        A, ndim = state
        return _solved(_transposed(A), d_x, ndim)

    def t_x(A, b: Like, x, t_A, t_b):
        if b.ndim == 1:
            return _solved(A, t_b - (t_A @ np.expand_dims(x, -1))[..., 0], 1)
        return np.linalg.solve(A, t_b - t_A @ x)


def _solved(A: Any, d: Any, ndim: int) -> Any:
    """A^-1 d, where `d` is a vector, or a stack of them, if the right-hand side, of rank `ndim`, is a vector."""
    if ndim == 1 and A.ndim > 2:
        return np.linalg.solve(A, np.expand_dims(d, -1))[..., 0]
    return np.linalg.solve(A, d)


@rule("B = inv(A)", np.linalg.inv)
class inv:
    def kind(A): return Array(_working(_square(A)), A.shape, A.xp)
    def d_A(d_B, B): return -(_transposed(B) @ d_B @ _transposed(B))
    def t_B(B, t_A): return -(B @ t_A @ B)


@rule("B = matrix_power(A, n)", np.linalg.matrix_power)
class matrix_power:
    static = "n"

    def kind(A, n):
        if n < 0:
            raise KindError("a negative power of a matrix is not supported", "take a power of np.linalg.inv(A)")
        return _square(A)

    view = "A"

    @borrows("d_B")
    def d_A(d_B, A, n):
        T = _transposed(A)
        terms = [_times(_times(d_B, T, n - 1 - k), T, k, left=True) for k in range(n)]
        return sum(terms[1:], terms[0]) if terms else np.zeros_like(d_B)

    def t_B(A, n, t_A):
        terms = [_times(_times(t_A, A, n - 1 - k), A, k, left=True) for k in range(n)]
        return sum(terms[1:], terms[0]) if terms else np.zeros_like(t_A)


def _times(M: Any, A: Any, k: int, left: bool = False) -> Any:
    """M A^k, or A^k M."""
    if not k:
        return M
    power = A if k == 1 else np.linalg.matrix_power(A, k)
    return power @ M if left else M @ power


# ------------------------------------------------------------------------------------------ determinants
@primitive
def cofactors(A: Any) -> Any:
    """The derivative of det(A): det(A) A^-T, and right where that is 0 times infinity."""
    U, s, V = np.linalg.svd(A)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :])
    scale = np.linalg.det(U) * np.linalg.det(V)
    return (scale[..., None, None] * np.conj(U) * np.prod(others, axis=-1)[..., None, :]) @ np.conj(V)


@rule("C = cofactors(A)", cofactors)
class cofactors_rule:
    """Of regular matrices: the second derivative of a determinant at a singular one is not supported."""

    def kind(A): return Array(_working(A), A.shape, A.xp)

    def d_A(d_C, A, C):
        T = _transposed(np.linalg.inv(A))
        return _each(np.sum(d_C * C, axis=(-1, -2)), C) * T - C @ _transposed(d_C) @ T

    def t_C(A, C, t_A):
        T = _transposed(np.linalg.inv(A))
        return _each(np.sum(t_A * T, axis=(-1, -2)), C) * C - T @ _transposed(t_A) @ C


@rule("y = det(A)", np.linalg.det)
class det:
    def kind(A): return array_or_number(_working(_square(A)), A.shape[:-2], A.xp)
    def d_A(d_y, A): return _each(d_y, A) * cofactors(A)

    @borrows()
    def forward(state, A):
        """The factors give the inverse too; near a singular matrix that is not good enough."""
        factors = LU.of(A, _working(A), state)
        if factors is None or not factors.regular(A):
            return np.linalg.det(A), _copied(A, state)
        sign, log = factors.determinant()
        y = (sign * np.exp(log)).astype(factors.dtype)
        return y, factors

    def with_state_d_A(d_y, y, state):
        if not isinstance(state, LU):
            return _each(d_y, state) * cofactors(state)
        return d_y * y * state.inverse_transposed()

    def t_y(A, t_A): return np.sum(cofactors(A) * t_A, axis=(-1, -2))


@rule("y = slogdet(A)", np.linalg.slogdet)
class slogdet:
    """(sign, log |det A|) of real matrices: the sign is piecewise constant."""

    infinite_at_pole = True

    def kind(A):
        if _square(A).dtype.kind == "c":
            raise KindError("np.linalg.slogdet of a complex matrix is not supported", "take np.log(np.linalg.det(A))")
        return (array_or_number(_working(A), A.shape[:-2], A.xp),) * 2

    def d_A(d_y, A): return _each(d_y[1], A) * _transposed(np.linalg.inv(A))

    def t_y(A, y, t_A):
        return np.zeros_like(y[0]), np.sum(_transposed(np.linalg.inv(A)) * t_A, axis=(-1, -2))


# ------------------------------------------------------------------------------------------------- norms
def _order(ord: Any, axis: Any, ndim: int) -> float:
    """The order of a vector norm; 2 where all elements enter alike. Matrix norms are refused."""
    matrix = len(axis) == 2 if isinstance(axis, tuple) else axis is None and ndim == 2
    if ord is None or (matrix and ord == "fro"):
        return 2.0
    if matrix or isinstance(ord, str):
        raise KindError(f"the matrix norm of order {ord} is not supported", "take the Frobenius norm, or name one axis")
    if axis is None and ndim != 1:
        raise KindError(f"the norm of order {ord} of an array of {ndim} axes is not defined", "name the axis")
    if not ord >= 1:
        raise KindError(f"the norm of order {ord} is no norm, and not supported", "write out its sum")
    return float(ord)


def _kept(y: Any, axis: Any, keepdims: bool) -> Any:
    return y if keepdims or axis is None or not rank(y) else np.expand_dims(y, axis)


def _slope(x: Any, y: Any, ord: float, axis: Any) -> Any:
    """The derivative of a norm `y` of `x`, by its definition a subgradient of least norm: 0 where x is 0."""
    if ord == 2:
        return direction(np.conj(x) if is_complex(x) else x, y)
    size = np.abs(x)
    sign = strong_divide(np.conj(x), size) if is_complex(x) else np.sign(x)
    if ord == 1:
        return sign
    if ord == np.inf:
        largest = size == y
        return sign * largest / np.sum(largest, axis=axis, keepdims=axis is not None, dtype=size.dtype)
    return sign * strong_divide(size, y) ** (ord - 1)


@rule("y = norm(x, ord=None, axis=None, keepdims=False)", np.linalg.norm)
class norm:
    static = "ord"

    def kind(x, ord, axis, keepdims):
        x = kind_of(x)
        if isinstance(x, Num):
            raise KindError("the norm of a number is not supported", "write abs(x)")
        _order(ord, axis, x.ndim)
        dtype = np.empty(0, _working(x)).real.dtype
        return array_or_number(dtype, reduced(x.shape, axis, keepdims), x.xp)

    def d_x(d_y, x, y, ord, axis, keepdims):
        y, d_y = _kept(y, axis, keepdims), _kept(d_y, axis, keepdims)
        return d_y * _slope(x, y, _order(ord, axis, x.ndim), axis)

    def t_y(x, y, ord, axis, keepdims, t_x):
        slope = _slope(x, _kept(y, axis, keepdims), _order(ord, axis, x.ndim), axis)
        return np.sum(np.real(slope * t_x), axis=axis, keepdims=keepdims)


# ---------------------------------------------------------------------------------------- factorisations
def _lower(S: Any) -> Any:
    """The derivative by a matrix of which only the lower triangle is read, from that by a symmetric one."""
    return np.tril(S + _transposed(S)) - np.tril(np.triu(S))


def _mirrored(t: Any) -> Any:
    """The symmetric matrix of which only the lower triangle is read."""
    return np.tril(t) + _transposed(np.tril(t, -1))


def _half(M: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    return (np.tril(M) + np.tril(M, -1)) / 2


def _real(A: Any, name: str) -> Array:
    if _square(A).dtype.kind == "c":
        raise KindError(f"np.linalg.{name} of a complex matrix is not supported",
                        "split it into real and imaginary parts")
    return A


@rule("L = cholesky(A)", np.linalg.cholesky)
class cholesky:
    """Murray, "Differentiation of the Cholesky decomposition" (2016). The upper triangle is never read."""

    def kind(A): return Array(_working(_real(A, "cholesky")), A.shape, A.xp)

    def d_A(d_L, L):
        T = _transposed(L)
        P = np.linalg.solve(T, _half(T @ d_L))  # L^-T P
        S = _transposed(np.linalg.solve(T, _transposed(P)))  # (L^-T P) L^-1
        return _lower((S + _transposed(S)) / 2)

    def t_L(L, t_A):
        M = np.linalg.solve(L, _mirrored(t_A))
        return L @ _half(_transposed(np.linalg.solve(L, _transposed(M))))


@primitive
def gaps(w: Any) -> Any:
    """1 / (w_j - w_i), and 0 where eigenvalues are equal: eigenvectors of those turn as they please."""
    E = w[..., None, :] - w[..., :, None]
    return np.divide(1, E, out=np.zeros_like(E), where=E != 0)


@rule("F = gaps(w)", gaps)
class gaps_rule:
    def kind(w): return Array(w.dtype, (*w.shape, w.shape[-1]), w.xp)

    def d_w(d_F, F):
        d = d_F * F * F
        return np.sum(d, axis=-1) - np.sum(d, axis=-2)

    def t_F(F, t_w): return -F * F * (np.expand_dims(t_w, -2) - np.expand_dims(t_w, -1))


@rule("y = eigh(A)", np.linalg.eigh)
class eigh:
    """Real symmetric matrices, of which the lower triangle is read. y is (eigenvalues, eigenvectors)."""

    def kind(A):
        A = _real(A, "eigh")
        return Array(_working(A), A.shape[:-1], A.xp), Array(_working(A), A.shape, A.xp)

    def d_A(d_y, y):
        (w, V), (d_w, d_V) = y, d_y
        M = gaps(w) * (_transposed(V) @ d_V)
        return _lower((V * np.expand_dims(d_w, -2) + V @ M) @ _transposed(V))

    def t_y(y, t_A):
        w, V = y
        M = _transposed(V) @ _mirrored(t_A) @ V
        return np.diagonal(M, axis1=-2, axis2=-1), V @ (gaps(w) * M)


@rule("w = eigvalsh(A)", np.linalg.eigvalsh)
class eigvalsh:
    def kind(A): return Array(_working(_real(A, "eigvalsh")), A.shape[:-1], A.xp)

    def d_A(d_w, A):
        V = np.linalg.eigh(A)[1]
        return _lower((V * np.expand_dims(d_w, -2)) @ _transposed(V))

    def t_w(A, t_A):
        V = np.linalg.eigh(A)[1]
        return np.diagonal(_transposed(V) @ _mirrored(t_A) @ V, axis1=-2, axis2=-1)
