"""Runs rule bodies on values that stand for what is not computed yet: what they call becomes operations.

def d_x(d_z, y): return d_z * y        ->        %t = %d_z * %y
"""

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompiler.ir.build import Builder
from adcompiler.ir.callee import Bound
from adcompiler.ir.core import Function, Loc, Op, Region, Value, leaves, map_tree
from adcompiler.ir.interpret import interpret, matched
from rules import find_method
from rules.cotangent import length, project, size, update
from rules.kind import ONE, Array, Num, Seq, is_scalar, same_shape
from rules.rule import OPERATORS, Derivative, find

_UFUNCS = frozenset(f for f in vars(np).values() if isinstance(f, np.ufunc))
FROM_UFUNC = {u: op for op, u in OPERATORS.items()}


class Untraceable(TypeError):
    """A rule body asks a value for what only a computed one has: its truth, its elements, a number."""


class Tracer:
    """Stands for a value in a rule body. Supports what rules may use (docs/custom_rules.md), and no more.

    A `scratch` one stands for what was computed into it last.
    """

    __slots__ = ("scratch", "trace", "value")
    __array_priority__ = 1000

    def __init__(self, trace: "Trace", value: Value) -> None:
        self.trace = trace
        self.value = value
        self.scratch = False

    def __trace_call__(self, function: Any, args: Any, kwargs: Any) -> Any:
        return self.trace.call(function, args, kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__":
            raise Untraceable(f"a rule calls {ufunc.__name__}.{method}, which cannot be traced")
        return self.trace.call_into(ufunc, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.trace.call_into(function, args, kwargs)

    @property
    def ndim(self) -> int:
        return int(self.value.kind.ndim)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.kind.dtype

    @property
    def element_dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers that a list holds, in arrays or lists of its own."""
        kind = self.value.kind
        while isinstance(kind, Seq):
            kind = kind.element
        return kind.dtype

    @property
    def xp(self) -> str:
        """The library whose array this stands for."""
        return getattr(self.value.kind, "xp", "numpy")

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(self.trace.call(length, (self, i), {}) for i in range(self.ndim))

    @property
    def size(self) -> Any:
        return self.trace.call(size, (self,), {}) if self.ndim else 1

    def __getattr__(self, name: str) -> Any:
        rule = find_method("ndarray." + name)
        if rule is None:
            raise AttributeError(f"a rule asks for .{name}, which cannot be traced")
        target = rule.functions[0] if rule.functions else getattr(np.ndarray, name)
        if name in ("T", "real", "imag", "mT"):
            return self.trace.call(target, (self,), {})
        return lambda *args, **kwargs: self.trace.call(target, (self, *args), kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self.trace.call(operator.getitem, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        self.trace.store(self, self.trace.call(update, (self, (index,), "set", value), {}))

    def __bool__(self) -> bool:
        raise Untraceable("a rule branches on a computed value; put the branch into a @primitive function")

    def __iter__(self) -> Any:
        raise Untraceable("a rule loops over a computed value; put the loop into a @primitive function")

    def __len__(self) -> int:
        raise Untraceable("a rule asks for len() of a computed value; use .shape")

    def __hash__(self) -> int:
        return id(self)


def _binary(op: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(self: Tracer, other: Any) -> Any:
        return self.trace.call(op, (self, other), {})

    def reflected(self: Tracer, other: Any) -> Any:
        return self.trace.call(op, (other, self), {})

    return forward, reflected


def _augmented(op: Callable[..., Any]) -> Callable[..., Any]:
    def augmented(self: Tracer, other: Any) -> Any:
        made = self.trace.call(op, (self, other), {})
        return self.trace.store(self, made) if self.scratch else made

    return augmented


def _unary(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self: self.trace.call(op, (self,), {})


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    _forward, _reflected = _binary(getattr(operator, _name))
    setattr(Tracer, f"__{_name}__", _forward)
    setattr(Tracer, f"__r{_name}__", _reflected)
    setattr(Tracer, f"__i{_name}__", _augmented(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "and_", "or_", "xor"):
    setattr(Tracer, f"__{_name.rstrip('_')}__", _binary(getattr(operator, _name))[0])
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Tracer, f"__{_name}__", _unary(getattr(operator, _name)))


class Traced:
    """Stands for a function that a rule is given: it can be called, and passed on."""

    __slots__ = ("trace", "value")

    def __init__(self, trace: "Trace", value: Bound) -> None:
        self.trace = trace
        self.value = value

    def __trace_call__(self, function: Any, args: Any, kwargs: Any) -> Any:
        return self.trace.call(function, args, kwargs)

    @property
    def result(self) -> Any:
        """The kind of what it gives."""
        return self.value.result

    def __call__(self, *args: Any) -> Any:
        f = self.value
        return self.trace.wrap(self.trace.add(f.callee, (*strip(args), *f.around), f.callee.kinds)[0])


class Entering(tuple[Any, ...]):
    """Operands of a rule's body that are one thing in it, which is made when it is traced."""

    def __new__(cls, *items: Any) -> "Entering":
        return super().__new__(cls, items[0] if len(items) == 1 and isinstance(items[0], Iterator) else items)

    def entered(self, trace: "Trace") -> Any:
        """What the body gets."""
        raise NotImplementedError


class Trace:
    """Records calls into a region."""

    def __init__(self, builder: Builder, use_math: bool = False) -> None:
        self.builder = builder
        self.use_math = use_math

    def call(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Record one call of a rule body."""
        args, kwargs = strip(tuple(args)), strip(dict(kwargs))
        target = FROM_UFUNC.get(target, target)
        if target is np.conjugate and not isinstance(args[0], Value):
            return np.conjugate(args[0]).item()
        if target is np.conjugate and args[0].kind.dtype.kind != "c":
            return Tracer(self, args[0])
        if self.use_math and target in _UFUNCS and hasattr(math, target.__name__):
            if all(not isinstance(v, Value) or (isinstance(v.kind, Num) and v.kind.python) for v in args):
                target = getattr(math, target.__name__)
        rule = find(target)
        if rule is not None and target not in OPERATORS:
            args, kwargs = rule.normal(rule.bind(args, kwargs))
        return self.wrap(self.builder.call(target, *args, **kwargs))

    def add(self, target: Any, args: tuple[Any, ...], kinds: list[Any]) -> list[Value]:
        """Record a call of a function of the IR, which gives values of these kinds."""
        results = [Value(kind, "", self.builder.loc) for kind in kinds]
        self.builder.region.ops.append(Op(target, self.operand(args), {}, results, loc=self.builder.loc))
        return results

    def operand(self, tree: Any) -> Any:
        """Operands as they are written."""
        return tree

    def is_zero(self, x: Any) -> bool:
        """Is this known to be zero?"""
        return type(x) in (int, float) and x == 0

    def moves(self, v: Value) -> None:
        """Say that a value is a tangent."""

    def call_into(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Record a call that may have `out=`."""
        kwargs = dict(kwargs)
        out = kwargs.pop("out", None)
        made = self.call(target, args, kwargs)
        return made if out is None else self.store(out[0] if isinstance(out, tuple) else out, made)

    def store(self, into: Any, made: Any) -> Tracer:
        """Scratch that stands for what was computed into it: where it lies is decided when all is differentiated."""
        if not isinstance(into, Tracer) or not into.scratch:
            raise Untraceable("a rule writes into what is not its scratch")
        kind, given = into.value.kind, getattr(getattr(made, "value", None), "kind", None)
        number = isinstance(given, Num) and not kind.ndim
        if not number and not (isinstance(given, Array) and given.dtype == kind.dtype and same_shape(given, kind)):
            made = self.call(update, (into, (Ellipsis,), "set", made), {})  # broadcast, or cast
        into.value = made.value
        return into

    def wrap(self, x: Any) -> Any:
        """Values as tracers, in their containers."""
        if isinstance(x, Value):
            return Tracer(self, x)
        if isinstance(x, Bound):
            return Traced(self, x)
        if isinstance(x, Entering):
            return x.entered(self)
        if isinstance(x, tuple | list):
            return type(x)(map(self.wrap, x))
        if isinstance(x, dict):
            return {k: self.wrap(v) for k, v in x.items()}
        if isinstance(x, slice):
            return slice(self.wrap(x.start), self.wrap(x.stop), self.wrap(x.step))
        return x


def strip(x: Any) -> Any:
    """Tracers as values, in their containers."""
    if isinstance(x, Tracer | Traced):
        return x.value
    if isinstance(x, tuple | list):
        return type(x)(map(strip, x))
    if isinstance(x, dict):
        return {k: strip(v) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(strip(x.start), strip(x.stop), strip(x.step))
    return x


class Pullback:
    """The target of a pullback's operation: the rule's function, and its body once traced.

    The parameters of the body are the values in `given`, which is laid out like the operands.
    """

    def __init__(
        self, name: str, derivative: Derivative, args: tuple[Any, ...], use_math: bool, loc: Loc | None
    ) -> None:
        self.__adc_name__ = name
        self.derivative = derivative
        formal = {v: Value(v.kind, v.hint) for v in dict.fromkeys(leaves(args))}
        self.region = Region(list(formal.values()))
        trace = Trace(Builder(self.region, loc), use_math)
        self.given = map_tree(lambda v: formal[v], args)
        given = trace.wrap(self.given)
        for w, x in zip(derivative.wants, given, strict=True):
            if w in derivative.scratch and isinstance(x, Tracer):
                x.scratch = True
        result = derivative.function(*given)
        self.result = strip(result)
        if isinstance(self.result, np.ndarray):
            self.result = self.result.item() if not self.result.ndim else self.result

    @property
    def differentiates(self) -> bool:
        """Does the body differentiate? It is never called by name then."""
        return "ad" in self.derivative.wants

    def __call__(self, *args: Any) -> Any:
        if not self.differentiates:
            return self.derivative.function(*args)
        given = dict(matched(self.given, args))
        body = Region([], self.region.ops, list(leaves(self.result)))
        return interpret(Function("", list(given), body, self.result), list(given.values()))


def fit(builder: Builder, d: Any, like: Value, there: bool = False, **options: Any) -> Any:
    """The cotangent `d` as one of `like`: summed over broadcast axes, real, cast; `d` itself where that is idle.

    With `there`, that of a number may stay an array without axes of another library.
    """
    kind = like.kind
    if not isinstance(d, Value):
        if is_scalar(kind):
            return d.real if isinstance(d, complex | np.complexfloating) and kind.dtype.kind != "c" else d
        return builder.call(project, d, like, **options) if not isinstance(kind, Seq) else d
    if isinstance(kind, Seq) or isinstance(d.kind, Seq):
        return d
    if is_scalar(kind):
        if isinstance(d.kind, Array) and d.kind.ndim:
            d = builder.call(np.sum, d, **options)
        if d.kind.dtype.kind == "c" and kind.dtype.kind != "c":
            d = builder.call(np.real, d, **options)
        if isinstance(kind, Array):
            fits = d.kind.dtype == kind.dtype or (isinstance(d.kind, Num) and d.kind.python)
            return d if fits else builder.call(project, d, like, **options)
        if isinstance(d.kind, Array) and there and d.kind.xp != "numpy":
            return d
        if isinstance(d.kind, Array):
            return builder.call(project, d, like, **options)
        other = not kind.python and d.kind != kind and (not d.kind.python or kind.dtype.itemsize < 8)
        cast = find(kind.type) is not None
        return builder.call(*((kind.type, d) if cast else (project, d, like)), **options) if other else d
    assert isinstance(kind, Array)
    if isinstance(d.kind, Array) and d.kind.dtype == kind.dtype:
        if same_shape(d.kind, kind):
            return d
        summed = _sum_axes(d.kind, kind)
        if summed is not None:
            axes, keepdims = summed
            if len(axes) == d.kind.ndim and not keepdims:
                return builder.call(np.sum, d, **options)
            over: Any = axes[0] if len(axes) == 1 else axes
            if keepdims:
                return builder.call(np.sum, d, axis=over, keepdims=True, **options)
            return builder.call(np.sum, d, axis=over, **options)
    return builder.call(project, d, like, **options)


def _sum_axes(d: Array, like: Array) -> tuple[tuple[int, ...], bool] | None:
    """The axes over which broadcasting has to be summed, where kinds tell and one `np.sum` does it."""
    from rules.kind import lengths

    env = lengths()
    extra = d.ndim - like.ndim
    if extra < 0 or not like.ndim:
        return None
    kept = []
    for i, n in enumerate(like.shape):
        m = d.shape[i + extra]
        if env.same(n, m):
            continue
        if env.resolve(n) != ONE:
            return None
        kept.append(i)
    if extra and kept:
        return None
    return (tuple(range(extra)), False) if extra else (tuple(kept), True)
