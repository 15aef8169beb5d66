"""A mixture of Gaussians: logsumexp by hand."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal(3), rng.standard_normal(3), 1 + rng.random(3), rng.standard_normal(8)


CASE = Case("mixture", ("logits", "means", "scales"), "f64[k], f64[k], f64[k], f64[n]", example=example)
