"""Distributions that have no parameter but their place and their width."""

import numpy as np
from scipy import special, stats

from rules.scipy.special.error_functions import density_by_distribution
from rules.scipy.stats.continuous import LogDensity, serve

serve(stats.norm, LogDensity(lambda u: -u), density_by_distribution, symmetric=True)
serve(stats.logistic, LogDensity(lambda u: -np.tanh(0.5 * u)), lambda u: special.expit(-u), symmetric=True)
serve(stats.laplace, LogDensity(lambda u: -np.sign(u)))
serve(stats.cauchy, LogDensity(lambda u: -2 * u / (1 + u * u)))
serve(stats.gumbel_r, LogDensity(lambda u: np.exp(-u) - 1), lambda u: np.exp(-u))
serve(stats.uniform, LogDensity(lambda u: 0.0, outside=lambda u: (u < 0) | (u > 1), point=0.5))
serve(stats.halfnorm, LogDensity(lambda u: -u, outside=lambda u: u < 0))
serve(stats.rayleigh, LogDensity(lambda u: 1 / u - u, scaled=lambda u: 1 - u * u, outside=lambda u: u < 0))
serve(stats.expon, LogDensity(lambda u: -1.0, outside=lambda u: u < 0))
