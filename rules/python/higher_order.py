"""Functions that call functions, as Python would have them: they are followed where these are called.

functools.reduce(f, xs)     ->     result = xs[0];  for item in xs[1:]: result = f(result, item)

What gives an iterator in Python gives a list here, which can be read once.
"""

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from rules.libraries import follow


def listing(iterable: Any) -> Any:
    """What is in an iterator."""
    return [item for item in iterable]  # noqa: C416 - of any length


def counted(iterable: Any, start: Any) -> Any:
    """What a generator yields, each with its number."""
    n = start
    for item in iterable:
        yield n, item
        n += 1


def first_of(iterable: Any) -> Any:
    """What an iterator yields first."""
    for item in iterable:
        return item
    raise StopIteration


def first_or(iterable: Any, default: Any) -> Any:
    """What an iterator yields first, if it yields anything."""
    for item in iterable:
        return item
    return default


# ------------------------------------------------------------------------------------------------- folds
def _reduce(function: Any, iterable: Any, /) -> Any:
    if len(iterable) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    result = iterable[0]
    for item in iterable[1:]:
        result = function(result, item)
    return result


def _reduce_from(function: Any, iterable: Any, initial: Any, /) -> Any:
    result = initial
    for item in iterable:
        result = function(result, item)
    return result


def _prod(iterable: Any, /, *, start: Any = 1) -> Any:
    result = start
    for item in iterable:
        result = result * item
    return result


def _accumulate(iterable: Any, func: Any = operator.add) -> Any:
    results = [item for item in iterable[:1]]  # noqa: C416 - of any length
    for item in iterable[1:]:
        results.append(func(results[-1], item))
    return results


def _accumulate_from(iterable: Any, func: Any = operator.add, *, initial: Any) -> Any:
    result = initial
    results = []
    for k in range(len(iterable) + 1):
        result = func(result, iterable[k - 1]) if k else initial
        results.append(result)
    return results


# --------------------------------------------------------------------------------------------- sequences
def _map(function: Any, iterable: Any, /) -> Any:
    return [function(item) for item in iterable]


def _map_two(function: Any, first: Any, second: Any, /) -> Any:
    return [function(a, b) for a, b in zip(first, second, strict=False)]


def _map_three(function: Any, first: Any, second: Any, third: Any, /) -> Any:
    return [function(a, b, c) for a, b, c in zip(first, second, third, strict=False)]


def _starmap(function: Any, iterable: Any, /) -> Any:
    return [function(*items) for items in iterable]


def _filter(function: Any, iterable: Any, /) -> Any:
    if function is None:
        return [item for item in iterable if item]
    return [item for item in iterable if function(item)]


def _pairwise(iterable: Any, /) -> Any:
    return [(a, b) for a, b in zip(iterable, iterable[1:], strict=False)]


def _product(first: Any, second: Any) -> Any:
    return [(a, b) for a in first for b in second]


def _product_three(first: Any, second: Any, third: Any) -> Any:
    return [(a, b, c) for a in first for b in second for c in third]


def _chain(*iterables: Any) -> Any:
    return [item for iterable in iterables for item in iterable]


def keys_of(iterable: Any, key: Any) -> Any:
    """What things are sorted by."""
    return [key(item) for item in iterable]


def sorted_numbers(numbers: Any, reverse: bool) -> Any:
    """Numbers in order."""
    ordered = np.sort(np.array(numbers))
    return [item for item in (ordered[::-1] if reverse else ordered)]  # noqa: C416 - of any length


def sorted_by(items: Any, keys: Any, reverse: bool) -> Any:
    """Things in the order of their keys, which are numbers; of two that are equal the first comes first."""
    keys = 1 * np.array(keys)
    return [items[i] for i in np.argsort(-keys if reverse else keys, kind="stable")]


def largest_by(items: Any, key: Any) -> Any:
    """The first of those with the largest key."""
    if len(items) == 0:
        raise ValueError("max() of an empty sequence")
    best = items[0]
    top = key(best)
    for item in items[1:]:
        value = key(item)
        if value > top:
            best, top = item, value
    return best


def least_by(items: Any, key: Any) -> Any:
    """The first of those with the least key."""
    if len(items) == 0:
        raise ValueError("min() of an empty sequence")
    best = items[0]
    top = key(best)
    for item in items[1:]:
        value = key(item)
        if value < top:
            best, top = item, value
    return best


# ------------------------------------------------------------------------------------------------- NumPy
def _fromfunction(function: Any, shape: Any) -> Any:
    grids = np.indices(shape, dtype=float)
    return function(*[grids[k] for k in range(len(shape))])


def _vectorized(pyfunc: Any, array: Any, dtype: Any) -> Any:
    if dtype is None and np.size(array) == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    return np.reshape(np.array([pyfunc(x) for x in np.ravel(array)], dtype=dtype), np.shape(array))


def _vectorized_two(pyfunc: Any, first: Any, second: Any, dtype: Any) -> Any:
    a, b = np.broadcast_arrays(first, second)
    if dtype is None and np.size(a) == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    made = [pyfunc(x, y) for x, y in zip(np.ravel(a), np.ravel(b), strict=False)]
    return np.reshape(np.array(made, dtype=dtype), np.shape(a))


def _vectorized_three(pyfunc: Any, first: Any, second: Any, third: Any, dtype: Any) -> Any:
    a, b, c = np.broadcast_arrays(first, second, third)
    if dtype is None and np.size(a) == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    made = [pyfunc(x, y, z) for x, y, z in zip(np.ravel(a), np.ravel(b), np.ravel(c), strict=False)]
    return np.reshape(np.array(made, dtype=dtype), np.shape(a))


def _apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    rows = np.moveaxis(arr, axis, -1)
    made = np.array([func1d(row, *args, **kwargs) for row in np.reshape(rows, (-1, rows.shape[-1]))])
    first, last, k = np.ndim(arr) - 1, axis % np.ndim(arr), np.ndim(made) - 1
    made = np.reshape(made, rows.shape[:-1] + made.shape[1:])
    if k < 2:
        return np.moveaxis(made, first, last) if k else made
    return np.moveaxis(made, (first, first + 1), (last, last + 1))


follow(_reduce, functools.reduce)
follow(_reduce_from, functools.reduce)
follow(_prod, math.prod)
follow(_accumulate, itertools.accumulate)
follow(_accumulate_from, itertools.accumulate)
follow(_map, map)
follow(_map_two, map)
follow(_map_three, map)
follow(_starmap, itertools.starmap)
follow(_filter, filter)
follow(_pairwise, itertools.pairwise)
follow(_product, itertools.product)
follow(_product_three, itertools.product)
follow(_chain, itertools.chain)
follow(_fromfunction, np.fromfunction)
follow(_apply_along_axis, np.apply_along_axis)

#: What `np.vectorize` makes of a function.
VECTORIZED: list[Callable[..., Any]] = [_vectorized, _vectorized_two, _vectorized_three]
#: What gives an iterator, to be read once.
ITERATORS = frozenset({map, filter, itertools.accumulate, itertools.starmap, itertools.pairwise, itertools.product,
                       itertools.chain})  # fmt: skip
