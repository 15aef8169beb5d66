"""Generators that a loop reads: their body becomes the loop, with the loop's own body where they yield.

    def pieces(x):                                  for u in x:
        for u in x:                                     if u > 0:
            if u > 0:                 ->                    v = u * u
                yield u * u                                 s = s + v
    for v in pieces(x): s = s + v

What runs when is what Python runs when, so a loop that breaks ends the generator there. Names of the generator get a
number of their own. A generator that ends early, or whose reader does, is a loop of one iteration, which is left.
"""

import copy
from dataclasses import dataclass
from itertools import count
from typing import Any

import gast

from adcompiler.frontend.desugar import Reading, exit_flag, own_name, without_match
from adcompiler.frontend.iteration import assigned_names

SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)


class Misplaced(Exception):
    """A `yield` that is part of an expression."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.node = node


def yields(statements: list[Any]) -> bool:
    """Does one of these statements, rather than a function in them, yield?"""
    return any(isinstance(n, gast.Yield | gast.YieldFrom) for s in statements for n in own_nodes(s))


def own_nodes(node: Any) -> Any:
    """The nodes of a tree, those of nested functions left out."""
    yield node
    if not isinstance(node, SCOPES):
        for child in gast.iter_child_nodes(node):
            yield from own_nodes(child)


def parameters(node: Any) -> list[str]:
    a = node.args
    return [p.id for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None]


def own_names(node: Any) -> frozenset[str]:
    """The names that are a function's own."""
    body = node.body if isinstance(node.body, list) else []
    return frozenset(parameters(node)) | assigned_names(body)


def free_names(node: Any) -> frozenset[str]:
    """The names that a function reads and does not have itself."""
    body = node.body if isinstance(node.body, list) else [node.body]
    found: set[str] = set()

    def visit(n: Any, own: frozenset[str]) -> None:
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load | gast.Store) and n.id not in own:
            found.add(n.id)
        inner = own | own_names(n) if isinstance(n, gast.FunctionDef | gast.Lambda) else own
        for child in gast.iter_child_nodes(n):
            visit(child, inner)

    for s in body:
        visit(s, own_names(node))
    return frozenset(found)


