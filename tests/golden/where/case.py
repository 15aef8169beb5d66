"""Cross-entropy with 0 log 0 = 0: where np.where does not choose the logarithm, it is infinite."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    return np.array([0.5, -1.0, 0.2, 2.0, -0.1]), np.array([0.3, 0.0, 0.2, 0.5, 0.0])


CASE = Case("cross_entropy", "q", "f64[n], f64[n]", example=example)
