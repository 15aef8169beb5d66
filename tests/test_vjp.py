"""The split form: pullbacks against closed forms and differences, called again, with everything overwritten between."""

import ast
from copy import deepcopy

import numpy as np
import pytest

from adcompiler import GradientError, UnsupportedError, differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.backend.names import Names
from adcompiler.compile import build, interpret
from adcompiler.ir.verify import verify
from adcompiler.request import Request, from_call
from rules.kind import Lengths
from tests.fuzz.arguments import random_tangent, same_bits, tree_leaves
from tests.test_stores import NAMES as STORED
from tests.test_stores import PROGRAMS as STORES

RNG = np.random.default_rng(6)
X, Y, C, D = RNG.uniform(0.5, 1.5, (4, 3))
W = RNG.uniform(-0.6, 0.6, (3, 3))
XS = RNG.normal(size=(5, 3))
TABLE = np.array([1.0, 2.0, 3.0])
FACTOR = 2.0


def built(f, args, argnums=0):
    request = Request(f, argnums, mode="vjp")
    return build(request, from_call(request, args, {}), Lengths())


def pulled(f, args, cotangent, step=1e-6):
    """The gradients of <cotangent, f> by central differences."""
    out = []
    for i, a in enumerate(args):
        g = np.zeros(np.shape(a))
        for at in np.ndindex(g.shape):
            e = np.zeros(g.shape)
            e[at] = step
            up, down = (f(*(x + s * e if k == i else x for k, x in enumerate(args))) for s in (1, -1))
            g[at] = np.sum(cotangent * (up - down)) / (2 * step)
        out.append(g)
    return out


# ----------------------------------------------------------------------------------------------------- programs
def straight(x, y):
    return x * np.sin(y) / (1 + np.exp(-x))


def branch(x, y):
    if np.sum(x) > 2.0:
        z = x * TABLE
    else:
        z = y * y
    return z * FACTOR if y[0] > 0.0 else z


def recurrence(w, h):
    for x in XS:
        h = np.tanh(w @ h + x)
    return h


def newton(x, y):
    z = x
    while np.max(np.abs(z * z - y)) > 1e-13:
        z = 0.5 * (z + y / z)
    return z * x


def rows(w, x):
    return np.stack([np.sin(row * x) for row in w]) @ x


def returned_as_it_came(x, y):
    return x


def broadcast_view(x, y):
    views = np.broadcast_to(x, (4, 3))
    return np.sum(np.sin(views), axis=0) * y


def exponential(x, y):
    z = np.exp(x)
    return z


PROGRAMS = [(straight, (X, Y)), (branch, (X, Y)), (recurrence, (W, X)), (newton, (X, Y)), (rows, (W, X)),
            (returned_as_it_came, (X, Y)), (exponential, (X, Y)),
            (broadcast_view, (X, Y))]  # fmt: skip
NAMED = pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))


@NAMED
def test_a_pullback_gives_the_gradients_of_the_inner_product(f, args):
    value, pullback = vjp(f, *args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-14)
    for cotangent in (C, -3.0 * D):
        for found, exact in zip(pullback(cotangent), pulled(f, args, cotangent), strict=True):
            np.testing.assert_allclose(found, exact, rtol=1e-7, atol=1e-8)


@NAMED
def test_later_changes_by_the_caller_are_not_seen(f, args):
    args = tuple(a.copy() for a in args)
    expected = vjp(f, *args)[1](C)
    value, pullback = vjp(f, *args)
    kept, cotangent = TABLE.copy(), C.copy()
    for a in (*args, value, TABLE):
        a[...] = 77.0
    try:
        for _ in range(3):
            found = pullback(cotangent)
            for one, exact in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, exact)
                assert one.flags.writeable and not np.shares_memory(one, cotangent)
                one[...] = 55.0
            np.testing.assert_array_equal(cotangent, C)
    finally:
        TABLE[...] = kept


@NAMED
def test_forward_mode_and_pullback_are_transposed(f, args):
    tangents = tuple(RNG.normal(size=a.shape) for a in args)
    found = sum(np.sum(g * t) for g, t in zip(vjp(f, *args)[1](C), tangents, strict=True))
    np.testing.assert_allclose(found, np.sum(C * jvp(f, args, tangents)[1]), rtol=1e-12)


