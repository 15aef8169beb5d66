"""`scipy.interpolate`: splines that are made outside; those that a program makes are in `test_scipy_interpolate`."""

import numpy as np
from scipy import interpolate

from rules.scipy.interpolate import increasing, spline_values
from tests.rules.case import case, normal

X, Y = np.arange(6.0), normal(6)
SPLINES = (interpolate.CubicSpline(X, Y), interpolate.PchipInterpolator(X, Y), interpolate.make_interp_spline(X, Y, 5))

CASES = [
    *[case(spline_values, s, 2.5 + normal(4), nu=k).but(complex=False) for s in SPLINES for k in (0, 1)],
    case(increasing, X, 2).but(complex=False, skip="numbers scalars zero-dim"),
]
