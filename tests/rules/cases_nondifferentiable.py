"""What has no derivative: that it has none, and the kind of the result."""

import math
import operator

import numpy as np

from tests.rules.case import case, normal

A, B = normal(3, 4), normal(3, 4, seed=2)
BITS, MASK = np.arange(4), A > 0

CASES = [
    *[case(f, A, B) for f in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)],
    *[case(f, *xy) for f in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
      for xy in ((A, B), (1.0, 2.0))],
    *[case(f, A, B) for f in (np.logical_and, np.logical_or, np.logical_xor)],
    *[case(f, BITS, 2) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)],
    *[case(f, BITS, 2) for f in (np.left_shift, np.right_shift)],
    *[case(f, MASK, ~MASK) for f in (operator.and_, operator.or_, operator.xor)],
    *[case(f, BITS, 2) for f in (operator.lshift, operator.rshift)],
    *[case(f, MASK) for f in (np.logical_not, np.invert, operator.invert)],
    *[case(f, A) for f in (np.isfinite, np.isinf, np.isnan, np.signbit, np.sign)],
    *[case(f, A) for f in (np.floor, np.ceil, np.trunc, np.rint)],
    *[case(f, A) for f in (np.fix, np.round, np.around, "ndarray.round")],
    case(np.round, A, decimals=1),
    *[case(f, A, B) for f in (np.floor_divide, operator.floordiv)],
    *[case(f, MASK, **axes) for f in (np.all, np.any, "ndarray.all", "ndarray.any")
      for axes in ({}, {"axis": 0})],
    *[case(f, A, **axes) for f in (np.argmax, np.argmin, "ndarray.argmax", "ndarray.argmin", np.count_nonzero)
      for axes in ({}, {"axis": 0}, {"axis": 1, "keepdims": True})],
    *[case(f, A, B) for f in (np.isclose, np.allclose, np.array_equal)],
    *[case(f, A) for f in (np.iscomplexobj, np.isrealobj)],
    *[case(f, 1.3) for f in (math.floor, math.ceil, math.trunc, math.isfinite, math.isinf, math.isnan)],
    case(math.isclose, 1.3, 1.4),
    case(round, 1.3),
    case(round, 1.34, 1),
    case(int, 1.3),
    case(bool, 1.3),
]  # fmt: skip
I, GRID = np.array([2, 0, 1]), (np.array([0, 1]), np.array([2, 0]))
CASES += [
    *[case(f, A) for f in (np.spacing, np.iscomplex, np.isreal, np.isposinf, np.isneginf, np.isfortran, np.isscalar)],
    *[case(f, A, B) for f in (np.array_equiv, np.isin)],
    *[case(f, BITS, 2) for f in (np.gcd, np.lcm)],
    *[case(f, BITS) for f in ([np.bitwise_count] if hasattr(np, "bitwise_count") else [])],
    *[case(f, A, **axes) for f in (np.nanargmax, np.nanargmin) for axes in ({}, {"axis": 0})],
    *[case(f, A, 1, axis=0) for f in (np.argpartition, "ndarray.argpartition")],
    case(np.lexsort, (A[0], A[1])), case(np.lexsort, A), case(np.digitize, A, np.array([-0.5, 0.5])),
    *[case(f, A) for f in (np.tril_indices_from, np.triu_indices_from)], case(np.diag_indices_from, np.eye(3)),
    case(np.unravel_index, I, (2, 3)), case(np.ravel_multi_index, GRID, (2, 3)),
    *[case(f, 5) for f in (np.bartlett, np.blackman, np.hamming, np.hanning)],
    *[case(f, 2.7) for f in (np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64)],
]