@NAMED
@pytest.mark.parametrize("stage", ["adjoint", "unthunk", "inline", "simplify", "capture", "keep"])
def test_each_stage_is_lawful_and_computes_the_same(f, args, stage):
    value, pullback = vjp(f, *args)
    there, gradients = interpret(f, args, stage, argnums=(0, 1), checked=True, cotangents=(C,))
    np.testing.assert_allclose(there, value, rtol=1e-13)
    for one, other in zip(gradients, pullback(C), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    verify(built(f, args, (0, 1)).stages[stage])


@NAMED
def test_names_of_what_is_kept_stay_apart_whatever_they_are(f, args, monkeypatch):
    expected = [g.copy() for g in vjp(f, *args)[1](C)]
    own = Names._candidates
    monkeypatch.setattr(Names, "_candidates", lambda self, hint, members, nexts: own(self, "x", members, {}))
    run = built(f, args, (0, 1)).run
    for _, pullback in (run(*args), run(*args)):
        for _ in range(2):
            for found, exact in zip(pullback(C), expected, strict=True):
                np.testing.assert_array_equal(found, exact)


# --------------------------------------------------------------------------------------------------------- forms
@pytest.mark.parametrize(
    ("x", "cotangent"),
    [(0.5, 2.0), (0.5, 2), (np.float64(0.5), 2.0), (np.float32(0.5), 2.0), (np.float32(0.5), np.float32(2.0)),
     (np.array(0.5), 2.0), (np.zeros(0), np.zeros(0)), (np.ones((2, 1, 3), "float32"), np.ones((2, 1, 3), "float32")),
     (0.5 + 1j, 2.0 - 1j), (0.5 + 1j, 2.0), (X + 1j * Y, C - 1j * D),
     (np.ones((6, 4))[::2, ::-1].T, np.full((4, 3), 2.0)), (XS[:0], XS[:0])],
    ids=repr,
)  # fmt: skip
def test_gradients_are_of_the_form_of_their_arguments(x, cotangent):
    _, pullback = vjp(lambda v: v * v, x)
    for _ in range(2):
        (gradient,) = pullback(cotangent)
        assert type(gradient) is type(x)
        assert getattr(gradient, "dtype", None) == getattr(x, "dtype", None)
        assert np.shape(gradient) == np.shape(x)
        np.testing.assert_allclose(gradient, 2 * x * cotangent, rtol=1e-6)


@pytest.mark.parametrize("a", [2.0, np.float64(2.0), X, np.full((3, 1), 2.0), np.full((1, 1), 3.0)], ids=np.shape)
def test_broadcast_arguments_get_sums(a):
    f = lambda a, b: a * b + a
    _, pullback = vjp(f, a, Y)
    cotangent = np.ones(np.shape(f(a, Y))) * C
    for found, exact in zip(pullback(cotangent), pulled(f, (a, Y), cotangent), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-7)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_loops_that_may_not_run(n):
    def f(x, n):
        for _ in range(n):
            x = x * x
        return x

    _, pullback = vjp(f, X, n)
    cotangent = C.copy()
    gradient, nothing = pullback(cotangent)
    assert not np.shares_memory(gradient, cotangent)
    np.testing.assert_allclose(gradient, C * 2**n * X ** (2**n - 1), rtol=1e-13)
    assert nothing is None


def test_complex_values_agree_with_real_and_imaginary_parts_apart():
    z = X + 1j * Y
    _, pullback = vjp(lambda v: v * v, z)
    by_parts = grad(lambda v: np.sum(np.real(v * v) * C + np.imag(v * v) * D))(z)
    np.testing.assert_allclose(pullback(C - 1j * D)[0], by_parts, rtol=1e-13)


# ---------------------------------------------------------------------------------------------------- structures
def test_values_and_cotangents_of_any_structure():
    def f(p, n):
        z = p["a"] * p["b"][0]
        return {"z": z, "n": n, "c": 2.5, "s": "text", "t": (z[0], [np.sum(z * z), 3]), "twice": (z, z)}

    p = {"a": X, "b": (2.0, Y)}
    value, pullback = vjp(f, p, 2)
    assert value["s"] == "text" and value["n"] == 2
    cotangent = {"z": C, "n": None, "c": 1.0, "s": None, "t": (0.5, [2.0, None]), "twice": (D, None)}
    d_z = C + D + 0.5 * np.eye(3)[0] + 4.0 * X * 2.0
    gradient, nothing = pullback(cotangent)
    np.testing.assert_allclose(gradient["a"], d_z * 2.0, rtol=1e-13)
    np.testing.assert_allclose(gradient["b"][0], np.sum(d_z * X), rtol=1e-13)
    np.testing.assert_array_equal(gradient["b"][1], np.zeros(3))
    assert nothing is None and type(gradient["b"][0]) is float
    zero = pullback(None)[0]
    assert zero["b"][0] == 0.0 and not np.any(zero["a"])


def test_lists_of_any_length_are_kept_and_pulled_back():
    def f(ps, numbers):
        return [np.sin(w) * b for w, b in ps], sum([v * v for v in numbers])

    ps, numbers = [(X.copy(), 2.0), (Y[:2].copy(), 3.0)], [1.0, 2.0]
    _, pullback = vjp(f, ps, numbers)
    ps[0][0][...] = 77.0
    ps[1] = None
    numbers[0] = 77.0
    for _ in range(2):
        d_ps, d_numbers = pullback(([C, D[:2]], 0.5))
        for (d_w, d_b), w, b, c in zip(d_ps, (X, Y[:2]), (2.0, 3.0), (C, D[:2]), strict=True):
            np.testing.assert_allclose(d_w, c * np.cos(w) * b, rtol=1e-13)
            np.testing.assert_allclose(d_b, np.sum(c * np.sin(w)), rtol=1e-13)
        assert d_numbers == [1.0, 2.0]


def test_argnums_as_for_gradients():
    f = lambda x, y, n=2: x * y * n
    np.testing.assert_allclose(vjp(f, X, Y, argnums=1)[1](C), C * X * 2)
    d_y, d_x = vjp(f, X, Y, argnums=("y", 0))[1](C)
    np.testing.assert_allclose(d_y, C * X * 2)
    np.testing.assert_allclose(d_x, C * Y * 2)
    assert len(vjp(f, X, Y, 3)[1](C)) == 3


def test_a_gradient_is_the_pullback_of_one():
    def f(w, h):
        return np.sum(recurrence(w, h) ** 2)

    value, pullback = vjp(f, W, X)
    exact_value, exact = value_and_grad(f, (0, 1))(W, X)
    assert value == exact_value
    for found, g in zip(pullback(1.0), exact, strict=True):
        np.testing.assert_array_equal(found, g)


def test_pullbacks_of_gradients():
    cubic = lambda x: np.sum(x**3)
    np.testing.assert_allclose(vjp(grad(cubic), X)[1](C)[0], 6 * X * C, rtol=1e-13)


# -------------------------------------------------------------------------------------------- what it costs, owns
def test_globals_are_those_of_the_forward_part():
    global FACTOR
    f = lambda x: x * FACTOR * np.sum(x)
    _, pullback = vjp(f, X)
    FACTOR = 100.0
    try:
        np.testing.assert_allclose(pullback(C)[0], 2.0 * (C * np.sum(X) + np.sum(C * X)), rtol=1e-13)
    finally:
        FACTOR = 2.0


def test_two_pullbacks_of_one_function_do_not_mix():
    first, second = vjp(recurrence, W, X)[1], vjp(recurrence, 2 * W, Y)[1]
    a, b = first(C), second(C)
    for one, other in zip(first(C), a, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.allclose(a[0], b[0])


def test_the_pullback_is_a_function_in_the_function():
    text = built(recurrence, (W, X), (0, 1)).text
    (outer,) = ast.parse(text).body
    inner = [n for n in outer.body if isinstance(n, ast.FunctionDef)]
    assert [n.name for n in inner] == ["pullback"]
    assert [a.arg for a in inner[0].args.args] == ["d_h"]
    assert text.count("np.tanh") == 1 and "np.tanh" not in ast.unparse(inner[0])


def test_only_what_is_read_later_is_copied():
    def copies(f, argnums):
        return built(f, (X, Y), argnums).text.partition("def pullback")[0].count("copy")

    assert copies(lambda x, y: x + y, (0, 1)) == 0
    assert copies(lambda x, y: x * y, 0) == 1  # y
    assert copies(lambda x, y: np.sum(x * y) * np.sum(y), 0) == 1
    assert copies(lambda x, y: np.exp(x * 2.0) * 1.0 + y, (0, 1)) == 0  # it is made here, and nobody else has it
    assert copies(lambda x, y: np.exp(x), 0) == 1  # it is returned, and read later


def test_what_only_the_value_needs_is_not_kept_and_what_nobody_needs_is_not_computed():
    def f(x, y):
        logs = np.log(y)
        return np.sum(x * x) + np.sum(logs)

    text = built(f, (X, Y), 0).text
    inner = ast.parse(text).body[0].body[-2]
    assert "np.log" in text and "log" not in ast.unparse(inner)
    assert not {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)} & {"y", "logs"}


@pytest.mark.parametrize(("f", "args"), STORES, ids=STORED)
def test_stores_are_pulled_back_again_and_again(f, args):
    moving = tuple(i for i, a in enumerate(args) if random_tangent(a, RNG) is not None and not isinstance(a, int))
    given = deepcopy(args)
    with np.errstate(all="ignore"):  # one of them stores over a pole
        exact = tree_leaves(grad(f, moving)(*args))
        _, pullback = vjp(f, *given, argnums=moving)
        assert same_bits(given, args)
        for leaf in tree_leaves(given):
            if isinstance(leaf, np.ndarray):
                leaf[...] = 77
        for cotangent in (1.0, -2.0, 1.0):
            for found, g in zip(tree_leaves(pullback(cotangent)), exact, strict=True):
                if g is not None:
                    np.testing.assert_allclose(found, cotangent * np.asarray(g), rtol=1e-11, atol=1e-13)
                if isinstance(found, np.ndarray):
                    found[...] = 55.0


# ---------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("cotangent", "said"),
    [
        (C, r"the cotangent is float64\[3\], where a tuple of 2 is wanted"),
        ((C,), "a tuple of 1"),
        ([C, {"t": 1.0, "n": None}], "a list of 2, where a tuple of 2"),
        ((C[:2], {"t": 1.0, "n": None}), r"at \[0\] is float64\[2\], where float64\[3\] is wanted"),
        ((C[None], {"t": 1.0, "n": None}), r"float64\[1, 3\]"),
        ((1.0, {"t": 1.0, "n": None}), r"is float, where float64\[3\]"),
        ((C.astype("float32"), {"t": 1.0, "n": None}), r"float32\[3\]"),
        ((C * 1j, {"t": 1.0, "n": None}), r"complex128\[3\]"),
        ((C, {"t": 1.0}), r"at \[1\] is a dict with 't', where a dict with 't', 'n' is wanted"),
        ((C, {"t": 1j, "n": None}), r"at \[1\]\['t'\] is complex, where float64 is wanted"),
        ((C, {"t": True, "n": None}), "is bool"),
        ((C, {"t": "1", "n": None}), "is str"),
        ((C, {"t": 1.0, "n": 1.0}), r"at \[1\]\['n'\] is float, where None, for int, is wanted"),
    ],
)
def test_cotangents_that_do_not_fit(cotangent, said):
    _, pullback = vjp(lambda x: (x * x, {"t": np.sum(x), "n": 3}), X)
    with pytest.raises(GradientError, match=said):
        pullback(cotangent)


