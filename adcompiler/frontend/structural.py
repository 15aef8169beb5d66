"""Builtins that are about structure rather than numbers: they are decided when compiling."""

import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.iteration import Iteration, Once
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.narrower import category
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.scope import Closure, Method
from adcompiler.frontend.views import VIEWS
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Value, leaves
from rules.cotangent import length, listed
from rules.kind import Array, Num, Seq, constant
from rules.sequences import backwards, largest, smallest

ZERO, NONE, EMPTY = Known(0), Known(None), Known("")


# ------------------------------------------------------------------------------------ builtins of structure
def _len(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, tuple | list | dict):
        return Known(len(x))
    if isinstance(x, ListOf):
        return self.emit(length, next(leaves(x.element)))
    if isinstance(x, Known):
        return Known(len(x.value))
    if isinstance(x, Value) and isinstance(x.kind, Num | Array) and not x.kind.ndim:
        raise self.refuse(node, f"len() of {describe(x)}, which has no elements",
                          "take the length of an array, a list or a tuple")  # fmt: skip
    return self.emit(length, x)


def _range(self: Any, node: Any, *args: Any) -> Any:
    operands = [self.operand(a) for a in args]
    n = None
    if len(operands) == 1 or (len(operands) == 2 and operands[0] == 0):
        stop = operands[-1]
        n = (
            (stop.kind.length if isinstance(stop.kind, Num) else None)
            if isinstance(stop, Value)
            else constant(max(stop, 0))
        )
    elif not any(isinstance(x, Value) for x in operands):
        n = constant(len(range(*operands)))
    value = self.builder.call(range, *operands, kind=Seq(Num(int), range=True, length=n or self.env.fresh()))
    self.defs[value] = self.builder.region.ops[-1]
    return value


def _enumerate(self: Any, node: Any, x: Any, start: Any = ZERO) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, list):
        first = self.static(start, node, "the start of enumerate")
        return Once([(Known(first + i), d) for i, d in enumerate(it)])
    n = self.emit(length, it.sequences[0])
    index = _range(self, node, n) if isinstance(start, Known) and start.value == 0 \
        else _range(self, node, start, self.emit(operator.add, start, n))  # fmt: skip
    index.kind = Seq(Num(int), range=True, length=it.length)
    return Once(Iteration([index, *it.sequences], lambda items: (items[0], it.element(items[1:])), it.length))


def _zip(self: Any, node: Any, *xs: Any, strict: Any = None) -> Any:
    its = [self.iterate(x, node) for x in xs]
    if strict is not None and self.static(strict, node, "the argument strict of zip") and not self.equally_long(its):
        raise self.refuse(node, "zip(strict=True) of what is not known to be equally long",
                          "leave strict out, and assert that the lengths agree")  # fmt: skip
    return Once(self.zip_(its, node))


def _reversed(self: Any, node: Any, x: Any) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, list):
        return Once(it[::-1])
    return Once(Iteration([self.emit(backwards, s) for s in it.sequences], it.element, it.length))


def _isinstance(self: Any, node: Any, x: Any, cls: Any) -> Any:
    types_ = self.static(cls, node, "the class in isinstance")
    if isinstance(x, Known):
        return Known(isinstance(x.value, types_))
    if isinstance(x, tuple | list | dict):
        return Known(issubclass(type(x), types_))
    if isinstance(x, Value) and isinstance(x.kind, Num):
        return Known(issubclass(x.kind.type, types_))
    if isinstance(x, Value) and isinstance(x.kind, Array):
        return Known(issubclass(np.ndarray, types_))
    if isinstance(x, ListOf) or (isinstance(x, Value) and isinstance(x.kind, Seq)):
        return Known(issubclass(list, types_))
    if isinstance(x, Closure):
        return Known(issubclass(types.FunctionType, types_))
    raise self.refuse(node, f"the class of {describe(x)} is not known when compiling", "test x.ndim or len(x)")


def _callable(self: Any, node: Any, x: Any) -> Any:
    return Known(callable(x.value) if isinstance(x, Known) else isinstance(x, Closure | Method))


