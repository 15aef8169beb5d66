"""Divisions and products at poles that a selection leaves out are not carried out there: they would warn of 0 / 0.

%t = %d / %q; %y = unless_zero(%d, %t)   ->   %y = strong_divide(%d, %q)

For programs that are not differentiated again: derivatives by `d` differ.
"""

import operator
from collections import Counter

from adcompiler.ir.core import Function, Op, Region, Value, leaves, walk
from rules.cotangent import strong, strong_divide, unless_zero


def past_poles(function: Function) -> Function:
    """The same function, where what is zeroed because the cotangent is zero is not computed."""
    if not any(op.target is unless_zero for op in walk(function.body)):
        return function
    uses = Counter(v for op in walk(function.body) for v in (*op.operands(), *leaves([r.results for r in op.regions])))
    uses.update(leaves(function.body.results))

    def without(region: Region) -> Region:
        defs = {r: op for op in region.ops for r in op.results}
        made = {op: _strong(op, defs.get(op.args[1])) for op in region.ops if op.target is unless_zero}
        gone = {defs[op.args[1]] for op, new in made.items() if new is not None and uses[op.args[1]] == 1}
        ops = [made.get(op) or op.rebuild(lambda v: v, without) for op in region.ops if op not in gone]
        return Region(region.params, ops, region.results)

    return Function(function.name, function.params, without(function.body), function.result, function.doc)


def _strong(op: Op, term: Op | None) -> Op | None:
    """The operation that is `op`, a selection of a quotient or product of the very cotangent that it tests."""
    d = op.args[0]
    if term is None or not isinstance(d, Value) or d not in term.args:
        return None
    if term.target is operator.truediv and term.args[0] is d:
        return Op(strong_divide, term.args, {}, op.results, loc=term.loc)
    if term.target is operator.mul:
        other = term.args[1] if term.args[0] is d else term.args[0]
        return Op(strong, (d, other), {}, op.results, loc=term.loc)
    return None
