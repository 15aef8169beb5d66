"""0-d arrays: NumPy's arithmetic on them gives numbers, and no name of theirs is written in place."""

import copy

import numpy as np
import pytest

from adcompiler import UnsupportedError, check_grad, grad, value_and_grad, vjp


def scalar_beside_its_sum(x, c):
    return 2.0 * x + (np.sum(x) if c else 0.0)


def same_name(x, c):
    s = x
    s = s * 2.0
    s = s + x
    if c:
        x = x * s
    return x * s


def loop_over_scalars(xs, c):
    total = 0.0
    for x in xs:
        x = x * 2.0
        x = x + c
        total = total + x * x
    return total


def carried(x, c):
    y = x
    for _ in range(3):
        y = y * x
        if c:
            y = y + 1.0
    return y


def one_of(x, c):
    y = x if c else 1.0
    y = y * 2.0
    y = y + 1.0
    z = y + x
    z += 1.0
    return y * z


def last_of(x, c):
    y = 1.0
    for _ in range(2):
        z = y * x
        y = x
    y = y * 2.0
    y = y + c
    return y * z


def until(x, c):
    y = c / 2
    while y < 3.3:
        y = y + (x + 0.5) / 2.0
    return abs(np.sum(x)) ** (0.01 * y)


X = np.array(1.1)
XS = [np.array(0.5), np.array(-1.5), np.array(2.0)]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (scalar_beside_its_sum, X),
        (same_name, X),
        (loop_over_scalars, XS),
        (carried, X),
        (one_of, X),
        (last_of, X),
        (until, X),
    ],
)
@pytest.mark.parametrize("c", [0, 1])
def test_scalars_are_not_written_into(f, x, c):
    before = np.copy(x)
    compiled = value_and_grad(f)
    value, first = compiled(x, c)
    assert value == f(x, c)
    again = compiled(x, c)[1]
    assert np.array_equal(first, again)
    assert np.array_equal(x, before)
    assert not any(np.shares_memory(a, b) for a in np.atleast_1d(first) for b in np.atleast_1d(again))
    check_grad(f, x, c)
    if f is not loop_over_scalars:
        check_grad(grad(f), x, c)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gradient_is_of_the_arguments_dtype(dtype):
    d = grad(scalar_beside_its_sum)(np.array(1.5, dtype), 1)
    assert isinstance(d, np.ndarray)
    assert d.dtype == dtype
    assert d == 3


def in_place_of_a_choice(x, c):
    y = x if c else 1.0
    y += 1.0
    return y * x


def in_place_of_the_last(x, c):
    y = 1.0
    for _ in range(2):
        y += c
        y = x
    return y * x


def in_place_after_a_loop(x, c):
    y = 1.0
    while c > 0:
        y = x
        c = c - 1
    y += c
    return y * x


def in_place_of_a_carried_one(x, c):
    y = x
    for _ in range(2):
        y += c
    return y * x


@pytest.mark.parametrize("f", [in_place_of_a_choice, in_place_of_the_last, in_place_after_a_loop])
def test_what_may_be_a_scalar_array_is_not_changed_in_place(f):
    with pytest.raises(UnsupportedError, match="y may share memory .*\n.*write y = y +"):
        grad(f)(X, 1)


def updated(x, c):
    y = np.array(x)
    y += 1
    z = y * x
    y *= x + c
    return z * y


def summed_into(x, c):
    y = np.zeros(())
    for _ in range(4):
        y += x * c
        if y > 0.3:
            y *= 2
    return y * x


def second_name(x, c):
    y = np.array(x)
    y += 1
    z = y
    y *= x
    return z * y


@pytest.mark.parametrize("f", [updated, summed_into, second_name, in_place_of_a_carried_one])
@pytest.mark.parametrize("x", [X, 1.1])
def test_an_array_of_its_own_is_changed_in_place(f, x):
    assert value_and_grad(f)(x, 1)[0] == f(copy.copy(x), 1)
    check_grad(f, x, 1)
    check_grad(grad(f), x, 1)


