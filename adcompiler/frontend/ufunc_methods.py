"""Methods of ufuncs: as the functions that NumPy has for them, or as loops that are followed.

np.add.reduce(x, axis=1)    ->    np.sum(x, axis=1)        np.subtract.outer(x, y)    ->    np.subtract(x[:, None], y)
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.ir.build import kind_of_operand
from rules import find
from rules.kind import Array

_ZERO, _NONE, _FALSE = Known(0), Known(None), Known(False)
#: What a ufunc's `reduce` and `accumulate` are called by themselves.
REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
              np.logical_and: np.all, np.logical_or: np.any}  # fmt: skip
ACCUMULATIONS = {np.add: np.cumsum, np.multiply: np.cumprod}


# ------------------------------------------------------------------------------------------------- followed
def _folded(ufunc: Any, rows: Any) -> Any:
    result = rows[0]
    for row in rows[1:]:
        result = ufunc(result, row)
    return result


def _accumulated(ufunc: Any, rows: Any) -> Any:
    results = [rows[0]]
    for row in rows[1:]:
        results.append(ufunc(results[-1], row))
    return np.array(results)


def _pieces(reduced: Any, rows: Any, indices: Any) -> Any:
    """Of each piece from an index up to the next; of one element, where the next is no larger."""
    results = []
    for k in range(len(indices)):
        start = indices[k]
        stop = indices[k + 1] if k + 1 < len(indices) else len(rows)
        results.append(reduced(rows[start : max(stop, start + 1)], axis=0))
    return np.array(results)


# -------------------------------------------------------------------------------------------------- methods
def _reduce(self: Any, node: Any, ufunc: Any, array: Any, axis: Any = _ZERO, dtype: Any = _NONE,
            keepdims: Any = _FALSE) -> Any:  # fmt: skip
    known = REDUCTIONS.get(ufunc)
    if known is not None:
        options = {"axis": axis, "keepdims": keepdims} | ({} if _is(dtype, None) else {"dtype": dtype})
        return self.call(Known(known), (array,), options, node)
    if not (_is(dtype, None) and _is(keepdims, False)):
        raise self.refuse(node, f"np.{ufunc.__name__}.reduce with dtype or keepdims is not supported",
                          "convert the array, or put the axis back: np.expand_dims")  # fmt: skip
    return self.follow("reduce", _folded, (Known(ufunc), _first(self, array, axis, node)), {}, node)


def _accumulate(self: Any, node: Any, ufunc: Any, array: Any, axis: Any = _ZERO) -> Any:
    known = ACCUMULATIONS.get(ufunc)
    if known is not None:
        return self.call(Known(known), (array,), {"axis": axis}, node)
    made = self.follow("accumulate", _accumulated, (Known(ufunc), _first(self, array, axis, node)), {}, node)
    return _put_back(self, made, axis, node)


def _reduceat(self: Any, node: Any, ufunc: Any, array: Any, indices: Any, axis: Any = _ZERO) -> Any:
    known = REDUCTIONS.get(ufunc)
    if known is None:
        raise self.refuse(node, f"np.{ufunc.__name__}.reduceat is not supported", "write a loop over the pieces")
    if isinstance(indices, tuple | list):
        indices = self.emit(np.array, list(indices))
    made = self.follow("reduceat", _pieces, (Known(known), _first(self, array, axis, node), indices), {}, node)
    return _put_back(self, made, axis, node)


def _outer(self: Any, node: Any, ufunc: Any, A: Any, B: Any) -> Any:
    a, b = (self.emit(np.array, x) if isinstance(x, tuple | list) else x for x in (A, B))
    rank = kind_of_operand(self.operand(b)).ndim
    if rank and isinstance(kind_of_operand(self.operand(a)), Array):
        a = self.subscript(a, (Known(Ellipsis), *[_NONE] * rank), node)
    return self.call(Known(ufunc), (a, b), {}, node)


def _first(self: Any, array: Any, axis: Any, node: Any) -> Any:
    """The array with the axis in front, along which it goes."""
    if isinstance(array, tuple | list):
        array = self.emit(np.array, list(array))
    return array if _is(axis, 0) else self.call(Known(np.moveaxis), (array, axis, _ZERO), {}, node)


def _put_back(self: Any, made: Any, axis: Any, node: Any) -> Any:
    return made if _is(axis, 0) else self.call(Known(np.moveaxis), (made, _ZERO, axis), {}, node)


def _is(d: Any, value: Any) -> bool:
    return isinstance(d, Known) and type(d.value) is type(value) and bool(d.value == value)


UFUNC_METHODS: dict[str, Callable[..., Any]] = {
    "reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat, "outer": _outer,
}  # fmt: skip


def is_method(f: Any) -> bool:
    """Is this `np.add.reduce`, or another method of a ufunc of two arguments that is known here?"""
    ufunc = getattr(f, "__self__", None)
    known = isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None
    return known and f.__name__ in UFUNC_METHODS and find(ufunc) is not None


def method_of_ufunc(self: Any, node: Any, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The denotation of a call of such a method."""
    method, ufunc = UFUNC_METHODS[f.__name__], f.__self__
    try:
        inspect.signature(method).bind(self, node, ufunc, *args, **kwargs)
    except TypeError:
        known = ", ".join(list(inspect.signature(method).parameters)[3:])
        reason = f"np.{ufunc.__name__}.{f.__name__} with other arguments than {known} is not supported"
        remedy = (
            f"assign what it returns: y[...] = {self.text(node.func)}(...)" if "out" in kwargs else "leave them out"
        )
        raise self.refuse(node, reason, remedy) from None
    return method(self, node, ufunc, *args, **kwargs)
