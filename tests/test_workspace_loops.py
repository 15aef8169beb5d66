"""Loops that keep and carry arrays of earlier calls, as often as a number that is passed: none, one, more, fewer."""

import numpy as np
import pytest

from adcompiler import grad

from .workspaces import call, follow, kept_arrays


def at(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)), rng.normal(size=n)


def renewed(W, x, n):
    h = np.exp(x)
    for _ in range(n):
        h = np.tanh(W @ h)
    return np.sum(h * h)


def first_is_read_afterwards(W, x, n):
    start = np.exp(x)
    h = start
    for _ in range(n):
        h = np.tanh(W @ h)
    return np.sum(h * h * start)


def one_loop_after_another(W, x, n):
    h = np.exp(x)
    for _ in range(n):
        h = np.tanh(W @ h)
    g = h
    for _ in range(n):
        g = np.sin(W @ g)
    return np.sum(h * g)


def turned_over(W, x, n):
    M = np.exp(W * 0.1)
    for _ in range(n):
        M = np.tanh(W @ M).T
    return np.sum(M @ x)


def upside_down(W, x, n):
    M = np.exp(W * 0.1)
    for _ in range(n):
        M = np.tanh(W @ M)[::-1]
    return np.sum(M @ x)


def every_other(W, x, n):
    h = np.exp(x)
    for k in range(n):
        if k % 2:
            h = np.tanh(W @ h)
    return np.sum(h * h)


def ever_more_often(W, x, n):
    h = np.exp(x)
    for k in range(n):
        g = h
        for _ in range(k):
            g = np.tanh(W @ g)
        h = g * h
    return np.sum(h * h)


def last_but_one(W, x, n):
    h = np.exp(x)
    before = h
    for _ in range(n):
        before = h
        h = np.tanh(W @ h)
    return np.sum(h * before)


def largest(W, x, n):
    h = np.exp(x)
    best = h
    for _ in range(n):
        h = np.tanh(W @ h)
        if np.sum(h) > np.sum(best):
            best = h
    return np.sum(h * best)


def left_early(W, x, n):
    h = np.exp(x)
    for _ in range(n):
        g = np.tanh(W @ h)
        if np.sum(g) < 0:
            break
        h = g + h
    return np.sum(h * h) + np.sum(h)


def counted(W, x, n):
    h, k = np.exp(x), 0
    while k < n:
        h = np.sin(W @ h)
        k += 1
    return np.sum(h * x)


PROGRAMS = [
    renewed, first_is_read_afterwards, one_loop_after_another, turned_over, upside_down, every_other, ever_more_often,
    last_but_one, largest, left_early, counted,
]  # fmt: skip
each = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


@each
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_number_of_iterations_after_any_other(f, dtype):
    counts = (0, 3, 0, 5, 1, 2, 3)
    calls = [(*at(k % 2, 6 if k == 5 else 4), n) for k, n in enumerate(counts)]
    follow(f, *(call(W.astype(dtype), x.astype(dtype), n) for W, x, n in calls), argnums=(0, 1))


@each
def test_no_more_is_kept_than_the_most_iterations_need(f):
    """An array that is a result leaves the list; it must not be replaced by more than one."""
    gradient = grad(f, (0, 1))
    peaks = []
    for _ in range(4):
        counts = []
        for n in range(6):
            gradient(*at(0, 4), n)
            counts.append(len(kept_arrays(gradient)))
        peaks.append(max(counts))
    assert peaks[1:] == peaks[:1] * 3


def test_what_a_loop_carries_last_may_be_returned():
    def last(W, x, n):
        h = np.exp(x)
        for _ in range(n):
            h = np.tanh(W @ h)
        return np.sum(h * h), h

    def all_of_them(W, x, n):
        h = np.exp(x)
        states = [h]
        for _ in range(n):
            h = np.tanh(W @ h)
            states.append(h)
        return np.sum(h * h), (h, states)

    calls = [call(*at(k % 2, 4), n) for k, n in enumerate((0, 3, 0, 5, 1, 3))]
    for f in (last, all_of_them):
        follow(f, *calls, *calls, argnums=(0, 1), has_aux=True)
