"""A rule without a check fails here, and one whose arguments stand in another order than its function's."""

import inspect

import numpy as np

from rules.rule import Rule, registry
from tests.rules.case import tables


def test_every_differentiable_rule_has_a_case() -> None:
    checked = {id(case.rule) for _, table in tables() for case in table}
    missing = [f"{r.name} ({r.where})" for r in registry()
               if r.differentiable and not r.why and r.where.startswith("rules.") and id(r) not in checked
               and not r.callbacks]  # fmt: skip - those are in tests/test_implicit.py
    assert not missing, f"write a case for these in tests/rules/cases_*.py: {', '.join(missing)}"


def test_every_case_is_of_a_function_that_has_a_rule() -> None:
    lost = [f"{name}: {case}" for name, table in tables() for case in table if case.rule is None]
    assert not lost


def _order(rule: Rule, function: object) -> tuple[list[str], list[str]]:
    """The names of the arguments after the first, those of the rule and those that the function takes by position."""
    try:
        signature = inspect.signature(function)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return [], []
    places = [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    mine = [] if any(p.star for p in rule.parameters) else [p.name for p in rule.parameters]
    return mine[1:], places[1:]


def test_an_argument_by_position_is_the_one_that_numpy_takes_there() -> None:
    """Behind `out`, which every rule leaves out, a position means nothing: only None can stand there."""
    wrong = []
    for rule in registry():
        methods = [getattr(np.ndarray, m.removeprefix("ndarray.")) for m in rule.methods]
        for f in [*rule.functions, *methods]:
            if not str(getattr(f, "__module__", "numpy")).startswith("numpy") or isinstance(f, np.ufunc):
                continue
            for mine, theirs in zip(*_order(rule, f)):
                if theirs == "out":
                    break
                if mine != theirs and theirs != "other":
                    wrong.append(f"{f}: {mine} stands where NumPy takes {theirs}")
    assert not wrong
