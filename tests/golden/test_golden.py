"""The compiler makes of each case what is committed, in every process; and that computes the gradient."""

import os
import subprocess
import sys

import numpy as np
import pytest

from adcompiler.compile import interpret
from adcompiler.ir.verify import verify
from tests.golden import cases
from tests.numerics import assert_close, assert_form, assert_same, differences

#: Stages that are programs which compute (value, gradient).
GRADIENTS = [s for s in cases.IR_STAGES if s not in ("lower", "activity", "bufferize")]


@pytest.mark.parametrize("name", cases.NAMES)
def test_generated_files_are_as_committed(name):
    text = cases.differences(name)
    assert not text, f"{text}\n\nIf this is what it should be, {cases.REFRESH}."


@pytest.fixture(autouse=True)
def silence():
    """Infinities that np.where does not choose are part of the programs."""
    with np.errstate(all="ignore"):
        yield


def by_argument(name, gradients):
    """(position of an argument, its gradient) for what the case is differentiated with respect to."""
    argnums, code = cases.case(name).argnums, cases.function(name).__code__
    one = isinstance(argnums, str)
    parameters = code.co_varnames[: code.co_argcount]
    wanted = [argnums] if one else argnums
    return [(parameters.index(a), g) for a, g in zip(wanted, [gradients] if one else gradients, strict=True)]


@pytest.mark.parametrize("name", cases.NAMES)
def test_committed_adjoint_agrees_with_central_differences(name):
    f, args = cases.function(name), cases.case(name).arguments()
    found = cases.from_file(name)(*args)
    if cases.case(name).mode == "value_and_grad":
        value, found = found
        assert_close(value, f(*args), rtol=1e-12, atol=0.0)
    for position, gradient in by_argument(name, found):
        assert_form(gradient, args[position])
        assert_close(gradient, differences(f, args, position), rtol=1e-6)


@pytest.mark.filterwarnings("error::DeprecationWarning")
@pytest.mark.parametrize("name", cases.NAMES)
def test_committed_form_with_workspaces_agrees_with_the_adjoint_in_every_call(name):
    plain, reusing = cases.from_file(name), cases.from_file(name, workspaces=True)
    found = [(reusing(*args), plain(*args)) for args in map(cases.case(name).arguments, (0, 1, 0))]
    for result, wanted in found:  # no call has written into the result of an earlier one
        assert_close(result, wanted, rtol=1e-12, atol=1e-14)
    assert_same(found[0][0], found[2][0])


@pytest.mark.parametrize("workspaces", [False, True])
@pytest.mark.parametrize("name", cases.NAMES)
def test_committed_functions_leave_their_arguments_alone(name, workspaces):
    args, again = cases.case(name).arguments(), cases.case(name).arguments()
    cases.from_file(name, workspaces)(*args)
    assert_close(args, again, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("name", cases.NAMES)
def test_every_stage_keeps_the_laws_of_the_ir(name):
    for function in cases.compiled(name).stages.values():
        verify(function)


@pytest.mark.parametrize("stage", GRADIENTS)
@pytest.mark.parametrize("name", cases.NAMES)
def test_every_stage_computes_the_same(name, stage):
    case, f = cases.case(name), cases.function(name)
    args = case.arguments()
    value, gradients = interpret(f, args, stage, case.argnums)
    wanted = cases.from_file(name)(*args)
    assert_close(value, f(*args), rtol=1e-12, atol=1e-14)
    assert_close(gradients, wanted[1] if case.mode == "value_and_grad" else wanted, rtol=1e-10, atol=1e-12)


def test_output_is_the_same_in_every_process():
    """Whatever order sets have: all text of all cases is compared, with the files and with each other."""
    said = [
        subprocess.run(
            [sys.executable, "-m", "tests.golden", "check"],
            cwd=cases.FOLDER.parents[1], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True,
        )
        for seed in ("1", "4242")
    ]  # fmt: skip
    assert said[0].stdout == said[1].stdout
    assert not said[0].stderr and "cases" in said[0].stdout


def test_no_text_names_a_folder():
    for name in cases.NAMES:
        for file, text in cases.generated(name).items():
            assert str(cases.FOLDER) not in text and "/" + name not in text, f"{name}/{file}"


def test_every_folder_is_a_case_of_its_own():
    folders = {path.name for path in cases.FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(cases.NAMES)


@pytest.mark.parametrize("name, of", [("softmax", "softmax_loss"), ("network", "network_loss")])
def test_losses_are_those_of_the_example(name, of):
    example = (cases.FOLDER.parents[1] / "examples" / "digits.py").read_text(encoding="utf-8")
    source = (cases.FOLDER / name / "source.py").read_text(encoding="utf-8")
    assert source[source.index("def ") :].strip() in example
