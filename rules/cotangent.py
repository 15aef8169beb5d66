"""What adjoints do with cotangents: zeros, broadcast, projection, accumulation, strong zero.

Rule bodies and generated code call these functions. Each is a primitive with a derivative of its own
(`rules.python.cotangents`), so that adjoints are differentiated like any other program.
"""

import math
from typing import Any

import numpy as np

from rules.arrays import as_array, device, is_array, on_device
from rules.rule import primitive


@primitive
def zeros_like(x: Any) -> Any:
    """Zeros of the shape and dtype of `x`, in every container of it; `None`, a value never made, stays None."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x, subok=False)
    if is_array(x):
        return np.zeros_like(x)
    if isinstance(x, list):
        return [zeros_like.__wrapped__(item) for item in x]  # type: ignore[attr-defined]
    if x is None:
        return None
    return np.zeros_like(x) if hasattr(x, "shape") and x.shape else type(x)(0)


@primitive
def or_zeros(d: Any, like: Any) -> Any:
    """The cotangent `d`, or zeros of the shape of `like` where there is none: `d` is None."""
    return zeros_like.__wrapped__(like) if d is None else d  # type: ignore[attr-defined]


@primitive
def where_given(d: Any, given: Any) -> Any:
    """`d`, or None where `given` is None."""
    return None if given is None else d


@primitive
def spread(d: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The cotangent of a reduction over `axis`, as a read-only view of the shape of `like`."""
    if not is_array(like):
        return project.__wrapped__(d, like)  # type: ignore[attr-defined]
    d = as_array(d, like, like.dtype)
    if d.ndim and not keepdims:
        axes = range(like.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        d = np.expand_dims(d, tuple(k % like.ndim for k in axes))
    return np.broadcast_to(d, like.shape)


@primitive
def project(d: Any, like: Any) -> Any:
    """Make the cotangent `d` one of `like`: sum over broadcast axes, take the real part, cast.

    Where `d` has one element along an axis and `like` has more, each of these gets that element.

    Idle where shape and dtype fit already: then `d` itself is returned.
    """
    if like is None:
        return d
    if isinstance(like, list):
        return [project.__wrapped__(x, y) for x, y in zip(d, like, strict=True)]  # type: ignore[attr-defined]
    if not is_array(like):
        if is_array(d):
            d = np.sum(d) if d.ndim else d[()]
            d = d.item() if on_device(d) else d
        if isinstance(d, complex | np.complexfloating) and not isinstance(like, complex | np.complexfloating):
            d = d.real
        return d if type(d) is type(like) or isinstance(like, int) else type(like)(d)
    d = as_array(d, like)
    if d.shape != like.shape:
        extra = d.ndim - like.ndim
        if extra < 0:
            d, extra = np.expand_dims(d, tuple(range(-extra))), 0
        axes = tuple(range(extra)) + tuple(
            i + extra for i, n in enumerate(like.shape) if n == 1 and d.shape[i + extra] != 1
        )
        if axes:
            d = np.sum(d, axis=axes, keepdims=True)
            d = d.reshape(d.shape[extra:])
        if d.shape != like.shape or not axes:
            d = np.copy(np.broadcast_to(d, like.shape))
    if d.dtype != like.dtype:
        if d.dtype.kind == "c" and like.dtype.kind != "c":
            d = d.real
        d = d.astype(like.dtype, copy=False)
    return d


@primitive
def accumulate(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one list, element by element; None stands for a value never made."""
    if isinstance(a, list):
        return [accumulate.__wrapped__(x, y) for x, y in zip(a, b, strict=True)]  # type: ignore[attr-defined]
    if a is None:
        return b
    return a if b is None else a + b


@primitive
def copied(x: Any) -> Any:
    """A list of cotangents with arrays of its own; numbers have none, and None, what no path has made, stays None."""
    if isinstance(x, list):
        return [copied.__wrapped__(v) for v in x]  # type: ignore[attr-defined]
    return np.copy(x) if is_array(x) else x


@primitive
def restack(items: list[Any], like: Any) -> Any:
    """The rows `items` as one array of the shape of `like`, whose rows a loop has read."""
    return np.stack(items).astype(like.dtype, copy=False) if items else np.zeros_like(like)


@primitive
def unstack(a: Any) -> list[Any]:
    """The rows of an array, as a list of views."""
    return list(a)


@primitive
def listed(items: list[Any]) -> list[Any]:
    """A new list of these elements: a display, or a copy of a list."""
    return list(items)


@primitive
def appended(items: list[Any], x: Any) -> list[Any]:
    """A list of the elements of `items` and `x` behind them; written in place, `items.append(x)`."""
    return [*items, x]


@primitive
def without_last(items: list[Any]) -> list[Any]:
    """A list of all elements of `items` but the last; written in place, `items.pop()`. Raises IndexError as it does."""
    if not items:
        raise IndexError("pop from empty list")
    return items[:-1]


def _zero(d: Any, factor: Any) -> Any:
    """The number `d`, which is zero; of the precision of `d * factor`, where that is not double."""
    single = isinstance(factor, np.generic) and not isinstance(factor, float)
    return np.result_type(d, factor).type(d * 0) if single else d * 0


@primitive
def strong(d: Any, factor: Any, out: Any = None) -> Any:
    """`d * factor`, and exactly zero where `d` is zero, whatever the factor (an infinity, a NaN).

    `out`, here and below: an array for the result that is no operand.
    """
    if isinstance(d, float) and isinstance(factor, float):  # soonest told, NumPy's doubles included
        return d * factor if d else d * 0
    if not is_array(d) and not is_array(factor):
        return d * factor if d else _zero(d, factor)
    with np.errstate(invalid="ignore"):
        out = np.multiply(d, factor, out)
    if on_device(out):
        return np.where(np.equal(d, 0), 0, out) if is_array(d) else out if d else np.zeros_like(out)
    if not isinstance(out, np.ndarray):  # of 0-d arrays
        return out if np.all(d) else type(out)(0)
    np.copyto(out, 0, where=np.equal(d, 0))
    return out


@primitive
def strong_divide(d: Any, q: Any, out: Any = None) -> Any:
    """`d / q`, and exactly zero where `d` is zero, whatever `q`. Numbers never raise ZeroDivisionError."""
    if isinstance(d, float) and isinstance(q, float) and d and q:
        return d / q
    if not is_array(d) and not is_array(q):
        if not d:
            return _zero(d, q)
        if q == 0 and isinstance(q, int | float) and isinstance(d, int | float):
            return math.nan if d != d else math.copysign(math.inf, d) * math.copysign(1.0, q)
        return d / q
    return _divided(d, q, d, out)


@primitive
def direction(w: Any, norm: Any, out: Any = None) -> Any:
    """`w / norm`, and exactly zero where the norm is: the least of the subgradients of a norm at 0."""
    if not is_array(w) and not is_array(norm):
        return w / norm if norm else w * 0
    return _divided(w, norm, norm, out)


def _divided(a: Any, b: Any, wanted: Any, out: Any) -> Any:
    """`a / b`, and zero where what is `wanted`, one of the two, is zero."""
    if on_device(a) or on_device(b):  # where the ufuncs of CuPy know no `where`
        with np.errstate(divide="ignore", invalid="ignore"):
            out = np.true_divide(a, b, out)
        if is_array(wanted):
            return np.where(np.equal(wanted, 0), 0, out)
        return out if wanted else np.zeros_like(out)
    if out is None:
        shape = np.broadcast_shapes(np.shape(a), np.shape(b))
        out = np.zeros(shape, np.result_type(a, b, np.float16))  # a Python number is weak
    else:
        out.fill(0)
    out = np.divide(a, b, out=out, where=np.not_equal(wanted, 0))
    return out if out.ndim else out[()]


@primitive
def unless_zero(d: Any, term: Any) -> Any:
    """`term`, but exactly zero where the cotangent `d` is zero: what was not selected is not poisoned by a pole."""
    if not is_array(d) and not is_array(term):
        return term if d else _zero(d, term)
    if not is_array(d) and on_device(term):  # an array of its own, as where a mask is asked
        return np.copy(term) if d else np.zeros_like(term)
    return np.where(np.equal(d, 0), 0, term)


def _basic(index: Any) -> bool:
    items = index if isinstance(index, tuple) else (index,)
    return all(i is None or i is Ellipsis or isinstance(i, int | np.integer | slice) for i in items)


def _mask(index: Any) -> bool:
    return is_array(index) and index.dtype == bool


@primitive
def update(a: Any, path: tuple[Any, ...], op: str, value: Any) -> Any:
    """A copy of `a` with `value` stored (`set`), added or subtracted (`add`, `sub`), ... at `path`.

    `path` is the steps from the storage: indices, or "T", "real" and "imag", the attributes of an array that are
    views. With repeated indices `add` and `sub` accumulate and the last `set` wins.
    """
    out = list(a) if isinstance(a, list) else np.array(a) if isinstance(a, np.generic) else a.copy(order="K")
    place: Any = out
    last = path[-1]
    for step in path[:-1]:
        place = getattr(place, step) if isinstance(step, str) else place[step]
    if isinstance(last, str):
        place, last = getattr(place, last), ...
    if op == "set":
        place[last] = value
    elif isinstance(out, list):
        place[last] = accumulate(place[last], value if op == "add" else -value)
    elif op in ("add", "sub"):
        if _basic(last) or _mask(last):
            place[last] += value if op == "add" else -value
        else:
            (np.add if op == "add" else np.subtract).at(place, last, value)
    elif op == "mul":
        place[last] *= value
    elif op == "div":
        place[last] /= value
    else:
        raise ValueError(f"update has no operation {op!r}")
    return out


def scatter(d: Any, like: Any, index: Any) -> Any:
    """Zeros of the shape of `like` with `d` added at `index`; repeated indices accumulate."""
    return update(zeros_like(like), (index,), "set" if _chosen(index) else "add", d)


def _chosen(index: Any) -> bool:
    """Is this a mask on a device, alone or with basic indices: it names no element twice, and is slow to read?"""
    items = index if isinstance(index, tuple) else (index,)
    masks = [i for i in items if on_device(i) and i.dtype == bool]
    return bool(masks) and all(any(i is m for m in masks) or _basic(i) for i in items)


@primitive
def assigned(x: Any, name: str) -> None:
    """Raise what Python raises where a variable is read that no path has assigned."""
    if x is None:
        raise UnboundLocalError(f"cannot access local variable {name!r} where it is not associated with a value")


@primitive
def fits(x: Any, shape: tuple[int, ...]) -> None:
    """Raise what NumPy raises where `x` is stored in place into an array of a smaller shape."""
    if np.shape(x) != tuple(shape):
        raise ValueError(f"non-broadcastable output operand with shape {shape} doesn't match the shape {np.shape(x)}")


@primitive
def apart(written: Any, *others: Any) -> None:
    """Raise ValueError where an argument that a function writes into shares memory with another array."""
    if any(np.may_share_memory(written, other) and _overlap(written, other) for other in others):
        raise ValueError(
            "an argument that this function writes into shares memory with another argument or global array: "
            "pass a copy of one of them"
        )


def _overlap(a: Any, b: Any) -> bool:
    """Have two arrays an element in common? True where that takes long to find out."""
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


@primitive
def winners(like: Any, path: tuple[Any, ...]) -> Any:
    """Which of the elements that a store by index arrays names are not written again: the last of each place."""
    place: Any = np.empty(like.shape, np.intp, like=device(like))
    for step in path[:-1]:
        place = place.T if step == "T" else place if isinstance(step, str) else place[step]
    tickets = np.arange(np.size(place[path[-1]]), like=device(like)).reshape(np.shape(place[path[-1]]))
    place[path[-1]] = tickets
    return np.equal(place[path[-1]], tickets)


@primitive
def alike(tangents: list[Any], xs: list[Any]) -> None:
    """Raise ValueError where two lists of arrays differ in length or in a shape, which NumPy might broadcast."""
    shapes = [np.shape(t) for t in tangents], [np.shape(x) for x in xs]
    if shapes[0] != shapes[1]:
        raise ValueError(f"tangents of shapes {shapes[0]} are given for arrays of shapes {shapes[1]}")


@primitive
def element(a: Any, index: Any) -> Any:
    """`a[index]`, of a row a copy; None where there is none: on the path where it is read there is one."""
    try:
        x = a[index]
    except IndexError:
        return None
    return x.copy() if is_array(x) else x


@primitive
def given_back(d: Any, like: Any, index: Any) -> Any:
    """Zeros of the shape of `like` with `d` at `index`; zeros alone where `element` has found none there."""
    out = np.zeros_like(like)
    try:
        out[index] = d
    except IndexError:
        return out
    return out


@primitive
def length(x: Any, axis: int = 0) -> int:
    """`x.shape[axis]`, or `len(x)` of a list or a range."""
    return x.shape[axis] if hasattr(x, "shape") else len(x)


@primitive
def size(x: Any) -> int:
    """`x.size`: the number of elements."""
    return x.size if is_array(x) else 1


def count(a: Any, axis: int | tuple[int, ...] | None) -> Any:
    """How many elements of `a` go into one of a reduction over `axis`."""
    if axis is None:
        return size(a)
    n: Any = 1
    for k in axis if isinstance(axis, tuple) else (axis,):
        n = length(a, k % a.ndim) * n if not isinstance(n, int) or n != 1 else length(a, k % a.ndim)
    return n
