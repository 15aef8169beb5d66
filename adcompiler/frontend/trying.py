"""What stands in a `try`, and what may raise there: the statements that `desugar` makes of it."""

import contextlib
import copy
from dataclasses import dataclass
from typing import Any

import gast


@dataclass(frozen=True, eq=False)
class Attempt:
    """A `try`: the flag that says which handler goes on, counted from 1, and the one that says so of those around it.

    `types` are the expressions after `except`, None for all; where there are none, those of the caller are meant.
    """

    raised: str
    error: str
    types: tuple[Any, ...] | None
    needs_error: bool = False
    outer: "Attempt | None" = None
    passed: str = ""


class Attempts(gast.stmt):
    """Simple statements in a `try`, `orelse` what follows where none raises, and the `jump` where one does."""

    _fields = ("body", "orelse", "jump")


class Raised(gast.stmt):
    """Out of the `try`: a flag says to which handler."""

    _fields = ()


_COMPOUND = (gast.If, gast.For, gast.While, gast.With, gast.Try, gast.Match)
_JUMPS = (gast.Break, gast.Continue, gast.Return, Raised)
_SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


def simple(s: Any) -> bool:
    """Is this a statement without others in it, which goes on with the next?"""
    return not isinstance(s, (*_COMPOUND, *_JUMPS, gast.Assert))


def may_raise(node: Any) -> bool:
    """May a statement or an expression raise, by its looks?"""
    raising = (gast.Call, gast.Subscript, gast.Raise, gast.Import, gast.ImportFrom, gast.Attribute, gast.Delete,
               gast.Starred, gast.Assert)  # fmt: skip
    operators = (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow)
    if isinstance(node, _SCOPES):
        inner = (
            [*getattr(node, "decorator_list", []), *node.args.defaults] if not isinstance(node, gast.ClassDef) else []
        )
        return any(map(may_raise, inner))
    if isinstance(node, gast.Tuple | gast.List) and isinstance(node.ctx, gast.Store):
        return True
    if isinstance(node, gast.BinOp | gast.AugAssign) and isinstance(node.op, operators):
        return True
    return isinstance(node, raising) or any(map(may_raise, gast.iter_child_nodes(node)))


def reads_error(handler: Any) -> bool:
    """Does a handler read what it catches, or raise it again?"""
    return handler.name is not None or any(isinstance(n, gast.Raise) and n.exc is None for n in _walk(handler.body))


def _walk(statements: list[Any]) -> Any:
    for s in statements:
        yield s
        if not isinstance(s, _SCOPES):
            yield from _walk(list(gast.iter_child_nodes(s)))


class _Again(gast.NodeTransformer):
    def __init__(self, error: str) -> None:
        self.error = error

    def visit_Raise(self, node: Any) -> Any:
        if node.exc is None:
            node = copy.copy(node)
            node.exc = gast.copy_location(gast.Name(self.error, gast.Load(), None, None), node)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_Try(self, node: Any) -> Any:
        node.body = [self.visit(s) for s in node.body]  # what its handlers raise again is another error
        return node


def raising_again(statements: list[Any], error: str) -> list[Any]:
    """The statements of a handler, where a bare `raise` names what it raises."""
    if not any(isinstance(n, gast.Raise) and n.exc is None for n in _walk(statements)):
        return statements
    return [_Again(error).visit(copy.deepcopy(s)) for s in statements]


def asserted(s: Any) -> Any:
    """`if not test: raise AssertionError(message)`."""
    error = gast.Call(gast.Constant(AssertionError, None), [s.msg] if s.msg else [], [])
    made = gast.If(gast.UnaryOp(gast.Not(), s.test), [gast.Raise(error, None)], [])
    for n in gast.walk(made):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, s)
    return made


def suppresses(s: Any) -> bool:
    """Is this `with suppress(...)`, by its looks?"""
    if not isinstance(s, gast.With) or len(s.items) != 1 or not isinstance(s.items[0].context_expr, gast.Call):
        return False
    f = s.items[0].context_expr.func
    return getattr(f, "id", getattr(f, "attr", "")) == "suppress" and not hasattr(s, "entered")


def suppressed(context: Any, classes: tuple[type[BaseException], ...]) -> tuple[type[BaseException], ...]:
    """What a context with these arguments suppresses."""
    return classes if context is contextlib.suppress else ()


def suppressing(s: Any) -> Any:
    """`with suppress(E): ...` as a `try`."""
    call = s.items[0].context_expr
    inner = copy.copy(s)
    inner.entered = True
    classes = gast.Tuple(list(call.args), gast.Load())
    caught = gast.Call(gast.Constant(suppressed, None), [call.func, classes], [])
    made = gast.Try([inner], [gast.ExceptHandler(caught, None, [gast.Pass()])], [], [])
    for n in gast.walk(made):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, s)
    return made
