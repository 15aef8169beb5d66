"""Implicit steps in time, each of which solves an equation: the adjoint solves with the transposed Jacobian."""

from tests.golden.cases import Case


def example(rng):
    return rng.random(5) + 0.5, rng.normal(size=5), 3


CASE = Case("relaxed", ("k", "u"), "f64[n], f64[n], int", example=example)
