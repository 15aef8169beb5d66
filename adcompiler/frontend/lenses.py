"""What a view is of: its array and the steps from there, so that it is read from another version of the array.

%a; %r = %a[1:]; %v = transpose(%r)       ->       %v is a lens on %a: the steps [1:] and transpose
"""

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.ir.alias import is_integer, shared
from adcompiler.ir.core import Op, Value
from rules import find, find_method
from rules.cotangent import update
from rules.kind import ONE, Array, lengths
from rules.numpy.banded import banded
from rules.numpy.diagonals import diagonals
from rules.rule import OPERATORS

#: Functions whose result always is a view of their first argument, or read again like one, by the rules they have.
_METHODS = ("T", "mT", "transpose", "swapaxes", "squeeze", "diagonal")
_VIEWS = (
    np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.permute_dims, np.expand_dims,
    np.squeeze, np.flip, np.flipud, np.fliplr, np.rot90, np.diagonal, np.broadcast_to, np.split, np.array_split,
    diagonals, banded,
)  # fmt: skip
#: Functions whose result is a view if the argument lies in memory as C has it.
_FLATTENING = (np.reshape, np.ravel)
_FLATTENING_METHODS = ("reshape", "ravel")
#: What permutes axes, reverses axes, and keeps the elements in order: each can be undone.
_PERMUTING = ("transpose", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis", "permute_dims")
_REVERSING = ("flip", "flipud", "fliplr")
_RESHAPING = ("expand_dims", "squeeze", "reshape", "ravel")
#: Functions that make arrays whose elements lie in memory as C has them.
_ORDERED = (np.zeros, np.ones, np.full, np.empty, np.arange, np.linspace, np.eye, np.identity, np.matmul)


@dataclass(frozen=True)
class Lens:
    """`root`, which is no view of another value, and the operations that lead from it to a view, outermost first."""

    root: Value
    steps: tuple[tuple[Op, int], ...] = ()

    def same_steps(self, other: "Lens") -> bool:
        """Do the same steps lead to both, from whatever roots?"""
        return len(self.steps) == len(other.steps) and all(
            x is y or (x[1] == y[1] and _same_call(x[0], y[0])) for x, y in zip(self.steps, other.steps, strict=True)
        )


def _same_call(a: Op, b: Op) -> bool:
    return a.target is b.target and same(a.args[1:], b.args[1:]) and same(a.kwargs, b.kwargs)


def same(a: Any, b: Any) -> bool:
    """Are two operands the same values and equal constants?"""
    if a is b:
        return True
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, slice):
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return not isinstance(a, np.ndarray) and bool(a == b)


def lens(v: Value, defs: dict[Value, Op], ordered: set[Value], versions: set[Value]) -> Lens:
    """The array that `v` is a view of, and the way to it; `v` itself where it is none or the way is not known.

    `ordered` are values of which it is known that they lie in memory as C has it, `versions` those that stand for an
    array after a change of a view of it: they are no views of the changed view.
    """
    steps: list[tuple[Op, int]] = []
    while v not in versions and (op := defs.get(v)) is not None and _is_view(op, defs, ordered):
        steps.insert(0, (op, next(i for i, r in enumerate(op.results) if r is v)))
        v = op.args[0]
    return Lens(v, tuple(steps))


def _is_view(op: Op, defs: dict[Value, Op], ordered: set[Value]) -> bool:
    """Is the result surely a view of the first operand, and of nothing else?"""
    if type(op) is not Op or not op.args or not all(isinstance(r.kind, Array) for r in op.results):
        return False
    base = op.args[0]
    if not isinstance(base, Value) or not isinstance(base.kind, Array) or shared(op) != [base]:
        return False
    if op.target is operator.getitem or name_of(op) in _ALWAYS:
        return True
    if name_of(op) in ("real", "imag"):
        return name_of(op) == "real" or bool(base.kind.dtype.kind == "c")
    in_order = op.kwargs.get("order", "C") == "C" and all(x == "C" for x in op.args if isinstance(x, str))
    one_axis = base.kind.ndim == 1 and name_of(op) == "reshape"  # cutting an axis never needs a copy
    return name_of(op) in _IF_ORDERED and in_order and (one_axis or is_ordered(base, defs, ordered))


def is_ordered(v: Any, defs: dict[Value, Op], ordered: set[Value]) -> bool:
    """Does an array surely lie in memory as C has it, without gaps, in the program as it is written?"""
    if not isinstance(v, Value) or not isinstance(v.kind, Array) or v in ordered:
        return True
    op = defs.get(v)
    if op is None or type(op) is not Op:
        return False
    if op.target is update:
        return is_ordered(op.args[0], defs, ordered)
    if op.target is operator.getitem:
        return _is_block(op.args[1]) and is_ordered(op.args[0], defs, ordered)
    if op.target in _ORDERED or (op.target is np.array and isinstance(op.args[0], list)):
        return "order" not in op.kwargs
    if _rule(op) is find_method("ndarray.copy"):
        return len(op.args) == 1 and not op.kwargs
    if op.target in OPERATORS or isinstance(op.target, np.ufunc):
        return op.target is operator.matmul or all(is_ordered(x, defs, ordered) for x in op.operands())
    return name_of(op) in _IF_ORDERED and is_ordered(op.args[0], defs, ordered)


