"""Squared errors of a linear prediction, discounted: enumerate and zip."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal(3), 0.9, rng.standard_normal((6, 3)), rng.standard_normal(6)


CASE = Case("discounted", ("w", "rate"), "f64[m], float, f64[n,m], f64[n]", example=example)
