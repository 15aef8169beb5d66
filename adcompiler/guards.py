"""Guards of what is outside of a function: how generated code reads it, and tells whether it still is the same.

Nothing of the user's has a name that this code adds: it hides no argument, global or variable of a function around.
"""

import ast
import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

from adcompiler.frontend.instances import is_object
from adcompiler.frontend.scope import Access

#: Constants that are taken by value; all other objects are taken by identity.
PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Names:
    """Names for objects in generated code, beside those that the user has in it."""

    def __init__(self, taken: Iterable[str], accesses: Iterable[Access]) -> None:
        self.taken = {*taken, *(n for a in accesses for n in _of_user(a))}
        self.free: dict[str, Any] = {}

    def fresh(self, wanted: str) -> str:
        """A name that nothing else has."""
        name, n = wanted, 2
        while name in self.taken:
            name, n = f"{wanted}_{n}", n + 1
        self.taken.add(name)
        return name

    def of(self, wanted: str, x: Any) -> str:
        """A name that is bound to an object."""
        known = next((n for n, other in self.free.items() if other is x), None)
        if known is None:
            known = self.fresh(wanted)
            self.free[known] = x
        return known

    def text(self, access: Access) -> str:
        """The expression of an access, in which the objects that it is about have such names."""
        if not access.free:
            return access.text
        tree, own = ast.parse(access.text, mode="eval"), dict(access.free)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in own:
                node.id = self.of(f"_{node.id}", own[node.id])
        return ast.unparse(tree)


def _of_user(access: Access) -> Iterator[str]:
    """The names of the user's in an access."""
    own = dict(access.free)
    nodes = ast.walk(ast.parse(access.text, mode="eval"))
    return (node.id for node in nodes if isinstance(node, ast.Name) and node.id not in own)


def identity(e: str, x: Any, names: Names) -> list[str]:
    """What tells which object an expression gives, by the example of one: an object that is equal to it is another."""
    if isinstance(x, PLAIN):
        return [f"{e}.__class__", e]
    same = names.of("_id", id)
    if isinstance(x, types.MethodType):  # it may be made anew whenever it is read
        return [f"{same}({e}.__self__)", f"{same}({e}.__func__)"]
    return [e] if _is_built_in_method(x) else [f"{same}({e})"]


def unchanged(e: str, x: Any, names: Names) -> list[str]:
    """What tells whether an expression still gives this object: what it is otherwise stands in no table."""
    if isinstance(x, PLAIN) or _is_built_in_method(x):
        return [f"{e}.__class__", e]
    if isinstance(x, types.MethodType):
        parts = (f"{e}.__func__", x.__func__), (f"{e}.__self__", x.__self__)
        return [text for part, y in parts for text in unchanged(part, y, names)]
    same = [f"{e} is {names.of('_' + _word(e), x)} or []"]
    if isinstance(x, types.FunctionType):  # what is reloaded may stay the function that it was
        same.append(f"{e}.__code__ is {names.of('_code', x.__code__)} or []")
    return same


def _word(e: str) -> str:
    """The last name in an expression."""
    return next((w for w in reversed(re.findall(r"\w+", e)) if w.isidentifier()), "object").lstrip("_")


def can_be_written(a: Any) -> None:
    """Raise ValueError, as NumPy does, where an array that is written into is read-only; also where it overlaps itself.

    No two elements are one place in memory where each step leads past all that the smaller ones reach.
    """
    if not (a.flags.c_contiguous or a.flags.f_contiguous or not a.size):
        reach = a.itemsize
        for step, n in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
            if step < reach:
                raise ValueError("an argument that this function writes into overlaps itself: pass a copy of it")
            reach += step * (n - 1)
    if not getattr(a.flags, "writeable", True):
        raise ValueError("assignment destination is read-only: an argument that this function writes into")


def code_of(x: Any) -> Any:
    """What a function, or a method, runs; None of all else."""
    return getattr(x, "__code__", None) if isinstance(x, types.FunctionType | types.MethodType) else None


def is_same(x: Any, expected: Any) -> bool:
    """Is this the object that was expected, as `identity` tells it?"""
    if x is expected:
        return True
    if type(x) is not type(expected):
        return False
    if isinstance(expected, types.MethodType):
        return x.__self__ is expected.__self__ and x.__func__ is expected.__func__
    return (isinstance(expected, PLAIN) or _is_built_in_method(expected)) and bool(x == expected)


def _is_built_in_method(x: Any) -> bool:
    """Is this a method that is not written in Python? Two of them are equal if they are of the same object."""
    return hasattr(type(x), "__self__") and not isinstance(x, types.MethodType) and not is_object(x)
