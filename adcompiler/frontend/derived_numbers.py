"""Numbers of classes that are derived from Python's, as members of an `IntEnum` are, as operands.

x * K.B       ->       %y = %x * 2
"""

from typing import Any

import numpy as np

from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.structure import like
from rules.kind import Array, KindError, Num, is_derived, plain_number

#: What numbers are asked for in arithmetic.
_ARITHMETIC = (
    *(f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow") for side in ("", "r")),
    "__neg__", "__pos__", "__abs__", "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__bool__", "__float__",
    "__int__", "__index__", "__array__", "__array_ufunc__", "__array_priority__",
)  # fmt: skip


def plain(x: Any) -> Any:
    """A constant as an operand: a member of an `IntEnum` as the int that it is, in a tuple, list or dict, too.

    Raises KindError for a number whose class has arithmetic of its own.
    """
    if isinstance(x, tuple | list) and any(plain(v) is not v for v in x):
        return like(x, map(plain, x))
    if isinstance(x, dict) and any(plain(v) is not v for v in x.values()):
        return {k: plain(v) for k, v in x.items()}
    if not is_derived(x):
        return x
    number = plain_number(x)
    if any(getattr(type(x), name, None) is not getattr(type(number), name, None) for name in _ARITHMETIC):
        raise KindError(f"{x!r} is a {type(x).__name__}, a class of numbers with operators of its own",
                        f"pass the number that it stands for: {type(number).__name__}(...)")  # fmt: skip
    return number


def strong(args: list[Any], operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands; of less than double precision NumPy promotes what meets a number of a derived class, as its own."""
    if not any(is_derived(a) for a in args):
        return operands
    kinds = [kind_of_operand(x) for x in operands]
    if not any(isinstance(k, Array | Num) and not _is_python(k) and k.dtype.char not in "?lqdD" for k in kinds):
        return operands
    return tuple(np.asarray(x)[()] if is_derived(a) else x for a, x in zip(args, operands, strict=True))


def _is_python(kind: Any) -> bool:
    return isinstance(kind, Num) and kind.python
