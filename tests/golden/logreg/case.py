"""Logistic regression."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    X = rng.standard_normal((6, 3))
    return rng.standard_normal(3), np.float64(0.3), X, (X[:, 0] > 0).astype(float)


CASE = Case("loss", ("w", "b"), "f64[m], f64, f64[n,m], f64[n]", example=example)
