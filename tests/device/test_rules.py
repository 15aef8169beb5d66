"""Every case of every table of rules, compiled for arrays of the device: what NumPy gives, and nothing leaves.

What CuPy has no function for is refused by name, or CuPy refuses it itself, as it does the user's own program.
"""

import warnings
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, vjp
from rules.samples import random_like
from tests.device.library import REAL, counted, numbers, same, to_device, to_host, xp
from tests.device.programs import Program, program
from tests.rules.case import Case, tables

#: Where the pullback has to ask for a value, and the function does not.
ASKS = {"qr": "whether the factor is singular", "i0": "how many terms of the series are wanted",
        "bessel_over_power": "how many terms of the series are wanted"}  # fmt: skip
#: What runs on the device, and is refused by name.
REFUSED = {
    **dict.fromkeys(("float64", "float32", "complex128", "complex64"), "it makes a number of the host"),
    **dict.fromkeys(("fftshift", "ifftshift"), "SciPy's are not those of CuPy, if they happen to run"),
    **dict.fromkeys(("cbrt", "softplus"), "it is SciPy's, and no function of cupyx.scipy.special"),
    **dict.fromkeys(("psi", "yvp"), "its derivative needs zeta or yvp, which SciPy writes in Python"),
    **dict.fromkeys(("exprel", "inv_boxcox", "inv_boxcox1p", "ellipk"), "its derivative is hypergeometric"),
    **dict.fromkeys(("j1", "i1", "i1e"), "its derivative needs a Bessel function of any order"),
    "ellipkinc": "its derivative needs one of Carlson's integrals",
    "weight_products": "it correlates, by SciPy",
}
#: Primitives of rules of what CuPy has not, which nothing else calls.
ELSEWHERE = {"old_part": "np.insert", "new_part": "np.insert", "corner": "np.block"}
ALL = [pytest.param(c, id=f"{table[6:]}-{k}-{c}") for table, cases in tables() for k, c in enumerate(cases)
       if c.function not in ELSEWHERE and getattr(c.function, "__name__", "") not in ELSEWHERE]  # fmt: skip


def cotangent(value: Any) -> Any:
    """A random cotangent of a value of NumPy; None for what has none."""
    if isinstance(value, tuple | list):
        return type(value)(map(cotangent, value)) if type(value) in (tuple, list) else tuple(map(cotangent, value))
    moves = np.asarray(value).dtype.kind in "fc"
    return random_like(value, np.random.default_rng(0)) if moves else None


def beside(value: Any, d: Any) -> Any:
    """A cotangent on the device, where the value is."""
    if isinstance(value, tuple | list):
        return type(value)(map(beside, value, d))
    return xp.asarray(d) if type(value) is xp.ndarray and d is not None else d


@pytest.mark.parametrize("case", ALL)
def test_rule(case: Case) -> None:
    made = program(case)
    if made is None:
        return  # it is of numbers, or of what has no derivative
    name = case.function if isinstance(case.function, str) else getattr(case.function, "__name__", "")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        args = tuple(map(to_device, made.args))
        with counted() as plain:
            runs = succeeds(made, args)
        with counted() as count:
            try:
                value, pullback = vjp(made.function, *args, argnums=made.wrt)
            except Exception as error:
                of_scipy = "what SciPy computes here has no form" in str(error)
                named = isinstance(error, UnsupportedError) and (name in REFUSED or of_scipy)
                assert not runs or named or refused_by_numpy(made), error
                return
        plain_value, plain_pullback = vjp(made.function, *made.args, argnums=made.wrt)
        d = cotangent(plain_value)
        there = beside(value, d)
        with counted() as back:
            gradients = pullback(there)
    same((plain_value, plain_pullback(d)), (value, gradients), 1e-6 if REAL else 1e-9)
    assert count.uploads == back.uploads == 0
    assert not runs or max(count.transfers, back.transfers) <= plain.transfers
    assert not runs or max(count.waits, back.waits - (name in ASKS)) <= plain.waits


def succeeds(made: Program, args: Any) -> bool:
    """Does the function itself run on the device?"""
    try:
        made.function(*args)
    except Exception:
        return False
    return True


def refused_by_numpy(made: Program) -> bool:
    """Is the case no program for NumPy's arrays either?"""
    try:
        vjp(made.function, *made.args, argnums=made.wrt)
    except Exception:
        return True
    return False


def test_nothing_is_left_out_unseen() -> None:
    """The stand-in refuses what CuPy refuses."""
    x = to_device(np.ones(3))
    with pytest.raises(TypeError):
        np.asarray(x)
    with pytest.raises(TypeError):
        x + np.ones(3)
    assert numbers(to_host([x]))[0].tolist() == [1, 1, 1]
