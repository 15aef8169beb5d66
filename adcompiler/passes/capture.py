"""What the reverse sweep keeps of the forward sweep, and in which form.

    tape of %x[%i]; .. for %i, %e in reversed          ->   %e = %x[%i] taken again, no tape
    %d = zeros_like(%a) with %a otherwise dead         ->   zeros_like(%b) of an array of the same shape and dtype,
                                                            or of the same view of one that a loop carries

Cheap things (views, indices, lengths, arithmetic on ints) are computed again; what is wanted for its shape alone
is not kept.
"""

import operator
from collections import defaultdict
from typing import Any

import numpy as np

from adcompiler.ir.alias import shared
from adcompiler.ir.build import infer
from adcompiler.ir.core import For, Function, Op, Region, Value, While, errstate_of, leaves, map_tree, substitute, walk
from adcompiler.passes.cheap import is_cheap
from adcompiler.passes.dce import dce, live_values
from adcompiler.passes.missing import missing
from rules.cotangent import (
    length,
    size,
    spread,
    update,
    winners,
    zeros_like,
)  # fmt: skip
from rules.kind import Array, Num, Seq, lengths, same_shape
from rules.rule import find
from rules.sequences import backwards

#: Elementwise operations that are worth doing again where two results would be kept.
_SIMPLE = (operator.add, operator.sub, operator.mul, operator.neg)


def capture(function: Function) -> Function:
    """The same function with less on its tapes."""
    function = _shapes(function)
    function = dce(function)
    body = _hoisted(_retake(function.body))
    return dce(Function(function.name, function.params, body, function.result, function.doc))


# -------------------------------------------------------------------------------------------- shapes
def shape_only(op: Op) -> set[Value]:
    """The operands of which an operation wants shape and dtype alone."""
    if op.target in (zeros_like, length, size, winners):
        return {v for v in leaves(op.args[:1]) if isinstance(v.kind, Array)}
    rule = find(op.target)
    if rule is None or not any(p.name in rule.like for p in rule.parameters):
        return set()
    bound = rule.bind(op.args, op.kwargs)
    return {v for n in rule.like for v in leaves(bound.get(n)) if isinstance(v.kind, Array)}


def _shapes(function: Function) -> Function:
    """Take shapes from arrays that are needed anyway."""

    def valued(op: Op) -> list[Value]:
        like = shape_only(op)
        return [v for v in op.operands() if v not in like]

    needed = live_values(function, valued) | set(function.params)
    needed -= missing(function)
    visible = [p for p in function.params if isinstance(p.kind, Array)]
    reads = [op for op in walk(function.body) if op.target is operator.getitem and shared(op)]
    views = {op.result: op for op in reads if isinstance(op.args[0], Value) and isinstance(op.args[0].kind, Array)}
    views |= {e: views[v] for e, v in _kept(function.body).items() if v in views}
    body = _take_shapes(function.body, visible, needed, views)
    return Function(function.name, function.params, body, function.result, function.doc)


def _kept(body: Region) -> dict[Value, Any]:
    """The elements of tapes that loops read, with what was written there."""
    loops = [op for op in walk(body) if isinstance(op, For | While)]
    written = {r: x for op in loops for r, x in list(zip(op.results, op.body.results))[len(op.inits) :]}
    tape_of = {op.result: op.args[0] for op in walk(body) if op.target is backwards}
    return {
        e: written[tape_of[s]]
        for op in loops if isinstance(op, For)
        for e, s in zip(op.elements, op.sequences, strict=True)
        if isinstance(s, Value) and tape_of.get(s) in written
    }  # fmt: skip


def _take_shapes(region: Region, visible: list[Value], needed: set[Value], views: dict[Value, Op]) -> Region:
    visible = visible + [p for p in region.params if isinstance(p.kind, Array)]
    ops: list[Op] = []
    for op in region.ops:
        swap: dict[Value, Value] = {}
        for v in shape_only(op):
            if v not in needed:
                other = _alike(v, visible, needed, op.target in (length, size))
                if other is None:
                    other = _alike_view(v, region.params, needed, views, ops)
                if other is not None:
                    swap[v] = other
                else:
                    op = _from_lengths(op, v, visible, needed, ops)

        def renamed(v: Value, swap: dict[Value, Value] = swap) -> Value:
            return swap.get(v, v)

        ops.append(op.rebuild(renamed, lambda sub: _take_shapes(sub, visible, needed, views)))
        visible.extend(r for r in op.results if isinstance(r.kind, Array))
    return Region(region.params, ops, region.results)


