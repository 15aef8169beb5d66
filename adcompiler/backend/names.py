"""Out of SSA: which values share a variable, and what it is called.

Values that never live at once may share; a loop's parameter, what it yields and its result do where they can, so
that no line merely moves a value. Source names survive; a cotangent is `d_<name>`.
"""

import keyword
import operator
from collections import defaultdict
from typing import Any

import numpy as np

from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, is_cotangent, leaves, walk
from adcompiler.ir.state import STATE
from adcompiler.passes.bufferize import Buffers
from adcompiler.passes.outs import into
from adcompiler.passes.schedule import Schedule
from rules.cotangent import length, size, update, zeros_like
from rules.kind import Seq
from rules.numpy.powers import real_power
from rules.sequences import backwards

_ROLES = {
    np.exp: "e", np.log: "l", np.tanh: "t", np.sqrt: "root", operator.add: "s", operator.sub: "r",
    operator.mul: "m", operator.truediv: "q", operator.matmul: "p", np.sum: "total", np.mean: "mean", np.max: "top",
    size: "n", length: "n", operator.pow: "power", real_power: "power", np.outer: "outer", operator.neg: "r",
    operator.getitem: "part", zeros_like: "zeros", range: "steps",
}  # fmt: skip


class Names:
    """A variable for every value that is one; `forced` pairs are written into the same variable."""

    def __init__(self, function: Function, plan: Schedule, buffers: Buffers, reserved: set[str],
                 fixed: dict[Value, str], frozen: set[Value]) -> None:  # fmt: skip
        self.plan = plan
        self.buffers = buffers
        self.parent: dict[Value, Value] = {}
        self.members: dict[Value, set[Value]] = {}
        self.conflicts: dict[Value, set[Value]] = defaultdict(set)  # by variable: values that live with its members
        self.order: list[Value] = []
        self.fixed = fixed
        self.frozen = frozen
        self.function = function
        for p in function.params:
            self._define(p)
        for p in function.params:
            self._clash(p, set(function.params) - {p})
        self._collect(function.body)
        self._merge(function.body)
        self.sources = self._tape_sources()
        self.names = self._choose(reserved)

    def __getitem__(self, v: Value) -> str:
        return self.names[self.find(v)]

    def same(self, a: Any, b: Any) -> bool:
        """Are both operands the same variable?"""
        return (
            isinstance(a, Value)
            and isinstance(b, Value)
            and b not in self.plan.inlined
            and self.find(a) is self.find(b)
        )

    def find(self, v: Value) -> Value:
        while v in self.parent:
            v = self.parent[v]
        return v

    # -------------------------------------------------------------------------------- interference
    def _define(self, v: Value) -> None:
        self.order.append(v)
        self.members.setdefault(self.find(v), set()).add(v)

    def _clash(self, v: Value, others: set[Value]) -> None:
        self.conflicts[self.find(v)] |= others

    def _collect(self, region: Region) -> None:
        plan = self.plan
        for op in region.ops:
            if not plan.is_written(op):
                continue
            after = plan.after[id(op)]
            for v in op.operands():
                self._inside(v, after)
            for r in op.results:
                self._define(r)
            if id(op) in plan.expressions:
                for r in op.results:
                    self._clash(r, after)
                self._comprehension(op, after)
                continue
            if isinstance(op, If):
                for side in op.regions:
                    self._collect(side)
                for i, r in enumerate(op.results):
                    self._clash(r, after | set(op.results[:i]))
                for side in op.regions:  # assigned one after another at the end of an arm
                    reads = [plan.reads(x) for x in side.results]
                    for i, r in enumerate(op.results):
                        for later in reads[i + 1 :]:
                            self._clash(r, later - {r})
            elif isinstance(op, For | While):
                self._loop(op, after)
            else:
                for r in op.results:
                    self._clash(r, after)
                if op.target is update:  # written by a statement after the variable: index and value are still read
                    self._clash(op.result, plan.reads(op.args[1:]) - plan.reads(op.args[0]))
        for v in leaves(region.results):
            self._inside(v, set())

    def _inside(self, v: Value, after: set[Value]) -> None:
        """Variables of comprehensions that are written inside an expression."""
        if v in self.plan.inlined:
            op = self.plan.defs[v]
            self._comprehension(op, after)
            for x in op.operands():
                self._inside(x, after)

    def _comprehension(self, op: Op, after: set[Value]) -> None:
        for sub in op.regions:
            for p in sub.params:
                self._define(p)
                self._clash(p, after | self.plan.read_by(op) | set(sub.params))
            for inner in sub.ops:
                self._comprehension(inner, after | set(sub.params))

    def _loop(self, op: For | While, after: set[Value]) -> None:
        plan, n = self.plan, len(op.inits)
        around = plan.inside[id(op)]
        for p in op.body.params:
            self._define(p)
        if isinstance(op, While):
            for p in op.test.params:
                self._define(p)
        for p in op.body.params:
            self._clash(p, around | set(op.body.params))
        for k, r in enumerate(op.results):
            self._clash(r, after | set(op.results))
            if k >= n:
                self._clash(r, around | set(op.body.params))
        for sub in op.regions:
            self._collect(sub)
        tapes = set(op.results[n:])
        for v in self._assigned(op.body):
            self._clash(v, tapes)
        start = set()
        for o in op.body.ops:
            start |= plan.read_by(o) if plan.is_written(o) else set()
        for p in op.body.params:
            self._clash(p, (start & set(op.body.params)) - {p})
        if isinstance(op, While):
            for k, p in enumerate(op.test.params):
                self._force(op.body.params[k], p)
        for k in range(n):
            self._force(op.carried[k], op.results[k])
        if op.stop and isinstance(stop := op.body.results[-1], Value):  # read after the carried ones are assigned
            self._clash(stop, {p for p, y in zip(op.carried, op.body.results, strict=False) if y is not stop})

    def _assigned(self, region: Region) -> set[Value]:
        out = set(region.params)
        for op in walk(region):
            out.update(r for r in op.results if r not in self.plan.inlined)
            for sub in op.regions:
                out.update(sub.params)
        return out

    # --------------------------------------------------------------------------------------- merging
    def _force(self, a: Value, b: Value) -> None:
        a, b = self.find(a), self.find(b)
        if a is b:
            return
        self.parent[b] = a
        self.members[a] |= self.members.pop(b)
        self.conflicts[a] |= self.conflicts.pop(b, set())

    def interfere(self, a: Value, b: Value) -> bool:
        """Do two variables live at once?"""
        a, b = self.find(a), self.find(b)
        mine, others = self.conflicts[a], self.conflicts[b]
        return not (mine.isdisjoint(self.members[b]) and others.isdisjoint(self.members[a]))

    def _try(self, a: Any, b: Any) -> bool:
        if not (isinstance(a, Value) and isinstance(b, Value)) or b in self.plan.inlined or a in self.plan.inlined:
            return False
        if self.find(a) is self.find(b):
            return True
        x, y = self.find(a), self.find(b)
        if x not in self.members or y not in self.members or self.interfere(a, b) or {a, b} & self.frozen:
            return False
        if x in self.fixed and y in self.fixed:
            return False
        if is_cotangent(a) != is_cotangent(b) and a.hint and b.hint:
            return False
        if y in self.fixed:
            x, y = y, x
        self._force(x, y)
        return True

    def _merge(self, region: Region) -> None:
        """In-place results with what they overwrite, then loops, then branches."""
        written = [op for op in walk(region) if self.plan.is_written(op)]
        for op in written:
            target = self.buffers.in_place.get(id(op))
            if target is not None and not self._try(target, op.result):
                del self.buffers.in_place[id(op)]
                if self.buffers.anywhere and into(op) is not None:
                    self.buffers.into[id(op)] = target
            if op.target is update and isinstance(op.args[0], Value):
                if not self._try(op.args[0], op.result):
                    self.buffers.copied.add(id(op))
        for op in written:
            if isinstance(op, For | While) and id(op) not in self.plan.expressions:
                for k, p in enumerate(op.carried):
                    self._try(p, op.body.results[k])
                    self._try(p, op.inits[k])
        for op in written:
            if isinstance(op, If) and id(op) not in self.plan.expressions:
                for k, r in enumerate(op.results):
                    for side in op.regions:
                        self._try(r, side.results[k])

    # ----------------------------------------------------------------------------------------- naming
    def _choose(self, reserved: set[str]) -> dict[Value, str]:
        groups: dict[Value, list[Value]] = defaultdict(list)
        for v in self.order:
            groups[self.find(v)].append(v)
        nexts = {
            y: p.hint
            for op in walk(self.function.body) if isinstance(op, For | While)
            for p, y in zip(op.carried, op.body.results, strict=False)
            if isinstance(y, Value) and self.find(y) is not self.find(p)
        }  # fmt: skip
        sources = self.sources
        bars = {root for root, members in groups.items() if any(map(is_cotangent, members))}
        names: dict[Value, str] = {}
        held: dict[str, set[Value]] = defaultdict(set)
        beside: dict[str, set[Value]] = defaultdict(set)  # what lives with those
        kinds: dict[str, set[bool]] = defaultdict(set)  # a cotangent, or not
        closed: set[str] = set()

        def take(text: str, root: Value) -> None:
            names[root] = text
            held[text] |= self.members[root]
            kinds[text].add(root in bars)
            beside[text] |= self.conflicts[root]
            if root in self.frozen:
                closed.add(text)

        for root, members in groups.items():
            text = next((self.fixed[v] for v in members if v in self.fixed), None)
            if text is not None:
                take(text, root)
        named = {root: self._hint(members) for root, members in groups.items()}
        for root in sorted(groups, key=lambda root: not named[root] or root in bars):  # the user's variables first
            if root in names:
                continue
            members = groups[root]
            hint = next(
                (names[self.find(sources[v])] for v in members if v in sources and self.find(sources[v]) in names),
                "",
            )
            hint = hint or named[root] or self._role([sources.get(v, v) for v in members])
            for text in self._candidates(hint, members, nexts):
                if text in reserved or text in closed or keyword.iskeyword(text):
                    continue
                kin = kinds[text] <= {root in bars}
                if kin and held[text].isdisjoint(self.conflicts[root]) and beside[text].isdisjoint(self.members[root]):
                    take(text, root)
                    break
        return names

    def _hint(self, members: list[Value]) -> str:
        """What one of them is called, if not as every tape or every nameless cotangent is."""
        hints = (str(v.hint) for v in members if v.hint != "tape" and not is_cotangent(v, named=False))
        return next(filter(str.isidentifier, hints), "")

    def _tape_sources(self) -> dict[Value, Value]:
        """What the elements of tapes were in the loop that kept them: they are called the same."""
        kept: dict[Value, Value] = {}
        for op in walk(self.function.body):
            if isinstance(op, For | While):
                n = len(op.inits)
                pairs = zip(op.results[n:], op.body.results[n:], strict=False)
                kept.update((r, y) for r, y in pairs if isinstance(y, Value))
        out: dict[Value, Value] = {}
        for op in walk(self.function.body):
            if isinstance(op, For):
                for e, s in zip(op.elements, op.sequences, strict=True):
                    made = self.plan.defs.get(s) if isinstance(s, Value) else None
                    if made is not None and made.target is backwards and isinstance(made.args[0], Value):
                        tape = out.get(made.args[0], made.args[0])
                        if tape in kept:
                            out[e] = kept[tape]
        return out

    def _candidates(self, hint: str, members: list[Value], nexts: dict[Value, str]) -> Any:
        yield hint
        if any(nexts.get(v) == hint for v in members):
            yield f"{hint}_next"
        n = 2
        while True:
            yield f"{hint}_{n}"
            n += 1

    def _role(self, members: list[Value]) -> str:
        for v in members:
            if is_cotangent(v):
                return "d"
            op = self.plan.defs.get(v)
            if isinstance(op, For | While) and v in op.results[len(op.inits) :]:
                return "row" if v in self.sources.values() else "tape"
            if v.kind == STATE:
                return "state"
            if isinstance(op, Op) and op.target in _ROLES:
                return _ROLES[op.target]
            if isinstance(v.kind, Seq):
                return "items"
        return "t"
