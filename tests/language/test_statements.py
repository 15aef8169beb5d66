"""Statements and expressions: loops with `else`, printing, assertions, names, and what may be seen outside."""

import numpy as np
import pytest

from adcompiler import GradientError, grad, stop_gradient, value_and_grad, vjp
from adcompiler.errors import UnsupportedError

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
CALLS = 0


def loops_with_else(x, high):
    total = 0.0
    for v in x:
        if v * v > high:
            total = total * v
            break
        total = total + v**3
    else:
        total = total * x[1]
    n = 0
    while total < 5.0 * high:
        total = total * 1.5 + x[0]
        n += 1
        if n > 3:
            break
    else:
        total = total + x[2] ** 2
    for v in x[:0]:
        total = total * v
    else:
        total = total * x[3]
    return total


@pytest.mark.parametrize("high", [0.5, 1.0, 3.0])
def test_loops_with_else(high):
    everywhere(loops_with_else, X, high, twice=high == 1.0)


def prints(x):
    y = x * x
    print(f"{y[0]:.3f} {x!r:>10} {len(x)}", y, sep="|", end="!\n")
    total = 0.0
    for i in range(3):
        total = total + y[i] * x[i]
        if total > 0.5:
            print("at", i, total)
    text = "%d of %s" % (3, "steps")
    print(text + f" {text=}", {"a": 1}, [1, "b"], (total,))
    return total * y[3]


def test_printing(capsys):
    """Once a call, in order, with the values of the forward sweep, in every mode."""
    prints(X)
    wanted = capsys.readouterr().out
    for run in (grad(prints), value_and_grad(prints), grad(prints, reuse_buffers=False)):
        for _ in range(2):
            run(X)
            assert capsys.readouterr().out == wanted
    _, pullback = vjp(prints, X)
    assert capsys.readouterr().out == wanted
    pullback(1.0)
    pullback(2.0)
    assert capsys.readouterr().out == ""
    everywhere(prints, X)


def checked(x):
    assert x[0] > 0.0, f"got {x[0]}"
    assert len(x) == 4
    y = x * x
    if y[1] > 100.0:
        raise ValueError(f"too large: {y[1]}")
    return np.sum(y)


def test_assertions_and_exceptions_are_kept():
    everywhere(checked, X)
    with pytest.raises(AssertionError, match="got -0.7"):
        grad(checked)(-X)
    with pytest.raises(ValueError, match="too large: 1600.0"):
        grad(checked)(100.0 * X)


def names(x):
    first, *rest, last = (x[0], x[1], x[2], x[3])
    (a, b), [c, *d] = (first, last), rest
    if (n := a * b) > 0.1 and (m := n * c) < 5.0:
        a = m
    total = [*rest, a][-1] * {**{"u": n}, "v": b}["v"]
    within = 0.1 < x[0] < x[2] < 5.0 > x[1]
    return total * d[0] if within else total


def test_unpacking_and_chains():
    everywhere(names, X)
    at(names, X[::-1].copy())


def counts(x):
    global CALLS
    CALLS += 1
    return np.sum(x * x)


def reads_a_global(x):
    global CALLS
    return np.sum(x * x) * (CALLS + 1)


def test_a_store_to_a_global_is_refused():
    with pytest.raises(UnsupportedError, match=r"the global CALLS is assigned(.|\n)*return it"):
        grad(counts)(X)
    everywhere(reads_a_global, X)


def accumulates(x):
    total, steps = 0.0, 0

    def add(v):
        nonlocal total, steps
        total = total + v * v
        steps += 1
        return total

    def twice(v):
        add(v)
        if v > 0.5:
            add(v * x[0])

    for i in range(4):
        twice(x[i])
        if total > 2.0:
            total = total * x[1]
    half = add(x[2]) * 0.5
    return total * half + steps


def counter(x):
    def make():
        n = 1.0

        def bump():
            nonlocal n
            n = n * x[0] + 1.0
            return n

        return bump

    first, second = make(), make()
    first()
    return first() * second() * x[1]


def reads_what_another_assigns(x):
    state = x[0]

    def read():
        return state * x[1]

    def move(n):
        nonlocal state
        for _ in range(n):
            state = state * x[2] + read()
        return read()

    a = move(2)
    b = move(1)
    return a * b * state + read()


def assigns_and_raises(x):
    total = 0.0

    def add(v):
        nonlocal total
        try:
            if v > 1.0:
                raise ValueError
            total = total + v * v
        except ValueError:
            total = total * v
            raise

    for v in x:
        try:
            add(v)
        except ValueError:
            total = total + x[1]
    return total * total


def in_generators_and_loops(x):
    t = x[0]

    def add(v):
        nonlocal t
        if v > 0.5:
            t = t * v
        else:
            t = t + v

    def both(xs):
        for v in xs:
            add(v)
            add(v * t)

    def pieces():
        for v in x:
            add(v)
            yield v * t

    both(x)
    total = 0.0
    for v in pieces():
        total = total + v * t
        add(total * 0.1)
    return total * t


NONLOCAL = [accumulates, counter, reads_what_another_assigns, assigns_and_raises, in_generators_and_loops]


def kept_from_call_to_call(x):
    def make():
        n = 1.0

        def bump(v):
            nonlocal n
            n = n * v + 1.0
            return n

        return bump

    bump = make()
    return sum([bump(v) for v in x[:1]]) if x[0] > 5.0 else of_loop(bump, x)


def of_loop(bump, x):
    total = x[0]
    for v in x:
        total = total + bump(v)
    return total


def in_a_comprehension(x):
    t = x[0]

    def add(v):
        nonlocal t
        t = t + v * v
        return t

    return sum([add(v) for v in x]) * t


def in_a_recursion(x):
    t = x[0]

    def add(v, n):
        nonlocal t
        t = t + v * v
        return t if n == 0 else add(v * t, n - 1)

    return add(x[1], 2) * t


@pytest.mark.parametrize("f", [kept_from_call_to_call, in_a_comprehension, in_a_recursion], ids=lambda f: f.__name__)
def test_what_functions_assign_unseen_is_refused(f):
    with pytest.raises(UnsupportedError, match="assign"):
        grad(f)(X)


@pytest.mark.parametrize("f", NONLOCAL, ids=lambda f: f.__name__)
def test_nonlocal(f):
    everywhere(f, X, twice=f is in_generators_and_loops)
    at(f, 0.9 * X, 0.3 * X)


def test_an_int_that_cuts_an_argument_off():
    table = np.array([2.0, 3.0, 5.0])

    def read(x, y):
        return table[int(x)] * y

    def counted(xs):
        total = 0.0
        for x in xs:
            total = total + int(x)
        return total * 1.0

    assert grad(read, 1)(1.5, 2.0) == 3.0
    assert grad(lambda x: x * table[int(x)])(1.5) == 3.0
    assert grad(lambda x: table[int(stop_gradient(x))])(1.5) == 0.0
    assert not np.any(grad(lambda x: np.sum(np.floor(x)))(X))  # a step of NumPy's is zero, as docs/conventions.md says
    for f, x, wrt in ((read, (1.5, 2.0), 0), (read, (1.5, 2.0), (0, 1)), (counted, (X,), 0)):
        with pytest.raises(GradientError, match=r"is zero: .* through int\(...\) alone") as refused:
            grad(f, wrt)(*x)
        assert "int(x)" in str(refused.value)
        assert "stop_gradient" in str(refused.value)
