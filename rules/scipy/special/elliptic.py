"""Complete elliptic integrals by their parameter m, and Jacobi's functions by their argument.

K = pi/2 F(1/2, 1/2; 1; m) and E = pi/2 F(-1/2, 1/2; 1; m) (DLMF 19.5.1), whose derivatives are smooth at m = 0 too.
"""

import math

from scipy import special

from rules.kind import elementwise as kind_of_ufunc
from rules.rule import elementwise, rule
from rules.scipy.special.kinds import hyp2f1

elementwise("K = ellipk(m)", special.ellipk, derivative=lambda m: math.pi / 8 * hyp2f1(1.5, 1.5, 2.0, m))
elementwise("E = ellipe(m)", special.ellipe, derivative=lambda m: -math.pi / 8 * hyp2f1(0.5, 1.5, 2.0, m))


def _slopes(m, y):
    sn, cn, dn, _ = y
    return cn * dn, -sn * dn, -m * sn * cn, dn


@rule("y = ellipj(u, m)", special.ellipj)
class ellipj:
    """(sn, cn, dn, ph): DLMF 22.13.1 to 22.13.3."""

    why_m = "the rule by the parameter is not written yet"
    def kind(u, m): return (kind_of_ufunc(special.ellipj, u, m),) * 4
    def d_u(d_y, m, y): return sum(d * slope for d, slope in zip(d_y, _slopes(m, y)))
    def t_y(t_u, m, y): return tuple(t_u * slope for slope in _slopes(m, y))
