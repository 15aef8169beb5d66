"""Absolute values, signs and steps."""

import math
import operator

import numpy as np

from rules.cotangent import direction, zeros_like
from rules.kind import KindError, elementwise, kind_of
from rules.numpy.extrema import chosen
from rules.operands import is_complex
from rules.rule import Like, nondifferentiable, rule


@rule("y = absolute(x)", np.absolute, operator.abs, abs)
class absolute:
    """At 0 the subgradient of least norm, 0."""

    def d_x(d_y, x, y): return d_y * (direction(np.conjugate(x), y) if is_complex(x) else np.sign(x))

    def t_y(x, y, t_x):
        return np.real(direction(np.conjugate(x), y) * t_x) if is_complex(x) else t_x * np.sign(x)


@rule("y = fabs(x)", np.fabs, math.fabs)
class fabs:
    def d_x(d_y, x): return d_y * np.sign(x)
    def t_y(t_x, x): return t_x * np.sign(x)


def _sign_kind(x):
    if kind_of(x).dtype.kind == "c":
        raise KindError("the sign of a complex number varies with it", "write x / np.abs(x)")
    return elementwise(np.sign, x)


nondifferentiable("y = sign(x)", np.sign, kind=lambda x: _sign_kind(x))


@rule("z = copysign(x, y)", np.copysign, math.copysign)
class copysign:
    """|x| with the sign of y: a kink where x is 0, and constant in y."""

    def d_x(d_z, x, y): return d_z * np.sign(x) * np.copysign(1.0, y)
    def d_y(d_z, y: Like): return zeros_like(y)
    def t_z(t_x, x, y): return t_x * np.sign(x) * np.copysign(1.0, y)


@rule("z = heaviside(x, h)", np.heaviside)
class heaviside:
    """A step, constant in x; h is the value at 0, and moves the result there alone."""

    selects = True
    def d_x(d_z, x: Like): return zeros_like(x)
    def d_h(d_z, x): return chosen(d_z, x == 0)
    def t_z(x, t_h): return chosen(t_h, x == 0)
