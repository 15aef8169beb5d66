"""What a rule may ask of an operand while it is traced: facts of its kind, never of its value.

Each answers alike for an array, a NumPy scalar, a Python number and a value that is only traced.
"""

from typing import Any

import numpy as np


def rank(x: Any) -> int:
    """The number of axes: 0 for a number."""
    return getattr(x, "ndim", 0)


def dtype_of(x: Any) -> np.dtype[Any]:
    """The dtype; float64, int64, complex128 or bool for a Python number."""
    return x.dtype if hasattr(x, "dtype") else np.dtype(type(x))


def dtype_as(d: Any, like: Any) -> np.dtype[Any]:
    """The dtype of the array `like`, complex where the cotangent `d` is.

    A number is not asked for its own: it may be of less precision than its kind says.
    """
    return np.result_type(like.dtype, 1j) if is_complex(d) else like.dtype


def is_complex(x: Any) -> bool:
    """Is it complex by its dtype?"""
    return dtype_of(x).kind == "c"


def is_constant(x: Any) -> bool:
    """Is it a Python number, written in the program: what a traced value never is?"""
    return isinstance(x, int | float | complex) and not isinstance(x, np.generic)
