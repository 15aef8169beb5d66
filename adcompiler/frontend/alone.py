"""Functions that give a tuple or a list of arrays, where it holds one: that is what is computed.

np.nonzero(x)[0], with x of one axis       ->       np.flatnonzero(x)
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.ir.build import kind_of_operand
from rules.kind import Array


def _flat(self: Any, a: Any, *_: Any) -> Any:
    return self.emit(np.flatnonzero, a)


def _itself(self: Any, a: Any, *_: Any) -> Any:
    """A view of all of it."""
    return self.emit(operator.getitem, a, Known(Ellipsis))


def _copied(self: Any, a: Any, *_: Any) -> Any:
    return self.emit(np.array, self.in_order(a))


def _places(self: Any, a: Any, *_: Any) -> Any:
    places = self.emit(np.array, a) if isinstance(a, list | tuple) else a
    return self.emit(np.flatnonzero, places) if kind_of_operand(places).dtype.kind == "b" else places


def _new(self: Any, indices: Any, *_: Any) -> Any:
    """The same indices: of an array a new one, which may be written."""
    return self.emit(np.array, indices) if isinstance(kind_of_operand(self.operand(indices)), Array) else indices


def _counted(self: Any, n: Any, *_: Any) -> Any:
    return self.emit(np.arange, n)


#: What is emitted for the one array, of the arguments.
ALONE: dict[Any, Callable[..., Any]] = {
    np.nonzero: _flat, np.split: _itself, np.array_split: _itself, np.hsplit: _itself, np.vsplit: _itself,
    np.dsplit: _itself, np.broadcast_arrays: _itself, np.meshgrid: _copied, np.ix_: _places,
    np.diag_indices: _counted, np.unravel_index: _new,
}  # fmt: skip
