"""How a call is written: `operator.mul(a, b)` as `a * b`, `length(x, 0)` as `x.shape[0]`."""

import ast
import builtins
import itertools
import math
import operator
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompiler.ir.callee import CALLS, Pull
from adcompiler.ir.core import Op, Value
from adcompiler.ir.library import of
from rules import arrays
from rules.cotangent import length, listed, size
from rules.kind import Array, Seq
from rules.libraries import home
from rules.libraries import label as label_of
from rules.sequences import among, backwards, largest, smallest

BINARY: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv, operator.mod: ast.Mod, operator.pow: ast.Pow, operator.matmul: ast.MatMult,
    operator.and_: ast.BitAnd, operator.or_: ast.BitOr, operator.xor: ast.BitXor, operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
}  # fmt: skip
COMPARE: dict[Any, type[ast.cmpop]] = {
    operator.lt: ast.Lt, operator.le: ast.LtE, operator.gt: ast.Gt, operator.ge: ast.GtE, operator.eq: ast.Eq,
    operator.ne: ast.NotEq, operator.is_: ast.Is, operator.is_not: ast.IsNot,
}  # fmt: skip
UNARY: dict[Any, type[ast.unaryop]] = {
    operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert, operator.not_: ast.Not,
}  # fmt: skip


def name(text: str) -> ast.expr:
    """A name, a dotted name, or what else an input is read from: `module.table[0]`."""
    if "[" in text:
        return ast.parse(text, mode="eval").body
    first, *rest = text.split(".")
    out: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        out = ast.Attribute(out, part, ast.Load())
    return out


def store(text: str) -> ast.Name:
    """A name that is assigned to."""
    return ast.Name(text, ast.Store())


def numbered(text: str) -> Iterator[str]:
    """Names to choose from: `h`, `h_2`, `h_3`, ..."""
    yield text
    for n in itertools.count(2):
        yield f"{text}_{n}"


