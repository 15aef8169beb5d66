"""The generator on its own: it repeats itself, its programs run, and differences of them are clean."""

from collections import Counter

import numpy as np
import pytest

from .arguments import same_bits, tree_leaves
from .check import differences_alone
from .constructs import CONSTRUCTS
from .generate import generate


@pytest.fixture(scope="module")
def some():
    return [generate(seed) for seed in range(400)]


def test_a_seed_gives_one_program_and_one_set_of_arguments(some):
    for program in some[:20]:
        again = generate(program.seed)
        assert again == program
        assert same_bits(again.arguments(), program.arguments())


def test_arguments_are_built_anew_each_time(some):
    for program in some[:50]:
        first, second = tree_leaves(program.arguments()), tree_leaves(program.arguments())
        pairs = zip(first, second, strict=True)
        assert not any(np.shares_memory(a, b) for a, b in pairs if isinstance(a, np.ndarray) and a.size)


def test_nearly_every_first_attempt_runs(some):
    assert sum(program.attempts for program in some) <= 1.05 * len(some)


def test_programs_run_at_other_sizes(some):
    ran = 0
    for program in some[:200]:
        namespace = {"__name__": "other"}
        with np.errstate(all="ignore"):
            exec(program.source, namespace)
            try:
                ran += bool(np.isfinite(namespace["f"](*program.arguments(1, program.other_sizes, namespace))))
            except (ValueError, IndexError, RecursionError):
                pass  # an axis of length 1, where the program reads the second element, or counts down from it
    assert ran > 180


def test_differences_at_two_step_sizes_agree(some):
    outcomes = Counter(differences_alone(program).kind for program in some[:150])
    assert outcomes["ok"] >= 0.98 * outcomes.total()
    assert not outcomes["wrong"]


def test_every_construct_occurs_often_enough(some):
    found = Counter(construct for program in some for construct in program.constructs)
    assert not [c for c in CONSTRUCTS if found[c] < 0.03 * len(some)]
