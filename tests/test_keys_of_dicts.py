"""Dicts under keys that have no literal: members of enumerations, NumPy's numbers, infinities, objects, classes."""

import enum
from dataclasses import dataclass

import numpy as np
import pytest

from adcompiler import grad, jvp, vjp


class Colour(enum.Enum):
    RED = 1


class Count(enum.IntEnum):
    ONE = 1


class Word(enum.StrEnum):
    A = "a"


@dataclass(frozen=True)
class Site:
    number: int


class Holder:
    def __init__(self, key):
        self.w = 2.0
        self.table = {key: 1.5}


KEYS = [Colour.RED, Count.ONE, Word.A, np.int64(3), np.float64(2.5), np.str_("q"), np.bool_(True), float("inf"),
        -float("inf"), float("nan"), Site(3), Site, np.sin, len, np.dtype("f8"), (Colour.RED, 1), (1, np.int64(2)),
        (float("nan"),), frozenset([1]), ..., np.datetime64("2020-01-01")]  # fmt: skip


def not_read(x, m):
    return x * m.w


def summed(x, d):
    return x * sum(d.values())


def squares(d):
    return sum([v * v for v in d.values()])


def outside(key):
    table = {key: 2.0}

    def f(x):
        return x * sum(table.values())

    return f


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_keys_without_a_literal(key):
    d = {key: 1.0, "b": 2.0}
    assert grad(not_read)(2.0, Holder(key)) == 2.0
    assert grad(summed)(2.0, d) == 3.0
    assert grad(lambda x, m: x * sum(m.table.values()))(2.0, Holder(key)) == 1.5
    assert grad(outside(key))(2.0) == 2.0
    got = grad(squares)(d)
    assert got[key] == 2.0 and got["b"] == 4.0
    value, pullback = vjp(squares, d)
    assert value == 5.0 and pullback(1.0)[0][key] == 2.0
    assert jvp(squares, (d,), ({key: 1.0, "b": 0.0},)) == (5.0, 2.0)


def test_one_gradient_for_dicts_under_different_keys():
    by_key = grad(summed)
    for _ in range(2):
        for k, key in enumerate(KEYS):
            assert by_key(2.0, {key: float(k), "b": 2.0}) == k + 2.0


def test_members_of_enumerations_in_a_table_outside():
    table = {Colour.RED: 2.0}
    assert grad(lambda x: x * table[Colour.RED])(3.0) == 2.0
    table[Colour.RED] = 5.0
    assert grad(lambda x: x * table[Colour.RED])(3.0) == 5.0


def test_objects_that_are_equal_are_one_key():
    by_key = grad(summed)
    for k in range(40):
        assert by_key(2.0, {Site(7): float(k)}) == k
