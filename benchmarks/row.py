"""A row of the table: one measurement with its bar, or why there is none; and that results agree, without which times
mean nothing."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.measure import Effort, Spread, difference, verdict

#: Results that are compared may differ by rounding, no more.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Row:
    """One measurement. `value` is in `unit`: milliseconds of CPU, or a ratio ("x")."""

    name: str
    against: str
    unit: str
    value: Spread
    #: The value must not be above this.
    bar: float | None = None
    #: The largest relative difference of the results that were compared.
    difference: float | None = None
    #: More numbers, by name: microseconds of either side of a ratio, lines of source.
    details: dict[str, float] | None = None

    @property
    def met(self) -> bool | None:
        """Is the value within its bar? A ratio may be above it by as little as one run cannot tell."""
        if self.bar is None:
            return None
        return verdict(self.value.median, self.bar) != "missed" if self.unit == "x" else self.value.median <= self.bar

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met}


@dataclass(frozen=True)
class Failure:
    """A row that could not be measured: the compiler refused the program, or results disagree."""

    name: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "failed": self.reason}


class Disagreement(Exception):
    """Two implementations gave different results, so their times mean nothing."""


Measurement = Callable[[Effort], list[Row]]


def agree(ours: Any, reference: Any) -> float:
    """The difference of two results. Raises Disagreement if it is more than rounding."""
    found = difference(ours, reference)
    if not found <= TOLERANCE:
        raise Disagreement(f"results differ by {found:.1e} relative")
    return found
