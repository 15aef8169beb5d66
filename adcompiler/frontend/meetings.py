"""Where two paths meet, an array of the one and an array of the other are one afterwards, with all of their names.

if c: v[0] = x  (v is a[1:])     ->       %a3 = if %c { yield %a2 } else { yield %a }; %v3 = %a3[1:]
"""

from typing import Any

from adcompiler.frontend.frames import held
from adcompiler.frontend.joins import Environments, JoinedViews, Side
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.lenses import Lens
from adcompiler.frontend.versions import Versions
from adcompiler.ir.core import UNDEF, Value
from rules.kind import Array, Num, Seq


class Meetings(Versions):
    """Finds which arrays, and which views of them, are joined."""

    def joined_views(
        self, before: Environments, then: Side | None, orelse: Side | None, cond: Value
    ) -> tuple[JoinedViews, dict[int, set[str]]]:
        """How arrays and views of them are joined, and the places of lists that nothing else holds, by frame.

        An array of the one path is joined with one of the other if the same names denote them, as the same views, and
        nothing else may share their memory.
        """
        joined = JoinedViews()
        sides = [s for s in (then, orelse) if s is not None]
        if all(_is_quiet(before, side) for side in sides):
            return joined, {}
        found = [self.at_end(before, side) for side in sides]
        values = [{key: v for key, v, _ in places if key is not None} for places in found]
        for f, env in before:
            f.env = env
        start = {(id(f), label): v for f, label, v, _ in self.all_places()}
        others = [start] if len(sides) == 1 else values[::-1]
        changed = [
            {key: v for key, v in mine.items() if other.get(key) is not v}
            for mine, other in zip(values, others, strict=True)
        ]
        if not any(changed):
            return joined, {}
        groups = [self.groups(c, places) for c, places in zip(changed, found, strict=True)]
        lists = self.lists_apart(found, changed)
        for key, (of, members) in groups[0].items():
            if key not in groups[-1]:
                continue
            twin, twins = groups[-1][key]
            if members.keys() != twins.keys() or not all(m.same_steps(twins[k]) for k, m in members.items()):
                continue
            if any(v.id > cond.id for op, _ in of.steps for v in op.operands() if v is not op.args[0]):
                continue  # an index that one path has made
            x, y = (UNDEF if s is None else values[-k][key] for k, s in ((0, then), (1, orelse)))
            a, b = (UNDEF if s is None else root for s, root in ((then, of.root), (orelse, twin.root)))
            if len(sides) == 1 and of.root.id <= cond.id:
                a = b = of.root
            if of.steps or a is b:
                joined.views[id(x), id(y)] = of, a, b
            joined.owned.add((id(a), id(b)))
        return joined, lists

    def at_end(self, before: Environments, side: Side) -> list[tuple[Any, Value, bool]]:
        """What holds arrays at the end of a path: the place, None for what is no name; the value; can it be moved?"""
        for (f, _), env in zip(before, side[0], strict=True):
            f.env = env
        found: list[tuple[Any, Value, bool]] = [(None, v, False) for _, v, _ in self.temporaries()]
        found += [((id(f), label), v, movable) for f, label, v, movable in self.all_places()]
        found += [((0, label), v, movable) for label, v, movable in held(side[1], "")]
        return found + [((0, label), v, movable) for label, v, movable in self.held_in_objects(side[1], "")]

    def groups(self, changed: dict[Any, Value], places: list[tuple[Any, Value, bool]]) -> dict[Any, Any]:
        """For each changed array that this function has made: how it is seen, and all places that see the same one.

        Those are left out that something unknown may share.
        """
        by_root: dict[Value, dict[Any, Lens] | None] = {}
        out = {}
        for key, v in changed.items():
            if not isinstance(v.kind, Array):
                continue
            of = self.lens(v)
            if of.root not in by_root:
                by_root[of.root] = self.members(of.root, places) if self.is_made_here(of.root) else None
            members = by_root[of.root]
            if members is not None:
                out[key] = of, members
        return out

    def members(self, root: Value, places: list[tuple[Any, Value, bool]]) -> dict[Any, Lens] | None:
        """The places that see an array, and how; None where something unknown may share its memory."""
        family = self.family(root)
        out = {}
        for key, v, movable in places:
            if v in family:
                of = self.lens(v)
                if key is None or not movable or of.root is not root:
                    return None
                out[key] = of
        return out

    def lists_apart(self, found: list[Any], changed: list[dict[Any, Value]]) -> dict[int, set[str]]:
        """The places of lists that nothing else holds at the end of each path but other places, the same on each."""
        if not all(any(isinstance(v.kind, Seq) for v in places.values()) for places in changed):
            return {}
        apart = []
        for held_there, places in zip(found, changed, strict=True):
            holders: dict[Any, list[Any]] = {}
            for key, v, _ in held_there:
                holders.setdefault(v, []).append(key)
            apart.append({(key, frozenset(holders[v])) for key, v in places.items()
                          if isinstance(v.kind, Seq) and self.made_here(v) and None not in holders[v]})  # fmt: skip
        out: dict[int, set[str]] = {}
        for (frame, label), _ in set.intersection(*apart):
            out.setdefault(frame, set()).add(label)
        return out


def _is_quiet(before: Environments, side: Side) -> bool:
    """Has a path left all names what they were, and does it give a number or a constant?"""
    envs, result = side
    if not isinstance(result, Known) and not (isinstance(result, Value) and isinstance(result.kind, Num)):
        return False
    for (_, old), new in zip(before, envs, strict=True):
        if new is not old and (len(new) != len(old) or any(d is not old.get(n) for n, d in new.items())):
            return False
    return True
