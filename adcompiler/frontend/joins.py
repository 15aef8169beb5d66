"""Two paths, and what names and results are after them.

z = x if c else y       ->       %z = if %c { yield %x } else { yield %y }

What has no common kind, or is assigned on one path alone, is a problem of whoever reads it.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.frontend.desugar import hint, is_flag
from adcompiler.frontend.frames import held
from adcompiler.frontend.kinds import Known, ListOf, is_set, join_kinds
from adcompiler.frontend.lenses import Lens, is_ordered
from adcompiler.frontend.narrower import category, is_wider, least
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.results import Fields
from adcompiler.frontend.scope import Callback, Deleted, Frame, Maybe, Poison, Unreturned, moment
from adcompiler.frontend.static import Statics
from adcompiler.frontend.words import describe, one_kind
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import UNDEF, If, Loc, Region, Value
from adcompiler.ir.library import of_kind
from adcompiler.ir.structure import like
from rules.kind import Array, Num
from rules.rule import find_method


class Diverges:
    """The status of code that never reaches its end: it raises."""


DIVERGES = Diverges()


@dataclass
class Returned:
    """The status of code that returns: with what."""

    value: Any


@dataclass
class JoinedViews:
    """Pairs of values, by id, that are the same view of two arrays: the lens and the arrays. Pairs that are owned."""

    views: dict[tuple[int, int], tuple[Lens, Any, Any]] = field(default_factory=dict)
    owned: set[tuple[int, int]] = field(default_factory=set)


#: The names of each frame, at one place of the program.
Environments = list[tuple[Frame, dict[str, Any]]]
#: What the names of these frames mean at the end of a path, and what it gives.
Side = tuple[list[dict[str, Any]], Any]


def restore(environments: Environments) -> None:
    """Give names the meanings that they had."""
    for frame, env in environments:
        frame.env = env


class Joins(Statics):
    """Lowers two paths, and joins them."""

    #: Of the values that are joined, those that a name alone holds, and the numbers that may be 0-d arrays.
    owned_joins: set[Value]
    frozen_joins: set[Value]
    #: Of those that a join makes floats or complex, what they may be in the user's program: see `narrower`.
    lowest: dict[Value, int]
    #: The classes of numbers that are of one on one path, and of another on another.
    classes: dict[Value, frozenset[type]]
    #: Has the function made an OrderedDict?
    ordered_dicts: bool
    #: Arrays that lie in memory as C has them.
    ordered: set[Value]
    #: How the views are joined that the paths have which are being joined, and when the first of these began.
    views: JoinedViews
    fork_began: int
    #: The names as they were before the paths that are being joined, and at the end of each.
    meeting: tuple[Environments, list[dict[str, Any]], list[dict[str, Any]]]

    def fork(
        self, cond: Value, then: Callable[[], Any], orelse: Callable[[], Any], loc: Loc, statement: bool = False
    ) -> Any:
        """Lower two paths into the regions of an If, and join them. Each path gives a denotation or DIVERGES."""
        outer, began = self.builder.region, moment()
        before: Environments = [(f, f.env) for f in self.frames()]
        sides = []
        for path in (then, orelse):
            for f, env in before:
                f.env = dict(env)
            region = self.builder.region = Region()
            try:
                result = path()
            except Unreturned:
                result = DIVERGES
            except BaseException:
                restore(before)
                raise
            finally:
                self.builder.region = outer
            sides.append((region, [f.env for f, _ in before], result))
        (r1, envs1, d1), (r2, envs2, d2) = sides
        op = If("if", (cond,), {}, [], False, False, loc, r1, r2)
        op.effect = any(o.effect for o in (*r1.ops, *r2.ops))
        dead1, dead2 = d1 is DIVERGES, d2 is DIVERGES
        self.fork_began = began
        joined: Any = DIVERGES
        views, lists = self.joined_views(
            before, (None if dead1 else (envs1, d1)), (None if dead2 else (envs2, d2)), cond
        )
        restore(before)
        if not (dead1 and dead2):
            known: dict[tuple[Any, Any], Any] = {}
            missing = UNDEF
            place = len(outer.ops)
            self.views, before_views = views, self.views
            self.meeting = before, envs1, envs2
            self.fork_sides(before, envs1, envs2)
            for (frame, env), env1, env2 in zip(before, envs1, envs2, strict=True):
                after = dict(env)
                for name in dict.fromkeys([*env1, *env2]):
                    a = missing if dead1 else env1[name] if name in env1 else self.absent(frame, name)
                    b = missing if dead2 else env2[name] if name in env2 else self.absent(frame, name)
                    if not (dead1 or dead2) and self.left_behind(frame, name, began):
                        continue
                    if (dead1 and b is env.get(name)) or (dead2 and a is env.get(name)):
                        after[name] = env[name]
                    else:
                        d = after[name] = self.join(a, b, op, known, name, loc, maybe=not (dead1 or dead2))
                        self.alike(a, d)
                        self.alike(b, d)
                        self.note_owned(d, name, lists.get(id(frame), set()))
                frame.env = after
            joined = self.join(missing if dead1 else d1, missing if dead2 else d2, op, known, "", loc)
            self.alike(d1, joined)
            self.alike(d2, joined)
            self.joined_heap()
            self.views = before_views
            self.owned_joins.update(known[pair] for pair in views.owned if pair in known)
            if op.results or op.effect:
                outer.ops.insert(place, op)  # views of what is joined are made of its results
                for v in op.results:
                    self.defs[v] = op
        elif op.effect:
            outer.ops.append(op)
        return joined

    def fork_sides(self, before: Environments, envs1: list[dict[str, Any]], envs2: list[dict[str, Any]]) -> None:
        """Take note of what the names of all frames are at the end of two paths that are joined."""
        raise NotImplementedError

    def left_behind(self, frame: Frame, name: str, began: int) -> bool:
        """Is this an attribute of an object that one path has made, and that nothing denotes as such after both?"""
        raise NotImplementedError

    def absent(self, frame: Frame, name: str) -> Any:
        """What a name is where it is not assigned: nothing, or what the class of an object has."""
        raise NotImplementedError

    def joined_heap(self) -> None:
        """Give the objects that are one of two after a branch their attributes."""
        raise NotImplementedError

    def frames(self) -> list[Frame]:
        """The frames whose names may still be read, this one first."""
        raise NotImplementedError

    def joined_views(
        self, before: Environments, then: Side | None, orelse: Side | None, cond: Value
    ) -> tuple[JoinedViews, dict[int, set[str]]]:
        """How arrays and views of them are joined, and the places of lists that nothing else holds, by frame."""
        raise NotImplementedError

    def seen(self, of: Lens, root: Value) -> Value:
        """The view that is seen through a lens on another array."""
        raise NotImplementedError

    def note_owned(self, d: Any, name: str, places: set[str]) -> None:
        """Note that of the arrays in `d` those at these places are held by the name alone."""
        raise NotImplementedError

    def alike(self, a: Any, b: Any) -> None:
        """Note that two denotations may be the same lists and dicts."""
        raise NotImplementedError

    def join(self, a: Any, b: Any, op: If, known: dict[tuple[Any, Any], Any], name: str, loc: Loc,
             maybe: bool = False) -> Any:  # fmt: skip
        """One denotation for what is `a` on one path of an If and `b` on the other."""
        if a is b or (isinstance(a, Known) and isinstance(b, Known) and _same_constant(a.value, b.value)):
            return a
        if isinstance(a, Maybe) or isinstance(b, Maybe):
            x, y = (s.value if isinstance(s, Maybe) else s for s in (a, b))
            if (isinstance(a, Maybe) and changes(x, y)) or (isinstance(b, Maybe) and changes(y, x)):
                return mixed(x, y, loc)
            inner = self.join(x, y, op, known, name, loc)
            return inner if isinstance(inner, Poison) else Maybe(inner)
        if a is UNDEF or b is UNDEF:
            other = b if a is UNDEF else a
            if isinstance(other, tuple | list | dict | ListOf):
                if maybe and not is_flag(name):
                    reason = "{name} is assigned on one path of the if at line " + f"{loc.line} alone"
                    return Poison(reason, "assign {name} before the if", loc)
                if a is UNDEF:
                    inner = rebuild(other, lambda x: self.join(UNDEF, x, op, known, name, loc))
                else:
                    inner = rebuild(other, lambda x: self.join(x, UNDEF, op, known, name, loc))
                return Maybe(inner) if maybe else inner
            if not isinstance(other, Value) and not _number(other):
                inside = any(v.id > self.fork_began for _, v, _ in held(other, ""))
                reason = "{name} is made on one path of the if at line " + f"{loc.line} alone"
                return Poison(reason, "make it before the if, or read it there", loc) if inside else other
            x, y = (UNDEF if s is UNDEF else self.operand(s) for s in (a, b))
            kind = kind_of_operand(self.operand(other))
            value = self.joined_view(x, y, op, known, loc) or self._result(x, y, kind, op, known, name, loc)
            return Maybe(value) if maybe else value
        if isinstance(a, Poison) or isinstance(b, Poison):
            p = a if isinstance(a, Poison) else b
            surely = not isinstance(p, Deleted) or (isinstance(a, Deleted) and isinstance(b, Deleted))
            return p if surely else Poison(p.reason, p.remedy, p.loc)
        if isinstance(a, tuple | list) and type(a) is type(b) and len(a) == len(b):
            if isinstance(a, list) and (id(a), id(b)) in known:  # two names of one list have one afterwards
                return known[id(a), id(b)]
            made: Any = like(a, (self.join(x, y, op, known, name, loc) for x, y in zip(a, b, strict=True)))
            return known.setdefault((id(a), id(b)), made) if isinstance(a, list) else made
        if is_set(a) and is_set(b) and a.value == b.value:
            return known.setdefault((id(a), id(b)), Known(a.value))  # not one of the two: it may be either
        if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
            if (id(a), id(b)) not in known:  # two names of one dict have one afterwards
                made = {k: self.join(a[k], b[k], op, known, name, loc) for k in a}
                if isinstance(a, Fields) and isinstance(b, Fields) and a.of == b.of:
                    made = a.remade(made)
                known[id(a), id(b)] = made
            return known[id(a), id(b)]
        if isinstance(a, ListOf) and isinstance(b, ListOf):
            inner = self.join(a.element, b.element, op, known, name, loc)
            return inner if isinstance(inner, Poison) else ListOf(inner)
        if isinstance(a, Callback) and isinstance(b, Callback):
            reason = "{name} is one " + f"{a.name} on one path of the if at line {loc.line} and another on the other"
            return Poison(reason, "call it in the branch, and keep its result", loc)
        if _data(a) and _data(b):
            x, y = self.operand(a), self.operand(b)
            kind = join_kinds(kind_of_operand(x), kind_of_operand(y), self.env)
            if kind is not None:
                return self.joined_view(x, y, op, known, loc) or self._result(x, y, kind, op, known, name, loc)
        lists = self.joined_lists(a, b, op, known, name, loc)
        if lists is not None:
            return lists
        return Poison("{name} is " + describe(a) + f" on one path of the if at line {loc.line} and " + describe(b)
                      + " on the other", one_kind(a, b, "on both paths"), loc)  # fmt: skip

    def joined_lists(self, a: Any, b: Any, op: If, known: dict[Any, Any], name: str, loc: Loc) -> Any:
        """One list of any length for two; None where there is none."""
        raise NotImplementedError

    def joined_view(self, x: Any, y: Any, op: If, known: Any, loc: Loc) -> Value | None:
        """A view, where both sides are the same view of arrays that are joined; None for others."""
        found = self.views.views.get((id(x), id(y)))
        if found is None:
            return None
        of, a, b = found
        if a is b:
            return self.seen(of, a)
        kinds = [r.kind for r in (a, b) if r is not UNDEF]
        kind = join_kinds(kinds[0], kinds[-1], self.env)
        return self.seen(of, self._result(a, b, kind, op, known, of.root.hint, loc))

    def _result(self, x: Any, y: Any, kind: Any, op: If, known: Any, name: str, loc: Loc) -> Value:
        key = (id(x), id(y))
        if all(isinstance(s, Value) or s is UNDEF for s in (x, y)) and key in known:
            return known[key]
        value = Value(kind, hint(name), loc)
        if self.shares_scalar(kind, x, y):
            self.frozen_joins.add(value)
        if isinstance(kind, Array) and all(s is UNDEF or is_ordered(s, self.defs, self.ordered) for s in (x, y)):
            self.ordered.add(value)
        op.results.append(value)
        self.note_classes(value, x, y)
        op.then.results.append(self.as_kind(x, value, op.then))
        op.orelse.results.append(self.as_kind(y, value, op.orelse))
        known[key] = value
        return value

    def shares_scalar(self, kind: Any, *sides: Any) -> bool:
        """Is a number of this kind a 0-d array on one of these sides, whose memory Python's `+=` would change?"""
        return isinstance(kind, Num) and any(
            isinstance(x, Value) and (isinstance(x.kind, Array) or x in self.frozen_joins) for x in sides
        )

    def note_classes(self, v: Value, *sides: Any) -> None:
        """Note the classes that a number, which is one of these, may be of in the user's program."""
        found = frozenset[type]().union(*(self.classes_of(x) for x in sides if x is not UNDEF))
        if isinstance(v.kind, Num) and not found <= {v.kind.type}:
            self.classes[v] = self.classes.get(v, frozenset()) | found

    def classes_of(self, d: Any) -> frozenset[type]:
        """The classes that a number may be of in the user's program; nothing for what is no number."""
        operand = self.operand(d)
        kind = kind_of_operand(operand)
        if not isinstance(kind, Num):
            return frozenset()
        found = {kind.type} if not isinstance(operand, Value) else {*self.classes.get(operand, {kind.type})}
        lowest = least(operand, self.lowest, self.defs, {})
        return frozenset(found | ({(bool, int, float)[lowest]} if 0 <= lowest < category(kind) else set()))

    def as_kind(self, x: Any, like: Value, region: Region) -> Any:
        """What a region yields for `like`: of a 0-d array that becomes a number its element, which shares no memory.

        What becomes wider is converted: an int that is joined with a float, an array of another dtype.
        """
        if x is UNDEF or not isinstance(like.kind, Num | Array) or not isinstance(kind_of_operand(x), Num | Array):
            return x
        outer, self.builder.region = self.builder.region, region
        try:
            lowest = least(x, self.lowest, self.defs, {})
            if isinstance(x, Value) and isinstance(x.kind, Array) and isinstance(like.kind, Num):
                x = self.emit(operator.getitem, x, Known(()), hint=like.hint)
            x = self.widened(x, like)
            if 0 <= lowest < category(like.kind) >= 2:
                self.lowest[like] = min(lowest, self.lowest.get(like, lowest))
            return x
        finally:
            self.builder.region = outer

    def widened(self, x: Any, like: Value) -> Any:
        """A number or an array as one of the dtype of a join."""
        kind = kind_of_operand(x)
        if isinstance(like.kind, Array):
            if isinstance(kind, Num) and like.kind.xp != "numpy":
                return self.emit(of_kind(np.asarray, like.kind), x, Known(like.kind.dtype), hint=like.hint)
            if not isinstance(kind, Array) or kind.dtype == like.kind.dtype:
                return x
            rule = find_method("ndarray.astype")
            assert rule is not None
            target = rule.functions[0] if rule.functions else np.ndarray.astype
            return self.emit(target, x, Known(like.kind.dtype), hint=x.hint)
        if not is_wider(like.kind, kind):
            return x
        to = complex if category(like.kind) == 3 else float
        if not isinstance(x, Value):
            return to(x)
        return self.emit(operator.add, x, Known(0j)) if to is complex else self.emit(float, x, hint=x.hint)


