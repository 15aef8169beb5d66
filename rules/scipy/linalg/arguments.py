"""What the rules of `scipy.linalg` ask of arguments, and the product that all of their systems have."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, lengths
from rules.numpy.matrices import square, working


def kept(*overwrite: Any) -> None:
    """Refuse to let a function write into its arguments."""
    if any(overwrite):
        raise KindError("overwrite_a=True, or another of its kind, writes into an array", "leave it out")


def single(A: Any, name: str) -> Array:
    """The kind of one square matrix; a stack is refused."""
    if square(A).ndim > 2:
        raise KindError(f"linalg.{name} of a stack of matrices is not supported", "write a loop, or np.linalg.solve")
    return A


def real(name: str, *operands: Any) -> None:
    """Refuse complex operands of a function whose derivative is there for real ones."""
    if any(k.dtype.kind == "c" for k in operands):
        raise KindError(f"linalg.{name} of complex matrices is not supported", "write np.linalg.solve")


def right_hand(A: Any, b: Any, name: str) -> Array:
    """The kind of the solution for a vector, or a matrix, on the right-hand side."""
    single(A, name)
    if not isinstance(b, Array) or b.ndim not in (1, 2):
        raise KindError(f"linalg.{name} takes a vector or a matrix on the right-hand side, not {b}",
                        "give it an array of one axis, or two")
    lengths().agree(A.shape[0], b.shape[0])
    return Array(working(A, b), b.shape, A.xp)


def outer(d: Any, x: Any) -> Any:
    """d x^T, of vectors or of the columns of matrices."""
    return np.outer(d, x) if d.ndim == 1 else d @ x.T
