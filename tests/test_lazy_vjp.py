"""`vjp(..., lazy=True)`: gradients that are computed when they are asked for, each alone, once."""

import ast
import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import numpy as np
import pytest

from adcompiler import GradientError, UnsupportedError, grad, vjp
from adcompiler.compile import build
from adcompiler.ir.verify import verify
from adcompiler.request import Request, from_call
from rules import Thunk
from rules.kind import Lengths

from .counting import Counts
from .fuzz.arguments import random_tangent, same_bits, tree_leaves
from .test_stores import NAMES as STORED
from .test_stores import PROGRAMS as STORES
from .test_vjp import NAMED, C, D, W, X, Y
from .workspaces import share, unseen


def compiled(f, args, argnums):
    request = Request(f, argnums, mode="vjp", apart=True)
    return build(request, from_call(request, args, {}), Lengths())


def counted(f, args, argnums, cotangent):
    """What the value has cost, and then each gradient alone."""
    counts = Counts()
    _, *pulls = counts.reporting(compiled(f, args, argnums).run)(*args)
    out = [counts.copy()]
    for pull in pulls:
        counts.clear()
        pull(cotangent)
        out.append(counts.copy())
    return out


def mlp(W1, W2, x):
    return W2 @ np.tanh(W1 @ x)


# ------------------------------------------------------------------------------------------------- values
@NAMED
def test_each_gradient_is_that_of_the_pullback_of_all(f, args):
    value, pullback = vjp(f, *args)
    lazily, pull = vjp(f, *args, lazy=True)
    np.testing.assert_array_equal(value, lazily)
    for order in (slice(None), slice(None, None, -1)):
        for thunk, wanted in list(zip(pull(C), pullback(C), strict=True))[order]:
            assert isinstance(thunk, Thunk)
            np.testing.assert_allclose(thunk(), wanted, rtol=1e-13, atol=1e-15)


@NAMED
def test_what_runs_is_lawful_ir(f, args):
    verify(compiled(f, args, (0, 1)).stages["singly"])
    verify(compiled(f, args, (0, 1)).stages["bufferize"])


@NAMED
def test_later_changes_by_the_caller_are_not_seen(f, args):
    args = tuple(a.copy() for a in args)
    wanted = vjp(f, *args)[1](C)
    value, pullback = vjp(f, *args, lazy=True)
    cotangent = C.copy()
    thunks, again = pullback(cotangent), pullback(cotangent)
    for a in (*args, value, cotangent):
        a[...] = 77.0
    found = [t() for t in (*thunks, *again)]
    for one, exact in zip(found, (*wanted, *wanted), strict=True):
        np.testing.assert_allclose(one, exact, rtol=1e-13, atol=1e-15)
    for i, one in enumerate(found):
        assert one.flags.writeable
        assert not share([one], [*found[:i], *args, value, cotangent])
        one[...] = 55.0
    np.testing.assert_allclose(pullback(C)[1](), wanted[1], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("f", "args"), STORES, ids=STORED)
def test_stores_are_pulled_back_for_each_argument(f, args):
    moving = tuple(i for i, a in enumerate(args) if random_tangent(a, np.random.default_rng(0)) is not None
                   and not isinstance(a, int))  # fmt: skip
    given = deepcopy(args)
    with np.errstate(all="ignore"):  # one of them stores over a pole
        exact = grad(f, moving)(*args)
        _, pullback = vjp(f, *given, argnums=moving, lazy=True)
        assert same_bits(given, args)
        for leaf in tree_leaves(given):
            if isinstance(leaf, np.ndarray):
                leaf[...] = 77
        for cotangent in (1.0, -2.0):
            for thunk, g in reversed(list(zip(pullback(cotangent), exact, strict=True))):
                for found, wanted in zip(tree_leaves(thunk()), tree_leaves(g), strict=True):
                    if wanted is not None:
                        np.testing.assert_allclose(found, cotangent * np.asarray(wanted), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("x", "cotangent"),
    [(0.5, 2.0), (0.5, 2), (np.float64(0.5), 2.0), (np.float32(0.5), np.float32(2.0)), (np.array(0.5), 2.0),
     (np.zeros(0), np.zeros(0)), (np.ones((2, 1, 3), "float32"), np.ones((2, 1, 3), "float32")),
     (0.5 + 1j, 2.0 - 1j), (X + 1j * Y, C - 1j * D), (np.ones((6, 4))[::2, ::-1].T, np.full((4, 3), 2.0))],
    ids=repr,
)  # fmt: skip
def test_gradients_are_of_the_form_of_their_arguments(x, cotangent):
    _, pullback = vjp(lambda u, v: u * v, x, x, lazy=True)
    for thunk in pullback(cotangent):
        gradient = thunk()
        assert type(gradient) is type(x)
        assert getattr(gradient, "dtype", None) == getattr(x, "dtype", None)
        assert np.shape(gradient) == np.shape(x)
        np.testing.assert_allclose(gradient, x * cotangent, rtol=1e-6)


