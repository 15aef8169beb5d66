"""A function over the parts of a denotation."""

from collections.abc import Callable
from typing import Any

from adcompiler.frontend.kinds import ListOf
from adcompiler.ir.structure import like


def walk_denotation(d: Any, path: tuple[Any, ...], f: Callable[[Any, tuple[Any, ...]], Any]) -> Any:
    if isinstance(d, tuple | list):
        return like(d, (f(x, (*path, i)) for i, x in enumerate(d)))
    if isinstance(d, dict):
        made = {k: f(x, (*path, k)) for k, x in d.items()}
        return made if d.__class__ is dict else d.remade(made)  # type: ignore[attr-defined]
    if isinstance(d, ListOf):
        return ListOf(f(d.element, (*path, "*")))
    return d
