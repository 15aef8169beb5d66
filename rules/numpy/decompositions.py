"""Rules of `np.linalg`: solving, inverses, determinants, Cholesky factors, of one matrix or a stack.

Formulas are those of Giles, "Collected matrix derivative results for forward and reverse mode" (2008); none
conjugates where the function is holomorphic.
"""

from typing import Any

import numpy as np

from rules.arrays import device
from rules.cotangent import strong
from rules.kind import Array, array_or_number, broadcast, kind_of, lengths
from rules.lapack import LU, solve_triangle
from rules.numpy.matrices import adjoint, conj, each, half, lower, mirrored, sizes, square, transposed, working
from rules.numpy.products import others
from rules.operands import is_complex
from rules.rule import Like, borrows, primitive, rule


def _copied(A: Any, last: Any) -> Any:
    """A copy of a matrix that is not factored, for its pullback: in the memory of the `last` one if that fits."""
    if isinstance(last, np.ndarray) and last.shape == A.shape and last.dtype == A.dtype:
        last[...] = A
        return last
    return A.copy()


# -------------------------------------------------------------------------------- systems, inverse, powers
@rule("x = solve(A, b)", np.linalg.solve)
class solve:
    """A x = b, with b a vector (if its rank is 1) or a matrix of right-hand sides."""

    def kind(A, b):
        A, b = square(A), kind_of(b)
        dtype = working(A, b)
        if b.ndim == 1:
            lengths().agree(A.shape[-1], b.shape[0])
            return Array(dtype, (*A.shape[:-2], b.shape[0]), A.xp)
        lengths().agree(A.shape[-1], b.shape[-2])
        return Array(dtype, (*broadcast(A.shape[:-2], b.shape[:-2]), *b.shape[-2:]), A.xp)

    def d_b(d_x, A, b: Like): return _solved(transposed(A), d_x, b.ndim)

    def d_A(d_x, A, b: Like, x, d_b):
        if A.ndim == 2 and b.ndim <= 2:
            return -np.outer(d_b, x) if b.ndim == 1 else -(d_b @ x.T)
        d = _solved(transposed(A), d_x, b.ndim)  # not d_b: that is summed over what b was broadcast to
        if b.ndim == 1:
            return -(np.expand_dims(d, -1) * np.expand_dims(x, -2))
        return -(d @ transposed(x))

    @borrows()
    def forward(state, A, b):
        """One factorisation for the solution and for the pullback."""
        if b.ndim in (1, 2) and 0 < b.shape[0] == A.shape[-1] and b.size:
            factors = LU.of(A, working(A, b), state)
            if factors is not None:
                return factors.solve(b), factors
        last = state[0] if isinstance(state, tuple) else None
        return np.linalg.solve(A, b), (_copied(A, last), b.ndim)

    def with_state_d_b(d_x, state):
        if isinstance(state, LU):
            return state.solve(d_x, transposed=True)
        A, ndim = state
        return _solved(transposed(A), d_x, ndim)

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
    def kind(A): return Array(working(square(A)), A.shape, A.xp)
    def d_A(d_B, B): return -(transposed(B) @ d_B @ transposed(B))
    def t_B(B, t_A): return -(B @ t_A @ B)


@rule("B = matrix_power(A, n)", np.linalg.matrix_power)
class matrix_power:
    static = "n"

    def kind(A, n): return square(A) if n >= 0 else Array(working(square(A)), A.shape, A.xp)

    view = "A"

    @borrows("d_B")
    def d_A(d_B, A, n):
        if n < 0:
            T = transposed(np.linalg.inv(A))
            return -(T @ _sum_of_powers(d_B, T, -n) @ T)
        return _sum_of_powers(d_B, transposed(A), n)

    def t_B(A, n, t_A):
        if n < 0:
            C = np.linalg.inv(A)
            return -_sum_of_powers(C @ t_A @ C, C, -n)
        return _sum_of_powers(t_A, A, n)


def _sum_of_powers(M: Any, A: Any, n: int) -> Any:
    """The sum of A^k M A^(n-1-k) for k from 0 to n - 1."""
    terms = [_times(_times(M, A, n - 1 - k), A, k, left=True) for k in range(n)]
    return sum(terms[1:], terms[0]) if terms else np.zeros_like(M)


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
    others = np.where(np.eye(s.shape[-1], dtype=bool, like=device(s)), 1, s[..., None, :])
    scale = np.linalg.det(U) * np.linalg.det(V)
    return (scale[..., None, None] * np.conj(U) * np.prod(others, axis=-1)[..., None, :]) @ np.conj(V)


@primitive
def cofactors_along(A: Any, t: Any) -> Any:
    """The derivative of the cofactors of A along t, of singular matrices too: U and V are kept, and only s moves.

    Of diag(s) + B with a small B, det has terms in B_ii B_kk - B_ik B_ki, times the product of the other s.
    """
    U, s, V = np.linalg.svd(A)
    one = np.eye(s.shape[-1], dtype=bool, like=device(s))
    pairs = np.where(one, 0, others(np.where(one, 1, s[..., None, :]), -1))  # the product of all s but two
    B = np.conj(np.swapaxes(U, -1, -2)) @ t @ np.conj(np.swapaxes(V, -1, -2))
    diagonal = pairs @ np.diagonal(B, axis1=-2, axis2=-1)[..., None]
    moved = np.where(one, diagonal, -pairs * np.swapaxes(B, -1, -2))
    scale = np.linalg.det(U) * np.linalg.det(V)
    return scale[..., None, None] * (np.conj(U) @ moved @ np.conj(V))


