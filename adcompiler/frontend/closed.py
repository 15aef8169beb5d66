"""Ahead of time there is nothing outside a function that could be read later: what it captures becomes constants."""

import linecache
from dataclasses import replace

import numpy as np

from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.frontend.lower import Lowered
from adcompiler.frontend.scope import Access, Captured
from adcompiler.frontend.source import Source
from adcompiler.ir.core import Loc
from rules.kind import said

REMEDY = "pass it as an argument"


def closed(lowered: Lowered) -> Lowered:
    """The function with each number and tuple that it captures under a name that is bound to the value of today.

    Raises UnsupportedError for anything else that is captured, and for defaults that are no literals.
    """
    problems = [
        problem_at(c.loc, f"{_called(c.name)} is {_noun(c.value)}, which a module cannot hold as a constant", REMEDY)
        for c in lowered.captured
        if not is_constant(c.value)
    ]
    source = lowered.source
    problems += [
        problem_at(Loc(source.file, source.line, source.node.col_offset),
                   f"the default of {name} is {_noun(value)}, and not a literal",
                   "make it a number, a string, None or a tuple of these, or leave it out")
        for name, value in source.defaults.items()
        if not is_literal(value)
    ]  # fmt: skip
    if problems:
        raise UnsupportedError(problems)
    taken, captured = set(lowered.arguments), []
    for c in lowered.captured:
        captured.append(_bound(c, taken))
        taken.add(captured[-1].access.text)
    return replace(lowered, captured=captured, free_names={})


def _bound(c: Captured, taken: set[str]) -> Captured:
    base = name = c.name if c.name.isidentifier() else "constant"
    n = 2
    while name in taken:
        name, n = f"{base}_{n}", n + 1
    return replace(c, access=Access(name, ((name, c.value),)))


def is_literal(value: object) -> bool:
    """Can this be written as a literal, or as a tuple of literals?"""
    if type(value) is tuple:
        return all(map(is_literal, value))
    return value is None or type(value) in (bool, int, float, complex, str, bytes)


def is_constant(value: object) -> bool:
    """A literal, or a NumPy number that a literal gives."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return is_literal(value.item() if isinstance(value, np.generic) else value)


def source_text(source: Source) -> str:
    """The lines of a function, as they are in its file; its name where it has no file."""
    lines = linecache.getlines(source.file)
    return "".join(lines[source.line - 1 : source.node.end_lineno]) or source.name


def _called(name: str) -> str:
    return "a default of what it calls, or an argument of a partial," if name.startswith("_value") else name


def _noun(value: object) -> str:
    if isinstance(value, np.ndarray):
        return "an array"
    if isinstance(value, list | dict | tuple):
        return f"a {type(value).__name__}" + ("" if type(value) is not tuple else " of other things than numbers")
    return said(value)
