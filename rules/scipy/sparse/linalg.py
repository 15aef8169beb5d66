"""Rules for `scipy.sparse.linalg`: systems of a sparse matrix that is known, by their right-hand side."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from rules.kind import Array, KindError, constant, kind_of, lengths
from rules.libraries import operations
from rules.rule import primitive, rule
from rules.scipy.sparse import factors as factors
from rules.scipy.sparse.products import known_matrix


def _right_hand(b: Any, n: int, what: str) -> Array:
    b = kind_of(b)
    if not isinstance(b, Array) or b.ndim not in (1, 2):
        raise KindError(f"{what} takes a vector or a matrix on the right-hand side, not {b}", "write a loop")
    if b.ndim == 2 and lengths().is_one(b.shape[1]):
        raise KindError(f"{what} of one column gives a vector, and is not supported", "give it the vector: b[:, 0]")
    lengths().agree(b.shape[0], constant(n))
    return b


# ------------------------------------------------------------------------------------------------- spsolve
@primitive
def transposed_spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """The solution of A^T x = b."""
    return linalg.spsolve(A.T.tocsc(), b, permc_spec, use_umfpack)


@primitive
def sparse_solution(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """`linalg.spsolve`, of a matrix in any format."""
    return linalg.spsolve(A.tocsc(), b, permc_spec, use_umfpack)


def _solution(A: Any, b: Any) -> Array:
    n = known_matrix(A, "sparse.linalg.spsolve").shape[0]
    b = _right_hand(b, n, "sparse.linalg.spsolve")
    one = sparse.csc_matrix(np.ones((1, 1), A.dtype))
    return Array(linalg.spsolve(one, np.ones(1, b.dtype)).dtype, (constant(n), *b.shape[1:]), b.xp)


@rule("x = spsolve(A, b, permc_spec=None, use_umfpack=True)", linalg.spsolve)
class spsolve:
    static = "permc_spec use_umfpack"
    def kind(A, b): return _solution(A, b)
    def d_b(d_x, A, permc_spec, use_umfpack): return transposed_spsolve(A, d_x, permc_spec, use_umfpack)
    def t_x(A, t_b, permc_spec, use_umfpack): return sparse_solution(A, t_b, permc_spec, use_umfpack)


@rule("x = sparse_solution(A, b, permc_spec=None, use_umfpack=True)", sparse_solution)
class sparse_solution_rule:
    static = "permc_spec use_umfpack"
    def kind(A, b): return _solution(A, b)
    def d_b(d_x, A, permc_spec, use_umfpack): return transposed_spsolve(A, d_x, permc_spec, use_umfpack)
    def t_x(A, t_b, permc_spec, use_umfpack): return sparse_solution(A, t_b, permc_spec, use_umfpack)


@rule("x = transposed_spsolve(A, b, permc_spec=None, use_umfpack=True)", transposed_spsolve)
class transposed_spsolve_rule:
    static = "permc_spec use_umfpack"
    def kind(A, b): return _solution(A, b)
    def d_b(d_x, A, permc_spec, use_umfpack): return sparse_solution(A, d_x, permc_spec, use_umfpack)
    def t_x(A, t_b, permc_spec, use_umfpack): return transposed_spsolve(A, t_b, permc_spec, use_umfpack)


# ---------------------------------------------------------------------------------------------- factored once
@primitive
def factored_solve(lu: Any, rhs: Any, trans: str = "N") -> Any:
    """`lu.solve(rhs, trans)`, by the factors that `splu` has given, or by the function that `factorized` has."""
    return lu.solve(rhs, trans)


@rule("x = factored_solve(lu, rhs, trans='N')", factored_solve)
class factored_solve_rule:
    static = "trans"

    def kind(lu, rhs, trans):
        n = lu.shape[0]
        b = _right_hand(rhs, n, "the solution by factors")
        dtype = lu.solve(np.zeros(n, b.dtype)).dtype
        if trans not in ("N", "T"):
            raise KindError(f"the solution by factors with trans={trans!r} is not supported", 'write "N" or "T"')
        return Array(dtype, (constant(n), *b.shape[1:]), b.xp)

    def d_rhs(d_x, lu, trans): return factored_solve(lu, d_x, "T" if trans == "N" else "N")
    def t_x(lu, trans, t_rhs): return factored_solve(lu, t_rhs, trans)


operations(linalg.SuperLU, solve=factored_solve)
