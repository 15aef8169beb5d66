"""Builtins that are about structure rather than numbers: they are decided when compiling."""

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adcompiler.frontend.collected import COLLECTED
from adcompiler.frontend.instances import is_object
from adcompiler.frontend.introspection import INTROSPECTION
from adcompiler.frontend.iterators import Generated, Iteration, Once, View
from adcompiler.frontend.kinds import Deque, Known, ListOf
from adcompiler.frontend.narrower import category
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.padding import PADDED
from adcompiler.frontend.patterns import PATTERNS
from adcompiler.frontend.records import Record
from adcompiler.frontend.rewritten import REWRITTEN
from adcompiler.frontend.scope import Closure, Method
from adcompiler.frontend.views import VIEWS
from adcompiler.frontend.words import describe, spelled
from adcompiler.frontend.wrappers import WRAPPERS
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Value, leaves
from adcompiler.ir.library import on_device
from rules.cotangent import length, listed, update
from rules.kind import Array, Num, Seq, constant, same_shape
from rules.numpy.spectral import complex_eig, complex_eigvals
from rules.python.higher_order import (
    counted,
    first_of,
    first_or,
    keys_of,
    largest_by,
    least_by,
    listing,
    sorted_by,
    sorted_numbers,
)
from rules.sequences import backwards, largest, smallest

ZERO, NONE, EMPTY, FALSE = Known(0), Known(None), Known(""), Known(False)


# ------------------------------------------------------------------------------------ builtins of structure
def _len(self: Any, node: Any, x: Any) -> Any:
    if isinstance(x, View):
        return Known(len(self.iterate(x, node)))
    if isinstance(x, tuple | list | dict):
        return Known(len(x))
    if isinstance(x, ListOf):
        return self.emit(length, next(leaves(x.element)))
    if isinstance(x, Known) and hasattr(x.value, "__len__"):
        return Known(len(x.value))
    kind = x.kind if isinstance(x, Value) else None
    if isinstance(x, Known) or (isinstance(kind, Num | Array) and not kind.ndim):
        cls = type(x.value) if isinstance(x, Known) else kind.type if isinstance(kind, Num) else None
        self.raise_here(
            TypeError, f"object of type '{spelled(cls)}' has no len()" if cls else "len() of unsized object"
        )
        raise self.refuse(node, f"len() of {describe(x)}, which has no elements",
                          "take the length of an array, a list or a tuple")  # fmt: skip
    return self.emit(length, x)


def _range(self: Any, node: Any, *args: Any) -> Any:
    operands = [self.operand(a) for a in args]
    if any(isinstance(a, Known) and is_object(a.value) for a in args):
        raise self.refuse(node, f"range of {' and '.join(map(describe, args))} is not supported", "pass ints")
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


