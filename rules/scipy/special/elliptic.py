"""Elliptic integrals by their amplitude and their parameter m, and Jacobi's functions by their argument.

K = pi/2 F(1/2, 1/2; 1; m) and E = pi/2 F(-1/2, 1/2; 1; m) (DLMF 19.5.1), whose derivatives are smooth at m = 0 too. The
incomplete ones are Carlson's (DLMF 19.25.5 and 19.25.9), and their derivatives are R_D (19.18.1), which has no rule.
"""

import math

import numpy as np
from scipy import special

from rules.kind import elementwise as kind_of_ufunc
from rules.rule import elementwise, partials, rule
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


# ------------------------------------------------------------------------------------------- incomplete
def _integrals_of_squares(phi, m):
    """The integrals of sin**2 by the root of 1 - m sin**2, and by its third power."""
    turns = np.round(phi / math.pi)  # the rest is between -pi / 2 and pi / 2
    s = np.sin(phi - math.pi * turns)
    c, q, cube = np.cos(phi) ** 2, 1 - m * s * s, s * s * s / 3
    return (cube * special.elliprd(c, q, 1.0) + 2 / 3 * turns * special.elliprd(0.0, 1 - m, 1.0),
            cube * special.elliprd(c, 1.0, q) + 2 / 3 * turns * special.elliprd(0.0, 1.0, 1 - m))


def _root(phi, m):
    return np.sqrt(1 - m * np.sin(phi) ** 2)


partials("y = ellipkinc(phi, m)", special.ellipkinc, by={
    "phi": lambda d, phi, m, y: d / _root(phi, m),
    "m": lambda d, phi, m, y: d * (0.5 * _integrals_of_squares(phi, m)[1]),
}, infinite_at_pole=True)  # fmt: skip
partials("y = ellipeinc(phi, m)", special.ellipeinc, by={
    "phi": lambda d, phi, m, y: d * _root(phi, m),
    "m": lambda d, phi, m, y: d * (-0.5 * _integrals_of_squares(phi, m)[0]),
})  # fmt: skip
partials("r = elliprf(x, y, z)", special.elliprf, by={
    "x": lambda d, x, y, z, r: d * (special.elliprd(y, z, x) / -6),
    "y": lambda d, x, y, z, r: d * (special.elliprd(x, z, y) / -6),
    "z": lambda d, x, y, z, r: d * (special.elliprd(x, y, z) / -6),
}, infinite_at_pole=True)  # fmt: skip
partials("r = elliprc(x, y)", special.elliprc, by={
    "x": lambda d, x, y, r: d * (special.elliprd(y, y, x) / -6),
    "y": lambda d, x, y, r: d * (special.elliprd(x, y, y) / -3),
}, infinite_at_pole=True)  # fmt: skip
