"""Rules for NumPy's functions that make one array of several, or of nested lists, and that repeat an array.

The cotangents of what was joined are pieces of the result's: views, taken apart again.
"""

from typing import Any

import numpy as np

from rules.arrays import device
from rules.cotangent import length, size, unstack
from rules.kind import (
    ONE,
    Array,
    KindError,
    Length,
    Num,
    Seq,
    constant,
    length_of,
    lengths,
    library,
    normalize_axis,
    promote,
)  # fmt: skip
from rules.numpy.shape import array_kind, at_least, product, reshape_like, total
from rules.operands import dtype_of, rank
from rules.rule import Like, borrows, primitive, recorded, rule


# ------------------------------------------------------------------------------------------- primitives
@primitive
def part(d: Any, like: Any, start: int, axis: int = 0) -> Any:
    """The part of `d` that begins at `start` along `axis` and is as long as `like` is there; a view."""
    return d[(slice(None),) * axis + (slice(start, start + like.shape[axis]),)]


@rule("y = part(d, like, start, axis=0)", part)
class part_rule:
    def kind(d, like): return Array(d.dtype, like.shape, d.xp)
    view = "d"
    def d_d(d_y, d: Like, start, axis): return placed(d_y, d, start, axis)
    def t_y(t_d, like: Like, start, axis): return part(t_d, like, start, axis)


@primitive
def placed(d: Any, like: Any, start: int, axis: int = 0) -> Any:
    """Zeros of the shape of `like` with `d` as the part that begins at `start` along `axis`."""
    out = np.zeros(like.shape, d.dtype, like=device(d))
    out[(slice(None),) * axis + (slice(start, start + d.shape[axis]),)] = d
    return out


@rule("y = placed(d, like, start, axis=0)", placed)
class placed_rule:
    def kind(d, like): return Array(d.dtype, like.shape, d.xp)
    @borrows("d_y")
    def d_d(d_y, d: Like, start, axis): return part(d_y, d, start, axis)
    def t_y(t_d, like: Like, start, axis): return placed(t_d, like, start, axis)


@primitive
def joined(items: Any, axis: int = 0) -> Any:
    """`np.concatenate(items, axis)`, of a list of any length too."""
    return np.concatenate(items, axis=axis)


@rule("y = joined(items, axis=0)", joined)
class joined_rule:
    def kind(items, axis): return join_kind(items, _operands(items), axis)
    @borrows("d_y")
    def d_items(d_y, items: Like, axis): return parts(d_y, items, axis)
    def t_y(t_items, axis): return joined(t_items, axis)


@primitive
def parts(d: Any, arrays: list[Any], axis: int = 0) -> list[Any]:
    """The parts of `d` that `np.concatenate(arrays, axis)` made of a list of any length; views."""
    out, start = [], 0
    for a in arrays:
        out.append(part(d, a, start, axis))
        start += a.shape[axis]
    return out


@rule("items = parts(d, arrays, axis=0)", parts)
class parts_rule:
    like = "arrays"

    def kind(d, arrays):
        if isinstance(arrays, Seq):
            return Seq(Array(d.dtype, arrays.element.shape, d.xp))
        return [Array(d.dtype, a.shape, d.xp) for a in arrays]

    view = "d"
    def d_d(d_items, axis): return joined(d_items, axis)
    def t_items(t_d, arrays: Like, axis): return parts(t_d, arrays, axis)


# ------------------------------------------------------------------------------------------------ joining
#: NumPy has the old name of `vstack` still.
ROW_STACK = (np.row_stack,) if "row_stack" in vars(np) else ()
SAME_RANK = "give them one rank first: a[None], a.reshape(...)"


def _operands(arrays: Any) -> list[Array]:
    if isinstance(arrays, Seq):
        return [array_kind(arrays.element)]
    if not isinstance(arrays, tuple | list):
        raise KindError(f"arrays to join are wanted here, not {arrays}", "write them in a list")
    if not arrays:
        raise KindError("nothing is joined: the list is empty", "give it an array")
    return [_nested(a) if isinstance(a, tuple | list) else array_kind(a) for a in arrays]


