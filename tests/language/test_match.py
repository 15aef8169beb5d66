"""`match`: constants, sequences, mappings, captures, guards, alternatives."""

import types
from typing import Any

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
MODES = types.SimpleNamespace(SQUARE="square", CUBE="cube")


class Modes:
    SQUARE = "square"
    CUBE = "cube"


def by_name(x, kind):
    match kind:
        case "square" | "sq":
            y = x * x
        case "cube":
            return np.sum(x**3)
        case None:
            y = np.sin(x)
        case _:
            y = x
    return np.sum(y * x)


def by_attribute(x, kind):
    match kind:
        case Modes.SQUARE:
            return np.sum(x * x)
        case Modes.CUBE:
            return np.sum(x**3)
    return np.sum(np.exp(x))


@pytest.mark.parametrize("kind", ["square", "sq", "cube", None, "other"])
def test_match_of_constants(kind):
    everywhere(by_name, X, kind, twice=kind == "sq")


@pytest.mark.parametrize("kind", ["square", "cube", "other"])
def test_match_of_dotted_names(kind):
    everywhere(by_attribute, X, kind, closed=False, twice=False)


def of_pairs(x, n):
    parts = (x[0], x[1], x[2])[:n]
    match parts:
        case ():
            return x[3] ** 2
        case [a]:
            return a * a
        case (a, b):
            return a * b * b
        case (a, *rest, b):
            return a * rest[0] ** 2 * b * len(rest)


def nested(x, tag):
    match (tag, {"at": (x[0], x[1]), "scale": x[2]}):
        case ("point", {"at": (a, b), **rest}):
            return a * b * rest["scale"]
        case ("scaled" | "times" as kind, {"at": [*parts], "scale": s}):
            return parts[0] * parts[1] ** 2 * s if kind == "scaled" else s * s
        case (str(), _):
            return x[3] ** 2


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_match_of_sequences(n):
    def f(x):
        return of_pairs(x, n)

    everywhere(f, X, closed=False, twice=n == 3)


@pytest.mark.parametrize("tag", ["point", "scaled", "times", "other"])
def test_match_of_mappings(tag):
    everywhere(nested, X, tag, twice=tag == "point")


def guarded(x, k):
    match x[0] * x[1]:
        case y if y > k:
            z = y * y
        case y if y > 0.1:
            z = y * x[2]
        case 0.0:
            z = x[3]
        case y:
            z = x[1] * y
    return z * y


@pytest.mark.parametrize("k", [0.1, 0.5])
def test_match_with_guards(k):
    everywhere(guarded, X, k)
    everywhere(guarded, X * 0.1, k)


def test_the_first_case_that_matches_is_taken():
    def f(x):
        match x[0]:
            case float(v) if v > 10.0:
                return v
            case int():
                return x[1]
            case float() as v:
                return v * v * x[2]

    everywhere(f, X)


def test_match_in_a_loop():
    """With `continue`, `break` and `return` in the cases, around a store in place."""

    def f(x, kinds):
        y = x * x
        total = 0.0
        for i in range(4):
            match i % 3, y[i] > 0.4:
                case 0, True:
                    continue
                case 1, _ if x[i] < 0.5:
                    y[i] *= x[0]
                case 2, _:
                    y[i + 1] = total
                case _, False:
                    return total * y[0]
            total = total + y[i] * x[3]
            if total > 50.0:
                break
        return total * np.sum(y)

    everywhere(f, X, 0, twice=False)
    at(lambda x: f(x, 0), X, X[::-1].copy(), X * 0.1, np.array([0.7, 0.4, 1.3, 0.1]))


def test_names_that_a_pattern_binds_see_the_subject_as_it_was():
    def f(x):
        a, b = x[0], x[1]
        match (a, b):
            case (b, a):
                return a * a * b
        return 0.0

    everywhere(f, X)


def test_names_of_a_guard_that_fails_stay_bound():
    def f(x):
        match (x[0], x[1]):
            case (a, b) if a > 5.0:
                return a
            case _:
                return a * b

    everywhere(f, X)


def test_the_subject_is_evaluated_once():
    calls = []

    def noted(v):
        calls.append(1)
        return v

    def f(x, kind):
        match noted(kind):
            case "a":
                return np.sum(x)
            case "b":
                return np.sum(x * x)
            case _:
                return np.sum(np.sin(x))

    with pytest.raises(UnsupportedError, match="calls"):  # a list outside is changed: refused
        grad(f)(X, "b")


def test_match_of_lists_of_any_length():
    def f(xs):
        match xs:
            case [a]:
                return a * a
            case [a, b, *rest]:
                return a * b + sum(rest)
        return 0.0

    for n in (1, 2, 4):
        xs = [0.5, 2.0, 3.0, 4.0][:n]
        wanted: Any = [[], [1.0], [2.0, 0.5], [], [2.0, 0.5, 1.0, 1.0]][n]
        assert grad(f)(xs) == wanted
