"""A solver that changes its array in place, with respect to where it starts."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal(6), 3, 0.1


CASE = Case("burgers", "u", "f64[m], int, float", example=example)
