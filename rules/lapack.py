"""Factors of a matrix that a rule keeps, computed by SciPy's LAPACK where it is installed: NumPy's gives none away.

`LU.of` answers None where NumPy has to do the work: without SciPy, and for what NumPy treats in a way of its own
(stacks, empty matrices, singular ones, other dtypes). As in NumPy, the work is done in double precision.
"""

import importlib
from functools import cache
from typing import Any

import numpy as np

#: Of a smaller matrix the factors are computed again sooner than SciPy's threads have met.
_SMALLEST = 32
_SINGLE_AND_DOUBLE = frozenset(map(np.dtype, (np.float32, np.float64, np.complex64, np.complex128)))


@cache
def _lapack() -> Any:
    """SciPy's LAPACK; None where SciPy is not installed."""
    try:
        return importlib.import_module("scipy.linalg.lapack")
    except ImportError:
        return None


def _routine(name: str, dtype: np.dtype[Any]) -> Any:
    return getattr(_lapack(), ("z" if dtype.kind == "c" else "d") + name)


def solve_triangle(A: Any, B: Any, upper: bool) -> np.ndarray | None:
    """A^-1 B, of one triangular matrix of double precision; None where NumPy has to do the work."""
    plain = type(A) is type(B) is np.ndarray and A.ndim == B.ndim == 2 and A.shape[0] >= _SMALLEST and B.size
    if not plain or A.dtype != B.dtype or A.dtype.char not in "dD" or _lapack() is None:
        return None
    X, info = _routine("trtrs", A.dtype)(A, B, lower=not upper)
    return X if info == 0 else None


class LU:
    """P L U of one square matrix without zeros on the diagonal of U. It owns its arrays.

    What it computes is of the `dtype` that NumPy's functions give for the matrix.
    """

    def __init__(self, dtype: np.dtype[Any], factors: np.ndarray, pivots: np.ndarray) -> None:
        self.dtype = dtype
        self.factors = factors
        self.pivots = pivots

    @classmethod
    def of(cls, A: Any, dtype: Any, last: Any = None) -> "LU | None":
        """The factors of `A` as a matrix of this dtype, in the memory of the `last` ones if they fit."""
        dtype = np.dtype(dtype)
        square = type(A) is np.ndarray and A.ndim == 2 and A.shape[0] == A.shape[1] >= _SMALLEST
        if not square or dtype not in _SINGLE_AND_DOUBLE or _lapack() is None:
            return None
        double = np.dtype(complex if dtype.kind == "c" else float)
        fits = isinstance(last, cls) and last.factors.shape == A.shape and last.factors.dtype == double
        factors = last.factors if fits else np.empty(A.shape, double, order="F")
        factors[...] = A
        factors, pivots, info = _routine("getrf", double)(factors, overwrite_a=True)
        return cls(dtype, factors, pivots) if info == 0 else None

    def solve(self, b: np.ndarray, transposed: bool = False) -> np.ndarray:
        """A^-1 b, or A^-T b, for a vector or a matrix: a new array."""
        dtype = np.result_type(self.dtype, b.dtype)
        getrs = _routine("getrs", self.factors.dtype)
        if dtype.kind == "c" and self.factors.dtype.kind != "c":
            return self.solve(b.real, transposed) + 1j * self.solve(b.imag, transposed)
        x, _ = getrs(self.factors, self.pivots, b, trans=int(transposed))
        return x.astype(dtype, order="C", copy=False)

    def inverse_transposed(self) -> np.ndarray:
        """A^-T, a new array."""
        work = 64 * len(self.pivots)  # as much as LAPACK makes use of: with the least it is twice as slow
        B, _ = _routine("getri", self.factors.dtype)(self.factors, self.pivots, lwork=work)
        return B.T.astype(self.dtype, copy=False)

    def determinant(self) -> tuple[Any, Any]:
        """The sign of the determinant, or its phase, and the logarithm of its absolute value, in double precision."""
        pivots = np.diagonal(self.factors)
        size = np.abs(pivots)
        sign = np.prod(pivots / size)
        odd = np.count_nonzero(self.pivots != np.arange(len(pivots))) % 2
        return -sign if odd else sign, np.cumsum(np.log(size))[-1]  # one after the other, as NumPy adds them

    def regular(self, A: np.ndarray) -> bool:
        """Is A far enough from singular that its inverse is good to half of the digits?"""
        rcond, _ = _routine("gecon", self.factors.dtype)(self.factors, np.linalg.norm(A, 1))
        return bool(rcond > 1e-8)
