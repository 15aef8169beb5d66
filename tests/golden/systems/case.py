import numpy as np

from tests.golden.cases import Case

CASE = Case(
    "implicit",
    ("K", "u"),
    "f64[n,n], f64[n], float, int",
    mode="value_and_grad",
    example=lambda rng: (np.eye(4) * 2.0 + 0.1 * rng.random((4, 4)), rng.random(4), 0.1, 3),
)
