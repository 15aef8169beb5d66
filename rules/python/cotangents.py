"""Derivatives of the primitives that adjoints are made of, so that an adjoint is a program like any other."""

from typing import Any

import numpy as np

from rules.cotangent import (
    accumulate,
    appended,
    direction,
    element,
    given_back,
    length,
    listed,
    or_zeros,
    project,
    restack,
    size,
    spread,
    strong,
    strong_divide,
    unless_zero,
    unstack,
    update,
    where_given,
    winners,
    without_last,
    zeros_like,
)  # fmt: skip
from rules.kind import ONE, Array, KindError, Num, Seq, array_or_number, broadcast, kind_of, library, promote
from rules.kind import lengths as _lengths
from rules.numpy.indexing import indexed
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, rule


def _item(d: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        if isinstance(step, str):
            d = d.T if step == "T" else np.real(d) if step == "real" else np.imag(d)
        else:
            d = d[step]
    return d


nondifferentiable("z = zeros_like(x)", zeros_like, kind=lambda x: x)
def _length_kind(x: Any, axis: int) -> Num:
    if isinstance(x, Seq):
        return Num(int, x.length)
    return Num(int, _lengths().resolve(x.shape[axis]))


nondifferentiable("n = length(x, axis=0)", length, kind=_length_kind)


@rule("y = element(a, index)", element)
class element_rule:
    """A subscript that is taken before it is known whether there is such an element."""

    def kind(a, index): return indexed(a, index)
    def d_a(d_y, a: Like, index): return given_back(d_y, a, index)
    def t_y(t_a, index): return element(t_a, index)


@rule("a = given_back(d, like, index)", given_back)
class given_back_rule:
    def kind(like): return like
    def d_d(d_a, index): return element(d_a, index)
    def t_a(t_d, like: Like, index): return given_back(t_d, like, index)




def _size_kind(x: Any) -> Num:
    known = [n for n in x.shape if n != ONE]
    return Num(int, known[0] if len(known) == 1 else None if known else ONE)


nondifferentiable("n = size(x)", size, kind=_size_kind)


@rule("y = spread(d, like, axis=None, keepdims=False)", spread)
class spread_rule:
    def kind(d, like): return Array(like.dtype, like.shape, like.xp) if isinstance(like, Array) else like
    view = "d"

    def d_d(d_y, d: Like, like: Like, axis, keepdims):
        if not rank(d):
            return np.sum(d_y)
        return np.sum(d_y, axis=axis, keepdims=keepdims)

    def t_y(t_d, like: Like, axis, keepdims): return spread(t_d, like, axis, keepdims)


@rule("y = project(d, like)", project)
class project_rule:
    def kind(d, like): return like
    view = "d"
    @borrows("d_y")
    def d_d(d_y, d: Like): return spread_to(d_y, d)
    def t_y(t_d, like: Like): return project(t_d, like)


def spread_to(d: Any, like: Any) -> Any:
    """Broadcast a cotangent to the shape of `like`, from which a projection has summed."""
    return project(d, like)


@rule("c = accumulate(a, b)", accumulate)
class accumulate_rule:
    def kind(a, b): return array_or_number(a.dtype, (), a.xp) if isinstance(a, Array) and not a.shape else a
    view = "a b"
    @borrows("d_c")
    def d_a(d_c): return d_c
    @borrows("d_c")
    def d_b(d_c): return d_c
    def t_c(t_a, t_b): return accumulate(t_a, t_b)


@rule("y = restack(items, like)", restack)
class restack_rule:
    def kind(items, like): return like
    @borrows("d_y")
    def d_items(d_y): return unstack(d_y)
    def t_y(t_items, like: Like): return restack(t_items, like)


@rule("items = unstack(a)", unstack)
class unstack_rule:
    def kind(a): return Seq(array_or_number(a.dtype, a.shape[1:], a.xp))
    view = "a"
    def d_a(d_items, a: Like): return restack(d_items, a)
    def t_items(t_a): return unstack(t_a)


def _listed_kind(items: Any) -> Seq:
    """The kind of a list of these elements, which agree up to lengths."""
    if isinstance(items, Seq):
        return items
    if not items:
        raise KindError("the kind of the elements of an empty list is not known", "begin it with an element")
    first = kind_of(items[0])
    return Seq(Num(first.type) if isinstance(first, Num) else first)


@rule("y = listed(items)", listed)
class listed_rule:
    def kind(items): return _listed_kind(items)
    view = "items"
    @borrows("d_y")
    def d_items(d_y): return d_y
    def t_y(t_items): return listed(t_items)


@rule("y = appended(items, x)", appended)
class appended_rule:
    def kind(items, x): return Seq(items.element) if isinstance(items, Seq) else [*items, x]
    view = "items x"
    @borrows("d_y")
    def d_items(d_y): return without_last(d_y)
    @borrows("d_y")
    def d_x(d_y): return d_y[-1]
    def t_y(t_items, t_x): return appended(t_items, t_x)


@rule("y = without_last(items)", without_last)
class without_last_rule:
    def kind(items): return Seq(items.element) if isinstance(items, Seq) else items[:-1]
    view = "items"
    @borrows("d_y")
    def d_items(d_y, items): return appended(d_y, zeros_like(items[-1]))
    def t_y(t_items): return without_last(t_items)


def _filled(d: Any, term: Any) -> Num | Array:
    d, term = kind_of(d), kind_of(term)
    return term if isinstance(d, Num) else array_or_number(term.dtype, d.shape)


@rule("y = or_zeros(d, like)", or_zeros)
class or_zeros_rule:
    """A cotangent that only the last iteration of a loop has."""

    def kind(d, like): return like
    view = "d"
    @borrows("d_y")
    def d_d(d_y, d): return where_given(d_y, d)
    def t_y(t_d, like: Like): return or_zeros(t_d, like)


@rule("y = where_given(d, given)", where_given)
class where_given_rule:
    like = "given"
    def kind(d): return d
    view = "d"
    @borrows("d_y")
    def d_d(d_y, d: Like): return or_zeros(d_y, d)
    def t_y(t_d, given): return where_given(t_d, given)


@rule("z = direction(w, norm)", direction)
class direction_rule:
    """Zero at 0, where the norm has a kink, and taken for constant there: derivatives of any order are zero."""

    def kind(w, norm): return _product(w, norm)
    def d_w(d_z, norm): return direction(d_z, norm)
    def d_norm(d_z, norm, z): return -direction(d_z * z, norm)
    def t_z(t_w, t_norm, norm, z): return direction(t_w - z * t_norm, norm)


@rule("y = unless_zero(d, term)", unless_zero)
class unless_zero_rule:
    """A selection: where `d` is zero nothing of `term` is wanted, and the result does not move with `d`."""

    selects = True
    def kind(d, term): return term if isinstance(term, Array) else _filled(d, term)
    def d_term(d_y, d): return unless_zero(d, d_y)
    def d_d(d_y, d): return d * 0
    def t_y(t_term, d): return unless_zero(d, t_term)


@rule("z = strong(d, factor)", strong)
class strong_rule:
    def kind(d, factor): return _product(d, factor)
    def d_d(d_z, factor): return strong(d_z, factor)
    def d_factor(d_z, d): return strong(d, d_z)
    def t_z(t_d, t_factor, d, factor): return strong(t_d, factor) + strong(d, t_factor)


@rule("z = strong_divide(d, q)", strong_divide)
class strong_divide_rule:
    infinite_at_pole = True
    def kind(d, q): return _product(d, q)
    def d_d(d_z, q): return strong_divide(d_z, q)
    def d_q(d_z, q, z): return -strong_divide(strong(z, d_z), q)
    def t_z(t_d, t_q, q, z): return strong_divide(t_d - strong(z, t_q), q)


def _product(a: Any, b: Any) -> Num | Array:
    a, b = kind_of(a), kind_of(b)
    if isinstance(a, Num) and isinstance(b, Num) and a.python and b.python:
        return Num(type(a.type(1) * b.type(1.0) + 0.0))
    return array_or_number(promote(a, b, Num(float)), broadcast(a.shape, b.shape), library(a, b))


def _whole(path: tuple[Any, ...]) -> bool:
    """Is the place all of the array?"""
    (step, *more) = path
    items = step if isinstance(step, tuple) else (step,)
    return not more and all(
        i is Ellipsis or (isinstance(i, slice) and i.start is None and i.stop is None and i.step is None) for i in items
    )


def _repeats(step: Any) -> bool:
    """May an index name an element twice: is there a list or an integer array in it?"""
    items = step if isinstance(step, tuple) else (step,)
    return any(isinstance(i, list) or (getattr(i, "ndim", 0) > 0 and i.dtype.kind in "iu") for i in items)


def _nothing(d: Any, path: tuple[Any, ...]) -> Any:
    """The zero that is stored at a place of an array, or at an element of a list of numbers."""
    if hasattr(d, "dtype"):
        return 0
    return 0.0 if getattr(d, "element_dtype", None) == np.float64 else zeros_like(d[path[0]])


def _winners_kind(like: Any, path: tuple[Any, ...]) -> Any:
    place: Any = Array(np.dtype(bool), like.shape, like.xp)
    for step in path:
        if step == "T":
            place = Array(place.dtype, place.shape[::-1], place.xp)
        elif not isinstance(step, str):
            place = indexed(place, step)
    return place


nondifferentiable("y = winners(like, path)", winners, kind=_winners_kind)


@rule("b = update(a, path, op, value)", update)
class update_rule:
    static = "op"
    def kind(a): return a

    @borrows("d_b")
    def d_a(d_b, path, op, value):
        if op in ("add", "sub"):
            return d_b
        if op == "set":
            return zeros_like(d_b) if _whole(path) else update(d_b, path, "set", _nothing(d_b, path))
        return update(d_b, path, op, value)

    @borrows("d_b")
    def d_value(d_b, a, path, op, b):
        d = _item(d_b, path)
        if "imag" in [step for step in path if isinstance(step, str)]:
            d = -d  # the cotangent by x + iy is dL/dx - i dL/dy
        if op == "set" and _repeats(path[-1]):
            d = np.where(winners(a, path), d, 0)
        if op in ("set", "add"):
            return d
        if op == "sub":
            return -d
        if op == "mul":
            return d * _item(a, path)
        raise TypeError("the derivative of `/=` at a place is taken from its parts")

    def t_b(t_a, t_value, a, b, path, op, value):
        if op == "mul":
            return update(update(t_a, path, op, value), path, "add", _item(a, path) * t_value)
        if op == "div":
            return update(t_a - update(zeros_like(a), path, "set", _item(b, path) * t_value), path, op, value)
        return update(t_a, path, op, t_value)
