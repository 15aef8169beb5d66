"""`scipy.linalg`."""

import numpy as np
import scipy
from scipy import linalg as sl

from rules.scipy.linalg.banded import banded_product, bands_of_product, transposed_bands
from rules.scipy.linalg.banded_symmetric import symmetric_bands, symmetric_product
from rules.scipy.linalg.matrix_functions import corner, expm_along, twofold
from rules.scipy.linalg.roots import function_along
from rules.scipy.linalg.solving import as_stored, lower_factor
from rules.scipy.linalg.special_matrices import places, turns
from tests.rules.case import case, normal

A = normal(3, 3) + 3 * np.eye(3)
S = A @ A.T
B, C, b = normal(3, 2), normal(3, 3, seed=2), normal(3)
BANDS = normal(4, 5) + np.array([0, 0, 5, 0])[:, None]
UPPER = BANDS[:3] + np.array([0, 0, 5])[:, None]
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
    *[case(sl.solveh_banded, UPPER[::-1] if low else UPPER, x, lower=low).but(**REAL)
      for x in (normal(5), normal(5, 2)) for low in (False, True)],
    case(sl.solveh_banded, UPPER[2:], normal(5)).but(**REAL),
    *[case(symmetric_product, UPPER, x, low).but(**REAL) for x in (normal(5), normal(5, 2)) for low in (False, True)],
    *[case(symmetric_bands, x, x + 1, UPPER, low).but(wrt="d x", **REAL)
      for x in (normal(5), normal(5, 2)) for low in (False, True)],
    case(sl.inv, A),
    case(sl.det, A),
    case(sl.solve_sylvester, A, S[:2, :2], B).but(skip="empty"),
    case(sl.solve_continuous_lyapunov, A, C).but(complex=False),
    *[case(sl.block_diag, *blocks) for blocks in ((A, B), (B, b, 2.5, C[:1]), (b,))],
    case(sl.toeplitz, b),
    *[case(sl.toeplitz, b, r) for r in (normal(4), normal(2), normal(1))],
    # under NumPy's names
    *[case(sl.svd, x, full_matrices=full).but(complex=False) for x in (B, B.T, A) for full in (False, True)],
    *[case(f, x) for f in (sl.svdvals, sl.pinv) for x in (B, B.T)],
    case(sl.svd, B, compute_uv=False),
    *[case(sl.lstsq, a, x).but(skip="empty broadcast") for a, x in ((B.T, normal(2, 4)), (A, b))],  # no residuals
    *[case(sl.qr, x, mode="economic") for x in (B, A, normal(5, 3))],
    *[case(sl.norm, b, ord=k).but(skip="empty") for k in (None, 2, 1, np.inf)],
    *[case(sl.norm, A, **k) for k in ({}, {"ord": 2}, {"ord": "nuc"}, {"axis": 0}, {"ord": 1, "axis": (0, 1)})],
    case(sl.eigvals, C).but(skip="empty"),
    # functions of matrices
    *[case(f, S + 0.3j * C).but(skip="broadcast empty") for f in (sl.sqrtm, sl.logm)],
    *[case(f, 0.4 * C).but(skip="empty") for f in (sl.sinm, sl.cosm, sl.tanm, sl.sinhm, sl.coshm, sl.tanhm)],
    *[case(function_along, 0.4 * A, C, name).but(skip="broadcast empty") for name in ("cosm", "tanhm")],
    # equations of control
    case(sl.solve_discrete_lyapunov, A / 5, C).but(**REAL),
    *[case(f, 0.3 * A, B, S, S[:2, :2]).but(wrt="a b", **REAL)
      for f in (sl.solve_continuous_are, sl.solve_discrete_are)],
    *[case(f, A[:1, :1], B[:1, :1], S[:1, :1], S[1:2, 1:2]).but(complex=False, skip="empty broadcast layout")
      for f in (sl.solve_continuous_are, sl.solve_discrete_are)],  # of symmetric ones, which those are
    # Toeplitz and others
    *[case(sl.solve_toeplitz, c, x).but(skip="empty broadcast")
      for c in (b + [3, 0, 0], (b + [3, 0, 0], normal(3, seed=4))) for x in (b, B)],
    *[case(sl.matmul_toeplitz, c, x).but(skip="empty broadcast")
      for c in (b, (normal(4), normal(3, seed=4))) for x in (b, B)],
    case(sl.circulant, b),
    *[case(sl.hankel, *c).but(skip="broadcast") for c in ((b,), (b, normal(4)), (normal(4), b), (b, normal(1)))],
    *[case(places, b, B[0]), case(turns, b)],
    case(sl.khatri_rao, A, normal(2, 3)).but(skip="broadcast"),
    case(sl.lu, C).but(skip="empty complex"),
    case(sl.lu, A).but(skip="empty"),
]
