"""What costs less to compute again than to keep: views, indices, lengths, arithmetic on a number or two."""

import operator

from adcompiler.ir.alias import shared
from adcompiler.ir.core import Op
from adcompiler.passes.stop import stop_gradient
from rules.cotangent import length, size
from rules.kind import Array, Num
from rules.rule import find

#: Python's operators that cost about as much as an append, and raise where they have raised before or not at all.
_NUMBERS = frozenset(
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos, operator.abs,
     operator.not_, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.and_,
     operator.or_, operator.xor, abs]
)  # fmt: skip


def is_cheap(op: Op | None) -> bool:
    """Is the result of this operation taken again where it is needed, rather than kept?"""
    if op is None or type(op) is not Op or op.effect or len(op.results) != 1:
        return False
    if op.target in (length, size, range, stop_gradient):
        return True
    kind = op.result.kind
    if op.target is operator.getitem:
        return bool(shared(op)) or isinstance(kind, Num)
    if isinstance(kind, Num):
        return all(isinstance(v.kind, Num) for v in op.operands()) and (op.target in _NUMBERS or kind.type is int)
    return isinstance(kind, Array) and bool(shared(op)) and find(op.target) is not None


def is_cheap_number(op: Op | None) -> bool:
    """Arithmetic on numbers alone."""
    return is_cheap(op) and op is not None and op.target in _NUMBERS and isinstance(op.result.kind, Num)
