"""Clocks, interleaved sampling and its statistics.

Times are CPU times of the process, so that what else runs on the machine costs cache but not time. Calls
that are compared take turns, and a ratio is the median of the ratios of the rounds: a machine that slows
down slows both.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

clock = time.process_time

#: A sample repeats its call for about this many seconds, as reading the clock takes time too.
SAMPLE_SECONDS = 0.004

#: Rounds at least, and rounds of a call that takes longer than all the others may.
FEWEST, FEW = 5, 2

#: Ratios that differ by less than this factor are the same, as far as one run can tell.
TIE = 1.15


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    #: Rounds for calls that are compared with each other.
    rounds: int
    #: CPU seconds for each workload: fewer rounds, where the calls are long.
    budget: float
    #: Compilations of each function.
    compilations: int
    #: Fresh processes.
    processes: int


FULL = Effort(rounds=60, budget=6.0, compilations=25, processes=9)
QUICK = Effort(rounds=15, budget=2.0, compilations=5, processes=3)


@dataclass(frozen=True)
class Spread:
    """Median and quartiles of samples."""

    median: float
    low: float
    high: float
    samples: int

    @classmethod
    def of(cls, samples: Any) -> "Spread":
        low, median, high = (float(q) for q in np.percentile(samples, (25, 50, 75)))
        return cls(median, low, high, len(samples))


def seconds(call: Callable[[], object], repeats: int = 1) -> float:
    """CPU seconds of one call, from `repeats` of them."""
    span = range(repeats)
    began = clock()
    for _ in span:
        call()
    return (clock() - began) / repeats


def rounds(
    calls: Mapping[str, Callable[[], object]],
    count: int,
    least: float = SAMPLE_SECONDS,
    budget: float = np.inf,
) -> dict[str, np.ndarray]:
    """Seconds a call, one sample of each in every round; short calls are repeated for `least` seconds.

    There are `count` rounds, or as many as fit in `budget` seconds, but FEWEST at least. A call that is too long for
    that takes part in the first FEW rounds alone.
    """
    repeats, cost = {}, {}
    for name, call in calls.items():
        once = _warm(call, budget)
        repeats[name] = max(1, int(least / max(once, 1e-7)))
        cost[name] = repeats[name] * once
    long = {name for name, seconds_ in cost.items() if seconds_ > budget / FEWEST}
    short = sum(cost[name] for name in calls if name not in long)
    count = min(count, max(FEWEST, int(budget / short))) if short and budget < np.inf else count
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for k in range(count):
        for name, call in calls.items():
            if k < FEW or name not in long:
                samples[name].append(seconds(call, repeats[name]))
    return {name: np.array(s) for name, s in samples.items()}


def _warm(call: Callable[[], object], budget: float) -> float:
    """Call until nothing is left to compile or to cache; the seconds that a call takes then."""
    shortest = np.inf
    for _ in range(6):
        shortest = min(shortest, seconds(call))
        if shortest > budget / 20:
            break
    return shortest


def paired(samples: np.ndarray, base: np.ndarray) -> Spread:
    """The ratios of the rounds in which both took part."""
    n = min(len(samples), len(base))
    return Spread.of(samples[:n] / base[:n])


def verdict(ratio: float, bar: float) -> str:
    """ "met", "tie" where a ratio is above its bar by less than measurements differ, or "missed"."""
    return "met" if ratio <= bar else "tie" if ratio <= TIE * bar else "missed"


def difference(a: Any, b: Any) -> float:
    """The largest relative difference of two results; inf if they differ in structure, shape or dtype.

    Elements are compared with the largest magnitude in their array.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return max((difference(a[k], b[k]) for k in a), default=0.0) if a.keys() == b.keys() else np.inf
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return max(map(difference, a, b), default=0.0) if len(a) == len(b) else np.inf
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return np.inf
    return float(np.max(np.abs(a - b), initial=0.0) / max(float(np.max(np.abs(b), initial=0.0)), 1e-300))