def changes(x: Any, y: Any) -> bool:
    """Is a part of `x` converted where it is joined with `y`? One that may be missing cannot be."""
    if isinstance(x, ListOf) and isinstance(y, ListOf):
        return changes(x.element, y.element)
    if isinstance(x, dict) and isinstance(y, dict):
        return any(changes(x[k], y[k]) for k in x if k in y)
    if isinstance(x, tuple | list) and isinstance(y, tuple | list):
        return any(map(changes, x, y))
    if not (isinstance(x, Value) and _data(y)):
        return False
    a, b = x.kind, kind_of_operand(y)
    if isinstance(a, Array) and isinstance(b, Array | Num):
        return isinstance(b, Num) or np.promote_types(a.dtype, b.dtype) != a.dtype
    return is_wider(b, a)


def mixed(x: Any, y: Any, loc: Loc) -> Poison:
    """The problem of a name that not every path assigns, and these two give other kinds."""
    reason = "{name} is not assigned on every path, and is " + describe(x) + " or " + describe(y) + " where it is"
    return Poison(reason, "assign {name} on every path, or give it one kind", loc)


def _same_constant(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, int | float | complex | str | bool) and a == b)


def _number(d: Any) -> bool:
    return isinstance(d, Known) and isinstance(d.value, int | float | complex | np.generic)


def _data(d: Any) -> bool:
    return isinstance(d, Value) or _number(d)
