"""Rules for products of vectors and matrices: a cotangent is the result's, times the other factor.

Which of the textbook's formulas applies is decided by the ranks alone. None conjugates, save that of `vdot`.
"""

import operator
from typing import Any

import numpy as np

from rules.arrays import on_device
from rules.cotangent import length, spread
from rules.kind import (
    ONE,
    Array,
    KindError,
    Length,
    array_or_number,
    broadcast,
    constant,
    kind_of,
    lengths,
    library,
    normalize_axis,
    promote,
    ufunc_dtype,
)  # fmt: skip
from rules.numpy.axes import inverse
from rules.numpy.shape import array_kind, product, reshape_like
from rules.operands import is_complex, rank
from rules.rule import Like, borrows, rule


# ------------------------------------------------------------------------------------------------ matmul
def _across(A: Any) -> Any:
    """The transpose of the last two axes."""
    return A.T if A.ndim == 2 else np.swapaxes(A, -1, -2)


def _leading(A: Any) -> tuple[int, ...]:
    return tuple(range(A.ndim - 1))


@rule("C = matmul(A, B)", np.matmul, operator.matmul)
class matmul:
    def kind(A, B):
        A, B = kind_of(A), kind_of(B)
        if not A.ndim or not B.ndim:
            raise KindError("matmul of a number is not defined", "multiply with *")
        dtype = ufunc_dtype(np.matmul, A, B)
        lengths().agree(A.shape[-1], B.shape[-1 if B.ndim == 1 else -2])
        stack = broadcast(A.shape[:-2], B.shape[:-2])
        shape = stack + A.shape[-2:-1] * (A.ndim > 1) + B.shape[-1:] * (B.ndim > 1)
        return array_or_number(dtype, shape, library(A, B))

    def d_A(d_C, A: Like, B):
        if A.ndim == 1:
            if B.ndim <= 2:
                return d_C * B if B.ndim == 1 else B @ d_C
            return np.tensordot(d_C, _across(B), d_C.ndim)
        if B.ndim == 1:
            return np.outer(d_C, B) if A.ndim == 2 else np.expand_dims(d_C, -1) * B
        if A.ndim == 2 and B.ndim > 2:  # summed over the stack of B at once
            rest = (*range(B.ndim - 2), B.ndim - 1)
            return np.tensordot(d_C, B, (rest, rest))
        return d_C @ _across(B)

    def d_B(d_C, A, B: Like):
        if A.ndim == 1:
            if B.ndim == 1:
                return d_C * A
            return np.outer(A, d_C) if B.ndim == 2 else np.expand_dims(A, -1) * np.expand_dims(d_C, -2)
        if B.ndim == 1:
            return A.T @ d_C if A.ndim == 2 else np.tensordot(d_C, A, d_C.ndim)
        if B.ndim == 2 and A.ndim > 2:  # summed over the stack of A at once
            return np.tensordot(A, d_C, (_leading(A), _leading(A)))
        return _across(A) @ d_C

    def t_C(A, B, t_A, t_B): return t_A @ B + A @ t_B


# --------------------------------------------------------------------------------- dot, inner, outer, vdot
@rule("c = dot(a, b)", np.dot, "ndarray.dot")
class dot:
    def kind(a, b):
        a, b = array_kind(a), array_kind(b)
        dtype, xp = promote(a, b), library(a, b)
        if not a.ndim or not b.ndim:
            return array_or_number(dtype, (*a.shape, *b.shape), xp)
        k = -1 if b.ndim == 1 else -2
        lengths().agree(a.shape[-1], b.shape[k])
        return array_or_number(dtype, (*a.shape[:-1], *b.shape[:-1][: b.ndim - 2 if b.ndim > 1 else 0],
                                       *b.shape[b.ndim - 1 if b.ndim > 1 else 1 :]), xp)  # fmt: skip

    def d_a(d_c, a: Like, b):
        m, n = rank(a), rank(b)
        if not m or not n or (m, n) == (1, 1):
            return d_c * b
        if m <= 2 and n <= 2:
            return np.outer(d_c, b) if n == 1 else b @ d_c if m == 1 else d_c @ b.T
        if n == 1:
            return np.expand_dims(d_c, -1) * b
        return np.tensordot(d_c, b, (tuple(range(m - 1, d_c.ndim)), (*range(n - 2), n - 1)))

    def d_b(d_c, a, b: Like):
        m, n = rank(a), rank(b)
        if not m or not n or (m, n) == (1, 1):
            return d_c * a
        if m <= 2 and n <= 2:
            return np.outer(a, d_c) if m == 1 else a.T @ d_c
        if n == 1:
            return np.tensordot(d_c, a, d_c.ndim)
        return np.moveaxis(np.tensordot(a, d_c, (_leading(a), _leading(a))), 0, -2)

    def t_c(a, b, t_a, t_b): return np.dot(t_a, b) + np.dot(a, t_b)


