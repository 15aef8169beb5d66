"""Which operations compute into arrays that are there: an operand that is dead, or an array from an earlier call.

%z = %X @ %w; %e = exp(%z)     ->     z = ws.z = np.dot(X, w, ws.z); e = np.exp(z, z)

An array from an earlier call is a slot of the workspace. Several operations have one slot if what they make is never
alive at once; what loops keep or carry comes from lists (`spares`). Legal is what `memory` allows: nothing that may
share the memory is alive.

A pullback has a workspace for itself: that of the forward sweep has what is kept for the pullback, which may be called
again, and by two threads at once.
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompiler.ir.alias import new_memory
from adcompiler.ir.core import For, Function, If, Op, Value, While, leaves, walk
from adcompiler.passes.bufferize import Buffers
from adcompiler.passes.dots import dots
from adcompiler.passes.exact import inexact
from adcompiler.passes.fixed import fixed
from adcompiler.passes.kept_states import Uses, forwards, last_read
from adcompiler.passes.lasting import determined
from adcompiler.passes.mark import at_split, behind_split
from adcompiler.passes.memory import Memory, carries
from adcompiler.passes.missing import missing
from adcompiler.passes.outs import Out, into
from adcompiler.passes.retake import regions_in
from adcompiler.passes.schedule import ELEMENTWISE, Schedule, fits, reusing, schedule
from adcompiler.passes.spares import Spares, inside
from rules.cotangent import update
from rules.kind import Array, lengths

#: Of these `x op= y` is as good as `y op= x`.
COMMUTING = (operator.add, operator.mul)


def separate(function: Function, once: bool) -> set[Value]:
    """What is a variable of its own in a function with a workspace: what may be computed into an array.

    With `once` also what the shapes of the arguments determine, which is computed once for a workspace.

    So is a new array that something elementwise can be computed into: `d_x = direction(x, n); d_x *= d_n`.
    """
    expressions = schedule(function).expressions
    inside = {id(o) for op in walk(function.body) if id(op) in expressions for sub in op.regions for o in walk(sub)}
    doubtful, known = inexact(function, {}), fixed(function)
    ops = [op for op in walk(function.body) if id(op) not in inside and len(op.results) == 1]
    sure = [op for op in ops if _sized(op.result, known) and op.result not in doubtful]
    apart = {op.result: out for op in sure if (out := into(op)) is not None}
    new = {op.result for op in sure if type(op) is Op and new_memory(op)}
    lasting = {v for v, op in (determined(function) if once else {}).items() if id(op) not in inside}
    reused = reusing(function)
    inputs = {x for r, o in apart.items() if o.elementwise and r not in reused for x in leaves(o.args) if fits(x, r)}
    return {*apart, *(new & inputs), *lasting}


def _sized(v: Value, known: set[Value]) -> bool:
    """Is this an array whose shape is a function of the shapes of the arguments?"""
    if not isinstance(v.kind, Array) or not v.kind.ndim:
        return False
    env = lengths()
    return v in known or not any(env.resolve(n).anonymous for n in v.kind.shape)


def preallocate(function: Function, plan: Schedule, buffers: Buffers, apart: set[Value], once: bool) -> Schedule:
    """Decide what each operation computes into: the layout with that. `apart` is what `separate` gave for `once`."""
    return _Slots(function, plan, buffers, apart).decided(once)


@dataclass
class _Slot:
    """Operations that compute into one array of the workspace, one after another."""

    ops: list[Op] = field(default_factory=list)


class _Slots(Spares):
    def __init__(self, function: Function, plan: Schedule, buffers: Buffers, apart: set[Value]) -> None:
        self.function = function
        self.plan = plan
        self.buffers = buffers
        buffers.anywhere = True
        self.doubtful = inexact(function, buffers.decisions.overwritten)
        self.known = fixed(function)
        self.missing = missing(function)
        self.apart = apart
        self.handed = set()
        self.held: set[Value] = set()
        self.split = at_split(function) is not None
        self.behind = behind_split(function)
        self.order = {r: i for i, op in enumerate(walk(function.body)) for r in op.results}
        self.looped = {id(o) for op in walk(function.body) if isinstance(op, For | While) for o in inside(op)}
        everything = {loop.carried[k] for loop, k in carries(function)}
        overwritten = dict(buffers.decisions.overwritten)
        self.decisions = replace(buffers.decisions, overwritten=overwritten, shared_carries=everything)
        self.memory = Memory(function, self.decisions)

    def decided(self, once: bool) -> Schedule:
        if once:
            self.computed_once()
        ops = [(op, out) for op in walk(self.function.body) if (out := self.candidate(op)) is not None]
        chains = (op for op, out in ops if out.elementwise and op.target is not update and self.plan.is_written(op))
        self.overwrite(list(chains))
        ops = [(op, out) for op, out in ops if op.result not in self.decisions.overwritten]
        made = {op.result: op for op, _ in ops}
        lasting = self.lasting(made)
        kept = lasting | self.kept({r: op for r, op in made.items() if id(op) not in lasting})
        kept |= self.carried(made, kept)
        escaping = self.escaping()
        slots: list[_Slot] = []
        for op, _ in ops:
            root = op.result
            if id(op) in kept or root in escaping or not self.plan.is_written(op):
                continue
            if root in self.handed or (root in self.memory.frozen and not self.lasts(op)):
                continue
            slot = next((s for s in reversed(slots) if self.together(op, s)), None)
            if slot is None:
                if not self.free(op, {root}):
                    continue
                slots.append(slot := _Slot())
            slot.ops.append(op)
            self.buffers.slots[id(op)] = slot.ops[0].result
        if not self.split:
            kept |= self.states()
        arrays = {**self.buffers.slots, **self.buffers.spares}
        self.buffers.scratch = {v for k, v in arrays.items() if k in self.behind}
        self.buffers.dots = dots(self.function, self.buffers, self.memory)
        return schedule(self.function, {*self.apart, *self.decisions.overwritten.values()}) if kept else self.plan

    def candidate(self, op: Op) -> Out | None:
        """May this statement compute into an array?"""
        written = self.plan.is_written(op) or op.target is np.copy  # a loop keeps a copy without a variable for it
        if not written or id(op) in self.buffers.in_place or not op.results or not _sized(op.result, self.known):
            return None
        if id(op) in self.buffers.lasting or (op.target is update and id(op) not in self.buffers.copied):
            return None
        if any(v in self.missing for v in op.operands()):
            return None  # of nothing it makes something else
        return into(op) if op.result not in self.doubtful else None

    def states(self) -> set[int]:
        """Let each place have the state that it has left in an earlier call; what of that comes from lists."""
        uses, listed = Uses(self.function), set[int]()
        for op in list(forwards(walk(self.function.body))):
            state = op.results[-1]
            if self.free(op, {state}):
                self.buffers.slots[id(op)] = state
            elif (found := last_read(state, uses, self.memory)) is not None:
                v, region = found
                self.give(region, len(region.ops), v, op, state)
                self.buffers.spares[id(op)] = state
                listed.add(id(op))
        return listed

    # ------------------------------------------------------------------------------- lasting arrays
    def computed_once(self) -> None:
        """What is computed once for a workspace, as nothing writes into it and nobody else may keep it."""
        touched = self.escaping() | self.memory.frozen | self.memory.foreign
        touched = touched.union(*(self.memory.roots(x) for _, x in self.writes()))
        for region in regions_in(self.function.body):
            for op in region.ops:
                if isinstance(op, For | While | If):
                    passed = [*(v for sub in op.regions for v in leaves(sub.results)), *leaves(op.args)]
                    touched = touched.union(*map(self.memory.roots, passed))
        for v, op in determined(self.function).items():
            if touched.isdisjoint(self.memory.roots(v)) and self.plan.is_written(op) and v not in self.missing:
                self.buffers.lasting[id(op)] = v
                self.held.add(v)

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
        if self.memory.roots(x) & self.held:
            return False
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
    def together(self, op: Op, slot: _Slot) -> bool:
        """May the operation compute into the array of these others?"""
        first = slot.ops[0].result.kind
        if not fits(op.result, slot.ops[0].result) or first.dtype != op.result.kind.dtype:
            return False
        if (id(op) in self.behind) is not (id(slot.ops[0]) in self.behind):
            return False
        roots = {op.result, *(o.result for o in slot.ops)}
        return all(self.free(o, roots) for o in (op, *slot.ops))

    def free(self, op: Op, roots: set[Value]) -> bool:
        """Is nothing of these allocations alive, or read, where an operation computes its result?"""
        busy = (self.plan.after[id(op)] - set(op.results)) | self.plan.read_by(op)
        if self.split and id(op) not in self.looped:  # a list that a loop will fill is there, and empty
            busy = {v for v in busy if self.order.get(v, -1) < self.order[op.result]}
        return not any(self.memory.roots(v) & roots for v in busy)
