"""A copy that one arm of a branch needs alone is made in that arm.

%y = if %c { yield %x } else { .. yield %z }; copy(%y)     ->     %y = if %c { copy(%x) } else { .. }   (%z is new)
"""

from collections.abc import Callable

from adcompiler.ir.core import If, Op, Region, Value
from adcompiler.passes.memory import Memory


def copied_in_arm(
    ops: list[Op], v: Value, bad: frozenset[Value], memory: Memory, copied: Callable[[Value], Op]
) -> list[Op] | None:
    """The operations with a copy of what one arm gives for `v`, if none but that has roots in `bad`; else None."""
    op = next((op for op in reversed(ops) if v in op.results), None)
    if not isinstance(op, If):
        return None
    k = op.results.index(v)
    sharing = [side for side in op.regions if memory.roots(side.results[k]) & bad]
    if len(sharing) != 1:
        return None

    def mended(side: Region) -> Region:
        if side is not sharing[0]:
            return side
        y = side.results[k]
        inner = copied_in_arm(side.ops, y, bad, memory, copied)
        if inner is not None:
            return Region(side.params, inner, side.results)
        copy = copied(y)
        results = [*side.results[:k], copy.result, *side.results[k + 1 :]]
        return Region(side.params, [*side.ops, copy], results)

    new = op.rebuild(lambda x: x, mended)
    return [new if o is op else o for o in ops]
