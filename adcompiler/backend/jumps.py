"""Jumps: `break` and `continue` at the ends of branches, in place of the flags of the IR.

%broke = if %c { yield True } else { %y = f(%x); yield False }; stop if %broke       ->       if c: break
                                                                                              y = f(x)

Which loops are written so is decided in `exits.py`.
"""

import ast
from collections.abc import Callable
from typing import Any

from adcompiler.backend.exits import Facts, after, at, resolved
from adcompiler.backend.operands import negated
from adcompiler.backend.regions import Regions
from adcompiler.ir.core import For, If, Op, Region, While, raise_


class Jumps(Regions):
    """Writes the paths through the body of a loop on which it is left, or the next iteration begins."""

    def flow(self, ops: list[Op], flag: Any, facts: Facts, leave: Callable[[Facts], None],
             go_on: Callable[[], None] | None) -> bool:  # fmt: skip
        """Statements, with what `leave` writes on each path on which the flag is true: a jump at the end.

        `go_on` writes a jump to the end of the iteration. Returns whether a path is left that does not jump.
        """
        known, op = resolved(flag, facts), self.exits.last(ops)
        if known is not None and (op is None or not (id(op) in self.exits.asking or self.exits.asks_inside(op))):
            self.written_ops(ops)
            if known:
                leave(facts)
            return not known
        assert op is not None

        def moved(side: Region) -> None:
            self.loc = op.loc
            self.moves(op.results, side.results, none=True)

        def jump(side: Region, f: Facts) -> None:
            """Leave the loop from the end of one side, or go on with the next iteration."""
            moved(side)
            if resolved(at(op, side, flag), f):
                leave(after(op, side, f))
            else:
                assert go_on is not None
                go_on()

        def through(side: Region, facts: Facts) -> bool:
            """One side, and what it yields."""

            def ended() -> None:
                moved(side)
                assert go_on is not None
                go_on()

            end = ended if go_on is not None else None
            falls = self.flow(self.exits.written(side), at(op, side, flag), facts, lambda f: jump(side, f), end)
            falls = falls and not any(o.target is raise_ for o in side.ops)
            if falls:
                moved(side)
            return falls

        if id(op) in self.exits.asking:
            inner = self.exits.before(ops, facts)
            falls = self.flow(ops[:-1], op.cond, facts, lambda f: jump(op.then, f), None)
            return falls and inner is not None and through(op.orelse, inner)
        self.written_ops(ops[:-1])
        with self.handling_errors(op):
            return self.split(op, facts, through)

    def split(self, op: If, facts: Facts, through: Callable[[Region, Facts], bool]) -> bool:
        """An `if` of which one side may jump: what the other does follows it. Returns whether a path is left."""
        self.loc = op.loc or self.loc
        loc, cond = self.loc, self.tested(op.cond)
        open_ends: list[bool] = []
        then, orelse = (
            self.block(lambda side=side, true=true: open_ends.append(through(side, {**facts, op.cond: true})))
            for side, true in ((op.then, True), (op.orelse, False))
        )
        self.loc = loc
        if open_ends == [True, False] or (all(open_ends) and isinstance(then[0], ast.Pass)):
            cond, then, orelse = negated(cond), orelse, then
        self.add(ast.If(cond, then, orelse if all(open_ends) and not isinstance(orelse[0], ast.Pass) else []))
        if not all(open_ends):
            self.out += [s for s in orelse if not isinstance(s, ast.Pass)]
        return any(open_ends)

    def kept_before_exit(self, op: For | While, ops: list[Op]) -> bool:
        """Is what a loop collects there before the branch in which it stops?"""
        last = self.exits.last(ops)
        if last is None or id(last) in self.exits.asking:
            return False
        return not self.plan.reads(op.body.results[len(op.inits) : len(op.results)]) & set(last.results)
