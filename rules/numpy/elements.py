"""Rules for NumPy's functions that add elements to an array, or remove some: `insert`, `delete`, `resize`."""

from typing import Any

import numpy as np

from rules.arrays import device
from rules.cotangent import scatter
from rules.kind import Array, KindError, Length, Num, constant, kind_of, lengths, library, normalize_axis
from rules.numpy.joining import at_axis
from rules.numpy.shape import array_kind, product, reshape_like, shape_of, total
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, primitive, rule


def _flat(a: Any, axis: Any) -> tuple[Array, int]:
    """The kind of what elements are added to or removed from, and the axis."""
    a = array_kind(a)
    if axis is None:
        return Array(a.dtype, (product(a.shape),), a.xp), 0
    return a, normalize_axis(axis, a.ndim)[0]


def _as_flat(a: Any, axis: Any) -> Any:
    return np.ravel(a) if axis is None and rank(a) != 1 else a


def _as_given(d: Any, a: Any, axis: Any) -> Any:
    return reshape_like(d, a) if axis is None and rank(a) != 1 else d


def _one(obj: Any) -> bool:
    """Is it a single place, an int?"""
    return not isinstance(obj, slice | tuple | list) and not rank(obj)


def _axis(a: Any, axis: Any) -> int:
    return 0 if axis is None else axis % rank(a)


def _resized(a: Array, axis: int, n: Length) -> Array:
    return Array(a.dtype, (*a.shape[:axis], n, *a.shape[axis + 1 :]), a.xp)


# ----------------------------------------------------------------------------------------------- insert
@primitive
def inserted(like: Any, arr: Any, obj: Any, axis: int = 0, old: bool = False) -> Any:
    """Where, along `axis` of what `np.insert(arr, obj, ...)` has made, the new elements lie, or the `old` ones."""
    n = arr.shape[axis]
    new = like.shape[axis] - n
    labels = np.insert(np.arange(n), obj, np.arange(-new, 0))
    return np.argsort(labels)[new:] if old else np.argsort(labels)[:new]


def _inserted_kind(like: Any, arr: Any, axis: int, old: bool) -> Array:
    n = arr.shape[axis] if old else lengths().fresh()
    return Array(np.dtype(np.intp), (n,), arr.xp)


nondifferentiable("i = inserted(like, arr, obj, axis=0, old=False)", inserted, kind=_inserted_kind)


def _place(obj: Any, n: int) -> int | None:
    """The place that an int means among `n`; None for what is none."""
    return None if not isinstance(obj, int | np.integer) else int(obj) + n if obj < 0 else int(obj)


@primitive
def old_part(d: Any, arr: Any, obj: Any, axis: int = 0) -> Any:
    """The part of `d` that is of the elements of `arr`, where others have been inserted."""
    k = _place(obj, arr.shape[axis])
    if k is None:
        return np.take(d, inserted.__wrapped__(d, arr, obj, axis, old=True), axis=axis)
    end = k + d.shape[axis] - arr.shape[axis]
    return np.concatenate([d[at_axis(slice(k), axis)], d[at_axis(slice(end, None), axis)]], axis=axis)


@primitive
def new_part(d: Any, arr: Any, obj: Any, axis: int = 0) -> Any:
    """The part of `d` that is of the elements that have been inserted into `arr`; a view, if at one place."""
    k = _place(obj, arr.shape[axis])
    if k is None:
        return np.take(d, inserted.__wrapped__(d, arr, obj, axis), axis=axis)
    return d[at_axis(slice(k, k + d.shape[axis] - arr.shape[axis]), axis)]


@rule("y = old_part(d, arr, obj, axis=0)", old_part)
class old_part_rule:
    like = "arr"
    def kind(d, arr): return Array(d.dtype, arr.shape, d.xp)
    def d_d(d_y, d: Like, arr: Like, obj, axis):
        return scatter(d_y, d, at_axis(inserted(d, arr, obj, axis, old=True), axis))

    def t_y(t_d, arr: Like, obj, axis): return old_part(t_d, arr, obj, axis)


@rule("y = new_part(d, arr, obj, axis=0)", new_part)
class new_part_rule:
    like = "arr"
    def kind(d, axis): return _resized(d, axis, lengths().fresh())
    view = "d"

    def d_d(d_y, d: Like, arr: Like, obj, axis):
        return scatter(d_y, d, at_axis(inserted(d, arr, obj, axis), axis))

    def t_y(t_d, arr: Like, obj, axis): return new_part(t_d, arr, obj, axis)


