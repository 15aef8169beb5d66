"""Rules for NumPy's functions that move elements without changing them: shapes, axes, order, copies.

Their pullbacks undo the move. Where the old shape is all that is needed, the argument is `Like`: never kept.
"""

from typing import Any

import numpy as np

from rules.kind import (
    ONE,
    Array,
    KindError,
    Length,
    Num,
    Seq,
    array_or_number,
    constant,
    kind_of,
    length_of,
    lengths,
    normalize_axis,
)  # fmt: skip
from rules.operands import rank
from rules.rule import Like, borrows, primitive, rule


# ------------------------------------------------------------------------------------------------ kinds
def array_kind(x: Any) -> Array:
    """The kind of an operand as an array: a number counts as one of rank 0."""
    x = kind_of(x)
    if isinstance(x, Array):
        return x
    if isinstance(x, Num):
        return Array(x.dtype, ())
    raise KindError(f"an array is wanted here, not {x}", "make it an array first, with np.array(...) or np.stack(...)")


def product(shape: tuple[Length, ...]) -> Length:
    """The number of elements, as far as it can be said: of constants, or of one length among ones."""
    resolved = [lengths().resolve(n) for n in shape]
    if any(n == constant(0) for n in resolved):
        return constant(0)
    known, symbols = 1, []
    for n in resolved:
        if n.constant:
            known *= n.offset
        else:
            symbols.append(n)
    if not symbols:
        return constant(known)
    return symbols[0] if len(symbols) == 1 and known == 1 else lengths().fresh()


def total(lengths_: list[Length]) -> Length:
    """The sum of lengths, as far as it can be said: at most one of them is a symbol."""
    resolved = [lengths().resolve(n) for n in lengths_]
    symbols = [n for n in resolved if not n.constant]
    known = sum(n.offset for n in resolved if n.constant)
    if not symbols:
        return constant(known)
    return symbols[0] + known if len(symbols) == 1 else lengths().fresh()


def shape_of(shape: Any) -> tuple[Length, ...]:
    """The lengths in a shape argument: an int, or a tuple or list of ints."""
    if isinstance(shape, Seq | Array):
        raise KindError("a shape whose rank is not known when compiling", "write the shape as a tuple of ints")
    return tuple(length_of(n) for n in (shape if isinstance(shape, tuple | list) else (shape,)))


def _reshaped(a: Any, shape: Any) -> Array | Num:
    if isinstance(shape, Seq | Array):
        raise KindError("a shape whose rank is not known when compiling", "write the shape as a tuple of ints")
    entries = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    unknown = [i for i, n in enumerate(entries) if not isinstance(n, Num) and n == -1]
    new = [ONE if i in unknown else length_of(n) for i, n in enumerate(entries)]
    for i in unknown:
        new[i] = _remaining(array_kind(a).shape, new[:i] + new[i + 1 :])
    return moved(a, tuple(new))


