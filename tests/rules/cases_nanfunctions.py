"""Reductions that leave NaN out, and `nan_to_num`."""

import numpy as np

from tests.rules.case import case, normal

A, S = normal(3, 4), normal(2, 3, 4)
# one NaN, several, a whole row; infinities too for what replaces them
HOLES = A.copy()
HOLES[0, 1] = HOLES[1, 0] = HOLES[1, 3] = np.nan
CUBE = S.copy()
CUBE[0, 1, 2] = CUBE[1, :, 0] = np.nan
ENDS = HOLES.copy()
ENDS[2, :2] = np.inf, -np.inf
AXES = ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}, {"keepdims": True})
SUMS = (np.nansum, np.nanmean, np.nanprod, np.nanvar)

CASES = [
    *[case(f, a, **axes) for f in SUMS for a in (A, HOLES) for axes in AXES],
    # the deviation of one number is 0: a kink
    *[case(np.nanstd, a, **axes).but(skip="numbers zero-dim") for a in (A, HOLES) for axes in AXES],
    *[case(f, CUBE, axis=(0, -1)) for f in (*SUMS, np.nanstd, np.nanmax, np.nanmin)],
    *[case(f, HOLES, axis=0, ddof=1) for f in (np.nanvar, np.nanstd)],
    *[case(f, HOLES, dtype=np.float64) for f in (np.nansum, np.nanmean)],
    *[case(np.nanprod, np.array([[0.0, 2.0, np.nan], [np.nan, 0.0, 0.0], [1.0, 2.0, -1.0]]), axis=k) for k in (0, 1)],
    *[case(f, a, **axes) for f in (np.nanmax, np.nanmin) for a in (A, HOLES) for axes in AXES],
    *[case(np.nan_to_num, a) for a in (A, HOLES, 0.5, np.array(0.5))],
    case(np.nan_to_num, ENDS, nan=2.0, posinf=1.0, neginf=-1.0),
    *[case(f, a, axis=k) for f in (np.nancumsum, np.nancumprod) for a in (A, HOLES) for k in (None, 0, -1)],
    *[case(f, np.array([[0.0, 2.0, np.nan], [np.nan, 0.0, 0.0]]), axis=1) for f in (np.nancumsum, np.nancumprod)],
    *[case(np.nanmedian, a, **axes) for a in (A, HOLES) for axes in AXES],
    case(np.nanmedian, CUBE, axis=(0, -1)),
    *[case(np.nanquantile, HOLES, q, axis=k).but(wrt="a") for q in (0.3, 1.0) for k in (None, 1)],
    case(np.nanpercentile, HOLES, 30.0, axis=0).but(wrt="a"),
    case(np.nan_to_num, np.array([complex(np.nan, 1.5), complex(0.5, np.nan), 1.5 + 0.5j])),
]
