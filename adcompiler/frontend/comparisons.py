"""Comparisons: what is surely equal or not is known when compiling, numbers and texts are compared when it runs.

L == [1.0, x]; f"{n}" == "3"       ->       same_items(%L, [1.0, %x]); %text == "3"

What is neither is refused: no two things are taken for different because they are denoted in different ways.
"""

import operator
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Refusal
from adcompiler.frontend.collected import class_of
from adcompiler.frontend.instances import is_object
from adcompiler.frontend.iterators import Once, View
from adcompiler.frontend.joins import Joins
from adcompiler.frontend.kinds import Elements, Known, ListOf
from adcompiler.frontend.results import Fields
from adcompiler.frontend.scope import Closure, Poison, poison_problem
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Loc, Value, leaves
from rules.cotangent import length
from rules.kind import Array, Num, Opaque, Seq, Unfilled
from rules.sequences import among, same_items, same_value

COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt, gast.GtE: operator.ge, gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}  # fmt: skip
#: What is equal to nothing but others of its kind.
_PLAIN = (type(None), str, bytes, bool, int, float, complex, type, types.FunctionType, types.BuiltinFunctionType,
          types.ModuleType, types.EllipsisType, types.NotImplementedType, frozenset)  # fmt: skip
_ORDERS = {gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt, gast.GtE: operator.ge}
_EQUALITY = (operator.eq, operator.ne)


