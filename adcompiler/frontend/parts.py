"""Parts of things: attributes and subscripts.

x.T[1:]; x.shape[0]; params["b"]       ->       %t = transpose(%x); %u = %t[1:]; %n = length(%x, 0); %b
"""

import ast
import collections
import operator
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Refusal
from adcompiler.frontend.conditions import Conditions
from adcompiler.frontend.frozen import Frozen
from adcompiler.frontend.iterators import Once
from adcompiler.frontend.kinds import Deque, Elements, Known, ListOf, is_set
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.results import Fields
from adcompiler.frontend.scope import Callback, Closure, Method, Poison, is_changeable, poison_problem
from adcompiler.frontend.words import MAKERS, describe, method_remedy, spelled
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import Value
from rules import find_method
from rules.cotangent import length, size
from rules.kind import Array, Num, Seq
from rules.numpy.spectral import complex_eig

#: What NumPy says where a number is indexed.
SCALAR = "invalid index to scalar variable."
INDEXED = "index an array, a tuple, a list or a dict"
_EIGEN = ("eigenvalues", "eigenvectors")
#: What NumPy's functions call their results.
FIELDS: dict[Any, tuple[str, ...]] = {
    np.linalg.eigh: _EIGEN, np.linalg.eig: _EIGEN, complex_eig: _EIGEN, np.linalg.svd: ("U", "S", "Vh"),
    np.linalg.qr: ("Q", "R"), np.linalg.slogdet: ("sign", "logabsdet"),
}  # fmt: skip


