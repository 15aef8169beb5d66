"""Histograms: counts and weights."""

import numpy as np

from rules.numpy.histograms import spanned, unspanned
from tests.rules.case import case, normal, positive

V, M, W = normal(7), normal(3, 4), positive(7)
EDGES = np.array([-1.5, -0.4, 0.1, 1.0])
I = np.array([0, 2, 2, 1, 0, 4, 2])

CASES = [
    *[case(np.histogram, a, **k).but(skip="empty numbers scalars zero-dim") for a, k in [
        (V, {}), (V, {"bins": 3}), (M, {"bins": 4}), (V, {"bins": 3, "weights": W}), (V, {"bins": EDGES, "weights": W}),
        (V, {"bins": 3, "range": (-1.0, 1.0), "weights": W}), (M, {"bins": 3, "weights": M + 0.5j})]],
    case(np.histogram, I, 3, weights=W).but(skip="empty numbers scalars zero-dim"),
    *[case(np.histogram_bin_edges, a, *k).but(skip="empty")
      for a, k in [(V, (3,)), (M, (3, (-1.0, 2.0))), (V, (EDGES,))]],
    case(spanned, M, M[::-1], V).but(wrt="t", skip="empty"), case(unspanned, V, M).but(wrt="d", skip="empty"),
    *[case(np.bincount, I, weights=W, minlength=n).but(skip="empty") for n in (0, 3, 9)],
]
