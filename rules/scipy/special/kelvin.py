"""Kelvin's functions: ber + i bei is J_0 at x exp(3 pi i / 4), ker + i kei is K_0 at x exp(pi i / 4): DLMF 10.61."""

import cmath
import math
from typing import Any

import numpy as np
from scipy import special

from rules.rule import elementwise

#: On this ray J_0 is taken, and its negative conjugate is that of K_0.
RAY = cmath.exp(0.75j * math.pi)


def _second(x: Any) -> Any:
    """The second derivative of ber + i bei: i (J_0 - J_2) / 2 on the ray."""
    z = RAY * x
    return 0.5j * (special.jv(0, z) - special.jv(2, z))


def _second_modified(x: Any) -> Any:
    """The second derivative of ker + i kei."""
    z = -RAY.conjugate() * x
    return 0.5j * (special.kv(0, z) + special.kv(2, z))


elementwise("y = ber(x)", special.ber, derivative=lambda x: special.berp(x))
elementwise("y = bei(x)", special.bei, derivative=lambda x: special.beip(x))
elementwise("y = ker(x)", special.ker, derivative=lambda x: special.kerp(x))
elementwise("y = kei(x)", special.kei, derivative=lambda x: special.keip(x))
elementwise("y = berp(x)", special.berp, derivative=lambda x: np.real(_second(x)))
elementwise("y = beip(x)", special.beip, derivative=lambda x: np.imag(_second(x)))
elementwise("y = kerp(x)", special.kerp, derivative=lambda x: np.real(_second_modified(x)))
elementwise("y = keip(x)", special.keip, derivative=lambda x: np.imag(_second_modified(x)))
