"""Ints that are affine in the variables of loops, and what they are at least.

    for %j in range(n): for %k in range(%j): ..      ->      %j - %k >= 1, as %k <= %j - 1

A variable may stand for that of another iteration: it is another symbol, with the bounds of its own.
"""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from adcompiler.ir.core import For, Op, Value
from rules.kind import Length, Num, lengths
from rules.sequences import backwards


@dataclass(frozen=True)
class Affine:
    """A constant, and integral multiples of symbols."""

    constant: int
    terms: dict[Any, int] = field(default_factory=dict)

    def plus(self, other: "Affine", times: int = 1) -> "Affine":
        """This and a multiple of another."""
        terms = dict(self.terms)
        for symbol, c in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + times * c
        return Affine(self.constant + times * other.constant, {s: c for s, c in terms.items() if c})


def of_length(n: Length) -> Affine:
    """The length of an axis."""
    n = lengths().resolve(n)
    return Affine(n.offset, {} if n.symbol is None else {n.symbol: 1})


@dataclass(frozen=True)
class Variable:
    """The variable of a loop over a range, or an int that nothing is known of; `other`: in any iteration."""

    value: Value
    other: bool = False


@dataclass
class Ints:
    """The ints of a function: how they are made, and the loops whose variables they are, outer ones first."""

    defs: dict[Value, Op]
    loops: dict[Value, tuple[For, int]]

    def expand(self, x: Any, others: set[Value]) -> Affine | None:
        """An operand in terms of variables; those in `others` are of another iteration. None for what is no int."""
        if isinstance(x, int) and not isinstance(x, bool):
            return Affine(x)
        if not isinstance(x, Value) or not isinstance(x.kind, Num) or x.kind.dtype.kind not in "iu":
            return None
        if x.kind.length is not None and not lengths().resolve(x.kind.length).anonymous:
            return of_length(x.kind.length)
        op = self.defs.get(x)
        if op is not None and op.target in (operator.add, operator.sub, operator.mul, operator.neg):
            a, *rest = [self.expand(y, others) for y in op.args]
            b = rest[0] if rest else None
            if a is not None and op.target is operator.neg:
                return Affine(0).plus(a, -1)
            if a is not None and b is not None and op.target is not operator.mul:
                return a.plus(b, 1 if op.target is operator.add else -1)
            if a is not None and b is not None and not (a.terms and b.terms):
                number, other = (b, a) if a.terms else (a, b)
                return Affine(0).plus(other, number.constant)
        return Affine(0, {Variable(x, x in others): 1})

    def range_of(self, v: Value, others: set[Value]) -> tuple[Affine | None, Affine | None, int] | None:
        """The least and the greatest value of a variable, None where unknown, and its step; None for other ints."""
        if v not in self.loops:
            return None
        loop, k = self.loops[v]
        op = self.defs.get(loop.sequences[k]) if isinstance(loop.sequences[k], Value) else None
        turned = op is not None and op.target is backwards
        if op is not None and turned:
            op = self.defs.get(op.args[0]) if isinstance(op.args[0], Value) else None
        if op is None or op.target is not range or op.kwargs:
            return None
        start, stop, step = (0, op.args[0], 1) if len(op.args) == 1 else (*op.args, 1)[:3]
        if type(step) is not int or not step:
            return None
        first, end = self.expand(start, others), self.expand(stop, others)
        last = None if end is None else end.plus(Affine(-1 if step > 0 else 1))
        low, high = (first, last) if step > 0 else (last, first)
        return low, high, -step if turned else step

    def at_least(
        self, x: Affine, bound: int, apart: Iterable[Value] = (), others: set[Value] | None = None, back: bool = False
    ) -> bool:
        """Is `x >= bound` in all iterations?

        The variables `apart`, where they are others, are of later iterations, or of earlier ones (`back`).
        """
        others, after = others or set(), set(apart)
        order = {v: i for i, v in enumerate(self.loops)}
        while variables := [s for s in x.terms if isinstance(s, Variable)]:
            if any(s.value not in order for s in variables):
                return False
            s = max(variables, key=lambda s: (s.other, order[s.value]))  # those whose bounds the rest stands in first
            known = self.range_of(s.value, others if s.other else set())
            if known is None:
                return False
            low, high, step = known
            c = x.terms[s]
            limit, step = low if c > 0 else high, -step if back else step
            if s.other and s.value in after and (step > 0) is (c > 0):
                limit = Affine(step, {Variable(s.value): 1})
            if limit is None:
                return False
            x = x.plus(Affine(0, {s: 1}), -c).plus(limit, c)
        return x.constant >= bound and all(c > 0 for c in x.terms.values())


Bounds = tuple[Affine, Affine]


def extent(
    index: Any, shape: tuple[Length, ...], expand: Callable[[Any], Affine | None], sure: Callable[[Affine], bool]
) -> list[Bounds] | None:
    """For each axis, between which places a basic index takes elements, or more; None for other indices.

    `sure` tells whether an int is at least 0: one that may not be counts from the end, so that it may be any place.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    taken = sum(i is not None and i is not Ellipsis for i in items)
    if Ellipsis in [i for i in items if not isinstance(i, Value)]:
        at = next(k for k, i in enumerate(items) if i is Ellipsis)
        items[at : at + 1] = [slice(None)] * (len(shape) - taken)
    items = [i for i in items if i is not None]
    if len(items) > len(shape) or any(isinstance(i, bool) for i in items):
        return None
    items += [slice(None)] * (len(shape) - len(items))
    out: list[Bounds] = []
    for i, n in zip(items, shape, strict=True):
        size = of_length(n)
        low, high = Affine(0), size.plus(Affine(-1))
        if isinstance(i, slice):
            if i.step is None or (type(i.step) is int and i.step > 0):
                start, stop = (_place(x, size, expand, sure) for x in (i.start, i.stop))
                low = low if start is None else start
                high = high if stop is None else stop.plus(Affine(-1))
        else:
            at_place = _place(i, size, expand, sure)
            if expand(i) is None:
                return None
            low, high = (low, high) if at_place is None else (at_place, at_place)
        out.append((low, high))
    return out


def _place(
    x: Any, size: Affine, expand: Callable[[Any], Affine | None], sure: Callable[[Affine], bool]
) -> Affine | None:
    """Where an int in an index points to; None where that cannot be told."""
    found = None if x is None else expand(x)
    if found is None or sure(found):
        return found
    if not found.terms:
        return size.plus(found)
    return None
