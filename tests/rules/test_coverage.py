"""A rule without a check fails here, or one of its functions or keywords; and one whose arguments stand in another
order than its function's."""

import inspect

import numpy as np
import pytest

from adcompiler.coverage import public_name
from rules.kind import KindError
from rules.rule import Rule, registry
from tests.rules.case import Case, tables
from tests.rules.cases_keywords import ALONE, REFUSED, given, options


def ours() -> list[Rule]:
    """The rules of the project, not those of programs in other tests.

    Those of functions that call the user's are not among them: tests/test_implicit.py has programs with these.
    """
    found = registry(installed=True)
    return [rule for rule in found if rule.where.startswith("rules.") and not rule.callbacks]


def test_every_differentiable_rule_has_a_case() -> None:
    checked = {id(case.rule) for _, table in tables() for case in table}
    missing = [f"{r.name} ({r.where})" for r in ours() if r.differentiable and not r.why and id(r) not in checked]
    assert not missing, f"write a case for these in tests/rules/cases_*.py: {', '.join(missing)}"


def test_every_function_of_a_rule_has_a_case() -> None:
    """A rule may serve several, a function and a method of arrays: each is called."""
    called = {case.function for _, table in tables() for case in table}
    missing = [f for r in ours() if r.pullbacks for f in (*r.functions, *r.methods)
               if f not in called and (isinstance(f, str) or public_name(f))]  # fmt: skip
    assert not missing


def test_every_keyword_has_a_case_with_another_value() -> None:
    """Or all other values are refused, as a case of `REFUSED` shows."""
    cases = [case for _, table in tables() for case in table] + [case for _, case in REFUSED]
    tried = {(id(case.rule), name) for case in cases for name in given(case)}
    missing = {
        f"{rule.name} ({rule.where})": names
        for rule in ours()
        if rule.pullbacks and any(map(public_name, rule.functions))
        if (names := {n for n in options(rule) - ALONE.get(rule.name, set()) if (id(rule), n) not in tried})
    }
    assert not missing, f"write a case for these in tests/rules/cases_keywords.py: {missing}"


@pytest.mark.parametrize("words, case", REFUSED, ids=[f"{k}-{case}" for k, (_, case) in enumerate(REFUSED)])
def test_values_of_keywords_that_are_refused(words: str, case: Case) -> None:
    with pytest.raises(KindError) as refusal:
        case.kind()
    assert words in str(refusal.value) and refusal.value.remedy


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
