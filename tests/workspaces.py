"""The laws of a gradient that computes into arrays of earlier calls, asked of a sequence of calls."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler import value_and_grad
from rules.workspace import Pool

from .fuzz.arguments import same_bits, tree_leaves

Call = tuple[tuple[Any, ...], dict[str, Any]]


def call(*args: Any, **kwargs: Any) -> Call:
    """The arguments of one call of a sequence."""
    return args, kwargs


def unseen(f: Callable[[], Any]) -> Callable[[], Any]:
    """`f`, so that the compiler cannot see into it."""
    return iter(f, object()).__next__


def arrays_of(tree: Any) -> list[np.ndarray]:
    """The arrays in tuples, lists and dicts."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, np.ndarray)]


def pools(gradient: Any) -> list[Pool]:
    """The workspaces of a gradient, for each shape of its arguments."""
    return [pool for pool, _, _ in gradient.release.__self__.pools]


def kept_arrays(gradient: Any) -> list[np.ndarray]:
    """Every array in a workspace that no call of a gradient has now."""
    return [a for pool in pools(gradient) for ws in pool.idle for a in arrays_of(list(vars(ws).values()))]


def share(some: list[np.ndarray], others: list[np.ndarray]) -> bool:
    """Do two of these share memory, one of each list?"""
    return any(np.shares_memory(a, b) for a in some for b in others)


def follow(f: Callable[..., Any], *calls: Call, argnums: Any = 0, has_aux: bool = False) -> tuple[list[Any], Any]:
    """(value, gradient) for each call in turn, and the function that was called.

    Each is what the gradient without workspaces gives, to the bit, when it is computed and after all other calls;
    gradients own their memory; no call changes its arguments, or does what NumPy has deprecated.
    """
    plain = value_and_grad(f, argnums, has_aux, reuse_buffers=False)
    pooled = value_and_grad(f, argnums, has_aux)
    results: list[Any] = []
    wanted = []
    for args, kwargs in calls:
        mine, theirs, pristine = (copy.deepcopy((args, kwargs)) for _ in range(3))
        wanted.append(copy.deepcopy(plain(*theirs[0], **theirs[1])))
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            results.append(pooled(*mine[0], **mine[1]))
        assert same_bits(results[-1], wanted[-1]), (results[-1], wanted[-1])
        assert same_bits(mine, pristine)
        of_gradient = arrays_of(results[-1][1])
        assert all(not share([a], of_gradient[:i]) for i, a in enumerate(of_gradient))
        assert not share(of_gradient, arrays_of(list(mine)))
        assert not share(arrays_of(results[-1]), [a for r in results[:-1] for a in arrays_of(r)])
    assert not share(arrays_of(results), kept_arrays(pooled))
    assert same_bits(results, wanted)
    return results, pooled
