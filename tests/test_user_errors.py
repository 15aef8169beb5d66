"""The user's own exceptions and warnings come through a gradient as they are, with the user's line in sight."""

import inspect
import linecache
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompiler import grad, value_and_grad
from tests import raising
from tests.raising import asserts, broadcasts, raises_in_a_branch

X = np.array([1.5, 2.0, 3.0, 4.0])


PROGRAMS = [f for n, f in inspect.getmembers(raising, inspect.isfunction) if not n.startswith("_")]


@dataclass
class Raised:
    """An exception of a gradient, with the lines of generated code in its traceback."""

    error: Exception
    text: str
    generated: list[tuple[str, int]]


def raised(call: Callable[[], Any]) -> Raised:
    try:
        call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        generated = [(f.filename, f.lineno or 0) for f in frames if f.filename.startswith("<adcompiler")]
        return Raised(error, "".join(traceback.format_exception(error)), generated)
    raise AssertionError("nothing was raised")


def line_of(f: Callable[..., Any]) -> int:
    """The line of the program that says `# here`: for one with a callee, that of the callee."""
    lines, first = inspect.getsourcelines(raising._checked if f is raising.raises_in_a_callee else f)
    return next(first + i for i, line in enumerate(lines) if "# here" in line)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("transform", [grad, value_and_grad])
def test_the_exception_is_the_same(transform: Any, f: Callable[..., Any]) -> None:
    expected = raised(lambda: f(X)).error
    got = raised(lambda: transform(f)(X)).error
    assert type(got) is type(expected)
    assert str(got) == str(expected)
    assert type(got.__cause__) is type(expected.__cause__) and str(got.__cause__) == str(expected.__cause__)
    assert {k: v for k, v in vars(got).items() if k != "__notes__"} == vars(expected)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_traceback_names_the_line(f: Callable[..., Any]) -> None:
    """The generated line that failed is shown, and a note says which of the user's lines it is of."""
    got = raised(lambda: grad(f)(X))
    assert len(got.generated) == 1
    file, number = got.generated[0]
    shown = linecache.getline(file, number)
    assert shown.strip() and shown.split("#")[0].strip() in got.text
    (note,) = got.error.__notes__
    where, text = note.split("\n")
    assert f'File "{raising.__file__}", line {line_of(f)}' in where
    assert text.strip() == linecache.getline(raising.__file__, line_of(f)).strip()


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_source_names_the_line(f: Callable[..., Any]) -> None:
    """The nearest comment with a line, at the failing line or above it, is of the user's line."""
    got = raised(lambda: grad(f)(X))
    file, number = got.generated[-1]
    comments = [re.search(r"# .*raising\.py:(\d+)", linecache.getline(file, n)) for n in range(number, 0, -1)]
    assert next(int(c[1]) for c in comments if c) == line_of(f)


@pytest.mark.parametrize("f", [raises_in_a_branch, asserts, broadcasts])
def test_nothing_internal_is_shown_with_it(f: Callable[..., Any]) -> None:
    """Not "during handling of another exception" of the dispatch."""
    got = raised(lambda: grad(f)(X))
    assert "During handling" not in got.text
    assert got.error.__context__ is None


def test_an_exception_that_is_raised_again_is_noted_once() -> None:
    error = ValueError("the same each time")

    def f(x: Any) -> Any:
        if np.sum(x) > 0:
            raise error
        return np.sum(x)

    g = grad(f)
    for _ in range(3):
        assert raised(lambda: g(X)).error is error
    assert len(error.__notes__) == 1


def test_a_second_call_is_not_disturbed_by_the_first() -> None:
    g = grad(raises_in_a_branch)
    raised(lambda: g(X))
    assert np.array_equal(g(X * 0.01), np.ones(4))
    assert str(raised(lambda: g(X)).error) == "the sum is 10.50"


def test_errors_of_what_is_not_computed_are_not_raised() -> None:
    """Dead operations take their errors with them (docs/limitations.md)."""

    def f(x: Any, y: Any) -> Any:
        unused = x * y  # noqa: F841
        return np.sum(x)

    assert np.array_equal(grad(f)(X, np.ones(3)), np.ones(4))


# ---------------------------------------------------------------------------------------------- arguments
def changes_nothing(p, xs, m):
    y = p["w"] * 2.0
    y += 1.0
    total = np.sum(y)
    for x in xs:
        total = total + np.sum(x * m)
    return total


def test_arguments_are_not_modified() -> None:
    p, xs, m = {"w": X.copy(), "b": 1.0}, [X.copy(), 2 * X], np.ones(4)
    value_and_grad(changes_nothing, argnums=(0, 1, 2))(p, xs, m)
    assert list(p) == ["w", "b"] and np.array_equal(p["w"], X) and p["b"] == 1.0
    assert np.array_equal(xs[0], X) and np.array_equal(xs[1], 2 * X) and np.array_equal(m, np.ones(4))


