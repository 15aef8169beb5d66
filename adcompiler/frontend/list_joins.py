"""Lists that have another number of elements on one path than on the other: of any length where the paths meet.

terms = [x[0]]                          %terms = listed([%x0])
if c: terms.append(x[1])        ->      %terms.2 = if %c { %t = listed([%x0, %x1]); yield %t } else { yield %terms }
"""

from typing import Any

from adcompiler.errors import Refusal
from adcompiler.frontend.growth import Lists
from adcompiler.frontend.joins import restore
from adcompiler.frontend.kinds import ListOf
from adcompiler.frontend.long_lists import any_length, sequences
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.ownership import containers
from adcompiler.frontend.scope import Poison
from adcompiler.frontend.static import Unroll
from adcompiler.ir.core import If, Loc, Region
from rules.cotangent import listed


class JoinedLists(Lists):
    """Joins lists of different lengths."""

    def joined_lists(self, a: Any, b: Any, op: If, known: dict[Any, Any], name: str, loc: Loc) -> Any:
        """One list of any length for two; None where there is none, as their elements are not of one kind."""
        if not all(type(d) is list or isinstance(d, ListOf) or any_length(d) for d in (a, b)):
            return None
        key = (id(a), id(b))
        if key not in known:
            try:
                sides = [self.lengthened(d, other, region, name, loc)
                         for d, other, region in ((a, b, op.then), (b, a, op.orelse))]  # fmt: skip
            except (Refusal, Unroll):
                return None
            made = self.join(sides[0], sides[1], op, known, name, loc)
            if isinstance(made, Poison):
                return None
            known[key] = made
            if self.held_alike(a, b):
                self.owned_joins.update(sequences(made))
        return known[key]

    def lengthened(self, d: Any, other: Any, region: Region, name: str, loc: Loc) -> Any:
        """A list as one of any length, at the end of a path."""
        if type(d) is not list:
            return d
        outer, self.builder.region = self.builder.region, region
        try:
            if any_length(other):
                return self.as_long(d, other.kind, name, loc)
            if isinstance(other, ListOf) and not d:
                empty = rebuild(other.element, lambda v: self.sequence(listed, [], element=v.kind.element))
                return ListOf(empty)
            like = d[0] if d else other[0] if isinstance(other, list) else None
            if like is None:
                raise self.refuse(loc, f"the elements of {name} are not known", "begin it with one")
            return self.opened(d, like, name, loc)
        finally:
            self.builder.region = outer

    def held_alike(self, a: Any, b: Any) -> bool:
        """Are these lists held by the same names on their paths, and surely by nothing else?"""
        before, *ends = self.meeting
        found = []
        now = [(f, f.env) for f, _ in before]
        for d, envs in zip((a, b), ends, strict=True):
            restore([(f, env) for (f, _), env in zip(before, envs, strict=True)])
            names = {(id(f), label) for f, n, x in self.names() for label, y in containers(x, n) if y is d}
            names |= {(id(f), n) for f, n, x in self.names() if x is d}
            alone = type(d) is not list or not (self.in_argument(d) or self.same_container(d, "", known=d))
            sure = type(d) is list or all(map(self.made_here, sequences(d)))
            found.append(names if alone and sure else None)
        restore(now)
        return found[0] is not None and found[0] == found[1]
