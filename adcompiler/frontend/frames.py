"""The frames whose names may still be read, and what becomes of all of them when an array gets a new version.

b = a; v = a[1:]; a[0] = x       ->       %a2 = update(%a, 0, set, %x); %v2 = %a2[1:]          (b is %a2, v is %v2)
"""

from collections.abc import Iterable, Iterator
from typing import Any

from adcompiler.frontend.iterators import Generated, Iteration, Once
from adcompiler.frontend.kinds import ListOf
from adcompiler.frontend.scope import Callback, Closure, Frame, Maybe, Method
from adcompiler.ir.core import Value, leaves
from adcompiler.ir.structure import like


def readable(current: Frame, callers: Iterable[Frame]) -> list[Frame]:
    """This frame, those of the calls around it, those they are defined in, and those of functions that they hold."""
    found: list[Frame] = []
    stack = [*reversed([current, *callers])]
    while stack:
        frame: Frame | None = stack.pop()
        while frame is not None and frame not in found:
            found.append(frame)
            stack.extend(c.frame for d in frame.env.values() for c in closures(d))
            frame = frame.parent
    return found


def closures(d: Any) -> Iterator[Closure | Generated]:
    """The functions that a denotation holds, and the generators."""
    if isinstance(d, Closure | Generated):
        yield d
    if isinstance(d, Closure):
        for x in d.defaults.values():
            yield from closures(x)
    elif isinstance(d, Maybe | Once | Method):
        yield from closures(d.value if isinstance(d, Maybe) else d.of if isinstance(d, Once) else d.owner)
    elif isinstance(d, tuple | list | dict | Callback):
        for x in d.values() if isinstance(d, dict) else d.parts if isinstance(d, Callback) else d:
            yield from closures(x)


def held(d: Any, label: str, movable: bool = True) -> Iterator[tuple[str, Value, bool]]:
    """The values that a denotation keeps alive, and of each whether it can be given another version in its place.

    It cannot in a function's defaults, in a method that was taken of it, and in what is being iterated.
    """
    if isinstance(d, Value):
        yield label, d, movable
    elif isinstance(d, Maybe):
        yield from held(d.value, label, movable)
    elif isinstance(d, Closure):
        for x in d.defaults.values():
            yield from held(x, f"a default of {label}", False)
    elif isinstance(d, Method):
        yield from held(d.owner, f"{label}, a method of it,", False)
    elif isinstance(d, Callback):
        for x in d.parts:
            yield from held(x, f"{label}, which keeps it,", False)
    elif isinstance(d, Once):
        for x in d.of:
            yield from held(x, f"{label}, which reads it,", False)
    elif isinstance(d, Iteration):
        yield from ((label, v, False) for v in leaves(d.sequences))
    elif isinstance(d, tuple | list | dict):
        for k, x in d.items() if isinstance(d, dict) else enumerate(d):
            yield from held(x, f"{label}[{k!r}]", movable)
    else:
        yield from ((label, v, False) for v in leaves(d))


def replaced(d: Any, versions: dict[Value, Value], made: dict[int, tuple[Any, Any]]) -> Any:
    """A denotation with other versions of some values in it; what does not change is the same object.

    `made` are the containers that were made anew, by the ids of the old ones: two names of one list keep one list.
    """
    if isinstance(d, Value):
        return versions.get(d, d)
    if isinstance(d, Maybe):
        inner = replaced(d.value, versions, made)
        return d if inner is d.value else Maybe(inner)
    if id(d) in made:
        return made[id(d)][1]
    if not isinstance(d, tuple | list | dict | ListOf):
        return d
    if isinstance(d, ListOf):
        element = replaced(d.element, versions, made)
        new: Any = d if element is d.element else ListOf(element)
    else:
        parts = {k: replaced(x, versions, made) for k, x in (d.items() if isinstance(d, dict) else enumerate(d))}
        same = all(x is d[k] for k, x in parts.items())
        new = d if same else parts if isinstance(d, dict) else like(d, parts.values())
    if new is not d:
        made[id(d)] = d, new
    return new
