"""The programs that show the planted bugs: looked for by `python -m tests.fuzz --planted`, then written down.

Of each bug it is the first that the generator writes. A file has how it is called, then its source.
"""

import itertools
import multiprocessing
from dataclasses import replace
from pathlib import Path

from . import arguments, generate
from .check import Adcompiler, Outcome, check, has_right_value
from .generate import Program
from .planted import LOWERING, NEEDS, PLANTED, TWICE

SEED = 20_000
LOOK_AT = 150  # programs, among those that can show it, within which a planted bug is found
FOLDER = Path(__file__).with_name("found")


def found(name: str) -> Program:
    """The program written down for a bug. Raises FileNotFoundError where there is none."""
    call, source = (FOLDER / f"{name}.txt").read_text().split("\n\n", 1)
    program: Program = eval(call, {**vars(arguments), **vars(generate)})
    return replace(program, source=source)


def write_down(name: str, program: Program) -> None:
    """Keep the program that shows a bug."""
    FOLDER.mkdir(exist_ok=True)
    constructs = frozenset({NEEDS[name]} if name in NEEDS else ())
    call = repr(replace(program, source="", constructs=constructs))
    (FOLDER / f"{name}.txt").write_text(f"{call}\n\n{program.source}")


def shows(name: str, program: Program) -> bool:
    """Does a program fail with a bug in the compiler, and only with it?"""
    compiler, wrong_before, twice = Adcompiler(), name in LOWERING, name in TWICE

    def checked() -> Outcome:
        return check(program, compiler, second=twice, whole=not twice)

    with PLANTED[name]():
        if wrong_before and has_right_value(program, compiler):
            return False
        outcome = checked()
    if wrong_before and outcome.kind == "wrong" and has_right_value(program, compiler):
        return True
    return outcome.failed and not checked().failed


def first(name: str) -> Program | None:
    """The first program that shows a bug; None if none of so many does."""
    programs = (p for p in map(generate.generate, itertools.count(SEED)) if NEEDS.get(name, "") in {"", *p.constructs})
    return next((p for p in itertools.islice(programs, LOOK_AT) if shows(name, p)), None)


def is_found(name: str) -> bool:
    """Does the program that is written down for a bug show it?"""
    return (FOLDER / f"{name}.txt").exists() and shows(name, found(name))


def look_for_planted(jobs: int) -> int:
    """Look for all whose program does not show them, and write that down; 1 if one is not found."""
    missing = [name for name in PLANTED if not is_found(name)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for name, program in zip(missing, pool.imap(first, missing, chunksize=1), strict=True):
            print(f"{name}: {'not found' if program is None else program.seed}", flush=True)
            if program is not None:
                write_down(name, program)
    return int(not all((FOLDER / f"{name}.txt").exists() for name in PLANTED))
