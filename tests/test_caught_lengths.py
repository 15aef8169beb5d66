"""Exceptions of NumPy that hang on lengths, and are caught: the handler is followed, or what comes after it."""

import linecache
from typing import Any

import numpy as np
import pytest

from adcompiler import jvp, value_and_grad

from .numerics import assert_close, differences

X = np.array([0.5, 1.2, -0.7, 2.1, 0.3, -1.1, 0.9])

RAISING = [
    "x + x[:3]", "x.reshape(2, 5)", "np.split(x, 2)", "np.max(x[:0])", "np.zeros((2, 2)) @ x",
    "m = np.broadcast_to(x, (3, 2))", "m = np.max(x[x > 5])", "np.argmax(x[x > 5])", "np.dot(x, x[:3])",
    "np.stack([x, x[:2]])", "y[:3] = x[:4]", "m = x[np.array([1, 9])]", "y += x[:2]", "np.add(x, x[:4])",
    "np.concatenate([np.ones((2, 2)), x[None, :3]])", "np.where(x > 0, x, x[:2])", "max(v for v in x if v > 5)",
    "np.maximum(x, x[1:])", "k = [1, 2].index(3)",
]  # fmt: skip
GOOD = [
    "x[:, None] * x[:4]", "y = x * 2 + np.sin(x)", "y = np.max(x) * x", "y = x.reshape(-1)", "y = x[1:] - x[:-1]",
    "y = np.outer(x, x) @ x", "y = np.stack([x, x * 2])", "y = x @ x", "y[1:3] = x[:2]",
    "m = max(v for v in x if v > 0)", "y = x[np.array([1, 2])]", "k = [1, 2].index(2)",
]  # fmt: skip


def program(statement: str) -> Any:
    text = f"""
import numpy as np


def f(x):
    y = x.copy()
    try:
        {statement}
    except (ValueError, IndexError):
        return x[1] * x[0]
    return np.sum(y) + x[0]
"""
    name = f"<caught {statement}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("statement", RAISING + GOOD)
def test_the_path_that_python_takes(statement):
    f = program(statement)
    assert bool(f(X) == X[1] * X[0]) is (statement in RAISING)
    value, gradient = value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    assert_close(gradient, differences(f, (X,)), 1e-6, 1e-8)
    assert jvp(f, (X,), (X,))[1] == pytest.approx(gradient @ X)
