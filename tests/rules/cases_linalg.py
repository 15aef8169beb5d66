"""Products of vectors and matrices."""

import operator

import numpy as np

from tests.rules.case import case, normal

# One letter an axis: V3 is a vector of 3, M a matrix of 2 by 3, S a stack of 5 of those.
V3, W3, V2, V4 = normal(3), normal(3, seed=2), normal(2), normal(4)
M, N, S, R = normal(2, 3), normal(3, 4), normal(5, 2, 3), normal(5, 3, 4)
C = normal(2, 3) + 1j * normal(2, 3, seed=2)

MATMUL = [(V3, W3), (M, V3), (V3, N), (M, N), (S, N), (M, R), (S, R), (S[:1], R), (S, V3), (V3, R),
          (S[:, None], R),
          (C, N), (M[:, :1], normal(1, 4)), (M[:, :0], N[:0]), (V3[:0], V3[:0]), (M.T, M)]  # fmt: skip
DOT = [(V3, W3), (M, V3), (V3, N), (M, N), (S, V3), (S, N), (V3, R), (M, R),
       (normal(2, 1, 3), normal(4, 5, 3, 2)),
       (C, N), (M[:, :0], N[:0])]  # fmt: skip
INNER = [(V3, W3), (M, V3), (V3, M), (M, N.T), (S, R.transpose(0, 2, 1)), (M[:, :0], N.T[:, :0])]
SCALED = [(2.0, V3), (V3, np.float64(2.0)), (np.array(2.0), M), (2.0, 3.0)]
EINSUM = [("ij,jk->ik", M, N), ("ij,jk", M, N), ("ij->i", M), ("ij->", M), ("ij->ji", M), ("ba", M),
          ("i,i", V3, W3),
          ("i,j,k->ijk", V2, V3, V4), ("bij,bjk->bik", S, R), ("...ij,...jk->...ik", S, N),
          ("...ij,...jk", S, R),
          ("...ij,...jk", S[:, None], R), ("ij,kl->i", M, N), ("ij,ik->i", M, normal(2, 4)), ("i...->...", S),
          ("ij,ij->ij", M[:1], M), (" ij , j -> i ", C, V3), ("ij,jk,k->i", M, N, V4),
          ("ij,kl->i", M, C), ("i,ij,j->", V2, M, V3), (",i->i", 2.0, V3),
          ("ij,jk,kl->il", V3[None], V3[None], V3[None]), ("ij,jk->", V3[None], W3[None]),
          ("ij,jk->i", M, W3[None]), ("ij,ij->", M, V3[None]), ("ij,ik->", M[:, :1], C[:1]),
          ("i,->", V3, np.array(2.0))]  # fmt: skip
KRON = [(M, N), (V2, V3), (M, V4), (V3, N), (normal(2, 1, 3), normal(2, 2)), (C, M)]

CASES = [
    *[case(f, a, b) for f in (np.matmul, operator.matmul) for a, b in MATMUL],
    *[case(f, a, b) for f in (np.dot, "ndarray.dot") for a, b in DOT],
    *[case(np.inner, a, b) for a, b in INNER],
    *[case(f, a, b) for f in (np.dot, np.inner, np.outer, np.kron) for a, b in SCALED],
    *[case(np.outer, a, b) for a, b in [(V3, V4), (M, V4), (V3[:0], V4), (C, M)]],
    # complex: vdot conjugates its first argument, which no linear pairing follows
    *[case(np.vdot, a, b).but(complex=False) for a, b in [(V3, W3), (M, M[::-1]), (M, normal(6)), (M, M.T[::-1])]],
    *[case(np.cross, a, b) for a, b in [(V3, W3), (normal(5, 3), V3), (normal(1, 3), normal(5, 3))]],
    case(np.cross, normal(3, 5), normal(3, 5, seed=2), axis=0),
    *[case(np.tensordot, normal(3, 3, 3), normal(3, 3, 3, seed=2), axes=axes)
      for axes in (0, 1, 2, 3, ([0], [1]), ([1, 0], [0, 1]), ((0, 1), (2, 0)), ((2,), (0,)), (2, 0),
      ([-1], [0]))],
    case(np.tensordot, normal(2, 3, 4), normal(4, 3, 5), axes=([2, 1], [0, 1])),
    case(np.tensordot, normal(2, 3, 4), normal(5, 4, 2), axes=([0, 2], [2, 1])),
    case(np.tensordot, C, N, axes=1),
    case(np.tensordot, M[:, :0], N[:0], axes=1),
    *[case(np.einsum, *args) for args in EINSUM],
    case(np.einsum, "ij,jk,kl->il", M, N, N.T, optimize=True),
    case(np.einsum, "ij,kl->i", M, N, optimize=True),
    *[case(np.kron, a, b) for a, b in KRON],
    *[case(np.trace, normal(3, n), offset=k) for n in (3, 5) for k in (-1, 0, 1, 4)],
    case("ndarray.trace", normal(3, 4, 5), 1, 2, 0),
    case(np.trace, normal(4, 4, 2)),
]  # fmt: skip
