"""A recurrent network, with respect to one of its parameters."""

from tests.golden.cases import Case


def example(rng):
    W, U = rng.standard_normal((3, 3)), rng.standard_normal((3, 2))
    return rng.standard_normal(3), W, U, rng.standard_normal((5, 2)), rng.standard_normal(3)


CASE = Case("rnn_of_bias", "b", "f64[h], f64[h,h], f64[h,x], f64[n,x], f64[h]", example=example)