GIVING_OR_TAKING = {
    "array": lambda x: np.array(x) * x,
    "asarray": lambda x: np.asarray(x) * x,
    "ascontig": lambda x: np.ascontiguousarray(x)[0] * x,
    "atleast1": lambda x: np.atleast_1d(x)[0] * x,
    "ravel": lambda x: np.ravel(x)[0] * x,
    "reshape": lambda x: np.reshape(x, (1,))[0] * x,
    "reshape2": lambda x: x.reshape(()) * x,
    "copy": lambda x: np.copy(x) * x,
    "copym": lambda x: x.copy() * x,
    "T": lambda x: x.T * x,
    "transpose": lambda x: np.transpose(x) * x,
    "squeeze": lambda x: np.squeeze(x) * x,
    "expand": lambda x: np.expand_dims(x, 0)[0] * x,
    "none": lambda x: x[None][0] * x,
    "ell": lambda x: x[...] * x,
    "ellnone": lambda x: x[..., None][0] * x,
    "bcast": lambda x: np.sum(np.broadcast_to(x, (3,)) * x),
    "bcast0": lambda x: np.broadcast_to(x, ()) * x,
    "where": lambda x: np.where(x > 0, x, 2.0) * x,
    "clip": lambda x: np.clip(x, 0.0, 3.0) * x,
    "astype": lambda x: x.astype(float) * x,
    "astype32": lambda x: x.astype(np.float64) * x,
    "stack": lambda x: np.sum(np.stack([x, x * x])),
    "hstack": lambda x: np.sum(np.hstack([x, x * x])),
    "sum": lambda x: np.sum(x) * x,
    "sumk": lambda x: np.sum(x, keepdims=True) * x,
    "mean": lambda x: np.mean(x) * x,
    "prod": lambda x: np.prod(x) * x,
    "max": lambda x: np.max(x) * x,
    "var": lambda x: np.var(x) + x,
    "cumsum": lambda x: np.cumsum(x)[0] * x,
    "dot": lambda x: np.dot(x, x) * x,
    "outer": lambda x: np.outer(x, x)[0, 0] * x,
    "inner": lambda x: np.inner(x, x) * x,
    "tensordot": lambda x: np.tensordot(x, x, axes=0) * x,
    "einsum": lambda x: np.einsum("i,->", np.ones(2), x) * x,
    "einsum0": lambda x: np.einsum(",->", x, x) * x,
    "full": lambda x: np.sum(np.full((2,), x)) * x,
    "full_like": lambda x: np.full_like(np.ones(2), x)[0] * x,
    "max2": lambda x: np.maximum(x, 0.5) * x,
    "take": lambda x: np.take(np.ones(3) * x, 1) * x,
    "float": lambda x: float(x) * x,
    "tile": lambda x: np.sum(np.tile(x, 3)) * x,
    "repeat": lambda x: np.sum(np.repeat(x, 3)) * x,
    "norm": lambda x: np.linalg.norm(np.ones(2) * x) * x,
    "append": lambda x: np.append(x, x)[1] * x,
    "diff": lambda x: np.diff(np.stack([x, x * x]))[0] * x,
    "real": lambda x: np.real(x) * x,
    "abs": lambda x: abs(x) * x,
    "neg": lambda x: -x * x,
    "pow": lambda x: x**2 * x,
    "rpow": lambda x: 2.0**x * x,
    "flip": lambda x: np.flip(x) * x,
    "linspace": lambda x: np.sum(np.linspace(x, 2.0, 3)) * x,
}


@pytest.mark.parametrize("name", GIVING_OR_TAKING)
def test_functions_that_take_or_give_scalar_arrays(name):
    f = GIVING_OR_TAKING[name]
    check_grad(f, X)
    check_grad(lambda x: grad(f)(x) * x, X)
    assert X == 1.1
    for dtype in (np.float32, np.float64):
        d = grad(f)(np.array(1.1, dtype))
        assert isinstance(d, np.ndarray)
        assert d.dtype == dtype
        assert d.flags.writeable


def test_a_constant_cotangent_in_a_branch_is_of_single_precision():
    """Times a truth value a Python number would become double, and the gradient with it."""
    def f(y, flag):
        b = np.minimum(np.sum(y) / (np.float32(1.5) + np.cos(np.sum(y))), 0.7) / 2.0
        y[0] = 1.5
        if np.sum(y) < flag:
            return np.sum(y) * 0.0
        return np.sum(np.sin(y)) - 0.5 * b

    y = np.array([0.2, 0.3], np.float32)
    for reuse in (True, False):
        for flag in (-9.0, 9.0):
            assert grad(f, reuse=reuse)(y, flag).dtype == np.float32


def stored_and_squared(x):
    s = np.array(np.sin(x[0]))
    s.fill(np.sum(x * x) / 9.0)
    if x[0] > -9.0:
        s -= s * s
    return s * s


def stored_again_and_again(x):
    s = np.array(0.5)
    for k in range(2):
        t = s + x[k] * 0.1
        s[...] = np.sin(t)
        s *= t
    return s * s * x[0]


@pytest.mark.parametrize("f", [stored_and_squared, stored_again_and_again])
def test_the_cotangent_of_a_store_is_an_array_again(f):
    """The sum of two cotangents without axes is a number; what is added to it at a place makes it an array."""
    x, w = np.array([0.97, 0.3]), np.array([1.5, -0.5])
    for kwargs in ({}, {"reuse_buffers": False}, {"reuse": False}):
        check_grad(f, x)
        projected = grad(lambda x: np.sum(grad(f)(x) * w), **kwargs)(x)
        step = [np.sum((grad(f)(x + 1e-5 * e) - grad(f)(x - 1e-5 * e)) * w) / 2e-5 for e in np.eye(2)]
        np.testing.assert_allclose(projected, step, rtol=1e-8)
    _, pullback = vjp(grad(f), x)
    np.testing.assert_allclose(pullback(w)[0], step, rtol=1e-8)
