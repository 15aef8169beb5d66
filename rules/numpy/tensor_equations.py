"""Rules of `np.linalg` for arrays of several axes that stand for matrices: chains of products, systems, inverses."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, array_or_number, kind_of, lengths, library, normalize_axis, promote
from rules.numpy.axes import inverse
from rules.numpy.matrices import working
from rules.operands import rank
from rules.rule import Like, rule


# -------------------------------------------------------------------------------------- chains of products
@rule("c = multi_dot(arrays)", np.linalg.multi_dot)
class multi_dot:
    """The product of matrices, the first and the last of which may be vectors, in the order that costs least."""

    def kind(arrays):
        if not isinstance(arrays, list | tuple):
            raise KindError("np.linalg.multi_dot of a list of any length is not supported", "multiply in a loop")
        kinds = [kind_of(a) for a in arrays]
        ends = (0, len(kinds) - 1)
        if len(kinds) < 2 or any(rank(a) != 2 and not (rank(a) == 1 and k in ends) for k, a in enumerate(kinds)):
            raise KindError("np.linalg.multi_dot takes two matrices or more, the ends may be vectors",
                            "multiply with @")  # fmt: skip
        for a, b in zip(kinds, kinds[1:]):
            lengths().agree(a.shape[-1], b.shape[0])
        shape = (*kinds[0].shape[:-1], *kinds[-1].shape[1:])
        return array_or_number(promote(*kinds), shape, library(*kinds))

    def d_arrays(d_c, arrays):
        row, column = rank(arrays[0]) == 1, rank(arrays[-1]) == 1
        d, last = d_c, len(arrays) - 1
        if row:
            d = np.reshape(d, (1, -1))
        if column:
            d = np.reshape(d, (-1, 1))
        matrices = [np.expand_dims(a, k and 1) if rank(a) == 1 else a for k, a in enumerate(arrays)]
        out = []
        for i in range(len(arrays)):
            factors = [*(a.T for a in matrices[:i][::-1]), d, *(a.T for a in matrices[i + 1 :][::-1])]
            made = factors[0] @ factors[1] if len(factors) == 2 else np.linalg.multi_dot(factors)
            out.append(made[0] if row and i == 0 else made[:, 0] if column and i == last else made)
        return out

    def t_c(arrays, t_arrays):
        return sum(np.linalg.multi_dot([*arrays[:i], t, *arrays[i + 1 :]]) for i, t in enumerate(t_arrays))


# --------------------------------------------------------------------------------------- systems, inverses
def _order(ndim: int, axes: Any) -> tuple[int, ...]:
    """The axes of a tensor with those named moved behind the others."""
    last = normalize_axis(tuple(axes) if isinstance(axes, list | tuple) else axes, ndim) if axes is not None else ()
    return (*(k for k in range(ndim) if k not in last), *last)


@rule("x = tensorsolve(a, b, axes=None)", np.linalg.tensorsolve)
class tensorsolve:
    """tensordot(a, x, x.ndim) = b, after `axes` of `a` are moved to the end."""

    def kind(a, b, axes):
        a, b = kind_of(a), kind_of(b)
        shape = tuple(a.shape[k] for k in _order(a.ndim, axes))[b.ndim :]
        return Array(working(a, b), shape, library(a, b))

    def d_b(d_x, a, b: Like, axes):
        order, m = _order(rank(a), axes), rank(b)
        return np.linalg.tensorsolve(np.transpose(a, (*order[m:], *order[:m])), d_x)

    def d_a(d_b, a: Like, x, axes):
        d = -np.tensordot(d_b, x, 0)
        return d if axes is None else np.transpose(d, inverse(_order(rank(a), axes)))

    def t_x(a, b: Like, x, axes, t_a, t_b):
        moved = t_a if axes is None else np.transpose(t_a, _order(rank(a), axes))
        return np.linalg.tensorsolve(a, t_b - np.tensordot(moved, x, rank(x)), axes)


@rule("B = tensorinv(a, ind=2)", np.linalg.tensorinv)
class tensorinv:
    """tensordot(B, a, ind) is the identity; the first `ind` axes of `a` are the last of B."""

    static = "ind"

    def kind(a, ind):
        a = kind_of(a)
        return Array(working(a), (*a.shape[ind:], *a.shape[:ind]), a.xp)

    def d_a(d_B, B, ind): return -_sandwiched(B, d_B, rank(B) - ind, first=True)
    def t_B(B, ind, t_a): return -_sandwiched(B, t_a, ind, first=False)


def _sandwiched(B: Any, d: Any, k: int, first: bool) -> Any:
    """B^T d B^T, or B d B, where `k` axes of `d` come first."""
    n, m = rank(B), rank(B) - k
    one = np.tensordot(B, d, (tuple(range(k) if first else range(m, n)), tuple(range(k))))
    return np.tensordot(one, B, (tuple(range(m, 2 * m)), tuple(range(k, n) if first else range(m))))
