"""A rule without a check fails here."""

from rules.rule import registry
from tests.rules.case import tables


def test_every_differentiable_rule_has_a_case() -> None:
    checked = {id(case.rule) for _, table in tables() for case in table}
    missing = [f"{r.name} ({r.where})" for r in registry()
               if r.differentiable and r.where.startswith("rules.") and id(r) not in checked]  # fmt: skip
    assert not missing, f"write a case for these in tests/rules/cases_*.py: {', '.join(missing)}"


def test_every_case_is_of_a_function_that_has_a_rule() -> None:
    lost = [f"{name}: {case}" for name, table in tables() for case in table if case.rule is None]
    assert not lost
