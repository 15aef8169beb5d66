"""What is written in place is an array: arithmetic on arrays of no axes gives numbers, which cannot be.

%d = %a + %b; %e = update(%d, ..., add, %v)   ->   %d = %a + %b; %w = array(%d); %e = update(%w, ..., add, %v)
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import Function, If, Op, Region, Value, walk
from rules.cotangent import copied, project, update, zeros_like
from rules.kind import Array

_ARRAYS = (
    np.array, np.asarray, np.copy, np.zeros, np.ones, np.full, np.zeros_like, np.ones_like, np.full_like, np.empty,
    np.empty_like, update,
)  # fmt: skip


def whole(function: Function) -> Function:
    """The same function, whose updates of arrays without axes write into what is an array when it runs."""
    if not any(op.target is update and not getattr(op.result.kind, "ndim", 1) for op in walk(function.body)):
        return function
    defs = {r: op for op in walk(function.body) for r in op.results}

    def is_array(v: Any) -> bool:
        """Is this an array when it runs, rather than one of NumPy's numbers?"""
        if not isinstance(v, Value) or v in function.params:
            return isinstance(v, Value)
        op = defs.get(v)
        if isinstance(op, If):
            k = op.results.index(v)
            return all(is_array(side.results[k]) for side in op.regions if side.results)
        if op is None or type(op) is not Op:
            return False
        if op.target is operator.getitem:
            return op.args[1] is Ellipsis
        if op.target in (zeros_like, copied):
            return is_array(op.args[0])
        return op.target in _ARRAYS or (op.target is project and is_array(op.args[1]))

    def region(inner: Region) -> Region:
        ops: list[Op] = []
        for old in inner.ops:
            op = old.rebuild(lambda v: v, region)
            base = op.args[0] if op.target is update else None
            kind = base.kind if isinstance(base, Value) else None
            scalar = isinstance(kind, Array) and not kind.ndim and kind.xp == "numpy"
            if base is not None and scalar and not is_array(base):
                made = Op(np.array, (base,), {}, [Value(base.kind, base.hint, op.loc)], loc=op.loc)
                op.args = (made.result, *op.args[1:])
                ops.append(made)
            ops.append(op)
        return Region(inner.params, ops, inner.results)

    return Function(function.name, function.params, region(function.body), function.result, function.doc)
