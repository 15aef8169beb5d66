"""Where a function is imported from, and whose rules are loaded for it."""

import sys

import numpy as np
import pytest
from scipy import fft, linalg, signal, sparse, special
from scipy.sparse import linalg as sparse_linalg
from scipy.spatial import distance

from rules.libraries import home, load_for, operation


@pytest.mark.parametrize(
    "function, module",
    [(special.gamma, "scipy.special"), (special.logsumexp, "scipy.special"), (linalg.solve, "scipy.linalg"),
     (fft.rfft, "scipy.fft"), (signal.windows.hann, "scipy.signal.windows"), (distance.cdist, "scipy.spatial.distance"),
     (sparse.csr_array, "scipy.sparse"), (sparse_linalg.SuperLU, "scipy.sparse.linalg"), (int, "builtins"),
     (dict(a=1).get, ""), (3, "")],
)  # fmt: skip
def test_home(function, module):
    assert home(function) == module


def test_a_ufunc_of_someone_else_has_no_home():
    assert home(np.frompyfunc(lambda x: x, 1, 1)) in ("", "numpy")  # newer versions say so of every ufunc


def test_nothing_is_loaded_for_what_is_not_of_a_library():
    before = set(sys.modules)
    assert not load_for(np.exp) and not load_for(home) and not load_for(None)
    assert set(sys.modules) == before


def test_operations_of_objects_are_those_of_their_classes():
    A = sparse.eye_array(2, format="csc")
    assert operation(A, "dot") is operation(sparse.csr_matrix(A), "__matmul__") is not None
    assert operation(sparse_linalg.splu(A), "solve") is not None
    assert operation(A, "sum") is operation(np.ones(2), "dot") is operation(None, "dot") is None
