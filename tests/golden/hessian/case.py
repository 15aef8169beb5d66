"""The gradient of a gradient: a penalty on the slope of an energy."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal(4), rng.standard_normal((4, 4))


CASE = Case("slope", "x", "f64[n], f64[n,n]", example=example)