def _third(A: Any, s: Any, t: Any) -> Any:
    """The third derivative of det(A) along s and t, as a matrix of that by A, which has to be regular."""
    X = np.linalg.inv(A)
    S, T = X @ s, X @ t
    traces = [each(np.trace(M, axis1=-2, axis2=-1), A) for M in (S, T, S @ T)]
    by_two = traces[0] * traces[1] - traces[2]
    M = by_two * X - traces[1] * (S @ X) - traces[0] * (T @ X) + S @ T @ X + T @ S @ X
    return transposed(each(np.linalg.det(A), A) * M)


@rule("C = cofactors(A)", cofactors)
class cofactors_rule:
    """The second derivative of det is symmetric in its directions."""

    def kind(A): return Array(working(A), A.shape, A.xp)
    def d_A(d_C, A): return cofactors_along(A, d_C)
    def t_C(A, t_A): return cofactors_along(A, t_A)


@rule("C = cofactors_along(A, t)", cofactors_along)
class cofactors_along_rule:
    """Of regular matrices: the third derivative of a determinant at a singular one is not supported."""

    def kind(A, t): return Array(working(A, t), A.shape, A.xp)
    def d_t(d_C, A): return cofactors_along(A, d_C)
    def d_A(d_C, A, t): return _third(A, t, d_C)
    def t_C(A, t, t_A, t_t): return cofactors_along(A, t_t) + _third(A, t, t_A)


@primitive
def inverse(A: Any) -> Any:
    """A^-1, infinite where A is singular."""
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        regular = np.linalg.slogdet(A)[0] != 0
        out = np.full_like(A, np.inf, dtype=working(A))
        out[regular] = np.linalg.inv(A[regular])
        return out


@rule("B = inverse(A)", inverse)
class inverse_rule:
    def kind(A): return inv.kind(A)
    def d_A(d_B, B): return inv.d_A(d_B, B)
    def t_B(B, t_A): return inv.t_B(B, t_A)


@rule("y = det(A)", np.linalg.det)
class det:
    def kind(A): return array_or_number(working(square(A)), A.shape[:-2], A.xp)
    def d_A(d_y, A): return each(d_y, A) * cofactors(A)

    @borrows()
    def forward(state, A):
        """The factors give the inverse too; near a singular matrix that is not good enough."""
        factors = LU.of(A, working(A), state)
        if factors is None or not factors.regular(A):
            return np.linalg.det(A), _copied(A, state)
        sign, log = factors.determinant()
        y = (sign * np.exp(log)).astype(factors.dtype)
        return y, factors

    def with_state_d_A(d_y, y, state):
        if not isinstance(state, LU):
            return each(d_y, state) * cofactors(state)
        return d_y * y * state.inverse_transposed()

    def t_y(A, t_A): return np.sum(cofactors(A) * t_A, axis=(-1, -2))


@rule("y = slogdet(A)", np.linalg.slogdet)
class slogdet:
    """(sign, log |det A|). The sign of a real matrix is piecewise constant, and that of a complex one its phase."""

    infinite_at_pole = True

    def kind(A):
        square(A)
        return array_or_number(working(A), A.shape[:-2], A.xp), array_or_number(sizes(A), A.shape[:-2], A.xp)

    def d_A(d_y, A, y):
        d_sign, d = d_y
        if is_complex(A):
            d = d + 1j * np.imag(d_sign * y[0])
        return strong(each(d, A), transposed(inverse(A)))

    def t_y(A, y, t_A):
        t = np.sum(transposed(inverse(A)) * t_A, axis=(-1, -2))
        return (y[0] * (1j * np.imag(t)), np.real(t)) if is_complex(A) else (np.zeros_like(y[0]), t)


# ---------------------------------------------------------------------------------------- factorisations
@rule("L = cholesky(A, upper=False)", np.linalg.cholesky)
class cholesky:
    """Murray, "Differentiation of the Cholesky decomposition" (2016). The other triangle is never read."""

    static = "upper"

    def kind(A): return Array(working(square(A)), A.shape, A.xp)

    def d_A(d_L, L, upper):
        if upper:
            return transposed(_cholesky_cotangent(transposed(d_L), transposed(L)))
        return _cholesky_cotangent(d_L, L)

    def t_L(L, upper, t_A):
        if upper:
            return transposed(_cholesky_tangent(transposed(L), transposed(t_A)))
        return _cholesky_tangent(L, t_A)


def _cholesky_cotangent(d_L: Any, L: Any) -> Any:
    T = transposed(L)
    P = by_triangle(T, half(T @ d_L), True)  # L^-T P
    S = transposed(by_triangle(adjoint(L), transposed(P), True))  # (L^-T P) conj(L)^-1
    return lower((S + adjoint(S)) / 2)


def _cholesky_tangent(L: Any, t_A: Any) -> Any:
    M = by_triangle(L, mirrored(t_A), False)
    return L @ half(transposed(by_triangle(conj(L), transposed(M), False)))


@primitive
def by_triangle(A: Any, B: Any, upper: bool) -> Any:
    """A^-1 B, of the upper or the lower triangle of a matrix: a factor is not factored again."""
    solved = solve_triangle(A, B, upper)
    return np.linalg.solve(_triangle(A, upper), B) if solved is None else solved


@rule("X = by_triangle(A, B, upper)", by_triangle)
class by_triangle_rule:
    static = "upper"
    def kind(A, B): return Array(working(A, B), B.shape, B.xp)
    def d_B(d_X, A, upper): return by_triangle(transposed(A), d_X, not upper)
    def d_A(d_B, X, upper): return -_triangle(d_B @ transposed(X), upper)
    def t_X(A, X, upper, t_A, t_B): return by_triangle(A, t_B - _triangle(t_A, upper) @ X, upper)


def _triangle(M: Any, upper: bool) -> Any:
    return np.triu(M) if upper else np.tril(M)
