"""A robust loss with three pieces, in a loop."""

from tests.golden.cases import Case


def example(rng):
    X = rng.standard_normal((12, 2))
    return rng.standard_normal(2), X, 2 * rng.standard_normal(12), 0.5


CASE = Case("robust", "w", "f64[m], f64[n,m], f64[n], float", example=example)