def _tuple_or_list(kind: type) -> Callable[..., Any]:
    def convert(self: Any, node: Any, x: Any = ()) -> Any:
        if isinstance(x, Value | ListOf) and kind is list and not (isinstance(x, Value) and isinstance(x.kind, Array)):
            ranges = isinstance(x, Value) and (not isinstance(x.kind, Seq) or x.kind.range)
            return x if ranges else rebuild(x, lambda v: self.emit(listed, v, hint=v.hint))
        it = self.iterate(x, node)
        return kind(it if isinstance(it, list) else self.elements(it, node))

    return convert


def _dict(self: Any, node: Any, x: Any = None, **kwargs: Any) -> Any:
    if x is None:
        return dict(kwargs)
    if isinstance(x, dict):
        return {**x, **kwargs}
    it = self.iterate(x, node)
    if not isinstance(it, list):
        raise self.refuse(node, "a dict of unknown size is not supported", "write its keys out")
    return {**{self.static(k, node, "the key of a dict"): v for k, v in it}, **kwargs}


def _sum(self: Any, node: Any, x: Any, start: Any = ZERO) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, Iteration):
        of_arrays = isinstance(start, Known) and start.value == 0 and len(it.sequences) == 1
        if of_arrays and isinstance(self.element_kind(it.sequences[0].kind), Array):
            rows = it.sequences[0] if isinstance(it.sequences[0].kind, Array) else self.emit(np.stack, it.sequences[0])
            return self.emit(np.sum, rows, axis=Known(0))
        return self.fold_loop(it, start, node)
    if len(it) == 1 and isinstance(start, Known) and start.value == 0 and isinstance(it[0], Value):
        return self.binary(operator.add, start, it[0], node)  # an array of its own
    total = start
    for d in it:
        total = self.binary(operator.add, total, d, node) if not (isinstance(total, Known) and total.value == 0) \
            else d  # fmt: skip
    return total