def join_kind(arrays: Any, operands: list[Array], axis: int) -> Array:
    """The kind of operands of one rank, laid one after the other along `axis`."""
    env = lengths()
    if len({a.ndim for a in operands}) > 1:
        raise KindError(f"arrays of different ranks cannot be joined: {', '.join(map(str, operands))}", SAME_RANK)
    (axis,) = normalize_axis(axis, operands[0].ndim)
    shape = list(operands[0].shape)
    for a in operands[1:]:
        shape = [n if i == axis else env.agree(n, m) for i, (n, m) in enumerate(zip(shape, a.shape))]
    shape[axis] = env.fresh() if isinstance(arrays, Seq) else total([a.shape[axis] for a in operands])
    return Array(promote(*operands), tuple(shape), library(*operands))


def _pieces(d: Any, arrays: Any, axis: int) -> Any:
    """The cotangents of what was joined along `axis`: of lower rank, a slice across it; else a part of it."""
    steps = [_extent(a, axis) if _depth(a) == d.ndim else 1 for a in arrays]
    out: list[Any] = []
    for i, a in enumerate(arrays):
        start, rest = sum_of(steps[:i]), sum_of(steps[i + 1 :])
        nested = isinstance(a, tuple | list)
        if _depth(a) < d.ndim:
            piece = d[at_axis(start, axis)]
            piece = piece[(0,) * (piece.ndim - _depth(a))] if piece.ndim > _depth(a) else piece
        elif isinstance(start, int) and isinstance(rest, int):
            piece = d[at_axis(slice(start or None, -rest or None), axis)]
        elif nested:
            piece = d[at_axis(slice(start, start + steps[i]), axis)]
        else:
            piece = part(d, a, start, axis)
        out.append(_unmade(piece, a) if nested else piece)
    return out


def at_axis(place: Any, axis: int) -> Any:
    """An index along one axis."""
    return (*(slice(None),) * axis, place) if axis else place


def _depth(a: Any) -> int:
    """The rank of what NumPy makes of an array, a number, or nested lists."""
    return (1 + _depth(a[0]) if a else 1) if isinstance(a, tuple | list) else rank(a)


def _extent(a: Any, axis: int) -> Any:
    """The length along an axis of what NumPy makes of an array or nested lists."""
    if not isinstance(a, tuple | list):
        return length(a, axis)
    return _extent(a[0], axis - 1) if axis else len(a)


def sum_of(steps: list[Any]) -> Any:
    """The sum of lengths, ints as one."""
    known = sum(n for n in steps if isinstance(n, int))
    for n in steps:
        if not isinstance(n, int):
            known = n if isinstance(known, int) and known == 0 else known + n
    return known


@rule("y = concatenate(arrays, axis=0)", np.concatenate)
class concatenate:
    def kind(arrays, axis):
        operands = _operands(arrays)
        if axis is None:
            raise KindError("np.concatenate with axis=None is not supported", "ravel the arrays first")
        if any(not a.ndim for a in operands):
            raise KindError("arrays of rank 0 cannot be concatenated", "write np.array([...]) or np.stack")
        return join_kind(arrays, operands, axis)

    @borrows("d_y")
    def d_arrays(d_y, arrays: Like, axis):
        axis = axis % d_y.ndim
        return _pieces(d_y, arrays, axis) if isinstance(arrays, tuple | list) else parts(d_y, arrays, axis)

    def t_y(t_arrays, axis): return recorded(np.concatenate, t_arrays, axis=axis)


@rule("y = stack(arrays, axis=0)", np.stack)
class stack:
    def kind(arrays, axis):
        operands = _operands(arrays)
        shape = list(_common(operands))
        (axis,) = normalize_axis(axis, len(shape) + 1)
        shape.insert(axis, _count(arrays))
        return Array(promote(*operands), tuple(shape), library(*operands))

    @borrows("d_y")
    def d_arrays(d_y, arrays: Like, axis):
        axis = axis % d_y.ndim
        if isinstance(arrays, tuple | list):
            return _pieces(d_y, arrays, axis)
        return unstack(np.moveaxis(d_y, axis, 0) if axis else d_y)

    def t_y(t_arrays, axis): return recorded(np.stack, t_arrays, axis=axis)


def _count(items: Any) -> Any:
    """How many elements a list has."""
    return lengths().counted(items.length) if isinstance(items, Seq) else constant(len(items))


def _listed(arrays: Any, name: str) -> list[Array]:
    if isinstance(arrays, Seq):
        raise KindError(f"np.{name} of a list of any length is not supported", "write np.stack or np.concatenate")
    return _operands(arrays)


