"""Arithmetic, powers, exponentials, trigonometry: what acts on each element."""

import math
import operator

import numpy as np

from rules.numpy.powers import log_of_base, quiet_power, real_power
from tests.rules.case import case, normal, positive, within

A, B, P, Q = normal(3, 4), normal(3, 4, seed=2), positive(3, 4), positive(3, 4, seed=2)
U = within(-0.9, 0.9, 3, 4)

CASES = [
    *[case(f, A, B) for f in (np.add, operator.add, np.subtract, operator.sub, np.multiply, operator.mul)],
    *[case(f, A, B) for f in (np.true_divide, operator.truediv)],
    case(operator.mul, A, 2.5).but(wrt="x"),
    case(operator.truediv, 1.0, A).but(wrt="y"),
    case(operator.sub, 2, A).but(wrt="y"),
    *[case(f, A) for f in (np.negative, operator.neg, np.positive, operator.pos, np.square, np.reciprocal)],
    # remainders: away from the jumps
    *[case(f, within(3.1, 3.9, 3, 4), np.array([1.0, 2.0, 5.0, 1.0])) for f in (np.remainder, operator.mod)],
    case(np.fmod, -within(0.1, 0.9, 3, 4) - 3, np.array([1.0, 2.0, 5.0, 1.0])),
    case(math.fmod, 5.3, 2.1),
    # powers
    *[case(f, P, B) for f in (np.power, operator.pow, quiet_power)],
    *[case(real_power, 1.7, p) for p in (0.5, 1.5, -0.7, 0.3)],
    case(pow, 1.5, 2.5),
    case(math.pow, 1.5, 2.5),
    *[case(operator.pow, A, k).but(wrt="x") for k in (2, 1, 0, 3, -1, -2, 2.0)],
    *[case(operator.pow, P, k).but(wrt="x") for k in (0.5, 1.5, 0.3, -0.5)],
    case(np.power, P, np.array([0, 1, 2, 3])),
    case(operator.pow, 2.0, A).but(wrt="y"),
    case(operator.pow, 2, A).but(wrt="y"),
    case(log_of_base, P),
    *[case(f, P) for f in (np.sqrt, np.cbrt, np.log, np.log2, np.log10, np.log1p)],
    *[case(f, 1.3) for f in (math.sqrt, math.cbrt, math.log, math.log2, math.log10, math.log1p)],
    case(math.log, 1.3, 3.0),
    case(np.hypot, A, B),
    case(math.hypot, 1.2, -0.7),
    *[case(f, A) for f in (np.exp, np.expm1, np.exp2)],
    *[case(f, 0.3) for f in (math.exp, math.expm1, math.exp2)],
    *[case(f, A, B) for f in (np.logaddexp, np.logaddexp2)],
    # angles
    *[case(f, A) for f in (np.sin, np.cos, np.sinh, np.cosh, np.tanh, np.arctan, np.arcsinh)],
    *[case(f, U) for f in (np.tan, np.arcsin, np.arccos, np.arctanh)],
    case(np.arccosh, P + 1),
    *[case(f, 0.4) for f in (math.sin, math.cos, math.tan, math.sinh, math.cosh, math.tanh)],
    *[case(f, 0.4) for f in (math.asin, math.acos, math.atan, math.asinh, math.atanh)],
    case(math.acosh, 1.4),
    case(np.arctan2, A, B),
    case(math.atan2, 0.4, -0.3),
    *[case(f, A) for f in (np.degrees, np.rad2deg, np.radians, np.deg2rad)],
    *[case(f, 0.4) for f in (math.degrees, math.radians)],
]
