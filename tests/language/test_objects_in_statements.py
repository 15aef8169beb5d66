"""Objects in the statements of this package: what they hold is followed through them."""

import numpy as np
import pytest

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])


class State:
    def __init__(self, x):
        self.v = x * x
        self.n = 1.0
        self.items = {"a": x[0]}
        self.rows = [x[1], x[0]]

    def step(self, limit):
        self.n = self.n * self.v[1]
        if self.v[0] > limit:
            raise ValueError("too large")
        self.v = self.v * 2.0

    def pieces(self):
        for v in self.v:
            self.n = self.n + v
            yield v * self.n

    def __enter__(self):
        self.n = self.n * 3.0
        return self

    def __exit__(self, *error):
        self.n = self.n + 1.0


def caught_in_methods(x):
    s = State(x)
    for i in range(3):
        try:
            s.step(x[i] * 2.0)
        except ValueError:
            s.v = s.v * x[2]
            continue
        finally:
            s.n = s.n * 1.5
        s.n = s.n + x[i]
    return np.sum(s.v) * s.n


def generated_by_methods(x):
    s, total = State(x), 0.0
    for v in s.pieces():
        total = total + v * s.n
    return total * s.n


def contexts_that_are_objects(x):
    s, total = State(x), 0.0
    for i in range(2):
        with s as inner, State(x * 2.0):
            total = total + np.sum(inner.v) * s.n * x[i]
    return total * s.n


def rebound_and_matched(x):
    s = State(x)

    def renewed():
        nonlocal s
        s = State(x * s.n + 1.0)
        s.v[0] = 2.0 * x[1]

    renewed()
    match (s, x[0]):
        case (_, float() as v) if v > 0.5:
            return np.sum(s.v) * v
    return np.sum(s.v) * s.n


def containers_in_attributes(x):
    s = State(x)
    s.items.update(b=x[1] * x[2])
    w = s.items.pop("a")
    s.rows.sort()
    s.rows.reverse()
    del s.rows[1]
    return w * s.items["b"] * s.rows[0] * len(s.rows) * len(s.items)


def deleted_attributes(x):
    s = State(x)
    first = s.rows
    del s.rows
    s.rows = [x[2], first[0]]
    if x[0] > 0.5:
        del s.items
        s.items = {"a": x[1]}
    t = State(x * 2.0)
    del t.n, t.items
    return s.rows[0] * s.rows[1] * s.items["a"] * (t.v[0] if not hasattr(t, "n") else s.n)


PROGRAMS = [deleted_attributes, caught_in_methods, generated_by_methods, contexts_that_are_objects, rebound_and_matched,
            containers_in_attributes]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_statements_with_objects(f):
    everywhere(f, X, closed=False, twice=f is caught_in_methods)
    at(f, 2.0 * X, 0.3 * X)