def test_the_cotangent_itself_is_never_given_out():
    _, pullback = vjp(lambda x, y, z: x + y + z[0], X, Y, (X, 2.0), lazy=True)
    cotangent = C.copy()
    found = [t() for t in pullback(cotangent)]
    found[2] = found[2][0]
    assert all(not share([g], [*found[:i], cotangent]) for i, g in enumerate(found))
    for g in found:
        np.testing.assert_array_equal(g, C)
        g[...] = 55.0


def test_the_value_of_a_thunk_is_the_tree_of_its_argument():
    def f(p, scale, xs):
        h = np.tanh(p["W"] @ p["layers"][0])
        return {"h": h * scale, "s": [np.sum(x) for x in xs]}

    p, xs = {"W": W, "layers": (X, "relu")}, [X, Y[:2]]
    _, pullback = vjp(f, p, 2.0, xs, lazy=True)
    d_p, d_scale, d_xs = pullback({"h": C, "s": [1.0, 3.0]})
    r = 2.0 * C * (1 - np.tanh(W @ X) ** 2)
    np.testing.assert_allclose(d_p()["W"], np.outer(r, X), rtol=1e-13)
    np.testing.assert_allclose(d_p()["layers"][0], W.T @ r, rtol=1e-13)
    assert d_p()["layers"][1] is None
    assert d_scale() == pytest.approx(np.sum(C * np.tanh(W @ X)), rel=1e-13)
    np.testing.assert_array_equal(d_xs()[0], np.ones(3))
    np.testing.assert_array_equal(d_xs()[1], np.full(2, 3.0))


def test_arguments_that_are_one_object():
    p = {"a": X, "b": Y}
    _, pullback = vjp(lambda p, q: p["a"] * q["b"], p, p, lazy=True)
    d_p, d_q = pullback(C)
    np.testing.assert_allclose(d_p()["a"], C * Y)
    np.testing.assert_allclose(d_q()["b"], C * X)
    assert not np.any(d_p()["b"]) and not np.any(d_q()["a"])


def test_argnums_say_how_many_thunks_there_are():
    f = lambda x, y, n=2: x * y * n
    one = vjp(f, X, Y, argnums=1, lazy=True)[1](C)
    np.testing.assert_allclose(one(), C * X * 2)
    (single,) = vjp(f, X, Y, argnums=(1,), lazy=True)[1](C)
    np.testing.assert_allclose(single(), C * X * 2)
    d_y, d_x = vjp(f, X, Y, argnums=("y", 0), lazy=True)[1](C)
    np.testing.assert_allclose(d_y(), C * X * 2)
    np.testing.assert_allclose(d_x(), C * Y * 2)
    d_x, d_y, nothing = vjp(f, X, Y, 3, lazy=True)[1](C)
    assert nothing is None
    np.testing.assert_allclose(d_x(), C * Y * 3)
    _, pullback = vjp(lambda *xs: xs[0] * xs[1], X, Y, argnums=(1, 0), lazy=True)
    d_y, d_x = pullback(C)
    assert repr(d_y) == "<thunk of the gradient with respect to xs[1], not computed>"
    np.testing.assert_allclose(d_x(), C * Y)


