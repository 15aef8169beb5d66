"""The log-likelihood of a Kalman filter, with respect to its transition and noise."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    F = np.eye(3) + 0.1 * rng.standard_normal((3, 3))
    H, ys = rng.standard_normal((2, 3)), rng.standard_normal((4, 2))
    return F, 0.1 * np.eye(3), H, 0.2 * np.eye(2), rng.standard_normal(3), np.eye(3), ys


CASE = Case("log_likelihood", ("F", "Q"),
            "f64[d,d], f64[d,d], f64[k,d], f64[k,k], f64[d], f64[d,d], f64[n,k]", example=example)
