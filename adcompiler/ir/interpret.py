"""Runs IR directly on NumPy: the reference against which every pass and the emitted code are tested."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from adcompiler.ir.callee import Both, Bound, Callee, Forward, Pull
from adcompiler.ir.core import (
    UNDEF,
    Checkpoint,
    For,
    Function,
    If,
    ListOf,
    Op,
    Region,
    Value,
    While,
    errstate_of,
    map_tree,
)
from adcompiler.ir.library import own
from adcompiler.ir.structure import Instance, like
from rules.kind import Array, Num, lengths
from rules.python.instances import instance


class _Checked(dict[Value, Any]):
    """Values by name; one that is not of its kind is an error where it is bound."""

    def __setitem__(self, v: Value, x: Any) -> None:
        check_kind(v, x)
        super().__setitem__(v, x)

    def update(self, pairs: Any) -> None:
        for v, x in pairs:
            self[v] = x


def check_kind(v: Value, x: Any) -> None:
    """Raise TypeError where an array is not of the dtype, rank and lengths that its kind claims."""
    kind = v.kind
    if x is None or not isinstance(kind, Array):
        if isinstance(kind, Num) and x is not None:
            _check_number(v, kind, x)
        return
    if not hasattr(x, "dtype") or x.dtype != kind.dtype or x.ndim != kind.ndim:
        raise TypeError(f"{v!r} is said to be {kind}, and is {getattr(x, 'dtype', type(x))} of shape {np.shape(x)}")
    for n, size in zip(kind.shape, x.shape, strict=True):
        known = lengths().size(lengths().resolve(n))
        if known is not None and known != size:
            raise TypeError(f"{v!r} is said to be {kind}, with {n} = {known}, and has shape {x.shape}")


def _check_number(v: Value, kind: Num, x: Any) -> None:
    if np.ndim(x):
        raise TypeError(f"{v!r} is said to be {kind}, and is an array of shape {x.shape}")
    if not isinstance(x, int) and not np.can_cast(np.dtype(type(x)), kind.dtype):
        raise TypeError(f"{v!r} is said to be {kind}, and is a {type(x).__name__}")


def interpret(function: Function, arguments: Sequence[Any], checked: bool = False) -> Any:
    """The result of `function` for these leaves, in the structure of `function.result`.

    `checked` compares each array with its kind; it raises TypeError at the first that differs.
    """
    env: dict[Value, Any] = _Checked() if checked else {}
    env.update(zip(function.params, arguments, strict=True))
    results = _run(function.body, env)
    if function.result is None:
        return results
    named = {v: x for v, x in zip(function.body.results, results, strict=True) if isinstance(v, Value)}
    return assemble(map_tree(lambda v: named[v] if v in named else env[v], function.result))


def assemble(tree: Any) -> Any:
    """A result tree with its lists of structures put together, element by element."""
    if isinstance(tree, Instance):
        attributes = dict(zip(tree._fields, map(assemble, tree), strict=True))
        return tree.of(**attributes) if tree.called else instance(tree.of, **attributes)
    if isinstance(tree, tuple | list):
        return like(tree, map(assemble, tree))
    if isinstance(tree, dict):
        return {k: assemble(v) for k, v in tree.items()}
    if isinstance(tree, ListOf):
        return [map_tree(lambda v: v, x) for x in _rows(tree.element)]
    return tree


def _rows(element: Any) -> list[Any]:
    if isinstance(element, tuple):
        return list(zip(*map(_rows, element), strict=True))
    if isinstance(element, dict):
        return [dict(zip(element, row, strict=True)) for row in zip(*map(_rows, element.values()), strict=True)]
    return list(element)


def _run(region: Region, env: dict[Value, Any]) -> list[Any]:
    def get(v: Value) -> Any:
        return env[v]

    for op in region.ops:
        if isinstance(op, If):
            _bind(op, _run(op.then if map_tree(get, op.cond) else op.orelse, env), env)
        elif isinstance(op, For):
            _for(op, env)
        elif isinstance(op, While):
            _while(op, env)
        elif isinstance(op, Checkpoint):
            _bind(op, _run(op.body, env), env)
        else:
            with ExitStack() as stack:
                for handling in errstate_of(op):
                    stack.enter_context(np.errstate(**dict(handling)))  # type: ignore[arg-type]
                args, kwargs = map_tree(get, op.args), map_tree(get, op.kwargs)
                if not getattr(op.target, "differentiates", False):
                    args = tuple(map(_callable, args))
                value = call(op.target, args) if _is_call(op.target) else own(op)(*args, **kwargs)
            _bind(op, [value] if len(op.results) == 1 else list(value or ()), env)
    return [None if r is UNDEF else map_tree(get, r) for r in region.results]


def _callable(x: Any) -> Any:
    """A function that an operation is given, as Python's."""
    return (lambda *args: call(x.callee, (*args, *x.around))) if x.__class__ is Bound else x


