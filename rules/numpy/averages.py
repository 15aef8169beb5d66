"""Weighted averages. Weights are shaped as the array is, or there is one for each place along a single axis."""

from typing import Any

import numpy as np

from rules.cotangent import count, spread
from rules.kind import KindError, lengths, normalize_axis, promote
from rules.numpy.reductions import beside, mean_dtype, one, reduction
from rules.numpy.shape import array_kind
from rules.operands import rank
from rules.rule import Like, rule


def _lies_apart(weights: Any, a: Any, axis: Any) -> bool:
    """Are the weights along one axis that is not the last, so that they do not broadcast as they are?"""
    return bool(rank(weights) != rank(a) and axis % rank(a) != rank(a) - 1)


def _others(a: Any, axis: int) -> Any:
    """The axes of `a` that weights along one axis do not have."""
    return one(k for k in range(rank(a)) if k != axis % rank(a))


def _beside(weights: Any, a: Any, axis: Any) -> Any:
    """The weights, so shaped that they broadcast against `a`."""
    apart = _lies_apart(weights, a, axis)
    return np.expand_dims(weights, one(range(1, rank(a) - axis % rank(a)))) if apart else weights


def _total(weights: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(weights, axis=axis, keepdims=keepdims) if rank(weights) == rank(a) else np.sum(weights)


def _average_kind(a: Any, axis: Any, weights: Any, returned: Any, keepdims: bool) -> Any:
    if returned:
        raise KindError("np.average with returned=True is not supported", "sum the weights apart: np.sum(weights)")
    a = array_kind(a)
    if weights is None:
        return reduction(a, mean_dtype(a), axis, keepdims)
    weights = array_kind(weights)
    if rank(weights) != rank(a) and (axis is None or isinstance(axis, tuple) or rank(weights) != 1):
        raise KindError(f"np.average of rank {rank(a)} with weights of rank {rank(weights)} is not supported",
                        "give weights of the shape of the array, or of rank 1 and the int axis that they are along")
    along = range(a.ndim) if rank(weights) == rank(a) else normalize_axis(axis, a.ndim)
    for n, k in zip(weights.shape, along):
        lengths().agree(n, a.shape[k])
    wide = a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)
    return reduction(a, np.result_type(wide, promote(a, weights)), axis, keepdims)


@rule("y = average(a, axis=None, weights=None, returned=False, keepdims=False)", np.average)
class average:
    static = "returned"
    kind = _average_kind

    def d_a(d_y, a: Like, axis, weights, keepdims):
        if weights is None:
            return spread(d_y / count(a, axis), a, axis, keepdims)
        each = d_y / _total(weights, a, axis, keepdims)
        return beside(each, axis, keepdims) * _beside(weights, a, axis)

    def d_weights(d_y, a, y, axis, weights, keepdims):
        each = d_y / _total(weights, a, axis, keepdims)
        d = beside(each, axis, keepdims) * (a - beside(y, axis, keepdims))
        return np.sum(d, axis=_others(a, axis)) if _lies_apart(weights, a, axis) else d

    def t_y(t_a, t_weights, a, y, axis, weights, keepdims):
        if weights is None:
            return np.mean(t_a, axis=axis, keepdims=keepdims)
        t = t_a * _beside(weights, a, axis) + (a - beside(y, axis, keepdims)) * _beside(t_weights, a, axis)
        return np.sum(t, axis=axis, keepdims=keepdims) / _total(weights, a, axis, keepdims)
