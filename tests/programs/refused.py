"""Programs that are refused today, with what is said: what may share memory differs from path to path, or in a list."""

import numpy as np

from tests.programs.dynamics import Y
from tests.programs.learning import X
from tests.programs.stencils import LINE


def rows_swapped(u0, steps):
    """Heat in the two rows of one array, whose names are swapped: which row is meant differs by iteration."""
    buffers = np.stack([u0, u0])
    u, new = buffers
    for _ in range(steps):
        new[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, new = new, u
    return np.sum(buffers[steps % 2] ** 2)


def chosen_buffer(u0, steps):
    """The array that is written is chosen by a condition."""
    a, b = u0.copy(), np.zeros_like(u0)
    for k in range(steps):
        target = a if k % 2 else b
        target[1:] = 0.5 * (a[1:] + b[:-1])
    return np.sum(a * b)


def best_so_far(w0, steps):
    """The best is kept without a copy of it."""
    w, best, least = w0.copy(), w0.copy(), 100.0
    for _ in range(steps):
        w -= 0.2 * np.sin(w)
        if np.sum(w * w) < least:
            best, least = w, np.sum(w * w)
    return np.sum(best * w0)


def snapshots(u0, steps):
    """One array is appended again and again, and changed in between."""
    u, seen = u0.copy(), []
    for _ in range(steps):
        u *= 0.9
        seen.append(u)
    return np.sum(seen[0] * seen[-1])


def normalised_layers(layers, x):
    """Weights in a list of any length that are changed in place."""
    for W, b in layers:
        W /= np.sqrt(np.sum(W * W, axis=0))
        x = np.tanh(x @ W + b)
    return np.sum(x**2)


def swept_in_the_test(u0, steps):
    """A sweep that is made in the test of a loop."""

    def sweep(u):
        u *= 0.5
        return np.sum(u)

    u = u0.copy()
    while sweep(u) > 0.1 * steps:
        u += 0.01
    return np.sum(u * u)


REFUSED = [
    (rows_swapped, (LINE, 3), "new may share memory with buffers"),
    (chosen_buffer, (LINE, 3), "target may share memory with another name"),
    (best_so_far, (Y, 3), "w may share memory with"),
    (snapshots, (LINE, 3), "u may share memory with another name"),
    (normalised_layers, ([(X[:, :3], X[0, :3]), (X[:, 1:], X[1, 1:])], X[:, :3]), "W may share memory"),
    (swept_in_the_test, (LINE, 2), "u may share memory with u in swept_in_the_test"),
]