@rule("c = inner(a, b)", np.inner)
class inner:
    def kind(a, b):
        a, b = array_kind(a), array_kind(b)
        dtype, xp = promote(a, b), library(a, b)
        if not a.ndim or not b.ndim:
            return array_or_number(dtype, (*a.shape, *b.shape), xp)
        lengths().agree(a.shape[-1], b.shape[-1])
        return array_or_number(dtype, (*a.shape[:-1], *b.shape[:-1]), xp)

    def d_a(d_c, a: Like, b):
        m, n = rank(a), rank(b)
        if not m or not n or (m, n) == (1, 1):
            return d_c * b
        return np.tensordot(d_c, b, (tuple(range(m - 1, d_c.ndim)), _leading(b)))

    def d_b(d_c, a, b: Like):
        m, n = rank(a), rank(b)
        if not m or not n or (m, n) == (1, 1):
            return d_c * a
        return np.tensordot(d_c, a, (_leading(a), _leading(a)))

    def t_c(a, b, t_a, t_b): return np.inner(t_a, b) + np.inner(a, t_b)


def _flat(x: Any) -> Any:
    return x if rank(x) == 1 else np.ravel(x)


def _summed(d: Any, x: Any) -> Any:
    """The product of a matrix with the elements of `x`; a number is no array, which is of a library."""
    return d[:, 0] * x if on_device(d) and not rank(x) else d @ _flat(x)


@rule("c = outer(a, b)", np.outer)
class outer:
    def kind(a, b):
        a, b = array_kind(a), array_kind(b)
        return Array(promote(a, b), (product(a.shape), product(b.shape)), library(a, b))

    def d_a(d_c, a: Like, b):
        d = _summed(d_c, b)
        return d if rank(a) == 1 else reshape_like(d, a)

    def d_b(d_c, a, b: Like):
        d = _summed(d_c.T, a)
        return d if rank(b) == 1 else reshape_like(d, b)

    def t_c(a, b, t_a, t_b): return np.outer(t_a, b) + np.outer(a, t_b)


@rule("c = vdot(a, b)", np.vdot)
class vdot:
    def kind(a, b):
        a, b = array_kind(a), array_kind(b)
        lengths().agree(product(a.shape), product(b.shape))
        return array_or_number(promote(a, b), (), library(a, b))

    def d_a(d_c, a: Like, b):
        d = d_c * b
        d = np.conj(d) if is_complex(d) else d
        return d if rank(a) == rank(b) == 1 else reshape_like(d, a)

    def d_b(d_c, a, b: Like):
        d = d_c * (np.conj(a) if is_complex(a) else a)
        return d if rank(a) == rank(b) == 1 else reshape_like(d, b)

    def t_c(a, b, t_a, t_b): return np.vdot(t_a, b) + np.vdot(a, t_b)


@rule("c = cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)", np.cross)
class cross:
    static = "axisa axisb axisc"

    def kind(a, b, axisa, axisb, axisc, axis):
        if (axisa, axisb, axisc) != (-1, -1, -1):
            raise KindError("np.cross with axisa, axisb or axisc is not supported",
                            "move the axes last, with np.moveaxis, or write axis=..., the axis of all three")
        if axis not in (-1, None) and a.ndim != b.ndim:
            raise KindError("np.cross of different ranks, not along the last axis, is not supported",
                            "move the axis last")
        for x in (a, b):
            (k,) = normalize_axis(-1 if axis is None else axis, x.ndim)
            if lengths().size(lengths().resolve(x.shape[k])) == 2:
                raise KindError("np.cross of vectors of two components is not supported",
                                "write x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]")  # fmt: skip
            lengths().agree(x.shape[k], constant(3))
        return Array(promote(a, b), broadcast(a.shape, b.shape), library(a, b))

    def d_a(d_c, b, axis): return np.cross(b, d_c, axis=axis)
    def d_b(d_c, a, axis): return np.cross(d_c, a, axis=axis)
    def t_c(a, b, axis, t_a, t_b): return np.cross(t_a, b, axis=axis) + np.cross(a, t_b, axis=axis)


