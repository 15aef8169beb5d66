"""A polynomial fit: features by a comprehension and np.stack."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    x = np.linspace(-1.0, 1.0, 9)
    return rng.standard_normal(4), 1.5, x, np.sin(x)


CASE = Case("misfit", ("c", "scale"), "f64[4], float, f64[n], f64[n]", example=example)
