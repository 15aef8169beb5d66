"""Functions that come several at once: Airy's, Kelvin's, and integrals of these, of sines, of Bessel functions."""

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


def _hyperbolic(x):
    return special.hyp0f1(1.5, 0.25 * x * x), np.cosh(x) / x


@rule("y = shichi(x)", special.shichi)
class shichi:
    """The integrals of sinh(t) / t, which is 0F1(3/2; t**2 / 4), and of cosh(t) / t."""

    infinite_at_pole = True
    def kind(x): return (together(x),) * 2
    def d_x(d_y, x): return _times(d_y, _hyperbolic(x))
    def t_y(t_x, x): return _along(t_x, _hyperbolic(x))


def _of_airy(x):
    (right, _, growing, _), (left, _, beside, _) = special.airy(x), special.airy(-x)
    return right, growing, left, beside


@rule("y = itairy(x)", special.itairy)
class itairy:
    """The integrals of Ai and Bi from 0 to x, and of these at -t."""

    def kind(x): return (together(x),) * 4
    def d_x(d_y, x): return _times(d_y, _of_airy(x))
    def t_y(t_x, x): return _along(t_x, _of_airy(x))


@rule("y = itj0y0(x)", special.itj0y0)
class itj0y0:
    infinite_at_pole = True
    def kind(x): return (together(x),) * 2
    def d_x(d_y, x): return _times(d_y, (special.j0(x), special.y0(x)))
    def t_y(t_x, x): return _along(t_x, (special.j0(x), special.y0(x)))


@rule("y = iti0k0(x)", special.iti0k0)
class iti0k0:
    infinite_at_pole = True
    def kind(x): return (together(x),) * 2
    def d_x(d_y, x): return _times(d_y, (special.i0(x), special.k0(x)))
    def t_y(t_x, x): return _along(t_x, (special.i0(x), special.k0(x)))
