"""What the derivatives of solvers are made of; for the solvers, which take functions, see tests/test_implicit.py."""

import numpy as np

from rules.scipy.implicit import well_posed
from rules.scipy.minimize import at_least
from rules.scipy.ode import solved, with_tangents
from tests.rules.case import case, normal

LONE = {"skip": "empty broadcast numbers scalars zero-dim", "complex": False}

CASES = [
    case(well_posed, normal(3, 3) + 4 * np.eye(3), 1e-9 * normal(3), normal(3, seed=2), np.ones(3), "root").but(**LONE),
    case(well_posed, 2.5, 1e-9, 1.3, 1.0, "brentq").but(**LONE),
    case(at_least, 0.7, 1e-9 * normal(3), 2.0).but(**LONE),
    case(solved, normal(3, 4), np.ones((3, 4)), True, True, "odeint").but(**LONE),
    *[case(with_tangents, normal(3), starts, 2).but(**LONE) for starts in (True, False)],
]
