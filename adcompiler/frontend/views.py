"""Functions that give an array as it is, or by an index, a transpose or parts of it: so its names and views are known.

np.asarray(x); np.atleast_2d(x); np.einsum("ij->ji", x)       ->       %x; %x[None]; transpose(%x, (1, 0))
"""

import operator
from collections.abc import Callable
from string import ascii_letters
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.frontend.lenses import is_ordered, name_of, takes_every_element
from adcompiler.ir.core import Op, Value
from rules import find
from rules.cotangent import update
from rules.kind import Array, Seq
from rules.numpy.diagonals import diagonals
from rules.numpy.lent import lent
from rules.rule import OPERATORS

_NONE, _ZERO = Known(None), Known(0)
_ALL = slice(None)
#: The index by which an array of a rank becomes one of the rank of `np.atleast_1d`, `2d`, `3d`.
_AXES = {(1, 0): (None,), (2, 0): (None, None), (2, 1): (None, _ALL), (3, 0): (None, None, None),
         (3, 1): (None, _ALL, None), (3, 2): (_ALL, _ALL, None)}  # fmt: skip


def _is_array(d: Any) -> bool:
    return isinstance(d, Value) and isinstance(d.kind, Array)


def _as_array(function: Any) -> Callable[..., Any]:
    def as_array(self: Any, node: Any, a: Any, dtype: Any = _NONE, **kwargs: Any) -> Any:
        if isinstance(a, list | tuple) or (isinstance(a, Value) and isinstance(a.kind, Seq)):
            return self.call(Known(np.array), (a,) if dtype is _NONE else (a, dtype), kwargs, node)
        if kwargs or not _is_array(a):
            return NotImplemented
        dtype = self.static(dtype, node, f"the argument dtype of {function.__name__}")
        if function is np.ascontiguousarray and not (a.kind.ndim and is_ordered(a, self.defs, self.ordered)):
            return NotImplemented
        if dtype is None:
            return a
        if not has_dtype(a, self):
            return NotImplemented
        return a if np.dtype(dtype) == a.kind.dtype else self.method_rule("astype", node, a, (Known(dtype),))

    return as_array


def has_dtype(v: Value, lowerer: Any) -> bool:
    """Is an array surely of the dtype of its kind, which is the wider one where paths meet?"""
    op = lowerer.defs.get(v)
    if op is None or type(op) is not Op:
        return v in lowerer.arguments
    if op.target in (np.zeros, np.ones, np.empty, np.linspace, np.eye):
        return True
    arrays = [x for x in op.operands() if isinstance(x.kind, Array) and x.kind.dtype == v.kind.dtype]
    if op.target in (operator.getitem, update) or name_of(op):
        return has_dtype(op.args[0], lowerer) if op.args[0] in arrays else False
    double = v.kind.dtype in (np.dtype(np.float64), np.dtype(np.complex128))
    plain = op.target in OPERATORS or isinstance(op.target, np.ufunc)
    return plain and double and any(has_dtype(x, lowerer) for x in arrays)


def _at_least(function: Any, ndim: int) -> Callable[..., Any]:
    def at_least(self: Any, node: Any, *arrays: Any) -> Any:
        if len(arrays) > 1:
            return tuple(self.call(Known(function), (a,), {}, node) for a in arrays)
        if not arrays or not _is_array(arrays[0]):
            return NotImplemented
        a = arrays[0]
        index = _AXES.get((ndim, a.kind.ndim))
        return a if index is None else self.emit(operator.getitem, a, index)

    return at_least


def _real(self: Any, node: Any, val: Any) -> Any:
    return self.attribute(val, "real", node) if _is_array(val) else NotImplemented


def _parts(function: Any, axis: int | None = None) -> Callable[..., Any]:
    def parts(self: Any, node: Any, ary: Any, *args: Any, **kwargs: Any) -> Any:
        if axis is not None and _is_array(ary):
            kwargs["axis"] = Known(axis if axis != 1 or ary.kind.ndim > 1 else 0)
        return list(self.rule_call(find(function), function, (ary, *args), kwargs, node))

    return parts


def _lent(self: Any, node: Any, a: Any) -> Any:
    if not _is_array(a):
        return a
    of = self.lens(a)
    whole = self.is_made_here(of.root) and all(takes_every_element(op) for op, _ in of.steps)
    return a if whole else self.emit(lent, a)


def _unstack(self: Any, node: Any, x: Any, axis: Any = _ZERO) -> Any:
    if not _is_array(x):
        return NotImplemented
    front = self.static(axis, node, "the argument axis of unstack")
    rows = self.call(Known(np.moveaxis), (x, Known(front), Known(0)), {}, node) if front else x
    return tuple(self.elements(rows, node))


def _lettered(self: Any, node: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """`A, [0, 1], x, [1]` with a string of subscripts: `"AB,B", A, x`, of letters in the order of the numbers."""
    count = len(args) // 2
    lists = [self.operand(d) for d in (*args[1::2], *args[2 * count :])]
    known = all(isinstance(s, list | tuple) and all(i is Ellipsis or i in range(52) for i in s) for s in lists)
    if len(args) < 2 or not known:
        raise self.refuse(node, "np.einsum without a string of subscripts, or a list of ints for each array, is not "
                          "supported", 'write them as a string, "ij,jk->ik"')  # fmt: skip
    names = ["".join("..." if i is Ellipsis else ascii_letters[i - 26] for i in s) for s in lists]
    text = ",".join(names[:count]) + ("->" + names[count] if len(args) % 2 else "")
    return (Known(text), *args[: 2 * count : 2])


def _einsum(self: Any, node: Any, subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    """Of one operand of which nothing is summed: a transpose, or a diagonal that can be written."""
    if not isinstance(subscripts, Known) or not isinstance(subscripts.value, str):
        return self.call(Known(np.einsum), _lettered(self, node, (subscripts, *operands)), kwargs, node)
    text = subscripts.value if isinstance(subscripts, Known) else None
    if len(operands) != 1 or not _is_array(operands[0]) or not isinstance(text, str) or set(kwargs) - {"optimize"}:
        return NotImplemented
    before, arrow, after = text.replace(" ", "").partition("->")
    repeated = len(set(before)) < len(before)
    after = after if arrow else "" if repeated else "".join(sorted(before))
    once = len(set(after)) == len(after) and set(after) == set(before)
    if not before.isalpha() or not once or len(before) != operands[0].kind.ndim:
        return NotImplemented
    if repeated:
        return self.emit(diagonals, operands[0], tuple(map(after.index, before)))
    return self.emit(np.transpose, operands[0], tuple(map(before.index, after)))


VIEWS: dict[Any, Callable[..., Any]] = {
    np.asarray: _as_array(np.asarray), np.asanyarray: _as_array(np.asanyarray),
    np.ascontiguousarray: _as_array(np.ascontiguousarray), np.real: _real,
    np.atleast_1d: _at_least(np.atleast_1d, 1), np.atleast_2d: _at_least(np.atleast_2d, 2),
    np.atleast_3d: _at_least(np.atleast_3d, 3), np.split: _parts(np.split), np.array_split: _parts(np.array_split),
    np.vsplit: _parts(np.split, 0), np.hsplit: _parts(np.split, 1), np.dsplit: _parts(np.split, 2),
    np.einsum: _einsum, lent: _lent,
}  # fmt: skip
if hasattr(np, "unstack"):
    VIEWS[np.unstack] = _unstack
