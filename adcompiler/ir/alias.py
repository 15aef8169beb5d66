"""Which results may share memory with which operands: asked of the rule, and assumed of what has none."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompiler.ir.callee import Callee, Pull
from adcompiler.ir.core import Checkpoint, For, If, Op, Value, While, leaves
from adcompiler.ir.state import FromState
from rules.cotangent import spread
from rules.kind import Array, Num, Seq
from rules.rule import find

#: What gives views that cannot be written into, of numbers, too.
READ_ONLY = (spread, np.broadcast_to, np.diagonal)


def holds_memory(kind: Any) -> bool:
    """Can a value of this kind share memory with another? Numbers and ranges cannot."""
    return not (isinstance(kind, Num) or (isinstance(kind, Seq) and kind.range))


def shared(op: Op) -> list[Value]:
    """The operands whose memory the results of a plain operation may share; empty where they are new."""
    if not any(holds_memory(r.kind) for r in op.results):
        return []
    operands = [v for v in op.operands() if holds_memory(v.kind)]
    if not operands:
        return []
    if isinstance(op.target, Callee) and op.target.views is not None:
        return [v for i, v in enumerate(op.args) if i in op.target.views and v in operands]
    if isinstance(op.target, Pull):
        return []
    if isinstance(op.target, FromState):
        return [v for v in op.target.borrowed(op) if v in operands]
    rule = find(op.target)
    if rule is None:
        return [] if isinstance(op.target, np.ufunc) else operands
    if not rule.view:
        return []
    bound = rule.bind(op.args, op.kwargs)
    if op.target is np.einsum and (len(bound["operands"]) > 1 or _sums(op.args[0])):
        return []  # of one operand alone it may be a view
    if op.target is operator.getitem and isinstance(op.args[0], Value) and isinstance(op.args[0].kind, Array):
        if any(isinstance(v.kind, Array | Seq) for v in leaves(op.args[1])) or _has_list(op.args[1]):
            return []  # advanced indexing copies
    held = [v for name in rule.view for v in leaves(bound[name]) if holds_memory(v.kind)]
    if all(isinstance(r.kind, Seq) and not holds_memory(r.kind.element) for r in op.results):
        return [v for v in held if isinstance(v.kind, Seq)]  # a list of numbers is no view of an array
    return held


def _sums(subscripts: Any) -> bool:
    """Does einsum of one operand sum over an axis?"""
    if not isinstance(subscripts, str):
        return False
    before, arrow, after = subscripts.partition("->")
    return any(before.count(a) > 1 if not arrow else a not in after for a in before if a.isalpha())


def takes_all(index: Any) -> bool:
    """Does an index take all there is?"""
    items = index if isinstance(index, tuple) else (index,)
    return all(i is None or i is Ellipsis or (isinstance(i, slice) and i == slice(None)) for i in items)


def is_integer(i: Any) -> bool:
    """Is this an index of one element: an int, or a number of integers?"""
    if isinstance(i, Value):
        return isinstance(i.kind, Num) and i.kind.dtype.kind in "iu"
    return type(i) is int


def _has_list(index: Any) -> bool:
    return isinstance(index, list) or (isinstance(index, tuple) and any(isinstance(i, list) for i in index))


def edges(op: Op) -> Iterator[tuple[Value, Value]]:
    """(source, result) for each result that may share memory with an operand, or with what a region yields.

    The parameters of a loop share memory with what it begins with, with what its body yields and with what it reads.
    """
    if isinstance(op, If | Checkpoint):
        for side in op.regions:
            pairs = zip(side.results, op.results, strict=False)
            yield from ((x, r) for x, r in pairs if isinstance(x, Value) and holds_memory(r.kind))
    elif isinstance(op, For | While):
        flows: list[tuple[list[Any], list[Value]]] = [
            (before, after) for before in (op.inits, op.body.results) for after in (op.carried, op.results)
        ]
        if isinstance(op, For):
            flows.append((op.sequences, op.elements))
        for before, after in flows:
            for d, r in zip(before, after, strict=False):
                yield from ((x, r) for x in leaves(d) if holds_memory(x.kind) and holds_memory(r.kind))
    else:
        for v in shared(op):
            yield from ((v, r) for r in op.results)


def reached(ops: Any, v: Value) -> set[Value]:
    """Everything among the results of `ops` that may share memory with `v`; inner operations may follow outer ones."""
    out, size = {v}, 0
    while size != len(out):
        size = len(out)
        for op in ops:
            out.update(r for x, r in edges(op) if x in out)
    return out


def new_memory(op: Op) -> bool:
    """Is the result surely an array of its own, which may be written into?"""
    if isinstance(op.target, Callee) and (op.target.views is None or op.target.entangled):
        return False
    return type(op) is Op and not shared(op) and op.target not in READ_ONLY
