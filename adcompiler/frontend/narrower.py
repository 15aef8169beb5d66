"""What a join makes wider: where an int meets a float, or a real number a complex one, it is one from there on.

n = 2 if c > 0 else c      ->      %n = if %c { %t = float(2); yield %t } else { yield %c }

The user's program goes on with the narrower one, which is as good, but that an array of it cuts what is stored into it:
such a store is refused.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompiler.ir.build import infer, kind_of_operand
from adcompiler.ir.core import UNDEF, Op, Value, leaves, map_tree
from rules.kind import Array, Num, Seq

_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def category(kind: Any) -> int:
    """0 for booleans, 1 for ints, 2 for floats, 3 for complex numbers, arrays and lists of them; -1 for all else."""
    while isinstance(kind, Seq):
        kind = kind.element
    return _ORDER.get(kind.dtype.kind, -1) if isinstance(kind, Num | Array) else -1


def is_wider(wide: Any, kind: Any) -> bool:
    """Is this the kind of floats where the other is of ints, or of complex numbers where the other is real?"""
    numbers = not isinstance(wide, Seq) and not isinstance(kind, Seq)
    return numbers and category(wide) >= 2 and 0 <= category(kind) < category(wide)


def least(v: Any, joined: Mapping[Value, int], defs: Mapping[Value, Op], known: dict[Value, int]) -> int:
    """The least category that a value may be of in the user's program. `joined` has those of joins."""
    if not isinstance(v, Value):
        return category(kind_of_operand(v))
    if v in known:
        return known[v]
    known[v] = category(v.kind)  # of itself, in a loop
    if v in joined:
        known[v] = joined[v]
        return known[v]
    op = defs.get(v)
    if isinstance(v.kind, Seq) and op is not None and op.regions:
        made = [sub.results[op.results.index(v)] for sub in op.regions if len(sub.results) >= len(op.results)]
        known[v] = min([known[v], *(least(x, joined, defs, known) for x in made if x is not UNDEF)])
        return known[v]
    if type(op) is not Op or len(op.results) != 1 or category(v.kind) < 2:
        return known[v]
    given = {x: least(x, joined, defs, known) for x in leaves((op.args, op.kwargs))}
    if all(given[x] == category(x.kind) for x in given):
        return known[v]
    narrow = {x: _narrowed(x, given[x]) for x in given}
    try:
        args, kwargs = map_tree(lambda x: narrow[x], op.args), map_tree(lambda x: narrow[x], op.kwargs)
        known[v] = min(known[v], category(infer(op.target, args, kwargs)))
    except Exception:  # it is not for such operands
        known[v] = min(given.values())
    return known[v]


def _narrowed(v: Value, to: int) -> Value:
    """A value of the same shape and of a lower category."""
    if to < 0 or to == category(v.kind):
        return v
    if isinstance(v.kind, Seq):
        return Value(Seq(_narrowed(Value(v.kind.element), to).kind, length=v.kind.length), v.hint, v.loc)
    dtype = {0: np.dtype(bool), 1: np.dtype(np.int64), 2: np.dtype(np.float64)}[to]
    kind = Array(dtype, v.kind.shape, v.kind.xp) if isinstance(v.kind, Array) else Num({0: bool, 1: int, 2: float}[to])
    return Value(kind, v.hint, v.loc)
