"""Rules for NumPy's functions that make arrays of a shape, a range or a value, and for its scalar types."""

from typing import Any

import numpy as np

from rules.arrays import module
from rules.cotangent import project, zeros_like
from rules.kind import (
    ONE,
    Array,
    Length,
    Num,
    array_or_number,
    broadcast,
    constant,
    kind_of,
    length_of,
    lengths,
    library,
    promote,
)  # fmt: skip
from rules.numpy.powers import log_of_base
from rules.numpy.shape import array_kind, shape_of
from rules.rule import Like, borrows, nondifferentiable, primitive, rule


def _filled(shape: Any, dtype: Any) -> Array:
    return Array(np.dtype(dtype), shape_of(shape))


def _like(a: Any, dtype: Any) -> Array:
    a = array_kind(a)
    return Array(a.dtype if dtype is None else np.dtype(dtype), a.shape, a.xp)


# ------------------------------------------------------------------------------------------ of one value
for _name in ("zeros", "ones", "empty"):
    nondifferentiable(f"y = {_name}(shape, dtype=None)", getattr(np, _name), kind=_filled)
    nondifferentiable(f"y = {_name}_like(a, dtype=None)", getattr(np, _name + "_like"), kind=_like)


@rule("y = full(shape, fill_value, dtype=None)", np.full)
class full:
    def kind(shape, fill_value, dtype): return _filled(shape, dtype or kind_of(fill_value).dtype)
    @borrows("d_y")
    def d_fill_value(d_y): return d_y
    def t_y(shape, t_fill_value): return np.broadcast_to(t_fill_value, shape)


@rule("y = full_like(a, fill_value, dtype=None)", np.full_like)
class full_like:
    like = "a"
    def kind(a, dtype): return _like(a, dtype)
    @borrows("d_y")
    def d_fill_value(d_y): return d_y
    def t_y(y: Like, t_fill_value): return project(t_fill_value, y)


nondifferentiable(
    "y = eye(N, M=None, k=0, dtype=None)", np.eye,
    kind=lambda N, M, dtype: Array(np.dtype(dtype), (length_of(N), length_of(N if M is None else M))),
)  # fmt: skip
nondifferentiable("y = identity(n, dtype=None)", np.identity,
                  kind=lambda n, dtype: Array(np.dtype(dtype), (length_of(n),) * 2))  # fmt: skip
nondifferentiable(
    "y = tri(N, M=None, k=0, dtype=None)", np.tri,
    kind=lambda N, M, dtype: Array(np.dtype(dtype), (length_of(N), length_of(N if M is None else M))),
)  # fmt: skip
nondifferentiable(
    "y = indices(dimensions, dtype=None)", np.indices,
    kind=lambda dimensions, dtype: Array(np.dtype(dtype or int),
                                         (constant(len(dimensions)), *map(length_of, dimensions))),
)  # fmt: skip


# ------------------------------------------------------------------------------------------------ ranges
def _steps(start: Any, stop: Any, step: Any) -> Length:
    """The length of `np.arange`."""
    env = lengths()
    if not any(isinstance(x, Num) for x in (start, stop, step)):
        return constant(len(np.arange(start, stop, step)))
    if isinstance(step, Num) or step != 1 or any(kind_of(x).dtype.kind not in "iu" for x in (start, stop)):
        return env.fresh()
    a, b = env.resolve(length_of(start)), env.resolve(length_of(stop))
    if a.symbol == b.symbol:
        return constant(max(0, b.offset - a.offset))
    if not a.constant:
        return env.fresh()
    enough = env.at_least(b, a.offset)
    return constant(0) if enough is False else b + -a.offset if enough else env.fresh()


@rule("y = arange(start, stop=None, step=None, dtype=None)", np.arange)
class arange:
    """The end decides by jumps how many elements there are: its derivative is zero."""

    def kind(start, stop, step, dtype):
        start, stop = (0, start) if stop is None else (start, stop)
        step = 1 if step is None else step
        dtype = promote(*map(kind_of, (start, stop, step))) if dtype is None else np.dtype(dtype)
        return Array(dtype, (_steps(start, stop, step),))

    def d_start(d_y, start: Like, stop: Like): return zeros_like(start) if stop is None else np.sum(d_y)
    def d_stop(d_y, stop: Like): return zeros_like(stop)
    def d_step(d_y, y, start, step): return np.sum(d_y * (y - start)) / step

    def t_y(y, start, stop, step, t_start, t_step):
        slope = 0 if step is None else t_step * (y - start) / step
        return np.zeros_like(y) + (0 if stop is None else t_start) + slope


