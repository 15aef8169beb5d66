"""The adjoint of a branch is a branch: each arm pulls back what came in, and gives the cotangents of what it read.

    %y = if %c { %a = f(%x); yield %a } else { yield %x }
      ->   %d_x = if %c { %d = lazy f.d_x(%d_y, %x); yield %d } else { yield %d_y }

What an arm's adjoint needs of the arm becomes a result of the branch.
"""

from typing import Any

from adcompiler.ir.core import UNDEF, If, Op, Region, Value, free_values, map_tree, substitute
from adcompiler.passes.adjoint_operation import Operations
from adcompiler.passes.cheap import is_cheap_number
from adcompiler.passes.cotangents import hint_of, zero_of
from rules.kind import Array, Num, Seq


class Branches(Operations):
    """Pulls back through branches."""

    def pull_if(self, op: If) -> None:
        outer = self.builder.region
        before = dict(self.cotangents)
        sides: list[tuple[Region, dict[Value, Any]]] = []
        for side in op.regions:
            region = self.builder.region = Region()
            self.cotangents = dict(before)
            for r, x in zip(op.results, side.results, strict=True):
                if r in before:
                    self.add(x, before[r], r in self.selected)
            self.run(list(side.ops))
            sides.append((region, self.cotangents))
        self.builder.region = outer
        (r1, c1), (r2, c2) = sides
        inside = {v for side in op.regions for o in side.ops for v in o.results}
        adjoint = If("if", op.args, {}, [], False, False, op.loc, r1, r2)
        self.cotangents = before
        for v in dict.fromkeys([*c1, *c2]):
            if v in inside or (c1.get(v) is before.get(v) and c2.get(v) is before.get(v)):
                continue
            for region, found in ((r1, c1), (r2, c2)):
                d = found.get(v)
                self.builder.region = region
                if d is None:
                    self.selected.add(v)  # the arm that does not want it is as good as a mask
                    d = zero_of(self.builder, v)
                region.results.append(self.joined(d, v))
                self.builder.region = outer
            result = Value(_given(self.kind(v), (r1.results[-1], r2.results[-1])), hint_of(v), op.loc)
            adjoint.results.append(result)
            self.cotangents[v] = result
        for region, side, other in ((r1, op.then, op.orelse), (r2, op.orelse, op.then)):
            self.export(op, region, side, other)
        if adjoint.results:
            outer.ops.append(adjoint)

    def export(self, op: If, region: Region, side: Region, other: Region) -> None:
        """What an arm's adjoint needs of the arm becomes a result of the forward If."""
        defined = {v for o in side.ops for v in o.results}
        made = {r: o for o in side.ops for r in o.results}
        mapping: dict[Value, Any] = {}
        again: list[Op] = []

        def remade(v: Value, depth: int = 4) -> Any:
            """Arithmetic on numbers is done again in the adjoint's arm; None where that is not all there is to it."""
            if v in mapping or v not in defined:
                return mapping.get(v, v)
            op = made[v]
            if not depth or not is_cheap_number(op):
                return None
            operands = {x: remade(x, depth - 1) for x in op.operands()}
            if any(x is None for x in operands.values()):
                return None
            value = Value(v.kind, v.hint, v.loc)
            again.append(Op(op.target, map_tree(lambda x: operands[x], op.args), {}, [value], loc=op.loc))
            mapping[v] = value
            return value

        for v in free_values(region):
            if v not in defined or remade(v) is not None:
                continue
            phi = Value(v.kind, v.hint, v.loc)
            side.results.append(v)
            other.results.append(UNDEF)
            op.results.append(phi)
            mapping[v] = phi
        substitute(region, mapping)
        region.ops[:0] = again


def _given(kind: Any, arms: tuple[Any, Any]) -> Any:
    """The kind of a cotangent that a branch gives: an arm may pass on that of a list that is wider after the branch."""
    if not isinstance(kind, Seq):
        return kind
    for d in arms:
        if isinstance(d, Value) and isinstance(d.kind, Seq) and _width(d.kind) > _width(kind):
            kind = Seq(d.kind.element)
    return kind


def _width(kind: Any) -> int:
    """The bytes of the numbers that a list holds, at any depth."""
    while isinstance(kind, Seq):
        kind = kind.element
    return int(kind.dtype.itemsize) if isinstance(kind, Num | Array) else 0
