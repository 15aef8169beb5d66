"""Two buffers that a linear stencil swaps: nothing is kept, and nothing copied in the loops."""

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal((4, 5)), 3


CASE = Case("jacobi", "A", "f64[m,k], int", example=example)
