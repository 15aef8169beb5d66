"""Ninety programs, none wrong; and planted bugs, all found."""

import functools
import itertools
from collections import Counter

import pytest

from .campaign import ACCEPTED, KINKS, Tally, check_seed
from .check import Adcompiler, check, has_right_value
from .generate import generate
from .planted import LOWERING, NEEDS, PLANTED

SEED = 20_000
CHUNK, CHUNKS = 15, 6
LOOK_AT = 150  # programs, among those that can show it, within which a planted bug is found


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk):
    tally = Tally(SEED + chunk * CHUNK)
    for seed in range(tally.seed, tally.seed + CHUNK):
        tally.add(check_seed(seed))
    assert not tally.failures, tally.report()
    assert tally.accepted >= ACCEPTED, tally.report()
    assert tally.outcomes["kink"] <= max(1, KINKS * CHUNK), tally.report()


generated = functools.cache(generate)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_found(name):
    compiler, seen = Adcompiler(), Counter()
    programs = (p for p in map(generated, itertools.count(SEED)) if NEEDS.get(name, "") in {"", *p.constructs})
    for program in itertools.islice(programs, LOOK_AT):
        with PLANTED[name]():
            if name in LOWERING and has_right_value(program, compiler):
                seen["right value"] += 1
                continue
            outcome = check(program, compiler)
        seen[outcome.kind] += 1
        if name in LOWERING and outcome.kind == "wrong" and has_right_value(program, compiler):
            return
        if outcome.failed and not check(program, compiler).failed:  # so it is the bug that is seen
            return
    pytest.fail(f"not found in {dict(seen)}")


def test_there_are_ten_planted_bugs():
    assert len(PLANTED) >= 10
