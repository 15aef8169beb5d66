"""The README shows what its example prints; `python -m tests.test_readme` writes it anew."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n((?:from|import) [a-z]+ import|import numpy as np\n)(.*?)```", re.DOTALL)
PRINTED = re.compile(r"(<!-- generated -->\n).*?(<!-- end -->)", re.DOTALL)
#: The files that the examples are run from, in their order.
FILES = ("example.py", "tracker.py")


def printed(folder: Path, example: str, file: str) -> str:
    """What an example prints, run from a file as a user would."""
    (folder / file).write_text(example)
    return subprocess.run([sys.executable, str(folder / file)], capture_output=True, text=True, check=True).stdout


def renewed(folder: Path) -> str:
    """The README with the output of its examples."""
    examples = [m[1] + m[2] for m in EXAMPLE.finditer(README.read_text())]
    assert len(examples) == len(FILES), "the README has other examples"
    blocks = (f"```python\n{printed(folder, *x).rstrip()}\n```\n" for x in zip(examples, FILES))
    return PRINTED.sub(lambda m: m[1] + next(blocks) + m[2], README.read_text())


def test_the_readme_shows_what_its_examples_print(tmp_path):
    assert README.read_text() == renewed(tmp_path)


def test_the_readme_counts_the_functions_of_numpy_that_have_a_derivative():
    from adcompiler.coverage import counted, table

    of = {each.library: each for each in counted(table())}
    assert f"(`adc rules` lists the {of['numpy'].reverse} that have one)" in README.read_text()


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        README.write_text(renewed(Path(name)))
