"""What the reverse sweep keeps of the forward sweep, and in which form.

    tape of %x[%i]; .. for %i, %e in reversed          ->   %e = %x[%i] taken again, no tape
    %d = zeros_like(%a) with %a otherwise dead         ->   zeros_like(%b) of an array of the same shape and dtype

Cheap things (views, indices, lengths, arithmetic on ints) are computed again; what is wanted for its shape alone
is not kept.
"""

import operator
from typing import Any

from adcompiler.ir.alias import shared
from adcompiler.ir.core import For, Function, Op, Region, Value, While, leaves, map_tree, walk
from adcompiler.passes.dce import dce, live_values
from rules.cotangent import length, size, zeros_like
from rules.kind import Array, Num, lengths, same_shape
from rules.rule import find
from rules.sequences import backwards


def capture(function: Function) -> Function:
    """The same function with less on its tapes."""
    function = _shapes(function)
    function = dce(function)
    return dce(
        Function(function.name, function.params, _retake(function.body), function.result, function.doc)
    )


# -------------------------------------------------------------------------------------------- shapes
def shape_only(op: Op) -> set[Value]:
    """The operands of which an operation wants shape and dtype alone."""
    if op.target in (zeros_like, length, size):
        return {v for v in leaves(op.args[:1]) if isinstance(v.kind, Array)}
    rule = find(op.target)
    if rule is None or not any(p.name == "like" for p in rule.parameters):
        return set()
    like = rule.bind(op.args, op.kwargs).get("like")
    return {like} if isinstance(like, Value) and isinstance(like.kind, Array) else set()


def _shapes(function: Function) -> Function:
    """Take shapes from arrays that are needed anyway."""

    def valued(op: Op) -> list[Value]:
        like = shape_only(op)
        return [v for v in op.operands() if v not in like]

    needed = live_values(function, valued) | set(function.params)
    visible = [p for p in function.params if isinstance(p.kind, Array)]
    body = _take_shapes(function.body, visible, needed)
    return Function(function.name, function.params, body, function.result, function.doc)


def _take_shapes(region: Region, visible: list[Value], needed: set[Value]) -> Region:
    visible = visible + [p for p in region.params if isinstance(p.kind, Array)]
    ops = []
    for op in region.ops:
        swap: dict[Value, Value] = {}
        for v in shape_only(op):
            if v not in needed:
                other = _alike(v, visible, needed, op.target in (length, size))
                if other is not None:
                    swap[v] = other
        if swap and op.target is length:
            op = _length_of(op, swap)
            swap = {}
        ops.append(op.rebuild(lambda v, s=swap: s.get(v, v), lambda r: _take_shapes(r, visible, needed)))
        visible = visible + [r for r in op.results if isinstance(r.kind, Array)]
    return Region(region.params, ops, region.results)


def _alike(v: Value, visible: list[Value], needed: set[Value], shape: bool) -> Value | None:
    for c in visible:
        if c in needed and c is not v and same_shape(c.kind, v.kind) and c.kind.xp == v.kind.xp:
            if shape or c.kind.dtype == v.kind.dtype:
                return c
    return None


def _length_of(op: Op, swap: dict[Value, Value]) -> Op:
    return op.rebuild(lambda v: swap.get(v, v), lambda r: r)


# ------------------------------------------------------------------------------------------- retaking
def _retake(region: Region) -> Region:
    """In each region, match the loops that read tapes with those that wrote them; take cheap things again."""
    ops = [op.rebuild(lambda v: v, _retake) for op in region.ops]
    for op, old in zip(ops, region.ops, strict=True):
        op.results = old.results
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
        out.append(_Reader(op, written, reversed_of, out).rewritten() if isinstance(op, For) else op)
    return Region(region.params, out, region.results)


class _Reader:
    """A loop that reads tapes backwards."""

    def __init__(self, op: For, written: Any, reversed_of: dict[Value, Value], before: list[Op]) -> None:
        self.op = op
        self.before = before
        self.sequences = list(op.sequences)
        self.elements = list(op.elements)
        self.new: list[Op] = []
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
            defs = {r: o for o in writer.body.ops for r in o.results}
            cheap = {e for e, v in mine.items() if isinstance(v, Value) and _cheap(defs.get(v))}
            known: dict[Value, Any] = {
                v: e for e, v in mine.items() if e not in cheap and isinstance(v, Value)
            }
            for e in [e for e in mine if e in cheap]:
                made = self.remake(mine[e], writer, defs, known, 6)
                if made is not None:
                    swap[e] = made
        if not swap:
            return op
        gone = set(swap)
        keep = [i for i, e in enumerate(self.elements) if e not in gone] or [0]  # one tells the number of iterations
        from adcompiler.passes.adjoint import _substitute

        body = Region(
            [*(self.elements[i] for i in keep), *op.carried], list(op.body.ops), list(op.body.results)
        )
        _substitute(body, swap)
        body.ops[:0] = self.new
        return For(op.target, ([self.sequences[i] for i in keep], op.inits), {}, op.results, op.lazy, op.effect, op.loc,
                   body, op.stop)  # fmt: skip

    def remake(
        self, v: Any, writer: For | While, defs: dict[Value, Op], known: dict[Value, Any], depth: int
    ) -> Any:
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
            if sequence not in self.scans:
                turned = Value(sequence.kind, "", self.op.loc)
                self.before.append(Op(backwards, (sequence,), {}, [turned], loc=self.op.loc))
                element = Value(v.kind, v.hint, v.loc)
                self.sequences.append(turned)
                self.elements.append(element)
                self.scans[sequence] = element
            known[v] = self.scans[sequence]
            return known[v]
        if not depth or not _cheap(op):
            return None
        operands = {x: self.remake(x, writer, defs, known, depth - 1) for x in op.operands()}
        if any(x is None for x in operands.values()):
            return None
        made = Value(v.kind, v.hint, v.loc)
        self.new.append(Op(op.target, map_tree(lambda x: operands[x], op.args), map_tree(lambda x: operands[x], op.kwargs),
                           [made], loc=self.op.loc))  # fmt: skip
        known[v] = made
        return made


def _cheap(op: Op | None) -> bool:
    """Views, indices, lengths, arithmetic on a number or two: taken again rather than kept."""
    if op is None or type(op) is not Op or op.effect or len(op.results) != 1:
        return False
    if op.target in (length, size, range):
        return True
    kind = op.result.kind
    if op.target is operator.getitem:
        return bool(shared(op)) or isinstance(kind, Num)
    if isinstance(kind, Num):
        return kind.type in (int, bool) and all(isinstance(v.kind, Num) for v in op.operands())
    return isinstance(kind, Array) and bool(shared(op)) and find(op.target) is not None


def tapes(function: Function) -> int:
    """How many lists loops collect: a count for tests."""
    return sum(len(op.results) - len(op.inits) for op in walk(function.body) if isinstance(op, For | While))


__all__ = ["capture", "lengths", "shape_only", "tapes"]
