"""Gives every thunk its place: nowhere if nobody wants it, in the one branch that does, else where it was formed.

    %d = lazy f(%x); if %c { g(%d) } else { }      ->      if %c { %d = f(%x); g(%d) } else { }

At the end of an iteration a carried cotangent is forced, so that nothing nests. Afterwards nothing is lazy.
"""

from collections import defaultdict

from adcompiler.ir.core import Function, If, Op, Region, Value, leaves, map_tree
from adcompiler.passes.adjoint_loop import force
from adcompiler.passes.dce import dce


def unthunk(function: Function) -> Function:
    """Place the lazy operations of `function`."""
    function = dce(function)
    body = _place(function.body, {})
    result = function.result
    return dce(Function(function.name, function.params, body, result, function.doc))


def _place(region: Region, forced: dict[Value, Value]) -> Region:
    ops = _sink(region)
    out: list[Op] = []
    for op in ops:
        if op.target is force:
            source = op.args[0]
            forced[op.result] = forced.get(source, source)
            continue
        new = op.rebuild(lambda v: forced.get(v, v), lambda r: _place(r, forced))
        new.lazy = False
        out.append(new)
    return Region(region.params, out, map_tree(lambda v: forced.get(v, v), region.results))


def _sink(region: Region) -> list[Op]:
    """The operations of a region, lazy ones wanted by one arm of one If alone moved into it."""
    uses: dict[Value, list[tuple[Op | None, Region | None]]] = defaultdict(list)
    for op in region.ops:
        for v in op.operands():
            uses[v].append((op, None))
        for sub in op.regions:
            for v in _reads(sub):
                uses[v].append((op, sub))
    for v in leaves(region.results):
        uses[v].append((None, None))
    out: list[Op] = []
    for op in reversed(region.ops):
        users = [u for r in op.results for u in uses[r]]
        places = {id(sub): (user, sub) for user, sub in users}
        if op.lazy and len(places) == 1:
            user, arm = users[0]
            if isinstance(user, If) and arm is not None:
                arm.ops.insert(0, op)
                for v in op.operands():
                    uses[v] = [u for u in uses[v] if u[0] is not op] + [(user, arm)]
                continue
        out.append(op)
    return out[::-1]


def _reads(region: Region) -> set[Value]:
    out = set(leaves(region.results))
    for op in region.ops:
        out.update(op.operands())
        for sub in op.regions:
            out |= _reads(sub)
    return out
