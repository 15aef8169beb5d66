"""Kinds of arguments: from an example call, from a signature string; and how kinds join."""

import ast
import enum
import re
import types
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from adcompiler.errors import DifferentiationError, Problem
from adcompiler.frontend.instances import attributes_of, changeable, is_hidden, is_named_tuple, is_object, overridden
from adcompiler.ir.core import ListOf, Value
from adcompiler.ir.structure import Attr, instance, like, parts
from rules import arrays
from rules.arrays import library_of
from rules.kind import (
    ONE,
    SHORT,
    Array,
    KindError,
    Length,
    Lengths,
    Num,
    Opaque,
    Seq,
    constant,
    is_derived,
    is_differentiable,
    library,
    promote,
)  # fmt: skip

_LONG = {short: np.dtype(long) for long, short in SHORT.items()}
_NUMBERS = {"float": float, "int": int, "complex": complex, "bool": bool}


class SignatureError(DifferentiationError, ValueError):
    """A signature string that cannot be read; the text shows where."""


@dataclass(frozen=True)
class Known:
    """A value known when compiling: a constant, a function, a module."""

    value: Any


@dataclass(frozen=True)
class Again:
    """An object, a list or a dict that is elsewhere too: these steps lead to where it is met first."""

    steps: tuple[Any, ...]


@dataclass(frozen=True)
class Unread:
    """An attribute of a class that has no kind: to read it is a problem, with this reason and this remedy."""

    cls: type
    reason: str
    remedy: str


@dataclass(frozen=True)
class Leaf:
    """Where a leaf of an argument is found: its steps, `*` for "of each element"."""

    steps: tuple[Any, ...]
    value: Value


MAX_UNROLLED = 16
#: How many objects, lists and dicts the arguments may consist of, where there is an object among them.
MAX_OBJECTS = 1000
MAX_NESTED = 50


class Deque(list[Any]):
    """The denotation of a `collections.deque`: a list, whose class says how long it may be."""

    maxlen: int | None = None

    @classmethod
    def kept(cls, items: list[Any], left: bool = False) -> "Deque":
        """The items that stay, of more than it may hold: the last, or the first."""
        n = cls.maxlen
        return cls(items if n is None or len(items) <= n else items[:n] if left else items[len(items) - n :])


class Elements(frozenset[Any]):
    """What a set holds that the function makes: its elements are known. A change of it makes another denotation."""

    def __repr__(self) -> str:
        return repr(set(self))


def is_set(d: Any) -> bool:
    """Does this denote a set that the function makes?"""
    return isinstance(d, Known) and isinstance(d.value, Elements)


@lru_cache(256)
def deque_of(maxlen: int | None) -> type[Deque]:
    """The class of deques of this length at most."""
    return type("Deque", (Deque,), {"maxlen": maxlen})


def is_array(x: Any) -> bool:
    """An array of a supported library, of its exact class."""
    return bool(library_of(x))


