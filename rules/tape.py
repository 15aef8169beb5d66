"""A small differentiator made of nothing but the rules: it records calls, then runs their rules back.

`check_rule` takes second derivatives with it. It is the least that a rule may expect of who traces it:
a pullback that runs here uses no more than operators, NumPy's functions, primitives, `.shape`, `.ndim`,
`.size`, `.dtype`, `.T` and subscripts.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rules.cotangent import accumulate, project, update, zeros_like
from rules.rule import Rule, find, find_method, tracers


class Untraceable(TypeError):
    """A pullback asks a traced value for what only a computed one has."""


@dataclass(eq=False)
class Record:
    """One call: what was called, with traced and plain arguments, and the traced values it gave."""

    function: Callable[..., Any] | str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Any


@dataclass(eq=False)
class Tape:
    """The calls of a trace, in order."""

    records: list[Record] = field(default_factory=list)

    def wrap(self, value: Any) -> Any:
        """`value` as traced; containers item by item, what is no array or number as it is."""
        if isinstance(value, list | tuple):
            return [self.wrap(v) for v in value] if isinstance(value, list) else tuple(map(self.wrap, value))
        if isinstance(value, np.ndarray | np.generic | float | complex):
            return Traced(value, self)
        return value

    def call(
        self, function: Callable[..., Any] | str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        args, kwargs = written(args), {k: written(v) for k, v in kwargs.items()}
        plain, named = strip(args), {k: strip(v) for k, v in kwargs.items()}
        if isinstance(function, str):
            member = getattr(plain[0], function[8:])
            out = self.wrap(member(*plain[1:], **named) if callable(member) else member)
        else:
            out = self.wrap(function(*plain, **named))
        self.records.append(Record(function, args, dict(kwargs), out))
        return out

    def store(self, into: Any, made: Any) -> "Traced":
        """Scratch, which stands for what was computed into it from here on."""
        if not isinstance(into, Traced) or not into.scratch:
            raise Untraceable("it writes into what is not its scratch")
        if into.ndim and (made.shape != into.shape or made.dtype != into.dtype):
            made = self.call(update, (into, (Ellipsis,), "set", made), {})
        into.value, into.now = made.value, made
        return into

    def pull(self, out: Any, cotangent: Any) -> dict["Traced", Any]:
        """The cotangents of all traced values, from that of `out`. Raises Untraceable."""
        found: dict[Traced, Any] = {}
        _give(found, written(out), cotangent)
        for record in reversed(self.records):
            if any(t in found for t in tracers(record.out)):
                self._pull_record(record, found)
        return found

    def _pull_record(self, record: Record, found: dict["Traced", Any]) -> None:
        name = (
            record.function if isinstance(record.function, str) else getattr(record.function, "__name__", "?")
        )
        rule = find_method(name) if isinstance(record.function, str) else find(record.function)
        if rule is None or rule.why:
            raise Untraceable(f"it calls {name}, which has no rule" + (f": {rule.why}" if rule is not None else ""))
        if not rule.differentiable:
            return
        bound = rule.bind(record.args, record.kwargs)
        values = {k: strip(v) for k, v in bound.items()}
        cotangent = _collect(found, record.out)
        for arg, given in bound.items():
            active = [t for t in tracers(given) if is_active(t.value)]
            if active and arg in rule.pullbacks:
                d = Pullbacks(rule, values, strip(record.out)).projected(arg, cotangent)
                _give(found, given, d)
            elif active and not _shape_only(rule, arg):
                raise Untraceable(f"it calls {name} with {arg} active, and {rule.name} has no d_{arg}")


class Traced:
    """A value computed in a trace; one that is `scratch` is what was computed into it last, `now`."""

    __slots__ = ("now", "scratch", "tape", "value")
    __array_priority__ = 1000.0

    def __init__(self, value: Any, tape: Tape, scratch: bool = False) -> None:
        self.value = value
        self.tape = tape
        self.scratch = scratch
        self.now: Traced | None = None

    def __trace_call__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self.tape.call(function, args, kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if method != "__call__" or (kwargs and ufunc.signature is None):
            raise Untraceable(f"it calls {ufunc.__name__} with {method}, {', '.join(kwargs)}")
        made = self.tape.call(ufunc, inputs, kwargs)
        return made if out is None else self.tape.store(out[0], made)

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        kwargs = dict(kwargs)
        out = kwargs.pop("out", None)
        made = self.tape.call(function, args, kwargs)
        return made if out is None else self.tape.store(out, made)

    def __getitem__(self, index: Any) -> Any:
        return self.tape.call(operator.getitem, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        self.tape.store(self, self.tape.call(update, (self, (index,), "set", value), {}))

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value)

    @property
    def ndim(self) -> int:
        return np.ndim(self.value)

    @property
    def size(self) -> int:
        return int(np.size(self.value))

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.dtype if hasattr(self.value, "dtype") else np.dtype(type(self.value))

    @property
    def T(self) -> Any:
        return self.tape.call("ndarray.T", (self,), {})

    def astype(self, dtype: Any) -> Any:
        return self.tape.call("ndarray.astype", (self, dtype), {})

    def __bool__(self) -> bool:
        raise Untraceable(
            "it branches on a value; put what does in a primitive function with a rule of its own"
        )

    def __iter__(self) -> Any:
        raise Untraceable(
            "it loops over elements; put what does in a primitive function with a rule of its own"
        )


def _augmented(op: Callable[..., Any]) -> Callable[..., Any]:
    def augmented(self: Traced, other: Any) -> Any:
        made = self.tape.call(op, (self, other), {})
        return self.tape.store(self, made) if self.scratch else made

    return augmented


def _operators() -> None:
    def binary(op: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
        def forward(self: Traced, other: Any) -> Any:
            return self.tape.call(op, (self, other), {})

        def reflected(self: Traced, other: Any) -> Any:
            return self.tape.call(op, (other, self), {})

        return forward, reflected

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
        op = getattr(operator, f"__{name}__")
        op = getattr(operator, name, getattr(operator, name + "_", op))
        forward, reflected = binary(op)
        setattr(Traced, f"__{name}__", forward)
        setattr(Traced, f"__r{name}__", reflected)
        setattr(Traced, f"__i{name}__", _augmented(op))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Traced, f"__{name}__", binary(getattr(operator, name))[0])
    for name in ("neg", "pos", "abs", "invert"):
        op = getattr(operator, name)
        setattr(Traced, f"__{name}__", lambda self, op=op: self.tape.call(op, (self,), {}))


_operators()


def written(x: Any) -> Any:
    """What was computed into scratch in place of that, in its containers."""
    if isinstance(x, Traced):
        return x if x.now is None else x.now
    if isinstance(x, list | tuple):
        return type(x)(map(written, x)) if type(x) in (list, tuple) else tuple(map(written, x))
    if isinstance(x, slice):
        return slice(written(x.start), written(x.stop), written(x.step))
    return x


def strip(x: Any) -> Any:
    """Values in place of traced ones."""
    if isinstance(x, Traced):
        return x.value
    if isinstance(x, tuple):
        return tuple(map(strip, x))
    if isinstance(x, list):
        return [strip(item) for item in x]
    if isinstance(x, slice):
        return slice(strip(x.start), strip(x.stop), strip(x.step))
    return x


def rebuilt(like: Any, items: list[Any]) -> Any:
    """A list or tuple of `items`, as `like` is one; NumPy's named tuples become plain ones."""
    return items if isinstance(like, list) else tuple(items)


