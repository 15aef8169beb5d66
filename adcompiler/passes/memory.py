"""Which allocations each value may share memory with: the law that in-place statements are checked against.

    %v = %a[1:]; %b = update(%v, ..) in place     ->     roots: v {a}, b {a}

A root is the value that an allocation was made for. What belongs to the caller is foreign; what a loop or an opaque
call keeps by reference is frozen: neither is ever written.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from adcompiler.ir import alias
from adcompiler.ir.alias import holds_memory, shared
from adcompiler.ir.callee import CALLS, PULL
from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, walk
from adcompiler.ir.state import WITH_STATE, Forward
from rules.cotangent import appended, copied, listed, update, without_last
from rules.kind import Num, Opaque, Seq

#: What gives, or may give, views that cannot be written.
READ_ONLY = (*alias.READ_ONLY, np.diag)
#: What gives a list with one element more or less, in place where it can.
GROWING = (appended, without_last)
_NOTHING: frozenset[Value] = frozenset()


@dataclass
class Decisions:
    """Updates whose base is copied first, elementwise results written into an operand, carried values not ours."""

    copied: set[Value] = field(default_factory=set)
    overwritten: dict[Value, Value] = field(default_factory=dict)
    shared_carries: set[Value] = field(default_factory=set)


class Memory:
    """The roots of every value of a function, under decisions."""

    def __init__(self, function: Function, decisions: Decisions, freeze: bool = True) -> None:
        self.function = function
        self.decisions = decisions
        self.freeze = freeze
        self.table: dict[Value, frozenset[Value]] = {}
        self.foreign: set[Value] = set()
        self.frozen: set[Value] = set()
        for p in function.params:
            self._set(p, frozenset({p}))
            self.foreign.add(p)
        for op in function.body.ops:
            self.grown = True
            while self.grown:
                self.grown = False
                self._visit(op)
                self.grown = self.grown and bool(op.regions)  # what stands before is known

    def roots(self, x: Any) -> frozenset[Value]:
        """The roots of an operand; none for numbers and constants."""
        return self.table.get(x, _NOTHING) if isinstance(x, Value) else _NOTHING

    def ours(self, x: Any) -> bool:
        """May memory of this value be written at all?"""
        roots = self.roots(x)
        return bool(roots) and not roots & self.foreign and not roots & self.frozen

    def in_the_way(self, x: Value, others: set[Value]) -> Value | None:
        """One of these values that may share memory with `x`."""
        roots = self.roots(x)
        return min((w for r in roots for w in self.holders[r] & others), key=_age, default=None)

    @cached_property
    def holders(self) -> dict[Value, set[Value]]:
        """Of each root, the values that may share its memory."""
        out: dict[Value, set[Value]] = defaultdict(set)
        for v, roots in self.table.items():
            for r in roots:
                out[r].add(v)
        return out

    # ------------------------------------------------------------------------------------ computing them
    def _set(self, v: Value, roots: frozenset[Value]) -> None:
        if not holds_memory(v.kind):
            return
        old = self.table.get(v, _NOTHING)
        if not roots <= old:
            self.table[v] = old | roots
            self.grown = True

    def _visit(self, op: Op) -> None:
        if isinstance(op, If):
            for side in op.regions:
                self._inside(side)
                for r, x in zip(op.results, side.results, strict=False):
                    self._set(r, self.roots(x))
        elif isinstance(op, For | While):
            self._loop(op)
        else:
            self._plain(op)

    def _inside(self, region: Region) -> None:
        for op in region.ops:
            self._visit(op)

    def _plain(self, op: Op) -> None:
        base = self.decisions.overwritten.get(op.results[0]) if op.results else None
        if op.target is update:
            of_list = isinstance(op.result.kind, Seq)
            same = of_list or op.result not in self.decisions.copied
            roots = self.roots(op.args[0]) if same else frozenset({op.result})
            self._set(op.result, roots | self.roots(op.args[3]) if of_list else roots)
            return
        if isinstance(op.target, CALLS):
            self._call(op)
            return
        if isinstance(op.target, WITH_STATE):
            self._with_state(op)
            return
        if op.results and isinstance(op.results[0].kind, Opaque):
            self.frozen = self.frozen.union(*map(self.roots, op.operands()))  # a log, say
        for r in op.results:
            if op.target is copied or (op.target is listed and isinstance(r.kind.element, Num)):
                self._set(r, frozenset({r}))
            elif op.target in READ_ONLY or op.effect or hasattr(op.target, "__adc_name__"):
                # never written, and changes with what it is a view of; what a rule gives may be such a view
                viewed = () if op.effect else shared(op)
                self._set(r, frozenset({r}).union(*map(self.roots, viewed)))
                self.foreign.add(r)
            elif base is not None:
                self._set(r, self.roots(base))
            else:
                views = shared(op)
                self._set(r, frozenset().union(*map(self.roots, views)) if views else frozenset({r}))

    def _call(self, op: Op) -> None:
        """Results are arrays of their own; a pullback may keep them, and the arguments."""
        kept = frozenset().union(*map(self.roots, op.operands()))
        for r in op.results:
            pull = r.kind == PULL
            self._set(r, frozenset({r}) | (kept if pull else _NOTHING))
            kept |= self.roots(r)

    def _with_state(self, op: Op) -> None:
        """A state is the rule's, and may hold what the rule says; results are new, or borrowed, perhaps read-only."""
        if isinstance(op.target, Forward):
            *results, state = op.results
            held = frozenset().union(*map(self.roots, op.target.held(op)))
            self._set(state, held | {state})
            self.foreign.add(state)
            views = frozenset().union(*map(self.roots, op.target.viewed(op)))
            for r in results:
                self._set(r, views or frozenset({r}))
            return
        borrowed = frozenset().union(*map(self.roots, op.target.borrowed(op)))
        self._set(op.result, borrowed | {op.result})
        if borrowed:
            self.foreign.add(op.result)

    def _loop(self, op: For | While) -> None:
        n = len(op.inits)
        if isinstance(op, For):
            for e, s in zip(op.elements, op.sequences, strict=True):
                self._set(e, self.roots(s))
        for k, p in enumerate(op.carried):
            for v in (p, op.results[k], *([op.test.params[k]] if isinstance(op, While) else [])):
                if p in self.decisions.shared_carries:
                    self._set(v, self.roots(op.inits[k]) | self.roots(op.body.results[k]))
                else:
                    self._set(v, frozenset({op.results[k] if v is op.results[k] else p}))
        for sub in op.regions:
            self._inside(sub)
        for y, r in zip(op.body.results[n:], op.results[n:], strict=False):
            self._set(r, frozenset({r}) | self.roots(y))
            if self.freeze:
                self.frozen |= self.roots(y)


