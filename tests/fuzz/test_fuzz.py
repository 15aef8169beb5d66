"""Sixty programs, none wrong; and planted bugs, all found."""

import pytest

from .campaign import ACCEPTED, KINKS, Tally, check_seed
from .found import FOLDER, SEED, is_found
from .planted import PLANTED

CHUNK, CHUNKS = 30, 2  # so many that the share of those accepted says something


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk):
    tally = Tally(SEED + chunk * CHUNK)
    for seed in range(tally.seed, tally.seed + CHUNK):
        tally.add(check_seed(seed, thin=2))
    assert not tally.failures, tally.report()
    assert tally.accepted >= ACCEPTED, tally.report()
    assert tally.outcomes["kink"] <= max(1, KINKS * CHUNK), tally.report()


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_found(name):
    assert is_found(name), "`python -m tests.fuzz --planted` looks for another program"


def test_there_are_ten_planted_bugs_and_no_other_programs():
    assert len(PLANTED) >= 10
    assert {path.stem for path in FOLDER.iterdir()} == set(PLANTED)
