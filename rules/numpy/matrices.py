"""What rules of matrices share: kinds, transposes, triangles, of one matrix or of each in a stack."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, Length, constant, lengths
from rules.operands import is_complex


# -------------------------------------------------------------------------------------------------- kinds
def working(*operands: Any) -> np.dtype[Any]:
    """The dtype in which LAPACK computes: integers become float64."""
    return np.result_type(*(k.dtype if k.dtype.kind in "fc" else np.dtype(float) for k in operands))


def sizes(*operands: Any) -> np.dtype[Any]:
    """The dtype of what is real of complex matrices too: eigenvalues of Hermitian ones, singular values, norms."""
    return np.empty(0, working(*operands)).real.dtype


def matrix(A: Any) -> Array:
    """The kind of a matrix, or of a stack of them."""
    if not isinstance(A, Array) or A.ndim < 2:
        raise KindError(f"a matrix is wanted here, not {A}", "give it an array of two axes")
    return A


def square(A: Any) -> Array:
    """The kind of a square matrix, or of a stack of them."""
    A = matrix(A)
    lengths().agree(A.shape[-1], A.shape[-2])
    return A


def shorter(A: Array) -> Length:
    """The smaller of the two lengths of a matrix, as far as it is known."""
    env = lengths()
    m, n = map(env.resolve, A.shape[-2:])
    if m.constant and n.constant:
        return constant(min(m.offset, n.offset))
    if m.symbol == n.symbol:
        return m if m.offset < n.offset else n
    return env.fresh()


# --------------------------------------------------------------------------------- transposes, triangles
def transposed(A: Any) -> Any:
    """The transpose of the last two axes."""
    return A.T if A.ndim == 2 else np.swapaxes(A, -1, -2)


def conj(x: Any) -> Any:
    """The conjugate: of a real operand itself."""
    return np.conj(x) if is_complex(x) else x


def adjoint(A: Any) -> Any:
    """The conjugate of the transpose."""
    return conj(transposed(A))


def columns(w: Any) -> Any:
    """Numbers, one for each column of a matrix, so shaped that they multiply the columns."""
    return np.expand_dims(w, -2)


def each(d: Any, A: Any) -> Any:
    """One number for each matrix of a stack, so shaped that it multiplies the matrices."""
    return d if A.ndim == 2 else np.expand_dims(d, (-1, -2))


def lower(S: Any) -> Any:
    """The derivative by a matrix of which only the lower triangle is read, from that by a Hermitian one.

    Of the diagonal the real part is read.
    """
    if not is_complex(S):
        return np.tril(S + transposed(S)) - np.tril(np.triu(S))
    T = S + adjoint(S)
    return np.tril(T) - np.tril(np.triu(T)) / 2


def mirrored(t: Any) -> Any:
    """The Hermitian matrix of which only the lower triangle is read, and of the diagonal the real part."""
    if not is_complex(t):
        return np.tril(t) + transposed(np.tril(t, -1))
    L = half(t)
    return L + adjoint(L)


def half(M: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    return (np.tril(M) + np.tril(M, -1)) / 2
