"""The words of messages: what a value is called, and the way out where something is refused."""

import collections
import operator
from typing import Any

import numpy as np

from adcompiler.frontend.instances import is_object
from adcompiler.frontend.iterators import Once, View
from adcompiler.frontend.kinds import Deque, Elements, Known, ListOf, is_set
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Callback, Closure, Method
from adcompiler.ir.core import UNDEF, Value
from rules.kind import ONE, Array, Num, Opaque, Seq


def spelled(cls: type) -> str:
    """How Python calls a class in messages."""
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def describe(d: Any) -> str:
    """What a value is, with an article: "a number (f64)", "a dict with the keys 'w', 'b'"."""
    if d is UNDEF:
        return "unassigned"
    if isinstance(d, Known):
        return _constant(d.value)
    if isinstance(d, Value):
        kind = d.kind
        if isinstance(kind, Num):
            return f"a number ({kind})"
        if isinstance(kind, Opaque):
            return "a text of computed values" if kind == Opaque("str") else "what a function without a rule returned"
        return f"a list of any length ({kind})" if isinstance(kind, Seq) else f"an array ({kind})"
    if isinstance(d, Closure | Method | Callback):
        return f"the {'method' if isinstance(d, Method) else 'function'} {d.name}"
    if isinstance(d, ListOf):
        return "a list of any length"
    if isinstance(d, Record):
        return f"an object of class {d.cls.__name__}"
    if isinstance(d, slice):
        return "a slice"
    if isinstance(d, Once):
        return "a view of a dict" if isinstance(d, View) else "an iterator"
    if isinstance(d, dict):
        return f"a dict with the {_counted(len(d), 'key')} {', '.join(map(repr, d))}" if d else "an empty dict"
    if isinstance(d, Deque):
        return f"a deque of {len(d)} {_counted(len(d), 'element')}"
    return f"a {type(d).__name__} of {len(d)} {_counted(len(d), 'element')}" if isinstance(d, tuple | list) else "this"


def _constant(x: Any) -> str:
    if isinstance(x, str):
        return f"the string {x!r}"
    if x is None or isinstance(x, int | float | complex):
        return f"the constant {x!r}"
    if isinstance(x, Elements):
        return f"the set {{{', '.join(sorted(map(repr, x)))}}}" if x else "an empty set"
    if is_object(x):
        return f"an object of class {type(x).__name__}"
    if isinstance(x, slice):
        return "a slice"
    noun = "the class " if isinstance(x, type) else "the function " if callable(x) else "the object of class "
    return noun + getattr(x, "__name__", type(x).__name__)


def _counted(n: int, noun: str) -> str:
    return noun if n == 1 else noun + "s"


def noun(d: Any) -> str:
    """The class of a container, with an article."""
    return f"a {type(d).__name__}" if isinstance(d, tuple | list | dict) else describe(d)


#: How the operators are written.
SYMBOLS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.matmul: "@", operator.and_: "&", operator.or_: "|",
    operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>", operator.neg: "-", operator.pos: "+",
    operator.invert: "~", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
    operator.eq: "==", operator.ne: "!=",
}  # fmt: skip


def no_number(d: Any) -> str:
    """What to use in place of an operand that is neither a number nor an array; an empty text where it is one."""
    if isinstance(d, dict):
        return "use one of its items: d[key]"
    if isinstance(d, tuple | list):
        return "make an array of it, with np.array(...)"
    if isinstance(d, Closure | Method):
        return f"call it: {d.name}(...)"
    if isinstance(d, Record):
        return f"use one of its attributes, or give {d.cls.__name__} a method for the operator"
    if not isinstance(d, Known) or isinstance(d.value, int | float | complex | np.generic | np.ndarray):
        return ""
    if isinstance(d.value, str):
        return "use a number, or an f-string where a text is meant"
    if callable(d.value) and not isinstance(d.value, type):
        return f"call it: {getattr(d.value, '__name__', 'f')}(...)"
    return "use a number or an array"


