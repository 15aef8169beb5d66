"""The heap: what names of objects mean where two paths meet, and which objects can still be reached.

if c: p.x = 0.0       ->       %x2 = if %c { yield 0.0 } else { yield %x }, which is p.x from here on
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from adcompiler.frontend.desugar import hint
from adcompiler.frontend.frames import held, readable
from adcompiler.frontend.instances import is_frozen, is_made_of_fields
from adcompiler.frontend.iteration import Storing
from adcompiler.frontend.joins import Environments, Side
from adcompiler.frontend.kinds import Again, Unread
from adcompiler.frontend.loops import Loops
from adcompiler.frontend.ownership import containers
from adcompiler.frontend.records import Record, of_heap, owner_of, records
from adcompiler.frontend.scope import Frame, Poison
from adcompiler.frontend.versions import Rebound
from adcompiler.frontend.walk import walk_denotation
from adcompiler.frontend.words import describe
from adcompiler.ir.core import UNDEF, If, Loc, Value
from adcompiler.ir.structure import Instance, instance, like, parts
from rules.libraries import original


class Heap(Loops):
    """Keeps the attributes of objects as names of a frame."""

    heap: Frame
    #: The objects met so far, by name.
    known_objects: dict[str, Record]
    #: While two paths are joined: the heap at the end of each, and the attributes of what objects become one.
    heap_sides: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    joined_attributes: dict[str, Any]

    # ------------------------------------------------------------------------------------------ objects
    def new_record(self, cls: type, name: str, *of: Record) -> Record:
        """An object that has no attributes yet: a new one, or one `of` these."""
        base, n = hint(name.rpartition(".")[2]) or cls.__name__.lower(), 2
        name = base
        while name in self.known_objects:
            name, n = f"{base} {n}", n + 1
        made = self.known_objects[name] = Record(cls, name, may=set().union(*(r.may for r in of)))
        return made

    def told(self, d: Any) -> str:
        """An object as it is called where this is lowered, and its class."""
        name = self.known_as(d) if isinstance(d, Record) else ""
        return f"{name}, {super().told(d)}," if name else super().told(d)

    def known_as(self, r: Record, depth: int = 3) -> str:
        """What an object is called in this frame, by a name or an attribute; empty where it is not."""
        named = next((n for n, d in self.frame.env.items() if d is r and n.isidentifier()), "")
        if named or not depth:
            return named
        holders = (n for n, d in self.heap.env.items() if d is r)
        outer = ((self.known_as(self.known_objects[owner_of(n)], depth - 1), n.rpartition(".")[2]) for n in holders)
        return next((f"{owner}.{attribute}" for owner, attribute in outer if owner), "")

    def attributes(self, r: Record, env: dict[str, Any] | None = None) -> dict[str, Any]:
        """The attributes that an object has, in order; `env` is the heap at another place of the program."""
        prefix = r.place("")
        found = self.heap.env if env is None else env
        return {n[len(prefix) :]: d for n, d in found.items() if n.startswith(prefix)}

    def with_objects(self, tree: Any, steps: tuple[Any, ...], name: str, met: dict[Any, Any]) -> Any:
        """The denotation of an argument: its objects are put on the heap. `met` are those, by where they are."""
        if isinstance(tree, Again):
            return met[tree.steps]
        if isinstance(tree, Unread):
            return Poison(tree.reason, tree.remedy or "pass it as an argument of its own")
        if isinstance(tree, Instance):
            record = met[steps] = self.new_record(tree.of, name)
            for step, x in parts(tree):
                self.heap.env[record.place(step)] = self.with_objects(x, (*steps, step), step, met)
            return record
        if not isinstance(tree, tuple | list | dict):
            return tree
        found = {s: self.with_objects(x, (*steps, s), f"{name}_{s}", met) for s, x in parts(tree)}
        same = all(x is found[s] for s, x in parts(tree))
        made: Any = tree if same else found if isinstance(tree, dict) else like(tree, found.values())
        met[steps] = made
        return made

    def remade(self, r: Record, f: Callable[[Any], Any], made: dict[Record, Record]) -> Record:
        """Another object whose attributes are what `f` makes of those of this one; `made` are such objects by now."""
        if r not in made:
            made[r] = self.new_record(r.cls, r.name)
            for k, d in self.attributes(r).items():
                self.heap.env[made[r].place(k)] = f(d)
        return made[r]

    def check_passed_once(self, given: Any, apart: dict[Record, Record], node: Any) -> None:
        """Refuse to differentiate by what may be one object twice; `apart` are the objects that are `given`."""
        stack, met = [r for d in given for r in records(d)], set[Record]()
        again = False
        while stack:
            r = stack.pop()
            again |= r in met
            if r not in met:
                met.add(r)
                stack.extend(x for d in self.attributes(r).values() for x in records(d))
        if again or any(a.may_be(b) for a, b in itertools.combinations(apart, 2)):
            raise self.refuse(node, "a function that is differentiated here is given one object more than once",
                              "pass copies, or the attributes that are meant")  # fmt: skip

    def without_objects(self, d: Any, node: Any, around: tuple[Record, ...] = ()) -> Any:
        """A result with the attributes of its objects in place of these."""
        if not isinstance(d, Record):
            return walk_denotation(d, (), lambda x, _: self.without_objects(x, node, around))
        if any(d is r for r in around):
            raise self.refuse(node, f"it returns an object of class {d.cls.__name__} that holds itself",
                              "return the attributes that are wanted")  # fmt: skip
        if original(d.cls) is not None:
            raise self.refuse(node, f"it returns a {d.cls.__name__} that it makes, which is not supported",
                              "return its numbers")  # fmt: skip
        found = self.attributes(d).items()
        made = {k: self.without_objects(x, node, (*around, d)) for k, x in found}
        return instance(d.cls, made, is_made_of_fields(d.cls, tuple(made)))

    # ---------------------------------------------------------------------------------------- reachability
    def frames(self) -> list[Frame]:
        return readable(self.frame, [self.heap, *self.callers])

    def names(self, live: Any = None) -> Iterator[tuple[Frame, str, Any]]:
        """As for names alone; of attributes, those of objects that something that may still be read leads to."""
        reached: set[str] | None = None
        for f, n, d in super().names(live):
            if f is self.heap:
                reached = self.reached(live) if reached is None else reached
                if owner_of(n) not in reached:
                    continue
            yield f, n, d

    def reached(self, live: Any = None) -> set[str]:
        """The names of the objects that can still be reached."""
        stack = [r for f, _, d in super().names(live) if f is not self.heap for r in records(d)]
        stack += [r for values in self.evaluated for d in values for r in records(d)]
        held: dict[str, list[Any]] = {}
        for n, d in self.heap.env.items():
            held.setdefault(owner_of(n), []).append(d)
        found: set[str] = set()
        while stack:
            r = stack.pop()
            if r.name not in found:
                found.add(r.name)
                stack.extend(x for d in held.get(r.name, ()) for x in records(d))
        return found

    def all_places(self, live: Any = None) -> Iterator[tuple[Frame, str, Value, bool]]:
        yield from self.places(live)
        for f, n, d in self.names(live):
            if f is not self.heap:
                yield from ((f, label, v, movable) for label, v, movable in self.held_in_objects(d, n))

    def held_in_objects(self, d: Any, label: str, around: tuple[Record, ...] = ()) -> Iterator[tuple[str, Value, bool]]:
        for inner, x in containers(d, label):
            if isinstance(x, Record) and x not in around:
                for k, y in self.attributes(x).items():
                    yield from held(y, f"{inner}.{k}")
                    yield from self.held_in_objects(y, f"{inner}.{k}", (*around, x))

    def way_to(self, label: str) -> str:
        owner = self.known_objects.get(owner_of(label))
        if owner is None:
            return label
        ways = (way for f, n, d in self.names() if f is not self.heap for way, r in self.ways(d, n) if r is owner)
        way, attribute = next(ways, ""), label.removeprefix(owner.place(""))
        return f"{way}.{attribute}" if way else f"{attribute} of another object of class {owner.cls.__name__}"

    def ways(self, d: Any, label: str, around: tuple[Record, ...] = ()) -> Iterator[tuple[str, Record]]:
        """The objects that a denotation leads to, each with the way to it."""
        for inner, x in containers(d, label):
            if isinstance(x, Record) and x not in around:
                yield inner, x
                for k, y in self.attributes(x).items():
                    yield from self.ways(y, f"{inner}.{k}", (*around, x))

    def is_attribute(self, d: Any) -> bool:
        return any(x is d and not is_frozen(self.known_objects[owner_of(n)].cls) for n, x in self.heap.env.items())

    def at_end(self, before: Environments, side: Side) -> list[tuple[Any, Value, bool]]:
        """Of the objects that a path has made, what holds them tells, and not how they are called."""
        heap = id(self.heap)
        return [
            (key, v, movable)
            for key, v, movable in super().at_end(before, side)
            if key is None or key[0] != heap or not self.left_behind(self.heap, key[1], self.fork_began)
        ]

    def suffix(self, f: Frame) -> str:
        return "" if f is self.heap else super().suffix(f)

    def born(self, f: Frame, name: str) -> int:
        return self.known_objects[owner_of(name)].born if f is self.heap else super().born(f, name)

    def same_object(self, r: Record) -> str:
        """What else that may still be read may be this object, without surely being it; empty if nothing is."""
        named = [(n + self.suffix(f), d) for f, n, d in self.names()]
        for n, root in (*named, *(("what this expression has read", d) for v in self.evaluated[:-1] for d in v)):
            for label, x in containers(root, n):
                if isinstance(x, Record) and r.may_be(x):
                    return self.way_to(label)
        return ""

    def check_store(self, r: Record, attribute: str, node: Any, text: str) -> None:
        """Refuse to store an attribute where it is not known which object has it, or within an expression.

        Raises Rebound for the outermost loop that does not carry the attribute, Storing for a comprehension that has to
        be a loop.
        """
        walls = [wall for wall in self.walls if r.born < wall and not self.comprehensions.get(wall)]
        if walls and walls[0] in self.comprehensions:
            raise Storing(walls[0])
        if walls:
            raise self.refuse(node, f"{text}.{attribute} is stored within an expression, and the object is made "
                              "outside of it", "write a loop, with the store in a statement of its own")  # fmt: skip
        other = self.same_object(r)
        if other:
            raise self.refuse(node, f"{text} may be the same object as {other.removesuffix(',')}, which this changes",
                              f"store into a copy, {text} = copy.copy({text}), or choose the values, rather than the "
                              "objects, by conditions")  # fmt: skip
        for header in self.headers:
            if r.born < header.mark and header.lacks(self.heap, r.place(attribute)):
                raise Rebound(header, r.place(attribute))

    # ---------------------------------------------------------------------------------------------- joins
    def fork_sides(self, before: Environments, envs1: list[dict[str, Any]], envs2: list[dict[str, Any]]) -> None:
        k = next(i for i, (f, _) in enumerate(before) if f is self.heap)
        self.heap_sides, self.joined_attributes = (envs1[k], envs2[k]), {}

    def left_behind(self, frame: Frame, name: str, began: int) -> bool:
        """Is this an attribute of an object that one path has made, and that nothing denotes as such after both?"""
        return frame is self.heap and self.known_objects[owner_of(name)].born > began

    def has_new_attributes(self, before: dict[str, Any]) -> bool:
        new = (self.known_objects[owner_of(n)] for n in self.heap.env if n not in before)
        return any(r.born < self.headers[-1].mark for r in new)

    def joined_heap(self) -> None:
        self.heap.env.update(self.joined_attributes)
        self.joined_attributes = {}

    def join(self, a: Any, b: Any, op: If, known: dict[tuple[Any, Any], Any], name: str, loc: Loc,
             maybe: bool = False) -> Any:  # fmt: skip
        if not (isinstance(a, Record) or isinstance(b, Record)) or a is b:
            return super().join(a, b, op, known, name, loc, maybe)
        if a is UNDEF or b is UNDEF:
            reason = "{name} is assigned on one path of the if at line " + f"{loc.line} alone"
            return Poison(reason, "assign {name} before the if", loc) if maybe else b if a is UNDEF else a
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        if not (isinstance(a, Record) and isinstance(b, Record) and a.cls is b.cls):
            reason = "{name} is " + describe(a) + f" on one path of the if at line {loc.line} and " + describe(b)
            return Poison(reason + " on the other", "give {name} one class on both paths", loc)
        if (id(a), id(b)) in known:
            return known[id(a), id(b)]
        made = known[id(a), id(b)] = self.new_record(a.cls, a.name, a, b)
        mine, theirs = self.attributes(a, self.heap_sides[0]), self.attributes(b, self.heap_sides[1])
        for k in dict.fromkeys([*mine, *theirs]):
            if k in mine and k in theirs:
                d = self.join(mine[k], theirs[k], op, known, made.place(k), loc)
                self.alike(mine[k], d)
                self.alike(theirs[k], d)
            else:
                reason = f"the attribute {k} is there on one path of the if at line {loc.line} alone"
                d = Poison(reason, "give it a value in `__init__`", loc)
            self.joined_attributes[made.place(k)] = d
        return made

    def read_heap(self, key: str, text: str, node: Any) -> Any:
        """What an attribute denotes now."""
        if self.attempts:
            self.note_read(self.heap, key)
        return self.readable_name(self.heap.env[key], text, node)

    def set_name(self, name: str, d: Any) -> None:
        (self.heap if of_heap(name) else self.frame).env[name] = d
