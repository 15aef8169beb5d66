"""Rules for reading elements: subscripts of arrays and lists, and NumPy's functions that take by index.

What was read gets the cotangent back by `scatter`, which adds up where an element was read more than once.
"""

import operator
from typing import Any

import numpy as np

from rules.arrays import device
from rules.cotangent import project, scatter, update, zeros_like
from rules.kind import (
    ONE,
    Array,
    KindError,
    Length,
    Num,
    Opaque,
    Seq,
    array_or_number,
    broadcast,
    constant,
    element_of,
    kind_of,
    length_of,
    lengths,
    normalize_axis,
)  # fmt: skip
from rules.numpy.shape import array_kind, reshape_like, shape_of
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, primitive, rule

INDEX = np.dtype(np.intp)


# ------------------------------------------------------------------------------------- kinds of subscripts
def _position(bound: Any, n: Length) -> Length | None:
    """Where a slice's bound lies in an axis of length `n`, clipped to it; None where nobody can say."""
    env = lengths()
    at = env.resolve(bound.length) if isinstance(bound, Num) and bound.length is not None else None
    if at is not None and at.constant:
        bound = at.offset
    if isinstance(bound, int | np.integer):
        bound = int(bound)
        inside = env.at_least(n, abs(bound))
        if inside is None:
            return constant(0) if bound == 0 else None
        if bound >= 0:
            return constant(bound) if inside else env.resolve(n)
        return n + bound if inside else constant(0)
    if at is None or at.symbol != n.symbol:
        return None
    if at.offset >= n.offset:
        return n
    return at if env.at_least(at, 0) else None


def slice_length(n: Length, s: slice) -> Length:
    """The length of an axis of length `n` after a slice."""
    env = lengths()
    n = env.resolve(n)
    step = 1 if s.step is None else s.step
    bounds = (s.start, s.stop)
    static = all(b is None or isinstance(b, int | np.integer) for b in (*bounds, step))
    if static and n.constant:
        return constant(len(range(*s.indices(n.offset))))
    if isinstance(step, int) and step == -1 and bounds == (None, None):
        return n
    if not isinstance(step, int) or step != 1:
        return env.fresh()
    stop = n if s.stop is None else _position(s.stop, n)
    n = env.resolve(n)
    start = constant(0) if s.start is None else _position(s.start, n)
    if start is None or stop is None:
        return env.fresh()
    start, stop = env.resolve(start), env.resolve(stop)
    if start.symbol == stop.symbol:
        return constant(max(0, stop.offset - start.offset))
    if start.constant:
        enough = env.at_least(stop, start.offset)
        return constant(0) if enough is False else stop + -start.offset if enough else env.fresh()
    if stop.constant and env.at_least(start, stop.offset):
        return constant(0)
    return env.fresh()


def _entry(x: Any) -> Any:
    """An entry of an index: None, Ellipsis, a slice, "int" for one element, or the kind of an index array."""
    if x is None or x is Ellipsis or isinstance(x, slice):
        return x
    if isinstance(x, list):
        x = _list_kind(x)
    if isinstance(x, np.ndarray) and x.dtype == bool:
        return Array(x.dtype, (*map(constant, x.shape),)) if x.ndim else x
    kind = kind_of(x)
    if isinstance(kind, Seq):
        kind = Array(kind.element.dtype, (lengths().fresh(),)) if isinstance(kind.element, Num) else kind
    if isinstance(kind, Num | Array):
        if kind.dtype.kind in "iu":
            return kind if kind.ndim else "int"
        if kind.dtype.kind == "b" and kind.ndim:
            return kind
    remedy = "index with ints, slices, None, ..., or arrays of ints or bools"
    raise KindError(f"an array is indexed with {_spelled(x)}", remedy)


def _spelled(x: Any) -> str:
    return f"a value of kind {x}" if isinstance(x, Num | Array | Seq | Opaque) else f"{x!r}"


def _list_kind(x: list[Any]) -> Array:
    """The kind of a list of indices, nested or not."""
    items = [_list_kind(i) if isinstance(i, list) else array_kind(i) for i in x]
    inner = items[0].shape if items else ()
    dtype = np.result_type(*(a.dtype for a in items)) if items else INDEX
    return Array(dtype, (constant(len(items)), *inner))


