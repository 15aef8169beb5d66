"""Systems of matrices with few diagonals, A[i, j] = ab[u + i - j, j]: everything stays in this form.

The corners of `ab` that are outside of the matrix are not read, and their cotangent is zero.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError, constant, lengths
from rules.numpy.matrices import working
from rules.rule import primitive, recorded, rule
from rules.scipy.linalg.arguments import kept


def _diagonals(n: int, l: int, u: int) -> Iterator[tuple[int, slice, slice]]:
    """The row that stores a diagonal, and which rows and which columns of the matrix it runs through."""
    for k in range(-l, u + 1):
        first, last = max(0, -k), min(n, n - k)
        if first < last:
            yield u - k, slice(first, last), slice(first + k, last + k)


def _beside(diagonal: Any, x: Any) -> Any:
    return diagonal if x.ndim == 1 else diagonal[:, None]


@primitive
def transposed_bands(ab: Any, l: int, u: int) -> Any:
    """A^T, with u diagonals below the main one and l above."""
    out = np.zeros_like(ab)
    for row, i, j in _diagonals(ab.shape[1], l, u):
        out[l + u - row, i] = ab[row, j]
    return out


@primitive
def banded_product(ab: Any, x: Any, l: int, u: int) -> Any:
    """A x, for a vector or a matrix."""
    out = np.zeros(x.shape, np.result_type(ab, x))
    for row, i, j in _diagonals(ab.shape[1], l, u):
        out[i] += _beside(ab[row, j], x) * x[j]
    return out


@primitive
def bands_of_product(d: Any, x: Any, l: int, u: int) -> Any:
    """The diagonals of d x^T."""
    out = np.zeros((l + u + 1, len(x)), np.result_type(d, x))
    for row, i, j in _diagonals(len(x), l, u):
        out[row, j] = d[i] * x[j] if x.ndim == 1 else np.sum(d[i] * x[j], axis=1)
    return out


@rule("y = transposed_bands(ab, l, u)", transposed_bands)
class transposed_bands_rule:
    static = "l u"
    def kind(ab): return ab
    def d_ab(d_y, l, u): return transposed_bands(d_y, u, l)
    def t_y(t_ab, l, u): return transposed_bands(t_ab, l, u)


@rule("y = banded_product(ab, x, l, u)", banded_product)
class banded_product_rule:
    static = "l u"
    def kind(ab, x): return Array(np.result_type(ab.dtype, x.dtype), x.shape, x.xp)
    def d_ab(d_y, x, l, u): return bands_of_product(d_y, x, l, u)
    def d_x(d_y, ab, l, u): return banded_product(transposed_bands(ab, l, u), d_y, u, l)
    def t_y(ab, x, l, u, t_ab, t_x): return banded_product(t_ab, x, l, u) + banded_product(ab, t_x, l, u)


@rule("ab = bands_of_product(d, x, l, u)", bands_of_product)
class bands_of_product_rule:
    static = "l u"
    def kind(d, x, l, u): return Array(np.result_type(d.dtype, x.dtype), (constant(l + u + 1), x.shape[0]), x.xp)
    def d_d(d_ab, x, l, u): return banded_product(d_ab, x, l, u)
    def d_x(d_ab, d, l, u): return banded_product(transposed_bands(d_ab, l, u), d, u, l)
    def t_ab(d, x, l, u, t_d, t_x): return bands_of_product(t_d, x, l, u) + bands_of_product(d, t_x, l, u)


@rule("x = solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True)",
      linalg.solve_banded)  # fmt: skip
class solve_banded:
    static = "l_and_u overwrite_ab overwrite_b check_finite"

    def kind(l_and_u, ab, b, overwrite_ab, overwrite_b):
        kept(overwrite_ab, overwrite_b)
        if not isinstance(ab, Array) or ab.ndim != 2 or not isinstance(b, Array) or b.ndim not in (1, 2):
            raise KindError("linalg.solve_banded takes one matrix of diagonals and a vector, or a matrix, beside it",
                            "write a loop over a stack")
        lengths().agree(ab.shape[1], b.shape[0])
        return Array(working(ab, b), b.shape, b.xp)

    def d_b(d_x, l_and_u, ab):
        l, u = l_and_u
        return recorded(linalg.solve_banded, (u, l), transposed_bands(ab, l, u), d_x)

    def d_ab(d_b, l_and_u, x): return -bands_of_product(d_b, x, *l_and_u)

    def t_x(l_and_u, ab, x, t_ab, t_b):
        return recorded(linalg.solve_banded, l_and_u, ab, t_b - banded_product(t_ab, x, *l_and_u))
