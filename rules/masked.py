"""What NumPy's ufuncs and reductions do with `where=`, which those of CuPy do not take."""

from typing import Any

import numpy as np

from rules.arrays import on_device


def added(out: Any, x: Any, mask: Any) -> None:
    """Add `x` to `out`, in place, where the mask is true."""
    if on_device(out):
        out += np.where(mask, x, 0)
    else:
        np.add(out, x, out=out, where=mask, casting="same_kind")


def mean(x: Any, mask: Any) -> Any:
    """The mean of the elements where the mask is true."""
    if on_device(x):
        return np.sum(np.where(mask, x, 0)) / np.count_nonzero(mask)
    return np.mean(x, where=mask)


def largest_finite(x: Any) -> Any:
    """The largest of the elements that are finite and positive; 0 if there is none."""
    if on_device(x):
        return np.max(np.where(np.isfinite(x), x, 0)) if x.size else 0
    return np.max(x, initial=0, where=np.isfinite(x))


def quotient(x: Any, y: Any) -> Any:
    """`x / y` in double precision, 0 where `y` is."""
    if on_device(y):
        return np.divide(x, np.where(np.equal(y, 0), np.inf, y), dtype=np.float64)
    return np.divide(x, y, out=np.zeros(x.shape), where=np.not_equal(y, 0))
