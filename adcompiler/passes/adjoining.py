"""Two branches on one condition, one after the other, are one.

    %y = if %c { yield undefined } else { yield %a }          %z = if %c { yield %b } else { %s = -%a; yield %s }
    %z = if %c { yield %b } else { %s = -%y; yield %s }   ->

What a path surely has assigned is not asked there: that is seen only now.
"""

from typing import Any

from adcompiler.ir.core import UNDEF, For, Function, If, Op, Region, Value, While, leaves, substitute, walk
from rules.cotangent import assigned


def adjoin(function: Function) -> Function:
    """The same function, with such branches put together."""
    body = _region(function.body)
    doubtful = _doubtful(body)
    return Function(function.name, function.params, _certain(body, doubtful), function.result, function.doc)


def _region(region: Region) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        new = op.rebuild(lambda v: v, _region)
        k = _before(ops, new) if isinstance(new, If) else None
        if isinstance(new, If) and k is not None:
            first = ops[k]
            assert isinstance(first, If)
            both = _joined(first, new)
            if both is not None:
                del ops[k]
                new = both
        ops.append(new)
    return Region(region.params, ops, region.results)


def _before(ops: list[Op], op: If) -> int | None:
    """Where a branch on the same condition stands, behind which nothing depends on it or does anything."""
    between: set[Value] = set()
    for k in range(len(ops) - 1, -1, -1):
        other = ops[k]
        if isinstance(other, If) and other.cond is op.cond:
            return None if between & set(other.results) or not isinstance(op.cond, Value) else k
        if other.effect or other.regions:
            return None
        between.update(other.operands())
    return None


def _joined(a: If, b: If) -> If | None:
    """One branch for two; None where the second reads what the first has not assigned on some path."""
    sides = []
    for first, second in zip(a.regions, b.regions, strict=True):
        meaning = dict(zip(a.results, first.results, strict=True))
        missing = {r for r, y in meaning.items() if y is UNDEF}
        read = {v for op in walk(second) for v in op.operands()}
        inner = {v for op in walk(second) for sub in op.regions for v in leaves(sub.results)}
        if missing & (read | inner):
            return None
        copied = Region([], [op.rebuild(lambda v: v, lambda r: r) for op in second.ops], list(second.results))
        substitute(copied, meaning)
        sides.append(Region([], [*first.ops, *copied.ops], [*first.results, *copied.results]))
    effect = a.effect or b.effect
    return If(a.target, a.args, {}, [*a.results, *b.results], False, effect, b.loc or a.loc, *sides)


def _doubtful(body: Region) -> set[Value]:
    """The values that some path does not assign."""
    doubtful: set[Value] = set()
    before = -1

    def unsure(x: Any) -> bool:
        return x is UNDEF or (isinstance(x, Value) and x in doubtful)

    while before != len(doubtful):
        before = len(doubtful)
        for op in walk(body):
            if isinstance(op, For | While):
                for p, r, i, y in zip(op.carried, op.results, op.inits, op.body.results, strict=False):
                    if unsure(i) or unsure(y):
                        doubtful.update((p, r))
                if isinstance(op, While):
                    doubtful.update(t for t, i in zip(op.test.params, op.inits, strict=False) if unsure(i))
            elif op.regions:
                for side in op.regions:
                    doubtful.update(r for r, y in zip(op.results, side.results, strict=False) if unsure(y))
    return doubtful


def _certain(region: Region, doubtful: set[Value]) -> Region:
    ops = [
        op.rebuild(lambda v: v, lambda r: _certain(r, doubtful)) if op.regions else op
        for op in region.ops
        if op.target is not assigned or op.args[0] in doubtful
    ]
    return Region(region.params, ops, region.results)
