"""Attributes of objects, as Python finds them: what the class has at a name, and what the object has.

p.area       ->       the body of the property in place of the access, with p as its argument

What a class has at a name is known when compiling, and guarded.
"""

import functools
import inspect
import types
from typing import Any

import gast

from adcompiler.frontend.heap import Heap
from adcompiler.frontend.instances import attributes_of, generated, is_named_tuple, is_object, own_value
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.records import Bound, Parent, Record, owner_of
from adcompiler.frontend.scope import Access, Deleted, Identity, Poison
from adcompiler.ir.core import UNDEF
from adcompiler.ir.structure import parts
from rules.libraries import original, taken_apart

EMPTY = inspect.Parameter.empty
#: What is looked into of a class; other descriptors would run code of the user's, and are refused.
_FOLLOWED = (property, functools.cached_property, staticmethod, classmethod, types.FunctionType,
             functools._lru_cache_wrapper)  # fmt: skip


def is_users_object(d: Any) -> bool:
    """Is this an object of a class of the user's, from outside or not?"""
    return isinstance(d, Record) or (isinstance(d, Known) and is_object(d.value))


def class_of(d: Any) -> type:
    """The class of what this denotes, where that is an object, a named tuple or something known."""
    return d.cls if isinstance(d, Record) else type(d.value) if isinstance(d, Known) else type(d)


