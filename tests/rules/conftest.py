"""Rules that a test registers are gone after it, so that the others do not meet them."""

from collections.abc import Iterator

import pytest

from rules.libraries import load_imported
from rules.rule import _all, _methods, _rules


@pytest.fixture
def own_rules() -> Iterator[None]:
    load_imported()  # rules of a library are registered once, and would be gone
    functions, methods, everything = dict(_rules), dict(_methods), list(_all)
    yield
    _rules.clear()
    _rules.update(functions)
    _methods.clear()
    _methods.update(methods)
    _all[:] = everything
