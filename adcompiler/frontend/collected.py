"""Containers that are made, copied and told by builtins and by `collections` and `copy`: decided when compiling."""

import collections
import copy
from typing import Any

from adcompiler.frontend.kinds import Deque, Elements, Known, ListOf, deque_of, is_set
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.scope import Callback, Closure, Method
from adcompiler.ir.core import Value
from rules.cotangent import listed
from rules.kind import Array, Seq

NONE = Known(None)


def _deque(self: Any, node: Any, iterable: Any = (), maxlen: Any = NONE) -> Any:
    n = self.static(maxlen, node, "the argument maxlen of a deque")
    it = self.elements(iterable, node)
    return deque_of(n).kept(list(it))


def _ordered_dict(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
    self.ordered_dicts = True
    return self.call(Known(dict), args, kwargs, node)


def _default_dict(self: Any, node: Any, factory: Any = NONE, *args: Any, **kwargs: Any) -> Any:
    d = dict(self.call(Known(dict), args, kwargs, node))
    if not (isinstance(factory, Known) and factory.value is None):
        self.note_factory(d, factory)
    return d


def _counter(self: Any, node: Any, iterable: Any = (), /, **kwargs: Any) -> Any:
    counted = iterable if isinstance(iterable, dict) else {}
    if not isinstance(iterable, dict):
        found = self.elements(iterable, node)
        known = collections.Counter(self.static(x, node, "what is counted") for x in found)
        counted = {k: Known(n) for k, n in known.items()}
    d = {**counted, **kwargs}
    self.note_factory(d, Known(collections.Counter))
    return d


def _set(kind: Any) -> Any:
    def convert(self: Any, node: Any, iterable: Any = ()) -> Any:
        it = self.iterate(iterable, node, at_once=True)
        short = not isinstance(it, list) and self.is_short(it)
        found = self.unrolled(it, node, None) if short else self.elements(iterable, node)
        items = [self.static(d, node, "the element of a set") for d in found]
        return Known(kind(items))

    return convert


def _copy(self: Any, node: Any, x: Any) -> Any:
    """The thing itself, an array with memory of its own, or a container with the same elements."""
    if isinstance(x, Value) and isinstance(x.kind, Array):
        return self.method_rule("copy", node, x)
    if isinstance(x, ListOf) or (isinstance(x, Value) and isinstance(x.kind, Seq)):
        return rebuild(x, lambda v: self.emit(listed, v, hint=v.hint))
    if isinstance(x, dict):
        return dict(x)
    return type(x)(x) if isinstance(x, list) else Known(x.value) if is_set(x) else x


def _deepcopy(self: Any, node: Any, x: Any) -> Any:
    """Copies of all arrays and containers, one of each."""
    copies: dict[int, Any] = {}

    def deep(d: Any) -> Any:
        if isinstance(d, Closure | Method | Callback) or (isinstance(d, Known) and callable(d.value)):
            return d
        if id(d) not in copies:
            if isinstance(d, tuple | list):
                copies[id(d)] = type(d)([deep(e) for e in d])
            elif isinstance(d, dict):
                copies[id(d)] = {k: deep(e) for k, e in d.items()}
            elif is_set(d):
                copies[id(d)] = Known(d.value)
            elif isinstance(d, Value | ListOf):
                kind = d.kind if isinstance(d, Value) else None
                holds = isinstance(d, ListOf) or (isinstance(kind, Seq) and isinstance(kind.element, Array))
                if holds:
                    raise self.refuse(node, "deepcopy of a list of any length of arrays is not supported",
                                      "write [v.copy() for v in xs]")  # fmt: skip
                copies[id(d)] = _copy(self, node, d)
            else:
                copies[id(d)] = d
        return copies[id(d)]

    return deep(x)


#: What is called of them.
COLLECTED: dict[Any, Any] = {
    collections.deque: _deque, collections.OrderedDict: _ordered_dict, collections.Counter: _counter,
    collections.defaultdict: _default_dict,
    set: _set(Elements), frozenset: _set(frozenset), copy.copy: _copy, copy.deepcopy: _deepcopy,
}  # fmt: skip


def class_of(d: Any) -> type:
    """The class of a container."""
    return collections.deque if isinstance(d, Deque) else set if isinstance(d, Elements) else type(d)
