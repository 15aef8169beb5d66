"""One workload and all that can compute its gradient: compared with one another, counted, then timed in turns.

Nothing is timed that has not given the result of the reference by hand, and nothing that fails ends the run: why it
is missing is a result like another.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

import adcompiler
from benchmarks.allocations import Allocations, allocations, large_arrays
from benchmarks.measure import Effort, Spread, difference, paired, rounds, verdict
from benchmarks.workloads.workload import Arguments, Prepare, Workload

Call = Callable[[], Any]

#: A long workload has so many times the budget. Two rounds would not do: whether the system has large pages to give
#: makes the same call on arrays of 80 MB several times as long.
LONG = 5


class Unavailable(Exception):
    """An implementation has no way to express a workload; the message says why."""


@dataclass(frozen=True)
class Implementation:
    """One way to compute gradients. `build` gives a call with the arguments bound, or raises."""

    name: str
    build: Callable[[Workload, Arguments], Call]
    #: Are the arrays that it allocates counted? Where they are NumPy's, they can be.
    counted: bool = True


@dataclass(frozen=True)
class Measured:
    """What was found of one implementation. Ratios are to the reference of the workload."""

    ratio: Spread
    seconds: float
    difference: float
    #: From the second call on.
    allocations: Allocations | None


@dataclass(frozen=True)
class Comparison:
    """A row of the table."""

    name: str
    base: str
    bar: float | None
    #: What the program itself takes, and how many of the gradients are large arrays.
    primal_seconds: float
    primal_allocations: Allocations
    large_results: int
    measured: dict[str, Measured]
    #: Why the others are missing, in a line.
    failures: dict[str, str]

    @property
    def verdict(self) -> str | None:
        """Of ours: "met", "tie" or "missed"; None where there is no bar, or no gradient of ours."""
        ours = self.measured.get("ours")
        return None if self.bar is None or ours is None else verdict(ours.ratio.median, self.bar)

    def surplus(self, name: str) -> int | None:
        """Large arrays that are allocated beyond those of the program itself and the results."""
        found = self.measured.get(name)
        if found is None or found.allocations is None:
            return None
        return found.allocations.large - self.primal_allocations.large - self.large_results

    def as_json(self) -> dict[str, Any]:
        surplus = {name: self.surplus(name) for name in self.measured}
        return {**asdict(self), "verdict": self.verdict, "surplus": surplus}


def _ours(workload: Workload, arguments: Arguments) -> Call:
    transform = adcompiler.value_and_grad if workload.value else adcompiler.grad
    gradient = transform(workload.function, workload.argnums)
    return lambda: gradient(*arguments)


OURS = Implementation("ours", _ours)


def by_hand(workload: Workload) -> Iterator[Implementation]:
    """The references of a workload."""
    for name, prepare in workload.references.items():
        yield Implementation(name, partial(_prepared, prepare))


def _prepared(prepare: Prepare, workload: Workload, arguments: Arguments) -> Call:
    gradient = prepare(*arguments)
    return lambda: gradient(*arguments)


def compare(workload: Workload, peers: Iterable[Implementation], effort: Effort) -> Comparison:
    """Ours, those by hand and `peers`: their results, the arrays that they allocate, their times."""
    arguments = workload.arguments()
    wanted = workload.references["hand"](*arguments)(*arguments)
    calls: dict[str, Call] = {"primal": lambda: workload.function(*arguments)}
    calls["primal"]()
    counts: dict[str, Allocations | None] = {"primal": allocations(calls["primal"])}
    differences: dict[str, float] = {}
    failures: dict[str, str] = {}
    for implementation in (OURS, *by_hand(workload), *peers):
        name = implementation.name
        try:
            call = implementation.build(workload, arguments)
            found = difference(call(), wanted)
            if not found <= workload.tolerance:
                failures[name] = f"disagrees with the reference by hand: {found:.1e} relative"
                continue
            counts[name] = allocations(call) if implementation.counted else None
            calls[name], differences[name] = call, found
        except Exception as error:
            failures[name] = _reason(error)
    large_results = large_arrays(wanted)
    del wanted
    samples = rounds(calls, effort.rounds, budget=effort.budget * (LONG if workload.long else 1))
    return _comparison(workload, large_results, samples, counts, differences, failures)


def _comparison(
    workload: Workload,
    large_results: int,
    samples: dict[str, np.ndarray],
    counts: dict[str, Allocations | None],
    differences: dict[str, float],
    failures: dict[str, str],
) -> Comparison:
    base = workload.base if workload.base in samples else "hand"
    measured = {
        name: Measured(paired(samples[name], samples[base]), float(np.median(samples[name])), found, counts[name])
        for name, found in differences.items()
    }
    of_primal = counts["primal"]
    assert of_primal is not None
    primal_seconds = float(np.median(samples["primal"]))
    return Comparison(workload.name, base, workload.bar, primal_seconds, of_primal, large_results, measured, failures)


def compare_all(
    workloads: Iterable[Workload],
    peers: Sequence[Implementation],
    effort: Effort,
    note: Callable[[str], object] = lambda name: None,
) -> Iterator[Comparison]:
    """Every workload in turn; `note` hears of each as it begins."""
    for workload in workloads:
        note(workload.name)
        yield compare(workload, peers, effort)


def _reason(error: Exception) -> str:
    """A line for the table."""
    if isinstance(error, Unavailable):
        return str(error)
    if isinstance(error, adcompiler.UnsupportedError):
        return f"refused: {error.problems[0].reason}"
    return f"{type(error).__name__}: {(str(error).strip() or 'no message').splitlines()[0][:100]}"
