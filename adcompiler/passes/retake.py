"""What loops keep that the loops that read them backwards can compute again: tapes that need not be.

    %s = %i + 1; collect %s  ..  for %i, %e in reversed(..), reversed(tape of %s)     ->     %e = %i + 1, no tape

A loop in a loop is read by a loop in the loop that reads the outer one, and matched with it likewise.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from adcompiler.ir.build import infer
from adcompiler.ir.core import (
    UNDEF,
    For,
    If,
    Op,
    Region,
    Value,
    While,
    errstate_of,
    leaves,
    map_tree,
    substitute,
    walk,
)
from adcompiler.passes.cheap import is_cheap
from adcompiler.passes.settled import Settled
from rules.cotangent import element, update
from rules.kind import Array, Num, Seq
from rules.sequences import backwards

#: Elementwise operations that are worth doing again where two results would be kept.
_SIMPLE = (operator.add, operator.sub, operator.mul, operator.neg)


def retaken(
    region: Region, absent: set[Value], settled: Settled | None = None, renamed: dict[Value, Any] | None = None
) -> Region:
    """In each region, match the loops that read tapes with those that wrote them; take cheap things again.

    Of the values in `absent`, which some path never makes, no piece is kept: there may be none to take it of. What is
    `settled` is read where it is for good.
    """
    renamed = {} if renamed is None else renamed
    ops = [op.rebuild(lambda v: v, lambda inner: retaken(inner, absent, None, renamed)) for op in region.ops]
    for op in ops:
        op.results = list(op.results)
    written: dict[Value, tuple[For | While, int]] = {}
    reversed_of: dict[Value, Value] = {}
    for op in ops:
        if isinstance(op, For | While):
            for k, r in enumerate(op.results[len(op.inits) :]):
                written[r] = (op, len(op.inits) + k)
        elif op.target is backwards and isinstance(op.args[0], Value):
            reversed_of[op.result] = op.args[0]
    out: list[Op] = []
    for op in ops:
        if isinstance(op, For):
            around = _Around(there=_there(out, settled, renamed), renamed=renamed)
            new: Any = _Reader(op, written, reversed_of, absent, out, around).rewritten()
        else:
            new = op
        mine = {r: (new, k) for r, (writer, k) in written.items() if writer is op}
        written.update(mine)  # what it keeps may be read in its turn
        out.append(new)
    return Region(region.params, out, region.results)


@dataclass
class _Around:
    """The loops around a writer and its reader: `outside` is what a value of the one's is in the other's, and
    `inside` the way back; None where it is not there. `take` lets the outer writer keep what the inner one has kept.
    `there` finds the place of a value in an array that is there before all these loops; `renamed` are the elements that
    loops no longer read, with what is made again instead, None where that is in an arm.
    """

    outside: Callable[[Value], Any] = lambda v: v
    inside: Callable[[Value], Any] = lambda v: v
    take: Callable[[Value], Value] = lambda tape: tape
    there: Callable[[Value], Any] = lambda v: None
    renamed: dict[Value, Any] = field(default_factory=dict)
    deep: bool = False


def _there(before: list[Op], settled: Settled | None, renamed: dict[Value, Any]) -> Callable[[Value], Any]:
    """Finds the places of values in arrays that operations before a loop have made."""

    def there(v: Value) -> tuple[Value, Any] | None:
        found = settled.place(v) if settled is not None else None
        if found is None or not any(found[0] in op.results for op in before):
            return None
        now = {x: renamed.get(x, x) for x in leaves(found[1])}
        return None if any(x is None for x in now.values()) else (found[0], map_tree(lambda x: now[x], found[1]))

    return there


class _Reader:
    """A loop that reads tapes backwards."""

    def __init__(
        self,
        op: For,
        written: dict[Value, tuple[For | While, int]],
        reversed_of: dict[Value, Value],
        absent: set[Value],
        before: list[Op],
        around: _Around,
    ) -> None:
        self.op = op
        self.around = around
        self.deep = around.deep
        self.absent = absent
        self.before = before
        self.sequences = list(op.sequences)
        self.elements = list(op.elements)
        self.new: list[Op] = []
        self.reversed_of = reversed_of
        self.dropped: set[int] = set()
        self.simple: set[Value] = set()
        #: What is made again in an arm of an If, which is known by its list of results: it may be rebuilt.
        self.in_arms: dict[Value, tuple[list[Value], int, list[Op]]] = {}
        self.tapes = {
            e: written[reversed_of[s]]
            for e, s in zip(op.elements, op.sequences, strict=True)
            if isinstance(s, Value) and s in reversed_of and reversed_of[s] in written
        }
        self.scans = {reversed_of[s]: e for e, s in zip(op.elements, op.sequences, strict=True)
                      if isinstance(s, Value) and s in reversed_of}  # fmt: skip

    def rewritten(self) -> For:
        op = self.op
        nested = False
        swap: dict[Value, Any] = {}
        writers = {id(w): w for w, _ in self.tapes.values()}
        for writer in writers.values():
            mine = {e: writer.body.results[k] for e, (w, k) in self.tapes.items() if w is writer}
            self.keep_pieces(writer, mine, swap)
            defs = {r: o for o in writer.body.ops for r in o.results}
            cheap = {e for e, v in mine.items() if isinstance(v, Value) and is_cheap(defs.get(v))}
            cheap |= self.keep_base(writer, mine, defs)
            cheap |= {e for e, v in mine.items() if isinstance(v, Value) and self.around.there(v) is not None}
            local = {*defs, *writer.body.params}
            scaled = {e for e, v in mine.items() if isinstance(v, Value) and _scales(defs.get(v), local)}
            self.simple |= {mine[e] for e in scaled}
            cheap |= scaled
            cheap |= {e for e, v in mine.items() if isinstance(v, Value) and v not in local}
            known: dict[Value, Any] = {v: e for e, v in mine.items() if e not in cheap and isinstance(v, Value)}
            order = {v: i for i, v in enumerate(defs)}
            for e in sorted(cheap, key=lambda e: order.get(mine[e], -1)):
                made = self.remake(mine[e], writer, defs, known, 6)
                if made is None:
                    known[mine[e]] = e  # kept, and what depends on it is made from it
                else:
                    swap[e] = made
            for e in [e for e in mine if e not in swap]:
                self.remake_in_arm(e, mine[e], writer, defs, known)
            nested |= self.read_within(writer, mine, defs, known)
        swap = {v: swap.get(x, x) for v, x in swap.items()}  # a piece may be made again in its turn
        unread = self.unread()
        if not swap and unread is None and not nested and not self.in_arms:
            return op
        gone = {e for e in self.elements if e in swap or e in self.in_arms or e is unread}
        keep = [i for i, e in enumerate(self.elements) if e not in gone] or [0]  # one tells the number of iterations
        params = [*(self.elements[i] for i in keep), *op.carried]
        body = Region(params, self.without_pieces(self.op.body).ops, list(op.body.results))
        for results, side, made in self.in_arms.values():
            branch = next(o for o in body.ops if o.results is results)
            branch.regions[side].ops[:0] = made
        body.ops[:0] = self.new
        substitute(body, {**swap, **{e: made[-1].result for e, (_, _, made) in self.in_arms.items()}})
        self.around.renamed.update({**dict.fromkeys(self.in_arms), **swap})
        body.ops[: len(self.new)] = _ordered(body.ops[: len(self.new)])  # one writer may scan what another has kept
        return For(op.target, ([self.sequences[i] for i in keep], op.inits), {}, op.results, op.lazy, op.effect, op.loc,
                   body, op.stop)  # fmt: skip

    # -------------------------------------------------------------------------------- loops in loops
    def read_within(
        self, writer: For | While, mine: dict[Value, Any], defs: dict[Value, Op], known: dict[Value, Any]
    ) -> bool:
        """Rewrite the loops in this one that read what loops in the writer have kept; False if there are none."""
        kept: dict[Value, tuple[For | While, int]] = {}
        for o in writer.body.ops:
            if isinstance(o, For | While):
                kept.update((r, (o, k)) for k, r in enumerate(o.results) if k >= len(o.inits))
        written = {e: kept[v] for e, v in mine.items() if isinstance(v, Value) and v in kept}
        reversed_of = {o.result: o.args[0] for o in self.op.body.ops if o.target is backwards}
        if not written:
            return False

        first = next(i for i, o in enumerate(writer.body.ops) if any(r in kept for r in o.results))
        early = {*writer.body.params, *(r for o in writer.body.ops[:first] for r in o.results)}
        local = self.local()

        def inside(x: Value) -> Any:
            again = {y: v for v, y in known.items() if isinstance(y, Value)}
            found = (mine.get(x), again.get(x), self.scanned_by(writer).get(x))
            if any(v is not None for v in found):
                return next((v for v in found if v in early), None)
            return None if x in local else self.around.inside(x)

        around = _Around(
            lambda v: self.remake(v, writer, defs, known, 6), inside, lambda tape: self.collect(writer, tape),
            self.around.there, self.around.renamed, deep=True,
        )  # fmt: skip
        ops: list[Op] = []
        for o in self.op.body.ops:
            ops.append(
                _Reader(o, written, reversed_of, self.absent, ops, around).rewritten() if isinstance(o, For) else o
            )
        changed = ops != self.op.body.ops
        self.op = self.op.rebuild(lambda v: v, lambda old: Region(old.params, ops, old.results))
        return changed

    def scanned_by(self, writer: For | While) -> dict[Value, Value]:
        """The elements of this loop of what the writer scans too, with the writer's."""
        if not isinstance(writer, For):
            return {}
        scanned = {self.outer(s): e for s, e in zip(writer.sequences, writer.elements, strict=True)}
        return {e: scanned[s] for s, e in self.scans.items() if s in scanned}

    def local(self) -> set[Value]:
        """What is defined in this loop, at any depth."""
        return {v for region in regions_in(self.op.body) for v in (*region.params, *_defined(region))}

    # -------------------------------------------------------------------------- pieces, or the whole
    def keep_pieces(self, writer: For | While, mine: dict[Value, Any], swap: dict[Value, Any]) -> None:
        """An array of which one place alone is read back is not kept: what is there is."""
        for e, v in list(mine.items()):
            reads = reads_of_one_place(e, self.op.body)
            if not reads or not isinstance(v, Value) or v in self.absent:
                continue
            index = self.in_writer(reads[0].args[1], mine, writer)
            if index is None:
                continue
            inside = {r: i for i, o in enumerate(writer.body.ops) for r in o.results}
            needed = [v, *leaves(index[1]), *(x for o in index[0] for x in o.operands())]
            where = max((inside[x] + 1 for x in needed if x in inside), default=0)
            if where > _first_write(v, writer.body):
                continue
            piece = Value(reads[0].result.kind, reads[0].result.hint, reads[0].loc)
            # what one path alone reads may not be there on the other
            parts = index[1] if isinstance(index[1], tuple) else (index[1],)
            sure = all(isinstance(i, slice) for i in parts) or all(o in self.op.body.ops for o in reads)
            read = Op(operator.getitem if sure else element, (v, index[1]), {}, [piece], loc=piece.loc)
            writer.body.ops[where:where] = [*index[0], read]
            taken = self.collect(writer, piece)
            mine[taken] = piece
            swap.update((o.result, taken) for o in reads)
            self.dropped.update(id(o) for o in reads)
            del mine[e]

    def in_writer(self, index: Any, mine: dict[Value, Any], writer: For | While) -> tuple[list[Op], Any] | None:
        """An index of the reading loop in terms of the writing one, with the arithmetic that it takes."""
        back = self.scanned_by(writer)
        made = {r: o for o in self.op.body.ops for r in o.results}
        local = self.local()
        ops: list[Op] = []
        again: dict[Value, Any] = {}

        def find(x: Value) -> Any:
            if x in mine or x in back:
                return mine.get(x, back.get(x))
            if x not in local:
                return self.around.inside(x)
            if x in again:
                return again[x]
            op = made.get(x)
            if op is None or not is_cheap(op) or not isinstance(x.kind, Num):
                return None
            operands = {y: find(y) for y in op.operands()}
            if any(y is None for y in operands.values()):
                return None
            again[x] = Value(x.kind, x.hint, x.loc)
            ops.append(Op(op.target, map_tree(lambda y: operands[y], op.args), {}, [again[x]], loc=op.loc))
            return again[x]

        found = {x: find(x) for x in leaves(index)}
        return None if any(x is None for x in found.values()) else (ops, map_tree(lambda x: found[x], index))

    def collect(self, writer: For | While, v: Value) -> Value:
        """Let the writer keep a value more; the element of this loop that reads it."""
        at = len(writer.results)
        writer.body.results.insert(at, v)
        tape = Value(Seq(v.kind), "tape", v.loc)
        writer.results.append(tape)
        turned = Value(Seq(v.kind), "", self.op.loc)
        self.before.append(Op(backwards, (self.around.take(tape),), {}, [turned], loc=self.op.loc))
        element = Value(v.kind, v.hint, v.loc)
        self.sequences.append(turned)
        self.elements.append(element)
        return element

    def keep_base(self, writer: For | While, mine: dict[Value, Any], defs: dict[Value, Op]) -> set[Value]:
        """Of what is made of one carried array by views, sums and products, two or more are not kept: the array is."""
        best: set[Value] = set()
        base = None
        kept = {v for v in mine.values() if isinstance(v, Value)}
        for p in writer.carried:
            if isinstance(p.kind, Array) and p.kind.ndim:
                made = {e for e, v in mine.items() if v is not p and _made_of(v, p, writer, defs)}
                whole = sum(1 for e in made if getattr(mine[e].kind, "ndim", 0) == p.kind.ndim)
                if whole >= (1 if p in kept else 2) and len(made) > len(best):
                    best, base = made, p
        if base is not None:
            if base not in kept:
                mine[self.collect(writer, base)] = base
            self.simple = self.simple.union(*(_made_of(mine[e], base, writer, defs) for e in best))
        return best

    def without_pieces(self, region: Region) -> Region:
        """The same region without the reads that have become pieces."""
        ops = [o.rebuild(lambda v: v, self.without_pieces) for o in region.ops if id(o) not in self.dropped]
        return Region(region.params, ops, list(region.results))

    def unread(self) -> Value | None:
        """A tape that only tells the number of iterations: the writer's own sequence is read instead."""
        if len(self.elements) != 1 or self.elements[0] not in self.tapes:
            return None
        (e,) = self.elements
        writer, _ = self.tapes[e]
        if not isinstance(writer, For) or writer.stop or any(e in set(o.operands()) for o in walk(self.op.body)):
            return None
        if any(e in set(leaves(sub.results)) for sub in regions_in(self.op.body)):
            return None
        sequence = self.outer(writer.sequences[0])
        if not isinstance(sequence, Value):
            return None
        turned = Value(sequence.kind, "", self.op.loc)
        self.before.append(Op(backwards, (sequence,), {}, [turned], loc=self.op.loc))
        self.sequences.append(turned)
        self.elements.append(Value(writer.elements[0].kind, writer.elements[0].hint, self.op.loc))
        return e

    def remake(self, v: Any, writer: For | While, defs: dict[Value, Op], known: dict[Value, Any], depth: int) -> Any:
        """The operand that is `v` of the same iteration, computed again in the reading loop; None if it can't be."""
        if not isinstance(v, Value) or v in known:
            return known.get(v, v) if isinstance(v, Value) else v
        op = defs.get(v)
        if op is None:
            if v not in writer.body.params:
                return self.around.outside(v)
            if not isinstance(writer, For) or v not in writer.elements:
                return None
            sequence = self.outer(writer.sequences[writer.elements.index(v)])
            if not isinstance(sequence, Value) or (writer.stop and self.deep):
                return None
            if writer.stop:
                part = self.beginning(sequence, writer)
                if part is None:
                    return None
                sequence = part
            if sequence not in self.scans:
                turned = Value(sequence.kind, "", self.op.loc)
                self.before.append(Op(backwards, (sequence,), {}, [turned], loc=self.op.loc))
                element = Value(v.kind, v.hint, v.loc)
                self.sequences.append(turned)
                self.elements.append(element)
                self.scans[sequence] = element
            known[v] = self.scans[sequence]
            return known[v]
        if not depth:
            return None
        found = self.around.there(v)
        if found is not None:
            indices = {x: self.remake(x, writer, defs, known, depth - 1) for x in leaves(found[1])}
            if all(x is not None for x in indices.values()):
                last, index = found[0], map_tree(lambda x: indices[x], found[1])
                known[v] = made = Value(v.kind, v.hint, v.loc)
                self.new.append(Op(operator.getitem, (last, index), {}, [made], loc=self.op.loc))
                return made
        if not (is_cheap(op) or v in self.simple):
            return None
        operands = {x: self.remake(x, writer, defs, known, depth - 1) for x in op.operands()}
        if any(x is None for x in operands.values()):
            return None
        made = Value(v.kind, v.hint, v.loc)
        args, kwargs = (map_tree(lambda x: operands[x], tree) for tree in (op.args, op.kwargs))
        self.new.append(Op(op.target, args, kwargs, [made], loc=op.loc if errstate_of(op) else self.op.loc))
        known[v] = made
        return made

    def remake_in_arm(
        self, e: Value, v: Any, writer: For | While, defs: dict[Value, Op], known: dict[Value, Any]
    ) -> None:
        """Compute again, in the one arm that reads it, what an arm of the writing loop has made at little cost."""
        branch = defs.get(v) if isinstance(v, Value) else None
        if not isinstance(branch, If):
            return
        k = branch.results.index(v)
        sides = [side for side in branch.regions if side.results[k] not in (UNDEF, None)]
        made = next((o for o in sides[0].ops if sides[0].results[k] in o.results), None) if len(sides) == 1 else None
        if made is None:
            return
        ops = self.without_pieces(self.op.body).ops
        arms = [(i, j) for i, o in enumerate(ops) for j, side in enumerate(o.regions) if _reads(side, e)]
        elsewhere = any(e in set(o.operands()) for o in ops) or e in set(leaves(self.op.body.results))
        if len(arms) != 1 or elsewhere or not isinstance(ops[arms[0][0]], If):
            return
        local = {*defs, *writer.body.params, *(r for side in branch.regions for r in _defined(side))}
        simple, self.simple = self.simple, self.simple | ({made.result} if _scales(made, local) else set())
        before, self.new = self.new, []  # what it is made of is made again in the arm too, and known there alone
        inside = {**defs, **{r: o for o in sides[0].ops for r in o.results}}
        again = self.remake(made.result, writer, inside, dict(known), 6)
        parts, self.new, self.simple = self.new, before, simple
        if again is not None and parts and parts[-1].result is again:
            i, side = arms[0]
            self.in_arms[e] = ops[i].results, side, parts

    def outer(self, sequence: Any) -> Any:
        """A sequence that the writer scans, as it is called where the reader stands."""
        return self.around.outside(sequence) if isinstance(sequence, Value) else None

    def beginning(self, sequence: Value, writer: For) -> Value | None:
        """As much of a sequence as a loop has read that stopped; None where its iterations are not counted."""
        counts = set(writer.results[: len(writer.inits)])
        made = {r: op for op in self.before for r in op.results}
        reads = [made[s] for s in self.scans if s in made]
        for op in reads:
            if op.target is operator.getitem and op.args[0] is sequence:
                return op.result
        count = next((op.args[0] for op in reads if op.target is range and op.args[0] in counts), None)
        if count is None:
            return None
        whole = made.get(sequence)
        if whole is not None and whole.target is range and len(whole.args) == 1:
            return next(op.result for op in reads if op.target is range and op.args[0] is count)
        index = slice(None, count)
        part = Value(infer(operator.getitem, (sequence, index), {}), "", self.op.loc)
        self.before.append(Op(operator.getitem, (sequence, index), {}, [part], loc=self.op.loc))
        return part


