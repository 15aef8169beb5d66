"""The benchmarks run, agree before they time, and write what they found. No time is judged here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.measure import Spread, difference
from benchmarks.rows import Disagreement, agree

ROOT = Path(__file__).parents[1]

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
    *(f"compile a loop of {n}, {way}" for n in ("10", "500", "1,000,000") for way in ("argument", "literal")),
}


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    environment = {**os.environ, "QUICK": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "150"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "bench-output" / "results.json").read_text())


def test_every_row_is_measured_and_none_fails(quick_run):
    _, written = quick_run
    assert [row for row in written["rows"] if "failed" in row] == []
    assert {row["name"] for row in written["rows"]} == ROWS


def test_results_agree_with_adjoints_by_hand(quick_run):
    _, written = quick_run
    compared = {row["name"]: row["difference"] for row in written["rows"] if row["difference"] is not None}
    assert compared.keys() == ROWS - {"imports, NumPy's included"}
    differences = {name for name in compared if name.startswith("compile 20")}  # against finite differences
    assert all(found <= (1e-5 if name in differences else 1e-9) for name, found in compared.items())


def test_each_row_has_a_median_between_its_quartiles(quick_run):
    _, written = quick_run
    for row in written["rows"]:
        value = row["value"]
        assert 0 < value["low"] <= value["median"] <= value["high"]
        assert row["met"] == (None if row["bar"] is None else value["median"] <= row["bar"])


def test_table_shows_every_row(quick_run):
    printed, _ = quick_run
    assert all(name in printed for name in ROWS)


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


def test_spread_is_median_and_quartiles():
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 5.0]) == Spread(3.0, 2.0, 4.0, 5)
