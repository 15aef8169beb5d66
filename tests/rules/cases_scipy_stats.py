"""`scipy.stats`."""

import numpy as np
from scipy import stats

from tests.rules.case import case, normal, positive, within

X, LOC, SCALE, Q = normal(3, 4), normal(4, seed=2), positive(3, 1), within(0.1, 0.9, 3, 4)
HERE = {"complex": False, "skip": "broadcast"}  # the three are broadcast already

CASES = [
    *[case(getattr(d, f), X, LOC, SCALE).but(**HERE)
      for d in (stats.norm, stats.logistic, stats.laplace, stats.cauchy, stats.gumbel_r)
      for f in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")],
    *[case(getattr(stats.expon, f), X + 4, LOC / 9, SCALE).but(**HERE)
      for f in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")],
    *[case(getattr(d, f), Q, LOC, SCALE).but(**HERE)
      for d in (stats.norm, stats.logistic, stats.laplace, stats.cauchy, stats.gumbel_r, stats.expon)
      for f in ("ppf", "isf")],
    case(stats.norm.logpdf, X).but(complex=False),
    case(stats.norm.logcdf, np.array([-40.0, -9.0, 8.0])).but(complex=False),
    case(stats.norm.logsf, np.array([40.0, 9.0, -8.0])).but(complex=False),
]
