"""Which arrays a name alone holds, so that changing them in place is a new value of that name."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompiler.frontend.calls import Calls
from adcompiler.frontend.iteration import Iteration, Once
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.scope import (
    Closure,
    Frame,
    Maybe,
    Method,
)
from adcompiler.ir.alias import new_memory, reached
from adcompiler.ir.core import (
    Value,
    leaves,
)
from rules.cotangent import fits, length
from rules.kind import ONE, Array


class Ownership(Calls):
    """Answers whether an array has a second name: another name, a view, a container, a function, a running loop."""

    pinned: list[Value]

    def cast(self, new: Value, dtype: Any, node: Any) -> Any:
        """What a store into an array of `dtype` makes of a value. NumPy refuses casts of another kind."""
        if not np.can_cast(new.kind.dtype, dtype, "same_kind"):
            raise self.refuse(
                node, f"{new.kind.dtype} does not fit into an array of {dtype} in place", "make a new array"
            )
        return self.method_rule("astype", node, new, (Known(dtype),))

    def owned(self, v: Any, name: str) -> bool:
        """Is this array surely held by this name alone: made by an operation in this function, named once?"""
        if not isinstance(v, Value) or not isinstance(v.kind, Array):
            return v not in self.frozen_joins if isinstance(v, Value) else True
        op = self.defs.get(v)
        if v not in self.owned_joins and (op is None or not new_memory(op)):
            return False
        family = reached(dict.fromkeys(self.defs.values()), v)
        return not any(x in family for n, x in self._held() if n != name or x is not v)

    def owned_names(self, env: dict[str, Any], names: list[str]) -> set[str]:
        before, self.frame.env = self.frame.env, env
        try:
            return {
                n
                for n in names
                if isinstance(d := env.get(n), Value) and isinstance(d.kind, Array) and self.owned(d, n)
            }
        finally:
            self.frame.env = before

    def _held(self) -> list[tuple[str, Value]]:
        """Every array that a name of any frame denotes, or that a loop is reading."""
        out: list[tuple[str, Value]] = [("a loop", v) for v in self.pinned]
        frames: list[Frame] = []
        for frame in (self.frame, *self.callers):
            scope: Frame | None = frame
            while scope is not None and scope not in frames:
                frames.append(scope)
                scope = scope.parent
        for f in frames:
            for n, d in f.env.items():
                for v in _holds(d):
                    out.append((n if f is self.frame and d is v else n + "[]", v))
        return out

    def check_in_place(self, old: Value, new: Value, name: str, node: Any) -> None:
        """`x op= y` keeps the shape of x: where the result has another, NumPy raises."""
        mine, theirs = old.kind.shape, new.kind.shape
        same = [self.env.same(a, b) for a, b in zip(mine, theirs, strict=False)]
        longer = any(
            self.env.resolve(a) == ONE and not self.env.may_be_one(b) for a, b in zip(mine, theirs, strict=False)
        )
        if len(mine) != len(theirs) or longer:
            raise self.refuse(node, f"{name} is {old.kind}, and the result is {new.kind}: it does not fit in place",
                              f"write {name} = {name} {symbol(node.op)} ...")  # fmt: skip
        if not all(same):
            shape = tuple(self.operand(self.emit(length, old, Known(k))) for k in range(len(mine)))
            self.builder.effect(fits, new, shape)


def _holds(d: Any) -> Iterator[Value]:
    """The values that a denotation keeps alive: those in it, in a function's defaults, in what is iterated."""
    if isinstance(d, Maybe):
        yield from _holds(d.value)
    elif isinstance(d, Closure):
        for x in d.defaults.values():
            yield from _holds(x)
    elif isinstance(d, Method):
        yield from _holds(d.owner)
    elif isinstance(d, Once):
        yield from _holds(d.iterable)
    elif isinstance(d, Iteration):
        yield from leaves(d.sequences)
    elif isinstance(d, tuple | list):
        for x in d:
            yield from _holds(x)
    elif isinstance(d, dict):
        for x in d.values():
            yield from _holds(x)
    else:
        yield from leaves(d)


def symbol(op: Any) -> str:
    return {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@"}.get(type(op).__name__, "op")
