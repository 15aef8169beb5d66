"""Factors and eigenvalues of symmetric matrices, of which a triangle is read: the formulas of `np.linalg`'s rules.

Unlike there, it is the upper triangle that `cholesky` reads unless it is told otherwise, and the upper factor it gives.
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError, Num
from rules.numpy import decompositions, spectral
from rules.numpy.matrices import sizes, square, working
from rules.rule import rule
from rules.scipy.linalg.arguments import kept, real, single


@rule("c = cholesky(a, lower=False, overwrite_a=False, check_finite=True)", linalg.cholesky)
class cholesky:
    static = "lower overwrite_a check_finite"

    def kind(a, overwrite_a):
        kept(overwrite_a)
        return Array(working(square(a)), a.shape, a.xp)

    def d_a(d_c, c, lower): return decompositions.cholesky.d_A(d_c, c, not lower)
    def t_c(c, lower, t_a): return decompositions.cholesky.t_L(c, not lower, t_a)


@rule("y = cho_factor(a, lower=False, overwrite_a=False, check_finite=True)", linalg.cho_factor)
class cho_factor:
    """y is (c, lower). The other triangle of c is that of the matrix, which nothing reads."""

    static = "lower overwrite_a check_finite"

    def kind(a, overwrite_a):
        kept(overwrite_a)
        real("cho_factor", single(a, "cho_factor"))
        return Array(working(a), a.shape, a.xp), Num(bool)

    def d_a(d_y, y, lower):
        d, c = d_y[0], y[0]
        rest = np.triu(d, 1) if lower else np.tril(d, -1)
        d, c = (np.tril(d), np.tril(c)) if lower else (np.triu(d), np.triu(c))
        return decompositions.cholesky.d_A(d, c, not lower) + rest

    def t_y(y, lower, t_a):
        c = np.tril(y[0]) if lower else np.triu(y[0])
        rest = np.triu(t_a, 1) if lower else np.tril(t_a, -1)
        return decompositions.cholesky.t_L(c, not lower, t_a) + rest, 0.0


def _plain(name: str, a: Any, b: Any, overwrite: Any, subset: Any) -> Any:
    kept(*overwrite)
    if b is not None:
        raise KindError(f"linalg.{name} of two matrices is not supported",
                        "take a Cholesky factor of the second: L^-1 A L^-T has the same eigenvalues")
    if any(s is not None for s in subset):
        raise KindError(f"linalg.{name} of some eigenvalues is not supported", "index what it gives of all")
    return square(a)


def _uplo(lower: Any) -> str:
    return "L" if lower else "U"


@rule("y = eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, "
      "check_finite=True, subset_by_index=None, subset_by_value=None, driver=None)", linalg.eigh)  # fmt: skip
class eigh:
    """y is (eigenvalues, eigenvectors), or the eigenvalues alone."""

    static = "lower eigvals_only overwrite_a overwrite_b type check_finite subset_by_index subset_by_value driver"

    def kind(a, b, eigvals_only, overwrite_a, overwrite_b, subset_by_index, subset_by_value):
        a = _plain("eigh", a, b, (overwrite_a, overwrite_b), (subset_by_index, subset_by_value))
        w = Array(sizes(a), a.shape[:-1], a.xp)
        return w if eigvals_only else (w, Array(working(a), a.shape, a.xp))

    def d_a(d_y, a, y, lower, eigvals_only):
        if eigvals_only:
            return spectral.eigvalsh.d_A(d_y, a, _uplo(lower))
        return spectral.eigh.d_A(d_y, y, _uplo(lower))

    def t_y(a, y, lower, eigvals_only, t_a):
        if eigvals_only:
            return spectral.eigvalsh.t_w(a, _uplo(lower), t_a)
        return spectral.eigh.t_y(y, _uplo(lower), t_a)


@rule("w = eigvalsh(a, b=None, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, "
      "subset_by_index=None, subset_by_value=None, driver=None)", linalg.eigvalsh)  # fmt: skip
class eigvalsh:
    static = "lower overwrite_a overwrite_b type check_finite subset_by_index subset_by_value driver"

    def kind(a, b, overwrite_a, overwrite_b, subset_by_index, subset_by_value):
        a = _plain("eigvalsh", a, b, (overwrite_a, overwrite_b), (subset_by_index, subset_by_value))
        return Array(sizes(a), a.shape[:-1], a.xp)

    def d_a(d_w, a, lower): return spectral.eigvalsh.d_A(d_w, a, _uplo(lower))
    def t_w(a, lower, t_a): return spectral.eigvalsh.t_w(a, _uplo(lower), t_a)
