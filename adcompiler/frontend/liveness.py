"""Which names may still be read after a statement: only those keep the memory that they denote from being changed."""

from functools import lru_cache
from typing import Any

import gast

from adcompiler.frontend.desugar import Reading
from adcompiler.frontend.trying import Attempts

_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_FUNCTIONS = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


class Liveness:
    """Live names before, after and at the head of each statement of one function body, by backward data flow.

    Names that a nested function reads are live throughout: it may be called anywhere.
    """

    def __init__(self, body: list[Any]) -> None:
        self.before: dict[int, frozenset[str]] = {}
        self.after: dict[int, frozenset[str]] = {}
        self.always = _of_functions(body)
        self._exits: list[tuple[frozenset[str], frozenset[str]]] = []  # of the loops around: after it, at its head
        self._block(body, self.always)

    def graft(self, statements: list[Any], out: frozenset[str]) -> None:
        """Learn the live names of statements that stand for another, behind which these names are live."""
        self.always |= _of_functions(statements)
        self._block(statements, out | self.always)

    def _block(self, statements: list[Any], out: frozenset[str]) -> frozenset[str]:
        for s in reversed(statements):
            self.after[id(s)] = out
            out = self.before[id(s)] = self._statement(s, out)
        return out

    def _statement(self, s: Any, out: frozenset[str]) -> frozenset[str]:
        if isinstance(s, gast.If):
            return read(s.test) | self._block(s.body, out) | self._block(s.orelse, out)
        if isinstance(s, gast.For | gast.While):
            return self._loop(s, out)
        if isinstance(s, gast.Return | gast.Raise):
            return self.always | read(s)
        if isinstance(s, gast.Break | gast.Continue) and self._exits:
            return self._exits[-1][isinstance(s, gast.Continue)]
        if isinstance(s, Attempts):  # any of them may be the last
            jump = self._block(s.jump, out)
            live = self._block(s.orelse, out) | jump
            for inner in reversed(s.body):
                self.after[id(inner)] = live
                live = self.before[id(inner)] = self._statement(inner, live) | jump
            return live
        if isinstance(s, Reading):
            return self._block(s.body, out)
        if isinstance(s, gast.With):
            return self._block(s.body, out).union(*(read(i) for i in s.items))
        if isinstance(s, gast.Try):
            inner = [s.body, s.orelse, s.finalbody, *(h.body for h in s.handlers)]
            return out.union(*(self._block(b, out) | _all(b) for b in inner))
        return (out - _written(s)) | read(s) | self.always

    def _loop(self, s: Any, out: frozenset[str]) -> frozenset[str]:
        done = self._block(s.orelse, out)
        targets = _written(s.target) if isinstance(s, gast.For) else frozenset()
        test = frozenset() if isinstance(s, gast.For) else read(s.test)
        head = done | test
        while True:
            self._exits.append((out, head))
            body = self._block(s.body, head)
            self._exits.pop()
            grown = head | (body - targets)
            if grown == head:
                break
            head = grown
        return head | (read(s.iter) if isinstance(s, gast.For) else test)


@lru_cache(4096)
def read(node: Any) -> frozenset[str]:
    """Every name read in a node, nested functions and comprehensions included; not what comprehensions bind."""
    if isinstance(node, gast.Name):
        return frozenset() if isinstance(node.ctx, gast.Store) else frozenset({node.id})
    if isinstance(node, _COMPREHENSIONS):
        first, *others = node.generators
        parts = [getattr(node, name) for name in ("elt", "key", "value") if hasattr(node, name)]
        parts += [n for g in node.generators for n in (g.target, *g.ifs)] + [g.iter for g in others]
        bound = {n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name)}
        return read(first.iter) | (frozenset().union(*map(read, parts)) - bound)
    found = frozenset().union(*map(read, gast.iter_child_nodes(node)))
    augmented = isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name)
    return found | {node.target.id} if augmented else found


def parameters_of(f: Any) -> frozenset[str]:
    """The names that are a function's own; their defaults are read where it is defined."""
    if isinstance(f, gast.ClassDef):
        return frozenset()
    a = f.args
    return frozenset(p.id for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None)


def _of_functions(statements: list[Any]) -> frozenset[str]:
    """The names that nested functions read."""
    return frozenset(
        name
        for s in statements
        for f in gast.walk(s)
        if isinstance(f, _FUNCTIONS)
        for name in read(f) - parameters_of(f)
    )


def _all(statements: list[Any]) -> frozenset[str]:
    return frozenset().union(*map(read, statements))


@lru_cache(4096)
def _written(node: Any) -> frozenset[str]:
    """The names that a simple statement surely binds."""
    if isinstance(node, gast.FunctionDef | gast.ClassDef):
        return frozenset({node.name})
    comprehensions = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, *_FUNCTIONS)
    found, stack = set(), [node]
    while stack:
        n = stack.pop()
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store):
            found.add(n.id)
        if isinstance(n, gast.NamedExpr):  # it may stand where it is not always evaluated
            stack.append(n.value)
        elif not isinstance(n, comprehensions):
            stack.extend(gast.iter_child_nodes(n))
    return frozenset(found)
