"""What is added to places of an array, or to elements of a list, goes there at once.

%t = update(zeros, i, add, %v); %a = %d + %t       ->       %a = update(%d, i, add, %v)
%n = -%v; %a = update(%d, i, add, %n)              ->       %a = update(%d, i, sub, %v)
%r = update(zeros, j, add, %v); %a = update(%d, i, add, %r)       ->       %a = update(%d, (i, j), add, %v)
"""

import operator
from typing import Any

from adcompiler.ir.alias import is_integer
from adcompiler.ir.build import infer, kind_of_operand
from adcompiler.ir.core import CotangentName, Op, Value, is_cotangent, leaves
from adcompiler.passes.equal import frozen
from adcompiler.passes.factors import opposite
from adcompiler.passes.site import Site, alike, is_exactly
from rules.cotangent import appended, or_zeros, update, zeros_like
from rules.kind import Array, Num, Seq, same_shape


def merged(here: Site, acc: Any, term: Any, out: Value) -> Any:
    """`acc + update(zeros, path, add, v)` is the update of `acc`."""
    u = here.made_by(term, update)
    if u is None or u.args[2] not in ("add", "sub") or here.made_by(u.args[0], zeros_like) is None:
        return None
    if not isinstance(acc, Value) or not here.only_use(term):
        return None
    if not alike(acc, out) or not alike(term, out):  # what is broadcast has other places
        return None
    _, path, kind, value = u.args
    parts = _of_parts(here, acc, path, kind, value, out)
    return parts if parts is not None else here.emit(update, acc, path, kind, value, like=out)


def rewrite_update(here: Site, op: Op, out: Value) -> Any:
    """Adding `-v` at a place is subtracting `v`; two stores at one place are one."""
    base, path, kind, value = op.args
    if not isinstance(out.kind, Array):
        return None
    negative = here.made_by(value, operator.neg)
    minus = negative.args[0] if negative is not None else opposite(here, value)
    if minus is not None and kind in ("add", "sub"):
        return here.emit(update, base, path, "sub" if kind == "add" else "add", minus, like=out)
    if kind in ("add", "sub") and here.made_by(base, zeros_like) is None:
        parts = _of_parts(here, base, path, kind, value, out)
        if parts is not None:
            return parts
    before = here.made_by(base, update)
    if before is None or kind not in ("add", "sub") or not here.only_use(base):
        return None
    if frozen(before.args[1]) != frozen(path):
        return None
    inner, first = before.args[2:]
    number = all(isinstance(kind_of_operand(v), Num) for v in (first, value))
    if inner == "set" and kind == "add" and is_exactly(first, 0) and fills(value, base, path):
        return here.emit(update, before.args[0], path, "set", value, like=out)
    cotangent = is_cotangent(out)  # the sums of the primal are formed as they are written
    if inner in ("add", "sub") and number and cotangent and any(isinstance(v, Value) for v in (first, value)):
        like = Value(None, CotangentName("d"), op.loc)
        total = here.emit(operator.add if inner == kind else operator.sub, first, value, like=like)
        return here.emit(update, before.args[0], path, inner, total, like=out)
    return None


def _of_parts(here: Site, base: Any, path: Any, kind: str, value: Any, out: Value) -> Any:
    """Zeros but for some parts are added to a view: those parts are, `d_A[i, j] += v`; None where it is otherwise."""
    part = here.made_by(value, update)
    if part is None or part.args[2] not in ("add", "sub") or not here.only_use(value):
        return None
    if not is_cotangent(out) or not isinstance(out.kind, Array) or not fills(value, base, path):
        return None
    rest, inner, sign, v = part.args
    if here.made_by(rest, zeros_like) is None:
        base = _of_parts(here, base, path, kind, rest, Value(out.kind, out.hint, out.loc))
        if base is None:
            return None
    return here.emit(update, base, _joined(path, inner), "add" if kind == sign else "sub", v, like=out)


def _joined(path: Any, inner: Any) -> tuple[Any, ...]:
    """The path of a part of a view; `A[i][j]` is `A[i, j]`."""
    *outer, last = path
    first, *more = inner
    index = index_of_part(last, first)
    return (*path, *inner) if index is None else (*outer, index, *more)


def index_of_part(index: Any, inner: Any) -> tuple[Any, ...] | None:
    """What `a[index][inner]` is of `a`, where integers lead to a row of which a part is taken; else None."""
    rows, parts = (i if isinstance(i, tuple) else (i,) for i in (index, inner))
    basic = all(is_integer(i) or i is None or i is Ellipsis or isinstance(i, slice) for i in parts)
    return (*rows, *parts) if basic and all(map(is_integer, rows)) else None


def rewrite_accumulate(here: Site, op: Op, out: Value) -> Any:
    """A sum with zeros is the other term; one with a single element is an update."""
    for x, y in (op.args, op.args[::-1]):
        if here.made_by(x, zeros_like):
            return y
    for x, y in (op.args, op.args[::-1]):  # one element is added to a list of cotangents
        u = here.made_by(y, update)
        if u is None or u.args[2] != "add" or not here.made_by(u.args[0], zeros_like) or not here.only_use(y):
            continue
        if len(u.args[1]) != 1 or not isinstance(u.args[1][0], int | Value):
            continue
        grown = here.made_by(x, appended)
        if grown is not None and u.args[1] == (-1,) and here.made_by(grown.args[1], zeros_like):
            return here.emit(appended, grown.args[0], u.args[3], like=out)
        first = here.made_by(x, update)
        if first is not None and here.made_by(first.args[0], zeros_like):
            continue
        if isinstance(x, Value) and isinstance(out.kind, Seq) and not here.made_by(x, or_zeros):
            return here.emit(update, x, *u.args[1:], like=out)
    return None


def fills(value: Any, base: Value, path: Any) -> bool:
    """Has a value the shape of the place, so that nothing is broadcast?"""
    if any(isinstance(v.kind, Array) for v in leaves(path)) or _has_list(path):
        return False  # an index array may name an element twice
    kind = kind_of_operand(value)
    place = infer(operator.getitem, (base, path[0]), {}) if len(path) == 1 and path != ("T",) else None
    if isinstance(kind, Num) and isinstance(place, Num):
        return True
    return isinstance(kind, Array) and isinstance(place, Array) and same_shape(kind, place)


def _has_list(path: Any) -> bool:
    return isinstance(path, list) or (isinstance(path, tuple) and any(map(_has_list, path)))
