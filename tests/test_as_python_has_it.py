"""What Python does that a compiler easily does otherwise: truth, sums of objects, texts, tuples with an own will."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, jvp, value_and_grad

from .numerics import assert_close, differences

X = np.array([0.7, 1.3, -0.4])
WEIGHTS = {"a": 2.0, "b": 3.0}


class Pair(NamedTuple):
    a: float
    b: float

    def product(self):
        return self.a * self[1]


class Tens(Pair):
    def __getitem__(self, i):
        return 10.0


class Computed(Pair):
    @property
    def a(self):
        return 100.0


class Turned(namedtuple("Turned", "a b")):
    def __iter__(self):
        return iter((self.b, self.a))


class Money:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Money(self.a + (other.a if isinstance(other, Money) else other))

    def __radd__(self, other):
        return Money(self.a * 2 + other)


class Stiff:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Stiff(self.a + other.a)


@dataclass(order=True)
class Ranked:
    k: float


TENS, COMPUTED, TURNED, PLAIN = Tens(1.0, 2.0), Computed(1.0, 2.0), Turned(1.0, 2.0), Pair(1.0, 2.0)


def all_of_one(x):
    return x[1] * all([x[0]])


def any_of_numbers(x):
    return x[1] * any([0, x[0]]) + x[2] * all([x[0], x[1]]) + x[0] * any({"a": x[0]}.values())


def all_of_lengths(x):
    return x[0] if all([len(x), len(x) - 1]) else x[1]


def sum_of_objects(x):
    return sum([Money(x[0]), Money(x[1])]).a ** 2 + sum(Money(v) for v in [x[2]]).a


def sum_from_an_object(x):
    return sum([Stiff(x[0]), Stiff(x[1])], Stiff(0.0)).a ** 2 + sum([x[0], 2.0, x[1]]) + sum([[x[0]], [x[1]]], [])[1]


def sum_of_truths(x):
    n = sum([x[0] > 0, x[1] > 0, x[2] > 0]) + sum([v > -1 for v in [x[0], x[2]]]) + sum([x[0] > 0, 2.5, x[1] > 0])
    return x[0] * n + x[1] * sum([x > 0, x > -1])[0] + x[2] * sum([bool(x[0] > 0), True]) + sum([x[0] > 0], 1) * x[1]


def sorted_text(x):
    names = "b,a".split(",")
    names.sort()
    return sum(WEIGHTS[n] * x[i] ** 2 for i, n in enumerate(names))


def changed_text(x):
    n = "a b c".split()
    m = n
    m.append("d")
    n.pop(0)
    n.insert(0, "z")
    n.remove("b")
    n.reverse()
    n[0] = "q"
    n += ["r"]
    return x[0] * len(m) + (x[1] if "-".join(n) == "q-c-z-r" else x[2])


def pairs_of_text(x):
    d = dict(kv.split("=") for kv in ["a=1", "b=2"])
    a, _, b = "1=2".partition("=")
    return x[int(d["a"])] * x[int(a)] * int(b) + x["abc".index("c")]


def least_of_constants(x):
    of_int, text = isinstance(min(1, 2.0), int), f"{min(1, 2.0)}"
    return (x[0] if of_int else x[1]) + (x[1] if text == "1" else x[2]) + x[max(0, -0.5)]


def named(x):
    return x[0] * PLAIN.product() + Pair(x[0], x[1]).product()


PROGRAMS = [all_of_one, any_of_numbers, all_of_lengths, sum_of_objects, sum_from_an_object, sum_of_truths, sorted_text,
            changed_text, pairs_of_text, least_of_constants, named]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_value_and_gradient(f):
    value, gradient = value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    assert_close(gradient, differences(f, (X,)), 1e-6)
    assert jvp(f, (X,), (X,))[1] == pytest.approx(gradient @ X)


@pytest.mark.parametrize("f", [
    lambda x: x[0] * TENS.a, lambda x: x[0] * COMPUTED.a, lambda x: x[0] * TURNED.a, lambda x: Tens(x[0], x[1]).a,
    lambda x: Computed(x[0], x[1])[0], lambda x: Turned(x[0], x[1])[0] * x[1],
])  # fmt: skip
def test_named_tuples_that_read_otherwise(f):
    with pytest.raises(UnsupportedError, match="is a named tuple with .* of its own"):
        grad(f)(X)


def test_named_tuples_that_read_otherwise_as_arguments():
    def f(n, x):
        return n.b * np.sum(x) + n[0]

    for n in (TENS, COMPUTED, TURNED):
        with pytest.raises(UnsupportedError, match="is a named tuple with .* of its own"):
            grad(f, argnums=1)(n, X)
    assert grad(f, argnums=1)(PLAIN, X).tolist() == [2.0, 2.0, 2.0]


def test_a_sum_without_a_start():
    with pytest.raises(TypeError):
        sum([Stiff(1.0)])
    with pytest.raises(UnsupportedError, match="has no method for these operands in Stiff"):
        grad(lambda x: sum([Stiff(x[0]), Stiff(x[1])]).a)(X)


class Place(NamedTuple):
    a: float
    b: float


@pytest.mark.parametrize("f", [
    lambda x: x[0] if (x[0], x[1]) < (x[2], x[1]) else x[1], lambda x: x[0] if (x[0], x[1]) <= (x[2], x[1]) else x[1],
    lambda x: x[0] if [x[0]] > [x[2], 1.0] else x[1], lambda x: x[0] if (1, x[0]) < (2, x[1]) else x[1],
    lambda x: x[0] if (3, "a") >= (3, "b") else x[1], lambda x: x[0] if Ranked(x[0]) >= Ranked(x[2]) else x[1],
    lambda x: x[0] if Place(x[0], 2.0) < Place(x[2], 3.0) else x[1], lambda x: x[0] * ((x[0],) < (x[1],)),
    lambda x: x[1] * (() < (x[0],)) + x[0],
])  # fmt: skip
@pytest.mark.parametrize("x", [[0.7, 1.3, 0.7], [1.3, 0.7, 0.2], [0.2, 0.9, 1.5]])
def test_the_order_of_tuples(f, x):
    x = np.array(x)
    value, gradient = value_and_grad(f)(x)
    assert value == f(x) and gradient @ x == pytest.approx(value)


def stacked(x):
    st, s = [x[0]], 0.0
    for v in x[1:]:
        while st and st[-1] < v:
            s += st.pop() * v
        st.append(v)
    return s * sum(st)


def by_name(x):
    p = {"w": x[:2], "b": x[1:]}
    first = [np.sum(v) * k for k, (_, v) in enumerate(sorted(p.items()))]
    return first[1] ** 2 + sorted(p.items(), key=lambda kv: {"w": 0, "b": 1}[kv[0]])[0][1][1]


def in_a_tuple(x):
    t = (1.0, [x[0]])
    t[1].append(x[1])
    return sum(t[1]) * len(t[1])


@pytest.mark.parametrize("f", [stacked, by_name, in_a_tuple])
def test_what_containers_do(f):
    test_value_and_gradient(f)


@pytest.mark.parametrize(("f", "way_out"), [
    (lambda x: sorted([Ranked(x[1]), Ranked(x[0])])[0].k, "give it a key that is known"),
    (lambda x: sum([v for v in x][1:] + [v for v in x]), r"write c = list\(a\), c \+= b"),
])  # fmt: skip
def test_ways_out(f, way_out):
    with pytest.raises(UnsupportedError, match=way_out):
        grad(f)(X)


def test_what_is_raised_by_what_is_known():
    with pytest.raises(UnsupportedError, match="this raises ValueError"):
        grad(lambda x: x["abc".index("z")])(X)


@pytest.mark.parametrize("f", [
    lambda x: abs(x**0.5), lambda x: (x**0.5).imag, lambda x: abs((-3.0) ** x), lambda x: abs(pow(x, 1 / 3)),
    lambda x: abs(x**1.5),
])  # fmt: skip
def test_powers_that_are_complex(f):
    """Python gives a complex number where the base is a negative float."""
    x = -1.7
    assert isinstance(f(x), float)
    for mode in (lambda: grad(f)(x), lambda: value_and_grad(f)(x), lambda: jvp(f, (x,), (1.0,))):
        with pytest.raises(ValueError, match="is a complex number in Python"):
            mode()


def test_powers_that_are_real():
    def f(x, p, n):
        return x**p + x**1.5 + x**-0.5 + pow(x, 1 / 3) + (x * x + 1.0) ** 0.5 + 2.0**x + x**3.0 + x**n

    assert_close(grad(f, argnums=(0, 1))(1.3, 0.7, 2), tuple(differences(f, (1.3, 0.7, 2), k) for k in (0, 1)), 1e-6)
    assert grad(lambda x: x**2.0)(-1.5) == -3.0 and grad(lambda x, n: x**n)(-2.0, -2) == 0.25
    assert grad(lambda x: abs((x + 0j) ** 0.5))(-1.7) == pytest.approx(-0.5 / np.sqrt(1.7))
