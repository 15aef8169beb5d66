"""Stores to attributes of objects, and to what they hold.

self.buf[i] = v       ->       %buf2 = update(%buf, %i, set, %v), which is self.buf for all that denotes the object
"""

import types
from typing import Any

import gast

from adcompiler.errors import problem_at
from adcompiler.frontend.attributes import EMPTY, Attributes
from adcompiler.frontend.expressions import BINARY
from adcompiler.frontend.instances import changed_access, has_dict, is_frozen, own_value, slots
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.ownership import containers
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Deleted, Frame, Maybe, Poison
from adcompiler.frontend.static import Promote
from adcompiler.frontend.storage import Place
from adcompiler.frontend.versions import Rebound
from adcompiler.ir.core import Value, leaves
from adcompiler.ir.structure import Attr
from rules.kind import Array
from rules.libraries import original

#: Attributes of arrays that a store may go to.
_OF_ARRAYS = ("T", "real", "imag", "flat")


class AttributeStores(Attributes):
    """Lowers stores to attributes and items of objects."""

    def set_attribute(self, r: Record, name: str, d: Any, node: Any, text: str, plain: bool = False) -> None:
        """`object.name = d`; `plain` as `object.__setattr__` does it."""
        cls, found = r.cls.__name__, own_value(r.cls, name)
        if changed_access(r.cls, "__setattr__") and not plain:
            raise self.refuse(node, f"the class {cls} has a `__setattr__` of its own, which is not supported",
                              "store by a method that is called by its name")  # fmt: skip
        if isinstance(found, property):
            if found.fset is None:
                raise self.refuse(node, f"this raises AttributeError: the property {name} has no setter",
                                  "store to the attribute that it reads")  # fmt: skip
            self.scope.attribute(r.cls, name, self.loc(node))
            self.call(Known(found.fset), (r, d), {}, node)
            return
        if hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
            raise self.refuse(node, f"{name} of class {cls} is a descriptor of class {type(found).__name__}, which is "
                              "not supported", "make it a property or an attribute")  # fmt: skip
        if is_frozen(r.cls) and not plain:
            raise self.refuse(node, f"this raises FrozenInstanceError: the dataclass {cls} is frozen",
                              f"make a new one: dataclasses.replace({text}, {name}=...)")  # fmt: skip
        if not has_dict(r.cls) and name not in slots(r.cls):
            raise self.refuse(node, f"this raises AttributeError: {name} is not in the `__slots__` of {cls}",
                              "add the name to `__slots__`")  # fmt: skip
        before = self.heap.env.get(r.place(name))
        if isinstance(before, Poison) and original(r.cls) is not None:
            raise self.refuse(node, f"a store to {text}.{name}: {before.reason}", before.remedy)
        self.check_store(r, name, node, text)
        self.heap.env[r.place(name)] = d
        if isinstance(d, Value) and not d.hint:
            d.hint = name

    def deleted_attribute(self, target: Any, node: Any) -> None:
        """`del object.name`."""
        r, name, text = self.known_argument(self.expr(target.value)), self.mangled(target.attr), self.text(target)
        remedy = f"set it to None, and test for that: {text} = None"
        if not isinstance(r, Record):
            raise self.refuse(node, f"`del {text}` is not of an object that is followed", "leave it as it is")
        at, cls = r.place(name), r.cls.__name__
        if changed_access(r.cls, "__delattr__") or is_frozen(r.cls) or own_value(r.cls, name) is not EMPTY:
            raise self.refuse(node, f"`del {text}` depends on what the class {cls} has at this name", remedy)
        if isinstance(self.heap.env.get(at, Deleted()), Deleted | Maybe):
            self.lacks(r.cls, name)
            raise self.refuse(node, f"`del {text}`, of an attribute that is not surely there", remedy)
        if any(r.born < header.mark for header in self.headers):
            raise self.refuse(node, f"`del {text}` in a loop, of an object that is made before it", remedy)
        self.check_store(r, name, node, self.text(target.value))
        reason = f"{text} is deleted at line {node.lineno}"
        self.heap.env[at] = Deleted(reason, f"leave the `del` out, or {remedy}", self.loc(node))

    def check_assignable(self, r: Record, name: str, text: str, node: Any) -> None:
        """Refuse `object.name += array` where the assignment that follows the change is more than that, or an error."""
        plain = own_value(r.cls, name)
        if isinstance(plain, property) or is_frozen(r.cls) or changed_access(r.cls, "__setattr__"):
            raise self.refuse(node, f"{text} is changed in place and then assigned, by a setter or against the class",
                              f"write {text}[...] = ...")  # fmt: skip

    def attribute_of_object(self, target: Any) -> tuple[Any, Any, list[Any]] | None:
        steps: list[Any] = []
        node = target
        while isinstance(node, gast.Subscript | gast.Attribute):
            if isinstance(node, gast.Attribute):
                looked = self.is_plain(node.value) or (not steps and node.attr not in _OF_ARRAYS)
                owner = self.known_argument(self.expr(node.value)) if looked else None
                if isinstance(owner, Record):
                    return node, owner, steps
                if node.attr != "T":
                    return None
            steps.insert(0, node)
            node = node.value
        return None

    def place_in_object(self, owner: Record, node: Any, steps: list[Any], target: Any, exists: bool) -> Place:
        name, text = self.mangled(node.attr), self.text(node)
        new = not steps and not exists
        whole = None if new else self.attribute_of(owner, name, node)
        base, keys, path, text = self.steps_from(whole, steps, text, target, exists)
        whole = None if new else self.attribute_of(owner, name, node)  # on the way a dict may have got an item
        if keys and not any(x is whole for _, n, d in self.names() for _, x in containers(d, n)):
            raise self.refuse(target, f"{self.text(node)} is made outside of the function, or anew whenever it is read",
                              "give the object an attribute that holds it, in `__init__`")  # fmt: skip
        return Place(owner.place(name), keys, base, path, text, owner=owner, attribute=name, whole=whole)

    def meaning_of(self, place: Place) -> Any:
        if place.owner is None:
            return super().meaning_of(place)
        return place.whole

    def rebind(self, place: Place, new: Any, node: Any) -> None:
        if place.owner is None:
            super().rebind(place, new, node)
        else:
            self.set_attribute(place.owner, place.attribute, new, node, place.text.rpartition(".")[0])

    def store(self, target: Any, d: Any) -> None:
        if isinstance(target, gast.Subscript) and self.is_plain(target.value):
            base = self.known_argument(self.expr(target.value))
            if isinstance(base, Record):
                self.set_item(base, self.index(target.slice), d, target)
                return
        super().store(target, d)

    def refuse_store(self, target: Any) -> Any:
        """As for other targets; what is outside of the function is not changed."""
        owner = self.expr(target.value) if isinstance(target, gast.Attribute | gast.Subscript) else None
        if isinstance(owner, Known) and not isinstance(owner.value, type) and isinstance(target, gast.Attribute):
            text, cls = self.text(target.value), type(owner.value).__name__
            reason = f"a store to {text}.{target.attr}, of an object of class {cls} that is made outside"
            return self.refuse(target, reason,
                               f"pass the object as an argument: {text}")  # fmt: skip
        return super().refuse_store(target)

    def set_item(self, r: Record, index: Any, d: Any, node: Any) -> None:
        method = self.method(r, "__setitem__", node)
        if method is None:
            raise self.refuse(node, f"a store into {self.told(r).rstrip(',')}, which has no `__setitem__`",
                              "store to an attribute, or define `__setitem__`")  # fmt: skip
        self.call(method, (index, d), {}, node)

    def augmented_item(self, node: Any) -> bool:
        """`object[index] op= value`, by the methods of the class; False where it is something else."""
        target = node.target
        if not isinstance(target, gast.Subscript) or not self.is_plain(target.value):
            return False
        base = self.known_argument(self.expr(target.value))
        if not isinstance(base, Record):
            return False
        index = self.index(target.slice)
        old = self.subscript(base, index, target)
        if isinstance(old, Value) and isinstance(old.kind, Array):
            raise self.refuse(node, "an array that `__getitem__` gives is changed in place",
                              "write into the attribute that holds it")  # fmt: skip
        self.set_item(base, index, self.binary(BINARY[type(node.op)], old, self.expr(node.value), node), node)
        return True

    def take_apart(self, items: Any, node: Any) -> None:
        values = (
            {items} if isinstance(items, Value) else set(leaves(items.element)) if isinstance(items, ListOf) else ()
        )
        for leaf in self.scope.leaves:
            if leaf.value in values and "*" in leaf.steps and any(isinstance(s, Attr) for s in leaf.steps):
                steps = (*leaf.steps[: leaf.steps.index("*")], "[]")
                problem = problem_at(self.loc(node), "this list of any length is changed", "pass a list that is known")
                raise Promote(frozenset({steps}), problem)

    def check_opened(self, place: Place) -> None:
        super().check_opened(place)
        if place.owner is None or not isinstance(place.base, list):
            return
        path = (place.name, *place.keys)
        for header in self.headers:
            if place.owner.born < header.mark and path not in header.grown:
                header.grown |= {path}
                raise Rebound(header, place.name)

    def is_plain(self, node: Any) -> bool:
        """Is this a name that is known, or made of one by attributes and subscripts without calls?"""
        while isinstance(node, gast.Attribute | gast.Subscript):
            if isinstance(node, gast.Subscript):
                if any(isinstance(n, gast.Call | gast.NamedExpr) for n in gast.walk(node.slice)):
                    return False
            node = node.value
        return isinstance(node, gast.Name) and self.is_known(node.id)

    def is_known(self, name: str) -> bool:
        """Has this name a meaning here?"""
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.env or name in frame.source.cells or name in frame.source.globals:
                return True
            frame = frame.parent
        return False