def _new(arr: Array, obj: Any, values: Any, axis: int) -> Length:
    """How many elements are inserted."""
    if isinstance(obj, tuple | list) and len(obj) != 1:
        return constant(len(obj))
    values = array_kind(values)
    if not _one(obj) or values.ndim > arr.ndim:
        return lengths().fresh()
    # values go in at one place, with their first axis along `axis`
    return values.shape[0] if values.ndim == arr.ndim else constant(1)


@rule("y = insert(arr, obj, values, axis=None)", np.insert)
class insert:
    def kind(arr, obj, values, axis):
        arr, axis = _flat(arr, axis)
        if isinstance(kind_of(obj), Array) and kind_of(obj).dtype.kind == "b":
            raise KindError("np.insert with a mask is not supported", "give the places: np.flatnonzero(mask)")
        if array_kind(values).dtype.kind == "c" and arr.dtype.kind != "c":
            raise KindError("np.insert of complex values into real ones cuts them", "give it a complex array")
        return _resized(arr, axis, total([arr.shape[axis], _new(arr, obj, values, axis)]))

    def d_arr(d_y, arr: Like, obj, axis):
        return _as_given(old_part(d_y, _as_flat(arr, axis), obj, _axis(arr, axis)), arr, axis)

    @borrows("d_y")
    def d_values(d_y, arr: Like, obj, axis):
        k = _axis(arr, axis)
        d = new_part(d_y, _as_flat(arr, axis), obj, k)
        return np.moveaxis(d, k, 0) if _one(obj) and k else d

    def t_y(t_arr, obj, t_values, axis): return np.insert(t_arr, obj, t_values, axis=axis)


# ----------------------------------------------------------------------------------------------- delete
@primitive
def undelete(d: Any, like: Any, obj: Any, axis: int = 0) -> Any:
    """Zeros of the shape of `like` with `d` where `np.delete(like, obj, axis)` leaves the elements."""
    k = _place(obj, like.shape[axis])
    out = np.zeros(like.shape, d.dtype, like=device(d))
    if k is None:
        out[at_axis(np.delete(np.arange(like.shape[axis], like=device(d)), obj), axis)] = d
    else:
        out[at_axis(slice(k), axis)] = d[at_axis(slice(k), axis)]
        out[at_axis(slice(k + 1, None), axis)] = d[at_axis(slice(k, None), axis)]
    return out


@rule("y = undelete(d, like, obj, axis=0)", undelete)
class undelete_rule:
    def kind(d, like): return Array(d.dtype, like.shape, like.xp)
    def d_d(d_y, obj, axis): return np.delete(d_y, obj, axis=axis)
    def t_y(t_d, like: Like, obj, axis): return undelete(t_d, like, obj, axis)


@rule("y = delete(arr, obj, axis=None)", np.delete)
class delete:
    selects = True

    def kind(arr, obj, axis):
        arr, axis = _flat(arr, axis)
        single = isinstance(obj, int | np.integer | Num)
        return _resized(arr, axis, arr.shape[axis] + -1 if single else lengths().fresh())

    def d_arr(d_y, arr: Like, obj, axis):
        return _as_given(undelete(d_y, _as_flat(arr, axis), obj, _axis(arr, axis)), arr, axis)

    def t_y(t_arr, obj, axis): return np.delete(t_arr, obj, axis=axis)


# ----------------------------------------------------------------------------------------------- resize
@primitive
def unresize(d: Any, like: Any) -> Any:
    """The sum of the copies of `like`, the last one cut, of which `np.resize` has made the shape of `d`."""
    n = like.size
    out = np.zeros(like.shape, d.dtype, like=device(d))
    if n:
        flat, whole, rest = d.reshape(-1), d.size // n, d.size % n
        np.sum(flat[: whole * n].reshape(whole, n), axis=0, out=out.reshape(-1))
        out.reshape(-1)[:rest] += flat[whole * n :]
    return out


@rule("y = unresize(d, like)", unresize)
class unresize_rule:
    def kind(d, like): return Array(d.dtype, array_kind(like).shape, library(like))
    def d_d(d_y, d: Like): return np.resize(d_y, d.shape)
    def t_y(t_d, like: Like): return unresize(t_d, like)


@rule("y = resize(a, new_shape)", np.resize)
class resize:
    """The elements in C order, begun again where there are too few."""

    def kind(a, new_shape): return Array(array_kind(a).dtype, shape_of(new_shape), array_kind(a).xp)
    def d_a(d_y, a: Like): return unresize(d_y, a) if rank(a) else np.sum(d_y)
    def t_y(t_a, new_shape): return np.resize(t_a, new_shape)
