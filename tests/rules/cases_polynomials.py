"""Polynomials by their coefficients and by their roots."""

import numpy as np

from rules.numpy.fitting import gram_solve
from rules.numpy.polynomials import at_end, ending, horner, poly_of, trimmed, unpolyval
from tests.rules.case import case, normal

V, W, M, X = normal(4), normal(3), normal(2, 3), np.array(0.7)
ZERO = np.array([0.0, 0.0, 1.5, -0.5])
R = np.array([1.2, 0.5, -0.7, 2.1])
X6, Y6 = np.array([-1.3, -0.6, 0.1, 0.7, 1.4, 2.2]), normal(6)

CASES = [
    *[case(f, a, b) for f in (np.polyadd, np.polysub) for a, b in [
        (V, W), (W, V), (V, V[::-1]), (V, 1.5), (1.5, V), (V, X), (V[:1], W)]],
    *[case(np.polymul, a, b) for a, b in [(V, W), (W, V), (V[:1], W), (V, V[::-1]),
                                           (V[:0], V[:0]), (V[:0], W)]],
    case(np.polymul, ZERO, W).but(wrt="a2"),
    *[case(np.polyder, V, m=m) for m in (1, 0, 2, 3, 4, 6)],
    *[case(np.polyint, V, m=m) for m in (1, 0, 2, 3)],
    case(np.polyint, V, k=1.5), case(np.polyint, V, 1, 1.5),
    *[case(np.polyval, p, x) for p, x in [(V, M), (V, 0.7), (V, X), (V[:1], M), (M[0], V), (V, 2),
                                           (V[:0], M), (V[:0], 0.7)]],
    *[case(horner, V, x) for x in (M, 0.7)],
    case(unpolyval, M, M[::-1], V).but(wrt="d x"),
    case(unpolyval, 0.3, 0.7, V).but(wrt="d x"),
    *[case(np.vander, V, **k) for k in ({}, {"N": 3}, {"N": 1}, {"N": 3, "increasing": True}, {"N": 6})],
    *[case(np.poly, r) for r in (R, R[:1], np.array([1.0, 1.0, 0.0]))],
    *[case(poly_of, r).but(skip="empty") for r in (R, M)],
    case(ending, V, W).but(wrt="d"), case(at_end, W, V).but(wrt="d"),
    case(trimmed, V), case(trimmed, V[:0]),
    # a fit: of as many points as coefficients, of more, weighted
    *[case(np.polyfit, X6, Y6, n, w=w).but(skip="empty broadcast", complex=False)
      for n, w in [(0, None), (1, None), (3, None), (5, None), (2, np.abs(Y6))]],
    case(gram_solve, normal(5, 3), W, 1e-16).but(skip="empty broadcast", complex=False),
]
