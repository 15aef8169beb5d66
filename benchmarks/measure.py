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


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    #: Rounds for calls that are compared with each other.
    rounds: int
    #: Compilations of each function.
    compilations: int
    #: Fresh processes.
    processes: int


FULL = Effort(rounds=60, compilations=25, processes=9)
QUICK = Effort(rounds=9, compilations=5, processes=3)


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
    calls: Mapping[str, Callable[[], object]], count: int, least: float = SAMPLE_SECONDS
) -> dict[str, np.ndarray]:
    """Seconds a call, one sample of each in every round; short calls are repeated for `least` seconds."""
    repeats = {}
    for name, call in calls.items():
        call()  # warm: compiled, cached
        repeats[name] = max(1, int(least / max(min(seconds(call) for _ in range(5)), 1e-7)))
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(count):
        for name, call in calls.items():
            samples[name].append(seconds(call, repeats[name]))
    return {name: np.array(s) for name, s in samples.items()}


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