def _ordered(ops: list[Op]) -> list[Op]:
    """Operations in their order, but each behind those that it reads."""
    waiting, out = list(ops), list[Op]()
    later = {r for op in ops for r in op.results}
    while waiting:
        op = next(op for op in waiting if later.isdisjoint(op.operands()))
        waiting.remove(op)
        later.difference_update(op.results)
        out.append(op)
    return out


def _scales(op: Op | None, local: set[Value]) -> bool:
    """Does an operation scale an array from outside of a loop by a number?"""
    if op is None or op.target not in _SIMPLE or not isinstance(op.result.kind, Array):
        return False
    arrays = [v for v in op.operands() if isinstance(v.kind, Array)]
    return len(arrays) == 1 and arrays[0] not in local and all(isinstance(v.kind, Array | Num) for v in op.operands())


def _reads(region: Region, v: Value) -> bool:
    return any(v in set(o.operands()) for o in walk(region)) or any(
        v in set(leaves(s.results)) for s in regions_in(region)
    )


def regions_in(region: Region) -> list[Region]:
    return [region, *(sub for op in walk(region) for sub in op.regions)]


def _defined(region: Region) -> list[Value]:
    return [r for op in region.ops for r in op.results]


def reads_of_one_place(e: Value, body: Region) -> list[Op]:
    """The reads of an array, if it is read at one place alone."""
    if not isinstance(e.kind, Array):
        return []
    readers = [o for o in walk(body) if e in set(o.operands())]
    if any(e in set(leaves(region.results)) for region in regions_in(body)):
        return []
    if any(o.target is not operator.getitem or o.args[0] is not e or e in set(leaves(o.args[1])) for o in readers):
        return []
    return readers if len({_place(o.args[1]) for o in readers}) == 1 else []


