"""No public function of NumPy and of these modules of SciPy is unknown: it has a rule, or is refused with a reason."""

import types

import numpy as np
import pytest

from adcompiler.coverage import ASIDE, MODULES, missing, public_name, table
from rules.rule import registry

SCIPY = "special linalg fft signal signal.windows ndimage integrate optimize spatial.distance".split()


@pytest.mark.parametrize("library", ["numpy", *(f"scipy.{name}" for name in SCIPY)])
def test_no_public_function_is_unknown(library: str) -> None:
    unknown = list(missing(library))
    assert not unknown, f"give them a rule, or a reason in rules/*/refused.py: {', '.join(unknown)}"


def test_what_is_left_aside_of_numpy_is_no_more_than_is_said() -> None:
    """A new module of NumPy is either looked through or named among those that are not."""
    named = {*MODULES["numpy"], *" ".join(ASIDE).split()}
    there = {f"numpy.{name}" for name in dir(np) if not name.startswith("_") and name != "emath"
             and isinstance(getattr(np, name), types.ModuleType)}  # fmt: skip
    assert {name for name in there if name.startswith("numpy.")} <= named


def test_what_is_refused_says_why() -> None:
    assert all(len(r.why.split()) > 4 for r in registry() if r.why)


def test_each_function_of_a_rule_is_found_where_users_call_it() -> None:
    """But what is the project's own: what generated code calls, and the primitives of derivatives."""
    lost = [f"{rule.name} ({rule.where})" for rule in registry(installed=True)
            if not rule.why and rule.where.startswith("rules.") for f in rule.functions
            if not public_name(f) and not getattr(f, "__module__", "").startswith("rules.")]  # fmt: skip
    assert not lost


def test_a_function_has_one_row_whatever_its_names() -> None:
    names = [row.name for row in table()]
    assert len(set(names)) == len(names)
    assert "numpy.absolute" in names and "numpy.abs" not in names
