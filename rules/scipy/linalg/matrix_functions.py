"""The exponential of a matrix, its inverse and determinant, and matrix equations.

The derivative of exp at A along E is the upper right block of exp([[A, E], [0, A]]) (Higham, "Functions of Matrices",
theorem 3.6), and its adjoint is that at A^T.
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError, array_or_number, lengths
from rules.numpy import decompositions
from rules.numpy.matrices import square, transposed, working
from rules.rule import Like, primitive, recorded, rule
from rules.scipy.linalg.arguments import kept, real, single


@primitive
def expm_along(A: Any, E: Any) -> Any:
    """The derivative of the exponential of a matrix, or of each in a stack, at A along E."""
    M = twofold.__wrapped__(A, E, A)
    return corner.__wrapped__(linalg.expm(M), A, 0, 1)


@primitive
def twofold(A: Any, B: Any, D: Any) -> Any:
    """[[A, B], [0, D]], of three square matrices of one size."""
    return np.block([[A, B], [np.zeros_like(A), D]])


@primitive
def corner(M: Any, like: Any, i: int, j: int) -> Any:
    """One of four equal blocks of a matrix, of the shape of `like`: not the lower left one."""
    m, n = like.shape[-2:]
    return M[..., i * m : (i + 1) * m, j * n : (j + 1) * n].copy()


@rule("Y = expm_along(A, E)", expm_along)
class expm_along_rule:
    """As the corner of an exponential; A stands in two of its blocks."""

    def kind(A, E): return Array(np.result_type(A.dtype, E.dtype), A.shape, A.xp)
    def d_E(d_Y, A): return expm_along(transposed(A), d_Y)

    def d_A(d_Y, A, E):
        zeros = np.zeros_like(d_Y)
        d = expm_along(transposed(twofold(A, E, A)), twofold(zeros, d_Y, zeros))
        return corner(d, A, 0, 0) + corner(d, A, 1, 1)

    def t_Y(A, E, t_A, t_E):
        t = expm_along(twofold(A, E, A), twofold(t_A, np.zeros_like(A), t_A))
        return expm_along(A, t_E) + corner(t, A, 0, 1)


def _doubled(A: Any, dtype: Any) -> Array:
    n = lengths().fresh()
    return Array(np.dtype(dtype), (*square(A).shape[:-2], n, n), A.xp)


@rule("M = twofold(A, B, D)", twofold)
class twofold_rule:
    def kind(A, B, D): return _doubled(A, np.result_type(A.dtype, B.dtype, D.dtype))
    def d_A(d_M, A: Like): return corner(d_M, A, 0, 0)
    def d_B(d_M, B: Like): return corner(d_M, B, 0, 1)
    def d_D(d_M, D: Like): return corner(d_M, D, 1, 1)
    def t_M(t_A, t_B, t_D): return twofold(t_A, t_B, t_D)


@rule("Y = corner(M, like, i, j)", corner)
class corner_rule:
    static = "i j"
    def kind(M, like): return Array(M.dtype, like.shape, M.xp)

    def d_M(d_Y, i, j):
        blocks = [np.zeros_like(d_Y)] * 3
        blocks[i + j] = d_Y
        return twofold(*blocks)

    def t_Y(t_M, like: Like, i, j): return corner(t_M, like, i, j)


@rule("Y = expm(A)", linalg.expm)
class expm:
    def kind(A): return Array(working(square(A)), A.shape, A.xp)
    def d_A(d_Y, A): return expm_along(transposed(A), d_Y)
    def t_Y(A, t_A): return expm_along(A, t_A)


# ------------------------------------------------------------------------------------ inverse, determinant
@rule("B = inv(a, overwrite_a=False, check_finite=True, assume_a=None, lower=False)", linalg.inv)
class inv:
    static = "overwrite_a check_finite assume_a lower"

    def kind(a, overwrite_a, assume_a):
        kept(overwrite_a)
        if assume_a not in (None, "gen", "general"):
            raise KindError(f"linalg.inv with assume_a={assume_a!r} is not supported", "leave it out")
        return Array(working(square(a)), a.shape, a.xp)

    def d_a(d_B, B): return decompositions.inv.d_A(d_B, B)
    def t_B(B, t_a): return decompositions.inv.t_B(B, t_a)


@rule("y = det(a, overwrite_a=False, check_finite=True)", linalg.det)
class det:
    """In double precision, whatever that of the matrix is."""

    static = "overwrite_a check_finite"

    def kind(a, overwrite_a):
        kept(overwrite_a)
        dtype = np.dtype(complex if square(a).dtype.kind == "c" else float)
        return array_or_number(dtype, a.shape[:-2], a.xp)

    def d_a(d_y, a): return decompositions.det.d_A(d_y, a)
    def t_y(a, t_a): return decompositions.det.t_y(a, t_a)


# ---------------------------------------------------------------------------------------------- equations
@rule("x = solve_sylvester(a, b, q)", linalg.solve_sylvester)
class solve_sylvester:
    """a x + x b = q."""

    def kind(a, b, q):
        single(a, "solve_sylvester")
        single(b, "solve_sylvester")
        return Array(working(a, b, q), q.shape, q.xp)

    def d_q(d_x, a, b): return recorded(linalg.solve_sylvester, a.T, b.T, d_x)
    def d_a(d_q, x): return -(d_q @ x.T)
    def d_b(d_q, x): return -(x.T @ d_q)
    def t_x(a, b, x, t_a, t_b, t_q): return recorded(linalg.solve_sylvester, a, b, t_q - t_a @ x - x @ t_b)


@rule("x = solve_continuous_lyapunov(a, q)", linalg.solve_continuous_lyapunov, linalg.solve_lyapunov)
class solve_continuous_lyapunov:
    """a x + x a^T = q."""

    def kind(a, q):
        real("solve_continuous_lyapunov", single(a, "solve_continuous_lyapunov"), q)
        return Array(working(a, q), q.shape, q.xp)

    def d_q(d_x, a): return recorded(linalg.solve_continuous_lyapunov, a.T, d_x)
    def d_a(d_q, x): return -(d_q @ x.T + d_q.T @ x)

    def t_x(a, x, t_a, t_q):
        return recorded(linalg.solve_continuous_lyapunov, a, t_q - t_a @ x - x @ t_a.T)
