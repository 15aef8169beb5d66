"""Measures every row, prints the table, and writes the numbers to bench-output/results.json.

`QUICK=1` in the environment shortens the run. The exit status is 0 whatever was found.
"""

import os

for _pool in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_pool}_NUM_THREADS"] = "1"  # before NumPy is imported: its BLAS reads them then

from pathlib import Path  # noqa: E402

from rich.console import Console  # noqa: E402

from benchmarks.measure import FULL, QUICK  # noqa: E402
from benchmarks.report import save, table  # noqa: E402
from benchmarks.rows import measure_all  # noqa: E402

OUTPUT = Path("bench-output") / "results.json"


def main() -> None:
    quick = os.environ.get("QUICK", "") not in ("", "0")
    effort = QUICK if quick else FULL
    console = Console()
    with console.status("measuring") as status:
        rows = list(measure_all(effort, lambda name: status.update(f"measuring: {name}")))
    console.print(table(rows))
    save(rows, effort, quick, OUTPUT)
    console.print(f"{'Quick run: expect noise. ' if quick else ''}The numbers are in {OUTPUT}.")


if __name__ == "__main__":
    main()
