"""Operators of objects, by the methods that their classes have.

p + q       ->       the body of `__add__` in place of the operator; of `__radd__` where Python asks for that
"""

import dataclasses
import operator
import types
from typing import Any

import gast

from adcompiler.errors import Refusal
from adcompiler.frontend.attribute_stores import AttributeStores
from adcompiler.frontend.attributes import EMPTY, class_of, is_users_object
from adcompiler.frontend.expressions import BINARY
from adcompiler.frontend.instances import generated, is_named_tuple, may_vary, own_value
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.ownership import symbol
from adcompiler.frontend.records import Record
from adcompiler.frontend.storage import Place
from adcompiler.frontend.words import SYMBOLS, describe
from adcompiler.frontend.writers import is_array
from adcompiler.ir.core import Value
from rules.kind import Array, Num, Seq
from rules.libraries import original, taken_apart

_OPERATORS: dict[Any, str] = {
    operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "truediv",
    operator.floordiv: "floordiv", operator.mod: "mod", operator.pow: "pow", operator.matmul: "matmul",
    operator.and_: "and", operator.or_: "or", operator.xor: "xor", operator.lshift: "lshift",
    operator.rshift: "rshift",
}  # fmt: skip
_UNARY = {operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__"}
_COMPARED = {
    gast.Eq: ("__eq__", "__eq__"), gast.NotEq: ("__ne__", "__ne__"), gast.Lt: ("__lt__", "__gt__"),
    gast.Gt: ("__gt__", "__lt__"), gast.LtE: ("__le__", "__ge__"), gast.GtE: ("__ge__", "__le__"),
}  # fmt: skip
_SYMBOLS = {operator.eq: gast.Eq, operator.ne: gast.NotEq, operator.lt: gast.Lt, operator.gt: gast.Gt,
            operator.le: gast.LtE, operator.ge: gast.GtE}  # fmt: skip
_COMPARISONS = frozenset(left for left, _ in _COMPARED.values())


class Operators(AttributeStores):
    """Lowers operators, comparisons and subscripts of objects."""

    def binary(self, target: Any, a: Any, b: Any, node: Any, hint: str = "") -> Any:
        a, b = self.known_argument(a), self.known_argument(b)
        if target is not operator.matmul or not (isinstance(a, Value) or isinstance(b, Value)):
            a, b = self.in_parts(a, node), self.in_parts(b, node)
        if is_users_object(a) or is_users_object(b) or self.has_operator(a, b, target):
            return self.by_method(
                f"__{_OPERATORS[target]}__", f"__r{_OPERATORS[target]}__", a, b, node, SYMBOLS[target]
            )
        return super().binary(target, a, b, node, hint)

    def whole(self, place: Place, value: Any, node: Any) -> None:
        target, base = BINARY[type(node.op)], place.base
        outside = isinstance(base, Known) and taken_apart(base.value) is not None
        owner = self.in_parts(base, node) if outside else base
        method = self.method(owner, f"__i{_OPERATORS[target]}__", node) if isinstance(owner, Record) else None
        if method is None:
            if place.owner is not None and not place.keys and is_array(place.base):
                self.check_assignable(place.owner, place.attribute, place.text, node)
            super().whole(place, value, node)
        elif outside or original(owner.cls) is not None:
            self.replace(place, self.in_place_of_library(method, place, value, node), node)
        else:
            self.replace(place, self.call(method, (value,), {}, node), node)

    def in_place_of_library(self, method: Any, place: Place, value: Any, node: Any) -> Any:
        """What `A op= value` gives for an object that stands for one of a library; refused in the words of the user."""
        x = place.text
        try:
            return self.call(method, (value,), {}, node)
        except Refusal as refusal:
            if refusal.problem is None:
                raise
            reason, remedy = refusal.problem.reason.replace("self.", f"{x}."), refusal.problem.remedy
            remedy = f"write {x} = {x} {symbol(node.op)} ..." if "in place" in reason else remedy
            raise self.refuse(node, reason, remedy) from None

    def has_operator(self, a: Any, b: Any, target: Any) -> bool:
        """Does the class of a named tuple define this operator itself?"""
        names = ((a, f"__{_OPERATORS[target]}__"), (b, f"__r{_OPERATORS[target]}__"))
        return any(is_named_tuple(x) and isinstance(own_value(type(x), n), types.FunctionType) for x, n in names)

    def by_method(self, left: str, right: str, a: Any, b: Any, node: Any, symbol: str) -> Any:
        """`a op b` by the methods of classes, in the order in which Python asks them."""
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Value) and isinstance(x.kind, Num) and not x.kind.python and is_users_object(y):
                whole = own_value(class_of(y), "__array_ufunc__") is None
                if (
                    x is a
                    and not whole
                    and any(own_value(class_of(y), n) is not EMPTY for n in ("__len__", "__array__", "__array_ufunc__"))
                ):
                    raise self.refuse(node, f"NumPy may take {self.told(y)} for an array here",
                                      f"write the object first, or float(...) {symbol} ...")  # fmt: skip
            if isinstance(x, Value) and isinstance(x.kind, Array) and is_users_object(y):
                whole = own_value(class_of(y), "__array_ufunc__") is None
                if x is a and not whole:
                    reason = f"NumPy applies {symbol} to each element of an array and an object of class"
                    raise self.refuse(node, f"{reason} {class_of(y).__name__}",
                                      "give the class `__array_ufunc__ = None`, or write the object first")  # fmt: skip
        asked = [(a, left, b), (b, right, a)]
        mine, theirs = map(class_of, (a, b))
        derived = mine is not theirs and issubclass(theirs, mine)
        if derived and (left in _COMPARISONS or self.overrides(theirs, mine, right)):
            asked.reverse()
        if mine is theirs and left != right and left not in _COMPARISONS:
            asked = asked[:1]
        for owner, name, other in asked:
            method = self.method(owner, name, node)
            if method is not None:
                made = self.call(method, (other,), {}, node)
                if not (isinstance(made, Known) and made.value is NotImplemented):
                    return made
        classes = " and ".join(class_of(x).__name__ for x in (a, b) if is_users_object(x) or is_named_tuple(x))
        followed = any(isinstance(x, Record) and original(x.cls) is not None for x in (a, b))
        raise self.refuse(node, f"{self.text(node)}: {symbol} has no method for these operands in {classes}",
                          "use the methods that it has (docs/limitations.md)" if followed else
                          f"define {left} in the class, or use the attributes")  # fmt: skip

    def overrides(self, cls: type, base: type, name: str) -> bool:
        return own_value(cls, name) is not own_value(base, name)

    def special_unary(self, target: Any, d: Any, node: Any) -> Any:
        d = self.in_parts(self.known_argument(d), node)
        method = self.method(d, _UNARY[target], node) if target in _UNARY else None
        if method is not None:
            return self.call(method, (), {}, node)
        return super().special_unary(target, d, node)

    def compare(self, op: Any, a: Any, b: Any, node: Any) -> Any:
        a, b = self.known_argument(a), self.known_argument(b)
        if isinstance(op, gast.In | gast.NotIn) and is_users_object(b):
            method = self.method(b, "__contains__", node)
            if method is None:
                raise self.refuse(node, f"`in` {self.told(b)} is not supported", "define `__contains__`")
            inside = self.truth(self.call(method, (a,), {}, node), node)
            if isinstance(inside, bool):
                return Known(inside is isinstance(op, gast.In))
            return inside if isinstance(op, gast.In) else self.emit(operator.not_, inside)
        left, right = _COMPARED.get(type(op), ("", ""))
        for x, name in ((a, left), (b, right or "__contains__")):
            if name and not isinstance(op, gast.Is | gast.IsNot):
                self.check_settled(x, name, node)
        own = any(is_named_tuple(x) and self.method(x, n, node) is not None for x, n in ((a, left), (b, right)))
        if not left or not (is_users_object(a) or is_users_object(b) or own):
            a, b = (tuple(x) if left and is_named_tuple(x) else x for x in (a, b))
            return super().compare(op, a, b, node)
        if isinstance(op, gast.NotEq) and self.method(a, "__ne__", node) is None:
            equal = self.truth(self.compare(gast.Eq(), a, b, node), node)
            return Known(not equal) if isinstance(equal, bool) else self.emit(operator.not_, equal)
        if (
            isinstance(op, gast.Eq)
            and self.method(a, "__eq__", node) is None
            and self.method(b, "__eq__", node) is None
        ):
            return self.equal_objects(a, b, node)
        fields = self.fields_compared(a, b, left)
        if fields is not None:
            return super().compare(op, *fields, node)
        symbol = next(SYMBOLS[o] for o, t in _SYMBOLS.items() if t is type(op))
        return self.by_method(left, right, a, b, node, symbol)

    def equal_objects(self, a: Any, b: Any, node: Any) -> Any:
        """`==` of objects: those of a dataclass are compared by their fields, others are the same or not."""
        fields = self.fields_compared(a, b, "__eq__")
        for cls in {class_of(x) for x in (a, b) if is_users_object(x)}:
            self.scope.watch(cls, "it.__eq__", cls.__eq__)
        return Known(self._is(a, b, node)) if fields is None else super().compare(gast.Eq(), *fields, node)

    def fields_compared(self, a: Any, b: Any, name: str) -> tuple[Any, Any] | None:
        """What a comparison that `dataclass` has made compares of two objects; None where it has made none for them."""
        cls = class_of(a)
        both = is_users_object(a) and is_users_object(b) and class_of(b) is cls
        if not both or not dataclasses.is_dataclass(cls) or not generated(own_value(cls, name)):
            return None
        fields = [f.name for f in dataclasses.fields(cls) if f.compare]
        return tuple(self.attribute(a, n, self.frame.here) for n in fields), tuple(
            self.attribute(b, n, self.frame.here) for n in fields
        )

    def _is(self, a: Any, b: Any, node: Any) -> bool:
        a, b = self.known_argument(a), self.known_argument(b)
        if isinstance(a, Record) and isinstance(b, Record):
            if a.may_be(b):
                raise self.refuse(node, "whether these are one object is not known when compiling",
                                  "compare an attribute that tells them apart")  # fmt: skip
            return a is b
        if isinstance(a, Record) or isinstance(b, Record):
            return False
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Known) and x.value is NotImplemented and isinstance(y, Value):
                return False
            if is_users_object(x) and isinstance(y, Value) and isinstance(y.kind, Array | Num | Seq):
                return False
        return super()._is(a, b, node)

    def check_settled(self, d: Any, name: str, node: Any) -> None:
        """Refuse a method of something from outside whose code is not followed, and may give another result later."""
        if isinstance(d, Known) and may_vary(d.value, name):
            raise self.refuse(node, f"{name} of {describe(d)} may give another result in a later call",
                              "call it outside of the function, and pass what it gives as an argument")  # fmt: skip

    def truth(self, d: Any, node: Any) -> Any:
        d = self.known_argument(d)
        for name in ("__bool__", "__len__"):
            self.check_settled(d, name, node)
        for name in ("__bool__", "__len__"):
            if (method := self.method(d, name, node)) is not None:
                return self.truth(self.call(method, (), {}, node), node)
        if is_users_object(d):
            return True
        return super().truth(d, node)

    def subscript(self, base: Any, index: Any, node: Any) -> Any:
        base = self.known_argument(base)
        method = self.method(base, "__getitem__", node)
        if method is not None:
            return self.call(method, (index,), {}, node)
        return super().subscript(base, index, node)

    def iterate(self, d: Any, node: Any, at_once: bool = False) -> Any:
        d = self.known_argument(d)
        cls = class_of(d)
        if is_users_object(d) or (is_named_tuple(d) and own_value(cls, "__iter__") is not tuple.__iter__):
            what = self.told(d) if is_users_object(d) else f"an object of class {cls.__name__}"
            raise self.refuse(node, f"a loop over {what} is not supported",
                              "loop over the attribute that holds the elements")  # fmt: skip
        return super().iterate(d, node, at_once)
