"""Objects in trees: a tuple of the attributes, with their names, and the class.

A tree is a tuple, a list or a dict of trees; an `Instance` is one that stands for an object of a class of the user's.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any


class Attr(str):
    """A step to an attribute, where a plain string is a step to an item of a dict."""

    __slots__ = ()


class Instance(tuple[Any, ...]):
    """What stands for an object: its attributes in order; the subclasses have their names and the class."""

    _fields: tuple[str, ...] = ()
    of: type = object
    called = False  # is it made by a call of its class, with a keyword for each attribute?


@lru_cache(1024)
def _structure(cls: type, names: tuple[str, ...], called: bool) -> type:
    return type(cls.__name__, (Instance,), {"_fields": names, "of": cls, "called": called})


def instance(cls: type, attributes: dict[str, Any], called: bool = False) -> Any:
    """The tree of an object with these attributes."""
    return tuple.__new__(_structure(cls, tuple(attributes), called), attributes.values())


def is_plain(cls: type) -> bool:
    """Is this a named tuple's class, whose `__new__` takes the fields and does nothing else?"""
    made: Any = cls.__new__
    return hasattr(made, "__code__") and made.__code__.co_filename.startswith("<")


def like(tree: Any, items: Iterable[Any]) -> Any:
    """A tuple or a list of the class of `tree`, with other items: named tuples and objects stay what they are."""
    return tuple.__new__(type(tree), items) if hasattr(tree, "_fields") else type(tree)(items)


def parts(tree: Any) -> Iterator[tuple[Any, Any]]:
    """The items of a container, with the step to each."""
    if isinstance(tree, dict):
        yield from tree.items()
    elif hasattr(tree, "_fields"):
        yield from zip(map(Attr, tree._fields), tree, strict=True)
    else:
        yield from enumerate(tree)


def part(tree: Any, step: Any) -> Any:
    """The item of a container at a step. Raises LookupError where there is none."""
    if isinstance(step, Attr):
        names = getattr(tree, "_fields", ())
        if step not in names:
            raise LookupError(step)
        return tree[names.index(step)]
    if not isinstance(tree, tuple | list | dict) or isinstance(tree, Instance):
        raise LookupError(step)
    if isinstance(tree, dict) is isinstance(step, int) and not (isinstance(tree, dict) and step in tree):
        raise LookupError(step)
    return tree[step]


def written(path: tuple[Any, ...]) -> str:
    """A path as it is written: `model.layers[0].W`."""
    return str(path[0]) + "".join(f".{p}" if isinstance(p, Attr) else f"[{p!r}]" for p in path[1:])
