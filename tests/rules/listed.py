"""`differentiable.txt`: each public function with a derivative, a line each; `python -m tests.rules` renews it.

A line names the arguments by which a function has pullbacks, and whether it has forward mode; or says that it is
followed line by line. SciPy's functions are listed as the version has them that this is run with.
"""

from pathlib import Path

from adcompiler.coverage import Row, table

PATH = Path(__file__).with_name("differentiable.txt")
REFRESH = "python -m tests.rules"


def line(row: Row) -> str:
    """`numpy.hypot: reverse x y, forward`."""
    modes = [f"reverse {' '.join(row.reverse)}"] if row.reverse else []
    modes += ["forward"] if row.forward else []
    return f"{row.name}: {', '.join(modes) or row.word}"


def lines() -> list[str]:
    """The lines as the registry of rules has them now."""
    return [line(row) for row in table() if row.reverse or row.forward or row.word == "followed"]


def modes(listed: list[str]) -> dict[str, set[str]]:
    """What each function has, by its name: "followed", "forward", and "reverse x" for each argument."""
    found: dict[str, set[str]] = {}
    for text in listed:
        name, _, rest = text.partition(": ")
        of = found[name] = set()
        for mode in rest.split(", "):
            word, *arguments = mode.split()
            of.update([f"reverse {a}" for a in arguments] if word == "reverse" else [word])
    return found
