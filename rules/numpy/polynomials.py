"""Polynomials, given by their coefficients, the highest first, or by their roots.

What acts on coefficients is linear in them. A polynomial of its roots moves, with one of them, by minus the polynomial
of the others: `poly_of` has the polynomials of many lists of roots, and so derivatives of every order.
"""

import math
from typing import Any

import numpy as np

from rules.arrays import as_array, device, is_array, on_device
from rules.kind import (
    Array,
    KindError,
    Length,
    Num,
    array_or_number,
    constant,
    kind_of,
    length_of,
    lengths,
    library,
    promote,
)  # fmt: skip
from rules.numpy.convolutions import unconvolve
from rules.numpy.joining import part, placed
from rules.numpy.shape import array_kind, total
from rules.operands import rank
from rules.rule import Like, borrows, nondifferentiable, primitive, rule

DOUBLE = Array(np.dtype(np.float64), ())


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.empty(0, dtype).real.dtype


def _coefficients(name: str, p: Any) -> Array:
    p = array_kind(p)
    if p.ndim != 1:
        raise KindError(f"np.{name} of coefficients that are not of rank 1 is not supported", "give an array of rank 1")
    return p


def _less(n: Length, k: int) -> Length:
    """The length `n - k`, and 0 where that is below it."""
    enough = lengths().at_least(n, k)
    return n + -k if enough else constant(0) if enough is False else lengths().fresh()


# ---------------------------------------------------------------------------------- the end of an array
@primitive
def ending(d: Any, like: Any) -> Any:
    """The last elements of `d`, as many as `like` has; a view, but where zeros are missing before them."""
    return d[len(d) - len(like) :] if len(d) >= len(like) else at_end.__wrapped__(d, like)


@primitive
def at_end(d: Any, like: Any) -> Any:
    """Zeros of the shape of `like` that end with `d`, or with what there is room for."""
    out = np.zeros(like.shape, d.dtype, like=device(d))
    n = min(len(like), len(d))
    out[len(like) - n :] = d[len(d) - n :]
    return out


@rule("y = ending(d, like)", ending)
class ending_rule:
    def kind(d, like): return Array(d.dtype, like.shape, like.xp)
    view = "d"
    def d_d(d_y, d: Like): return at_end(d_y, d)
    def t_y(t_d, like: Like): return ending(t_d, like)


@rule("y = at_end(d, like)", at_end)
class at_end_rule:
    def kind(d, like): return Array(d.dtype, like.shape, like.xp)
    @borrows("d_y")
    def d_d(d_y, d: Like): return ending(d_y, d)
    def t_y(t_d, like: Like): return at_end(t_d, like)


@primitive
def trimmed(p: Any) -> Any:
    """The coefficients without leading zeros, at least one of them; a view. Where there are none, 0."""
    if not len(p):
        return np.zeros(1, p.dtype, like=device(p))
    if on_device(p):  # which waits once
        there = np.append(np.not_equal(p, 0), np.ones(1, bool, like=p))
        return p[min(int(np.argmax(there)), len(p) - 1) :]
    found = np.flatnonzero(p)
    return p[found[0] if len(found) else len(p) - 1 :]


@rule("y = trimmed(p)", trimmed)
class trimmed_rule:
    def kind(p): return Array(p.dtype, (lengths().fresh(),), p.xp)
    view = "p"
    def d_p(d_y, p: Like): return at_end(d_y, p)
    @borrows("t_p")
    def t_y(t_p, y: Like): return ending(t_p, y)


# ------------------------------------------------------------------------------------- sums and products
def _sum_kind(name: str, a1: Any, a2: Any) -> Array:
    kinds = [array_kind(a) for a in (a1, a2)]
    first, second = (_coefficients(name, a) if a.ndim else Array(a.dtype, (constant(1),), a.xp) for a in kinds)
    n, m = (lengths().resolve(a.shape[0]) for a in (first, second))
    if n.symbol == m.symbol:
        n = n if n.offset >= m.offset else m
    else:
        n = lengths().fresh()
    return Array(promote(*kinds), (n,), library(*kinds))


def _addend(d: Any, a: Any) -> Any:
    return ending(d, a) if rank(a) else d[-1]


@rule("y = polyadd(a1, a2)", np.polyadd)
class polyadd:
    def kind(a1, a2): return _sum_kind("polyadd", a1, a2)
    @borrows("d_y")
    def d_a1(d_y, a1: Like): return _addend(d_y, a1)
    @borrows("d_y")
    def d_a2(d_y, a2: Like): return _addend(d_y, a2)
    def t_y(t_a1, t_a2): return np.polyadd(t_a1, t_a2)


@rule("y = polysub(a1, a2)", np.polysub)
class polysub:
    def kind(a1, a2): return _sum_kind("polysub", a1, a2)
    @borrows("d_y")
    def d_a1(d_y, a1: Like): return _addend(d_y, a1)
    def d_a2(d_y, a2: Like): return -_addend(d_y, a2)
    def t_y(t_a1, t_a2): return np.polysub(t_a1, t_a2)


