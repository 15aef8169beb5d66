"""Distributions that are called with arrays, which makes a "frozen" one: refused where it is not used at once."""

from scipy import stats

from rules.rule import unsupported

SERVED = (
    "norm logistic laplace cauchy gumbel_r uniform halfnorm rayleigh expon t gamma chi2 beta invgamma lognorm "
    "weibull_min pareto vonmises poisson binom bernoulli geom nbinom multivariate_normal dirichlet"
)

unsupported(
    *[getattr(stats, name) for name in SERVED.split()],
    why="it makes an object with the parameters in it, arrays among them, which may change; "
    "give them to its methods, as norm.logpdf(x, loc, scale)",
)
