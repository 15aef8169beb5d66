"""Making operations: a call gets its kind here, and is folded where all of it is constant."""

import math
import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import Loc, Op, Region, Value, leaves, map_tree
from adcompiler.ir.library import library_of, of_numpy
from rules import arrays
from rules.kind import Array, Kind, KindError, Num, Seq, constant, elementwise, kind_of, on, same_kind
from rules.rule import OPERATORS, Rule, find
from rules.sequences import among, same_items, same_value

_COMPARE = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_FOLDED = frozenset(
    [*OPERATORS, operator.not_, operator.getitem, operator.is_, operator.is_not, operator.contains, len, int, float,
     bool, str, abs, min, max, round, str.format]
    + [f for f in vars(math).values() if callable(f)]
)  # fmt: skip


def infer(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The kind (or tuple of kinds) of a call, from the kinds in its arguments. Raises KindError."""
    xp = library_of(target, args, kwargs)
    kind = _infer(target, args, kwargs)
    return kind if xp == "numpy" else on(kind, xp)


def _infer(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if (twin := arrays.twin(target)) is not None:
        target = twin[1]
    rule = find(target)
    if target in (float, int, complex):
        _only_numbers(target, map_tree(lambda v: v.kind, args))
    kinds = map_tree(lambda v: v.kind, args)
    if rule is not None:
        rule.check_precision((*kinds, *map_tree(lambda v: v.kind, tuple(kwargs.values()))))
        if rule.kind is not None:
            return rule_kind(rule, args, kwargs)
    if target in OPERATORS:
        return _operator_kind(target, kinds)
    if isinstance(target, np.ufunc):
        return elementwise(target, *kinds)
    if getattr(target, "__module__", "") == "math":
        _only_numbers(target, kinds)
        return Num(float)
    if target in (float, int, complex):
        return Num(target)
    if target in (operator.not_, operator.is_, operator.is_not, operator.contains, bool, same_items, same_value, among):
        return Num(bool)
    if target is str.format:
        from rules.kind import Opaque

        return Opaque("str")
    what = getattr(target, "__name__", target)
    remedy = f"give {what} a rule" if rule is None else f"give the rule of {what} a `kind`"
    raise KindError(f"the kind of what {what} returns is not known", f"{remedy} (docs/custom_rules.md)")


def _only_numbers(target: Any, kinds: Any) -> None:
    """`math.sin(x)` and `float(x)` are of numbers: refuse arrays that have axes."""
    for kind in kinds:
        if isinstance(kind, Array) and kind.ndim:
            name = target.__name__
            instead = f"use np.{name}, or" if hasattr(np, name) else "take"
            raise KindError(f"{name} takes a number, and gets an array ({kind})", f"{instead} an element of the array")


def rule_kind(rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Ask a rule for the kind of its result."""
    assert rule.kind is not None
    bound = map_tree(lambda v: v.kind, rule.bind(args, kwargs))
    takes = rule.kind_takes
    try:
        found = rule.kind(*(bound[name] for name in takes))
        return kind_of(found) if type(found) in (int, float, complex) else found  # of an argument that is a constant
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        given = ", ".join(f"{k}={_spelled(v)}" for k, v in bound.items() if k in takes)
        remedy = "pass arrays and numbers, as NumPy documents it; make an array of a list first: np.array([...])"
        raise KindError(f"what {rule.name} makes of ({given}) is not known", remedy) from error


def _spelled(x: Any) -> str:
    """A kind or a constant, in a message."""
    if isinstance(x, tuple | list):
        return f"[{', '.join(map(_spelled, x))}]"
    return getattr(x, "__name__", None) or str(x)


def _operator_kind(target: Any, operands: tuple[Any, ...]) -> Kind:
    kinds = [kind_of(x) for x in operands]
    if all(isinstance(k, Num) and k.python for k in kinds):
        samples = [x if k is not x else k.type(2) for x, k in zip(operands, kinds, strict=True)]
        try:
            result = type(target(*samples))
        except (ArithmeticError, ValueError):
            result = kinds[0].type
        except TypeError as error:
            raise KindError(str(error)) from None
        return Num(result, _length(target, operands))
    if any(isinstance(k, Seq) for k in kinds):
        raise KindError(
            "lists of any length have no operators here",
            "for a + b write c = list(a), c += b; for arithmetic make arrays of them, np.array(...)",
        )
    return elementwise(OPERATORS[target], *operands)


def _length(target: Any, operands: tuple[Any, ...]) -> Any:
    if target not in (operator.add, operator.sub) or len(operands) != 2:
        return None
    a, b = operands
    if isinstance(a, Num) and a.length is not None and isinstance(b, int):
        return a.length + (b if target is operator.add else -b)
    if target is operator.add and isinstance(b, Num) and b.length is not None and isinstance(a, int):
        return b.length + a
    return None


def is_scalar_constant(x: Any) -> bool:
    """A Python number, string, None or a tuple of such."""
    if isinstance(x, tuple):
        return all(map(is_scalar_constant, x))
    return x is None or x is Ellipsis or type(x) in (bool, int, float, complex, str)


class Builder:
    """Appends operations to a region, with a current source location."""

    def __init__(self, region: Region | None = None, loc: Loc | None = None) -> None:
        self.region = region if region is not None else Region()
        self.loc = loc

    def call(self, target: Any, *args: Any, hint: str = "", lazy: bool = False, kind: Any = None, **kwargs: Any) -> Any:
        """The value of a call: a constant where it folds, a tuple where there are several results."""
        if target in _FOLDED and kind is None and not any(True for _ in leaves((args, kwargs))):
            folded = fold(target, args, kwargs)
            if folded is not None:
                return folded[0]
        if kind is None:
            kind = infer(target, args, kwargs)
        target = of_numpy(target)
        if isinstance(kind, Num) and kind.length is not None and kind.length.constant:
            return kind.length.offset
        kinds = kind if isinstance(kind, tuple | list) else (kind,)
        results = [Value(k, hint, self.loc) for k in kinds]
        self.region.ops.append(Op(target, args, kwargs, results, lazy, False, self.loc))
        return tuple(results) if isinstance(kind, tuple | list) else results[0]

    def effect(self, target: Any, *args: Any, kind: Any = None, **kwargs: Any) -> Any:
        """A call that stays where it is, whoever needs its result."""
        results = [Value(kind, "", self.loc)] if kind is not None else []
        self.region.ops.append(Op(target, args, kwargs, results, False, True, self.loc))
        return results[0] if results else None


def fold(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any] | None:
    """(result,) of a call of constants that is a small constant itself; None if it is not, or raises."""
    if not all(map(is_scalar_constant, (*args, *kwargs.values()))):
        return None
    if target is operator.pow and isinstance(args[1], int) and abs(args[1]) > 64:
        return None
    try:
        value = target(*args, **kwargs)
    except Exception:  # the program raises it where it runs
        return None
    return (value,) if is_scalar_constant(value) else None


def kind_of_operand(x: Any) -> Any:
    """The kind of a value or of a constant."""
    return x.kind if isinstance(x, Value) else kind_of(x)


def constant_length(x: Any) -> Any:
    """The length that an operand denotes, as far as it is known."""
    return (x.kind.length if isinstance(x.kind, Num) else None) if isinstance(x, Value) else constant(x)


def stands_for(x: Any, old: Value) -> bool:
    """May `x` take the place of `old`: of its kind, or a Python number for one of the precision of Python's?"""
    kind = old.kind
    if isinstance(x, Value) and same_kind(x.kind, kind):
        return True
    if not isinstance(kind, Num):
        return isinstance(x, Value) and not isinstance(kind, Array)
    if isinstance(x, Value) and (not isinstance(x.kind, Num) or x.kind.dtype.kind != kind.dtype.kind):
        return False
    return kind.python or kind.dtype.itemsize >= 8


__all__ = ["Array", "Builder", "fold", "infer", "kind_of_operand", "rule_kind", "stands_for"]
