"""What the arguments of a function have to be that was compiled ahead of time, tested where it is entered.

A function that is compiled while it runs is compiled again for arguments of other kinds. One in a module is what
it is: its signature says what it was made for, and anything else is a TypeError.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rules.arrays import is_array, library_of
from rules.kind import SHORT, Array, Guard, Length, Num, Seq

_DTYPES = {short: np.dtype(long) for long, short in SHORT.items()}
_PYTHON: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}


@dataclass(frozen=True)
class _Constant:
    """An argument that decided what the code is: this value and no other."""

    value: Any

    def __str__(self) -> str:
        return repr(self.value)


class Signature:
    """The kinds of a function's arguments, by name, and what has to hold of their lengths.

    A kind is a text: "f64[n,m]", "f32[n,1]", "i64[]" are arrays, "f64[n]@cupy" is one of CuPy, "f64" is a NumPy number,
    "float", "int", "bool" and "complex" are Python's, and a text that is a literal, such as "'relu'" or "None", is that
    constant. Tuples and dicts hold kinds; the keys of a dict are in order. `[kind]` is a list of any length, and
    `[kind, "n"]` one of n elements. Equal names are equal lengths, and no axis whose length has a name is of length 1;
    "?" is any length.

    >>> signature = Signature("loss_grad", {"w": "f64[m]", "X": "f64[n,m]"}, "n >= 2")
    >>> signature.check(np.ones(3), np.ones((5, 3)))
    >>> signature.check(np.ones(3), np.ones((5, 4)))
    Traceback (most recent call last):
    TypeError: loss_grad() got arguments that it was not compiled for
      expected w: f64[m], X: f64[n,m] with n >= 2
      got      w: f64[3], X: f64[5,4]
      axis 1 of X has length 4, and m is 3
    """

    def __init__(self, name: str, kinds: dict[str, Any], *guards: str) -> None:
        self.name = name
        self.kinds = {parameter: _parsed(kind) for parameter, kind in kinds.items()}
        self.guards = [_guard(text) for text in guards]

    def __str__(self) -> str:
        guards = f" with {', '.join(map(str, self.guards))}" if self.guards else ""
        return _by_name(self.kinds, self.kinds.values(), _said) + guards

    def fits(self, *args: Any) -> bool:
        """Was the function compiled for these arguments, one for each parameter?"""
        return not self.problem(*args)

    def check(self, *args: Any) -> None:
        """Raises TypeError unless the function was compiled for these arguments, one for each parameter."""
        if self.problem(*args):
            raise mismatch(args, self)

    def problem(self, *args: Any) -> str:
        """The first thing that is wrong with these arguments, or nothing."""
        sizes: dict[str, int] = {}
        for (name, kind), x in zip(self.kinds.items(), args, strict=True):
            if problem := _problem(kind, x, name, sizes):
                return problem
        for guard in self.guards:
            if not guard.holds(sizes):
                known = (f"{s} is {sizes[s]}" for s in dict.fromkeys((guard.left.symbol, guard.right.symbol)) if s)
                return f"{guard} does not hold: {', '.join(known)}"
        return ""


def mismatch(args: Sequence[Any], *signatures: Signature) -> TypeError:
    """The error for arguments that none of a function's signatures fits."""
    first = signatures[0]
    lines = [f"{first.name}() got arguments that it was not compiled for", f"expected {first}"]
    lines += [f"      or {other}" for other in signatures[1:]]
    got = [_got(x, kind) for x, kind in zip(args, first.kinds.values())]
    lines.append(f"got      {_by_name(first.kinds, got, str)}")
    if len(signatures) == 1:
        lines.append(first.problem(*args))
    return TypeError("\n  ".join(lines))


# ---------------------------------------------------------------------------------------- reading kinds
def _parsed(kind: Any) -> Any:
    if isinstance(kind, tuple):
        return tuple(map(_parsed, kind))
    if isinstance(kind, dict):
        return {key: _parsed(item) for key, item in kind.items()}
    if isinstance(kind, list):
        return Seq(_parsed(kind[0]), length=_length(kind[1]) if len(kind) > 1 else None)
    name, bracket, rest = kind.partition("[")
    if bracket and name in _DTYPES:
        axes, _, library = rest.partition("]")
        lengths = tuple(map(_length, filter(None, axes.split(","))))
        return Array(_DTYPES[name], lengths, library.removeprefix("@") or "numpy")
    if name in _PYTHON:
        return Num(_PYTHON[name])
    return Num(_DTYPES[name].type) if name in _DTYPES else _Constant(ast.literal_eval(kind))


def _length(text: str) -> Length:
    """`n`, `n-1`, `3`, `?`."""
    match = re.fullmatch(r"(\?|[^\W\d]\w*)?([+-]?\d+)?", text.strip())
    assert match is not None, text
    return Length(match[1], int(match[2] or 0))


