"""Rules of what solves equations in the sense of least squares: pseudoinverse, solution of least norm, QR factors."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, array_or_number, kind_of, lengths, library
from rules.numpy.matrices import adjoint, conj, half, matrix, shorter, sizes, transposed, working
from rules.numpy.reductions import largest
from rules.numpy.singular_values import moved_values, of_values
from rules.numpy.spectral import beyond
from rules.operands import is_complex, rank
from rules.rule import Like, borrows, primitive, rule


# ----------------------------------------------------------------------------------------- pseudoinverse
def _pinv_cotangent(d_B: Any, A: Any, B: Any) -> Any:
    D = transposed(d_B)
    rest = (D - A @ (B @ D)) @ (B @ adjoint(B)) + (adjoint(B) @ B) @ (D - (D @ B) @ A)
    return conj(rest) - transposed(B) @ d_B @ transposed(B)


def _pinv_tangent(t_A: Any, A: Any, B: Any) -> Any:
    H = adjoint(t_A)
    rest = (B @ adjoint(B)) @ (H - (H @ A) @ B) + (H - B @ (A @ H)) @ (adjoint(B) @ B)
    return rest - B @ t_A @ B


@rule("B = pinv(a, rcond=None, hermitian=False)", np.linalg.pinv)
class pinv:
    """Among matrices of one rank: where that changes, the pseudoinverse jumps.

    Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
    separate" (1973), equation 4.12.
    """

    static = "hermitian"

    def kind(a, hermitian):
        if hermitian:
            raise KindError("np.linalg.pinv with hermitian=True is not supported", "leave it out")
        return Array(working(matrix(a)), (*a.shape[:-2], a.shape[-1], a.shape[-2]), a.xp)

    def d_a(d_B, a, B): return _pinv_cotangent(d_B, a, B)
    def t_B(a, B, t_a): return _pinv_tangent(t_a, a, B)


def _precision(a: Any, b: Any) -> np.dtype[Any]:
    """The dtype of `a` where it is solved for `b`."""
    return working(a, b) if is_complex(a) else sizes(a, b)


@primitive
def pseudoinverse(a: Any, b: Any, rcond: Any = None) -> Any:
    """`np.linalg.pinv` of `a`, in the precision and with the rank that `np.linalg.lstsq` has for `b`."""
    dtype = _precision(a, b)
    return np.linalg.pinv(a.astype(dtype, copy=False), np.finfo(dtype).eps * max(a.shape) if rcond is None else rcond)


@rule("B = pseudoinverse(a, b, rcond=None)", pseudoinverse)
class pseudoinverse_rule:
    like = "b"
    def kind(a, b): return Array(_precision(a, b), (a.shape[1], a.shape[0]), a.xp)
    def d_a(d_B, a, B): return _pinv_cotangent(d_B, a, B)
    def t_B(a, B, t_a): return _pinv_tangent(t_a, a, B)


# ---------------------------------------------------------------------------------------- least squares
@primitive
def weights(d: Any, like: Any) -> Any:
    """The cotangent `d` of the residuals of the columns of `like`: zeros where NumPy gives no residuals."""
    if not d.size:
        d = np.zeros_like(d, shape=like.shape[1:])
    return d if like.ndim == 2 else np.reshape(d, ())[()]


@rule("y = weights(d, like)", weights)
class weights_rule:
    def kind(d, like): return array_or_number(d.dtype, kind_of(like).shape[1:], library(like))
    view = "d"
    @borrows("d_y")
    def d_d(d_y, d: Like): return np.reshape(d_y, (-1,))[: d.shape[0]]
    def t_y(t_d, like: Like): return weights(t_d, like)


@rule("y = lstsq(a, b, rcond=None)", np.linalg.lstsq)
class lstsq:
    """y is (solution of least norm, residuals, rank, singular values), differentiated as long as the rank stays.

    The residuals are an array of no elements where the rank is not full, or there are not more rows than columns.
    """

    def kind(a, b):
        a, b = matrix(a), kind_of(b)
        if a.ndim != 2 or not isinstance(b, Array) or b.ndim not in (1, 2):
            raise KindError("np.linalg.lstsq takes a matrix, and a right-hand side of one or two axes", "give it these")
        lengths().agree(a.shape[0], b.shape[0])
        dtype, real = working(a, b), sizes(a, b)
        return (Array(dtype, (a.shape[1], *b.shape[1:]), a.xp), Array(real, (lengths().fresh(),), a.xp),
                array_or_number(np.dtype(np.int32), (), a.xp), Array(real, (shorter(a),), a.xp))  # fmt: skip

    def d_b(d_y, a, b, y, rcond):
        return pseudoinverse(a, b, rcond).T @ d_y[0] + 2 * weights(d_y[1], b) * conj(b - a @ y[0])

    def d_a(d_y, a, b, y, rcond):
        (d_x, d_r, _, d_s), x = d_y, y[0]
        B, r = pseudoinverse(a, b, rcond), b - a @ x
        return by_solution(d_x, a, B, x, r) - _product(2 * weights(d_r, b) * conj(r), x) + of_values(d_s, a)

    def t_y(a, b, y, rcond, t_a, t_b):
        x, residuals, ranks, _ = y
        B, r = pseudoinverse(a, b, rcond), b - a @ x
        t_x = moved_solution(t_a, t_b, a, B, x, r)
        t_r = np.reshape(2 * np.sum(np.real(conj(r) * (t_b - t_a @ x)), axis=0), (-1,))[: residuals.shape[0]]
        return t_x, t_r, np.zeros_like(ranks), moved_values(a, t_a)


def by_solution(d_x: Any, a: Any, B: Any, x: Any, r: Any) -> Any:
    """The cotangent of the matrix from that of the solution: B is its pseudoinverse, r what remains."""
    u = B.T @ d_x
    rest = _product(conj(r), B @ conj(u)) + _product(B.T @ conj(x), conj(d_x - a.T @ u))
    return rest - _product(u, x)


def moved_solution(t_a: Any, t_b: Any, a: Any, B: Any, x: Any, r: Any) -> Any:
    """The tangent of the solution."""
    H = adjoint(t_a)
    v = H @ (adjoint(B) @ x)
    return B @ (t_b - t_a @ x) + B @ (adjoint(B) @ (H @ r)) + (v - B @ (a @ v))


def _product(a: Any, b: Any) -> Any:
    """a b^T for matrices, and for vectors as matrices of one column."""
    return np.outer(a, b) if rank(a) == 1 else a @ b.T


# -------------------------------------------------------------------------------------------- QR factors
@primitive
def regular(R: Any) -> Any:
    """The triangular `R` itself. Raises LinAlgError where it is singular up to rounding."""
    size = np.abs(np.diagonal(R, axis1=-2, axis2=-1))
    least = np.finfo(R.dtype).eps * R.shape[-1] * largest(size)
    if np.any(size <= least):
        raise np.linalg.LinAlgError("QR factors have no derivative where columns of the matrix depend on each other")
    return R


@rule("y = regular(R)", regular)
class regular_rule:
    def kind(R): return R
    view = "R"
    @borrows("d_y")
    def d_R(d_y): return d_y
    def t_y(t_R): return t_R


@primitive
def beside(left: Any, right: Any) -> Any:
    """[left right], `left` itself where the other has no columns."""
    return np.concatenate((left, right), axis=-1) if right.shape[-1] else left


@rule("C = beside(left, right)", beside)
class beside_rule:
    def kind(left, right):
        n, m = map(lengths().resolve, (left.shape[-1], right.shape[-1]))
        total = n + m.offset if m.constant else m + n.offset if n.constant else lengths().fresh()
        return Array(np.result_type(left.dtype, right.dtype), (*left.shape[:-1], total), left.xp)

    view = "left"
    @borrows("d_C")
    def d_left(d_C, left: Like): return d_C[..., : left.shape[-1]]
    @borrows("d_C")
    def d_right(d_C, left: Like): return d_C[..., left.shape[-1] :]
    def t_C(t_left, t_right): return beside(t_left, t_right)


@rule("y = qr(a, mode='reduced')", np.linalg.qr)
class qr:
    """y is (Q, R) or, in the mode "r", R alone; the first columns of `a`, as many as Q has, are independent.

    The diagonal of R is real, so that Q is determined. Walter and Lehmann, "Algorithmic differentiation of linear
    algebra functions with application in optimum experimental design" (2010); of what is wider than high the rest of R
    is Q^H times the rest of `a`.
    """

    static = "mode"

    def kind(a, mode):
        if mode not in ("reduced", "r"):
            raise KindError(f"np.linalg.qr with mode={mode!r} is not supported", 'take "reduced" or "r"')
        a, k = matrix(a), shorter(matrix(a))
        R = Array(working(a), (*a.shape[:-2], k, a.shape[-1]), a.xp)
        return R if mode == "r" else (Array(R.dtype, (*a.shape[:-1], k), a.xp), R)

    def d_a(d_y, a, y, mode):
        if mode == "r":
            Q, R, d_R = np.linalg.qr(a)[0], y, d_y
        else:
            (Q, R), (d_Q, d_R) = y, d_y
        k = Q.shape[-1]
        R1, d_R1, d_R2 = R[..., :k], d_R[..., :k], d_R[..., k:]
        Y = d_R1 @ transposed(R1)
        X = conj(R[..., k:]) @ adjoint(d_R2) - Y
        if mode == "r":
            d = conj(Q) @ (half(X - adjoint(X)) + Y)
        else:
            K = transposed(Q) @ d_Q
            X = X + K
            d = d_Q + conj(Q) @ (half(X - adjoint(X)) + Y - K)
        return beside(transposed(np.linalg.solve(regular(R1), transposed(d))), conj(Q) @ d_R2)

    def t_y(a, y, mode, t_a):
        Q, R = (np.linalg.qr(a)[0], y) if mode == "r" else y
        k = Q.shape[-1]
        B = transposed(np.linalg.solve(transposed(regular(R[..., :k])), transposed(t_a[..., :k])))  # dA R^-1
        C = adjoint(Q) @ B
        turn = _turn(C)
        t_R = adjoint(Q) @ t_a - turn @ R
        return t_R if mode == "r" else (Q @ turn + beyond(Q, B), t_R)


def _turn(C: Any) -> Any:
    """The skew matrix with the strictly lower triangle of C and the imaginary part of its diagonal."""
    L = half(C)
    return L - adjoint(L)
