"""`scipy.signal`."""

import numpy as np
from scipy import signal

from rules.scipy.signal.convolutions import convolved, unconvolve
from rules.scipy.signal.filters import unsavgol
from rules.scipy.signal.recursive import lag_products
from tests.rules.case import case, normal

A, V = normal(3, 5), normal(2, 2)
X, W = normal(6), normal(3)
#: Of no elements there is another shape, of numbers another meaning.
PAIR = {"skip": "empty numbers scalars zero-dim broadcast"}
B, RECURSIVE, FIR = normal(3), np.array([1.5, -0.4, 0.2, 0.1]), np.array([1.5])
STATE = normal(2, 3)
SOS = np.array([[1.0, 0.5, 0.2, 1.0, -0.3, 0.1], [0.7, 0.1, 0.0, 1.0, 0.2, 0.0]])
FILTER = {"skip": "empty broadcast numbers scalars zero-dim"}

CASES = [
    *[case(f, X, W, mode).but(**PAIR)
      for f in (signal.convolve, signal.correlate, signal.fftconvolve, signal.oaconvolve)
      for mode in ("full", "same", "valid")],
    *[case(f, A, V, mode).but(**PAIR) for f in (signal.convolve, signal.correlate, signal.convolve2d)
      for mode in ("same", "valid")],
    *[case(f, W, X, mode, method="direct").but(**PAIR) for f in (signal.convolve, signal.correlate)
      for mode in ("same", "valid")],
    *[case(signal.correlate2d, A, V, mode).but(**PAIR) for mode in ("full", "valid")],
    case(signal.correlate2d, V, A, "valid").but(**PAIR),
    *[case(f, A, normal(*n), mode, axes=k).but(skip="empty numbers scalars zero-dim")
      for f in (signal.fftconvolve, signal.oaconvolve)
      for n, mode, k in (((1, 3), "same", 1), ((3, 2), "full", (-1,)), ((2, 1), "valid", [0]))],
    case(signal.fftconvolve, A[:1], normal(3, 2), "full", axes=-1).but(**PAIR),
    case(convolved, A, V, A).but(wrt="a v", **PAIR),
    case(unconvolve, A, V, normal(2, 4)).but(wrt="d v", **PAIR),
    *[case(signal.lfilter, B, a, x, axis=k).but(**FILTER)
      for a in (RECURSIVE, FIR) for x, k in ((normal(5), -1), (normal(5, 2), 0))],
    *[case(signal.lfilter, B, a, normal(2, 5), axis=1, zi=z).but(**FILTER)
      for a, z in ((RECURSIVE, STATE), (RECURSIVE, STATE[:1]), (FIR, STATE[:, :2]))],
    case(signal.lfilter, B, RECURSIVE, normal(2, 2), zi=STATE).but(**FILTER),
    case(lag_products, normal(2, 6), normal(2, 4), B).but(wrt="l x", **FILTER),
    case(signal.sosfilt, SOS, normal(5, 2), axis=0).but(wrt="x", **FILTER),
    *[case(signal.detrend, normal(7, 2), axis=0, type=t, bp=b)
      for t, b in (("linear", 0), ("linear", 3), ("constant", 0))],
    *[case(signal.savgol_filter, normal(2, 9), n, 2, **how).but(complex=False)
      for n, how in ((5, {}), (4, {"deriv": 1, "delta": 0.5}), (5, {"mode": "mirror"}), (4, {"mode": "wrap"}),
                     (5, {"axis": 0, "mode": "nearest"}), (5, {"mode": "constant", "cval": 2.0}))],
    *[case(unsavgol, normal(2, 9), n, 2, mode=m).but(complex=False, skip="empty")
      for n in (4, 5) for m in ("interp", "nearest")],
    *[case(signal.hilbert, normal(2, n)).but(complex=False) for n in (6, 5)],
    case(signal.hilbert, normal(5, 2), axis=0).but(complex=False),
    case(signal.windows.hann, 5),
]