@rule("y = vstack(tup)", np.vstack, *ROW_STACK)
class vstack:
    def kind(tup):
        return join_kind(tup, [at_least(a, 2) for a in _listed(tup, "vstack")], 0)
    @borrows("d_y")
    def d_tup(d_y, tup: Like): return _pieces(d_y, tup, 0)
    def t_y(t_tup): return np.vstack(t_tup)


@rule("y = hstack(tup)", np.hstack)
class hstack:
    def kind(tup):
        raised = [at_least(a, 1) for a in _listed(tup, "hstack")]
        return join_kind(tup, raised, 0 if raised[0].ndim == 1 else 1)
    @borrows("d_y")
    def d_tup(d_y, tup: Like): return _pieces(d_y, tup, 0 if d_y.ndim == 1 else 1)
    def t_y(t_tup): return np.hstack(t_tup)


@rule("y = column_stack(tup)", np.column_stack)
class column_stack:
    def kind(tup):
        columns = [a if a.ndim > 1 else Array(a.dtype, (a.shape or (ONE,)) + (ONE,), a.xp)
                   for a in _listed(tup, "column_stack")]  # fmt: skip
        return join_kind(tup, columns, 1)
    @borrows("d_y")
    def d_tup(d_y, tup: Like): return _pieces(d_y, tup, 1)
    def t_y(t_tup): return np.column_stack(t_tup)


@rule("y = dstack(tup)", np.dstack)
class dstack:
    def kind(tup): return join_kind(tup, [at_least(a, 3) for a in _listed(tup, "dstack")], 2)
    @borrows("d_y")
    def d_tup(d_y, tup: Like): return _pieces(d_y, tup, 2)
    def t_y(t_tup): return np.dstack(t_tup)


# -------------------------------------------------------------------------------------- arrays from lists
def _nested(x: Any) -> Array:
    """The kind of `np.array` of a number, an array, or a list of things that are alike."""
    if isinstance(x, Seq):
        if isinstance(x.element, Seq):
            raise KindError("np.array of a list of lists whose lengths are not known is not supported here",
                            "make arrays of the inner lists first: np.array([np.array(row) for row in rows])")
        element = array_kind(x.element)
        return Array(element.dtype, (_count(x), *element.shape), element.xp)
    if not isinstance(x, tuple | list):
        return array_kind(x)
    if not x:
        return Array(np.dtype(float), (constant(0),))
    items = [_nested(item) for item in x]
    dtype = np.result_type(*(a.dtype for a in items))  # in a list, a Python number is as strong as an array
    return Array(dtype, (constant(len(items)), *_common(items)), library(*items))


def _common(items: list[Array]) -> tuple[Length, ...]:
    """The one shape of things that are stacked."""
    if len({a.ndim for a in items}) > 1:
        raise KindError(f"arrays of different ranks cannot be stacked: {', '.join(map(str, items))}", SAME_RANK)
    shape = items[0].shape
    for a in items[1:]:
        shape = tuple(lengths().agree(n, m) for n, m in zip(shape, a.shape))
    return shape


def _made(a: Any, dtype: Any) -> Array:
    made = _nested(a)
    return made if dtype is None else Array(np.dtype(dtype), made.shape, made.xp)


def _unmade(d: Any, a: Any, place: tuple[int, ...] = ()) -> Any:
    """The cotangent of the argument of `np.array`, with its structure."""
    if isinstance(a, tuple | list):
        return [_unmade(d, item, (*place, i)) for i, item in enumerate(a)]
    if place:
        d = d[place if len(place) > 1 else place[0]]
    if hasattr(a, "ndim") or isinstance(a, int | float | complex):
        return d
    to = getattr(a, "element_dtype", dtype_of(d))  # the array may be wider than a list in it
    if to.kind in "fc" and to != dtype_of(d):
        d = (np.real(d) if to.kind == "f" else d).astype(to)
    return unstack(d)


def _stacked(t: Any, dtype: Any) -> Any:
    """`np.array` of tangents, by a function that takes traced values."""
    if isinstance(t, tuple | list):
        return np.stack([_stacked(item, dtype) for item in t]) if t else t
    if hasattr(t, "ndim") or isinstance(t, int | float | complex):
        return t
    return recorded(np.array, t) if dtype is None else recorded(np.array, t, dtype=dtype)


@rule("y = array(a, dtype=None)", np.array)
class array:
    def kind(a, dtype): return _made(a, dtype)
    @borrows("d_y")
    def d_a(d_y, a: Like): return _unmade(d_y, a)
    def t_y(t_a, dtype): return _stacked(t_a, dtype)


