"""Complex numbers, and functions that take them."""

import numpy as np

from tests.rules.case import case, normal

A = normal(3, 4)
Z, W = normal(3, 4) + 1j * normal(3, 4, seed=2), normal(3, 4, seed=3) + 1j * normal(3, 4, seed=4)

CASES = [
    *[case(f, x) for f in (np.real, "ndarray.real", np.imag, "ndarray.imag") for x in (A, Z)],
    *[case(f, x) for f in (np.conjugate, "ndarray.conj", "ndarray.conjugate") for x in (A, Z)],
    *[case(np.angle, x) for x in (A, Z)],
    case(np.angle, Z, deg=True),
    *[case(f, Z, W) for f in (np.multiply, np.true_divide, np.power)],
    *[case(f, Z, A) for f in (np.multiply, np.subtract, np.power)],
    *[case(f, Z) for f in (np.exp, np.log, np.sqrt, np.sin, np.tanh, np.arcsin, np.arccosh, np.absolute)],
    *[case(f, Z, axis=0) for f in (np.sum, np.mean, np.prod, np.var, np.std, np.cumprod)],
    case(np.where, A > 0, Z, A),
]
