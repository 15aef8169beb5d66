"""`docs/python_support.md` has a row for each test of the language, and a test for each row."""

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_the_page_and_the_tests_have_the_same_rows() -> None:
    page = (HERE.parents[1] / "docs" / "python_support.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    files = [f for f in HERE.glob("test_*.py") if f.name != "test_page.py"]
    tests = {t for f in files for t in re.findall(r"^def (test_\w+)", f.read_text(encoding="utf-8"), re.MULTILINE)}
    assert named == tests
