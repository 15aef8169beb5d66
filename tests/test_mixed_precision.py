"""A number of double precision beside arrays of single precision: its cotangent is one whatever path was taken.

A Python float times an array of float32 is of float32, NumPy's own float64 times it of float64.
"""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from adcompiler import grad, jvp, value_and_grad, vjp

U = np.array([0.3, -0.56, 1.3])
M = np.array([0.2, -0.95, 1.1], np.float32)


def swapped(u, m, k):
    s = np.sum(u * m)
    acc = s
    for _ in range(k):
        s, acc = m[1] * 2, s
    return np.tanh(acc - s) + s


def swapped_into_a_store(u, m, k):
    s = np.sum(u * m)
    acc = s
    q = m * 1.0
    for _ in range(k):
        s, acc = m[1], s
    q[-1] = math.tanh((acc - s) / 19.0)
    return np.sum(np.sin(q)) + np.sum(u)


def stored(u, m, k):
    s = np.sum(u * m)
    q = m * np.float32(2.0)
    for _ in range(k):
        q[0] = s
    return np.sum(q)


def scaled(u, m, k):
    s = np.sum(u * m)
    for _ in range(k):
        s = s * 2.0
    return s


def scaled_while(u, m, k):
    s = np.sum(u * m)
    while k > 0:
        s = s * 2.0
        k -= 1
    return s


def branched(u, m, k):
    s = np.sum(u * m)
    if k > 0:
        s = m[0] * 2
    q = m * np.float32(2.0)
    q[0] = s
    return np.sum(q)


def one_arm(u, m, k):
    s = np.sum(u * m)
    t = s * 3.0 if k > 0 else 1.0
    return t * np.sum(m)


def converted(u, m, k):
    s = float(np.sum(u * m))
    for _ in range(k):
        s = s * 0.5
    return s


def collected(u, m, k):
    s = np.sum(u * m)
    parts = []
    for i in range(k):
        parts.append(s if i % 2 else m[0])
    return np.sum(m) + sum(parts)


def read_in_a_loop(u, m, k):
    s = np.sum(u * m)
    total = 0.0
    for i in range(k):
        total = total + s * i
    return total + np.sum(m)


def first_of_rows(u, m, k):
    total = np.float64(0.0)
    for v, w in zip(u * m, m):
        total = total + (v if k > 0 else w)
    return total


def in_helper(u, m, k):
    def step(s):
        return m[0] if k > 0 else s

    return step(np.sum(u * m)) * np.sum(m)


def recursive(u, m, k):
    def halved(s, n):
        return s if n == 0 else halved(s * 0.5, n - 1)

    return halved(np.sum(u * m), k) + m[0]


PROGRAMS = [
    swapped, swapped_into_a_store, stored, scaled, scaled_while, branched, one_arm, converted, collected,
    read_in_a_loop, first_of_rows, in_helper, recursive,
]  # fmt: skip


def wide(f: Any, args: tuple[Any, ...], direction: tuple[Any, ...]) -> float:
    """The derivative along a direction, in double precision."""

    def moved(t: float) -> Any:
        return f(*(a.astype(float) + t * d for a, d in zip(args[:2], direction, strict=True)), args[2])

    return float(moved(1e-6) - moved(-1e-6)) / 2e-6


CASES = list(itertools.product(PROGRAMS, [(U, M), (U, M[:1]), (U.astype(np.float32), M.astype(float))], [0, 1, 2, 3]))


