"""Arrays that loops give back: what one loop keeps for the loop that reads it backwards, and what a loop carries.

for ..: %h = tanh(%z); tape.append(%h)  ..  for %h in reversed(tape): ..
  ->   for ..: h = np.tanh(z, spare.pop() if spare else None); tape.append(h)
       ..  for h in reversed(tape): ..; spare.append(h)

An array is given back where nothing that may share its memory is needed any more, once for each time it is made. What
loops keep for a pullback is needed as long as that may be called: it is given back for the next call, which has the
workspace when the pullback is gone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompiler.ir.alias import shared
from adcompiler.ir.callee import PULL
from adcompiler.ir.core import For, Function, Op, Region, Value, While, leaves, walk
from adcompiler.ir.state import WITH_STATE
from adcompiler.passes.bufferize import Buffers
from adcompiler.passes.mark import give_back, read_by_pullback
from adcompiler.passes.memory import Memory
from adcompiler.passes.retake import regions_in
from adcompiler.passes.schedule import Schedule, fits
from rules.kind import Opaque
from rules.rule import find
from rules.sequences import backwards


class Spares:
    """Decides which operations take their array from a list, and where it is given back."""

    function: Function
    plan: Schedule
    buffers: Buffers
    memory: Memory
    #: Values that may have another dtype than their kind claims, and those that some path never makes.
    doubtful: set[Value]
    missing: set[Value]
    #: Allocations that are given back with those of a loop.
    handed: set[Value]
    #: Has the function a pullback? The operations of that, and those in loops.
    split: bool
    behind: set[int]
    looped: set[int]

    def writes(self) -> Iterator[tuple[Op, Value]]:
        """Every operation that writes in place, with what it writes into."""
        raise NotImplementedError

    # -------------------------------------------------------------------------------------- what is not ours
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
            known = find(op.target) is not None or isinstance(op.target, (np.ufunc, *WITH_STATE))
            if type(op) is Op and (op.effect or not known) and op.target not in (backwards, give_back):
                for v in op.operands():
                    out |= self.memory.roots(v)
        return out

    # ------------------------------------------------------------------------------- kept for a pullback
    def lasting(self, made: dict[Value, Op]) -> set[int]:
        """The operations in loops of the forward sweep whose results a list keeps for the pullback."""
        found: set[int] = set()
        if not self.split:
            return found
        read = frozenset().union(*map(self.memory.roots, read_by_pullback(self.function)))
        listed = (read & self.memory.frozen) - self.escaping() - self.logged()
        loops = (op for op in walk(self.function.body) if isinstance(op, For | While))
        early = {id(loop.body) for loop in loops if id(loop) in self.plan.early}
        for region in regions_in(self.function.body):
            for op in [op for op in region.ops if id(op) in self.looped and id(op) not in self.behind]:
                root = op.results[0] if op.results else None
                if root not in made or root not in listed:
                    continue
                if self.plan.is_written(op):
                    place = region.ops.index(op) + 1
                elif id(region) in early:  # a copy that is kept before all else is done
                    region.ops.remove(op)
                    region.ops.insert(0, op)
                    place = 1
                else:
                    continue
                self.give(region, place, root, op, later=True)
                self.buffers.spares[id(op)] = root
                found.add(id(op))
        return found

    def lasts(self, op: Op) -> bool:
        """Is this computed once before the pullback, and given to no call that keeps it?"""
        forward = self.split and id(op) not in self.behind and id(op) not in self.looped
        return forward and op.result not in self.logged()

    def logged(self) -> set[Value]:
        """The roots of what goes into values that nobody can see into."""
        out: set[Value] = set()
        for op in walk(self.function.body):
            if type(op) is Op and any(isinstance(r.kind, Opaque) and r.kind != PULL for r in op.results):
                out = out.union(*map(self.memory.roots, op.operands()))
        return out

    # ------------------------------------------------------------------------------------- kept arrays
    def kept(self, made: dict[Value, Op]) -> set[int]:
        """The operations whose results one loop keeps, and one other loop reads backwards and gives back."""
        found: set[int] = set()
        for region in regions_in(self.function.body):
            loops = [op for op in region.ops if isinstance(op, For) and not op.stop and id(op) in self.plan.inside]
            readers = {s: op for op in loops for s in leaves(op.sequences)}
            turned = {op.args[0]: op.result for op in region.ops if op.target is backwards}
            for loop in region.ops:
                if not isinstance(loop, For | While) or id(loop) not in self.plan.inside:
                    continue  # a comprehension
                n = len(loop.inits)
                for k in sorted(range(n, len(loop.results)), key=lambda k: loop.body.results[k] in loop.carried):
                    op, before = self.maker(loop, loop.body.results[k], made)
                    reader = readers.get(turned.get(loop.results[k]))  # type: ignore[arg-type]
                    if reader is not None and (id(loop) in self.behind) is not (id(reader) in self.behind):
                        continue
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
        for region in regions_in(self.function.body):
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
        if (
            op is None
            or id(op) in kept
            or id(op) not in self.plan.after
            or op not in loop.body.ops
            or not first
            or p in self.doubtful | self.missing
        ):
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
        later = self.split and id(loop) not in self.behind
        if (later or result not in self.plan.after[id(loop)]) and not roots & self.escaping():
            self.give(region, region.ops.index(loop) + 1, result, op, later=result in self.plan.after[id(loop)])
        return found | {id(start)}

    def give(
        self, region: Region, place: int, v: Value, op: Op, made: Value | None = None, later: bool = False
    ) -> None:
        """Give back an array, to be computed into by an operation, `later` in the next call; or a state it `made`."""
        mark = Op(give_back, (v,), {}, [], effect=True, loc=op.loc)
        region.ops.insert(place, mark)
        self.buffers.given[id(mark)] = op.result if made is None else made
        if later:
            self.buffers.later.add(id(mark))

    def uses(self, v: Value) -> int:
        """How often a value is read."""
        count = 0
        for op in walk(self.function.body):
            count += sum(1 for x in op.operands() if x is v)
            count += sum(1 for sub in op.regions for x in leaves(sub.results) if x is v)
        return count + sum(1 for x in leaves(self.function.result) if x is v)


def inside(loop: For | While) -> Iterator[Op]:
    """The operations of a loop, those of inner ones included."""
    for region in loop.regions:
        yield from walk(region)