def test_names_that_the_program_has_already():
    pullback_x = 2.0

    def f(x, pullback_y):
        pullback = np.sin(x)
        return pullback * pullback_y * pullback_x

    d_x, d_y = vjp(f, X, Y, lazy=True)[1](C)
    np.testing.assert_allclose(d_x(), C * np.cos(X) * Y * 2.0, rtol=1e-13)
    np.testing.assert_allclose(d_y(), C * np.sin(X) * 2.0, rtol=1e-13)


def test_globals_are_those_of_the_forward_part():
    table = np.array([1.0, 2.0, 3.0])
    _, pullback = vjp(lambda x, y: x * table * y, X, Y, lazy=True)
    d_x, d_y = pullback(C)
    table[...] = 77.0
    np.testing.assert_allclose(d_x(), C * Y * [1.0, 2.0, 3.0], rtol=1e-13)
    np.testing.assert_allclose(d_y(), C * X * [1.0, 2.0, 3.0], rtol=1e-13)


def test_gradients_and_functions_that_call_themselves_are_pulled_back():
    def power(x, y, n):
        return x if n == 0 else power(x * y, y, n - 1)

    d_x, d_y, _ = vjp(power, X, Y, 3, lazy=True)[1](C)
    np.testing.assert_allclose(d_x(), C * Y**3, rtol=1e-13)
    np.testing.assert_allclose(d_y(), 3 * C * X * Y**2, rtol=1e-13)
    product = grad(lambda x, y: np.sum(x**3 * y))
    d_x, d_y = vjp(product, X, Y, lazy=True)[1](C)
    np.testing.assert_allclose(d_y(), 3 * X**2 * C, rtol=1e-13)
    np.testing.assert_allclose(d_x(), 6 * X * Y * C, rtol=1e-13)


# ------------------------------------------------------------------------------------------- what is computed
def test_a_gradient_costs_what_it_needs():
    forward, W1, W2, x = counted(mlp, (W, W, X), (0, 1, 2), C)
    assert forward.products == 2
    assert (W1.products, W2.products, x.products) == (2, 1, 2)
    assert forward["tanh"] == 1 and not W1["tanh"] and not W2["tanh"]
    assert W1["outer"] == 1 and W2["outer"] == 1 and not x["outer"]


def test_in_a_loop_too_nothing_is_computed_for_the_others():
    def rnn(W, U, h, xs):
        for x in xs:
            h = np.tanh(W @ h + U @ x)
        return h

    args = (W, W, X, np.stack([X, Y, C, D]))
    forward, d_W, d_U, d_h, d_xs = counted(rnn, args, (0, 1, 2, 3), C)
    assert forward.products == 8
    assert (d_W["outer"], d_U["outer"], d_h["outer"], d_xs["outer"]) == (4, 4, 0, 0)
    assert (d_h.products, d_xs.products) == (4, 8)
    text = compiled(rnn, args, (0, 1, 2, 3)).text
    assert text.count("np.tanh") == 1


def test_a_pullback_computes_nothing():
    def refuse(*args, **kwargs):
        raise AssertionError("a thunk is computed")

    _, pullback = vjp(mlp, W, W, X, lazy=True)
    own = list(pullback._pulls)
    pullback._pulls[1] = refuse
    thunks = pullback(C)
    np.testing.assert_allclose(thunks[2](), own[2](C))
    with pytest.raises(AssertionError):
        thunks[1]()
    assert "not computed" in repr(thunks[0]) and "not computed" in repr(thunks[1])
    assert "not computed" not in repr(thunks[2])


def test_a_thunk_is_computed_once():
    _, pullback = vjp(mlp, W, W, X, lazy=True)
    thunk = pullback(C)[0]
    first = thunk()
    assert thunk() is first
    other = pullback(C)[0]
    assert other() is not first and not np.shares_memory(other(), first)