@rule("y = asarray(a, dtype=None)", np.asarray, np.asanyarray, np.asarray_chkfinite)
class asarray:
    def kind(a, dtype): return _made(a, dtype)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like): return _unmade(d_y, a)
    def t_y(t_a, dtype): return _stacked(t_a, dtype)


@rule("y = ascontiguousarray(a, dtype=None)", np.ascontiguousarray, np.asfortranarray)
class ascontiguousarray:
    def kind(a, dtype):
        made = _made(a, dtype)
        return Array(made.dtype, made.shape or (ONE,), made.xp)
    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like):
        return _unmade(d_y, a) if isinstance(a, tuple | list) or rank(a) else reshape_like(d_y, a)
    def t_y(t_a, dtype): return np.atleast_1d(_stacked(t_a, dtype))


# ------------------------------------------------------------------------------------------- repeating
def _times(n: Length, k: Any) -> Length:
    return product((n, length_of(k)))


@rule("y = repeat(a, repeats, axis=None)", np.repeat, "ndarray.repeat")
class repeat:
    def kind(a, repeats, axis):
        a = array_kind(a)
        if not isinstance(repeats, int | np.integer | Num):
            raise KindError("np.repeat with a count for each element is not supported", "index with an integer array")
        if axis is None:
            return Array(a.dtype, (_times(product(a.shape), repeats),), a.xp)
        (axis,) = normalize_axis(axis, a.ndim)
        shape = tuple(_times(n, repeats) if i == axis else n for i, n in enumerate(a.shape))
        return Array(a.dtype, shape, a.xp)

    def d_a(d_y, a: Like, repeats, axis):
        if axis is None:
            return reshape_like(np.sum(np.reshape(d_y, (size(a), repeats)), axis=1), a)
        axis = axis % d_y.ndim
        split = [length(a, i) for i in range(rank(a))]
        return np.sum(np.reshape(d_y, (*split[: axis + 1], repeats, *split[axis + 1 :])), axis=axis + 1)

    def t_y(t_a, repeats, axis): return np.repeat(t_a, repeats, axis=axis)


def _tiling(ndim: int, reps: Any) -> tuple[Any, ...]:
    """One count for each axis of the result of `np.tile`."""
    reps = tuple(reps) if isinstance(reps, tuple | list) else (reps,)
    return (1,) * (ndim - len(reps)) + reps


@rule("y = tile(A, reps)", np.tile)
class tile:
    def kind(A, reps):
        A = array_kind(A)
        if isinstance(reps, Seq | Array):
            raise KindError("np.tile by a number of counts that is not known is not supported", "write a tuple of ints")
        counts = _tiling(A.ndim, reps)
        shape = (ONE,) * (len(counts) - A.ndim) + A.shape
        return Array(A.dtype, tuple(_times(n, k) for n, k in zip(shape, counts)), A.xp)

    def d_A(d_y, A: Like, reps):
        counts = _tiling(rank(A), reps)
        shape = [1] * (len(counts) - rank(A)) + [length(A, i) for i in range(rank(A))]
        blocks = np.reshape(d_y, tuple(n for pair in zip(counts, shape) for n in pair))
        return reshape_like(np.sum(blocks, axis=tuple(range(0, 2 * len(counts), 2))), A)

    def t_y(t_A, reps): return np.tile(t_A, reps)


@rule("y = append(arr, values, axis=None)", np.append)
class append:
    def kind(arr, values, axis):
        both = [array_kind(arr), _nested(values)]
        if axis is None:
            both = [Array(a.dtype, (product(a.shape),), a.xp) for a in both]
        return join_kind(both, both, 0 if axis is None else axis)

    @borrows("d_y")
    def d_arr(d_y, arr: Like, axis):
        if axis is None:
            return reshape_like(d_y[: size(arr)], arr)
        return part(d_y, arr, 0, axis % d_y.ndim)

    @borrows("d_y")
    def d_values(d_y, arr: Like, values: Like, axis):
        if axis is None:
            tail = d_y[size(arr) :]
            return _unmade(tail, values) if isinstance(values, tuple | list) else reshape_like(tail, values)
        return part(d_y, values, length(arr, axis), axis % d_y.ndim)

    def t_y(t_arr, t_values, axis): return np.append(t_arr, t_values, axis=axis)
