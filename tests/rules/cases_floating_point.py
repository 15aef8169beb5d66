"""Mantissas and exponents, parts of a number, steps, phases, and the Bessel function of order 0."""

import numpy as np

from rules.numpy.bessel import bessel_over_power
from tests.rules.case import case, normal, positive, within

A, B, P = normal(3, 4), normal(3, 4, seed=2), positive(3, 4)
Z = A + 1j * B

CASES = [
    case(np.frexp, within(0.6, 0.9, 3, 4)), case(np.frexp, -1.3),
    *[case(np.ldexp, A, n) for n in (2, np.array([0, -1, 3, 2]))],
    case(np.nextafter, A, np.full(4, 9.0)).but(skip="uniform"),
    *[case(np.modf, a) for a in (A + 3, -A - 3, 1.3)],
    *[case(f, within(3.1, 3.9, 3, 4), np.array([1.0, 2.0, 5.0, 1.0])) for f in (np.divmod, divmod)],
    case(divmod, -5.3, 2.0), case(np.divmod, -5.3, 2.0),
    case(np.heaviside, A, B), case(np.heaviside, A, 0.5).but(wrt="x"),
    case(np.heaviside, np.zeros(3), B[0, :3]).but(wrt="h"),
    case(np.float_power, P, B), *[case(np.float_power, P, k).but(wrt="x") for k in (2, 0.5, -1, 1)],
    *[case(np.unwrap, a, **k) for a, k in [
        (A, {}), (5 * A, {}), (5 * A, {"axis": 0}), (5 * A, {"period": 4.0}), (5 * A, {"discont": 5.0})]],
    *[case(np.kaiser, n, b).but(wrt="beta", complex=False) for n, b in ((6, 2.5), (5, 0.3), (2, 8.0), (1, 2.0))],
    *[case(np.i0, x) for x in (A, 10 * A, 40 * A, 0.7)], case(np.i0, np.zeros(2)).but(skip="float32"),
    *[case(bessel_over_power, A, n) for n in (1, 2)],
]
