"""Which objects are taken by their attributes: those of classes that are written in Python by the user.

What such a class gives at a name, and how its objects are made, is asked of the class alone: none of its code runs.
"""

import abc
import collections.abc
import contextlib
import dataclasses
import inspect
import sys
import types
import typing
from typing import Any

from rules import arrays
from rules.libraries import hashable, original

#: Modules whose functions and classes are not looked into.
LIBRARIES = frozenset(
    "numpy scipy cupy math cmath random sklearn torch jax pandas "
    "warnings logging threading os json pprint traceback re posixpath ntpath genericpath".split()
)
_OTHERS = LIBRARIES | sys.stdlib_module_names | {"rules", "adcompiler"}
#: Classes that add nothing of their own to an object.
_BARE = (object, abc.ABC, typing.Generic, typing.Protocol)


def is_users(cls: type) -> bool:
    """Is this a class of the user's, whose objects are nothing but attributes?"""
    if arrays.library(cls):
        return False
    if cls is types.SimpleNamespace or original(cls) is not None:
        return True
    if type(cls) not in (type, abc.ABCMeta, type(typing.Protocol)) or cls in _BARE:
        return False
    return all(
        k.__module__.partition(".")[0] not in _OTHERS and "__getattribute__" not in vars(k) for k in own_classes(cls)
    )


def own_classes(cls: type) -> list[type]:
    """A class and those that it is derived from, as far as they have something of their own."""
    return [k for k in cls.__mro__ if k not in _BARE]


def is_named_tuple(x: Any) -> bool:
    return isinstance(x, tuple) and hasattr(type(x), "_fields")


def is_named_tuple_class(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def overridden(cls: type) -> str:
    """What a class that is derived from a named tuple has otherwise than tuples have it; an empty text for nothing.

    It is a field, or the way in which elements are read.
    """
    read = next((n for n in ("__getitem__", "__iter__", "__len__", "__getattribute__", "__getattr__", "__contains__")
                 if getattr(cls, n, None) is not getattr(tuple, n, None)), "")  # fmt: skip
    base = next((c for c in cls.__mro__ if "_fields" in vars(c)), cls)
    return read or next((n for n in base._fields if getattr(cls, n) is not vars(base).get(n)), "")  # type: ignore[attr-defined]


def is_object(x: Any) -> bool:
    """Is this an object of a class of the user's?"""
    return not isinstance(x, type) and is_users(type(x))


def changeable(x: Any) -> bool:
    """Is this a container of another class than list and dict, which may change?"""
    kinds = (collections.abc.MutableSequence, collections.abc.MutableSet, collections.abc.MutableMapping)
    return isinstance(x, kinds) and type(x) not in (list, dict)


def slots(cls: type) -> list[str]:
    """The names in `__slots__` of a class and those it is derived from."""
    found: list[str] = []
    for k in reversed(cls.__mro__):
        names = vars(k).get("__slots__", ())
        for n in (names,) if isinstance(names, str) else tuple(names):
            hidden = n.startswith("__") and not n.endswith("__")
            found.append(f"_{k.__name__.lstrip('_')}{n}" if hidden else n)
    return [n for n in dict.fromkeys(found) if n not in ("__dict__", "__weakref__")]


def has_dict(cls: type) -> bool:
    """Can an object of this class have any attribute?"""
    return cls is types.SimpleNamespace or bool(cls.__dictoffset__)


def attributes_of(x: Any) -> dict[str, Any]:
    """The attributes of an object, in order."""
    named = {}
    for n in slots(type(x)):
        with contextlib.suppress(AttributeError):
            named[n] = object.__getattribute__(x, n)
    return {**named, **(object.__getattribute__(x, "__dict__") if has_dict(type(x)) else {})}


def is_hidden(cls: type, name: str) -> bool:
    """Does the class decide what this attribute is, whatever the object has at its name?"""
    found = own_value(cls, name)
    return hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)


def is_frozen(cls: type) -> bool:
    """Is this a dataclass whose objects cannot be changed?"""
    parameters = getattr(cls, "__dataclass_params__", None)
    return bool(parameters is not None and parameters.frozen)


def generated(f: Any) -> bool:
    """Has `dataclass` made this method, or `namedtuple`?"""
    if not isinstance(f, types.FunctionType) or f.__code__.co_filename != "<string>":
        return False
    by_tuple = f.__globals__.get("__name__", "").startswith("namedtuple_")
    return by_tuple or f.__code__.co_qualname.startswith("__create_fn__")


def is_made_of_fields(cls: type, names: tuple[str, ...]) -> bool:
    """Can an object with these attributes be made by a call of its dataclass, with a keyword for each of them?"""
    if not dataclasses.is_dataclass(cls) or not generated(cls.__init__) or hasattr(cls, "__post_init__"):
        return False
    fields = dataclasses.fields(cls)
    plain = cls.__new__ is object.__new__ and all(f.init for f in fields)
    return plain and {f.name for f in fields} == set(names) and len(inspect.signature(cls).parameters) == len(fields)


def own_value(cls: type, name: str) -> Any:
    """What a class has at a name, as it is written there; `inspect.Parameter.empty` where it has nothing."""
    for k in cls.__mro__:
        if name in vars(k):
            return vars(k)[name]
    return inspect.Parameter.empty


def may_vary(x: Any, name: str) -> bool:
    """May this method of an object from outside, which is no object of the user's, give another result later?"""
    if is_object(x) or isinstance(x, slice | tuple | list | dict):
        return False
    if isinstance(x, collections.abc.MappingView):
        return True
    home = next((k for k in type(x).__mro__ if name in vars(k)), object)
    written = isinstance(vars(home).get(name), types.FunctionType)
    return not hashable(x) or (written and home.__module__.partition(".")[0] not in _OTHERS)


def decides(x: Any) -> bool:
    """Has an object of the user's methods that say what it equals, or is written as?"""
    if not is_object(x) or (is_frozen(type(x)) and generated(own_value(type(x), "__eq__"))):
        return False
    names = ("__eq__", "__hash__", "__index__", "__str__", "__repr__", "__format__")
    return any(isinstance(own_value(type(x), n), types.FunctionType) for n in names)


def changed_access(cls: type, name: str) -> bool:
    """Does a class define this special method itself, other than `dataclass` does it for a frozen one?"""
    found = own_value(cls, name)
    return isinstance(found, types.FunctionType) and not generated(found)
