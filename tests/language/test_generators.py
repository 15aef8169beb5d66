"""Generators: a loop that reads one runs what Python runs, in its order."""

import numpy as np
import pytest

from adcompiler import differentiable, grad
from adcompiler.errors import UnsupportedError

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
SCALE = 2.0


def squares(x, low=0.5):
    """Yields the squares of those above `low`."""
    for v in x:
        if v > low:
            yield v * v


def ends_early(x):
    total = 0.0
    for i, v in enumerate(x):
        total = total + v * v
        if total > 2.0:
            return
        yield total, i
        if i == 2:
            break
    else:
        yield total * 10.0, -1
    yield x[0], 7


def several(x):
    y = x * SCALE
    yield y[0]
    yield np.sum(y * y)
    for k in range(2):
        for j in range(3):
            if j > k:
                break
            yield y[k] * x[j]
    yield from (y[3], y[3] ** 2)
    yield from squares(y)


def endless(x):
    y = x[0]
    while True:
        yield y
        y = y * y + x[1]


def total_of(x):
    total = 0.0
    for v in squares(x):
        total = total + v * x[0]
    return total


def with_break(x):
    total = 0.0
    for v, i in ends_early(x):
        if i == 1:
            continue
        total = total + v
        if total > 3.0:
            total = total * x[1]
            break
    else:
        total = total * x[2]
    return total


def with_return(x):
    total = 0.0
    for v in endless(x):
        total = total + v * v
        if total > 5.0:
            return total * v
    return x[0]


def of_several(x):
    total = x[0]
    for v in several(x):
        total = total * 0.5 + np.sin(v)
        if total > 1.2:
            continue
        total = total * x[2]
    return total


def in_a_list(x):
    made = list(several(x))
    return sum(made) * made[1] + np.sum(np.array([v * x[1] for v in squares(x)]))


def in_builtins(x):
    a = sum(squares(x))
    b = max(v for v in several(x)) * min(list(squares(x, low=0.1)))
    return a * b * x[1] if any(squares(x)) and all(v > 0 for v in squares(x)) else a


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        for v in squares(x * k):
            for u in squares(x[k:], 0.6):
                total = total + u * v
                if total > 20.0:
                    break
    return total


def nested_generators(x):
    def scaled(items, by):
        for item in items:
            yield item * by

    total = 0.0
    for v in scaled(scaled(squares(x), x[0]), 2.0):
        total = total + v
    return total


def of_closures(x):
    y = x * x
    factor = 3.0

    def rows():
        z = y[1:]
        for i in range(3):
            yield factor * z[i]

    total = 0.0
    factor = 4.0
    for v in rows():
        factor = 5.0
        total = total + v
    return total * factor


def of_expressions(x):
    parts = (v * v for v in x if v > 0.5)
    total = 0.0
    for p in parts:
        total = total + p * x[1]
    pairs = (u * v for u in x for v in x if u > v)
    return total + sum(pairs) + max(v * w for v, w in ((x[0], x[1]), (x[2], x[3])))


def unpacked(x):
    a, b, c = (v * x[0] for v in (x[0], x[1], x[2]))
    return a * b * c


def with_sends(x):
    def gathered():
        got = yield x[0]
        assert got is None
        yield x[1] ** 2

    total = 0.0
    for v in gathered():
        total = total + v
    return total


def same_names(x):
    """The generator has names of its own."""

    def pieces(total, v):
        for i in range(3):
            total = total + v[i]
            yield total

    v, i, total = x[0], 10.0, 1.0
    for x0 in pieces(v, x):
        total = total * x0
    return total * v * i


PROGRAMS = [total_of, with_break, with_return, of_several, in_a_list, in_builtins, in_a_loop, nested_generators,
            of_closures, of_expressions, unpacked, with_sends, same_names]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_generators(f):
    everywhere(f, X, twice=f in (of_several, in_a_loop))
    at(f, 2.5 * X, 0.3 * X, X[::-1].copy())


def test_generators_of_no_elements():
    def f(x):
        total = x[0] * x[1]
        for v in squares(x, 50.0):
            total = total * v
        for v in squares(x[2:2]):
            total = total * v
        return total + sum(squares(x, 60.0))

    everywhere(f, X)


