"""Where arrays are written in place, where they are copied, and who owns them.

    %d_p.2 = %d_p * %q      ->     d_p *= q          (%d_p is ours, and nobody reads it again)
    return %d_x             ->     return d_x.copy()  (where d_x may share memory with an argument)

An in-place write is legal iff nothing else that may share the memory is alive after it, and none of it belongs to the
caller (`memory`). With `reuse=False`, the reference, nothing is written in place but fresh copies.
"""

import operator
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from adcompiler.ir.alias import shared
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import (
    UNDEF,
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    While,
    free_values,
    is_cotangent,
    leaves,
    map_tree,
    place_of,
    walk,
)
from adcompiler.ir.state import Forward
from adcompiler.passes.copies import copied_in_arm
from adcompiler.passes.flags import keep_flags
from adcompiler.passes.growing import grown_in_place
from adcompiler.passes.mark import end_of_pullback, read_by_pullback, split
from adcompiler.passes.memory import READ_ONLY, Decisions, Memory, carries, carry_problem, update_bases
from adcompiler.passes.missing import missing
from adcompiler.passes.schedule import ELEMENTWISE, Schedule, fits, schedule
from adcompiler.passes.whole import whole
from rules.cotangent import assigned, copied, listed, spread, update, without_last
from rules.kind import Array, Num, Seq


@dataclass
class Buffers:
    """The decisions: operations that write into an operand, updates whose base is copied first.

    In a function with a workspace (`preallocate`), `into` has what else is computed into an operand, `slots` what into
    an array of the workspace, and `spares` what into one that a loop has given back, where `given` is. What is given
    back `later` is there for the next call. A pullback has a workspace of its own: of the arrays, named by the first
    that is computed into each, those of `scratch`. `lasting` is computed once for a workspace. `dots` are products into
    arrays that lie in memory as C has them. `anywhere`: a result may be computed into an operand of another name.
    """

    decisions: Decisions = field(default_factory=Decisions)
    in_place: dict[int, Value] = field(default_factory=dict)
    copied: set[int] = field(default_factory=set)
    into: dict[int, Value] = field(default_factory=dict)
    slots: dict[int, Value] = field(default_factory=dict)
    spares: dict[int, Value] = field(default_factory=dict)
    given: dict[int, Value] = field(default_factory=dict)
    lasting: dict[int, Value] = field(default_factory=dict)
    dots: set[int] = field(default_factory=set)
    anywhere: bool = False
    later: set[int] = field(default_factory=set)
    scratch: set[Value] = field(default_factory=set)


def handed_on(function: Function) -> set[Value]:
    """What loops keep on tapes, and what branches give that was not made in them."""
    out: set[Value] = set()
    for op in walk(function.body):
        if isinstance(op, For | While):
            out.update(leaves(op.body.results[len(op.inits) : len(op.results)]))
        elif isinstance(op, If):
            for side in op.regions:
                out.update(set(leaves(side.results)) - {r for o in side.ops for r in o.results})
    return out


def _without_idle_checks(function: Function) -> Function:
    """Drop the check that a loop has assigned a variable where the variable is read anyway: Python checks it then."""
    defs = {r: op for op in walk(function.body) for r in op.results}
    kept = handed_on(function)

    def natural(v: Any) -> bool:
        op = defs.get(v)
        if v in kept or (isinstance(op, For | While) and set(op.carried) & kept):
            return False
        return (
            isinstance(op, For | While) and v in op.results[: len(op.inits)] and op.inits[op.results.index(v)] is UNDEF
        )

    def clean(region: Region) -> Region:
        ops = [op.rebuild(lambda v: v, clean) for op in region.ops]
        read = {v for op in ops if op.target is not assigned for v in op.operands()} | set(leaves(region.results))
        kept = [op for op in ops if op.target is not assigned or not (natural(op.args[0]) and op.args[0] in read)]
        return Region(region.params, kept, region.results)

    return Function(function.name, function.params, clean(function.body), function.result, function.doc)


