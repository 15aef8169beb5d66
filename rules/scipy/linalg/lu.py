"""L U of a matrix whose rows have been exchanged, and what is solved by it.

Of M = L U the cotangent is L^-T (tril(L^T d_L, -1) + triu(d_U U^T)) U^-T, where tril leaves out the diagonal.
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError
from rules.numpy.matrices import working
from rules.rule import nondifferentiable, primitive, recorded, rule
from rules.scipy.linalg.arguments import kept, outer, real, right_hand, single

#: The dtype of the exchanges.
PIVOTS = linalg.lu_factor(np.eye(1))[1].dtype


@primitive
def row_order(piv: Any) -> Any:
    """Which row of the matrix has become which of L U, from the exchanges one after the other."""
    order = np.arange(len(piv))
    for i, k in enumerate(piv):
        order[[i, k]] = order[[k, i]]
    return order


nondifferentiable("k = row_order(piv)", row_order, kind=lambda piv: Array(np.dtype(np.intp), piv.shape, piv.xp))


def _by_lower(lu: Any, X: Any, trans: int = 0) -> Any:
    return recorded(linalg.solve_triangular, lu, X, trans=trans, lower=True, unit_diagonal=True)


def _by_upper(lu: Any, X: Any, trans: int = 0) -> Any:
    return recorded(linalg.solve_triangular, lu, X, trans=trans)


def _times_lower(lu: Any, X: Any, transpose: bool = False) -> Any:
    """L X, or L^T X: the diagonal of L is 1 and not stored."""
    L = np.tril(lu, -1)
    return X + (L.T if transpose else L) @ X


@rule("y = lu_factor(a, overwrite_a=False, check_finite=True)", linalg.lu_factor)
class lu_factor:
    """y is (L U in one matrix, the exchanges of rows)."""

    static = "overwrite_a check_finite"

    def kind(a, overwrite_a):
        kept(overwrite_a)
        single(a, "lu_factor")
        return Array(working(a), a.shape, a.xp), Array(PIVOTS, a.shape[:1], a.xp)

    def d_a(d_y, y):
        (lu, piv), d = y, d_y[0]
        inner = np.tril(_times_lower(lu, np.tril(d, -1), True), -1) + np.triu(np.triu(d) @ np.triu(lu).T)
        return _by_upper(lu, _by_lower(lu, inner, 1).T).T[np.argsort(row_order(piv))]

    def t_y(y, t_a):
        lu, piv = y
        F = _by_upper(lu, _by_lower(lu, t_a[row_order(piv)]).T, 1).T
        return _times_lower(lu, np.tril(F, -1)) + np.triu(F) @ np.triu(lu), 0.0


def _swapped(trans: Any) -> int:
    return 0 if trans else 1


@rule("x = lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True)", linalg.lu_solve)
class lu_solve:
    static = "trans overwrite_b check_finite"

    def kind(lu_and_piv, b, trans, overwrite_b):
        kept(overwrite_b)
        if not isinstance(lu_and_piv, tuple | list) or len(lu_and_piv) != 2:
            raise KindError("linalg.lu_solve takes what linalg.lu_factor gives", "write a pair: (lu, piv)")
        if trans == 2:
            real("lu_solve with trans=2", lu_and_piv[0], b)
        return right_hand(lu_and_piv[0], b, "lu_solve")

    def d_b(d_x, lu_and_piv, trans): return recorded(linalg.lu_solve, lu_and_piv, d_x, trans=_swapped(trans))

    def d_lu_and_piv(d_b, lu_and_piv, x, trans):
        lu, piv = lu_and_piv
        G = -(outer(x, d_b) if trans else outer(d_b, x))[row_order(piv)]
        return [np.tril(G @ np.triu(lu).T, -1) + np.triu(_times_lower(lu, G, True)), 0.0]

    def t_x(lu_and_piv, x, trans, t_lu_and_piv, t_b):
        (lu, piv), t = lu_and_piv, t_lu_and_piv[0]
        t = np.tril(t, -1) @ np.triu(lu) + _times_lower(lu, np.triu(t))
        t = t[np.argsort(row_order(piv))]
        return recorded(linalg.lu_solve, lu_and_piv, t_b - (t.T if trans else t) @ x, trans=1 if trans else 0)


@rule("y = lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False)", linalg.lu)
class lu:
    """y is (P, L, U) of a square matrix A = P L U; P is constant."""

    static = "permute_l overwrite_a check_finite p_indices"

    def kind(a, permute_l, overwrite_a, p_indices):
        kept(overwrite_a)
        if permute_l or p_indices:
            raise KindError("linalg.lu with permute_l or p_indices is not supported", "leave it out, and form P @ L")
        single(a, "lu")
        return (Array(np.empty(0, working(a)).real.dtype, a.shape, a.xp), *[Array(working(a), a.shape, a.xp)] * 2)

    def d_a(d_y, y):
        (P, L, U), (_, d_L, d_U) = y, d_y
        inner = np.tril(L.T @ d_L, -1) + np.triu(d_U @ U.T)
        return P @ _by_upper(U, _by_lower(L, inner, 1).T).T

    def t_y(y, t_a):
        P, L, U = y
        F = _by_upper(U, _by_lower(L, P.T @ t_a).T, 1).T
        return 0.0, L @ np.tril(F, -1), np.triu(F) @ U
