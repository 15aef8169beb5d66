"""Sums, means, variances, products, cumulative ones too."""

import numpy as np

from rules.numpy.products import fold, products_before
from tests.rules.case import case, normal, positive

A, S = normal(3, 4), normal(2, 3, 4)
ZEROS = np.array([[0.0, 2.0, 3.0], [1.5, 0.0, 0.0], [1.0, 2.0, -1.0]])
AXES = ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}, {"keepdims": True})

CASES = [
    *[case(f, A, **axes) for f in (np.sum, np.mean, np.prod, np.var) for axes in AXES],
    # the deviation of one number is 0: a kink
    *[case(np.std, A, **axes).but(skip="numbers zero-dim") for axes in AXES],
    *[case(f"ndarray.{f}", A, axis=0) for f in ("sum", "mean", "prod", "var", "std")],
    *[case(f, S, axis=(0, -1)) for f in (np.sum, np.mean, np.prod, np.var, np.std)],
    *[case(f, A, axis=0, ddof=1) for f in (np.var, np.std)],
    case(np.var, A, ddof=1),
    *[case(f, A, dtype=np.float64) for f in (np.sum, np.mean)],
    *[case(np.prod, ZEROS, axis=k) for k in (0, 1)],
    *[case(np.prod, row) for row in ZEROS],
    case(np.prod, ZEROS),
    *[case(f, A, axis=k) for f in (np.cumsum, np.cumprod) for k in (0, 1, -1, None)],
    *[case(f"ndarray.{f}", A, axis=0) for f in ("cumsum", "cumprod")],
    *[case(np.cumprod, row) for row in ZEROS],
    case(np.cumsum, positive(5)),
    *[case(products_before, ZEROS, axis=k, reverse=r) for k in (0, 1, None) for r in (False, True)],
    *[case(fold, normal(3, 3), ZEROS, axis=k, reverse=r) for k in (0, 1, None) for r in (False, True)],
    *[case(getattr(np, f), a, axis=k) for f in ("cumulative_sum", "cumulative_prod") if hasattr(np, f)
      for a, k in [(normal(4), None), (normal(3, 4), 0)]],
]