# ------------------------------------------------------------------------------------------- contractions
def _contracted(axes: Any, m: int, n: int) -> tuple[list[int], list[int]]:
    """The axes of each factor that `np.tensordot` sums over."""
    if isinstance(axes, int | np.integer):
        return list(range(m - int(axes), m)), list(range(int(axes)))
    one, other = ([k] if isinstance(k, int | np.integer) else list(k) for k in axes)
    if len(one) != len(other):
        raise KindError(f"tensordot sums over {len(one)} axes of one factor and {len(other)} of the other",
                        "name as many axes of each")
    return list(normalize_axis(tuple(one), m)), list(normalize_axis(tuple(other), n))


def _free(ndim: int, summed: list[int]) -> list[int]:
    return [i for i in range(ndim) if i not in summed]


def _ordered(d: Any, order: list[int]) -> Any:
    """`d`, whose axes are those of a factor in this order, with its axes as they were."""
    return d if order == sorted(order) else np.transpose(d, inverse(order))


@rule("c = tensordot(a, b, axes=2)", np.tensordot)
class tensordot:
    def kind(a, b, axes):
        a, b = array_kind(a), array_kind(b)
        one, other = _contracted(axes, a.ndim, b.ndim)
        for i, j in zip(one, other):
            lengths().agree(a.shape[i], b.shape[j])
        shape = (*(a.shape[i] for i in _free(a.ndim, one)), *(b.shape[j] for j in _free(b.ndim, other)))
        return Array(promote(a, b), shape, library(a, b))

    def d_a(d_c, a: Like, b, axes):
        one, other = _contracted(axes, rank(a), rank(b))
        free = _free(rank(a), one)
        d = np.tensordot(d_c, b, (tuple(range(len(free), d_c.ndim)), tuple(_free(rank(b), other))))
        return _ordered(d, free + [i for _, i in sorted(zip(other, one))])

    def d_b(d_c, a, b: Like, axes):
        one, other = _contracted(axes, rank(a), rank(b))
        free = _free(rank(b), other)
        d = np.tensordot(a, d_c, (tuple(_free(rank(a), one)), tuple(range(d_c.ndim - len(free)))))
        return _ordered(d, [j for _, j in sorted(zip(one, other))] + free)

    def t_c(a, b, axes, t_a, t_b): return np.tensordot(t_a, b, axes) + np.tensordot(a, t_b, axes)


def _subscripts(subscripts: Any, ranks: list[int]) -> tuple[list[str], str]:
    """The indices of each operand and of the result, an ellipsis written out as letters."""
    if not isinstance(subscripts, str):
        raise KindError("np.einsum without a string of subscripts is not supported",
                        'write them as a string, "ij,jk->ik"')
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    inputs = given.split(",")
    misfit = KindError(f"np.einsum {subscripts!r} does not fit operands of rank {', '.join(map(str, ranks))}",
                       "write one index for each axis")
    if len(inputs) != len(ranks):
        raise KindError(f"np.einsum has subscripts for {len(inputs)} operands and {len(ranks)} operands",
                        "write subscripts for each operand")
    unused = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in given]
    dots = [n - len(s.replace("...", "")) if "..." in s else 0 for s, n in zip(inputs, ranks)]
    if min(dots) < 0:
        raise misfit
    inputs = [s.replace("...", "".join(unused[:n][::-1])) for s, n in zip(inputs, dots)]
    whole = "".join(unused[: max(dots)][::-1])
    if not arrow:
        named = given.replace("...", "").replace(",", "")
        once = sorted(c for c in set(named) if named.count(c) == 1)
        result = ("..." if "..." in given else "") + "".join(once)
    result = result.replace("...", whole)
    for s, n in zip(inputs, ranks):
        if len(s) != n:
            raise misfit
        if len(set(s)) != n:
            raise KindError(f"np.einsum {subscripts!r}: an index stands twice in an operand", "take np.diagonal")
    if not set(result) <= set("".join(inputs)) or len(set(result)) != len(result):
        raise KindError(f"np.einsum {subscripts!r}: an index of the result is in no operand or twice",
                        "name indices of the operands, each once")
    return inputs, result


