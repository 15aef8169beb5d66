"""What gradients by objects are compared with: differences, attribute by attribute, of the plain function."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompiler import jvp, value_and_grad, vjp
from tests.numerics import assert_close, floats


def attributes(x: Any) -> dict[str, Any]:
    """The attributes of an object, those in slots first; asked of Python, not of the compiler."""
    names = [n for k in reversed(type(x).__mro__) for n in _slots(k) if hasattr(x, n)]
    return {**{n: getattr(x, n) for n in names}, **getattr(x, "__dict__", {})}


def _slots(cls: type) -> tuple[str, ...]:
    found = vars(cls).get("__slots__", ())
    return tuple(n for n in ((found,) if isinstance(found, str) else found) if n != "__dict__")


def is_object(x: Any) -> bool:
    plain = (np.ndarray, np.generic, int, float, complex, str, type(None), type)
    return not isinstance(x, plain) and not callable_alone(x) and (hasattr(x, "__dict__") or hasattr(x, "__slots__"))


def callable_alone(x: Any) -> bool:
    return type(x).__name__ in ("function", "method", "builtin_function_or_method", "ufunc", "Differentiable")


def tree(x: Any) -> Any:
    """Objects and named tuples as dicts by attribute, floats as they are, None for all else."""
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return {k: tree(v) for k, v in zip(x._fields, x)}
    if isinstance(x, tuple | list):
        return [tree(v) for v in x]
    if isinstance(x, dict):
        return {k: tree(v) for k, v in x.items()}
    if is_object(x):
        return {k: tree(v) for k, v in attributes(x).items()}
    return x if floats(x) else None


def entries(x: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The floats in a tree, with the way to each."""
    if isinstance(x, dict | list):
        for k, v in x.items() if isinstance(x, dict) else enumerate(x):
            yield from entries(v, (*path, k))
    elif x is not None:
        yield path, x


def item(x: Any, step: Any) -> Any:
    if isinstance(x, dict) or not isinstance(step, str):
        return x[step]
    return getattr(x, step)


def changed(x: Any, path: tuple[Any, ...], value: Any) -> Any:
    """`x` with another value at a path: in place, but for tuples and numbers."""
    if not path:
        return value
    step, *rest = path
    inner = changed(item(x, step), tuple(rest), value)
    if isinstance(x, tuple):
        index = x._fields.index(step) if isinstance(step, str) else step
        parts = [inner if i == index else v for i, v in enumerate(x)]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, dict | list):
        x[step] = inner
    else:
        object.__setattr__(x, step, inner)
    return x


def along(f: Callable[..., Any], args: tuple[Any, ...], moves: list[tuple[int, tuple[Any, ...], Any]]) -> float:
    """The derivative of `f` as these parts of its arguments move, by central differences."""

    def at(h: float) -> float:
        moved = list(copy.deepcopy(args))
        for i, path, t in moves:
            now = moved[i]
            for step in path:
                now = item(now, step)
            moved[i] = changed(moved[i], path, now + h * t)
        return float(f(*moved))

    return (at(1e-6) - at(-1e-6)) / 2e-6


def differences(f: Callable[..., Any], args: tuple[Any, ...], position: int) -> list[Any]:
    """The derivative by each float of an argument, in the order of its entries."""
    found = []
    for path, x in entries(tree(args[position])):
        d = np.zeros(np.shape(x))
        for index in np.ndindex(np.shape(x)):
            unit = np.zeros(np.shape(x))
            unit[index] = 1.0
            d[index] = along(f, args, [(position, path, unit if np.shape(x) else 1.0)])
        found.append(d)
    return found


def tangent(x: Any, rng: np.random.Generator) -> Any:
    """A random direction: of an object, a dict by attribute."""
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(tangent(v, rng) for v in x))
    if isinstance(x, tuple | list):
        return type(x)(tangent(v, rng) for v in x)
    if isinstance(x, dict) or is_object(x):
        return {k: tangent(v, rng) for k, v in (x if isinstance(x, dict) else attributes(x)).items()}
    return None if not floats(x) else rng.normal(size=x.shape) if isinstance(x, np.ndarray) else float(rng.normal())


def identities(x: Any) -> Any:
    """The objects and arrays that an argument consists of: they have to be the same afterwards."""
    if isinstance(x, np.ndarray):
        return id(x)
    if isinstance(x, tuple | list):
        return [id(x), *map(identities, x)]
    if isinstance(x, dict):
        return [id(x), {k: identities(v) for k, v in x.items()}]
    if is_object(x):
        return [id(x), type(x), {k: identities(v) for k, v in attributes(x).items()}]
    return x


def moving(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(i for i, x in enumerate(args) if any(True for _ in entries(tree(x))))


def check(f: Callable[..., Any], *args: Any, rtol: float = 2e-6, modes: bool = True) -> None:
    """The value is that of the plain function; gradients agree with differences, attribute by attribute, the second
    time too; what the caller has passed is as it was, and the very same. With `modes`, so do `vjp` and `jvp`."""
    before, same = copy.deepcopy(args), identities(args)
    plain = f(*copy.deepcopy(args))
    argnums = moving(args)
    gradient = value_and_grad(f, argnums)
    wanted = [differences(f, args, i) for i in argnums]
    for _ in range(2):
        value, got = gradient(*args)
        np.testing.assert_allclose(value, plain, rtol=1e-12)
        for i, g, w in zip(argnums, got, wanted):
            assert [p for p, _ in entries(tree(g))] == [p for p, _ in entries(tree(args[i]))]
            for (path, x), d in zip(entries(tree(g)), w):
                np.testing.assert_allclose(x, d, rtol=rtol, atol=1e-6, err_msg=f"argument {i}: {path}")
    if modes:
        value, pull = vjp(f, *args, argnums=argnums)
        assert_close([tree(g) for g in pull(2.0)], _doubled([tree(g) for g in got]), 1e-9, 1e-12)
        rng = np.random.default_rng(0)
        tangents = tuple(tangent(args[i], rng) for i in argnums)
        moves = [(i, p, t) for i, x in zip(argnums, tangents) for p, t in entries(tree(x))]
        value, moved = jvp(f, args, tangents, argnums=argnums)
        np.testing.assert_allclose(moved, along(f, args, moves), rtol=1e-5, atol=1e-6)
    assert identities(args) == same
    assert_close([tree(x) for x in args], [tree(x) for x in before], 0.0, 0.0)


def _doubled(x: Any) -> Any:
    if isinstance(x, dict):
        return {k: _doubled(v) for k, v in x.items()}
    return [_doubled(v) for v in x] if isinstance(x, list) else None if x is None else 2.0 * x
