"""The README shows what its example prints; `python -m tests.test_readme` writes it anew."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n(import numpy as np\n.*?)```", re.DOTALL)
PRINTED = re.compile(r"(<!-- generated -->\n).*?(<!-- end -->)", re.DOTALL)


def printed(folder: Path) -> str:
    """What the example prints, run from a file as a user would."""
    found = EXAMPLE.search(README.read_text())
    assert found, "the README has no example"
    path = folder / "example.py"
    path.write_text(found[1])
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stdout


def renewed(folder: Path) -> str:
    """The README with the output of its example."""
    block = f"```python\n{printed(folder).rstrip()}\n```\n"
    return PRINTED.sub(lambda m: m[1] + block + m[2], README.read_text())


def test_the_readme_shows_what_its_example_prints(tmp_path):
    assert README.read_text() == renewed(tmp_path)


def test_the_readme_counts_the_functions_of_numpy_that_have_a_derivative():
    from adcompiler.coverage import counted, table

    of = {each.library: each for each in counted(table())}
    assert f"(`adc rules` lists the {of['numpy'].reverse} that have one)" in README.read_text()


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        README.write_text(renewed(Path(name)))
