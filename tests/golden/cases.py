"""What a golden case is, and what the compiler makes of it."""

import difflib
import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from adcompiler.api import MAX_WORKSPACES
from adcompiler.backend.load import load
from adcompiler.compile import STAGES, Build, build
from adcompiler.request import Request, from_text
from rules.kind import Lengths
from rules.workspace import Pool

FOLDER = Path(__file__).parent
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/case.py"))
REFRESH = "run `make golden` (python -m tests.golden refresh) and review the diff"

#: Stages of the IR: what comes before them is the user's source, and after them the adjoint.
IR_STAGES = [stage for stage in STAGES if stage not in ("parsed", "source")]


@dataclass(frozen=True)
class Case:
    """What is asked of a function in `source.py`; `example` makes arguments that fit the signature."""

    function: str
    argnums: str | tuple[str, ...]
    signature: str
    mode: str = "grad"
    inline: bool = True
    example: Callable[[np.random.Generator], tuple[Any, ...]] | None = None

    def arguments(self, seed: int = 0) -> tuple[Any, ...]:
        """Arguments for the function, the same at each call; of the same shapes for each seed."""
        assert self.example is not None
        return self.example(np.random.default_rng(seed))


@functools.cache
def module(name: str, file: str) -> ModuleType:
    """A file of a case, imported."""
    spec = importlib.util.spec_from_file_location(f"golden_{name}_{file}", FOLDER / name / f"{file}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def case(name: str) -> Case:
    """What the case asks for."""
    asked: Case = module(name, "case").CASE
    return asked


def function(name: str) -> FunctionType:
    """The user's function."""
    f: FunctionType = getattr(module(name, "source"), case(name).function)
    return f


def compiled(name: str, workspaces: bool = False) -> Build:
    """The case, compiled afresh for its signature: in its plain form, or with workspaces."""
    c = case(name)
    kept = MAX_WORKSPACES if workspaces else 0
    request = Request(
        function(name), c.argnums, c.mode == "value_and_grad", inline=c.inline, max_workspaces=kept
    )
    return build(request, from_text(request, c.signature), Lengths())


def generated(name: str) -> dict[str, str]:
    """The generated files of a case: name of the file -> text."""
    made = compiled(name)
    parts, last = [], ""
    for stage in IR_STAGES:
        text = made.text_of(stage)
        parts.append(f"---- {stage} ----\n" + (text if text != last else "(as before)\n"))
        last = text
    return {
        "ir.txt": "\n".join(parts),
        "adjoint.py": made.text,
        "workspaces.py": compiled(name, workspaces=True).text,
    }


def committed(name: str, file: str) -> str:
    """A generated file as it is in the repository; empty if it is not there yet."""
    path = FOLDER / name / file
    return path.read_text(encoding="utf-8") if path.exists() else ""


def from_file(name: str, workspaces: bool = False) -> Callable[..., Any]:
    """The function in the committed `adjoint.py`, which sees what the generated one does.

    With `workspaces` that of `workspaces.py`, whose calls share one.
    """
    made = compiled(name, workspaces)
    assert isinstance(made.run, FunctionType) and made.emitted is not None
    cells = zip(made.run.__code__.co_freevars, made.run.__closure__ or (), strict=True)
    free = {**{n: c.cell_contents for n, c in cells}, **made.emitted.free}
    text = committed(name, "workspaces.py" if workspaces else "adjoint.py")
    run = load(text, made.run.__name__, f"<golden {name}>", made.run.__globals__, free, {})
    return Pool(made.emitted.workspace).bind(run) if made.emitted.workspace else run


def differences(name: str) -> str:
    """What the compiler makes of the case against the committed files: a unified diff, empty if the same."""
    return "\n".join(
        line
        for file, text in generated(name).items()
        for line in difflib.unified_diff(
            committed(name, file).splitlines(), text.splitlines(),
            f"tests/golden/{name}/{file}", f"{name}/{file}, as generated now", lineterm="",
        )
    )  # fmt: skip


def refresh(name: str) -> bool:
    """Write the generated files of a case; says whether any changed."""
    changed = False
    for file, text in generated(name).items():
        if committed(name, file) != text:
            (FOLDER / name / file).write_text(text, encoding="utf-8")
            changed = True
    return changed
