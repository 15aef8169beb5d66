"""Python's functions that ask about objects, or make others of them."""

import copy
import dataclasses
import types
from collections.abc import Callable
from typing import Any

from adcompiler.frontend.attributes import (
    EMPTY,
    as_dict,
    class_of,
    is_users_object,
    named_asdict,
    named_replace,
    replaced,
)
from adcompiler.frontend.instances import own_value
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Deleted, Maybe
from adcompiler.ir.structure import like, parts
from rules.libraries import original


def _isinstance(self: Any, node: Any, x: Any, cls: Any) -> Any:
    mine = x.cls if isinstance(x, Record) else type(x)
    classes = self.static(cls, node, "the class in isinstance")
    return Known(issubclass(mine, classes) or issubclass(original(mine) or mine, classes))


def _type(self: Any, node: Any, x: Any) -> Any:
    cls = x.cls if isinstance(x, Record) else type(x)
    return Known(original(cls) or cls)


def _name(self: Any, node: Any, name: Any) -> str:
    return str(self.static(name, node, "the name of an attribute", "write the name as a string"))


def _has(self: Any, x: Any, name: str) -> bool:
    if not isinstance(x, Record):
        return hasattr(type(x), name)
    return x.place(name) in self.heap.env or own_value(x.cls, name) is not EMPTY


def _hasattr(self: Any, node: Any, x: Any, name: Any) -> Any:
    name = _name(self, node, name)
    if isinstance(x, Record) and isinstance(self.heap.env.get(x.place(name)), Deleted):
        return Known(False)
    if isinstance(x, Record) and x.place(name) in self.heap.env:
        if isinstance(self.heap.env[x.place(name)], Maybe):
            raise self.refuse(node, f"whether the attribute {name} is there is not known: not every path sets it",
                              "set it in `__init__`, and test what it is")  # fmt: skip
        self.read_heap(x.place(name), name, node)
    elif isinstance(x, Record) and own_value(x.cls, "__getattr__") is not EMPTY:
        raise self.no_attribute(x, name, node)
    elif isinstance(own_value(x.cls if isinstance(x, Record) else type(x), name), types.MemberDescriptorType):
        return Known(False)
    return Known(_has(self, x, name))


def _getattr(self: Any, node: Any, x: Any, name: Any, *default: Any) -> Any:
    name = _name(self, node, name)
    if default and not _hasattr(self, node, x, Known(name)).value:
        return default[0]
    return self.attribute(x, name, node)


def _setattr(self: Any, node: Any, x: Any, name: Any, d: Any) -> Any:
    if not isinstance(x, Record):
        return NotImplemented
    self.set_attribute(x, _name(self, node, name), d, node, x.cls.__name__.lower())
    return Known(None)


def _plain_setattr(self: Any, node: Any, x: Any, name: Any, d: Any) -> Any:
    if not isinstance(x, Record):
        return NotImplemented
    self.set_attribute(x, _name(self, node, name), d, node, x.cls.__name__.lower(), plain=True)
    return Known(None)


def _special(name: str) -> Callable[..., Any]:
    def call(self: Any, node: Any, x: Any, *args: Any) -> Any:
        method = self.method(x, name, node)
        if method is None and is_users_object(x):
            raise self.refuse(node, f"the class {class_of(x).__name__} has no {name}", f"define {name} in the class")
        return NotImplemented if method is None else self.call(method, args, {}, node)

    return call


def _copy(self: Any, node: Any, x: Any) -> Any:
    if not isinstance(x, Record):
        return x
    if own_value(x.cls, "__copy__") is not EMPTY:
        return self.call(self.of_class(x, x.cls, "__copy__", own_value(x.cls, "__copy__"), node), (), {}, node)
    made = self.new_record(x.cls, x.name)
    self.heap.env.update({made.place(k): d for k, d in self.attributes(x).items()})
    return made


def _deepcopy(self: Any, node: Any, x: Any) -> Any:
    return self.copied(x, node)


def _replace(self: Any, node: Any, x: Any, /, **changes: Any) -> Any:
    if not isinstance(x, Record) or not dataclasses.is_dataclass(x.cls):
        return NotImplemented
    kept = {f.name: self.attribute_of(x, f.name, node) for f in dataclasses.fields(x.cls)
            if f.init and f.name not in changes}  # fmt: skip
    return self.constructed(x.cls, (), {**kept, **changes}, node)


def _asdict(self: Any, node: Any, x: Any) -> Any:
    if not isinstance(x, Record) or not dataclasses.is_dataclass(x.cls):
        return NotImplemented

    def plain(d: Any) -> Any:
        if isinstance(d, Record) and dataclasses.is_dataclass(d.cls):
            return {f.name: plain(self.attribute_of(d, f.name, node)) for f in dataclasses.fields(d.cls)}
        if isinstance(d, tuple | list | dict):
            found = {k: plain(v) for k, v in parts(d)}
            return found if isinstance(d, dict) else like(d, found.values())
        return self.copied(d, node)

    return plain(x)


def _vars(self: Any, node: Any, x: Any) -> Any:
    raise self.refuse(node, "vars() of an object is not supported", "name the attributes, or use dataclasses.asdict")


def _callable(self: Any, node: Any, x: Any) -> Any:
    cls = x.cls if isinstance(x, Record) else type(x)
    return Known(own_value(cls, "__call__") is not EMPTY)


#: What is given by a special method of a class.
SPECIAL: dict[Any, Callable[..., Any]] = {
    len: _special("__len__"), abs: _special("__abs__"), float: _special("__float__"), int: _special("__int__"),
    round: _special("__round__"),
}  # fmt: skip
#: By function: what it gives for an object or a named tuple as its first argument.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    isinstance: _isinstance, type: _type, hasattr: _hasattr, getattr: _getattr, setattr: _setattr,
    object.__setattr__: _plain_setattr, **SPECIAL, copy.copy: _copy, copy.deepcopy: _deepcopy,
    vars: _vars, callable: _callable, dataclasses.replace: _replace, dataclasses.asdict: _asdict,
    replaced: named_replace, as_dict: named_asdict,
}  # fmt: skip