class Describe:
    """Builds the tree of an argument from an example value: kinds for leaves, structure for containers."""

    def __init__(self, env: Lengths, by_value: frozenset[tuple[Any, ...]] = frozenset()) -> None:
        self.env = env
        self.by_value = by_value
        self.symbols = 0
        self.leaves: list[Leaf] = []
        #: Where each object, list and dict was met first.
        self.met: dict[int, tuple[Any, ...]] = {}

    def symbol(self, size: int) -> Length:
        if size == 1:
            return ONE
        name = f"n{self.symbols}"
        self.symbols += 1
        self.env.sizes[name] = size
        return Length(name)

    def leaf(self, steps: tuple[Any, ...], kind: Any, hint: str) -> Value:
        if any(x.value.hint == hint for x in self.leaves):  # two dicts with the same keys
            path = "_".join(str(s) for s in steps[1:] if isinstance(s, str) and s.isidentifier())
            hint = path or hint
        value = Value(kind, hint)
        self.leaves.append(Leaf(steps, value))
        return value

    def kind(self, x: Any, element: bool = False) -> Any:
        """The kind of a leaf; lengths of list elements are anonymous. None if it is static."""
        if is_array(x):
            if x.dtype.kind not in "biufc":
                raise KindError(f"arrays of dtype {x.dtype} are not supported", "use a numeric dtype")
            shape = tuple(self.env.fresh() if element else self.symbol(n) for n in x.shape)
            return Array(x.dtype, shape, library_of(x))
        if isinstance(x, np.ndarray):
            raise KindError(f"{type(x).__name__} is a subclass of ndarray with rules of its own",
                            "pass a plain array: np.asarray(x)")  # fmt: skip
        if isinstance(x, bool | np.bool_):
            return Num(bool) if element else None
        if isinstance(x, int | float | complex) and type(x) in (int, float, complex):
            return Num(type(x))
        if isinstance(x, np.number):
            return Num(type(x))
        return None

    def tree(self, x: Any, steps: tuple[Any, ...], hint: str) -> Any:
        """The denotation of an argument. Raises KindError for what cannot be an argument."""
        if type(x) is tuple:
            return tuple(self.tree(v, (*steps, i), f"{hint}_{i}") for i, v in enumerate(x))
        if is_named_tuple(x):
            if own := overridden(type(x)):
                raise KindError(f"{type(x).__name__} is a named tuple with {own} of its own",
                                "give what it computes another name, and leave the tuple's as they are")  # fmt: skip
            return like(x, [self.tree(v, (*steps, k), k) for k, v in parts(x)])
        if is_object(x) and not isinstance(steps[0], str):  # what is captured is taken by identity
            return self.object(x, steps)
        if type(x) in (dict, list) and (again := self.again(x, steps)) is not None:
            return again
        if type(x) is dict:
            return {k: self.tree(v, (*steps, k), k if isinstance(k, str) and k.isidentifier() else f"{hint}_{i}")
                    for i, (k, v) in enumerate(x.items())}  # fmt: skip
        if type(x) is list:
            return self.list(x, steps, hint)
        if _of_another_class(x):
            raise KindError(
                f"a {type(x).__name__} is not supported as an argument", "pass a plain dict, list or number"
            )
        if steps in self.by_value:
            return Known(x)
        kind = self.kind(x)
        return Known(x) if kind is None else self.leaf(steps, kind, hint)

    def object(self, x: Any, steps: tuple[Any, ...]) -> Any:
        """An object by its attributes; one that has been met before by where that was."""
        if id(x) in self.met:
            return Again(self.met[id(x)])
        if len(self.met) >= MAX_OBJECTS or len(steps) > MAX_NESTED:
            raise KindError(f"it leads to more than {MAX_OBJECTS} objects, lists and dicts, or {MAX_NESTED} within one "
                            "another", "pass what is needed of it")  # fmt: skip
        self.met[id(x)] = steps
        found = attributes_of(x).items()
        return instance(type(x), {k: self.attribute(v, (*steps, Attr(k)), k, type(x)) for k, v in found})

    def again(self, x: Any, steps: tuple[Any, ...]) -> Again | None:
        """Where a list or dict has been met that is in an object there or here; others may be one without a sign."""
        before = self.met.get(id(x))
        if before is not None and any(isinstance(s, Attr) for s in (*steps, *before)):
            return Again(before)
        self.met.setdefault(id(x), steps)
        return None

    def attribute(self, x: Any, steps: tuple[Any, ...], name: str, cls: type) -> Any:
        if is_hidden(cls, name):
            return Unread(type(x), "{name} is another thing than the object has at this name: its class decides", "")
        if changeable(x):
            return Unread(type(x), f"{{name}} is a {type(x).__name__}, which is not supported", "use a list or a dict")
        try:
            return self.tree(x, steps, name)
        except KindError as error:
            return Unread(type(x), f"{{name}} is no attribute that can be read here: {error}", error.remedy)

    def list(self, x: list[Any], steps: tuple[Any, ...], hint: str) -> Any:
        if x and (*steps, "[]") not in self.by_value:
            shapes = [_skeleton(v) for v in x]
            if shapes[0] is not None and all(s == shapes[0] for s in shapes):
                length = self.symbol(len(x))
                element = self.element(x[0], (*steps, "*"), hint.removesuffix("s") or hint, length)
                return element if isinstance(element, Value) else ListOf(element)
        return [self.tree(v, (*steps, i), f"{hint}_{i}") for i, v in enumerate(x)]

    def element(self, x: Any, steps: tuple[Any, ...], hint: str, length: Length) -> Any:
        if isinstance(x, tuple | list):
            return tuple(self.element(v, (*steps, i), f"{hint}_{i}", length) for i, v in enumerate(x))
        if isinstance(x, dict):
            return {k: self.element(v, (*steps, k), str(k), length) for k, v in x.items()}
        return self.leaf(steps, Seq(self.kind(x, element=True), length=length), f"{hint}s")


