"""The benchmarks compare before they time, count arrays, and write what they found. No time is judged here."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from adcompiler import grad
from benchmarks import measure, spellings
from benchmarks.allocations import AllocationCounter, Allocations, allocations, large_arrays
from benchmarks.comparison import Implementation, Unavailable, compare
from benchmarks.elementwise_rules import CASES, special_cases
from benchmarks.measure import Effort, Spread, difference, paired, rounds, verdict
from benchmarks.report import notes, workload_table
from benchmarks.row import Disagreement, agree
from benchmarks.rows import measure_all
from benchmarks.workloads import WORKLOADS, numbers, products, stencils
from benchmarks.workloads.workload import Workload, normal, once
from rules.rule import registry

from .numerics import differences

ROOT = Path(__file__).parents[1]

#: As little as there can be.
LEAST = Effort(rounds=2, budget=0.01, compilations=2, processes=1)

ROWS = {
    "compile 20 lines, straight",
    "compile 20 lines, loop, branch",
    "first gradient, 3-layer MLP, new process",
    "imports, NumPy's included",
    "grad of sum(sin(x) * x), 3 elements",
    "logistic regression, 100 x 10, value+grad",
    "logistic regression, 10,000 x 100, value+grad",
    "RNN, 50 steps, hidden 16, value+grad",
    "RNN, 50 steps, hidden 64, value+grad",
    *(f"rule of {f.__name__}, 100,000 elements" for f, *_ in (*CASES, *special_cases())),
    *(f"compile a loop of {n}, {way}" for n in ("10", "500", "1,000,000") for way in ("argument", "literal")),
}

each_workload = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)


# ------------------------------------------------------------------------------------------- compiling and calling
@pytest.fixture(scope="module")
def rows():
    return [row.as_json() for row in measure_all(LEAST)]


def test_every_row_is_measured_and_none_fails(rows):
    assert [row for row in rows if "failed" in row] == []
    assert {row["name"] for row in rows} == ROWS


def test_results_agree_with_adjoints_by_hand(rows):
    compared = {row["name"]: row["difference"] for row in rows if row["difference"] is not None}
    assert compared.keys() == ROWS - {"imports, NumPy's included"}
    by_differences = {name for name in compared if name.startswith("compile 20")}
    assert all(found <= (1e-5 if name in by_differences else 1e-9) for name, found in compared.items())


def test_every_elementwise_rule_of_numpy_has_a_row():
    ufuncs = {f for rule in registry() if rule.pullbacks for f in rule.functions if isinstance(f, np.ufunc)}
    plain = {f.__name__ for f in ufuncs if not f.signature and f.nout == 1 and getattr(np, f.__name__, None) is f}
    assert plain - {f.__name__ for f, *_ in CASES} <= {"ldexp", "nextafter"}


@pytest.mark.parametrize("case", [*CASES, *special_cases()], ids=lambda case: case[0].__name__)
def test_formulas_by_hand_agree_with_differences(case):
    function, formulas, low, high = case
    two = getattr(function, "nin", 1) == 2
    w, *args = np.random.default_rng(2).uniform(low, high, (3 if two else 2, 5))
    for k, found in enumerate(formulas(w, *args)):
        up, down = ([a + h * (i == k) for i, a in enumerate(args)] for h in (1e-6, -1e-6))
        np.testing.assert_allclose(found, w * (function(*up) - function(*down)) / 2e-6, rtol=1e-6, atol=1e-7)


def test_each_row_has_a_median_between_its_quartiles(rows):
    for row in rows:
        assert 0 < row["value"]["low"] <= row["value"]["median"] <= row["value"]["high"]


def test_results_that_differ_are_not_timed():
    with pytest.raises(Disagreement):
        agree((1.0, {"W": np.ones(3)}), (1.0, {"W": np.array([1.0, 1.0, 1.1])}))


@pytest.mark.parametrize(
    "a, b",
    [
        (np.ones(3), np.ones((3, 1))),
        (np.ones(3), np.ones(3, np.float32)),
        ((1.0,), (1.0, 1.0)),
        ({"W": 1.0}, {"b": 1.0}),
    ],
)
def test_results_of_another_structure_differ(a, b):
    assert difference(a, b) == np.inf


# ------------------------------------------------------------------------------------------------- the references
@each_workload
def test_the_adjoint_by_hand_agrees_with_differences(workload):
    arguments = workload.small()
    found = workload.references["hand"](*arguments)(*arguments)
    gradient = found[1] if workload.value else found
    assert difference(gradient, tuple(differences(workload.function, arguments, i) for i in workload.argnums)) < 1e-6
    if workload.value:
        assert difference(found[0], workload.function(*arguments)) < 1e-12


@each_workload
def test_references_agree_at_arguments_that_they_were_not_prepared_with(workload):
    first = workload.small()
    second = tuple(0.9 * a if isinstance(a, float | np.ndarray) else a for a in first)
    prepared = {name: prepare(*first) for name, prepare in workload.references.items()}
    for arguments in (first, second, first):
        wanted = prepared["hand"](*arguments)
        for name, gradient in prepared.items():
            assert difference(gradient(*arguments), wanted) < 1e-12, name


PREPARED = [w for w in WORKLOADS if "pre" in w.references and not w.long]


@pytest.mark.parametrize("workload", PREPARED, ids=lambda w: w.name)
def test_a_prepared_reference_allocates_no_large_array(workload):
    arguments = workload.arguments()
    gradient = workload.references["pre"](*arguments)
    assert allocations(lambda: gradient(*arguments)).large == 0


WITHOUT_STORES = [
    (products.energies, spellings.energies),
    (numbers.filtered, spellings.filtered),
    (stencils.burgers, spellings.burgers),
]


@pytest.mark.parametrize("program, spelled", WITHOUT_STORES, ids=lambda f: f.__name__)
def test_a_program_without_stores_is_the_same_program(program, spelled):
    arguments = next(w for w in WORKLOADS if w.function is program).small()
    assert difference(spelled(*arguments), program(*arguments)) < 1e-12


# ----------------------------------------------------------------------------------------------------- comparing
def cubes(x):
    return np.sum(x * x * x)


def cubes_by_hand(x):
    return (3.0 * x * x,)


def cubes_with_a_mistake(x):
    d_x = 3.0 * x * x
    d_x[-1] *= 1.0 + 1e-6
    return (d_x,)


def arguments():
    return (normal(200),)


CUBES = Workload("cubes", cubes, arguments, arguments, (0,), {"hand": once(cubes_by_hand)}, bar=1e9)


def test_ours_and_the_references_are_compared_counted_and_timed():
    found = compare(CUBES, (), LEAST)
    assert found.failures == {} and found.measured.keys() == {"ours", "hand"}
    assert found.measured["hand"].ratio == Spread(1.0, 1.0, 1.0, LEAST.rounds)
    assert (found.base, found.verdict) == ("hand", "met")
    assert (found.primal_allocations.large, found.large_results) == (2, 1)
    assert found.measured["hand"].allocations.large == 2 and found.surplus("hand") == -1


@pytest.mark.parametrize("culprit", ["pre", "best"])
def test_a_reference_that_disagrees_is_named_and_not_timed(culprit):
    planted = replace(CUBES, references={**CUBES.references, culprit: once(cubes_with_a_mistake)})
    found = compare(planted, (), LEAST)
    assert found.measured.keys() == {"ours", "hand"} and found.base == "hand"
    assert found.failures.keys() == {culprit} and found.failures[culprit].startswith("disagrees")


def test_a_reference_by_hand_that_is_wrong_disagrees_with_ours():
    found = compare(replace(CUBES, references={"hand": once(cubes_with_a_mistake)}), (), LEAST)
    assert found.failures["ours"].startswith("disagrees") and found.verdict is None


def test_a_peer_that_cannot_or_that_fails_is_a_line_among_the_notes():
    def cannot(workload, arguments):
        raise Unavailable("no stores")

    peers = (Implementation("jax", cannot), Implementation("torch", lambda w, arguments: lambda: 1 / 0))
    found = compare(CUBES, peers, LEAST)
    assert found.measured.keys() == {"ours", "hand"}
    assert list(notes([found])) == ["cubes, jax: no stores", "cubes, torch: ZeroDivisionError: division by zero"]


def test_a_refusal_of_ours_misses_the_bar_and_gives_the_reason():
    def opaque(x):
        return np.sum(np.unique(x))

    found = compare(replace(CUBES, function=opaque), (), LEAST)
    assert found.failures["ours"].startswith("refused: ") and "unique" in found.failures["ours"]
    cells = [list(column.cells) for column in workload_table([found]).columns]
    assert cells[2] == ["[red]refused[/]"] and "missed" in cells[4][0]


# ----------------------------------------------------------------------------------------------------- the arrays
@pytest.mark.parametrize(
    "make, count, large, peak",
    [
        (lambda: None, 0, 0, 0),
        (lambda: np.empty(127), 1, 0, 1016),
        (lambda: np.empty(128), 1, 1, 1024),
        (lambda: np.zeros((4, 100)), 1, 1, 3200),
        (lambda: [np.empty(200) for _ in range(50)], 50, 50, 80_000),
        (lambda: [np.empty(200).size for _ in range(50)], 50, 50, 1600),
    ],
    ids=["nothing", "small", "large", "zeros", "kept", "dropped"],
)
def test_arrays_are_counted_one_by_one(make, count, large, peak):
    found = allocations(make)
    assert (found.count, found.large, found.peak) == (count, large, peak)


def test_each_result_of_a_ufunc_is_an_array_and_what_is_written_in_place_is_none():
    x, out = np.ones(1000), np.empty(1000)
    assert allocations(lambda: np.sin(x)) == Allocations(1, 1, 8000, 8000)
    assert allocations(lambda: np.sin(x, out)) == Allocations(0, 0, 0, 0)


def test_arrays_outlive_their_counter_and_are_not_counted_twice():
    with AllocationCounter() as counter:
        kept = np.full(300, 2.0)
    after = np.empty(300)
    total = counter.total
    assert total.large == 1 and np.sum(kept) == 600.0
    del kept, after
    assert counter.total == total
    assert allocations(lambda: None).count == 0


def test_a_counter_gives_the_hook_back_when_the_call_raises():
    with pytest.raises(ZeroDivisionError), AllocationCounter() as counter:
        1 / 0
    np.empty(300)
    assert counter.total.count == 0


def test_large_arrays_of_a_result_are_found_in_its_structure():
    small, large = np.empty(127), np.empty(128)
    assert large_arrays((1.0, {"W": large, "b": small}, [large, (large,)])) == 3


def test_a_gradient_allocates_the_same_in_every_call_after_the_first():
    gradient, x = grad(cubes), normal(500)
    gradient(x)
    assert allocations(lambda: gradient(x)) == allocations(lambda: gradient(x))


# ----------------------------------------------------------------------------------------------------- the clocks
def test_spread_is_median_and_quartiles():
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 5.0]) == Spread(3.0, 2.0, 4.0, 5)


def test_ratios_are_of_the_rounds_that_two_share():
    assert paired(np.array([2.0, 6.0]), np.array([1.0, 2.0, 100.0])) == Spread(2.5, 2.25, 2.75, 2)


@pytest.mark.parametrize("ratio, word", [(1.0, "met"), (1.1, "met"), (1.11, "tie"), (1.26, "tie"), (1.27, "missed")])
def test_a_ratio_within_fifteen_percent_above_its_bar_is_a_tie(ratio, word):
    assert verdict(ratio, 1.1) == word


def test_calls_take_turns_and_one_that_is_too_long_takes_few(monkeypatch):
    now, order = [0.0], []
    monkeypatch.setattr(measure, "clock", lambda: now[0])

    def lasting(name, length):
        def call():
            now[0] += length
            order.append(name)

        return call

    samples = rounds({"a": lasting("a", 0.125), "b": lasting("b", 0.25), "c": lasting("c", 9.0)}, 60, budget=3.0)
    assert {name: len(s) for name, s in samples.items()} == {"a": 8, "b": 8, "c": measure.FEW}
    assert np.all(samples["b"] / samples["a"] == 2.0)
    assert order[-18:] == [*"abcabc", *"ab" * 6]


# ---------------------------------------------------------------------------------------------------- the command
@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    """Of the two measurements with `recurren` in their names: a row, and a workload."""
    folder = tmp_path_factory.mktemp("bench")
    environment = {**os.environ, "QUICK": "1", "ONLY": "recurren", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, folder / "bench-output"


def test_the_command_shows_and_writes_what_it_measured(quick_run):
    printed, output = quick_run
    written = json.loads((output / "results.json").read_text())
    names = [row["name"] for row in written["rows"] + written["workloads"]]
    assert names == [
        "RNN, 50 steps, hidden 16, value+grad",
        "RNN, 50 steps, hidden 64, value+grad",
        "recurrence over 10,000 elements",
    ]
    assert all(name in printed for name in names) and written["quick"]


def test_the_command_writes_each_implementation_with_its_ratio_and_arrays(quick_run):
    (found,) = json.loads((quick_run[1] / "results.json").read_text())["workloads"]
    assert found["measured"].keys() == {"ours", "hand", "best"} and found["failures"] == {}
    assert found["bar"] == 1.2 and found["verdict"] in ("met", "tie", "missed")
    assert found["surplus"]["ours"] == found["measured"]["ours"]["allocations"]["large"] - 3


def test_the_command_draws_a_chart(quick_run):
    assert (quick_run[1] / "ratios.png").read_bytes().startswith(b"\x89PNG")


def test_names_of_workloads_are_unique():
    names = [w.name for w in WORKLOADS]
    assert len(set(names)) == len(names)


def test_a_name_with_brackets_is_shown_as_it_is():
    found = compare(replace(CUBES, name="sum(xs[i])"), (), LEAST)
    console = Console(file=StringIO(), width=180)
    console.print(workload_table([found]))
    assert "sum(xs[i])" in console.file.getvalue()