def one_kind(a: Any, b: Any, where: str) -> str:
    """How a name becomes one thing `where` it is `a` and `b`."""
    if isinstance(a, dict) and isinstance(b, dict):
        return "give {name} one set of keys " + where
    if isinstance(a, Deque) and type(a) is type(b):
        return "begin with a deque that is full: deque([...], maxlen=n)"
    if isinstance(a, tuple | list) and type(a) is type(b):
        if "loop" in where:
            return "append to a list: {name} = [] before the loop, {name}.append(...) in it"
        return "give {name} one number of elements " + where
    if isinstance(a, Callback) and isinstance(b, Callback):
        return f"call {{name}} where the {a.name} is made, and keep what it returns"
    if all(isinstance(x, Closure) or (isinstance(x, Known) and callable(x.value)) for x in (a, b)):
        return "call each where it is chosen, and keep what it returns"
    if is_set(a) and is_set(b):
        return "keep what is tested as numbers, 0.0 or 1.0, in a dict with an item for each element"
    return "give {name} one kind " + where


#: The way out of a method that is not supported, by the class of its owner; `{x}` is the owner as it is written.
METHODS: dict[type, dict[str, str]] = {
    collections.Counter: {
        "most_common": "write sorted({x}.items(), key=lambda item: -item[1])",
        "total": "write sum({x}.values())",
    },
    dict: {
        "update": "write {x} = {{**{x}, ...}}",
        "setdefault": "write {x}[key] if key in {x} else default",
        "pop": "read {x}[key]; a dict without it is {{k: v for k, v in {x}.items() if k != key}}",
        "popitem": "read the item by its key",
        "move_to_end": "write {x}[key] = {x}.pop(key)",
        "clear": "make a new dict: {x} = {{}}",
        "fromkeys": "write the dict out",
    },
    list: {
        "append": "return what is to be appended, and append it where {x} is made, or build it with a comprehension",
        "extend": "return what is to be appended, and append it where {x} is made, or build it with a comprehension",
        "insert": "write {x} = [*{x}[:k], value, *{x}[k:]]",
        "pop": "read {x}[-1], and go on with {x}[:-1]",
        "clear": "make a new list: {x} = []",
        "reverse": "write {x} = {x}[::-1]",
        "sort": "make an array of it: np.sort(np.array({x}))",
        "remove": "make a list without it: [v for v in {x} if ...]",
        "index": "compare the elements in a loop",
        "count": "compare the elements in a loop",
        "copy": "write list({x})",
    },
    np.ndarray: {
        "sort": "write {x} = np.sort({x})",
        "fill": "write {x}[...] = value",
        "put": "write {x}[index] = values",
        "itemset": "write {x}[index] = value",
        "resize": "write {x}.reshape(...), or make a new array",
        "partition": "write {x} = np.sort({x})",
        "tolist": "use the array itself: it can be indexed, and a loop can read it",
        "view": "use {x} itself, or {x}.astype(dtype)",
        **dict.fromkeys(["getfield", "setfield", "byteswap"], "use {x} itself: its bits have no derivative"),
        **dict.fromkeys(
            "dump dumps tobytes tofile to_device setflags".split(), "call it outside of what is differentiated"
        ),
    },
}


def method_remedy(owner: type, name: str, text: str) -> str:
    """The way out of `text.name(...)`."""
    if name in METHODS.get(owner, {}):
        return METHODS[owner][name].format(x=text)
    if owner is np.ndarray and hasattr(np, name):
        return f"write np.{name}({text})"
    return "check the name" if not hasattr(owner, name) else "compute it from the elements"


#: The way out of functions without a rule that Python or NumPy writes otherwise.
FUNCTIONS = {
    "sorted": "sort an array: np.sort(x)",
    "locals": "name the variables",
    "copyto": "write y[...] = x",
    "fill_diagonal": "write a loop: for i in range(n): y[i, i] = value",
    "put": "write y[index] = values",
    "place": "write y[mask] = values",
    "putmask": "write y[mask] = values",
    "put_along_axis": "write y[index] = values",
    "shuffle": "draw a permutation outside, pass it as an argument, and index with it: y = y[order]",
    "permutation": "draw a permutation outside, pass it as an argument, and index with it: y = y[order]",
}

