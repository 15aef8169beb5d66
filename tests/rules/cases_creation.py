"""Arrays of a shape, a value or a range, and NumPy's scalar types."""

import numpy as np

from rules.numpy.creation import ramp
from tests.rules.case import case, normal

V, M, X = normal(3), normal(2, 3), np.array(1.5)

CASES = [
    *[case(np.full, shape, value).but(wrt="fill_value") for shape, value in [
        ((2, 3), 1.5), (4, np.float64(1.5)), ((2, 3), V), ((), 1.5), ((0,), 1.5), ((2, 2, 3), M)]],
    *[case(np.full_like, a, value).but(wrt="fill_value")
      for a, value in [(M, 1.5), (M, V), (2.5, 1.5), (X, X)]],
    *[case(np.linspace, a, b, num=n, endpoint=endpoint) for n in (5, 1, 0) for endpoint in (True, False)
      for a, b in [(0.5, 2.0), (V, M), (np.float64(1.5), V), (X, 2.0)]],
    *[case(f, a, b, num=n, endpoint=endpoint) for f in (np.logspace, np.geomspace) for a, b, n, endpoint in [
        (0.5, 2.0, 5, True), (0.5, 2.0, 1, True), (0.5, 2.0, 0, True), (V + 4, M + 4, 5, False),
        (1.5, V + 4, 5, True)]],
    case(np.logspace, 0.5, 2.0, num=4, base=2.5), case(np.logspace, V, 2.0, num=4, base=np.float64(1.5)),
    case(np.geomspace, -0.5, -2.0, num=4), case(np.geomspace, 0.5 + 1j, 2.0 - 0.5j, num=4),
    case(np.linspace, 0.5, 2.0),
    case(np.linspace, 1, 2.5, num=4),
    *[case(np.arange, *args) for args in [(0.5, 4.2), (0.5, 4.2, 0.7), (4.2, 0.5, -0.7)]],
    case(np.arange, 3.7),
    *[case(f, x).but(complex=False)
      for f in (np.float64, np.complex128) for x in (1.5, np.float64(1.5), V, M, X)],
    *[case(np.float32, x).but(complex=False, upto=1, tol=1e-2) for x in (1.5, V)],
    case(np.complex64, V + 1j).but(upto=1, tol=1e-2), case(np.float16, 1.5).but(complex=False, upto=1, tol=0.7),
]  # fmt: skip
SHAPED = [
    *[case(f, shape) for f in (np.zeros, np.ones) for shape in (3, (2, 3), (), [2, 2])],
    *[case(f, a) for f in (np.zeros_like, np.ones_like) for a in (V, M, X, 2.5)],
    case(np.zeros, 3, dtype=np.float32), case(np.zeros_like, M, dtype=int), case(np.eye, 3),
    case(np.eye, 3, 4, k=1),
    case(np.identity, 3), case(np.tri, 3), case(np.tri, 3, 4, 1), case(np.indices, (2, 3)), case(ramp, M),
    case(np.int64, 2.7), case(np.int32, V), case(np.bool_, V),
]  # fmt: skip
CASES += SHAPED
