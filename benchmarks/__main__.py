"""Measures every row, prints the tables, and writes numbers and a chart to bench-output/.

The exit status is 0 whatever was found.
"""

import os
import sys

for _pool in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_pool}_NUM_THREADS"] = "1"  # before NumPy is imported: its BLAS reads them then

from pathlib import Path  # noqa: E402

import click  # noqa: E402
from rich.console import Console  # noqa: E402

from benchmarks.chart import draw  # noqa: E402
from benchmarks.comparison import Implementation, compare_all  # noqa: E402
from benchmarks.measure import FULL, QUICK  # noqa: E402
from benchmarks.report import notes, save, table, workload_table  # noqa: E402
from benchmarks.rows import measure_all  # noqa: E402
from benchmarks.workloads import WORKLOADS  # noqa: E402

OUTPUT = Path("bench-output")

#: Columns of the tables where they go into a file or a pipe, peers included.
WIDTH = 180


@click.command(help=__doc__)
@click.option("--quick/--full", envvar="QUICK", help="A run of two minutes.  [env: QUICK]")
@click.option("--peers/--no-peers", default=None, envvar="PEERS", help="Other libraries, as far as they are installed; "
              "by default in a full run.  [env: PEERS]")  # fmt: skip
@click.option("--only", default="", envvar="ONLY", help="Rows with this in their names.  [env: ONLY]")
def main(quick: bool, peers: bool | None, only: str) -> None:
    effort = QUICK if quick else FULL
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    others = _peers() if (not quick if peers is None else peers) else []
    chosen = [w for w in WORKLOADS if only in w.name and not (quick and w.long)]
    with console.status("measuring") as status:
        tell = lambda name: status.update(f"measuring: {name}")
        rows = list(measure_all(effort, tell, only))
        comparisons = list(compare_all(chosen, others, effort, tell))
    if rows:
        console.print(table(rows))
    if comparisons:
        console.print(workload_table(comparisons))
        console.print("\n".join(notes(comparisons)), markup=False, highlight=False)
        draw(comparisons, OUTPUT / "ratios.png")
    save(rows, comparisons, effort, quick, OUTPUT / "results.json")
    console.print(f"{'Quick run: expect noise. ' if quick else ''}Numbers and chart are in {OUTPUT}.")


def _peers() -> list[Implementation]:
    from benchmarks.peers import installed

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # XLA has as many threads as there are processors
    return list(installed())


if __name__ == "__main__":
    main()
