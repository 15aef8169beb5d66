"""Calls of one gradient that are cut short, run at the same time or in one another, or have ever other shapes."""

import collections
import copy
import gc
import threading
import time
import weakref

import numpy as np
import pytest

from adcompiler import grad, value_and_grad

from .fuzz.arguments import same_bits
from .workspaces import arrays_of, call, follow, kept_arrays, pools, share, unseen

rng = np.random.default_rng(5)
W, X, Y = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)


def recurrent(W, x):
    h = np.zeros(x.shape[0])
    for _ in range(6):
        h = np.tanh(W @ h + x)
    return np.sum(h * h)


def chain(x):
    e = np.exp(x)
    s = np.sin(e)
    return np.sum(s * e * x)


def at(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)), rng.normal(size=n)


def workspaces(gradient):
    """How many shapes of arguments a gradient keeps arrays for."""
    return sum(1 for pool in pools(gradient) if pool.idle)


# ------------------------------------------------------------------------------------------ cut short


@pytest.mark.parametrize("error", [ValueError("on demand"), KeyboardInterrupt()], ids=repr)
def test_after_an_exception_in_the_middle_results_are_right(error):
    left = [0]

    def count():
        left[0] -= 1
        if left[0] == 0:
            raise error

    interrupt = unseen(count)

    def f(W, x):
        h = np.exp(x)
        for _ in range(4):
            h = np.tanh(W @ h + x)
            interrupt()
        e = np.exp(h)
        return np.sum(e * h * np.sin(e))

    plain, pooled = (value_and_grad(f, (0, 1), reuse_buffers=reuse) for reuse in (False, True))
    for moment in (1, 3, 4, 2):
        for x in (X, Y):
            left[0] = 0
            assert same_bits(pooled(W, x), plain(W, x))
            left[0] = moment
            with pytest.raises(type(error)):
                pooled(W, -x)
        assert kept_arrays(pooled) == []  # nobody knows what the workspace is left with


def test_after_an_error_of_numpy_results_are_right():
    def f(x, y):
        q = np.exp(x) / y
        r = np.sin(q)
        return np.sum(r * q * np.log(y))

    plain, pooled = (value_and_grad(f, (0, 1), reuse_buffers=reuse) for reuse in (False, True))
    good, bad = np.abs(Y) + 0.5, np.array([1.0, 0.0, 2.0, 3.0])
    for _ in range(3):
        with np.errstate(all="raise"):
            assert same_bits(pooled(X, good), plain(X, good))
            with pytest.raises(FloatingPointError):
                pooled(X, bad)
        with np.errstate(all="ignore"):
            assert same_bits(pooled(X, bad), plain(X, bad))


def test_what_a_workspace_still_has_raises_nothing():
    """Arrays of a call that overflowed are computed into, not read."""
    plain, pooled = (grad(chain, reuse_buffers=reuse) for reuse in (False, True))
    with np.errstate(all="ignore"):
        assert np.isnan(pooled(np.full(4, 1e4))).all()
    with np.errstate(all="raise"):
        assert same_bits(pooled(X), plain(X))


# ------------------------------------------------------------------------------------- at the same time


@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("sizes", [(5,), (3, 5, 9)], ids=["one shape", "several shapes"])
def test_threads_get_what_they_would_get_alone(count, sizes):
    plain, pooled = (value_and_grad(recurrent, (0, 1), reuse_buffers=reuse) for reuse in (False, True))
    jobs = [[at(seed, n) for n in sizes for seed in range(k, k + 3)] for k in range(count)]
    wanted = [[plain(*args) for args in job] for job in jobs]
    wrong, calls, end = [], [0] * count, time.monotonic() + 0.75

    def work(k):
        earlier = []
        while time.monotonic() < end or calls[k] < 4:
            for args, expected in zip(jobs[k], wanted[k]):
                try:
                    found = pooled(*args)
                except Exception as error:
                    wrong.append(error)
                    return
                earlier = [*earlier[-5:], (found, expected)]
                calls[k] += 1
                if not all(same_bits(a, b) for a, b in earlier):
                    wrong.append((k, found))
                    return

    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]
    assert all(len(pool.idle) <= count for pool in pools(pooled))
    assert workspaces(pooled) == len(sizes)