def _once(elements: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin that gives an iterator: what it reads is read when the iterator is."""

    def call(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
        return self.once((*args, *kwargs.values()), lambda: elements(self, node, *args, **kwargs))

    return call


def _enumerate(self: Any, node: Any, x: Any, start: Any = ZERO) -> Any:
    if isinstance(x, Generated):
        return self.follow("enumerate", counted, (x, start), {}, node)
    return _numbered(self, node, x, start)


@_once
def _numbered(self: Any, node: Any, x: Any, start: Any = ZERO) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, list):
        first = self.static(start, node, "the start of enumerate")
        return [(Known(first + i), d) for i, d in enumerate(it)]
    n = self.emit(length, it.sequences[0])
    index = _range(self, node, n) if isinstance(start, Known) and start.value == 0 \
        else _range(self, node, start, self.emit(operator.add, start, n))  # fmt: skip
    index.kind = Seq(Num(int), range=True, length=it.length)
    return Iteration([index, *it.sequences], lambda items: (items[0], it.element(items[1:])), it.length)


@_once
def _zip(self: Any, node: Any, *xs: Any, strict: Any = None) -> Any:
    its = [self.iterate(x, node) for x in xs]
    if strict is not None and self.static(strict, node, "the argument strict of zip") and not self.equally_long(its):
        raise self.refuse(node, "zip(strict=True) of what is not known to be equally long",
                          "leave strict out, and assert that the lengths agree")  # fmt: skip
    return self.zip_(its, node)


@_once
def _reversed(self: Any, node: Any, x: Any) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, list):
        return it[::-1]
    turn = Known(slice(None, None, -1))  # rows of an array may be changed: they are rows of a view
    sequences = [
        self.emit(operator.getitem, s, turn) if isinstance(kind_of_operand(s), Array) else self.emit(backwards, s)
        for s in it.sequences
    ]
    return Iteration(sequences, it.element, it.length)


def _next(self: Any, node: Any, x: Any, *default: Any) -> Any:
    if not isinstance(x, Once):
        return NotImplemented
    return self.follow("next", first_or if default else first_of, (x, *default), {}, node)


def _tuple_or_list(kind: type) -> Callable[..., Any]:
    def convert(self: Any, node: Any, x: Any = ()) -> Any:
        if kind is list and (isinstance(x, ListOf) or (isinstance(x, Value) and not isinstance(x.kind, Array | Num))):
            ranges = isinstance(x, Value) and (not isinstance(x.kind, Seq) or x.kind.range)
            return x if ranges else rebuild(x, lambda v: self.emit(listed, v, hint=v.hint))
        made = self.defs.get(x) if isinstance(x, Value) else None
        if kind is tuple and made is not None and made.target is range and all(type(a) is int for a in made.args):
            return tuple(map(Known, range(*made.args)))
        it = self.iterate(x, node, at_once=True)
        if isinstance(x, Once) and isinstance(it, Iteration) and kind is list:
            return self.follow("list", listing, (it,), {}, node)
        return kind(it if isinstance(it, list) else self.elements(it, node))

    return convert


def _dict(self: Any, node: Any, x: Any = None, /, **kwargs: Any) -> Any:
    if x is None:
        return dict(kwargs)
    if isinstance(x, dict):
        return {**x, **kwargs}
    it = self.iterate(x, node, at_once=True)
    if not isinstance(it, list):
        raise self.refuse(node, "a dict of unknown size is not supported", "write its keys out")
    return {**{self.static(k, node, "the key of a dict"): v for k, v in it}, **kwargs}


def _sum(self: Any, node: Any, x: Any, start: Any = ZERO) -> Any:
    it = self.iterate(x, node, at_once=True)
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
        nothing = isinstance(total, Known) and type(total.value) is int and total.value == 0
        first = nothing and isinstance(d, Value) and isinstance(d.kind, Num | Array) and d.kind.dtype.kind != "b"
        total = d if first else self.binary(operator.add, total, d, node)
    return total


def _better(self: Any, f: Any, best: Any, d: Any, node: Any) -> Any:
    """The one of two that `max` or `min` picks, as Python does: what is no number asks which, and is itself."""
    test = self.truth(self.compare(gast.Gt() if f is max else gast.Lt(), d, best, node), node)
    return self.fork(test, lambda: d, lambda: best, self.loc(node))


def _extremum(f: Any) -> Callable[..., Any]:
    def pick(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
        default = kwargs.pop("default", None)
        if "key" in kwargs and default is None:
            items: Any = list(args) if len(args) > 1 else args[0]
            items = self.follow("list", listing, (items,), {}, node) if isinstance(items, Once) else items
            items = list(map(Known, items)) if isinstance(items, dict) else items
            return self.follow(f.__name__, largest_by if f is max else least_by, (items, kwargs["key"]), {}, node)
        if kwargs:
            raise self.refuse(node, f"{f.__name__} with {', '.join(kwargs)} is not supported",
                              "write the comparison out with `if`")  # fmt: skip
        items = list(args)
        if len(args) == 1:
            it = self.iterate(args[0], node, at_once=True)
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
        if all(isinstance(d, Known) and isinstance(d.value, int | float) for d in items):
            return Known(f(d.value for d in items))
        kinds = [category(kind_of_operand(self.operand(d))) for d in items]
        if 0 <= min(kinds) < max(kinds) == 2:  # one of ints and floats is a float
            items = [d if k == 2 else self.emit(float, d) for d, k in zip(items, kinds, strict=True)]
        best = items[0]
        if on_device(items):
            for d in items[1:]:
                best = _better(self, f, best, d, node)
            return best
        for d in items[1:]:
            best = self.emit(f, best, d)
        if isinstance(best, Value) and min(kinds) < max(kinds) == 2:
            self.lowest[best] = min(kinds)
        return best

    return pick


def _numbers(self: Any, it: Iteration) -> Any:
    """The list or array of numbers that a loop would read; None if there is none."""
    whole = it.sequences[0]
    numbers = isinstance(whole, Value) and isinstance(self.element_kind(whole.kind), Num)
    return whole if numbers and len(it.sequences) == 1 and it.element([whole]) is whole else None


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
            t = t if kind_of_operand(t) == Num(bool) else self.emit(bool, t)
            result = (
                t if isinstance(result, Known) else self.emit(operator.or_ if stop_at else operator.and_, result, t)
            )
        return result

    return test


def _print(self: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
    if any(isinstance(x, Deque) for x in args):
        raise self.refuse(node, "a deque is printed, which is not supported", "print a list of it: list(...)")
    self.builder.effect(print, *map(self.operand, args), **{k: self.operand(v) for k, v in kwargs.items()})
    return Known(None)


def _map(self: Any, node: Any, f: Any, *xs: Any) -> Any:
    if not all(isinstance(x, tuple | list) for x in xs):
        return NotImplemented

    def elements() -> list[Any]:
        rows = self.zip_([self.iterate(x, node) for x in xs], node)
        return [self.call(f, tuple(row), {}, node) for row in rows]

    return self.once((f, *xs), elements)


def _sorted(self: Any, node: Any, x: Any, key: Any = NONE, reverse: Any = FALSE) -> Any:
    """By numbers; of what is known when compiling, such as the keys of a dict, by any."""
    items = self.follow("list", listing, (x,), {}, node) if isinstance(x, Once) else x
    items = list(map(Known, items)) if isinstance(items, dict) else items
    plain = isinstance(key, Known) and key.value is None
    turned = self.static(reverse, node, "the argument reverse of sorted")
    if isinstance(items, Known) and isinstance(items.value, frozenset | dict):
        items = list(map(Known, items.value))
    settled = isinstance(items, tuple | list) and all(isinstance(d, Known) and not is_object(d.value) for d in items)
    if plain and settled:
        return [Known(v) for v in sorted((d.value for d in items), reverse=turned)]
    if isinstance(items, tuple | list) and any(isinstance(d, Record) for d in items):
        if plain:
            raise self.refuse(node, "sorted compares objects here, which is not supported",
                              "give it a key that is known when compiling: key=lambda o: ...")  # fmt: skip
        keys = [self.static(self.call(key, (d,), {}, node), node, "what objects are sorted by",
                            "sort the numbers, or by a number that is no part of the gradient's way")
                for d in items]  # fmt: skip
        return [items[i] for i in sorted(range(len(keys)), key=keys.__getitem__, reverse=turned)]
    known = _known_keys(self, items, None if plain else key, node)
    if known is not None:
        return [items[i] for i in sorted(range(len(known)), key=known.__getitem__, reverse=turned)]
    if not plain and isinstance(items, tuple | list) and items:
        items = self.opened(list(items), items[0], "what is sorted", node)
    keys = items if plain else self.follow("sorted", keys_of, (items, key), {}, node)
    if not _of_numbers(self, keys):
        raise self.refuse(node, "sorted compares what are no numbers here, which is not supported",
                          "give it a key that is a number: sorted(xs, key=lambda x: ...)")  # fmt: skip
    if plain:
        return self.follow("sorted", sorted_numbers, (items, Known(turned)), {}, node)
    return self.follow("sorted", sorted_by, (items, keys, Known(turned)), {}, node)


def _known_keys(self: Any, items: Any, key: Any, node: Any) -> list[Any] | None:
    """What a few tuples, or others by a key, are sorted by, if that is known when compiling; None if it is not.

    Tuples are compared by their first elements where these differ.
    """
    if not isinstance(items, tuple | list) or not items or not all(isinstance(d, tuple) and d for d in items):
        return None
    keys = []
    for d in items:
        k = d[0] if key is None else self.call(key, (d,), {}, node)
        if not isinstance(k, Known) or not isinstance(k.value, str | int | float):
            return None
        keys.append(k.value)
    comparable = len({isinstance(k, str) for k in keys}) == 1
    return keys if comparable and (key is not None or len(set(keys)) == len(keys)) else None


def _of_numbers(self: Any, d: Any) -> bool:
    """Are these numbers, in an array of one axis or a list?"""
    if isinstance(d, tuple | list):
        kinds = [kind_of_operand(self.operand(x)) if isinstance(x, Value | Known) else None for x in d]
        return all(isinstance(k, Num) for k in kinds)
    if not isinstance(d, Value):
        return False
    return (
        d.kind.ndim == 1 if isinstance(d.kind, Array) else isinstance(d.kind, Seq) and isinstance(d.kind.element, Num)
    )


def _size(self: Any, node: Any, x: Any, axis: Any = NONE) -> Any:
    if not isinstance(x, Value) or not isinstance(x.kind, Array | Num):
        return NotImplemented
    if isinstance(axis, Known) and axis.value is None:
        return Known(1) if isinstance(x.kind, Num) else self.attribute(x, "size", node)
    return self.call(Known(np.shape), (x,), {}, node)[self.static(axis, node, "the axis of np.size")]


def _issubdtype(self: Any, node: Any, a: Any, b: Any) -> Any:
    return Known(bool(np.issubdtype(self.static(a, node, "a dtype"), self.static(b, node, "a dtype"))))


def _of_dtypes(f: Any) -> Callable[..., Any]:
    """A function of dtypes, which are known when compiling, of arrays too."""

    def known(self: Any, node: Any, *args: Any) -> Any:
        plain = []
        for x in args:
            if isinstance(x, Value) and isinstance(x.kind, Num) and x.kind.python:
                plain.append(x.kind.type(0))  # which is weak
            elif isinstance(x, Value) and isinstance(x.kind, Num | Array):
                plain.append(x.kind.dtype)
            elif isinstance(x, Known):
                plain.append(x.value)
            else:
                return NotImplemented
        try:
            return Known(f(*plain))
        except TypeError as error:
            raise self.refuse(node, f"np.{f.__name__} raises TypeError: {error}", "write the dtype itself") from None

    return known


def _str(self: Any, node: Any, x: Any = EMPTY) -> Any:
    if isinstance(x, Known) and is_object(x.value):  # as it is when it is called
        return self.emit(str.format, Known("{}"), x)
    return (
        Known(str(x.value))
        if isinstance(x, Known)
        else Known(str(self.static(x, node, "what is turned into a string")))
    )


def _slice(self: Any, node: Any, *args: Any) -> Any:
    return slice(*([Known(None), *args, Known(None)] if len(args) == 1 else [*args, Known(None)][:3]))


def _piecewise(self: Any, node: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.piecewise` as NumPy computes it: each function of the elements that are its own, stored where these are."""
    if not isinstance(x, Value) or not isinstance(x.kind, Array) or not x.kind.ndim:
        raise self.refuse(node, "np.piecewise of what is no array of one axis or more is not supported",
                          "choose with `if`")  # fmt: skip
    if isinstance(condlist, Value) and isinstance(condlist.kind, Array) and condlist.kind.ndim == x.kind.ndim:
        condlist = [condlist]
    if not isinstance(condlist, tuple | list) or not isinstance(funclist, tuple | list) or not condlist:
        raise self.refuse(node, "np.piecewise of lists that are not written out is not supported",
                          "write the conditions and the functions in lists")  # fmt: skip
    masks = list(condlist)
    if len(funclist) == len(masks) + 1:
        others = masks[0]
        for mask in masks[1:]:
            others = self.emit(np.logical_or, others, mask)
        masks.append(self.emit(np.logical_not, others))
    if len(funclist) != len(masks):
        raise self.refuse(node, f"np.piecewise has {len(condlist)} conditions and {len(funclist)} functions",
                          "give as many, or one function more for the rest")  # fmt: skip
    y = self.emit(np.zeros_like, x)
    for mask, f in zip(masks, funclist, strict=True):
        kind = kind_of_operand(self.operand(mask))
        if not isinstance(kind, Array) or kind.dtype != bool or not same_shape(kind, x.kind):
            raise self.refuse(node, "np.piecewise of a condition that is no mask of the shape of its array is not "
                              "supported", "write comparisons of the array")  # fmt: skip
        called = isinstance(f, Closure | Method) or (isinstance(f, Known) and callable(f.value))
        value = self.call(f, (self.emit(operator.getitem, x, mask), *args), kwargs, node) if called else f
        self.check_cast(kind_of_operand(self.operand(value)).dtype, x.kind.dtype, node)
        y = self.emit(update, y, (mask,), "set", value)
    return y


def _apply_over_axes(self: Any, node: Any, func: Any, a: Any, axes: Any) -> Any:
    """The function of one axis after the other; an axis that it takes away is put back with length 1."""
    given = self.static(axes, node, "the axes of np.apply_over_axes")
    for axis in given if isinstance(given, tuple | list) else (given,):
        ndim = kind_of_operand(self.operand(a)).ndim
        k = axis + ndim if axis < 0 else axis
        reduced = self.call(func, (a, Known(k)), {}, node)
        rank = kind_of_operand(self.operand(reduced)).ndim
        if rank not in (ndim, ndim - 1):
            raise self.refuse(node, f"np.apply_over_axes of a function that makes {rank} axes of {ndim}",
                              "give it a reduction over one axis, such as np.sum")  # fmt: skip
        a = reduced if rank == ndim else self.emit(np.expand_dims, reduced, Known(k))
    return a


def _complex(f: Callable[..., Any]) -> Callable[..., Any]:
    """Of a real matrix the dtype of eigenvalues would depend on what they are: `f` gives complex ones."""

    def call(self: Any, node: Any, a: Any) -> Any:
        known = isinstance(a, Value) and isinstance(a.kind, Array) and a.kind.dtype.kind == "c"
        return NotImplemented if known else self.call(Known(f), (a,), {}, node)

    return call


STRUCTURAL: dict[Any, Callable[..., Any]] = {
    len: _len, range: _range, enumerate: _enumerate, zip: _zip, reversed: _reversed,
    tuple: _tuple_or_list(tuple), list: _tuple_or_list(list), dict: _dict, sum: _sum,
    max: _extremum(max), min: _extremum(min), all: _all_any(False), any: _all_any(True), print: _print,
    next: _next, map: _map, sorted: _sorted, np.size: _size,
    np.issubdtype: _issubdtype, str: _str, slice: _slice, np.piecewise: _piecewise,
    np.apply_over_axes: _apply_over_axes,
    **{f: _of_dtypes(f) for f in (np.result_type, np.promote_types, np.can_cast)},
    np.linalg.eig: _complex(complex_eig), np.linalg.eigvals: _complex(complex_eigvals),
    **VIEWS, **WRAPPERS, **PADDED, **REWRITTEN, **PATTERNS, **COLLECTED, **INTROSPECTION,
}  # fmt: skip
#: Those that tell of kinds, lengths and names alone: what they give has no derivative.
CONSTANTS = frozenset({
    len, range, isinstance, callable, print, hasattr, type, str, slice, np.shape, np.ndim, np.size, np.issubdtype,
    np.isscalar, np.result_type, np.promote_types, np.can_cast,
})  # fmt: skip
