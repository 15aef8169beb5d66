"""Fuzz the compiler: `python -m tests.fuzz --minutes 30 --seed 0 --jobs 2`."""

import argparse
import json
import signal
import sys
from pathlib import Path

from .campaign import ACCEPTED, KINKS, Tally, check_seed, describe, run
from .check import Outcome
from .found import look_for_planted
from .shrink import shrink


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 if a program went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random programs, checked.")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--programs", type=int, help="stop after so many (300 if no time is given)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program; each next adds 1")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--thin", type=int, default=1, metavar="N", help="all laws for one program in N alone")
    parser.add_argument("--twice", action="store_true", help="differentiate every program twice")
    parser.add_argument("--planted", action="store_true", help="look for the programs that show the planted bugs")
    parser.add_argument("--only", type=int, metavar="SEED", help="check and print this one program")
    parser.add_argument("--shrink", action="store_true", help="make failing programs smaller")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write failing and refused programs there")
    options = parser.parse_args(arguments)
    if options.only is not None:
        outcome = check_seed(options.only, twice=options.twice)
        if options.shrink and outcome.failed:
            outcome = shrink(outcome)
        print(describe(outcome))
        return int(outcome.failed)
    if options.planted:
        return look_for_planted(options.jobs)
    for number in (signal.SIGINT, signal.SIGTERM):  # also where the shell has it ignored
        signal.signal(number, signal.default_int_handler)
    programs = options.programs if options.programs or options.minutes else 300
    tally = run(options.seed, programs, options.minutes, options.jobs, options.thin, options.twice)
    if options.shrink:
        tally.failures = [shrink(outcome) for outcome in tally.failures]
    print(tally.report())
    if options.keep:
        keep(tally, options.keep)
    return int(bool(tally.failures) or tally.accepted < ACCEPTED or tally.share("kink") > KINKS)


def keep(tally: Tally, folder: Path) -> None:
    """One file for each failure, and for one example of each refusal."""
    folder.mkdir(parents=True, exist_ok=True)
    found: list[Outcome] = [*tally.failures, *tally.examples.values()]
    for outcome in found:
        text = f'"""{outcome.kind}: {json.dumps(outcome.message)[1:-1]}"""\n\n{outcome.program.source}'
        (folder / f"{outcome.kind}_{outcome.program.seed}.py").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
