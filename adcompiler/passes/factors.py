"""Signs and constant factors go into what they multiply, or meet one another.

%n = -%x; %p = %n * %y; %a = %b + %p       ->       %p = %x * %y; %a = %b - %p
%p = 2.0 * %x; %a = 0.5 * %p               ->       %a is %x
"""

import math
import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import Op, Value, is_cotangent
from adcompiler.passes.site import Site, alike, is_number, only_new_axes, wraps
from rules.cotangent import direction, spread, strong, strong_divide, unless_zero
from rules.kind import ONE, Array, Num

LINEAR = (operator.mul, operator.truediv)
GUARDED = (strong, strong_divide)
VIEWS = (operator.getitem, np.expand_dims)


def rewrite_neg(here: Site, op: Op, out: Value) -> Any:
    """A minus goes into a constant, a uniform array, a product or a quotient."""
    (x,) = op.args
    negative = here.made_by(x, operator.neg)
    if negative is not None:
        return negative.args[0]
    s = here.made_by(x, spread)
    if s is not None and is_number(s.args[0]):
        d = s.args[0]
        return here.emit(
            spread,
            here.emit(operator.neg, d, like=out) if isinstance(d, Value) else -d,
            *s.args[1:],
            like=out,
        )
    minus = opposite(here, x)
    if minus is not None:
        return minus
    product = here.made_by(x, *LINEAR)
    if product is not None and here.only_use(x):
        a, b = product.args
        if not isinstance(a, Value):
            return here.emit(product.target, -a, b, like=out)
        if not isinstance(b, Value):
            return here.emit(product.target, a, -b, like=out)
        first = isinstance(a.kind, Num) and isinstance(b.kind, Array)
        if (first or wraps(b)) and not wraps(a):
            return here.emit(product.target, here.emit(operator.neg, a, like=Value(a.kind, "", out.loc)), b, like=out)
        if product.target is operator.mul and not wraps(b):
            return here.emit(operator.mul, a, here.emit(operator.neg, b, like=Value(b.kind, "", out.loc)), like=out)
    return None


def opposite(here: Site, x: Any) -> Any:
    """`-x` of a product with a minus, or of a quotient that begins with one, used here alone: guarded or not."""
    guarded = here.made_by(x, unless_zero) if here.only_use(x) else None
    if guarded is not None:
        d, term = guarded.args
        minus, negative = opposite(here, term), here.made_by(d, operator.neg)
        return None if minus is None else here.emit(unless_zero, negative.args[0] if negative else d, minus, like=x)
    product = here.made_by(x, *LINEAR)
    if product is None or not here.only_use(x) or wraps(x):
        return None
    a, b = product.args
    negative = here.made_by(a, operator.neg)
    if negative is not None:
        return here.emit(product.target, negative.args[0], b, like=x)
    negative = here.made_by(b, operator.neg) if product.target is operator.mul else None
    if negative is not None and here.only_use(b):
        return here.emit(operator.mul, a, negative.args[0], like=x)
    if type(a) in (int, float) and a < 0:
        return here.emit(product.target, -a, b, like=x)
    minus = opposite(here, b) if product.target is operator.mul else None
    return None if minus is None else here.emit(operator.mul, a, minus, like=x)


def scaled(here: Site, op: Op) -> Any:
    """`c * (k * x)` is `(c * k) * x`: where a factor is a power of two, which rounds nothing, or of a cotangent."""
    for c, y in (op.args, op.args[::-1]):
        known = type(c) in (int, float) and here.only_use(y) and not wraps(y)
        inner = here.made_by(y, operator.mul) if known else None
        for k, x in (inner.args, inner.args[::-1]) if inner is not None else ():
            exact = type(k) in (int, float) and (_power_of_two(c) or _power_of_two(k))
            if type(k) in (int, float) and isinstance(x, Value) and (exact or is_cotangent(op.result)):
                return x if c * k == 1 and alike(x, op.result) else here.emit(operator.mul, c * k, x, like=op.result)
        if type(c) in (int, float) and c != 1 and _power_of_two(c) and alike(y, op.result):
            taken = _taking(here, c, y, 4)
            if taken is not None:
                return taken
    return None


