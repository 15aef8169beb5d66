"""`scipy.sparse`: products and systems of matrices that are known, and of those that are a pattern and data."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from rules.scipy.sparse.elements import (
    collected,
    dense,
    element_products,
    matrix_diagonal,
    matrix_product,
    on_diagonal,
    picked,
)
from rules.scipy.sparse.factors import factored, factored_solution
from rules.scipy.sparse.linalg import factored_solve, sparse_solution, transposed_spsolve
from rules.scipy.sparse.pattern import coordinates, known_elements, known_pattern, merged
from rules.scipy.sparse.products import from_the_left, sparse_product, transposed_product
from tests.rules.case import case, normal

D = normal(4, 3) * (normal(4, 3, seed=2) > -0.5)
S, M = sparse.csr_array(D), sparse.coo_matrix(D + 1j * D)
A = sparse.csc_array(D @ D.T + np.diag([3.0, 2.0, 4.0, 3.0]) + np.eye(4, k=1))
#: With two elements in one place, and rows without any.
P, Q = coordinates(np.array([0, 3, 0, 3, 1]), np.array([2, 0, 1, 0, 1]), (5, 3)), known_pattern(S)
#: The factors of a system, its pattern and its data.
LU = (factored(known_pattern(A), known_elements(known_pattern(A), A)), known_pattern(A), A.data)
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
    *[case(matrix_product, p, normal(n), x).but(skip="broadcast " + FITS["skip"])
      for p, n in ((P, 5), (Q, S.nnz)) for x in (normal(3), normal(3, 2), normal(3, 0))],
    *[case(element_products, p, normal(m, *k), normal(3, *k)).but(skip="broadcast " + FITS["skip"])
      for p, m in ((P, 5), (Q, 4)) for k in ((), (2,), (0,))],
    *[case(f, p, normal(n)).but(**FITS) for f in (dense, matrix_diagonal) for p, n in ((P, 5), (Q, S.nnz))],
    *[case(matrix_diagonal, p, normal(n), k=k).but(**FITS) for p, n in ((P, 5), (Q, S.nnz)) for k in (1, -3)],
    *[case(picked, p, normal(*p.shape)).but(**FITS) for p in (P, Q)],
    *[case(on_diagonal, P, normal(n), k=k).but(**FITS) for n, k in ((3, 0), (2, 1), (2, -3))],
    *[case(collected, *merged(P, form), normal(5)).but(**FITS) for form in ("csr", "csc")],
    *[case(factored_solution, *LU, b, trans=t).but(wrt="b", complex=False, skip="float32 mixed " + FITS["skip"])
      for b in (normal(4), normal(4, 2)) for t in ("N", "T", "H")],
]
