"""Expressions -> values. What is known when compiling is computed here; the rest becomes operations.

2 * 3 * x + y       ->       %t = 6 * %x; %s = %t + %y
"""

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Refusal, plain
from adcompiler.frontend.desugar import hint, is_flag
from adcompiler.frontend.instances import is_object
from adcompiler.frontend.kinds import Elements, Known
from adcompiler.frontend.parts import Parts
from adcompiler.frontend.scope import Closure, Frame, Maybe, Poison, poison_problem
from adcompiler.frontend.words import describe
from adcompiler.ir.core import UNDEF, Value
from rules.cotangent import assigned
from rules.kind import Array, Num
from rules.libraries import operation

BINARY: dict[type, Callable[..., Any]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_, gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}  # fmt: skip
UNARY: dict[type, Callable[..., Any]] = {
    gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert, gast.Not: operator.not_,
}  # fmt: skip


class Expressions(Parts):
    """Lowers names, containers, arithmetic, strings and functions."""

    def expr_Constant(self, node: Any) -> Any:
        return UNDEF if node.value is UNDEF else Known(node.value)

    def note_read(self, frame: Frame, name: str) -> None:
        """Note, in a `try`, that a name has been read."""
        raise NotImplementedError

    def expr_Name(self, node: Any) -> Any:
        if self.attempts:
            frame = self.frame
            while node.id not in frame.env and frame.parent is not None:
                frame = frame.parent
            if node.id in frame.env:
                self.note_read(frame, node.id)
        d = self.readable_name(self.scope.lookup(self.frame, node.id, self.loc(node)), node.id, node)
        self.note_captures()
        return d

    def readable_name(self, d: Any, name: str, node: Any) -> Any:
        """What a name denotes that is read; where it may have no value, that is checked. Raises Refusal."""
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, name, self.loc(node)))
        if isinstance(d, Maybe) and is_flag(name):
            return d.value
        if isinstance(d, Maybe):
            last = [o for o in self.builder.region.ops if o.target is assigned and o.args[0] is d.value]
            if not last:  # the name stays one that may have no value: a loop has to carry it
                self.builder.effect(assigned, d.value, plain(name))
            d = d.value
        return d

    def expr_Tuple(self, node: Any) -> Any:
        return tuple(self.items(node.elts))

    def expr_List(self, node: Any) -> Any:
        return self.items(node.elts)

    def expr_Set(self, node: Any) -> Any:
        items = self.items(node.elts)
        return Known(Elements(self.static(d, node, "the element of a set", "use a tuple or a list") for d in items))

    def items(self, nodes: list[Any]) -> list[Any]:
        out: list[Any] = []
        for n in nodes:
            if isinstance(n, gast.Starred):
                attempts, self.attempts = self.attempts, []  # Python says other things of what has no elements
                try:
                    out.extend(self.elements(self.expr(n.value), n))
                finally:
                    self.attempts = attempts
            else:
                out.append(self.expr(n))
        return out

    def elements(self, d: Any, node: Any) -> list[Any]:
        """The elements of something whose number of elements is known."""
        raise NotImplementedError

    def expr_Dict(self, node: Any) -> Any:
        out: dict[Any, Any] = {}
        for k, v in zip(node.keys, node.values, strict=True):
            if k is None:
                inner = self.expr(v)
                if not isinstance(inner, dict):
                    raise self.refuse(v, "** of something that is not a dict of known keys", "write the keys out")
                out.update(inner)
            else:
                out[self.static(self.expr(k), k, "the key of a dict")] = self.expr(v)
        return out

    def expr_BinOp(self, node: Any) -> Any:
        return self.binary(BINARY[type(node.op)], self.expr(node.left), self.expr(node.right), node)

    def copies(self, d: Any, times: Value, node: Any) -> Any:
        """A list of so many times this number."""
        raise NotImplementedError

    def binary(self, target: Any, a: Any, b: Any, node: Any, hint: str = "") -> Any:
        """`a op b` on denotations, tuples, lists and strings included."""
        for x in (a, b):
            if isinstance(x, Poison):
                raise Refusal(poison_problem(x, "this", self.loc(node)))
        if all(isinstance(x, Known) and isinstance(x.value, frozenset) for x in (a, b)) and target in _OF_SETS:
            made = target(a.value, b.value)
            return Known(Elements(made) if isinstance(a.value, Elements) else made)
        if isinstance(a, dict) and isinstance(b, dict) and self.counts(a):
            raise self.refuse(node, "operators of Counters are not supported", "write a loop over the keys")
        if target is operator.or_ and isinstance(a, dict) and isinstance(b, dict):
            return {**a, **b}
        if isinstance(a, tuple | list) or isinstance(b, tuple | list):
            if target is operator.add and type(a) is type(b):
                return a + b
            if target is operator.mul:
                seq, times = (a, b) if isinstance(a, tuple | list) else (b, a)
                if isinstance(seq, tuple | list) and _int_like(times):
                    remedy = "make an array, np.full(n, value), or append in a loop"
                    try:
                        return seq * self.static(times, node, "the number of copies of a list", remedy)
                    except Refusal:
                        if isinstance(times, Value) and isinstance(seq, list) and len(seq) == 1 and _number(seq[0]):
                            return self.copies(seq[0], times, node)
                        raise
            if all(isinstance(x, tuple | list) for x in (a, b)) or not any(
                isinstance(x, Value) and isinstance(x.kind, Array) for x in (a, b)
            ):
                if not (isinstance(a, Known) and isinstance(a.value, str)):
                    raise self.refuse(node, f"{describe(a)} {target.__name__} {describe(b)} is not supported",
                                      "make arrays of both, with np.array(...)")  # fmt: skip
            if isinstance(a, list | tuple):
                a = self.emit(np.array, list(a))
            if isinstance(b, list | tuple) and not isinstance(a, Known):
                b = self.emit(np.array, list(b))
        if target in (operator.mod, operator.add, operator.mul) and isinstance(a, Known) and isinstance(a.value, str):
            if target is operator.add and not (isinstance(b, Known) and isinstance(b.value, str)):
                self.check_operands(target, (a, b), node)
            b = self.static(b, node, "what is put into a string", "use an f-string")
            try:
                return Known(target(a.value, b))
            except TypeError as error:
                raise self.refuse(node, f"this raises TypeError: {error}", "use an f-string") from None
        if target is operator.matmul:
            for x, name, other in ((a, "__matmul__", b), (b, "__rmatmul__", a)):
                if isinstance(x, Known) and (f := operation(x.value, name)) is not None:
                    return self.call(Known(f), (x, other), {}, node)
        self.check_operands(target, (a, b), node)
        return self.emit(target, a, b, hint=hint)

    def expr_UnaryOp(self, node: Any) -> Any:
        if isinstance(node.op, gast.Not):
            t = self.condition(node.operand)
            return Known(not t) if isinstance(t, bool) else self.emit(operator.not_, t)
        d = self.expr(node.operand)
        target = UNARY[type(node.op)]
        if (own := self.special_unary(target, d, node)) is not None:
            return own
        self.check_operands(target, (d,), node)
        return self.emit(target, d)

    def special_unary(self, target: Any, d: Any, node: Any) -> Any:
        """What an operator of an object gives, by the method of its class; None for what is no object."""
        return None

    def expr_NamedExpr(self, node: Any) -> Any:
        if node.target.id not in self.frame.locals:
            raise self.refuse(node, "`:=` inside a comprehension is not supported", "write the comprehension as a loop")
        d = self.expr(node.value)
        self.bind(node.target.id, d)
        return d

    def bind(self, name: str, d: Any) -> None:
        """Give a name its new meaning."""
        self.frame.env[name] = d
        if isinstance(d, Value) and not d.hint:
            d.hint = hint(name)

    def expr_Lambda(self, node: Any) -> Any:
        return self.closure(node, "<lambda>")

    def closure(self, node: Any, name: str) -> Closure:
        """A nested function; its defaults are evaluated now."""
        a = node.args
        names = [p.id for p in (*a.posonlyargs, *a.args)]
        defaults = dict(zip(names[len(names) - len(a.defaults) :], map(self.expr, a.defaults), strict=True))
        defaults.update((p.id, self.expr(d)) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None)
        return Closure(node, self.frame, name, defaults)

    def expr_JoinedStr(self, node: Any) -> Any:
        template, parts = self._template(node)
        values = [self.expr(p) for p in parts]
        if all(isinstance(v, Known) and not is_object(v.value) for v in values):
            return Known(template.format(*(v.value for v in values)))
        return self.emit(str.format, Known(template), *values)

    def _template(self, node: Any, parts: list[Any] | None = None) -> tuple[str, list[Any]]:
        parts = [] if parts is None else parts
        text = ""
        for piece in node.values:
            if isinstance(piece, gast.Constant):
                text += str(piece.value).replace("{", "{{").replace("}", "}}")
                continue
            k = len(parts)
            parts.append(piece.value)
            conversion = "" if piece.conversion == -1 else "!" + chr(piece.conversion)
            spec = self._template(piece.format_spec, parts)[0] if piece.format_spec else ""
            text += "{" + str(k) + conversion + (":" + spec if spec else "") + "}"
        return text, parts


_OF_SETS = (operator.or_, operator.and_, operator.sub, operator.xor)


def _number(d: Any) -> bool:
    return (isinstance(d, Known) and type(d.value) in (bool, int, float, complex)) or (
        isinstance(d, Value) and isinstance(d.kind, Num)
    )


def _int_like(d: Any) -> bool:
    return (isinstance(d, Known) and isinstance(d.value, int)) or (
        isinstance(d, Value) and isinstance(d.kind, Num) and d.kind.type is int
    )
