"""Puts the bodies of pullbacks in place of their calls: what they compute becomes part of the program.

%d_x = multiply.d_x(%d_z, %y)      ->      %d_x = %d_z * %y
"""

from collections.abc import Iterator
from typing import Any

from adcompiler.ir.core import Function, Op, Region, Value, clone, map_tree
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
    for op in region.ops:
        new = op.rebuild(lambda v: renamed.get(v, v), lambda r: _inline(r, renamed, everything))
        target = new.target.pullback if isinstance(new.target, Part) else new.target
        numbers = all(isinstance(v.kind, Num) for v in (*op.operands(), *op.results))
        if not isinstance(target, Pullback) or not (everything or numbers):
            ops.append(new)
            continue
        mapping = dict(_matched(target.given, new.args))
        spliced = clone(Region([], target.region.ops, []), mapping)
        for inner in spliced.ops:
            inner.loc = op.loc
        result = new.target.pick(target.result) if isinstance(new.target, Part) else target.result
        out = _renamed(result, mapping)
        if isinstance(out, Value) and op.result.hint and not out.hint and spliced.ops:
            out.hint = op.result.hint
        ops.extend(spliced.ops)
        renamed[op.result] = out
    return Region(region.params, ops, map_tree(lambda v: renamed.get(v, v), region.results))


def _matched(formal: Any, actual: Any) -> Iterator[tuple[Value, Any]]:
    """The parameters of a body with the operands that stand in their places, by now perhaps equal ones or constants."""
    if isinstance(formal, Value):
        yield formal, actual
    elif isinstance(formal, tuple | list):
        for a, b in zip(formal, actual, strict=True):
            yield from _matched(a, b)
    elif isinstance(formal, dict):
        for key, a in formal.items():
            yield from _matched(a, actual[key])
    elif isinstance(formal, slice):
        for a, b in ((formal.start, actual.start), (formal.stop, actual.stop), (formal.step, actual.step)):
            yield from _matched(a, b)


def _renamed(tree: Any, mapping: dict[Value, Any]) -> Any:
    return map_tree(lambda v: mapping.get(v, v), tree)
