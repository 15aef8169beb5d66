"""Which values have exactly the dtype that their kind claims, and which may have a narrower one.

Where a number or an array is now of one dtype, now of another, its kind is the wider one: what is there may be
narrower. In `%t = if c { yield %y } else { yield 0.3 }` with a float32 %y, %t is f64, and `%t * %x` may be float32.
"""

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import UNDEF, Checkpoint, For, Function, If, Op, Value, While, is_cotangent, walk
from adcompiler.ir.state import WITH_STATE
from adcompiler.passes.mark import incoming
from rules.cotangent import project, spread, update, zeros_like
from rules.kind import Array, Num, Seq
from rules.rule import find
from rules.sequences import backwards

#: What gives an array of the dtype of this operand.
_LIKE = {spread: 1, project: 1, zeros_like: 0, np.ones_like: 0, np.full_like: 0, update: 0}
#: Of this precision an array stays, whatever numbers it meets.
_DOUBLE = (np.dtype(np.float64), np.dtype(np.complex128))


def inexact(function: Function, overwritten: Mapping[Value, Value]) -> set[Value]:
    """The values that may have another dtype than their kind claims.

    A result that is `overwritten` is in the array of that operand, and has its dtype; a cotangent has that of what it
    is for.
    """
    found: set[Value] = set()
    before = -1
    while len(found) != before:  # loops carry it
        before = len(found)
        found |= incoming(function, found)
        for op in walk(function.body):
            if op.results and op.results[0] in overwritten:
                found.update(op.results if overwritten[op.results[0]] in found else [])
            else:
                found.update(_of(op, found))
    return found


def _of(op: Op, found: set[Value]) -> list[Value]:
    """The results and parameters of an operation that are inexact, given what is known to be."""

    def doubtful(r: Value, sources: list[Any]) -> bool:
        return any(x in found if isinstance(x, Value) else False for x in sources) or any(
            _dtype(x) != _dtype(r) for x in sources if x is not UNDEF and x is not None
        )

    if isinstance(op, If | Checkpoint):
        return [
            r for k, r in enumerate(op.results) if doubtful(r, [side.results[k] for side in op.regions if side.results])
        ]
    if isinstance(op, For | While):
        out: list[Value] = []
        n = len(op.inits)
        for p, i, y, r in zip(op.carried, op.inits, op.body.results, op.results, strict=False):
            if doubtful(r, [i, y]):
                out += [p, r]
        out += [r for r, y in zip(op.results[n:], op.body.results[n:], strict=False) if y in found]
        if isinstance(op, For):
            out += [e for e, s in zip(op.elements, op.sequences, strict=True) if s in found]
        if isinstance(op, While):
            out += [q for q, p in zip(op.test.params, op.carried, strict=True) if p in found]
        return out
    if op.target is backwards:
        return op.results if op.args[0] in found else []
    if isinstance(op.target, type) and issubclass(op.target, np.generic):
        return []
    numpys = isinstance(op.target, np.ufunc) or str(getattr(op.target, "__module__", "")).split(".")[0] == "numpy"
    if find(op.target) is None and not numpys and op.target not in _LIKE and not isinstance(op.target, WITH_STATE):
        return list(op.results)
    return [r for r in op.results if _plain(op, r, found)]


def _plain(op: Op, r: Value, found: set[Value]) -> bool:
    operands = list(op.operands())
    if op.target in _LIKE:
        like = op.args[_LIKE[op.target]]
        return like in found or _dtype(like) != _dtype(r)
    if not isinstance(r.kind, Array):
        return is_cotangent(r) or any(v in found for v in operands)
    if any(isinstance(v.kind, Seq) for v in operands):
        return True  # an array of a list that is empty has another rank
    if isinstance(op.kwargs.get("dtype"), type | np.dtype):
        return np.dtype(op.kwargs["dtype"]) != r.kind.dtype
    if r.kind.dtype in _DOUBLE and op.target is not operator.pow:
        arrays = [v for v in operands if isinstance(v.kind, Array) and v.kind.ndim]
        if arrays:
            return not any(v not in found for v in arrays if v.kind.dtype == r.kind.dtype)
    return any(v in found for v in operands)


def _dtype(x: Any) -> Any:
    """The dtype of an array, the type of a number."""
    kind = kind_of_operand(x)
    while isinstance(kind, Seq):
        kind = kind.element
    return kind.dtype if isinstance(kind, Array) else kind.type if isinstance(kind, Num) else kind