def _alike(v: Value, visible: list[Value], needed: set[Value], shape: bool) -> Value | None:
    for c in visible:
        if c in needed and c is not v and same_shape(c.kind, v.kind) and c.kind.xp == v.kind.xp:
            if shape or c.kind.dtype == v.kind.dtype:
                return c
    return None


def _alike_view(
    v: Value, carried: list[Value], needed: set[Value], views: dict[Value, Op], ops: list[Op]
) -> Value | None:
    """Where `v` is a view: the same view of what a loop carries and needs anyway, which it keeps nothing for."""
    view = views.get(v)
    if view is None or any(True for _ in leaves(view.args[1])):
        return None
    arrays = [c for c in carried if isinstance(c.kind, Array)]
    base = _alike(view.args[0], arrays, needed, shape=False)
    if base is None:
        return None
    ops.append(Op(operator.getitem, (base, view.args[1]), {}, [Value(v.kind, v.hint, v.loc)], loc=v.loc))
    return ops[-1].result


def _from_lengths(op: Op, v: Value, visible: list[Value], needed: set[Value], ops: list[Op]) -> Op:
    """The operation with the shape of `v` put together from the axes of arrays that are needed anyway."""
    kind = v.kind
    if op.target not in (spread, zeros_like, size, length) or kind.xp != "numpy" or not _plain(op):
        return op
    axes: Any = range(kind.ndim)
    if op.target is length:
        axes = [op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", 0)]
    found: list[Any] = []
    made: list[Op] = []
    for n in (lengths().resolve(kind.shape[k]) for k in axes):
        if n.constant:
            found.append(n.offset)
            continue
        source = _axis_of(n, visible, needed)
        if source is None:
            return op
        made.append(Op(length, source if source[1] else source[:1], {}, [Value(Num(int, n), "", op.loc)], loc=op.loc))
        found.append(made[-1].result)
    if op.target in (size, length):
        return _product(op, found, made, ops)
    ops.extend(made)
    shape = tuple(found) if len(found) != 1 else found[0]
    given = {} if kind.dtype == np.float64 else {"dtype": kind.dtype}
    if op.target is zeros_like:
        return Op(np.zeros, (shape,), given, op.results, loc=op.loc)
    if given or not isinstance(shape, tuple):
        return Op(np.full, (shape, op.args[0]), given, op.results, loc=op.loc)
    return Op(np.broadcast_to, (op.args[0], shape), {}, op.results, loc=op.loc)


def _axis_of(n: Any, visible: list[Value], needed: set[Value]) -> tuple[Value, int] | None:
    """An array that is needed anyway, and the axis of it that has this length."""
    for c in visible:
        if c in needed:
            for k, m in enumerate(c.kind.shape):
                if lengths().same(m, n):
                    return c, k
    return None


def _product(op: Op, found: list[Any], made: list[Op], ops: list[Op]) -> Op:
    """The product of lengths, with the result of `op`."""
    if len(found) == 1 and made:
        return Op(length, made[0].args, {}, op.results, loc=op.loc)
    if len(found) < 2 or not made:
        return op
    ops.extend(made)
    total = found[0]
    for n in found[1:-1]:
        ops.append(Op(operator.mul, (total, n), {}, [Value(Num(int), "", op.loc)], loc=op.loc))
        total = ops[-1].result
    return Op(operator.mul, (total, found[-1]), {}, op.results, loc=op.loc)


def _plain(op: Op) -> bool:
    """A spread of one number, or anything that is not a spread."""
    if op.target is not spread:
        return True
    d = op.args[0]
    return len(op.args) == 2 and not op.kwargs and (not isinstance(d, Value) or isinstance(d.kind, Num))


# ------------------------------------------------------------------------------------------- retaking
def _retake(region: Region) -> Region:
    """In each region, match the loops that read tapes with those that wrote them; take cheap things again."""
    ops = [op.rebuild(lambda v: v, _retake) for op in region.ops]
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
        new: Any = _Reader(op, written, reversed_of, out).rewritten() if isinstance(op, For) else op
        mine = {r: (new, k) for r, (writer, k) in written.items() if writer is op}
        written.update(mine)  # what it keeps may be read in its turn
        out.append(new)
    return Region(region.params, out, region.results)


class _Reader:
    """A loop that reads tapes backwards."""

    def __init__(self, op: For, written: Any, reversed_of: dict[Value, Value], before: list[Op]) -> None:
        self.op = op
        self.before = before
        self.sequences = list(op.sequences)
        self.elements = list(op.elements)
        self.new: list[Op] = []
        self.reversed_of = reversed_of
        self.dropped: set[int] = set()
        self.simple: set[Value] = set()
        self.tapes = {
            e: written[reversed_of[s]]
            for e, s in zip(op.elements, op.sequences, strict=True)
            if isinstance(s, Value) and s in reversed_of and reversed_of[s] in written
        }
        self.scans = {reversed_of[s]: e for e, s in zip(op.elements, op.sequences, strict=True)
                      if isinstance(s, Value) and s in reversed_of}  # fmt: skip

    def rewritten(self) -> For:
        op = self.op
        swap: dict[Value, Any] = {}
        writers = {id(w): w for w, _ in self.tapes.values()}
        for writer in writers.values():
            mine = {e: writer.body.results[k] for e, (w, k) in self.tapes.items() if w is writer}
            self.keep_pieces(writer, mine, swap)
            defs = {r: o for o in writer.body.ops for r in o.results}
            cheap = {e for e, v in mine.items() if isinstance(v, Value) and is_cheap(defs.get(v))}
            cheap |= self.keep_base(writer, mine, defs)
            known: dict[Value, Any] = {v: e for e, v in mine.items() if e not in cheap and isinstance(v, Value)}
            order = {v: i for i, v in enumerate(defs)}
            for e in sorted(cheap, key=lambda e: order[mine[e]]):
                made = self.remake(mine[e], writer, defs, known, 6)
                if made is None:
                    known[mine[e]] = e  # kept, and what depends on it is made from it
                else:
                    swap[e] = made
        swap = {v: swap.get(x, x) for v, x in swap.items()}  # a piece may be made again in its turn
        unread = self.unread()
        if not swap and unread is None:
            return op
        gone = {e for e in self.elements if e in swap} | ({unread} if unread is not None else set())
        keep = [i for i, e in enumerate(self.elements) if e not in gone] or [0]  # one tells the number of iterations
        params = [*(self.elements[i] for i in keep), *op.carried]
        body = Region(params, self.without_pieces(op.body).ops, list(op.body.results))
        substitute(body, swap)
        body.ops[:0] = self.new
        return For(op.target, ([self.sequences[i] for i in keep], op.inits), {}, op.results, op.lazy, op.effect, op.loc,
                   body, op.stop)  # fmt: skip

    # -------------------------------------------------------------------------- pieces, or the whole
    def keep_pieces(self, writer: For | While, mine: dict[Value, Any], swap: dict[Value, Any]) -> None:
        """An array of which one place alone is read back is not kept: what is there is."""
        for e, v in list(mine.items()):
            reads = _reads_of_one_place(e, self.op.body)
            if not reads or not isinstance(v, Value):
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
            read = Op(operator.getitem, (v, index[1]), {}, [piece], loc=piece.loc)
            writer.body.ops[where:where] = [*index[0], read]
            taken = self.collect(writer, piece)
            mine[taken] = piece
            swap.update((o.result, taken) for o in reads)
            self.dropped.update(id(o) for o in reads)
            del mine[e]

    def in_writer(self, index: Any, mine: dict[Value, Any], writer: For | While) -> tuple[list[Op], Any] | None:
        """An index of the reading loop in terms of the writing one, with the arithmetic that it takes."""
        scanned = dict(zip(writer.sequences, writer.elements, strict=True)) if isinstance(writer, For) else {}
        back = {
            e: scanned[self.reversed_of[s]]
            for e, s in zip(self.op.elements, self.op.sequences, strict=True)
            if isinstance(s, Value) and self.reversed_of.get(s) in scanned
        }
        made = {r: o for o in self.op.body.ops for r in o.results}
        local = {v for region in _regions(self.op.body) for v in (*region.params, *_defined(region))}
        ops: list[Op] = []
        again: dict[Value, Any] = {}

        def find(x: Value) -> Any:
            if x in mine or x in back or x not in local:
                return mine.get(x, back.get(x, x))
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
        self.before.append(Op(backwards, (tape,), {}, [turned], loc=self.op.loc))
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
        if any(e in set(leaves(sub.results)) for sub in _regions(self.op.body)):
            return None
        sequence = writer.sequences[0]
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
                return v  # from outside both loops
            if not isinstance(writer, For) or v not in writer.elements:
                return None
            sequence = writer.sequences[writer.elements.index(v)]
            if not isinstance(sequence, Value):
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
        if not depth or not (is_cheap(op) or v in self.simple):
            return None
        operands = {x: self.remake(x, writer, defs, known, depth - 1) for x in op.operands()}
        if any(x is None for x in operands.values()):
            return None
        made = Value(v.kind, v.hint, v.loc)
        args, kwargs = (map_tree(lambda x: operands[x], tree) for tree in (op.args, op.kwargs))
        self.new.append(Op(op.target, args, kwargs, [made], loc=op.loc if errstate_of(op) else self.op.loc))
        known[v] = made
        return made

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


def _regions(region: Region) -> list[Region]:
    return [region, *(sub for op in walk(region) for sub in op.regions)]


def _defined(region: Region) -> list[Value]:
    return [r for op in region.ops for r in op.results]


def _reads_of_one_place(e: Value, body: Region) -> list[Op]:
    """The reads of an array, if it is read at one place alone."""
    if not isinstance(e.kind, Array):
        return []
    readers = [o for o in walk(body) if e in set(o.operands())]
    if any(e in set(leaves(region.results)) for region in _regions(body)):
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


def _hoisted(region: Region) -> Region:
    """Of an array that is stored into, the places that are read later are read before: then it need not be copied."""
    ops = [op.rebuild(lambda v: v, _hoisted) for op in region.ops]
    for op, old in zip(ops, region.ops, strict=True):
        op.results = old.results
    stored = [op.args[0] for op in ops if op.target is update and isinstance(op.args[0], Value)]
    if not stored:
        return Region(region.params, ops, region.results)
    place = {id(op): i for i, op in enumerate(ops)}
    made = {r: id(op) for op in ops for r in op.results}
    readers: dict[Value, list[Op]] = defaultdict(list)
    for op in ops:
        for v in _read_within(op):
            readers[v].append(op)
    for x in stored:
        first = min(place[id(op)] for op in readers[x] if op.target is update and op.args[0] is x)
        later = sorted((op for op in readers[x] if place[id(op)] > first), key=lambda op: place[id(op)])
        reads = _reads_of_one_place(x, Region([], later, region.results))
        if not reads or any(id(o) not in place for o in reads):
            continue
        if all(v not in made or place[made[v]] < first for v in leaves(reads[0].args[1])):
            ops = [*ops[:first], *reads, *(op for op in ops[first:] if op not in reads)]
            place = {id(op): i for i, op in enumerate(ops)}
    return Region(region.params, ops, region.results)


def _read_within(op: Op) -> set[Value]:
    """What an operation reads, and what its regions read and yield."""
    around = Region([], [op])
    read = {v for o in walk(around) for v in o.operands()}
    return read.union(*(leaves(sub.results) for sub in _regions(around)))


def tapes(function: Function) -> int:
    """How many lists loops collect: a count for tests."""
    return sum(len(op.results) - len(op.inits) for op in walk(function.body) if isinstance(op, For | While))
