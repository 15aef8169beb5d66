"""An accumulator that stays one number all over is that number, and becomes an array behind the loop.

%d = zeros_like(%b); %r = for .. with %p = %d { yield %p + 1.0 }
  ->   %n = for .. with %q = 0.0 { yield %q + 1.0 }; %r = spread(%n, %b)
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import For, Function, Op, Region, Value, leaves, walk
from adcompiler.passes.site import is_number
from rules.cotangent import spread, zeros_like
from rules.kind import Array, Num


def uniform_accumulators(function: Function) -> Function:
    """The same function, whose loops add numbers to numbers."""
    if not any(isinstance(op, For) for op in walk(function.body)):
        return function
    uses: dict[Value, int] = {}
    defs: dict[Value, Op] = {}
    for op in walk(function.body):
        read = [*op.operands(), *(v for sub in op.regions for v in leaves(sub.results))]
        for v in read:
            uses[v] = uses.get(v, 0) + 1
        defs.update((r, op) for r in op.results)
    body = _region(function.body, uses, defs)
    return Function(function.name, function.params, body, function.result, function.doc)


def _region(region: Region, uses: dict[Value, int], defs: dict[Value, Op]) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        new = op.rebuild(lambda v: v, lambda inner: _region(inner, uses, defs))
        behind: list[Op] = []
        if isinstance(new, For):
            new.results = list(new.results)
            for k in range(len(new.inits)):
                behind += _number(new, k, uses, defs)
        ops += [new, *behind]
    return Region(region.params, ops, region.results)


def _number(loop: For, k: int, uses: dict[Value, int], defs: dict[Value, Op]) -> list[Op]:
    """Carry a number in the place of an array, if that is all it is; the operation that spreads it afterwards."""
    p, y, r = loop.carried[k], loop.body.results[k], loop.results[k]
    start = defs.get(loop.inits[k]) if isinstance(loop.inits[k], Value) else None
    place = next((i for i, op in enumerate(loop.body.ops) if y in op.results), None)
    if start is None or start.target is not zeros_like or place is None or uses.get(p) != 1 or uses.get(y) != 1:
        return []
    add = loop.body.ops[place]
    if add.target is not operator.add or p not in add.args or not isinstance(p.kind, Array) or not p.kind.ndim:
        return []
    term: Any = add.args[1] if add.args[0] is p else add.args[0]
    made = defs.get(term) if isinstance(term, Value) else None
    if made is not None and made.target is spread and len(made.args) == 2 and not made.kwargs:
        term = made.args[0]
    if not is_number(term) or p.kind.dtype != np.float64 or p.kind.xp != "numpy":
        return []
    q, total, result = (Value(Num(np.float64), v.hint, v.loc) for v in (p, y, r))
    body = loop.body
    body.ops = [*body.ops]
    body.ops[place] = Op(operator.add, (q, term) if add.args[0] is p else (term, q), {}, [total], loc=add.loc)
    body.params = [q if v is p else v for v in body.params]
    body.results = [total if j == k else v for j, v in enumerate(body.results)]
    loop.args = (loop.sequences, [0.0 if j == k else v for j, v in enumerate(loop.inits)])
    loop.results[k] = result
    return [Op(spread, (result, start.args[0]), {}, [r], loc=loop.loc)]
