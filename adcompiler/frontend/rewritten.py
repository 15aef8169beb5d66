"""Calls with arguments that are other functions' business: they are written with these functions.

np.ediff1d(x, to_end=y)    ->    np.concatenate([np.ediff1d(x), np.ravel(y)])
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.ir.build import kind_of_operand

_NONE, _LAST = Known(None), Known(-1)


def _ediff1d(self: Any, node: Any, ary: Any, to_end: Any = _NONE, to_begin: Any = _NONE) -> Any:
    """What is put before and behind the differences gets their dtype."""
    if _is_none(to_end) and _is_none(to_begin):
        return NotImplemented
    middle = self.call(Known(np.ediff1d), (ary,), {}, node)

    def flat(x: Any) -> list[Any]:
        if _is_none(x):
            return []
        x = self.emit(np.ravel, self.emit(np.array, list(x)) if isinstance(x, tuple | list) else x)
        same = kind_of_operand(x).dtype == middle.kind.dtype
        return [x if same else self.method_rule("astype", node, x, (Known(middle.kind.dtype),))]

    return self.call(Known(np.concatenate), ([*flat(to_begin), middle, *flat(to_end)],), {}, node)


def _cross(
    self: Any, node: Any, a: Any, b: Any, axisa: Any = _LAST, axisb: Any = _LAST, axisc: Any = _LAST, axis: Any = _NONE
) -> Any:
    """The vectors along the last axis, and the axis of the result where it is wanted."""
    places = [self.static(k, node, "the axis of np.cross") for k in (axisa, axisb, axisc)]
    if not _is_none(axis) or places == [-1, -1, -1]:
        return NotImplemented
    x, y = (self.call(Known(np.moveaxis), (v, Known(k), _LAST), {}, node) for v, k in zip((a, b), places[:2]))
    return self.call(
        Known(np.moveaxis), (self.call(Known(np.cross), (x, y), {}, node), _LAST, Known(places[2])), {}, node
    )


def _is_none(d: Any) -> bool:
    return isinstance(d, Known) and d.value is None


REWRITTEN: dict[Any, Callable[..., Any]] = {np.ediff1d: _ediff1d, np.cross: _cross}
