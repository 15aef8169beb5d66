"""Functions and methods that write into an array: what they compute, and a store of it.

np.add(a, b, out=c); a.fill(0.0)       ->       %c2 = update(%c, ..., set, %a + %b); %a2 = update(%a, ..., set, 0.0)
"""

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.flat import FlatStores
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.scope import Method
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Value
from adcompiler.ir.library import of
from rules import find, find_method
from rules.cotangent import length, size
from rules.kind import ONE, Array, Num
from rules.libraries import hashable

_WHOLE = (Known(Ellipsis),)
_NONE, _RAISE = Known(None), Known("raise")


class Writers(FlatStores):
    """Lowers calls that write into an argument."""

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        target: Any = None
        function = self.of_numpy(function, args, kwargs)
        if isinstance(function, Method) and is_array(function.owner):
            write = METHODS.get(function.name)
            if write is not None:
                return self.written(write, (function.owner, *args), kwargs, node)
            rule = find_method("ndarray." + function.name)
        else:
            target = function.value if isinstance(function, Known) and hashable(function.value) else None
            write = _writer(target)
            if write is not None:
                return self.written(write, args, kwargs, node)
            rule = find(target)
        if rule is not None:
            args, kwargs, out = _taken_out(target, args, kwargs)
            if out is not None:
                return self.into(out, function, args, kwargs, node)
        return super().call(function, args, kwargs, node)

    def written(self, write: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """A call of a function that writes into its first argument."""
        try:
            inspect.signature(write).bind(self, node, *args, **kwargs)
        except TypeError as error:
            raise self.refuse(node, f"this raises TypeError: {error}", "give the arguments that it has") from None
        return write(self, node, *args, **kwargs)

    def into(self, out: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """`function(*args, out=out)`; the array that is written."""
        if isinstance(out, tuple) and len(out) == 1:
            out = out[0]
        if not is_array(out):
            raise self.refuse(node, f"out= is {describe(out)}, and not an array",
                              "give it an array of the shape of the result")  # fmt: skip
        where = kwargs.pop("where", None)
        result = self.call(function, args, kwargs, node)
        if not isinstance(result, Value) or not isinstance(result.kind, Num | Array):
            raise self.refuse(node, "out= of a function with several results is not supported",
                              "assign what it returns: y[...], z[...] = ...")  # fmt: skip
        if where is not None:
            result = self.call(Known(np.where), (where, result, out), {}, node)
        if not self.spreads(function, result, out):
            self.check_in_place(out, result, "out", node)
        self.check_cast(result.kind.dtype, out.kind.dtype, node)
        return self.stored(out, _WHOLE, "set", result, node)

    def spreads(self, function: Any, result: Value, out: Value) -> bool:
        """Does NumPy broadcast the result of this function to the shape of `out`, where that may be larger?"""
        mine, theirs = out.kind.shape[::-1], result.kind.shape[::-1]
        target = function.value if isinstance(function, Known) else function.name
        ufunc = isinstance(target, np.ufunc) and not target.signature or target in (np.clip, "clip")
        pairs = zip(mine, theirs, strict=False)
        larger = any(self.env.resolve(a) == ONE and not self.env.may_be_one(b) for a, b in pairs)
        return ufunc and len(theirs) <= len(mine) and not larger

    def stored(self, v: Any, path: tuple[Any, ...], kind: str, d: Any, node: Any) -> Any:
        """Store `d` at `path` of an array that a call has been given; the array after that."""
        if not is_array(v):
            raise self.refuse(node, f"this writes into {describe(v)}, which is no array", "give it an array")
        seen = self.change(v, path, kind, d, self.name_of(v), node)
        return self.seen(seen, seen.root)

    def name_of(self, v: Value) -> str:
        """What the program calls an array."""
        return next((label for f, label, x, _ in self.places() if x is v and f is self.frame), v.hint or "the array")


def is_array(d: Any) -> bool:
    return isinstance(d, Value) and isinstance(d.kind, Array)


def _taken_out(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
    """The arguments of a call without `out`, and that; None where it has none."""
    if "out" in kwargs:
        out = kwargs["out"]
        kwargs = {k: d for k, d in kwargs.items() if k != "out"}
        return args, kwargs, None if isinstance(out, Known) and out.value is None else out
    place = _place_of_out(target)
    if place is None or len(args) <= place:
        return args, kwargs, None
    out = args[place][0] if isinstance(args[place], tuple) and len(args[place]) == 1 else args[place]
    return (args[:place], kwargs, out) if is_array(out) and len(args) == place + 1 else (args, kwargs, None)


def _place_of_out(target: Any) -> int | None:
    """Which positional argument of a function is the array that it writes; None where it is given by name alone."""
    if isinstance(target, np.ufunc):
        return target.nin
    return _named_out(target) if getattr(target, "__module__", "").partition(".")[0] == "numpy" else None


@functools.lru_cache(1024)
def _named_out(target: Any) -> int | None:
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return None
    places = [i for i, p in enumerate(parameters) if p.name == "out" and p.kind is not p.KEYWORD_ONLY]
    return places[0] if places and all(p.kind is not p.VAR_POSITIONAL for p in parameters[: places[0]]) else None


# ------------------------------------------------------------------------------------------- functions that write
def _fill(self: Any, node: Any, a: Any, value: Any) -> Any:
    self.stored(a, _WHOLE, "set", value, node)
    return Known(None)


def _copyto(self: Any, node: Any, dst: Any, src: Any, casting: Any = None, where: Any = None) -> Any:
    if casting is None and is_array(dst):
        self.check_cast(kind_of_operand(self.operand(src)).dtype, dst.kind.dtype, node)
    if where is not None:
        src = self.call(Known(np.where), (where, src, dst), {}, node)
    self.stored(dst, _WHOLE, "set", src, node)
    return Known(None)


def _at(kind: str) -> Callable[..., Any]:
    def at(self: Any, node: Any, a: Any, indices: Any, b: Any) -> Any:
        if is_array(a):
            self.check_cast(kind_of_operand(self.operand(b)).dtype, a.kind.dtype, node)
        self.stored(a, (indices,), kind, b, node)
        return Known(None)

    return at


def _sorted(function: Any) -> Callable[..., Any]:
    def sort(self: Any, node: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
        self.stored(a, _WHOLE, "set", self.call(Known(function), (a, *args), kwargs, node), node)
        return Known(None)

    return sort


def _masked(self: Any, node: Any, a: Any, mask: Any, values: Any, by_place: bool) -> Any:
    """Values where a mask is true: each for its place in the array, or else one after the other, and again."""
    if not is_array(a):
        raise self.refuse(node, f"this writes into {describe(a)}, which is no array", "give it an array")
    array = of(np.array, a)
    mask = self.emit(array, mask) if isinstance(mask, list | tuple) else mask
    values = self.emit(array, list(values)) if isinstance(values, list | tuple) else values
    kind = kind_of_operand(self.operand(mask))
    if kind.dtype.kind != "b":
        mask = self.emit(np.not_equal, mask, Known(0))
    if isinstance(kind, Array) and kind.ndim != a.kind.ndim:
        mask = self.emit(np.reshape, mask, self.attribute(a, "shape", node))

    def store() -> None:
        there = a if by_place else self.emit(operator.getitem, a, mask)
        found = self.filling(values, there, self.name_of(a), node)
        if by_place and is_array(found) and found.kind.ndim:
            found = self.emit(operator.getitem, found, mask)
        self.stored(a, (mask,), "set", found, node)

    if by_place:
        self.unless_empty(values, store, node)
    else:
        store()  # NumPy raises where there are no values, and so does this
    return Known(None)


def _place(self: Any, node: Any, arr: Any, mask: Any, vals: Any) -> Any:
    return _masked(self, node, arr, mask, vals, by_place=False)


def _putmask(self: Any, node: Any, a: Any, mask: Any, values: Any) -> Any:
    return _masked(self, node, a, mask, values, by_place=True)


def _put(self: Any, node: Any, a: Any, ind: Any, v: Any, mode: Any = _RAISE) -> Any:
    """Values at places in the order of C: fewer values are repeated, of more the first are taken."""
    how = self.static(mode, node, "the argument mode of put")
    if not is_array(a):
        raise self.refuse(node, f"this writes into {describe(a)}, which is no array", "give it an array")
    array = of(np.array, a)
    places = self.emit(array, ind) if isinstance(ind, list | tuple) else ind
    kind = kind_of_operand(self.operand(places))
    if not isinstance(kind, Num | Array) or kind.dtype.kind not in "iu":
        raise self.refuse(node, f"the places of put are {describe(ind)}", "give them as integers")
    if how != "raise":
        n = self.emit(size, a)
        last = self.emit(operator.sub, n, Known(1))
        places = self.emit(np.mod, places, n) if how == "wrap" else self.emit(np.clip, places, Known(0), last)
    if isinstance(kind, Array) and not kind.ndim:
        places = self.emit(operator.getitem, places, Known(()))
    values = self.emit(array, list(v)) if isinstance(v, list | tuple) else v
    self.scattered(a, places, values, self.name_of(a), node, cut=True)
    return Known(None)


def _put_method(self: Any, node: Any, a: Any, indices: Any, values: Any, mode: Any = _RAISE) -> Any:
    return _put(self, node, a, indices, values, mode)


def _put_along_axis(self: Any, node: Any, arr: Any, indices: Any, values: Any, axis: Any = _NONE) -> Any:
    k = self.static(axis, node, "the argument axis of put_along_axis")
    if k is None or not is_array(arr):
        raise self.refuse(node, "np.put_along_axis without an axis is not supported", "write a.flat[indices] = values")
    ndim = arr.kind.ndim
    index = tuple(indices if i == k % ndim else self.along(arr, i, i, ndim) for i in range(ndim))
    self.stored(arr, (index[0] if ndim == 1 else index,), "set", values, node)
    return Known(None)


def _fill_diagonal(self: Any, node: Any, a: Any, val: Any, wrap: Any = None) -> Any:
    kind = kind_of_operand(self.operand(val))
    if wrap is not None or not is_array(a) or a.kind.ndim < 2 or (isinstance(kind, Array) and kind.ndim):
        raise self.refuse(node, "np.fill_diagonal is of a number and an array of two axes or more here",
                          "write a loop: for i in range(n): y[i, i] = value")  # fmt: skip
    n = self.emit(length, a, Known(0))
    for k in range(1, a.kind.ndim):
        n = self.emit(min, n, self.emit(length, a, Known(k)))
    index = self.emit(of(np.arange, a), n)
    self.stored(a, ((index,) * a.kind.ndim,), "set", val, node)
    return Known(None)


#: Methods of arrays that write into them.
METHODS: dict[str, Callable[..., Any]] = {
    "fill": _fill, "sort": _sorted(np.sort), "partition": _sorted(np.partition), "put": _put_method,
}  # fmt: skip
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.copyto: _copyto, np.place: _place, np.putmask: _putmask, np.fill_diagonal: _fill_diagonal,
    np.put: _put, np.put_along_axis: _put_along_axis,
}  # fmt: skip
_AT = {"add": _at("add"), "subtract": _at("sub")}


def _writer(f: Any) -> Callable[..., Any] | None:
    """How a function is lowered that writes into its first argument; None for others."""
    ufunc = getattr(f, "__self__", None)
    if isinstance(ufunc, np.ufunc):
        return _AT.get(ufunc.__name__) if f.__name__ == "at" else None
    return _FUNCTIONS.get(f) if f is not None else None
