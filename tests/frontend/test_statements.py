"""Statements and expressions beside control flow: `del`, imports inside functions, generator expressions."""

import numpy as np
import pytest

from adcompiler import differentiable, grad, value_and_grad
from adcompiler.errors import UnsupportedError
from tests.numerics import check

X = np.array([0.7, 0.4, 1.3, 0.9])


# -------------------------------------------------------------------------------------- generator expressions
def sum_of_squares(x):
    return sum(v * v for v in x)


def sum_of_some(x):
    return sum(v * v for v in x if v > 0.5) * x[0]


def sum_of_some_in_a_list(x):
    return sum([v * v for v in x if v > 0.5 if v < 1.0])


def sum_of_pairs(x):
    return sum(u * v for u in x for v in x if u > v)


def sum_with_a_start(x):
    return sum((v**3 for v in x if v > 0.5), x[1])


def sum_of_sums(x):
    return sum(sum(u * v for u in x if u < v) for v in x)


def sum_of_some_arrays(x):
    return np.sum(sum((x * v for v in x if v > 0.5), np.zeros(4)) ** 2)


def sum_of_none(x):
    return sum(v * v for v in x if v > 50.0) + x[0]


def any_of(x):
    return x[0] * x[0] if any(v > 1.2 for v in x) else x[1]


def any_of_none(x):
    return x[0] * x[0] if any(v > 12.0 for v in x[2:2]) else x[1] ** 2


def all_of(x):
    return x[0] * x[1] if all(v > 0.5 for v in x) else x[1] ** 2


def all_of_some(x):
    return x[0] * x[1] if all(u * v > 0.3 for u in x if u > 0.5 for v in x) else x[1] ** 2


def any_in_a_loop(x):
    total = 0.0
    for v in x:
        if any(u > 2.0 * v for u in x):
            continue
        total = total + v * v
    return total


def extrema(x):
    return max(v * v for v in (x[0], x[1], x[2])) * min(np.sin(v) for v in (x[0], x[3]))


def a_tuple(x):
    a, b = tuple(v * v for v in (x[0], x[1]))
    return a * b


def a_list(x):
    return np.sum(np.array(list(v * x[0] for v in x)))


GENERATORS = [
    sum_of_squares, sum_of_some, sum_of_some_in_a_list, sum_of_pairs, sum_with_a_start, sum_of_sums,
    sum_of_some_arrays, sum_of_none, any_of, any_of_none, all_of, all_of_some, any_in_a_loop, extrema, a_tuple, a_list,
]  # fmt: skip


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.__name__)
def test_generator_expressions(f):
    check(f, X)
    check(lambda x: np.sum(grad(f)(x) * np.cos(x)), X)


def test_any_stops_at_the_first():
    """What follows the first that is true is not computed, as in Python: it would raise."""

    def f(a, b):
        return b * b if any(1.0 / v > 0.5 for v in (a, 0.0 * b)) else b

    check(f, 0.5, 2.0, argnums=(1,))


def test_a_generator_that_is_kept():
    def f(x):
        squares = (v * v for v in x)
        return sum(squares) * x[0]

    check(f, X)


def test_names_of_a_generator_are_its_own():
    def f(x):
        v = x[0]
        total = sum(v * v for v in x if v > 0.5)
        return total * v

    check(f, X)


# ------------------------------------------------------------------------------------------------------- del
def test_a_deleted_name():
    def f(x):
        y = x * 2.0
        z = np.sum(y * y)
        del y
        y = z * x[0]
        return y

    check(f, X)


def test_a_name_deleted_in_each_iteration():
    def f(x):
        total = 0.0
        for v in x:
            y, z = v * v, v
            if v > 1.0:
                del y
                break
            total = total + y * z
            del y, z
        return total

    check(f, X)


@pytest.mark.parametrize("where", ["after", "in a branch", "in the next iteration"])
def test_reading_a_deleted_name_is_refused(where):
    def after(x):
        y = x * 2.0
        del y
        return np.sum(y)  # noqa: F821

    def in_a_branch(x):
        y = x * 2.0
        if x[0] > 0.0:
            del y
        return np.sum(y)

    def in_the_next_iteration(x):
        y, total = x * 2.0, 0.0
        for _ in range(3):
            total = total + np.sum(y)
            del y
        return total

    with pytest.raises(UnsupportedError, match="y is deleted at line|y may be read before|y is"):
        grad({"after": after, "in a branch": in_a_branch, "in the next iteration": in_the_next_iteration}[where])(X)


