"""Where loops stop, or go on: which flags of the IR are a `break` or a `continue` at the end of a branch.

    %broke = if %c { yield True } else { .. yield False } .. stop if %broke     ->     if c: break

A path on which a flag is a constant needs no flag: what the flag decides is known there. Flags that all paths know are
no variables.
"""

from dataclasses import dataclass
from typing import Any

from adcompiler.ir.core import UNDEF, For, Function, If, Op, Region, Value, While, leaves, walk
from adcompiler.passes.flags import unset
from adcompiler.passes.schedule import Schedule

Facts = dict[Value, bool]


@dataclass
class _Paths:
    """What is known on each path on which a flag is true, and on all on which it is not; None if there is none."""

    true: list[Facts]
    false: Facts | None


class Exits:
    """Which loops are written with jumps, by which `if`s that ask for a flag, and the flags that nobody reads then."""

    def __init__(self, function: Function, plan: Schedule) -> None:
        self.plan = plan
        self.jumping: set[int] = set()
        self.asking: set[int] = set()
        for op in walk(function.body):
            if isinstance(op, For | While) and id(op) not in plan.expressions:
                asking: set[int] = set()
                paths = self._ends(self.written(op.body), stop_of(op), unset(op), True, asking)
                if paths is not None and (op.stop or asking):
                    self.jumping.add(id(op))
                    self.asking |= asking
        self.idle = self._idle(function)

    def _idle(self, function: Function) -> set[Value]:
        """The flags that are read only where a jump is written, or by one another."""
        branches = [op for op in walk(function.body) if isinstance(op, If) and id(op) not in self.plan.expressions]
        idle = {r for op in branches for r in op.results}
        idle -= set(leaves((function.result, function.body.results)))
        for op in walk(function.body):
            if id(op) not in self.asking:
                idle -= set(op.operands())
            if not isinstance(op, If) or id(op) in self.plan.expressions:
                end = -1 if id(op) in self.jumping and getattr(op, "stop", False) else None
                for sub in op.regions:
                    idle -= set(leaves(sub.results[:end]))
        before = -1
        while before != len(idle):
            before = len(idle)
            for op in branches:
                for side in op.regions:
                    idle -= {y for r, y in zip(op.results, side.results, strict=False) if r not in idle and y in idle}
        return idle

    def written(self, region: Region) -> list[Op]:
        """The operations of a region that are statements."""
        return [op for op in region.ops if self.plan.is_written(op)]

    def last(self, ops: list[Op]) -> If | None:
        """The `if` that these statements end with."""
        op = ops[-1] if ops else None
        return op if isinstance(op, If) and id(op) not in self.plan.expressions else None

    def asks_inside(self, op: If) -> bool:
        """Is a jump written in this `if`, though what it leaves to the end of the loop is known?"""
        return any(id(o) in self.asking for side in op.regions for o in walk(side))

    def before(self, ops: list[Op], facts: Facts) -> Facts | None:
        """What is known where the last `if` does not skip; None where it always does."""
        op = self.last(ops)
        assert op is not None
        paths = self._ends(ops[:-1], op.cond, facts, False, set())
        return None if paths is None or paths.false is None else {**paths.false, op.cond: False}

    def _ends(self, ops: list[Op], flag: Any, facts: Facts, last: bool, asking: set[int]) -> _Paths | None:
        """The paths through statements by what a flag is at their end; None where it is no constant on some path.

        `last` says that the iteration of the loop ends behind them. Notes the `if`s that ask for a flag.
        """
        op, known = self.last(ops), resolved(flag, facts)
        if op is not None and (known is None or last):
            paths = self._asks(ops, op, flag, facts, last, asking)
            if paths is not None:
                return paths
            if known is None and flag in op.results or known is not None:
                sides = [
                    (side, self._ends(self.written(side), at(op, side, flag), {**facts, op.cond: true}, last, asking))
                    for side, true in ((op.then, True), (op.orelse, False))
                ]
                if known is None:
                    return _joined(op, sides)
        if known is None:
            return None
        return _Paths([facts], None) if known else _Paths([], facts)

    def _asks(self, ops: list[Op], op: If, flag: Any, facts: Facts, last: bool, asking: set[int]) -> _Paths | None:
        """The paths where the last `if` skips its other side by a flag of what stands before it: they jump."""
        before = self.last(ops[:-1])
        if before is None or op.cond not in before.results or self.written(op.then):
            return None
        found: set[int] = set()
        paths = self._ends(ops[:-1], op.cond, facts, False, found)
        if paths is None:
            return None
        stops = [resolved(at(op, op.then, flag), f) for f in paths.true]
        if None in stops or not (last or all(stops)):
            return None
        more: _Paths | None = _Paths([], None)
        if paths.false is not None:
            inner = {**paths.false, op.cond: False}
            more = self._ends(self.written(op.orelse), at(op, op.orelse, flag), inner, last, found)
        if more is None:
            return None
        asking |= {*found, id(op)}
        skipping = _Paths([f for f, stop in zip(paths.true, stops, strict=True) if stop], None)
        return _joined(op, [(op.then, skipping), (op.orelse, more)])


def stop_of(loop: For | While) -> Any:
    """The flag by which a loop stops."""
    return loop.body.results[-1] if loop.stop else False


def at(op: If, side: Region, flag: Any) -> Any:
    """What a flag behind an `if` is at the end of one side."""
    return side.results[op.results.index(flag)] if flag in op.results else flag


def resolved(flag: Any, facts: Facts) -> bool | None:
    """A flag as a constant, if it is one on this path; a path that raises stops nothing."""
    return False if flag is UNDEF else flag if isinstance(flag, bool) else facts.get(flag)


def after(op: If, side: Region, facts: Facts) -> Facts:
    """What is known behind an `if`, coming from this side of it."""
    known = {
        r: resolved(y, facts)
        for r, y in zip(op.results, side.results, strict=False)
        if isinstance(y, bool | Value) or y is UNDEF
    }
    return {**facts, **{r: x for r, x in known.items() if x is not None}}


def _joined(op: If, sides: list[tuple[Region, _Paths | None]]) -> _Paths | None:
    """The paths through both sides of an `if`."""
    true: list[Facts] = []
    false: Facts | None = None
    for side, paths in sides:
        if paths is None:
            return None
        true += [after(op, side, f) for f in paths.true]
        if paths.false is not None:
            found = after(op, side, paths.false)
            false = found if false is None else {v: x for v, x in false.items() if found.get(v) is x}
    return _Paths(true, false)
