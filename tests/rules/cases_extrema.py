"""Maxima and minima, clip, selections, absolute values, signs."""

import math
import operator

import numpy as np

from tests.rules.case import case, normal

A, B, S = normal(3, 4), normal(3, 4, seed=2), normal(2, 3, 4)
LOW, HIGH = np.full(4, -0.6), np.full((3, 1), 0.7)
AXES = ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}, {"keepdims": True})

CASES = [
    *[case(f, A, B) for f in (np.maximum, np.minimum, np.fmax, np.fmin)],
    *[case(f, A, 0).but(wrt="x") for f in (np.maximum, np.minimum, np.fmax, np.fmin)],
    *[case(f, 0.1, A).but(wrt="y") for f in (np.maximum, np.minimum)],
    *[case(f, 1.5, -0.5) for f in (max, min)],
    *[case(f, -1.5, 0.5) for f in (max, min)],
    *[case(f, A, -0.5, 0.8).but(wrt="a") for f in (np.clip, "ndarray.clip")],
    *[case(f, A, LOW, HIGH) for f in (np.clip, "ndarray.clip")],
    *[case(np.clip, A, *bounds).but(wrt="a") for bounds in ((None, 0.5), (0.5, None), (LOW, 0.5))],
    case(np.clip, A, None, HIGH),
    case(np.clip, A, LOW, None),
    case("ndarray.clip", A, LOW),
    *[case(f, A, **axes) for f in (np.max, np.min, np.ptp) for axes in AXES],
    *[case(f, A, axis=0) for f in (np.amax, np.amin, "ndarray.max", "ndarray.min")],
    *[case(f, S, axis=(0, -1)) for f in (np.max, np.min)],
    case(np.where, A > 0, A, B),
    case(np.where, A[:, :1] > 0, A, B[0]),
    case(np.where, A > 0, A, 0.0).but(wrt="x"),
    *[case(f, A) for f in (np.absolute, operator.abs, abs, np.fabs)],
    case(math.fabs, -0.3),
    case(np.copysign, A, B),
    case(math.copysign, -0.3, 0.5),
]
