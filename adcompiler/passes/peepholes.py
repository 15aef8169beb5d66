"""Peepholes: an operation with what is behind its operands, rewritten by what it is.

%a = %x + %x                                  ->       %a = 2.0 * %x
%t = transpose(%x); %a = transpose(%t)        ->       %a is %x
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.alias import takes_all
from adcompiler.ir.build import fold, infer
from adcompiler.ir.core import For, Op, Value
from adcompiler.ir.library import of_kind
from adcompiler.passes.factors import LINEAR, float_number, opposite, rewrite_neg, scaled, whole
from adcompiler.passes.finite import facts, of_arguments
from adcompiler.passes.masks import masked
from adcompiler.passes.nothing import is_nothing, note
from adcompiler.passes.site import Site, alike, is_exactly, is_number, only_new_axes, rank
from adcompiler.passes.uniform import (
    everywhere,
    filled,
    rewrite_matmul,
    rewrite_outer,
    rewrite_spread,
    times,
    uniform_operands,
)
from adcompiler.passes.updates import index_of_part, merged, rewrite_accumulate, rewrite_update
from rules.cotangent import (
    accumulate,
    length,
    listed,
    project,
    restack,
    size,
    spread,
    strong,
    strong_divide,
    unstack,
    update,
)
from rules.kind import ONE, Array, KindError, Num, Seq, lengths, same_shape
from rules.numpy.powers import real_power
from rules.numpy.shape import reshape_like
from rules.rule import OPERATORS
from rules.sequences import backwards

_BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, strong, strong_divide)


def peephole(here: Site, op: Op) -> Any:
    """A simpler operand for the result, or None."""
    target, args, out = op.target, op.args, op.result
    if not any(True for _ in op.operands()):
        folded = fold(target, args, op.kwargs) if target in OPERATORS else None
        return folded[0] if folded is not None else None
    note(here, op)
    try:
        if target in _BINARY and len(args) == 2:
            return _binary(here, op)
        rewrite = _REWRITES.get(target)
        return rewrite(here, op, out) if rewrite is not None else None
    except KindError:
        return None


def _binary(here: Site, op: Op) -> Any:
    target, (a, b), out = op.target, op.args, op.result
    for x, y in ((a, b), (b, a)):
        n = here.number_in(x)
        if n is None or target not in (*LINEAR, operator.add, operator.sub):
            continue
        pair = (n, b) if x is a else (a, n)
        if isinstance(y, Value) and isinstance(y.kind, Array) and y.kind.dtype == x.kind.dtype:
            return here.emit_if_kind(target, pair, out)
        number = is_number(y) and not (isinstance(y, Value) and isinstance(y.kind, Array))
        if number and out.kind.dtype == np.float64 and any(isinstance(z, Value) for z in pair):
            made = here.emit(target, *pair, like=Value(None, "", out.loc))
            return here.emit(of_kind(np.asarray, out.kind), made, out.kind.dtype, like=out)
    if target is operator.mul:
        done = masked(here, op)
        if done is not None:
            return done
        done = scaled(here, op)
        done = whole(here, op) if done is None else done
        if done is not None:
            return done
        for x, y in ((a, b), (b, a)):
            if is_exactly(x, 1) and (alike(y, out) or float_number(y)):
                return y
            if type(x) is float and x == 1 and here.made_by(y, size):
                return here.emit(float, y, like=out)
            if is_exactly(x, -1) and alike(y, out):
                return here.emit(operator.neg, y, like=out)
            negative = here.made_by(x, operator.neg)
            if negative is not None and (minus := opposite(here, y)) is not None:
                factors = (negative.args[0], minus)
                return here.emit(operator.mul, *(factors if x is a else factors[::-1]), like=out)
    if target is operator.truediv and is_exactly(b, 1) and alike(a, out):
        return a
    if target is strong and type(a) in (int, float) and a != 0 and rank(b) > 0:
        return here.emit_if_kind(operator.mul, (a, b), out)
    if target is strong_divide:
        known = facts(b, here.defs, {}, of_arguments(here.defs.values()))
        never_zero = type(a) in (int, float) and a != 0 and rank(b) > 0
        if never_zero or (known.positive and not known.nan):
            return here.emit_if_kind(operator.truediv, (a, b), out)
    if target is operator.add:
        for x, y in ((a, b), (b, a)):
            if (is_exactly(x, 0) or is_nothing(here, x)) and alike(y, out):
                return y
            done = merged(here, x, y, out)
            if done is not None:
                return done
        if a is b and isinstance(out.kind, Num | Array) and out.kind.dtype.kind in "fc":
            return here.emit(operator.mul, 2.0, a, like=out)
        twice = _twice(here, a, b, out)
        if twice is not None:
            return twice
        first, second = here.made_by(a, operator.mul), here.made_by(b, operator.mul)
        if first and second and first.args == second.args[::-1] and isinstance(out.kind, Num | Array):
            return here.emit(operator.mul, 2.0, a, like=out)
        for x, y in ((a, b), (b, a)):
            negative = here.made_by(y, operator.neg)
            if negative is not None and (isinstance(x, Value) or y is b):
                return here.emit(operator.sub, x, negative.args[0], like=out)
        for x, y in ((a, b), (b, a)):
            minus = opposite(here, y) if isinstance(x, Value) else None
            if minus is not None:
                return here.emit(operator.sub, x, minus, like=out)
    if target is operator.sub:
        negative = here.made_by(b, operator.neg)
        if negative is not None:
            return here.emit(operator.add, a, negative.args[0], like=out)
        if (is_exactly(a, 0) or is_nothing(here, a)) and isinstance(b, Value) and alike(b, out):
            return here.emit(operator.neg, b, like=out)
        if (is_exactly(b, 0) or is_nothing(here, b)) and alike(a, out):
            return a
    return uniform_operands(here, op)


def _twice(here: Site, a: Any, b: Any, out: Value) -> Any:
    """`(p + q) + q` is `p + 2.0 * q`, in the backward sweep."""
    total = here.made_by(a, operator.add) if here.backward and here.only_use(a) else None
    if total is None or not isinstance(b, Value) or not isinstance(out.kind, Array) or out.kind.dtype.kind not in "fc":
        return None
    p, q = total.args
    first, second = here.made_by(q, operator.mul), here.made_by(b, operator.mul)
    same = q is b or (first is not None and second is not None and first.args in (second.args, second.args[::-1]))
    if not same or not alike(p, out):
        return None
    return here.emit(operator.add, p, here.emit(operator.mul, 2.0, q, like=Value(None, b.hint, out.loc)), like=out)


def _sum(here: Site, op: Op, out: Value) -> Any:
    (x, *more), axis = op.args, op.kwargs.get("axis")
    if type(axis) is int and not more and set(op.kwargs) == {"axis"} and out.kind.dtype == x.kind.dtype:
        uniform = here.made_by(x, spread)
        if uniform is not None and is_number(uniform.args[0]) and len(uniform.args) == 2:
            n = here.emit(length, uniform.args[1], axis % x.kind.ndim, like=Value(Num(int)))
            return filled(here, times(here, uniform.args[0], n, out), out)
        if here.turned(x) is not None and rank(x) == 2:
            return here.emit(np.sum, here.turned(x), like=out, axis=1 - axis % 2)
        product = here.made_by(x, operator.mul)
        for a, b in (product.args, product.args[::-1]) if product is not None and here.only_use(x) else ():
            d = everywhere(here, a)
            if d is not None and rank(b) == x.kind.ndim and _varies_along(b, axis % x.kind.ndim, x):
                return filled(here, times(here, d[0], here.emit(np.sum, b, like=Value(None, "", out.loc)), out), out)
    if here.backward and here.only_use(x) and not more:
        factored = _of_product(here, op, out)
        if factored is not None:
            return factored
    view = here.made_by(x, operator.getitem)
    if view is not None and not more and not op.kwargs and only_new_axes(view) and rank(view.args[0]):
        return here.emit(np.sum, view.args[0], like=out)
    s = here.made_by(op.args[0], spread)
    if s is None or not is_number(s.args[0]) or op.kwargs or s.kwargs:
        return None
    return here.emit(operator.mul, s.args[0], here.emit(size, s.args[1], like=Value(Num(int))), like=out)


def _of_product(here: Site, op: Op, out: Value) -> Any:
    """What is the same along the axis goes out of a sum; the sum of a product of matrices is one with a sum."""
    x, axis = op.args[0], op.kwargs.get("axis")
    fresh = Value(None, "", out.loc)
    scaled, minus, product = (
        here.made_by(x, operator.mul),
        here.made_by(x, operator.neg),
        here.made_by(x, operator.matmul),
    )
    if not set(op.kwargs) <= {"axis"}:
        return None
    if minus is not None and alike(minus.args[0], x):
        return here.emit(operator.neg, here.emit(np.sum, *minus.args, like=fresh, **op.kwargs), like=out)
    for c, y in (scaled.args, scaled.args[::-1]) if scaled is not None else ():
        if is_number(c) and alike(y, x):
            return here.emit(operator.mul, c, here.emit(np.sum, y, like=fresh, **op.kwargs), like=out)
    linear = here.made_by(x, *LINEAR)
    if linear is not None and type(axis) is int:
        sides = (linear.args, linear.args[::-1]) if linear.target is operator.mul else (linear.args,)
        for y, c in sides:
            if alike(y, x) and rank(c) and (same := _same_along(here, c, axis % x.kind.ndim, x)) is not None:
                return here.emit(linear.target, here.emit(np.sum, y, like=fresh, axis=axis), same, like=out)
    if product is not None and all(rank(y) == 2 for y in product.args) and type(axis) is int:
        a, b = product.args
        if axis % 2 == 0:
            return here.emit(operator.matmul, here.emit(np.sum, a, like=fresh, axis=0), b, like=out)
        return here.emit(operator.matmul, a, here.emit(np.sum, b, like=fresh, axis=1), like=out)
    return None


def _getitem(here: Site, op: Op, out: Value) -> Any:
    """An array as a whole is that array, and an element of a row one of the array.

    An axis that a sum has kept is not indexed away: the sum does not keep it.
    """
    x, index = op.args
    if rank(x) and takes_all(index) and alike(x, out):
        return x
    row = here.made_by(x, operator.getitem) if here.only_use(x) and rank(x) else None
    if row is not None and rank(row.args[0]) > rank(x) and (both := index_of_part(row.args[1], index)) is not None:
        return here.emit(operator.getitem, row.args[0], both, like=out)
    total = here.made_by(x, np.sum)
    if total is None or not here.only_use(x) or total.kwargs.get("keepdims") is not True:
        return None
    axis = total.kwargs.get("axis")
    if type(axis) is not int or not isinstance(index, tuple) or len(index) != x.kind.ndim:
        return None
    if any(i != (0 if k == axis % len(index) else slice(None)) for k, i in enumerate(index)):
        return None
    return here.emit(np.sum, *total.args, like=out, **{k: v for k, v in total.kwargs.items() if k != "keepdims"})


def _transpose(here: Site, op: Op, out: Value) -> Any:
    x = op.args[0]
    if op.kwargs or len(op.args) > 1:
        return None
    if isinstance(x, Value) and isinstance(x.kind, Array) and x.kind.ndim == 1:
        return x
    if here.turned(x) is not None:
        return here.turned(x)
    uniform = everywhere(here, x)
    if uniform is not None:
        return filled(here, uniform[0], out)
    made = here.made_by(x, operator.neg, operator.matmul, np.outer) if here.only_use(x) else None
    if made is None or any(rank(y) != (1 if made.target is np.outer else 2) for y in made.args):
        return None
    if made.target is operator.neg:
        return here.emit(operator.neg, here.emit(np.transpose, *made.args, like=Value(out.kind, "", out.loc)), like=out)
    a, b = made.args
    if made.target is np.outer:
        return here.emit(np.outer, b, a, like=out)
    first, second = here.turned(b), here.turned(a)
    if first is None and second is None:
        return None
    first, second = (
        here.emit(np.transpose, y, like=Value(y.kind, "", out.loc)) if x is None else x
        for x, y in ((first, b), (second, a))
    )
    return here.emit(operator.matmul, first, second, like=out)


def _project(here: Site, op: Op, out: Value) -> Any:
    d, like = op.args
    if isinstance(d, Value) and isinstance(like, Value) and isinstance(d.kind, Array) and isinstance(like.kind, Array):
        if d.kind.dtype == like.kind.dtype and same_shape(d.kind, like.kind) and d.kind.ndim:
            return d
    return None


def _reshape_like(here: Site, op: Op, out: Value) -> Any:
    return op.args[0] if alike(op.args[0], out) else None


def _listed(here: Site, op: Op, out: Value) -> Any:
    """A copy of a list is the list: where one must not see what becomes of the other, `growing` copies."""
    return op.args[0] if isinstance(op.args[0], Value) else None


def _inverse(other: Any) -> Any:
    def rewrite(here: Site, op: Op, out: Value) -> Any:
        inner = here.made_by(op.args[0], other)
        return inner.args[0] if inner is not None and alike(inner.args[0], out) else None

    return rewrite


def _restack(here: Site, op: Op, out: Value) -> Any:
    """Rows taken apart and put together: what NumPy makes of a list without elements has no rows of any length."""
    x = _inverse(unstack)(here, op, out)
    return None if x is None or _of_list(here, x) else x


def _of_list(here: Site, x: Value, depth: int = 8) -> bool:
    """May an array have the shape of one that was made of a list?"""
    op = here.defs.get(x)
    if op is None or not depth:
        return op is not None
    operands = [v for v in op.operands() if isinstance(v.kind, Array | Seq)]
    return any(isinstance(v.kind, Seq) or (rank(v) > 0 and _of_list(here, v, depth - 1)) for v in operands)


def _length(here: Site, op: Op, out: Value) -> Any:
    x = op.args[0]
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", 0)
    if isinstance(x, Value) and isinstance(x.kind, Array) and x.kind.shape[axis].constant:
        return x.kind.shape[axis].offset
    loop = here.defs.get(x) if isinstance(x, Value) else None
    if isinstance(loop, For) and not loop.stop and x in loop.results[len(loop.inits) :]:
        return here.emit(length, loop.sequences[0], like=out)
    return None


def _float(here: Site, op: Op, out: Value) -> Any:
    """A conversion is idle where its operand is surely of that type: what went through a join may not be."""
    x = op.args[0]
    return x if isinstance(x, Value) and isinstance(x.kind, Num) and x.kind == out.kind and _surely(here, x) else None


def _real_power(here: Site, op: Op, out: Value) -> Any:
    """The power of what is not negative is Python's."""
    known = facts(op.args[0], here.defs, {}, of_arguments(here.defs.values()))
    return here.emit_if_kind(operator.pow, op.args, out) if known.nonnegative else None


