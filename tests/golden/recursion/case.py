"""A function that calls itself twice: its adjoint is a pair of functions that do."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal(5), 1.5


CASE = Case("evidence", ("x", "scale"), "f64[n], float", example=example)
