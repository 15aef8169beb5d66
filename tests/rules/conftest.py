"""Rules that a test registers are gone after it, so that the others do not meet them."""

from collections.abc import Iterator

import pytest

from rules.libraries import load_installed
from rules.rule import _all, _methods, _rules


@pytest.fixture
def own_rules() -> Iterator[None]:
    load_installed()  # a library is not loaded twice
    functions, methods, everything = dict(_rules), dict(_methods), list(_all)
    yield
    _rules.clear()
    _rules.update(functions)
    _methods.clear()
    _methods.update(methods)
    _all[:] = everything
