"""Generators: functions that yield, and generator expressions. A loop that reads one is lowered with its body in place.

Where anything else reads one, a list is made of it first.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import gast

from adcompiler.errors import Refusal
from adcompiler.frontend.calls import Calls, found
from adcompiler.frontend.desugar import desugar, own_name
from adcompiler.frontend.iteration import assigned_names
from adcompiler.frontend.iterators import Generated
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.scope import Frame, Poison
from adcompiler.frontend.splicing import Misplaced, Splice, free_names, function_of, own_names
from rules.python.higher_order import listing

#: How often a generator may be read within itself.
MAX_DEPTH = 16
NUMBERS = itertools.count(1)


class Generators(Calls):
    """Lowers what yields."""

    splices: list[Any]

    def generated(self, node: Any, frame: Frame, name: str, bound: dict[str, Any]) -> Generated:
        """The iterator that a call of a generator function gives."""
        return Generated(tuple(bound.values()), lambda: None, node=node, frame=frame, name=name, bound=bound)

    def expr_GeneratorExp(self, node: Any) -> Any:
        named = next((n for n in gast.walk(node) if isinstance(n, gast.NamedExpr)), None)
        if named is not None:
            raise self.refuse(named, "`:=` inside a generator expression is not supported", "write it as a loop")
        first = self.expr(node.generators[0].iter)
        made = function_of(node, "first 0")
        frame = Frame(self.frame.source, parent=self.frame, locals=own_names(made))
        return self.generated(made, frame, "the generator", {"first 0": first})

    def read_generator(self, node: Any, g: Generated) -> Any:
        """A `for` over what a generator yields."""
        self.check_first_reading(g, node.iter)
        g.read = True
        if sum(f is g.node for f in self.splices) >= MAX_DEPTH:
            raise self.refuse(node.iter, f"{g.name} reads itself {MAX_DEPTH} times over", "write it as a loop")
        number = next(NUMBERS)
        names, bound = self.spliced_names(g, number)
        file = g.frame.source.file
        splice = Splice(g.node, node, number, names, file if file != self.frame.source.file else None)
        try:
            statements = desugar(splice.statements(), 1000 * number)
        except Misplaced as misplaced:
            raise self.refuse(misplaced.node, "a `yield` within an expression is not supported",
                              "make it a statement of its own") from None  # fmt: skip
        return self.grafted(statements, g, bound, names.values(), node)

    def grafted(self, statements: list[Any], g: Any, bound: dict[str, Any], own: Iterable[str], node: Any) -> Any:
        """Run statements with those of a generator in them as part of this function; what are its `own` names goes."""
        frame = self.frame
        frame.locals |= assigned_names(statements)
        frame.env.update(bound)
        frame.body.graft(statements, node)
        self.splices.append(g.node)
        try:
            return self.block(statements)
        finally:
            self.splices.pop()
            for name in set(own) & set(self.frame.env):
                del self.frame.env[name]

    def stmt_Reading(self, node: Any, rest: list[Any]) -> Any:
        return self.block(node.body)

    def spliced_names(self, g: Generated, number: int) -> tuple[dict[str, str], dict[str, Any]]:
        """What the generator's names are called in this frame, and what those mean that have a meaning already."""
        names = {name: own_name(name, number) for name in sorted(own_names(g.node))}
        bound = {names[p]: d for p, d in g.bound.items()}
        for name in sorted(free_names(g.node)):
            if owner(self.frame, name) == owner(g.frame, name):
                continue
            try:
                d = self.scope.lookup(g.frame, name, self.loc(g.node))
            except Refusal as refusal:
                told = refusal.problem
                d = Poison(told.reason, told.remedy, self.loc(g.node)) if told is not None else Poison(reported=True)
            if any(name in frame.body.rebound for frame in chain(g.frame)):
                raise self.refuse(g.node, f"{name} is assigned by a function, and read by the generator {g.name}",
                                  "pass it as an argument")  # fmt: skip
            names[name] = own_name(name, number)
            bound[names[name]] = d
        return names, bound

    def consumed_generator(self, f: Any, args: Any, kwargs: Any, node: Any) -> Any:
        g, *rest = args
        if f not in (any, all):
            made = self.listed_generator(g, node, at_once=True)
            return made if f is list else self.call(Known(f), (made, *rest), kwargs, node)
        value, loop = gast.Name("value 0", gast.Load(), None, None), gast.Name("value 0", gast.Store(), None, None)
        source = gast.Name("source 0", gast.Load(), None, None)
        made = gast.GeneratorExp(value, [gast.comprehension(loop, source, [], 0)])
        name = "found 0" if f is any else "holds 0"
        return self.folded(made, name, Known(f is all), found(name, f is any, value), node, g)

    def listed_generator(self, g: Generated, node: Any, at_once: bool) -> Any:
        """The list of what a generator yields. `at_once`: nothing else happens before it has been read to its end."""
        mark = len(self.builder.region.ops)
        made = self.follow("list", listing, (g,), {}, node)
        if not at_once:
            self.check_in_turn(mark, g.name, node, "read it by a loop, for v in ...")
        return made


def chain(frame: Frame) -> Iterator[Frame]:
    """The frames of the functions around a function."""
    around = frame.parent
    while around is not None:
        yield around
        around = around.parent


def owner(frame: Frame, name: str) -> Any:
    """What a name belongs to that is read in a frame: a frame, a cell, or a module."""
    scope = frame
    while name not in scope.env and name not in scope.locals:
        if scope.parent is None:
            cell = scope.source.cells.get(name)
            return id(scope.source.globals) if cell is None else id(cell)
        scope = scope.parent
    return id(scope)
