"""What gradients are compared with: central differences, and trees compared leaf by leaf."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompiler import value_and_grad
from adcompiler.compile import interpret


def floats(x: Any) -> bool:
    """Has this leaf a gradient?"""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex)


def differences(f: Callable[..., Any], args: tuple[Any, ...], position: int = 0, step: float = 1e-6) -> Any:
    """The gradient of `f` by central differences in double precision, in the structure of the argument.

    Leaves that are no floats get None. For a complex leaf x + iy: df/dx - i df/dy.
    """

    def slope(place: Callable[[Any], Any], x: Any, index: Any, along: complex) -> float:
        def at(h: complex) -> float:
            moved = np.array(x, complex if np.iscomplexobj(x) else float)
            moved[index] += h
            changed = list(args)
            changed[position] = place(moved if isinstance(x, np.ndarray) else moved[()])
            return float(f(*copy.deepcopy(changed)))  # which may write into them

        return (at(step * along) - at(-step * along)) / (2 * step)

    def visit(x: Any, place: Callable[[Any], Any]) -> Any:
        if isinstance(x, tuple | list):
            return type(x)(visit(e, lambda y, i=i: place(type(x)([*x[:i], y, *x[i + 1 :]]))) for i, e in enumerate(x))
        if isinstance(x, dict):
            return {k: visit(e, lambda y, k=k: place({**x, k: y})) for k, e in x.items()}
        if not floats(x):
            return None
        out = np.zeros(np.shape(x), complex if np.iscomplexobj(x) else float)
        for index in np.ndindex(np.shape(x)):
            out[index] = slope(place, x, index, 1.0)
            if np.iscomplexobj(x):
                out[index] -= 1j * slope(place, x, index, 1j)
        return out if isinstance(x, np.ndarray) else out[()]

    return visit(args[position], lambda y: y)


def assert_same(got: Any, wanted: Any) -> None:
    """The same structure, Python types, dtypes and bits."""
    assert type(got) is type(wanted), f"{type(got).__name__}, not {type(wanted).__name__}: {got!r}"
    if isinstance(wanted, tuple | list):
        assert len(got) == len(wanted)
        for x, y in zip(got, wanted):
            assert_same(x, y)
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted)
        for k in wanted:
            assert_same(got[k], wanted[k])
    elif isinstance(wanted, np.ndarray | np.generic):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(got, wanted)
    else:
        assert got == wanted or (got != got and wanted != wanted)


def assert_close(got: Any, wanted: Any, rtol: float = 1e-6, atol: float = 1e-7) -> None:
    """The same structure and shapes, and close."""
    if isinstance(wanted, tuple | list):
        assert type(got) is type(wanted) and len(got) == len(wanted), f"{got!r}, not {wanted!r}"
        for x, y in zip(got, wanted):
            assert_close(x, y, rtol, atol)
    elif isinstance(wanted, dict):
        assert type(got) is dict and list(got) == list(wanted), f"{got!r}, not {wanted!r}"
        for k in wanted:
            assert_close(got[k], wanted[k], rtol, atol)
    elif wanted is None:
        assert got is None, f"{got!r}, not None"
    else:
        assert got is not None and np.shape(got) == np.shape(wanted), f"{got!r}, not {wanted!r}"
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)


def assert_form(gradient: Any, argument: Any) -> None:
    """The structure, Python types, shapes and dtypes of the argument; None for what is no float."""
    if isinstance(argument, tuple | list | dict):
        assert type(gradient) is type(argument) and len(gradient) == len(argument)
        for k in argument if isinstance(argument, dict) else range(len(argument)):
            assert_form(gradient[k], argument[k])
    elif not floats(argument):
        assert gradient is None, f"{gradient!r}, not None"
    else:
        assert type(gradient) is type(argument), f"{type(gradient)}, not {type(argument)}: {gradient!r}"
        assert np.shape(gradient) == np.shape(argument)
        assert np.asarray(gradient).dtype == np.asarray(argument).dtype


def _leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, tuple | list | dict):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _leaves(item)
    else:
        yield x


def check(f: Callable[..., Any], *args: Any, argnums: Any = None, rtol: float = 1e-6) -> None:
    """What must hold of every program: the IR computes what `f` does, to the bit; the gradient agrees with
    differences and has the form of the argument; the arguments are left alone."""
    before = copy.deepcopy(args)
    plain = f(*copy.deepcopy(args))
    if type(plain) is int:  # the int on one path that is a float on another is a float
        plain = float(plain)
    assert_same(interpret(f, args, stage="lower"), plain)
    if argnums is None:
        argnums = tuple(i for i, x in enumerate(args) if any(map(floats, _leaves(x))))
    value, gradients = value_and_grad(f, argnums)(*args)
    assert_close(value, plain, 1e-12, 0.0)
    for i, gradient in zip(argnums, gradients):
        assert_form(gradient, args[i])
        assert_close(gradient, differences(f, args, i), rtol)
    assert_same(args, before)
