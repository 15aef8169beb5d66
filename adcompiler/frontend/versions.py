"""A change in place gives an array a new version, and all names and views of it with it.

b = a; v = a[1:]; a[0] = x       ->       %a2 = update(%a, 0, set, %x); %v2 = %a2[1:]          (b is %a2, v is %v2)

What may share the memory in a way that is not known keeps it from being changed.
"""

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Refusal
from adcompiler.frontend.frames import held, replaced
from adcompiler.frontend.iteration import Apart, assigned_names
from adcompiler.frontend.joins import Environments
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.lenses import Lens, lens, lines, name_of, permutation, undoing
from adcompiler.frontend.narrower import category, least
from adcompiler.frontend.ownership import EVALUATED, PENDING, READ, Ownership, containers, symbol
from adcompiler.frontend.scope import Frame
from adcompiler.frontend.walk import held_leaves
from adcompiler.ir.alias import new_memory, shared, takes_all
from adcompiler.ir.core import Op, Value, leaves
from adcompiler.ir.library import of
from rules import find
from rules.cotangent import length, update
from rules.kind import Array, Seq, same_kind


class Written(Exception):
    """A loop changes this array, which is made outside of it: its body is lowered again, with the array carried."""

    def __init__(self, header: Any, root: Value) -> None:
        super().__init__(root)
        self.header = header
        self.root = root


class Rebound(Exception):
    """A loop puts an item into the list or dict of this name: its body is lowered again, with the name carried."""

    def __init__(self, header: Any, name: str) -> None:
        super().__init__(name)
        self.header = header
        self.name = name


class Reread(Exception):
    """A loop changes what it reads: it is lowered again, as a loop over indices."""

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self.loop = loop


