"""A part of an array that is stored into the same array: as NumPy does it, or refused."""

import linecache
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, value_and_grad

from .numerics import assert_close, differences

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
