"""Recompute instead of keep: what is inside a checkpoint is run again in the reverse sweep, from what it reads.

%y = checkpoint { %a = f(%x); %b = g(%a); yield %b }; turn()
  ->   .. turn(); %d_x = checkpoint { %a = f(%x); %d_a = g.d_a(%d_y, %a); %d = f.d_x(%d_a, %x); yield %d }

As long as there are checkpoints, nothing in one is merged with what is outside. They end when all is differentiated.
"""

from typing import Any

from adcompiler.ir.callee import call_of
from adcompiler.ir.core import Checkpoint, Function, Op, Region, Value, clone, map_tree, walk


def again(op: Checkpoint) -> tuple[Region, dict[Value, Any]]:
    """A copy of the body, and the copy of each of its values. What it did to the world (`print`) is not done twice."""
    copies: dict[Value, Any] = {}
    return _silent(clone(op.body, copies)), copies


def _silent(region: Region) -> Region:
    ops = []
    for op in region.ops:
        if op.regions or not op.effect or call_of(op) is not None:
            new = op.rebuild(lambda v: v, _silent)
            new.effect = False
            ops.append(new)
    return Region(region.params, ops, region.results)


def uncheckpoint(function: Function) -> Function:
    """The same function with the operations of each checkpoint in its place."""
    if not any(isinstance(op, Checkpoint) for op in walk(function.body)):
        return function
    renamed: dict[Value, Any] = {}
    body = _spliced(function.body, renamed)
    result = map_tree(lambda v: renamed.get(v, v), function.result)
    return Function(function.name, function.params, body, result, function.doc)


def _spliced(region: Region, renamed: dict[Value, Any]) -> Region:
    def get(v: Value) -> Any:
        return renamed.get(v, v)

    ops: list[Op] = []
    for op in region.ops:
        new = op.rebuild(get, lambda r: _spliced(r, renamed))
        if not isinstance(new, Checkpoint):
            ops.append(new)
            continue
        ops.extend(new.body.ops)
        for r, x in zip(op.results, new.body.results, strict=True):
            if isinstance(x, Value) and not x.hint:
                x.hint = r.hint
            renamed[r] = x
    return Region(region.params, ops, map_tree(get, region.results))
