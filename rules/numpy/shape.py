"""Rules for NumPy's functions that move elements without changing them: shapes, axes, order, copies.

Their pullbacks undo the move. Where the old shape is all that is needed, the argument is `Like`: never kept.
"""

from typing import Any

import numpy as np

from rules.arrays import is_array, on_device
from rules.kind import (
    ONE,
    Array,
    KindError,
    Length,
    Num,
    Seq,
    constant,
    kind_of,
    length_of,
    lengths,
    library,
    normalize_axis,
)  # fmt: skip
from rules.rule import Like, borrows, primitive, rule


# ------------------------------------------------------------------------------------------------ kinds
def array_kind(x: Any) -> Array:
    """The kind of an operand as an array: a number counts as one of rank 0."""
    x = kind_of(x)
    if isinstance(x, Array):
        return x
    if isinstance(x, Num):
        return Array(x.dtype, ())
    raise KindError(f"an array is wanted here, not {x}", "make it one with np.array(...) or np.stack(...)")


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


def _entries(shape: Any) -> tuple[Any, ...]:
    if isinstance(shape, Seq | Array):
        raise KindError("a shape whose rank is not known when compiling is not supported",
                        "write it as a tuple of ints")
    return tuple(shape) if isinstance(shape, tuple | list) else (shape,)


def shape_of(shape: Any) -> tuple[Length, ...]:
    """The lengths in a shape argument: an int, or a tuple or list of ints."""
    return tuple(map(length_of, _entries(shape)))


def _reshaped(a: Any, shape: Any) -> Array | Num:
    entries = _entries(shape)
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


# ------------------------------------------------------------------------------------------- primitives
@primitive
def reshape_like(d: Any, like: Any) -> Any:
    """The elements of `d`, in order, in the shape of `like`; a view where NumPy can make one."""
    out = np.reshape(d, np.shape(like))
    if is_array(like):
        return out
    return out.item() if on_device(out) else out[()]


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
    def kind(a): return Array(a.dtype, (product(a.shape),), library(a))
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


def at_least(a: Any, ndim: int) -> Array:
    """The kind of `np.atleast_1d`, `2d`, `3d` of an operand."""
    a = array_kind(a)
    shape = a.shape
    if ndim == 3 and a.ndim in (1, 2):
        shape = (*((ONE,) if a.ndim == 1 else ()), *shape, ONE)
    return Array(a.dtype, (ONE,) * (ndim - len(shape)) + shape, a.xp)


@rule("y = atleast_1d(a)", np.atleast_1d)
class atleast_1d:
    def kind(a): return at_least(a, 1)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.atleast_1d(t_a)


@rule("y = atleast_2d(a)", np.atleast_2d)
class atleast_2d:
    def kind(a): return at_least(a, 2)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.atleast_2d(t_a)


@rule("y = atleast_3d(a)", np.atleast_3d)
class atleast_3d:
    def kind(a): return at_least(a, 3)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return reshape_like(d_y, a)
    def t_y(t_a): return np.atleast_3d(t_a)


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


if hasattr(np, "astype"):  # of NumPy 2.1

    @rule("y = astype(x, dtype, copy=True)", np.astype)
    class astype_function:
        static = "copy"
        view = "x"
        def kind(x, dtype): return astype.kind(x, dtype)
        @borrows("d_y")
        def d_x(d_y): return d_y
        def t_y(t_x, dtype): return t_x.astype(dtype)
