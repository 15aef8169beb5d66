"""`with`: contexts are entered and left around what stands in them, in the forward sweep alone."""

import contextlib
import io
import threading
import warnings

import numpy as np
import pytest

from adcompiler import cotangent, differentiable, grad, value_and_grad, vjp
from adcompiler.errors import UnsupportedError

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
LOCK = threading.Lock()
LOG: list[str] = []


@contextlib.contextmanager
def noted(name):
    LOG.append("in " + name)
    try:
        yield name
    finally:
        LOG.append("out " + name)


class Raised(Exception):
    pass


@contextlib.contextmanager
def scaled(s):
    yield s * 2.0


@contextlib.contextmanager
def pair(a, b):
    LOCK.acquire()
    try:
        yield a * b, a + b
    finally:
        LOCK.release()


@contextlib.contextmanager
def forgiving():
    try:
        yield
    except Raised:
        pass


class Model:
    def __init__(self, x):
        self.x, self.scale = x * 1.0, 1.0

    @contextlib.contextmanager
    def temporarily(self, s):
        old = self.scale
        self.scale = old * s
        try:
            yield self
        finally:
            self.scale = old + s

    def energy(self):
        return np.sum(self.x**2) * self.scale


def given_by_a_generator(x):
    with scaled(x[0]) as k, pair(k, x[1]) as (p, q):
        y = k * x[1] + p * q
    return y * k * p


def changed_and_restored(x):
    m = Model(x)
    with m.temporarily(x[1]) as t:
        y = m.energy() * t.scale
    return y * m.energy()


def suppressed_by_a_generator(x):
    y = x[0]
    with forgiving():
        y = y * 2.0
        if x[1] > 0.5:
            raise Raised
        y = y * 5.0 * x[2]
    return y * x[1]


def of_a_function_inside(x):
    total = [x[0]]

    @contextlib.contextmanager
    def adding(v):
        total[0] = total[0] + v
        yield
        total[0] = total[0] * v

    for i in range(2):
        with adding(x[i]):
            y = total[0] * x[2]
    return y * total[0]


def returned_from_it(x):
    with scaled(x[0]) as k:
        y = k * x[1]
        return y * k


FOLLOWED = [given_by_a_generator, changed_and_restored, suppressed_by_a_generator, of_a_function_inside,
            returned_from_it]  # fmt: skip


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_context_managers_that_generators_make(f):
    everywhere(f, X, closed=False, twice=f is changed_and_restored)
    at(f, X[::-1].copy(), 0.3 * X)
    assert not LOCK.locked()


class Suppressing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is Raised


def suppressed_by_a_class(x):
    y = x[0]
    with Suppressing():
        if x[1] > 0.2:
            raise Raised
        y = y * 5.0
    return y


def left_by_break(x):
    total = 0.0
    for v in x:
        with scaled(v) as k:
            if k > 2.0:
                break
            total = total + k * k
    return total


def caught_around_it(x):
    try:
        with scaled(x[0]) as k:
            if k > 1.0:
                raise Raised
            y = k
    except Raised:
        y = x[1]
    return y


@contextlib.contextmanager
def twice(s):
    for _ in range(2):
        yield s


def yielding_in_a_loop(x):
    with twice(x[0]) as k:
        y = k * k
    return y


REFUSED = {
    suppressed_by_a_class: "`__exit__` of Suppressing may suppress", left_by_break: "is left by a jump",
    caught_around_it: "may be told of what is caught", yielding_in_a_loop: "does not yield once",
}  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_context_managers_that_are_refused(f):
    with pytest.raises(UnsupportedError, match=REFUSED[f]):
        grad(f)(X)


def formatted(x):
    with np.printoptions(precision=2), LOCK:
        y = x * x
        print(y[0], y)
    return np.sum(y * x)


def test_context_managers(capsys):
    """Entered once, around what is printed; what follows is outside."""
    everywhere(formatted, X, closed=False)
    capsys.readouterr()
    value_and_grad(formatted)(X)
    printed = capsys.readouterr().out
    formatted(X)
    assert printed == capsys.readouterr().out
    assert not LOCK.locked()
    assert "with np.printoptions(precision=2):" in differentiable(formatted).source(example=(X,))


def steps(x, low):
    total = 0.0
    for i in range(4):
        with noted("step"):
            if x[i] > 1.2:
                continue
            total = total + x[i] ** 2
            if total > 1.0:
                break
            with contextlib.nullcontext(x[0]) as first:
                total = total * first
    with noted("end"):
        if total > low:
            return total * x[3]
        total = total * x[0]
    return total * total


@pytest.mark.parametrize("low", [0.0, 50.0])
def test_contexts_that_are_left_early(low):
    """By `continue`, `break` and `return`: entered and left as often as in the program, and in its order."""
    everywhere(steps, X, low, closed=False)
    for x in (X, 3.0 * X):
        LOG.clear()
        steps(x, low)
        wanted = list(LOG)
        LOG.clear()
        grad(steps)(x, low)
        assert wanted == LOG
        _, pullback = vjp(steps, x, low)
        pullback(1.0)
        pullback(1.0)
        assert wanted * 2 == LOG


def test_contexts_are_left_where_the_program_raises():
    def f(x):
        with noted("around"):
            y = x * x
            if y[0] > 4.0:
                raise Raised
        return np.sum(y * x)

    everywhere(f, X, closed=False)
    LOG.clear()
    with pytest.raises(Raised):
        grad(f)(5.0 * X)
    assert LOG == ["in around", "out around"]


def test_what_a_context_gives():
    def f(x):
        with noted("name") as name:
            print(name, end="")
        return np.sum(x * x)

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        grad(f)(X)
    assert out.getvalue() == "name"


def test_warnings_are_caught_inside():
    def f(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("not seen")
            y = x * x
        return np.sum(y * x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        everywhere(f, X, closed=False)


def test_a_context_around_a_store():
    def f(x):
        y = x * x
        with LOCK:
            y[1:] *= x[0]
            z = y[1] * x[2]
        y[0] = z
        return np.sum(y * x)

    everywhere(f, X, closed=False)


def test_a_context_of_an_array_that_is_used_elsewhere_is_refused():
    def f(x):
        y = x * x
        with contextlib.closing(y):
            z = np.sum(y * x)
        return z

    with pytest.raises(UnsupportedError, match="may write into an array that is used elsewhere"):
        grad(f)(X)


def test_a_context_with_a_name_is_entered_twice():
    def f(x):
        quiet = np.printoptions(precision=2)
        with quiet:
            y = x * x
        with LOCK:
            z = np.sum(y * x)
        return z

    everywhere(f, X, closed=False)


def test_a_body_that_is_given_a_cotangent():
    def f(x):
        y = np.sin(x)
        with cotangent(y) as d_y:
            assert np.all(np.isfinite(d_y))
            d_y = np.clip(d_y, -0.5, 0.5)
        return np.sum(y * y)

    assert f(X) == pytest.approx(np.sum(np.sin(X) ** 2))
    np.testing.assert_allclose(grad(f)(X), np.clip(2 * np.sin(X), -0.5, 0.5) * np.cos(X))
