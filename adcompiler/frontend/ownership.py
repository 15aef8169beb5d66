"""Which arrays a name alone holds, so that changing them in place is a new value of that name."""

import itertools
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Problem, problem_at
from adcompiler.frontend.calls import Calls
from adcompiler.frontend.frames import held, readable
from adcompiler.frontend.iterators import Once, View
from adcompiler.frontend.kinds import Known, ListOf, is_set
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import (
    Callback,
    Closure,
    Frame,
    Maybe,
    Method,
)
from adcompiler.ir.alias import edges, new_memory
from adcompiler.ir.callee import Callee
from adcompiler.ir.core import (
    For,
    Loc,
    Op,
    Value,
    While,
)
from rules.cotangent import fits, length
from rules.kind import ONE, Array, Seq

#: What a statement like `a, b = b, a` holds besides the names.
PENDING = "a value that is yet to be assigned"
#: What a running loop holds.
READ = "what a loop reads"
#: What lists of any length hold, whose elements have no places.
ELEMENT = "an element of a list"
#: What an expression holds of which a call is part.
EVALUATED = "what this expression has read before"


class Ownership(Calls):
    """Answers whether an array has a second name: another name, a view, a container, a function, a running loop."""

    pinned: list[tuple[Value, Any]]
    arguments: frozenset[Value] = frozenset()
    same_objects: list[tuple[Any, Any]]
    #: What stands for the lists and dicts that lists of any length hold, of known structure, and of any length.
    elements_lent: dict[Any, Any]
    lent_lists: set[Value]
    passed: list[Any]
    changed_passed: list[tuple[Any, str, Loc | None]]
    sharers: dict[Value, list[Value]]
    indexed = 0
    #: The frame whose names are the attributes of objects.
    heap: Frame
    #: The name of the function, if it is lowered apart from its callers.
    apart = ""

    def check_cast(self, new: Any, dtype: Any, node: Any) -> None:
        """NumPy refuses casts of another kind in place."""
        if not np.can_cast(new, dtype, "same_kind"):
            raise self.refuse(node, f"{new} does not fit into an array of {dtype} in place",
                              f"make it an array of {new} before: y = y.astype({str(new)!r})")  # fmt: skip

    def cast(self, new: Value, dtype: Any, node: Any) -> Any:
        """What `op=` on an array of `dtype` makes of a value."""
        self.check_cast(new.kind.dtype, dtype, node)
        return self.method_rule("astype", node, new, (Known(dtype),))

    def owned(self, v: Any, name: str, live: Any = None) -> bool:
        """Is this array surely held by this name alone, an argument, or made by an operation in this function?

        `live` are the names of this frame that may be read from here on; by default those after this statement.
        """
        if not isinstance(v, Value) or not isinstance(v.kind, Array):
            return v not in self.frozen_joins if isinstance(v, Value) else True
        op = self.defs.get(v)
        if v not in self.owned_joins and v not in self.arguments and (op is None or not new_memory(op)):
            return False
        return not self.other_holder(v, name, live)

    def alone(self, v: Any, name: str, live: Any = None) -> bool:
        """Does this name alone hold the array, or the list of any length?"""
        if not (isinstance(v, Value) and _list(v)):
            return self.owned(v, name, live)
        return self.made_here(v) and not self.list_holder(v, name, live)

    def made_here(self, v: Value) -> bool:
        """Is this list of any length surely one that this function has made, and that no other value is?"""
        op = self.defs.get(v)
        if v in self.lent_lists:
            return False
        if isinstance(op, For | While):
            new = v in op.results[len(op.inits) :]
        else:
            new = type(op) is Op and (not isinstance(op.target, Callee) or new_memory(op))
        return new or v in self.owned_joins

    def list_holder(self, v: Value, name: str, live: Any = None) -> str:
        """What else denotes this very list; an empty text where there is nothing."""
        return next((label for label, x in self._held(live) if x is v and label != name), "")

    def other_holder(self, v: Value, name: str, live: Any = None) -> str:
        """What else may denote the memory of an array; an empty text where there is nothing."""
        family = self.family(v)
        for label, x in self._held(live):
            if x in family and not (label == name and x is v):
                return label
        return ""

    def family(self, v: Value) -> set[Value]:
        """Everything that may share memory with `v`, being made of it."""
        for op in itertools.islice(self.defs.values(), self.indexed, None):
            for x, r in edges(op):
                self.sharers[x].append(r)
        self.indexed = len(self.defs)
        found, stack = {v}, [v]
        while stack:
            new = [r for r in self.sharers.get(stack.pop(), ()) if r not in found]
            found.update(new)
            stack.extend(new)
        return found

    def owned_names(self, env: dict[str, Any], names: list[str], live: Any = None) -> set[str]:
        before, self.frame.env = self.frame.env, env
        try:
            return {
                label
                for n in names
                for label, v, _ in held(env.get(n, self.heap.env.get(n)), n)
                if (isinstance(v.kind, Array) or _list(v)) and self.alone(v, label, live)
            }
        finally:
            self.frame.env = before

    def note_owned(self, d: Any, name: str, places: set[str]) -> None:
        self.owned_joins.update(v for label, v, _ in held(d, name) if label in places)

    def frames(self) -> list[Frame]:
        """The frames whose names may still be read, this one first."""
        return readable(self.frame, self.callers)

    def live(self, f: Frame, live: Any = None) -> Any:
        """The names of a frame that may still be read: of this one after this statement, or those given."""
        if f is not self.frame:
            return f.now()
        return f.later() if live is None else live

    def names(self, live: Any = None) -> Iterator[tuple[Frame, str, Any]]:
        """Every name that may still be read, in this frame and in those around it; the frame; what it denotes."""
        for f in self.frames():
            readable = self.live(f, live)
            for n, d in f.env.items():
                if readable is None or n in readable or not n.isidentifier():
                    yield f, n, d

    def suffix(self, f: Frame) -> str:
        """Where the names of another frame are, in a message."""
        return "" if f is self.frame else f" in {f.name}" if f.name else " outside"

    def places(self, live: Any = None) -> Iterator[tuple[Frame, str, Value, bool]]:
        """Every value that a name denotes or a container of one holds; can another version be put in its place?"""
        for f, n, d in self.names(live):
            yield from ((f, label, v, movable) for label, v, movable in held(d, n))

    def all_places(self, live: Any = None) -> Iterator[tuple[Frame, str, Value, bool]]:
        """As `places`, and each value in an object once more for every way from a name to it."""
        return self.places(live)

    def held_in_objects(self, d: Any, label: str) -> Iterator[tuple[str, Value, bool]]:
        """The values that the objects in a denotation hold, by the ways to them."""
        return iter(())

    def way_to(self, label: str) -> str:
        """How the program would write what is of this label."""
        return label

    def is_attribute(self, d: Any) -> bool:
        """Does an object have this under a name that can be bound again?"""
        return False

    def temporaries(self) -> Iterator[tuple[str, Value, bool]]:
        """The values that a loop is reading, or that an expression around has read so far."""
        for v, _ in self.pinned:
            yield READ, v, False
        for values in self.evaluated[:-1]:
            for d in values:
                yield from ((EVALUATED, v, False) for _, v, _ in held(d, ""))

    def holders(self, live: Any = None) -> Iterator[tuple[str, Value, bool]]:
        """Everything that holds a value: what it is, the value, and can another version be put in its place?"""
        yield from self.temporaries()
        for f, label, v, movable in self.places(live):
            yield label + self.suffix(f), v, movable

    def _held(self, live: Any = None) -> Iterator[tuple[str, Value]]:
        yield from ((label, v) for label, v, _ in self.holders(live))

    # -------------------------------------------------------------------------------------- containers
    def lend(self, d: Any) -> None:
        """Note that the lists and dicts in `d` are elements of a list of any length: they are changed no more.

        Another element may be the same one, and a change of it has no place in the list.
        """
        self.same_objects += [(x, self.elements_lent) for _, x in containers(d, "") if not isinstance(x, Record)]
        self.lent_lists.update(v for _, v, _ in held(d, "") if _list(v))

    def alike(self, a: Any, b: Any) -> None:
        """Two denotations of what may be the same lists and dicts: before and in a loop, on a path and after it."""
        if isinstance(a, Maybe) or isinstance(b, Maybe):
            a, b = (x.value if isinstance(x, Maybe) else x for x in (a, b))
        if is_set(a) and is_set(b) and a is not b:
            self.same_objects.append((a, b))
        if not isinstance(a, dict | list | tuple) or type(a) is not type(b) or a is b:
            return
        if not isinstance(a, tuple):
            self.same_objects.append((a, b))
        pairs = zip(a, b, strict=False) if not isinstance(a, dict) else ((a[k], b[k]) for k in a if k in b)
        for x, y in pairs:
            self.alike(x, y)

    def container_family(self, d: Any) -> list[Any]:
        """The denotations of what may be the same list or dict."""
        family = [d]
        grown = True
        while grown:
            grown = False
            for a, b in self.same_objects:
                for x, y in ((a, b), (b, a)):
                    if any(x is f for f in family) and not any(y is f for f in family):
                        family.append(y)
                        grown = True
        return family

    def note_arguments(self, trees: Any) -> None:
        """A caller may pass one list or dict twice: those that look alike may be the same object."""
        found = [d for _, d in containers(tuple(trees), "")]
        self.passed += found
        self.same_objects += [(a, b) for i, a in enumerate(found) for b in found[i + 1 :] if may_be_one(a, b)]

    def globals_changed(self) -> list[Problem]:
        """Globals that may be what was changed, and were read after that."""
        return [
            problem_at(
                loc,
                f"{text} may be the same {type(f).__name__} as the global {c.label}, which this changes in place",
                "make a copy of it first",
            )  # fmt: skip
            for c in self.scope.captured.values()
            for _, x in containers(c.tree, "")
            for f, text, loc in self.changed_passed
            if loc is not None and may_be_one(x, f)
        ]

    def same_container(self, d: Any, text: str, live: Any = None, known: Any = None) -> str:
        """What else may denote the same list or dict, those left out that surely denote it if it is `known`."""
        family = self.container_family(d)
        if any(x is self.elements_lent for x in family):
            return ELEMENT
        captured = [(f"the global {c.label}", c.tree) for c in self.scope.captured.values()]
        for f, n, root in self.names(live):
            for label, x in kept_by_functions(root, n):
                if any(x is y for y in family):
                    return label + self.suffix(f)
        named = [(n, self.suffix(f), d) for f, n, d in self.names(live)]
        for n, where, root in named:
            for label, x in read_later(root, n):
                if any(x is f for f in family):
                    return label + where
        for n, tree in captured:  # what is outside stays as it is
            for label, x in containers(tree, n):
                if any(x is f for f in family):
                    return label
        for n, where, root in named:
            for label, x in containers(root, n):
                if any(x is f for f in family) and label + where != text and x is not known:
                    return label + where
        given = [f for f in family if any(f is a for a in self.passed)]
        if given and self.apart:
            return f"the caller of {self.apart}"
        self.changed_passed += [(f, text, self.builder.loc) for f in given]
        for n, root in captured:
            for label, x in containers(root, n):
                if any(may_be_one(x, f) for f in given):
                    return label
        return ""

    def check_in_place(self, old: Value, new: Value, name: str, node: Any, stored: bool = False) -> None:
        """`x op= y` keeps the shape of x: where the result has another, NumPy raises.

        Where it is `stored` into the array, the store itself does.
        """
        mine, theirs = old.kind.shape, new.kind.shape
        same = [self._equal(a, b) for a, b in zip(mine, theirs, strict=False)]
        longer = any(
            self.env.resolve(a) == ONE and not self.env.may_be_one(b) for a, b in zip(mine, theirs, strict=False)
        )
        if len(mine) != len(theirs) or longer:
            remedy = "give it an array of the shape of the result"
            if isinstance(node, gast.AugAssign):
                remedy = f"write {name} = {name} {symbol(node.op)} ..."
            raise self.refuse(node, f"{name} is {old.kind}, and the result is {new.kind}: it does not fit in place",
                              remedy)  # fmt: skip
        if not stored and not all(same):
            shape = tuple(self.operand(self.emit(length, old, Known(k))) for k in range(len(mine)))
            self.builder.effect(fits, new, shape)
            if new in self.defs:  # from here on it is known to be of this shape
                new.kind = Array(new.kind.dtype, mine, new.kind.xp)


