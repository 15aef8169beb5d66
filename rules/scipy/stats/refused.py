"""Distributions that are called, which makes a "frozen" one: refused where a derivative would flow into it."""

from scipy import stats

from rules.rule import unsupported

SERVED = (
    "norm logistic laplace cauchy gumbel_r uniform halfnorm rayleigh expon t gamma chi2 beta invgamma lognorm "
    "weibull_min pareto vonmises poisson binom bernoulli geom nbinom multivariate_normal dirichlet"
)

unsupported(*[getattr(stats, name) for name in SERVED.split()],
            why="it makes an object with the parameters in it; give them to its methods, as norm.logpdf(x, loc, scale)")
