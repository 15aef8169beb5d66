"""What users write inside a function about its derivative: `stop_gradient`."""

from typing import Any

from adcompiler.frontend.structural import STRUCTURAL
from adcompiler.ir.core import Value, map_tree
from adcompiler.passes.stop import stop_gradient
from rules.kind import is_differentiable


def _stop_gradient(self: Any, node: Any, x: Any) -> Any:
    """The same tree, where no derivative goes through the floats; lists and dicts in it stay the same objects."""

    def stopped(v: Value) -> Any:
        return self.emit(stop_gradient, v) if is_differentiable(v.kind) else v

    same = map_tree(stopped, x)
    self.alike(x, same)
    return same


STRUCTURAL[stop_gradient] = _stop_gradient

__all__ = ["stop_gradient"]
