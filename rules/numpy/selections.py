"""Selections: elements that a condition keeps, and choices among several arrays. What is not chosen gets exactly 0."""

from typing import Any

import numpy as np

from rules.arrays import as_array, device
from rules.cotangent import length
from rules.kind import (
    Array,
    KindError,
    Num,
    array_or_number,
    broadcast,
    kind_of,
    lengths,
    library,
    normalize_axis,
    promote,
)  # fmt: skip
from rules.numpy.extrema import chosen
from rules.numpy.shape import array_kind, reshape_like
from rules.operands import dtype_as, rank
from rules.rule import Like, primitive, recorded, rule


# ------------------------------------------------------------------------------------ what a condition keeps
@primitive
def uncompress(d: Any, like: Any, condition: Any, axis: int = 0) -> Any:
    """Zeros of the shape of `like` with `d` where `np.compress` would read along `axis`."""
    out = np.zeros(like.shape, d.dtype, like=device(d))
    out[(slice(None),) * axis + (np.flatnonzero(as_array(condition, d)),)] = d
    return out


@rule("y = uncompress(d, like, condition, axis=0)", uncompress)
class uncompress_rule:
    def kind(d, like): return Array(d.dtype, like.shape, like.xp)
    def d_d(d_y, condition, axis): return np.compress(condition, d_y, axis=axis)
    def t_y(t_d, like: Like, condition, axis): return uncompress(t_d, like, condition, axis)


def _condition(name: str, condition: Any) -> Array:
    if isinstance(condition, tuple | list):
        raise KindError(f"np.{name} with a list of conditions is not supported", "make it an array: np.array([...])")
    return array_kind(condition)


@rule("y = compress(condition, a, axis=None)", np.compress)
class compress:
    selects = True

    def kind(condition, a, axis):
        _condition("compress", condition)
        a, kept = array_kind(a), lengths().fresh()
        if axis is None:
            return Array(a.dtype, (kept,), a.xp)
        (axis,) = normalize_axis(axis, a.ndim)
        return Array(a.dtype, (*a.shape[:axis], kept, *a.shape[axis + 1 :]), a.xp)

    def d_a(d_y, a: Like, condition, axis):
        if axis is not None or rank(a) == 1:
            return uncompress(d_y, a, condition, 0 if axis is None else axis % rank(a))
        return reshape_like(uncompress(d_y, np.ravel(a), condition), a)

    def t_y(t_a, condition, axis): return np.compress(condition, t_a, axis=axis)


@rule("y = compress(a, condition, axis=None)", "ndarray.compress")
class compress_method:
    selects = True
    def kind(a, condition, axis): return compress.kind(condition, a, axis)
    def d_a(d_y, a: Like, condition, axis): return compress.d_a(d_y, a, condition, axis)
    def t_y(t_a, condition, axis): return np.compress(condition, t_a, axis=axis)


@rule("y = extract(condition, arr)", np.extract)
class extract:
    """The elements in C order, whatever the shape of the condition."""

    selects = True

    def kind(condition, arr):
        _condition("extract", condition)
        return Array(array_kind(arr).dtype, (lengths().fresh(),), library(kind_of(arr)))

    def d_arr(d_y, arr: Like, condition): return compress.d_a(d_y, arr, np.ravel(condition), None)
    def t_y(t_arr, condition): return np.extract(condition, t_arr)


# ----------------------------------------------------------------------------------------- one of several
def _listed(name: str, what: Any) -> list[Any]:
    if not isinstance(what, tuple | list) or not what:
        raise KindError(f"np.{name} of lists that are not written out is not supported", "write them: [a, b]")
    kinds = [kind_of(x) for x in what]
    if not all(isinstance(k, Num | Array) for k in kinds):
        raise KindError(f"np.{name} of lists in its list is not supported", "make arrays of them: np.array([...])")
    return kinds


def _parts(d: Any, condlist: Any) -> tuple[list[Any], Any]:
    """The part of `d` for which each condition is the first that holds, and that for which none does."""
    parts = []
    for condition in condlist:
        parts.append(np.where(condition, d, 0))
        d = np.where(condition, 0, d)
    return parts, d


@rule("y = select(condlist, choicelist, default=0)", np.select)
class select:
    selects = True

    def kind(condlist, choicelist, default):
        conditions, choices = _listed("select", condlist), [*_listed("select", choicelist), kind_of(default)]
        if len(conditions) != len(choices) - 1:
            raise KindError("np.select takes as many choices as conditions", "give each condition its choice")
        if any(k.dtype != bool for k in conditions):
            raise KindError("np.select takes conditions that are boolean", "write a comparison: mask != 0")
        shapes = [k.shape for k in conditions + choices]
        return Array(promote(*choices), broadcast(*shapes), library(*conditions, *choices))

    def d_choicelist(d_y, condlist): return _parts(d_y, condlist)[0]
    def d_default(d_y, condlist): return _parts(d_y, condlist)[1]

    def t_y(condlist, t_choicelist, t_default): return recorded(np.select, condlist, t_choicelist, t_default)


@primitive
def unchoose(d: Any, a: Any, like: Any) -> Any:
    """Zeros of the shape of `like` with `d` added where `np.choose(a, like)` would read."""
    out = np.zeros(like.shape, dtype_as(d, like), like=device(like))
    shape = np.broadcast_shapes(np.shape(a), like.shape[1:])
    places = np.ix_(*(np.arange(n, like=device(like)) for n in like.shape[1:]))
    np.add.at(out, (np.broadcast_to(a, shape), *places), d)
    return out


@rule("y = unchoose(d, a, like)", unchoose)
class unchoose_rule:
    def kind(d, like): return Array(dtype_as(kind_of(d), like), like.shape, like.xp)
    def d_d(d_y, a): return recorded(np.choose, a, d_y)
    def t_y(t_d, a, like: Like): return unchoose(t_d, a, like)


def _choice(a: Any, count: Any, mode: str) -> Any:
    """Which of the choices an index means."""
    return a if mode == "raise" else a % count if mode == "wrap" else np.clip(a, 0, count - 1)


def _choose_kind(a: Any, choices: Any) -> Array | Num:
    a = kind_of(a)
    if isinstance(choices, tuple | list):
        kinds = _listed("choose", choices)
        shapes, dtype = [k.shape for k in kinds], promote(*kinds)
    else:
        kinds = [array_kind(choices)]
        shapes, dtype = [kinds[0].shape[1:]], kinds[0].dtype
    return array_or_number(dtype, broadcast(a.shape, *shapes), library(a, *kinds))


def _to_choices(d: Any, a: Any, choices: Any, mode: str) -> Any:
    if not isinstance(choices, tuple | list):
        return unchoose(d, _choice(a, length(choices), mode), choices)
    which = _choice(a, len(choices), mode)
    return [chosen(d, which == k) for k in range(len(choices))]


@rule("y = choose(a, choices, mode='raise')", np.choose)
class choose:
    selects = True
    def kind(a, choices): return _choose_kind(a, choices)
    def d_choices(d_y, a, choices: Like, mode): return _to_choices(d_y, a, choices, mode)
    def t_y(a, t_choices, mode): return recorded(np.choose, a, t_choices, mode=mode)


@rule("y = choose(a, choices, mode='raise')", "ndarray.choose")
class choose_method:
    selects = True
    def kind(a, choices): return _choose_kind(a, choices)
    def d_choices(d_y, a, choices: Like, mode): return _to_choices(d_y, a, choices, mode)
    def t_y(a, t_choices, mode): return recorded(np.choose, a, t_choices, mode=mode)
