"""How the derivative of a rule, once it is traced, becomes an operation: one for each part of what it gives.

solve.d(..) -> (d_A, d_b)       ->       %d_A = lazy solve.d[0](..); %d_b = lazy solve.d[1](..)
"""

from collections.abc import Iterator
from typing import Any

from adcompiler.ir.build import Builder
from adcompiler.ir.core import Op, Value, leaves, map_tree
from adcompiler.passes.trace import Pullback
from rules.kind import Num


def insert(builder: Builder, target: Pullback, args: Any, hint: str, loc: Any, lazy: bool = False) -> Any:
    """Insert the operation of a pullback or a pushforward; the operands that are its result."""
    result = target.result
    outputs = {v: Value(v.kind, hint, loc) for v in leaves(result)}
    if isinstance(result, Value):
        builder.region.ops.append(Op(target, args, {}, [outputs[result]], lazy, False, loc))
        return outputs[result]
    for path, item in _paths(result):  # a structure: each part is an operation of its own
        outputs[item] = Value(item.kind, hint, loc)
        builder.region.ops.append(Op(Part(target, path), args, {}, [outputs[item]], lazy, False, loc))
    return map_tree(lambda v: outputs[v], result)


class Part:
    """One part of what a pullback of a structured argument gives."""

    def __init__(self, pullback: Pullback, path: tuple[int, ...]) -> None:
        self.pullback = pullback
        self.path = path
        self.__adc_name__ = pullback.__adc_name__ + "".join(f"[{i}]" for i in path)

    @property
    def differentiates(self) -> bool:
        """Does the body differentiate?"""
        return self.pullback.differentiates

    def __call__(self, *args: Any) -> Any:
        return self.pick(self.pullback(*args))

    def pick(self, result: Any) -> Any:
        """The part of a result of the pullback."""
        for i in self.path:
            result = result[i]
        return result


def _paths(result: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Value]]:
    """The values in nested tuples and lists, with where they are."""
    if isinstance(result, Value):
        yield path, result
    elif isinstance(result, tuple | list):
        for i, item in enumerate(result):
            yield from _paths(item, (*path, i))


def python_numbers(op: Op) -> bool:
    """Does an operation compute with Python's numbers alone, so that its derivative may use `math`?"""
    return all(isinstance(v.kind, Num) and v.kind.python for v in (*op.operands(), *op.results))
