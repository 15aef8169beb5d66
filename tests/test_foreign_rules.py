"""A stranger's `rules` on the path is told apart, and the error says what hides the right one."""

import subprocess
import sys
from pathlib import Path

import pytest

import rules


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder, whose files come first on its path, as they do for `python -c` and `python -m`."""
    return subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True)


def stranger(folder: Path, form: str) -> Path:
    """A `rules` that is not ours: a module, a package, a package with modules of the same names, a folder of files."""
    if form == "module":
        file = folder / "rules.py"
        file.write_text("LIMIT = 3\n")
        return file
    package = folder / "rules"
    package.mkdir()
    if form == "folder":
        return package
    file = package / "__init__.py"
    file.write_text("LIMIT = 3\n")
    if form == "package with kind":
        (package / "kind.py").write_text("class Kind:\n    pass\n")
    return file


@pytest.mark.parametrize("form", ["module", "package", "package with kind"])
@pytest.mark.parametrize("command", [("-c", "import adcompiler"), ("-m", "adcompiler.cli", "--help")])
def test_a_strangers_rules(tmp_path: Path, form: str, command: tuple[str, ...]) -> None:
    file = stranger(tmp_path, form)
    done = run(tmp_path, *command)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: "), done.stderr
    assert str(file) in last and "not the one that belongs to adcompiler" in last and "rename it" in last
    assert "During handling" not in done.stderr


def test_a_folder_of_that_name(tmp_path: Path) -> None:
    """A folder without `__init__.py` hides an editable installation, and no other."""
    stranger(tmp_path, "folder")
    done = run(tmp_path, "-c", "import rules, adcompiler; print(rules.__file__)")
    if done.returncode == 0:
        assert done.stdout.strip() == rules.__file__
    else:
        assert "not the one that belongs to adcompiler" in done.stderr.splitlines()[-1]


def test_the_right_rules_are_found_elsewhere(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", "import adcompiler, rules; print(rules.ADCOMPILER_RULES)")
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_rules_do_not_need_the_compiler(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", "import sys, rules; print(any(m.split('.')[0] == 'adcompiler' for m in sys.modules))")
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
