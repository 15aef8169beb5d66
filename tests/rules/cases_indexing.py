"""Reading elements: subscripts, taking by index, sorting."""

import operator

import numpy as np

from rules.numpy.indexing import scatter_along_axis
from tests.rules.case import case, normal

V, M, S, T = normal(6), normal(4, 5), normal(2, 3, 4), normal(3, 4, 2, 5)
I, J = np.array([2, 0, 2]), np.array([[1, 0], [1, 1]])
MASK = np.array([True, False, True, True])

#: Subscripts of a vector of 6, of a matrix of 4 by 5, of four axes 3 by 4 by 2 by 5.
OF_VECTOR = [0, -1, np.int64(3), slice(None), slice(1, -1), slice(None, -2), slice(2, None),
             slice(None, None, -1),
             slice(None, None, 2), slice(4, 1, -1), slice(-3, None), slice(0, 0), slice(2, 100),
             slice(-100, 2),
             slice(5, 2), slice(-1, 1), None, ..., (), (..., 0), (None, slice(1, 3), None), I, J, [1, 1, 3],
             np.array([], int), np.array([-1, 5, -1]), V > 0, [True, False, True, False, True, False],
             np.array(2), (I,), slice(None, None, -2), (I, None), (None, I)]  # fmt: skip
OF_MATRIX = [0, (1, 2), (1, slice(None)), (slice(None), -1), (slice(1, 3), slice(None, None, 2)), (..., 1),
             (1, ...),
             (None, 0), (slice(None), None), I, (I, I), (slice(None), I), (I, 1), (1, I), (J, I[:2]),
             (I[:, None], J[0]),
             MASK, M > 0, (MASK, 1), (slice(None), M[0] > 0), (MASK, slice(1, 3)), (slice(None), [0, 0]),
             (I, None, 1),
             (0, 0, ...), (slice(None, None, -1), slice(None, None, -1)), (1, None, I),
             ([0, 1], [1, 0])]  # fmt: skip
OF_FOUR = [(0, slice(None), I[:2] % 2), (slice(None), I, slice(None), I),
           (slice(None), I, J[0][:1], slice(None)),
           (I, slice(None), J[0][:1]), (0, slice(None), slice(None), I), (slice(None), 0, slice(None), I),
           (..., I), (I, ...), (I, ..., I), (0, ..., I), (slice(None), slice(None), J, 0),
           (None, I, None, J[0][:1]),
           (slice(None), MASK), (slice(None), T[0, :, :, 0] > 0), (0, None, I), (I, 0, 0, I), (I, 0, 0, 0),
           (slice(None), I, 0, slice(None)), (slice(None), J, 0, I[:2]),
           (1, slice(None), 1, MASK[:3].sum())]  # fmt: skip

CASES = [
    *[case(operator.getitem, a, index) for a, indices in ((V, OF_VECTOR), (M, OF_MATRIX),
        (T, OF_FOUR)) for index in indices],
    case(operator.getitem, normal(0, 3), (slice(None), 1)),
    case(operator.getitem, normal(1, 3), 0),
    case(operator.getitem, np.array(1.5), ()),
    case(operator.getitem, np.array(1.5), ...),
    case(operator.getitem, np.array(1.5), None),
    *[case(operator.getitem, [V, V[:2], V[:3]], index) for index in (0, -1, slice(1, None))],
    *[case(f, a, indices, axis=axis) for f in (np.take, "ndarray.take") for a, indices, axis in [
        (V, I, None), (M, J, None), (M, I, 0), (M, J, 1), (M, 1, 0), (M, 3, None), (V, 2, 0), (S, I, -2),
        (V, [1, 1], None)]],
    *[case(np.take_along_axis, a, i, axis) for a, i, axis in [
        (V, I, 0), (M, np.argsort(M, 1)[:, :2], 1), (M, np.zeros((2, 5), int), 0),
        (M, np.zeros((1, 2), int), -1),
        (S[:, :1], np.zeros((2, 3, 5), int), 2)]],
    case(scatter_along_axis, M[:, :2], M, np.argsort(M, 1)[:, :2], 1).but(wrt="d", skip="empty"),
    case(scatter_along_axis, M[:2], M, np.zeros((2, 5), int), 0).but(wrt="d", skip="empty"),
    # sorting: complex numbers are ordered by their real parts, and move as they do
    case(np.sort, V, kind="stable"),
    *[case(np.sort, a, axis=axis) for a, axis in [(V, -1), (M, 0), (M, 1), (S, 1), (normal(0, 3), 1)]],
    *[case(f, 3, *args) for f in (np.tril_indices, np.triu_indices) for args in [(), (1,), (-1, 4)]],
    case(np.diag_indices, 3), case(np.diag_indices, 3, 3),
    case(np.ix_, [0, 1], I), case(np.ix_, MASK, [0], J[0]),
]  # fmt: skip
