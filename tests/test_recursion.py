"""Functions that call themselves, and each other: values, gradients, pullbacks, tangents, second derivatives."""

import numpy as np
import pytest

from adcompiler import (
    UnsupportedError,
    checkpoint,
    compile_module,
    differentiable,
    grad,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from adcompiler.compile import STAGES, build, interpret
from adcompiler.ir.callee import functions_of, reachable
from adcompiler.ir.verify import verify
from adcompiler.request import Request, from_call
from rules.kind import Lengths
from tests.numerics import check

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
    t = direction(args[i])

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


def built(f, args, mode="grad"):
    request = Request(f, moving(args), mode=mode)
    return build(request, from_call(request, args, {}), Lengths())


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_the_laws_of_the_ir_hold_in_every_function(f, args):
    for mode in ("grad", "vjp"):
        for stage in built(f, args, mode).stages.values():
            verify(stage)
            for callee in reachable(stage):
                for function in functions_of(callee):
                    verify(function)


def test_a_recursion_that_has_no_end_is_the_users():
    with pytest.raises(RecursionError):
        grad(power)(1.5, -1)


def test_a_derivative_stops_where_it_is_told_to():
    assert np.isclose(grad(stopped)(0.9, 2), 0.9**3)  # x * |x| * |x * x|, where what is in bars is a constant


def test_arguments_are_left_alone_and_results_are_apart():
    def through(x, n):
        return x if n == 0 else through(x, n - 1)

    x = rng.normal(size=3)
    value, pull = vjp(through, x, 2, argnums=0)
    d = np.ones(3)
    first, second = pull(d), pull(d)
    assert not any(np.shares_memory(a, b) for a in (value, first, second) for b in (x, d))
    assert not np.shares_memory(first, second)


def test_what_is_printed_is_printed_once(capsys):
    def told(x, n):
        print("level", n)
        return x if n == 0 else told(x * x, n - 1)

    assert np.isclose(value_and_grad(told)(1.1, 2)[1], 4 * 1.1**3)
    assert capsys.readouterr().out == "level 2\nlevel 1\nlevel 0\n"


def test_what_is_raised_is_the_users():
    def checked(x, n):
        if n < 0:
            raise ValueError(f"{n} levels")
        return x if n == 0 else checked(x * x, n - 2)

    assert np.isclose(grad(checked)(1.1, 4), 4 * 1.1**3)
    with pytest.raises(ValueError, match="-1 levels"):
        grad(checked)(1.1, 3)


def test_an_axis_is_known_by_value_as_everywhere():
    def over_axes(x, k):
        return np.sum(x * x) if k == 0 else over_axes(np.cumsum(x, axis=k - 1), k - 1)

    x, t = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    assert np.isclose(inner(grad(over_axes)(x, 2), t), along(over_axes, (x, 2), (0,), [t]), rtol=1e-8)


def test_defaults_keywords_and_stars():
    def default(x, n=3, *, scale=2.0):
        return x if n == 0 else default(x * scale, n - 1, scale=scale * 0.5)

    def star(x, *rest):
        return x if not rest else star(x * rest[0], *rest[1:])

    assert np.isclose(grad(default)(1.5), 2.0 * 1.0 * 0.5)
    assert np.isclose(grad(star, argnums=1)(1.5, 2.0, 3.0), 4.5)


def test_booleans_and_strings_choose_a_function_each():
    def flips(x, flag, n):
        return x if n == 0 else flips(x * 2.0 if flag else x**2, not flag, n - 1)

    assert np.isclose(grad(flips)(1.5, True, 3), 24.0)
    assert np.isclose(grad(flips)(1.5, False, 2), 2 * 2 * 1.5)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_dtypes(dtype):
    def squares(x, n):
        return np.sum(np.real(x)) if n == 0 else squares(x * x * np.asarray(0.5, dtype), n - 1)

    x = rng.normal(size=3).astype(dtype)
    d = grad(squares)(x, 2)
    assert d.dtype == dtype
    assert np.allclose(d, 0.5 * x**3, rtol=1e-6)  # of x**4 / 8


def test_the_generated_functions_are_the_recursion_and_no_more():
    text = built(halves, (rng.normal(size=4),)).text
    assert text.count("def ") == 3  # with the pullback
    assert text.count("halves_vjp(") == 4
    assert "None" not in text


def test_an_argument_that_is_not_needed_has_no_cotangent():
    args = rng.normal(size=4), rng.normal(size=2)
    assert "d_w" in built(weighted, args).text
    request = Request(weighted, 0)
    assert "d_w" not in build(request, from_call(request, args, {}), Lengths()).text


MODULES = [(power, (1.3, 3), ["float, int", "f64, int"]), (halves, (rng.normal(size=5),), ["f64[n]"]),
           (in_loop, (0.3, 2), ["float, int"]), (is_even, (0.4, 5), ["float, int", "f64[], int"])]  # fmt: skip


@pytest.mark.parametrize(("f", "args", "signatures"), MODULES, ids=[f.__name__ for f, *_ in MODULES])
def test_ahead_of_time(f, args, signatures):
    namespace = {"__name__": "made"}
    text = compile_module(f, signatures=signatures)
    assert text == compile_module(f, signatures=signatures)
    exec(compile(text, "<made>", "exec"), namespace)
    np.testing.assert_array_equal(namespace[f"{f.__name__}_grad"](*args), grad(f)(*args))


def test_a_decorated_function_that_calls_itself():
    @differentiable
    def tower(x, n):
        return x if n == 0 else np.sin(tower(x, n - 1)) * x

    assert np.isclose(tower.grad(0.7, 3), along(tower, (0.7, 3), (0,), [1.0]))


def test_memory_is_not_written_while_a_pullback_needs_it():
    """What a call returns is changed in place afterwards, and its pullback has kept it."""
    def exponentials(x, n):
        return np.exp(x) if n == 0 else np.exp(0.1 * exponentials(x, n - 1))

    def changed(x, n):
        y = exponentials(x, n)
        y[0] = 0.0
        y *= 2.0
        return np.sum(y * x)

    x, t = rng.normal(size=3), rng.normal(size=3)
    for n in (0, 2):
        assert np.isclose(inner(grad(changed)(x, n), t), along(changed, (x, n), (0,), [t]), rtol=1e-8)


def same(x, n):
    return x if n == 0 else same(x, n - 1)


def view(x, n):
    if n == 0:
        y = x[1:]
        return y
    return view(x, n - 1)


def twice(x, n):
    y = x * 2.0
    return (y, y) if n == 0 else twice(x, n - 1)


def the_global(n):
    return W if n == 0 else the_global(n - 1)


def own_dict(p, n):
    return p if n == 0 else own_dict(p, n - 1)


def two_dicts(x, n):
    p = {"a": x}
    return (p, p) if n == 0 else two_dicts(x, n - 1)


def stores_into_the_argument(x):
    y = same(x, 2)
    y[0] = 5.0
    return np.sum(x * y)


def stores_into_a_view(x):
    y = view(x, 2)
    y[0] = 5.0
    return np.sum(x[1:] * y)


def stores_into_one_of_two(x):
    a, b = twice(x, 2)
    a[0] = 5.0
    return np.sum(b * x)


def stores_into_a_global(x):
    y = the_global(2)
    y[0] = 5.0
    return np.sum(W * x)


def stores_inside(x):
    def go(n):
        if n == 0:
            return W
        y = go(n - 1)
        y[0] = 5.0
        return y

    return np.sum(go(2) * W * x)


def changes_the_dict(x):
    p = {"a": x}
    q = own_dict(p, 1)
    q["a"] = x * 2.0
    return np.sum(p["a"])


def changes_one_of_two_dicts(x):
    p, q = two_dicts(x, 1)
    p["a"] = x * 2.0
    return np.sum(q["a"])


def changes_a_dict_around(x):
    p = {"a": x}

    def go(n):
        return p if n == 0 else go(n - 1)

    q = go(2)
    q["a"] = x * 2.0
    return np.sum(p["a"])


def appends_to_the_argument(x):
    xs = [x[0], x[1]]
    for i in range(3):
        xs.append(x[i])
    ys = same(xs, 2)
    ys.append(x[0])
    return sum(xs) + sum(ys)


SHARED = [stores_into_the_argument, stores_into_a_view, stores_into_one_of_two, stores_into_a_global, stores_inside,
          changes_the_dict, changes_one_of_two_dicts, changes_a_dict_around, appends_to_the_argument]  # fmt: skip


@pytest.mark.parametrize("f", SHARED, ids=[f.__name__ for f in SHARED])
def test_what_a_recursion_returns_may_be_what_somebody_else_has(f):
    with pytest.raises(UnsupportedError, match="may share memory with|may be the same"):
        grad(f)(rng.normal(size=3))


def new_arrays(x, n):
    a = x * 2.0
    if n == 0:
        return a, np.sin(x)
    b, c = new_arrays(a, n - 1)
    return b + a, c * a


def stores_into_new_ones(x):
    a, b = new_arrays(x, 2)
    a[0] = b[1]
    b *= x
    return np.sum(a * b)


def one_and_three(x, y, n):
    return np.ones(3) * x[0] if n == 0 else np.tanh(one_and_three(x * 1.1, y, n - 1)) * np.sum(y)


def of_fixed_length(x, y):
    return np.sum(one_and_three(x, y, 2) * np.arange(3.0))


def list_of_arrays(xs, i):
    return np.sum(xs[i] ** 2) + (list_of_arrays(xs, i + 1) if i + 1 < len(xs) else 0.0)


def growing(x, n):
    if n == 0:
        return [x, x * x]
    xs = growing(np.sin(x), n - 1)
    return [v * x for v in xs]


def of_growing(x, n):
    a, b = growing(x, n)
    return a * b


MORE = [(stores_into_new_ones, (rng.normal(size=3),)), (of_fixed_length, (rng.normal(size=1), rng.normal(size=4))),
        (list_of_arrays, ([rng.normal(size=2), rng.normal(size=3)], 0)), (of_growing, (0.7, 2))]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), MORE, ids=[f.__name__ for f, _ in MORE])
