"""Functions of the libraries that call functions are lowered in place, with what the function closes over."""

import functools
import itertools
import math
import operator

import numpy as np
import pytest

from adcompiler import UnsupportedError, compile_module, differentiable, grad, jvp, vjp

from .numerics import assert_close, check, differences

X = np.array([0.3, 0.7, 1.1, 0.45])
A = np.cos(np.arange(12.0)).reshape(3, 4) + 1.5
OUTSIDE = np.vectorize(lambda v, c: v * v if v > 0.5 else v * c)
CLIPPED = functools.partial(np.clip, a_min=0.4, a_max=1.0)


def of_maps(x, c):
    squares = list(map(lambda v: v * c, x))
    pairs = map(lambda v, w: v * w, x, reversed(x))
    return sum(squares) + sum(pairs) + sum(map(operator.mul, x, x)) + np.sum(np.array(list(map(np.sin, x))))


def of_folds(x, c):
    product = functools.reduce(lambda a, b: a * b, x)
    polynomial = functools.reduce(lambda a, b: a * c + b, x, 0.0)
    return product + polynomial + functools.reduce(operator.add, [v * v for v in x]) + math.prod(x)


def of_running_folds(x, c):
    sums = list(itertools.accumulate(x))
    products = list(itertools.accumulate(x, lambda a, b: a * b * c))
    from_two = list(itertools.accumulate(x, operator.mul, initial=2.0))
    return sum(sums) + np.sum(np.array(products) ** 2) + from_two[-1] * len(from_two)


def of_iterators(x, c):
    neighbours = sum(a * b for a, b in itertools.pairwise(x))
    pairs = sum(a * b * b for a, b in itertools.product(x, x))
    triples = sum(p * q * r for p, q, r in itertools.product(x, x, [c, 2.0]))
    both = sum((v * c for v in itertools.chain(x, x[1:])), start=triples)
    return neighbours + pairs + both + sum(itertools.starmap(lambda a, b: a - b * b, zip(x, x[::-1])))


def of_choices(x, c):
    large = sum(filter(lambda v: v > 0.4, x)) + sum(filter(None, x))
    ordered = sorted(x, key=lambda v: -v)
    falling = sorted(x, key=lambda v: v * v, reverse=True)
    return large + ordered[0] * c + falling[1] ** 2 + max(x, key=lambda v: -v) + min(c, x[0], x[1], key=lambda v: -v)


def of_partials(x, c):
    scaled = functools.partial(lambda a, b, power: a * b**power, c, power=2)
    return sum(map(scaled, x)) + np.sum(CLIPPED(x)) + functools.partial(np.sum, axis=0)(x * x)


def of_elements(x, c):
    inside = np.vectorize(lambda v: v * v if v > 0.5 else v * c)
    named = np.vectorize(lambda v: v * c if v > 0.4 else 0, otypes=[float])
    return np.sum(inside(x)) + np.sum(OUTSIDE(x, c)) + np.sum(OUTSIDE(x[:, None], x)) + np.sum(named(x) ** 2)


def of_grids(x, c):
    grid = np.fromfunction(lambda i, j: i * x[0] + j * c, (2, 3))
    return np.sum(grid * grid)


PROGRAMS = [of_maps, of_folds, of_running_folds, of_iterators, of_choices, of_partials, of_elements, of_grids]


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    check(f, X, 0.8, argnums=(0, 1))


def test_all_modes_agree():
    value, pullback = vjp(of_running_folds, X, 0.8)
    assert value == of_running_folds(X, 0.8)
    for got, wanted in zip(pullback(2.0), grad(of_running_folds, argnums=(0, 1))(X, 0.8)):
        assert_close(got, 2.0 * np.asarray(wanted))
    _, tangent = jvp(of_running_folds, (X, 0.8), (np.ones(4), 0.0))
    assert_close(tangent, np.sum(grad(of_running_folds)(X, 0.8)))


@pytest.mark.parametrize(
    "along",
    [lambda r: r / np.sum(r), lambda r: np.cumsum(r)[::2], np.linalg.norm, lambda r: np.outer(r[:2], r[1:]), np.max],
)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_an_axis(along, axis):
    def f(x):
        made = np.apply_along_axis(along, axis, x)
        return np.sum(made * np.cos(np.arange(made.size)).reshape(made.shape))

    assert_close(grad(f)(A), differences(f, (A,)))


