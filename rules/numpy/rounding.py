"""Rounding: piecewise constant, so without a derivative where there is one, and with none at the jumps."""

import math
import operator

import numpy as np

from rules.kind import Num, array_or_number, kind_of, library
from rules.rule import nondifferentiable

nondifferentiable("y = floor(x)", np.floor)
nondifferentiable("y = ceil(x)", np.ceil)
nondifferentiable("y = trunc(x)", np.trunc)
nondifferentiable("y = rint(x)", np.rint)
nondifferentiable("z = floor_divide(x, y)", np.floor_divide, operator.floordiv)


def _as_array(a):
    """The kind of a function of `a` that makes an array of it, or a NumPy scalar, of the same dtype."""
    a = kind_of(a)
    return array_or_number(a.dtype, a.shape, library(a))


nondifferentiable("y = round(a, decimals=0)", np.round, np.around, "ndarray.round",
                  kind=lambda a: _as_array(a))  # fmt: skip
nondifferentiable("y = fix(x)", np.fix, kind=lambda x: _as_array(x))

nondifferentiable("n = floor(x)", math.floor, kind=lambda: Num(int))
nondifferentiable("n = ceil(x)", math.ceil, kind=lambda: Num(int))
nondifferentiable("n = trunc(x)", math.trunc, kind=lambda: Num(int))
nondifferentiable("y = round(number, ndigits=None)", round,
                  kind=lambda number, ndigits: Num(int) if ndigits is None else kind_of(number))  # fmt: skip
nondifferentiable("n = int(x)", int, kind=lambda: Num(int))
nondifferentiable("b = bool(x)", bool, kind=lambda: Num(bool))
