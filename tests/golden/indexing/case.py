"""Rows of a table by index, differences by slices, a choice by mask."""

import numpy as np

from tests.golden.cases import Case


def example(rng):
    return rng.standard_normal((4, 3)), np.array([2, 0, 2, 3, 1]), np.array([True, False, True, True])


CASE = Case("roughness", "table", "f64[v,d], i64[n], bool[k]", example=example)
