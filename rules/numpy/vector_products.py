"""NumPy's products of stacks of vectors and matrices: `matvec` and `vecmat`. The vector on the left is conjugated."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, broadcast, lengths, library, promote
from rules.numpy.shape import array_kind
from rules.operands import is_complex
from rules.rule import rule


def _conj(x: Any) -> Any:
    return np.conjugate(x) if is_complex(x) else x


def _kind(
    name: str, a: Any, b: Any, ranks: tuple[int, int], contracted: tuple[int, int], left: tuple[int, int]
) -> Array:
    """The kind of a product whose operands end with these ranks; `left` names the axis that is left."""
    a, b = array_kind(a), array_kind(b)
    if a.ndim < ranks[0] or b.ndim < ranks[1]:
        raise KindError(f"np.{name} of what has too few axes", "add one: x[None]")
    lengths().agree(a.shape[contracted[0]], b.shape[contracted[1]])
    stack = broadcast(a.shape[: a.ndim - ranks[0]], b.shape[: b.ndim - ranks[1]])
    rest = (a, b)[left[0]].shape[left[1]]
    return Array(promote(a, b), (*stack, rest), library(a, b))


if hasattr(np, "matvec"):  # of NumPy 2.2

    @rule("c = matvec(A, x)", np.matvec)
    class matvec:
        def kind(A, x): return _kind("matvec", A, x, (2, 1), (-1, -1), (0, -2))
        def d_A(d_c, x): return np.expand_dims(d_c, -1) * np.expand_dims(x, -2)
        def d_x(d_c, A): return np.matvec(np.matrix_transpose(A), d_c)
        def t_c(A, x, t_A, t_x): return np.matvec(t_A, x) + np.matvec(A, t_x)

    @rule("c = vecmat(x, A)", np.vecmat)
    class vecmat:
        def kind(x, A): return _kind("vecmat", x, A, (1, 2), (-1, -2), (1, -1))
        def d_x(d_c, A): return _conj(np.matvec(A, d_c))
        def d_A(d_c, x): return np.expand_dims(_conj(x), -1) * np.expand_dims(d_c, -2)
        def t_c(x, A, t_x, t_A): return np.vecmat(t_x, A) + np.vecmat(x, t_A)
