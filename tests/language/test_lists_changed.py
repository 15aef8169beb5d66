"""Lists of any length: elements that are stored by index, and functions that change the lists which they get."""

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError
from tests.lists_changed import (
    CHANGED,
    a_buffer_of_an_object,
    a_heap,
    empty_on_one_path,
    exchanged,
    filled_twice,
    kept_by_functions,
    longer_on_one_path,
    noted_now_and_then,
    popped_in_a_function,
    recorded,
    recorded_in_a_loop,
    stored_in_a_function,
    two_names,
)

from .checking import everywhere

X = np.array([0.7, -0.4, 1.3, 0.9, -0.2])
IN_FUNCTIONS = [stored_in_a_function, a_buffer_of_an_object, exchanged, a_heap, recorded, recorded_in_a_loop,
                filled_twice, two_names, popped_in_a_function, kept_by_functions]  # fmt: skip
ON_PATHS = [longer_on_one_path, empty_on_one_path, noted_now_and_then]


@pytest.mark.parametrize("f", [f for f in CHANGED if f not in (*IN_FUNCTIONS, *ON_PATHS)], ids=lambda f: f.__name__)
def test_elements_of_long_lists_are_stored(f):
    everywhere(f, X, twice=False)


@pytest.mark.parametrize("f", IN_FUNCTIONS, ids=lambda f: f.__name__)
def test_functions_change_long_lists(f):
    everywhere(f, X, twice=False)


@pytest.mark.parametrize("f", ON_PATHS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_lists_that_are_longer_on_one_path(f, sign):
    everywhere(f, X * sign, twice=False)
    everywhere(f, np.abs(X) * sign, twice=False)


class Cell:
    def __init__(self, rate, gain):
        self.rate, self.gain = rate, gain

    def out(self, x):
        return np.sum(np.sin(self.rate * x)) * self.gain


def appended_objects(x):
    cells = []
    for i in range(3):
        cells.append(Cell(x[i], i + 1.0))
    return sum(c.out(x) for c in cells)


def sorted_objects(x):
    cells = sorted([Cell(x[i], (2.0, -1.0, 0.5)[i]) for i in range(3)], key=lambda c: -c.gain)
    return cells[0].out(x) * cells[1].rate + cells[-1].gain * x[0]


@pytest.mark.parametrize("f", [appended_objects, sorted_objects])
def test_objects_in_lists_of_known_length(f):
    everywhere(f, X, twice=False)


def test_objects_sorted_by_what_is_computed_are_refused():
    def f(x):
        return sorted([Cell(x[i], 1.0) for i in range(3)], key=lambda c: c.rate)[0].out(x)

    with pytest.raises(UnsupportedError, match="what objects are sorted by must be known when compiling"):
        grad(f)(X)
