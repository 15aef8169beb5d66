"""What the tables of cases are written with: a call whose rule is checked, and arrays to call it with.

A table is `CASES = [case(np.sum, normal(3, 4), axis=1), ...]` in a module `cases_<family>.py`; options of
`check_rule` follow by `.but(complex=False, wrt="a")`. A method is named as in its rule, `"ndarray.sum"`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rules.checked_kind import kind_of_call
from rules.rule import Rule, find, find_method
from rules.testing import check_rule


@dataclass(frozen=True)
class Case:
    """One call of a function that a rule serves, and how its check differs from the usual one."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)

    def but(self, **options: Any) -> "Case":
        return replace(self, options=self.options | options)

    @property
    def rule(self) -> Rule | None:
        return find_method(self.function) if isinstance(self.function, str) else find(self.function)

    def __str__(self) -> str:
        name = self.function if isinstance(self.function, str) else getattr(self.function, "__name__", "?")
        words = [
            "x".join(map(str, x.shape)) + x.dtype.kind if isinstance(x, np.ndarray) else type(x).__name__
            for x in self.args
        ]
        words += [f"{k}={v}" if not isinstance(v, np.ndarray) else k for k, v in self.kwargs.items()]
        return f"{name}({', '.join(words)})"

    def kind(self) -> Any:
        """The kind that the rule gives of the result. Raises KindError where it refuses the call."""
        assert self.rule is not None
        return kind_of_call(self.function, self.rule, self.rule.bind(self.args, self.kwargs))

    def run(self) -> None:
        check_rule(self.function, *self.args, **self.options, **self.kwargs)


def case(function: Any, *args: Any, **kwargs: Any) -> Case:
    return Case(function, args, kwargs)


def normal(*shape: int, seed: int = 1) -> np.ndarray:
    """Standard normal elements, the same in every run, none nearer to 0 than 0.05."""
    x = np.random.default_rng([seed, *shape]).standard_normal(shape)
    return x + np.copysign(0.05, x)


def within(low: float, high: float, *shape: int, seed: int = 1) -> np.ndarray:
    """Elements between `low` and `high`, off the ends by a hundredth of the range."""
    margin = (high - low) / 100
    return np.random.default_rng([seed, *shape]).uniform(low + margin, high - margin, shape)


def positive(*shape: int, seed: int = 1) -> np.ndarray:
    return within(0.2, 3.0, *shape, seed=seed)


def tables() -> Iterator[tuple[str, list[Case]]]:
    """Every table there is, by the name of its module."""
    for path in sorted(Path(__file__).parent.glob("cases_*.py")):
        yield path.stem, import_module(f"tests.rules.{path.stem}").CASES
