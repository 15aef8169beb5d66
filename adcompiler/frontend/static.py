"""What must be known when compiling: it is taken from constants, else lowering starts again with it known.

for i in range(n): y += p[i]       ->       y += p[0]; y += p[1]          (p is a tuple: the loop is unrolled)
"""

from typing import Any

from adcompiler.errors import Problem, Refusal, problem_at
from adcompiler.frontend.instances import decides
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.operations import Operations
from adcompiler.frontend.scope import Poison, poison_problem
from adcompiler.ir.core import Op, Value
from adcompiler.ir.structure import like
from rules.cotangent import length, size
from rules.kind import Num


class Promote(Exception):
    """Lowering needs these leaves by value: it starts again with them known, or has this problem."""

    def __init__(self, steps: frozenset[tuple[Any, ...]], problem: Problem) -> None:
        super().__init__(steps)
        self.steps = steps
        self.problem = problem


class Unroll(Exception):
    """Lowering needs the index of this loop by value: the loop is unrolled."""

    def __init__(self, loop: Any, problem: Problem) -> None:
        super().__init__(loop)
        self.loop = loop
        self.problem = problem


class Statics(Operations):
    """Finds the Python values of denotations."""

    promotable_seen: list[Any]

    def static(
        self, d: Any, node: Any, what: str, remedy: str = "pass it as an int argument, or write it as a constant"
    ) -> Any:
        """The Python value of a denotation that must be known when compiling; promotes ints to get it."""
        if isinstance(d, Known):
            if decides(d.value):
                told = f"{what} is an object of class {type(d.value).__name__}, whose methods decide what it stands for"
                raise self.refuse(node, told, "use a number or a string that tells the same")
            return d.value
        if isinstance(d, tuple | list):
            return like(d, (self.static(x, node, what, remedy) for x in d))
        if isinstance(d, dict):
            return {k: self.static(v, node, what) for k, v in d.items()}
        if isinstance(d, slice):
            return slice(*(self.static(x, node, what) for x in (d.start, d.stop, d.step)))
        if isinstance(d, Value):
            roots = self._roots(d)
            steps = [self.promotable[r] for r in roots if r in self.promotable]
            loops = [self.loop_elements[r] for r in roots if r in self.loop_elements]
            reason = f"{what} must be known when compiling, and depends on a computed value"
            problem = problem_at(self.loc(node), reason, remedy)
            if roots and len(steps) + len(loops) == len(roots):
                if loops:
                    raise Unroll(loops[-1], problem)
                told = f"{what} must be known when compiling, and the signature gives only its kind"
                value = "write the value in the signature: 'f64[n], 2' rather than 'f64[n], int'"
                raise Promote(frozenset(steps), problem_at(self.loc(node), told, value))
            raise Refusal(problem)
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, what, self.loc(node)))
        raise self.refuse(node, f"{what} must be known when compiling", "write it as a constant")

    def _roots(self, v: Value) -> list[Value]:
        """The parameters, loop elements and unexplained values that a value is computed from."""
        seen: dict[Value, None] = {}
        stack, roots = [v], []
        while stack:
            x = stack.pop()
            if x in seen:
                continue
            seen[x] = None
            op = self.defs.get(x)
            if op is None or x in self.promotable or type(op) is not Op or op.target in (length, size):
                roots.append(x)
            else:
                stack.extend(op.operands())
        return roots

    def note_captures(self) -> None:
        """Int leaves captured since last time can be promoted like arguments."""
        for leaf in self.scope.leaves[len(self.promotable_seen) :]:
            self.promotable_seen.append(leaf)
            if isinstance(leaf.value.kind, Num) and leaf.value.kind.type is int and "*" not in leaf.steps:
                self.promotable[leaf.value] = leaf.steps
