"""Puts the bodies of pullbacks in place of their calls: what they compute becomes part of the program.

%d_x = multiply.d_x(%d_z, %y)      ->      %d_x = %d_z * %y
"""

from typing import Any

from adcompiler.ir.core import Function, Op, Region, Value, clone, map_tree
from adcompiler.ir.interpret import matched
from adcompiler.passes.insertion import Part
from adcompiler.passes.trace import Pullback
from rules.kind import Num


def inline(function: Function, everything: bool = True) -> Function:
    """Replace every pullback by its traced body, or those of numbers alone.

    A rule that is called takes a Python number for one that is written in the program.
    """
    renamed: dict[Value, Any] = {}
    body = _inline(function.body, renamed, everything)
    result = map_tree(lambda v: renamed.get(v, v), function.result)
    return Function(function.name, function.params, body, result, function.doc)


def _inline(region: Region, renamed: dict[Value, Any], everything: bool) -> Region:
    ops: list[Op] = []
    done: dict[Any, dict[Value, Any]] = {}
    for op in region.ops:
        new = op.rebuild(lambda v: renamed.get(v, v), lambda r: _inline(r, renamed, everything))
        target = new.target.pullback if isinstance(new.target, Part) else new.target
        numbers = all(isinstance(v.kind, Num) for v in (*op.operands(), *op.results))
        if not isinstance(target, Pullback) or not (everything or numbers or target.differentiates):
            ops.append(new)
            continue
        mapping = dict(matched(target.given, new.args))
        known = (target, *mapping.values()) if target.differentiates else None  # for the other parts of what it gives
        if known is not None and known in done:
            mapping, spliced = done[known], Region()
        else:
            spliced = clone(Region([], target.region.ops, []), mapping)
        if known is not None:
            done[known] = mapping
        for inner in spliced.ops:
            inner.loc = op.loc
        result = new.target.pick(target.result) if isinstance(new.target, Part) else target.result
        out = _renamed(result, mapping)
        if isinstance(out, Value) and op.result.hint and not out.hint and spliced.ops:
            out.hint = op.result.hint
        ops.extend(spliced.ops)
        renamed[op.result] = out
    return Region(region.params, ops, map_tree(lambda v: renamed.get(v, v), region.results))


def _renamed(tree: Any, mapping: dict[Value, Any]) -> Any:
    return map_tree(lambda v: mapping.get(v, v), tree)
