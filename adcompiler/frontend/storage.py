"""Stores become data flow: `a[i] = v` gives the name `a` a new version of its array, or of its list or dict.

A place is a name, the keys of containers on the way, and the path of a view (`[1:]`, `.T`, `[i]`) from the array.
"""

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Refusal
from adcompiler.frontend.desugar import hint
from adcompiler.frontend.expressions import BINARY
from adcompiler.frontend.kinds import Known, ListOf, is_set
from adcompiler.frontend.ownership import make_later, symbol
from adcompiler.frontend.parts import is_flat
from adcompiler.frontend.scope import Frame, Maybe
from adcompiler.frontend.words import describe
from adcompiler.frontend.writers import Writers, is_array
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Checkpoint, For, Function, If, Op, Value, While, free_values, walk
from rules.cotangent import apart, appended, update, without_last
from rules.kind import Array, Num, Seq

#: Augmented stores that the IR has an operation for.
_IN_PLACE = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul"}


@dataclass
class Place:
    """Where a store goes: `params["W"][1:, i]` is params, ("W",), its array, and the path ((1:, i),).

    The name of an attribute is the one that it has in the heap, beside its `owner` and what it denotes as a `whole`.
    Of an array that has no name here, as in `np.split(y, 2)[0][:]` and `z.real[:]`, the name is empty. The path of what
    is `flat` leads from the elements in the order of C.
    """

    name: str
    keys: tuple[Any, ...]
    base: Any
    path: tuple[Any, ...]
    text: str
    flat: bool = False
    owner: Any = None
    attribute: str = ""
    whole: Any = None

    @property
    def label(self) -> str:
        """What holders of values call it."""
        return self.name + "".join(f"[{k!r}]" for k in self.keys)


