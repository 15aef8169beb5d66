"""Residuals of an exponential fit: two functions that call each other."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    t = np.linspace(0.0, 2.0, 7)
    return np.array([1.0, 0.5, 0.3, 2.0]), t, np.exp(-t)


CASE = Case("misfit", "p", "f64[k], f64[n], f64[n]", example=example)