def _contracted_to(result: str, inputs: list[str], factors: list[Any], optimize: Any) -> Any:
    """The sum of products of these indices; of one factor of which nothing is summed, a transpose of it."""
    if len(factors) == 1 and len(inputs[0]) == len(result):
        return _ordered(factors[0], [result.index(c) for c in inputs[0]])
    quick = {"optimize": True} if optimize and len(factors) > 1 and result else {}
    return np.einsum(",".join(inputs) + "->" + result, *factors, **quick)


@rule("y = einsum(subscripts, *operands, optimize=False)", np.einsum)
class einsum:
    static = "subscripts optimize"

    def kind(subscripts, operands, optimize):
        operands = [array_kind(a) for a in operands]
        inputs, result = _subscripts(subscripts, [rank(a) for a in operands])
        size: dict[str, Length] = {}
        for s, a in zip(inputs, operands):
            for c, n in zip(s, a.shape):
                size[c] = lengths().broadcast(size[c], n) if c in size else n
        if optimize and not result:
            raise KindError("np.einsum of rank 0 with optimize: a number or an array, as the path falls out",
                            "leave out optimize")
        return array_or_number(promote(*operands), tuple(size[c] for c in result), library(*operands))

    view = "operands"

    @borrows("d_y")
    def d_operands(d_y, subscripts, operands, optimize):
        inputs, result = _subscripts(subscripts, [rank(a) for a in operands])
        out = []
        for i, (mine, a) in enumerate(zip(inputs, operands)):
            others = inputs[:i] + inputs[i + 1 :]
            found = "".join(c for c in mine if c in result or any(c in s for s in others))
            factors = [*operands[:i], *operands[i + 1 :]]
            if result:
                d = _contracted_to(found, [result, *others], [d_y, *factors], optimize)
            else:  # a number is no operand: einsum would take a Python float for a double
                d = d_y * _contracted_to(found, others, factors, optimize) if others else d_y
            if found != mine:  # an index of this operand alone was summed over
                alone = tuple(k for k, c in enumerate(mine) if c not in found)
                d = np.real(d) if is_complex(d) and not is_complex(a) else d
                # an index of others too may be of length 1 here, and summed over when this is fitted
                d = np.expand_dims(d, alone) if others and found else spread(d, a, alone)
            out.append(d)
        return out

    def t_y(subscripts, operands, optimize, t_operands):
        quick = {"optimize": True} if optimize else {}
        return sum(np.einsum(subscripts, *operands[:i], t, *operands[i + 1 :], **quick)
                   for i, t in enumerate(t_operands))  # fmt: skip


@rule("c = kron(a, b)", np.kron)
class kron:
    """c[i p + k, j q + l] = a[i, j] b[k, l] for b of p by q: a product of blocks, axis by axis."""

    def kind(a, b):
        a, b = array_kind(a), array_kind(b)
        ndim = max(a.ndim, b.ndim)
        pairs = zip(_padded(a.shape, ndim), _padded(b.shape, ndim))
        return array_or_number(promote(a, b), tuple(product(pair) for pair in pairs), library(a, b))

    def d_a(d_c, a: Like, b): return d_c * b if not rank(a) or not rank(b) else _block_sum(d_c, a, b, 0)
    def d_b(d_c, a, b: Like): return d_c * a if not rank(a) or not rank(b) else _block_sum(d_c, a, b, 1)
    def t_c(a, b, t_a, t_b): return np.kron(t_a, b) + np.kron(a, t_b)


def _padded(shape: Any, ndim: int) -> tuple[Any, ...]:
    return (ONE,) * (ndim - len(shape)) + tuple(shape)


def _block_sum(d: Any, a: Any, b: Any, which: int) -> Any:
    """The cotangent of one factor of a Kronecker product: summed, blockwise, against the other.

    Reshaped so that the axes of both are apart, those of `a` are even and those of `b` odd.
    """
    ndim = max(rank(a), rank(b))
    shape = [length(x, k) if rank(x) >= -k else 1 for k in range(-ndim, 0) for x in (a, b)]
    one, other = ((a, b), (b, a))[which]
    summed = tuple(2 * k + 1 - which for k in range(ndim - rank(other), ndim))
    d = np.tensordot(np.reshape(d, tuple(shape)), other, (summed, tuple(range(rank(other)))))
    return d if rank(other) == ndim == rank(one) else reshape_like(d, one)