def _list(v: Value) -> bool:
    return isinstance(v.kind, Seq) and not v.kind.range


def may_be_one(a: Any, b: Any) -> bool:
    """May two lists or dicts from outside be one object: have they the same keys, and leaves of the same kinds?"""
    if isinstance(a, Value) and isinstance(b, Value):
        x, y = a.kind, b.kind
        return type(x) is type(y) and (not isinstance(x, Array) or (x.dtype, x.ndim) == (y.dtype, y.ndim))
    if type(a) is not type(b) or isinstance(a, Record):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(may_be_one(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(may_be_one, a, b))
    return True


def containers(d: Any, label: str) -> Iterator[tuple[str, Any]]:
    """The lists and dicts in a denotation, and the objects."""
    d = d.value if isinstance(d, Maybe) else d
    if isinstance(d, Closure):
        for x in d.defaults.values():
            yield from containers(x, f"a default of {label}")
    elif isinstance(d, Callback):
        for x in d.parts:
            yield from containers(x, f"{label}, which keeps it,")
    elif isinstance(d, Method):
        yield from containers(d.owner, f"{label}, made of it,")
    elif isinstance(d, Record) or is_set(d):
        yield label, d
    elif isinstance(d, tuple | list | dict):
        if not isinstance(d, tuple):
            yield label, d
        for k, x in d.items() if isinstance(d, dict) else enumerate(d):
            yield from containers(x, f"{label}[{k!r}]")


def kept_by_functions(d: Any, label: str) -> Iterator[tuple[str, Any]]:
    """The lists, dicts and sets in a denotation that have no other version put in their place: see `held`."""
    d = d.value if isinstance(d, Maybe) else d
    if isinstance(d, Closure | Callback | Method):
        yield from containers(d, label)
    elif isinstance(d, tuple | list | dict):
        for k, x in d.items() if isinstance(d, dict) else enumerate(d):
            yield from kept_by_functions(x, f"{label}[{k!r}]")


def make_later(other: str) -> str:
    """The way out where a list of any length holds what is changed, or an iterator or a view has still to read it.

    Empty for other holders.
    """
    if other == ELEMENT:
        return "change it before the list gets it, or make a new list: [{**d, ...} for d in ds]"
    name, comma, _ = other.partition(", which reads it")
    return f"make {name} after this, where it is read" if comma else ""


def read_later(d: Any, label: str, read: bool = False) -> Iterator[tuple[str, Any]]:
    """The lists and dicts that iterators and views in a denotation have still to read."""
    d = d.value if isinstance(d, Maybe) else d
    if isinstance(d, Once):
        if isinstance(d, View) or not d.read:
            for x in d.of:
                yield from read_later(x, f"{label}, which reads it", True)
    elif isinstance(d, tuple | list | dict):
        if read and not isinstance(d, tuple):
            yield label, d
        for x in d.values() if isinstance(d, dict) else d:
            yield from read_later(x, label, read)
    elif isinstance(d, ListOf) and read:
        yield label, d


def symbol(op: Any) -> str:
    return {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@"}.get(type(op).__name__, "op")