class Parts(Conditions):
    """Lowers attributes and subscripts."""

    def expr_Attribute(self, node: Any) -> Any:
        owner = self.expr(node.value)
        return self.attribute(owner, node.attr, node)

    def attribute(self, owner: Any, name: str, node: Any) -> Any:
        self.refuse_opaque(owner)
        if name == "__class__" and not isinstance(owner, Known | Method):
            return self.call(Known(type), (owner,), {}, node)
        if isinstance(owner, Known):
            if isinstance(owner.value, int | float | complex | str | slice) and not isinstance(owner.value, bool):
                value = getattr(owner.value, name, None)
                return Method(owner, name) if callable(value) else Known(value)
            if isinstance(owner.value, Elements) and not hasattr(frozenset, name) and hasattr(set, name):
                remedy = "write the call as a statement of its own, of a name"
                remedy = "take it from a list: xs.pop()" if name == "pop" else remedy
                raise self.refuse(node, f"{name} changes a set, which is not supported here", remedy)
            if is_set(owner) and hasattr(frozenset, name):
                return Method(owner, name)
            if self.attempts:
                try:
                    getattr(owner.value, name)
                except AttributeError as error:
                    if is_changeable(owner.value):
                        self.scope.watch(owner.value, f"hasattr(it, {name!r})", False, hasattr)
                    self.raise_here(AttributeError, str(error))
            d = self.scope.attribute(owner.value, name, self.loc(node))
            self.note_captures()
            return d
        if isinstance(owner, Value) and isinstance(owner.kind, Array | Num):
            kind = owner.kind
            cls = np.ndarray if isinstance(kind, Array) else kind.type
            if not hasattr(cls, name):
                self.lacks(cls, name)
                noun = "an array" if isinstance(kind, Array) else f"a {kind.type.__name__}"
                remedy = f"write np.{name}(...)" if hasattr(np, name) else "check the name"
                raise self.refuse(node, f"{noun} has no method or attribute {name}", remedy)
            if name == "shape":
                return tuple(self.emit(length, owner, Known(i)) for i in range(kind.ndim))
            if name == "ndim":
                return Known(kind.ndim)
            if name == "size":
                return self.emit(size, owner) if kind.ndim else Known(1)
            if name == "dtype":
                return Known(kind.dtype)
            if name == "real" and isinstance(kind, Array) and kind.dtype.kind != "c":
                return owner
            if name in ("T", "real", "imag", "mT"):
                return self.method_rule(name, node, owner)
            if name == "itemsize":
                return Known(kind.dtype.itemsize)
            if name == "nbytes":
                return self.emit(operator.mul, self.attribute(owner, "size", node), Known(kind.dtype.itemsize))
            if name != "flat" and not callable(getattr(cls, name)):
                memory = isinstance(kind, Array)
                told = f"the attribute {name} of {describe(owner)} is not supported"
                raise self.refuse(node, told + (": it tells where memory lies" if memory else ""),
                                  "ask outside the function" if memory else "use the number itself")  # fmt: skip
            return Method(owner, name)
        if isinstance(owner, tuple) and not hasattr(tuple, name):
            if name in (fields := self.fields(owner)):
                return owner[fields.index(name)]
            self.lacks(tuple, name)
            raise self.refuse(node, f"the field {name} of a tuple is not known", "unpack it, or index it: result[1]")
        if isinstance(owner, Fields):
            return owner.field(self, name, node)
        if isinstance(owner, dict) and name in owner and not hasattr(dict, name):
            reason = f"the attribute {name} is read of what is one result on one path, and another on another path"
            raise self.refuse(node, reason, "read it on each path, and use what was read")
        if isinstance(owner, tuple | list | dict | Value | ListOf):
            if isinstance(owner, tuple | list | dict) and not hasattr(type(owner), name):
                self.lacks(type(owner), name)
            if isinstance(owner, Deque) and name == "maxlen":
                return Known(owner.maxlen)
            if not any(callable(getattr(cls, name, None)) for cls in _may_be(owner)):
                raise self.refuse(node, f"the attribute {name} of {describe(owner)} is not supported", "check the name")
            return Method(owner, name)
        if isinstance(owner, slice) and name in ("start", "stop", "step"):
            return getattr(owner, name)
        if isinstance(owner, Frozen):
            return owner.method(self, name, node)
        if isinstance(owner, Poison):
            raise Refusal(poison_problem(owner, "this", self.loc(node)))
        if isinstance(owner, Once):
            raise self.refuse(node, f"{name} of a generator is not supported", "read it by a loop, for v in ...")
        if is_flat(owner):
            raise self.refuse(node, f"a.flat is used for {name}, and is indexed and looped over alone here",
                              "write np.ravel(a), or a.flatten() for a copy")  # fmt: skip
        told = f"the attribute {name} of {describe(owner)} is not supported"
        code = isinstance(owner, Closure | Callback)
        raise self.refuse(node, told, "write out what it gives" if code else "pass the value as an argument")

    def lacks(self, cls: type, name: str) -> None:
        """Go on where it is caught that an object of this class has no such attribute."""
        self.raise_here(AttributeError, f"'{spelled(cls)}' object has no attribute '{name}'")

    def fields(self, owner: tuple[Any, ...]) -> tuple[str, ...]:
        """The names that NumPy gives the results of a call, if this is all of them."""
        op = self.defs.get(owner[0]) if owner and isinstance(owner[0], Value) else None
        return FIELDS.get(op.target, ()) if op is not None and tuple(op.results) == owner else ()

    def method_rule(self, name: str, node: Any, owner: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A method or attribute of an array, by its rule."""
        if name in ("conj", "conjugate") and isinstance(owner.kind, Array) and not (args or kwargs):
            return owner if owner.kind.dtype.kind in "iuf" else self.emit(np.conjugate, owner)
        rule = find_method("ndarray." + name)
        if rule is None:
            raise self.refuse(
                node,
                f"the array method {name} has no rule",
                method_remedy(np.ndarray, name, self.text(getattr(node.func, "value", node.func)))
                if isinstance(node, gast.Call)
                else "use a NumPy function that has one (`adc rules`)",
            )
        target = rule.functions[0] if rule.functions else getattr(np.ndarray, name)
        return self.rule_call(rule, target, (owner, *args), kwargs or {}, node)

    def text(self, node: Any) -> str:
        """A piece of the source."""
        return ast.unparse(gast.gast_to_ast(node))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The denotation of a call."""
        raise NotImplementedError

    def rule_call(self, rule: Any, target: Any, args: Any, kwargs: Any, node: Any) -> Any:
        raise NotImplementedError

    def lend(self, d: Any) -> None:
        """Note that the lists and dicts in `d` are elements of a list of any length: they are changed no more."""
        raise NotImplementedError

    def expr_Subscript(self, node: Any) -> Any:
        return self.subscript(self.expr(node.value), self.index(node.slice), node)

    def index(self, node: Any) -> Any:
        if isinstance(node, gast.Slice):
            parts = [Known(None) if p is None else self.expr(p) for p in (node.lower, node.upper, node.step)]
            return slice(*parts)
        if isinstance(node, gast.Tuple):
            return tuple(self.index(n) for n in node.elts)
        d = self.expr(node)
        if isinstance(d, Value) and isinstance(d.kind, Seq):  # as NumPy reads it: elements may be named twice
            kind: Any = d.kind
            while isinstance(kind, Seq):
                kind = kind.element
            if isinstance(kind, Num) and kind.dtype.kind in "iub":
                return self.emit(np.array, d, dtype=Known(np.dtype(bool if kind.dtype.kind == "b" else np.intp)))
        return d

    def subscript(self, base: Any, index: Any, node: Any) -> Any:
        """`base[index]` on denotations."""
        if is_flat(base):
            return self.flat_element(base.owner, self.flat_index(index, node), node)
        if isinstance(base, dict):
            key = self.static(index, node, "the key of a dict")
            if key not in base:
                self.raise_here(KeyError, key)
                reason = f"the dict has no key {key!r}; it has {', '.join(map(repr, base)) or 'none'}"
                raise self.refuse(node, reason, "use a key that it has, or add this one to the argument")
            return base[key]
        if isinstance(base, tuple | list):
            k = self.static(index, node, "the index into a tuple or a list of known structure")
            try:
                return base[k]
            except (IndexError, TypeError) as error:
                self.raise_here(type(error), str(error))
                remedy = f"it has {len(base)} elements: use an int or a slice within that"
                raise self.refuse(node, str(error), remedy) from None
        if isinstance(base, Known):
            if isinstance(base.value, tuple | list | dict | str):
                return Known(base.value[self.static(index, node, "this index")])
            for maker, name, remedy in MAKERS:
                if base.value is maker:
                    raise self.refuse(node, f"{name}[...] is not supported", remedy)
            raise self.refuse(node, f"{describe(base)} is indexed", INDEXED)
        if isinstance(base, ListOf):
            element = rebuild(base.element, lambda v: self.subscript(v, index, node))
            if isinstance(index, slice):
                return ListOf(element)
            self.lend(element)
            return element
        if isinstance(base, Value):
            if isinstance(base.kind, Num):
                python = f"'{spelled(base.kind.type)}' object is not subscriptable"
                self.raise_here(*((TypeError, python) if base.kind.python else (IndexError, SCALAR)))
                raise self.refuse(node, f"{describe(base)} is indexed, and has no elements", INDEXED)
            found = self.emit(operator.getitem, base, index)
            if isinstance(base.kind, Seq) and not isinstance(index, slice):
                self.lend(found)
            return found
        raise self.refuse(node, f"{describe(base)} is indexed", INDEXED)

    # ---------------------------------------------------------------------------- elements in the order of C
    def in_order(self, a: Value) -> Any:
        """The elements of an array in the order of C, as an array of one axis."""
        return a if a.kind.ndim == 1 else self.emit(np.ravel, a)

    def flat_index(self, index: Any, node: Any) -> Any:
        """The index of `a.flat[index]`. Raises Refusal where it is none that NumPy takes."""
        if isinstance(index, tuple) and len(index) == 1:
            index = index[0]
        array = self.emit(np.array, index) if isinstance(index, list) and index else index
        kind = kind_of_operand(self.operand(array)) if isinstance(array, Value) else None
        known = isinstance(index, Known) and (type(index.value) is int or index.value is Ellipsis)
        number = isinstance(kind, Num) and kind.dtype.kind in "iu"
        places = isinstance(kind, Array) and kind.ndim and kind.dtype.kind in ("iu" if kind.ndim > 1 else "iub")
        if not (isinstance(index, slice) or known or number or places):
            raise self.refuse(node, "a.flat is indexed by an int, a slice, integers or a mask of one axis here",
                              "index np.ravel(a) to read; to write, a itself by one index for each axis")  # fmt: skip
        return array

    def by_axes(self, a: Value, index: Any) -> Any:
        """The index of `a` of what an index of its elements in the order of C names; None where there is none."""
        if a.kind.ndim == 1 or (isinstance(index, Known) and index.value is Ellipsis):
            return index
        if isinstance(index, slice) or not a.kind.ndim:
            return None
        shape = self.attribute(a, "shape", None)
        if isinstance(index, Value) and index.kind.dtype.kind == "b":
            return self.emit(np.reshape, index, shape)
        found: list[Any] = []
        for n in shape[:0:-1]:  # of negative integers too
            found.insert(0, self.emit(operator.mod, index, n))
            index = self.emit(operator.floordiv, index, n)
        return (index, *found)

    def flat_element(self, a: Value, index: Any, node: Any) -> Any:
        """`a.flat[index]`: a number, or a new array."""
        place = None if isinstance(index, Known) and index.value is Ellipsis else self.by_axes(a, index)
        d = self.emit(operator.getitem, *((self.in_order(a), index) if place is None else (a, place)))
        view = isinstance(d.kind, Array) and not isinstance(index, Value)
        return self.method_rule("copy", node, d) if view else d


def _may_be(d: Any) -> tuple[type, ...]:
    """The classes whose methods a container may have."""
    if isinstance(d, dict):
        return dict, collections.Counter, collections.OrderedDict, collections.defaultdict
    return (tuple,) if isinstance(d, tuple) else (collections.deque,) if isinstance(d, Deque) else (list, range)


def is_flat(d: Any) -> bool:
    """Is this `a.flat` of an array?"""
    return isinstance(d, Method) and d.name == "flat" and isinstance(d.owner, Value) and isinstance(d.owner.kind, Array)
