"""Operations in their order, each as the statement that it is; branches.

%y = if %c { yield %a } else { %b = -%a; yield %b }       ->       if c: y = a
                                                                   else: y = -a
"""

import ast

from adcompiler.backend.operands import negated
from adcompiler.backend.spell import name, store
from adcompiler.backend.statements import Statements
from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, raise_, walk
from adcompiler.ir.state import Forward
from adcompiler.passes.mark import pullbacks, split, turn
from rules.contexts import entered, left
from rules.cotangent import update


class Regions(Statements):
    """Writes the operations of a region."""

    f: Function

    def region(self, region: Region) -> None:
        self.written_ops(region.ops)

    def written_ops(self, ops: list[Op]) -> None:
        inside = 0  # where the context ends that has been written
        for k, op in enumerate(ops):
            if k < inside:
                continue
            if op.target is entered:
                inside = k + self.context(ops[k:])
            elif op.target is split:
                for i, part in enumerate(pullbacks(ops[k:])):
                    self.pullback(i, part)
                return
            elif op.target is turn:
                self.pending = "backward"
            elif self.plan.is_written(op):
                with self.handling_errors(op):
                    self.loc = op.loc or self.loc
                    self.statement(op)

    def context(self, ops: list[Op]) -> int:
        """`with manager as x:`, from the operation that enters it to the one that leaves it; how many these are."""
        first, manager = ops[0], ops[0].args[0]
        end = next((k for k, op in enumerate(ops) if op.target is left and op.args[0] is manager), 0)
        if not end:
            self.loc = first.loc
            self.statement(first)
            return 1
        last, context = self.out[-1] if self.out else None, self.expr(manager)
        if isinstance(last, ast.Assign) and isinstance(context, ast.Name) and self.only_entered(manager):
            made = last.targets[0]
            if isinstance(made, ast.Name) and made.id == context.id:
                context = last.value
                self.out.pop()
        read = first.results and first.result in self.used
        item = ast.withitem(context, store(self.names[first.result]) if read else None)
        with self.handling_errors(first):
            body = self.block(lambda: self.written_ops(ops[1:end]))
            self.loc = first.loc
            self.add(ast.With([item], body))
        return end + 1

    def only_entered(self, manager: Value) -> bool:
        """Is this context manager read by the one `with` alone?"""
        return sum(manager in op.operands() for op in walk(self.f.body)) == 2

    def statement(self, op: Op) -> None:
        if id(op) in self.plan.expressions:
            self.assign(op.result, self.written(op), self.plan.read_by(op))
        elif isinstance(op, If):
            self.branch(op)
        elif isinstance(op, For):
            self.loop(op)
        elif isinstance(op, While):
            self.while_loop(op)
        elif op.target is update:
            self.update(op)
        elif op.target is raise_:
            self.add(ast.Raise(self.expr(op.args[0]), self.expr(op.args[1]) if len(op.args) > 1 else None))
        elif id(op) in self.buffers.in_place:
            self.overwrite(op)
        elif id(op) in self.buffers.given:
            place = self.workspace.kept if id(op) in self.buffers.later else self.workspace.spares
            self.append(place(self.buffers.given[id(op)]), self.expr(op.args[0]))
        elif id(op) in self.buffers.lasting:
            self.remember(op)
        elif isinstance(op.target, Forward):
            self.keep_state(op)
        elif self.place(op) is not None:
            self.compute(op)
        elif not op.results or (op.effect and self.used.isdisjoint(op.results)):
            self.add(ast.Expr(self.written(op)))
        elif len(op.results) > 1:
            self.add(ast.Assign([self.unpacked(op.results)], self.written(op)))
        else:
            self.assign(op.result, self.written(op), self.plan.read_by(op))

    def unpacked(self, results: list[Value]) -> ast.Tuple:
        """The variables that several results are assigned to."""
        return ast.Tuple([store(self.names[r] if r in self.used else self.idle) for r in results], ast.Store())

    def keep_state(self, op: Op) -> None:
        """`x, state = solve.forward(ws.state, A, b); ws.state = state`, the last state None without a workspace."""
        *results, state = op.results
        place = self.place(op)
        args = [self.expr(a) for a in op.args]
        if place is not None:
            args[op.target.place] = place
        target: ast.expr = self.unpacked(results)
        if len(results) == 1:
            (target,) = self.unpacked(results).elts
        pair = ast.Tuple([target, store(self.names[state])], ast.Store())
        self.add(ast.Assign([pair], ast.Call(self.speller.callee(op.target), args, [])))
        if isinstance(place, ast.Attribute):
            self.add(ast.Assign([ast.Attribute(place.value, place.attr, ast.Store())], name(self.names[state])))

    def branch(self, op: If) -> None:
        cond = self.tested(op.cond)

        def arm(side: Region) -> list[ast.stmt]:
            def build() -> None:
                self.region(side)
                self.loc = op.loc
                if not any(o.target is raise_ for o in side.ops):
                    self.moves(op.results, side.results, none=True)

            return self.block(build)

        loc = op.loc
        then, orelse = arm(op.then), arm(op.orelse)
        self.loc = loc
        if isinstance(then[0], ast.Pass) and not isinstance(orelse[0], ast.Pass):
            cond, then, orelse = negated(cond), orelse, then
        self.add(ast.If(cond, then, [] if isinstance(orelse[0], ast.Pass) else orelse))

    def loop(self, op: For) -> None:
        """A loop over sequences."""
        raise NotImplementedError

    def while_loop(self, op: While) -> None:
        """A loop with a test."""
        raise NotImplementedError

    def pullback(self, number: int, ops: list[Op]) -> None:
        """The operations behind a split, as a function in the function."""
        raise NotImplementedError
