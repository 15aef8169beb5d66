"""Which values are parts of expressions and which are variables, and what is alive where.

%a = %x @ %w; %z = %a + %b     ->     z = x @ w + b            (%a is written inside, %z is a variable)
"""

import operator
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.ir.callee import passed
from adcompiler.ir.core import (
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    While,
    errstate_of,
    is_cotangent,
    leaves,
    walk,
)
from adcompiler.passes.mark import pullbacks, read_by_pullback, split, turn
from adcompiler.passes.memory import GROWING, Decisions, Memory
from rules.cotangent import update
from rules.kind import Array, same_shape

ELEMENTWISE = (operator.add, operator.sub, operator.mul, operator.truediv)
MAX_WEIGHT = 9
#: What may write into its first operand.
_WRITES = (update, *GROWING)


@dataclass
class Schedule:
    """`inlined` values are written where they are used; `expressions` are Ifs and Fors written as expressions."""

    inlined: set[Value] = field(default_factory=set)
    expressions: set[int] = field(default_factory=set)
    defs: dict[Value, Op] = field(default_factory=dict)
    after: dict[int, set[Value]] = field(default_factory=dict)
    inside: dict[int, set[Value]] = field(default_factory=dict)
    early: set[int] = field(default_factory=set)

    def is_written(self, op: Op) -> bool:
        """Is this operation a statement of its own?"""
        return not (len(op.results) == 1 and op.result in self.inlined)

    def reads(self, tree: Any) -> set[Value]:
        """The variables that are read where this tree of operands is written."""
        out: set[Value] = set()
        for v in leaves(tree):
            if v in self.inlined:
                out |= self.read_by(self.defs[v])
            else:
                out.add(v)
        return out

    def read_by(self, op: Op) -> set[Value]:
        """The variables that an operation reads, those of its regions included."""
        out = self.reads((op.args, op.kwargs))
        for sub in op.regions:
            out |= self.read_in(sub)
        return out

    def read_in(self, region: Region) -> set[Value]:
        """The variables from outside that a region reads."""
        inner = set(region.params)
        out = set()
        for op in region.ops:
            if self.is_written(op):
                out |= self.read_by(op)
            inner.update(op.results)
        return (out | self.reads(region.results)) - inner


def schedule(function: Function, apart: Collection[Value] = ()) -> Schedule:
    """Decide what is written inside expressions, none of `apart`, then find what is alive after each statement."""
    plan = Schedule()
    uses: dict[Value, list[tuple[Op | None, int]]] = defaultdict(list)
    _uses(function.body, uses, plan.defs)
    stored = any(op.target in _WRITES for op in walk(function.body))
    memory = Memory(function, Decisions(), freeze=False) if stored else None
    stops = {op.body.results[-1] for op in walk(function.body) if isinstance(op, For | While) and op.stop}
    _inline(function.body, plan, uses, {}, stops | set(apart), memory)
    _alive_in(function, plan)
    return plan


def _uses(region: Region, uses: Any, defs: dict[Value, Op]) -> None:
    for op in region.ops:
        for v in op.operands():
            uses[v].append((op, id(region)))
        for sub in op.regions:
            _uses(sub, uses, defs)
        for r in op.results:
            defs[r] = op
    for v in leaves(region.results):
        uses[v].append((None, id(region)))


