"""What a value is, as far as it is known before it is computed: the vocabulary that rules and compiler share.

A kind holds a dtype, a rank and *symbolic* lengths, never a size. Two lengths that compare equal here are
equal whenever the program runs: what had to be assumed for that is recorded as a guard of the specialisation.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

SHORT = {
    "float64": "f64", "float32": "f32", "float16": "f16", "complex128": "c128", "complex64": "c64",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "u64", "uint32": "u32",
    "uint16": "u16", "uint8": "u8", "bool": "bool",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Length:
    """A constant (`symbol` None), a symbol, or a symbol plus a constant. `?7` is a symbol nobody can name."""

    symbol: str | None
    offset: int = 0

    @property
    def anonymous(self) -> bool:
        return self.symbol is not None and self.symbol.startswith("?")

    @property
    def constant(self) -> bool:
        return self.symbol is None

    def __add__(self, k: int) -> "Length":
        return Length(self.symbol, self.offset + k)

    def __str__(self) -> str:
        if self.symbol is None:
            return str(self.offset)
        name = "?" if self.anonymous else self.symbol
        return name if not self.offset else f"{name}{self.offset:+d}"


ONE = Length(None, 1)


def constant(size: int) -> Length:
    """The length that is always `size`."""
    return Length(None, int(size))


@dataclass(frozen=True, slots=True)
class Num:
    """A number: a Python one (`float`) or a NumPy scalar (`np.float64`). An int may be known to be a length."""

    type: type
    length: Length | None = field(default=None, compare=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.type)

    @property
    def python(self) -> bool:
        return self.type in (bool, int, float, complex)

    @property
    def shape(self) -> tuple[Length, ...]:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    def __str__(self) -> str:
        return self.type.__name__ if self.python else SHORT.get(self.dtype.name, self.dtype.name)


@dataclass(frozen=True, slots=True)
class Array:
    """An array of a library. A stored 0-d array has shape (); what a ufunc makes of one is a `Num`."""

    dtype: np.dtype[Any]
    shape: tuple[Length, ...]
    xp: str = "numpy"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        name = SHORT.get(self.dtype.name, self.dtype.name)
        return f"{name}[{','.join(map(str, self.shape))}]" + ("" if self.xp == "numpy" else f"@{self.xp}")


@dataclass(frozen=True, slots=True)
class Seq:
    """A list of any length whose elements have one kind; `range` where the elements are its own ints."""

    element: Any
    range: bool = False
    length: Length | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return "range" if self.range else f"list[{self.element}]"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A Python object that the compiler does not look into."""

    what: str = "object"

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True)
class Token(Opaque):
    """What functions with rules hand to each other, as factors of a matrix: nothing else is done with it."""


@dataclass(frozen=True, slots=True)
class Unfilled(Opaque):
    """The elements of a list that is empty as far as it is known; `what` names the list."""


Kind: TypeAlias = Num | Array | Seq | Opaque


