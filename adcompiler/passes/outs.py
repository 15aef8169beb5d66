"""Which operations can compute into an array that is there, and how they are called for it.

%t = %x * %y      ->      np.multiply(x, y, out)
%c = np.sum(%a, axis=0)      ->      np.sum(a, axis=0, out=out)
"""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.ir.alias import new_memory
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Op, Value
from rules.cotangent import direction, strong, strong_divide, update, zeros_like
from rules.kind import Array
from rules.workspace import filled, scratch, zeroed, zeros

#: The ufuncs that Python's operators are for arrays.
UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
    operator.floordiv: np.floor_divide, operator.mod: np.remainder, operator.matmul: np.matmul,
    operator.neg: np.negative, operator.pos: np.positive, operator.abs: np.absolute,
    operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater, operator.ge: np.greater_equal,
    operator.eq: np.equal, operator.ne: np.not_equal, operator.and_: np.bitwise_and, operator.or_: np.bitwise_or,
    operator.invert: np.invert, abs: np.absolute,
}  # fmt: skip
#: What `x ** k` computes for these exponents of a float array.
_POWERS = {2: np.square, 0.5: np.sqrt, -1: np.reciprocal}
#: Of these NumPy does not want a third argument that is not called `out`, lest it be taken for one more number.
_BY_NAME = (np.maximum, np.minimum)
_REDUCTIONS = (
    np.sum, np.mean, np.max, np.min, np.prod, np.cumsum, np.cumprod, np.var, np.std, np.ptp, np.concatenate,
    np.stack,
)  # fmt: skip
#: What cotangents are multiplied by; these take an array for the result that is no operand.
_FACTORS = (strong, strong_divide, direction)


@dataclass(frozen=True)
class Out:
    """A call that computes into an array: the array is the next argument, or `out=`.

    `elementwise`: it may be an operand as well, of which each element is read before it is written.
    """

    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    keyword: bool = False
    elementwise: bool = False


def into(op: Op) -> Out | None:
    """How an operation is called to compute into an array of the kind of its result; None where it cannot."""
    if type(op) is not Op or len(op.results) != 1 or op.effect or not isinstance(op.result.kind, Array):
        return None
    t, args, kwargs = op.target, op.args, op.kwargs
    if t is operator.pow:
        return _power(args, op.result.kind)
    t = UFUNCS.get(t, t)
    if isinstance(t, np.ufunc):
        if t.nout != 1 or kwargs or len(args) != t.nin or not any(isinstance(a, Value) for a in args):
            return None
        by_name = t in _BY_NAME or (t.signature is not None and op.result.kind.xp != "numpy")
        return Out(t, args, {}, keyword=by_name, elementwise=t.signature is None)
    if t is np.copy and len(args) == 1 and not kwargs and op.result.kind.dtype != np.bool_:
        return Out(np.positive, args, {}, elementwise=True)
    if t is np.dot:
        return Out(np.matmul, args, {}, keyword=op.result.kind.xp != "numpy") if is_product(op) else None
    if t in (np.outer, *_FACTORS) and len(args) == 2 and not kwargs:
        return Out(t, args, {})
    if t is np.einsum and not kwargs and new_memory(op) and op.result.kind.xp == "numpy":
        return Out(t, args, {}, keyword=True)
    if t is np.clip and len(args) == 3 and not kwargs:
        return Out(t, args, {}, elementwise=True)
    if t in _REDUCTIONS and "out" not in kwargs and len(args) < 3:
        return Out(t, args, kwargs, keyword=True)
    if t is zeros_like or (t is np.zeros_like and len(args) == 1 and not kwargs):
        return Out(zeroed, args, {})
    if t is np.empty_like and len(args) == 1 and not kwargs:
        return Out(scratch, args, {})
    if t is np.zeros and len(args) == 1 and not kwargs and op.result.kind.xp == "numpy":
        return Out(zeros, args, {})
    if t is np.ones_like and len(args) == 1 and not kwargs:
        return Out(filled, (args[0], 1.0), {})
    if t is np.full_like and len(args) == 2 and not kwargs:
        return Out(filled, args, {})
    if t is update and isinstance(op.result.kind, Array) and op.result.kind.dtype != np.bool_:
        return Out(np.positive, args[:1], {}, elementwise=True)  # a copy of the base, which is then written into
    return None


def is_product(op: Op) -> bool:
    """Is this a product of vectors and matrices, which `np.dot` and `np.matmul` form alike?"""
    if op.target not in (np.dot, np.matmul, operator.matmul) or len(op.args) != 2 or op.kwargs:
        return False
    kinds = [kind_of_operand(a) for a in op.args]
    return all(isinstance(k, Array) and k.ndim in (1, 2) for k in kinds)


def _power(args: tuple[Any, ...], result: Array) -> Out | None:
    base, exponent = args
    kind, by = kind_of_operand(base), kind_of_operand(exponent)
    if isinstance(by, Array) and by.ndim and result.dtype.kind in "fc":
        return Out(np.power, args, {}, elementwise=True)  # what one number as exponent would make faster is no power
    if not isinstance(kind, Array) or kind.dtype.kind not in "fc" or isinstance(exponent, Value):
        return None
    if type(exponent) in (int, float) and exponent in _POWERS:
        return Out(_POWERS[exponent], (base,), {}, elementwise=True)
    return None
