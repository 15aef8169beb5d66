"""A library of strict arrays, to be used as CuPy's module is: `import tests.device.strict as cp`."""

import sys as _sys
import types as _types

import numpy as _np
from numpy import (  # noqa: F401
    bool_,
    complex64,
    complex128,
    dtype,
    e,
    euler_gamma,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    inf,
    int8,
    int16,
    int32,
    int64,
    intp,
    nan,
    newaxis,
    pi,
    uint8,
    uint16,
    uint32,
    uint64,
)  # fmt: skip

from tests.device import arrays as _arrays
from tests.device.arrays import counted, ndarray  # noqa: F401
from tests.device.names import FFT as _FFT
from tests.device.names import LINALG as _LINALG
from tests.device.names import TOP as _TOP

globals().update(_arrays.functions(_np, _TOP))
asarray, array, asanyarray = map(_arrays.maker, (_np.asarray, _np.array, _np.asanyarray))
linalg = _types.SimpleNamespace(**_arrays.functions(_np.linalg, _LINALG, "linalg."))
fft = _types.SimpleNamespace(**_arrays.functions(_np.fft, _FFT, "fft."))


def asnumpy(a):
    """A copy on the host."""
    return a.get() if isinstance(a, ndarray) else _np.asarray(a)


def get_array_module(*args):
    """This module if an argument is one of its arrays, else NumPy."""
    here = [x for x in args if isinstance(x, ndarray)]
    return _sys.modules[__name__] if here else _np
