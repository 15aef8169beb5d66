"""A function over the parts of a denotation."""

from collections.abc import Callable, Iterator
from typing import Any

from adcompiler.frontend.kinds import ListOf
from adcompiler.frontend.scope import Maybe
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


def held_leaves(d: Any) -> Iterator[Any]:
    """What a denotation is made of."""
    if isinstance(d, tuple | list | dict):
        for x in d.values() if isinstance(d, dict) else d:
            yield from held_leaves(x)
    elif isinstance(d, ListOf):
        yield from held_leaves(d.element)
    else:
        yield d.value if isinstance(d, Maybe) else d
