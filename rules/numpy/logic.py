"""Comparison, logic and bits: what carries no derivative. Kinds are those of the ufuncs."""

import operator

import numpy as np

from rules.kind import Array, Num, array_or_number, broadcast, kind_of, library
from rules.numpy.reductions import reduction
from rules.rule import nondifferentiable

nondifferentiable("z = less(x, y)", np.less, operator.lt)
nondifferentiable("z = less_equal(x, y)", np.less_equal, operator.le)
nondifferentiable("z = greater(x, y)", np.greater, operator.gt)
nondifferentiable("z = greater_equal(x, y)", np.greater_equal, operator.ge)
nondifferentiable("z = equal(x, y)", np.equal, operator.eq)
nondifferentiable("z = not_equal(x, y)", np.not_equal, operator.ne)

nondifferentiable("z = logical_and(x, y)", np.logical_and)
nondifferentiable("z = logical_or(x, y)", np.logical_or)
nondifferentiable("z = logical_xor(x, y)", np.logical_xor)
nondifferentiable("y = logical_not(x)", np.logical_not)

nondifferentiable("z = bitwise_and(x, y)", np.bitwise_and, operator.and_)
nondifferentiable("z = bitwise_or(x, y)", np.bitwise_or, operator.or_)
nondifferentiable("z = bitwise_xor(x, y)", np.bitwise_xor, operator.xor)
nondifferentiable("y = invert(x)", np.invert, operator.invert)
nondifferentiable("z = left_shift(x, y)", np.left_shift, operator.lshift)
nondifferentiable("z = right_shift(x, y)", np.right_shift, operator.rshift)

nondifferentiable("y = isfinite(x)", np.isfinite)
nondifferentiable("y = isinf(x)", np.isinf)
nondifferentiable("y = isnan(x)", np.isnan)
nondifferentiable("y = signbit(x)", np.signbit)

nondifferentiable("y = all(a, axis=None, keepdims=False)", np.all, "ndarray.all",
                  kind=lambda a, axis, keepdims: reduction(a, np.bool_, axis, keepdims))  # fmt: skip
nondifferentiable("y = any(a, axis=None, keepdims=False)", np.any, "ndarray.any",
                  kind=lambda a, axis, keepdims: reduction(a, np.bool_, axis, keepdims))  # fmt: skip
nondifferentiable("z = isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)", np.isclose,
                  kind=lambda a, b: _broadcast_bool(a, b))  # fmt: skip
nondifferentiable("z = allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)", np.allclose,
                  kind=lambda: Num(bool))  # fmt: skip
nondifferentiable("z = array_equal(a1, a2, equal_nan=False)", np.array_equal, kind=lambda: Num(bool))
nondifferentiable("y = iscomplexobj(x)", np.iscomplexobj, kind=lambda: Num(bool))
nondifferentiable("y = isrealobj(x)", np.isrealobj, kind=lambda: Num(bool))



def _python(x):
    return isinstance(kind_of(x), Num) and kind_of(x).python


def _broadcast_bool(a, b):
    a, b = kind_of(a), kind_of(b)
    return array_or_number(np.dtype(np.bool_), broadcast(a.shape, b.shape), library(a, b))


nondifferentiable("y = iscomplex(x)", np.iscomplex, kind=lambda x: _broadcast_bool(x, x))
nondifferentiable("y = isreal(x)", np.isreal,
                  kind=lambda x: Num(bool) if _python(x) else _broadcast_bool(x, x))  # fmt: skip
nondifferentiable("y = isposinf(x)", np.isposinf, kind=lambda x: _broadcast_bool(x, x))
nondifferentiable("y = isneginf(x)", np.isneginf, kind=lambda x: _broadcast_bool(x, x))
nondifferentiable("z = array_equiv(a1, a2)", np.array_equiv, kind=lambda: Num(bool))
nondifferentiable("z = isin(element, test_elements, assume_unique=False, invert=False, kind=None)", np.isin,
                  kind=lambda element: Array(np.dtype(np.bool_), kind_of(element).shape))  # fmt: skip
nondifferentiable("y = isscalar(element)", np.isscalar, kind=lambda: Num(bool))
nondifferentiable("y = isfortran(a)", np.isfortran, kind=lambda: Num(bool))
