"""Elementary functions that SciPy has beside NumPy: exponentials, roots, angles in degrees, losses."""

import math

import numpy as np
from scipy import special

from rules.cotangent import direction, strong, strong_divide
from rules.rule import elementwise, nondifferentiable, partials, rule

LN2, LN10, DEGREE = math.log(2), math.log(10), math.pi / 180

elementwise("y = expm1(x)", special.expm1, derivative=lambda y: y + 1)
elementwise("y = exp2(x)", special.exp2, derivative=lambda y: LN2 * y)
elementwise("y = exp10(x)", special.exp10, derivative=lambda y: LN10 * y)
elementwise("y = log1p(x)", special.log1p, derivative=lambda x: 1 / (1 + x))
elementwise("y = cosm1(x)", special.cosm1, derivative=lambda x: -np.sin(x), infinite_at_pole=False)
# (exp(x) - 1) / x is a confluent hypergeometric function, M(1, 2, x): DLMF 13.6.1. Its derivative is smooth at 0 too.
elementwise("y = exprel(x)", special.exprel, derivative=lambda x: 0.5 * special.hyp1f1(2, 3, x))

elementwise("y = sindg(x)", special.sindg, derivative=lambda x: DEGREE * special.cosdg(x), infinite_at_pole=False)
elementwise("y = cosdg(x)", special.cosdg, derivative=lambda x: -DEGREE * special.sindg(x), infinite_at_pole=False)
elementwise("y = tandg(x)", special.tandg, derivative=lambda y: DEGREE * (1 + y * y))
elementwise("y = cotdg(x)", special.cotdg, derivative=lambda y: -DEGREE * (1 + y * y))


@rule("y = cbrt(x)", special.cbrt)
class cbrt:
    def d_x(d_y, y): return strong_divide(d_y, 3 * y * y)
    def t_y(t_x, y): return strong_divide(t_x, 3 * y * y)


@rule("y = huber(delta, r)", special.huber)
class huber:
    """r**2 / 2 within delta of 0, and delta * (|r| - delta / 2) beyond."""

    def d_delta(d_y, delta, r): return d_y * np.maximum(np.abs(r) - delta, 0)
    def d_r(d_y, delta, r): return d_y * np.minimum(np.maximum(r, -1.0 * delta), delta)

    def t_y(delta, r, t_delta, t_r):
        return t_delta * np.maximum(np.abs(r) - delta, 0) + t_r * np.minimum(np.maximum(r, -1.0 * delta), delta)


def _of_pseudo_huber(delta, r):
    """The slopes by delta and by r, of the numbers whose square root is taken: 0 where both are 0."""
    h = np.hypot(delta, r)
    part = direction(r * r, h + delta)
    return direction(part * part, h), delta * direction(r, h)


@rule("y = pseudo_huber(delta, r)", special.pseudo_huber)
class pseudo_huber:
    """delta**2 (sqrt(1 + (r / delta)**2) - 1), of positive delta."""

    def d_delta(d_y, delta, r): return d_y * _of_pseudo_huber(delta, r)[0]
    def d_r(d_y, delta, r): return d_y * _of_pseudo_huber(delta, r)[1]

    def t_y(delta, r, t_delta, t_r):
        of_delta, of_r = _of_pseudo_huber(delta, r)
        return t_delta * of_delta + t_r * of_r


@rule("z = powm1(x, y)", special.powm1)
class powm1:
    """x**y - 1."""

    def d_x(d_z, x, y): return strong(d_z * y, np.power(x, y - 1))
    def d_y(d_z, x, z): return strong(d_z * (z + 1), np.log(x))
    def t_z(x, y, z, t_x, t_y): return strong(t_x * y, np.power(x, y - 1)) + strong(t_y * (z + 1), np.log(x))


partials("y = radian(d, m, s)", special.radian, by={
    "d": lambda d_y, d, m, s, y: d_y * DEGREE,
    "m": lambda d_y, d, m, s, y: d_y * (DEGREE / 60),
    "s": lambda d_y, d, m, s, y: d_y * (DEGREE / 3600),
})  # fmt: skip


def _of_mean(a, b, y):
    """The derivative of the mean of a and b by a, with Carlson's R_D: DLMF 19.8.6 and 19.18.1."""
    return 2 / (3 * math.pi) * y * y * a * special.elliprd(0.0, b * b, a * a)


partials("y = agm(a, b)", special.agm, by={
    "a": lambda d, a, b, y: d * _of_mean(a, b, y),
    "b": lambda d, a, b, y: d * _of_mean(b, a, y),
})  # fmt: skip

nondifferentiable("y = round(x)", special.round)
nondifferentiable("y = gammasgn(x)", special.gammasgn)
