"""Linear systems: of matrices as they are, triangular, or factored by Cholesky.

Of A x = b the cotangents are A^T d_b = d_x and d_A = -d_b x^T (Giles, "Collected matrix derivative results", 2008).
Where a function reads a triangle alone, that gets all of it, and the other is given zeros.
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import KindError
from rules.numpy.matrices import lower as of_lower
from rules.numpy.matrices import mirrored
from rules.rule import primitive, recorded, rule
from rules.scipy.linalg.arguments import kept, outer, real, right_hand

SYMMETRIC = ("sym", "her", "pos")


# ------------------------------------------------------------------------------------------- in general
@rule("x = solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, "
      "transposed=False)", linalg.solve)  # fmt: skip
class solve:
    static = "lower overwrite_a overwrite_b check_finite assume_a transposed"

    def kind(a, b, lower, overwrite_a, overwrite_b, assume_a, transposed):
        kept(overwrite_a, overwrite_b)
        if assume_a not in (None, "gen", "general", *SYMMETRIC):
            raise KindError(f"linalg.solve with assume_a={assume_a!r} is not supported",
                            'write assume_a="gen", or linalg.solve_triangular')
        x = right_hand(a, b, "solve")
        if assume_a in SYMMETRIC:
            real("solve with a triangle that is read", a, b)
        return x

    def d_b(d_x, a, lower, assume_a, transposed): return _solved(a, d_x, lower, assume_a, not transposed)

    def d_a(d_b, x, lower, assume_a, transposed):
        G = -(outer(x, d_b) if transposed else outer(d_b, x))
        if assume_a in SYMMETRIC:
            return of_lower(G) if lower else of_lower(G.T).T
        return G

    def t_x(a, x, lower, assume_a, transposed, t_a, t_b):
        if assume_a in SYMMETRIC:
            t_a = mirrored(t_a) if lower else mirrored(t_a.T)
        elif transposed:
            t_a = t_a.T
        return _solved(a, t_b - t_a @ x, lower, assume_a, transposed)


def _solved(a: Any, d: Any, lower: bool, assume_a: Any, transpose: bool) -> Any:
    if assume_a in SYMMETRIC:
        return recorded(linalg.solve, a, d, lower=lower, assume_a=assume_a)
    return recorded(linalg.solve, a.T if transpose else a, d)


# ------------------------------------------------------------------------------------------- triangular
def _transposes(trans: Any) -> bool:
    return trans in (1, "T", 2, "C")


def _triangle(G: Any, lower: bool, unit: bool) -> Any:
    """The part of a triangular matrix that is read: without the diagonal where that counts as ones."""
    return np.tril(G, -1 if unit else 0) if lower else np.triu(G, 1 if unit else 0)


@rule("x = solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True)",
      linalg.solve_triangular)  # fmt: skip
class solve_triangular:
    static = "trans lower unit_diagonal overwrite_b check_finite"

    def kind(a, b, trans, overwrite_b):
        kept(overwrite_b)
        x = right_hand(a, b, "solve_triangular")
        if trans in (2, "C"):
            real("solve_triangular with trans=2", a, b)
        return x

    def d_b(d_x, a, trans, lower, unit_diagonal):
        return _solved_triangular(a, d_x, not _transposes(trans), lower, unit_diagonal)

    def d_a(d_b, x, trans, lower, unit_diagonal):
        return -_triangle(outer(x, d_b) if _transposes(trans) else outer(d_b, x), lower, unit_diagonal)

    def t_x(a, x, trans, lower, unit_diagonal, t_a, t_b):
        t = _triangle(t_a, lower, unit_diagonal)
        t = t_b - (t.T if _transposes(trans) else t) @ x
        return _solved_triangular(a, t, _transposes(trans), lower, unit_diagonal)


def _solved_triangular(a: Any, d: Any, transpose: bool, lower: bool, unit: bool) -> Any:
    return recorded(linalg.solve_triangular, a, d, trans=int(transpose), lower=lower, unit_diagonal=unit)


# ------------------------------------------------------------------------------------ by Cholesky's factor
@primitive
def lower_factor(c: Any, lower: Any) -> Any:
    """L of A = L L^T, from what `cho_factor` gives: one triangle of `c`, the upper one if `lower` is false."""
    return np.tril(c) if lower else np.triu(c).T


@primitive
def as_stored(L: Any, lower: Any) -> Any:
    """The lower triangle of a matrix, as `cho_factor` stores it."""
    return np.tril(L) if lower else np.tril(L).T


@rule("L = lower_factor(c, lower)", lower_factor)
class lower_factor_rule:
    view = "c"
    def kind(c): return c
    def d_c(d_L, lower): return as_stored(d_L, lower)
    def t_L(t_c, lower): return lower_factor(t_c, lower)


@rule("c = as_stored(L, lower)", as_stored)
class as_stored_rule:
    def kind(L): return L
    def d_L(d_c, lower): return lower_factor(d_c, lower)
    def t_c(t_L, lower): return as_stored(t_L, lower)


def _pair(c_and_lower: Any) -> Any:
    if not isinstance(c_and_lower, tuple | list) or len(c_and_lower) != 2:
        raise KindError("linalg.cho_solve takes what linalg.cho_factor gives", "write a pair: (c, lower)")
    return c_and_lower


@rule("x = cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True)", linalg.cho_solve)
class cho_solve:
    static = "overwrite_b check_finite"

    def kind(c_and_lower, b, overwrite_b):
        kept(overwrite_b)
        c, _ = _pair(c_and_lower)
        real("cho_solve", c, b)
        return right_hand(c, b, "cho_solve")

    def d_b(d_x, c_and_lower): return recorded(linalg.cho_solve, c_and_lower, d_x)

    def d_c_and_lower(d_b, c_and_lower, x):
        c, lower = c_and_lower
        G = -outer(d_b, x)
        return [as_stored((G + G.T) @ lower_factor(c, lower), lower), 0.0]

    def t_x(c_and_lower, x, t_c_and_lower, t_b):
        c, lower = c_and_lower
        M = lower_factor(t_c_and_lower[0], lower) @ lower_factor(c, lower).T
        return recorded(linalg.cho_solve, c_and_lower, t_b - (M + M.T) @ x)
