"""Keeps the documents true that show what the compiler makes of the programs in them.

The comment `<!-- ir FUNCTION "SIGNATURE" STAGE OPTIONS -->` stands before a block that shows a function of the last
Python program before it, after that stage. Unless `--argnums` says otherwise, the gradient is with respect to the first
argument; `--no-inline` and `--workspaces` are as for `adc show-ir`, `--plain` is as for `adc compile`.
"""

import argparse
import difflib
import linecache
import re
import shlex
from pathlib import Path
from typing import Any

from adcompiler.api import MAX_WORKSPACES
from adcompiler.compile import build
from adcompiler.request import Request, from_text
from rules.kind import Lengths

_DOCS = Path(__file__).parents[2] / "docs"
PATH = _DOCS / "ir.md"
PATHS = (PATH, _DOCS / "performance.md")

_PROGRAM = r"```python\n(?!>>>)(?P<program>.*?)```"
_SHOWN = r"<!-- ir (?P<asked>[^>]*) -->\n```(?P<language>\w*)\n(?P<text>.*?)```"
_BLOCK = re.compile(f"{_SHOWN}|{_PROGRAM}", re.DOTALL)

_asked = argparse.ArgumentParser(add_help=False)
for _argument in ("function", "signature", "stage"):
    _asked.add_argument(_argument)
_asked.add_argument("--argnums", type=lambda text: tuple(text.split(",")), default=0)
for _option in ("--no-inline", "--plain", "--workspaces"):
    _asked.add_argument(_option, action="store_true")


def regenerated(text: str, path: Path = PATH) -> str:
    """The document with each text of the IR as the compiler makes it now."""
    program: dict[str, Any] = {}

    def renewed(block: re.Match[str]) -> str:
        if block["program"] is not None:
            program.clear()
            program.update(_names(block["program"], f"{path.name}:{block.start()}/program.py"))
            return block[0]
        shown = _shown(program, _asked.parse_args(shlex.split(block["asked"])))
        return f"<!-- ir {block['asked']} -->\n```{block['language']}\n{shown}```"

    return _BLOCK.sub(renewed, text)


def _shown(program: dict[str, Any], asked: argparse.Namespace) -> str:
    request = Request(
        program[asked.function], asked.argnums, inline=not asked.no_inline, reuse=not asked.plain,
        max_workspaces=MAX_WORKSPACES if asked.workspaces else 0,
    )  # fmt: skip
    return build(request, from_text(request, asked.signature), Lengths()).text_of(asked.stage)


def _names(source: str, file: str) -> dict[str, Any]:
    """What a program defines; its lines are counted from the first one of its block."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, file, "exec"), names)
    return names


def differences() -> str:
    """The documents as they are against what they should be, as a unified diff; empty if the same."""
    out: list[str] = []
    for path in PATHS:
        text = path.read_text(encoding="utf-8")
        wanted, name = regenerated(text, path), f"docs/{path.name}"
        out += difflib.unified_diff(
            text.splitlines(), wanted.splitlines(), name, f"{name}, as generated now", lineterm=""
        )
    return "\n".join(out)


def refresh() -> list[str]:
    """Write the documents anew; gives the names of those that changed."""
    changed = []
    for path in PATHS:
        text = path.read_text(encoding="utf-8")
        wanted = regenerated(text, path)
        if wanted != text:
            path.write_text(wanted, encoding="utf-8")
            changed.append(path.name)
    return changed