def whole(here: Site, op: Op) -> Any:
    """`|x|` times the direction of x is x: `d * |x| * sign(x)` is `d * x`, where |x| has a kink and its square none."""
    for unit, y in (op.args, op.args[::-1]):
        made = here.made_by(unit, direction, np.sign)
        if made is None:
            continue
        x = made.args[0]
        conjugate = here.made_by(x, np.conjugate)
        size = here.made_by(made.args[1], *_ABSOLUTE) if made.target is direction else None
        if made.target is direction and (size is None or conjugate is None or conjugate.args[0] is not size.args[0]):
            continue
        found = _replaced(here, y, made.args[1] if size is not None else x, x, 4)
        if found is not None and alike(found, op.result):
            return found
    for p, y in (op.args, op.args[::-1]):  # the direction is a factor of a product
        product = here.made_by(p, operator.mul)
        for unit, rest in (product.args, product.args[::-1]) if product is not None else ():
            made = here.made_by(unit, np.sign)
            found = None if made is None else _replaced(here, y, made.args[0], made.args[0], 4)
            if found is not None:
                return here.emit_if_kind(operator.mul, (rest, found), op.result)
    return None


def _replaced(here: Site, y: Any, size: Any, x: Any, depth: int) -> Any:
    """A product with `x` in place of the factor |x|, which is `size` or is made of x; None if there is none."""
    made = here.made_by(y, operator.mul, *_ABSOLUTE)
    if (y is size and y is not x) or (made is not None and size is x and made.args == (x,)):
        return x
    if made is None or made.target is not operator.mul or not depth:
        return None
    for a, c in (made.args, made.args[::-1]):
        found = _replaced(here, a, size, x, depth - 1)
        if found is not None:
            return here.emit(
                operator.mul, *((found, c) if a is made.args[0] else (c, found)), like=Value(None, "", y.loc)
            )
    return None


_ABSOLUTE = (operator.abs, abs, np.absolute)


def _taking(here: Site, c: float, y: Any, depth: int) -> Any:
    """`c * y` for a power of two, with the factor taken into a number in `y`, or a minus; None if there is none."""
    op = here.made_by(y, *LINEAR, *GUARDED, operator.neg, *VIEWS)
    if op is None or not depth or not here.only_use(y) or wraps(y) or not any(o is op for o in reversed(here.ops)):
        return None  # what stands outside of a loop is not computed in it
    like = Value(y.kind, y.hint, op.loc)
    if op.target is operator.neg:
        return _negative(here, c, op.args[0], like, depth)
    if op.target in VIEWS:
        x = op.args[0] if isinstance(op.args[0], Value) and only_new_axes(op) else None
        new = _taking(here, c, x, depth - 1)
        return None if new is None else here.emit(op.target, new, *op.args[1:], like=like, **op.kwargs)
    places = range(2 if op.target is operator.mul else 1)
    for i in places:
        x = op.args[i]
        if type(x) in (int, float):
            new = c * x
        elif float_number(x) and isinstance(y.kind, Array):
            new = here.emit(operator.mul, c, x, like=Value(x.kind, "", op.loc))
        else:
            new = _taking(here, c, x, depth - 1)
        if new is not None:
            return here.emit(op.target, *op.args[:i], new, *op.args[i + 1 :], like=like)
    for i in places if here.backward else ():
        view = here.made_by(op.args[i], *VIEWS)
        if view is not None and only_new_axes(view) and here.only_use(op.args[i]) and _narrower(op.args[i], y):
            x = view.args[0]
            new = here.emit(operator.mul, c, x, like=Value(x.kind, "", op.loc))
            new = here.emit(view.target, new, *view.args[1:], like=op.args[i], **view.kwargs)
            return here.emit(op.target, *op.args[:i], new, *op.args[i + 1 :], like=like)
    return None


def _negative(here: Site, c: float, x: Any, like: Value, depth: int) -> Any:
    """`c * -x` for a power of two, which has one operation less than that."""
    if like.kind.dtype.kind not in "fc" or not alike(x, like):
        return None
    if c == -1:
        return x
    taken = _taking(here, -c, x, depth - 1)
    return here.emit(operator.mul, -c, x, like=like) if taken is None else taken


def _narrower(x: Value, y: Value) -> bool:
    """Is an array spread along an axis in an elementwise result?"""
    return isinstance(y.kind, Array) and any(a == ONE != b for a, b in zip(x.kind.shape, y.kind.shape, strict=False))


def float_number(x: Any) -> bool:
    """Is this a computed number, of floats?"""
    return isinstance(x, Value) and isinstance(x.kind, Num) and x.kind.dtype.kind == "f"


def _power_of_two(x: Any) -> bool:
    return bool(x) and abs(math.frexp(x)[0]) == 0.5