def _settled(region: Region, loop: For | While | None = None) -> Region:
    """In loops, what replaces a carried value stands after the last line that reads the old one."""

    def inner(op: Op) -> Op:
        around = op if isinstance(op, For | While) else None
        return op.rebuild(lambda v: v, lambda r: _settled(r, around if around and r is around.body else None))

    ops = [inner(op) for op in region.ops]
    if loop is not None and loop.carried:
        read = _read(ops)
        stops = ops[-1:] if loop.stop and ops and region.results[-1] in ops[-1].results else []
        kept = _read(stops) | {r for op in stops for r in op.results}
        last: list[Op] = []
        for p, y in zip(loop.carried, region.results, strict=False):
            for op in ops:
                if y in op.results and y not in read and len(op.results) == 1 and not op.effect and not op.regions:
                    if (p not in set(op.operands()) or op.target not in (*ELEMENTWISE, update)) and not kept & {p, y}:
                        last.append(op)
        ops = [*(op for op in ops if op not in [*last, *stops]), *(op for op in ops if op in last), *stops]
    return Region(region.params, ops, region.results)


def _sunk(region: Region) -> Region:
    """Cotangents are cleared, or scaled, at a place as late as can be: what reads it first needs no copy then."""
    ops = [op.rebuild(lambda v: v, _sunk) for op in region.ops]
    out: list[Op] = []
    waiting: list[Op] = []
    for op in ops:
        read = {*op.operands(), *(v for sub in op.regions for v in free_values(sub))}
        ready = [w for w in waiting if w.result in read]
        out.extend(ready)
        waiting = [w for w in waiting if w not in ready]
        if op.target is split:
            out, waiting = [*out, *waiting], []
        late = op.target is update and op.args[2] in ("set", "mul") and is_cotangent(op.result)
        if late and (op.args[2] == "mul" or not isinstance(op.args[3], Value)):
            waiting.append(op)
        else:
            out.append(op)
    return Region(region.params, [*out, *waiting], region.results)


def _popped(region: Region) -> Region:
    """A list gets shorter behind the last line that reads the longer one, if nothing needs the shorter one before."""
    ops = [op.rebuild(lambda v: v, _popped) for op in region.ops]
    for pop in [op for op in ops if op.target is without_last]:
        i = ops.index(pop)
        end = next((j for j, op in enumerate(ops) if j > i and pop.result in _read([op])), len(ops))
        last = max((j for j in range(i + 1, end) if pop.args[0] in _read([ops[j]])), default=i)
        users = [j for j in range(last + 1, end) if last > i and set(ops[last].results) & _read([ops[j]])]
        place = users[0] if len(users) == 1 and not ops[users[0]].regions else last
        ops[i : place + 1] = [*ops[i + 1 : place + 1], pop]
    return Region(region.params, ops, region.results)


def _read(ops: list[Op]) -> set[Value]:
    """What operations read, and what is read in them from outside."""
    return {v for op in ops for v in (*op.operands(), *(x for sub in op.regions for x in free_values(sub)))}


def bufferize(
    function: Function, reuse: bool = True, apart: Collection[Value] = ()
) -> tuple[Function, Schedule, Buffers]:
    """The function with the copies it needs, how it is laid out, and what is written in place.

    What is `apart` is a variable.
    """
    function = keep_flags(_without_idle_checks(_filled(whole(function))))
    body = _popped(_sunk(_settled(function.body))) if reuse else _settled(function.body)
    function = Function(function.name, function.params, body, function.result, function.doc)
    function, plan, decisions = _Owner(function, reuse, apart).decided()
    buffers = Buffers(decisions)
    if reuse:
        plan, buffers.in_place = grown_in_place(function, plan, apart)
    for op in walk(function.body):
        if op.target is update and op.result in decisions.copied:
            buffers.copied.add(id(op))
        elif op.results and op.results[0] in decisions.overwritten:
            buffers.in_place[id(op)] = decisions.overwritten[op.result]
    return function, plan, buffers


