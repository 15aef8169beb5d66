"""What a gradient is, in words: the program and its adjoint, what is kept, what does not matter, where it ends.

x  f64[n]  differentiated
n  int     an int has no gradient
line 4     np.floor(x): constant between its steps
"""

import inspect
import linecache
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adcompiler.compile import Build
from adcompiler.errors import GradientError
from adcompiler.frontend.kinds import Known
from adcompiler.ir.core import If, ListOf, Loc, Op, Value, While
from adcompiler.ir.printer import target_name
from adcompiler.ir.structure import parts, written
from adcompiler.passes.reach import Reach, reach
from adcompiler.passes.stop import stop_gradient
from adcompiler.tape import TapeReport, tape_report
from rules.kind import is_differentiable, said
from rules.rule import find

#: The operators that compare: their results have no derivative.
_COMPARISONS = frozenset("gt lt ge le eq ne greater less greater_equal less_equal equal not_equal".split())


@dataclass(frozen=True)
class Argument:
    """A leaf of an argument: where it stands, its kind, and what becomes of it, in words.

    `matters` is false where its gradient is zero, or it has none.
    """

    name: str
    kind: str
    matters: bool
    why: str


@dataclass(frozen=True)
class End:
    """A place where a derivative ends: the line, and why."""

    file: str
    line: int
    why: str

    @property
    def source(self) -> str:
        """The line of the program."""
        return linecache.getline(self.file, self.line).strip()


@dataclass(frozen=True)
class Explanation:
    """What `explain` finds. As text, it is a page with a section for each.

    `kept` is None where it cannot be told what is kept; `check` is what finite differences say.
    """

    function: str
    adjoint: str
    kept: TapeReport | None
    check: str
    arguments: list[Argument] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)

    def __str__(self) -> str:
        ends = [(f"{Path(e.file).name}:{e.line}", e.source, e.why) for e in self.ends]
        rows = [(a.name, a.kind, a.why) for a in self.arguments]
        sections = {
            "The function": self.function,
            "Its gradient": self.adjoint,
            "What is kept for the backward sweep": "not told" if self.kept is None else str(self.kept),
            "What becomes of the arguments": _columns(rows),
            "Where derivatives end": _columns(ends) or "nowhere",
            "Finite differences": self.check,
        }
        return "\n\n".join(f"{title}\n\n{textwrap.indent(text.strip(), '    ')}" for title, text in sections.items())


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def explanation(made: Build, args: tuple[Any, ...], kwargs: dict[str, Any], check: str) -> Explanation:
    """What there is to say of a gradient at these arguments, `check` being what finite differences say."""
    f = made.stages["lower"]
    leaves = list(_leaves(made.lowered.arguments))
    found = {v: reach(f, v) for _, v in leaves if isinstance(v, Value) and is_differentiable(v.kind)}
    asked = set(made.wrt)
    arguments = [_argument(name, v, found.get(v) if isinstance(v, Value) else None, v in asked) for name, v in leaves]
    ends = {(e.file, e.line, e.why): e for v in made.wrt if v in found for op in found[v].ends for e in _end(op)}
    try:
        kept = tape_report(made, args, kwargs)
    except GradientError:
        kept = None
    ordered = sorted(ends.values(), key=lambda e: (e.file, e.line))
    return Explanation(_written(made), made.text, kept, check, arguments, ordered)


def _written(made: Build) -> str:
    """The text of the function."""
    source = made.request.source
    try:
        return textwrap.dedent(inspect.getsource(source.function))
    except (OSError, TypeError):
        return made.text_of("parsed")


def _leaves(trees: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The leaves of arguments, with the text that denotes them."""
    for name, tree in trees.items():
        yield from _parts(name, tree)


def _parts(name: str, tree: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, tuple | list | dict):
        for step, x in parts(tree):
            yield from _parts(written((name, step)), x)
    elif isinstance(tree, ListOf):
        yield from _parts(f"{name}[...]", tree.element)
    elif isinstance(tree, Value | Known):  # of an object, some are met again or cannot be read
        yield name, tree


def _argument(name: str, v: Any, found: Reach | None, asked: bool) -> Argument:
    if isinstance(v, Known):
        return Argument(name, said(v.value), False, "a constant of the compiled code")
    if found is None:
        return Argument(name, str(v.kind), False, "has no gradient: only floats and complex numbers do")
    if found.derivative:
        return Argument(name, str(v.kind), True, "differentiated" if asked else "matters, and is not in argnums")
    if found.shape:
        why = "its shape alone is read"
    elif not found.result:
        why = "nothing that is returned depends on it"
    else:
        lines = ", ".join(dict.fromkeys(f"{e.line}" for op in found.ends for e in _end(op)))
        why = "its derivative is zero" + (f": it ends in line {lines}" if lines else "")
    return Argument(name, str(v.kind), False, why)


def _end(op: Op) -> Iterator[End]:
    """Where a derivative ends, if the place is known."""
    loc: Loc | None = op.loc
    if loc is not None:
        yield End(loc.file, loc.line, _why(op))


def _why(op: Op) -> str:
    """Why a derivative ends at an operation."""
    if isinstance(op, If):
        return "decides which path is taken"
    if isinstance(op, While):
        return "decides how often the loop runs"
    name = target_name(op.target)
    if op.target is stop_gradient:
        return "stop_gradient ends it"
    if getattr(op.target, "__name__", "") in _COMPARISONS:
        return "a comparison decides, and has no derivative"
    if op.target is int:
        return "int(...) cuts what is behind the point: constant between its steps"
    if op.target is print or op.target is str.format:
        return "is printed"
    rule = find(op.target)
    if rule is None:
        return f"{name} cannot be seen into"
    if rule.why:
        return f"{name} has no derivative: {rule.why}"
    return f"{name} is constant but for jumps"
