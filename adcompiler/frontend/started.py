"""A number that the body of a loop makes an array begins as an array: `total = 0.0; for x in xs: total = total + x`.

That is the same where all that is made of the number in an iteration is made element by element, on every path, and the
loop runs at least once, which the generated code tests where it is not known.
"""

from typing import Any

import numpy as np

from adcompiler.ir.core import For, If, Op, Region, Value, While, leaves
from adcompiler.passes.outs import UFUNCS
from rules.cotangent import length
from rules.kind import Array, Length, Num, lengths

_ELEMENTWISE = (*UFUNCS, pow, np.where)


def begins(lowerer: Any, kind: Array, value: Any, hint: str) -> Value | None:
    """An array of this kind that is `value` all over, made here; None where no argument has its lengths."""
    shape = []
    for n in kind.shape:
        size = _size(lowerer, n)
        if size is None:
            return None
        shape.append(size)
    operands = tuple(size if isinstance(size, int) else lowerer.builder.call(length, *size) for size in shape)
    zero = value == 0 and str(value)[0] != "-"
    named = {} if zero and kind.dtype == np.float64 else {"dtype": kind.dtype}
    args = (operands,) if zero else (operands, value)
    made: Value = lowerer.builder.call(np.zeros if zero else np.full, *args, kind=kind, hint=hint, **named)
    return made


def _size(lowerer: Any, n: Length) -> Any:
    """A length as a number, or as an array and an axis of it; None if no argument has it."""
    env = lengths()
    n = env.resolve(n)
    if n.constant:
        return n.offset
    for v in sorted(lowerer.arguments, key=lambda v: v.id):
        if isinstance(v.kind, Array):
            for axis, m in enumerate(v.kind.shape):
                if env.same(m, n):
                    return v, axis
    return None


def elementwise(region: Region, p: Value, y: Value, others: list[Any]) -> bool:
    """Is `y`, an array, made of the number `p` element by element, and nothing else but arrays, in this body?

    `others` are what the body leaves in other names.
    """
    made = {p}
    if not _follow(region, made, y.kind.dtype):
        return False
    rest = [v for v in others if v in made and v is not y]
    return y in made and isinstance(y.kind, Array) and not any(isinstance(v.kind, Num) for v in rest)


def _follow(region: Region, made: set[Value], dtype: Any) -> bool:
    """Add what is made of these values; False where it is not made element by element, or in another precision."""
    for op in region.ops:
        if isinstance(op, If):
            if op.cond in made or not all(_follow(side, made, dtype) for side in op.regions):
                return False
            sides = [side.results for side in op.regions]
            for r, *given in zip(op.results, *sides, strict=False):
                if any(x in made for x in given if isinstance(x, Value)):
                    made.add(r)
            continue
        if isinstance(op, For | While):
            inside = {v for sub in op.regions for o in _within(sub) for v in o.operands()}
            yielded = {v for sub in op.regions for v in leaves(sub.results)}
            if (inside | yielded | set(op.operands())) & made:
                return False
            continue
        if made.isdisjoint(op.operands()):
            continue
        if op.effect or op.kwargs or len(op.results) != 1:
            return False
        if op.target not in _ELEMENTWISE and not isinstance(op.target, np.ufunc):
            return False
        kind = op.result.kind
        if isinstance(kind, Array) and kind.dtype != dtype:
            return False
        made.add(op.result)
    return True


def _within(region: Region) -> list[Op]:
    return [o for op in region.ops for o in (op, *(x for sub in op.regions for x in _within(sub)))]