def _place(index: Any) -> Any:
    """An index as something to compare."""
    if isinstance(index, tuple | list):
        return (type(index), *map(_place, index))
    if isinstance(index, slice):
        return (slice, _place(index.start), _place(index.stop), _place(index.step))
    return index if isinstance(index, Value) else (type(index), repr(index))


def _first_write(v: Value, body: Region) -> int:
    """Where in a body the first store into an array stands."""
    places = (
        i
        for i, op in enumerate(body.ops)
        if any(o.target is update and o.args[0] is v for o in (op, *(x for sub in op.regions for x in walk(sub))))
        or (isinstance(op, For | While) and v in set(leaves(op.inits)))
    )
    return next(places, len(body.ops))


def _made_of(v: Any, p: Value, writer: For | While, defs: dict[Value, Op], depth: int = 4) -> set[Value]:
    """The values behind `v`, if it is made of `p` and of what both loops know by views and a few sums and products."""
    op = defs.get(v) if isinstance(v, Value) else None
    if op is None or type(op) is not Op or not depth or not isinstance(v.kind, Array):
        return set()
    if not is_cheap(op) and op.target not in _SIMPLE:
        return set()
    behind = {v}
    reached = False
    for x in op.operands():
        if x is p:
            reached = True
        elif x in defs:
            inner = _made_of(x, p, writer, defs, depth - 1)
            if not inner and not (is_cheap(defs[x]) and isinstance(x.kind, Num)):
                return set()
            reached |= bool(inner)
            behind |= inner
        elif x in writer.carried:
            return set()
    return behind if reached else set()