def test_along_the_only_axis():
    def f(x, c):
        return np.sum(np.apply_along_axis(lambda r, p: r**p * c, 0, x, 3) ** 2)

    check(f, X, 0.8, argnums=(0, 1))


def test_what_closes_over_an_array_and_matrices_of_a_stack():
    def f(stack, x):
        return np.sum(functools.reduce(lambda v, M: np.tanh(M @ v), stack, x))

    check(f, np.stack([A[:, :3] * 0.3] * 3), X[:3], argnums=(0, 1))


@pytest.mark.parametrize("f", [of_folds, of_maps, of_running_folds])
def test_a_module_ahead_of_time(f, tmp_path):
    path = tmp_path / "folds_grad.py"
    compile_module(f, path, signatures="f64[n], f64", argnums=(0, 1))
    space: dict = {"__name__": "folds_grad"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    for got, wanted in zip(space[f"{f.__name__}_grad"](X, np.float64(0.8)), grad(f, argnums=(0, 1))(X, 0.8)):
        assert np.array_equal(got, wanted)


def test_lines_are_those_of_the_call():
    text = differentiable(of_folds, argnums=(0, 1)).source(example=(X, 0.8))
    assert "library.py" not in text and "test_library_functions.py" in text


# ------------------------------------------------------------------------------------------------ refused
def first_is_an_int(x):
    return np.sum(np.vectorize(lambda v: v if v > 0.5 else 0)(x))


def first_along_an_axis_is_an_int(x):
    return np.sum(np.apply_along_axis(lambda r: r[0] if r[0] > 0.5 else 0, 0, x))


def read_twice(x):
    sums = itertools.accumulate(x)
    return sum(sums) + sum(sums)


def of_four(x):
    return sum(a * b * c * d for a, b, c, d in itertools.product(x, x, x, x))


def with_a_signature(x):
    return np.sum(np.vectorize(lambda r: r, signature="(n)->(n)")(x))


def not_differentiable_inside(x):
    return functools.reduce(lambda a, b: a + np.trim_zeros(x)[0] * b, x)


def sorted_pairs(x):
    return sorted(zip(x, 2.0 * x))[0][1]


def sorted_by_pairs(x):
    return sorted(x, key=lambda v: (v > 0.5, -v))[0]


@pytest.mark.parametrize(
    ("f", "message", "line"),
    [
        (first_is_an_int, "dtype of the first value", "np.vectorize(lambda"),
        (first_along_an_axis_is_an_int, "dtype of the first value", "np.apply_along_axis"),
        (read_twice, "has been read already", "sum(sums) + sum(sums)"),
        (sorted_pairs, "no numbers", "sorted(zip"),
        (sorted_by_pairs, "no numbers", "sorted(x, key"),
        (of_four, "product with these arguments", "itertools.product("),
        (with_a_signature, "signature", "np.vectorize(lambda"),
        (not_differentiable_inside, "trim_zeros", "functools.reduce"),
    ],
)
def test_refused(f, message, line):
    with pytest.raises(UnsupportedError, match=message) as info:
        grad(f)(X)
    assert line in str(info.value)


def test_errors_that_python_raises():
    with pytest.raises(ValueError, match="size 0 inputs"):
        grad(lambda x: np.sum(np.vectorize(lambda v: v * v)(x)))(np.zeros(0))
    with pytest.raises((TypeError, IndexError)):
        grad(lambda x, n: functools.reduce(lambda a, b: a * b, x[:n]))(X, 0)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(x) * (len(list(itertools.accumulate([]))) + 1.0),
    lambda x: np.sum(x) * (len(list(itertools.accumulate([v for v in x if v > 100.0]))) + 1.0),
    lambda x: sum(itertools.accumulate([v for v in x if v > 0.6], operator.mul)),
    lambda x: sum(itertools.accumulate(x[5:])) + x[0],
    lambda x: sum(itertools.accumulate([], initial=x[0])),
    lambda x: sum(itertools.accumulate([x[0]])),
], ids=["nothing", "none of them", "some of them", "no elements", "what it begins with", "one"])  # fmt: skip
def test_running_sums_of_nothing_and_of_little(f):
    check(f, X)
