"""Functions in a module of their own, with its own globals, for programs that call them."""

import numpy as np

GAIN = 3.0
OFFSETS = np.array([0.5, -0.25, 2.0])


def amplified(x):
    return GAIN * x + local(x)


def local(x):
    return np.sin(x) / GAIN


def shifted(x):
    return x + OFFSETS


def power(x, exponent=2):
    return x**exponent


def raising(x):
    if np.sum(x) < 0:
        raise ValueError("negative")
    assert x[0] > -5, "too small"
    return np.sum(np.log(1 + x * x))


square, cube = lambda x: x * x, lambda x: x * x * x