def indexed(a: Array, index: Any) -> Num | Array:
    """The kind of `a[index]`, by NumPy's rules for basic and for advanced indexing."""
    entries = [_entry(x) for x in (index if isinstance(index, tuple) else (index,))]
    consumed = sum(1 if e == "int" or isinstance(e, slice) else 0 for e in entries) + sum(
        (e.ndim if e.dtype.kind == "b" else 1) for e in entries if isinstance(e, Array)
    )
    if consumed > a.ndim:
        raise KindError(f"too many indices: an array of {a.ndim} axes is indexed with {consumed}",
                        "give one index for each axis at most")
    dots = [i for i, e in enumerate(entries) if e is Ellipsis]
    if len(dots) > 1:
        raise KindError("an index can have one ellipsis only", "write : for the other axes")
    if not dots:
        entries.append(Ellipsis)
    advanced = any(isinstance(e, Array) for e in entries)

    axis = 0
    out: list[Length] = []
    arrays: list[tuple[Length, ...]] = []
    place: int | None = None  # where the axes of the index arrays go
    apart = False  # a slice, None or ... lies between two index arrays
    ended = False
    for e in entries:
        if advanced and (e == "int" or isinstance(e, Array)):
            if place is None:
                place = len(out)
            apart = apart or ended
            if isinstance(e, Array) and e.dtype.kind == "b":
                arrays.append((lengths().fresh(),))
                axis += e.ndim
            else:
                arrays.append(e.shape if isinstance(e, Array) else ())
                axis += 1
            continue
        ended = place is not None
        if e is None:
            out.append(ONE)
        elif e is Ellipsis:
            skipped = a.ndim - consumed
            out.extend(a.shape[axis : axis + skipped])
            axis += skipped
        elif isinstance(e, slice):
            out.append(slice_length(a.shape[axis], e))
            axis += 1
        else:
            axis += 1
    if advanced:
        assert place is not None
        where = 0 if apart else place
        out[where:where] = broadcast(*arrays)
    return Array(a.dtype, tuple(out), a.xp) if dots else array_or_number(a.dtype, tuple(out), a.xp)


# -------------------------------------------------------------------------------------------- subscripts
def _adds_axes(index: Any) -> bool:
    """Is this an index like `[:, None]`, which does nothing but put axes of length 1 between the others?"""
    items = index if isinstance(index, tuple) else (index,)
    added = [i is None for i in items]
    rest = [i for i in items if i is not None and i is not Ellipsis]
    return any(added) and all(isinstance(i, slice) and i.start is i.stop is i.step is None for i in rest)


@rule("y = getitem(a, index)", operator.getitem)
class getitem:
    def kind(a, index):
        if isinstance(a, tuple | list) and isinstance(index, int | slice):
            return a[index]
        if isinstance(a, Seq):
            if isinstance(index, slice):
                return Seq(a.element, a.range, None if a.length is None else slice_length(a.length, index))
            if isinstance(index, int | np.integer | Num) and kind_of(index).dtype.kind in "iu":
                return element_of(a.element)
            raise KindError(f"a list is indexed with {_spelled(index)}", "index lists with ints or slices")
        if not isinstance(a, Array):
            raise KindError(f"what is indexed is {_spelled(a)}", "index an array, a tuple, a list or a dict")
        return indexed(a, index)

    view = "a"
    @borrows("d_y")
    def d_a(d_y, a: Like, index):
        if rank(a) and _adds_axes(index):
            return d_y[0 if index is None else tuple(0 if i is None else i for i in index)]
        return project(d_y, a) if isinstance(index, tuple) and not index else scatter(d_y, a, index)

    @borrows("t_a")
    def t_y(t_a, index): return t_a[index]


def _before(axis: int, ndim: int) -> tuple[slice, ...]:
    return (slice(None),) * (axis % ndim)


@rule("y = take(a, indices, axis=None)", np.take, "ndarray.take")
class take:
    def kind(a, indices, axis):
        a = array_kind(a)
        shape = _entry(indices)
        if isinstance(shape, Array) and shape.dtype.kind == "b":
            raise KindError("np.take with a mask is not supported", "write a[mask]")
        shape = () if shape == "int" else shape.shape
        if axis is None:
            return array_or_number(a.dtype, shape, a.xp)
        (axis,) = normalize_axis(axis, a.ndim)
        return array_or_number(a.dtype, (*a.shape[:axis], *shape, *a.shape[axis + 1 :]), a.xp)

    def d_a(d_y, a: Like, indices, axis):
        if axis is not None:
            return scatter(d_y, a, (*_before(axis, a.ndim), indices))
        if a.ndim == 1:
            return scatter(d_y, a, indices)
        return reshape_like(update(np.ravel(zeros_like(a)), (indices,), "add", d_y), a)

    def t_y(t_a, indices, axis): return np.take(t_a, indices, axis=axis)


@primitive
def scatter_along_axis(d: Any, like: Any, indices: Any, axis: int) -> Any:
    """Zeros of the shape of `like` with `d` added where `np.take_along_axis` would read."""
    out = np.zeros(like.shape, d.dtype, like=device(d))
    places = [np.reshape(np.arange(n, like=device(d)), [-1 if i == k else 1 for i in range(like.ndim)])
              for k, n in enumerate(like.shape)]  # fmt: skip
    places[axis] = indices
    np.add.at(out, tuple(places), d)
    return out


def _along(shape: tuple[Length, ...], indices: Any, axis: int) -> tuple[Length, ...]:
    (axis,) = normalize_axis(axis, len(shape))
    off = tuple(ONE if i == axis else n for i, n in enumerate(shape))
    return broadcast(off, indices.shape)


