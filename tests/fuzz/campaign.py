"""Many programs: run on several processes, counted, reported."""

import contextlib
import gc
import multiprocessing
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, islice
from multiprocessing.pool import AsyncResult

from .arguments import shown
from .check import SECONDS, Outcome, check
from .constructs import CONSTRUCTS
from .generate import generate

BATCH = 5  # programs for one task of a process
DOZEN = 12  # seeds: in as many, each law has its turn
SECOND = 4  # of so many programs, one is differentiated twice
AHEAD = 4  # and another one is compiled ahead of time as well
ACCEPTED = 0.60
KINKS = 0.05
OCCURS = 0.03


@dataclass
class Tally:
    """What came of the programs so far."""

    seed: int
    outcomes: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    second: Counter[str] = field(default_factory=Counter)
    ahead: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Outcome] = field(default_factory=dict)
    failures: list[Outcome] = field(default_factory=list)
    slowest: list[tuple[float, int]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        self.outcomes[outcome.kind] += 1
        self.slowest = sorted([*self.slowest, (outcome.seconds, outcome.program.seed)])[-3:]
        if outcome.kind == "ok":
            self.constructs.update(outcome.program.constructs)
            if outcome.second:
                self.second[outcome.second] += 1
            if outcome.ahead:
                self.ahead[outcome.ahead] += 1
            if outcome.second == "refused":
                self.refusals[f"second derivative: {outcome.group}"] += 1
                self.examples.setdefault(f"second derivative: {outcome.group}", outcome)
        elif outcome.kind == "refused":
            self.refusals[outcome.group] += 1
            self.examples.setdefault(outcome.group, outcome)
        elif outcome.failed:
            self.failures.append(outcome)

    @property
    def programs(self) -> int:
        """Programs that run in plain Python."""
        return self.outcomes.total() - self.outcomes["invalid"]

    def share(self, kind: str) -> float:
        """The share of programs of one class."""
        return self.outcomes[kind] / max(self.programs, 1)

    @property
    def accepted(self) -> float:
        """The share of programs that the compiler takes, whatever comes of them."""
        return 1.0 - self.share("refused")

    def rare(self) -> list[str]:
        """Constructs in fewer accepted programs than they should be."""
        return [c for c in CONSTRUCTS if self.constructs[c] < OCCURS * self.outcomes["ok"]]

    def report(self) -> str:
        """The report of the run."""
        classes = ", ".join(f"{kind} {n}" for kind, n in sorted(self.outcomes.items()))
        lines = [
            f"programs   {self.programs} from seed {self.seed}, in {self.seconds:.0f} s"
            f" ({self.programs / max(self.seconds, 1e-9):.1f} a second)",
            f"outcomes   {classes}",
            f"accepted   {self.accepted:.1%} (at least {ACCEPTED:.0%})",
            f"kinks      {self.share('kink'):.1%} (at most {KINKS:.0%})",
            f"slowest    {', '.join(f'{took:.1f} s (seed {seed})' for took, seed in self.slowest[::-1])}",
            f"second     {', '.join(f'{k} {n}' for k, n in sorted(self.second.items())) or 'none'}",
            f"ahead      {', '.join(f'{k} {n}' for k, n in sorted(self.ahead.items())) or 'none'}",
        ]
        if self.refusals:
            lines += ["", "refusals"]
            for message, n in self.refusals.most_common():
                lines.append(f"{n:7}  {message}  (seed {self.examples[message].program.seed})")
        if self.failures:
            lines += ["", "failures"]
            for (kind, message), n in Counter((o.kind, o.group) for o in self.failures).most_common():
                seeds = [o.program.seed for o in self.failures if (o.kind, o.group) == (kind, message)]
                lines.append(f"{n:7}  {kind}: {message}  (seed {', '.join(map(str, seeds[:3]))})")
        done = max(self.outcomes["ok"], 1)
        lines += ["", f"constructs in accepted programs (each at least {OCCURS:.0%})"]
        for construct in sorted(CONSTRUCTS, key=lambda c: self.constructs[c]):
            mark = " " if self.constructs[construct] >= OCCURS * done else "!"
            lines.append(f"{mark}{self.constructs[construct] / done:7.1%}  {construct}")
        for outcome in self.failures:
            lines += ["", describe(outcome)]
        return "\n".join(lines)


def describe(outcome: Outcome) -> str:
    """A failure with the program and what to call it with."""
    program = outcome.program
    return "\n".join(
        [
            f"{outcome.kind.upper()} seed {program.seed}: {outcome.message}",
            f"argnums {program.argnums}, parameters {', '.join(p.name for p in program.parameters)}",
            program.source,
            *(f"    {name} = {shown(value)}" for name, value in zip(names(outcome), program.arguments(), strict=True)),
            outcome.detail,
        ]
    )


def names(outcome: Outcome) -> list[str]:
    """The parameters that get an argument."""
    return [p.name for p in outcome.program.parameters if not p.omitted]


def check_seed(seed: int, thin: int = 1, twice: bool = False) -> Outcome:
    """Generate and check the program of a seed: all laws for a dozen of seeds in so many dozens.

    With `twice`, every program is differentiated twice.
    """
    program, started = generate(seed), time.process_time()
    whole = seed // DOZEN % thin == 0
    second = twice or (whole and seed % SECOND == 0)
    outcome = check(program, None, second, whole and seed % AHEAD == 1, whole)
    return replace(outcome, seconds=time.process_time() - started)


def check_batch(seeds: list[int], thin: int = 1, twice: bool = False) -> list[Outcome]:
    """Generate and check several."""
    return [check_seed(seed, thin, twice) for seed in seeds]


def outcomes(seeds: Iterator[int], jobs: int, thin: int = 1, twice: bool = False) -> Iterator[Outcome]:
    """The outcomes of these seeds, in order."""
    if jobs <= 1:
        yield from (check_seed(seed, thin, twice) for seed in seeds)
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, gc.set_threshold, (20_000, 20, 20), maxtasksperchild=60) as pool:
        pending: deque[tuple[list[int], AsyncResult[list[Outcome]]]] = deque()
        while True:
            while len(pending) < 4 * jobs and (batch := list(islice(seeds, BATCH))):
                pending.append((batch, pool.apply_async(check_batch, (batch, thin, twice))))
            if not pending:
                return
            batch, result = pending.popleft()
            try:
                yield from result.get(timeout=60 + 4 * BATCH * SECONDS)
            except multiprocessing.TimeoutError:
                yield Outcome(generate(batch[0]), "crash", f"a process died on one of the seeds {batch}")


def run(
    seed: int,
    programs: int | None = None,
    minutes: float | None = None,
    jobs: int = 1,
    thin: int = 1,
    twice: bool = False,
) -> Tally:
    """Check programs with seeds from `seed` on, so many or for so long, all laws of one dozen in `thin`.

    With `twice`, every program is differentiated twice, not one in `SECOND` of those that have all laws.

    A campaign that is interrupted, or terminated, reports what it has checked; failures are told as they come.
    """
    tally = Tally(seed)
    started = time.monotonic()

    def more() -> Iterator[int]:
        for number in count(seed) if programs is None else range(seed, seed + programs):
            if minutes is not None and time.monotonic() - started > 60 * minutes:
                return
            yield number

    with contextlib.suppress(KeyboardInterrupt):
        for outcome in outcomes(more(), jobs, thin, twice):
            tally.add(outcome)
            if outcome.failed:
                print(f"{outcome.kind} seed {outcome.program.seed}: {outcome.message}", file=sys.stderr, flush=True)
    tally.seconds = time.monotonic() - started
    return tally
