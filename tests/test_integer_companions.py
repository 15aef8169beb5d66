"""Rules beside integers of few bits, unsigned ones among them: their derivatives are formed in the reals."""

import numpy as np
import pytest

from adcompiler import grad, jvp

special = pytest.importorskip("scipy.special", reason="SciPy is an extra")

X = np.array([0.5, 1.5, 0.3, 0.9, 0.2, 0.7])
WEIGHTS = np.arange(6.0)


def rolled(x, i):
    return np.sum(np.roll(x, i[2]) * WEIGHTS) + np.sum(np.roll(x, (i[1], i[3]), axis=(0, 0)) * WEIGHTS)


PROGRAMS = [
    rolled,
    lambda x, i: np.sum(special.jv(i, x)) + np.sum(special.kv(i, x + 3.0)),
    lambda x, i: np.sum(special.huber(i, x - 1.0)),
    lambda x, i: np.sum(np.arctan2(i, x)) - np.sum(np.arctan2(x, i * i)),
    lambda x, i: np.sum(np.power(i, x)) + np.sum(np.power(x, i)),
    lambda x, i: np.sum(np.hypot(x, i)) + np.sum(np.copysign(x, i)) + np.sum(np.logaddexp(x, i)),
    lambda x, i: np.sum(np.interp(x, i, x * x)),
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int32, np.int64])
def test_as_with_floats(f, dtype):
    """The same as with integers of 64 bits, in each mode, to second order."""
    i, wide = (np.array([0, 1, 2, 3, 5, 9]).astype(t) for t in (dtype, np.int64))
    exact = grad(f)(X, wide)
    steps = [(f(X + h, wide) - f(X - h, wide)) / 2e-6 for h in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(exact, steps, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(grad(f)(X, i), exact, rtol=1e-12)
    assert jvp(f, (X, i), (WEIGHTS, None))[1] == pytest.approx(exact @ WEIGHTS, rel=1e-12)
    twice = jvp(lambda x: grad(f)(x, wide * 1.0 if f is not rolled else wide), (X,), (WEIGHTS,))[1]
    np.testing.assert_allclose(jvp(lambda x: grad(f)(x, i), (X,), (WEIGHTS,))[1], twice, rtol=1e-9, atol=1e-12)
