"""`scipy.linalg`."""

import numpy as np
import scipy
from scipy import linalg as sl

from rules.scipy.linalg.banded import banded_product, bands_of_product, transposed_bands
from rules.scipy.linalg.matrix_functions import corner, expm_along, twofold
from rules.scipy.linalg.solving import as_stored, lower_factor
from tests.rules.case import case, normal

A = normal(3, 3) + 3 * np.eye(3)
S = A @ A.T
B, C, b = normal(3, 2), normal(3, 3, seed=2), normal(3)
BANDS = normal(4, 5) + np.array([0, 0, 5, 0])[:, None]
#: Does SciPy take stacks of matrices?
STACKS = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 16)
#: Other sizes are no systems; what stands in a triangle that is not read is anyone's.
SYSTEM = {"skip": "empty broadcast"}
REAL = {"complex": False, **SYSTEM}

CASES = [
    *[case(sl.solve, A, x, transposed=t).but(**SYSTEM) for x in (b, B) for t in (False, True)],
    *[case(sl.solve, S, x, assume_a=k, lower=low).but(**REAL)
      for x in (b, B) for k, low in (("pos", True), ("sym", False))],
    *[case(sl.solve_triangular, A, x, lower=low, trans=t, unit_diagonal=u).but(**SYSTEM)
      for x in (b, B) for low, t, u in ((False, 0, False), (True, 1, False), (True, 0, True), (False, "T", True))],
    *[case(sl.cho_solve, (np.linalg.cholesky(S) + np.triu(C, 1), True), x).but(**REAL) for x in (b, B)],
    case(sl.cho_solve, (np.linalg.cholesky(S).T, False), B).but(**REAL),
    *[case(f, A, low) for f in (lower_factor, as_stored) for low in (False, True)],
    *[case(sl.cho_factor, S, lower=low).but(**REAL) for low in (False, True)],
    *[case(sl.cholesky, S, lower=low).but(skip="empty complex") for low in (False, True)],
    *([case(sl.cholesky, np.stack([S, 2 * S])).but(skip="empty complex")] if STACKS else []),
    *[case(sl.eigh, S, lower=low, eigvals_only=only, driver="evd").but(complex=False)
      for low in (False, True) for only in (False, True)],
    *[case(sl.eigvalsh, S, lower=low).but(complex=False) for low in (False, True)],
    *[case(sl.expm, x) for x in (C, np.stack([A, C]))],
    case(expm_along, C, B @ B.T).but(skip="broadcast"),
    case(twofold, A, C, S).but(skip="broadcast zero-dim"),
    *[case(corner, normal(6, 6), A, i, j).but(wrt="M", skip="empty") for i, j in ((0, 0), (0, 1), (1, 1))],
    case(sl.lu_factor, C).but(skip="empty complex"),
    case(sl.lu_factor, A),
    *[case(sl.lu_solve, sl.lu_factor(C), x, trans=t).but(**SYSTEM) for x in (b, B) for t in (0, 1)],
    *[case(sl.solve_banded, (1, 2), BANDS, x).but(**SYSTEM) for x in (normal(5), normal(5, 2))],
    case(sl.solve_banded, (0, 0), BANDS[2:3], normal(5)).but(**SYSTEM),
    case(transposed_bands, BANDS, 1, 2).but(skip="empty zero-dim"),
    *[case(banded_product, BANDS, x, 1, 2).but(**SYSTEM) for x in (normal(5), normal(5, 2))],
    *[case(bands_of_product, x, x + 1, 1, 2).but(skip="broadcast") for x in (normal(5), normal(5, 2))],
    case(sl.inv, A),
    case(sl.det, A),
    case(sl.solve_sylvester, A, S[:2, :2], B).but(skip="empty"),
    case(sl.solve_continuous_lyapunov, A, C).but(complex=False),
    *[case(sl.block_diag, *blocks) for blocks in ((A, B), (B, b, 2.5, C[:1]), (b,))],
    case(sl.toeplitz, b),
    *[case(sl.toeplitz, b, r) for r in (normal(4), normal(2), normal(1))],
]
