"""Rules for SciPy, filed as its documentation files the functions. Imported when one of them is first met.

What SciPy computes in single precision has derivatives in single precision. Of an argument whose derivative has no
closed form, as of the order of a Bessel function, a rule says so: the gradient by it is refused.
"""

from rules.scipy import bessel as bessel
from rules.scipy import elementary as elementary
from rules.scipy import entropies as entropies
from rules.scipy import error_functions as error_functions
from rules.scipy import exponential_integrals as exponential_integrals
from rules.scipy import gamma_functions as gamma_functions
from rules.scipy import hypergeometric as hypergeometric
from rules.scipy import incomplete as incomplete
from rules.scipy import logistic as logistic
from rules.scipy import logsumexp as logsumexp
from rules.scipy import refused as refused
