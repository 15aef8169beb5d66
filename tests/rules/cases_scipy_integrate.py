"""`scipy.integrate`."""

import numpy as np
from scipy import integrate

from tests.rules.case import case, normal, positive

Y, X = normal(3, 5), np.cumsum(positive(3, 5), axis=1)
LONE = {"skip": "empty broadcast"}

CASES = [
    *[case(f, Y, **how).but(**LONE) for f in (integrate.trapezoid, integrate.cumulative_trapezoid)
      for how in ({"dx": 0.3, "axis": 0}, {"dx": 0.3}, {"x": X}, {"x": X[0]})],
    *[case(integrate.cumulative_trapezoid, Y, x, axis=1, initial=0).but(**LONE) for x in (X, X[0], None)],
    *[case(integrate.simpson, Y[:, :n], dx=0.3, axis=-1).but(**LONE) for n in (3, 4, 5)],
    *[case(integrate.simpson, normal(4, 3), dx=0.3, axis=0).but(**LONE)],
    *[case(integrate.simpson, Y[:, :n], x=x[..., :n]).but(**LONE) for n in (3, 4, 5) for x in (X, X[0])],
    *[case(integrate.simpson, Y[:, :n] + 1j * normal(3, n, seed=2), x=X[0, :n]).but(**LONE) for n in (4, 5)],
    case(integrate.simpson, normal(4), x=X[0, :4]).but(**LONE),
    case(integrate.simpson, normal(4, 2), x=X[0, :4], axis=0).but(**LONE),
]
