"""The adjoint of a loop is a loop over what the forward one kept, read backwards.

    %s = for %x in %xs with %a = %s0 { %b = %a * %x; yield %b }
      ->   %s, %tape = for .. { ..; yield %b, collect %a }
           %d_s0 = for %a in backwards(%tape), %x in backwards(%xs) with %d = %d_s { %e = %d * %x; yield force(%e) }

It carries the cotangents of what the loop carries and of what it reads from outside, and collects those of elements.
"""

import operator
from typing import Any

from adcompiler.ir.core import UNDEF, For, Region, Value, While, free_values, substitute
from adcompiler.passes.adjoint_branch import Branches
from adcompiler.passes.cotangents import cotangent_kind, hint_of, zero_of
from adcompiler.passes.idle import count_of
from rules.cotangent import or_zeros, restack
from rules.kind import Array, Num, Seq
from rules.sequences import backwards


def force(x: Any) -> Any:
    """A cotangent that a loop carries is computed at the end of the iteration; the mark of that."""
    return x


class Loops(Branches):
    """Pulls back through loops."""

    def pull_for(self, op: For) -> None:
        self.pull_loop(op, op.elements, dict(zip(op.elements, op.sequences, strict=True)))

    def pull_while(self, op: While) -> None:
        self.pull_loop(op, [], {})

    def pull_loop(self, op: For | While, elements: list[Value], scanned: dict[Value, Any]) -> None:
        n = len(op.inits)
        body, outer = op.body, self.builder.region
        collected = list(zip(body.results[n:], op.results[n:], strict=False))
        carried = [
            (k, p, y, r) for k, (p, y, r) in enumerate(zip(op.carried, body.results[:n], op.results[:n], strict=True))
            if p in self.active or r in self.active
        ]  # fmt: skip
        free = [v for v in free_values(body) if v in self.active]
        region = Region()
        adjoint = For("for", ([], []), {}, [], False, False, op.loc, region)
        elements_in: list[Value] = []

        def scan(sequence: Any, kind: Any, hint: str) -> Value:
            adjoint.sequences.append(self.builder.call(backwards, sequence))
            elements_in.append(Value(kind, hint, op.loc))
            return elements_in[-1]

        params: list[Value] = []
        for _, p, y, r in carried:
            d = self.cotangents.get(r)
            adjoint.inits.append(self.joined(zero_of(self.builder, r, lazy=True) if d is None else d, r))
            params.append(Value(_carried_kind(p, y) or self.kind(p), hint_of(p), op.loc))
        accumulators: list[Value] = []
        for v in free:
            d = self.cotangents.get(v)
            adjoint.inits.append(self.joined(zero_of(self.builder, v, lazy=True) if d is None else d, v))
            accumulators.append(Value(self.kind(v), hint_of(v), op.loc))
        incoming = [
            (y, scan(self.cotangents[r], cotangent_kind(y), hint_of(y)), r in self.selected)
            for y, r in collected if r in self.cotangents and isinstance(y, Value)
        ]  # fmt: skip

        saved = self.cotangents
        self.cotangents = dict(zip(free, accumulators, strict=True))
        self.builder.region = region
        for (k, _, y, r), d in zip(carried, params, strict=True):
            if op.inits[k] is UNDEF and isinstance(y, Value) and not isinstance(y.kind, Num):
                # what the loop assigns first: only its last value is read
                d = self.builder.call(or_zeros, d, y, lazy=True, hint=hint_of(y))
            self.add(y, d, r in self.selected)
        for y, d, selected in incoming:
            self.add(y, d, selected)
        self.run(list(body.ops))
        self.builder.loc = op.loc
        results: list[Any] = []
        for k, p, _, _ in carried:
            d = self.cotangents.get(p)
            if d is None:
                array = not isinstance(p.kind, Num)
                d = UNDEF if op.inits[k] is UNDEF and array else zero_of(self.builder, p, lazy=True)
            results.append(d if d is UNDEF else self.joined(d, p))
        results.extend(self.joined(self.cotangents[v], v) for v in free)
        wanted = [e for e in elements if e in self.active]
        results.extend(
            self.typed(
                zero_of(self.builder, e, lazy=True)
                if self.cotangents.get(e) is None
                else self.on_host(self.cotangents[e], e),
                e,
            )
            for e in wanted
        )
        region.results = [
            self.builder.call(force, d, kind=d.kind, hint=d.hint) if isinstance(d, Value) else d for d in results
        ]
        self.builder.region = outer
        self.cotangents = saved

        inside = set(body.params) | {v for o in body.ops for v in o.results}
        mapping: dict[Value, Any] = {}
        for v in free_values(region):
            if v in scanned:
                mapping[v] = scan(self.read_part(scanned[v], op), v.kind, v.hint)
            elif v in inside:
                tape = Value(Seq(v.kind), "tape", v.loc)
                body.results.insert(len(op.results), v)
                op.results.append(tape)
                mapping[v] = scan(tape, v.kind, v.hint)
        if not elements or op.stop:
            scan(self.builder.call(range, count_of(op), kind=Seq(Num(int), range=True)), Num(int), "")
        elif elements[0] not in mapping:  # it tells the number of iterations, should nothing else be read
            scan(scanned[elements[0]], elements[0].kind, elements[0].hint)
        substitute(region, mapping)
        region.params = [*elements_in, *params, *accumulators]

        starts = [op.inits[k] if isinstance(op.inits[k], Value) else p for k, p, _, _ in carried]
        kinds = [_started(self.kind(p), s.kind) for s, (_, p, _, _) in zip(starts, carried, strict=True)]
        kinds += [self.kind(v) for v in free]
        hints = [hint_of(p) for _, p, _, _ in carried] + [hint_of(v) for v in free]
        adjoint.results = [Value(k, h, op.loc) for k, h in zip(kinds, hints, strict=True)]
        lists = [Value(Seq(cotangent_kind(e)), f"{hint_of(scanned[e])}_rows", op.loc) for e in wanted]
        adjoint.results.extend(lists)
        self.builder.region.ops.append(adjoint)
        for v, result in zip(free, adjoint.results[len(carried) :], strict=False):
            self.cotangents[v] = result
        for (k, p, _, r), result in zip(carried, adjoint.results, strict=False):
            self.add(op.inits[k], result, p in self.selected or r in self.selected)
        for e, items in zip(wanted, lists, strict=True):
            s, part = scanned[e], self.read_part(scanned[e], op)
            rows = self.builder.call(backwards, items, lazy=True)
            if part is not s:
                self.active.add(part)
            self.add(
                part,
                rows if isinstance(s.kind, Seq) else self.builder.call(restack, rows, part, lazy=True, hint=hint_of(s)),
                e in self.selected,
            )
            if part is not s:
                self.pull(self.made[part])
                del self.cotangents[part]  # it is no value of the forward program

    def read_part(self, sequence: Any, op: For | While) -> Any:
        """What a loop has read of a sequence: all of it, or as much as there were iterations before it stopped."""
        if not op.stop:
            return sequence
        key = (id(op), sequence)
        if key not in self.parts:
            count, made = count_of(op), self.made.get(sequence)
            if made is not None and made.target is range and len(made.args) == 1:
                part = self.builder.call(range, count, kind=Seq(Num(int), range=True))
            else:
                part = self.builder.call(operator.getitem, sequence, slice(None, count))
            self.made[part] = self.builder.region.ops[-1]
            self.parts[key] = part
        return self.parts[key]


def _carried_kind(p: Value, y: Any) -> Any:
    """The kind of the cotangent of an array that an iteration begins with: of the shape that it has made; else None."""
    if isinstance(p.kind, Array) and isinstance(y, Value) and isinstance(y.kind, Array):
        return Array(p.kind.dtype, y.kind.shape, p.kind.xp)
    return None


def _started(kind: Any, first: Any) -> Any:
    """The kind of a cotangent that has come back to where a loop began: of the shape that was carried first."""
    if isinstance(kind, Array) and isinstance(first, Array):
        return Array(kind.dtype, first.shape, kind.xp)
    return kind
