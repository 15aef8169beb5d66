"""The arrays that a loop changes under several names, or by views of them.

b = a; for i in range(n): b[i] = a[0]   ->   for %i in ..; %p = %a { %p2 = update(%p, %i, set, ..); yield %p2 }

In the body both a and b denote %p.
"""

from typing import Any

from adcompiler.frontend.lenses import Lens, is_ordered
from adcompiler.frontend.records import of_heap
from adcompiler.ir.core import Value
from rules.kind import Array


class Shared:
    """The arrays that a loop changes under several names or by views: each is carried once, for all of its names.

    b = a; for i in range(n): b[i] = a[0]       ->       one parameter, that a and b denote in the body
    """

    def __init__(self, header: Any) -> None:
        self.header = header
        self.lowerer = header.lowerer
        self.roots: list[Value] = []  # as they are before the loop
        self.refused: dict[Value, list[str]] = {}  # of these, those that something unknown may share, and what may
        self.unordered: set[Value] = set()
        self.split: set[str] = set()  # places that denote something else after an iteration
        self.params: dict[Value, Value] = {}
        self.entered: dict[Any, tuple[Value, Lens]] = {}

    def takes(self, label: str, d: Any) -> bool:
        """Is what a place denotes before the loop one of these arrays, or a view of one?"""
        array = self.roots and isinstance(d, Value) and isinstance(d.kind, Array)
        return bool(array) and label not in self.split and self.lowerer.lens(d).root in self.roots

    def start(self) -> None:
        """Find which of the arrays may be changed: those that nothing but names and views of them shares."""
        lowerer, live = self.lowerer, self.header.live
        self.changeable = set()
        for root in self.roots:
            if not lowerer.is_made_here(root):
                continue
            other = lowerer.inexact(root, live)
            if other:
                lowerer.read_again(root)
            family = lowerer.family(root)
            here = (lowerer.frame, lowerer.heap)
            mine = [label for f, label, v, _ in lowerer.places(live) if v in family and f in here]
            if other or not self.split.isdisjoint(mine):
                self.refused.setdefault(root, [other] if other else mine)
            if root not in self.refused:
                self.changeable.add(root)

    def parameters(self) -> dict[Value, Value]:
        """A parameter for each of the arrays."""
        kinds, loc = self.header.kinds, self.lowerer.builder.loc
        self.params = {r: Value(kinds.get(("", r), r.kind), r.hint, loc) for r in self.roots}
        for root, param in self.params.items():
            if root in self.changeable:
                self.lowerer.owned_joins.add(param)
            if root not in self.unordered and is_ordered(root, self.lowerer.defs, self.lowerer.ordered):
                self.lowerer.ordered.add(param)
        return self.params

    def enter(self) -> None:
        """Let names denote what is carried, in place of the arrays before the loop and their views."""
        lowerer = self.lowerer
        lowerer.moved(self.params)
        by_param = {p: r for r, p in self.params.items()}
        places = lowerer.all_places(self.header.live) if self.roots else ()
        seen = [((id(f), label), lowerer.lens(v)) for f, label, v, _ in places]
        self.entered = {key: (by_param[of.root], of) for key, of in seen if of.root in by_param}

    def settle(self, yields: dict[Value, Any]) -> bool:
        """Find what an iteration makes of the arrays. False: the header has changed, and the body is lowered again."""
        if not self.roots:
            return True
        lowerer = self.lowerer
        places = lowerer.all_places(self.header.live)
        found: list[Any] = [((id(f), label), v, movable) for f, label, v, movable in places]
        after = {key: lowerer.lens(v) for key, v, _ in found}
        found += [(None, v, False) for _, v, _ in lowerer.temporaries()]
        settled = [self.settled(root, param, found, after, yields) for root, param in self.params.items()]
        return all(settled)

    def settled(self, root: Value, param: Value, found: Any, after: dict[Any, Lens], yields: dict[Value, Any]) -> bool:
        """Find what an iteration makes of one of the arrays."""
        lowerer, header = self.lowerer, self.header
        places = {key: of for key, (r, of) in self.entered.items() if r is root}
        ends = [after[k].root for k, of in places.items() if k in after and after[k].same_steps(of)]
        last = yields[param] = ends[0] if ends else param
        astray = [k for k, of in places.items() if k not in after or after[k].root is not last
                  or not after[k].same_steps(of)]  # fmt: skip
        if astray:
            here = (id(lowerer.frame), id(lowerer.heap))
            inside = [key for key in astray if key[0] == here[0] and of_heap(key[1])]
            self.split.update(label for frame, label in astray if frame in here)
            names = {id(f): lowerer.suffix(f) for f in lowerer.frames()}
            outside = [label + names.get(frame, "") for frame, label in astray if frame not in here]
            outside += [label for _, label in inside]
            if outside:
                self.refused[root] = outside
            return False
        kind = header.join(param.kind, last.kind)
        if kind is None or str(kind) != str(param.kind) or kind != param.kind:
            header.kinds["", root] = kind if kind is not None else param.kind
            if kind is None:
                self.refused[root] = ["an array of another kind"]
            return False
        if param in lowerer.owned_joins and last is not param:
            members = lowerer.members(last, found) if lowerer.is_made_here(last) else None
            if members is None or members.keys() != places.keys():
                self.refused[root] = [key[1] for key in members or () if key not in places]
                return False
        if param in lowerer.ordered and not is_ordered(last, lowerer.defs, lowerer.ordered):
            self.unordered.add(root)
            return False
        return True

    def leave(self, after: dict[Value, Value]) -> None:
        """Let names denote what the arrays are after the loop; `after` is the result for each parameter."""
        for root in self.roots:
            self.lowerer.check_carried(root)
        self.lowerer.ordered.update(after[p] for p in self.params.values() if p in self.lowerer.ordered)
        self.lowerer.moved({root: after[p] for root, p in self.params.items()})
