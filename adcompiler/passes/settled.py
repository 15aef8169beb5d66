"""Places of arrays that no later store touches, or no earlier one.

    for %j in range(%n) with %L: for %k in range(%j): %p = %L[%j, %k]; ..; yield update(%L, (%j, %j), set, %r)
      ->   p is %last[%j, %k], and r is %last[%j, %j]: they are not kept

    %d = zeros_like(%x); for %i in range(%n) with %d: .. update(%d, %i, add, %v)     ->     update(%d, %i, set, %v)

Each store that stands between a version and the last one, in this iteration and in all later ones, must go elsewhere;
or each between the zeros that an array was at first and this version, in all earlier iterations.
"""

import operator
from dataclasses import dataclass
from typing import Any

from adcompiler.ir.affine import Affine, Bounds, Ints, extent
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, walk
from adcompiler.passes.updates import fills
from rules.cotangent import update, zeros_like
from rules.kind import Array, Num


@dataclass(frozen=True)
class Store:
    """A store, in any iteration of a loop beside the place that is looked at; or in those before it or behind it."""

    op: Op
    loop: For | While | None = None
    side: str = ""

    def within(self, loop: For | While, side: str = "") -> "Store":
        """The same store, as it is seen from outside of a loop."""
        return Store(self.op, loop, side)


class Branching(Exception):
    """Of this version more than one is made, or something that cannot be followed."""