def test_what_has_no_pullback_is_refused():
    with pytest.raises(GradientError, match="no argument has a float"):
        vjp(lambda n: n * 1.0, 2)
    with pytest.raises(GradientError, match="returns nothing that moves"):
        vjp(lambda x: len(x), X)
    with pytest.raises(GradientError, match="cannot be differentiated with respect to n"):
        vjp(lambda x, n: x * n, X, 2, argnums=1)
    with pytest.raises(UnsupportedError, match=r"np\.unique has no rule"):
        vjp(lambda x: np.sum(np.array([np.unique(x)])), X)


def test_source_and_stages_are_shown_for_a_signature():
    layer = differentiable(argnums=(0, 1))(layered)
    signature = "{'W': f64[m,n], 'k': int}, f64[n], int"
    assert layer.source("vjp", signature=signature).startswith("def layered_vjp(p, b, n=2):")
    assert "split(%d_value)" in layer.ir("keep", "vjp", signature=signature)
    assert layer.source("jvp", signature=signature).startswith("def layered_jvp(p, b, n=2, *, t_p, t_b):")
    assert "tanh.t_y(" in layer.ir("tangent", "jvp", signature=signature)
    example = ({"W": W, "k": 1}, X)
    assert layer.source("jvp", example=example) == layer.source("jvp", signature=signature)
    with pytest.raises(ValueError, match="no stage adjoint of jvp"):
        layer.ir("adjoint", "jvp", signature=signature)
    with pytest.raises(ValueError, match="mode is one of"):
        layer.source("hvp", signature=signature)


def layered(p, b, n=2):
    z = np.tanh(p["W"] @ b)
    return z * n


@pytest.mark.parametrize("f", [lambda xs: sum(x * x for x in xs), lambda xs: sum([x * x for x in xs])])
def test_the_cotangent_of_a_sum_of_a_generator(f):
    value, pullback = vjp(f, np.array([1.0, 2.0]))
    assert value == 5.0
    np.testing.assert_array_equal(pullback(2.0)[0], [4.0, 8.0])


def test_the_users_own_names_are_not_those_of_the_pullback():
    pullback = 2.0
    np.testing.assert_allclose(vjp(lambda x: np.sin(x) * pullback, X)[1](C)[0], 2.0 * C * np.cos(X), rtol=1e-13)

    def f(pullback, x):
        return np.sin(pullback) * x

    for found, exact in zip(vjp(f, X, Y)[1](C), (C * np.cos(X) * Y, C * np.sin(X)), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-13)
