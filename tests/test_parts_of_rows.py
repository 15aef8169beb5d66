"""`A[i][j]` reads and adds to one element: nothing as long as the row is made for it."""

import numpy as np
import pytest

from adcompiler import differentiable, grad, value_and_grad

from .numerics import check

rng = np.random.default_rng(7)
X, W = rng.normal(size=(4, 3)), rng.normal(size=4)
CUBE = rng.normal(size=(4, 3, 3))
PICK = np.array([0, 2, 2])


def pairs(X):
    """The potential of point charges."""
    e = 0.0
    for i in range(len(X)):
        for j in range(i):
            dx = X[i][0] - X[j][0]
            dy = X[i][1] - X[j][1]
            e += 1.0 / np.sqrt(dx * dx + dy * dy)
    return e


def unpacked(X, w):
    s = 0.0
    for i in range(len(X)):
        x, y, z = X[i]
        s += x * y * w[i] - z
    return s


def slices(X, w):
    s = 0.0
    for i in range(1, len(X)):
        row = X[i]
        d = row[1:] - row[:-1]
        s += np.sum(d * d) * w[i] - row[0] - row[-1] * row[-1]
    return s


def anti_diagonal(X):
    s = 0.0
    for i in range(len(X) - 1):
        s += X[i][len(X) - 2 - i] ** 2
    return s


def of_columns(X, w):
    s = 0.0
    for i in range(3):
        s += X[:, i][i] * w[i] + X.T[i][i + 1] ** 2 + X[1:][i][i] + X[i:][0][1:][0]
    return s


def gathered(cube, w):
    """Where an axis goes is another thing for `a[i, :, pick]` than for `a[i][:, pick]`."""
    s = 0.0
    for i in range(len(cube)):
        b = cube[i][:, PICK] * np.arange(9.0).reshape(3, 3)
        s += np.sum(np.sin(b)) * w[i] + cube[i][PICK][0, 2] + cube[i][..., 0][1] + cube[i][None, 1][0, 2]
        s += np.sum(cube[i][cube[i] > 0.0])
    return s


def written(X, w):
    A = X * 1.0
    for i in range(1, len(A)):
        A[i][0] = A[i - 1][1] * w[i]
        A[i][1] += A[i][0] ** 2
        A[i][1:] *= A[i - 1][2]
    return np.sum(A * A)


def negative(X):
    s = 0.0
    for i in range(len(X)):
        s -= X[i][-1] * X[-i][0]
    return s


PROGRAMS = [(pairs, (X,)), (unpacked, (X, W)), (slices, (X, W)), (anti_diagonal, (X,)), (of_columns, (X, W)),
            (gathered, (CUBE, W)), (written, (X, W)), (negative, (X,))]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_gradients(f, args):
    check(f, *args, rtol=1e-6)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_second_derivatives_and_single_precision(f, args):
    for k in range(len(args)):
        direction = rng.normal(size=args[k].shape)

        def along(*there, k=k, direction=direction):
            return np.sum(grad(f, argnums=k)(*there) * direction)

        check(along, *args, rtol=1e-5)
    everything = tuple(range(len(args)))
    value, gradients = value_and_grad(f, argnums=everything)(*args)
    single, found = value_and_grad(f, argnums=everything)(*(a.astype(np.float32) for a in args))
    assert all(d.dtype == np.float32 for d in found)
    np.testing.assert_allclose(single, value, rtol=1e-4, atol=1e-4)
    for d, exact in zip(found, gradients, strict=True):
        np.testing.assert_allclose(d, exact, rtol=1e-3, atol=1e-3)


def test_what_is_emitted():
    text = differentiable(pairs).source(signature="f64[n,m]")
    back = text[text.index("# backward") :]
    for line in ("d_X[j, 1] -= d_dy", "d_X[i, 1] += d_dy", "d_X[j, 0] -= d_dx", "d_X[i, 0] += d_dx"):
        assert line in back
    assert back.count("zeros") == 1 and "np.zeros" not in text
    text = differentiable(anti_diagonal).source(signature="f64[n,m]")
    assert "d_X[i, r] = 2.0 * X[i, r]" in text
    text = differentiable(unpacked, argnums=0).source(signature="f64[n,3], f64[n]")
    assert "d_X[i, 2] = -1.0" in text and text.count("zeros") == 1
