"""A recurrent network, with respect to its parameters."""

from tests.golden.cases import Case


def example(rng):
    params = {"W": rng.standard_normal((3, 3)), "U": rng.standard_normal((3, 2)), "b": rng.standard_normal(3)}
    return params, rng.standard_normal((5, 2)), rng.standard_normal(3)


CASE = Case("rnn", "params", '{"W": f64[h,h], "U": f64[h,x], "b": f64[h]}, f64[n,x], f64[h]', example=example)
