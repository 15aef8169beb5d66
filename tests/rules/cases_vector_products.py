"""Products of stacks of vectors and matrices."""

import numpy as np

from tests.rules.case import case, normal

V, M, S = normal(3), normal(2, 3), normal(5, 2, 3)
C, D = M + 1j * normal(2, 3, seed=2), V - 1j * normal(3, seed=3)

CASES = []
if hasattr(np, "vecdot"):
    CASES += [case(np.vecdot, a, b) for a, b in [(V, V[::-1]), (M, V), (S, M), (M, M[:1]), (C, D), (C, V), (M, D)]]
if hasattr(np, "matvec"):
    CASES += [case(np.matvec, a, b) for a, b in [(M, V), (S, V), (M, normal(5, 3)), (C, D), (S, normal(5, 3))]]
    CASES += [case(np.vecmat, b, a) for a, b in [(M.T, V), (S, M[0, :2]), (C.T, D), (M.T, D), (C.T, V)]]
