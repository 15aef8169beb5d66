"""No public function of NumPy and `scipy.special` is unknown: it has a rule, or is refused with a reason."""

from typing import Any

import numpy as np
import pytest
from scipy import special

from adcompiler.frontend.calls import WRITERS
from adcompiler.frontend.structural import STRUCTURAL
from rules.rule import find, registry

#: The functions whose rules are to come. The list is to be shortened: what has a rule may not stand here.
TO_COME: dict[Any, frozenset[str]] = {
    np: frozenset(),
    special: frozenset(),
    np.linalg: frozenset(
        "cond cross diagonal eig eigvals lstsq matmul matrix_norm matrix_rank matrix_transpose multi_dot outer pinv "
        "qr svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm".split()
    ),
    np.fft: frozenset(
        "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq "
        "rfftn".split()
    ),
}


def public(module: Any) -> dict[str, Any]:
    """The functions of a module, by name: no classes, among them dtypes, and not the runner of their tests."""
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return {k: f for k, f in found.items() if callable(f) and not isinstance(f, type) and k != "test"}


def known(function: Any) -> bool:
    return find(function) is not None or function in STRUCTURAL or function in WRITERS


@pytest.mark.parametrize("module", TO_COME, ids=lambda m: m.__name__)
def test_no_public_function_is_unknown(module: Any) -> None:
    unknown = {name for name, f in public(module).items() if not known(f)} - TO_COME[module]
    assert not unknown, f"give them a rule, or a reason in rules/*/refused.py: {', '.join(sorted(unknown))}"


def test_what_is_to_come_is_not_there() -> None:
    there = [f"{m.__name__}.{name}" for m, names in TO_COME.items() for name in names if known(public(m).get(name))]
    assert not there, f"take them from the list: {', '.join(there)}"


def test_what_is_refused_says_why() -> None:
    assert all(len(r.why.split()) > 4 for r in registry() if r.why)
