"""A cotangent is summed over an inner axis by `einsum`: `np.sum` adds short rows one at a time, which takes four times
as long where a row has ten elements.

%b = sum(%d, axis=1)       ->       %b = einsum("ijk->ik", %d)          (in the backward sweep, of a rank of 3 or more)

Forward, sums are formed in the user's order. Over the last axis `np.sum` loses fewer digits, and stays. For programs
that are not simplified again, as what is known of sums is not of these.
"""

from typing import Any

import numpy as np

from adcompiler.ir.core import Function, Op, Region, Value
from adcompiler.passes.mark import split, turn
from rules.kind import Array

_AXES = "ijklmnop"


def inner_sums(function: Function) -> Function:
    """The same function, with sums over inner axes as products without factors."""
    body = function.body
    start = next((k for k, op in enumerate(body.ops) if op.target in (turn, split)), len(body.ops))
    region = Region(body.params, [*body.ops[:start], *map(_rewritten, body.ops[start:])], body.results)
    return Function(function.name, function.params, region, function.result, function.doc)


def _rewritten(op: Op) -> Op:
    if op.regions:
        return op.rebuild(lambda v: v, lambda r: Region(r.params, list(map(_rewritten, r.ops)), r.results))
    subscripts = _subscripts(op) if op.target is np.sum else None
    return op if subscripts is None else Op(np.einsum, (subscripts, *op.args), {}, op.results, loc=op.loc)


def _subscripts(op: Op) -> str | None:
    """The sum as einsum has it; None where it is better as it is."""
    x, axes = op.args[0], op.kwargs.get("axis")
    if len(op.args) > 1 or op.kwargs.keys() != {"axis"} or not isinstance(x, Value) or not isinstance(x.kind, Array):
        return None
    n, out = x.kind.ndim, op.result.kind
    if (
        not 3 <= n <= len(_AXES)
        or not isinstance(out, Array)
        or out.dtype != x.kind.dtype
        or out.dtype.kind not in "fc"
    ):
        return None
    summed: set[Any] = {k % n for k in (axes if isinstance(axes, tuple) else (axes,))}
    if n - 1 in summed or not summed - {0}:
        return None
    return f"{_AXES[:n]}->{''.join(a for k, a in enumerate(_AXES[:n]) if k not in summed)}"