def _of_another_class(x: Any) -> bool:
    """A container or number whose class is one derived from Python's: it may mean something else by its operators."""
    if isinstance(x, dict | list | set):
        return True
    return is_derived(x) and not isinstance(x, enum.Enum)


def _skeleton(x: Any) -> Any:
    """What two elements of a list must share to be of one kind up to lengths; None if they can't."""
    if is_array(x):
        return (type(x), x.dtype, tuple(n == 1 for n in x.shape))
    if type(x) in (int, float, complex) or isinstance(x, np.number):
        return type(x)
    if type(x) is tuple:
        parts = tuple(map(_skeleton, x))
        return None if None in parts or not parts else (tuple, *parts)
    if type(x) is dict:
        items = tuple((k, _skeleton(v)) for k, v in x.items())
        return None if any(s is None for _, s in items) or not items else (dict, *items)
    return None


# ------------------------------------------------------------------------------------- signature strings
class _Signature(Describe):
    """Builds argument trees from `"f64[n,m], f64[m], int"`."""

    def __init__(self, env: Lengths, text: str) -> None:
        super().__init__(env)
        self.text = text

    def fail(self, node: Any, why: str) -> SignatureError:
        col = getattr(node, "col_offset", 0) - 1
        return SignatureError(Problem("", 0, 0, "", f"signature {self.text!r}, at column {max(col, 0) + 1}: {why}",
            'kinds are f64[n,m], f32[n], i64[n], c128[n], bool[n], f64 (a NumPy number), float, int, "text", '
            "(kind, kind), [kind] and {'name': kind}"))  # fmt: skip

    def arguments(self, names: list[str]) -> list[Any]:
        try:
            text = re.sub(r"(?<=\w)\[\s*\]", "[()]", self.text)  # as kinds are printed
            node = ast.parse(f"({text},)" if text.strip() else "()", mode="eval").body
        except SyntaxError:
            raise self.fail(None, "this is not a list of kinds") from None
        assert isinstance(node, ast.Tuple)
        if len(node.elts) > len(names):
            raise self.fail(
                node.elts[len(names)],
                f"{len(node.elts)} kinds, but the function takes {len(names)} arguments",
            )
        return [self.of(n, (i,), name) for i, (n, name) in enumerate(zip(node.elts, names, strict=False))]

    def of(self, node: Any, steps: tuple[Any, ...], hint: str) -> Any:
        if isinstance(node, ast.Tuple):
            return tuple(self.of(n, (*steps, i), f"{hint}_{i}") for i, n in enumerate(node.elts))
        if isinstance(node, ast.Dict):
            out = {}
            for k, v in zip(node.keys, node.values, strict=True):
                if not isinstance(k, ast.Constant):
                    raise self.fail(node, "keys of a dict are constants")
                out[k.value] = self.of(v, (*steps, k.value), str(k.value))
            return out
        if isinstance(node, ast.List):
            if len(node.elts) != 1:
                raise self.fail(node, "[kind] is a list of any length; its elements have one kind")
            self.env.free.add(f"{hint}_len")
            return self.list_of(node.elts[0], (*steps, "*"), hint.removesuffix("s") or hint, Length(f"{hint}_len"))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            number: Any = node.operand.value
            if type(number) in (int, float, complex):
                return Known(-number)
        if isinstance(node, ast.Constant) and node.value is not ...:
            return Known(node.value)
        return self.leaf(steps, self.leaf_kind(node), hint)

    def list_of(self, node: Any, steps: tuple[Any, ...], hint: str, length: Length) -> Any:
        def element(node: Any, steps: tuple[Any, ...], hint: str) -> Any:
            if isinstance(node, ast.Tuple):
                return tuple(element(n, (*steps, i), f"{hint}_{i}") for i, n in enumerate(node.elts))
            if isinstance(node, ast.Dict):
                out: dict[Any, Any] = {}
                for k, v in zip(node.keys, node.values, strict=True):
                    if not isinstance(k, ast.Constant):
                        raise self.fail(node, "keys of a dict are constants")
                    out[k.value] = element(v, (*steps, k.value), str(k.value))
                return out
            if isinstance(node, ast.List):
                raise self.fail(node, "a list of lists of any length is not supported; write the inner ones as tuples")
            kind = self.leaf_kind(node)
            if isinstance(kind, Array):
                kind = Array(kind.dtype, tuple(n if n == ONE else self.env.fresh() for n in kind.shape), kind.xp)
            return self.leaf(steps, Seq(kind, length=length), f"{hint}s")

        out = element(node, steps, hint)
        return out if isinstance(out, Value) else ListOf(out)

    def leaf_kind(self, node: Any) -> Any:
        if isinstance(node, ast.Name):
            if node.id in _NUMBERS:
                return Num(_NUMBERS[node.id])
            if node.id in _LONG:
                return Num(_LONG[node.id].type)
            raise self.fail(node, f"{node.id} is not a kind")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and isinstance(node.right, ast.Name):
            kind = self.leaf_kind(node.left)
            if arrays.get(node.right.id) is None or not isinstance(kind, Array):
                raise self.fail(node.right, f"{node.right.id} is no library of arrays that is imported")
            return Array(kind.dtype, kind.shape, node.right.id)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _LONG:
            axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return Array(_LONG[node.value.id], tuple(map(self.length, axes)))
        raise self.fail(node, f"{ast.unparse(node)} is not a kind")

    def length(self, node: Any) -> Length:
        if isinstance(node, ast.Name):
            return Length(node.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0:
            return constant(node.value)
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add | ast.Sub)
            and isinstance(node.left, ast.Name)
            and isinstance(node.right, ast.Constant)
            and isinstance(node.right.value, int)
        ):
            return Length(node.left.id, node.right.value * (1 if isinstance(node.op, ast.Add) else -1))
        raise self.fail(node, "a length is a name, a number, or a name plus or minus a number")


