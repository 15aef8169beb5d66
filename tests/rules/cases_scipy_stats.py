"""`scipy.stats`."""

import numpy as np
from scipy import stats

from rules.scipy.stats.multivariate import along_simplex, of_free_parts, simplex
from rules.scipy.stats.shapes import half_step
from tests.rules.case import case, normal, positive, within

X, LOC, SCALE, Q = normal(3, 4), normal(4, seed=2), positive(3, 1), within(0.1, 0.9, 3, 4)
HERE = {"complex": False, "skip": "broadcast"}  # the three are broadcast already
#: The rules are of one making: for most of them fewer forms tell enough.
FEW = {"complex": False, "skip": "broadcast layout scalars zero-dim"}
SHAPE, OTHER = within(1.5, 4, 4), within(1.5, 4, 3, 1, seed=5)
FUNCTIONS, INVERSES = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf"), ("ppf", "isf")
KS = np.array([[0, 1, 2, 4], [1, 5, 3, 2], [2, 0, 1, 1]])
COV = X[:, :3] @ X[:, :3].T + np.eye(3) + np.triu(X[:, :3], 1)
PARTS = within(0.05, 0.3, 3, 2)
POINTS = {"complex": False, "skip": "empty broadcast"}
ABOVE = LOC + SCALE * positive(3, 4)
INSIDE = within(0.1, 0.9, 3, 4, seed=3)

CASES = [
    *[case(getattr(d, f), X, LOC, SCALE).but(**HERE)
      for d in (stats.norm, stats.logistic, stats.laplace, stats.cauchy, stats.gumbel_r)
      for f in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")],
    *[case(getattr(stats.expon, f), X + 4, LOC / 9, SCALE).but(**HERE)
      for f in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")],
    *[case(getattr(d, f), Q, LOC, SCALE).but(**HERE)
      for d in (stats.norm, stats.logistic, stats.laplace, stats.cauchy, stats.gumbel_r, stats.expon)
      for f in ("ppf", "isf")],
    # with parameters of their shape
    *[case(getattr(d, f), x, SHAPE, LOC, SCALE).but(**FEW)
      for d, x in ((stats.t, X), (stats.gamma, ABOVE), (stats.chi2, ABOVE))
      for f in FUNCTIONS],
    *[case(getattr(stats.beta, f), LOC + SCALE * INSIDE, SHAPE, OTHER, LOC, SCALE).but(**FEW) for f in FUNCTIONS],
    *[case(getattr(d, f), Q, SHAPE, LOC, SCALE).but(**FEW)
      for d in (stats.t, stats.gamma, stats.chi2) for f in INVERSES],
    *[case(getattr(stats.beta, f), Q, SHAPE, OTHER, LOC, SCALE).but(**FEW) for f in INVERSES],
    *[case(getattr(d, f), ABOVE, SHAPE, LOC, SCALE).but(**FEW)
      for d in (stats.invgamma, stats.lognorm, stats.weibull_min) for f in FUNCTIONS],
    *[case(getattr(stats.pareto, f), ABOVE + SCALE, SHAPE, LOC, SCALE).but(**FEW) for f in FUNCTIONS],
    *[case(getattr(stats.vonmises, f), X[:1, :2], 2.5, 0.3).but(wrt="x kappa loc" if "pdf" in f else "x loc", **FEW)
      for f in FUNCTIONS],
    *[case(getattr(d, f), Q, SHAPE, LOC, SCALE).but(**FEW)
      for d in (stats.invgamma, stats.lognorm, stats.weibull_min, stats.pareto) for f in INVERSES],
    *[case(getattr(stats.vonmises, f), Q[:1, :1], 2.5).but(upto=1, **FEW) for f in INVERSES],
    *[case(getattr(d, f), LOC + SCALE * INSIDE, LOC, SCALE).but(**FEW)
      for d in (stats.uniform, stats.halfnorm, stats.rayleigh) for f in FUNCTIONS],
    *[case(getattr(d, f), Q, LOC, SCALE).but(**FEW)
      for d in (stats.uniform, stats.halfnorm, stats.rayleigh) for f in INVERSES],
    case(stats.t.logpdf, X, np.array([1.0, 30.0, 55.0, 200.0])).but(complex=False),
    *[case(half_step, np.array([1.3, 40.0, 60.0, 300.0]), n).but(complex=False) for n in (0, 1)],
    # counts
    *[case(getattr(d, f), k, *shapes).but(**FEW)
      for d, k, shapes in ((stats.poisson, KS, (SHAPE,)), (stats.binom, KS, (np.array([[6], [7], [9]]), Q)),
                           (stats.bernoulli, KS % 2, (Q,)), (stats.geom, KS + 1, (Q,)), (stats.nbinom, KS, (OTHER, Q)))
      for f in ("pmf", "logpmf")],
    *[case(getattr(d, f), k, *shapes).but(**FEW)
      for d, k, shapes in ((stats.poisson, KS, (SHAPE,)), (stats.binom, KS, (np.array([[6], [7], [9]]), Q)),
                           (stats.bernoulli, 0 * KS, (Q,)), (stats.geom, KS + 1, (Q,)))
      for f in FUNCTIONS[2:]],
    *[case(getattr(stats.nbinom, f), KS, 3, Q).but(**FEW) for f in FUNCTIONS[2:]],
    case(stats.poisson.pmf, KS, SHAPE, 1).but(**FEW),
    case(stats.poisson.cdf, KS + 0.5, SHAPE, loc=0.25).but(wrt="mu", **FEW),
    # of several variables
    *[case(getattr(stats.multivariate_normal, f), *args).but(**POINTS)
      for f in ("logpdf", "pdf")
      for args in ((X[:, :3], X[0, :3], COV), (X[0, :3], LOC[:3], COV), (positive(2, 3, 2), LOC[:2], SCALE[:2, 0]))],
    case(stats.multivariate_normal.logpdf, X[:1, :3], X[1, :3], COV).but(**POINTS),
    case(stats.multivariate_normal.logpdf, X[:, :3], cov=COV).but(**POINTS),
    case(stats.multivariate_normal.logpdf, X[:, :3], LOC[:3], 1.7).but(**POINTS),
    case(stats.multivariate_normal.logpdf, X[:, :3], LOC[:3]).but(**POINTS),
    *[case(getattr(stats.dirichlet, f), x, SHAPE).but(**POINTS)
      for f in ("logpdf", "pdf") for x in (PARTS, PARTS[:, 0], PARTS[:, :1])],
    case(stats.dirichlet.logpdf, np.array([0.2, 0.3, 0.1, 0.4]), SHAPE).but(wrt="alpha", **POINTS),
    *[case(f, x, SHAPE).but(**POINTS) for f in (simplex, along_simplex) for x in (PARTS, within(0.1, 0.2, 4, 2))],
    *[case(of_free_parts, x, PARTS).but(wrt="d", **POINTS) for x in (PARTS, within(0.1, 0.2, 4, 2))],
    case(stats.norm.logpdf, X).but(complex=False),
    case(stats.norm.logcdf, np.array([-40.0, -9.0, 8.0])).but(complex=False),
    case(stats.norm.logsf, np.array([40.0, 9.0, -8.0])).but(complex=False),
]
