"""Which operations compute into arrays that are there: an operand that is dead, or an array from an earlier call.

%z = %X @ %w; %e = exp(%z)     ->     z = ws.z = np.matmul(X, w, ws.z); e = np.exp(z, z)

An array from an earlier call is a slot of the workspace. Several operations have one slot if what they make is never
alive at once. What a loop keeps for the loop that reads it backwards comes from a list, and is given back by that loop.
Legal is what `memory` allows: nothing that may share the memory is alive.
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompiler.ir.alias import shared
from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, leaves, walk
from adcompiler.passes.bufferize import Buffers
from adcompiler.passes.exact import inexact
from adcompiler.passes.fixed import fixed
from adcompiler.passes.mark import give_back
from adcompiler.passes.memory import Memory, carries
from adcompiler.passes.missing import missing
from adcompiler.passes.outs import Out, into
from adcompiler.passes.schedule import ELEMENTWISE, Schedule, fits, schedule
from rules.cotangent import update
from rules.kind import Array, lengths
from rules.rule import find
from rules.sequences import backwards

#: Of these `x op= y` is as good as `y op= x`.
COMMUTING = (operator.add, operator.mul)


def separate(function: Function) -> set[Value]:
    """What is a variable of its own in a function with a workspace: what may be computed into an array."""
    expressions = schedule(function).expressions
    inside = {id(o) for op in walk(function.body) if id(op) in expressions for sub in op.regions for o in walk(sub)}
    doubtful, known = inexact(function, {}), fixed(function)
    return {
        op.result
        for op in walk(function.body)
        if id(op) not in inside and into(op) is not None and _sized(op.result, known) and op.result not in doubtful
    }


def _sized(v: Value, known: set[Value]) -> bool:
    """Is this an array whose shape is a function of the shapes of the arguments?"""
    if not isinstance(v.kind, Array) or not v.kind.ndim:
        return False
    env = lengths()
    return v in known or not any(env.resolve(n).anonymous for n in v.kind.shape)


def preallocate(function: Function, plan: Schedule, buffers: Buffers, apart: set[Value]) -> Schedule:
    """Decide what each operation computes into: the layout with that. `apart` is what `separate` gave."""
    return _Slots(function, plan, buffers, apart).decided()


@dataclass
class _Slot:
    """Operations that compute into one array of the workspace, one after another."""

    ops: list[Op] = field(default_factory=list)


class _Slots:
    def __init__(self, function: Function, plan: Schedule, buffers: Buffers, apart: set[Value]) -> None:
        self.function = function
        self.plan = plan
        self.buffers = buffers
        self.doubtful = inexact(function, buffers.decisions.overwritten)
        self.known = fixed(function)
        self.missing = missing(function)
        self.apart = apart
        self.handed: set[Value] = set()  # allocations that are given back with those of a loop
        everything = {loop.carried[k] for loop, k in carries(function)}
        overwritten = dict(buffers.decisions.overwritten)
        self.decisions = replace(buffers.decisions, overwritten=overwritten, shared_carries=everything)
        self.memory = Memory(function, self.decisions)

    def decided(self) -> Schedule:
        ops = [(op, out) for op in walk(self.function.body) if (out := self.candidate(op)) is not None]
        chains = (op for op, out in ops if out.elementwise and op.target is not update and self.plan.is_written(op))
        self.overwrite(list(chains))
        ops = [(op, out) for op, out in ops if op.result not in self.decisions.overwritten]
        made = {op.result: op for op, _ in ops}
        kept = self.kept(made)
        kept |= self.carried(made, kept)
        escaping = self.escaping()
        slots: list[_Slot] = []
        for op, _ in ops:
            root = op.result
            if id(op) in kept or root in escaping or root in self.memory.frozen or not self.plan.is_written(op):
                continue
            if root in self.handed:
                continue
            slot = next((s for s in reversed(slots) if self.together(op, s)), None)
            if slot is None:
                if not self.free(op, {root}):
                    continue
                slots.append(slot := _Slot())
            slot.ops.append(op)
            self.buffers.slots[id(op)] = slot.ops[0].result
        return schedule(self.function, self.apart) if kept else self.plan

    def candidate(self, op: Op) -> Out | None:
        """May this statement compute into an array?"""
        written = self.plan.is_written(op) or op.target is np.copy  # a loop keeps a copy without a variable for it
        if not written or id(op) in self.buffers.in_place or not op.results or not _sized(op.result, self.known):
            return None
        if op.target is update and id(op) not in self.buffers.copied:
            return None
        if any(v in self.missing for v in op.operands()):
            return None  # of nothing it makes something else
        return into(op) if op.result not in self.doubtful else None

    # ------------------------------------------------------------------------------- dead operands
    def overwrite(self, ops: list[Op]) -> None:
        """Let elementwise operations compute into operands that are dead afterwards; drop what the checker refuses."""
        chosen: dict[Value, Value] = {}
        for op in ops:
            for x in dict.fromkeys(leaves(op.args)):
                if x in self.plan.inlined or x in self.missing or x in self.doubtful or not fits(x, op.result):
                    continue
                if self.legal(op, x):
                    chosen[op.result] = x
                    break
        settled = dict(self.decisions.overwritten)
        owned = {id(op) for op, x in self.writes() if not self.legal(op, x)}  # by loops: here carries are all shared
        while chosen:
            self.decisions.overwritten = {**settled, **chosen}
            self.memory = Memory(self.function, self.decisions)
            taken = frozenset().union(*map(self.memory.roots, chosen))
            bad = [op for op, x in self.writes() if not self.legal(op, x)]
            bad = [op for op in bad if id(op) not in owned or self.memory.roots(op.result) & taken]
            if not bad:
                break
            touched = frozenset().union(*(self.memory.roots(op.result) for op in bad))
            guilty = {op.result for op in bad if op.result in chosen}
            guilty -= {chosen[r] for r in guilty}  # of a chain the last is dropped first
            for r in guilty or [r for r in chosen if self.memory.roots(r) & touched] or list(chosen):
                del chosen[r]
        self.decisions.overwritten = {**settled, **chosen}
        self.memory = Memory(self.function, self.decisions)
        for op in ops:
            if op.result in chosen:
                operand = chosen[op.result]
                augmented = op.target in ELEMENTWISE and (operand is op.args[0] or op.target in COMMUTING)
                (self.buffers.in_place if augmented else self.buffers.into)[id(op)] = operand

    def legal(self, op: Op, x: Value) -> bool:
        """May an operation write into `x`: is it ours, and nothing else that may share its memory alive afterwards?"""
        alive = self.plan.after[id(op)] - set(op.results)
        return self.memory.ours(x) and self.memory.in_the_way(x, alive) is None

    def writes(self) -> Iterator[tuple[Op, Value]]:
        """Every operation that writes in place, with what it writes into."""
        for op in walk(self.function.body):
            if not op.results or not self.plan.is_written(op):
                continue
            x: Any = self.decisions.overwritten.get(op.result)
            if x is None and op.target is update and op.result not in self.decisions.copied:
                x = op.args[0]
            if isinstance(x, Value) and isinstance(x.kind, Array):
                yield op, x

    # ------------------------------------------------------------------------------------- slots
    def escaping(self) -> set[Value]:
        """The roots of what is returned, and of what goes into calls that may keep it."""
        out = self.kept_by_calls()
        for v in leaves((self.function.result, self.function.body.results)):
            out |= self.memory.roots(v)
        return out

    def kept_by_calls(self) -> set[Value]:
        """The roots of what goes into calls that may keep it."""
        out: set[Value] = set()
        for op in walk(self.function.body):
            known = find(op.target) is not None or isinstance(op.target, np.ufunc)
            if type(op) is Op and (op.effect or not known) and op.target not in (backwards, give_back):
                for v in op.operands():
                    out |= self.memory.roots(v)
        return out

    def together(self, op: Op, slot: _Slot) -> bool:
        """May the operation compute into the array of these others?"""
        first = slot.ops[0].result.kind
        if not fits(op.result, slot.ops[0].result) or first.dtype != op.result.kind.dtype:
            return False
        roots = {op.result, *(o.result for o in slot.ops)}
        return all(self.free(o, roots) for o in (op, *slot.ops))

    def free(self, op: Op, roots: set[Value]) -> bool:
        """Is nothing of these allocations alive, or read, where an operation computes its result?"""
        busy = (self.plan.after[id(op)] - set(op.results)) | self.plan.read_by(op)
        return not any(self.memory.roots(v) & roots for v in busy)

    # ------------------------------------------------------------------------------------- kept arrays
    def kept(self, made: dict[Value, Op]) -> set[int]:
        """The operations whose results one loop keeps, and one other loop reads backwards and gives back."""
        found: set[int] = set()
        for region in _regions(self.function.body):
            readers = {s: op for op in region.ops if isinstance(op, For) and not op.stop for s in leaves(op.sequences)}
            turned = {op.args[0]: op.result for op in region.ops if op.target is backwards}
            for loop in region.ops:
                if not isinstance(loop, For | While):
                    continue
                n = len(loop.inits)
                for k in sorted(range(n, len(loop.results)), key=lambda k: loop.body.results[k] in loop.carried):
                    op, before = self.maker(loop, loop.body.results[k], made)
                    reader = readers.get(turned.get(loop.results[k]))  # type: ignore[arg-type]
                    if op is not None and reader is not None and id(op) not in found:
                        if self.given_back(op, before, loop, loop.results[k], reader, turned):
                            found.add(id(op))
        return found

    def maker(self, loop: For | While, v: Any, made: dict[Value, Op]) -> tuple[Op | None, frozenset[Value]]:
        """The operation in a loop that makes the arrays that it keeps, and the allocations from before the loop.

        Each array is another one: what is made in this iteration, or what the last one has made and carries.
        """
        none: tuple[None, frozenset[Value]] = (None, frozenset())
        y = loop.body.results[loop.carried.index(v)] if v in loop.carried else v
        if not isinstance(y, Value) or y in loop.carried:
            return none
        roots = self.memory.roots(y)
        op = made.get(next(iter(roots))) if len(roots) == 1 else None
        if op is None or op not in loop.body.ops or not fits(v, op.result) or not fits(y, op.result):
            return none
        before = self.memory.roots(v) - roots
        if v in loop.carried and not self.memory.roots(loop.inits[loop.carried.index(v)]):
            return none  # it begins with a constant
        if v in self.doubtful or before & self.memory.foreign or any(r not in self.plan.defs for r in before):
            return none
        if self.taken(y) or (v in loop.carried and self.taken(loop.inits[loop.carried.index(v)])):
            return none
        return op, before

    def taken(self, v: Value) -> bool:
        """Is this a view of an array? Its elements lie in another order, in which sums would be formed next time."""
        written = {op.result: x for op, x in self.writes()}
        while v in written:
            v = written[v]
        op = self.plan.defs.get(v)
        return op is not None and type(op) is Op and bool(shared(op))

    def given_back(
        self,
        op: Op,
        before: frozenset[Value],
        loop: For | While,
        tape: Value,
        reader: For,
        turned: dict[Value, Value],
    ) -> bool:
        """Let the reader give back each array that the operation has made; False where it may be needed still."""
        root = op.result
        roots = {root, *before}
        tapes = {r for r in loop.results[len(loop.inits) :] if roots & self.memory.roots(r)}
        lists = tapes | {turned[r] for r in tapes if r in turned}
        if any(self.uses(r) != 1 for r in tapes) or any(turned.get(r) not in reader.sequences for r in tapes):
            return False
        for other in walk(self.function.body):  # nothing else keeps it
            if isinstance(other, For | While) and other is not loop:
                if any(roots & self.memory.roots(y) for y in other.body.results[len(other.inits) :]):
                    return False
        ends = {*self.plan.inside[id(reader)], *leaves(reader.body.results), *reader.results}
        if any(roots & self.memory.roots(v) for v in ends - lists) or roots & self.escaping() or before & self.handed:
            return False
        element = reader.elements[list(reader.sequences).index(turned[tape])]
        self.give(reader.body, len(reader.body.ops), element, op)
        self.handed |= before
        self.buffers.spares[id(op)] = root
        return True

    # ----------------------------------------------------------------------------------- carried arrays
    def carried(self, made: dict[Value, Op], kept: set[int]) -> set[int]:
        """The operations that make anew what a loop carries: each gives back what was carried before."""
        found: set[int] = set()
        for region in list(_regions(self.function.body)):
            for loop in region.ops:
                if isinstance(loop, For | While):
                    for k in range(len(loop.inits)):
                        found |= self.renewed(loop, k, region, made, kept | found)
        return found

    def renewed(self, loop: For | While, k: int, region: Region, made: dict[Value, Op], kept: set[int]) -> set[int]:
        """Let the operation that makes the next array of a loop give back the last one, if nobody else needs it."""
        p, init, y = loop.carried[k], loop.inits[k], loop.body.results[k]
        roots, last, first = self.memory.roots(p), self.memory.roots(y), self.memory.roots(init)
        op = made.get(next(iter(last))) if len(last) == 1 else None
        if op is None or id(op) in kept or op not in loop.body.ops or not first or p in self.doubtful | self.missing:
            return set()
        if not fits(p, op.result) or not fits(y, op.result) or any(r not in self.plan.defs for r in first):
            return set()
        busy = {*(self.plan.after[id(op)] - {op.result}), *loop.body.results[:k], *loop.body.results[k + 1 :]}
        if roots & (self.memory.foreign | self.memory.frozen | self.handed | self.kept_by_calls()):
            return set()
        if any(self.memory.roots(v) & roots for v in busy) or self.memory.roots(p) != first | last:
            return set()
        place = loop.body.ops.index(op)
        before = [r for o in loop.body.ops[:place] for r in o.results if self.memory.roots(r) == roots and fits(r, p)]
        same = [r for r in before if not self.taken(r)]
        self.give(loop.body, place + 1, same[-1] if same else p, op)
        self.handed |= first
        self.buffers.spares[id(op)] = op.result
        found = {id(op)}
        start = made.get(next(iter(first))) if len(first) == 1 else None
        result = loop.results[k]
        if any(self.memory.roots(v) & roots for v in self.plan.after[id(loop)] - {result}):
            return found
        if start is None or id(start) in kept or not fits(start.result, op.result):
            return found  # what does not come from the list does not go there: it would grow with every call
        self.buffers.spares[id(start)] = op.result
        if result not in self.plan.after[id(loop)] and not roots & self.escaping():
            self.give(region, region.ops.index(loop) + 1, result, op)
        return found | {id(start)}

    def give(self, region: Region, place: int, v: Value, op: Op) -> None:
        """Give back an array, to be computed into by an operation."""
        mark = Op(give_back, (v,), {}, [], effect=True, loc=op.loc)
        region.ops.insert(place, mark)
        self.buffers.given[id(mark)] = op.result

    def uses(self, v: Value) -> int:
        """How often a value is read."""
        count = 0
        for op in walk(self.function.body):
            count += sum(1 for x in op.operands() if x is v)
            count += sum(1 for sub in op.regions for x in leaves(sub.results) if x is v)
        return count + sum(1 for x in leaves(self.function.result) if x is v)


def _regions(region: Region) -> list[Region]:
    out = [region]
    for op in region.ops:
        if isinstance(op, If | For | While):
            for sub in op.regions:
                out += _regions(sub)
    return out
