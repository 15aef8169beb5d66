"""An array that is one number all over is treated as that number.

%a = spread(%d, %z); %b = %a * %y       ->       %b = %d * %y
%a = spread(%d, %z); %b = %w @ %a       ->       %s = sum(%w, axis=1); %b = %d * %s
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import Op, Value
from adcompiler.passes.factors import GUARDED, LINEAR
from adcompiler.passes.site import Site, is_exactly, is_number, rank
from rules.cotangent import spread
from rules.kind import Array, same_kind, same_shape
from rules.rule import find


def uniform_operands(here: Site, op: Op) -> Any:
    """A uniform array beside one of the full shape acts like its number; two uniform ones give a uniform one."""
    target, (a, b), out = op.target, op.args, op.result
    sa, sb = here.made_by(a, spread), here.made_by(b, spread)
    if sa is not None and sb is not None and is_number(sa.args[0]) and is_number(sb.args[0]) and target not in GUARDED:
        if same_kind(sa.args[1].kind, out.kind) and same_kind(sb.args[1].kind, out.kind):
            return here.emit(spread, _of_numbers(here, target, sa.args[0], sb.args[0], out), sa.args[1], like=out)
    if sa is not None and sb is not None and target in (operator.add, operator.sub) and sa.kwargs == sb.kwargs:
        first, second = sa.args[0], sb.args[0]
        if all(same_kind(s.args[1].kind, out.kind) for s in (sa, sb)) and rank(first) == rank(second) > 0:
            return here.emit(spread, here.emit(target, first, second, like=Value(None, "", out.loc)), sa.args[1],
                             like=out, **sa.kwargs)  # fmt: skip
    if sa is not None and is_number(sa.args[0]) and _same_shape(b, out):
        return here.emit_if_kind(target, (sa.args[0], b), out)
    if sb is not None and is_number(sb.args[0]) and _same_shape(a, out) and target not in GUARDED:
        return here.emit_if_kind(target, (a, sb.args[0]), out)
    for s, x, left in ((sa, b, True), (sb, a, False)):
        if s is not None and _same_shape(x, out) and (left or target not in GUARDED):
            d = _aligned(here, s)
            if d is not None:
                return here.emit_if_kind(target, (d, x) if left else (x, d), out)
        whole = s is not None and same_kind(s.args[1].kind, out.kind)  # else the spread would cast
        if s is not None and whole and is_number(s.args[0]) and is_number(x) and target in LINEAR:
            if left or target is operator.mul:
                pair = (s.args[0], x) if left else (x, s.args[0])
                return here.emit(spread, _of_numbers(here, target, *pair, out), s.args[1], like=out)
    return None


def _of_numbers(here: Site, target: Any, a: Any, b: Any, like: Value) -> Any:
    """What an operator makes of two numbers."""
    return here.emit(target, a, b, like=like) if isinstance(a, Value) or isinstance(b, Value) else target(a, b)


def _aligned(here: Site, s: Op) -> Any:
    """The array that a spread broadcasts, with its axes where NumPy's broadcasting finds them; None if it can't."""
    bound = find(spread).bind(s.args, s.kwargs)  # type: ignore[union-attr]
    d, like, axis, keepdims = bound["d"], bound["like"], bound["axis"], bound["keepdims"]
    if not isinstance(d, Value) or not isinstance(d.kind, Array) or not d.kind.ndim:
        return None
    if keepdims or axis == 0 or axis == tuple(range(like.kind.ndim - d.kind.ndim)):
        return d
    if axis in (-1, like.kind.ndim - 1) and d.kind.ndim == like.kind.ndim - 1:
        index = (slice(None),) * d.kind.ndim + (None,)
        return here.emit(operator.getitem, d, index, like=Value(d.kind))
    return None


def everywhere(here: Site, x: Any) -> tuple[Any, Value] | None:
    """The number that an array is all over, and an array of its shape, or of its transpose's."""
    s = here.made_by(x, spread) or here.made_by(here.turned(x), spread)
    return (s.args[0], s.args[1]) if s is not None and is_number(s.args[0]) and len(s.args) == 2 else None


