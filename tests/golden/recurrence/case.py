"""A recurrence that is written element by element."""

from tests.golden.cases import Case


def example(rng):
    return 0.7, rng.standard_normal(5)


CASE = Case("recurrence", ("a", "x"), "float, f64[n]", example=example)
