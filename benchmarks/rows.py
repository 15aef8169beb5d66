"""The rows of the table: what each measures, against what, and the bar it has to meet."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import adcompiler
from benchmarks import programs
from benchmarks.measure import Effort, Spread, rounds
from benchmarks.row import TOLERANCE, Disagreement, Failure, Measurement, Row, agree

LOOP_COUNTS = (10, 500, 1_000_000)

#: Where `benchmarks` is found by new processes.
CHECKOUT = Path(__file__).parents[1]


def _milliseconds(samples: Any) -> Spread:
    return Spread.of(1e3 * np.asarray(samples))


# ---- compiling -----------------------------------------------------------------------------------


def compiling(effort: Effort) -> list[Row]:
    """The first call of a new gradient of twenty lines, in a process that has compiled it before."""
    Case = tuple[Callable[..., Any], tuple[int, ...], tuple[Any, ...]]
    cases: dict[str, Case] = {
        "straight": (programs.straight, (0, 1), programs.straight_arguments()),
        "loop, branch": (programs.branching, (0,), programs.branching_arguments()),
    }
    found = {name: adcompiler.check_grad(f, *args, argnums=wrt) for name, (f, wrt, args) in cases.items()}
    calls = {name: partial(_first_call, *case) for name, case in cases.items()}
    samples = rounds(calls, effort.compilations, least=0.0)
    return [
        Row(f"compile 20 lines, {name}", "", "ms", _milliseconds(taken), bar=50.0, difference=found[name])
        for name, taken in samples.items()
    ]


def _first_call(f: Callable[..., Any], wrt: tuple[int, ...], arguments: tuple[Any, ...]) -> Any:
    return adcompiler.grad(f, wrt)(*arguments)


def first_gradient(effort: Effort) -> list[Row]:
    """A three-layer network in new processes; the first, which may have to write bytecode, does not count."""
    command = [sys.executable, "-m", "benchmarks.fresh"]
    runs = []
    for _ in range(effort.processes + 1):
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        runs.append(json.loads(done.stdout))
    worst = max(run["difference"] for run in runs)
    if not worst <= TOLERANCE:
        raise Disagreement(f"results differ by {worst:.1e} relative")
    gradient, imports = (_milliseconds([run[part] for run in runs[1:]]) for part in ("gradient", "imports"))
    return [
        Row("first gradient, 3-layer MLP, new process", "", "ms", gradient, bar=150.0, difference=worst),
        Row("imports, NumPy's included", "", "ms", imports),
    ]


def loop_counts(effort: Effort) -> list[Row]:
    """Loops of 10, 500 and a million iterations: their sources must be the same, their times should be."""
    x, fewest = np.array([0.3, 0.5, 0.7]), min(LOOP_COUNTS)
    literal = {n: programs.with_literal_count(n) for n in LOOP_COUNTS}
    by_hand = programs.repeated_by_hand(x, fewest)
    found = {
        "argument": agree(adcompiler.grad(programs.repeated)(x, fewest), by_hand),
        "literal": agree(adcompiler.grad(literal[fewest])(x), by_hand),
    }
    calls: dict[str, Callable[[], str]] = {}
    for n in LOOP_COUNTS:
        calls[f"argument {n}"] = partial(_source, programs.repeated, (x, n))
        calls[f"literal {n}"] = partial(_source, literal[n], (x,))
    samples = rounds(calls, effort.compilations, least=0.0)
    rows = []
    for way, difference_found in found.items():
        texts = {n: calls[f"{way} {n}"]() for n in LOOP_COUNTS}
        # A count that is an argument is not in the source; one that is a literal may be, and differs.
        sources = {t if way == "argument" else t.replace(str(n), "n") for n, t in texts.items()}
        if len(sources) != 1:
            raise Disagreement(f"loops of {LOOP_COUNTS} iterations ({way}) give different sources")
        for n in LOOP_COUNTS:
            own, reference = samples[f"{way} {n}"], samples[f"{way} {fewest}"]
            details = {"ms": float(np.median(own) * 1e3), "lines": float(texts[n].count("\n"))}
            rows.append(
                Row(f"compile a loop of {n:,}, {way}", f"loop of {fewest}", "x", Spread.of(own / reference),
                    difference=difference_found, details=details)
            )  # fmt: skip
    return rows


def _source(f: Callable[..., Any], example: tuple[Any, ...]) -> str:
    text: str = adcompiler.differentiable(f).source(example=example)
    return text


# ---- calling -------------------------------------------------------------------------------------


def _ratio(
    name: str,
    effort: Effort,
    ours: Callable[..., Any],
    hand: Callable[..., Any],
    arguments: tuple[Any, ...],
    bar: float | None = None,
) -> Row:
    """Ours against one by hand, taking turns. Raises Disagreement where they differ."""
    found = agree(ours(*arguments), hand(*arguments))
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: ours(*arguments), "hand": lambda: hand(*arguments)}
    samples = rounds(calls, effort.rounds)
    details = {f"{side} us": float(np.median(s) * 1e6) for side, s in samples.items()}
    ratio = Spread.of(samples["ours"] / samples["hand"])
    return Row(name, "by hand", "x", ratio, bar, found, details)


def three_elements(effort: Effort) -> list[Row]:
    """All overhead: three ufuncs on three elements."""
    ours, x = adcompiler.grad(programs.wave), np.array([0.3, 0.5, 0.7])
    name = "grad of sum(sin(x) * x), 3 elements"
    return [_ratio(name, effort, ours, programs.wave_by_hand, (x,), bar=1.6)]


def logistic(effort: Effort) -> list[Row]:
    ours = adcompiler.value_and_grad(programs.logistic)
    return [
        _ratio(f"logistic regression, {n:,} x {m}, value+grad", effort, ours, programs.logistic_by_hand,
               programs.logistic_arguments(n, m))
        for n, m in ((100, 10), (10_000, 100))
    ]  # fmt: skip


def recurrent(effort: Effort) -> list[Row]:
    ours = adcompiler.value_and_grad(programs.rnn)
    return [
        _ratio(f"RNN, 50 steps, hidden {hidden}, value+grad", effort, ours, programs.rnn_by_hand,
               programs.rnn_arguments(50, hidden, 16))
        for hidden in (16, 64)
    ]  # fmt: skip


def elementwise_rules(effort: Effort) -> list[Row]:
    """Every elementwise rule at 1e5 elements, beside its formula by hand."""
    from benchmarks.elementwise_rules import CASES, measure, special_cases

    return [measure(case, effort) for case in (*CASES, *special_cases())]


MEASUREMENTS: tuple[Measurement, ...] = (
    compiling, first_gradient, three_elements, logistic, recurrent, loop_counts, elementwise_rules,
)  # fmt: skip


def measure_all(
    effort: Effort, note: Callable[[str], object] = lambda name: None, only: str = ""
) -> Iterator[Row | Failure]:
    """Every row whose measurement has `only` in its name; `note` hears of each measurement as it begins."""
    for measurement in MEASUREMENTS:
        name = measurement.__name__.replace("_", " ")
        if only not in name:
            continue
        note(name)
        try:
            yield from measurement(effort)
        except Exception as error:  # one that fails is a result of the run, and the others still count
            yield Failure(name, f"{type(error).__name__}: {str(error).strip() or 'no message'}")
