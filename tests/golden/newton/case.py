"""A square root by Newton's method, with Python's floats, and its logarithm."""

from tests.golden.cases import Case


def example(rng):
    return 7.0, 1e-12


CASE = Case("log_sqrt", "a", "float, float", mode="value_and_grad", example=example)
