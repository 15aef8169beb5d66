"""Choosing and finding: `where`, and where the largest and smallest elements are."""

import numpy as np

from rules.kind import Array, Num, array_or_number, broadcast, kind_of, library, promote, reduced
from rules.rule import nondifferentiable, rule


@rule("z = where(condition, x, y)", np.where)
class where:
    """A selection: what is not chosen gets exactly 0."""

    selects = True

    def kind(condition, x, y):
        condition, x, y = kind_of(condition), kind_of(x), kind_of(y)
        return Array(promote(x, y), broadcast(condition.shape, x.shape, y.shape), library(condition, x, y))

    def d_x(d_z, condition): return np.where(condition, d_z, 0)
    def d_y(d_z, condition): return np.where(condition, 0, d_z)
    def t_z(condition, t_x, t_y): return np.where(condition, t_x, t_y)


def found(a, axis, keepdims):
    """The kind of indices that are found along an axis."""
    a = kind_of(a)
    return array_or_number(np.dtype(np.intp), reduced(a.shape, axis, keepdims), library(a))


nondifferentiable("i = argmax(a, axis=None, keepdims=False)", np.argmax, "ndarray.argmax",
                  kind=lambda a, axis, keepdims: found(a, axis, keepdims))  # fmt: skip
nondifferentiable("i = argmin(a, axis=None, keepdims=False)", np.argmin, "ndarray.argmin",
                  kind=lambda a, axis, keepdims: found(a, axis, keepdims))  # fmt: skip
#: NumPy counts all elements of an array as a Python int or, lately, as its own.
COUNT: type = type(np.count_nonzero(np.zeros(1)))


def _counted(a, axis, keepdims):
    return Num(COUNT) if axis is None and not keepdims else found(a, axis, keepdims)


nondifferentiable("n = count_nonzero(a, axis=None, keepdims=False)", np.count_nonzero,
                  kind=lambda a, axis, keepdims: _counted(a, axis, keepdims))  # fmt: skip
