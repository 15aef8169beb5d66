"""Folding, common subexpressions, peepholes; dead code goes with them.

%a = %x + %x; %b = %x + %x; return %a * %b       ->       %a = 2.0 * %x; return %a * %a
if True { %a = %x } else { %a = -%x }            ->       %a is %x

What a rewrite finds is in `passes/peepholes.py`; this is the walk, which knows what was computed before.
"""

import functools
from typing import Any

from adcompiler.ir.alias import new_memory
from adcompiler.ir.build import stands_for
from adcompiler.ir.core import (
    UNDEF,
    Checkpoint,
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    While,
    is_cotangent,
    leaves,
    map_tree,
)
from adcompiler.passes.dce import dce
from adcompiler.passes.equal import key_of
from adcompiler.passes.escape import escaping
from adcompiler.passes.mark import turn
from adcompiler.passes.numbers import uniform_accumulators
from adcompiler.passes.peepholes import peephole
from adcompiler.passes.scans import plain_scans
from adcompiler.passes.site import Site
from rules.cotangent import unstack
from rules.kind import Array, Seq, same_kind
from rules.sequences import backwards


def simplify(function: Function) -> Function:
    """A smaller program with the same results."""
    for _ in range(4):
        worker = _Simplifier(uniform_accumulators(plain_scans(function)))
        simpler = dce(worker.run())
        if not worker.changed:
            return simpler
        function = simpler
    return function


