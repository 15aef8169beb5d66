"""Rules for the densities and distribution functions of `scipy.stats`, which computes them in double precision.

Served are the methods of the distributions themselves, `norm.logpdf(x, loc, scale)`: those of "frozen" ones, which are
objects with parameters in them, the compiler calls by these.
"""

from rules.scipy.stats import counts as counts
from rules.scipy.stats import location_scale as location_scale
from rules.scipy.stats import multivariate as multivariate
from rules.scipy.stats import refused as refused
from rules.scipy.stats import shapes as shapes
