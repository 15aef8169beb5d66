"""Systems of, and products with, matrices of constant diagonals, which are given by a column or by that and a row.

Of a column c alone the row is its conjugate. SciPy computes both in double precision.
"""

from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError, lengths, promote
from rules.numpy.matrices import conj
from rules.rule import recorded, rule
from rules.scipy.linalg.arguments import outer
from rules.scipy.linalg.special_matrices import toeplitz


def _pair(c_or_cr: Any) -> tuple[Any, Any]:
    """The first column and the first row."""
    return tuple(c_or_cr) if isinstance(c_or_cr, tuple | list) else (c_or_cr, conj(c_or_cr))


def _kind(name: str, c_or_cr: Any, b: Any, square: bool) -> Array:
    pair = c_or_cr if isinstance(c_or_cr, tuple | list) else (c_or_cr, c_or_cr)
    if len(pair) != 2 or any(not isinstance(k, Array) or k.ndim != 1 for k in pair):
        raise KindError(f"linalg.{name} takes a vector, or a pair of them", "give it a column, or (column, row)")
    if not isinstance(b, Array) or b.ndim not in (1, 2):
        raise KindError(f"linalg.{name} takes a vector or a matrix beside the Toeplitz one, not {b}",
                        "give it an array of one axis, or two")
    lengths().agree(pair[1].shape[0], b.shape[0])
    if square:
        lengths().agree(pair[0].shape[0], b.shape[0])
    dtype = np.dtype(complex if promote(*pair, b).kind == "c" else float)
    return Array(dtype, (pair[0].shape[0], *b.shape[1:]), b.xp)


def _diagonals(G: Any, c_or_cr: Any) -> Any:
    """The cotangent of what gives the matrix from that of the matrix."""
    if isinstance(c_or_cr, tuple | list):
        c, r = c_or_cr
        return [toeplitz.d_c(G, c, r), toeplitz.d_r(G, c, r)]
    return toeplitz.d_c(G, c_or_cr, None)


def _matrix(t: Any) -> Any:
    return recorded(linalg.toeplitz, *t) if isinstance(t, tuple | list) else recorded(linalg.toeplitz, t)


@rule("x = solve_toeplitz(c_or_cr, b, check_finite=True)", linalg.solve_toeplitz)
class solve_toeplitz:
    static = "check_finite"
    def kind(c_or_cr, b): return _kind("solve_toeplitz", c_or_cr, b, True)

    def d_b(d_x, c_or_cr):
        c, r = _pair(c_or_cr)
        return recorded(linalg.solve_toeplitz, (_with_head(r, c), c), d_x)

    def d_c_or_cr(d_b, c_or_cr, x): return _diagonals(-outer(d_b, x), c_or_cr)
    def t_x(c_or_cr, x, t_c_or_cr, t_b): return recorded(linalg.solve_toeplitz, c_or_cr, t_b - _matrix(t_c_or_cr) @ x)


def _with_head(r: Any, c: Any) -> Any:
    """The row with the element on the diagonal that the column has: that of the row is not read."""
    return np.concatenate((c[:1], r[1:]))


@rule("y = matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None)", linalg.matmul_toeplitz)
class matmul_toeplitz:
    static = "check_finite workers"
    def kind(c_or_cr, x): return _kind("matmul_toeplitz", c_or_cr, x, False)

    def d_x(d_y, c_or_cr):
        c, r = _pair(c_or_cr)
        return recorded(linalg.matmul_toeplitz, (_with_head(r, c), c), d_y)

    def d_c_or_cr(d_y, c_or_cr, x): return _diagonals(outer(d_y, x), c_or_cr)

    def t_y(c_or_cr, x, t_c_or_cr, t_x):
        return _matrix(t_c_or_cr) @ x + recorded(linalg.matmul_toeplitz, c_or_cr, t_x)