class Attributes(Heap):
    """Lowers attributes that are read."""

    #: The objects among the arguments, by the ids of what the caller has passed.
    argument_objects: dict[int, Record]

    def known_argument(self, d: Any) -> Any:
        """What a constant denotes: an object that is an argument is that, however the function comes by it."""
        if not isinstance(d, Known):
            return d
        x = d.value.__self__ if isinstance(d.value, types.MethodType) else d.value
        if not is_object(x):
            return d
        self.scope.touched[id(x)] = x
        self.scope.watch(x, "type(it)", type(x), type)  # it may be given another class
        found = self.argument_objects.get(id(x))
        if found is None:
            return d
        return found if x is d.value else Bound(Known(d.value.__func__), found, d.value.__name__)

    def in_parts(self, d: Any, node: Any) -> Any:
        """A known object of a library as one whose attributes are followed, where there is such a class."""
        maker = taken_apart(d.value) if isinstance(d, Known) else None
        return d if maker is None else self.follow(maker.__name__, maker, (d,), {}, node)

    def attribute(self, owner: Any, name: str, node: Any) -> Any:
        owner = self.known_argument(owner)
        if isinstance(owner, Known) and name == "T":
            owner = self.in_parts(owner, node)
        if isinstance(owner, Record):
            return self.attribute_of(owner, self.mangled(name), node)
        if isinstance(owner, Parent):
            return self.inherited(owner, self.mangled(name), node)
        if is_named_tuple(owner):
            return self.of_named_tuple(owner, name, node)
        if isinstance(owner, Known) and is_object(owner.value):
            return self.of_outside(owner, self.mangled(name), node)
        return super().attribute(owner, name, node)

    def of_outside(self, owner: Known, name: str, node: Any) -> Any:
        """An attribute of an object that is made outside: the code of its class that gives it is followed, not run."""
        cls = type(owner.value)
        found = own_value(cls, name)
        decides = hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)
        if decides or name not in attributes_of(owner.value):
            if found is EMPTY and own_value(cls, "__getattr__") is not EMPTY and not hasattr(object, name):
                raise self.made_by_getattr(self.text(getattr(node, "value", node)), cls, name, node)
            if found is not EMPTY and not isinstance(found, types.MemberDescriptorType | types.FunctionType) and \
                    hasattr(type(found), "__get__") and not isinstance(found, staticmethod | classmethod):  # fmt: skip
                return self.of_class(owner, cls, name, found, node)
        return super().attribute(owner, name, node)

    def has_outside(self, owner: Known, name: str, node: Any) -> bool:
        """Has an object that is made outside this attribute? Guarded: it may get it."""
        x, cls = owner.value, type(owner.value)
        found = own_value(cls, name)
        if found is not EMPTY and not isinstance(found, types.MemberDescriptorType):
            self.scope.watch(cls, f"hasattr(it, {name!r})", True, hasattr)  # of x it might run a property
            return True
        has = name in attributes_of(x)
        if not has and own_value(cls, "__getattr__") is not EMPTY:
            text = self.text(node.args[0]) if isinstance(node, gast.Call) and node.args else "this"
            raise self.made_by_getattr(text, cls, name, node)
        self.scope.watch(x, f"hasattr(it, {name!r})", has, hasattr)
        return has

    def made_by_getattr(self, text: str, cls: type, name: str, node: Any) -> Exception:
        return self.refuse(node, f"the attribute {name} of {text}, an object of class {cls.__name__}, is made by its "
                           "`__getattr__`, which is not supported", "give it the attribute in `__init__`, or pass the "
                           "value as an argument")  # fmt: skip

    def mangled(self, name: str) -> str:
        """`__x` in the body of a class is `_Class__x`."""
        f = self.frame.source.function
        outer = getattr(f, "__qualname__", "").split(".")[:-1]
        hidden = name.startswith("__") and not name.endswith("__") and outer and outer[-1] != "<locals>"
        return f"_{outer[-1].lstrip('_')}{name}" if hidden else name

    def attribute_of(self, r: Record, name: str, node: Any) -> Any:
        """An attribute of an object, as Python finds it: by the class where that decides, then in the object."""
        if name == "__class__":
            return Known(r.cls)
        found = EMPTY if name == "__dict__" else own_value(r.cls, name)
        decides = hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)
        if not decides and r.place(name) in self.heap.env:
            if isinstance(self.heap.env[r.place(name)], Deleted):
                self.lacks(r.cls, name)
            return self.read_heap(r.place(name), name, node)
        if found is EMPTY or isinstance(found, types.MemberDescriptorType):
            raise self.no_attribute(r, name, node)
        return self.of_class(r, r.cls, name, found, node)

    def absent(self, frame: Any, name: str) -> Any:
        if frame is not self.heap:
            return UNDEF
        cls, attribute = self.known_objects[owner_of(name)].cls, name.rpartition(".")[2]
        found = own_value(cls, attribute)
        if found is EMPTY or isinstance(found, types.MemberDescriptorType):
            return UNDEF
        if hasattr(type(found), "__get__"):
            reason = (
                "{name} is had for the first time, or set, in a loop or on one path alone; the class has it otherwise"
            )
            return Poison(reason, "read it, or set it, once before")
        d = self.scope.attribute(cls, attribute, self.loc(self.frame.source.node))
        self.note_captures()
        return d

    def no_attribute(self, r: Record, name: str, node: Any) -> Exception:
        if original(r.cls) is not None:
            return self.refuse(node, f"{name} of a {r.cls.__name__} that is made in the function is not supported",
                               "use its other attributes and methods (docs/limitations.md)")  # fmt: skip
        if own_value(r.cls, "__getattr__") is not EMPTY:
            return self.refuse(node, f"the attribute {name} of {self.told(r)} is made by its `__getattr__`, "
                               "which is not supported", "give it the attribute in `__init__`")  # fmt: skip
        if name.startswith("__") and name.endswith("__"):
            return self.refuse(node, f"{name} of {self.told(r)} is not supported",
                               "use its attributes by name")  # fmt: skip
        has = ", ".join(self.attributes(r)) or "none"
        return self.refuse(node, f"{self.told(r)} has no attribute {name} here; it has {has}",
                           "give it the attribute in `__init__`, or check the name")  # fmt: skip

    def of_class(self, owner: Any, cls: type, name: str, found: Any, node: Any, guarded: Any = None) -> Any:
        """What a class gives for an object at a name, where it has `found`; guarded, since a class may be changed."""
        if hasattr(type(found), "__get__") and not isinstance(found, _FOLLOWED) and \
                not hasattr(type(found), "__adc_wrapped__"):  # fmt: skip
            raise self.refuse(node, f"{name} of class {cls.__name__} is a descriptor of class {type(found).__name__}, "
                              "which is not supported", "make it a property, a method or an attribute")  # fmt: skip
        d = self.scope.attribute(cls, name, self.loc(node)) if guarded is None else guarded
        self.note_captures()
        if isinstance(found, property):
            if found.fget is None:
                raise self.refuse(node, f"the property {name} cannot be read", "give it a getter")
            return self.call(Known(found.fget), (owner,), {}, node)
        if isinstance(found, functools.cached_property):
            made = self.call(Known(found.func), (owner,), {}, node)
            if isinstance(owner, Record):
                self.check_store(owner, name, node, self.text(getattr(node, "value", node)))
                self.heap.env[owner.place(name)] = made
            return made
        if isinstance(found, staticmethod | classmethod):
            return d
        bound = isinstance(found, types.FunctionType | functools._lru_cache_wrapper)
        if bound or hasattr(type(found), "__adc_wrapped__"):
            return Bound(d, owner, name)
        return d

    def inherited(self, parent: Parent, name: str, node: Any) -> Any:
        """What `super()` has at a name."""
        owner, after = parent.owner, parent.after
        of_a_class = isinstance(owner, Known) and isinstance(owner.value, type)
        cls = owner.value if of_a_class else class_of(owner)
        behind = cls.__mro__[cls.__mro__.index(after) + 1 :]
        home = next((k for k in behind if name in vars(k)), None)
        if home is object and name == "__init__":
            return Known(nothing)
        if home is object and name == "__setattr__":
            return Bound(Known(object.__setattr__), owner, name)
        if home is None or home is object:
            raise self.refuse(node, f"super() has no {name} that can be seen", "name the class that has it")
        found, value = vars(home)[name], getattr(super(after, cls), name)
        local, inner = (self.scope.free_name(c.__name__.lower(), c) for c in (cls, after))
        text = f"super({inner}, {local}).{name}" + (".__func__" if isinstance(value, types.MethodType) else "")
        access = Access(text, ((local, cls), (inner, after), ("super", super)))
        watched = value.__func__ if isinstance(value, types.MethodType) else value
        self.scope.identities.setdefault(((id(cls), id(after)), name), Identity(access, watched))
        return self.of_class(owner, home, name, found, node, Known(value))

    def of_named_tuple(self, owner: Any, name: str, node: Any) -> Any:
        cls = type(owner)
        if name in cls._fields:
            return owner[cls._fields.index(name)]
        if name == "__class__":
            return Known(cls)
        if name in ("_replace", "_asdict"):
            return Bound(Known(replaced if name == "_replace" else as_dict), owner, name)
        found = own_value(cls, name)
        if found is EMPTY or (hasattr(tuple, name) and getattr(cls, name) is getattr(tuple, name)):
            return super().attribute(owner, name, node)
        return self.of_class(owner, cls, name, found, node)

    def method(self, d: Any, name: str, node: Any) -> Any:
        """The special method that the class of an object or a named tuple defines; None where it has none."""
        cls = class_of(d) if is_users_object(d) or is_named_tuple(d) else None
        found = EMPTY if cls is None else own_value(cls, name)
        if found is EMPTY and isinstance(d, Known) and cls is not None:  # it may get one
            self.scope.watch(cls, f"hasattr(it, {name!r})", False, hasattr)
        if not isinstance(found, types.FunctionType) or generated(found):
            return None
        return self.of_class(d, cls, name, found, node)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------- what stands for built-in methods
def nothing() -> None:
    """What `object.__init__` does."""


def replaced(self: Any, **changes: Any) -> Any:
    raise NotImplementedError


def as_dict(self: Any) -> Any:
    raise NotImplementedError


def named_replace(self: Any, node: Any, x: Any, /, **changes: Any) -> Any:
    for k in changes:
        if k not in x._fields:
            raise self.refuse(node, f"this raises ValueError: {type(x).__name__} has no field {k}", "check the name")
    return tuple.__new__(type(x), (changes.get(k, d) for k, d in zip(x._fields, x, strict=True)))


def named_asdict(self: Any, node: Any, x: Any) -> Any:
    return {str(k): d for k, d in parts(x)}
