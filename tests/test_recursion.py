"""Functions that call themselves, and each other: values, gradients, pullbacks, tangents, second derivatives."""


import numpy as np
import pytest

from adcompiler import checkpoint, grad, jvp, stop_gradient, value_and_grad, vjp
from adcompiler.compile import STAGES, interpret

rng = np.random.default_rng(0)
W = rng.normal(size=3)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def one_line(x, n):
    return x if n == 0 else np.sin(one_line(x, n - 1) * x)


def weighted(x, w):
    if len(x) == 0:
        return 0.0
    return w[0] * x[0] ** 2 + weighted(x[1:], w)


def halves(x):
    """A tree of calls: two in one statement."""
    n = len(x)
    if n == 1:
        return x[0] ** 3
    return halves(x[: n // 2]) * 1.5 + np.sin(halves(x[n // 2 :]))


def transform(x):
    """The fast Fourier transform's pattern, on real numbers."""
    n = len(x)
    if n == 1:
        return x
    even, odd = transform(x[::2]), transform(x[1::2])
    w = np.cos(np.arange(n // 2) * 0.7)
    return np.concatenate([even + w * odd, even - w * odd])


def transformed(x):
    return np.sum(transform(x) ** 2 * np.arange(1.0, len(x) + 1.0))


def is_even(x, n):
    return x * x if n == 0 else 2.0 * is_odd(x, n - 1)


def is_odd(x, n):
    return x if n == 0 else x * is_even(np.cos(x), n - 1)


def ackermann(x, m, n):
    """Calls of itself in the arguments of its calls."""
    if m == 0:
        return x + n
    if n == 0:
        return ackermann(x, m - 1, 1) * 1.01
    return ackermann(x * 1.1, m - 1, ackermann(x, m, n - 1) * 0.1 > 0.0)


def in_loop(x, depth):
    total = 0.0
    for i in range(3):
        if depth > 0:
            total = total + in_loop(x * 0.5 + i, depth - 1)
        else:
            total = total + x**2
    return np.sin(total)


def steps(x, n):
    """A loop of calls whose pullbacks are kept on a tape."""
    y = x
    for _ in range(n):
        y = y * power(y, 2) * 0.5
    return y


def inner_function(x, w):
    """A function inside the function, which reads from around it."""
    scale = np.sum(w)

    def go(i, acc):
        if i == len(x):
            return acc
        return go(i + 1, acc * scale + x[i] ** 2)

    return go(0, 1.0)


def reads_a_global(x, n):
    return np.sum(W * x) if n == 0 else reads_a_global(np.tanh(x) * W, n - 1)


def pair(x, n):
    if n == 0:
        return x, x * 2.0
    a, b = pair(np.sin(x), n - 1)
    return a * b, a + x


def of_pair(x, n):
    a, b = pair(x, n)
    return np.sum(a * b)


def by_dict(p, n):
    if n == 0:
        return {"x": p["x"], "y": p["y"]}
    q = by_dict({"x": p["y"] * 1.5, "y": np.sin(p["x"])}, n - 1)
    return {"x": q["x"] + p["x"], "y": q["y"] * p["y"]}


def of_dict(p, n):
    q = by_dict(p, n)
    return np.sum(q["x"]) + np.sum(q["y"])


def many_paths(x, n):
    if n <= 0:
        return np.sum(x)
    y = np.sin(x)
    if n % 2:
        return many_paths(y, n - 1) * np.sum(x)
    while n > 1:
        y = y * 1.1
        n = n - 2
    return many_paths(y, n - 1) + np.sum(x * y)


def stores(x, n):
    if n == 0:
        return np.sum(x**2)
    y = np.zeros_like(x)
    y[1:] = x[:-1] * 2.0
    y[0] += x[-1]
    return stores(y, n - 1) + y[0]


def cholesky(a):
    """Recursive Cholesky of a block matrix; the sum of the logarithms of the diagonal."""
    n = a.shape[0]
    if n == 1:
        return 0.5 * np.log(a[0, 0])
    c = a[1:, 0] / a[0, 0]
    return 0.5 * np.log(a[0, 0]) + cholesky(a[1:, 1:] - np.outer(c, a[0, 1:]))


def stopped(x, n):
    return x if n == 0 else stopped(x * stop_gradient(x), n - 1)


def checkpointed(x, n):
    return checkpoint(power)(np.sin(x), n) * x


def product_of_matrices(A, n):
    if n == 1:
        return A
    if n % 2 == 0:
        B = product_of_matrices(A, n // 2)
        return B @ B
    return A @ product_of_matrices(A, n - 1)


def matrix_power_sum(A, n):
    return np.sum(product_of_matrices(A, n) * np.arange(9.0).reshape(3, 3))


def hanoi(n, x):
    """Numbers alone."""
    if n == 0:
        return 0.0
    return hanoi(n - 1, x) + x + hanoi(n - 1, x * 0.9)


def not_needed(x, n):
    """A recursion without a derivative beside one."""
    return depth_of(n) * x**2


def depth_of(n):
    return 0 if n == 0 else 1 + depth_of(n // 2)


def apply(f, x, n):
    return x if n == 0 else apply(f, f(x), n - 1)


def with_a_function(x, n):
    return apply(lambda y: y * np.sin(y), x, n)


def tree(t):
    """Each structure of the argument is a function of its own: nothing recursive is left."""
    if isinstance(t, dict):
        return sum(tree(v) for v in t.values())
    if isinstance(t, (list, tuple)):
        return sum(tree(v) for v in t)
    return np.sum(t**2)


def early(xs, i, best):
    for x in xs:
        if x > 2.0:
            return early(xs, i + 1, best * x) if i < 2 else best
        best = best + x
    return best


def broadcast(x, y, n):
    return np.sum(x * y) if n == 0 else broadcast(x + y, y * 0.5, n - 1)


def matrix(n=3):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


CASES = [
    (power, (1.3, 3)),
    (power, (1.3, 0)),
    (power, (np.float64(1.3), 4)),
    (power, (np.array(1.3), 4)),
    (one_line, (0.7, 4)),
    (weighted, (rng.normal(size=4), rng.normal(size=2))),
    (weighted, (rng.normal(size=1), rng.normal(size=1))),
    (weighted, (rng.normal(size=3),) * 2),
    (halves, (rng.normal(size=5),)),
    (halves, (rng.normal(size=1),)),
    (transformed, (rng.normal(size=8),)),
    (is_even, (0.4, 5)),
    (is_odd, (0.4, 4)),
    (in_loop, (0.3, 2)),
    (in_loop, (0.3, 0)),
    (steps, (1.1, 3)),
    (steps, (1.1, 0)),
    (inner_function, (rng.normal(size=4), rng.normal(size=2))),
    (inner_function, (rng.normal(size=0), rng.normal(size=2))),
    (reads_a_global, (rng.normal(size=3), 2)),
    (of_pair, (rng.normal(size=3), 3)),
    (of_pair, (rng.normal(size=3), 0)),
    (of_dict, ({"x": rng.normal(size=2), "y": rng.normal(size=2)}, 3)),
    (many_paths, (rng.normal(size=3), 5)),
    (many_paths, (rng.normal(size=3), 4)),
    (stores, (rng.normal(size=4), 3)),
    (cholesky, (matrix(4),)),
    (checkpointed, (0.7, 3)),
    (matrix_power_sum, (rng.normal(size=(3, 3)), 5)),
    (hanoi, (3, 0.4)),
    (not_needed, (0.4, 9)),
    (with_a_function, (0.9, 3)),
    (tree, ({"a": rng.normal(size=2), "b": [rng.normal(size=3), (0.5, rng.normal(size=(2, 2)))]},)),
    (early, ([0.5, 1.5, 2.5], 0, 1.0)),
    (broadcast, (rng.normal(size=3), rng.normal(size=3), 3)),
    (broadcast, (rng.normal(size=(2, 1)), rng.normal(size=3), 2)),
    (broadcast, (rng.normal(size=1), rng.normal(size=3), 2)),
    (broadcast, (0.5, rng.normal(size=3), 2)),
]
IDS = [f"{f.__name__}_{i}" for i, (f, _) in enumerate(CASES)]


def moving(args):
    """The numbers of the arguments that have derivatives."""
    return tuple(i for i, a in enumerate(args) if any(True for _ in floats(a)))


def floats(x):
    if isinstance(x, dict):
        for v in x.values():
            yield from floats(v)
    elif isinstance(x, (list, tuple)):
        for v in x:
            yield from floats(v)
    elif isinstance(x, float) or getattr(x, "dtype", np.dtype(int)).kind == "f":
        yield x


def mapped(f, *trees):
    x = trees[0]
    if isinstance(x, dict):
        return {k: mapped(f, *(t[k] for t in trees)) for k in x}
    if isinstance(x, (list, tuple)):
        return type(x)(mapped(f, *parts) for parts in zip(*trees))
    return f(*trees)


def direction(x):
    return mapped(lambda v: rng.normal(size=np.shape(v)) if np.ndim(v) else type(v)(rng.normal())
                  if isinstance(v, float) else np.array(rng.normal()), x)


def inner(a, b):
    if isinstance(a, dict):
        return sum(inner(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return sum(map(inner, a, b))
    return float(np.sum(a * b))


def along(f, args, wrt, t, h=1e-5):
    """The derivative of `f` in the direction `t`, by central differences of order four."""
    def at(s):
        moved = list(args)
        for i, d in zip(wrt, t):
            moved[i] = mapped(lambda x, y: x + s * y, args[i], d)
        return f(*moved)
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_gradient(f, args):
    wrt = moving(args)
    value, d = value_and_grad(f, argnums=wrt)(*args)
    assert np.allclose(value, f(*args), rtol=1e-14)
    t = [direction(args[i]) for i in wrt]
    assert np.isclose(inner(list(d), t), along(f, args, wrt, t), rtol=1e-7, atol=1e-9)
    for g, i in zip(d, wrt):
        mapped(lambda x, y: np.testing.assert_equal(np.shape(x), np.shape(y)), args[i], g)
        mapped(lambda x, y: type(x) is type(y) or pytest.fail(f"{type(y)} for {type(x)}"), args[i], g)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_one_argument_alone(f, args):
    for i in moving(args):
        d, t = grad(f, argnums=i)(*args), direction(args[i])
        assert np.isclose(inner(d, t), along(f, args, (i,), [t]), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_pullback_twice_and_tangent(f, args):
    wrt = moving(args)
    given = [mapped(lambda x: x.copy() if isinstance(x, np.ndarray) else x, a) for a in args]
    value, pull = vjp(f, *given, argnums=wrt)
    for a in given:
        mapped(lambda x: x.fill(77.0) if isinstance(x, np.ndarray) else None, a)
    first, second = pull(type(value)(1.0)), pull(type(value)(-2.0))
    t = [direction(args[i]) for i in wrt]
    expected = along(f, args, wrt, t)
    assert np.isclose(inner(list(first), t), expected, rtol=1e-7, atol=1e-9)
    assert np.isclose(inner(list(second), t), -2.0 * expected, rtol=1e-7, atol=1e-9)
    y, moved = jvp(f, args, tuple(t), argnums=wrt)
    assert np.allclose(y, f(*args), rtol=1e-14)
    assert np.isclose(moved, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_second_derivative(f, args):
    i = moving(args)[0]
    if any(isinstance(x, (dict, list)) for x in args[i : i + 1]):
        first = args[i]
    else:
        first = args[i]
    t = direction(first)

    def slope(*all_args):
        return inner(grad(f, argnums=i)(*all_args), t)

    def slope_compiled(*all_args):
        _, moved = jvp(f, all_args, (t,), argnums=(i,))
        return moved

    expected = along(slope, args, (i,), [t], h=1e-4)
    reverse_over_forward = inner(grad(slope_compiled, argnums=i)(*args), t)
    assert np.isclose(reverse_over_forward, expected, rtol=1e-6, atol=1e-7)
    _, forward_over_reverse = jvp(grad(f, argnums=i), args, (t,), argnums=(i,))
    assert np.isclose(inner(forward_over_reverse, t), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_interpreted_after_each_stage(f, args):
    wrt = moving(args)
    value, d = value_and_grad(f, argnums=wrt)(*args)
    assert np.allclose(interpret(f, args, "lower", wrt), value)
    for stage in STAGES[STAGES.index("adjoint") : STAGES.index("bufferize")]:
        v, g = interpret(f, args, stage, wrt)
        assert np.allclose(v, value)
        mapped(np.testing.assert_allclose, list(g), list(d))
