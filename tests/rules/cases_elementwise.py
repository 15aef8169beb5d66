"""Arithmetic, powers, exponentials, trigonometry: what acts on each element."""

import operator

import numpy as np

from tests.rules.case import case, normal, positive, within

CASES = [
    case(np.add, normal(3, 4), normal(3, 4, seed=2)),
    case(operator.add, normal(3), normal(3, seed=2)),
    case(np.subtract, normal(3, 4), normal(3, 4, seed=2)),
    case(np.multiply, normal(3, 4), normal(3, 4, seed=2)),
    case(operator.mul, normal(3), 2.5).but(wrt="x"),
    case(np.arcsin, within(-1, 1, 3, 4)),
    case(np.sqrt, positive(3, 4)),
]