def _surely(here: Site, x: Value, depth: int = 4) -> bool:
    """Is this number surely of the type of its kind: an argument, or what NumPy makes of an array?

    One that went through a join or a rewrite may be of a narrower type.
    """
    if x in here.function.params:
        return True
    op = here.defs.get(x)
    if op is None or type(op) is not Op or op.target in (size, length) or not depth:
        return False
    if op.target in (float, np.float64, np.float32):
        return True
    if op.target in OPERATORS:
        numbers = [v for v in op.operands() if isinstance(v.kind, Num)]
        return all(_surely(here, v, depth - 1) for v in numbers) and infer(op.target, op.args, {}) == x.kind
    return any(isinstance(v.kind, Array) and v.kind.ndim for v in op.operands())


def _same_along(here: Site, c: Value, axis: int, whole: Value) -> Value | None:
    """A factor that is the same along an axis of a product, without that axis; None if it is not, or there are others.

    It has no such axis, or one that was put in for the product.
    """
    if rank(c) < whole.kind.ndim - axis:
        return c
    view = here.made_by(c, operator.getitem, np.expand_dims)
    if view is None or rank(c) != whole.kind.ndim or rank(view.args[0]) != rank(c) - 1 or not only_new_axes(view):
        return None
    return view.args[0] if c.kind.shape[axis] == ONE != whole.kind.shape[axis] else None


def _varies_along(x: Value, axis: int, whole: Value) -> bool:
    """Has an array the length of `whole` along this axis, and 1 along the others?"""
    return all(n == ONE for k, n in enumerate(x.kind.shape) if k != axis) and lengths().same(
        x.kind.shape[axis], whole.kind.shape[axis]
    )


_REWRITES: dict[Any, Any] = {
    operator.neg: rewrite_neg,
    spread: rewrite_spread,
    update: rewrite_update,
    operator.getitem: _getitem,
    operator.matmul: rewrite_matmul,
    np.outer: rewrite_outer,
    np.sum: _sum,
    project: _project,
    reshape_like: _reshape_like,
    accumulate: rewrite_accumulate,
    listed: _listed,
    backwards: _inverse(backwards),
    restack: _restack,
    unstack: _inverse(restack),
    length: _length,
    float: _float,
    real_power: _real_power,
    np.float64: _float,
    np.float32: _float,
    np.transpose: _transpose,
}
