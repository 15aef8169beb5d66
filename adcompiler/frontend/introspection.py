"""What functions ask about values: of what class they are, and which attributes they have. It is known when compiling.

isinstance(x, np.ndarray)       ->       True, for an array

A number that is an int on one path and a float on another is refused where the answer depends on which.
"""

import collections
import types
from typing import Any

import numpy as np

from adcompiler.errors import Refusal
from adcompiler.frontend.collected import class_of
from adcompiler.frontend.instances import is_users
from adcompiler.frontend.kinds import Elements, Known, ListOf
from adcompiler.frontend.scope import Callback, Closure, Method, Poison, is_changeable, poison_problem
from adcompiler.frontend.words import describe, spelled
from adcompiler.ir.core import Value
from rules.cotangent import length
from rules.kind import Array, Num, Opaque, Seq

FALSE = Known(False)


def classes(self: Any, x: Any) -> frozenset[type]:
    """The classes that what is denoted may be of in the user's program; none where they are not known."""
    found: set[type] = set()
    kind = x.kind if isinstance(x, Value) else None
    if isinstance(x, Known):
        found = {class_of(x.value)}
    elif type(x) is dict:
        made = self.factory_of(x) is not None
        found = {collections.Counter if self.counts(x) else collections.defaultdict if made else dict}
        if self.ordered_dicts and not made:
            found.add(collections.OrderedDict)
    elif isinstance(x, tuple | list):
        found = {class_of(x)}
    elif isinstance(kind, Num):
        return self.classes_of(x)
    elif isinstance(kind, Array) and kind.xp == "numpy":
        found = {np.ndarray}
    elif isinstance(kind, Seq):
        found = {list, range} if kind.range else {list}
    elif kind == Opaque("str"):
        found = {str}
    elif isinstance(x, ListOf):
        found = {list}
    elif isinstance(x, Closure):
        found = {types.FunctionType}
    return frozenset(found)


def told(self: Any, node: Any, x: Any, what: str, answers: set[Any]) -> Any:
    """The one answer that all classes give. Raises a refusal where there is none, or more than one."""
    if len(answers) == 1:
        return Known(answers.pop())
    if isinstance(x, Poison):
        raise Refusal(poison_problem(x, "this", self.loc(node)))
    if answers and isinstance(x, Value) and isinstance(x.kind, Num):
        raise self.of_two_classes(x, node, f"{what} of a number is asked for")
    if answers:
        names = " or ".join(sorted(map(spelled, classes(self, x))))
        raise self.refuse(node, f"{what} of this is asked for, and it may be of class {names}",
                          "write what holds for both")  # fmt: skip
    raise self.refuse(node, f"{what} of {describe(x)} is not known when compiling", "test x.ndim or len(x)")


def _isinstance(self: Any, node: Any, x: Any, cls: Any) -> Any:
    wanted = self.static(cls, node, "the class in isinstance")
    if isinstance(x, Known) and not isinstance(x.value, Elements):
        if is_users(type(x.value)):
            self.scope.watch(type(x.value), "it.__mro__", type(x.value).__mro__)
        return Known(isinstance(x.value, wanted))
    return told(self, node, x, "the class", {issubclass(c, wanted) for c in classes(self, x)})


def _type(self: Any, node: Any, x: Any) -> Any:
    cls = self.class_raised(x) if isinstance(x, Value) and isinstance(x.kind, Opaque) else None
    return Known(cls) if cls is not None else told(self, node, x, "the type", set(classes(self, x)))


def _callable(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, Closure | Method | Callback):
        return Known(True)
    if isinstance(x, Known):
        return Known(callable(x.value))
    return told(self, node, x, "the class", {any("__call__" in vars(k) for k in c.__mro__) for c in classes(self, x)})


def _bool(self: Any, node: Any, x: Any = FALSE) -> Any:
    if isinstance(x, Value) and isinstance(x.kind, Num | Array | Opaque):
        return NotImplemented
    t = self.truth(x, node)
    return Known(t) if isinstance(t, bool) else t


def _has(self: Any, node: Any, x: Any, name: str) -> bool:
    if isinstance(x, Known) and not isinstance(x.value, Elements):
        has = hasattr(x.value, name)
        if is_changeable(x.value):
            self.scope.watch(x.value, f"hasattr(it, {name!r})", has, hasattr)
        return has
    if isinstance(x, tuple) and name in self.fields(x):
        return True
    found = {hasattr(c, name) for c in classes(self, x)}
    if isinstance(x, Closure) and not all(found):
        found = set()  # functions may have attributes of their own
    answer = told(self, node, x, f"the attribute {name}", found)
    return bool(answer.value)


def _hasattr(self: Any, node: Any, x: Any, name: Any) -> Any:
    return Known(_has(self, node, x, self.static(name, node, "the name of an attribute")))


def _getattr(self: Any, node: Any, x: Any, name: Any, *default: Any) -> Any:
    attr = self.static(name, node, "the name of an attribute")
    if default and not _has(self, node, x, attr):
        return default[0]
    return self.attribute(x, attr, node)


def _shape(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, Value) and isinstance(x.kind, Num):
        return ()
    if isinstance(x, Value) and isinstance(x.kind, Seq) and isinstance(x.kind.element, Num):
        return (self.emit(length, x),)
    return (
        self.attribute(x, "shape", node)
        if isinstance(x, Value) and isinstance(x.kind, Array)
        else _of_list(self, node, x, "shape")
    )


def _ndim(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, Value) and isinstance(x.kind, Seq) and isinstance(x.kind.element, Num):
        return Known(1)
    if isinstance(x, Value) and isinstance(x.kind, Array | Num):
        return Known(x.kind.ndim)
    return _of_list(self, node, x, "ndim")


def _of_list(self: Any, node: Any, x: Any, name: str) -> Any:
    """The shape of what an array is made of."""
    if isinstance(x, Known):
        return NotImplemented
    if isinstance(x, ListOf | dict) or not isinstance(x, tuple | list | Value):
        raise self.refuse(node, f"np.{name} of {describe(x)} is not supported", "take the length of its parts")
    return self.attribute(self.emit(np.array, list(x) if isinstance(x, tuple | list) else x), name, node)


def _isscalar(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, Known):
        return Known(np.isscalar(x.value))
    self.refuse_opaque(x)
    return Known(isinstance(x, Value) and isinstance(x.kind, Num))


INTROSPECTION: dict[Any, Any] = {
    isinstance: _isinstance, type: _type, callable: _callable, bool: _bool, hasattr: _hasattr, getattr: _getattr,
    np.shape: _shape, np.ndim: _ndim, np.isscalar: _isscalar,
}  # fmt: skip
