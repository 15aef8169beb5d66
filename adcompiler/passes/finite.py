"""What may be infinite or NaN although the arguments are finite, and what surely keeps away from zero.

    %s = 1 + exp(%x)     is positive, and infinite where the exponential overflows
    %p = 1 / %s          is finite: a cotangent that is zero needs no protection from it

What a loop carries may be infinite if what it begins with or what an iteration makes of it may be. Nothing is said of
other values that loops and branches make: they count as finite, of any sign. A program that asks for NaN, or leaves it
out, expects it in its arguments: there they, and what loops and branches make, may be NaN.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.ir.core import For, Op, Value, While, leaves, walk
from rules.kind import Array, Num
from rules.rule import find

_DEPTH = 100
_SMALL = 1e-30  #: what single precision tells from 0


@dataclass(frozen=True)
class Facts:
    """`positive`: no smaller than some positive number. `nonnegative`, `infinite`, `nan`: what the value may be."""

    nonnegative: bool = False
    positive: bool = False
    infinite: bool = False
    nan: bool = False

    @property
    def wild(self) -> bool:
        """May it be infinite or NaN?"""
        return self.infinite or self.nan


_WILD = Facts(infinite=True, nan=True)
_EXPECT_NAN = (
    np.isnan, np.isfinite, math.isnan, math.isfinite, np.nan_to_num,
    np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanstd, np.nanmax, np.nanmin,
)  # fmt: skip


def of_arguments(ops: Iterable[Op]) -> Facts:
    """What is known of the arguments of a program of these operations."""
    return Facts(nan=any(op.target is f for op in ops for f in _EXPECT_NAN))


def facts(
    x: Any, made: Mapping[Value, Op], known: dict[Value, Facts], argument: Facts = Facts(), depth: int = _DEPTH
) -> Facts:
    """What is known of an operand.

    `made` has the operations behind values, `known` what has been found, `argument` what is known of arguments.
    """
    if isinstance(x, bool | int | float):
        return Facts(x >= 0, x > _SMALL, math.isinf(x), x != x)
    if not isinstance(x, Value):
        return _WILD if any(facts(y, made, known, argument, depth).wild for y in leaves(x)) else Facts()
    if x not in known:
        known[x] = _found(x, made[x], made, known, argument, depth) if x in made else argument
    return known[x]


def _carried(x: Value, loop: For | While, made: Mapping[Value, Op], known: dict[Value, Facts],
             argument: Facts, depth: int) -> Facts:  # fmt: skip
    """What is known of what a loop carries, in it and after it: found for all of it at once, as a fixpoint."""
    inside = {**made, **{r: op for op in walk(loop.body) for r in op.results}}
    start = [facts(y, made, known, argument, depth - 1) for y in loop.inits]
    found = [_may_be(argument, k) for k in start]
    while True:
        trial = {**known, **dict(zip(loop.carried, found, strict=True))}
        ends = [facts(y, inside, trial, argument, depth - 1) for y in loop.body.results[: len(found)]]
        wider = [_may_be(k, end) for k, end in zip(found, ends, strict=True)]
        if wider == found:
            break
        found = wider
    for p, r, k in zip(loop.carried, loop.results, found, strict=False):
        known[p] = known[r] = k
    return known[x]


def _may_be(a: Facts, b: Facts) -> Facts:
    """What is neither positive for sure, but infinite or NaN if one of them may be."""
    return Facts(infinite=a.infinite or b.infinite, nan=a.nan or b.nan)


def _found(x: Value, op: Op, made: Mapping[Value, Op], known: dict[Value, Facts], argument: Facts, depth: int) -> Facts:
    if isinstance(op, For | While) and depth and x in (*op.carried, *op.results[: len(op.inits)]):
        return _carried(x, op, made, known, argument, depth)
    if type(op) is not Op or len(op.results) != 1:
        return argument
    if not depth:
        return _WILD
    operands = [facts(y, made, known, argument, depth - 1) for y in op.args]
    kind = op.result.kind
    known_type = isinstance(kind, Num | Array) and kind.dtype.kind == "f" and kind.dtype.itemsize >= 4
    rule = _RULES.get(op.target) if known_type else None  # integers wrap, and half precision knows no small numbers
    if rule is not None:
        return rule(op, *operands)
    return _WILD if any(k.wild for k in operands) or _has_pole(op) else Facts()


def _has_pole(op: Op) -> bool:
    rule = find(op.target)
    return rule is not None and rule.infinite_at_pole


def _add(op: Op, a: Facts, b: Facts) -> Facts:
    both = a.nonnegative and b.nonnegative
    clash = a.infinite and b.infinite and not both
    return Facts(both, both and (a.positive or b.positive), a.infinite or b.infinite, a.nan or b.nan or clash)


def _subtract(op: Op, a: Facts, b: Facts) -> Facts:
    return Facts(False, False, a.infinite or b.infinite, a.nan or b.nan or (a.infinite and b.infinite))


def _multiply(op: Op, a: Facts, b: Facts) -> Facts:
    infinite = a.infinite or b.infinite
    clash = (a.infinite and not b.positive) or (b.infinite and not a.positive)
    square = op.args[0] is op.args[1]
    return Facts(square or (a.nonnegative and b.nonnegative), False, infinite, a.nan or b.nan or (clash and not square))


def _divide(op: Op, a: Facts, b: Facts) -> Facts:
    constant = isinstance(op.args[1], int | float) and op.args[1] != 0
    if not b.positive and not constant:
        return _WILD
    return Facts(a.nonnegative and b.nonnegative, False, a.infinite, a.nan or b.nan or (a.infinite and b.infinite))


def _negative(op: Op, x: Facts) -> Facts:
    return Facts(infinite=x.infinite, nan=x.nan)


def _exponential(op: Op, x: Facts) -> Facts:
    return Facts(nonnegative=True, infinite=True, nan=x.nan)


def _root(op: Op, x: Facts) -> Facts:
    return Facts(True, x.positive, x.infinite, x.nan or not x.nonnegative)


def _growing(op: Op, x: Facts) -> Facts:
    return Facts(op.target in (np.cosh, math.cosh), op.target in (np.cosh, math.cosh), True, x.nan)


def _logarithm(op: Op, x: Facts) -> Facts:
    return Facts(infinite=x.infinite, nan=x.nan) if x.positive else _WILD


def _wave(op: Op, x: Facts) -> Facts:
    return Facts(nan=x.wild)


def _bounded(op: Op, x: Facts) -> Facts:
    return Facts(x.nonnegative, False, False, x.nan)


def _absolute(op: Op, x: Facts) -> Facts:
    return Facts(True, x.positive, x.infinite, x.nan)


def _maximum(op: Op, a: Facts, b: Facts) -> Facts:
    return Facts(a.nonnegative or b.nonnegative, a.positive or b.positive, a.infinite or b.infinite, a.nan or b.nan)


def _power(op: Op, a: Facts, b: Facts) -> Facts:
    p = op.args[1]
    if type(p) in (int, float) and p >= 0 and p == int(p):
        return Facts(p % 2 == 0 or a.nonnegative, False, a.infinite, a.nan)
    return _WILD if a.wild or b.wild or not a.positive else Facts(nonnegative=True)


def _selection(op: Op, c: Facts, a: Facts, b: Facts) -> Facts:
    return Facts(a.nonnegative and b.nonnegative, a.positive and b.positive, a.infinite or b.infinite, a.nan or b.nan)


def _sum(op: Op, x: Facts, *more: Facts) -> Facts:
    return Facts(x.nonnegative, False, x.infinite, x.nan or (x.infinite and not x.nonnegative))


def _same(op: Op, x: Facts, *more: Facts) -> Facts:
    return x


_RULES: dict[Any, Callable[..., Facts]] = {
    operator.add: _add, operator.sub: _subtract, operator.mul: _multiply, operator.truediv: _divide,
    operator.neg: _negative, operator.pow: _power, operator.abs: _absolute, abs: _absolute,
    np.add: _add, np.subtract: _subtract, np.multiply: _multiply, np.true_divide: _divide, np.negative: _negative,
    np.absolute: _absolute, np.power: _power, np.square: _absolute, np.maximum: _maximum, np.where: _selection,
    np.exp: _exponential, math.exp: _exponential, np.exp2: _exponential, np.expm1: _growing, math.expm1: _growing,
    np.sinh: _growing, math.sinh: _growing, np.cosh: _growing, math.cosh: _growing, np.sin: _wave, math.sin: _wave,
    np.cos: _wave, math.cos: _wave, np.arctan: _bounded, math.atan: _bounded, np.log: _logarithm,
    np.log2: _logarithm, np.log10: _logarithm, np.log1p: _logarithm, np.sqrt: _root, math.sqrt: _root,
    np.tanh: _bounded, math.tanh: _bounded, np.sum: _sum, np.mean: _sum, operator.getitem: _same,
    np.transpose: _same, np.reshape: _same, np.expand_dims: _same, np.broadcast_to: _same,
}  # fmt: skip