class Speller:
    """Writes calls; collects the objects that the names in them stand for."""

    def __init__(
        self, reserved: dict[str, Any], functions: dict[Any, str] | None = None, free: dict[str, Any] | None = None
    ) -> None:
        self.free = dict(free or {})
        self.reserved = reserved
        #: The names of functions of the IR.
        self.functions = functions or {}
        #: What variables want to be called: a rule gives way to them.
        self.variables: set[str] = set()
        #: What variables are called, once that is settled.
        self.assigned: set[str] = set()

    def free_name(self, wanted: str, obj: Any) -> str:
        """A name bound to `obj` around the generated function."""
        wanted = wanted if wanted.isidentifier() else "_function"
        for taken in numbered(wanted):
            unused = taken not in self.free and taken not in self.assigned
            if (unused or self.free.get(taken) is obj) and self.reserved.get(taken, obj) is obj:
                break
        self.free[taken] = obj
        return taken

    def builtin(self, target: Any) -> ast.expr:
        """A builtin by its name, unless the user means something else by it."""
        text = target.__name__
        return name(self.free_name(text, target) if text in self.reserved else text)

    def callee(self, target: Any) -> ast.expr:
        """The expression for a function."""
        if isinstance(target, CALLS):
            return name(self.functions[target])
        label = getattr(target, "__name__", "")
        if label and getattr(builtins, label, None) is target:
            return self.builtin(target)
        if label and getattr(math, label, None) is target:
            return name(f"{self.free_name('math', math)}.{label}")
        path = _numpy_path(target)
        if path:
            return name(f"{self.free_name('np', np)}.{path}")
        if hasattr(target, "__adc_name__"):
            return self.pullback(target)
        if (written := arrays.spelled(target)) is not None:
            alias, module, path = written
            return name(f"{self.free_name(alias, module)}.{path}")
        module = home(target)
        if module.startswith("scipy.") and label_of(target):
            return name(f"{self.free_name(module.rpartition('.')[2], sys.modules[module])}.{label_of(target)}")
        if (
            isinstance(target, types.FunctionType)
            and hasattr(target, "__wrapped__")
            and target.__module__.startswith(("rules", "adcompiler"))
        ):
            return name(self.free_name(target.__name__, target.__wrapped__))
        label = label or type(target).__name__
        if isinstance(target, types.BuiltinMethodType):  # of a list outside: LOG_append
            label = next((n for n, obj in self.reserved.items() if obj is target), label)
        return name(self.free_name(label, target))

    def pullback(self, target: Any) -> ast.expr:
        """A rule's pullback, or what else of it, called by name: `multiply.d_x`."""
        part = getattr(target, "pullback", target)
        rule, _, member = part.__adc_name__.partition(".")
        function = part.derivative.function
        for text in numbered(rule):
            holder = self.free.get(text)
            if text in self.variables:
                continue
            if text not in self.free and text not in self.reserved:
                holder = self.free[text] = types.SimpleNamespace()
            if isinstance(holder, types.SimpleNamespace) and _of_one_class(holder, member, function):
                setattr(holder, member, function)
                return name(f"{text}.{member}")
        raise AssertionError("there are names enough")

    def call(self, op: Op, expr: Callable[[Any], ast.expr], index: Callable[[Any], ast.expr]) -> ast.expr:
        """The expression for a plain operation; `expr` writes its operands, `index` subscripts."""
        t, args = op.target, op.args
        if isinstance(t, Pull):
            return ast.Call(expr(args[0]), [expr(d) for d in args[2]], [])
        if t in BINARY and len(args) == 2:
            return ast.BinOp(expr(args[0]), BINARY[t](), expr(args[1]))
        if t in COMPARE:
            return ast.Compare(expr(args[0]), [COMPARE[t]()], [expr(args[1])])
        if t in UNARY:
            return ast.UnaryOp(UNARY[t](), expr(args[0]))
        if t is operator.getitem:
            return ast.Subscript(expr(args[0]), index(args[1]), ast.Load())
        if t is length:
            axis = args[1] if len(args) > 1 else op.kwargs.get("axis", 0)
            if isinstance(args[0], Value) and isinstance(args[0].kind, Seq):
                return ast.Call(self.builtin(len), [expr(args[0])], [])
            return ast.Subscript(ast.Attribute(expr(args[0]), "shape", ast.Load()), ast.Constant(axis), ast.Load())
        if t is size and not isinstance(getattr(args[0], "kind", None), Array):
            return ast.Constant(1)
        if t is size:
            return ast.Attribute(expr(args[0]), "size", ast.Load())
        if t is listed:
            return expr(args[0]) if isinstance(args[0], list) else ast.Call(self.builtin(list), [expr(args[0])], [])
        if t in (largest, smallest):
            return ast.Call(self.builtin(max if t is largest else min), [expr(args[0])], [])
        if t is among:
            return ast.Compare(expr(args[0]), [ast.In()], [expr(args[1])])
        if t is backwards:
            step = ast.Slice(None, None, ast.Constant(-1))
            return ast.Subscript(expr(args[0]), step, ast.Load())
        if t is np.transpose and len(args) == 1 and not op.kwargs and isinstance(args[0], Value):
            return ast.Attribute(expr(args[0]), "T", ast.Load())
        if t is np.copy and isinstance(args[0], Value):
            return ast.Call(ast.Attribute(expr(args[0]), "copy", ast.Load()), [], [])
        if t is str.format:
            return ast.Call(ast.Attribute(expr(args[0]), "format", ast.Load()), [expr(a) for a in args[1:]], [])
        args, named = _by_position(t, args, op.kwargs)
        keywords = [ast.keyword(k, expr(v)) for k, v in named.items()]
        if isinstance(t, types.MethodDescriptorType) and t.__objclass__ is np.ndarray:
            return ast.Call(ast.Attribute(expr(args[0]), t.__name__, ast.Load()), [expr(a) for a in args[1:]], keywords)
        call: ast.expr = ast.Call(
            self.callee(of(t, (op.args, op.kwargs, op.results))), [expr(a) for a in args], keywords
        )
        for i in () if isinstance(t, type) else getattr(t, "path", ()):
            call = ast.Subscript(call, ast.Constant(i), ast.Load())
        return call

    def constant(self, x: Any) -> ast.expr:
        """A Python constant as an expression."""
        if x is None or x is Ellipsis or type(x) in (bool, str, bytes):
            return ast.Constant(x)
        if type(x) in (int, float, complex):
            if x != x or x in (math.inf, -math.inf):
                text = "nan" if x != x else "inf"
                value: ast.expr = name(f"{self.free_name('np', np)}.{text}")
                return ast.UnaryOp(ast.USub(), value) if x == -math.inf else value
            return self.multiple_of_pi(x) or ast.Constant(x)
        if isinstance(x, np.dtype):
            return name(f"{self.free_name('np', np)}.{x.name if x != np.bool_ else 'bool_'}")
        if isinstance(x, np.generic):
            return ast.Call(self.callee(type(x)), [self.constant(x.item())], [])
        if callable(x) and (hasattr(x, "__name__") or label_of(x)):
            return self.callee(x)
        wanted = next((n for n, obj in self.reserved.items() if obj is x), "_constant")
        return name(self.free_name(wanted, x))

    def key(self, x: Any) -> ast.expr:
        """A key of a dict, as what is equal to it and has its hash; what is under a NaN is found by its identity."""
        if type(x) is tuple:
            return ast.Tuple([self.key(y) for y in x], ast.Load())
        return name(self.free_name("_key", x)) if x != x or isinstance(x, np.dtype) else self.constant(x)

    def multiple_of_pi(self, x: Any) -> ast.expr | None:
        """`2 * np.pi` for the number that it is."""
        if type(x) is not float:
            return None
        for k in (1, 2, 3, 4, -1, -2):
            if x == k * math.pi:
                pi = name(f"{self.free_name('np', np)}.pi")
                if abs(k) == 1:
                    return pi if k > 0 else ast.UnaryOp(ast.USub(), pi)
                factor = ast.Constant(abs(k))
                return ast.BinOp(factor if k > 0 else ast.UnaryOp(ast.USub(), factor), ast.Mult(), pi)
        return None


def _of_one_class(holder: types.SimpleNamespace, member: str, function: Any) -> bool:
    """Are the functions that a name holds those of the rule that this one is of?"""
    if vars(holder).get(member, function) is not function:
        return False
    return all(_owner(f) == _owner(function) for f in vars(holder).values())


def _owner(function: Any) -> tuple[str, str]:
    return function.__module__, function.__qualname__.rpartition(".")[0]


#: What nobody writes as a keyword.
_POSITIONAL = {np.arange: ("stop", "step"), np.linspace: ("num",), np.eye: ("M",)}


def _by_position(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, with those by position that are commonly written so."""
    names = _POSITIONAL.get(target, ())
    rest = dict(kwargs)
    for k in names:
        if k not in rest:
            break
        args = (*args, rest.pop(k))
    return args, rest


def _numpy_path(target: Any) -> str:
    label = getattr(target, "__name__", "")
    label = {"absolute": "abs", "conjugate": "conj"}.get(label, label)
    if getattr(np, label, None) is target:
        return label
    for module in ("linalg", "fft"):
        if getattr(getattr(np, module), label, None) is target:
            return f"{module}.{label}"
    return ""
