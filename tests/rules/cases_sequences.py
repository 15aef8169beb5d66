"""Convolution, correlation and interpolation."""

import numpy as np

from rules.numpy.convolutions import unconvolve
from rules.numpy.interpolation import uninterp
from tests.rules.case import case, normal, within

V, W, C = normal(5), normal(3), normal(3) + 1j * normal(3, seed=2)
KNOTS, VALUES = np.array([0.0, 0.3, 1.0, 1.5, 2.5]), normal(5)
X = np.array([[-0.4, 0.1, 0.7], [1.2, 2.2, 2.9]])  # within each interval, and beyond both ends

CASES = [
    *[case(np.convolve, a, v, mode=mode) for mode in ("full", "same", "valid")
      for a, v in ((V, W), (W, V), (V, normal(4)), (normal(4), V), (V, V), (V[:1], W), (C, V), (V[:2], normal(4)))],
    # complex: the second argument is conjugated, which no linear pairing follows
    *[case(np.correlate, a, v, mode=mode).but(complex=False) for mode in ("full", "valid")
      for a, v in ((V, W), (W, V), (V, normal(4)), (V, V))],
    case(np.correlate, C, V, mode="full").but(wrt="a"),
    *[case(unconvolve, normal(n), W, V, mode).but(wrt="d v", skip="broadcast empty")
      for n, mode in ((7, "full"), (5, "same"), (3, "valid"))],
    case(np.interp, X, KNOTS, VALUES),
    *[case(np.interp, x, KNOTS, VALUES) for x in (0.7, 2.9, -0.4, np.array(0.7), X[0])],
    case(np.interp, X, KNOTS, VALUES, left=0.5, right=-0.5),
    case(np.interp, X, KNOTS, VALUES, left=0.5),
    case(np.interp, X, KNOTS, VALUES + 1j * normal(5, seed=2)),
    case(np.interp, X, KNOTS[:1], VALUES[:1]),
    case(np.interp, X, KNOTS[:2], VALUES[:2]),
    case(np.interp, within(0.0, 2.5, 7), KNOTS, VALUES),
    case(uninterp, normal(2, 3), X, KNOTS).but(skip="empty"),  # its knots would all be 0
    case(uninterp, 0.5, 0.7, KNOTS),
]
