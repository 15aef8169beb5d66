"""The laws of gradients and pullbacks that compute into arrays of earlier calls, asked of a sequence of calls."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler import api, value_and_grad, vjp
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


# ------------------------------------------------------------------------------------------ of pullbacks
def shared_pools() -> list[Pool]:
    """The workspaces of all that `vjp` and `jvp` compute, those of pullbacks included."""
    pools = [pool for pool, _, _ in api._KEPT]
    return pools + [pool.scratch for pool in pools if pool.scratch is not None]


def idle_arrays() -> list[np.ndarray]:
    """Every array in a workspace that no call of `vjp` or `jvp`, and no pullback, has now."""
    return [a for pool in shared_pools() for ws in pool.idle for a in arrays_of(list(vars(ws).values()))]


def spoil() -> None:
    """Write nonsense into every array that the next call may compute into."""
    for a in idle_arrays():
        a.fill(np.nan if a.dtype.kind in "fc" else 1)


def cotangent_of(value: Any, rng: np.random.Generator) -> Any:
    """A random cotangent of a value, in memory of its own."""
    if isinstance(value, tuple | list):
        return type(value)(cotangent_of(x, rng) for x in value)
    if isinstance(value, dict):
        return {k: cotangent_of(x, rng) for k, x in value.items()}
    dtype = getattr(value, "dtype", np.dtype(type(value)))
    if dtype.kind not in "fc":
        return None
    d = rng.normal(size=np.shape(value)) + (1j * rng.normal(size=np.shape(value)) if dtype.kind == "c" else 0)
    return np.asarray(d, dtype) if isinstance(value, np.ndarray) else type(value)(d)


def nearly(one: Any, other: Any) -> bool:
    """Are these the same trees, of arrays that differ by rounding?"""
    pairs = zip(tree_leaves(one), tree_leaves(other), strict=True)
    return all(np.allclose(a, b, rtol=1e-12, atol=1e-13) for a, b in pairs if a is not None or b is not None)


def follow_pullbacks(
    f: Callable[..., Any], *calls: Call, argnums: Any = 0, alive: int = 2, bits: bool = True
) -> None:
    """`vjp` for each call in turn, of which so many pullbacks stay alive, each called when made and when it goes.

    Each result is what `vjp` without workspaces gives, to the bit, when it is computed and after all others; nothing
    shares memory with anything else that the caller has, and what the caller or a later call overwrites is not read.
    """
    results: list[Any] = []
    wanted: list[Any] = []
    waiting: list[Any] = []
    rng = np.random.default_rng(0)
    alike = same_bits if bits else nearly

    def pull(pullback: Any, plain: Any, cotangent: Any) -> None:
        mine = copy.deepcopy(cotangent)
        wanted.append(copy.deepcopy(plain(cotangent)))
        spoil()
        results.append(pullback(mine))
        assert alike(results[-1], wanted[-1]), (results[-1], wanted[-1])
        assert same_bits(mine, cotangent)
        mine = arrays_of([results[-1], mine])
        assert all(not share([a], mine[:i]) for i, a in enumerate(mine))

    for args, kwargs in calls:
        assert not kwargs
        mine, theirs, pristine = (copy.deepcopy(args) for _ in range(3))
        spoil()
        expected, plain = vjp(f, *theirs, argnums=argnums, reuse_buffers=False)
        value, pullback = vjp(f, *mine, argnums=argnums)
        assert alike(value, expected), (value, expected)
        assert same_bits(mine, pristine)
        cotangent = cotangent_of(value, rng)
        for a in arrays_of([list(mine), value]):
            a.fill(77)
        pull(pullback, plain, cotangent)
        waiting.append((pullback, plain, cotangent))
        if len(waiting) > alive:
            pull(*waiting.pop(rng.integers(len(waiting))))
    while waiting:
        pull(*waiting.pop())
    del pullback
    assert alike(results, wanted)
    everything = arrays_of(results)
    assert all(not share([a], everything[:i]) for i, a in enumerate(everything))
    assert not share(everything, idle_arrays())
