"""Where the states of rules are from call to call: each place in the program, and each iteration there, has its own.

%x, %s = solve.forward(None, %A, %b)     ->     x, state = solve.forward(ws.state, A, b); ws.state = state

for ..: .. = solve.forward(None, %A, %b); tape.append(%s)  ..  for %s in reversed(tape): ..
  ->   for ..: .. = solve.forward(spare.pop() if spare else None, A, b); tape.append(state)
       ..  for state in reversed(tape): ..; spare.append(state)

A state is handed on only when nothing reads it any more, and no more often than it was made.
"""

from collections.abc import Iterator
from typing import Any

from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, leaves
from adcompiler.ir.state import Forward, FromState
from adcompiler.passes.memory import Memory
from rules.sequences import backwards


class Uses:
    """Where each value of a function is made and read, and what each region is a part of."""

    def __init__(self, function: Function) -> None:
        self.made: dict[Value, Region] = {}
        #: For each value the operations that read it, each with its region; None, and the region, where one yields it.
        self.read: dict[Value, list[tuple[Op | None, Region]]] = {}
        self.around: dict[int, tuple[Op, Region]] = {}
        self._visit(function.body)
        for v in leaves(function.result):
            self.read.setdefault(v, []).append((None, Region()))

    def _visit(self, region: Region) -> None:
        self.made.update(dict.fromkeys(region.params, region))
        for op in region.ops:
            self.made.update(dict.fromkeys(op.results, region))
            for v in op.operands():
                self.read.setdefault(v, []).append((op, region))
            for sub in op.regions:
                self.around[id(sub)] = op, region
                self._visit(sub)
        for v in leaves(region.results):
            self.read.setdefault(v, []).append((None, region))

    def once(self, region: Region, outer: Region) -> bool:
        """Does a region run at most once where another one does: as an arm of it, at any depth?"""
        while region is not outer:
            if id(region) not in self.around:
                return False
            op, region = self.around[id(region)]
            if not isinstance(op, If):
                return False
        return True


def last_read(state: Value, uses: Uses, memory: Memory) -> tuple[Value, Region] | None:
    """The value as which a state that a loop makes is read last, and the region in which all of that is.

    It is followed through branches, onto the tapes of loops and from there into the loops that read them backwards.
    None where that is not the whole story, or something that borrows from the state is alive elsewhere.
    """
    v, seen = state, {state}
    while not (readers := _pullbacks(v, uses)):
        found = list(_handed_on(v, uses))
        if len(found) != 1 or found[0] is None:
            return None
        v = found[0]
        seen.add(v)
    region = readers[0]
    if any(r is not region for r in readers) or not uses.once(region, uses.made[v]) or memory.holders[state] - seen:
        return None
    return v, region


def _pullbacks(v: Value, uses: Uses) -> list[Region]:
    """The regions in which pullbacks take a state, if nothing else does."""
    found = uses.read.get(v, [])
    return [r for _, r in found] if all(op is not None and isinstance(op.target, FromState) for op, _ in found) else []


def _handed_on(v: Value, uses: Uses) -> Iterator[Value | None]:
    """As which value something goes on from where it is read; None where that may be several times, or nobody knows."""
    for op, region in uses.read.get(v, []):
        if op is None:
            around = uses.around.get(id(region))
            exact = around is not None and uses.made[v] is region
            yield _result(around[0], region, v) if around is not None and exact else None
        elif not uses.once(region, uses.made[v]):
            yield None
        elif op.target is backwards:
            yield op.result
        elif isinstance(op, For) and not op.stop and sum(1 for s in op.sequences if s is v) == 1 and v not in op.inits:
            yield op.elements[[s is v for s in op.sequences].index(True)]
        else:
            yield None


def _result(op: Op, region: Region, v: Value) -> Value | None:
    """The one result of a branch, or list of a loop, that is made of what a region of it yields."""
    places = [k for k, y in enumerate(region.results) if y is v]
    if len(places) != 1:
        return None
    collected = isinstance(op, For | While) and len(op.inits) <= places[0] < len(op.results)
    return op.results[places[0]] if collected or isinstance(op, If) else None


def forwards(ops: Any) -> Iterator[Op]:
    """The calls that keep a state."""
    return (op for op in ops if isinstance(op.target, Forward))
