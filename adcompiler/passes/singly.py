"""A pullback for each argument, which computes nothing that only the others need.

split(%d); %a = %d * %y; %b = %d * %x; ..   ->   split(%d); %a = %d * %y; split(%d); %b = %d * %x; ..

The forward sweep stays as it is, with what any of them reads. What two pullbacks have in common each of them computes.
"""

from collections.abc import Sequence

from adcompiler.ir.alias import holds_memory
from adcompiler.ir.core import Function, Op, Region, Value, clone, leaves
from adcompiler.passes.dce import dce
from adcompiler.passes.keep import copy_of
from adcompiler.passes.mark import at_split


def singly(function: Function, groups: Sequence[Sequence[int]]) -> Function:
    """The function with a pullback for each group of its gradients, by their numbers.

    Each gradient that holds memory is made in its pullback.
    """
    at = at_split(function)
    assert at is not None
    value, gradients = function.result
    ops, out = function.body.ops[:at], list(gradients)
    for group in groups:
        renamed: dict[Value, Value] = {}
        part = clone(Region([], _needed(function, [gradients[k] for k in group]), []), renamed)
        ops += part.ops
        for k in group:
            d = gradients[k]
            if d not in renamed and isinstance(d, Value) and holds_memory(d.kind):
                ops.append(copy := copy_of(d, d))
                renamed[d] = copy.result
            out[k] = renamed.get(d, d)
    result = value, out
    return Function(function.name, function.params, Region([], ops, list(leaves(result))), result, function.doc)


def _needed(function: Function, gradients: list[Value]) -> list[Op]:
    """The mark of the pullback, and the operations behind it that these gradients need."""
    body = Region([], function.body.ops, list(leaves(gradients)))
    swept = dce(Function(function.name, function.params, body, tuple(gradients), function.doc))
    at = at_split(swept)
    assert at is not None
    return swept.body.ops[at:]
