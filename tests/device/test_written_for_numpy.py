"""Programs that are written for NumPy, the examples among them, as they are for the library of the device.

Only what `np` means is another library. What they give there is what Python gives there, and where that is what NumPy
gives, so is the gradient. An element of an array is a view of it there, so that programs that swap elements by
`y[i], y[j] = y[j], y[i]` give something else: of these the gradient is compared with differences.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompiler import check_grad, value_and_grad
from tests.device.library import counted, numbers, same, to_device, to_host
from tests.device.modules import on_device
from tests.golden import cases as golden
from tests.programs import dynamics, factorisations, learning, solvers, stencils, tables
from tests.programs.test_programs import active
from tests.test_example_programs import EXAMPLES
from tests.test_example_programs import PROGRAMS as OF_EXAMPLES

#: What waits once more than the sum of both sweeps: what a mask has stored is read back by it, and placed by it.
MASKED = {"clipped"}
#: What gives something else on the device, where the elements that they keep are views.
VIEWS = {"bubble_sort", "lu_with_pivots", "until_converged"}
#: What calls solvers of SciPy, which compute with arrays of the host alone.
OF_THE_HOST = {"implicit_euler"}


@dataclass
class Job:
    """A function of NumPy, the same of the device, arguments, and by which it is differentiated."""

    here: Callable[..., Any]
    there: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: Any


def jobs() -> dict[str, Job]:
    found = {}
    for m in (stencils, solvers, factorisations, tables, dynamics, learning):
        module = on_device(Path(m.__file__))
        for f, args in m.PROGRAMS:
            found[f.__name__] = Job(f, getattr(module, f.__name__), args, active(args))
    for name in (n for n in golden.NAMES if n not in OF_THE_HOST):
        asked, source = golden.case(name), golden.module(name, "source")
        if asked.mode == "grad" and asked.example is not None:
            f, module = getattr(source, asked.function), on_device(Path(source.__file__))
            found[f"golden {name}"] = Job(f, getattr(module, asked.function), asked.arguments(), asked.argnums)
    for name, (f, argnums, _, arguments) in OF_EXAMPLES.items():
        module = on_device(EXAMPLES / f"{name}.py")
        args = arguments(np.random.default_rng(0))
        found[f"example {name}"] = Job(f, getattr(module, f.__name__), args, argnums)
    return found


JOBS = jobs()


@pytest.mark.parametrize("name", JOBS)
def test_program(name: str) -> None:
    job = JOBS[name]
    args = to_device(copy.deepcopy(job.args))
    with counted() as plain:
        own = job.there(*to_device(copy.deepcopy(job.args)))
    compiled = value_and_grad(job.there, job.argnums)
    for _ in range(2):
        with counted() as count:
            value, d = compiled(*args)
        same(to_host(own), value, 1e-12)
    same(to_host(args), to_device(job.args))
    by_number = sum(isinstance(x, float | complex | np.generic) for x in numbers(d))
    assert count.transfers == 0
    assert count.waits <= 2 * plain.waits + by_number + (name in MASKED)
    if name in VIEWS:
        check_grad(job.there, *args, argnums=job.argnums)
    else:
        same(value_and_grad(job.here, job.argnums)(*copy.deepcopy(job.args)), (value, d), 1e-9)
