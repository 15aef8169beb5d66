"""Lists of any length: what their elements are, how they are made, and which names have them.

ys = [x[0]]; for v in x: ys.append(v)       ->      %ys = listed([%x0]); %ys.2 = for %v in %x with %ys { .. }
ys[i] = v                                   ->      %ys.2 = update(%ys, %i, set, %v)
"""

from collections.abc import Callable
from typing import Any

from adcompiler.errors import Refusal
from adcompiler.frontend.desugar import hint
from adcompiler.frontend.frames import held, replaced
from adcompiler.frontend.kinds import Deque, Known, ListOf, join_kinds
from adcompiler.frontend.ownership import ELEMENT, READ, containers, make_later
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Callback, Closure
from adcompiler.frontend.static import Unroll
from adcompiler.frontend.storage import Place, Stores
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Value
from adcompiler.ir.structure import like as remade
from rules.cotangent import listed, update
from rules.kind import Array, Num, Seq, Unfilled


class LongLists(Stores):
    """Makes lists of any length, and changes what they hold."""

    argument_trees: tuple[Any, ...] = ()

    def check_opened(self, place: Place) -> None:
        """Let a loop around carry a list as one of any length which a function that it calls changes."""
        raise NotImplementedError

    def changes_list(self, d: Any) -> bool:
        """Does this denote a list, of known structure or of any length?"""
        return isinstance(d, list | ListOf) or any_length(d)

    def sequence(self, target: Any, *operands: Any, element: Any, hint: str = "") -> Value:
        """An operation whose result is a list of any length."""
        value: Value = self.builder.call(target, *operands, kind=Seq(element), hint=hint)
        self.defs[value] = self.builder.region.ops[-1]
        return value

    def opened(self, items: list[Any], like: Any, text: str, node: Any) -> Any:
        """A list of known structure as one of any length, with elements like `like`. Raises Refusal."""

        remedy = "give them one kind: numbers, arrays of one rank, or tuples of them"

        def column(template: Any, items: list[Any]) -> Any:
            if isinstance(template, tuple | list | dict):
                keys = list(template) if isinstance(template, dict) else range(len(template))
                for x in items:
                    if type(x) is not type(template) or len(x) != len(template):
                        raise self.refuse(node, f"the elements of {text} are of different structure", remedy)
                parts = [column(template[k], [x[k] for x in items]) for k in keys]
                return dict(zip(keys, parts, strict=True)) if isinstance(template, dict) else remade(template, parts)
            kind = self.element_kind_of(template, text, node)
            items = [self.as_long(x, kind, text, node) for x in items]
            for x in items:
                other = self.element_kind_of(x, text, node)
                kind = None if isinstance(other, list) or kind is None else self.one_kind(kind, other)
            if kind is None:
                raise self.refuse(node, f"the elements of {text} are of different kinds", remedy)
            name = text if text.isidentifier() else ""
            return self.sequence(listed, [self.operand(x) for x in items], element=kind, hint=name)

        made = column(like, items)
        for x in items:
            self.lend(x)
        return made if isinstance(made, Value) else ListOf(made)

    def as_long(self, d: Any, kind: Any, text: str, node: Any) -> Any:
        """A list of known structure as one of any length, where elements of this kind are wanted."""
        if not isinstance(kind, Seq) or not isinstance(d, list) or isinstance(d, Deque):
            return d
        items = [self.as_long(x, kind.element, text, node) for x in d]
        if not items:
            return self.sequence(listed, [], element=kind.element)
        return self.opened(items, items[0], text, node)

    def one_kind(self, a: Any, b: Any) -> Any:
        """The kind of elements of both kinds; None where there is none."""
        if isinstance(a, Seq) and isinstance(b, Seq):
            element = self.one_kind(a.element, b.element)
            return None if element is None else Seq(element)
        if isinstance(a, Array) is not isinstance(b, Array) or isinstance(a, Seq) or isinstance(b, Seq):
            return None
        return join_kinds(a, b, self.env)

    def element_kind_of(self, d: Any, text: str, node: Any) -> Any:
        """The kind of an element, or the kinds in a tuple or dict. Raises Refusal for what a long list cannot hold."""
        if isinstance(d, tuple | list) and d and not isinstance(d, Deque):
            return [self.element_kind_of(x, text, node) for x in d]
        if isinstance(d, dict) and d:
            return [self.element_kind_of(x, text, node) for x in d.values()]
        number = isinstance(d, Known) and isinstance(d.value, bool | int | float | complex)
        kind = kind_of_operand(self.operand(d)) if number or isinstance(d, Value) else None
        if isinstance(kind, Num | Array):
            return Num(kind.type) if isinstance(kind, Num) else kind
        self.check_filled(d, node)
        if isinstance(kind, Seq) and not kind.range:
            return Seq(kind.element)
        if isinstance(d, ListOf):
            raise self.refuse(node, f"a list of tuples, lists or dicts is appended to {text} in a loop",
                              "append what is made of it: an array, np.array(...), or a number")  # fmt: skip
        reason = f"{describe(d)} is appended to {text}, whose length is not known"
        refusal = self.refuse(node, reason, "append numbers, arrays, or tuples, lists and dicts of them")
        empty = isinstance(d, list) and not d
        if empty:
            reason = f"an empty list is appended to {text} in a loop, and would be filled there"
            refusal = self.refuse(node, reason, "fill the inner list first, row.append(...), and then append it")
        raise self.unrolling(refusal) if empty or isinstance(d, Closure | Callback | Known | Record) else refusal

    def unrolling(self, refusal: Refusal) -> Exception:
        """What lowers the loop around again, one iteration after the other; the refusal where there is none."""
        loop = self.headers[-1].node if self.headers else None
        return Unroll(loop, refusal.problem) if loop is not None and refusal.problem is not None else refusal

    def write(self, place: Place, kind: str, d: Any, node: Any) -> None:
        """A new version of the array at a place, or of the list of any length whose element is stored."""
        if not self.stores_element(place):
            super().write(place, kind, d, node)
            return
        base, text = place.base, hint(place.text)
        self.make_apart(base)
        self.take_apart(base, node)
        self.check_opened(place)
        self.check_list(base, place.text, node, place.label)
        self.read(place, node)  # in a `try` there may be no such element
        found = self.element_kind_of(d, text, node)
        element = None if isinstance(found, list | Seq | Array) else self.one_kind(base.kind.element, found)
        if element is None:
            raise self.refuse(node, f"{describe(d)} is stored into {text}, a list of {base.kind.element}",
                              "store elements of one kind")  # fmt: skip
        path = (self.operand(place.path[0]),)
        new = self.sequence(update, base, path, "set", self.operand(d), element=element, hint=base.hint)
        new.kind = Seq(element, length=base.kind.length)
        self.put_list(place, new, node)

    def stores_element(self, place: Place) -> bool:
        """Is this an element of a list of numbers, of any length?"""
        base = place.base
        if not any_length(base) or not isinstance(base.kind.element, Num) or len(place.path) != 1:
            return False
        index = place.path[0]
        known = isinstance(index, Known) and type(index.value) is int
        return known or (isinstance(index, Value) and isinstance(index.kind, Num) and index.kind.dtype.kind in "iu")

    def put_list(self, place: Place, made: Any, node: Any) -> None:
        """Give a list of any length its new version, for all names that it has."""
        old = sequences(place.base) if self.changes_list(place.base) and not isinstance(place.base, list) else []
        if place.keys or not old:
            self.replace(place, made, node)
        self.moved(dict(zip(old, sequences(made), strict=False)))

    # ----------------------------------------------------------------------------------------- checks
    def check_list(self, d: Any, text: str, node: Any, name: str = "") -> None:
        """Refuse a change of a list that another name, the caller or a running loop holds.

        `name` is what it is called where it is not called as it is written: an attribute in the heap.
        """
        name = name or text
        other = ""
        if isinstance(d, list):
            if self.in_argument(d):
                other = f"an argument of {self.apart}" if self.apart else "an argument"
                other += ", whose list is the caller's"
            other = other or self.same_container(d, name, known=d)
        else:
            self.take_apart(d, node)
            for v in sequences(d):
                if v in self.arguments:
                    other = "an argument, whose list is the caller's"
                else:
                    other = other or self.list_elsewhere(v, name, text, node)
        if other:
            remedy = make_later(other) or f"write {text} = list({text}) first"
            if other == READ:
                remedy = f"loop over a copy: list({text})"
            elif self.callers:
                remedy += ", and return it"
            elif other.isidentifier():
                remedy += ", or use one name for it"
            other = other.removesuffix(",")
            raise self.refuse(node, f"{text} may be the same list as {other}, which this changes in place",
                              remedy)  # fmt: skip

    def list_elsewhere(self, v: Value, name: str, text: str, node: Any) -> str:
        """What else may be this list, and cannot be given its new version; an empty text where there is nothing.

        Raises Rebound for a loop that does not carry another name of it.
        """
        if not self.made_here(v):
            return ELEMENT if v in self.lent_lists else self.list_holder(v, name) or self.held_before(v, name)
        for what, x, _ in self.temporaries():
            if x is v:
                return what
        mark = Value(v.kind)
        for f, n, d in self.names():
            labels = [label for label, x, _ in held(d, n) if x is v and (f is not self.frame or label != name)]
            if not labels:
                continue
            if any(x is v for _, x, _ in held(replaced(d, {v: mark}, {}), n)):
                return labels[0] + self.suffix(f)
            self.check_name_carried(f, n, "list", text, node)
        return ""

    def held_before(self, v: Value, name: str) -> str:
        """What else may be a list that loops carry, by what held it before them."""
        for header in reversed(self.headers):
            if v not in header.params:
                break
            first = header.inits[header.params.index(v)]
            if first in self.arguments:
                return "an argument, whose list is the caller's"
            if any(x is first for x, _ in self.pinned):
                return READ
            same = [label for n, d in header.before.items() for label, x, _ in held(d, n) if x is first]
            known = next((x for n, d in header.before.items() for label, x in containers(d, n) if label == name), None)
            same += [label for n, d in header.before.items() for label, x in containers(d, n) if x is known]
            other = next((label for label in same if label != name), "")
            if other:
                return self.way_to(other)
            v = first
        return "another name"

    def in_argument(self, d: Any) -> bool:
        """Is this list of known structure one that the caller has?"""
        family = self.container_family(d)

        def inside(x: Any) -> bool:
            if any(x is f for f in family):
                return True
            if isinstance(x, tuple | list):
                return any(map(inside, x))
            return isinstance(x, dict) and any(map(inside, x.values()))

        return any(map(inside, self.argument_trees))

    def check_filled(self, d: Any, node: Any) -> None:
        """Refuse to read a list of which no element is known yet."""
        if isinstance(d, Value) and isinstance(d.kind, Seq) and isinstance(d.kind.element, Unfilled):
            raise Refusal(self.unfilled_problem(d.kind.element, self.loc(node)))


def any_length(d: Any) -> bool:
    """Is this a list of any length, of numbers, arrays or such lists?"""
    return isinstance(d, Value) and isinstance(d.kind, Seq) and not d.kind.range


def sequences(d: Any) -> list[Value]:
    """The sequences of a list of any length."""
    found: list[Value] = []
    over(d, lambda v: found.append(v))
    return found


def over(d: Any, f: Callable[[Value], Any]) -> Any:
    """`f` over the sequences of a list of any length, in the structure of its elements."""
    if isinstance(d, ListOf):
        return over(d.element, f)
    if isinstance(d, tuple | list):
        return remade(d, (over(x, f) for x in d))
    if isinstance(d, dict):
        return {k: over(x, f) for k, x in d.items()}
    return f(d)


def rewrapped(d: Any, f: Callable[[Value], Any]) -> Any:
    made = over(d, f)
    return ListOf(made) if isinstance(d, ListOf) else made
