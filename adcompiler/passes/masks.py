"""What a mask leaves out of a cotangent is zero, though a root has made it infinite: 0 times infinity is no number.

%d = %d_y / %root; %d_x = %d * %mask       ->       %d_x = np.where(%mask, %d, 0.0)

A root is finite where its slope is not. Where the function itself is infinite, as a logarithm, infinity is passed on.
"""

import math
import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import Op, Value, is_cotangent
from adcompiler.passes.finite import facts, of_arguments
from adcompiler.passes.site import Site
from rules.cotangent import strong, strong_divide
from rules.kind import Array, Num
from rules.numpy.powers import quiet_power

#: How far back a root is looked for.
_DEPTH = 40


def masked(here: Site, op: Op) -> Any:
    """The product of a mask and a cotangent that may be infinite, as a selection; None for other products."""
    out = op.result
    for mask, d in (op.args, op.args[::-1]):
        if not isinstance(mask, Value) or not isinstance(mask.kind, Num | Array) or mask.kind.dtype != np.bool_:
            continue
        if not isinstance(d, Value) or not (here.backward or is_cotangent(d) or is_cotangent(out)):
            continue
        if not _behind_root(here, d, {}, _DEPTH):
            continue
        if isinstance(mask.kind, Array):
            return here.emit_if_kind(np.where, (mask, d, 0.0), out)
        return here.emit_if_kind(strong, (mask, d), out)
    return None


def _behind_root(here: Site, d: Any, known: dict[Value, bool], depth: int) -> bool:
    """Has a cotangent been divided by a root that may be zero?"""
    op = here.defs.get(here.origins.get(d, d)) if isinstance(d, Value) else None
    if op is None or type(op) is not Op or not depth:
        return False
    if d not in known:
        known[d] = False
        operands: Any = op.args
        if op.target in (operator.truediv, strong_divide):
            known[d] = _may_be_zero_root(here, op.args[1])
            operands = op.args[:1]
        elif op.target is quiet_power:
            known[d] = not (type(op.args[1]) in (int, float) and op.args[1] >= 0)
        known[d] = known[d] or any(_behind_root(here, x, known, depth - 1) for x in operands)
    return known[d]


def _may_be_zero_root(here: Site, x: Any) -> bool:
    x = here.origins.get(x, x) if isinstance(x, Value) else x
    product = here.made_by(x, operator.mul)
    if product is not None:
        return any(_may_be_zero_root(here, y) for y in product.args)
    root = here.made_by(x, np.sqrt, math.sqrt, np.cbrt, math.cbrt, operator.pow)
    if root is None or (root.target is operator.pow and not _is_fraction(root.args[1])):
        return False
    return not facts(x, here.defs, {}, of_arguments(here.defs.values())).positive


def _is_fraction(p: Any) -> bool:
    return not isinstance(p, int) and not (isinstance(p, float) and p >= 1)