class KindError(Exception):
    """A kind that cannot be computed: the text is the reason, `remedy` what to write instead."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy


def is_differentiable(kind: Any) -> bool:
    """Can a value of this kind carry a derivative: a float or complex number or array, or a list of such?"""
    if isinstance(kind, Seq):
        return not kind.range and is_differentiable(kind.element)
    return isinstance(kind, Num | Array) and kind.dtype.kind in "fc"


# ------------------------------------------------------------------------------------------- lengths
@dataclass(frozen=True)
class Guard:
    """What a specialisation assumes of lengths: `left` `op` `right`, with op one of == != >=."""

    op: str
    left: Length
    right: Length

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    def holds(self, sizes: dict[str, int]) -> bool:
        left = self.left.offset + (sizes[self.left.symbol] if self.left.symbol else 0)
        right = self.right.offset + (sizes[self.right.symbol] if self.right.symbol else 0)
        return {"==": left == right, "!=": left != right, ">=": left >= right}[self.op]


@dataclass
class Lengths:
    """The lengths of one specialisation: sizes in the example call, equalities proved or assumed, guards."""

    sizes: dict[str, int] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    equal: dict[str, Length] = field(default_factory=dict)
    count: int = 0
    #: Symbols that a signature leaves free to be 1: the lengths of lists.
    free: set[str] = field(default_factory=set)
    #: Lengths that are a function of another, by its name and that length.
    functions: dict[tuple[str, Length], Length] = field(default_factory=dict)

    def fresh(self) -> Length:
        self.count += 1
        return Length(f"?{self.count}")

    def derived(self, name: str, n: Length) -> Length:
        """What the function of this name gives for a length: of one that can be named, the same one each time."""
        n = self.resolve(n)
        return self.fresh() if n.anonymous else self.functions.setdefault((name, n), self.fresh())

    def resolve(self, a: Length) -> Length:
        while a.symbol is not None and a.symbol in self.equal:
            a = self.equal[a.symbol] + a.offset
        return a

    def same(self, a: Length, b: Length) -> bool:
        return a == b or self.resolve(a) == self.resolve(b)

    def size(self, a: Length) -> int | None:
        """The length in the example call; None where there is no example or it cannot be known."""
        if a.symbol is None:
            return a.offset
        base = self.sizes.get(a.symbol)
        return None if base is None else base + a.offset

    def assume(self, op: str, a: Length, b: Length) -> None:
        if a.symbol is None and b.symbol is None:
            return
        guard = Guard(op, a, b)
        if guard not in self.guards:
            self.guards.append(guard)

    def unify(self, a: Length, b: Length) -> Length:
        """Both are equal from here on; the caller has proved it or assumed it as a guard."""
        a, b = self.resolve(a), self.resolve(b)
        if a != b:
            if a.symbol is None or (a.symbol and not a.anonymous and b.anonymous):
                a, b = b, a
            assert a.symbol is not None
            self.equal[a.symbol] = b + -a.offset
        return b

    def may_be_one(self, a: Length) -> bool:
        """Argument axes of length 1 are constants by specialisation, so a bare symbol of one is never 1."""
        return a == ONE or (a.symbol is not None and (a.anonymous or a.offset != 0 or a.symbol in self.free))

    def is_one(self, a: Length) -> bool:
        """Decide, and guard the decision, whether this length is 1. Raises KindError where nothing tells."""
        a = self.resolve(a)
        if not self.may_be_one(a) or a == ONE:
            return a == ONE
        size = self.size(a)
        if size is None and a.anonymous:
            raise KindError("whether an axis has length 1 cannot be known here", "name the axis: squeeze(axis=...)")
        self.assume("==" if size == 1 else "!=", a, ONE)
        return size == 1

    def at_least(self, a: Length, k: int) -> bool | None:
        """Is this length >= k? Known for constants, guarded for symbols, None for anonymous ones."""
        a = self.resolve(a)
        if a.symbol is None:
            return a.offset >= k
        if a.offset >= k:
            return True
        if a.anonymous:
            return None
        size = self.size(a)
        if size is not None and size < k:
            self.assume("==", a, constant(size))  # a short axis is clipped: specialise on its very length
            self.unify(a, constant(size))
            return False
        self.assume(">=", a, constant(k))
        return True

    def counted(self, a: Length | None) -> Length:
        """How many elements a sequence of this length has, as a length of arrays: 0 where `n - 2` is below it."""
        enough = None if a is None else self.at_least(a, 0)
        return constant(0) if enough is False else a if a is not None and enough else self.fresh()

    def broadcast(self, a: Length, b: Length) -> Length:
        """The length that NumPy's broadcasting gives; unifies two lengths that have to be equal."""
        a, b = self.resolve(a), self.resolve(b)
        if a == b or b == ONE:
            return a
        if a == ONE:
            return b
        if a.anonymous or b.anonymous:
            if not self.may_be_one(b):
                return b
            return a if not self.may_be_one(a) else self.fresh()
        x, y = self.size(a), self.size(b)
        if x is not None and y is not None and x != y:
            if 1 not in (x, y):
                return self.fresh()  # NumPy raises where the operation is executed
            one, other = (a, b) if x == 1 else (b, a)
            self.assume("==", one, ONE)
            self.unify(one, ONE)
            return other
        if a.symbol == b.symbol:  # n and n + 1: one of them is 1, or NumPy raises
            return self.fresh()
        self.assume("==", a, b)
        return self.unify(a, b)

    def equate(self, a: Length, b: Length) -> None:
        """Two lengths that are equal wherever the operation does not raise an error."""
        a, b = self.resolve(a), self.resolve(b)
        x, y = self.size(a), self.size(b)
        if a.symbol != b.symbol and (x is None or y is None or x == y):
            self.unify(a, b)

    def agree(self, a: Length, b: Length) -> Length:
        """Two lengths that an operation requires to be equal (a contraction, `concatenate` off its axis)."""
        a, b = self.resolve(a), self.resolve(b)
        if a == b:
            return a
        if a.anonymous or b.anonymous:
            return b if a.anonymous else a
        x, y = self.size(a), self.size(b)
        if a.symbol == b.symbol or (x is not None and y is not None and x != y):
            return self.fresh()
        self.assume("==", a, b)
        return self.unify(a, b)


