"""The gamma function and its logarithm, the polygamma functions, beta and Hurwitz's zeta function.

psi' (x) = zeta(2, x) and d zeta(s, q) / dq = -s zeta(s + 1, q): DLMF 5.15.1 and 25.11.17.
"""

import math

import numpy as np
from scipy import special

from rules.kind import Array, KindError, array_or_number, broadcast, kind_of, library
from rules.operands import is_complex
from rules.rule import elementwise, recorded, rule
from rules.scipy.special.kinds import together

elementwise("y = gamma(x)", special.gamma, derivative=lambda x, y: y * special.psi(x))
elementwise("y = rgamma(x)", special.rgamma, derivative=lambda x, y: _by_reciprocal(x, y))
elementwise("y = gammaln(x)", special.gammaln, derivative=lambda x: special.psi(x))
elementwise("y = loggamma(x)", special.loggamma, derivative=lambda x: special.psi(x))


def _by_reciprocal(x, y):
    """-y psi(x); on the left reflected, where psi has poles at which it is finite: DLMF 5.5.3 and 5.5.4."""
    left = np.real(x) < 0.5
    z = np.where(left, 1 - x, x)
    return np.where(left, special.gamma(np.where(left, z, 1)) * np.cos(math.pi * x), 0) - y * special.psi(z)


def _trigamma(x):
    if is_complex(x):
        raise KindError("the derivative of digamma is not there for complex numbers", "use its real part, or modulus")
    return recorded(special.zeta, 2, x)


elementwise("y = psi(x)", special.psi, derivative=_trigamma)


@rule("y = polygamma(n, x)", special.polygamma)
class polygamma:
    """SciPy computes it in double precision, and gives an array of a number too."""

    infinite_at_pole = True
    why_n = "the order is an integer"
    def kind(n, x): return Array(np.dtype(float), broadcast(kind_of(n).shape, kind_of(x).shape))
    def d_x(d_y, n, x): return d_y * recorded(special.polygamma, n + 1, x)
    def t_y(t_x, n, x): return t_x * recorded(special.polygamma, n + 1, x)


@rule("y = multigammaln(a, d)", special.multigammaln)
class multigammaln:
    """The logarithm of the gamma function of d variables, in double precision: a sum of those of one."""

    static = "d"
    infinite_at_pole = True
    def kind(a, d): return array_or_number(np.dtype(float), kind_of(a).shape, library(kind_of(a)))
    def d_a(d_y, a, d): return d_y * sum(special.psi(a - 0.5 * k) for k in range(d))
    def t_y(t_a, a, d): return t_a * sum(special.psi(a - 0.5 * k) for k in range(d))


@rule("z = beta(x, y)", special.beta)
class beta:
    infinite_at_pole = True
    def d_x(d_z, x, y, z): return d_z * (z * (special.psi(x) - special.psi(x + y)))
    def d_y(d_z, x, y, z): return d_z * (z * (special.psi(y) - special.psi(x + y)))

    def t_z(x, y, z, t_x, t_y):
        both = special.psi(x + y)
        return t_x * (z * (special.psi(x) - both)) + t_y * (z * (special.psi(y) - both))


@rule("z = betaln(x, y)", special.betaln)
class betaln:
    infinite_at_pole = True
    def d_x(d_z, x, y): return d_z * (special.psi(x) - special.psi(x + y))
    def d_y(d_z, x, y): return d_z * (special.psi(y) - special.psi(x + y))

    def t_z(x, y, t_x, t_y):
        both = special.psi(x + y)
        return t_x * (special.psi(x) - both) + t_y * (special.psi(y) - both)


@rule("y = zeta(x, q=None)", special.zeta)
class zeta:
    infinite_at_pole = True
    why_x = "the derivative by the exponent has no closed form"
    def kind(x, q): return together(x) if q is None else together(x, q)
    def d_q(d_y, x, q): return d_y * (-x * recorded(special.zeta, x + 1, q))
    def t_y(t_q, x, q): return t_q * (-x * recorded(special.zeta, x + 1, q))
