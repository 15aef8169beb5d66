"""Bessel functions by their argument, from those of the orders beside: DLMF 10.6.1 and 10.29.1.

Those that are scaled by exp(-|Re z|) or exp(-|Im z|) are not holomorphic; where that is 0 its slope counts as 0.
At 0 the functions of an order between 0 and 1 are finite and their derivatives infinite: zero in, zero out.
"""

import numpy as np
from scipy import special

from rules.cotangent import strong
from rules.operands import is_complex, is_constant
from rules.rule import elementwise, rule
from rules.scipy.special.kinds import whole

ORDER = "the derivative by the order has no closed form"


def _times(d, v, factor):
    """`d * factor`; a cotangent that is zero stays zero where the order is not known to be whole."""
    return d * factor if is_constant(v) and v == int(v) else strong(d, factor)


# ---------------------------------------------------------------------------- of any order, unscaled
def half_difference(f, v, z):
    return 0.5 * (f(v - 1.0, z) - f(v + 1.0, z))


def half_sum(f, v, z):
    return 0.5 * (f(v - 1.0, z) + f(v + 1.0, z))


@rule("y = jv(v, z)", special.jv)
class jv:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z): return _times(d_y, v, half_difference(special.jv, v, z))
    def t_y(t_z, v, z): return _times(t_z, v, half_difference(special.jv, v, z))


@rule("y = yv(v, z)", special.yv)
class yv:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z): return d_y * half_difference(special.yv, v, z)
    def t_y(t_z, v, z): return t_z * half_difference(special.yv, v, z)


@rule("y = yn(n, x)", special.yn)
class yn:
    infinite_at_pole = True
    why_n = "the order is an integer"
    def d_x(d_y, n, x): return d_y * half_difference(special.yn, whole(n), x)
    def t_y(t_x, n, x): return t_x * half_difference(special.yn, whole(n), x)


@rule("y = hankel1(v, z)", special.hankel1)
class hankel1:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z): return d_y * half_difference(special.hankel1, v, z)
    def t_y(t_z, v, z): return t_z * half_difference(special.hankel1, v, z)


@rule("y = hankel2(v, z)", special.hankel2)
class hankel2:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z): return d_y * half_difference(special.hankel2, v, z)
    def t_y(t_z, v, z): return t_z * half_difference(special.hankel2, v, z)


@rule("y = iv(v, z)", special.iv)
class iv:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z): return _times(d_y, v, half_sum(special.iv, v, z))
    def t_y(t_z, v, z): return _times(t_z, v, half_sum(special.iv, v, z))


@rule("y = kv(v, z)", special.kv)
class kv:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z): return d_y * -half_sum(special.kv, v, z)
    def t_y(t_z, v, z): return t_z * -half_sum(special.kv, v, z)


@rule("y = kn(n, x)", special.kn)
class kn:
    infinite_at_pole = True
    why_n = "the order is an integer"
    def d_x(d_y, n, x): return d_y * -half_sum(special.kn, whole(n), x)
    def t_y(t_x, n, x): return t_x * -half_sum(special.kn, whole(n), x)


# ------------------------------------------------------------------------------ of any order, scaled
def _scaled(d, z, y):
    """The part of exp(-|Re z|): its cotangent is real, and so is its tangent."""
    return np.sign(np.real(z)) * np.real(d * y) if is_complex(z) else d * (np.sign(z) * y)


def _moved(t, z, y):
    return np.sign(np.real(z)) * np.real(t) * y if is_complex(z) else t * (np.sign(z) * y)


@rule("y = ive(v, z)", special.ive)
class ive:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z, y): return _times(d_y, v, half_sum(special.ive, v, z)) - _scaled(d_y, z, y)
    def t_y(t_z, v, z, y): return _times(t_z, v, half_sum(special.ive, v, z)) - _moved(t_z, z, y)


@rule("y = kve(v, z)", special.kve)
class kve:
    """exp(z) K_v(z), which is holomorphic."""

    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z, y): return d_y * (y - half_sum(special.kve, v, z))
    def t_y(t_z, v, z, y): return t_z * (y - half_sum(special.kve, v, z))


def _scaled_by_imaginary(d, z, y):
    """The part of exp(-|Im z|), of a complex z: that of a real one is 0."""
    return 1j * np.sign(np.imag(z)) * np.real(d * y) if is_complex(z) else 0.0


def _moved_by_imaginary(t, z, y):
    return np.sign(np.imag(z)) * np.imag(t) * y if is_complex(z) else 0.0


@rule("y = jve(v, z)", special.jve)
class jve:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z, y): return _times(d_y, v, half_difference(special.jve, v, z)) + _scaled_by_imaginary(d_y, z, y)
    def t_y(t_z, v, z, y): return _times(t_z, v, half_difference(special.jve, v, z)) - _moved_by_imaginary(t_z, z, y)


@rule("y = yve(v, z)", special.yve)
class yve:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z, y): return d_y * half_difference(special.yve, v, z) + _scaled_by_imaginary(d_y, z, y)
    def t_y(t_z, v, z, y): return t_z * half_difference(special.yve, v, z) - _moved_by_imaginary(t_z, z, y)


@rule("y = hankel1e(v, z)", special.hankel1e)
class hankel1e:
    """exp(-iz) H1_v(z), which is holomorphic, as is the next."""

    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z, y): return d_y * (half_difference(special.hankel1e, v, z) - 1j * y)
    def t_y(t_z, v, z, y): return t_z * (half_difference(special.hankel1e, v, z) - 1j * y)


@rule("y = hankel2e(v, z)", special.hankel2e)
class hankel2e:
    infinite_at_pole = True
    why_v = ORDER
    def d_z(d_y, v, z, y): return d_y * (half_difference(special.hankel2e, v, z) + 1j * y)
    def t_y(t_z, v, z, y): return t_z * (half_difference(special.hankel2e, v, z) + 1j * y)


# ---------------------------------------------------------------------------------- of orders 0 and 1
elementwise("y = j0(x)", special.j0, derivative=lambda x: -special.j1(x), infinite_at_pole=False)
elementwise("y = j1(x)", special.j1, infinite_at_pole=False,
            derivative=lambda x: 0.5 * (special.j0(x) - special.jv(2, x)))  # fmt: skip
elementwise("y = y0(x)", special.y0, derivative=lambda x: -special.y1(x))
elementwise("y = y1(x)", special.y1, derivative=lambda x, y: special.y0(x) - y / x)
elementwise("y = i0(x)", special.i0, derivative=lambda x: special.i1(x))
elementwise("y = i1(x)", special.i1, derivative=lambda x: 0.5 * (special.i0(x) + special.iv(2, x)))
elementwise("y = k0(x)", special.k0, derivative=lambda x: -special.k1(x))
elementwise("y = k1(x)", special.k1, derivative=lambda x, y: -special.k0(x) - y / x)

# scaled by exp(-|x|) and exp(x)
elementwise("y = i0e(x)", special.i0e, infinite_at_pole=False,
            derivative=lambda x, y: special.i1e(x) - np.sign(x) * y)  # fmt: skip
elementwise("y = i1e(x)", special.i1e, infinite_at_pole=False,
            derivative=lambda x, y: 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y)  # fmt: skip
elementwise("y = k0e(x)", special.k0e, derivative=lambda x, y: y - special.k1e(x))
elementwise("y = k1e(x)", special.k1e, derivative=lambda x, y: y - special.k0e(x) - y / x)