def filled(here: Site, value: Any, out: Value, axis: int | None = None) -> Any:
    """`value` all over the shape of `out`, or along this axis of it, if an array of that shape is in sight."""
    like = next((a for a in here.arrays if same_kind(a.kind, out.kind)), None)
    if like is None or value is None:
        return None
    return here.emit(spread, value, like, like=out, **({} if axis is None else {"axis": axis}))


def times(here: Site, number: Any, x: Any, out: Value) -> Any:
    """`number * x`, a value of its own kind."""
    if is_exactly(number, 1):
        return x
    return here.emit(operator.mul, number, x, like=Value(None, "", out.loc))


def rewrite_spread(here: Site, op: Op, out: Value) -> Any:
    """A uniform array spread further is as uniform."""
    n = here.number_in(op.args[0])
    if n is not None:
        return here.emit(spread, n, op.args[1], like=out)
    s = here.made_by(op.args[0], spread)
    if s is None or not is_number(s.args[0]):
        return None
    return here.emit(spread, s.args[0], op.args[1], like=out)


def along(here: Site, x: Any, axis: int) -> Any:
    """The vector that a matrix repeats: that each row is (`axis` 0), or each column (1)."""
    for y, k in ((x, axis), (here.turned(x), 1 - axis)):
        s = here.made_by(y, spread)
        if s is not None and rank(x) == 2 and rank(s.args[0]) == 1 and len(s.args) == 2:
            if s.kwargs in ({"axis": k}, {"axis": k - 2}):
                return s.args[0]
    return None


def _of_repeated(here: Site, a: Any, b: Any, out: Value) -> Any:
    """A product of matrices of which one repeats a vector is one of vectors."""
    if rank(a) != 2 or rank(b) != 2:
        return None
    fresh = Value(None, "", out.loc)
    row, column = along(here, a, 0), along(here, b, 1)
    if row is not None:
        return filled(here, here.emit(operator.matmul, row, b, like=fresh), out, 0)
    if column is not None:
        return filled(here, here.emit(operator.matmul, a, column, like=fresh), out, 1)
    row, column = along(here, b, 0), along(here, a, 1)
    if row is not None:
        return here.emit(np.outer, here.emit(np.sum, a, like=fresh, axis=1), row, like=out)
    if column is not None:
        return here.emit(np.outer, column, here.emit(np.sum, b, like=fresh, axis=0), like=out)
    return None


def rewrite_matmul(here: Site, op: Op, out: Value) -> Any:
    """A product with an array that is one number all over is a sum."""
    a, b = op.args
    repeated = _of_repeated(here, a, b, out)
    if repeated is not None:
        return repeated
    first, second = everywhere(here, a), everywhere(here, b)
    if second is not None and rank(b) == 1 and rank(a) == 2:
        return times(here, second[0], here.emit(np.sum, a, like=Value(None, "", out.loc), axis=1), out)
    if first is not None and rank(a) == 1 and rank(b) == 2:
        return times(here, first[0], here.emit(np.sum, b, like=Value(None, "", out.loc), axis=0), out)
    if first is not None and rank(a) == 2 and rank(b) in (1, 2):
        total = here.emit(np.sum, b, like=Value(None, "", out.loc), **({"axis": 0} if rank(b) == 2 else {}))
        return filled(here, times(here, first[0], total, out), out, 0 if rank(b) == 2 else None)
    if second is not None and rank(b) == 2 and rank(a) == 2:
        total = here.emit(np.sum, a, like=Value(None, "", out.loc), axis=1)
        return filled(here, times(here, second[0], total, out), out, 1)
    return None


def rewrite_outer(here: Site, op: Op, out: Value) -> Any:
    """A product with a vector that is one number all over repeats the other."""
    for k, (a, b) in enumerate((op.args, op.args[::-1])):
        d = everywhere(here, a)
        if d is not None and rank(a) == 1 and rank(b) == 1:
            return filled(here, times(here, d[0], b, out), out, k)
    return None


def _same_shape(x: Any, out: Value) -> bool:
    return (
        isinstance(x, Value)
        and isinstance(x.kind, Array)
        and isinstance(out.kind, Array)
        and same_shape(x.kind, out.kind)
    )
