"""A flag that a loop sets where it stops keeps its value until then.

    for ..; %f = False { .. %g = if %c { yield True } else { yield False } .. yield %g; stop if %g }
        ->   .. %g = if %c { yield True } else { yield %f } ..

In each iteration the flag is false at first, since the loop has not stopped. So that it is one variable, which no line
sets to what it is.
"""

from typing import Any

from adcompiler.ir.core import For, Function, If, Op, Region, Value, While


def keep_flags(function: Function) -> Function:
    """The same function, where flags of loops are set once."""
    return Function(function.name, function.params, _region(function.body), function.result, function.doc)


def unset(loop: For | While) -> dict[Value, bool]:
    """What a loop carries that is false until the loop stops."""
    out: dict[Value, bool] = {}
    if loop.stop:
        for init, p, y in zip(loop.inits, loop.carried, loop.body.results, strict=False):
            if init is False and _implies(y, loop.body.results[-1], p, loop.body.ops):
                out[p] = False
    return out


def _implies(flag: Any, stop: Any, param: Value, ops: list[Op]) -> bool:
    """Does the loop stop where this flag is true?"""
    if flag is stop or flag is False or flag is param or stop is True:
        return True
    made = next((op for op in ops if flag in op.results), None)
    if not isinstance(made, If) or stop not in made.results:
        return False
    k, m = made.results.index(flag), made.results.index(stop)
    return all(_implies(side.results[k], side.results[m], param, side.ops) for side in made.regions)


def _region(region: Region) -> Region:
    ops = []
    for op in region.ops:
        new = op.rebuild(lambda v: v, _region)
        if isinstance(new, For | While):
            for p in unset(new):
                y = new.body.results[new.carried.index(p)]
                new.body.ops = [_kept(o, y, p) for o in new.body.ops]
        ops.append(new)
    return Region(region.params, ops, region.results)


def _kept(op: Op, flag: Any, param: Value) -> Op:
    """The operation with `param` for False in what becomes `flag`."""
    if not isinstance(op, If) or flag not in op.results:
        return op
    k = op.results.index(flag)
    sides = []
    for side in op.regions:
        y = side.results[k]
        results = [*side.results[:k], param if y is False else y, *side.results[k + 1 :]]
        sides.append(Region(side.params, [_kept(o, y, param) for o in side.ops], results))
    return If(op.target, op.args, {}, op.results, op.lazy, op.effect, op.loc, *sides)