class Stores(Writers):
    """Lowers assignments to elements, slices, items and transposes."""

    def place(self, target: Any, exists: bool = False) -> Place:
        """The place that a subscript, `.real`, `.imag` or `.flat` denotes as the target of a store.

        Raises Refusal where it is none.
        """
        owned = self.attribute_of_object(target)
        if owned is not None:
            node, owner, steps = owned
            return self.place_in_object(owner, node, steps, target, exists)
        if isinstance(target, gast.Attribute):
            return self.attribute_place(target)
        steps = []
        node = target
        while isinstance(node, gast.Subscript) or (isinstance(node, gast.Attribute) and node.attr == "T"):
            steps.insert(0, node)
            node = node.value
        named = isinstance(node, gast.Name)
        owner = self.owner(node.id, target) if named else self.frame
        base, text = self.read_name(node) if named else self.expr(node), self.text(node)
        if is_flat(base):
            text = self.text(node.value) if isinstance(node, gast.Attribute) else text
            return self.flat_place(base, steps, text, target)
        base, keys, path, text = self.steps_from(base, steps, text, target, exists)
        if not path and not (exists and is_array(base)):
            if not named:
                raise self.refuse_store(target)
            if owner is not self.frame and not keys and not exists:
                self.check_local(node.id, target)
        return Place(node.id if named else "", keys, base, path, text)

    def attribute_of_object(self, target: Any) -> tuple[Any, Any, list[Any]] | None:
        """The attribute of an object that a target is, or leads from: its node, its owner, and the steps from there."""
        return None

    def place_in_object(self, owner: Any, node: Any, steps: list[Any], target: Any, exists: bool) -> Place:
        raise NotImplementedError

    def steps_from(
        self, base: Any, steps: list[Any], text: str, target: Any, exists: bool
    ) -> tuple[Any, tuple[Any, ...], tuple[Any, ...], str]:
        """What `steps` lead to: through containers, by keys, to a base; and the path of a view from there."""
        keys: list[Any] = []
        while steps and isinstance(base, dict | list | tuple) and isinstance(steps[0], gast.Subscript):
            step = steps.pop(0)
            key = self.static(self.index(step.slice), step, "the key of a dict, or an index into a list")
            if isinstance(base, tuple) and not steps and not exists:
                raise self.refuse(target, "a tuple cannot be changed",
                                  f"make a new tuple: (*{text}[:i], value, *{text}[i + 1 :])")  # fmt: skip
            if isinstance(key, slice):
                raise self.refuse(target, "a store into a slice of a list is not supported",
                                  f"make a new list: [*{text}[:i], ..., *{text}[j:]]")  # fmt: skip
            container = base
            new = isinstance(base, dict) and not steps and not exists and key not in base
            base = None if new else self.subscript(base, Known(key), step)
            if isinstance(container, list | tuple) and key < 0:
                key += len(container)
            keys.append(key)
            text += f"[{key!r}]"
        return base, tuple(keys), tuple(self.step(s) for s in steps), text

    def attribute_place(self, target: Any) -> Place:
        """The place of `z.real`, `z.imag` or `a.flat` as the target of a store."""
        base: Any = self.expr(target.value) if target.attr in ("real", "imag", "flat") else None
        if not is_array(base):
            raise self.refuse_store(target)
        text, whole = self.text(target.value), (Known(Ellipsis),)
        if target.attr == "flat":
            return Place("", (), base, whole, text, flat=True)
        if target.attr == "imag" and base.kind.dtype.kind != "c":
            raise self.refuse(target, f"{text} is real, and has no imaginary part to store to",
                              f"make it complex before: {text} = {text}.astype(complex)")  # fmt: skip
        return Place("", (), self.attribute(base, target.attr, target), whole, self.text(target))

    def flat_place(self, base: Any, steps: list[Any], text: str, target: Any) -> Place:
        """The place of `a.flat[index]` as the target of a store."""
        if len(steps) != 1 or not isinstance(steps[0], gast.Subscript):
            raise self.refuse(target, "this store goes to a copy, which a.flat[...] has made",
                              "put the indices into one subscript: a.flat[i] = ...")  # fmt: skip
        index = self.flat_index(self.index(steps[0].slice), target)
        return Place("", (), base.owner, (index,), text, flat=True)

    def read_name(self, node: Any) -> Any:
        """What a name denotes, as if it were read."""
        load = gast.Name(node.id, gast.Load(), None, None)
        return self.expr(gast.copy_location(load, node))

    def step(self, node: Any) -> Any:
        """One step of a path: an index, or "T"."""
        return "T" if isinstance(node, gast.Attribute) else self.index(node.slice)

    # ------------------------------------------------------------------------------------------ stores
    def store(self, target: Any, d: Any) -> None:
        """`target = d`."""
        place = self.place(target)
        self.check_container(place, target)
        if place.path:
            self.write(place, "set", d, target)
        else:
            self.replace(place, d, target)

    def augmented(self, place: Place, node: Any) -> None:
        """`place op= value`: of an array this changes the array, and not the list or dict that holds it."""
        base, path = place.base, place.path
        number = not is_array(base)
        if place.flat and isinstance(node.target, gast.Attribute):
            text = f"{place.text}.flat"
            raise self.refuse(node, f"{text} has no operators", f"write {text}[...] {symbol(node.op)}= ...")
        if number:
            self.check_container(place, node)
        if number and path and not self.stores_element(place):
            raise self.refuse_element(place, node)
        if not path and (number or not self.lens(base).steps):
            self.whole(place, self.expr(node.value), node)
            return
        old = self.read(place, node)
        value = self.expr(node.value)
        kind = _IN_PLACE.get(type(node.op))
        number = isinstance(kind_of_operand(self.operand(old)), Num)
        new = self.binary(BINARY[type(node.op)], old, value, node)
        if not number and isinstance(new, Value):
            self.check_in_place(old, new, place.text, node, stored=True)
            self.check_cast(new.kind.dtype, old.kind.dtype, node)
        if place.flat or kind is None or not is_array(base) or (path and _gathers(path[-1])) or not _fits(new, old):
            self.write(place, "set", new, node)
        else:
            self.write(place, kind, value, node)

    def stores_element(self, place: Place) -> bool:
        """Is this an element of a list of numbers, of any length?"""
        raise NotImplementedError

    def whole(self, place: Place, value: Any, node: Any) -> None:
        """`place op= value` of a whole array, number or other object."""
        old, name = place.base, place.text
        if isinstance(old, dict) and isinstance(node.op, gast.BitOr) and not self.counts(old):
            more = self.call(Known(dict), (value,), {}, node)
            for k, v in more.items():
                inner = Place(place.name, (*place.keys, k), None, (), f"{name}[{k!r}]")
                self.check_container(inner, node)
                self.replace(inner, v, node)
            return
        if is_set(old) and is_set(made := self.binary(BINARY[type(node.op)], old, value, node)):
            self.put_container(place, made, node)
            return
        if isinstance(old, list):
            raise self.refuse(node, f"{name} is a list, which this changes in place: not supported yet",
                              f"write {name} = {name} + [...]")  # fmt: skip
        array = is_array(old)
        if not array and old in self.frozen_joins:
            raise self.refuse_shared(old, name, node)
        root = self.writable(old, name, node).root if array else old
        new = self.binary(BINARY[type(node.op)], old, value, node)
        if not array or not isinstance(new, Value):
            self.replace(place, new, node)
            return
        self.check_width(old, name, node)
        self.check_in_place(old, new, name, node)
        if isinstance(new.kind, Num):  # a 0-d array stays one: it may get a second name
            new = self.emit(np.array, new)
        if new.kind.dtype != old.kind.dtype:
            new = self.cast(new, old.kind.dtype, node)
        new.hint = new.hint or hint(place.name)
        self.changed.append(root)
        self.overwrite(root, new)

    def put_container(self, place: Place, made: Any, node: Any) -> None:
        """Give all names of the container at a place its new version."""
        raise NotImplementedError

    def read(self, place: Place, node: Any) -> Any:
        """What is at a place now."""
        d = place.base
        if place.flat:
            return self.flat_element(d, place.path[0], node)
        for step in place.path:
            d = self.method_rule("T", node, d) if step == "T" else self.subscript(d, step, node)
        return d

    def write(self, place: Place, kind: str, d: Any, node: Any) -> None:
        """A new version of the array at a place."""
        base = place.base
        self.refuse_opaque(base)
        if not is_array(base):
            raise self.refuse_element(place, node)
        if not place.flat:
            self.check_views(place, node)
        if isinstance(d, list | tuple):
            d = self.emit(np.array, list(d))
        if not isinstance(kind_of_operand(self.operand(d)), Num | Array):
            raise self.refuse(node, f"{describe(d)} is stored into an array", "store numbers and arrays")
        before, self.builder.loc = self.builder.loc, self.loc(node)
        if place.flat:
            self.store_flat(base, place.path[0], d, place.text, node)
        else:
            self.change(base, place.path, kind, d, place.text, node)
        self.builder.loc = before

    def refuse_element(self, place: Place, node: Any) -> Refusal:
        """A change of an element of what is neither an array nor of known structure.

        Raises what lowers all again where the elements could be known one by one.
        """
        base = place.base
        self.make_apart(base)
        self.take_apart(base, node)
        long = isinstance(base, ListOf) or isinstance(getattr(base, "kind", None), Seq)
        what = "a list of any length" if long else describe(base)
        x = place.text
        remedy = f"write a comprehension: [value if i == k else v for i, v in enumerate({x})]"
        element = base.kind.element if isinstance(base, Value) and isinstance(base.kind, Seq) else None
        if isinstance(element, Seq):
            remedy = f"keep the rows in one array, {x} = np.zeros((m, n)), and store {x}[i, j] = ..."
        elif isinstance(element, Array):
            remedy = f"make new arrays: {x} = [... for a in {x}]"
        if place.path and isinstance(place.path[0], slice):
            remedy = f"make a new list: new = {x}[:k], new.append(value), new.extend({x}[k:])"
        if not isinstance(node, gast.Call):
            return self.refuse(node, f"a store into {what} is not supported", remedy)
        return self.refuse(node, f"an element of {what} is changed in place", f"{remedy}, or append what is changed so")

    def take_apart(self, items: Any, node: Any) -> None:
        """Start again with the elements of a list that an object has as an argument by themselves."""

    def check_views(self, place: Place, node: Any) -> None:
        """All steps but the last are views, or the store would go to a copy."""
        d: Any = place.base
        for step in place.path[:-1]:
            d = self.method_rule("T", node, d) if step == "T" else self.subscript(d, step, node)
            if step != "T" and (_gathers(step) or _masks(step)):
                reason = "this store goes to a copy, which an index array or a mask has made, and leaves "
                raise self.refuse(node, f"{reason}{place.text} as it is", self.meant(place, step, node))
            if not isinstance(d.kind, Array):
                raise self.refuse(node, f"this store goes to an element of {place.text}, which has none itself",
                                  "store to the element, by one index for each axis")  # fmt: skip
        if place.path and place.path[-1] != "T":
            self.read(place, node)

    def meant(self, place: Place, step: Any, node: Any) -> str:
        """The way out of `a[step][i] = v`, which changes nothing."""
        target = node.target if isinstance(node, gast.AugAssign) else node
        inner = target.value
        remedy = f"leave it out, or, to change {place.text}, write "
        known = len(place.path) == 2 and step is place.path[0] and "T" not in place.path
        kind = None if not known or isinstance(step, tuple) else kind_of_operand(self.emit(np.array, step))
        if kind is None or kind.ndim != 1 or _gathers(place.path[1]) or _masks(place.path[1]):
            return remedy + "into it by one subscript that names the elements"
        places = f"np.flatnonzero({self.text(inner.slice)})" if kind.dtype.kind == "b" else self.text(inner.slice)
        first, *rest = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
        index = ", ".join([f"{places}[{self.text(first)}]", *map(self.text, rest)])
        return f"{remedy}{self.text(inner.value)}[{index}] {symbol(node.op) if target is not node else ''}= ..."

    def replace(self, place: Place, new: Any, node: Any) -> None:
        """Give the name its new meaning, or all names the container that has a new item."""
        if not place.keys:
            self.rebind(place, new, node)
            return
        *outer, last = place.keys
        d = self.meaning_of(place)
        d = d.value if isinstance(d, Maybe) else d
        for key in outer:
            d = d[key]
        self.check_items_carried(d, place.name + "".join(f"[{key!r}]" for key in outer), node)
        old = d.get(last) if isinstance(d, dict) else d[last]
        changed = {**d, last: new} if isinstance(d, dict) else [new if i == last else x for i, x in enumerate(d)]
        self.check_read_later(d, old, changed, node)
        self.alike(d, changed)
        self.moved({}, {id(d): (d, changed)})

    def meaning_of(self, place: Place) -> Any:
        """What the name of a place denotes."""
        return self.scope.lookup(self.frame, place.name, self.loc(self.frame.here))

    def rebind(self, place: Place, new: Any, node: Any) -> None:
        """Give the name of a place its new meaning."""
        self.bind(place.name, new)

    # ----------------------------------------------------------------------------------------- checks
    def owner(self, name: str, node: Any) -> Frame:
        """The frame whose variable a name is. Raises Refusal for globals."""
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.locals or name in frame.env:
                return frame
            frame = frame.parent
        self.check_local(name, node)
        return self.frame

    def check_local(self, name: str, node: Any) -> None:
        if name not in self.frame.locals and name not in self.frame.env:
            raise self.refuse(node, f"{name} is not a local variable", "assign it first, or pass it as an argument")

    def refuse_store(self, target: Any) -> Refusal:
        """A store into what is no place, refused with the way out that fits it."""
        if isinstance(target, gast.Attribute):
            text = self.text(target.value)
            remedies = {"shape": f"write {text} = {text}.reshape(...)", "T": f"write {text}.T[...] = value"}
            remedy = remedies.get(target.attr, "keep it in a variable, and return it")
            return self.refuse(target, f"a store to the attribute {target.attr} is not supported yet", remedy)
        return self.refuse(target, "a store into what has no name is not supported", "give the array a name first")

    def check_container(self, place: Place, node: Any) -> None:
        """Refuse a change of an item where another name may denote the same list or dict."""
        if place.path:
            return
        inner, text = self.meaning_of(place), place.name
        inner = inner.value if isinstance(inner, Maybe) else inner
        for i, key in enumerate(place.keys):
            other = self.same_container(inner, text, known=inner) if i == len(place.keys) - 1 else ""
            if other:
                what, copy = type(inner).__name__, f"{{**{text}}}" if isinstance(inner, dict) else f"list({text})"
                remedy = make_later(other) or f"write {text} = {copy} first"
                other = other.removesuffix(",")
                raise self.refuse(node, f"{text} may be the same {what} as {other}, which this changes in place",
                                  remedy)  # fmt: skip
            inner = inner.get(key) if isinstance(inner, dict) else inner[key]
            text += f"[{key!r}]"