def _inline(
    region: Region, plan: Schedule, uses: Any, weight: dict[Value, int], stops: set[Any], memory: Memory | None
) -> None:
    order = {id(op): i for i, op in enumerate(region.ops)}
    writes = _writes(region, memory) if memory is not None else {}
    forward = next((i for i, op in enumerate(region.ops) if op.target in (turn, split)), 0)
    apart = forward if region.ops and region.ops[forward].target is split else 0
    for op in region.ops:
        if isinstance(op, For | While):
            _keep_early(op, plan, uses)
        for sub in op.regions:
            _inline(sub, plan, uses, weight, stops, memory)
        short = isinstance(op, If) and _arms_are_expressions(op, plan)
        if short or (isinstance(op, For) and _is_comprehension(op, plan)):
            plan.expressions.add(id(op))
        if len(op.results) != 1 or op.effect or op.result in plan.inlined:
            continue
        v = op.result
        total = 1 + sum(weight.get(x, 0) for x in op.operands())
        weight[v] = 0
        if op.regions and id(op) not in plan.expressions:
            continue
        if op.target in _WRITES or len(uses[v]) != 1 or v in stops:
            continue
        user, where = uses[v][0]
        if errstate_of(op) != (errstate_of(user) if user is not None else ()):
            continue  # it is computed under the error handling of its own line
        if user is None and order[id(op)] < forward:
            continue  # the value belongs to the forward part
        if user is not None and order[id(op)] < apart < order.get(id(user), apart):
            continue  # computed once, and kept for the pullback
        if not _nameless(v) and not _is_term(v, user):
            continue
        if where != id(region) or (user is not None and user.target in _WRITES and user.args[0] is v):
            continue
        if reuses(op, uses, order, plan.defs) is not None or total > MAX_WEIGHT:
            continue
        if user is not None and reuses(user, uses, order, plan.defs) is v:
            continue
        if user is not None and any(y is v for x in passed(user) for y in x):
            continue  # it is computed once, and not whenever the function is called
        if user is not None and isinstance(user, If | For | While) and v not in set(user.operands()):
            continue
        if writes and _written_between(plan.read_by(op), order[id(op)], order.get(id(user)), writes, memory):
            continue
        plan.inlined.add(v)
        weight[v] = total


def _writes(region: Region, memory: Memory) -> dict[Value, list[int]]:
    """Where in a region memory is written: the positions, by root."""
    out: dict[Value, list[int]] = defaultdict(list)
    for i, op in enumerate(region.ops):
        for inner in (op, *(o for sub in op.regions for o in walk(sub))):
            if inner.target in _WRITES:
                for r in memory.roots(inner.args[0]):
                    out[r].append(i)
    return out


def _written_between(
    reads: set[Value], start: int, end: int | None, writes: dict[Value, list[int]], memory: Any
) -> bool:
    """Is something that an expression reads written between its place and where it would be inlined?"""
    for r in frozenset().union(*map(memory.roots, reads)):
        places = writes.get(r, [])
        following = places[bisect_right(places, start) :][:1]
        if following and (end is None or following[0] < end):
            return True
    return False


def _keep_early(op: For | While, plan: Schedule, uses: Any) -> None:
    """Let a loop keep what it collects first, if that is what it begins with, or copies of it."""
    body = op.body
    collected = body.results[len(op.inits) : len(op.results)]
    made = {o.result: o for o in body.ops if o.target is np.copy and o.args[0] in body.params}
    copies = [v for v in collected if v in made and len(uses[v]) == 1]
    if collected and all(isinstance(v, Value) and (v in body.params or v in copies) for v in collected):
        plan.early.add(id(op))
        plan.inlined.update(copies)


def _is_term(v: Value, user: Op | None) -> bool:
    """Is this a cotangent's contribution, added to the others where it is used?"""
    if user is None or user.target not in ELEMENTWISE:
        return False
    return is_cotangent(v, named=True) and user.result.hint == v.hint


def _nameless(v: Value) -> bool:
    return not v.hint.isidentifier() or is_cotangent(v, named=False)


def reuses(op: Op, uses: Any, order: dict[int, int], defs: dict[Value, Op]) -> Value | None:
    """The cotangent whose array an elementwise operation could overwrite: of its kind, and last used here."""
    if op.target not in ELEMENTWISE or len(op.args) != 2 or not isinstance(op.result.kind, Array):
        return None
    sides = op.args if op.target in (operator.add, operator.mul) else op.args[:1]
    for x in sides:
        if not isinstance(x, Value) or not fits(x, op.result) or sum(1 for y in op.args if y is x) > 1:
            continue
        made = defs.get(x)
        passed_on = is_cotangent(x, named=False) and made is not None and reuses(made, uses, order, defs) is not None
        if not is_cotangent(x, named=True) and not passed_on:
            continue
        if all(u is not None and id(u) in order and order[id(u)] <= order[id(op)] for u, _ in uses[x]):
            return x
    return None


