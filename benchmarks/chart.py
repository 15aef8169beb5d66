"""Draws the ratios of all workloads: a line for each, a mark for each implementation, on a logarithmic scale."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.comparison import Comparison

#: Shape and colour of each implementation's mark.
MARKS = {
    "ours": ("o", "tab:red"),
    "hand": ("s", "tab:gray"),
    "best": ("v", "tab:gray"),
    "autograd": ("x", "tab:blue"),
    "jax": ("+", "tab:green"),
    "torch": ("1", "tab:orange"),
}


def draw(comparisons: Sequence[Comparison], path: Path) -> None:
    """Write the chart. The vertical line at 1 is the reference; a black tick is a bar."""
    import matplotlib

    matplotlib.use("Agg")  # no window
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 1.5 + 0.3 * len(comparisons)), layout="constrained")
    for name, (marker, colour) in MARKS.items():
        points = [(c.measured[name].ratio.median, y) for y, c in enumerate(comparisons) if name in c.measured]
        if points:
            axes.scatter(
                [x for x, _ in points], [y for _, y in points], marker=marker, color=colour, label=name, zorder=3
            )
    bars = [(c.bar, y) for y, c in enumerate(comparisons) if c.bar is not None]
    if bars:
        axes.scatter(
            [x for x, _ in bars], [y for _, y in bars], marker="|", s=150, color="black", label="bar", zorder=2
        )
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(comparisons)), [c.name for c in comparisons])
    axes.invert_yaxis()
    axes.grid(axis="y", linewidth=0.3)
    axes.set_xlabel("CPU time, in times of the reference by hand")
    axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
