"""Every case of every table, by `check_rule`."""

import pytest

from tests.rules.case import Case, tables

ALL = [pytest.param(c, id=f"{name[6:]}-{k}-{c}") for name, table in tables() for k, c in enumerate(table)]


@pytest.mark.parametrize("case", ALL)
def test_rule(case: Case) -> None:
    case.run()