def test_a_generator_that_changes_what_it_yields():
    """Between yields: its reader sees each state, since its body runs in between."""

    def smoothed(u, n):
        for _ in range(n):
            u[1:-1] = 0.5 * (u[2:] + u[:-2])
            yield u
            u *= 1.5

    def f(x):
        u = x * x
        total = 0.0
        for state in smoothed(u, 3):
            total = total + np.sum(state**2)
            state[0] = total
        return total * u[0] + np.sum(u)

    everywhere(f, X)


def test_an_enumerated_generator(capsys):
    def pieces(x):
        for v in x:
            print("yields", v > 0.5)
            yield v * v

    def f(x):
        total = 0.0
        for i, v in enumerate(pieces(x), 1):
            print("reads", i)
            if i == 3:
                break
            total = total + i * v
        return total

    everywhere(f, X)
    capsys.readouterr()
    f(X)
    wanted = capsys.readouterr().out
    grad(f)(X)
    assert capsys.readouterr().out == wanted


def test_states_that_are_kept_are_not_changed_silently():
    def states(u):
        for _ in range(3):
            u *= 1.5
            yield u

    def f(x):
        kept = list(states(x * 1.0))
        return np.sum(kept[0] * kept[2])

    assert f(X) != np.sum((1.5 * X) * (1.5**3 * X))
    with pytest.raises(UnsupportedError, match="in place"):
        grad(f)(X)


def test_what_is_printed_is_in_order(capsys):
    def pieces(x):
        print("begin")
        for v in x:
            print("before", float(v) > 1.0)
            yield v * v
            print("after")
        print("end")

    def f(x):
        total = 0.0
        g = pieces(x)
        print("made")
        for v in g:
            print("read")
            total = total + v
            if total > 2.0:
                break
        made = [print("collected") or v * v for v in pieces(x[:2])]
        return total * made[0]

    f(X)
    wanted = capsys.readouterr().out
    got = grad(f)(X)
    assert capsys.readouterr().out == wanted
    np.testing.assert_allclose(got, [2 * 0.7 * 0.7**4 + 4 * 0.7**3 * np.sum(X[:3] ** 2), *(2 * X[1:3] * 0.7**4), 0])


def test_what_is_printed_in_turn_with_another_reader_is_refused(capsys):
    def pieces(x):
        for v in x:
            print(v)
            yield v * v

    def f(x):
        return sum([a * b for a, b in zip(x, pieces(x))])

    def of_map(x):
        total = 0.0
        for v in map(noisy, x):
            print("read")
            total = total + v
        return total

    def noisy(v):
        print("called")
        return v * v

    for each in (f, of_map):
        with pytest.raises(UnsupportedError, match="is done in turn with what reads them"):
            grad(each)(X)

    def at_once(x):
        return sum(map(noisy, x)) * max(list(map(noisy, x))) * sorted(map(noisy, x))[1]

    capsys.readouterr()
    at_once(X)
    wanted = capsys.readouterr().out
    grad(at_once)(X)
    assert capsys.readouterr().out == wanted


def test_the_first_of_a_generator():
    def f(x, low):
        above = next(v for v in x if v > 0.8)
        return above * next((v * v for v in squares(x, low) if v < 1.0), x[1])

    everywhere(f, X, 0.5)
    everywhere(f, X, 5.0)
    with pytest.raises(StopIteration):
        grad(f)(0.1 * X, 0.5)


def test_a_generator_is_read_once():
    def f(x):
        g = squares(x)
        return sum(g) + sum(g)

    with pytest.raises(UnsupportedError, match="read already"):
        grad(f)(X)


@pytest.mark.parametrize("maker", [zip, reversed, lambda x: (v for v in x)])
def test_an_iterator_that_is_made_before_a_loop_is_not_read_in_it(maker):
    """The first iteration finds all of it, the others nothing."""

    def f(x, n):
        items = maker(x)
        total = x[0] * 1.0
        for _ in range(n):
            for v in items:
                total = total + np.sum(v) ** 2
        return total

    with pytest.raises(UnsupportedError, match="made before the loop"):
        grad(f)(X, 3)


def test_a_generator_that_reads_itself():
    def down(x, n):
        if n > 0:
            yield x[n]
            yield from down(x, n - 1)

    def f(x):
        total = 1.0
        for v in down(x, 3):
            total = total * v
        return total

    everywhere(f, X)


def test_the_gradient_reads_as_that_of_a_loop():
    text = differentiable(total_of).source(example=(X,))
    assert "in reversed(x):" in text and "squares" not in text and "\u02d1" not in text
