"""Operands and operations as expressions of Python's syntax tree.

%t = %y * %z; %x = %t + 1.0       ->       y * z + 1.0          (where %t is read once, and has no name)
"""

import ast
from typing import Any

import numpy as np

from adcompiler.backend.names import Names
from adcompiler.backend.slots import Slots
from adcompiler.backend.spell import Speller, name, numbered, store
from adcompiler.ir.callee import Bound
from adcompiler.ir.core import UNDEF, For, If, Op, Value
from adcompiler.ir.library import of
from adcompiler.passes.bufferize import Buffers
from adcompiler.passes.outs import into
from adcompiler.passes.schedule import Schedule
from rules.cotangent import length
from rules.kind import Array
from rules.sequences import backwards


class Operands:
    """Writes what an operand or an operation is, in the names of variables."""

    plan: Schedule
    buffers: Buffers
    names: Names
    speller: Speller
    workspace: Slots
    used: set[Value]
    #: A name for what nobody reads.
    idle: str

    def expr(self, x: Any) -> ast.expr:
        """An operand as an expression."""
        if isinstance(x, Value):
            return self.written(self.plan.defs[x]) if x in self.plan.inlined else name(self.names[x])
        if isinstance(x, Bound):
            return self.passed_on(x)
        if isinstance(x, tuple):
            return ast.Tuple([self.expr(y) for y in x], ast.Load())
        if isinstance(x, list):
            return ast.List([self.expr(y) for y in x], ast.Load())
        if isinstance(x, dict):
            return ast.Dict([self.speller.key(k) for k in x], [self.expr(y) for y in x.values()])
        if isinstance(x, slice):
            return ast.Call(self.speller.builtin(slice), [self.expr(y) for y in (x.start, x.stop, x.step)], [])
        return self.speller.constant(None if x is UNDEF else x)

    def passed_on(self, f: Bound) -> ast.expr:
        """A function that is passed on, with what it closes over: `lambda x: f(x, a)`."""
        around = [self.expr(x) for x in f.around]
        if not around:
            return self.speller.callee(f.callee)
        taken = {n.id for x in around for n in ast.walk(x) if isinstance(n, ast.Name)}
        names: list[str] = []
        for p in f.parameters:
            names.append(next(n for n in numbered(p.hint or "x") if n not in taken))
            taken.add(names[-1])
        parameters = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
        return ast.Lambda(parameters, ast.Call(self.speller.callee(f.callee), [*map(name, names), *around], []))

    def tested(self, x: Any) -> ast.expr:
        """A condition as an expression: Python asks an array without axes itself whether it is true."""
        op = self.plan.defs.get(x) if isinstance(x, Value) and x in self.plan.inlined else None
        array = op is not None and op.target is bool and isinstance(getattr(op.args[0], "kind", None), Array)
        return self.expr(op.args[0] if op is not None and array else x)

    def index(self, x: Any) -> ast.expr:
        """What stands between the brackets of a subscript."""
        if isinstance(x, slice):
            start, stop, step = (None if y is None else self.expr(y) for y in (x.start, x.stop, x.step))
            return ast.Slice(start, stop, step)
        return ast.Tuple([self.index(y) for y in x], ast.Load()) if isinstance(x, tuple) else self.expr(x)

    def written(self, op: Op) -> ast.expr:
        """An operation as an expression."""
        if isinstance(op, If):
            return self.conditional(op)
        if isinstance(op, For):
            read = [e in self.used for e in op.elements]
            targets: list[ast.expr] = [store(self.names[e] if r else self.idle) for e, r in zip(op.elements, read)]
            iterables = [self.iterable(s, not r) for s, r in zip(op.sequences, read)]
            merged = self.enumerated(op, targets, iterables)
            target, iterable = merged or (
                (targets[0], iterables[0]) if len(targets) == 1
                else (ast.Tuple(targets, ast.Store()), ast.Call(self.speller.builtin(zip), iterables, []))
            )  # fmt: skip
            return ast.ListComp(self.expr(op.body.results[0]), [ast.comprehension(target, iterable, [], 0)])
        place = self.place(op)
        if place is not None:
            return self.into(op, place)
        return self.speller.call(op, self.expr, self.index)

    # ------------------------------------------------------------------------------- in a workspace
    def place(self, op: Op) -> ast.expr | None:
        """The array that an operation computes into: an operand, a slot, or one that a loop has given back."""
        buffers = self.buffers
        if id(op) in buffers.into:
            return name(self.names[buffers.into[id(op)]])
        if id(op) in buffers.slots:
            return name(f"{self.workspace.name}.{self.workspace.slot(buffers.slots[id(op)])}")
        if id(op) in buffers.spares:
            spares = self.workspace.spares(buffers.spares[id(op)])
            return ast.IfExp(name(spares), ast.Call(name(f"{spares}.pop"), [], []), ast.Constant(None))
        return None

    def into(self, op: Op, place: ast.expr) -> ast.expr:
        """The call that computes into an array."""
        out = into(op)
        assert out is not None
        args, keywords = [self.expr(a) for a in out.args], [ast.keyword(k, self.expr(v)) for k, v in out.kwargs.items()]
        if out.keyword:
            keywords.append(ast.keyword("out", place))
        else:
            args.append(place)
        target = np.dot if id(op) in self.buffers.dots else out.target
        return ast.Call(self.speller.callee(of(target, (op.args, op.kwargs, op.results))), args, keywords)

    def conditional(self, op: If) -> ast.expr:
        """`a and b`, `a or b`, `x if c else y`."""
        cond, then, orelse = op.cond, op.then.results[0], op.orelse.results[0]
        if orelse is cond:
            return ast.BoolOp(ast.And(), [self.expr(cond), self.expr(then)])
        if then is cond:
            return ast.BoolOp(ast.Or(), [self.expr(cond), self.expr(orelse)])
        return ast.IfExp(self.tested(cond), self.expr(then), self.expr(orelse))

    def enumerated(
        self, op: For, targets: list[ast.expr], iterables: list[ast.expr]
    ) -> tuple[ast.expr, ast.expr] | None:
        """`for i, x in enumerate(xs)` where a range as long as a sequence is read beside it."""
        if len(targets) < 2 or not isinstance(op.sequences[0], Value):
            return None
        made = self.plan.defs.get(op.sequences[0])
        if made is None or made.target is not range or len(made.args) != 1 or op.sequences[0] not in self.plan.inlined:
            return None
        count = self.plan.defs.get(made.args[0]) if isinstance(made.args[0], Value) else None
        if count is None or count.target is not length or count.args[0] is not op.sequences[1] or len(count.args) > 1:
            return None
        rest: ast.expr = iterables[1] if len(iterables) == 2 else ast.Call(self.speller.builtin(zip), iterables[1:], [])
        inner: ast.expr = targets[1] if len(targets) == 2 else ast.Tuple(targets[1:], ast.Store())
        return ast.Tuple([targets[0], inner], ast.Store()), ast.Call(self.speller.builtin(enumerate), [rest], [])

    def iterable(self, s: Any, unread: bool = False) -> ast.expr:
        """What a loop reads; backwards or not is all one where only the number of elements counts."""
        op = self.plan.defs.get(s) if isinstance(s, Value) and s in self.plan.inlined else None
        if op is not None and op.target is backwards and unread:
            return self.expr(op.args[0])
        if op is not None and op.target is backwards:
            return ast.Call(self.speller.builtin(reversed), [self.expr(op.args[0])], [])
        return self.expr(s)


def negated(cond: ast.expr) -> ast.expr:
    """`not cond`, or what `cond` is the opposite of."""
    if isinstance(cond, ast.UnaryOp) and isinstance(cond.op, ast.Not):
        return cond.operand
    return ast.UnaryOp(ast.Not(), cond)
