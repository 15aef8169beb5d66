"""The objects that a loop makes anew: what a name denotes then is an object whose attributes the loop carries.

for u in us: state = State(state.x + u)       ->       for %u in ..; %x = .. { yield %x + %u }

An object that stays the same one is not carried; those of its attributes are that the loop stores, as names are.
"""

from typing import Any

from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Maybe, Poison
from adcompiler.frontend.walk import walk_denotation
from adcompiler.ir.core import Value
from adcompiler.ir.structure import Attr


class CarriedObjects:
    """The objects of a loop's header, in place of those before the loop and of those of the iteration before."""

    def __init__(self, header: Any) -> None:
        self.header = header
        self.lowerer = header.lowerer
        self.renewed: set[tuple[Any, ...]] = set()  # the places of what is another object after an iteration
        self.apart: set[tuple[Any, ...]] = set()  # those of what is one object with others only as the loop begins
        self.begin()

    def begin(self) -> None:
        self.made: dict[int, tuple[Record, Record]] = {}
        self.attributes: dict[Record, dict[str, Any]] = {}  # as an iteration begins
        self.accepted: list[tuple[Record, Record]] = []
        self.after: dict[Record, Record] = {}

    def enter(self, path: tuple[Any, ...], d: Record, name: str) -> Record:
        """What stands for an object as an iteration begins."""
        if path not in self.renewed:
            return d
        if id(d) in self.made and path not in self.apart:
            return self.made[id(d)][1]
        lowerer = self.lowerer
        new = lowerer.new_record(d.cls, name, d)
        new.may |= {new}
        if path not in self.apart:
            self.made[id(d)] = d, new
        found = self.attributes[new] = {}
        for k, x in lowerer.attributes(d).items():
            if isinstance(x, Maybe):
                x = Poison("{name} is not there on every path before the loop", "give it a value in `__init__`")
            found[k] = self.header.leaf((*path, Attr(k)), x, k)
            lowerer.alike(x, found[k])
            lowerer.heap.env[new.place(k)] = found[k]
        return new

    def accept(self, path: tuple[Any, ...], d: Record, end: Any, yields: dict[Value, Any]) -> bool:
        """Compare the object that the body found with the one that it leaves. False: the header has changed."""
        lowerer, name = self.lowerer, path[0]
        if d not in self.attributes:
            if end is d:
                return True
            if not isinstance(end, Record) or end.cls is not d.cls:
                return bool(self.header.poison(name, d, end))
            self.renewed.add(path)
            return False
        if not isinstance(end, Record) or end.cls is not d.cls:
            return bool(self.header.poison(name, d, end))
        ends = [y for x, y in self.accepted if x is d]
        if ends and ends[0] is not end:
            self.apart.add(path)
            return False
        if ends:
            return True
        self.accepted.append((d, end))
        before, after = self.attributes[d], lowerer.attributes(end)
        if set(before) != set(after):
            other = min(set(before) ^ set(after))
            where = "only before the loop" if other in before else "only in the loop"
            poison = Poison("{name} is an object whose attribute " + f"{other} is there {where}",
                            "give the object one set of attributes", lowerer.builder.loc)  # fmt: skip
            return bool(self.header.poison(name, d, poison))
        found = [self.header.accept((*path, Attr(k)), before[k], after[k], yields) for k in before]
        for k in before:
            lowerer.alike(after[k], before[k])
        return all(found)

    def leave(self, d: Any, after: dict[Value, Value]) -> Any:
        """What a denotation of the header is after the loop; `after` is the result for each parameter."""
        if isinstance(d, Value):
            return after.get(d, d)
        if not isinstance(d, Record):
            return walk_denotation(d, (), lambda x, _: self.leave(x, after))
        if d not in self.attributes:
            return d
        if d not in self.after:
            lowerer = self.lowerer
            ends = [end for start, end in self.accepted if start is d]
            new = self.after[d] = lowerer.new_record(d.cls, d.name, d, *ends)
            for k, x in self.attributes[d].items():
                y = lowerer.heap.env[new.place(k)] = self.leave(x, after)
                lowerer.alike(x, y)
        return self.after[d]

    def first(self, d: Record, heap: dict[str, Any], assigned: Any) -> Record:
        """What a name that only the loop assigns denotes after it, of an object that it is at the end of an iteration.

        `heap` are the attributes there; `assigned` gives what is carried out of the loop of each.
        """
        if d.born <= self.header.mark:
            return d
        if d not in self.after:
            lowerer = self.lowerer
            new = self.after[d] = lowerer.new_record(d.cls, d.name, d)
            for k, x in lowerer.attributes(d, heap).items():
                y = lowerer.heap.env[new.place(k)] = assigned(k, x)
                lowerer.alike(x, y)
        return self.after[d]
