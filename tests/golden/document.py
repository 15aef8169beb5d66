"""Keeps docs/ir.md true: the texts of the IR in it are what the compiler makes of the programs above them.

The comment `<!-- ir FUNCTION "SIGNATURE" STAGE -->` stands before a block that shows a function of the last
Python program before it, after that stage. The gradient is with respect to the first argument.
"""

import difflib
import linecache
import re
import shlex
from pathlib import Path
from typing import Any

from adcompiler import differentiable

PATH = Path(__file__).parents[2] / "docs" / "ir.md"

_PROGRAM = r"```python\n(?P<program>.*?)```"
_SHOWN = r"<!-- ir (?P<asked>[^>]*) -->\n```(?P<language>\w*)\n(?P<text>.*?)```"
_BLOCK = re.compile(f"{_SHOWN}|{_PROGRAM}", re.DOTALL)


def regenerated(text: str) -> str:
    """The document with each text of the IR as the compiler makes it now."""
    program: dict[str, Any] = {}

    def renewed(block: re.Match[str]) -> str:
        if block["program"] is not None:
            program.clear()
            program.update(_names(block["program"], block.start()))
            return block[0]
        name, signature, stage = shlex.split(block["asked"])
        shown = differentiable(program[name]).ir(stage, signature=signature)
        return f"<!-- ir {block['asked']} -->\n```{block['language']}\n{shown}```"

    return _BLOCK.sub(renewed, text)


def _names(source: str, place: int) -> dict[str, Any]:
    """What a program defines; its lines are counted from the first one of its block."""
    file = f"{PATH.name}:{place}/program.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, file, "exec"), names)
    return names


def differences() -> str:
    """The document as it is against what it should be, as a unified diff; empty if the same."""
    text = PATH.read_text(encoding="utf-8")
    wanted = regenerated(text)
    return "\n".join(
        difflib.unified_diff(
            text.splitlines(), wanted.splitlines(), "docs/ir.md", "docs/ir.md, as generated now", lineterm=""
        )
    )


def refresh() -> bool:
    """Write the document anew; says whether it changed."""
    text = PATH.read_text(encoding="utf-8")
    wanted = regenerated(text)
    if wanted != text:
        PATH.write_text(wanted, encoding="utf-8")
    return wanted != text
