"""Shows rows and comparisons as tables, and writes them as JSON."""

import datetime
import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table

from benchmarks.comparison import Comparison
from benchmarks.measure import Effort
from benchmarks.row import Failure, Row


def table(rows: Iterable[Row | Failure]) -> Table:
    """A line for each row: median, quartiles, bar, and what was compared."""
    columns = ("", "median", "quartiles", "bar", "against", "details")
    out = Table(*columns, title="compiling and calling")
    for row in rows:
        if isinstance(row, Failure):
            out.add_row(row.name, "[red]failed[/]", "", "", "", row.reason.splitlines()[0])
            continue
        colour = {None: "default", True: "green", False: "red"}[row.met]
        details = ", ".join(f"{name} {value:.4g}" for name, value in (row.details or {}).items())
        out.add_row(
            row.name,
            f"[{colour}]{_number(row.value.median, row.unit)}[/]",
            f"{_number(row.value.low, row.unit)} .. {_number(row.value.high, row.unit)}",
            "" if row.bar is None else f"<= {row.bar:g} {row.unit}",
            row.against,
            details,
        )
    return out


def _number(value: float, unit: str) -> str:
    return f"{value:.2f}x" if unit == "x" else f"{value:.1f} {unit}"


COLOURS = {"met": "green", "tie": "green", "missed": "red"}


def workload_table(comparisons: Sequence[Comparison]) -> Table:
    """A line for each workload: the reference's time, ours and the others' in times of it, arrays allocated.

    Arrays of 1 KiB or more are counted, in a call that is not the first.
    """
    present = {name for c in comparisons for name in (*c.measured, *c.failures)}
    others = [name for name in ("hand", "best", "autograd", "jax", "torch") if name in present]
    out = Table("", "reference", "ours", "quartiles", "bar", *others, "arrays")
    out.title = "gradients, in times of the preallocated adjoint by hand"
    out.caption = "arrays of 1 KiB or more that a call of ours allocates, beside the program's own + the gradients"
    for c in comparisons:
        reference = f"{c.base} {_time(c.measured[c.base].seconds)}" if c.base in c.measured else "[red]none[/]"
        out.add_row(escape(c.name), reference, *_ours(c), *(_ratio(c, name) for name in others), _arrays(c))
    return out


def notes(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """Why numbers are missing, a line for each."""
    for c in comparisons:
        for name, reason in c.failures.items():
            yield f"{c.name}, {name}: {reason}"


def _ours(c: Comparison) -> tuple[str, str, str]:
    """The ratio, its quartiles, and the bar with what became of it."""
    verdict = "missed" if c.verdict is None and c.bar is not None else c.verdict
    colour = COLOURS[verdict] if verdict else "default"
    bar = "" if c.bar is None else f"{c.bar:g} [{colour}]{verdict}[/]"
    if "ours" not in c.measured:
        return f"[red]{_missing(c.failures['ours'])}[/]", "", bar
    ratio = c.measured["ours"].ratio
    return f"[{colour}]{ratio.median:.2f}[/]", f"{ratio.low:.2f} .. {ratio.high:.2f}", bar


def _ratio(c: Comparison, name: str) -> str:
    if name in c.measured:
        return f"{c.measured[name].ratio.median:.3g}"
    return _missing(c.failures[name]) if name in c.failures else ""


def _missing(reason: str) -> str:
    """A word for the table; the reason is among the notes."""
    return next((word for word in ("refused", "disagrees") if reason.startswith(word)), "cannot")


def _arrays(c: Comparison) -> str:
    allowed = f"{c.primal_allocations.large} + {c.large_results}"
    found = c.measured["ours"].allocations if "ours" in c.measured else None
    if found is None:
        return f"-, {allowed}"
    surplus = c.surplus("ours") or 0
    return f"[{'red' if surplus > 0 else 'green'}]{found.large}[/], {allowed}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def save(
    rows: Iterable[Row | Failure], comparisons: Iterable[Comparison], effort: Effort, quick: bool, path: Path
) -> None:
    """Write what was found with the date, the machine and the versions it was measured with."""
    packages: dict[str, Any] = {"numpy": np.__version__, "python": platform.python_version()}
    for name in ("adcompiler", "autograd", "jax", "torch"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:  # a peer that is missing, or a checkout that is not installed
            packages[name] = None
    content = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}",
        "versions": packages,
        "quick": quick,
        "clock": "CPU time of the process, one thread",
        "effort": vars(effort),
        "rows": [row.as_json() for row in rows],
        "workloads": [comparison.as_json() for comparison in comparisons],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
