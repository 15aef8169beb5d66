"""Rules for NumPy's functions that reorder axes, or elements along them. Their pullbacks put them back."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, Num, array_or_number, kind_of, normalize_axis
from rules.numpy.shape import array_kind, moved
from rules.operands import dtype_of, is_constant, rank
from rules.rule import borrows, nondifferentiable, primitive, rule


def _permuted(a: Any, order: Any) -> Array | Num:
    return moved(a, tuple(array_kind(a).shape[i] for i in order))


def _axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """The permutation that a transpose argument means: None, ints, or a tuple of them; () for None."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
        axes = axes[0]
    if axes is None or not len(axes):
        return tuple(reversed(range(ndim)))
    axes = normalize_axis(tuple(axes), ndim)
    if sorted(axes) != list(range(ndim)):
        raise KindError(f"axes {axes} are not a permutation of {ndim} axes", f"name each of 0 to {ndim - 1} once")
    return axes


def inverse(order: Any) -> tuple[int, ...]:
    """The permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


# ------------------------------------------------------------------------------------------------- axes
@rule("y = transpose(a, axes=None)", np.transpose, "ndarray.T")
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


def _rolled(ndim: int, axis: int, start: int) -> list[int]:
    """The order of axes in which one stands before what was at `start`."""
    (axis,) = normalize_axis(axis, ndim)
    (start,) = normalize_axis(start, ndim + 1) if start >= 0 else normalize_axis(start, ndim)
    order = [i for i in range(ndim) if i != axis]
    order.insert(start - (axis < start), axis)
    return order


@rule("y = rollaxis(a, axis, start=0)", np.rollaxis)
class rollaxis:
    static = "start"
    def kind(a, axis, start): return _permuted(a, _rolled(rank(a), axis, start))
    view = "a"
    @borrows("d_y")
    def d_a(d_y, axis, start): return np.transpose(d_y, inverse(_rolled(d_y.ndim, axis, start)))
    def t_y(t_a, axis, start): return np.rollaxis(t_a, axis, start)


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


@primitive
def turned_back(shift: Any) -> Any:
    """The shift the other way round, of unsigned integers, too."""
    return (-np.asarray(shift, np.intp))[()]


nondifferentiable("s = turned_back(shift)", turned_back,
                  kind=lambda shift: array_or_number(np.dtype(np.intp), kind_of(shift).shape))  # fmt: skip


def _negative(shift: Any) -> Any:
    return tuple(map(_negative, shift)) if isinstance(shift, tuple | list) else _back(shift)


def _back(shift: Any) -> Any:
    return -shift if is_constant(shift) or dtype_of(shift).kind == "i" else turned_back(shift)


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