def _remaining(shape: tuple[Length, ...], given: list[Length]) -> Length:
    """The length that -1 stands for: what is left of `shape` after the given lengths are divided out."""
    env = lengths()
    left = [env.resolve(n) for n in shape]
    divisor = 1
    for n in map(env.resolve, given):
        if n.constant:
            divisor *= n.offset
        elif n in left:
            left.remove(n)
        else:
            return env.fresh()
    if divisor == 1:
        return product(tuple(left))
    known = 1
    for n in left:
        known *= n.offset if n.constant else 1
    rest = tuple(n for n in left if not n.constant)
    if divisor == 0 or known % divisor:
        return env.fresh()
    return product((constant(known // divisor), *rest))


def moved(a: Any, shape: tuple[Length, ...]) -> Array | Num:
    """The kind of `a` in another shape. NumPy's scalars have the methods of arrays, and stay scalars."""
    scalar = isinstance(kind_of(a), Num) and not kind_of(a).python and not shape
    return kind_of(a) if scalar else Array(array_kind(a).dtype, shape, array_kind(a).xp)


def _permuted(a: Any, order: Any) -> Array | Num:
    return moved(a, tuple(array_kind(a).shape[i] for i in order))


def _axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """The permutation that a transpose argument means: None, ints, or a tuple of them; () for None."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
        axes = axes[0]
    axes = tuple(reversed(range(ndim))) if axes is None or not len(axes) else normalize_axis(tuple(axes), ndim)
    if sorted(axes) != list(range(ndim)):
        raise KindError(f"axes {axes} are not a permutation of {ndim} axes")
    return axes


def inverse(order: Any) -> tuple[int, ...]:
    """The permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


# ------------------------------------------------------------------------------------------- primitives
@primitive
def reshape_like(d: Any, like: Any) -> Any:
    """The elements of `d`, in order, in the shape of `like`; a view where NumPy can make one."""
    out = np.reshape(d, np.shape(like))
    return out if isinstance(like, np.ndarray) else out[()]


@rule("y = reshape_like(d, like)", reshape_like)
class reshape_like_rule:
    def kind(d, like):
        if isinstance(like, Array):
            return Array(array_kind(d).dtype, like.shape, like.xp)
        return Num(array_kind(d).dtype.type)
    view = "d"
    @borrows("d_y")
    def d_d(d_y, d: Like): return reshape_like(d_y, d)
    def t_y(t_d, like: Like): return reshape_like(t_d, like)


@primitive
def on_diagonal(d: Any, like: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of the shape of `like` with `d` on the diagonal that `np.diagonal` would take."""
    out = np.zeros(like.shape, np.result_type(d))
    planes = np.moveaxis(out, (axis1, axis2), (-2, -1))
    i = np.arange(np.diagonal(planes, offset, -2, -1).shape[-1])
    planes[..., i + max(0, -offset), i + max(0, offset)] = d
    return out


@rule("y = on_diagonal(d, like, offset=0, axis1=0, axis2=1)", on_diagonal)
class on_diagonal_rule:
    def kind(d, like): return Array(kind_of(d).dtype, like.shape, like.xp)
    @borrows("d_y")
    def d_d(d_y, offset, axis1, axis2): return np.diagonal(d_y, offset, axis1, axis2)
    def t_y(t_d, like: Like, offset, axis1, axis2): return on_diagonal(t_d, like, offset, axis1, axis2)


# ---------------------------------------------------------------------------------------------- reshape
@rule("y = reshape(a, shape)", np.reshape)
class reshape:
    def kind(a, shape): return _reshaped(a, shape)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a, shape): return np.reshape(t_a, shape)


@rule("y = reshape(a, *shape)", "ndarray.reshape")
class method_reshape:
    def kind(a, shape): return _reshaped(a, _spelled(shape))
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a, shape): return np.reshape(t_a, _spelled(shape))


def _spelled(shape: Any) -> Any:
    """`a.reshape(2, 3)` and `a.reshape((2, 3))` are one."""
    return shape[0] if len(shape) == 1 else shape


@rule("y = ravel(a)", np.ravel, "ndarray.ravel")
class ravel:
    def kind(a): return Array(array_kind(a).dtype, (product(array_kind(a).shape),), array_kind(a).xp)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.ravel(t_a)


@rule("y = flatten(a)", "ndarray.flatten")
class flatten:
    def kind(a): return Array(a.dtype, (product(a.shape),), a.xp)
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.ravel(t_a)


@rule("y = expand_dims(a, axis)", np.expand_dims)
class expand_dims:
    def kind(a, axis):
        a = array_kind(a)
        count = len(axis) if isinstance(axis, tuple) else 1
        new = normalize_axis(axis, a.ndim + count)
        rest = iter(a.shape)
        return Array(a.dtype, tuple(ONE if i in new else next(rest) for i in range(a.ndim + count)), a.xp)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a, axis): return np.expand_dims(t_a, axis)


@rule("y = squeeze(a, axis=None)", np.squeeze, "ndarray.squeeze")
class squeeze:
    def kind(a, axis):
        shape = array_kind(a).shape
        if axis is None:
            return moved(a, tuple(n for n in shape if not lengths().is_one(n)))
        gone = normalize_axis(axis, len(shape))
        return moved(a, tuple(n for i, n in enumerate(shape) if i not in gone))
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a, axis): return np.squeeze(t_a, axis=axis)


def _at_least(a: Any, ndim: int) -> Array:
    a = array_kind(a)
    shape = a.shape
    if ndim == 3 and a.ndim in (1, 2):
        shape = (*((ONE,) if a.ndim == 1 else ()), *shape, ONE)
    return Array(a.dtype, (ONE,) * (ndim - len(shape)) + shape, a.xp)


@rule("y = atleast_1d(a)", np.atleast_1d)
class atleast_1d:
    def kind(a): return _at_least(a, 1)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.atleast_1d(t_a)


@rule("y = atleast_2d(a)", np.atleast_2d)
class atleast_2d:
    def kind(a): return _at_least(a, 2)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.atleast_2d(t_a)


@rule("y = atleast_3d(a)", np.atleast_3d)
class atleast_3d:
    def kind(a): return _at_least(a, 3)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.atleast_3d(t_a)


# ------------------------------------------------------------------------------------------------- axes
@rule("y = transpose(a, axes=None)", np.transpose)
class transpose:
    def kind(a, axes): return _permuted(a, _axes((axes,), rank(a)))
    view = "a"
    @borrows("d_y")
    def d_a(d_y, axes): return np.transpose(d_y, _undone((axes,), d_y.ndim))
    def t_y(t_a, axes): return np.transpose(t_a, axes)


@rule("y = transpose(a, *axes)", "ndarray.transpose")
class method_transpose:
    def kind(a, axes): return _permuted(a, _axes(axes, a.ndim))
    view = "a"
    @borrows("d_y")
    def d_a(d_y, axes): return np.transpose(d_y, _undone(axes, d_y.ndim))
    def t_y(t_a, axes): return np.transpose(t_a, _axes(axes, t_a.ndim))


def _undone(axes: Any, ndim: int) -> tuple[int, ...] | None:
    order = _axes(axes, ndim)
    return None if order == tuple(reversed(range(ndim))) else inverse(order)


@rule("y = T(a)", "ndarray.T")
class T:
    def kind(a): return _permuted(a, tuple(reversed(range(a.ndim))))
    view = "a"
    @borrows("d_y")
    def d_a(d_y): return d_y.T
    def t_y(t_a): return t_a.T


@rule("y = matrix_transpose(a)", np.matrix_transpose, "ndarray.mT")
class matrix_transpose:
    def kind(a): return _permuted(a, _swapped(a.ndim, -1, -2))
    view = "a"
    @borrows("d_y")
    def d_a(d_y): return np.swapaxes(d_y, -1, -2)
    def t_y(t_a): return np.swapaxes(t_a, -1, -2)


def _swapped(ndim: int, axis1: int, axis2: int) -> list[int]:
    i, j = normalize_axis((axis1, axis2), ndim)
    order = list(range(ndim))
    order[i], order[j] = order[j], order[i]
    return order


@rule("y = swapaxes(a, axis1, axis2)", np.swapaxes, "ndarray.swapaxes")
class swapaxes:
    def kind(a, axis1, axis2): return _permuted(a, _swapped(rank(a), axis1, axis2))
    view = "a"
    @borrows("d_y")
    def d_a(d_y, axis1, axis2): return np.swapaxes(d_y, axis1, axis2)
    def t_y(t_a, axis1, axis2): return np.swapaxes(t_a, axis1, axis2)


@rule("y = moveaxis(a, source, destination)", np.moveaxis)
class moveaxis:
    static = "source destination"

    def kind(a, source, destination):
        a = array_kind(a)
        source, destination = (normalize_axis(tuple(k) if isinstance(k, list) else k, a.ndim)
                               for k in (source, destination))  # fmt: skip
        order = [i for i in range(a.ndim) if i not in source]
        for to, what in sorted(zip(destination, source)):
            order.insert(to, what)
        return _permuted(a, order)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, source, destination): return np.moveaxis(d_y, destination, source)
    def t_y(t_a, source, destination): return np.moveaxis(t_a, source, destination)


# --------------------------------------------------------------------------------------- order of elements
@rule("y = flip(m, axis=None)", np.flip)
class flip:
    def kind(m): return array_or_number(array_kind(m).dtype, array_kind(m).shape, array_kind(m).xp)
    view = "m"
    @borrows("d_y")
    def d_m(d_y, axis): return np.flip(d_y, axis)
    def t_y(t_m, axis): return np.flip(t_m, axis)


@rule("y = fliplr(m)", np.fliplr)
class fliplr:
    def kind(m): return m
    view = "m"
    @borrows("d_y")
    def d_m(d_y): return np.fliplr(d_y)
    def t_y(t_m): return np.fliplr(t_m)


@rule("y = flipud(m)", np.flipud)
class flipud:
    def kind(m): return m
    view = "m"
    @borrows("d_y")
    def d_m(d_y): return np.flipud(d_y)
    def t_y(t_m): return np.flipud(t_m)


def _negative(shift: Any) -> Any:
    return tuple(-s for s in shift) if isinstance(shift, tuple | list) else -shift


@rule("y = roll(a, shift, axis=None)", np.roll)
class roll:
    def kind(a): return array_kind(a)
    def d_a(d_y, shift, axis): return np.roll(d_y, _negative(shift), axis=axis)
    def t_y(t_a, shift, axis): return np.roll(t_a, shift, axis=axis)


@rule("y = rot90(m, k=1, axes=(0, 1))", np.rot90)
class rot90:
    static = "k"
    def kind(m, k, axes): return _permuted(m, _swapped(m.ndim, *axes)) if k % 2 else m
    view = "m"
    @borrows("d_y")
    def d_m(d_y, k, axes): return np.rot90(d_y, -k, axes)
    def t_y(t_m, k, axes): return np.rot90(t_m, k, axes)


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
        raise KindError("axis1 and axis2 are one axis")
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
            raise KindError(f"np.diag takes arrays of one or two axes, not {v.ndim}")
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


# ------------------------------------------------------------------------------------------------ copies
@rule("y = broadcast_to(a, shape)", np.broadcast_to)
class broadcast_to:
    def kind(a, shape): return Array(array_kind(a).dtype, shape_of(shape), array_kind(a).xp)
    view = "a"
    @borrows("d_y")
    def d_a(d_y): return d_y
    def t_y(t_a, shape): return np.broadcast_to(t_a, shape)


@rule("y = copy(a)", np.copy)
class copy:
    def kind(a): return array_kind(a)
    @borrows("d_y")
    def d_a(d_y): return d_y
    def t_y(t_a): return np.copy(t_a)


@rule("y = copy(a)", "ndarray.copy")
class method_copy:
    def kind(a): return moved(a, a.shape)
    @borrows("d_y")
    def d_a(d_y): return d_y
    def t_y(t_a): return np.copy(t_a)


@rule("y = astype(a, dtype)", "ndarray.astype")
class astype:
    def kind(a, dtype):
        made = moved(a, a.shape)
        return Num(np.dtype(dtype).type) if isinstance(made, Num) else Array(np.dtype(dtype), a.shape, a.xp)
    @borrows("d_y")
    def d_a(d_y): return d_y
    def t_y(t_a, dtype): return t_a.astype(dtype)