@rule("c = polymul(a1, a2)", np.polymul)
class polymul:
    """A convolution, once leading zeros are left out; they get 0."""

    def kind(a1, a2):
        a1, a2 = _coefficients("polymul", a1), _coefficients("polymul", a2)
        return Array(promote(a1, a2), (lengths().fresh(),), library(a1, a2))

    def d_a1(d_c, a1, a2): return at_end(unconvolve(d_c, trimmed(a2), trimmed(a1)), a1)
    def d_a2(d_c, a1, a2): return at_end(unconvolve(d_c, trimmed(a1), trimmed(a2)), a2)

    def t_c(a1, a2, t_a1, t_a2):
        u, v = trimmed(a1), trimmed(a2)
        return np.convolve(ending(t_a1, u), v) + np.convolve(u, ending(t_a2, v))


# ------------------------------------------------------------------------------ derivatives and integrals
@primitive
def falling(like: Any, m: int) -> Any:
    """What `m` derivatives multiply each coefficient of `like` by that they leave, in its precision."""
    k = np.arange(len(like) - 1, m - 1, -1, dtype=_real(like.dtype), like=device(like))
    return math.prod([k - i for i in range(1, m)], start=k)


nondifferentiable("w = falling(like, m)", falling,
                  kind=lambda like, m: Array(_real(like.dtype), (_less(like.shape[0], m),)))  # fmt: skip


def derived(p: Any) -> Any:
    """The coefficients of the derivative, in the precision of `p`."""
    return p[:-1] * falling(p, 1)


@rule("y = polyder(p, m=1)", np.polyder)
class polyder:
    static = "m"

    def kind(p, m):
        p = _coefficients("polyder", p)
        if m < 0:
            raise KindError("np.polyder takes a number of derivatives", "give m that is not negative, or np.polyint")
        return Array(np.result_type(p.dtype, np.int64), (_less(p.shape[0], m),), p.xp) if m else p

    view = "p"
    @borrows("d_y")
    def d_p(d_y, p: Like, m): return placed(d_y * falling(p, m), p, 0) if m else d_y
    @borrows("t_p")
    def t_y(t_p, m): return np.polyder(t_p, m)


@rule("y = polyint(p, m=1, k=None)", np.polyint)
class polyint:
    static = "m"

    def kind(p, m, k):
        p = _coefficients("polyint", p)
        if m < 0:
            raise KindError("np.polyint takes a number of integrals", "give m that is not negative, or use np.polyder")
        if k is not None and (m != 1 or rank(kind_of(k))):
            raise KindError("np.polyint with several constants is not supported", "integrate once, with a number k")
        return Array(promote(p, DOUBLE, *([] if k is None else [kind_of(k)])), (p.shape[0] + m,), p.xp) if m else p

    view = "p"
    @borrows("d_y")
    def d_p(d_y, p: Like, m): return part(d_y, p, 0) / falling(d_y, m) if m else d_y
    def d_k(d_y): return d_y[-1]
    @borrows("t_p")
    def t_y(t_p, m, k, t_k): return np.polyint(t_p, m) if k is None else np.polyint(t_p, m, t_k)


# ----------------------------------------------------------------------------------------------- values
@primitive
def horner(p: Any, x: Any) -> Any:
    """`np.polyval(p, x)`, computed in one array."""
    if not is_array(x):
        return np.polyval(p, x)[()]
    out = np.zeros(x.shape, np.result_type(p, x), like=device(x))
    for coefficient in p:
        np.multiply(out, x, out=out)
        np.add(out, coefficient, out=out)
    return out[()]


@primitive
def unpolyval(d: Any, x: Any, like: Any) -> Any:
    """The sums of `d * x**k`, the highest power first, as many as `like` has: the cotangent of coefficients."""
    term = np.copy(np.broadcast_to(as_array(d, like), np.shape(x))).astype(np.result_type(d, x), copy=False)
    out = np.empty(len(like), term.dtype, like=device(like))
    for k in range(len(like) - 1, -1, -1):
        out[k] = np.sum(term)
        if k:
            np.multiply(term, x, out=term)
    return out


@rule("y = unpolyval(d, x, like)", unpolyval)
class unpolyval_rule:
    def kind(d, x, like): return Array(promote(kind_of(d), kind_of(x)), like.shape, like.xp)
    def d_d(d_y, x): return horner(d_y, x)
    def d_x(d_y, d, x): return d * horner(derived(d_y), x)

    def t_y(y, d, x, like: Like, t_d, t_x):
        return unpolyval(t_d, x, like) + np.pad(unpolyval(d * t_x, x, y[:-1]) * falling(y, 1), (0, 1))


def _value_kind(p: Any, x: Any) -> Any:
    p, x = _coefficients("polyval", p), array_kind(x)
    return array_or_number(promote(p, x), x.shape, library(p, x))


@rule("y = horner(p, x)", horner)
class horner_rule:
    def kind(p, x): return _value_kind(p, x)
    def d_p(d_y, p: Like, x): return unpolyval(d_y, x, p)
    def d_x(d_y, p, x): return d_y * horner(derived(p), x)
    def t_y(p, x, t_p, t_x): return horner(t_p, x) + t_x * horner(derived(p), x)


