"""Rules for `scipy.special`, filed as its documentation files the functions.

What SciPy computes in single precision has derivatives in single precision. Of an argument whose derivative has no
closed form, as of the order of a Bessel function, a rule says so: the gradient by it is refused.
"""

from rules.scipy.special import bessel as bessel
from rules.scipy.special import bessel_derivatives as bessel_derivatives
from rules.scipy.special import distributions as distributions
from rules.scipy.special import elementary as elementary
from rules.scipy.special import elliptic as elliptic
from rules.scipy.special import entropies as entropies
from rules.scipy.special import error_functions as error_functions
from rules.scipy.special import exponential_integrals as exponential_integrals
from rules.scipy.special import faddeeva as faddeeva
from rules.scipy.special import gamma_functions as gamma_functions
from rules.scipy.special import hypergeometric as hypergeometric
from rules.scipy.special import incomplete as incomplete
from rules.scipy.special import kelvin as kelvin
from rules.scipy.special import lambert as lambert
from rules.scipy.special import logistic as logistic
from rules.scipy.special import logsumexp as logsumexp
from rules.scipy.special import pairs as pairs
from rules.scipy.special import polynomials as polynomials
from rules.scipy.special import refused as refused
from rules.scipy.special import spherical as spherical
from rules.scipy.special import struve as struve
from rules.scipy.special import transformations as transformations