def test_each_argument_has_a_function_in_the_function():
    (outer,) = ast.parse(compiled(mlp, (W, W, X), (0, 1, 2)).text).body
    inner = [n for n in outer.body if isinstance(n, ast.FunctionDef)]
    assert [n.name for n in inner] == ["pullback_W1", "pullback_W2", "pullback_x"]
    assert [a.arg for n in inner for a in n.args.args] == ["d_value"] * 3
    read = {n.id for n in ast.walk(inner[1]) if isinstance(n, ast.Name)}
    assert not read & {"W1", "W2", "x"}


def test_a_cotangent_that_a_gradient_does_not_read_is_not_taken_apart_for_it():
    (outer,) = ast.parse(compiled(lambda x, y: (np.sin(x), np.cos(y)), (X, Y), (0, 1)).text).body
    for inner in [n for n in outer.body if isinstance(n, ast.FunctionDef)]:
        assert ast.unparse(inner).count("d_value[") == 1


# ------------------------------------------------------------------------------------------------- threads
def test_one_of_many_threads_computes():
    calls, meet = [], threading.Barrier(8)

    def make():
        calls.append(threading.get_ident())
        return object()

    thunk, found = Thunk(make), []

    def work(_):
        meet.wait(20)
        found.append(thunk())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(calls) == 1 and len(found) == 8 and len(set(map(id, found))) == 1


def test_thunks_of_one_pullback_may_be_called_at_the_same_time():
    big = np.random.default_rng(3).normal(size=(60, 60))
    _, pullback = vjp(mlp, big, big, big[0], lazy=True)
    cotangents = [np.linspace(-1.0, k, 60) for k in range(6)]
    wanted = [[t() for t in pullback(c)] for c in cotangents]
    thunks = [pullback(c) for c in cotangents]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        asked = [t for one in thunks for t in one for _ in range(2)]
        with ThreadPoolExecutor(len(asked)) as pool:
            list(pool.map(lambda t: t(), asked))
    finally:
        sys.setswitchinterval(before)
    assert same_bits([[t() for t in one] for one in thunks], wanted)


# ------------------------------------------------------------------------------------------------- memory
def alive(references):
    gc.collect()
    return [r() is not None for r in references]


def test_a_thunk_that_was_called_holds_its_value_alone():
    value, pullback = vjp(mlp, W, W, X, lazy=True)
    thunk = pullback(C)[0]
    cotangent = weakref.ref(thunk._make.__closure__[0].cell_contents)
    pull = weakref.ref(thunk._make.__closure__[1].cell_contents)
    kept = [weakref.ref(c.cell_contents) for c in pull().__closure__ if isinstance(c.cell_contents, np.ndarray)]
    assert cotangent() is not C and len(kept) >= 2
    del pullback
    assert all(alive([cotangent, pull, *kept]))
    result = thunk()
    assert not any(alive([cotangent, pull, *kept]))
    assert thunk() is result


def test_what_is_kept_for_one_gradient_alone_goes_with_its_thunk():
    value, pullback = vjp(lambda x, y: np.sin(x) * np.cos(y), X, Y, lazy=True)
    d_x, d_y = pullback(C)
    del pullback
    pull_x, pull_y = (t._make.__closure__[1].cell_contents for t in (d_x, d_y))
    mine = {id(c.cell_contents) for c in pull_y.__closure__}
    of_x = [weakref.ref(c.cell_contents) for c in pull_x.__closure__ if id(c.cell_contents) not in mine
            and isinstance(c.cell_contents, np.ndarray)]  # fmt: skip
    of_y = [weakref.ref(c.cell_contents) for c in pull_y.__closure__ if isinstance(c.cell_contents, np.ndarray)]
    del pull_x, pull_y
    assert of_x and of_y
    d_x()
    assert not any(alive(of_x)) and all(alive(of_y))
    del d_y
    assert not any(alive(of_y))


def test_thunks_that_are_dropped_leave_nothing():
    value, pullback = vjp(mlp, W, W, X, lazy=True)
    thunks = pullback(C)
    references = [*map(weakref.ref, thunks), weakref.ref(pullback)]
    del pullback, thunks
    assert not any(alive(references))