class _Owner:
    """Decides what is copied until the checker is satisfied, then what is overwritten.

    Every decision is a copy more, so that this ends; one that was not needed costs a copy, never a result.
    """

    def __init__(self, function: Function, reuse: bool, apart: Collection[Value]) -> None:
        self.reuse = reuse
        self.apart = apart
        self.decisions = Decisions()
        body = _own_lists(function.body)
        self.function = Function(function.name, function.params, body, function.result, function.doc)
        self.missing = missing(self.function)
        self.updates = [op.result for op in walk(self.function.body) if op.target is update]
        if not reuse:
            self.decisions.copied.update(self.updates)

    def decided(self) -> tuple[Function, Schedule, Decisions]:
        """The function with copies in it, its layout, and the decisions."""
        if self.updates and self.reuse:
            self.copy_what_is_kept()
            while self.repaired():
                pass
        self.plan = schedule(self.function, self.apart)
        if not self.updates or not self.reuse:
            self.drop_carries()
        if self.reuse:
            self.overwrite()
        self.copy_results()
        return self.function, self.plan, self.decisions

    def copy_results(self) -> None:
        """Gradients are arrays of their own: copy what may share memory with an argument or another result."""
        value, gradients = self.function.result
        memory = Memory(self.function, self.decisions)
        taken = set().union(*map(memory.roots, [*leaves(value), *read_by_pullback(self.function)]))
        out: list[Any] = []
        body, before = self.function.body, self.function.body.ops
        for d in gradients:
            roots = memory.roots(d)
            bad = roots & (memory.foreign | taken)
            inside = copied_in_arm(body.ops, d, bad, memory, lambda y: self.copied(y, "", y.loc)) if bad else None
            if inside is not None:
                body.ops, roots = inside, roots - bad
            elif bad:
                copy = self.copied(d, "", None)
                end = end_of_pullback(body.ops, d)
                body.ops = [*body.ops[:end], copy, *body.ops[end:]]
                d = copy.result
            taken |= roots
            out.append(d)
        if body.ops is not before:
            body.results = [*leaves((value, out))]
            f = self.function
            self.function = Function(f.name, f.params, body, (value, out), f.doc)
            self.plan = schedule(self.function, self.apart)

    # -------------------------------------------------------------------------------------- repairs
    def copy_what_is_kept(self) -> None:
        """What a loop keeps is copied if its memory is written later; lists of inner loops then hold copies already."""
        self.copy_what_states_hold()
        memory = Memory(self.function, self.decisions, freeze=False)
        written = frozenset().union(*map(memory.roots, update_bases(self.function)))
        stale = False
        for op in reversed(list(walk(self.function.body))):
            if isinstance(op, For | While):
                for k in range(len(op.inits), len(op.results)):
                    if stale and isinstance(kind_of_operand(op.body.results[k]), Seq):
                        memory, stale = Memory(self.function, self.decisions, freeze=False), False
                    if memory.roots(op.body.results[k]) & written:
                        op.body.results[k] = self.copy_in(op.body, op.body.results[k])
                        stale = True

    def copy_what_states_hold(self) -> None:
        """What the state that a loop keeps may hold is copied if its memory is written later."""
        memory = Memory(self.function, self.decisions, freeze=False)
        written = frozenset().union(*map(memory.roots, update_bases(self.function)))
        loops = [op for op in walk(self.function.body) if isinstance(op, For | While)]
        kept = frozenset().union(*(memory.roots(y) for op in loops for y in op.body.results[len(op.inits) :]))
        for op in list(walk(self.function.body)):
            if isinstance(op.target, Forward) and op.results[-1] in kept:
                held = [v for v in dict.fromkeys(op.target.held(op)) if memory.roots(v) & written]
                copies = {v: self.copied(v, v.hint, op.loc) for v in held}
                region, place = place_of(op, self.function.body)
                region.ops[place:place] = copies.values()
                made = {v: copy.result for v, copy in copies.items()}
                op.args = map_tree(partial(_in_place_of, made), op.args)

    def repaired(self) -> bool:
        """Decide on copies of what is not ours to write: of carried values, then of updates; False if all are ours."""
        self.plan = schedule(self.function, self.apart)
        memory = self.drop_carries()
        return self.repaired_carries(memory) or self.repaired_updates(memory)

    def repaired_carries(self, memory: Memory) -> bool:
        """Copy what loops carry, and updates write into, where they do not own it: before the loop, or each time."""
        touched, mended = update_bases(self.function), False
        for loop, k in list(carries(self.function)):
            problem = loop.carried[k] in touched and carry_problem(memory, loop, k, self.plan.inside[id(loop)])
            if problem == "init":
                before, place = place_of(loop, self.function.body)
                copy = self.copied(loop.inits[k], loop.carried[k].hint, loop.loc)
                before.ops.insert(place, copy)
                loop.inits[k] = copy.result
            elif problem:
                loop.body.results[k] = self.copy_in(loop.body, loop.body.results[k], last=True)
            mended = mended or bool(problem)
        return mended

    def repaired_updates(self, memory: Memory) -> bool:
        """Copy what is in the way of updates: views where they are made, or else the base of the update.

        What an earlier copy may have mended as well waits for the next round: all but bases that are read themselves.
        """
        copied = self.decisions.copied
        views: set[Value] = set()
        viewed: frozenset[Value] = frozenset()  # the roots of what views were copied for
        rebased: frozenset[Value] = frozenset()  # the roots of bases that were copied
        for op in list(walk(self.function.body)):
            if op.target is not update or op.result in copied or not self.plan.is_written(op):
                continue
            base, roots, alive = op.args[0], memory.roots(op.args[0]), self.plan.after[id(op)] - set(op.results)
            if isinstance(base, Value) and base not in alive:
                if rebased and (not roots or roots & rebased):
                    continue
                if memory.ours(base):
                    other = memory.in_the_way(base, alive - views)
                    if other is None or (views and self.may_be_of(other, views)):
                        continue
                    if self.copy_view(other, base):
                        views.add(other)
                        viewed |= roots
                        continue
                if roots & viewed:
                    continue
            copied.add(op.result)
            rebased |= roots or {op.result}
        return bool(views or rebased)

    def may_be_of(self, v: Value, views: set[Value]) -> bool:
        """May a value have its memory from one of these views?"""
        stack, seen = [v], set[Value]()
        while stack:
            op = self.plan.defs.get(x := stack.pop())
            if x in views or type(op) is not Op:
                return True
            seen.add(x)
            sources = op.args[:1] if op.target is update else shared(op)
            stack.extend(y for y in sources if isinstance(y, Value) and y not in seen)
        return False

    def drop_carries(self) -> Memory:
        """Find out which loops own what they carry; what updates write into is repaired instead."""
        touched = update_bases(self.function) if self.reuse else set()
        while True:
            memory, again = Memory(self.function, self.decisions), False
            for op, k in carries(self.function):
                p = op.carried[k]
                if p in touched or p in self.decisions.shared_carries:
                    continue
                if carry_problem(memory, op, k, self.plan.inside[id(op)]):
                    self.decisions.shared_carries.add(p)
                    again = True
            if not again:
                return memory

    def copy_view(self, v: Value, base: Value) -> bool:
        """Copy a view where it is made, rather than the array that it is a view of."""
        op = self.plan.defs.get(v)
        if v is base or op is None or type(op) is not Op or not isinstance(v.kind, Array) or not shared(op):
            return False
        if op.target in READ_ONLY:
            return False
        region, place = place_of(op, self.function.body)
        seen = Value(v.kind, "", v.loc)
        op.results = [seen if r is v else r for r in op.results]
        copy = self.copied(seen, v.hint, op.loc)
        copy.results = [v]
        region.ops.insert(place + 1, copy)
        return True

    def copy_in(self, body: Region, y: Value, last: bool = False) -> Value:
        """A copy of what a loop's body yields, made as soon as it is there, or last."""
        copy = self.copied(y, "" if last else y.hint, y.loc)
        places = [i + 1 for i, o in enumerate(body.ops) if y in o.results]
        body.ops.insert(len(body.ops) if last else places[0] if places else 0, copy)
        return copy.result

    def copied(self, x: Value, hint: str, loc: Any) -> Op:
        target: Any = np.copy if isinstance(x.kind, Array) and x not in self.missing else copied
        if isinstance(x.kind, Seq) and isinstance(x.kind.element, Num):
            target = listed
        return Op(target, (x,), {}, [Value(x.kind, hint, loc)], loc=loc)

    # ---------------------------------------------------------------------------------------- reuse
    def overwrite(self) -> None:
        """Let elementwise operations write into an operand that is dead afterwards; drop what the checker refuses."""
        plan, decisions = self.plan, self.decisions
        ops = [op for op in walk(self.function.body) if plan.is_written(op)]
        memory = Memory(self.function, decisions)
        for op in ops:
            if op.target not in ELEMENTWISE or len(op.args) != 2 or not isinstance(op.result.kind, Array):
                continue
            for x in op.args if op.target in (operator.add, operator.mul) else op.args[:1]:
                if (
                    isinstance(x, Value)
                    and x not in plan.inlined
                    and fits(x, op.result)
                    and _overwritable(x, op)
                    and self.legal(memory, op, x)
                ):
                    decisions.overwritten[op.result] = x
                    break
        writes = {*decisions.overwritten, *self.updates}
        written = {op.result: op for op in ops if op.results and op.result in writes}
        while decisions.overwritten:
            memory = Memory(self.function, decisions)
            bad = [
                r
                for r, op in written.items()
                if (r in decisions.overwritten and not self.legal(memory, op, decisions.overwritten[r]))
                or (op.target is update and r not in decisions.copied and not self.legal(memory, op, op.args[0]))
            ]
            bad += [
                op.carried[k]
                for op, k in carries(self.function)
                if op.carried[k] not in decisions.shared_carries and carry_problem(memory, op, k, plan.inside[id(op)])
            ]
            if not bad:
                return
            guilty = [r for r in bad if r in decisions.overwritten]
            if not guilty:
                touched = frozenset().union(*map(memory.roots, bad))
                guilty = [r for r in decisions.overwritten if memory.roots(r) & touched] or list(decisions.overwritten)
            for r in guilty:
                del decisions.overwritten[r]

    def legal(self, memory: Memory, op: Op, x: Value) -> bool:
        """May `op` write into `x`: is it ours, and nothing else that shares its memory alive afterwards?"""
        alive = self.plan.after[id(op)] - set(op.results)
        return memory.ours(x) and memory.in_the_way(x, alive) is None


