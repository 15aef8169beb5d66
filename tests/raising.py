"""Programs that raise, each at the line that says `# here`.

They have a module of their own because pytest rewrites the asserts of test modules.
"""

import math

import numpy as np


class TooLarge(Exception):
    """An exception with a constructor of its own."""

    def __init__(self, what: str, value: float) -> None:
        super().__init__(what)
        self.value = value


def raises_in_a_branch(x):
    s = np.sum(x)
    if s > 1.0:
        raise ValueError(f"the sum is {s:.2f}")  # here
    return s


def raises_with_a_cause(x):
    if x[0] > 0:
        raise KeyError("a") from OSError("b")  # here
    return x[0]


def raises_a_class(x):
    if x[0] > 0:
        raise NotImplementedError  # here
    return x[0]


def raises_its_own(x):
    if x[0] > 0:
        raise TooLarge("much", x[0])  # here
    return x[0]


def raises_in_a_loop(x):
    total = 0.0
    for i in range(4):
        if x[i] > 2.5:
            raise ArithmeticError(i)  # here
        total = total + x[i]
    return total


def raises_in_a_callee(x):
    return 2.0 * _checked(x)


def _checked(v):
    if v[0] > 1:
        raise RuntimeError("inner")  # here
    return np.sum(v)


def asserts(x):
    assert np.all(x > 2.0), "must be above two"  # here
    return np.sum(np.log(x))


def asserts_of_a_value(x):
    y = np.sum(x * x)
    assert y < 0, f"y is {y:.2f}"  # here
    return y


def asserts_without_text(x):
    assert x[0] > 2.0  # here
    return x[0] * 2.0


def broadcasts(x):
    y = np.ones(3)
    z = x * y  # here
    return np.sum(z * z)


def multiplies_matrices(x):
    y = x @ np.ones((3, 3))  # here
    return np.sum(y * y)


def reshapes(x):
    y = x.reshape(3, 2)  # here
    return np.sum(y * y)


def stacks(x):
    y = np.stack([x, np.ones(3)])  # here
    return np.sum(y * y)


def branches_on_an_array(x):
    if x > 0:  # here
        return np.sum(x)
    return np.sum(x * x)


def takes_a_maximum_of_nothing(x):
    return np.max(x[4:])  # here


def inverts(x):
    y = np.linalg.inv(np.zeros((2, 2)) * x[0])  # here
    return np.sum(y * y)


def converts_a_string(x):
    return x[0] * float("abc")  # here


def divides_numbers(x):
    n = len(x) - 4
    return float(x[0]) / n  # here


def reads_beyond_the_end(x):
    y = x[10] ** 2  # here
    return y * y


def reads_an_index_beyond_the_end(x):
    i = np.argmax(x) + 1
    y = x[i] ** 2  # here
    return y * y


def reads_beyond_the_end_at_last(x):
    return x[10]  # here


def takes_a_square_root(x):
    return math.sqrt(-float(x[0]))  # here


def takes_a_logarithm(x):
    y = math.log(-float(x[0]))  # here
    return y * y