def from_signature(env: Lengths, text: str, names: list[str]) -> tuple[list[Any], list[Leaf]]:
    """Argument trees for a signature string. Raises SignatureError."""
    reader = _Signature(env, text)
    return reader.arguments(names), reader.leaves


# ------------------------------------------------------------------------------------------------ joins
def join_kinds(a: Any, b: Any, env: Lengths) -> Any:
    """The kind of a value that is `a` on one path and `b` on another; None where there is none."""
    if isinstance(a, Num) and isinstance(b, Num):
        if a.type is b.type:
            return Num(a.type, a.length if a.length == b.length else None)
        if a.python and b.python:
            return Num(type(a.type(1) + b.type(1)))
        return Num(np.promote_types(a.dtype, b.dtype).type)
    if isinstance(a, Array) and isinstance(b, Array):
        if a.ndim != b.ndim or a.xp != b.xp:
            return None
        shape = tuple(x if env.same(x, y) else env.fresh() for x, y in zip(a.shape, b.shape, strict=True))
        return Array(a.dtype if a.dtype == b.dtype else np.promote_types(a.dtype, b.dtype), shape, a.xp)
    if isinstance(a, Array | Num) and isinstance(b, Array | Num) and a.ndim == b.ndim == 0:
        if (xp := library(a, b)) != "numpy":
            return Array(promote(a, b), (), xp)
        return Num(np.promote_types(a.dtype, b.dtype).type)
    if isinstance(a, Seq) and isinstance(b, Seq):
        element = join_kinds(a.element, b.element, env)
        if isinstance(a.element, Array) is not isinstance(b.element, Array):
            return None  # 0-d arrays and numbers: each list would have to be made anew
        return (
            None if element is None else Seq(element, a.range and b.range, a.length if a.length == b.length else None)
        )
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        if a == b:
            return a
        return Opaque(a.what if a.what == b.what else "object")
    return None


def static_value(x: Any) -> bool:
    """Is this object one that the compiler takes by value or identity, rather than by kind?"""
    return (
        x is None or isinstance(x, str | bool | bytes | type | types.ModuleType | types.EllipsisType | np.dtype | slice)
        or callable(x)
    )  # fmt: skip


__all__ = ["MAX_UNROLLED", "Describe", "Known", "Leaf", "ListOf", "SignatureError", "from_signature", "is_array",
           "is_differentiable", "join_kinds", "static_value"]  # fmt: skip
