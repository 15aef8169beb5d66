"""Loops: what they read, what they carry from iteration to iteration, and what they collect.

%s, %ys = for %x in %xs with %a = %s0 { %b = %a + %x; yield %b, collect %b }
  ->   ys = []
       for x in xs: s += x; ys.append(s)
"""

import ast
from collections import defaultdict
from typing import Any

from adcompiler.backend.exits import stop_of
from adcompiler.backend.jumps import Jumps
from adcompiler.backend.operands import negated
from adcompiler.backend.spell import name, store
from adcompiler.backend.tapes import Tapes
from adcompiler.ir.core import UNDEF, For, Region, Value, While
from adcompiler.passes.flags import unset


class Loops(Jumps):
    """Writes loops."""

    tapes: Tapes
    #: The variables that are kept or handed on, perhaps before they are assigned.
    handed_on: set[Value]

    def loop(self, op: For) -> None:
        n, loc = len(op.inits), op.loc
        self.start_loop(op)
        element_of = dict(zip(op.elements, op.sequences, strict=True))
        grouped: dict[int, list[Value]] = defaultdict(list)
        targets: list[ast.expr] = []
        iterables: list[ast.expr] = []
        used = set(self.plan.read_in(Region([], op.body.ops, op.body.results)))
        singles: list[tuple[ast.expr, Any]] = []
        for e, s in element_of.items():
            tape = self.tapes.behind(s)
            if tape is not None and tape[1] in self.tapes.groups.get(id(tape[0]), ([], ""))[0]:
                grouped[id(tape[0])].append(e)
                if len(grouped[id(tape[0])]) == 1:
                    singles.append((ast.Tuple([], ast.Store()), tape))
                continue
            singles.append((store(self.names[e] if e in used else self.idle), s))
        for target, s in sorted(singles, key=lambda pair: isinstance(pair[1], tuple)):
            if isinstance(s, tuple):
                writer = s[0]
                group = self.tapes.groups[id(writer)][0]
                by_tape = {self.tapes.behind(element_of[e])[1]: e for e in grouped[id(writer)]}  # type: ignore[index]
                parts = []
                for inner, elements in self.tapes.packed([by_tape[t] for t in group]):
                    parts.append(store(self.tapes.shortest(elements)))
                    if inner is not None:
                        self.tapes.read_as[inner] = self.tapes.shortest(elements)
                targets.append(parts[0] if len(parts) == 1 else ast.Tuple(list(parts), ast.Store()))
                iterables.append(ast.Call(self.speller.builtin(reversed), [name(self.tapes.read_as[id(writer)])], []))
            else:
                targets.append(target)
                unread = isinstance(target, ast.Name) and target.id == self.idle
                iterables.append(self.iterable(s, unread))
        merged = self.enumerated(op, targets, iterables) if not grouped else None
        if merged is not None:
            target, iterable = merged
        elif len(targets) == 1:
            target, iterable = targets[0], iterables[0]
        else:
            target, iterable = ast.Tuple(targets, ast.Store()), ast.Call(self.speller.builtin(zip), iterables, [])
        body = self.block(lambda: self.body(op, n))
        self.loc = loc
        self.add(ast.For(target, iterable, body, []))

    def start_loop(self, op: For | While) -> None:
        self.moves(op.carried, op.inits)
        for p, i in zip(op.carried, op.inits, strict=True):
            if i is UNDEF and self.names.find(p) in self.handed_on:  # kept or handed on, perhaps before it is assigned
                self.assign(p, self.expr(None))
        for r in op.results[len(op.inits) :]:
            if id(op) in self.tapes.groups and r in self.tapes.groups[id(op)][0]:
                continue
            self.assign(r, ast.List([], ast.Load()))
        if id(op) in self.tapes.groups:
            self.add(ast.Assign([store(self.tapes.groups[id(op)][1])], ast.List([], ast.Load())))

    def body(self, op: For | While, n: int) -> None:
        early = id(op) in self.plan.early
        self.loc = op.loc
        if early:
            self.keep(op)

        def end(jump: ast.stmt | None = None) -> None:
            self.loc = op.loc
            if not early:
                self.keep(op)
            self.moves(op.carried, op.body.results[:n], none=True)
            if jump is not None:
                self.add(jump)

        if id(op) in self.exits.jumping:
            ops = self.exits.written(op.body)
            if not early and len(op.results) > n and self.kept_before_exit(op, ops):
                early = True
                self.written_ops(ops[:-1])
                self.keep(op)
                ops = ops[-1:]
            if self.flow(ops, stop_of(op), unset(op), lambda _: end(ast.Break()), lambda: end(ast.Continue())):
                end()
            return
        self.region(op.body)
        end(ast.If(self.expr(stop_of(op)), [ast.Break()], []) if op.stop else None)

    def keep(self, op: For | While) -> None:
        """Append what the loop collects."""
        n = len(op.inits)
        self.loc = None
        collected = dict(zip(op.results[n:], op.body.results[n:], strict=False))
        group, variable = self.tapes.groups.get(id(op), ([], ""))
        for r, y in collected.items():
            if r not in group:
                self.loc = r.loc if r.loc != op.loc and r.hint != "tape" else None
                self.append(self.names[r], self.expr(y))
        self.loc = None
        if group:
            packed = self.tapes.packed([collected[r] for r in group])
            parts = [self.expr(vs[0]) if inner is None else name(self.tapes.groups[inner][1]) for inner, vs in packed]
            self.append(variable, parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()))

    def while_loop(self, op: While) -> None:
        loc = op.loc
        self.start_loop(op)
        simple = all(not self.plan.is_written(o) for o in op.test.ops)

        def build() -> None:
            if not simple:
                self.region(op.test)
                self.add(ast.If(negated(self.tested(op.test.results[0])), [ast.Break()], []))
            self.body(op, len(op.inits))

        test = self.tested(op.test.results[0]) if simple else ast.Constant(True)
        body = self.block(build)
        self.loc = loc
        self.add(ast.While(test, body, []))