def _in_place_of(made: dict[Value, Value], v: Value) -> Value:
    return made.get(v, v)


def _own_lists(region: Region) -> Region:
    """The same region, whose operations and lists may be changed."""
    ops = [op.rebuild(lambda v: v, _own_lists) for op in region.ops]
    for op in ops:
        op.results = list(op.results)
    return Region(list(region.params), ops, list(region.results))


def _overwritable(x: Value, op: Op) -> bool:
    """Cotangents are overwritten, and a variable that is assigned a new value of itself."""
    mine = is_cotangent(x) or (x.hint == op.result.hint != "" and not is_cotangent(op.result))
    return mine and sum(1 for y in op.args if y is x) == 1


def _filled(function: Function) -> Function:
    """A cotangent that is returned, carried or written into is made as an array, rather than broadcast and copied."""
    value, gradients = function.result
    wanted = set(leaves(gradients))
    read = set(leaves(value))
    for op in walk(function.body):
        read.update(op.operands(), *(leaves(side.results) for side in op.regions))
        if op.target is update:
            wanted.add(op.args[0])
        elif isinstance(op, For | While):
            wanted.update(leaves((op.inits, op.body.results[: len(op.inits)])))
        elif isinstance(op, If):
            wanted.update(leaves([side.results for side in op.regions]))
    renamed: dict[Value, Value] = {}

    def made(op: Op) -> list[Op]:
        if op.target is not spread or op.result not in wanted or not isinstance(op.result.kind, Array):
            return [op]
        fill, like = op.args[:2]
        if getattr(kind_of_operand(fill), "ndim", 0):
            view = Value(op.result.kind, "", op.loc)
            return [
                Op(spread, op.args, op.kwargs, [view], loc=op.loc),
                Op(np.copy, (view,), {}, op.results, loc=op.loc),
            ]
        if op.result not in read:  # it is written where it is returned
            renamed[op.result] = Value(op.result.kind)
        target, args = (np.ones_like, (like,)) if _is_one(fill) else (np.full_like, (like, fill))
        return [Op(target, args, {}, [renamed.get(op.result, op.result)], loc=op.loc)]

    def filled(region: Region) -> Region:
        ops = [o for op in region.ops for o in made(op.rebuild(lambda v: v, filled))]
        return Region(region.params, ops, region.results)

    body = filled(function.body)
    gradients = [renamed.get(d, d) for d in gradients]
    body.results = [*leaves((value, gradients))]
    return Function(function.name, function.params, body, (value, gradients), function.doc)


def _is_one(x: Any) -> bool:
    return not isinstance(x, Value) and x == 1.0