class Comparisons(Joins):
    """Lowers comparisons of two operands."""

    def compare(self, op: Any, a: Any, b: Any, node: Any) -> Any:
        for x in (a, b):
            if isinstance(x, Poison):
                raise Refusal(poison_problem(x, "this", self.loc(node)))
        if isinstance(op, gast.Is | gast.IsNot):
            same = self._is_now(a, b, node)
            if isinstance(same, bool):
                return Known(same if isinstance(op, gast.Is) else not same)
            return same if isinstance(op, gast.Is) else self.emit(operator.not_, same)
        if isinstance(op, gast.In | gast.NotIn):
            inside = self._contains(a, b, node)
            if isinstance(inside, bool):
                return Known(inside if isinstance(op, gast.In) else not inside)
            return inside if isinstance(op, gast.In) else self.emit(operator.not_, inside)
        target = COMPARE[type(op)]
        a, b = opened(a), opened(b)
        if isinstance(a, Known) and isinstance(b, Known):
            return self._known(target, a.value, b.value, node)
        if _is_text(a) or _is_text(b):
            return self._compare_texts(target, a, b, node)
        if _is_opaque(a) or _is_opaque(b):
            return self._compare_opaque(target, a, b, node)
        for x, y in ((a, b), (b, a)):
            if _is_sequence(x) and isinstance(y, Value) and isinstance(y.kind, Array):
                return self.emit(target, *(s if s is y else self._array_of(s, node) for s in (a, b)))
        if not _is_number(a) or not _is_number(b):
            return self._compare_others(target, a, b, node)
        if target in _EQUALITY and (self.never_one(a, b) or self.never_one(b, a)):
            return Known(target is operator.ne)
        self.check_operands(target, (a, b), node)
        return self.emit(target, a, b)

    def _known(self, target: Any, a: Any, b: Any, node: Any) -> Known:
        try:
            return Known(target(a, b))
        except TypeError as error:
            raise self.refuse(node, f"this raises TypeError: {error}", "compare numbers") from None

    def never_one(self, n: Any, one: Any) -> bool:
        """Is this the length of an axis that is known not to be 1, beside a 1?"""
        length = n.kind.length if isinstance(n, Value) and isinstance(n.kind, Num) else None
        known = isinstance(one, Known) and type(one.value) is int and one.value == 1
        return known and length is not None and not self.env.may_be_one(self.env.resolve(length))

    def _compare_texts(self, target: Any, a: Any, b: Any, node: Any) -> Any:
        """A comparison of a text that is made when it runs, with another, or with a constant."""
        if target not in _EQUALITY and not all(_is_text(x) or _is(x, str) for x in (a, b)):
            raise self.refuse(node, "a text is compared with what is none", "compare two texts")
        if not all(_is_text(x) or (isinstance(x, Known) and isinstance(x.value, _PLAIN)) for x in (a, b)):
            raise self.refuse(node, f"a text is compared with {describe(b if _is_text(a) else a)}, and what they are "
                              "is not known when compiling", "compare it with a string")  # fmt: skip
        self._check_texts([x for x in (a, b) if isinstance(x, Value)], node)
        return self.builder.call(target, self.operand(a), self.operand(b), kind=Num(bool))

    def _check_texts(self, texts: list[Value], node: Any) -> None:
        """Refuse texts of numbers that the user's program writes otherwise: of an int where there is a float here."""
        stack, seen = texts, set[Value]()
        while stack:
            text = stack.pop()
            op = self.defs.get(text)
            if text in seen:
                continue
            seen.add(text)
            if op is None:
                raise self.refuse(node, "a text that a loop carries is compared", "compare what it is made of")
            inner = [v for sub in op.regions for v in leaves(sub.results)]
            for v in (*inner, *op.operands()):
                if _is_opaque(v):
                    stack.append(v)
                elif v not in inner:
                    self.check_one_class(v, node, "a text of a number is compared")

    def _compare_opaque(self, target: Any, a: Any, b: Any, node: Any) -> Any:
        """What a function without a rule returns may be compared with a string or None: what it is, Python tells."""
        plain = any(isinstance(x, Known) and (x.value is None or isinstance(x.value, str)) for x in (a, b))
        for x in () if plain and target in _EQUALITY else (a, b):
            self.refuse_opaque(x)
        self._check_texts([x for x in (a, b) if isinstance(x, Value)], node)
        equal = self.builder.call(same_value, self.operand(a), self.operand(b))
        return equal if target is operator.eq else self.emit(operator.not_, equal)

    def check_one_class(self, d: Any, node: Any, what: str) -> None:
        """Refuse a number that a join has made wider, where the user's program tells an int there from a float."""
        if len(self.classes_of(d)) > 1:
            raise self.of_two_classes(d, node, what)

    def of_two_classes(self, d: Any, node: Any, what: str) -> Exception:
        names = sorted(c.__name__ for c in self.classes_of(d))
        kinds = " or ".join(f"{'an' if n[0] in 'aeiou' else 'a'} {n}" for n in names)
        return self.refuse(node, f"{what}, which is {kinds}, as the path is",
                           "give it one class on all paths: write 1.0 for 1, or float(...)")  # fmt: skip

    def _array_of(self, d: Any, node: Any) -> Any:
        """A list or a tuple as NumPy takes it, where it meets an array."""
        if isinstance(d, ListOf | dict):
            raise self.refuse(node, f"an array is compared with {describe(d)}", "compare the parts that are arrays")
        return self.emit(np.array, list(d) if isinstance(d, tuple | list) else d)

    def _compare_others(self, target: Any, a: Any, b: Any, node: Any) -> Any:
        """A comparison in which not both sides are numbers or arrays."""
        if target not in _EQUALITY:
            if all(isinstance(x, tuple) and all(isinstance(e, Known) for e in x) for x in (a, b)):
                mine, theirs = (tuple(e.value for e in x) for x in (a, b))
                return self._known(target, mine, theirs, node)
            if isinstance(a, tuple | list) and type(a) is type(b):
                return self._ordered(target, a, b, 0, node)
            if any(isinstance(x, tuple | list | ListOf) or _is_list(x) for x in (a, b)):
                raise self.refuse(node, "the order of tuples and lists is not supported", "compare their elements")
            self.check_operands(target, (a, b), node)
            return self.emit(target, a, b)
        equal = self._same(a, b, node)
        if isinstance(equal, Known):
            return Known(equal.value == (target is operator.eq))
        return equal if target is operator.eq else self.emit(operator.not_, equal)

    def _same(self, a: Any, b: Any, node: Any) -> Any:
        """`a == b`, where this is surely known or a matter of numbers; a refusal otherwise."""
        if isinstance(a, tuple | list | dict) and isinstance(b, tuple | list | dict):
            return self._same_structures(a, b, node)
        for x, y in ((a, b), (b, a)):
            if _is_list(x) and isinstance(y, list) and class_of(y) is list:
                return self._same_lists(x, y, node)
            if isinstance(x, ListOf) and isinstance(y, list) and not y:
                return self.emit(operator.eq, self.emit(length, next(leaves(x.element))), Known(0))
            nothing = isinstance(x, Known) and x.value is None and isinstance(y, Once)
            if nothing or (isinstance(x, Known) and isinstance(x.value, _PLAIN) and _is_builtin(y)):
                return Known(False)  # no class of Python's own is equal to one of another kind
            number = isinstance(x, Value) and isinstance(x.kind, Num)
            if number and x.kind.python and (isinstance(y, tuple | list | dict | ListOf) or _is_list(y)):
                return Known(False)
            if number and isinstance(y, Known) and isinstance(y.value, _PLAIN):
                return Known(False)  # numbers are compared elsewhere
        if _is_list(a) and _is_list(b):
            return self._same_lists(a, b, node)
        if isinstance(a, Closure) and a is b:
            return Known(True)
        if any(isinstance(x, Value) and isinstance(x.kind, Array) and x.kind.ndim for x in (a, b)):
            raise self.refuse(node, f"{describe(a)} is compared with {describe(b)}, element by element",
                              "to ask whether it is there, write `x is None`")  # fmt: skip
        if any(isinstance(x, ListOf) or _is_list(x) for x in (a, b)):
            raise self.refuse(node, f"whether {describe(a)} equals {describe(b)} is not known when compiling",
                              "compare the elements in a loop, or arrays: np.array_equal(a, b)")  # fmt: skip
        self.check_operands(operator.eq, (a, b), node)
        raise self.refuse(node, f"whether {describe(a)} equals {describe(b)} is not known when compiling",
                          "compare numbers or strings")  # fmt: skip

    def _same_structures(self, a: Any, b: Any, node: Any) -> Any:
        if isinstance(a, dict) and isinstance(b, dict):
            if any(map(self.counts, (a, b))) or self.ordered_dicts:
                what = "Counters" if not self.ordered_dicts else "dicts beside an OrderedDict"
                raise self.refuse(node, f"== of {what} is not supported", "compare the items")
            if isinstance(a, Fields) or isinstance(b, Fields):
                raise self.refuse(node, "what NumPy returns is compared as a whole", "compare the parts")
            if set(a) != set(b):
                return Known(False)
            a, b = list(a.values()), [b[k] for k in a]
        a, b = (tuple(x) if isinstance(x, tuple) else x for x in (a, b))
        if class_of(a) is not class_of(b) or len(a) != len(b):
            return Known(False)
        equal: Any = Known(True)
        for x, y in zip(a, b, strict=True):
            equal = self.conjunction(equal, self._one_answer(x, y, node))
        return equal

    def _one_answer(self, a: Any, b: Any, node: Any) -> Any:
        """`a == b` of elements, which is true or false: of arrays this raises ValueError, as Python does."""
        equal = self.compare(gast.Eq(), a, b, node)
        return self.emit(bool, equal) if isinstance(equal, Value) and isinstance(equal.kind, Array) else equal

    def _same_lists(self, a: Any, b: Any, node: Any) -> Any:
        """`==` of lists, of which one at least may be of any length."""
        for x, y in ((a, b), (b, a)):
            if isinstance(y, list) and not y and isinstance(x, Value) and not x.kind.range:
                return self.emit(operator.eq, self.emit(length, x), Known(0))
        for x in (a, b):
            if isinstance(x, Value) and x.kind.range:
                raise self.refuse(node, "a range, or a list of one, is compared as a whole",
                                  "compare the elements in a loop")  # fmt: skip
            elements = [x.kind.element] if isinstance(x, Value) else [kind_of_operand(self.operand(e)) for e in x]
            if not all(isinstance(k, Num | Unfilled) for k in elements):
                raise self.refuse(node, "lists of any length are compared, whose elements are no numbers",
                                  "compare the elements in a loop, or arrays: np.array_equal(a, b)")  # fmt: skip
        return self.emit(same_items, a, b)

    def _ordered(self, target: Any, a: Any, b: Any, k: int, node: Any) -> Any:
        """The order of two tuples or lists from their elements `k` on: that of the first ones that differ."""
        if k == min(len(a), len(b)):
            return Known(target(len(a), len(b)))
        op = next(cls for cls, t in _ORDERS.items() if t is target)()
        if k == len(a) - 1 == len(b) - 1:
            return self.compare(op, a[k], b[k], node)
        equal = self.truth(self.compare(gast.Eq(), a[k], b[k], node), node)
        if isinstance(equal, bool):
            return self._ordered(target, a, b, k + 1, node) if equal else self.compare(op, a[k], b[k], node)
        return self.fork(equal, lambda: self._ordered(target, a, b, k + 1, node),
                         lambda: self.compare(op, a[k], b[k], node), self.loc(node))  # fmt: skip

    def truth(self, d: Any, node: Any) -> Any:
        """A denotation as a condition: a Python bool if known, else a Value."""
        raise NotImplementedError

    def conjunction(self, a: Any, b: Any) -> Any:
        """`a and b` where evaluating b is free."""
        if isinstance(a, Known):
            return b if a.value else a
        if isinstance(b, Known):
            return a if b.value else b
        return self.fork(a, lambda: b, lambda: a, self.builder.loc or Loc("", 0))

    def counts(self, d: Any) -> bool:
        """Is this dict a Counter?"""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------- is, in
    def _is_now(self, a: Any, b: Any, node: Any) -> Any:
        """`a is b`: a bool if known, else a Value."""
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Known) and isinstance(y, Value):
                if isinstance(x.value, bool) and isinstance(y.kind, Num) and y.kind.type is bool:
                    return y if x.value else self.emit(operator.not_, y)  # what Python computes is one of its two bools
                if isinstance(x.value, bool) and bool in self.classes_of(y) - {
                    y.kind.type if isinstance(y.kind, Num) else bool
                }:
                    raise self.of_two_classes(y, node, f"whether a number is {x.value} is asked for")
                if x.value is None and isinstance(y.kind, Opaque):
                    return self.builder.call(operator.is_, y, None, kind=Num(bool))
        return self._is(a, b, node)

    def _is(self, a: Any, b: Any, node: Any) -> bool:
        if isinstance(a, Known) and isinstance(b, Known):
            return a.value is b.value
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Known) and (x.value is None or isinstance(x.value, bool | str | type)):
                if isinstance(y, Poison):
                    raise Refusal(poison_problem(y, "this", self.loc(node)))
                if not (isinstance(y, Value) and isinstance(y.kind, Opaque)):
                    return False
        raise self.refuse(node, "identity of computed values is not known when compiling",
                          "compare with ==, or test `x is None` where it may be None")  # fmt: skip

    def _contains(self, a: Any, b: Any, node: Any) -> Any:
        if isinstance(b, View):
            b = b.make()
        if isinstance(b, dict):
            return self._key(a, node, "the key of a dict") in b
        if isinstance(b, tuple | list):
            if all(isinstance(x, Known) and not is_object(x.value) for x in (a, *b)):
                return a.value in [x.value for x in b]
            inside: Any = Known(False)
            for x in b:
                one = isinstance(a, Known) and isinstance(x, Known) and a.value is x.value
                equal = Known(True) if one else self._one_answer(a, x, node)
                if isinstance(equal, Known):
                    inside = equal if equal.value else inside
                    if equal.value:
                        break
                else:
                    nothing = isinstance(inside, Known)
                    inside = equal if nothing else self.emit(operator.or_, inside, equal)
            return inside.value if isinstance(inside, Known) else inside
        if isinstance(b, Known):
            return self._key(a, node, "what is looked for") in b.value
        if (
            _is_list(b)
            and isinstance(b.kind.element, Num | Unfilled)
            and _is_number(a)
            and not kind_of_operand(self.operand(a)).ndim
        ):
            return self.emit(among, a, b)
        self.refuse_opaque(b)
        if isinstance(b, ListOf) or _is_list(b):
            raise self.refuse(node, f"`in` {describe(b)} is of numbers in a list of numbers here",
                              "write any(v == x for v in xs), with a test of the elements")  # fmt: skip
        raise self.refuse(node, f"`in` {describe(b)} is not supported", "use np.any(a == x)")

    def _key(self, a: Any, node: Any, what: str) -> Any:
        if isinstance(a, list | dict):
            raise self.refuse(node, f"this raises TypeError: unhashable type: '{class_of(a).__name__}'", "use a tuple")
        return self.static(a, node, what)