def matched(formal: Any, actual: Any) -> Iterator[tuple[Value, Any]]:
    """The parameters of a body with the operands that stand in their places, by now perhaps equal ones or constants."""
    if isinstance(formal, Value):
        yield formal, actual
    elif isinstance(formal, tuple | list):
        for a, b in zip(formal, actual, strict=True):
            yield from matched(a, b)
    elif isinstance(formal, dict):
        for key, a in formal.items():
            yield from matched(a, actual[key])
    elif isinstance(formal, slice):
        for a, b in ((formal.start, actual.start), (formal.stop, actual.stop), (formal.step, actual.step)):
            yield from matched(a, b)


def _is_call(target: Any) -> bool:
    return isinstance(target, Callee | Forward | Pull | Both)


def call(target: Any, args: tuple[Any, ...]) -> Any:
    """What a function of the IR, or a part of its derivative, gives: one result, or several.

    What a pullback keeps is the arguments.
    """
    if isinstance(target, Forward):
        return args
    if isinstance(target, Both):
        assert target.of.of is not None
        return (*_results(target.of.of, args), args)
    if isinstance(target, Pull):
        kept, given, cotangents = args
        found = _results(target.of, (*(given or kept), *cotangents))
    else:
        found = _results(target, args)
    return found[0] if len(found) == 1 else found


def _results(callee: Callee, args: tuple[Any, ...]) -> list[Any]:
    assert callee.function is not None, f"{callee.name} is not derived yet"
    f = callee.function
    return list(interpret(Function(f.name, f.params, f.body), args))


def _bind(op: Op, values: list[Any], env: dict[Value, Any]) -> None:
    env.update(zip(op.results, values, strict=True))


def _for(op: For, env: dict[Value, Any]) -> None:
    carried, collected = _begun(op, env)
    sequences = [map_tree(lambda v: env[v], s) for s in op.sequences]
    for items in zip(*sequences, strict=False):
        if _iteration(op, items, carried, collected, env):
            break
    _bind(op, carried + collected, env)


def _while(op: While, env: dict[Value, Any]) -> None:
    carried, collected = _begun(op, env)
    while True:
        env.update(zip(op.test.params, carried, strict=True))
        if not _run(op.test, env)[0] or _iteration(op, (), carried, collected, env):
            break
    _bind(op, carried + collected, env)


def _begun(op: For | While, env: dict[Value, Any]) -> tuple[list[Any], list[list[Any]]]:
    """What a loop carries first, and the lists of what it collects."""
    carried = [None if i is UNDEF else map_tree(lambda v: env[v], i) for i in op.inits]
    return carried, [[] for _ in range(len(op.results) - len(carried))]


def _iteration(
    op: For | While, items: Sequence[Any], carried: list[Any], collected: list[list[Any]], env: dict[Value, Any]
) -> bool:
    """Run the body once; says whether the loop stops there."""
    env.update(zip(op.body.params, [*items, *carried], strict=True))
    out = _run(op.body, env)
    stop = bool(out.pop()) if op.stop else False
    carried[:], rest = out[: len(carried)], out[len(carried) :]
    for taken, item in zip(collected, rest, strict=True):
        taken.append(item)
    return stop