def takes_every_element(op: Op) -> bool:
    """Does this view have all elements of its array?"""
    return name_of(op) in (*_PERMUTING, *_REVERSING, *_RESHAPING, "rot90", "real")


def _is_block(index: Any) -> bool:
    """Does this index give elements that follow each other: integers, and a slice without a step after them?"""
    *leading, last = index if isinstance(index, tuple) else (index,)
    if isinstance(last, slice):
        last = 0 if last.step in (None, 1) else None
    return all(is_integer(i) for i in (*leading, last))


def _rule(op: Op) -> Any:
    return find(op.target)


def name_of(op: Op) -> str:
    """What a view is called, whether it was made by a function or by a method; an empty text for others."""
    return _NAMES.get(id(_rule(op)), "")


def permutation(op: Op) -> tuple[int, ...]:
    """Which axis of the array each axis of its view is, where the operation permutes them."""
    n = op.args[0].kind.ndim
    return tuple(k - 2 for k in op.target(np.empty(tuple(range(2, n + 2)), np.bool_), *op.args[1:], **op.kwargs).shape)


def lines(ndim: int, steps: Iterable[tuple[Op, int]], path: tuple[Any, ...] = ()) -> list[tuple[int, int]] | None:
    """Of each axis of a view, at a path of basic indices, the axis of the array along which it goes and how far a step.

    None where that is not known. An axis that goes along none is -1.
    """
    out: list[tuple[int, int]] | None = [(k, 1) for k in range(ndim)]
    for op, _ in steps:
        if out is None or name_of(op) in ("real", "imag", "split", "array_split"):
            continue
        if op.target is operator.getitem:
            out = _taken(out, op.args[1])
        elif name_of(op) in (*_PERMUTING, *_REVERSING, "expand_dims", "rot90"):
            out = _turned(out, op)
        elif name_of(op) == "squeeze":
            out = [axis for k, axis in enumerate(out) if k not in _squeezed(op)]
        elif name_of(op) in ("reshape", "ravel"):  # the last axis goes as before, as the elements follow each other
            out = [*[(-1, 0)] * (op.result.kind.ndim - 1), out[-1]] if out and op.result.kind.ndim else None
        else:
            out = None
    for step in path:
        if out is not None and step not in ("real", "imag"):
            out = out[::-1] if isinstance(step, str) else _taken(out, step)
    return out


def _squeezed(op: Op) -> set[int]:
    """The axes that `squeeze` takes away."""
    shape = op.args[0].kind.shape
    given = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else None)
    if given is None:
        return {k for k, n in enumerate(shape) if lengths().resolve(n) == ONE}
    return {k % len(shape) for k in (given if isinstance(given, tuple) else (given,))}


def _turned(axes: list[tuple[int, int]], op: Op) -> list[tuple[int, int]]:
    """The axes of what permutes, reverses or adds axes: told by the strides of an array that is not read."""
    strides = tuple(10 ** (k + 1) for k in range(len(axes)))
    view = op.target(np.lib.stride_tricks.as_strided(np.empty(1, np.int8), (2,) * len(axes), strides),
                     *op.args[1:], **op.kwargs)  # fmt: skip
    known = {s: (axis, step) for s, (axis, step) in zip(strides, axes, strict=True)}
    found = [(known.get(abs(s), (-1, 0)), 1 if s > 0 else -1) for s in view.strides]
    return [(axis, step * sign) for (axis, step), sign in found]


def _taken(axes: list[tuple[int, int]], index: Any) -> list[tuple[int, int]] | None:
    items = list(index) if isinstance(index, tuple) else [index]
    if not any(i is Ellipsis for i in items):
        items.append(Ellipsis)
    at = next(k for k, i in enumerate(items) if i is Ellipsis)
    items[at : at + 1] = [slice(None)] * (len(axes) - sum(i is not None and i is not Ellipsis for i in items))
    out, left = [], list(axes)
    for i in items:
        if i is None:
            out.append((-1, 0))
        elif isinstance(i, slice) and (i.step is None or type(i.step) is int):
            axis, step = left.pop(0)
            out.append((axis, step * (i.step or 1)))
        elif is_integer(i):
            left.pop(0)
        else:
            return None
    return out


def undoing(op: Op) -> str:
    """How a view is undone: by a permutation, by reversing again, by a shape; an empty text where it cannot be."""
    name = name_of(op)
    if name == "real" and op.args[0].kind.dtype.kind != "c":
        return "reshaping"  # it is the array itself
    return next((how for how, names in _UNDOING.items() if name in names), "")


_UNDOING = {"permuting": _PERMUTING, "reversing": _REVERSING, "reshaping": _RESHAPING, "rotating": ("rot90",),
            "placing": ("diagonals",)}  # fmt: skip
_ALWAYS = frozenset({*_METHODS, *(f.__name__ for f in _VIEWS)})
_IF_ORDERED = frozenset(_FLATTENING_METHODS)
_NAMES = {id(find_method("ndarray." + name)): name for name in (*_METHODS, *_FLATTENING_METHODS)}
_NAMES |= {id(find_method("ndarray." + name)): name for name in ("real", "imag")}
_NAMES |= {id(find(f)): f.__name__ for f in (*_VIEWS, *_FLATTENING, np.real, np.imag)}
_NAMES.pop(id(None), None)
