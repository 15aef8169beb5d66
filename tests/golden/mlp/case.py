"""A network of any number of layers: a list of pairs."""

from tests.golden.cases import Case


def example(rng):
    sizes = [3, 5, 4, 2]
    layers = [(rng.standard_normal((o, i)), rng.standard_normal(o)) for i, o in zip(sizes, sizes[1:])]
    return layers, rng.standard_normal(3), rng.standard_normal(2)


CASE = Case("mlp", "layers", "[(f64[o,i], f64[o])], f64[x], f64[y]", example=example)