@rule("y = scatter_along_axis(d, like, indices, axis)", scatter_along_axis)
class scatter_along_axis_rule:
    def kind(d, like): return Array(d.dtype, like.shape, like.xp)
    def d_d(d_y, indices, axis): return np.take_along_axis(d_y, indices, axis)
    def t_y(t_d, like: Like, indices, axis): return scatter_along_axis(t_d, like, indices, axis)


@rule("y = take_along_axis(arr, indices, axis)", np.take_along_axis)
class take_along_axis:
    def kind(arr, indices, axis):
        if axis is None:
            raise KindError("np.take_along_axis with axis=None is not supported", "ravel the array and give axis=0")
        return Array(arr.dtype, _along(arr.shape, kind_of(indices), axis), arr.xp)
    def d_arr(d_y, arr: Like, indices, axis): return scatter_along_axis(d_y, arr, indices, axis)
    def t_y(t_arr, indices, axis): return np.take_along_axis(t_arr, indices, axis)


# ---------------------------------------------------------------------------------------------- searching
def _positions(a: Any) -> Array:
    return Array(INDEX, (lengths().fresh(),))


nondifferentiable("i = nonzero(a)", np.nonzero, "ndarray.nonzero",
                  kind=lambda a: (_positions(a),) * max(1, rank(a)))  # fmt: skip
nondifferentiable("i = flatnonzero(a)", np.flatnonzero, kind=_positions)
nondifferentiable("i = argwhere(a)", np.argwhere,
                  kind=lambda a: Array(INDEX, (lengths().fresh(), constant(rank(a)))))  # fmt: skip
nondifferentiable("i = searchsorted(a, v, side='left')", np.searchsorted, "ndarray.searchsorted",
                  kind=lambda v: array_or_number(INDEX, kind_of(v).shape))  # fmt: skip


# ------------------------------------------------------------------------------------------ made indices
def _open_grid(args: Any) -> tuple[Array, ...]:
    kinds = [_list_kind(x) if isinstance(x, list) else _entry(x) for x in args]
    if any(not isinstance(k, Array) or k.ndim != 1 for k in kinds):
        raise KindError("np.ix_ of what is no list of indices is not supported", "give arrays of rank 1")
    sizes = [lengths().fresh() if k.dtype.kind == "b" else k.shape[0] for k in kinds]
    count = len(sizes)
    return tuple(Array(INDEX, (ONE,) * i + (n,) + (ONE,) * (count - i - 1)) for i, n in enumerate(sizes))


def _triangle(n: Any, k: int, m: Any, lower: bool) -> tuple[Array, Array]:
    m = n if m is None else m
    if all(isinstance(x, int | np.integer) for x in (n, k, m)):
        size = constant(len((np.tril_indices if lower else np.triu_indices)(n, k, m)[0]))
    else:
        size = lengths().fresh()
    return Array(INDEX, (size,)), Array(INDEX, (size,))


_ix = nondifferentiable("i = ix_(*args)", np.ix_, kind=lambda args: _open_grid(args))
_ix.view = frozenset({"args"})
nondifferentiable("i = tril_indices(n, k=0, m=None)", np.tril_indices,
                  kind=lambda n, k, m: _triangle(n, k, m, lower=True))  # fmt: skip
nondifferentiable("i = triu_indices(n, k=0, m=None)", np.triu_indices,
                  kind=lambda n, k, m: _triangle(n, k, m, lower=False))  # fmt: skip
nondifferentiable("i = diag_indices(n, ndim=2)", np.diag_indices,
                  kind=lambda n, ndim: (Array(INDEX, (length_of(n),)),) * ndim)  # fmt: skip
nondifferentiable("i = tril_indices_from(arr, k=0)", np.tril_indices_from,
                  kind=lambda: (_positions(None), _positions(None)))  # fmt: skip
nondifferentiable("i = triu_indices_from(arr, k=0)", np.triu_indices_from,
                  kind=lambda: (_positions(None), _positions(None)))  # fmt: skip
nondifferentiable("i = diag_indices_from(arr)", np.diag_indices_from,
                  kind=lambda arr: (Array(INDEX, arr.shape[:1]),) * rank(arr))  # fmt: skip
nondifferentiable("i = unravel_index(indices, shape)", np.unravel_index,
                  kind=lambda indices, shape: _unravelled(indices, shape))  # fmt: skip
nondifferentiable("i = ravel_multi_index(multi_index, dims, mode='raise')", np.ravel_multi_index,
                  kind=lambda multi_index: _ravelled(multi_index))  # fmt: skip


def _unravelled(indices: Any, shape: Any) -> Any:
    at = kind_of(indices)
    return (array_or_number(INDEX, at.shape),) * len(shape_of(shape))


def _ravelled(multi_index: Any) -> Any:
    if not isinstance(multi_index, tuple):
        raise KindError("np.ravel_multi_index of what is no tuple is not supported", "give a tuple of index arrays")
    return array_or_number(INDEX, broadcast(*(kind_of(i).shape for i in multi_index)))