def is_active(x: Any) -> bool:
    """Is it a float or complex number or array, or a list or tuple with one in it?"""
    if isinstance(x, list | tuple):
        return any(map(is_active, x))
    return isinstance(x, float | complex) or (isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "fc")


def fit(d: Any, like: Any) -> Any:
    """The cotangent `d`, projected to `like` as a compiler does after each pullback."""
    if isinstance(like, list | tuple):
        return rebuilt(like, [fit(a, b) for a, b in zip(d, like, strict=True)])
    return project(d, like) if is_active(strip(like)) else d


def _give(found: dict[Traced, Any], to: Any, d: Any) -> None:
    if isinstance(to, Traced):
        if is_active(to.value):
            found[to] = accumulate(found.get(to), d)
    elif isinstance(to, list | tuple):
        for t, part in zip(to, d, strict=True):
            _give(found, t, part)


def _collect(found: dict[Traced, Any], out: Any) -> Any:
    if isinstance(out, list | tuple):
        return rebuilt(out, [_collect(found, t) for t in out])
    return found.get(out, zeros_like(out.value) if isinstance(out, Traced) else None)


def _shape_only(rule: Rule, arg: str) -> bool:
    """Is `arg` wanted for its shape and dtype alone, so that it needs no pullback?"""
    derivatives = [*rule.pullbacks.values(), *([rule.pushforward] if rule.pushforward else [])]
    return all(arg in d.like for d in derivatives if arg in d.wants)


def scratch(like: Any) -> Any:
    """An array like this one; full of NaN where it can be, lest somebody read it."""
    value = np.asarray(strip(like))
    made = np.full_like(value, np.nan if value.dtype.kind in "fc" else 0, subok=False)
    return Traced(made, like.tape, scratch=True) if isinstance(like, Traced) else made


@dataclass
class Pullbacks:
    """The derivatives of one call, with its arguments and result filled in by name."""

    rule: Rule
    bound: dict[str, Any]
    result: Any

    def raw(self, arg: str, d: Any, of_shape: Callable[[Any], Any] = lambda x: x) -> Any:
        """What `d_<arg>` returns, before projection. What it wants as `Like` is made `of_shape` first."""
        derivative = self.rule.pullbacks[arg]
        values = [
            scratch(self._value(of, d)) if (of := derivative.scratch.get(w)) else self._value(w, d)
            for w in derivative.wants
        ]
        given = [of_shape(v) if w in derivative.like else v for w, v in zip(derivative.wants, values)]
        return derivative.function(*given)

    def _value(self, want: str, d: Any) -> Any:
        if want == "d_" + self.rule.result:
            return d
        if want == self.rule.result:
            return self.result
        return self.bound[want] if want in self.bound else self.projected(want[2:], d)

    def projected(self, arg: str, d: Any) -> Any:
        return fit(self.raw(arg, d), self.bound[arg])

    def pushed(self, tangents: dict[str, Any]) -> Any:
        """What `t_<result>` returns."""
        derivative = self.rule.pushforward
        assert derivative is not None
        names = self.bound | {self.rule.result: self.result} | {"t_" + k: t for k, t in tangents.items()}
        return derivative.function(*[names[w] for w in derivative.wants])
