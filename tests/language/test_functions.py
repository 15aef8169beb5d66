"""Functions as values: in containers, made by others, decorated, and closures that are made in loops."""

import functools
import operator

import numpy as np
import pytest

from adcompiler import grad

from .checking import everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
SECOND = operator.itemgetter(1)
TOTAL = operator.methodcaller("sum", axis=0)


def scaled(f):
    @functools.wraps(f)
    def wrapper(*args, by=2.0, **kwargs):
        return by * f(*args, **kwargs)

    return wrapper


def times(n):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x):
            for _ in range(n):
                x = f(x)
            return x

        return wrapper

    return decorate


@functools.lru_cache(maxsize=None)
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@scaled
@times(2)
def module_level(x):
    return np.sin(x) * x


def in_containers(x):
    table = {"square": lambda v: v * v, "sine": np.sin, "both": [np.exp, lambda v: v + x[0]]}
    y = x[1]
    for f in [table["square"], table["sine"], *table["both"]]:
        y = f(y) * x[2]
    for name in ("sine", "square"):
        y = y + table[name](x[3])
    return y * table["both"][1](y)


def made_in_loops(x):
    late, early, comprehended = [], [], [lambda v: v * i for i in range(1, 4)]
    for i in range(3):
        late.append(lambda v: v * x[i])
        early.append(lambda v, i=i: v * x[i])
    total = late[0](x[0]) + early[0](x[1]) * early[1](x[2])
    for f in comprehended:
        total = total + f(x[3]) ** 2
    return total * late[1](x[1])


def partials(x):
    power = functools.partial(np.power, x)
    shifted = functools.partial(lambda a, b, c: a * b + c, x[0], c=x[1])
    again = functools.partial(shifted, c=x[2])
    return np.sum(power(2.0)) * shifted(x[3]) + again(x[3])


def operators(x):
    first, both = operator.itemgetter(0), operator.itemgetter("a", "b")
    shape, turned = operator.attrgetter("shape"), operator.attrgetter("T.T")
    a, b = both({"a": x[0] * x[1], "b": x[2]})
    pairs = sorted([(x[2], 1.0), (x[0], 2.0)], key=first)
    joined = operator.add([a], [b, x[3]])
    total = functools.reduce(operator.mul, joined) + SECOND(x) * TOTAL(turned(x)) * operator.neg(a)
    return total * pairs[0][1] * shape(x)[0] + len(functools.reduce(operator.add, [[a], [b, a]])) * x[0]


def cached(x):
    @functools.lru_cache
    def inner(n):
        return n * 2.0

    @functools.cache
    def of_values(v):
        return v * v

    return np.sum(x * x) * factorial(4) * inner(3) + of_values(x[0]) * of_values(x[0])


def decorated(x):
    @scaled
    def inner(v, w):
        return v * w * x[1]

    @times(3)
    @scaled
    def thrice(v):
        return v * x[0]

    return inner(x[0], w=x[2], by=x[3]) + inner(x[0], x[0]) + thrice(x[1]) + module_level(x[2], by=x[0])


def recursive_values(x):
    def apply(f, n, v):
        return v if n == 0 else apply(f, n - 1, f(v))

    power = lambda n, v: v if n == 1 else v * power(n - 1, v)
    return apply(lambda v: np.sin(v) * x[1], 3, x[0]) + power(4, x[2])


def defaults_once(x):
    """A default is what it was where the function was made."""
    scale = x[0]

    def inner(v, by=scale, parts=(x[1], x[2])):
        return v * by * parts[0] + scale

    scale = x[3]
    return inner(x[2]) * inner(x[1], by=2.0)


PROGRAMS = [in_containers, made_in_loops, partials, operators, cached, decorated, recursive_values, defaults_once]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_functions_as_values(f):
    everywhere(f, X, closed=f not in (operators,), twice=f in (decorated, made_in_loops))


def test_a_function_that_is_chosen_by_a_key():
    def f(x, key):
        table = {"a": np.sin, "b": lambda v: v * v}
        return np.sum(table[key](x))

    np.testing.assert_allclose(grad(f)(X, "a"), np.cos(X))
    np.testing.assert_allclose(grad(f)(X, "b"), 2.0 * X)
