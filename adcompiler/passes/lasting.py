"""Arrays that the shapes of the arguments alone determine, as masks and grids: they are computed once for a workspace.

%n = length(%x); %o = ones(%n); %m = diag(%o)   ->   m = ws.m = np.diag(np.ones(n)) if ws.m is None else ws.m

Whoever uses this sees to it that nothing writes into them.
"""

from typing import Any

import numpy as np

from adcompiler.ir.alias import new_memory
from adcompiler.ir.core import For, Function, If, Op, Value, While, leaves, walk
from adcompiler.passes.fixed import fixed
from rules.cotangent import length, size, update
from rules.kind import Array, Num
from rules.rule import OPERATORS, find

#: Of these the value of the operand does not matter.
_SHAPES = (length, size, np.zeros_like, np.ones_like)


def determined(function: Function) -> dict[Value, Op]:
    """The arrays, new ones, that are the same whenever the arguments have the same shapes, with what makes them.

    Not those that something is stored into, that loops carry, branches give, or the function returns.
    """
    known = fixed(function)
    found: set[Value] = set()
    made: dict[Value, Op] = {}
    for op in walk(function.body):
        if type(op) is Op and len(op.results) == 1 and _is_determined(op, found, known):
            found.add(op.result)
            if new_memory(op) and isinstance(op.result.kind, Array) and op.result.kind.ndim:
                made[op.result] = op
    read: set[Value] = set()
    for op in walk(function.body):
        if op.results and not set(op.results) <= found:
            read.update(op.operands())
        if op.target is update:
            made.pop(op.args[0], None)
        for region in op.regions:
            read.update(leaves(region.results))
        passed = leaves([*(r.results for r in op.regions), op.args]) if isinstance(op, For | While | If) else ()
        for v in passed:
            made.pop(v, None)
    for v in leaves((function.result, function.body.results)):
        made.pop(v, None)
    return {v: op for v, op in made.items() if v in read}


def _is_determined(op: Op, found: set[Value], known: set[Value]) -> bool:
    if op.effect or not isinstance(op.result.kind, Array | Num) or op.target in (update, np.empty):
        return False
    if find(op.target) is None and not isinstance(op.target, np.ufunc) and op.target not in OPERATORS:
        return False
    if op.target in _SHAPES and isinstance(op.args[0], Value) and len(list(op.operands())) == 1:
        return op.args[0] in known

    def is_constant(v: Any) -> bool:
        return v in found or (isinstance(v.kind, Num) and v.kind.dtype.kind in "iu" and v in known)

    return all(map(is_constant, op.operands()))