class _Simplifier(Site):
    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.renamed: dict[Value, Any] = {}
        self.changed = False
        self.forward: set[Value] = set()
        self._count(function.body)

    def run(self) -> Function:
        f = self.function
        body = self.region(f.body, {})
        return Function(f.name, f.params, body, map_tree(self.get, f.result), f.doc)

    def _count(self, region: Region) -> None:
        for op in region.ops:
            for v in op.operands():
                self.uses[v] = self.uses.get(v, 0) + 1
            for sub in op.regions:
                self._count(sub)
        for v in leaves(region.results):
            self.uses[v] = self.uses.get(v, 0) + 1

    def get(self, v: Value) -> Any:
        return self.renamed.get(v, v)

    def region(self, region: Region, table: dict[Any, Op]) -> Region:
        known = len(table)
        outer = getattr(self, "ops", None)
        ops = self.ops = []
        sight = len(self.arrays)
        self.arrays += [p for p in region.params if isinstance(p.kind, Array)]
        for op in region.ops:
            self.op(op, table)
        del self.arrays[sight:]
        results = map_tree(self.get, region.results)
        while len(table) > known:  # what was found here is not known outside
            table.popitem()
        if outer is not None:
            self.ops = outer
        return Region(region.params, ops, results)

    def rename(self, old: Value, new: Any) -> None:
        if isinstance(new, Value) and old.hint and not new.hint and not (is_cotangent(old) and new in self.forward):
            new.hint = old.hint
        self.renamed[old] = new
        self.changed = True

    def seen_outside(self, op: Op) -> bool:
        """Does an operation make a new array that is seen outside: must it be none that is there already?"""
        r = op.results[0] if op.results else None
        return r is not None and isinstance(r.kind, Array) and r in self.outside and new_memory(op)

    @functools.cached_property
    def outside(self) -> set[Value]:
        return escaping(self.function)

    # ------------------------------------------------------------------------------------- operations
    def op(self, op: Op, table: dict[Any, Op]) -> None:
        if isinstance(op, If):
            self.branch(op, table)
            return
        if isinstance(op, For | While):
            self.loop(op, table)
            return
        if isinstance(op, Checkpoint):
            self.checkpoint(op)
            return
        if op.target is turn:
            self.forward.update(self.defs)
            self.backward = True
        new = op.rebuild(self.get, lambda r: r)
        if not new.effect and len(new.results) == 1:
            known = len(self.ops)
            replacement = peephole(self, new)
            if replacement is not None and stands_for(replacement, op.result):
                if not self.seen_outside(new) or any(replacement in o.results for o in self.ops[known:]):
                    self.rename(op.result, replacement)
                    return
        key = key_of(new)
        if key is not None:
            same = table.get(key)
            if same is not None and not (self.seen_outside(new) and same.results[0] in self.outside):
                for a, b in zip(op.results, same.results, strict=True):
                    self.rename(a, b)
                    self.outside.update({b} if a in self.outside else ())
                return
            table[key] = new
        for r in new.results:
            self.defs[r] = new
        self.arrays += [r for r in new.results if isinstance(r.kind, Array)]
        self.ops.append(new)

    def branch(self, op: If, table: dict[Any, Op]) -> None:
        cond = map_tree(self.get, op.cond)
        if not isinstance(cond, Value):
            chosen = op.then if cond else op.orelse
            for inner in chosen.ops:
                self.op(inner, table)
            for r, x in zip(op.results, chosen.results, strict=True):
                self.rename(r, map_tree(self.get, x))
            return
        new = If(op.target, (cond,), {}, op.results, op.lazy, op.effect, op.loc,
                 self.region(op.then, table), self.region(op.orelse, table))  # fmt: skip
        keep = []
        inside = {v for side in new.regions for o in side.ops for v in o.results}
        known: dict[Any, Value] = {}
        for i, r in enumerate(op.results):
            a, b = new.then.results[i : i + 1] or [UNDEF], new.orelse.results[i : i + 1] or [UNDEF]
            values = all(isinstance(x, Value) or x is UNDEF for x in (a[0], b[0]))
            twin = known.setdefault((id(a[0]), id(b[0])), r) if values else r
            if a[0] is b[0] and isinstance(a[0], Value) and a[0] not in inside:
                self.rename(r, a[0])
            elif twin is not r and same_kind(twin.kind, r.kind):
                self.rename(r, twin)
            else:
                keep.append(i)
        new.results = [op.results[i] for i in keep]
        for side in new.regions:
            side.results = [side.results[i] for i in keep] if side.results else []
        for r in new.results:
            self.defs[r] = new
        self.ops.append(new)

    def checkpoint(self, op: Checkpoint) -> None:
        """What is computed again is not what was computed before: operations outside are none of its own."""
        body = self.region(op.body, {})
        inside = {r for o in body.ops for r in o.results}
        keep = []
        for i, (r, x) in enumerate(zip(op.results, body.results, strict=True)):
            if x not in inside and stands_for(x, r):
                self.rename(r, x)
            else:
                keep.append(i)
        body.results = [body.results[i] for i in keep]
        results = [op.results[i] for i in keep]
        new = Checkpoint(op.target, (), {}, results, op.lazy, op.effect, op.loc, body)
        for r in results:
            self.defs[r] = new
        self.ops.append(new)

    def loop(self, op: For | While, table: dict[Any, Op]) -> None:
        n = len(op.inits)
        inits = map_tree(self.get, op.inits)
        invariant = [
            k for k in range(n)
            if op.body.results[k] is op.carried[k] and inits[k] is not UNDEF
            and (not isinstance(inits[k], Value) or stands_for(inits[k], op.carried[k]))
        ]  # fmt: skip
        for k in invariant:
            self.rename(op.carried[k], inits[k])
            self.rename(op.results[k], inits[k])
            if isinstance(op, While):
                self.renamed[op.test.params[k]] = inits[k]
        again = self.collected_again(op)
        kept = [k for k in range(len(op.results)) if k not in (*invariant, *again)]
        carry = [k for k in kept if k < n]
        results = [op.results[k] for k in kept]
        yields = [op.body.results[k] for k in kept]
        if op.stop:
            yields.append(op.body.results[-1])
        if isinstance(op, While):
            test = self.region(Region([op.test.params[k] for k in carry], op.test.ops, op.test.results), table)
            body = self.region(Region([op.carried[k] for k in carry], op.body.ops, yields), table)
            new: For | While = While(
                op.target, ([inits[k] for k in carry],), {}, results, op.lazy, op.effect, op.loc, test, body, op.stop
            )
        else:
            self.forward.update(op.elements)
            sequences, elements = self.scanned_once(map_tree(self.get, op.sequences), op.elements)
            self.note_origins(elements, sequences)
            params = [*elements, *(op.carried[k] for k in carry)]
            body = self.region(Region(params, op.body.ops, yields), table)
            new = For(
                op.target,
                (sequences, [inits[k] for k in carry]),
                {},
                results,
                op.lazy,
                op.effect,
                op.loc,
                body,
                op.stop,
            )
        if new.stop and body.results[-1] is False:
            body.results.pop()
            new.stop = False
        for r in new.results:
            self.defs[r] = new
        self.ops.append(new)

    def collected_again(self, op: For | While) -> list[int]:
        """The results that are lists of what the loop collects in another of its results, or only reads."""
        first: dict[Any, Value] = {}
        read = dict(zip(op.elements, map_tree(self.get, op.sequences), strict=True)) if isinstance(op, For) else {}
        again = []
        for k in range(len(op.inits), len(op.results)):
            x, r = op.body.results[k], op.results[k]
            x = self.get(x) if isinstance(x, Value) else x
            if isinstance(x, Value) and x in read and not op.stop and not getattr(read[x].kind, "range", False):
                s = read[x]
                self.rename(r, s if isinstance(s.kind, Seq) else self.emit(unstack, s, like=r))
                again.append(k)
            elif isinstance(x, Value) and first.setdefault(x, r) is not r:
                self.rename(r, first[x])
                again.append(k)
        return again

    def scanned_once(self, sequences: list[Any], elements: list[Value]) -> tuple[list[Any], list[Value]]:
        """The different sequences among these, with what a loop calls their elements."""
        first: dict[Any, Value] = {}
        kept = []
        for i, (s, e) in enumerate(zip(sequences, elements, strict=True)):
            turned = self.made_by(s, backwards)
            key = (backwards, turned.args[0]) if turned is not None else s
            if not isinstance(s, Value) or first.setdefault(key, e) is e:
                kept.append(i)
            else:
                self.rename(e, first[key])
        return [sequences[i] for i in kept], [elements[i] for i in kept]