_current: ContextVar[Lengths] = ContextVar("lengths")


def lengths() -> Lengths:
    """The lengths of the specialisation that is being compiled."""
    current = _current.get(None)
    if current is None:
        current = Lengths()
        _current.set(current)
    return current


@contextmanager
def specialising(env: Lengths) -> Iterator[Lengths]:
    """Kinds computed inside speak of `env`."""
    token = _current.set(env)
    try:
        yield env
    finally:
        _current.reset(token)


# --------------------------------------------------------------------------------------- shapes, dtypes
def broadcast(*shapes: Sequence[Length]) -> tuple[Length, ...]:
    """The shape that NumPy's broadcasting gives."""
    env = lengths()
    out: list[Length] = []
    for shape in shapes:
        mine = list(shape)
        rank = max(len(out), len(mine))
        out = [ONE] * (rank - len(out)) + out
        mine = [ONE] * (rank - len(mine)) + mine
        out = [env.broadcast(a, b) for a, b in zip(out, mine, strict=True)]
    return tuple(out)


def same_shape(a: Any, b: Any) -> bool:
    """Do two kinds (numbers, arrays) have equal shapes whenever the program runs?"""
    env = lengths()
    return len(a.shape) == len(b.shape) and all(env.same(x, y) for x, y in zip(a.shape, b.shape, strict=True))


def same_kind(a: Any, b: Any) -> bool:
    """Are two kinds one, with lengths compared as what they denote?"""
    if isinstance(a, Array) and isinstance(b, Array):
        return a.dtype == b.dtype and a.xp == b.xp and same_shape(a, b)
    return bool(a == b)


def kind_of(x: Any) -> Any:
    """The kind of an operand of a rule: its own if it is one, else that of a Python or NumPy constant."""
    if isinstance(x, Num | Array | Seq | Opaque):
        return x
    if isinstance(x, np.generic):
        return Num(type(x))
    if isinstance(x, bool | int | float | complex):
        return Num(type(plain_number(x)))
    if isinstance(x, np.ndarray):
        return Array(x.dtype, tuple(map(constant, x.shape)))
    return Opaque(type(x).__name__)


def is_derived(x: Any) -> bool:
    """Is this a number of a class that is derived from Python's, as a member of an `IntEnum` is?"""
    return isinstance(x, int | float | complex) and type(x) not in _PYTHON and not isinstance(x, np.generic)


def plain_number(x: Any) -> Any:
    """A Python number of a derived class as the int, float or complex that it is; anything else as it is."""
    if not is_derived(x):
        return x
    if isinstance(x, int):
        return int.__int__(x)
    return float.__float__(x) if isinstance(x, float) else complex.__complex__(x)


_PYTHON = (bool, int, float, complex)


def library(*kinds: Any) -> str:
    """The array library of an operation on these operands."""
    for kind in kinds:
        if isinstance(kind, Array) and kind.xp != "numpy":
            return kind.xp
    return "numpy"


def is_scalar(kind: Any) -> bool:
    """Is it a number, or what a library other than NumPy has in its place: an array without axes?"""
    return isinstance(kind, Num) or (isinstance(kind, Array) and not kind.shape and kind.xp != "numpy")


def on(kind: Any, xp: str) -> Any:
    """What is of this kind by NumPy, as a library makes it: with no numbers but Python's."""
    if isinstance(kind, tuple | list):
        return type(kind)([on(k, xp) for k in kind])
    if isinstance(kind, Seq):
        return Seq(on(kind.element, xp), kind.range, kind.length)
    if isinstance(kind, Array):
        return Array(kind.dtype, kind.shape, xp)
    return Array(kind.dtype, (), xp) if isinstance(kind, Num) and not kind.python else kind