def test_calls_at_the_same_time_share_no_array():
    """Two threads meet in the middle of the gradient, each with its own arrays."""
    meet = unseen(threading.Barrier(2, timeout=20).wait)

    def f(W, x):
        e = np.exp(W @ x)
        meet()
        s = np.sin(e)
        return np.sum(s * e * x)

    plain = value_and_grad(chain_of_product, (0, 1), reuse_buffers=False)
    pooled = value_and_grad(f, (0, 1))
    for _ in range(3):
        found = {}
        threads = [
            threading.Thread(target=lambda k=k, x=x: found.__setitem__(k, pooled(W, x))) for k, x in enumerate((X, Y))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert same_bits([found[0], found[1]], [plain(W, X), plain(W, Y)])
    pool = [a for a in kept_arrays(pooled) if a.shape == X.shape]
    assert pool and len(pool) % 2 == 0  # a workspace each


def chain_of_product(W, x):
    e = np.exp(W @ x)
    s = np.sin(e)
    return np.sum(s * e * x)


# ------------------------------------------------------------------------------------------ in one another


def test_a_gradient_may_call_itself_through_code_of_the_user():
    inner, depth = [], [0]

    def again():
        if depth[0] < 3:
            depth[0] += 1
            inner.append(gradient(Y))
            depth[0] -= 1

    callback = unseen(again)

    def f(x):
        e = np.exp(x)
        callback()
        s = np.sin(e)
        return np.sum(s * e * x)

    gradient = value_and_grad(f)
    plain = value_and_grad(chain, reuse_buffers=False)
    for _ in range(3):
        assert same_bits(gradient(X), plain(X))
        assert len(inner) >= 3
        assert all(same_bits(found, plain(Y)) for found in inner)
    assert not share(arrays_of(inner), kept_arrays(gradient))


def test_a_gradient_may_be_in_use_in_a_generator():
    gradient = value_and_grad(recurrent, (0, 1))
    plain = value_and_grad(recurrent, (0, 1), reuse_buffers=False)

    def descent(x):
        while True:
            value, (_, d_x) = gradient(W, x)
            yield value
            x = x - 0.1 * d_x

    def by_plain(x, steps):
        for _ in range(steps):
            value, (_, d_x) = plain(W, x)
            yield value
            x = x - 0.1 * d_x

    one, other = descent(X), descent(Y)
    pairs = [(next(one), next(other)) for _ in range(6)]
    assert pairs == list(zip(by_plain(X, 6), by_plain(Y, 6)))


def test_gradients_of_gradients():
    first = grad(chain)

    def projected(x, v):
        return np.sum(first(x) * v)

    follow(projected, call(X, Y), call(Y, X), call(X, Y), argnums=(0, 1))
    follow(grad(grad(np.tanh)), call(0.3), call(0.7), call(0.3))

    def length(x):
        g = grad(projected)(x, x)
        return np.sum(g * g)

    follow(length, call(X), call(Y), call(X), call(np.append(X, Y)))


# ---------------------------------------------------------------------------------------- ever other shapes


@pytest.mark.parametrize("bound", [1, 3, 16])
def test_for_so_many_shapes_arrays_are_kept_and_no_more(bound):
    gradient = grad(chain, max_workspaces=bound)
    plain = grad(chain, reuse_buffers=False)
    for n in range(2, 202):
        x = np.linspace(0.1, 1.0, n)
        assert same_bits(gradient(x), plain(x))
        assert same_bits(gradient(x), plain(x))
        assert workspaces(gradient) <= bound
    assert workspaces(gradient) == bound
    assert np.linspace(0.1, 1.0, 201).shape in {a.shape for a in kept_arrays(gradient)}


def test_the_shapes_that_were_used_last_are_those_that_are_kept():
    gradient = grad(chain, max_workspaces=2)
    often = np.linspace(0.1, 1.0, 300)
    gradient(often)
    for n in range(2, 20):
        gradient(np.linspace(0.1, 1.0, n))
        gradient(often)
        assert often.shape in {a.shape for a in kept_arrays(gradient)}


def test_a_bound_of_zero_keeps_nothing():
    for gradient in (grad(chain, max_workspaces=0), grad(chain, reuse_buffers=False), grad(chain, reuse=False)):
        first, second = gradient(X), gradient(X)
        assert same_bits(first, grad(chain)(X)) and same_bits(first, second)
        assert kept_arrays(gradient) == []
        gradient.release()


def test_a_shape_that_comes_back_after_it_was_dropped():
    gradient, plain = grad(chain, max_workspaces=1), grad(chain, reuse_buffers=False)
    for _ in range(4):
        for x in (X, np.append(X, Y)):
            assert same_bits(gradient(x), plain(x))


# --------------------------------------------------------------------------------------------- giving back


def watched(gradient):
    """Weak references to all arrays that a gradient keeps."""
    references = [weakref.ref(a) for a in kept_arrays(gradient)]
    assert references
    return references


def test_release_drops_the_arrays():
    gradient = value_and_grad(recurrent, (0, 1))
    for n in (4, 6):
        gradient(*at(n, n))
    before = gradient(*at(0, 4))
    kept, references = copy.deepcopy(before), watched(gradient)
    gradient.release()
    gc.collect()
    assert all(r() is None for r in references)
    assert kept_arrays(gradient) == []
    assert same_bits(gradient(*at(0, 4)), kept) and same_bits(before, kept)
    assert kept_arrays(gradient)


def test_arrays_go_with_the_gradient():
    gradient = grad(chain)
    gradient(X)
    references = watched(gradient)
    del gradient
    gc.collect()
    assert all(r() is None for r in references)


def test_arrays_of_a_shape_that_is_dropped_go():
    gradient = grad(chain, max_workspaces=1)
    gradient(X)
    references = watched(gradient)
    gradient(np.append(X, Y))
    gc.collect()
    assert all(r() is None for r in references)


def test_release_in_the_middle_of_a_call():
    release = unseen(lambda: gradient.release())

    def f(x):
        e = np.exp(x)
        release()
        s = np.sin(e)
        return np.sum(s * e * x)

    gradient, plain = value_and_grad(f), value_and_grad(chain, reuse_buffers=False)
    for x in (X, Y, X):
        assert same_bits(gradient(x), plain(x))


# ------------------------------------------------------------------------------------- what others still have


def test_what_opaque_code_keeps_stays_what_it_was():
    seen = collections.deque()
    keep = seen.append  # which nobody can see into

    def f(W, x):
        h = np.exp(x)
        keep(np.sin(h))
        for _ in range(3):
            h = np.tanh(W @ h)
            keep(h.copy())
            keep(h * x)
        s = np.sin(h)
        keep(s[1:] * 1.0)
        return np.sum(s * h * x)

    plain, gradient = (value_and_grad(f, (0, 1), reuse_buffers=reuse) for reuse in (False, True))
    for x in (X, Y, X):
        plain(W, x)
    wanted = copy.deepcopy(list(seen))
    seen.clear()
    for x in (X, Y, X):
        gradient(W, x)
    assert len(wanted) == 24
    assert same_bits(list(seen), wanted)
    assert not share(list(seen), kept_arrays(gradient))


def test_what_is_returned_beside_the_value_stays_what_it_was():
    def f(W, x):
        states, h = [], np.exp(x)
        for _ in range(3):
            h = np.tanh(W @ h)
            states.append(h)
        d = W @ h
        return np.sum(h * h * x), {"all": states, "last": h, "tail": d[1:], "turned": np.outer(d, h).T, "x": x}

    a, b = call(W, X), call(W, Y)
    _, gradient = follow(f, a, b, a, call(*at(3, 6)), a, argnums=(0, 1), has_aux=True)
    assert kept_arrays(gradient)


def test_a_kept_value_that_is_returned_is_not_given_back():
    """The loop backwards reads each state; two of them are results as well."""

    def f(W, x):
        h = x * 1.0
        middle = h
        for k in range(4):
            h = np.tanh(W @ h)
            if k == 1:
                middle = h
        return np.sum(h * h), (middle, h)

    a, b = call(W, X), call(W, Y)
    follow(f, a, b, a, b, argnums=(0, 1), has_aux=True)


def test_what_an_exception_carries_stays_what_it_was():
    def f(x):
        e = np.exp(x)
        s = np.sin(e)
        if s[0] > 0.9:
            raise ArithmeticError(s)
        return np.sum(s * e * x)

    gradient = grad(f)
    gradient(X - 1.0)
    with pytest.raises(ArithmeticError) as caught:
        gradient(np.full(4, np.log(np.pi / 2)))
    carried = caught.value.args[0]
    kept = carried.copy()
    gradient(X - 1.0), gradient(X - 2.0)
    assert same_bits(carried, kept)


def test_arguments_may_be_one_array():
    def f(x, y, z):
        s = np.sin(x * y)
        s += z
        return np.sum(s * x * np.exp(y))

    pooled, plain = (grad(f, (0, 1, 2), reuse_buffers=reuse) for reuse in (True, False))
    for x in (X, Y, X):
        kept = x.copy()
        assert same_bits(pooled(x, x, x), plain(x, x, x))
        assert same_bits(pooled(x, x[::-1], x), plain(x, x[::-1], x))
        assert same_bits(x, kept)


def test_results_may_be_passed_again():
    """A descent: what one call has made is what the next is about."""
    pooled, plain = (grad(recurrent, (0, 1), reuse_buffers=reuse) for reuse in (True, False))
    mine, theirs = (W, X), (W, X)
    for _ in range(5):
        mine, theirs = pooled(*mine), plain(*theirs)
        assert same_bits(mine, theirs)
