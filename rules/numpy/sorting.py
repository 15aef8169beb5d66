"""Sorting: elements are moved, and their cotangents moved back. Which of two equal ones is first, is not said."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, Num, normalize_axis
from rules.numpy.indexing import INDEX, scatter_along_axis
from rules.numpy.shape import array_kind
from rules.rule import nondifferentiable, primitive, rule


def _sorted(a: Any, axis: Any) -> Array:
    a = array_kind(a)
    if axis is None:
        raise KindError("sorting with axis=None is not supported", "ravel the array first")
    normalize_axis(axis, a.ndim)
    return a


nondifferentiable("i = argsort(a, axis=-1, kind=None)", np.argsort, "ndarray.argsort",
                  kind=lambda a, axis: Array(INDEX, _sorted(a, axis).shape))  # fmt: skip


@rule("y = sort(a, axis=-1, kind=None)", np.sort)
class sort:
    def kind(a, axis): return _sorted(a, axis)
    def d_a(d_y, a, axis): return scatter_along_axis(d_y, a, np.argsort(a, axis=axis), axis)
    def t_y(a, axis, t_a): return np.take_along_axis(t_a, np.argsort(a, axis=axis), axis)


@rule("y = sort_complex(a)", np.sort_complex)
class sort_complex:
    """Sorted along the last axis, and made complex."""

    def kind(a):
        a = _sorted(a, -1)
        if a.dtype.kind == "c":
            return a
        dtype = "F" if a.dtype.char in "bhBH" else "G" if a.dtype.char == "g" else "D"
        return Array(np.dtype(dtype), a.shape, a.xp)

    def d_a(d_y, a): return scatter_along_axis(d_y, a, np.argsort(a, axis=-1), -1)
    def t_y(a, t_a): return np.take_along_axis(t_a, np.argsort(a, axis=-1), -1)


# ----------------------------------------------------------------------------------------------- partition
@primitive
def origins(a: Any, y: Any, axis: int = -1) -> Any:
    """Where along `axis` the elements of `a` were that now, in another order, are those of `y`."""
    order = np.argsort(a, axis=axis)
    out = np.empty_like(order)
    np.put_along_axis(out, np.argsort(y, axis=axis), order, axis)
    return out


nondifferentiable("i = origins(a, y, axis=-1)", origins, kind=lambda a: Array(INDEX, a.shape, a.xp))
nondifferentiable("i = argpartition(a, kth, axis=-1, kind='introselect')", np.argpartition, "ndarray.argpartition",
                  kind=lambda a, axis: Array(INDEX, _sorted(a, axis).shape))  # fmt: skip


@rule("y = partition(a, kth, axis=-1, kind='introselect')", np.partition)
class partition:
    """Where `np.argpartition` puts an element is another question: the order is told from the result."""

    def kind(a, axis): return _sorted(a, axis)
    def d_a(d_y, a, y, axis): return scatter_along_axis(d_y, a, origins(a, y, axis), axis)
    def t_y(a, y, axis, t_a): return np.take_along_axis(t_a, origins(a, y, axis), axis)


def _keys(keys: Any, axis: int) -> Array | Num:
    """The kind of `np.lexsort`: of one of the keys, which are rows or stand in a list."""
    if isinstance(keys, tuple | list):
        if not keys:
            raise KindError("np.lexsort without keys is not supported", "give it at least one")
        return Array(INDEX, _sorted(keys[0], axis).shape)
    a = array_kind(keys)
    if a.ndim < 2:
        raise KindError("np.lexsort of one key is not supported", "write np.argsort(key)")
    return Array(INDEX, a.shape[1:], a.xp)


nondifferentiable("i = lexsort(keys, axis=-1)", np.lexsort, kind=lambda keys, axis: _keys(keys, axis))
