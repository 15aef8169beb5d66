"""The command line: what it prints, where, and with which exit status."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adcompiler.cli import main
from adcompiler.compile import STAGES

MODEL = """
import numpy as np

OFFSET = 3.0
steepness = np.array([1.0, 2.0])

def loss(w, b, x):
    return np.sum(np.tanh(x @ w + b))

def norm(v):
    return np.sqrt(np.sum(v * v))

def count(n):
    return 2 * n

def yields(x):
    yield np.sum(x)

def picky(x):
    if np.sum(x) > 0:
        raise ValueError("negative numbers only")
    return np.sum(x)

class Model:
    def loss(self, w):
        return np.sum(w)
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "cli_model.py"
    path.write_text(MODEL)
    return str(path)


@pytest.fixture(autouse=True)
def fresh_imports():
    modules, path = dict(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - set(modules):
        if name.startswith(("cli_", "_adc_")):
            del sys.modules[name]
    sys.path[:] = path


def adc(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


# ---- help, version -------------------------------------------------------------------------------


def test_help_names_the_commands():
    result = adc("--help")
    assert result.exit_code == 0
    assert all(command in result.stdout for command in ("show-ir", "check", "rules"))


def test_help_of_show_ir_lists_the_stages():
    result = adc("show-ir", "--help")
    assert result.exit_code == 0
    assert all(stage in result.stdout for stage in STAGES)


def test_version():
    result = adc("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("adc, version ")


# ---- show-ir -------------------------------------------------------------------------------------


def test_source_is_python_that_compiles(model):
    result = adc("show-ir", f"{model}:norm", "--signature", "f64[n]", "--stage", "source")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "def norm_grad(v):" in result.stdout
    compile(result.stdout, "norm_grad.py", "exec")


def test_piped_output_is_plain(model):
    result = adc("show-ir", f"{model}:norm", "--signature", "f64[n]")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_shown(model, stage):
    result = adc("show-ir", f"{model}:norm", "--signature", "f64[n]", "--stage", stage)
    assert result.exit_code == 0
    assert "norm" in result.stdout


def test_all_shows_every_stage_in_order(model):
    result = adc("show-ir", f"{model}:norm", "--example", "steepness", "--all")
    assert result.exit_code == 0
    headings = [line for line in result.stdout.splitlines() if line.startswith("# ---- ")]
    assert headings == [f"# ---- {stage} ----" for stage in STAGES]


def test_example_sees_numpy_and_the_names_of_the_file(model):
    example = "np.ones(2), OFFSET, np.eye(2) * steepness"
    result = adc("show-ir", f"{model}:loss", "--example", example, "--argnums", "w,b", "--stage", "source")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "return d_w, float(d_b)" in result.stdout


def test_mode_changes_what_is_returned(model):
    arguments = ("show-ir", f"{model}:norm", "--signature", "f64[n]", "--stage", "source")
    assert adc(*arguments).stdout != adc(*arguments, "--mode", "value_and_grad").stdout


def test_no_inline_leaves_rules_as_calls(model):
    result = adc("show-ir", f"{model}:norm", "--signature", "f64[n]", "--stage", "source", "--no-inline")
    assert result.exit_code == 0
    assert ".d_" in result.stdout


def test_workspaces_show_the_form_that_runs_by_default(model):
    arguments = ("show-ir", f"{model}:loss", "--signature", "f64[m], f64, f64[n,m]", "--stage", "source")
    plain, reusing = adc(*arguments).stdout, adc(*arguments, "--workspaces").stdout
    assert "def loss_grad(w, b, x):" in plain and "ws" not in plain
    assert "def loss_grad(w, b, x, *, ws):" in reusing and "np.dot(x, w, ws." in reusing


def test_module_is_found_by_its_dotted_name(tmp_path, monkeypatch):
    (tmp_path / "cli_pkg").mkdir()
    (tmp_path / "cli_pkg" / "__init__.py").write_text("")
    (tmp_path / "cli_pkg" / "helpers.py").write_text("def double(x):\n    return 2.0 * x\n")
    (tmp_path / "cli_pkg" / "model.py").write_text(
        "from .helpers import double\n\ndef f(x):\n    return double(x) * x\n"
    )
    monkeypatch.chdir(tmp_path)
    by_name = adc("show-ir", "cli_pkg.model:f", "--signature", "f64", "--stage", "source")
    by_file = adc("show-ir", "cli_pkg/model.py:f", "--signature", "f64", "--stage", "source")
    assert (by_name.exit_code, by_name.stderr) == (0, "")
    assert by_file.stdout == by_name.stdout


# ---- check ---------------------------------------------------------------------------------------


def test_check_passes_a_right_gradient(model):
    result = adc("check", f"{model}:loss", "--example", "np.ones(2), 0.5, np.eye(2)")
    assert (result.exit_code, result.stderr) == (0, "")
    for expected in ("w", "float64[2]", "b", "agrees"):
        assert expected in result.stdout


def test_check_looks_only_at_the_arguments_asked_for(model):
    result = adc("check", f"{model}:loss", "--example", "np.ones(2), 0.5, np.eye(2)", "--argnums", "b")
    assert result.exit_code == 0
    assert "float64[2]" not in result.stdout


def test_check_reports_a_wrong_gradient(model, monkeypatch):
    def disagree(function, *arguments, **options):
        raise AssertionError("expected 1.0, got 2.0")

    monkeypatch.setattr("adcompiler.check_grad", disagree)
    result = adc("check", f"{model}:norm", "--example", "steepness")
    assert result.exit_code == 1
    assert "WRONG" in result.stdout
    assert "v: expected 1.0, got 2.0" in result.stderr


def test_an_assertion_of_the_program_is_not_taken_for_a_wrong_gradient(tmp_path):
    (tmp_path / "cli_asserts.py").write_text("def f(x):\n    assert x > 0, 'positive'\n    return x\n")
    result = adc("check", f"{tmp_path}/cli_asserts.py:f", "--example", "-1.0")
    assert result.exit_code == 1
    assert "WRONG" not in result.stdout
    assert "AssertionError: positive" in result.stderr


# ---- rules ---------------------------------------------------------------------------------------


def test_rules_lists_functions_with_their_pullbacks():
    result = adc("rules", "tanh")
    assert result.exit_code == 0
    assert "numpy.tanh" in result.stdout
    assert "numpy.exp" not in result.stdout


def row_of(text, name):
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [name])


def test_rules_lists_what_is_followed_and_what_is_constant():
    text = adc("rules").stdout
    for name in ("functools.reduce", "builtins.map", "builtins.filter", "numpy.vectorize", "numpy.apply_along_axis",
                 "itertools.accumulate", "numpy.piecewise", "numpy.copyto", "ndarray.sort", "scipy.signal.filtfilt",
                 "scipy.interpolate.CubicSpline", "adcompiler.grad"):  # fmt: skip
        assert row_of(text, name)[-2:] == ["followed", "yes"]
    assert row_of(text, "numpy.argmax")[-1] == row_of(text, "numpy.shape")[-1] == "constant"
    assert row_of(text, "numpy.sum")[-2:] == ["a", "yes"]


def test_rules_of_a_library_that_are_missing():
    numpy = adc("rules", "--missing", "numpy")
    assert numpy.exit_code == 0
    assert "numpy: 0 functions are unknown" in numpy.stdout
    assert "how long the remainder is changes with the values" in " ".join(row_of(numpy.stdout, "numpy.polydiv"))
    assert "0 functions are unknown" in adc("rules", "--missing", "numpy.linalg").stdout
    assert "it has no rule" in " ".join(row_of(adc("rules", "--missing", "itertools").stdout, "itertools.tee"))
    special = adc("rules", "--missing", "scipy.special").stdout
    assert "no closed form" in " ".join(row_of(special, "scipy.special.zetac")) and "scipy.linalg" not in special


def test_rules_are_counted_by_library():
    from adcompiler.coverage import counted, table

    result = adc("rules", "--count")
    assert result.exit_code == 0
    for each in counted(table()):
        assert row_of(result.stdout, each.library)[1:3] == [str(each.reverse), str(each.forward)]
    _, reverse, forward, *_ = row_of(result.stdout, "all")
    assert int(reverse) >= 320 and int(forward) >= 300


# ---- complaints ----------------------------------------------------------------------------------


def test_unsupported_program_is_refused_without_a_traceback(model):
    result = adc("show-ir", f"{model}:yields", "--signature", "f64[n]")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert 'cli_model.py", line 17' in result.stderr
    assert "yield" in result.stderr
    assert "Traceback" not in result.stderr


def test_exception_of_the_program_shows_its_own_line(model):
    result = adc("check", f"{model}:picky", "--example", "np.ones(3)")
    assert result.exit_code == 1
    assert result.stderr.startswith("Traceback")
    assert 'raise ValueError("negative numbers only")' in result.stderr
    assert "adcompiler" not in result.stderr


def test_failing_import_shows_the_traceback_of_the_file(tmp_path):
    (tmp_path / "cli_broken.py").write_text("import math\nx = math.sqrt(-1.0)\n")
    result = adc("show-ir", f"{tmp_path}/cli_broken.py:f", "--signature", "f64")
    assert result.exit_code == 1
    assert "x = math.sqrt(-1.0)" in result.stderr
    assert "ValueError" in result.stderr
    assert "importlib" not in result.stderr


def test_file_that_exits_when_imported(tmp_path):
    (tmp_path / "cli_exits.py").write_text("import sys\nsys.exit(0)\n")
    result = adc("show-ir", f"{tmp_path}/cli_exits.py:f", "--signature", "f64")
    assert result.exit_code == 1
    assert "exited" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["show-ir", "nowhere.py:f"], "no file nowhere.py"),
        (["show-ir", "no_such_package.model:f"], "no module no_such_package.model"),
        (["show-ir", "f"], "names no function"),
        (["show-ir", "{model}:los"], "Did you mean loss?"),
        (["show-ir", "{model}:OFFSET"], "not a function"),
        (["show-ir", "{model}:Model"], "not a function"),
        (["show-ir", "{model}:Model.loss"], "a method of a class"),
        (["show-ir", "{model}:norm", "--signature", "f65[n]"], "f65"),
        (["show-ir", "{model}:norm", "--signature", "f64[n]", "--example", "steepness"], "not both"),
        (["show-ir", "{model}:norm", "--signature", "f64[n]", "--stage", "nonsense"], "The stages are"),
        (["show-ir", "{model}:norm", "--stage", "lower", "--all"], "not both"),
        (["show-ir", "{model}:norm", "--signature", "f64[n]", "--argnums", "w"], "the parameters are v"),
        (["show-ir", "{model}:norm", "--signature", "f64[n]", "--argnums", "2"], "the parameters are v"),
        (["show-ir", "{model}:norm", "--signature", "f64[n]", "--argnums", "a b"], "neither the position"),
        (["rules", "--missing", "no_such_library"], "no_such_library"),
        (["rules", "tanh", "--count"], "one of them"),
        (["check", "{model}:norm"], "--example"),
        (["check", "{model}:norm", "--example", "np.ones("], "SyntaxError"),
        (["check", "{model}:norm", "--example", "nowhere"], "NameError"),
        (["check", "{model}:count", "--example", "3"], "floating point"),
    ],
)
def test_mistyped_command(model, arguments, complaint):
    result = adc(*(argument.replace("{model}", model) for argument in arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert complaint in " ".join(result.stderr.split())


def test_file_with_the_name_of_a_loaded_module_does_not_replace_it(tmp_path):
    import rules

    (tmp_path / "rules.py").write_text("def f(x):\n    return x * x\n")
    result = adc("show-ir", f"{tmp_path}/rules.py:f", "--signature", "f64", "--stage", "source")
    assert result.exit_code == 0
    assert sys.modules["rules"] is rules


def test_as_a_command(tmp_path):
    (tmp_path / "cli_command.py").write_text(
        textwrap.dedent("""
            import numpy as np

            def f(x: "f64[n]"):
                return np.sum(x * x)
        """)
    )
    result = subprocess.run(
        [sys.executable, "-m", "adcompiler.cli", "check", "cli_command.py:f", "--example", "np.ones(3)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "agrees with finite differences" in result.stdout
