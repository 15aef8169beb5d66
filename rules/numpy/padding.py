"""`np.pad`: a border of constants, of copies of elements, or of what is computed of them."""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, library
from rules.numpy.shape import array_kind
from rules.rule import borrows, primitive, rule

#: Modes whose border has copies of elements.
COPIES = ("edge", "reflect", "symmetric", "wrap")
#: Modes whose border is computed of a line of elements, and by what.
STATISTICS = {"maximum": np.max, "mean": np.mean, "median": np.median, "minimum": np.min}


def widths_of(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """What `np.pad` adds before and after, for each axis."""
    given = np.broadcast_to(np.asarray(pad_width), (ndim, 2))
    return [(int(before), int(after)) for before, after in given]


def folded(full: Any, n: int, before: int, axis: int, mode: str) -> Any:
    """The cotangent of `n` elements along `axis`, from that of what `np.pad` makes of them, where these are copied."""
    full = np.moveaxis(full, axis, 0)
    out = full[before : before + n].copy()
    if mode != "constant" and len(full) > n:
        source = np.pad(np.arange(n), (before, len(full) - before - n), mode)
        for k in (*range(before), *range(before + n, len(full))):
            out[source[k]] += full[k]
    return np.moveaxis(out, 0, axis)


@primitive
def unpad(d: Any, widths: Any, mode: str) -> Any:
    """The cotangent of an array from that of what `np.pad` makes of it, where each element of the border is a copy."""
    for axis, (before, after) in enumerate(widths):
        d = folded(d, d.shape[axis] - before - after, before, axis, mode)
    return d


@rule("y = unpad(d, widths, mode)", unpad)
class unpad_rule:
    static = "widths mode"

    def kind(d, widths): return Array(d.dtype, tuple(n + -sum(w) for n, w in zip(d.shape, widths)), d.xp)
    def d_d(d_y, widths, mode): return np.pad(d_y, widths, mode)
    def t_y(t_d, widths, mode): return unpad(t_d, widths, mode)


@rule("y = pad(array, pad_width, mode='constant', constant_values=0, reflect_type='even')", np.pad)
class pad:
    static = "pad_width mode constant_values reflect_type"

    def kind(array, pad_width, mode, reflect_type):
        if mode not in ("constant", *COPIES) or reflect_type != "even":
            raise KindError(f"np.pad with mode={mode!r}, reflect_type={reflect_type!r} is not supported",
                            "join what the border is to the array: np.concatenate")
        a = array_kind(array)
        widths = widths_of(pad_width, a.ndim)
        return Array(a.dtype, tuple(n + sum(w) for n, w in zip(a.shape, widths)), library(array))

    @borrows("d_y")
    def d_array(d_y, pad_width, mode):
        widths = widths_of(pad_width, d_y.ndim)
        if mode != "constant" and widths:
            return unpad(d_y, tuple(widths), mode)
        return d_y[tuple(slice(before, -after or None) for before, after in widths)]

    def t_y(t_array, pad_width, mode): return np.pad(t_array, pad_width, mode)


# ------------------------------------------------------------------------------------------------- followed
def padded_by(array: Any, widths: Any, statistic: Any, parts: Any) -> Any:
    """An array with a border of a statistic of the first and of the last elements, along one axis after the other."""
    for axis in range(len(widths)):
        before, after = widths[axis]
        first, last = parts[axis]
        x = np.moveaxis(array, axis, 0)
        n = len(x)
        low = statistic(x if first is None else x[:first], axis=0, keepdims=True)
        high = statistic(x if last is None else x[max(n - last, 0) :], axis=0, keepdims=True)
        x = np.concatenate([np.repeat(low, before, axis=0), x, np.repeat(high, after, axis=0)])
        array = np.moveaxis(x, 0, axis)
    return array


def padded_down_to(array: Any, widths: Any, ends: Any) -> Any:
    """An array with a border that goes straight to an end value, along one axis after the other."""
    for axis in range(len(widths)):
        before, after = widths[axis]
        x = np.moveaxis(array, axis, 0)
        up = np.linspace(ends[axis][0], x[0], before, endpoint=False)
        down = np.linspace(ends[axis][1], x[-1], after, endpoint=False)[::-1]
        array = np.moveaxis(np.concatenate([up, x, down]), 0, axis)
    return array