class Versions(Ownership):
    """Finds what a change in place changes, and gives it new versions."""

    #: What the loops being lowered carry, the outermost first.
    headers: list[Any]
    #: Elements of what a loop reads, with the loop.
    read_by: dict[Value, Any]
    #: Is it the body of a `cotangent(y)` that is being lowered?
    late = False
    #: The arrays that are changed in place, as they were before.
    changed: list[Value]
    #: New versions of arrays of which a view has been changed.
    whole_arrays: set[Value]

    def lens(self, v: Value) -> Lens:
        """What a value is a view of, and how."""
        return lens(v, self.defs, self.ordered, self.whole_arrays)

    def is_made_here(self, v: Value) -> bool:
        """Is this surely an array of the function's own, or an argument, rather than a view of an unknown one?"""
        op = self.defs.get(v)
        return v in self.owned_joins or v in self.arguments or (op is not None and new_memory(op))

    def inexact(self, root: Value, live: Any = None) -> str:
        """What may share the memory of an array and is not known as a view of it; an empty text if nothing does."""
        family = self.family(root)
        for label, v, movable in self.holders(live):
            if v in family and not (movable and self.lens(v).root is root):
                return label
        return ""

    def writable(self, v: Value, name: str, node: Any) -> Lens:
        """The array that a change of `v` in place changes, and the way to `v`.

        Raises Refusal where something unknown may share its memory, and Written or Reread where a loop around has to
        be lowered again, since it changes what it does not carry so far.
        """
        found = self.lens(v)
        root = found.root
        self.check_read_only(v, found, name, node)
        if not self.is_made_here(root):
            op = self.defs.get(root)
            indexed = op.args[0] if op is not None and op.target is operator.getitem else None
            self.make_apart(self.elements_of.get(root, indexed))
            raise self.refuse_shared(v, name, node, self.lowered_again(root, name))
        other = self.inexact(root)
        if other:
            self.read_again(root)
            raise self.refuse_shared(v, name, node, other)
        if any(root.id < wall for wall in self.walls):
            raise self.refuse_within(node, f"{name} is changed in place")
        self.check_carried(root)
        return found

    def check_read_only(self, v: Value, found: Lens, name: str, node: Any) -> None:
        """Refuse to change a view that NumPy makes read-only."""
        made = [op for op, _ in found.steps] + [self.defs[x] for x in (found.root, v) if x in self.defs]
        for op in (op for op in made if type(op) is Op):
            what = name_of(op)
            if what in _READ_ONLY and not (what == "imag" and op.args[0].kind.dtype.kind == "c"):
                raise self.refuse(node, f"{name} is a view that NumPy lets nobody change: {_READ_ONLY[what][0]}",
                                  _READ_ONLY[what][1])  # fmt: skip

    def check_carried(self, root: Value) -> None:
        """Raise Written for the outermost loop that does not carry this array, which is made outside of it."""
        for header in self.headers:
            if root.id < header.mark:
                raise Written(header, root)

    def check_items_carried(self, d: Any, text: str, node: Any) -> None:
        """Raise Rebound for the outermost loop that does not carry a name of a list or dict that has another item.

        Raises Refusal where no loop around carries the names of the frame that has it, or an expression has read it.
        """
        if any(self.evaluated[:-1]):
            read = [x for values in self.evaluated[:-1] for r in values for _, x in containers(r, "")]
            family = self.container_family(d) if read else []
            if any(x is y for x in read for y in family):
                raise self.refuse(node, f"{text} is changed by a call in an expression that has read it before",
                                  "make the call in a statement of its own")  # fmt: skip
        for f, n, root in self.names():
            if any(x is d for _, x in containers(root, n)):
                self.check_name_carried(f, n, type(d).__name__, text, node)

    def check_name_carried(self, f: Frame, n: str, what: str, text: str, node: Any) -> None:
        """Raise Rebound for the outermost loop that does not carry a name of a list or dict, which is changed.

        Raises Refusal where no loop around carries the names of the frame that has it.
        """
        born = self.born(f, n)
        if (n.isidentifier() or f is self.heap) and any(born < wall for wall in self.walls):
            raise self.refuse_within(node, f"{text} is changed")
        for header in self.headers:
            if born > header.mark or not header.lacks(f, n):
                continue
            if f is self.heap or (f is header.frame and n.isidentifier()):
                raise Rebound(header, n)
            reason = f"{text} may be the same {what} as {n}{self.suffix(f)}, which this changes in a loop"
            raise self.refuse(node, reason, "return what is changed, and assign it")

    def check_read_later(self, d: Any, old: Any, changed: Any, node: Any) -> None:
        """Refuse to change what a loop around, which is unrolled, reads of a list or dict in a later iteration."""
        if not any(x is d for x in self.read_items):
            return
        gone = list(held_leaves(old))
        for f in self.frames():
            for n, items in f.env.items():
                if n.startswith(READ) and any(x is y for x in held_leaves(items) for y in gone):
                    whole = "dict" if isinstance(d, dict) else "list"
                    reason = f"this changes an element of a {whole} that the loop around reads later"
                    raise self.refuse(node, reason, "loop over indices or keys, and read by them")
        self.read_items = [changed if x is d else x for x in self.read_items]

    def born(self, f: Frame, name: str) -> int:
        """When what this is a name of has come into being: the call of a function, or an object."""
        return f.born

    def lowered_again(self, root: Value, name: str) -> str:
        """Raise Written or Reread where lowering a loop again would make a parameter of it one that can be changed.

        Else what may share its memory, as far as it is known.
        """
        for header in reversed(self.headers):
            outer = header.source_of(root)
            if root in self.read_by:
                raise Reread(self.read_by[root])
            if outer is None:
                continue
            if outer not in header.shared.roots:
                raise Written(header, outer)
            if outer in header.shared.refused:
                return next((other for other in header.shared.refused[outer] if other != name), "")
            root = outer
        if root in self.read_by:
            raise Reread(self.read_by[root])
        return ""

    def make_apart(self, items: Any) -> None:
        """Raise Apart where a comprehension has made these, which are to be changed, and could make each by itself."""
        for v in leaves(items.element if isinstance(items, ListOf) else items):
            for header in reversed(self.headers):
                if v in header.params:
                    v = header.source_of(v)
            place = self.comprehended.get(v)
            if place is not None and place not in self.scope.made_apart:
                raise Apart(place)

    def read_again(self, root: Value) -> None:
        """Raise Reread where it is a loop that reads what would be changed."""
        family = self.family(root)
        for v, loop in self.pinned:
            if v in family and isinstance(loop, gast.For):
                raise Reread(loop)

    # ----------------------------------------------------------------------------------------- versions
    def overwrite(self, root: Value, new: Value) -> None:
        """Let every name that denotes `root`, or a view of it, denote `new` and the same view of that."""
        self.whole_arrays.add(new)
        self.owned_joins.add(new)
        self.moved({root: new})

    def moved(self, roots: dict[Value, Value], changed: dict[int, tuple[Any, Any]] | None = None) -> None:
        """Give all names the new versions of these arrays, and views of them in place of those of the old ones.

        `changed` are containers that have become others, with those, by the ids of the old ones.
        """
        frames = self.frames()
        versions = self.views_of(roots, [(f, f.env) for f in frames])
        made = dict(changed or {})
        for f in frames:
            env = {n: replaced(d, versions, made) for n, d in f.env.items()}
            if any(env[n] is not d for n, d in f.env.items()):
                f.env = env
        for old, anew in made.values():
            self.alike(old, anew)

    def views_of(self, roots: dict[Value, Value], environments: Environments) -> dict[Value, Value]:
        """For each value that these names hold and that is one of `roots` or a view of it: that of the new version."""
        versions: dict[Value, Value] = dict(roots)
        for _, env in environments:
            for n, d in env.items():
                for _, v, movable in held(d, n):
                    if v not in versions and movable and isinstance(v.kind, Array):
                        found = self.lens(v)
                        if found.steps and found.root in roots:
                            versions[v] = self.seen(found, roots[found.root])
        return versions

    def seen(self, of: Lens, root: Value) -> Value:
        """The view that is seen through a lens on another array."""
        v = root
        for op, k in of.steps:
            v = self.step_to(op, k, v)
        return v

    def step_to(self, op: Op, k: int, base: Value) -> Value:
        """A result of an operation, with another first operand."""
        results = [Value(r.kind, r.hint, self.builder.loc) for r in op.results]
        made = Op(op.target, (base, *op.args[1:]), dict(op.kwargs), results, False, False, self.builder.loc)
        self.builder.region.ops.append(made)
        self.defs.update(dict.fromkeys(results, made))
        return results[k]

    def change(
        self, v: Value, path: tuple[Any, ...], kind: str, d: Any, name: str, node: Any, flat: bool = False
    ) -> Lens:
        """Store `d` at `path` of an array, or add it, ...; all names see it. Gives `v` as a view of the new version.

        The path of what is `flat` leads from the elements in the order of C.
        """
        found = self.writable(v, name, node)
        self.check_width(found.root, name, node)
        there = found
        if kind == "set" and not flat:
            self.check_overlap(found, tuple(map(self.operand, path)), self.operand(d), name, node)
        if flat:
            there = Lens(found.root, (*found.steps, (self.defs[self.emit(np.ravel, v)], 0)))
        new = self.put(found.root, there, path, kind, d, node, found.root.hint or v.hint)
        self.changed.append(found.root)
        self.overwrite(found.root, new)
        return Lens(new, found.steps)

    def check_overlap(self, there: Lens, path: tuple[Any, ...], d: Any, name: str, node: Any) -> None:
        """Refuse to store a part of an array along a line of the same array that goes another way.

        NumPy stores one element after the other there, and may read what it has stored already.
        """
        if not isinstance(d, Value) or not isinstance(d.kind, Array) or not d.kind.ndim:
            return
        of = self.lens(d)
        if of.root is not there.root or any(isinstance(v.kind, Array | Seq) for v in leaves(path)):
            return
        k = next((i for i, (x, y) in enumerate(zip(of.steps, there.steps, strict=False)) if x != y), None)
        k = min(len(of.steps), len(there.steps)) if k is None else k
        ndim = of.steps[k - 1][0].results[of.steps[k - 1][1]].kind.ndim if k else of.root.kind.ndim
        to, source = lines(ndim, there.steps[k:], path), lines(ndim, of.steps[k:])
        if to is not None and len(to) != 1:
            return
        if to is not None and source is not None and to[0][0] == source[-1][0] >= 0:
            step, other = to[0][1], source[-1][1]
            if step == other or (step < 0) is not (other < 0):
                return
        raise self.refuse(node, f"{name} is given a part of itself along another axis, or with other steps: NumPy may "
                          "read what it has stored already", "store a copy of the part: .copy()")  # fmt: skip

    def check_width(self, base: Value, name: str, node: Any) -> None:
        """Refuse to change an array in place that cuts what is stored on the path on which it is of ints, or real."""
        found = least(base, self.lowest, self.defs, {})
        if 0 <= found < category(base.kind) >= 2:
            what = "complex numbers" if category(base.kind) == 3 else "floats"
            kind = "real" if found == 2 else "an array of ints"
            to = "complex" if category(base.kind) == 3 else "float"
            raise self.refuse(node, f"{name} is {kind} on one path and of {what} on another, and is changed in place",
                              f"write {name} = {name}.astype({to}) before, on both paths")  # fmt: skip

    def put(self, base: Value, of: Lens, path: tuple[Any, ...], kind: str, d: Any, node: Any, hint: str = "") -> Value:
        """A new version of `base` that has `d` stored (or added, ...) at `path` of the view that the lens shows."""
        fills = not of.steps and kind == "set" and self.all_of(path)
        if fills and self.is_fresh(d) and same_kind(d.kind, base.kind):
            d.hint = d.hint or hint
            return d
        steps: list[Any] = []
        for i, (op, k) in enumerate(of.steps):
            step = self.path_step(op, k)
            if not step:
                inner = self.seen(Lens(base, of.steps[:i]), base)
                view = self.step_to(op, k, inner)
                changed = self.put(view, Lens(view, of.steps[i + 1 :]), path, kind, d, node)
                undone = self.undone(op, changed, inner, node)
                return undone if not steps else self.emit(update, base, _ended(steps), Known("set"), undone, hint=hint)
            steps += step
        if not (steps and not isinstance(steps[-1], str) and self.all_of(path)):  # z[6:][...] = v is z[6:] = v
            steps += path
        made: Value = self.emit(update, base, _ended(steps), Known(kind), d, hint=hint)
        return made

    def path_step(self, op: Op, k: int) -> tuple[Any, ...]:
        """A view as a step of the path of an update: an index, "T", "real" or "imag"; nothing for others."""
        name = name_of(op)
        if op.target is operator.getitem:
            return (op.args[1],)
        if name in ("real", "imag"):
            return (name,) if op.args[0].kind.dtype.kind == "c" else ()
        if name in ("split", "array_split"):
            return (self.part(op, k),)
        plain = op.target is np.transpose and len(op.args) == 1 and not op.kwargs
        return ("T",) if plain else ()

    def part(self, op: Op, k: int) -> Any:
        """The index of one of the parts into which an array is split."""
        rule = find(op.target)
        assert rule is not None
        bound = rule.bind(op.args, op.kwargs)
        places, axis = bound["indices_or_sections"], bound["axis"] % op.args[0].kind.ndim
        if isinstance(places, int | np.integer):  # of the parts, which raise where an array cannot be split so
            start = stop = Known(0)
            for part in op.results[: k + 1]:
                start, stop = stop, self.emit(operator.add, stop, self.emit(length, part, Known(axis)))
            piece = slice(start, stop)
        else:
            piece = slice(*([0, *places, None][k : k + 2]))
        return self.operand((*[slice(None)] * axis, piece) if axis else piece)

    def all_of(self, path: tuple[Any, ...]) -> bool:
        """Is this the path of `a[...]` or `a[:]`?"""
        index = self.operand(path[0]) if len(path) == 1 else None
        new_axes = index is None or (isinstance(index, tuple) and None in index)
        return not new_axes and takes_all(index)

    def is_fresh(self, d: Any) -> bool:
        """Has an operation made this array, and does nothing hold it?"""
        op = self.defs.get(d) if isinstance(d, Value) else None
        return op is not None and new_memory(op) and not any(v is d for _, v, _ in self.holders())

    def undone(self, op: Op, changed: Value, inner: Value, node: Any) -> Value:
        """The array of which a view has been changed."""
        how = undoing(op)
        if how == "reversing":
            return self.step_to(op, 0, changed)
        if how == "permuting":
            order = permutation(op)
            made: Value = self.emit(np.transpose, changed, tuple(order.index(k) for k in range(len(order))))
            return made
        if how == "reshaping":
            shape = tuple(self.emit(length, inner, Known(k)) for k in range(inner.kind.ndim))
            made = self.emit(np.reshape, changed, shape)
            return made
        if how == "rotating":
            rule = find(op.target)
            assert rule is not None
            bound = rule.bind(op.args, op.kwargs)
            made = self.emit(np.rot90, changed, Known(-bound["k"]), Known(bound["axes"]))
            return made
        if how == "placing":
            axes = op.args[1]
            places = tuple(self.along(inner, i, k, max(axes) + 1) for i, k in enumerate(axes))
            made = self.emit(update, inner, (places,), Known("set"), changed)
            return made
        raise self.refuse(node, f"this changes a view that np.{op.target.__name__} has made, which is not supported",
                          "change the array itself, by indices")  # fmt: skip

    def along(self, a: Value, axis: int, to: int, ndim: int) -> Any:
        """The places along an axis of an array, as an index of `ndim` axes of which they run along one."""
        places = self.emit(of(np.arange, a), self.emit(length, a, Known(axis)))
        return places if ndim == 1 else self.emit(np.reshape, places, tuple(-1 if k == to else 1 for k in range(ndim)))

    @contextmanager
    def kept(self, name: str, values: Any) -> Iterator[str]:
        """Keep denotations where changes in place reach them, under a name that no program has; gives the name."""
        while name in self.frame.env:
            name += " "
        self.frame.env[name] = tuple(values)
        try:
            yield name
        finally:
            self.frame.env.pop(name, None)

    # ----------------------------------------------------------------------------------------- refusals
    def refuse_within(self, node: Any, change: str) -> Refusal:
        """The refusal of a change, by what is lowered apart, of what is around it."""
        if self.late:
            return self.refuse(node, f"{change} in the body of cotangent, which runs in the reverse sweep, and is made "
                               "outside of it", "change a copy of it, or change it outside of the body")  # fmt: skip
        return self.refuse(node, f"{change} within an expression, and is made outside of it",
                           "write a loop, with the change in a statement of its own")  # fmt: skip

    def refuse_shared(self, old: Any, name: str, node: Any, other: str = "") -> Refusal:
        """The refusal of a change that something else would see."""
        base, maker, family = old, None, set[Value]()
        while True:
            family |= self.family(base)
            if base in self.defs and type(self.defs[base]) is Op and shared(self.defs[base]):
                op, unknown = self.defs[base], self.lens(base).root is base
                base = shared(op)[0]
                if unknown and isinstance(base.kind, Array) and find(op.target) is not None:
                    maker = op  # gives a view or a copy
            elif (outer := next(filter(None, (h.source_of(base) for h in self.headers)), None)) is not None:
                base = outer  # of before the loop
            else:
                break
        given = self.apart and base not in self.defs
        helper = bool(self.callers and self.frame.name and not self.apart)
        ways = (self.way_to(label) for label, x in self._held() if x in family and label != name)
        label = other
        other = self.way_to(label) or next((way for way in ways if way != name), "")
        if not other:
            label = self.other_holder(base, name)
            other = self.way_to(label)
        if other == name != label:
            other = "another name"
        other = other or (f"what the caller of {self.apart} has" if given else "another name")
        reason = f"{name} may share memory with {other.removesuffix(',')}, which this changes in place"
        remedy = f"write {name} = {name}.copy() first"
        if other == name and base is not old:
            reason = f"{name} is a view of an array, which this changes in place"
        if other.startswith(READ) and not is_assignable(name):
            remedy = "loop over indices: for i in range(len(...))"
        elif other.endswith("a method of it,"):
            remedy = f"write what {name} is where it is used, without a name for it"
        elif other.endswith("which reads it,"):
            remedy = "make what reads it after this, in the `for` itself: for row in reversed(a)"
        elif other == READ and isinstance(node, gast.AugAssign | gast.Assign):
            remedy = f"write a copy of it, {name} = {name}.copy(), or loop over indices: for i in range(len(...))"
        elif other.startswith(PENDING):
            reason = f"{name} may share memory with {PENDING}, which this changes in place"
            remedy = "copy what is read on the right, u[1].copy() for u[1], or write one assignment after the other"
        elif other == EVALUATED:
            remedy = "call what changes it in a statement of its own"
        elif helper and isinstance(old, Value) and old.id < self.frame.born:  # it was given the array
            remedy = f"let {self.frame.name} return a changed copy, and assign that where it is called"
        elif is_assignable(name) and other not in (name, "another name") and maker is not None:
            there = f"{other} itself" if is_assignable(other) else "the array itself"
            if name_of(maker) in ("reshape", "ravel"):
                there += f", {other}.flat[i] = ... or" if is_assignable(other) else ","
                there += " by one index for each axis"
            remedy = f"where NumPy gives a view, write into {there}; where it gives a copy, {remedy}"
        elif base in self.elements_of:
            remedy = f"make a list of new arrays: [... for {name} in ...]"
        elif any(name in assigned_names([h.node.target]) for h in self.headers if h.node is not None):
            remedy = "loop over indices, and write into the array by them: for i in range(len(a)): a[i] ..."
        elif isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            remedy = f"write {name} = {name} {symbol(node.op)} ..."
            if isinstance(getattr(old, "kind", None), Array):
                remedy += f", or {name} = {name}.copy() first"
        elif base not in self.defs and base not in self.arguments and name.partition("[")[0] not in self.frame.env:
            remedy = "pass the array as an argument, or copy it into a variable, and write into that"
        elif not is_assignable(name) and not self.is_attribute(old):
            remedy = "write into the array itself, by one index for each axis"
        return self.refuse(node, reason, remedy)


def is_assignable(text: str) -> bool:
    """Is this the text of a name, or of an item of one, rather than of a call or an attribute?"""
    return "".join(c for c in text if c not in "[]'").isidentifier()


def _ended(steps: list[Any]) -> tuple[Any, ...]:
    """The path of an update, which ends with an index."""
    return tuple(steps) if steps and not isinstance(steps[-1], str) else (*steps, Known(Ellipsis))


#: What NumPy makes read-only, in words, and what is written instead.
_READ_ONLY = {
    "diagonal": ("a diagonal", "write by indices, i = np.arange(n); a[i, i] = ..., or np.fill_diagonal(a, value)"),
    "broadcast_to": ("a broadcast array", "write into the array that is broadcast, or into a copy: np.array(...)"),
    "imag": ("the imaginary part of a real array", "make the array complex before: z = z.astype(complex)"),
}


__all__ = ["Rebound", "Reread", "Versions", "Written"]