@lru_cache(4096)
def _resolve(ufunc: np.ufunc, operands: tuple[Any, ...]) -> np.dtype[Any]:
    return ufunc.resolve_dtypes(operands + (None,) * ufunc.nout)[ufunc.nin]


def ufunc_dtype(ufunc: np.ufunc, *operands: Any) -> np.dtype[Any]:
    """The result dtype of a ufunc, Python numbers being weak as in NumPy 2."""
    weak = [k.type if isinstance(k, Num) and k.type in (int, float, complex) else k.dtype for k in operands]
    try:
        return _resolve(ufunc, tuple(weak))
    except TypeError as error:
        raise KindError(f"{ufunc.__name__} is not defined for {' and '.join(map(str, operands))}",
                        "convert what it is applied to: x.astype(...), int(x)") from error


def promote(*operands: Any) -> np.dtype[Any]:
    """`np.result_type` of kinds and of numbers that are written, Python numbers being weak."""
    kinds = [k if hasattr(k, "dtype") else kind_of(k) for k in operands]
    plain = [k.type(0) if isinstance(k, Num) and k.type in (int, float, complex) else k.dtype for k in kinds]
    return np.result_type(*plain)


def array_or_number(dtype: np.dtype[Any], shape: tuple[Length, ...], xp: str = "numpy") -> Num | Array:
    """What NumPy's functions return: a scalar where the rank is 0."""
    dtype = np.dtype(dtype)
    return Array(dtype, shape, xp) if shape or xp != "numpy" else Num(dtype.type)


def said(x: Any) -> str:
    """A value in words: constants as they are written, others by the name of their class."""
    constant_types = str | bytes | int | float | complex | np.generic
    return repr(x) if x is None or isinstance(x, constant_types) else f"a value of class {type(x).__name__}"


def elementwise(ufunc: np.ufunc, *operands: Any) -> Num | Array:
    """The kind of a ufunc's result."""
    kinds = [kind_of(x) for x in operands]
    for kind, x in zip(kinds, operands, strict=True):
        if not isinstance(kind, Num | Array):
            what = "a list" if isinstance(kind, Seq) else said(x) if kind is not x else str(kind)
            raise KindError(f"{ufunc.__name__} is applied to {what}, whose kind as an array is not known",
                            "make it an array first, with np.array(...) or np.stack(...)")
    return array_or_number(ufunc_dtype(ufunc, *kinds), broadcast(*(k.shape for k in kinds)), library(*kinds))


def normalize_axis(axis: int | None | tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """The axes as a tuple of non-negative ints; all of them for None. Raises KindError out of range."""
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    out = []
    for k in axes:
        if not hasattr(k, "__index__"):
            raise KindError(f"the axis {k!r} is no int", "write an int")
        if not -ndim <= k < ndim:
            within = f"from {-ndim} to {ndim - 1}" if ndim else "of an array that has one"
            raise KindError(f"axis {k} is out of bounds for an array of {ndim} axes", f"use an axis {within}")
        out.append(int(k) % ndim)
    return tuple(out)


def reduced(shape: Sequence[Length], axis: int | None | tuple[int, ...], keepdims: bool = False) -> tuple[Length, ...]:
    """The shape after a reduction over `axis`."""
    axes = normalize_axis(axis, len(shape))
    if keepdims:
        return tuple(ONE if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def element_of(kind: Any) -> Any:
    """The kind of one element of a list: lengths that differ from element to element get names of their own."""
    if isinstance(kind, Array):
        env = lengths()
        return Array(kind.dtype, tuple(env.fresh() if n.anonymous else n for n in kind.shape), kind.xp)
    if isinstance(kind, Seq):
        return Seq(element_of(kind.element), kind.range)
    return Num(kind.type) if isinstance(kind, Num) else kind


def length_of(x: Any) -> Length:
    """The length that an int denotes: a constant, a known length, or one nobody can name."""
    if isinstance(x, Num):
        return x.length if x.length is not None else lengths().fresh()
    return constant(x)