def test_results_that_are_new(f, args):
    test_gradient(f, args)
    test_pullback_twice_and_tangent(f, args)
    test_second_derivative(f, args)


def named_like_a_keyword(pairs, n):
    start = 0.0
    for w, a in pairs:
        start = start + np.sum(w * a)

    def down(x, k):
        return x if k == 0 else down(x * np.sum(pairs[0][1]), k - 1)

    return down(start, n)


def test_a_list_that_is_called_as_a_keyword():
    """The lists of what `a` is are called `as` but for that."""
    pairs = [(W, W + 0.5), (W - 0.2, W)]
    check(named_like_a_keyword, pairs, 2)
    assert np.isfinite(jvp(named_like_a_keyword, (pairs, 2), (pairs, None))[1])


def risen(x, n):
    return x if n == 0 else np.sin(risen(x * 1.1, n - 1))


def called_twice_alike(x):
    first, total = risen(x, 2), 0.0
    for row in np.eye(len(first)):  # read before the second call, whose pullback is wanted
        total += np.sum(np.cos(row))
    return np.sum(risen(x, 2) * total)


def test_of_two_equal_calls_the_first_stays_where_it_is():
    test_gradient(called_twice_alike, (np.array([0.3, 0.4]),))


def folded(v, n):
    if n == 0:
        return np.tanh(v)
    if v > 0.1:
        found = folded(sum([0.5 * item for _, item in zip(range(n), (v, v))]), n - 1)
    else:
        found = folded(v + 0.3, n - 2)
    return found * v


def test_how_often_a_function_calls_itself_with_other_constants():
    """The constant passes 0 by on one path: that path calls itself without end, as far as is known when compiling."""
    with pytest.raises(UnsupportedError, match="folded calls itself with other constants, more than 200 times in all"):
        grad(lambda x: folded(x, 3))(0.7)


def test_a_function_that_unfolds_into_many_calls():
    def tree(v, n):
        return np.sin(v) if n < 2 else tree(v * 0.9, n - 1) + tree(v * 0.8, n - 2)

    def slope(v, n):
        return np.cos(v) if n < 2 else 0.9 * slope(v * 0.9, n - 1) + 0.8 * slope(v * 0.8, n - 2)

    assert grad(lambda x: tree(x, 7))(0.7) == pytest.approx(slope(0.7, 7), rel=1e-13)


def test_a_list_of_its_own_in_a_function_that_calls_itself():
    def f(x, n):
        def fold(v, n):
            if n <= 0:
                return v
            parts = [v]
            parts += [np.sin(v)]
            parts[0] = parts[0] * 0.5
            last = parts.pop()
            return last * parts[0] + fold(0.5 * last, n - 1)

        return np.sum(fold(x, n))

    check(f, np.array([0.3, 0.8]), 2)
