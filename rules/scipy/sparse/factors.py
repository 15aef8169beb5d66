"""Systems of sparse matrices that are made of data: factored once, for the solution and for its derivatives."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from rules.kind import Array, KindError, Token, kind_of, lengths
from rules.libraries import follow, stands_for
from rules.numpy.matrices import conj
from rules.rule import nondifferentiable, primitive, rule
from rules.scipy.forms import refused
from rules.scipy.sparse.elements import data_of, element_products, matrix_product
from rules.scipy.sparse.matrices import is_sparse, operand
from rules.scipy.sparse.pattern import Pattern, structure, transposed


@primitive
def factored(pattern: Pattern, data: Any, permc_spec: Any = None, strict: bool = False) -> Any:
    """The factors that `splu` gives; of a singular matrix None, with SciPy's warning, unless `strict`."""
    A = sparse.csc_array(pattern.matrix(data), copy=True)
    if strict:
        return linalg.splu(A, permc_spec)
    try:
        return linalg.splu(A, permc_spec)
    except RuntimeError:
        warnings.warn("Matrix is exactly singular", linalg.MatrixRankWarning, stacklevel=2)
        return None


def _factored(pattern: Any, data: Any) -> Token:
    p = structure(pattern)
    lengths().agree(p.rows, p.columns)
    data_of(data, pattern)
    return Token("factors")


nondifferentiable("lu = factored(pattern, data, permc_spec=None, strict=False)", factored, kind=_factored)


@primitive
def factored_solution(lu: Any, pattern: Pattern, data: Any, b: Any, trans: str = "N") -> Any:
    """The solution of A x = b, or with "T" or "H" of the transpose, by the factors of the matrix."""
    if lu is None:
        return np.full(b.shape, np.nan, np.result_type(data, b))
    return lu.solve(b.astype(np.result_type(data, b), copy=False), trans)


@rule("x = factored_solution(lu, pattern, data, b, trans='N')", factored_solution)
class factored_solution_rule:
    """The factors are computed from the matrix: the derivative by them is that by its data."""

    static = "trans"
    constant = "lu"

    def kind(lu, pattern, data, b, trans):
        p, data, b = structure(pattern), data_of(data, pattern), kind_of(b)
        if not isinstance(b, Array) or b.ndim not in (1, 2):
            raise KindError(f"a sparse system with {b} on the right-hand side is not supported",
                            "give it a vector or a matrix")
        if trans not in ("N", "T", "H"):
            raise KindError(f"the solution by factors with trans={trans!r} is not supported", 'write "N", "T" or "H"')
        lengths().equate(b.shape[0], p.rows)
        return Array(np.result_type(data.dtype, b.dtype), (p.rows, *b.shape[1:]))

    def d_b(d_x, lu, pattern, data, trans):
        if trans == "H":
            return conj(factored_solution(lu, pattern, data, conj(d_x)))
        return factored_solution(lu, pattern, data, d_x, "N" if trans == "T" else "T")

    def d_data(d_b, pattern, x, trans):
        if trans == "N":
            return -element_products(pattern, d_b, x)
        made = -element_products(pattern, x, d_b)
        return conj(made) if trans == "H" else made

    def t_x(lu, pattern, data, x, trans, t_data, t_b):
        if trans == "N":
            moved = matrix_product(pattern, t_data, x)
        else:
            moved = matrix_product(transposed(pattern), conj(t_data) if trans == "H" else t_data, x)
        return factored_solution(lu, pattern, data, t_b - moved, trans)


# ----------------------------------------------------------------------------------- in place of SciPy's
class SuperLU:
    """What `splu` gives of a matrix that is made of data."""

    def __init__(self, A: Any, permc_spec: Any = None) -> None:
        if A.dtype.kind not in "fc":
            refused("splu of integers", "write A.astype(float)")
        self.pattern = A.pattern
        self.elements = A.elements.copy()  # the factors stay as they are when the matrix is changed
        self.shape = A.shape
        self.lu = factored(self.pattern, self.elements, permc_spec, True)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        b = np.asarray(rhs)
        if np.result_type(self.elements.dtype, b.dtype) != self.elements.dtype:
            refused("the solution by factors of another dtype than the right-hand side", "write A.astype(b.dtype)")
        return factored_solution(self.lu, self.pattern, self.elements, b, trans)


stands_for(SuperLU, linalg.SuperLU)


def splu(A: Any, permc_spec: Any = None) -> Any:
    return SuperLU(operand(A), permc_spec)


def factorized(A: Any) -> Any:
    return SuperLU(operand(A)).solve


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """`linalg.spsolve` of a matrix that is made of data, or of a known one with a right-hand side that is sparse."""
    if is_sparse(b):
        refused("spsolve with a sparse right-hand side", "write b.toarray()")
    S, b = operand(A), np.asarray(b)
    dtype = np.result_type(S.dtype, b.dtype, np.float32)
    data = S.elements if S.dtype == dtype else S.elements.astype(dtype)
    if b.ndim == 2 and b.shape[1] == 1:
        refused("spsolve of one column, which gives a vector,", "give it the vector: b[:, 0]")
    lu = factored(S.pattern, data, permc_spec)
    return factored_solution(lu, S.pattern, data, b if b.dtype == dtype else b.astype(dtype))


follow(splu, linalg.splu)
follow(factorized, linalg.factorized)
follow(spsolve, linalg.spsolve)