@primitive
def ramp(like: Any, endpoint: bool = True) -> Any:
    """As many equidistant numbers as `like` has rows, from 0 to 1: the weight of the end in `np.linspace`."""
    t = module(type(like)).linspace(0.0, 1.0, like.shape[0], endpoint=endpoint, dtype=like.real.dtype)
    return np.reshape(t, (-1,) + (1,) * (like.ndim - 1))


def _ramp_kind(like: Any) -> Array:
    dtype = np.empty(0, like.dtype).real.dtype
    return Array(dtype, like.shape[:1] + (ONE,) * (like.ndim - 1), like.xp)


nondifferentiable("t = ramp(like, endpoint=True)", ramp, kind=_ramp_kind)


@rule("y = linspace(start, stop, num=50, endpoint=True)", np.linspace)
class linspace:
    static = "endpoint"

    def kind(start, stop, num):
        start, stop = kind_of(start), kind_of(stop)
        dtype = promote(start, stop, Num(float))
        return Array(dtype, (length_of(num), *broadcast(start.shape, stop.shape)), library(start, stop))

    def d_start(d_y, endpoint): return np.sum(d_y * (1 - ramp(d_y, endpoint)), axis=0)
    def d_stop(d_y, endpoint): return np.sum(d_y * ramp(d_y, endpoint), axis=0)

    def t_y(y: Like, endpoint, t_start, t_stop):
        t = ramp(y, endpoint)
        return t_start * (1 - t) + t_stop * t


@rule("y = logspace(start, stop, num=50, endpoint=True, base=10.0)", np.logspace)
class logspace:
    """Powers of the base, whose exponents are those of `linspace`."""

    static = "endpoint"

    def kind(start, stop, num, base):
        start, stop, base = kind_of(start), kind_of(stop), kind_of(base)
        dtype = promote(Array(promote(start, stop, Num(float)), ()), base)
        shape = length_of(num), *broadcast(start.shape, stop.shape, base.shape)
        return Array(dtype, shape, library(start, stop, base))

    def d_start(d_y, y, endpoint, base): return np.sum(d_y * y * (1 - ramp(y, endpoint)), axis=0) * log_of_base(base)
    def d_stop(d_y, y, endpoint, base): return np.sum(d_y * y * ramp(y, endpoint), axis=0) * log_of_base(base)

    def d_base(d_y, y, start, stop, endpoint, base):
        return np.sum(d_y * y * _between(start, stop, ramp(y, endpoint)), axis=0) / base

    def t_y(y, start, stop, endpoint, base, t_start, t_stop, t_base):
        t = ramp(y, endpoint)
        exponents = _between(t_start, t_stop, t) * log_of_base(base)
        return y * (exponents + _between(start, stop, t) * (t_base / base))


def _between(start: Any, stop: Any, t: Any) -> Any:
    return start * (1 - t) + stop * t


@rule("y = geomspace(start, stop, num=50, endpoint=True)", np.geomspace)
class geomspace:
    """Numbers whose logarithms are those of `linspace`."""

    static = "endpoint"

    def kind(start, stop, num):
        start, stop = kind_of(start), kind_of(stop)
        dtype = promote(start, stop, Array(np.dtype(np.float64), ()))
        return Array(dtype, (length_of(num), *broadcast(start.shape, stop.shape)), library(start, stop))

    def d_start(d_y, y, start, endpoint): return np.sum(d_y * y * (1 - ramp(y, endpoint)), axis=0) / start
    def d_stop(d_y, y, stop, endpoint): return np.sum(d_y * y * ramp(y, endpoint), axis=0) / stop

    def t_y(y, start, stop, endpoint, t_start, t_stop):
        return y * _between(t_start / start, t_stop / stop, ramp(y, endpoint))


# ----------------------------------------------------------------------------------------- scalar types
def _cast(scalar: Any) -> Any:
    def kind(x: Any) -> Any:
        return array_or_number(np.dtype(scalar), kind_of(x).shape, library(kind_of(x)))

    return kind


@rule("y = float64(x)", np.float64)
class float64:
    def kind(x): return _cast(np.float64)(x)
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return t_x


@rule("y = float32(x)", np.float32)
class float32:
    def kind(x): return _cast(np.float32)(x)
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return t_x


@rule("y = complex128(x)", np.complex128)
class complex128:
    def kind(x): return _cast(np.complex128)(x)
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return t_x


@rule("y = float16(x)", np.float16)
class float16:
    def kind(x): return _cast(np.float16)(x)
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return t_x


@rule("y = complex64(x)", np.complex64)
class complex64:
    def kind(x): return _cast(np.complex64)(x)
    view = "x"
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return t_x


for _type in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_):
    nondifferentiable(f"y = {_type.__name__}(x)", _type, kind=_cast(_type))