def test_memory_whose_other_name_is_deleted_may_be_changed_in_place():
    def f(x):
        y = x * 2.0
        z = y
        del y
        z += 1.0
        return np.sum(z * z)

    check(f, X)


# --------------------------------------------------------------------------------------------------- imports
def test_imports_inside():
    def f(x):
        import math
        from math import pi
        from math import sin as sine

        import numpy as xp
        import numpy.linalg
        from numpy.linalg import norm

        return math.exp(x[0]) * sine(x[1]) + norm(x) * pi + xp.sum(x) * numpy.linalg.norm(x)

    check(f, X)


def test_an_import_in_a_branch():
    def f(x, exact):
        if exact:
            from math import sin
        else:
            from math import tanh as sin
        return sin(x[0])

    check(f, X, True, argnums=(0,))
    check(f, X, False, argnums=(0,))


def test_an_import_of_what_there_is_not():
    def f(x):
        import no_such_module_anywhere

        return no_such_module_anywhere.sum(x)

    with pytest.raises(UnsupportedError, match="this raises ModuleNotFoundError"):
        grad(f)(X)


# -------------------------------------------------------------------------------------------------- errstate
def ratio(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - x[0])
    return np.sum(np.where(np.isfinite(y), y, x * x))


def ratio_in_a_loop(x):
    total = 0.0
    for v in x:
        with np.errstate(divide="ignore"):
            if np.isinf(1.0 / (v - x[0])):
                continue
            w = v / (v - x[0])
        total = total + w * w
    return total


def leaves_the_loop_from_within(x):
    total = x[1]
    for v in x:
        with np.errstate(divide="ignore"):
            if np.isinf(1.0 / (v - x[2])):
                total = total * 2.0
                break
            total = total + v * v
    return total


def returns_from_within(x):
    with np.errstate(divide="ignore"):
        y = x * x
        if np.isinf(1.0 / (x[0] - x[0])):
            return np.sum(y * y)
        y = y * 3.0
    return np.sum(y)


def in_a_helper(x):
    def inverse(v):
        return 1.0 / (v - v[0])

    with np.errstate(divide="ignore", invalid="ignore"):
        r = inverse(x)
    return np.sum(x * x * np.isinf(r)) + np.sum(np.where(np.isinf(r), 0.0, r))


def nested_contexts(x):
    with np.errstate(divide="ignore"), np.errstate(over="ignore"):
        y = np.exp(x * 900.0)
        with np.errstate(invalid="ignore"):
            z = y - y
    return np.sum(np.where(np.isfinite(z), 0.0, x * x))


QUIET = [ratio, ratio_in_a_loop, leaves_the_loop_from_within, returns_from_within, in_a_helper, nested_contexts]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("f", QUIET, ids=lambda f: f.__name__)
def test_no_warning_where_the_function_gives_none(f):
    f(X)
    grad(f)(X)


@pytest.mark.parametrize("f", [ratio_in_a_loop, leaves_the_loop_from_within, returns_from_within, nested_contexts],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_gradients_under_errstate(f):
    check(f, X, rtol=1e-5)
    check(lambda x: np.sum(grad(f)(x) * np.cos(x)), X, rtol=1e-5)


def test_forward_and_backward_code_stand_under_the_same_errstate():
    def f(x, y):
        with np.errstate(divide="ignore"):
            z = np.log(x) * y
            w = np.sum(z * z)
        return w * x[0]

    lines = [line.split("  #")[0].rstrip() for line in differentiable(f).source(example=(X, X)).splitlines()]
    assert "\n".join(line for line in lines if line and not line.lstrip().startswith(("#", '"""'))) == (
        """\
def f_grad(x, y):
    with np.errstate(divide="ignore"):
        z = np.log(x) * y
        w = np.sum(z * z)
    part = x[0]
    with np.errstate(divide="ignore"):
        d_z = 2.0 * part * z
        d_z *= y
        d_z /= x
        d_z[0] += w
    return d_z"""
    )


def test_what_is_to_raise_raises_in_the_gradient():
    def f(x):
        with np.errstate(divide="raise"):
            return np.sum(x / (x - x[0]))

    with np.errstate(all="ignore"), pytest.raises(FloatingPointError):
        grad(f)(X)


def test_the_same_quotient_within_and_without():
    def f(x, handled):
        y = 1.0
        if handled:
            with np.errstate(divide="ignore"):
                y = 2.0 / (x - x[0])
        return np.sum(2.0 / (x - x[0])) + np.sum(y)

    with np.errstate(divide="raise", invalid="ignore"), pytest.raises(FloatingPointError):
        value_and_grad(f)(X, True)
