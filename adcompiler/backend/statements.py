"""Statements: assignments, updates in place, and where they are put.

%b = update(%a, (slice(1, None),), add, %v)       ->       a[1:] += v
"""

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from adcompiler.backend.exits import Exits
from adcompiler.backend.operands import Operands
from adcompiler.backend.pops import Popped, mentions, reads_last
from adcompiler.backend.spell import BINARY, name, store
from adcompiler.ir.core import UNDEF, Loc, Op, Value, errstate_of
from rules.cotangent import accumulate, appended, without_last
from rules.kind import Num, Seq

_AUGMENTED = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div}


class Statements(Operands):
    """Writes statements one after another: `out` is where they go, `loc` the line of the user's that they are for.

    `pending` is the heading of the part that begins with the next one, `errstate` the error handling around it.
    """

    exits: Exits
    needless: set[Value]
    filled: set[Value]
    out: list[ast.stmt]
    loc: Loc | None
    pending: str
    errstate: tuple[Any, ...]

    def add(self, statement: ast.stmt) -> None:
        """Append a statement with its source line and, where a part begins, its heading."""
        if self.loc is not None:
            statement.comment = self.loc.short  # type: ignore[attr-defined]
            statement.place = self.loc  # type: ignore[attr-defined]
        if self.pending:
            statement.comment_before = self.pending  # type: ignore[attr-defined]
            self.pending = ""
        self.out.append(statement)

    def block(self, build: Any) -> list[ast.stmt]:
        """The statements that `build` adds, as a block of their own."""
        outer, self.out = self.out, []
        pending, self.pending = self.pending, ""
        try:
            build()
            return self.out or [ast.Pass()]
        finally:
            self.out, self.pending = outer, pending

    @contextmanager
    def handling_errors(self, op: Op) -> Iterator[None]:
        """What is added within stands under the `with np.errstate(...)` that the operation is under."""
        outer, wanted = self.errstate, errstate_of(op)
        more = wanted[len(outer) :] if wanted[: len(outer)] == outer else ()
        if not more:
            yield
            return
        statements, pending = self.out, self.pending
        last = statements[-1] if statements else None
        self.errstate, self.pending = wanted, ""
        joined = isinstance(last, ast.With) and getattr(last, "errstate", None) == wanted and not pending
        self.out = last.body if isinstance(last, ast.With) and joined else []
        yield
        made, self.out, self.errstate, self.pending = self.out, statements, outer, pending
        if made and not joined:
            errstate = name(f"{self.speller.free_name('np', np)}.errstate")
            calls = [ast.Call(errstate, [], [ast.keyword(k, ast.Constant(v)) for k, v in h]) for h in more]
            block = ast.With([ast.withitem(call, None) for call in calls], made)
            block.errstate = wanted  # type: ignore[attr-defined]
            self.loc = op.loc
            self.add(block)

    def assign(self, v: Value, value: ast.expr, reads: Iterable[Value] = ()) -> None:
        """`v = value`, an expression that reads these variables; `v op= y` where that rebinds a number.

        What is read under the same name may be a 0-d array, of which `op=` would change the memory.
        """
        target = self.names[v]
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.left, ast.Name)
            and not isinstance(value.op, ast.MatMult)
            and value.left.id == target
            and all(isinstance(x.kind, Num) for x in (v, *reads) if self.names[x] == target)
        ):
            self.add(ast.AugAssign(store(target), value.op, value.right))
            return
        self.add(ast.Assign([store(target)], value))

    def overwrite(self, op: Op) -> None:
        """`x op= y`, `xs.append(x)`, `xs.pop()`."""
        x = self.buffers.in_place[id(op)]
        if op.target is appended:
            self.append(self.names[x], self.expr(op.args[1]))
            return
        if op.target is without_last:
            self.pop(self.names[x])
            return
        other = op.args[1] if op.args[0] is x else op.args[0]
        self.add(ast.AugAssign(store(self.names[x]), BINARY[op.target](), self.expr(other)))

    def compute(self, op: Op) -> None:
        """`t = ws.t = np.multiply(x, y, ws.t)`: a variable that is computed into an array."""
        target: list[ast.expr] = [store(self.names[op.result])]
        place = self.place(op)
        assert place is not None
        if id(op) in self.buffers.slots:
            assert isinstance(place, ast.Attribute)
            target.append(ast.Attribute(place.value, place.attr, ast.Store()))
        call = self.into(op, place)
        if id(op) in self.buffers.into and isinstance(place, ast.Name) and place.id == self.names[op.result]:
            self.add(ast.Expr(call))
        else:
            self.add(ast.Assign(target, call))

    def remember(self, op: Op) -> None:
        """`t = ws.t = np.eye(n) if ws.t is None else ws.t`: an array that is computed once for a workspace."""
        place = name(f"{self.workspace.name}.{self.workspace.slot(op.result)}")
        assert isinstance(place, ast.Attribute)
        missing = ast.Compare(place, [ast.Is()], [ast.Constant(None)])
        kept = ast.Attribute(place.value, place.attr, ast.Store())
        self.add(ast.Assign([store(self.names[op.result]), kept], ast.IfExp(missing, self.written(op), place)))

    def update(self, op: Op) -> None:
        base, path, kind, value = op.args
        place = self.names[op.result]
        if id(op) in self.buffers.copied and self.place(op) is not None:
            self.compute(op)
        elif id(op) in self.buffers.copied:
            self.add(ast.Assign([store(place)], ast.Call(ast.Attribute(self.expr(base), "copy", ast.Load()), [], [])))
        target: ast.expr = name(place)
        for step in path:
            target = ast.Attribute(target, step, ast.Load()) if isinstance(step, str) else \
                ast.Subscript(target, self.index(step), ast.Load())  # fmt: skip
        assert isinstance(target, ast.Subscript)
        if kind in ("add", "sub") and _repeats(path[-1]):
            at = name(f"{self.speller.free_name('np', np)}.{'add' if kind == 'add' else 'subtract'}.at")
            self.add(ast.Expr(ast.Call(at, [target.value, self.expr(path[-1]), self.expr(value)], [])))
            return
        target.ctx = ast.Store()
        if kind == "set":
            self.add(ast.Assign([target], self.expr(value)))
        elif isinstance(getattr(base, "kind", None), Seq) and (op.result not in self.filled or not _is_element(path)):
            assert kind == "add", "lists of cotangents are only added to"
            callee = self.speller.callee(accumulate)
            load = ast.Subscript(target.value, target.slice, ast.Load())
            self.add(ast.Assign([target], ast.Call(callee, [load, self.expr(value)], [])))
        else:
            amount, operator = self.expr(value), _AUGMENTED[kind]()
            if kind == "add" and isinstance(amount, ast.UnaryOp) and isinstance(amount.op, ast.USub):
                amount, operator = amount.operand, ast.Sub()
            self.add(ast.AugAssign(target, operator, amount))

    def moves(self, targets: list[Value], sources: list[Any], none: bool = False) -> None:
        """Assign what a region yields, all at once where one is read after another is assigned."""
        pairs = [
            (t, s) for t, s in zip(targets, sources, strict=False)
            if not self.names.same(t, s) and (s is not UNDEF or none and t not in self.needless)
            and t not in self.exits.idle
        ]  # fmt: skip
        pending = [(t, s, {self.names[x] for x in self.plan.reads(s)}) for t, s in pairs]
        while pending:
            for i, (t, s, _) in enumerate(pending):
                if all(self.names[t] not in reads for j, (_, _, reads) in enumerate(pending) if j != i):
                    self.assign(t, self.expr(s), self.plan.reads(s))
                    del pending[i]
                    break
            else:
                left: list[ast.expr] = [store(self.names[t]) for t, _, _ in pending]
                right = [self.expr(s) for _, s, _ in pending]
                self.add(ast.Assign([ast.Tuple(left, ast.Store())], ast.Tuple(right, ast.Load())))
                return

    def append(self, variable: str, value: ast.expr) -> None:
        self.add(ast.Expr(ast.Call(name(f"{variable}.append"), [value], [])))

    def pop(self, variable: str) -> None:
        """`xs.pop()`, as part of the statement before it where that reads `xs[-1]`."""
        pop = ast.Call(name(f"{variable}.pop"), [], [])
        last = self.out[-1] if self.out else None
        if isinstance(last, ast.Assign | ast.AugAssign) and not self.pending and reads_last(last.value, variable):
            if mentions(last, variable) == 1:
                last.value = Popped(variable, pop).visit(last.value)
                return
        self.add(ast.Expr(pop))


def _is_element(path: Any) -> bool:
    """Is this the path of one element of a list?"""
    return len(path) == 1 and isinstance(path[0], int | Value)


def _repeats(index: Any) -> bool:
    """May an index name an element twice: is there an integer array or a list in it?"""
    if isinstance(index, tuple):
        return any(_repeats(i) for i in index)
    if isinstance(index, list):
        return True
    if not isinstance(index, Value) or isinstance(index.kind, Num):
        return False
    return getattr(index.kind, "dtype", None) != np.bool_
