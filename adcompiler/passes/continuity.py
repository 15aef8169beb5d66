"""Does a function jump at a place that moves: does a condition, or a step, depend on two things at once?

f(x, a): %c = %x < %a; %y = np.where(%c, 1.0, 0.0)       ->       yes, of x and a
f(x, a): %c = %x < 0.5; %y = np.where(%c, %a, 0.0)       ->       no: where it jumps stands still

An integral over x, or a solution over time, changes with such a place, which the derivative of the function does not
tell. A mark is a set of bits; a jump is what depends on a step or a condition with all of `BOTH`.
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.callee import Callee, Pull, call_of
from adcompiler.ir.core import Checkpoint, For, Function, If, Op, Region, Value, While, leaves, walk
from rules.cotangent import length, size, strong_divide, zeros_like
from rules.kind import Array, Num, Seq, is_differentiable
from rules.rule import find

#: The bit of what the function is integrated over, and that of what moves.
PLACE, MOVES, BOTH = 1, 2, 3
#: What gives the same for any values of its operands.
_OF_SHAPE = (zeros_like, length, size, np.ones_like, np.empty_like, np.shape)
#: The rules of what jumps, though it has a derivative elsewhere; of angles, where they pass half a turn.
_JUMPS = frozenset(
    "mod remainder fmod heaviside copysign divmod modf frexp unwrap slogdet arctan2 angle arange".split()
)
#: Those of what jumps over complex numbers, where it is cut.
_CUT = frozenset("log log2 log10 log1p sqrt power arcsin arccos arctan arcsinh arccosh arctanh angle".split())
#: Those of what a quotient by which jumps, as x / abs(x) does.
_SIZES = frozenset("abs absolute fabs norm hypot".split())
_QUOTIENTS = (operator.truediv, np.true_divide, strong_divide)


class _Found(Exception):
    pass


def jump(function: Function, marks: dict[Value, int]) -> Op | None:
    """An operation that gives a float by a step or a condition that depends on both, if any does."""
    marked = _Marks(marks)
    try:
        marked.region(function.body)
    except _Found as found:
        return found.args[0]
    steps = [v for v in leaves(function.body.results) if marked.steps.get(v) == BOTH]
    return next((op for op in walk(function.body) if set(op.results) & set(steps)), None)


class _Marks:
    """What the values of a function depend on, and which of them are steps."""

    def __init__(self, marks: dict[Value, int]) -> None:
        self.marks = dict(marks)
        self.steps: dict[Value, int] = {}
        self.sizes: set[Value] = set()

    def of(self, tree: Any, found: dict[Value, int] | None = None) -> int:
        """The marks of all values in a tree, or what the steps among them depend on."""
        out = 0
        for v in leaves(tree):
            out |= (self.marks if found is None else found).get(v, 0)
        return out

    def set(self, r: Value, sources: Any, more: int = 0) -> None:
        """A value that is one of these."""
        self.marks[r] = self.marks.get(r, 0) | self.of(sources) | more
        self.steps[r] = self.steps.get(r, 0) | self.of(sources, self.steps)
        if not is_differentiable(r.kind):
            self.steps[r] |= self.marks[r]

    def region(self, region: Region) -> None:
        for op in region.ops:
            self.op(op)

    def decided(self, op: Op, by: Any) -> int:
        """What a condition depends on; a jump if it chooses among floats."""
        found = self.of(by)
        if found == BOTH and any(is_differentiable(r.kind) for r in op.results):
            raise _Found(op)
        return found

    def op(self, op: Op) -> None:
        if isinstance(op, If):
            by = self.decided(op, op.args)
            for side in op.regions:
                self.region(side)
                for r, x in zip(op.results, side.results, strict=False):
                    self.set(r, x, by)
        elif isinstance(op, For | While):
            self.loop(op)
        elif isinstance(op, Checkpoint):
            self.region(op.body)
            for r, x in zip(op.results, op.body.results, strict=True):
                self.set(r, x)
        elif call_of(op) is not None:
            self.call(op)
        else:
            self.plain(op)

    def loop(self, op: For | While) -> None:
        n = len(op.inits)
        for _ in range(len(op.carried) + 2):  # until nothing changes, at the latest
            if isinstance(op, For):
                for e, s in zip(op.elements, op.sequences, strict=True):
                    self.set(e, s)
            for p, x in zip(op.carried, op.inits, strict=True):
                self.set(p, x)
            if isinstance(op, While):
                for p, q in zip(op.test.params, op.carried, strict=True):
                    self.set(p, q)
                self.region(op.test)
                self.decided(op, op.test.results)
            self.region(op.body)
            if op.stop:
                self.decided(op, op.body.results[-1:])
            for p, x in zip(op.carried, op.body.results, strict=False):
                self.set(p, x)
        for r, x in zip(op.results, op.body.results, strict=False):
            self.set(r, x)
        for r, x in zip(op.results[:n], op.inits, strict=True):
            self.set(r, x)
        if isinstance(op, For):  # what tells how often it runs
            counts = [s for s in op.sequences if isinstance(s, Value) and _is_range(s)]
            by = self.decided(op, counts)
            for r in op.results:
                self.set(r, counts, by)

    def call(self, op: Op) -> None:
        callee, args = call_of(op) or (None, ())
        assert isinstance(callee, Callee)
        if callee.function is None or isinstance(op.target, Pull):  # not derived yet
            for r in op.results:
                self.set(r, args)
            return
        inner = _Marks({p: self.of(x) for p, x in zip(callee.function.params, args, strict=True)})
        inner.region(callee.function.body)
        for r, x in zip(op.results, callee.function.results, strict=True):
            self.marks[r], self.steps[r] = inner.of(x), inner.of(x, inner.steps)

    def plain(self, op: Op) -> None:
        if op.target in _OF_SHAPE and not any(map(_is_range, op.operands())):
            return
        rule = find(op.target)
        found = self.of((op.args, op.kwargs))
        name = rule.name if rule is not None else getattr(op.target, "__name__", "")
        if name in _SIZES:
            self.sizes.update(op.results)
        jumps = name in _JUMPS or (name in _CUT and any(map(_is_complex, op.operands())))
        jumps = jumps or (op.target in _QUOTIENTS and not self.sizes.isdisjoint(leaves(op.args[1:])))
        for r in op.results:
            self.marks[r] = found
            if not is_differentiable(r.kind) or (rule is not None and not rule.differentiable):
                self.steps[r] = found
            elif self.of((op.args, op.kwargs), self.steps) == BOTH or (found == BOTH and jumps):
                raise _Found(op)


def _is_range(v: Value) -> bool:
    return isinstance(v.kind, Seq) and v.kind.range


def _is_complex(v: Value) -> bool:
    return isinstance(v.kind, Array | Num) and v.kind.dtype.kind == "c"
