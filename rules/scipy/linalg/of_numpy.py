"""What NumPy has too: singular values, pseudoinverse, least squares, QR factors, eigenvalues, norms.

The formulas are those of `np.linalg`'s rules.
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import KindError, Num, Opaque
from rules.numpy import least_squares, norms, singular_values, spectral
from rules.rule import rule
from rules.scipy.linalg.arguments import kept


@rule("y = svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver='gesdd')",
      linalg.svd)  # fmt: skip
class svd:
    """y is (U, s, V^H), or s alone without `compute_uv`."""

    static = "full_matrices compute_uv overwrite_a check_finite lapack_driver"

    def kind(a, full_matrices, compute_uv, overwrite_a):
        kept(overwrite_a)
        return singular_values.svd.kind(a, full_matrices, compute_uv, False)

    def d_a(d_y, a, y, full_matrices, compute_uv):
        return singular_values.svd.d_a(d_y, a, y, full_matrices, compute_uv)

    def t_y(a, y, full_matrices, compute_uv, t_a):
        return singular_values.svd.t_y(a, y, full_matrices, compute_uv, t_a)


@rule("s = svdvals(a, overwrite_a=False, check_finite=True)", linalg.svdvals)
class svdvals:
    static = "overwrite_a check_finite"

    def kind(a, overwrite_a):
        kept(overwrite_a)
        return singular_values.svdvals.kind(a)

    def d_a(d_s, a): return singular_values.of_values(d_s, a)
    def t_s(a, t_a): return singular_values.moved_values(a, t_a)


@rule("B = pinv(a, atol=None, rtol=None, return_rank=False, check_finite=True)", linalg.pinv)
class pinv:
    static = "return_rank check_finite"

    def kind(a, return_rank):
        if return_rank:
            raise KindError("linalg.pinv with return_rank=True is not supported", "call np.linalg.matrix_rank")
        return least_squares.pinv.kind(a, False)

    def d_a(d_B, a, B): return least_squares.pinv.d_a(d_B, a, B)
    def t_B(a, B, t_a): return least_squares.pinv.t_B(a, B, t_a)


def _cutoff(a: Any, b: Any, cond: Any) -> Any:
    """Below this part of the largest, singular values count as 0: NumPy's is larger."""
    return float(np.finfo(np.result_type(a.dtype, b.dtype, np.float32)).eps) if cond is None else cond


@rule("y = lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None)",
      linalg.lstsq)  # fmt: skip
class lstsq:
    """y is (solution of least norm, residuals, rank, singular values), differentiated as long as the rank stays.

    The residuals are a number or an array as the rank is full or not: nothing can be done with them.
    """

    static = "overwrite_a overwrite_b check_finite lapack_driver"

    def kind(a, b, overwrite_a, overwrite_b, lapack_driver):
        kept(overwrite_a, overwrite_b)
        if lapack_driver == "gelsy":
            raise KindError('linalg.lstsq with lapack_driver="gelsy" is not supported', "leave it out")
        x, _, _, s = least_squares.lstsq.kind(a, b)
        return x, Opaque("residuals"), Num(int), s

    def d_b(d_y, a, b, cond): return least_squares.pseudoinverse(a, b, _cutoff(a, b, cond)).T @ d_y[0]

    def d_a(d_y, a, b, y, cond):
        d_x, x = d_y[0], y[0]
        B, r = least_squares.pseudoinverse(a, b, _cutoff(a, b, cond)), b - a @ x
        return least_squares.by_solution(d_x, a, B, x, r) + singular_values.of_values(d_y[3], a)

    def t_y(a, b, y, cond, t_a, t_b):
        x = y[0]
        B, r = least_squares.pseudoinverse(a, b, _cutoff(a, b, cond)), b - a @ x
        t_x = least_squares.moved_solution(t_a, t_b, a, B, x, r)
        return t_x, None, 0.0, singular_values.moved_values(a, t_a)


@rule("y = qr(a, overwrite_a=False, lwork=None, mode='full', pivoting=False, check_finite=True)", linalg.qr)
class qr:
    """y is (Q, R), of which Q is as wide as high at most."""

    static = "overwrite_a lwork mode pivoting check_finite"

    def kind(a, overwrite_a, mode, pivoting):
        kept(overwrite_a)
        if mode != "economic" or pivoting:
            raise KindError("linalg.qr is supported in the economic mode, without pivoting", 'write mode="economic"')
        return least_squares.qr.kind(a, "reduced")

    def d_a(d_y, a, y): return least_squares.qr.d_a(d_y, a, y, "reduced")
    def t_y(a, y, t_a): return least_squares.qr.t_y(a, y, "reduced", t_a)


@rule("w = eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False)", linalg.eigvals)
class eigvals:
    """Complex, of a real matrix too."""

    static = "overwrite_a check_finite homogeneous_eigvals"

    def kind(a, b, overwrite_a, homogeneous_eigvals):
        kept(overwrite_a)
        if b is not None or homogeneous_eigvals:
            raise KindError("linalg.eigvals of two matrices is not supported", "solve by the second first")
        return spectral.eigvals.kind(a)

    def d_a(d_w, a, w): return spectral.eigvals.d_a(d_w, a, w)
    def t_w(a, w, t_a): return spectral.eigvals.t_w(a, w, t_a)


@rule("y = norm(a, ord=None, axis=None, keepdims=False, check_finite=True)", linalg.norm)
class norm:
    """Of a vector a number of Python's, by BLAS; by 1 or infinity of a matrix that as well, or not, as it is stored."""

    static = "ord check_finite"

    def kind(a, ord, axis, keepdims):
        y = norms.norm.kind(a, ord, axis, keepdims)
        whole = a.dtype.char in "fdFD" and axis is None and not keepdims
        if whole and a.ndim == 2 and ord in (1, np.inf):
            raise KindError(f"linalg.norm of a matrix with ord={ord} is not supported", "write np.linalg.norm")
        return Num(float) if whole and a.ndim == 1 and ord in (None, 2) else y

    def d_a(d_y, a, y, ord, axis, keepdims): return norms.norm.d_x(d_y, a, y, ord, axis, keepdims)
    def t_y(a, y, ord, axis, keepdims, t_a): return norms.norm.t_y(a, y, ord, axis, keepdims, t_a)