class Settled:
    """Finds the last versions of arrays, and what is read of others that is there too."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.region_of: dict[Value, Region] = {}
        self.owner: dict[int, tuple[Op, Region]] = {}
        self.defs: dict[Value, Op] = {}
        self.loops: dict[Value, tuple[For, int]] = {}
        self.stored: dict[Value, Op] = {}
        self.writers: dict[Value, list[Op]] = {}  # what makes another version of an array
        self.within: dict[int, Region] = {}  # where that is
        self.bodies: dict[int, set[Value]] = {}
        self.known: dict[Value, tuple[Value, Any] | None] = {}
        self.region_of.update(dict.fromkeys(function.params, function.body))
        self._enter(function.body)
        self.ints = Ints(self.defs, self.loops)

    def _enter(self, region: Region) -> None:
        self.region_of.update(dict.fromkeys(region.params, region))
        for op in region.ops:
            self.region_of.update(dict.fromkeys(op.results, region))
            self.defs.update(dict.fromkeys(op.results, op))
            if op.regions or op.target is update:
                self.within[id(op)] = region
            bases = op.inits if isinstance(op, For | While) else op.args[:1] if op.target is update else ()
            for v in bases:
                if isinstance(v, Value):
                    self.writers.setdefault(v, []).append(op)
            if (
                op.target is update
                and op.args[2] == "set"
                and len(op.args[1]) == 1
                and isinstance(op.result.kind, Array)
            ):
                if isinstance(op.args[3], Value):
                    self.stored.setdefault(op.args[3], op)
            if isinstance(op, For):
                self.loops.update((e, (op, k)) for k, e in enumerate(op.elements))
            for sub in op.regions:
                self.owner[id(sub)] = op, region
                self._enter(sub)

    def place(self, v: Value) -> tuple[Value, Any] | None:
        """The last version of an array in which `v` is still to be found, and the index there."""
        if v not in self.known:
            self.known[v] = self._place(v)
        return self.known[v]

    def _place(self, v: Value) -> tuple[Value, Any] | None:
        op = self.defs.get(v)
        if op is not None and op.target is operator.getitem:
            base, index = op.args
        elif v in self.stored:
            base, (index,) = self.stored[v].result, self.stored[v].args[1]
            seen = self.region_of.get(base) is self.region_of.get(v)  # else the index may be of a loop further in
            python = isinstance(v.kind, Num) and v.kind.python
            if not seen or python or not fills(v, base, (index,)) or v.kind.dtype != base.kind.dtype:
                return None
        else:
            return None
        if not isinstance(base, Value) or not isinstance(base.kind, Array):
            return None
        try:
            last, stores = self.last(base)
        except Branching:
            return None
        if not stores:
            return None
        here = self.extent(index, base, set())
        if here is None or not all(self.elsewhere(here, s) for s in stores):
            return None
        return last, index

    # ---------------------------------------------------------------------------------- versions
    def last(self, v: Value) -> tuple[Value, list[Store]]:
        """The last version of an array, and the stores between. Raises Branching."""
        if v not in self.region_of:  # of the function around this one
            raise Branching
        region, stores = self.region_of[v], list[Store]()
        while True:
            while (found := self.following(v, region)) is not None:
                v, more = found
                stores += more
            if region is self.function.body:
                return v, stores
            if id(region) not in self.owner:
                raise Branching
            op, outside = self.owner[id(region)]
            if not isinstance(op, If) and not (isinstance(op, For | While) and region is op.body):
                raise Branching
            n = len(op.results) if isinstance(op, If) else len(op.inits)
            places = [k for k, r in enumerate(region.results[:n]) if r is v]
            if len(places) != 1:
                raise Branching
            if isinstance(op, For | While):
                stores += [s.within(op, "later") for s in self.between(op.carried[places[0]], v, region)]
            v, region = op.results[places[0]], outside

    def between(self, v: Value, end: Value, region: Region) -> list[Store]:
        """The stores that make `end` of `v` in a region. Raises Branching."""
        stores: list[Store] = []
        while v is not end:
            found = self.following(v, region)
            if found is None:
                raise Branching
            v, more = found
            stores += more
        return stores

    def following(self, v: Value, region: Region) -> tuple[Value, list[Store]] | None:
        """The next version of an array in a region, with the stores that make it. Raises Branching."""
        ops = {id(op): op for w in self.writers.get(v, ()) if (op := self.around(w, region)) is not None}
        if not ops:
            return None
        (op, *others) = ops.values()
        if others:
            raise Branching
        if op.target is update:
            return op.result, [Store(op)]
        if isinstance(op, If):
            return self.in_branch(v, op)
        if not isinstance(op, For | While) or not any(i is v for i in op.inits):
            raise Branching
        (k, *more) = [k for k, i in enumerate(op.inits) if i is v]
        if more or not isinstance(end := op.body.results[k], Value):
            raise Branching
        return op.results[k], [s.within(op) for s in self.between(op.carried[k], end, op.body)]

    def around(self, op: Op, region: Region) -> Op | None:
        """The operation of a region in which this one is, or which it is; None if it is elsewhere."""
        while (inner := self.within[id(op)]) is not region:
            if id(inner) not in self.owner:
                return None
            op, _ = self.owner[id(inner)]
        return op

    def in_branch(self, v: Value, op: If) -> tuple[Value, list[Store]]:
        """What a branch makes of an array, on either path. Raises Branching."""
        found = []
        for k, r in enumerate(op.results):
            ends = [side.results[k] for side in op.regions]
            if isinstance(r.kind, Array) and all(isinstance(e, Value) for e in ends):
                try:
                    stores = [self.between(v, e, side) for side, e in zip(op.regions, ends, strict=True)]
                except Branching:
                    continue
                found.append((r, [s for side in stores for s in side]))
        if len(found) != 1:
            raise Branching
        return found[0]

    def before(self, v: Value) -> list[Store]:
        """The stores since an array was zeros. Raises Branching."""
        stores: list[Store] = []
        while True:
            op = self.defs.get(v)
            following: Any = None
            if op is None:  # what a loop carries
                op, _ = self.owner.get(id(self.region_of.get(v)), (None, None))
                if not isinstance(op, For | While) or v not in op.carried:
                    raise Branching
                k = op.carried.index(v)
                stores += [s.within(op, "earlier") for s in self.between(v, op.body.results[k], op.body)]
                following = op.inits[k]
            elif op.target is zeros_like:
                return stores
            elif op.target is update:
                stores.append(Store(op))
                following = op.args[0]
            elif isinstance(op, For | While) and v in op.results[: len(op.inits)]:
                k = op.results.index(v)
                stores += [s.within(op) for s in self.between(op.carried[k], op.body.results[k], op.body)]
                following = op.inits[k]
            else:
                raise Branching
            if not isinstance(following, Value):
                raise Branching
            v = following

    def first(self, op: Op) -> bool:
        """Does this add to what is zero there?"""
        base, path, kind, value = op.args
        if kind != "add" or len(path) != 1 or not isinstance(base, Value) or not isinstance(base.kind, Array):
            return False
        dtype = kind_of_operand(value).dtype
        if not fills(value, base, path) or (dtype != base.kind.dtype and not isinstance(value, float)):
            return False
        try:
            stores = self.before(base)
        except Branching:
            return False
        here = self.extent(path[0], base, set())
        return here is not None and all(self.elsewhere(here, s) for s in stores)

    # ------------------------------------------------------------------------------------ places
    def elsewhere(self, here: list[Bounds], store: Store) -> bool:
        """Does a store surely not touch this?"""
        base, path = store.op.args[:2]
        others = set() if store.loop is None else self.inside(store.loop)
        apart = store.loop.elements if store.side and isinstance(store.loop, For) else ()
        there = self.extent(path[0], base, others) if len(path) == 1 else None
        if there is None:
            return False

        def before(x: Affine, y: Affine) -> bool:
            return self.ints.at_least(y.plus(x, -1), 1, apart, others, store.side == "earlier")

        pairs = zip((*here, *diagonals(here)), (*there, *diagonals(there)), strict=True)
        return any(before(high, low2) or before(high2, low) for (low, high), (low2, high2) in pairs)

    def extent(self, index: Any, base: Value, others: set[Value]) -> list[Bounds] | None:
        """The places that an index takes."""
        if isinstance(index, str):
            return None

        def expand(x: Any) -> Affine | None:
            return self.ints.expand(x, others)

        return extent(index, base.kind.shape, expand, lambda x: self.ints.at_least(x, 0, (), others))

    def inside(self, loop: For | While) -> set[Value]:
        """What is defined in a loop, at any depth."""
        if id(loop) not in self.bodies:
            found = set[Value]()
            for region in loop.regions:
                found.update(region.params)
                for op in walk(region):
                    found.update(op.results)
                    found.update(p for sub in op.regions for p in sub.params)
            self.bodies[id(loop)] = found
        return self.bodies[id(loop)]


def diagonals(bounds: list[Bounds]) -> list[Bounds]:
    """Between which numbers the differences and the sums of two indices are."""
    out = []
    for k, (low, high) in enumerate(bounds):
        for low2, high2 in bounds[:k]:
            out.append((low.plus(high2, -1), high.plus(low2, -1)))
            out.append((low.plus(low2), high.plus(high2)))
    return out


def stored(function: Function) -> Function:
    """The same function, where what is added to zeros is stored."""
    settled = Settled(function)
    once = {id(op) for op in walk(function.body) if op.target is update and settled.first(op)}

    def again(region: Region) -> Region:
        ops = []
        for op in region.ops:
            new = op.rebuild(lambda v: v, again)
            if id(op) in once:
                new.args = (*op.args[:2], "set", op.args[3])
            ops.append(new)
        return Region(region.params, ops, region.results)

    if not once:
        return function
    return Function(function.name, function.params, again(function.body), function.result, function.doc)
