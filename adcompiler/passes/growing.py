"""Which lists grow and shrink in place: `xs.append(x)`, `xs.pop()`.

    %xs.2 = appended(%xs, %x)     ->     xs.append(x)          (%xs is ours, and nobody reads it again)

A list is memory of its own, beside that of the arrays in it: its roots are those of lists alone.
"""

from collections.abc import Collection

from adcompiler.ir.core import For, Function, Op, Value, While, place_of, walk
from adcompiler.passes.memory import GROWING, Decisions, Memory, carries, carry_problem
from adcompiler.passes.schedule import Schedule, schedule
from rules.cotangent import listed, update
from rules.kind import Seq


def is_list(kind: object) -> bool:
    """Is this the kind of a list, which grows?"""
    return isinstance(kind, Seq) and not kind.range


class Lists(Memory):
    """The roots of lists: which values may be the same list."""

    def _set(self, v: Value, roots: frozenset[Value]) -> None:
        if is_list(v.kind):
            super()._set(v, roots)

    def _plain(self, op: Op) -> None:
        if op.target in (*GROWING, update):
            self._set(op.result, self.roots(op.args[0]))
        elif op.target is listed:
            self._set(op.result, frozenset({op.result}))
        else:
            super()._plain(op)


def grown_in_place(
    function: Function, plan: Schedule, apart: Collection[Value] = ()
) -> tuple[Schedule, dict[int, Value]]:
    """The layout with `apart` as variables, and the operations that change a list in place, with that list.

    Loops get lists of their own to change: those that they cannot have are copied before them.
    """
    ops = [op for op in walk(function.body) if op.target in GROWING]
    if not ops:
        return plan, {}
    while _copied_inits(function, plan, ops):
        plan = schedule(function, apart)
    memory = Lists(function, _shared_carries(function, plan))
    in_place: dict[int, Value] = {}
    for op in ops:
        x = op.args[0]
        if isinstance(x, Value) and plan.is_written(op) and memory.ours(x):
            if memory.in_the_way(x, plan.after[id(op)] - set(op.results)) is None:
                in_place[id(op)] = x
    return plan, in_place


def _list_carries(function: Function) -> list[tuple[For | While, int]]:
    return [(op, k) for op, k in carries(function) if is_list(op.carried[k].kind)]


def _copied_inits(function: Function, plan: Schedule, ops: list[Op]) -> bool:
    """Copy the lists that loops change, and do not own when they begin; False if there are none."""
    copied = False
    memory = Lists(function, Decisions())
    changed = frozenset().union(*(memory.roots(op.args[0]) for op in ops))
    for loop, k in _list_carries(function):
        init = loop.inits[k]
        if loop.carried[k] not in changed or carry_problem(memory, loop, k, plan.inside[id(loop)]) != "init":
            continue
        copy = Op(listed, (init,), {}, [Value(init.kind, loop.carried[k].hint, loop.loc)], loc=loop.loc)
        region, place = place_of(loop, function.body)
        region.ops.insert(place, copy)
        loop.inits[k] = copy.result
        copied = True
    return copied


def _shared_carries(function: Function, plan: Schedule) -> Decisions:
    """Which loops do not own the lists that they carry."""
    decisions = Decisions()
    while True:
        memory = Lists(function, decisions)
        found = {
            loop.carried[k]
            for loop, k in _list_carries(function)
            if carry_problem(memory, loop, k, plan.inside[id(loop)])
        } - decisions.shared_carries
        if not found:
            return decisions
        decisions.shared_carries |= found
