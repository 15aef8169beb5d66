"""A network of two layers, as in examples/digits.py."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    shapes = {"W1": (4, 6), "b1": 6, "W2": (6, 3), "b2": 3}
    params = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    return params, rng.standard_normal((5, 4)), np.eye(3)[[0, 2, 1, 1, 0]], 0.1


CASE = Case("network_loss", "params",
            '{"W1": f64[m,h], "b1": f64[h], "W2": f64[h,k], "b2": f64[k]}, f64[n,m], f64[n,k], float',
            mode="value_and_grad", example=example)
