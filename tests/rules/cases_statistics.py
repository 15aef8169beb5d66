"""Weighted averages, medians and quantiles, covariance and correlation."""

import numpy as np

from tests.rules.case import case, normal, positive

A, S, W = normal(3, 4), normal(2, 3, 4), positive(3, 4)
HOLE = np.where(np.arange(12).reshape(3, 4) == 5, np.nan, A)
AXES = ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}, {"keepdims": True})

CASES = [
    *[case(np.average, A, **axes) for axes in AXES],
    *[case(np.average, A, weights=W, **axes).but(skip="empty") for axes in AXES],
    *[case(np.average, A, weights=W[:n, 0] if n == 3 else W[0], axis=k, keepdims=keep).but(skip="empty")
      for n, k in ((3, 0), (4, 1), (4, -1)) for keep in (False, True)],
    case(np.average, S, weights=positive(3), axis=1).but(skip="empty"),
    case(np.average, S, weights=positive(2, 3, 4), axis=(0, -1)).but(skip="empty"),
    case(np.average, normal(4), weights=positive(4)).but(skip="empty"),
    case(np.average, A, weights=np.array([1, 2, 0, 3]), axis=1),
    *[case(np.median, a, **axes).but(complex=False) for a in (A, A[:, :3]) for axes in AXES],
    case(np.median, S, axis=(0, -1)).but(complex=False),
    *[case(np.quantile, A, q, **axes).but(complex=False, wrt="a") for q in (0.3, 0, 1, 0.5) for axes in AXES],
    case(np.quantile, A, np.float64(0.3), axis=1).but(complex=False, wrt="a"),
    *[case(np.percentile, A, q, axis=1).but(complex=False, wrt="a") for q in (25, 62.5)],
    case(np.percentile, S, 40, axis=(0, -1)).but(complex=False),
    *[case(np.cov, a, **more).but(complex=False)
      for a in (A, A.T, A[:1], A[0]) for more in ({}, {"bias": True}, {"ddof": 0}, {"ddof": 2})],
    *[case(np.cov, a, rowvar=False).but(complex=False) for a in (A, A[:, :1], A[0])],
    *[case(np.cov, A[0], A[1], **more).but(complex=False) for more in ({}, {"ddof": 0}, {"rowvar": False})],
    *[case(np.corrcoef, a, rowvar=r).but(complex=False) for a, r in ((A, True), (A.T, True), (A, False))],
    *[case(np.corrcoef, A[0], A[1], rowvar=r).but(complex=False) for r in (True, False)],
]
