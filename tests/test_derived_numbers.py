"""Numbers of classes derived from Python's are the numbers that they are; what holds no numbers is refused."""

import enum
import math
from dataclasses import dataclass

import numpy as np
import pytest

from adcompiler import UnsupportedError, compile_module, grad, jvp, value_and_grad

from .numerics import assert_close, differences


class K(enum.IntEnum):
    ONE = 1
    TWO = 2


class Bits(enum.IntFlag):
    LOW = 1
    HIGH = 2


class Half(float, enum.Enum):
    HALF = 0.5


class Metres(float):
    pass


class Odd(float):
    def __mul__(self, other):
        return 7.0

    __rmul__ = __mul__


LENGTH, ODD = Metres(3.0), Odd(3.0)
PAIR, TABLE = (K.ONE, K.TWO), {K.ONE: 2.0, K.TWO: 3.0}
X = np.array([0.7, 1.3, -0.4])


def stored(x):
    y = np.zeros(3)
    for n, v in enumerate(x):
        y[n] = v * K.TWO
    y[0] += x[1] * -K.TWO
    return np.sum(y**2)


def converted(x):
    return float(np.dot(x, K.TWO * x)) + np.linalg.norm(x + K.ONE) + math.exp(x[0] * K.TWO)


def in_place(x):
    y = x.copy()
    y *= K.TWO
    y += LENGTH
    y[K.ONE] -= LENGTH * K.TWO
    return np.sum(y * y) + abs(LENGTH) * y[2]


def indexed(x):
    return x[K.ONE] + np.sum(x, axis=K.ONE - 1) * LENGTH - x[0] * Half.HALF + np.sum(x[: K.TWO] * LENGTH)


def carried(x):
    s = K.ONE
    for v in x:
        s = s * v + LENGTH
    t = LENGTH if x[0] > 0 else x[1]
    return s * PAIR[1] + t * t + TABLE[K.ONE] * x[0] + np.sum(np.array([K.ONE, x[0], LENGTH]) ** 2)


def in_functions(x):
    y = np.where(x > 0, x, LENGTH) * np.full(3, LENGTH) + np.clip(x, K.ONE, LENGTH) + np.maximum(x, K.ONE)
    return np.sum(y * x**K.TWO) + LENGTH ** x[0] + max(x[0], K.ONE) + math.sqrt(LENGTH) * x[1] + (K.TWO / 4) * x[2]


def flags(x):
    return (Bits.LOW | Bits.HIGH) * x[0] + (K.ONE | K.TWO) * x[1] + x[2] * K.TWO.value


PROGRAMS = [stored, converted, in_place, indexed, carried, in_functions, flags]


@pytest.mark.parametrize("f", PROGRAMS)
def test_they_are_numbers(f):
    value, gradient = value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14) and np.any(gradient)
    assert_close(gradient, differences(f, (X,)), 1e-6)
    direction = np.array([0.3, -1.0, 0.5])
    assert jvp(f, (X,), (direction,))[1] == pytest.approx(gradient @ direction)


@pytest.mark.parametrize("f", PROGRAMS)
def test_single_precision(f):
    """NumPy takes them for doubles beside float32."""
    value, gradient = value_and_grad(f)(X.astype(np.float32))
    assert value == pytest.approx(f(X), rel=1e-5) and gradient.dtype == np.float32
    assert_close(gradient, differences(f, (X,)), 1e-4, 1e-4)
    assert (value_and_grad(lambda x: np.sum(x * LENGTH))(X.astype(np.float32))[0]).dtype == np.float64


def test_ahead_of_time(tmp_path):
    namespace = {"__name__": "ahead"}
    exec(compile_module(in_place, signatures="f64[n]", argnums=0), namespace)
    np.testing.assert_array_equal(namespace[namespace["__all__"][0]](X), grad(in_place)(X))


def test_as_arguments():
    @dataclass
    class P:
        k: object

    def f(x, k):
        return x[0] * k + (x[1] if k is K.TWO else x[2])

    def g(x, p):
        return x[0] * p.k * p.k

    assert grad(f)(X, K.TWO).tolist() == [2.0, 1.0, 0.0] and grad(f)(X, K.ONE).tolist() == [1.0, 0.0, 1.0]
    assert grad(g)(X, P(K.TWO)).tolist() == [4.0, 0.0, 0.0]
    with pytest.raises(UnsupportedError, match="a Metres is not supported as an argument"):
        grad(f)(X, LENGTH)


def test_operators_of_its_own():
    with pytest.raises(UnsupportedError, match="a class of numbers with operators of its own"):
        grad(lambda x: x[0] * ODD)(X)


def filled(x):
    y = np.empty(3, dtype=object)
    for n in range(3):
        y[n] = x[n] ** 2
    return float(y[0] + y[1])


def fields(x):
    y = np.zeros(3, dtype=[("a", "f8"), ("b", "f8")])
    y["a"] = x
    return np.sum(y["a"] ** 2)


@pytest.mark.parametrize("f", [
    filled, fields, lambda x: float(np.dot(x, x.astype(object))), lambda x: np.sum(x.astype(str).astype(float)),
    lambda x: float(np.array([x[0], x[1]], dtype=object)[0]), lambda x: float(np.asarray(x, object)[0]),
    lambda x: float(np.full(3, x[0], dtype=object)[0]), lambda x: float((np.zeros(3, "O") + x)[0]),
])  # fmt: skip
def test_arrays_of_what_is_no_number(f):
    """They would take the derivative with them, and give zeros."""
    for mode in (grad(f), lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(UnsupportedError, match="this has the dtype .*: what its elements are is not followed"):
            mode(X)
