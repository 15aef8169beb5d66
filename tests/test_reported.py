"""Small programs that users of other tools have reported, with the right gradients in closed form: `reported.jsonl`.

`source` names the public report; the programs say in a few lines what it is about.
"""

import copy
import json
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompiler import grad

REPORTS = [json.loads(line) for line in (Path(__file__).parent / "reported.jsonl").read_text().splitlines()]


def loaded(report: dict[str, Any]) -> dict[str, Any]:
    """The names that the program defines, its source at hand as in a notebook."""
    text, file = report["program"], f"<{report['source']}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), names)
    return names


def leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [leaf for k in sorted(x) for leaf in leaves(x[k])]
    return [leaf for item in x for leaf in leaves(item)] if isinstance(x, tuple | list) else [np.asarray(x)]


def close(got: Any, wanted: Any, tolerance: float) -> bool:
    pairs = list(zip(leaves(got), leaves(wanted), strict=True))
    return all(g.shape == w.shape and np.allclose(g, w, tolerance, tolerance / 100) for g, w in pairs)


@pytest.mark.parametrize("report", REPORTS, ids=lambda r: f"{r['kind']} {r['source']}")
def test_reported_elsewhere(report):
    names = loaded(report)
    args = eval(report["args"], names)
    before = copy.deepcopy(args)
    found = grad(names["f"], tuple(report["argnums"]))(*args)
    wanted = [eval(text, {**names, "args": before}) for text in (report["expect"], *report.get("also_ok", []))
              if not text.startswith("error")]  # fmt: skip
    assert any(close(found, w, report.get("tol", 1e-6)) for w in wanted)
    assert close(args, before, 0.0), "the arguments were changed"
