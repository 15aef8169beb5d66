"""Shows rows as a table, and writes them as JSON."""

import datetime
import json
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.measure import Effort
from benchmarks.rows import Failure, Row


def table(rows: Iterable[Row | Failure]) -> Table:
    """A line for each row: median, quartiles, bar, and what was compared."""
    columns = ("", "median", "quartiles", "bar", "against", "details")
    out = Table(*columns, title="adcompiler: what gradients cost")
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


def save(rows: Iterable[Row | Failure], effort: Effort, quick: bool, path: Path) -> None:
    """Write the rows with the date, the machine and the versions they were measured with."""
    packages: dict[str, Any] = {"numpy": np.__version__, "python": platform.python_version()}
    try:
        packages["adcompiler"] = version("adcompiler")
    except PackageNotFoundError:  # run from a checkout that is not installed
        packages["adcompiler"] = None
    content = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}",
        "versions": packages,
        "quick": quick,
        "clock": "CPU time of the process, one thread",
        "effort": vars(effort),
        "rows": [row.as_json() for row in rows],
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
