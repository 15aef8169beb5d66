"""`scipy.sparse`: products and systems of matrices that are known."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from rules.scipy.sparse.linalg import factored_solve, sparse_solution, transposed_spsolve
from rules.scipy.sparse.products import from_the_left, sparse_product, transposed_product
from tests.rules.case import case, normal

D = normal(4, 3) * (normal(4, 3, seed=2) > -0.5)
S, M = sparse.csr_array(D), sparse.coo_matrix(D + 1j * D)
A = sparse.csc_array(D @ D.T + np.diag([3.0, 2.0, 4.0, 3.0]) + np.eye(4, k=1))
#: A matrix fits arrays of one shape.
FITS = {"skip": "empty numbers scalars zero-dim"}

CASES = [
    *[case(sparse_product, m, x).but(wrt="x", **FITS) for m in (S, M) for x in (normal(3), normal(3, 2))],
    *[case(transposed_product, m, x).but(wrt="x", **FITS) for m in (S, M) for x in (normal(4), normal(4, 2))],
    *[case(from_the_left, m, x).but(wrt="x", **FITS) for m in (S, M) for x in (normal(4), normal(2, 4))],
    *[case(f, A, b).but(wrt="b", **FITS)
      for f in (linalg.spsolve, sparse_solution, transposed_spsolve) for b in (normal(4), normal(4, 2))],
    *[case(factored_solve, linalg.splu(A), b, trans=t).but(wrt="rhs", complex=False, **FITS)
      for b in (normal(4), normal(4, 2)) for t in ("N", "T")],
]