def opened(d: Any) -> Any:
    """A container that is known, as one of what is known."""
    value = d.value if isinstance(d, Known) else None
    if type(value) is list or (isinstance(value, tuple) and type(value).__eq__ is tuple.__eq__):
        return list(map(Known, value)) if isinstance(value, list) else tuple(map(Known, value))
    return {k: Known(v) for k, v in value.items()} if type(value) is dict else d


def _is(d: Any, cls: Any) -> bool:
    return isinstance(d, Known) and isinstance(d.value, cls)


def _is_opaque(d: Any) -> bool:
    return isinstance(d, Value) and isinstance(d.kind, Opaque)


def _is_text(d: Any) -> bool:
    """Is this a text that is made when it runs?"""
    return _is_opaque(d) and d.kind == Opaque("str")


def _is_list(d: Any) -> bool:
    """Is this a list of any length, or a range?"""
    return isinstance(d, Value) and isinstance(d.kind, Seq)


def _is_sequence(d: Any) -> bool:
    return isinstance(d, tuple | list | ListOf | dict) or _is_list(d)


def _is_number(d: Any) -> bool:
    """Is this a number or an array?"""
    if isinstance(d, Known):
        return isinstance(d.value, int | float | complex | np.generic | np.ndarray)
    return isinstance(d, Value) and isinstance(d.kind, Num | Array)


def _is_builtin(d: Any) -> bool:
    """Is this of a class of Python's own other than numbers and strings?"""
    return isinstance(d, tuple | list | dict | ListOf | Closure | slice) or _is_list(d) or _is(d, Elements)
