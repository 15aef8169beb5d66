"""A number that two products of one cotangent have in common is a factor of that cotangent, once.

%m = %c * %y; %a = %d * %m; %x = %d * %r; %b = %x * %c     ->     %e = %c * %d; %a = %e * %y; %b = %e * %r

Of `u -= dt * u * v` a pass over the array less, and another where the cotangent has a minus, which the number takes.
Only in the backward sweep: the products of the primal are formed as they are written.
"""

import operator
from collections import Counter
from typing import Any

from adcompiler.ir.core import Function, Op, Region, Value, is_cotangent, leaves, walk
from adcompiler.passes.mark import turn
from rules.kind import Array, Num, same_kind


def common_factors(function: Function) -> Function:
    """The same function with such factors taken out."""
    ops = function.body.ops
    at = next((i for i, op in enumerate(ops) if op.target is turn), len(ops))
    if at == len(ops):
        return function
    uses = Counter(v for op in walk(function.body) for v in op.operands())
    uses.update(v for op in walk(function.body) for r in op.regions for v in leaves(r.results))
    uses.update(leaves((function.body.results, function.result)))

    def factored(region: Region) -> Region:
        made = [op.rebuild(lambda v: v, factored) if op.regions else op for op in region.ops]
        return Region(region.params, _Factors(made, uses).taken_out(), region.results)

    later = factored(Region([], ops[at + 1 :], []))
    body = Region(function.body.params, [*ops[: at + 1], *later.ops], function.body.results)
    return Function(function.name, function.params, body, function.result, function.doc)


class _Factors:
    """The products of one region."""

    def __init__(self, ops: list[Op], uses: Counter[Value]) -> None:
        self.ops = ops
        self.uses = uses
        self.defs = {r: op for op in ops for r in op.results}

    def taken_out(self) -> list[Op]:
        for last in [op for op in self.ops if _is_product(op)]:
            for c, x in (last.args, last.args[::-1]):
                product = self.defs.get(x) if isinstance(x, Value) else None
                if self.is_factor(c) and product is not None and _is_product(product) and self.alone(x, last):
                    self.take(c, product, last)
        return self.ops

    def is_factor(self, c: Any) -> bool:
        """Is this a number of floats that is there before the region?"""
        number = isinstance(c, Value) and isinstance(c.kind, Num) and c.kind.dtype.kind == "f" and c not in self.defs
        return number or type(c) is float

    def alone(self, x: Value, user: Op) -> bool:
        """Is this an array that one operation reads, whose result is of its kind?"""
        return isinstance(x.kind, Array) and self.uses[x] == 1 and same_kind(x.kind, user.result.kind)

    def take(self, c: Any, product: Op, last: Op) -> None:
        """`(d * r) * c`, if there is a `d * (c * y)`: both of what is `c * d`."""
        for d, r in (product.args, product.args[::-1]):
            if not isinstance(d, Value) or not is_cotangent(d) or not same_kind(d.kind, product.result.kind):
                continue
            for first in (op for op in self.ops if op is not product and _is_product(op) and d in op.args):
                m = first.args[first.args[0] is d]
                inner = self.defs.get(m) if isinstance(m, Value) else None
                if inner is None or not _is_product(inner) or not self.alone(m, first) or not same_kind(m.kind, d.kind):
                    continue
                rest = [y for k, y in ((inner.args[0], inner.args[1]), inner.args[::-1]) if k is c or _equal(k, c)]
                if rest and isinstance(rest[0], Value) and same_kind(rest[0].kind, m.kind):
                    self.rewrite(c, d, (first, rest[0]), (product, r), last)
                    return

    def rewrite(self, c: Any, d: Value, one: tuple[Op, Any], other: tuple[Op, Any], last: Op) -> None:
        """Put `c * d` before the first of the two products, and let both be of it."""
        (first, y), (product, r) = one, other
        minus = self.defs.get(d)
        made: list[Op] = []
        if minus is not None and minus.target is operator.neg and self.uses[d] == 2:
            d = minus.args[0]
            if type(c) is float:
                c = -c
            else:
                negative = Value(c.kind, "", first.loc)
                made.append(Op(operator.neg, (c,), {}, [negative], loc=first.loc))
                c = negative
        e = Value(product.result.kind, product.result.hint, first.loc)
        made.append(Op(operator.mul, (c, d), {}, [e], loc=first.loc))
        at = min(self.ops.index(first), self.ops.index(product))
        new = {id(first): _product(first, e, y), id(last): _product(last, e, r)}
        ops = [*self.ops[:at], *made, *self.ops[at:]]
        self.ops = [new.get(id(op), op) for op in ops]
        self.defs = {v: op for op in self.ops for v in op.results}
        self.uses.update([e, e])
        self.uses[product.result] = 0


def _is_product(op: Op) -> bool:
    return op.target is operator.mul and len(op.args) == 2 and isinstance(op.result.kind, Array)


def _equal(a: Any, b: Any) -> bool:
    return type(a) is float and type(b) is float and a == b


def _product(op: Op, *args: Any) -> Op:
    return Op(operator.mul, args, {}, op.results, op.lazy, op.effect, op.loc)
