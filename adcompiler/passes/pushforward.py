"""Runs the pushforward of a rule on values that stand for what is not computed yet, and keeps track of zeros.

def t_z(x, y, t_x, t_y): return t_x * y + x * t_y       ->      %t_z = %t_x * %y           (where y does not move)

A pushforward is linear in its tangents together, so what it makes of tangents that are all zero is zero.
"""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.ir.build import Builder, infer, kind_of_operand
from adcompiler.ir.core import Loc, Region, Value, leaves, map_tree
from adcompiler.passes.trace import FROM_UFUNC, Pullback, Trace, strip
from rules.cotangent import project, spread, update
from rules.kind import Array, KindError, Num, same_kind
from rules.rule import Derivative, find


@dataclass(frozen=True)
class Zero:
    """The tangent of an operand that does not move: `operand`, zeros, stands in its place should it be needed."""

    operand: Any
    kind: Any


class Pushforward(Pullback):
    """The target of a pushforward's operation. Its arguments are `args`, in which each `Zero` has become its operand.

    `is_zero` tells of parts of `result` whether they are known to be zero.
    """

    def __init__(
        self, name: str, derivative: Derivative, given: tuple[Any, ...], use_math: bool, loc: Loc | None
    ) -> None:
        self.__adc_name__ = name
        self.derivative = derivative
        self.args = tuple(map(_operands, given))
        trace = _Linear(Builder(Region(), loc), use_math)
        formal: dict[Value, Value] = {}

        def enter(x: Any, tangent: bool) -> Any:
            if isinstance(x, tuple | list):
                return type(x)(enter(item, tangent) for item in x)
            if isinstance(x, Zero):
                v = Value(x.kind)
                if isinstance(x.operand, Value):
                    v = formal.setdefault(x.operand, v)
                else:
                    trace.constants[v] = x.operand
                trace.zeros.add(v)
                return v
            if tangent and isinstance(x, int | float | complex | np.generic):
                return trace.known(x)
            inner = map_tree(lambda v: formal.setdefault(v, Value(v.kind, v.hint)), x)
            if tangent:
                trace.moved.update(leaves(inner))
            return inner

        wants = zip(given, derivative.wants, strict=True)
        values = trace.wrap(tuple(enter(x, w.startswith("t_")) for x, w in wants))
        self.given = strip(values)
        result = derivative.function(*values)
        self.result = map_tree(lambda v: trace.constants.get(v, v), strip(result))
        self.region = trace.builder.region
        self.region.params = list(formal.values())
        self.zeros = trace.zeros

    def is_zero(self, part: Any) -> bool:
        """Is this part of the result known to be zero?"""
        return part in self.zeros if isinstance(part, Value) else not isinstance(part, np.ndarray) and part == 0


def _operands(x: Any) -> Any:
    if isinstance(x, tuple | list):
        return type(x)(map(_operands, x))
    return x.operand if isinstance(x, Zero) else x


class _Linear(Trace):
    """A trace that knows which values are zero, and which are made of tangents that are not."""

    def __init__(self, builder: Builder, use_math: bool) -> None:
        super().__init__(builder, use_math)
        self.zeros: set[Value] = set()
        self.moved: set[Value] = set()
        self.constants: dict[Value, Any] = {}

    def call(self, target: Any, args: Any, kwargs: Any) -> Any:
        args, kwargs = strip(tuple(args)), strip(dict(kwargs))
        target = FROM_UFUNC.get(target, target)
        used = set(leaves((args, kwargs)))
        if used & self.moved:
            shorter = self.without_zeros(target, args)
            if isinstance(shorter, tuple):
                args = shorter
            elif shorter is not None:
                self.moved.update(leaves(shorter))
                return self.wrap(shorter)
        result = super().call(target, self.operand(args), self.operand(kwargs))
        if used & self.moved and isinstance(result, int | float | complex | np.generic):
            return self.wrap(self.known(result))
        made = set(leaves(strip(result)))
        rule = find(target)
        if used & self.moved:
            self.moved |= made
        elif used & self.zeros and rule is not None and rule.differentiable:
            self.zeros |= made
        return result

    def known(self, x: Any) -> Value:
        """A number that is known and made of tangents, as a value of which it is told whether it moves."""
        v = Value(kind_of_operand(x))
        self.constants[v] = x
        (self.moved if x else self.zeros).add(v)
        return v

    def operand(self, tree: Any) -> Any:
        """Numbers that are known, zeros among them, as what they are."""
        return map_tree(lambda v: self.constants.get(v, v), tree)

    def moves(self, v: Value) -> None:
        self.moved.add(v)

    def is_zero(self, x: Any) -> bool:
        return x in self.zeros if isinstance(x, Value) else type(x) in (int, float) and x == 0

    def without_zeros(self, target: Any, args: tuple[Any, ...]) -> Any:
        """What a call gives where one of its operands is zero, or other arguments for it; None where it stays."""
        if target in (operator.add, operator.sub) and any(map(self.is_zero, args)):
            return self.sum(target, *args)
        if target is update and self.is_zero(args[3]):
            if args[2] in ("add", "sub"):
                return args[0]
            return (*args[:3], 0.0) if args[2] == "set" and isinstance(args[0].kind, Array) else None
        if target is np.where and len(args) == 3:
            plain = tuple(0.0 if self.is_zero(x) else x for x in args)
            return plain if self.kind(target, plain) == self.kind(target, args) else None
        return None

    def kind(self, target: Any, args: tuple[Any, ...]) -> Any:
        try:
            return infer(target, args, {})
        except KindError:
            return None

    def sum(self, target: Any, a: Any, b: Any) -> Any:
        """`a + 0`, `0 + b`, `a - 0`, `0 - b`: the operand that moves, in the shape of the sum."""
        kind = self.kind(target, (a, b))
        moves, zero = (b, a) if self.is_zero(a) else (a, b)
        if kind is None or not isinstance(moves, Value):
            return None
        if not isinstance(kind, Num) and not same_kind(moves.kind, kind):
            if not same_kind(kind_of_operand(zero), kind):
                return None
            moves = self.builder.call(spread if isinstance(moves.kind, Num) else project, moves, zero)
        return self.builder.call(operator.neg, moves) if target is operator.sub and zero is a else moves