def _age(v: Value) -> int:
    return v.id


def carries(function: Function) -> Iterator[tuple[For | While, int]]:
    """Every carried value that holds memory: its loop and its number."""
    for op in walk(function.body):
        if isinstance(op, For | While):
            for k, p in enumerate(op.carried):
                if holds_memory(p.kind):
                    yield op, k


def carry_problem(memory: Memory, op: For | While, k: int, around: set[Value]) -> str:
    """Why a loop does not own what it carries: because of its "init" or its "yield"; empty where it does.

    `around` is what is alive throughout the loop: read by it from outside, or afterwards.
    """
    n = len(op.inits)
    for what, values in (("init", op.inits), ("yield", op.body.results[:n])):
        v = values[k]
        roots = memory.roots(v)
        if roots and not memory.ours(v):
            return what
        if any(memory.roots(w) & roots for j, w in enumerate(values) if j != k):
            return what
        if memory.in_the_way(v, around) is not None:
            return what
    return ""


def update_bases(function: Function) -> set[Value]:
    """What updates write into, with the values whose memory that is: bases of bases, through joins and carries."""
    sources: dict[Value, list[Any]] = {}
    stack: list[Any] = []
    for op in walk(function.body):
        if isinstance(op, If):
            for i, r in enumerate(op.results):
                sources[r] = [side.results[i] for side in op.regions if side.results]
        elif isinstance(op, For | While):
            for p, i, y in zip(op.carried, op.inits, op.body.results, strict=False):
                sources[p] = [i, y]
        elif op.target is update:
            sources[op.result] = [op.args[0]]
            stack.append(op.args[0])
        elif op.target in GROWING:
            sources[op.result] = [op.args[0]]
    found: set[Value] = set()
    while stack:
        v = stack.pop()
        if isinstance(v, Value) and v not in found:
            found.add(v)
            stack.extend(sources.get(v, []))
    return found


__all__ = ["GROWING", "Decisions", "Memory", "carries", "carry_problem", "update_bases"]
