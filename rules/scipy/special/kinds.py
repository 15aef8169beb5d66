"""Dtypes and shapes of what SciPy's Python functions return, and of what rules call in their derivatives."""

import math
from typing import Any

import numpy as np
from scipy import special

from rules.kind import Array, Num, array_or_number, broadcast, kind_of, library, promote
from rules.operands import dtype_of, is_constant


def floating(*operands: Any) -> np.dtype[Any]:
    """The dtype in which operands are computed with: the widest of theirs, double precision for integers."""
    dtype = promote(*map(kind_of, operands))
    return dtype if dtype.kind in "fc" else np.dtype(float)


def together(*operands: Any) -> Num | Array:
    """The kind of what is computed element by element of operands that are broadcast against each other."""
    kinds = [kind_of(x) for x in operands]
    return array_or_number(floating(*kinds), broadcast(*(k.shape for k in kinds)), library(*kinds))


def whole(n: Any) -> Any:
    """The order that SciPy takes for `n` where it has to be an integer: a float is cut off."""
    if dtype_of(n).kind in "iu":
        return n
    return float(math.trunc(n)) if is_constant(n) else np.trunc(n)


def hyp2f1(a: float, b: float, c: float, z: Any) -> Any:
    """Gauss's function with numbers for parameters, in the precision of `z`: SciPy's is double for Python's numbers."""
    if dtype_of(z) in (np.float32, np.complex64):
        return special.hyp2f1(np.float32(a), np.float32(b), np.float32(c), z)
    return special.hyp2f1(a, b, c, z)


def curvature_of_log(w: Any) -> Any:
    """(log(1 + w) - w / (1 + w)) / w**2, smooth at 0: F(2, 2; 3; -w) / 2, of which SciPy's is bad where w is large."""
    far = np.maximum(w, 1.0)
    beyond = (np.log1p(far) - far / (1 + far)) / (far * far)
    return np.where(w < 1, 0.5 * hyp2f1(2.0, 2.0, 3.0, -np.minimum(w, 1.0)), beyond)


def in_precision_of(y: Any, *operands: Any) -> Any:
    """`y` in the dtype that `floating` gives for the operands, Python numbers among them being weak."""
    dtype = np.result_type(*operands)
    return y.astype(dtype if dtype.kind in "fc" else float, copy=False)[()]
