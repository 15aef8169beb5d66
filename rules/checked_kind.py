"""What `check_rule` asks of the kind that a rule gives: that NumPy confirms it, for any lengths of the arguments."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from rules.kind import (
    ONE,
    Array,
    KindError,
    Length,
    Lengths,
    Num,
    Opaque,
    Seq,
    elementwise,
    kind_of,
    specialising,
)  # fmt: skip
from rules.rule import OPERATORS, Rule
from rules.tape import rebuilt


def kind_of_call(function: Any, rule: Rule, bound: dict[str, Any], result: Any = None) -> Any:
    """The kind that the rule gives, where each length of an argument is a symbol of its own, or 1."""
    env = Lengths()
    names = (f"n{i}" for i in itertools.count())
    kinds = {k: v if k in rule.static else _kind(v, env, names) for k, v in bound.items()}
    with specialising(env):
        kind = _infer(function, rule, kinds, result)
        for guard in env.guards:
            if not guard.holds(env.sizes):
                raise KindError(f"it assumes {guard}, which does not hold of {env.sizes}")
        return _resolve(kind, env)


def _infer(f: Any, rule: Rule, kinds: dict[str, Any], result: Any) -> Any:
    rule.check_precision(kinds.values())
    if rule.kind is not None:
        return rule.kind(*[kinds[n] for n in rule.kind_takes])
    operands = list(kinds.values())
    if isinstance(f, np.ufunc):
        return elementwise(f, *operands)
    if getattr(f, "__module__", "") == "math":
        return Num(float)
    if f in OPERATORS:
        plain = [kind_of(k) for k in operands]
        if all(isinstance(k, Num) and k.python for k in plain):
            return Num(type(result))
        return elementwise(OPERATORS[f], *operands)
    raise AssertionError(f"rule {rule.name}: only ufuncs, operators and math functions go without a kind")


def disagreement(kind: Any, actual: Any) -> str:
    """In which a value is not of this kind; empty if it is."""
    if isinstance(kind, list | tuple):
        if not isinstance(actual, list | tuple) or len(kind) != len(actual):
            return f"says {len(kind)} results, and it is {type(actual).__name__}"
        return next(filter(None, map(disagreement, kind, actual)), "")
    if isinstance(kind, Seq):
        if not isinstance(actual, list | tuple | range):
            return f"says a list, and it is {type(actual).__name__}"
        return next(filter(None, (disagreement(kind.element, a) for a in actual)), "")
    if isinstance(kind, Opaque):
        return ""
    if isinstance(kind, Array):
        fits = isinstance(actual, np.ndarray) and kind.dtype == actual.dtype and kind.ndim == actual.ndim
        sizes = [n.offset for n in kind.shape] if fits else []
        known = fits and all(
            n.symbol is not None or k == n.offset for n, k in zip(kind.shape, actual.shape, strict=True)
        )
        return "" if known else f"says {kind} {tuple(sizes)}, and it is {describe(actual)}"
    if isinstance(kind, Num):
        same = isinstance(actual, np.generic) and actual.dtype == kind.dtype and not kind.python
        return "" if same or type(actual) is kind.type else f"says the number {kind}, and it is {describe(actual)}"
    return f"returns {kind!r}, which is no kind; the result is {describe(actual)}"


def _kind(x: Any, env: Lengths, names: Iterator[str]) -> Any:
    if isinstance(x, np.ndarray):
        shape = []
        for n in x.shape:
            shape.append(ONE if n == 1 else Length(next(names)))
            if n != 1:
                env.sizes[str(shape[-1].symbol)] = n
        return Array(x.dtype, tuple(shape))
    if isinstance(x, list | tuple):
        return rebuilt(x, [_kind(v, env, names) for v in x])
    if isinstance(x, np.generic | float | complex):
        return Num(type(x))
    return x


def _resolve(kind: Any, env: Lengths) -> Any:
    """`kind` with each length that the example knows as a constant."""
    if isinstance(kind, list | tuple):
        return rebuilt(kind, [_resolve(k, env) for k in kind])
    if isinstance(kind, Seq):
        return Seq(_resolve(kind.element, env), kind.range)
    if isinstance(kind, Array):
        shape = []
        for n in kind.shape:
            size = env.size(env.resolve(n))
            shape.append(n if size is None else Length(None, size))
        return Array(kind.dtype, tuple(shape), kind.xp)
    return kind


def describe(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else type(x).__name__