@rule("y = polyval(p, x)", np.polyval)
class polyval:
    def kind(p, x):
        kind, at = _value_kind(p, x), array_kind(x)
        if (kind.dtype != at.dtype or not at.ndim) and lengths().at_least(array_kind(p).shape[0], 1) is False:
            return at  # no coefficients: zeros like x
        return kind

    def d_p(d_y, p: Like, x): return unpolyval(d_y, x, p)
    def d_x(d_y, p, x): return d_y * horner(derived(p), x)
    def t_y(p, x, t_p, t_x): return horner(t_p, x) + t_x * horner(derived(p), x)


@primitive
def exponents(like: Any, increasing: bool = False) -> Any:
    """The powers that the columns of `like`, made by `np.vander`, are of, in its precision."""
    k = np.arange(like.shape[1], dtype=_real(like.dtype), like=device(like))
    return k if increasing else k[::-1]


nondifferentiable("k = exponents(like, increasing=False)", exponents,
                  kind=lambda like: Array(_real(like.dtype), like.shape[1:], like.xp))  # fmt: skip


@rule("y = vander(x, N=None, increasing=False)", np.vander)
class vander:
    """The powers of the elements: the derivative of each is its neighbour, times the exponent."""

    static = "increasing"

    def kind(x, N):
        x = _coefficients("vander", x)
        n = x.shape[0] if N is None else length_of(N)
        if n == constant(0):
            raise KindError("np.vander without columns is not supported", "give N that is above 0")
        return Array(np.result_type(x.dtype, np.int64), (x.shape[0], n), x.xp)

    def d_x(d_y, y, increasing):
        k = exponents(y, increasing)
        if increasing:
            return np.sum(d_y[:, 1:] * (y[:, :-1] * k[1:]), axis=1)
        return np.sum(d_y[:, :-1] * (y[:, 1:] * k[:-1]), axis=1)

    def t_y(y, increasing, t_x):
        k = exponents(y, increasing)
        slopes = y[:, :-1] * k[1:] if increasing else y[:, 1:] * k[:-1]
        return np.pad(slopes * t_x[:, None], ((0, 0), (1, 0) if increasing else (0, 1)))


# ------------------------------------------------------------------------------------------------ roots
@primitive
def poly_of(roots: Any) -> Any:
    """The coefficients of the polynomials whose roots lie along the last axis, of length n: n + 1 for each."""
    n = roots.shape[-1]
    out = np.zeros((*roots.shape[:-1], n + 1), roots.dtype, like=device(roots))
    term = np.empty_like(out)
    out[..., 0] = 1
    for k in range(n):
        np.multiply(roots[..., k : k + 1], out[..., : k + 1], out=term[..., : k + 1])
        out[..., 1 : k + 2] -= term[..., : k + 1]
    return out


@primitive
def others(like: Any) -> Any:
    """Row k holds the places along the last axis of `like` but the k-th."""
    n = like.shape[-1]
    k = np.arange(max(n - 1, 0), like=device(like))
    return k + (k >= np.arange(n, like=device(like))[:, None])


nondifferentiable("i = others(like)", others,
                  kind=lambda like: Array(np.dtype(np.intp), (like.shape[-1], _less(like.shape[-1], 1))))  # fmt: skip


def _to_roots(d: Any, roots: Any) -> Any:
    return -np.sum(poly_of(roots[..., others(roots)]) * d[..., None, 1:], axis=-1)


def _of_roots(t: Any, roots: Any) -> Any:
    moved = np.sum(poly_of(roots[..., others(roots)]) * t[..., None], axis=-2)
    return np.pad(-moved, ((0, 0),) * (rank(roots) - 1) + ((1, 0),))


@rule("a = poly_of(roots)", poly_of)
class poly_of_rule:
    def kind(roots): return Array(roots.dtype, (*roots.shape[:-1], roots.shape[-1] + 1), roots.xp)
    def d_roots(d_a, roots): return _to_roots(d_a, roots)
    def t_a(t_roots, roots): return _of_roots(t_roots, roots)


@rule("a = poly(seq_of_zeros)", np.poly)
class poly:
    def kind(seq_of_zeros):
        r = array_kind(seq_of_zeros)
        if r.ndim != 1:
            raise KindError("np.poly of what is no array of roots is not supported",
                            "give it the roots: np.linalg.eigvals of a matrix")  # fmt: skip
        if r.dtype.kind == "c":
            raise KindError("np.poly of complex roots is real or complex as their values are", "multiply the factors")
        if lengths().at_least(r.shape[0], 1) is False:
            return Num(float)  # what NumPy has for no roots is no array
        dtype = r.dtype if r.dtype.char in "fdg" else DOUBLE.dtype
        return Array(dtype, (total([r.shape[0], constant(1)]),), r.xp)

    def d_seq_of_zeros(d_a, seq_of_zeros):
        return _to_roots(d_a, seq_of_zeros) if rank(d_a) else np.zeros_like(seq_of_zeros)

    def t_a(t_seq_of_zeros, seq_of_zeros, a: Like):
        return _of_roots(t_seq_of_zeros, seq_of_zeros) if rank(a) else 0.0
