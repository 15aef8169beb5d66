"""Where the source of a function comes from: files, cells, texts that are executed, examples, lambdas, decorators."""

import code
import doctest
import functools
import importlib.util
import linecache
import textwrap
from typing import Any

import numpy as np
import pytest

from adcompiler import differentiable, grad
from adcompiler.errors import UnsupportedError
from tests.numerics import check

X = np.array([0.7, 0.4, 1.3, 0.9])
TEXT = """
def f(x):
    return helper(x) * 2.0

def helper(x):
    total = 0.0
    for v in x:
        total = total + v * v
    return total
"""


def executed(text: str, file: str, known: bool) -> dict[str, Any]:
    """What a text defines that is executed, with or without its lines at hand."""
    if known:
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), names)
    return names


def test_source_in_a_file(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check(module.f, X)
    assert "program.py:7" in differentiable(module.f).source(example=(X,))


def test_source_of_an_executed_text():
    check(executed(TEXT, "<executed>", known=True)["f"], X)


def test_source_of_a_cell():
    """As a notebook keeps it, and when the cell is run again with another text."""
    file = "<ipython-input-1>"
    for factor in (2.0, 3.0):
        f = executed(TEXT.replace("2.0", str(factor)), file, known=True)["f"]
        np.testing.assert_allclose(grad(f)(X), 2.0 * factor * X)


def test_source_of_an_interactive_session():
    """Lines that the interpreter reads one after the other, where it keeps their text."""
    session = code.InteractiveInterpreter({"np": np})
    text = "def f(x):\n    return np.sum(x * x)\n"
    linecache.cache["<input 1>"] = (len(text), None, text.splitlines(keepends=True), "<input 1>")
    session.runsource(text, "<input 1>", "exec")
    check(session.locals["f"], X)


def test_source_of_an_example():
    """
    >>> def f(x):
    ...     return np.sum(x * x)
    >>> grad(f)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    examples = doctest.DocTestFinder().find(test_source_of_an_example, globs={"np": np, "grad": grad})
    results = [doctest.DocTestRunner().run(e) for e in examples]
    assert [(r.failed, r.attempted) for r in results] == [(0, 2)]


def test_no_source():
    f = executed(TEXT, "<nowhere>", known=False)["f"]
    with pytest.raises(UnsupportedError, match=r"(?s)there is no text for <nowhere>.*linecache\.cache"):
        grad(f)(X)


def test_no_source_of_a_helper():
    helper = executed("def helper(x):\n    return np.sum(x * x)\n", "<nowhere>", known=False)["helper"]

    def f(x):
        return helper(x)

    with pytest.raises(UnsupportedError, match="there is no text for <nowhere>"):
        grad(f)(X)


def test_a_text_that_has_changed(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("changing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text(TEXT.replace("v * v", "v * v * v"))
    linecache.checkcache(str(path))
    with pytest.raises(UnsupportedError, match="changed since it was imported"):
        grad(module.f)(X)


def test_lambdas_in_one_line():
    f, g, h = lambda x: np.sum(x * x), lambda x: np.sum(x**3), lambda y: (lambda x: np.sum(np.sin(x)))(y)
    for each in (f, g, h):
        check(each, X)


def test_lambdas_in_containers():
    table = {
        "a": lambda x: np.sum(x * x), "b": lambda x: np.sum(
            x**3
        ),
    }  # fmt: skip
    check(table["a"], X)
    check(table["b"], X)


def test_decorated_functions():
    def doubled(f):
        @functools.wraps(f)
        def wrapper(*args):
            return 2.0 * f(*args)

        return wrapper

    @doubled
    @doubled
    def f(x):
        return np.sum(x * x)

    @functools.lru_cache
    def cached(n):
        return 3 * n

    check(f, X)
    check(lambda x: f(x) * cached(2), X)


def test_functions_in_functions_and_classes():
    class Holder:
        @staticmethod
        def inner(x):
            return np.sum(x * x)

        def method(self, x):
            return self.inner(x) * 2.0

    check(Holder.inner, X)
    check(Holder().method, X)


def test_indented_text():
    text = textwrap.dedent("""
        if True:
            def f(x):
                '''Text with "quotes" and
            another indentation.'''
                return np.sum(
        x * x)
    """)
    check(executed(text, "<indented>", known=True)["f"], X)
