"""Functions that come several at once: Airy's, and integrals of sines, cosines, and Fresnel's."""

import math

import numpy as np
from scipy import special

from rules.rule import rule
from rules.scipy.special.kinds import together


def _times(d, slopes):
    return sum(part * slope for part, slope in zip(d, slopes))


def _along(t, slopes):
    return tuple(t * slope for slope in slopes)


@rule("y = airy(z)", special.airy)
class airy:
    """(Ai, Ai', Bi, Bi'), of which each solves y'' = z y."""

    infinite_at_pole = True
    def kind(z): return (together(z),) * 4
    def d_z(d_y, z, y): return _times(d_y, (y[1], z * y[0], y[3], z * y[2]))
    def t_y(t_z, z, y): return _along(t_z, (y[1], z * y[0], y[3], z * y[2]))


def _circular(x):
    return np.sinc(x / math.pi), np.cos(x) / x


@rule("y = sici(x)", special.sici)
class sici:
    """The integrals of sin(t) / t, and of cos(t) / t: DLMF 6.2."""

    infinite_at_pole = True
    def kind(x): return (together(x),) * 2
    def d_x(d_y, x): return _times(d_y, _circular(x))
    def t_y(t_x, x): return _along(t_x, _circular(x))


def _phases(z):
    u = 0.5 * math.pi * z * z
    return np.sin(u), np.cos(u)


@rule("y = fresnel(z)", special.fresnel)
class fresnel:
    """The integrals of sin(pi t**2 / 2) and cos(pi t**2 / 2)."""

    def kind(z): return (together(z),) * 2
    def d_z(d_y, z): return _times(d_y, _phases(z))
    def t_y(t_z, z): return _along(t_z, _phases(z))
