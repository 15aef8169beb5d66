"""Small programs that users of other tools have reported, with the right gradients in closed form: `reported.jsonl`.

`source` names the public report; the programs say in a few lines what it is about. Some may be refused.
"""

import copy
import dataclasses
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
    names: dict[str, Any] = {"np": np, "__name__": "reported"}
    exec(compile(text, file, "exec"), names)
    return names


def leaves(x: Any) -> list[Any]:
    if dataclasses.is_dataclass(x):
        x = vars(x)
    if isinstance(x, dict):
        return [leaf for k in sorted(x) for leaf in leaves(x[k])]
    return [leaf for item in x for leaf in leaves(item)] if isinstance(x, tuple | list) else [np.asarray(x)]


def close(got: Any, wanted: Any, tolerance: float) -> bool:
    pairs = list(zip(leaves(got), leaves(wanted), strict=True))
    return all(g.shape == w.shape and np.allclose(g, w, tolerance, tolerance / 100) for g, w in pairs)


def error_in(names: dict[str, Any], report: dict[str, Any]) -> str:
    """What is said where a report expects an error, or may have one; nothing if there is none."""
    args = eval(report["args"], names)
    try:
        grad(names["f"], tuple(report["argnums"]))(*args)
    except Exception as error:
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of programs at poles
@pytest.mark.parametrize("report", REPORTS, ids=lambda r: f"{r['kind']} {r['source']}")
def test_reported_elsewhere(report):
    names = loaded(report)
    accepted = (report["expect"], *report.get("also_ok", []))
    if any(text.startswith("error") for text in accepted) and (said := error_in(names, report)):
        assert any(word in said for word in report["error_mentions"])
        return
    args = eval(report["args"], names)
    before = copy.deepcopy(args)
    found = second(names["f"], report, args) if report.get("order") == 2 else \
        grad(names["f"], tuple(report["argnums"]))(*args)  # fmt: skip
    wanted = [eval(text, {**names, "args": before}) for text in accepted if not text.startswith("error")]
    assert any(close(found, w, report.get("tol", 1e-6)) for w in wanted)
    for now, then in zip(leaves(args), leaves(before), strict=True):
        np.testing.assert_array_equal(now, then, "the arguments were changed")


def second(f: Any, report: dict[str, Any], args: Any) -> Any:
    """The derivative of the gradient along a vector."""
    v = np.broadcast_to(eval(report.get("v", "1.0"), {"np": np}), np.shape(args[0])) + 0.0
    return (grad(lambda x: np.sum(grad(f)(x) * v))(*args),)


def test_all_kinds_are_there():
    kinds = {report["kind"] for report in REPORTS}
    assert {"nan", "linalg", "special", "broadcast", "dtype"} <= kinds
    assert {"mutation", "aliasing", "control-flow", "container", "indexing", "error-message", "higher-order"} <= kinds