@pytest.mark.parametrize(("f", "arrays", "k"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_dtypes_and_values(f: Any, arrays: Any, k: int) -> None:
    if arrays[1].size == 1 and f in (swapped, swapped_into_a_store):
        arrays = (arrays[0], np.repeat(arrays[1], 3))
    args = (*arrays, k)
    rng = np.random.default_rng(k)
    direction = tuple(rng.normal(size=a.shape) for a in arrays)
    want = wide(f, args, direction)
    value = f(*(a.copy() for a in arrays), k)
    found = [grad(f, (0, 1))(*args), value_and_grad(f, (0, 1), reuse_buffers=False)(*args)[1]]
    v, pullback = vjp(f, *args, argnums=(0, 1))
    found.append(pullback(type(value)(1.0)))
    for gradient in found:
        assert [g.dtype for g in gradient] == [a.dtype for a in arrays]
        got = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
        assert got == pytest.approx(want, rel=2e-5, abs=2e-5)
    tangents = tuple(d.astype(a.dtype) for d, a in zip(direction, arrays, strict=True))
    v, t = jvp(f, args, (*tangents, None))
    assert type(v) is type(value)
    assert type(t) is type(value)
    assert float(t) == pytest.approx(want, rel=2e-5, abs=2e-5)


@pytest.mark.parametrize("f", [scaled, read_in_a_loop, branched, converted])
def test_second_derivatives(f: Any) -> None:
    def bent(u, m, k):
        d_u, d_m = grad(lambda a, b: f(a, b, k) ** 2, (0, 1))(u, m)
        return np.sum(d_u * d_u) + np.sum(d_m)

    for k in (0, 2):
        d_u, d_m = grad(bent, (0, 1))(U, M, k)
        assert (d_u.dtype, d_m.dtype) == (U.dtype, M.dtype)
        direction = (np.array([0.3, -1.0, 0.5]), np.array([1.0, 0.2, -0.4]))
        want = wide(bent, (U, M, k), direction)
        assert float(np.sum(d_u * direction[0]) + np.sum(d_m * direction[1])) == pytest.approx(want, rel=1e-4, abs=1e-4)


def rows(y, b):
    kept = []
    for row in y:
        kept.append(0.5 * row * row)
    return np.sum((b + np.sum(np.array(kept))) * b)


def comprehension(y, b):
    total = np.sum(np.asarray([row[0] * 2 for row in y])) + np.sum([row[1] for row in y])
    return np.sum((b + total) * b)


def product(y, b):
    firsts = [row[0] for row in y]
    return np.sum(np.outer(b, np.array(firsts) @ y)) + np.dot(firsts, y[:, 0]) * np.sum(b)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("f", [rows, comprehension, product])
def test_arrays_of_lists_that_may_be_empty(f: Any, count: int, dtype: Any) -> None:
    """NumPy takes an empty list for one of doubles: the gradient is of the dtype of its argument all the same."""
    rng = np.random.default_rng(count)
    y, b = rng.normal(size=(count, 2)).astype(dtype), rng.normal(size=3).astype(dtype)

    def real(y, b):
        return np.real(f(y, b))

    for reuse in (True, False):
        d_y, d_b = grad(real, (0, 1), reuse_buffers=reuse)(y, b)
        assert (d_y.dtype, d_b.dtype, d_y.shape) == (y.dtype, b.dtype, y.shape)
        ahead = [real(y.astype(complex), b + 1e-6 * e) - real(y.astype(complex), b - 1e-6 * e) for e in np.eye(3)]
        want = np.array(ahead) / 2e-6
        assert np.real(d_b) == pytest.approx(want, rel=2e-2 if dtype == np.float16 else 1e-4, abs=1e-4)
    tangent = jvp(f, (y, b), (np.ones_like(y), np.ones_like(b)))[1]
    assert tangent.dtype == dtype


def with_a_double(y, b):
    top = np.max(b)
    return np.sum(np.array([[a for _ in y] for a in [top, 0.167]]) ** 2)


def with_an_array(y, b):
    return np.sum(np.array([[row * b[0] for row in y], [np.zeros(2) for _ in y]]) ** 2)


@pytest.mark.parametrize("f", [with_a_double, with_an_array])
def test_lists_in_an_array_that_is_wider(f: Any) -> None:
    y, b = np.array([[0.3, 1.0], [0.5, -0.2]], np.float32), np.array([0.4, 0.9, 0.1], np.float32)
    for reuse in (True, False):
        d_y, d_b = grad(f, (0, 1), reuse_buffers=reuse)(y, b)
        assert (d_y.dtype, d_b.dtype) == (y.dtype, b.dtype)
        double = y.astype(float), b.astype(float)
        for k, got in enumerate((d_y, d_b)):
            h = 1e-6
            for at in np.ndindex(got.shape):
                ends = []
                for step in (h, -h):
                    moved = [a.copy() for a in double]
                    moved[k][at] += step
                    ends.append(f(*moved))
                assert got[at] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-4, abs=1e-5)


def test_a_real_list_in_a_complex_array() -> None:
    def f(x):
        return np.sum(np.abs(np.array([[v * v for v in x], [1j * 2 for _ in x]]) * (1 + 2j)) ** 2)

    x = np.array([0.3, -0.8])
    got = grad(f)(x)
    assert got.dtype == float
    np.testing.assert_allclose(got, 20 * x**3)


def with_a_double_behind(y, b):
    parts = [v for v in [np.min(b), np.var(b), float(y.size)] if v]
    return sum(v * v for v in parts)


def with_a_double_in_an_arm(y, b):
    a = [v for v in b]
    if y[0, 0] > 0:
        a.append(float(y.size))
    c = [v * v for v in a]
    if y[0, 1] > 0:
        c = a
    return c[0] * c[1] * y[0, 0]


def with_stores(y, b):
    a = [0.0] * len(b)
    for i in range(len(b)):
        if b[i] > 0.2:
            a[i] = b[i] * y[0, 1]
        else:
            a[i] = float(i) + 0.5
    return sum(v * v for v in a)


@pytest.mark.parametrize("f", [with_a_double_behind, with_a_double_in_an_arm, with_stores])
def test_lists_of_two_precisions_in_branches(f: Any) -> None:
    """Where an arm passes on the cotangent of a list that is wider behind the branch."""
    test_lists_in_an_array_that_is_wider(f)


def test_cotangents_of_numbers_that_recursion_returns() -> None:
    """Callers give NumPy's doubles for Python's, beside which arrays would be wider."""

    def f(y, b):
        def fold(n):
            if n < 1:
                return 1.0
            fold(n - 1)
            return math.sin(b @ b)

        return fold(4) * y[0, 0]

    test_lists_in_an_array_that_is_wider(f)
    b = np.array([0.1, -0.4], np.float32)
    for one in (1.0, np.float64(1.0)):
        assert vjp(lambda a: math.sin(a @ a), b)[1](one)[0].dtype == np.float32


def of_a_trace(b, y):
    t = (y @ b @ b.T / 8.0)[np.newaxis]
    return math.tanh(np.trace(t) / 10.0) * sum(y)


def of_a_choice(b, y):
    t = np.choose(1, (y @ b @ b.T / 8.0).reshape(3, 1))
    return math.tanh(t[0] / 10.0) * sum(y)


@pytest.mark.parametrize("f", [of_a_trace, of_a_choice])
def test_what_a_number_is_put_into_has_the_dtype_of_its_place(f):
    """The sum of float32 says that it is double; what its cotangent is stored in is as its own kind says."""
    b, y = np.ones((3, 4)) / 7, np.array([0.3, -0.5, 1.1], np.float32)
    wanted = grad(f, argnums=(0, 1))(b, y.astype(float))
    for _ in range(3):
        _, pullback = vjp(f, b, y, argnums=(0, 1))
        for seed in (1.0, -0.5):
            found = pullback(seed)
            assert [d.dtype for d in found] == [np.float64, np.float32]
            for d, exact in zip(found, wanted, strict=True):
                np.testing.assert_allclose(d, seed * exact, rtol=1e-5)