def reusing(function: Function) -> dict[Value, Value]:
    """The results that could be in the array of a cotangent, as `reuses` has it, and which."""
    uses: dict[Value, list[tuple[Op | None, int]]] = defaultdict(list)
    defs: dict[Value, Op] = {}
    _uses(function.body, uses, defs)
    found: dict[Value, Value] = {}
    regions = [function.body]
    for region in regions:  # which grows
        order = {id(op): i for i, op in enumerate(region.ops)}
        for op in region.ops:
            regions += op.regions
            x = reuses(op, uses, order, defs)
            if x is not None:
                found[op.result] = x
    return found


def fits(x: Value, result: Value) -> bool:
    """Can the array of `x` hold the result: of one dtype, rank and shape?"""
    a, b = x.kind, result.kind
    return (
        isinstance(a, Array)
        and isinstance(b, Array)
        and a.ndim > 0
        and a.dtype == b.dtype
        and a.xp == b.xp
        and same_shape(a, b)
    )


def _arms_are_expressions(op: If, plan: Schedule) -> bool:
    if len(op.results) != 1 or op.effect or op.result.hint:
        return False
    return all(len(s.results) == 1 and all(not plan.is_written(o) for o in s.ops) for s in op.regions)


def _is_comprehension(op: For, plan: Schedule) -> bool:
    if op.inits or len(op.results) != 1 or op.effect or op.stop:
        return False
    if not op.body.ops and op.body.results[0] in op.elements:
        return False
    return all(not plan.is_written(o) for o in op.body.ops)


# ---------------------------------------------------------------------------------------------- liveness
def _alive_in(function: Function, plan: Schedule) -> None:
    """Record what is alive after each statement, in the forward sweep and in each pullback."""
    ops, results = function.body.ops, function.body.results
    marks = [i for i, op in enumerate(ops) if op.target is split]
    kept = read_by_pullback(function)  # the next call reads them again
    if len(marks) < 2:
        _alive(function.body, kept, plan)
        return
    made = {r for op in ops[marks[0] :] for r in op.results}
    begun = set(kept)
    for mark, part in zip((ops[i] for i in marks), pullbacks(ops), strict=True):
        mine = {r for op in part for r in op.results}
        own = [v for v in leaves(results) if v in mine or v not in made]  # what none of them makes, any may return
        plan.after[id(mark)] = _alive(Region([], part, own), kept, plan)
        begun |= plan.after[id(mark)]
    _alive(Region([], ops[: marks[0]], [v for v in leaves(results) if v not in made]), begun, plan)


def _alive(region: Region, out: set[Value], plan: Schedule) -> set[Value]:
    """Record what is alive after each statement; returns what is alive before the first."""
    live = out | plan.reads(region.results)
    for op in reversed(region.ops):
        if not plan.is_written(op):
            continue
        plan.after[id(op)] = live
        through = live - set(op.results)
        if id(op) in plan.expressions:
            live = through | plan.read_by(op)
            continue
        if isinstance(op, If):
            inner = set()
            for side in op.regions:
                inner |= _alive(side, set(through), plan)
            live = through | inner | plan.reads(op.args)
        elif isinstance(op, For | While):
            around = through | set(op.results[len(op.inits) :])
            for sub in op.regions:
                around |= plan.read_in(sub)
            around |= plan.reads(op.args[0]) if isinstance(op, For) else set()
            plan.inside[id(op)] = set(around)
            end = set(around)
            if isinstance(op, While):
                end |= _alive(op.test, around | set(op.test.params), plan) - set(op.test.params)
            early = id(op) in plan.early
            for sub in (op.body,):
                inner_live = _alive_body(sub, op, end, early, plan)
            live = through | (inner_live - set(op.body.params)) | plan.reads(op.args)
        else:
            live = through | plan.read_by(op)
    return live


def _alive_body(body: Region, op: For | While, around: set[Value], early: bool, plan: Schedule) -> set[Value]:
    if not early:
        return _alive(body, around, plan)
    n, m = len(op.inits), len(op.results)
    trimmed = Region(body.params, body.ops, body.results[:n] + body.results[m:])
    return _alive(trimmed, around, plan) | plan.reads(body.results[n:m])