class Renamed(gast.NodeTransformer):
    """Gives names another spelling, except where an inner function has them as its own."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: Any) -> Any:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [None if d is None else self.visit(d) for d in node.args.kw_defaults]
        own = own_names(node)
        inner = Renamed({old: new for old, new in self.names.items() if old not in own})
        node.body = [inner.visit(s) for s in node.body] if isinstance(node.body, list) else inner.visit(node.body)
        if not isinstance(node, gast.Lambda):
            node.name = self.names.get(node.name, node.name)
        return node

    def visit_Lambda(self, node: Any) -> Any:
        node.decorator_list = []
        return self.visit_FunctionDef(node)


@dataclass
class Splice:
    """A generator's function and the loop that reads it; `names` are what its names are called there."""

    function: Any
    loop: Any
    number: int
    names: dict[str, str]
    file: str | None = None
    #: Has the body of the loop been used? Is `left` set? Is there a loop around all?
    read: bool = False
    left: bool = False
    wrapped: bool = False

    def statements(self) -> list[Any]:
        """The loop, as statements that are to be desugared. Raises Misplaced."""
        body = copy.deepcopy(without_match(self.function.body, count(1000 * self.number)))
        renamed = Renamed(self.names)
        for n in (n for s in body for n in gast.walk(s)):
            if self.file is not None:
                n.file = self.file
        made = self.block([renamed.visit(s) for s in body], "top", True)
        if self.wrapped:
            once = self.named("once", gast.Store())
            made = [gast.For(once, gast.Tuple([_constant(None)], gast.Load()), made, [], None)]
        if self.left:
            made.insert(0, gast.Assign([self.named("left", gast.Store())], _constant(False), None))
        return self.placed(made)

    def placed(self, statements: list[Any]) -> list[Any]:
        for s in statements:
            for n in gast.walk(s):
                if not hasattr(n, "lineno"):
                    gast.copy_location(n, self.loop)
        return statements

    def named(self, text: str, context: Any) -> Any:
        return gast.Name(own_name(text, self.number), context, None, None)

    def block(self, statements: list[Any], place: str, last: bool) -> list[Any]:
        """Statements of the generator at a `place`: `top`, in its `last` loop, or an `inner` one.

        `last` says that nothing follows them at the top.
        """
        out: list[Any] = []
        for i, s in enumerate(statements):
            out += self.statement(s, place, last and i == len(statements) - 1)
        return out

    def statement(self, s: Any, place: str, last: bool) -> list[Any]:
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Yield):
            return self.reading(s.value.value or _constant(None), place, last)
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Yield):
            out = self.reading(s.value.value or _constant(None), place, False)
            return [*out, gast.Assign(s.targets, _constant(None), None)]
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.YieldFrom):
            each = gast.Expr(gast.Yield(self.named("item", gast.Load())))
            loop = gast.For(self.named("item", gast.Store()), s.value.value, [each], [], None)
            return self.statement(gast.copy_location(loop, s), place, last)
        if isinstance(s, gast.Return):
            return [*([gast.Expr(s.value)] if s.value is not None else []), *self.leave(place, last)]
        if isinstance(s, SCOPES) or not any(
            isinstance(n, gast.Yield | gast.YieldFrom | gast.Return) for n in own_nodes(s)
        ):
            return [s]
        made = copy.copy(s)
        if isinstance(s, gast.For | gast.While):
            before, self.left = self.left, False
            made.body = self.block(s.body, "last" if last and place == "top" else "inner", False)
            made.orelse = self.block(s.orelse, place, last)
            here, self.left = self.left, self.left or before
            leave = self.leave(place, last) if here else []
            return [made, gast.If(self.named("left", gast.Load()), leave, [])] if leave else [made]
        if isinstance(s, gast.If | gast.With | gast.Try):
            plain = last and isinstance(s, gast.If)
            for name in ("body", "orelse", "finalbody"):
                if getattr(s, name, None):
                    setattr(made, name, self.block(getattr(s, name), place, plain) or [gast.Pass()])
            if isinstance(s, gast.Try):
                made.handlers = list(map(copy.copy, s.handlers))
                for h in made.handlers:
                    h.body = self.block(h.body, place, False)
            return [made]
        where = next(n for n in own_nodes(s) if isinstance(n, gast.Yield | gast.YieldFrom))
        raise Misplaced(where)

    def reading(self, value: Any, place: str, last: bool) -> list[Any]:
        """`target = value`, and the body of the loop that reads the generator."""
        flag = exit_flag(self.loop)
        body = self.loop.body if flag is None else self.loop.body[:-1]
        target, body = copy.deepcopy(self.loop.target), copy.deepcopy(body) if self.read else body
        self.read = True
        out = [gast.Assign([target], value, None), gast.copy_location(Reading(body=body), self.loop)]
        leave = self.leave(place, last) if flag is not None else []
        return [*out, gast.If(gast.Name(flag, gast.Load(), None, None), leave, [])] if leave else out

    def leave(self, place: str, last: bool) -> list[Any]:
        """The end of the generator, from here."""
        if place == "last":
            return [gast.Break()]
        if place == "top":
            self.wrapped |= not last
            return [] if last else [gast.Break()]
        self.left = True
        return [gast.Assign([self.named("left", gast.Store())], _constant(True), None), gast.Break()]


def _constant(value: Any) -> Any:
    return gast.Constant(value, None)


def function_of(made: Any, first: str) -> Any:
    """The generator function that a generator expression is a call of, with what its first loop reads."""
    statements: list[Any] = [gast.Expr(gast.Yield(made.elt))]
    for g in reversed(made.generators):
        iterable = gast.Name(first, gast.Load(), None, None) if g is made.generators[0] else g.iter
        for test in reversed(g.ifs):
            statements = [gast.If(test, statements, [])]
        statements = [gast.For(g.target, iterable, statements, [], None)]
    parameter = gast.Name(first, gast.Param(), None, None)
    arguments = gast.arguments([parameter], [], None, [], [], None, [])
    node = gast.FunctionDef("<genexpr>", arguments, statements, [], None, None)
    for n in gast.walk(node):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, made)
    return node
