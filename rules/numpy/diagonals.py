"""Rules for diagonals and triangles of matrices, the trace among them."""

from typing import Any

import numpy as np

from rules.arrays import device
from rules.kind import Array, KindError, Length, array_or_number, constant, kind_of, lengths, normalize_axis
from rules.numpy.shape import array_kind, product, reshape_like
from rules.operands import dtype_as, rank
from rules.rule import Like, borrows, primitive, rule


# ------------------------------------------------------------------------------------------- primitives
@primitive
def on_diagonal(d: Any, like: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of the shape and dtype of `like`, complex where `d` is, with `d` on the diagonal of `np.diagonal`."""
    out = np.zeros(like.shape, dtype_as(d, like), like=device(like))
    planes = np.moveaxis(out, (axis1, axis2), (-2, -1))
    i = np.arange(np.diagonal(planes, offset, -2, -1).shape[-1], like=device(like))
    planes[..., i + max(0, -offset), i + max(0, offset)] = d
    return out


@rule("y = on_diagonal(d, like, offset=0, axis1=0, axis2=1)", on_diagonal)
class on_diagonal_rule:
    def kind(d, like): return Array(dtype_as(kind_of(d), like), like.shape, like.xp)
    @borrows("d_y")
    def d_d(d_y, offset, axis1, axis2): return np.diagonal(d_y, offset, axis1, axis2)
    def t_y(t_d, like: Like, offset, axis1, axis2): return on_diagonal(t_d, like, offset, axis1, axis2)


@primitive
def diagonals(a: Any, axes: tuple[int, ...]) -> Any:
    """The view `y` of `a` for which `y[i] == a[i[axes[0]], i[axes[1]], ..]`: `einsum("ii->i", a)` for axes (0, 0)."""
    return np.einsum(a, list(axes), sorted(set(axes)))


@primitive
def on_diagonals(d: Any, like: Any, axes: tuple[int, ...]) -> Any:
    """Zeros of the shape of `like` with `d` where `diagonals` reads."""
    out = np.zeros(like.shape, dtype_as(d, like), like=device(like))
    np.einsum(out, list(axes), sorted(set(axes)))[...] = d
    return out


@rule("y = on_diagonals(d, like, axes)", on_diagonals)
class on_diagonals_rule:
    static = "axes"
    def kind(d, like): return Array(dtype_as(kind_of(d), like), like.shape, like.xp)
    @borrows("d_y")
    def d_d(d_y, axes): return diagonals(d_y, axes)
    def t_y(t_d, like: Like, axes): return on_diagonals(t_d, like, axes)


@rule("y = diagonals(a, axes)", diagonals)
class diagonals_rule:
    static = "axes"

    def kind(a, axes):
        shape: dict[int, Length] = {}
        for n, k in zip(map(lengths().resolve, a.shape), axes):
            m = shape.setdefault(k, n)
            if m != n and (lengths().may_be_one(m) or lengths().may_be_one(n)):
                raise KindError("the diagonal of axes that may differ in length", "write by indices: a[i, i]")
            shape[k] = lengths().broadcast(m, n)
        return Array(a.dtype, tuple(shape[k] for k in sorted(shape)), a.xp)

    view = "a"
    def d_a(d_y, a: Like, axes): return on_diagonals(d_y, a, axes)
    def t_y(t_a, axes): return diagonals(t_a, axes)


# -------------------------------------------------------------------------------------------- triangles
def _triangle(m: Any) -> Array:
    return Array(m.dtype, (*m.shape, *m.shape) if m.ndim == 1 else m.shape, m.xp)


@rule("y = tril(m, k=0)", np.tril)
class tril:
    def kind(m): return _triangle(m)
    def d_m(d_y, k): return np.tril(d_y, k)
    def t_y(t_m, k): return np.tril(t_m, k)


@rule("y = triu(m, k=0)", np.triu)
class triu:
    def kind(m): return _triangle(m)
    def d_m(d_y, k): return np.triu(d_y, k)
    def t_y(t_m, k): return np.triu(t_m, k)


def diagonal_length(n: Length, m: Length, k: int) -> Length:
    """The length of the diagonal `k` of an n by m matrix."""
    env = lengths()
    n, m = env.resolve(n + min(k, 0)), env.resolve(m + -max(k, 0))
    if n.constant and m.constant:
        return constant(max(0, min(n.offset, m.offset)))
    if n.symbol == m.symbol:
        short = n if n.offset < m.offset else m
        enough = env.at_least(short, 0)
        return constant(0) if enough is False else short if enough else env.fresh()
    return env.fresh()


def diagonal_shape(a: Array, offset: int, axis1: int, axis2: int) -> tuple[Length, ...]:
    """The shape that `np.diagonal` gives."""
    i, j = normalize_axis((axis1, axis2), a.ndim)
    if i == j:
        raise KindError("axis1 and axis2 are one axis", "name two axes")
    rest = tuple(n for k, n in enumerate(a.shape) if k not in (i, j))
    return (*rest, diagonal_length(a.shape[i], a.shape[j], offset))


@rule("y = diagonal(a, offset=0, axis1=0, axis2=1)", np.diagonal, "ndarray.diagonal")
class diagonal:
    def kind(a, offset, axis1, axis2): return Array(a.dtype, diagonal_shape(a, offset, axis1, axis2), a.xp)
    view = "a"
    def d_a(d_y, a: Like, offset, axis1, axis2): return on_diagonal(d_y, a, offset, axis1, axis2)
    def t_y(t_a, offset, axis1, axis2): return np.diagonal(t_a, offset, axis1, axis2)


@rule("y = diag(v, k=0)", np.diag)
class diag:
    static = "k"

    def kind(v, k):
        if v.ndim == 1:
            return Array(v.dtype, (v.shape[0] + abs(k),) * 2, v.xp)
        if v.ndim != 2:
            raise KindError(f"np.diag takes arrays of one or two axes, not {v.ndim}",
                            "write np.diagonal(a, axis1=..., axis2=...)")
        return Array(v.dtype, diagonal_shape(v, k, 0, 1), v.xp)
    view = "v"
    @borrows("d_y")
    def d_v(d_y, v: Like, k): return np.diagonal(d_y, k) if v.ndim == 1 else on_diagonal(d_y, v, k)
    def t_y(t_v, k): return np.diag(t_v, k)


@rule("y = diagflat(v, k=0)", np.diagflat)
class diagflat:
    static = "k"

    def kind(v, k):
        v = array_kind(v)
        return Array(v.dtype, (product(v.shape) + abs(k),) * 2, v.xp)

    @borrows("d_y")
    def d_v(d_y, v: Like, k): return reshape_like(np.diagonal(d_y, k), v)
    def t_y(t_v, k): return np.diagflat(t_v, k)


@rule("c = trace(a, offset=0, axis1=0, axis2=1)", np.trace, "ndarray.trace")
class trace:
    def kind(a, offset, axis1, axis2):
        dtype = np.add.reduce(np.zeros(1, a.dtype)).dtype
        return array_or_number(dtype, diagonal_shape(a, offset, axis1, axis2)[:-1], a.xp)

    def d_a(d_c, a: Like, offset, axis1, axis2):
        return on_diagonal(np.expand_dims(d_c, -1) if rank(d_c) else d_c, a, offset, axis1, axis2)

    def t_c(t_a, offset, axis1, axis2): return np.trace(t_a, offset, axis1, axis2)
