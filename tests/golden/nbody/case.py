"""The potential energy of charges: a loop in a loop, over indices."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal((5, 3)), rng.standard_normal(5), 5


CASE = Case("energy", "positions", "f64[n,3], f64[n], int", example=example)
