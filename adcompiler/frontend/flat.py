"""Stores that count elements in the order of C, and repeat values that are fewer: a.flat[...] = v, np.put, np.place.

np.put(a, [0, 3], v)       ->       %r = ravel(%a); %s = update(%r, [0, 3], set, %v); %a2 = reshape(%s, ..)
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.frontend.meetings import Meetings
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Value, leaves
from adcompiler.ir.library import of
from rules.cotangent import size
from rules.kind import Array, Num


class FlatStores(Meetings):
    """Lowers stores into the elements of an array, whatever axes it has."""

    def store_flat(self, a: Value, index: Any, d: Any, name: str, node: Any) -> None:
        """`a.flat[index] = d`: `d` is repeated, or the first of its elements are taken."""
        self.check_apart(a, d, name, node)
        self.scattered(a, index, d, name, node)

    def scattered(self, a: Value, index: Any, d: Any, name: str, node: Any, cut: bool = False) -> None:
        """Store the elements of `d` in the order of C; for one place the first of them if they may be `cut`."""
        self.check_apart(a, index, name, node)

        def store() -> None:
            place = self.by_axes(a, index)
            there = self.emit(operator.getitem, *((self.in_order(a), index) if place is None else (a, place)))
            value = self.filling(d, there, name, node, cut)
            self.change(a, (index if place is None else place,), "set", value, name, node, flat=place is None)

        self.unless_empty(d, store, node)

    def unless_empty(self, d: Any, store: Callable[[], None], node: Any) -> None:
        """Store what there is of `d`: NumPy leaves an array as it is where values that are repeated are none."""

        def some() -> Any:
            store()
            return Known(None)

        kind = kind_of_operand(self.operand(d))
        enough = [self.env.at_least(n, 1) for n in kind.shape] if isinstance(kind, Array) else []
        if all(enough):
            store()
        elif False not in enough:
            cond = self.emit(operator.gt, self.emit(size, d), Known(0))
            self.fork(cond, some, lambda: Known(None), self.loc(node), statement=True)

    def check_apart(self, a: Value, d: Any, name: str, node: Any) -> None:
        """Refuse values of the array that is written: NumPy reads them one by one, some when they are written."""
        root = self.lens(a).root
        if any(self.lens(v).root is root or v in self.family(root) for v in leaves(self.operand(d))):
            raise self.refuse(node, f"{name} is written one element after the other, by what is read of it meanwhile",
                              "make a copy of the values before: v = v.copy()")  # fmt: skip

    def filling(self, d: Any, there: Any, name: str, node: Any, cut: bool = False) -> Any:
        """As many elements of `d` as there are at a place, from its beginning again where they are too few."""
        kind = kind_of_operand(self.operand(d))
        if not isinstance(kind, Array):
            return d
        if isinstance(there.kind, Num):
            if kind.ndim and not cut:
                raise self.refuse(node, f"{describe(d)} is stored into one element of {name}", "store a number")
            return self.emit(operator.getitem, self.in_order(d), Known(0)) if kind.ndim else d
        if not kind.ndim or self.same_lengths(kind, there.kind):
            return d
        values = self.in_order(d)
        if there.kind.ndim == 1 and self._equal(values.kind.shape[0], there.kind.shape[0]):
            return values
        counted = self.emit(of(np.arange, there), self.emit(size, there))
        order = self.emit(operator.mod, counted, self.emit(size, values))
        found = self.emit(operator.getitem, values, order)
        if there.kind.ndim == 1:
            return found
        return self.emit(np.reshape, found, self.attribute(there, "shape", node))

    def same_lengths(self, a: Array, b: Array) -> bool:
        """Are two shapes surely one?"""
        return a.ndim == b.ndim and all(self._equal(n, m) for n, m in zip(a.shape, b.shape, strict=True))


__all__ = ["FlatStores"]
