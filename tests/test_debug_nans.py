"""`debug_nans` stops at the first cotangent that is not finite, quotes the line, and costs nothing outside."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adcompiler import debug_nans, differentiable, grad, value_and_grad, vjp
from adcompiler.dispatch import Dispatcher
from adcompiler.request import Request


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def in_loop(x, w):
    s = 0.0
    for i in range(3):
        r = np.sqrt(np.sum((x - i) ** 2))
        s = s + w * r**-0.5
    return s


def in_branch(x, w):
    y = x / w
    if w < 1.0:
        z = np.log(y - y)
        return np.sum(z)
    return np.sum(y)


def in_list(x, w):
    parts = []
    for i in range(3):
        parts.append(x * i)
    return sum([np.sum(p ** (0.5 * w)) for p in parts])


def helped(x, w):
    return np.sum(
        _root(
            x - w,
        )
    )


def _root(u):
    return u**0.5


def stored(x, w):
    y = np.zeros(3)
    y[1:] = x
    y[0] = 1.0 / (w - 2.0)
    return np.sum(y**2)


def recursive(x, w):
    return np.sum(x) if w < 1.0 else recursive(np.sqrt(x - x), w - 1.0)


X = np.array([1.0, 1.0])
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], str, str]] = [
    (in_loop, (X, 2.0), "s = s + w * r**-0.5", "w is not finite: inf"),
    (in_branch, (X, 0.5), "z = np.log(y - y)", "the cotangent of y is not finite: nan at [0], and 1 more of 2"),
    (in_list, (X, 1.0), "return sum([np.sum(p ** (0.5 * w)) for p in parts])", "p is not finite"),
    (helped, (X, 1.0), "return u**0.5", "a cotangent is not finite: inf at [0], and 1 more of 2"),
    (stored, (X, 2.0), "y[0] = 1.0 / (w - 2.0)", "w is not finite: -inf"),
    (recursive, (X, 1.0), "return np.sum(x) if w < 1.0 else recursive(np.sqrt(x - x), w - 1.0)", "x is not finite"),
]


@pytest.mark.parametrize(("f", "args", "line", "what"), CASES, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("mode", ["grad", "value_and_grad", "vjp", "method"])
def test_the_line_is_quoted(f: Any, args: Any, line: str, what: str, mode: str) -> None:
    run = {
        "grad": lambda: grad(f, (0, 1))(*args),
        "value_and_grad": lambda: value_and_grad(f, (0, 1))(*args),
        "vjp": lambda: vjp(f, *args)[1](1.0),
        "method": lambda: differentiable(f, argnums=(0, 1)).grad(*args),
    }[mode]
    with contextlib.suppress(ZeroDivisionError):
        run()  # outside of the context nothing stops it, unless Python itself does
    with debug_nans(), pytest.raises((FloatingPointError, ZeroDivisionError)) as raised:
        run()
    if raised.type is FloatingPointError:
        assert f"    {line}\n" in str(raised.value)
        assert what in str(raised.value)
    else:
        assert f is stored


def test_what_is_finite_goes_through() -> None:
    g = grad(in_loop, (0, 1))
    x = np.array([0.3, 1.7])
    before = g(x, 2.0)
    with debug_nans():
        inside = g(x, 2.0)
    np.testing.assert_array_equal(before[0], inside[0])
    assert before[1] == inside[1]


def test_a_gradient_that_was_compiled_before_is_watched_and_then_no_more() -> None:
    g = grad(lambda x: np.sum(x**0.5))
    assert np.isinf(g(np.zeros(2))).all()
    for _ in range(2):
        with debug_nans(), debug_nans():
            with pytest.raises(FloatingPointError):
                g(np.zeros(2))
            assert g(np.ones(2)).tolist() == [0.5, 0.5]
        assert np.isinf(g(np.zeros(2))).all()


def test_only_what_runs_in_the_context_is_tested() -> None:
    def f(x):
        return np.sum(x**0.5)

    d = Dispatcher(Request(f))
    call = d.call()
    call(np.ones(2))
    assert "finite" not in d.variants[0].build.text
    with debug_nans():
        call(np.ones(2))
    assert "finite" in d.watched.variants[0].build.text
    table = d.state
    call(np.ones(2))
    assert table[0][1], "the table of the call is found again"
    assert len(d.variants) == 1


def test_a_zero_that_passes_a_pole_is_finite() -> None:
    with debug_nans():
        g = grad(lambda x: np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0)))(np.array([0.0, 2.0]))
    assert g.tolist() == [0.0, 0.5]


def test_complex_and_single_precision() -> None:
    with debug_nans():
        with pytest.raises(FloatingPointError, match="nan"):
            grad(lambda z: np.sum(np.abs(z * 0.0 / 0.0)))(np.array([1.0 + 1j]))
        with pytest.raises(FloatingPointError, match="inf"):
            grad(lambda x: np.sum(x * np.float32(3e38)) * np.float32(10.0))(np.ones(2, np.float32))
        assert grad(lambda x: np.sum(x * x))(np.ones(0)).size == 0


def test_second_derivatives_are_watched() -> None:
    def f(x):
        return np.sum(x**1.5)

    def bent(x):
        return np.sum(grad(f)(x))

    assert grad(f)(np.zeros(1)) == 0.0
    assert np.isinf(grad(bent)(np.zeros(1)))
    with debug_nans(), pytest.raises(FloatingPointError, match="cotangent of x is not finite"):
        grad(bent)(np.zeros(1))


def test_threads_that_run_meanwhile_go_on() -> None:
    g = grad(lambda x: np.sum(x * x))
    stop, wrong = threading.Event(), []

    def work() -> None:
        while not stop.is_set():
            if g(np.ones(3)).tolist() != [2.0, 2.0, 2.0]:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for _ in range(20):
        with debug_nans():
            g(np.ones(3))
    stop.set()
    for t in threads:
        t.join()
    assert not wrong
