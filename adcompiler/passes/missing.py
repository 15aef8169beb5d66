"""Which values some path never makes: they are None at run time, and what is made of them may be None too.

%y = if %c { yield %a } else { yield undef }; %d = zeros_like(%y)       ->       y and d may be missing
"""

from collections.abc import Iterable
from typing import Any

from adcompiler.ir.core import UNDEF, Checkpoint, For, Function, If, Op, Value, While, is_cotangent, walk
from rules.cotangent import accumulate, or_zeros, project, update, where_given, zeros_like
from rules.kind import Num, Seq
from rules.sequences import backwards

#: What gives None of None.
_PASS_NONE = (backwards, zeros_like, or_zeros, where_given, project, accumulate)


def missing(function: Function) -> set[Value]:
    """The values that some path never makes, None at run time: they have no shape to take."""
    found: set[Value] = set()
    before = -1
    while len(found) > before:  # a loop may carry one from what it makes further down
        before = len(found)
        for op in walk(function.body):
            found.update(
                v
                for v, given in _sources(op)
                if any(x is UNDEF or (isinstance(x, Value) and x in found) for x in given)
            )
    return found


def _sources(op: Op) -> Iterable[tuple[Value, list[Any]]]:
    """The results and parameters that are None where one of the operands beside them is."""
    if isinstance(op, If | Checkpoint):
        for i, r in enumerate(op.results):
            yield r, [side.results[i] for side in op.regions if side.results]
    elif isinstance(op, For | While):
        for p, i, y, r in zip(op.carried, op.inits, op.body.results, op.results, strict=False):
            yield p, [i, y]
            yield r, [i, y]
        if isinstance(op, For):
            for e, s in zip(op.elements, op.sequences, strict=True):
                yield e, [s]
        for y, r in zip(op.body.results[len(op.inits) :], op.results[len(op.inits) :], strict=False):
            yield r, [y]
    elif op.target in _PASS_NONE:
        yield op.result, list(op.args)


def filled(function: Function) -> set[Value]:
    """The lists of cotangents of numbers of which each element is there: zeros, and what has been added to them."""
    absent = missing(function)
    sources: dict[Value, list[Any]] = {}
    for op in walk(function.body):
        if op.target is zeros_like and not is_cotangent(op.args[0]) and op.args[0] not in absent:
            sources[op.result] = []
        elif op.target is update and op.args[3] not in absent:
            sources[op.result] = [op.args[0]]
        elif op.regions:
            sources.update(_sources(op))
    found = {v for v in sources if isinstance(v.kind, Seq) and isinstance(v.kind.element, Num)}
    before = -1
    while len(found) != before:
        before = len(found)
        found = {v for v in found if all(x in found for x in sources[v])}
    return found
