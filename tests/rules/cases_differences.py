"""Differences, the trapezoidal rule, gradients on a grid."""

import numpy as np

from rules.numpy.differences import undiff, ungradient
from tests.rules.case import case, normal, positive

V, A, S = normal(5), normal(3, 4), normal(2, 3, 4)
X4, X3 = np.cumsum(positive(4)), np.cumsum(positive(3))

CASES = [
    case(np.diff, A),
    case(np.diff, A, axis=0),
    case(np.diff, normal(6), n=2),
    case(np.diff, S, n=2, axis=1),
    case(np.diff, normal(2), n=3),
    case(undiff, normal(3, 3), A, n=1, axis=-1).but(wrt="d", skip="empty"),
    *[case(np.ediff1d, a) for a in (V, A, S, V[:1], 0.5)],
    *[case(np.trapezoid, a, **more).but(wrt="y") for a in (V, A, S, V[:1], A[:, :1], V[:0])
      for more in ({}, {"dx": 0.25}, {"axis": 0})],
    *[case(np.trapezoid, A, axis=k, dx=0.25).but(wrt="y dx") for k in (0, 1, -2)],
    *[case(np.trapezoid, a, x, axis=k) for a, x, k in [
        (V, np.cumsum(positive(5)), 0), (A, X4, -1), (A, X3, 0), (S, X3, 1), (S, X4, -1), (S, positive(2), 0),
        (A, np.cumsum(positive(3, 4), axis=1), 1), (A, np.cumsum(positive(3, 4), axis=0), 0), (V[:1], V[:1], 0),
        (A[:1], np.cumsum(positive(1, 4), axis=1), -1), (A[:, :1], positive(3, 1), -1), (A[:, :1], positive(3, 1), 0)]],
    case(np.trapezoid, A, np.arange(4)).but(wrt="y"),
    *[case(np.gradient, a, axis=k, edge_order=e) for e in (1, 2)
      for a, k in [(V, None), (A, 0), (A, -1), (A, None), (S, (1, -1)), (S, (1,))]],
    case(np.gradient, S, axis=(0, 2)),
    *[case(np.gradient, V[:n], edge_order=e) for n, e in ((2, 1), (3, 1), (3, 2), (4, 2))],
    *[case(np.gradient, a, *h, axis=k) for a, h, k in [
        (V, (0.25,), None), (A, (0.25,), None), (A, (0.25, 0.5), None), (S, (0.25, 0.5), (2, 0)), (A, (2,), 0)]],
    *[case(ungradient, a, axis=k, edge_order=e) for a, k in ((V, 0), (A, 0), (A, -1)) for e in (1, 2)],
]