#: How `y[i] = ufunc(y[i], v)` is written shorter.
_AUGMENTED = {"add": "+=", "subtract": "-=", "multiply": "*=", "divide": "/=", "floor_divide": "//=",
              "remainder": "%=", "power": "**="}  # fmt: skip


def one_after_the_other(ufunc: np.ufunc, name: str, args: list[Any], texts: list[str]) -> str:
    """The way out of `ufunc.at(*args)`, which reads as `texts`: a loop where an element may be named twice."""
    base, indices = texts[0], texts[1]

    def store(index: str, values: str) -> str:
        place = f"{base}[{index}]"
        if ufunc.__name__ in _AUGMENTED and ufunc.nin == 2:
            return f"{place} {_AUGMENTED[ufunc.__name__]} {values}"
        return f"{place} = {name}({', '.join(filter(None, (place, values)))})"

    values = texts[2] if len(texts) > 2 else ""
    rank = _rank(args[0]) - 1
    once = not isinstance(args[1], tuple | list | Value)
    mask = isinstance(args[1], Value) and isinstance(args[1].kind, Num | Array) and args[1].kind.dtype.kind == "b"
    if once or mask or (isinstance(args[1], Value) and _rank(args[1]) == 0):
        return f"write {store(indices, values)}"
    known = not isinstance(args[1], tuple) and _rank(args[1]) == 1
    if known and (not values or _rank(args[2]) <= rank):
        return f"write a loop: for i in {indices}: {store('i', values)}"
    if known and _rank(args[2]) == rank + 1 and not _is_one(args[2]):
        return f"write a loop: for i, v in zip({indices}, {values}): {store('i', 'v')}"
    return f"write a loop over the indices and values, one after the other: {store('i, j', values and 'v')}"


def _rank(d: Any) -> int:
    """The number of axes of an array, or of what is written as one."""
    if isinstance(d, tuple | list):
        return 1 + max(map(_rank, d), default=0)
    kind = d.kind if isinstance(d, Value) else None
    return 1 if isinstance(kind, Seq) else kind.ndim if isinstance(kind, Array) else 0


def _is_one(d: Any) -> bool:
    """Is there one element along the first axis, which NumPy repeats?"""
    return len(d) == 1 if isinstance(d, tuple | list) else isinstance(d.kind, Array) and d.kind.shape[0] == ONE


#: Objects of NumPy that make arrays and indices of what they are indexed by, and what is written instead.
MAKERS = (
    (np.r_, "np.r_", "write np.concatenate([...]), with numbers in lists: np.concatenate([x, [1.0]])"),
    (np.c_, "np.c_", "write np.column_stack([...])"),
    (np.mgrid, "np.mgrid", 'write np.meshgrid(np.arange(...), np.arange(...), indexing="ij")'),
    (np.ogrid, "np.ogrid", "write np.arange(...), with new axes: np.arange(n)[:, None]"),
    (np.s_, "np.s_", "write the index where it is used, or slice(start, stop)"),
    (np.index_exp, "np.index_exp", "write the index where it is used, or slice(start, stop)"),
)

CONSTRUCTS = {
    "Yield": "collect the values in a list, and return that",
    "YieldFrom": "collect the values in a list, and return that",
    "Set": "use a tuple or a list",
    "SetComp": "use a list comprehension",
    "Await": "call it outside the function, and pass the result",
}
_NAMES = {
    "Yield": "`yield`", "YieldFrom": "`yield from`", "Await": "`await`", "GeneratorExp": "a generator expression",
    "SetComp": "a set comprehension", "DictComp": "a dict comprehension", "Set": "a set", "AsyncFor": "`async for`",
    "AsyncWith": "`async with`", "AsyncFunctionDef": "`async def`", "ClassDef": "a class", "Delete": "`del`",
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "Import": "an import inside a function",
    "ImportFrom": "an import inside a function", "Global": "`global`", "Nonlocal": "`nonlocal`",
    "Break": "`break`", "Continue": "`continue`", "Starred": "a starred expression", "Slice": "a slice",
}  # fmt: skip


def construct(node: Any) -> str:
    return _NAMES.get(type(node).__name__, f"`{type(node).__name__}`")
