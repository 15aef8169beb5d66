"""No public function of NumPy and of these modules of SciPy is unknown: it has a rule, or is refused with a reason."""

from typing import Any

import numpy as np
import pytest
from scipy import fft as scipy_fft
from scipy import integrate, linalg, ndimage, optimize, signal, special
from scipy.spatial import distance

from adcompiler.frontend.calls import WRITERS
from adcompiler.frontend.structural import STRUCTURAL
from rules.libraries import is_followed
from rules.rule import find, registry


def public(module: Any) -> dict[str, Any]:
    """The functions of a module, by name: no classes, among them dtypes, and not the runner of their tests."""
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return {k: f for k, f in found.items() if callable(f) and not isinstance(f, type) and k != "test"}


def known(function: Any) -> bool:
    return find(function) is not None or is_followed(function) or function in STRUCTURAL or function in WRITERS


MODULES = [np, np.linalg, np.fft, special, linalg, scipy_fft, signal, signal.windows, ndimage, integrate, distance,
           optimize]  # fmt: skip


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_no_public_function_is_unknown(module: Any) -> None:
    unknown = {name for name, f in public(module).items() if not known(f)}
    assert not unknown, f"give them a rule, or a reason in rules/*/refused.py: {', '.join(sorted(unknown))}"


def test_what_is_refused_says_why() -> None:
    assert all(len(r.why.split()) > 4 for r in registry() if r.why)