def _fits(new: Any, base: Any) -> bool:
    """Is the sum of the dtype of the array, so that NumPy's `+=` and a store agree?"""
    kind = kind_of_operand(new) if not isinstance(new, Known) else None
    return kind is not None and kind.dtype == base.kind.dtype


def _gathers(step: Any) -> bool:
    """Is there an integer array or a list in this index, which may name an element twice?"""
    return any(
        isinstance(i, list) or (isinstance(i, Value) and isinstance(i.kind, Array) and i.kind.dtype.kind in "iu")
        for i in (step if isinstance(step, tuple) else (step,))
    )


def _masks(step: Any) -> bool:
    return any(
        isinstance(i, Value) and isinstance(i.kind, Array) and i.kind.dtype.kind == "b"
        for i in (step if isinstance(step, tuple) else (step,))
    )


def written_arguments(function: Function, changed: list[Value]) -> set[Value]:
    """The parameters whose memory the function changes: what the changed values are versions of."""
    sources: dict[Value, list[Any]] = {}
    for op in walk(function.body):
        if isinstance(op, If | Checkpoint):
            for i, r in enumerate(op.results):
                sources[r] = [side.results[i] for side in op.regions if side.results]
        elif isinstance(op, For | While):
            for p, i, y, r in zip(op.carried, op.inits, op.body.results, op.results, strict=False):
                sources[p] = sources[r] = [i, y]
            if isinstance(op, While):
                sources.update((t, [p]) for t, p in zip(op.test.params, op.carried, strict=True))
        elif op.target in (update, appended, without_last):
            sources[op.result] = [op.args[0]]
    found: set[Value] = set()
    stack, seen = list(changed), set()
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        if v in function.params:
            found.add(v)
        stack.extend(x for x in sources.get(v, []) if isinstance(x, Value))
    return found


def keep_apart(function: Function, written: set[Value]) -> None:
    """Check at entry that what is written shares no memory with another array."""
    read = set(free_values(function.body))  # tangents, for one, are not
    arrays = [p for p in function.params if isinstance(p.kind, Array) and p in read]
    checks = []
    for k, p in enumerate(arrays):
        others = tuple(q for i, q in enumerate(arrays) if q is not p and (q not in written or i > k))
        if p in written and others:
            checks.append(Op(apart, (p, *others), {}, [], effect=True, loc=p.loc))
    function.body.ops[:0] = checks


__all__ = ["Place", "Stores", "keep_apart", "written_arguments"]
