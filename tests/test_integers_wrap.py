"""Integers of NumPy's wrap: what is exact of real numbers, a minus taken out of a product, is not done to them."""

import numpy as np
import pytest

from adcompiler import grad, jvp, value_and_grad, vjp

X = np.array([0.5, 1.5, -0.3])
PROGRAMS = [
    lambda x, i: np.sum(x * i) + np.sum(x * -i),
    lambda x, i: np.sum(x * x) + np.sum(x * (-i)) - np.sum(-x * i),
    lambda x, i: np.sum(x * x + x * -i),
    lambda x, i: x @ x + x @ -i,
    lambda x, i: np.sum(x * i) + np.sum(x * (0 - i)),
    lambda x, i: np.sum(x * (-i * i[1])) - np.sum(x * -(i * i)),
    lambda x, i: np.sum(0.5 * x * (i * i[1])) + np.sum(-(x * i)),
    lambda x, i: np.sum(x * -(-i)) - np.sum(-(x * -i)) + np.sum(x / (-i + 2)),
]


def in_a_loop(x, i):
    s = 0.0
    for k in range(3):
        s += x[k] * -i[k] - x[k] * i[k] * -i[1]
    return s


@pytest.mark.parametrize("f", [*PROGRAMS, in_a_loop], ids=lambda f: getattr(f, "__name__", ""))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8, np.int16, np.int64])
@pytest.mark.filterwarnings("ignore:overflow")
def test_products_with_integers(f, dtype):
    """The programs are polynomials of degree 2 in x: a difference is exact but for rounding."""
    i = np.array([1, np.iinfo(dtype).min or 200, 3]).astype(dtype)
    steps = [(f(X + h, i) - f(X - h, i)) / 1.0 for h in 0.5 * np.eye(3)]
    scale = max(1.0, np.abs(steps).max())
    for found in (grad(f)(X, i), value_and_grad(f)(X, i)[1], vjp(f, X, i)[1](1.0)[0]):
        np.testing.assert_allclose(found, steps, rtol=1e-9, atol=1e-12 * scale)
    assert jvp(f, (X, i), (X, None))[1] == pytest.approx(np.dot(X, steps), rel=1e-9, abs=1e-12 * scale)
