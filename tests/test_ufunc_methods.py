"""`reduce`, `accumulate`, `reduceat` and `outer` of ufuncs, in functions that are compiled and by themselves."""

from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, differentiable, grad
from tests.numerics import assert_close, check, differences

X = np.array([1.3, 2.0, 0.7, 1.1])
M = np.random.default_rng(0).random((3, 4)) + 0.5
V, W = np.array([1.0, 2.0, 3.0]), np.array([1.0, -2.0, 3.0, 0.5])

PROGRAMS: dict[str, tuple[Any, np.ndarray]] = {
    "sum": (lambda x: np.add.reduce(x), X),
    "sum of columns": (lambda m: np.sum(np.add.reduce(m) * W), M),
    "product of rows": (lambda m: np.sum(np.multiply.reduce(m, axis=1) * V), M),
    "sum of all": (lambda m: np.add.reduce(m, axis=None) ** 2, M),
    "sum of two axes": (lambda m: np.sum(np.add.reduce(m, axis=(0, 1), keepdims=True) ** 2), M),
    "sum in a dtype": (lambda m: np.sum(np.add.reduce(m, 0, np.float64) * W), M),
    "largest": (lambda m: np.sum(np.maximum.reduce(m, 1) * V), M),
    "largest of a list": (lambda x: np.maximum.reduce([x[0], x[1] * x[2], x[3]]), X),
    "sum of a list of arrays": (lambda x: np.add.reduce([x, x * x])[1], X),
    "a fold": (lambda m: np.sum(np.logaddexp.reduce(m, axis=1) * V), M),
    "a fold that is not symmetric": (lambda m: np.sum(np.subtract.reduce(m) * W), M),
    "lengths": (lambda x: np.hypot.reduce(x), X),
    "running sums": (lambda m: np.sum(np.add.accumulate(m, axis=1) * m), M),
    "running products": (lambda m: np.sum(np.multiply.accumulate(m) * m), M),
    "a running fold": (lambda m: np.sum(np.logaddexp.accumulate(m, axis=1) * m), M),
    "running largest": (lambda x: np.sum(np.maximum.accumulate(x) * W), X),
    "outer product": (lambda x: np.sum(np.multiply.outer(x, x * x) * np.subtract.outer(x, W)), X),
    "outer of a number": (lambda x: np.sum(np.subtract.outer(2.0, x) ** 2), X),
    "outer of matrices": (lambda m: np.sum(np.add.outer(m, m[0]) ** 2), M),
    "outer of a list": (lambda x: np.sum(np.power.outer(x, [1.0, 2.0])), X),
    "pieces": (lambda x: np.sum(np.add.reduceat(x, [0, 2, 1]) ** 2), X),
    "pieces of rows": (lambda m: np.sum(np.multiply.reduceat(m, [0, 1], axis=1) ** 2), M),
    "pieces by an array": (lambda x: np.sum(np.add.reduceat(x**2, np.array([1, 3])) * V[:2]), X),
    "nothing": (lambda x: np.add.reduce(x[:0]) + x[0], X),
}


@pytest.mark.parametrize("f, x", PROGRAMS.values(), ids=PROGRAMS)
def test_in_every_mode(f: Any, x: np.ndarray) -> None:
    check(f, x)


def test_second_derivatives() -> None:
    for name in ("a fold", "product of rows", "a running fold", "pieces of rows", "outer of matrices"):
        f, x = PROGRAMS[name]
        slope = lambda x: np.sum(grad(f)(x) * np.cos(np.arange(12.0)).reshape(3, 4))
        assert_close(grad(slope)(x), differences(slope, (x,)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", [np.add.reduce, np.multiply.reduce, np.logaddexp.reduce, np.maximum.reduce])
def test_by_themselves(f: Any) -> None:
    assert_close(grad(f)(X), differences(f, (X,)))
    assert_close(grad(f)(X, axis=0), differences(f, (X,)))


def test_the_function_that_numpy_has_is_called() -> None:
    text = differentiable(lambda m: np.sum(np.add.reduce(m, axis=1) ** 2)).source(example=(M,))
    assert "np.sum(m, axis=1)" in text and "reduce" not in text


@pytest.mark.parametrize("f, words", [
    (lambda x: np.add.reduce(x, initial=2.0), "other arguments than array, axis, dtype, keepdims"),
    (lambda x: np.sum(np.add.accumulate(x, out=np.zeros(4))), "other arguments than array, axis"),
    (lambda x: np.sum(np.subtract.reduceat(x, [0, 1])), "np.subtract.reduceat is not supported"),
    (lambda x: np.logaddexp.reduce(x, keepdims=True)[0], "with dtype or keepdims is not supported"),
])  # fmt: skip
def test_what_is_refused(f: Any, words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(X)
