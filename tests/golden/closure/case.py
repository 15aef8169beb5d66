"""A regulariser made by a function, with a global beside it."""

from tests.golden.cases import Case


def example(rng):
    return (rng.standard_normal(4),)


CASE = Case("penalty", "w", "f64[n]", example=example)