def _guard(text: str) -> Guard:
    left, op, right = text.split()
    return Guard(op, _length(left), _length(right))


# ------------------------------------------------------------------------------------- testing arguments
def _problem(kind: Any, x: Any, where: str, sizes: dict[str, int]) -> str:
    """Why `x` is not of this kind, or nothing; learns what the named lengths are."""
    if isinstance(kind, Array):
        exact = library_of(x) == kind.xp
        if not exact or x.dtype != kind.dtype or len(shape := x.shape) != len(kind.shape):
            return f"{where} is {_got(x)}, not {kind}"
        for axis, (length, size) in enumerate(zip(kind.shape, shape)):
            if problem := _other_length(length, size, sizes):
                return f"axis {axis} of {where} has length {size}, and {problem}"
        return ""
    if isinstance(kind, Num):
        fits = type(x) is kind.type if kind.python else isinstance(x, np.generic) and x.dtype == kind.dtype
    elif isinstance(kind, _Constant):
        fits = type(x) is type(kind.value) and repr(x) == repr(kind.value)  # -0.0 is not 0.0, nan is nan
    elif isinstance(kind, Seq):
        if fits := type(x) is list:
            if kind.length is not None and (problem := _other_length(kind.length, len(x), sizes, False)):
                return f"{where} has length {len(x)}, and {problem}"
            return _first_problem(((kind.element, item, f"{where}[{i}]") for i, item in enumerate(x)), sizes)
    elif isinstance(kind, dict):
        if fits := type(x) is dict and list(x) == list(kind):
            return _first_problem(((kind[key], x[key], f"{where}[{key!r}]") for key in kind), sizes)
    elif fits := type(x) is tuple and len(x) == len(kind):
        return _first_problem(((k, item, f"{where}[{i}]") for i, (k, item) in enumerate(zip(kind, x))), sizes)
    return "" if fits else f"{where} is {_got(x, kind)}, not {_said(kind)}"


def _first_problem(items: Any, sizes: dict[str, int]) -> str:
    return next(filter(None, (_problem(kind, x, where, sizes) for kind, x, where in items)), "")


def _other_length(length: Length, size: int, sizes: dict[str, int], axis: bool = True) -> str:
    """What a length should be, where it is not; a name that is met for the first time means what is found."""
    symbol, offset = length.symbol, length.offset
    if symbol is None:
        return "" if size == offset else f"is to be {offset}"
    if symbol == "?":
        return ""
    n = sizes.setdefault(symbol, size - offset)
    if n == 1 and axis:
        return f"{symbol} is not to be 1"
    return "" if n >= 0 and size == n + offset else f"{symbol} is {n}"


# ------------------------------------------------------------------------------------------- in words
def _by_name(names: Any, items: Any, said: Any) -> str:
    return ", ".join(f"{name}: {said(item)}" for name, item in zip(names, items, strict=True))


def _said(kind: Any) -> str:
    """A kind as it is written in a signature."""
    if isinstance(kind, tuple):
        return f"({', '.join(map(_said, kind))}{',' * (len(kind) == 1)})"
    if isinstance(kind, dict):
        return "{" + ", ".join(f"{key!r}: {_said(item)}" for key, item in kind.items()) + "}"
    return f"[{_said(kind.element)}]" if isinstance(kind, Seq) else str(kind)


def _got(x: Any, wanted: Any = None) -> str:
    """What a value is, in the words of signatures where there are any for it; a value where one is wanted."""
    if isinstance(wanted, _Constant) and (x is None or type(x) in (*_PYTHON.values(), str, bytes)):
        return repr(x)
    if isinstance(x, tuple) and type(x) is tuple:
        return f"({', '.join(map(_got, x))}{',' * (len(x) == 1)})"
    if type(x) is dict:
        return "{" + ", ".join(f"{key!r}: {_got(item)}" for key, item in x.items()) + "}"
    if type(x) is list:
        return f"[{', '.join(map(_got, x[:3]))}{', ...' if len(x) > 3 else ''}]"
    if isinstance(x, np.generic) or is_array(x):
        name = SHORT.get(x.dtype.name, x.dtype.name) if x.dtype.isnative else x.dtype.str
        if not is_array(x):
            return name
        library = library_of(x)
        where = f"@{library}" if library not in ("", "numpy") else ""
        return ("" if library else f"{type(x).__name__} ") + f"{name}[{','.join(map(str, x.shape))}]{where}"
    return type(x).__name__ if type(x) in _PYTHON.values() else repr(x) if isinstance(x, str | None) else _class(x)


def _class(x: Any) -> str:
    return f"of class {type(x).__name__}"