def test_read_only_arguments_will_do() -> None:
    p, xs, m = {"w": X.copy(), "b": 1.0}, [X.copy()], np.ones(4)
    for a in (p["w"], xs[0], m):
        a.flags.writeable = False
    d_p, d_xs, d_m = grad(changes_nothing, argnums=(0, 1, 2))(p, xs, m)
    for d in (d_p["w"], d_xs[0], d_m):
        d += 1.0  # gradients are the caller's to write to


def test_gradients_share_no_memory_with_arguments_or_each_other() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(x * y)

    def g(x: Any, y: Any) -> Any:
        return np.sum(x + y)

    for h in (f, g):
        x, y = X.copy(), X + 1.0
        d = grad(h, argnums=(0, 1))(x, y)
        assert not any(np.may_share_memory(a, b) for a in d for b in (x, y)) and not np.may_share_memory(*d)
        d[0][:] = 7.0
        assert np.array_equal(grad(h)(x, y), y if h is f else np.ones(4))


def test_arguments_that_are_one_array() -> None:
    def f(a: Any, b: Any) -> Any:
        c = a * b
        c += a
        return np.sum(c * b)

    for d, e in zip(grad(f, argnums=(0, 1))(X, X), grad(f, argnums=(0, 1))(X, X.copy())):
        assert np.array_equal(d, e)


def test_arguments_are_whole_after_an_exception() -> None:
    def f(x: Any) -> Any:
        y = x * 2.0
        y += 1.0
        if np.sum(y) > 0:
            raise ValueError
        return np.sum(y)

    x = X.copy()
    raised(lambda: grad(f)(x))
    assert np.array_equal(x, X)


# ----------------------------------------------------------------------------------------------- warnings
def square_root_where_positive(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def logarithm_where_positive(x):
    return np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0))


def deviation(x):
    return np.std(x)


def length(x):
    return np.linalg.norm(x)


def absolute(x):
    return np.sum(np.abs(x))


def power(x):
    return np.sum(np.where(x > 0, x**0.5, 0.0))


def logarithm_then_selected(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def reciprocal_then_selected(x):
    return np.sum(np.where(x > 0, 1.0 / x, 0.0))


def power_then_selected(x):
    return np.sum(np.where(x > 0, x**-1.5, 0.0))


def stored_over(x):
    y = np.log(x)
    y[x == 0] = 0.0
    return np.sum(y * x)


def caught_warnings(f: Callable[..., Any], *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f(*args)
    return [str(w.message) for w in found]


@pytest.mark.parametrize(
    "f, x",
    [
        (square_root_where_positive, np.array([0.0, 1.0])),
        (logarithm_where_positive, np.array([0.0, 1.0])),
        (power, np.array([0.0, 1.0])),
        (deviation, np.ones(3)),
        (length, np.zeros(3)),
        (absolute, np.zeros(3)),
    ],
)
def test_no_warning_where_the_function_gives_none(f: Callable[..., Any], x: Any) -> None:
    """A strong zero is not computed as infinity times zero, or NumPy is not told."""
    assert caught_warnings(f, x) == []
    assert np.all(np.isfinite(grad(f)(x)))
    assert caught_warnings(grad(f), x) == []


@pytest.mark.parametrize("f", [logarithm_then_selected, reciprocal_then_selected, power_then_selected, stored_over])
def test_no_warnings_of_other_kinds(f: Callable[..., Any]) -> None:
    """Where the function warns of a division by zero, the gradient may; of nothing else."""
    x = np.array([0.0, 1.0])
    with np.errstate(all="ignore"):
        assert np.array_equal(np.isfinite(grad(f)(x)), [True, True])
    expected, got = ({w.split(" encountered")[0] for w in caught_warnings(g, x)} for g in (f, grad(f)))
    assert expected == {"divide by zero"} and got <= expected


def test_a_warning_of_the_user() -> None:
    def f(x: Any) -> Any:
        warnings.warn("careful", UserWarning, stacklevel=1)
        return x * x

    assert caught_warnings(grad(f), 2.0) == ["careful"]


def test_the_state_of_errors_is_the_users() -> None:
    def f(x: Any) -> Any:
        y = np.exp(x)
        return np.sum(y * y)

    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        grad(f)(np.array([1000.0]))
    before = np.geterr()
    grad(f)(X)
    assert np.geterr() == before


def test_printing(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        print("x is", x, end="!\n")
        print(f"{x:.3f}", file=sys.stdout)
        return x * x

    assert grad(f)(2.0) == 4.0
    assert capsys.readouterr().out == "x is 2.0!\n2.000\n"
