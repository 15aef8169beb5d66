"""Systems of symmetric matrices with few diagonals, of which those on one side of the main one are stored.

The k-th beside the main one is in the row k of `ab`, from the left, if `lower`; else k above the last, to the right.
What is stored stands for two elements, but on the main diagonal.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError, lengths
from rules.numpy.matrices import working
from rules.rule import Like, primitive, recorded, rule
from rules.scipy.linalg.arguments import kept, real


def _diagonals(ab: Any, lower: bool) -> Iterator[tuple[int, Any]]:
    """How far each diagonal is from the main one, and where it is stored."""
    rows, n = ab.shape
    for k in range(min(rows, n)):
        yield k, (k, slice(0, n - k)) if lower else (rows - 1 - k, slice(k, n))


def _beside(diagonal: Any, x: Any) -> Any:
    return diagonal if x.ndim == 1 else diagonal[:, None]


@primitive
def symmetric_product(ab: Any, x: Any, lower: bool) -> Any:
    """A x, for a vector or a matrix."""
    out = np.zeros(x.shape, np.result_type(ab, x))
    n = len(x)
    for k, place in _diagonals(ab, lower):
        out[k:] += _beside(ab[place], x) * x[: n - k]
        if k:
            out[: n - k] += _beside(ab[place], x) * x[k:]
    return out


@primitive
def symmetric_bands(d: Any, x: Any, like: Any, lower: bool) -> Any:
    """The derivative of d^T A x by what is stored of A, which is as `like` is."""
    out = np.zeros(like.shape, np.result_type(d, x))
    n = len(x)
    for k, place in _diagonals(like, lower):
        both = d[k:] * x[: n - k] + d[: n - k] * x[k:] if k else d * x
        out[place] = both if x.ndim == 1 else np.sum(both, axis=1)
    return out


@rule("y = symmetric_product(ab, x, lower)", symmetric_product)
class symmetric_product_rule:
    static = "lower"
    def kind(ab, x): return Array(np.result_type(ab.dtype, x.dtype), x.shape, x.xp)
    def d_ab(d_y, ab: Like, x, lower): return symmetric_bands(d_y, x, ab, lower)
    def d_x(d_y, ab, lower): return symmetric_product(ab, d_y, lower)
    def t_y(ab, x, lower, t_ab, t_x): return symmetric_product(t_ab, x, lower) + symmetric_product(ab, t_x, lower)


@rule("y = symmetric_bands(d, x, like, lower)", symmetric_bands)
class symmetric_bands_rule:
    static = "lower"
    def kind(d, x, like): return Array(np.result_type(d.dtype, x.dtype), like.shape, x.xp)
    def d_d(d_y, x, lower): return symmetric_product(d_y, x, lower)
    def d_x(d_y, d, lower): return symmetric_product(d_y, d, lower)

    def t_y(d, x, like: Like, lower, t_d, t_x):
        return symmetric_bands(t_d, x, like, lower) + symmetric_bands(d, t_x, like, lower)


@rule("x = solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True)",
      linalg.solveh_banded)  # fmt: skip
class solveh_banded:
    static = "overwrite_ab overwrite_b lower check_finite"

    def kind(ab, b, overwrite_ab, overwrite_b):
        kept(overwrite_ab, overwrite_b)
        if not isinstance(ab, Array) or ab.ndim != 2 or not isinstance(b, Array) or b.ndim not in (1, 2):
            raise KindError("linalg.solveh_banded takes one matrix of diagonals and a vector, or a matrix, beside it",
                            "write a loop over a stack")
        real("solveh_banded", ab, b)
        lengths().agree(ab.shape[1], b.shape[0])
        return Array(working(ab, b), b.shape, b.xp)

    def d_b(d_x, ab, lower): return recorded(linalg.solveh_banded, ab, d_x, lower=lower)
    def d_ab(d_b, ab: Like, x, lower): return -symmetric_bands(d_b, x, ab, lower)

    def t_x(ab, x, lower, t_ab, t_b):
        return recorded(linalg.solveh_banded, ab, t_b - symmetric_product(t_ab, x, lower), lower=lower)
