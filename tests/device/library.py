"""The library that these tests run on: `strict` in place of CuPy, or CuPy itself with ADC_CUPY=1 (`make test-gpu`).

`xp` is its module, `name` how the compiler calls it; `counted` counts what leaves the device, where that can be seen.
"""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from rules import arrays
from tests.device.arrays import Counter
from tests.device.arrays import counted as counted_here

REAL = os.environ.get("ADC_CUPY") == "1"
xp: Any
counted: Callable[[], AbstractContextManager[Counter]]

if REAL:
    import cupy
    import cupyx.scipy.special  # noqa: F401  (whose functions have rules by name)

    from tests.device.watched import counted as counted_there

    xp, name, counted = cupy, "cupy", counted_there
else:
    import tests.device.special  # noqa: F401
    from tests.device import strict

    xp, name, counted = strict, "strict", counted_here
    arrays.register("strict", strict, "st", "tests.device.special")


def to_device(x: Any) -> Any:
    """Arrays of NumPy, and those in containers, as arrays of the device; all else as it is."""
    if isinstance(x, np.ndarray):
        return xp.asarray(x)
    if isinstance(x, tuple | list):
        return type(x)(map(to_device, x))
    return {k: to_device(v) for k, v in x.items()} if isinstance(x, dict) else x


def to_host(x: Any) -> Any:
    """The opposite; what is counted does not count this."""
    if type(x) is xp.ndarray:
        return x.get() if REAL else x._host.copy()
    if isinstance(x, tuple | list):
        return tuple(map(to_host, x)) if isinstance(x, tuple) else list(map(to_host, x))
    return {k: to_host(v) for k, v in x.items()} if isinstance(x, dict) else x


def numbers(x: Any) -> list[Any]:
    """The leaves of a structure."""
    if isinstance(x, dict):
        x = list(x.values())
    return [leaf for v in x for leaf in numbers(v)] if isinstance(x, tuple | list) else [x]


def same(here: Any, there: Any, rtol: float = 1e-9) -> None:
    """Is the one what NumPy gives, and the other the same, on the device: arrays where NumPy has arrays or scalars?"""
    for a, b in zip(numbers(here), numbers(there), strict=True):
        if a is None or type(a) in (bool, int, str):
            assert a == b or (type(b) is xp.ndarray and to_host(b) == a)
            continue
        if isinstance(a, np.ndarray | np.generic) and not isinstance(b, float | complex):
            assert type(b) is xp.ndarray, f"{type(b)} for {type(a)}"
        found = to_host(b)
        assert np.shape(found) == np.shape(a)
        if isinstance(a, np.ndarray | np.generic):
            assert np.asarray(found).dtype == a.dtype
            rtol = max(rtol, 2e-5 if a.dtype.itemsize // (1 + (a.dtype.kind == "c")) < 8 else 0)
        assert np.allclose(found, a, rtol=rtol, atol=rtol, equal_nan=True)