def _extremum(f: Any) -> Callable[..., Any]:
    def pick(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
        default = kwargs.pop("default", None)
        if kwargs:
            raise self.refuse(node, f"{f.__name__} with {', '.join(kwargs)} is not supported",
                              "write the comparison out with `if`")  # fmt: skip
        items = list(args)
        if len(args) == 1:
            it = self.iterate(args[0], node)
            if not isinstance(it, list):
                return _of_a_sequence(self, f, it, default, node)
            items = it
        if not items and default is not None:
            return default
        if not items:
            raise self.refuse(node, f"{f.__name__} of an empty sequence raises ValueError", "give it an element")
        for d in items:
            if isinstance(d, Value) and isinstance(d.kind, Array) and d.kind.ndim:
                raise self.refuse(node, f"{f.__name__} of arrays compares them as a whole", f"use np.{f.__name__}imum")
        kinds = [category(kind_of_operand(self.operand(d))) for d in items]
        if 0 <= min(kinds) < max(kinds) == 2:  # one of ints and floats is a float
            items = [d if k == 2 else self.emit(float, d) for d, k in zip(items, kinds, strict=True)]
        best = items[0]
        for d in items[1:]:
            best = self.emit(f, best, d)
        if isinstance(best, Value) and min(kinds) < max(kinds) == 2:
            self.lowest[best] = min(kinds)
        return best

    return pick


def _numbers(self: Any, it: Iteration) -> Any:
    """The list or array of numbers that a loop would read; None if there is none."""
    whole = it.sequences[0]
    plain = len(it.sequences) == 1 and isinstance(whole, Value) and it.element([whole]) is whole
    return whole if plain and isinstance(self.element_kind(whole.kind), Num) else None


def _of_a_sequence(self: Any, f: Any, it: Iteration, default: Any, node: Any) -> Any:
    """`max` or `min` of numbers that a loop would read."""
    whole, name = _numbers(self, it), f.__name__
    if whole is None:
        raise self.refuse(node, f"{name} of a sequence of unknown length is of numbers alone here",
                          f"make an array of what is compared, and write np.{name}(...)")  # fmt: skip

    def best() -> Any:
        return self.emit(largest if f is max else smallest, whole)

    if default is None:
        return best()
    return self.fork(self.emit(operator.ne, self.emit(length, whole), Known(0)), best, lambda: default, self.loc(node))


def _all_any(stop_at: bool) -> Callable[..., Any]:
    def test(self: Any, node: Any, x: Any) -> Any:
        it = self.iterate(x, node)
        if not isinstance(it, list):
            whole = _numbers(self, it)
            if whole is None:
                raise self.refuse(node, "any and all of a sequence of unknown length are of numbers alone here",
                                  "test the elements in a loop")  # fmt: skip
            values = whole if isinstance(whole.kind, Array) else self.emit(np.array, whole)
            return self.emit(bool, self.emit(np.any if stop_at else np.all, values))
        result: Any = Known(not stop_at)
        for d in it:
            t = self.truth(d, node)
            if isinstance(t, bool):
                if t == stop_at:
                    return Known(stop_at)
                continue
            result = (
                t if isinstance(result, Known) else self.emit(operator.or_ if stop_at else operator.and_, result, t)
            )
        return result

    return test


def _print(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
    self.builder.effect(print, *map(self.operand, args), **{k: self.operand(v) for k, v in kwargs.items()})
    return Known(None)


def _getattr(self: Any, node: Any, x: Any, name: Any, *default: Any) -> Any:
    attr = self.static(name, node, "the name of an attribute")
    if default and isinstance(x, Known) and not hasattr(x.value, attr):
        return default[0]
    return self.attribute(x, attr, node)


def _hasattr(self: Any, node: Any, x: Any, name: Any) -> Any:
    attr = self.static(name, node, "the name of an attribute")
    if isinstance(x, Known):
        return Known(hasattr(x.value, attr))
    if isinstance(x, Value) and isinstance(x.kind, Array | Num):
        return Known(hasattr(np.ndarray if isinstance(x.kind, Array) else x.kind.type, attr))
    return Known(hasattr(type(x), attr))


def _map(self: Any, node: Any, f: Any, *xs: Any) -> Any:
    it = self.zip_([self.iterate(x, node) for x in xs], node)
    if not isinstance(it, list):
        raise self.refuse(node, "map over a sequence of unknown length is not supported", "write [f(x) for x in xs]")
    return Once([self.call(f, tuple(row), {}, node) for row in it])


def _type(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, Known):
        return Known(type(x.value))
    if isinstance(x, Value):
        if isinstance(x.kind, Num):
            return Known(x.kind.type)
        if isinstance(x.kind, Array):
            return Known(np.ndarray)
    if isinstance(x, tuple | list | dict):
        return Known(type(x))
    raise self.refuse(node, f"the type of {describe(x)} is not known when compiling", "test x.ndim or len(x)")


def _shape(self: Any, node: Any, x: Any) -> Any:
    return self.attribute(x, "shape", node) if isinstance(x, Value) else NotImplemented


def _ndim(self: Any, node: Any, x: Any) -> Any:
    return Known(x.kind.ndim) if isinstance(x, Value) and isinstance(x.kind, Array | Num) else NotImplemented


def _size(self: Any, node: Any, x: Any, axis: Any = NONE) -> Any:
    if not isinstance(x, Value) or not isinstance(x.kind, Array | Num):
        return NotImplemented
    if isinstance(axis, Known) and axis.value is None:
        return self.attribute(x, "size", node)
    return self.attribute(x, "shape", node)[self.static(axis, node, "the axis of np.size")]


def _issubdtype(self: Any, node: Any, a: Any, b: Any) -> Any:
    return Known(bool(np.issubdtype(self.static(a, node, "a dtype"), self.static(b, node, "a dtype"))))


def _str(self: Any, node: Any, x: Any = EMPTY) -> Any:
    return (
        Known(str(x.value))
        if isinstance(x, Known)
        else Known(str(self.static(x, node, "what is turned into a string")))
    )


def _slice(self: Any, node: Any, *args: Any) -> Any:
    return slice(*([Known(None), *args, Known(None)] if len(args) == 1 else [*args, Known(None)][:3]))


STRUCTURAL: dict[Any, Callable[..., Any]] = {
    len: _len, range: _range, enumerate: _enumerate, zip: _zip, reversed: _reversed, isinstance: _isinstance,
    callable: _callable, tuple: _tuple_or_list(tuple), list: _tuple_or_list(list), dict: _dict, sum: _sum,
    max: _extremum(max), min: _extremum(min), all: _all_any(False), any: _all_any(True), print: _print,
    getattr: _getattr,
    hasattr: _hasattr, map: _map, type: _type, np.shape: _shape, np.ndim: _ndim, np.size: _size,
    np.issubdtype: _issubdtype, str: _str, slice: _slice, **VIEWS,
}  # fmt: skip
