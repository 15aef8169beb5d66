"""Diagnostics: what was written, why it cannot be done, what to write instead, with the source line and a caret."""

import linecache
import re
from dataclasses import dataclass, field

from adcompiler.ir.core import Loc


@dataclass(frozen=True)
class Problem:
    """One thing that cannot be done: where, the line itself, one sentence of reason, one of remedy."""

    file: str
    line: int
    col: int
    source_line: str
    reason: str
    remedy: str = ""
    origin: object = field(default=None, compare=False)

    def __str__(self) -> str:
        out = []
        if self.file:
            out.append(f'  File "{self.file}", line {self.line}')
            if self.source_line.strip():
                text = self.source_line.rstrip("\n")
                indent = len(text) - len(text.lstrip())
                out += ["    " + text.strip(), "    " + " " * max(0, self.col - indent) + "^"]
        out.append(f"  {self.reason}" + ("" if self.reason.endswith((".", "!", "?")) else "."))
        if self.remedy:
            out.append(f"  Instead: {self.remedy}" + ("" if self.remedy.endswith((".", "!", "?")) else "."))
        return "\n".join(out)


#: What to do where nothing better is known.
ELSEWHERE = "write it with what is supported (docs/limitations.md), or do it outside the function"


def distinct(problems: list[Problem]) -> list[Problem]:
    """Each problem once, in the order of lines within a file; one name's conflict at its first use alone."""
    seen: set[object] = set()
    out = []
    for p in problems:
        key = (p.origin, p.reason) if p.origin is not None else p
        if key not in seen:
            seen.add(key)
            out.append(p)
    files = list(dict.fromkeys(p.file for p in out))
    return sorted(out, key=lambda p: (files.index(p.file), p.line, p.col))


#: What stands between the name and the number of a function's own variables that are put beside those of another.
OWN = "\u02d1"


def plain(text: str) -> str:
    """A text with the names in it as the user has written them."""
    return re.sub(rf"{OWN}\d+", "", text) if OWN in text else text


def problem_at(loc: Loc | None, reason: str, remedy: str = "") -> Problem:
    """A problem at a place of the user's source."""
    if loc is None:
        return Problem("", 0, 0, "", reason, remedy)
    line = linecache.getline(loc.file, loc.line)
    return Problem(loc.file, loc.line, loc.col, line, plain(reason), plain(remedy))


class DifferentiationError(Exception):
    """The base of what is raised when a gradient cannot be had. `problems` lists all that was found."""

    def __init__(self, problems: list[Problem] | Problem | str) -> None:
        if isinstance(problems, str):
            problems = Problem("", 0, 0, "", problems)
        self.problems = problems if isinstance(problems, list) else [problems]
        super().__init__(
            "\n".join(["", *map(str, self.problems)]) if self.problems[0].file else str(self.problems[0]).strip()
        )


class UnsupportedError(DifferentiationError):
    """Compile time: the program uses something that has no derivative here, or cannot be seen into."""


class GradientError(DifferentiationError, TypeError):
    """Run time: the call asks for a gradient that does not exist (a non-scalar output, an integer argument)."""


class Refusal(Exception):
    """One problem found while lowering; becomes an UnsupportedError together with all the others."""

    def __init__(self, problem: Problem | None) -> None:
        super().__init__(str(problem))
        self.problem = problem
