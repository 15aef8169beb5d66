"""When two operations are the same one, so that one of them will do.

%a = np.exp(%x); %b = np.exp(%x)       ->       %a = np.exp(%x)          (and %b is %a)
"""

from typing import Any

import numpy as np

from adcompiler.ir.build import is_scalar_constant
from adcompiler.ir.core import Op, Value, errstate_of
from rules.cotangent import update, zeros_like
from rules.kind import Num
from rules.rule import OPERATORS, find
from rules.sequences import backwards

_ALLOCATES = (zeros_like, update, np.copy, np.zeros, np.ones, np.empty, np.empty_like, np.full)


def key_of(op: Op) -> Any:
    """What makes two operations the same one; None for those that must stay apart."""
    if op.effect or op.target in _ALLOCATES or not op.results:
        return None
    if op.target is backwards:
        return None  # each loop says for itself what it reads backwards
    if not any(True for _ in op.operands()) and not isinstance(op.result.kind, Num):
        return None
    if find(op.target) is None and op.target not in OPERATORS and op.target not in (range, str.format):
        return None
    try:
        key = (op.target, frozen(op.args), frozen(op.kwargs), errstate_of(op))
        hash(key)
    except TypeError:
        return None
    return key


def frozen(x: Any) -> Any:
    """A tree of operands as a key: equal for equal constants of one type, and for the same values."""
    if isinstance(x, Value):
        return x
    if isinstance(x, tuple | list):
        return (type(x), *map(frozen, x))
    if isinstance(x, dict):
        return tuple((k, frozen(v)) for k, v in x.items())
    if isinstance(x, slice):
        return ("slice", frozen(x.start), frozen(x.stop), frozen(x.step))
    return (type(x), repr(x)) if is_scalar_constant(x) else x
