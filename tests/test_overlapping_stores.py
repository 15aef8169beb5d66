"""A part of an array that is stored into the same array: as NumPy does it, or refused."""

import linecache
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, value_and_grad

from .numerics import assert_close, check, differences

A = np.arange(9.0).reshape(3, 3) * 0.3 + 0.5


def program(statement: str) -> Any:
    text = f"def f(A):\n    A = A.copy()\n    {statement}\n    return np.sum(A * np.cos(A))\n"
    name = f"<overlap {hash(statement)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["f"]


@pytest.mark.parametrize("statement", [
    "A[0] = A[1]", "A[0] = A[0][::-1]", "A[0, :2] = A[0, 1:]", "A[0, 1:] = A[0, :2]", "A[:] = A.T", "A[0] = A.T[:, 1]",
    "A[1:] = A[:-1]", "A[[0, 1]] = A[[1, 0]]", "A[:, 0], A[:, 1] = A[:, 1], A[:, 0]", "A[0] = A[:, 1].copy()",
    "A[0] += A[:, 1]", "B = A.reshape(-1); B[1:] = B[:-1]", "A[0] = A[:, 1] * 1.0", "A[0, 0] = A[1, 1]",
])  # fmt: skip
def test_as_numpy_does_it(statement):
    f = program(statement)
    value, gradient = value_and_grad(f)(A)
    assert value == f(A)
    assert_close(gradient, differences(f, (A,)))


@pytest.mark.parametrize("statement", [
    "A[0] = A[:, 1]", "A[:, 2] = A[1]", "A.T[0] = A[1]", "A[0] = A.T[1]", "A[:, 0] = np.diagonal(A)",
    "A[0, ::2] = A[0, :2]", "A[0, :2] = A[0, ::2]", "A[0][:] = A[:, 1]", "np.copyto(A[0], A[:, 1])",
    "w = np.swapaxes(A, 0, 1); v = A[-2]; w[-1] = v",
])  # fmt: skip
def test_along_another_axis_or_with_other_steps(statement):
    with pytest.raises(UnsupportedError, match="is given a part of itself"):
        grad(program(statement))(A)


def test_arguments_between_whose_elements_others_lie_are_apart():
    """Only arrays with an element in common are refused where one of them is written."""

    def f(a, b):
        a *= b
        return np.sum(a * a * b)

    z, x = np.array([1 + 2j, 0.5 - 1j]), np.arange(1.0, 5.0)
    for a, b in ((z.real, z.imag), (x[::2], x[1::2])):
        wanted = grad(f, (0, 1))(a.copy(), b.copy())
        for got, expected in zip(grad(f, (0, 1))(a, b), wanted, strict=True):
            np.testing.assert_array_equal(got, expected)
        np.testing.assert_allclose(wanted[0], 2 * a * b**3)
    for a, b in ((x[:2], x[1:3]), (x[:2], x[:2])):
        with pytest.raises(ValueError, match="shares memory with another argument"):
            grad(f, (0, 1))(a, b)
    assert x.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_name_that_a_comprehension_binds_is_not_that_of_a_loop_before():
    def f(x):
        B = np.outer(x, x)
        for row in B:
            row /= row.sum()
        return sum([row[0] * row[1] for row in B])

    x = np.array([0.3, 0.7, 1.1])
    check(f, x)


def test_an_argument_that_cannot_be_written_is_refused_where_it_is():
    def f(A):
        A[0] *= 2.0
        return np.sum(A**2)

    line = np.arange(1.0, 5.0)
    folded = np.lib.stride_tricks.sliding_window_view(line, 2, writeable=True)
    with pytest.raises(ValueError, match="overlaps itself: pass a copy"):
        grad(f)(folded)
    with pytest.raises(ValueError, match="overlaps itself: pass a copy"):
        grad(f)(np.broadcast_to(line, (3, 4)))
    sealed = line[:2].reshape(1, 2)
    sealed.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        grad(f)(sealed)
    assert line.tolist() == [1.0, 2.0, 3.0, 4.0]
    for a in (folded.copy(), A[::2, ::-1], A.T, A[1:], np.zeros((0, 3)), A.reshape(3, 3, 1)[:, ::2]):
        wanted = 2.0 * a
        wanted[:1] *= 4.0
        if len(a):
            np.testing.assert_allclose(grad(f)(a), wanted)
    np.testing.assert_allclose(grad(lambda A: np.sum(A**2))(folded), 2.0 * folded)


@pytest.mark.parametrize("sealed", [
    "np.broadcast_to(0.7, (n, 1)).squeeze(axis=1)", "np.broadcast_to(x[0], (n, 2))[:, 0]", "np.broadcast_to(0.7, n)",
    "np.broadcast_to(0.7, n) if x[0] > 0.0 else np.zeros(n)", "[np.zeros(n), np.broadcast_to(x[1], n)][k]",
    "wide(x, k)", "wide(x, 1)", "{'u': np.broadcast_to(0.7, n)}['u']", "np.asarray(np.broadcast_to(0.7, n))",
    "np.broadcast_to(x, (2, n))[0]", "np.diagonal(np.outer(x, x))", "np.diag(np.outer(x, x))", "np.imag(x)",
])  # fmt: skip
@pytest.mark.parametrize("store", ["W[1] = 1.0", "W += x", "np.sin(x, out=W)", "W.fill(1.0)"])
def test_what_numpy_seals_is_not_written_into(sealed, store):
    """NumPy raises, which a `try` may catch: what was there before is what counts, or it is refused."""
    text = f"""
import numpy as np


def wide(x, k):
    return np.broadcast_to(x[0], (3,)) if k < 1 else wide(x, k - 1)


def f(x, k):
    n = len(x)
    W = {sealed}
    try:
        {store}
    except ValueError:
        pass
    return np.sum(W * x)
"""
    name = f"<sealed {sealed} {store}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    with pytest.raises(UnsupportedError, match="lets nobody change|may share memory|is a view of|is known when compil"):
        grad(namespace["f"])(np.arange(1.0, 4.0), 1)
