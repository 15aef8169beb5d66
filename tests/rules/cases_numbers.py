"""Python numbers: what `math` and the builtins have beyond the ufuncs."""

import math

import numpy as np

from rules.numpy.trigonometric import sinc_slope
from tests.rules.case import case, normal

CASES = [
    case(float, np.float64(0.3)),
    case(float, np.array(0.3)),
    *[case(f, x) for f in (math.erf, math.erfc) for x in (0.3, -1.2)],
    case(np.sinc, np.concatenate([normal(4), [1e-9, 1e-3, 0.4, 0.65]])),
    case(np.sinc, np.zeros(2)),
    case(np.sinc, 0.0),
    *[case(sinc_slope, np.concatenate([normal(4), [1e-9, 1e-3, 0.0]]), order=k) for k in (1, 2, 3)],
]
