"""Softmax regression, as in examples/digits.py."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    params = {"W": rng.standard_normal((4, 3)), "b": rng.standard_normal(3)}
    return params, rng.standard_normal((5, 4)), np.eye(3)[[0, 2, 1, 1, 0]], 0.1


CASE = Case("softmax_loss", "params", '{"W": f64[m,k], "b": f64[k]}, f64[n,m], f64[n,k], float',
            mode="value_and_grad", example=example)