# -------------------------------------------------------------------------------------------------- errors
def test_the_cotangent_is_looked_at_when_the_pullback_is_called():
    _, pullback = vjp(mlp, W, W, X, lazy=True)
    for wrong in (C[:2], C.astype("float32"), (C,), 1.0, C * 1j):
        with pytest.raises(GradientError, match="the cotangent is"):
            pullback(wrong)
    np.testing.assert_array_equal(pullback(None)[2](), np.zeros(3))


def test_where_a_gradient_raises_the_thunk_does_each_time():
    broken = [True]

    def make():
        if broken[0]:
            raise FloatingPointError("overflow")
        return 2.0

    thunk = Thunk(make)
    for _ in range(2):
        with pytest.raises(FloatingPointError):
            thunk()
    assert "not computed" in repr(thunk)
    broken[0] = False
    assert thunk() == 2.0


def test_errors_in_a_pullback_name_the_line():
    d_x, _ = vjp(lambda x, y: x / y, X, Y, lazy=True)[1](C)
    d_y = vjp(lambda x, y: x / y, X, Y * 1e-300, lazy=True)[1](C)[1]
    with np.errstate(all="raise"), pytest.raises(FloatingPointError) as caught:
        d_y()
    assert "test_lazy_vjp.py" in "".join(caught.value.__notes__)
    np.testing.assert_allclose(d_x(), C / Y)


@pytest.mark.parametrize(
    "use",
    [np.asarray, np.array, np.sin, np.sum, lambda t: np.add(t, X), lambda t: X + t, lambda t: t + X, lambda t: 2.0 * t,
     lambda t: t - 1.0, lambda t: -t, lambda t: X @ t, lambda t: t @ X, lambda t: t**2, lambda t: t / X, abs, float,
     complex, len, list, bool, lambda t: t[0], lambda t: t < X, lambda t: X == t, lambda t: np.concatenate([t, t]),
     lambda t: np.dot(t, t), lambda t: X.__iadd__(t), lambda t: np.stack([X, t])],
)  # fmt: skip
def test_a_thunk_is_not_taken_for_its_value(use):
    _, pullback = vjp(mlp, W, W, X, lazy=True)
    thunk = pullback(C)[2]
    with pytest.raises(TypeError, match=r"thunk of the gradient with respect to x.*call it, thunk\(\)"):
        use(thunk)
    assert "not computed" in repr(thunk)
    with pytest.raises(AttributeError, match=r"no attribute 'shape'.*call it, thunk\(\)"):
        _ = thunk.shape


def test_a_thunk_is_refused_where_an_array_is_wanted():
    _, pullback = vjp(mlp, W, W, X, lazy=True)
    thunk = pullback(C)[2]
    with pytest.raises(GradientError, match=r"the cotangent is Thunk, where float64\[3\] is wanted"):
        pullback(thunk)
    with pytest.raises((GradientError, UnsupportedError), match="thunk"):
        grad(lambda x: np.sum(x * x))(thunk)
    with pytest.raises((GradientError, UnsupportedError), match="thunk"):
        grad(lambda x, y: np.sum(x * y))(X, thunk)
    assert "not computed" in repr(thunk)


def test_in_a_function_that_is_compiled_there_are_no_thunks():
    def f(x):
        value, pullback = vjp(np.sin, x, lazy=True)
        return np.sum(pullback(value)[0])

    with pytest.raises(UnsupportedError, match="lazy=True"):
        grad(f)(X)

    def g(x):
        value, pullback = vjp(np.sin, x, lazy=False)
        return np.sum(pullback(value)[0])

    np.testing.assert_allclose(grad(g)(X), np.cos(2 * X), rtol=1e-13)


def test_code_that_cannot_be_seen_into_may_use_thunks():
    """The gradient of a function with a callback that pulls back on its own."""
    found = []
    callback = unseen(lambda: found.append(vjp(mlp, W, W, X, lazy=True)[1](C)[1]()))

    def f(x):
        callback()
        return np.sum(x * x)

    np.testing.assert_allclose(grad(f)(X), 2 * X)
    np.testing.assert_allclose(found[0], np.outer(C, np.tanh(W @ X)), rtol=1e-13)
