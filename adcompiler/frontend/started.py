"""A number that the body of a loop makes an array begins as an array: `total = 0.0; for x in xs: total = total + x`.

That is the same where all that is made of the number in an iteration is made element by element, on every path, and the
loop runs at least once, which the generated code tests where it is not known.
"""

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adcompiler.ir.core import For, If, Region, Value, While, leaves, walk
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


def arithmetic(statements: list[Any], name: str, meaning: Callable[[Any], Any]) -> bool:
    """Do these statements use a variable, and what is computed from it, in arithmetic and ufuncs alone?

    Its size and rank, which are known when compiling, are then asked for by nobody. `meaning` is what a callee denotes.
    """
    used = {name}

    def mentions(node: Any) -> bool:
        return any(isinstance(n, gast.Name) and n.id in used for n in gast.walk(node))

    def plain(node: Any) -> bool:
        if isinstance(node, gast.Name) or not mentions(node):
            return True
        if isinstance(node, gast.BinOp):
            return plain(node.left) and plain(node.right)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, gast.USub | gast.UAdd) and plain(node.operand)
        if isinstance(node, gast.IfExp):
            return not mentions(node.test) and plain(node.body) and plain(node.orelse)
        if isinstance(node, gast.Call) and not node.keywords and not mentions(node.func):
            return isinstance(meaning(node.func), np.ufunc) and all(map(plain, node.args))
        return False

    def holds(node: Any) -> bool:
        if isinstance(node, gast.If):
            return not mentions(node.test) and all(map(holds, (*node.body, *node.orelse)))
        single = isinstance(node, gast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], gast.Name)
        if single or (isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name)):
            if mentions(node.value):
                used.add((node.targets[0] if single else node.target).id)
            return plain(node.value)
        return not mentions(node)

    known = 0
    while known < len(used):  # a later statement may compute from the variable what an earlier one uses
        known = len(used)
        if not all(map(holds, statements)):
            return False
    return True


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
            inside = {v for sub in op.regions for o in walk(sub) for v in o.operands()}
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
