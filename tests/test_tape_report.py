"""What is kept for the backward sweep, counted: nothing of linear stencils, one version of what is overwritten."""

import numpy as np
import pytest

from adcompiler import differentiable
from tests.programs.factorisations import cholesky_by_elements

N = 12


def diffuse(new, u):
    new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])


def stencil_in_place(u, n):
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u)


def stencil_swapped(u, n):
    new = u.copy()
    for _ in range(n):
        diffuse(new, u)
        u, new = new, u
    return np.sum(u)


def stencil_alternating(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        diffuse(v, u)
        diffuse(u, v)
    return np.sum(u)


def stencil_2d(u, n):
    v = u.copy()
    for _ in range(n):
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u, v = v, u
    return np.sum(u)


def stencil_3d(u, n):
    v = u.copy()
    for _ in range(n):
        v[1:-1, 1:-1, 1:-1] = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] - u[1:-1, 2:, 1:-1] - u[1:-1, 1:-1, :-2]
        u[1:-1, 1:-1, 1:-1] = v[2:, 1:-1, 1:-1] - 0.5 * v[1:-1, 1:-1, 1:-1]
    return np.sum(u)


def scaling(u, n):
    for _ in range(n):
        u *= 0.5
        u[1:] -= 3.0 * u[:-1]
    return np.sum(u)


def prefix_sums(u, n):
    for i in range(1, len(u)):
        u[i] += u[i - 1]
    return np.sum(u * np.arange(float(len(u))))


CUBE = np.linspace(0.0, 1.0, 125).reshape(5, 5, 5)
LINEAR = [(stencil_in_place, None), (stencil_swapped, None), (stencil_alternating, None), (scaling, None),
          (prefix_sums, None), (stencil_2d, CUBE[0]), (stencil_3d, CUBE)]  # fmt: skip


@pytest.mark.parametrize(("f", "u"), LINEAR, ids=lambda p: getattr(p, "__name__", ""))
def test_nothing_is_kept_of_what_is_linear(f, u):
    u = np.linspace(0.0, 1.0, N) if u is None else u
    assert differentiable(f).tape_report(u, 5).kept == []
    text = differentiable(f).source(example=(u, 5))
    assert "tape = " not in text
    assert text.count("for ") == 1, "the forward sweep is gone"


def burgers(u, n, dt):
    for _ in range(n):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def test_one_version_a_step_of_what_is_overwritten():
    report = differentiable(burgers).tape_report(np.linspace(0.0, 1.0, N), 5, 0.1)
    assert report.bytes == 5 * N * 8  # the first version is the argument; the last is squared
    assert [(k.name, k.count) for k in report.kept] == [("u", 1), ("u", 4)]
    assert report.kept[1].source == "u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])"
    assert str(report).endswith(f"{5 * N * 8} bytes are kept")


def recurrence(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i] + x[i - 1]
    return y[-1]


def test_of_recurrences_over_elements_the_array_alone():
    report = differentiable(recurrence).tape_report(np.linspace(0.0, 1.0, N))
    assert [(k.name, k.count, k.bytes) for k in report.kept] == [("y", 1, 8 * N)]


def test_of_a_factorization_by_elements_the_factor_alone():
    n = 6
    P = np.eye(n) * n + 1.0
    report = differentiable(cholesky_by_elements).tape_report(P)
    factored = [(k.name, k.count, k.bytes) for k in report.kept if "np.log" not in k.source]
    assert factored == [("L", 1, 8 * n**2)]


def recurrent(W, xs, h):
    for x in xs:
        h = np.tanh(W @ h + x)
    return np.sum(h)


def test_an_array_that_is_read_as_this_and_as_the_one_before_is_kept_once():
    report = differentiable(recurrent).tape_report(np.eye(3), np.ones((4, 3)), np.zeros(3))
    assert (report.kept[0].name, report.bytes) == ("h", 4 * 3 * 8)


def test_of_factors_the_arrays_in_them():
    def solution(A, b):
        x = np.linalg.solve(A, b)
        return x @ x

    report = differentiable(solution).tape_report(np.eye(3) * 3.0 + 1.0, np.ones(3))
    assert sum(k.count for k in report.kept) == 3  # x, and what LAPACK gives: factors and pivots
    assert report.bytes >= 24 + 72


def test_of_lists_of_lists_each_number():
    def ragged(x):
        s = 0.5
        for _ in range(2):
            for i in range(len(x)):
                for j in range(i):
                    s += np.sin(s * x[j])
        return s

    (kept,) = differentiable(ragged).tape_report(np.ones(4)).kept
    assert (kept.count, kept.bytes) == (12, 96)
