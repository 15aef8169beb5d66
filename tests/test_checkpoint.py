"""`checkpoint(f)` keeps the arguments of a call for the reverse sweep; what `f` computes is computed again."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, checkpoint, compile_module, differentiable, grad, value_and_grad
from adcompiler.ir.core import Checkpoint, walk
from adcompiler.passes.capture import tapes

from .counting import counted
from .numerics import assert_close, assert_form, assert_same, check, differences
from .test_passes import Program, made

RNG = np.random.default_rng(0)
X = RNG.uniform(0.3, 1.0, 4)
W = RNG.normal(size=(4, 4))
XS = RNG.normal(size=(5, 4))
PARAMS = {"W": W, "b": X}


def cell(params, h, x):
    a = np.tanh(params["W"] @ h + x)
    b = np.sin(a) * a + params["b"]
    return np.exp(-b) * h


def rolled(params, h, xs):
    for x in xs:
        h = cell(params, h, x)
    return np.sum(h * h)


def kept(params, h, xs):
    for x in xs:
        h = checkpoint(cell)(params, h, x)
    return np.sum(h * h)


def repeated(h, W, n):
    for _ in range(n):
        h = np.tanh(W @ h)
    return h


def squared(h, limit):
    while np.sum(h) < limit:
        h = h * h + 1.0
    return h


def curved(h, limit):
    if np.sum(h) > limit:
        return np.sin(h)
    return np.exp(h) * h


def summed(h, limit):
    total = 0.0
    for v in h:
        if v > limit:
            break
        total = total + v * np.sin(v)
    return total


# ---------------------------------------------------------------------------------------- outside of a gradient
def test_called_by_python_it_is_the_function():
    assert_same(checkpoint(cell)(PARAMS, X, x=X), cell(PARAMS, X, X))
    assert checkpoint(cell).__name__ == "cell"
    assert_same(kept(PARAMS, X, XS), rolled(PARAMS, X, XS))


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="checkpoint takes a function, not 3"):
        checkpoint(3)
    with pytest.raises(UnsupportedError, match="a function that is known when compiling"):
        grad(lambda x: checkpoint(x)(x))(X)


# ------------------------------------------------------------------------------------------------ results
def test_value_and_gradients_are_those_without_it():
    plain = value_and_grad(rolled, (0, 1, 2))(PARAMS, X, XS)
    again = value_and_grad(kept, (0, 1, 2))(PARAMS, X, XS)
    assert_same(again[0], plain[0])
    assert_close(again[1], plain[1], 1e-13, 1e-14)
    check(kept, PARAMS, X, XS)


def in_a_loop(x, W, n):
    for _ in range(n):
        x = checkpoint(repeated)(x, W, 2)
    return np.sum(x * x)


def a_while_inside(x, limit):
    return np.sum(checkpoint(squared)(x, limit) * x)


def branches_inside(x):
    for i in range(3):
        x = checkpoint(curved)(x, float(i))
    return np.sum(x)


def in_branches(x):
    if x[0] > 0.5:
        y = checkpoint(np.sin)(x)
    else:
        y = checkpoint(lambda v: np.cos(v) ** 2)(x)
    return np.sum(y * x)


def an_early_exit(x):
    total = 0.0
    for i in range(3):
        total = total + checkpoint(summed)(x * (i + 1), 0.9)
    return total


@checkpoint
def several(a, b):
    c = np.sin(a) * b
    return c, {"e": np.exp(c), "n": None}


def trees_of_results(x, W):
    for row in W:
        x, more = several(x, row)
        x = x + 0.1 * more["e"]
    return np.sum(x)


def a_closure(x):
    scale = x[0]

    def f(v):
        w = np.sin(v) * scale
        return np.sum(w * w)

    g = checkpoint(f)
    return sum([g(x * k) for k in range(3)])


def one_in_another(x):
    f = checkpoint(lambda v: checkpoint(lambda u: np.exp(np.sin(u)))(v * v))
    return np.sum(f(x) * x)


def in_a_comprehension(xs):
    return np.sum(np.stack([checkpoint(lambda v: np.sin(v) * v)(v) for v in xs]))


def views(x):
    return np.sum(checkpoint(lambda v: v[1:])(x) * checkpoint(lambda v: v.T)(x)[:-1])


def what_it_was_given(x):
    return checkpoint(lambda v: v)(x[0]) * checkpoint(lambda: 3.0)()


def stores(x):
    def f(v):
        y = np.zeros(4)
        for i in range(4):
            y[i] = v[i] * v[i - 1]
            y[0] += np.sin(y[i])
        return y

    for _ in range(2):
        x = checkpoint(f)(x)
    return np.sum(x)


def broadcast(x, W):
    return np.sum(checkpoint(lambda a, b: np.exp(np.sin(a * b)))(x, W))


def numbers(x, n):
    for _ in range(n):
        x = checkpoint(lambda v: np.sin(v) * v)(x)
    return x


@pytest.mark.parametrize(
    "f, args",
    [
        (in_a_loop, (X, W, 3)), (in_a_loop, (X, W, 0)), (a_while_inside, (X, 9.0)), (a_while_inside, (X, 0.0)),
        (branches_inside, (X,)), (in_branches, (X,)), (in_branches, (0.1 * X,)), (an_early_exit, (X,)),
        (trees_of_results, (X, W)), (a_closure, (X,)), (one_in_another, (X,)), (in_a_comprehension, (XS,)),
        (in_a_comprehension, (np.zeros((2, 0)),)), (views, (X,)), (what_it_was_given, (X,)), (stores, (X,)),
        (broadcast, (X, W)), (broadcast, (X[:1], W)), (broadcast, (X[0], W[:, :1])), (numbers, (0.5, 3)),
        (numbers, (0.5, 0)), (numbers, (np.float64(0.5), 2)), (in_a_comprehension, (W[:, ::2],)),
        (lambda z: np.real(checkpoint(lambda u: np.sum(np.sin(u) * u))(z)), (X + 0.5j * X[::-1],)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)  # fmt: skip
def test_programs(f, args):
    check(f, *args)
    program = Program(f, args)
    assert_same(made(program).run(*args), made(program, reuse=False).run(*args))


@pytest.mark.parametrize("x", [X.astype(np.float32), np.float32(0.5), np.array(0.5)], ids=str)
def test_the_gradient_has_the_form_of_its_argument(x):
    gradient = grad(lambda x: np.sum(checkpoint(lambda v: np.sin(v) * v)(x)))(x)
    assert_form(gradient, x)
    assert_close(gradient, np.sin(x) + x * np.cos(x))


def test_an_argument_of_which_the_result_does_not_depend():
    assert_same(grad(lambda x, y: np.sum(checkpoint(lambda a, b: b * 2.0)(x, y)))(X, X), np.zeros(4))


# ---------------------------------------------------------------------------------------- second derivatives
def test_the_second_derivative():
    def slope(h):
        return np.sum(grad(kept, 1)(PARAMS, h, XS) ** 2)

    def plain(h):
        return np.sum(grad(rolled, 1)(PARAMS, h, XS) ** 2)

    assert_close(grad(slope)(X), differences(slope, (X,)))
    assert_close(grad(slope)(X), grad(plain)(X), 1e-10)


@pytest.mark.parametrize("f", [in_a_loop, trees_of_results, broadcast])
def test_the_second_derivative_of_programs(f):
    def slope(x, *rest):
        return np.sum(grad(f)(x, *rest) * np.cos(x))

    args = (X, W, 2) if f is in_a_loop else (X, W)
    assert_close(grad(slope)(*args), differences(slope, args))


def test_the_second_derivative_keeps_no_more():
    """What the reverse sweep of the inner gradient computes again is computed again by the outer one."""

    def slope(h, f):
        return np.sum(grad(f, 1)(PARAMS, h, XS) ** 2)

    with_it, without = (differentiable(lambda h, f=f: slope(h, f)) for f in (kept, rolled))
    text = with_it.source(signature="f64[n]")
    tapes_of = [line for line in text.splitlines() if "append" in line]
    longest = max(line.count(",") for line in tapes_of)
    plain = max(line.count(",") for line in without.source(signature="f64[n]").splitlines() if "append" in line)
    assert longest < plain


# ------------------------------------------------------------------------------------------- what is kept
def tape_of(f, *args):
    """The values that the loops of the forward sweep append, by name."""
    text = made(Program(f, args)).text.split("# backward")[0]
    lines = [line.split("append(")[1].split("#")[0].strip() for line in text.splitlines() if "append(" in line]
    return [line.strip("()").split(", ") for line in lines]


def test_a_loop_keeps_the_argument_alone():
    assert tape_of(kept, PARAMS, X, XS) == [["h"]]
    assert len(tape_of(rolled, PARAMS, X, XS)[0]) > 2


def test_a_loop_inside_keeps_nothing_in_the_forward_sweep():
    def plain(x, W, n):
        for _ in range(n):
            x = repeated(x, W, 2)
        return np.sum(x * x)

    assert tape_of(in_a_loop, X, W, 3) == [["x"]]
    assert tape_of(plain, X, W, 3) != [["x"]]


def test_straight_code_is_computed_twice():
    def f(x):
        return np.sum(checkpoint(lambda v: np.exp(np.sin(v) * v))(x) ** 2)

    def g(x):
        return np.sum(np.exp(np.sin(x) * x) ** 2)

    assert [counted(p, X, value=True)[1]["exp"] for p in (f, g)] == [2, 1]
    assert [counted(p, X, value=True)[1]["sin"] for p in (f, g)] == [2, 1]


def test_products_are_computed_once_more_and_no_oftener():
    counts = [counted(p, PARAMS, X, XS, value=True)[1].products for p in (kept, rolled)]
    assert counts[0] - counts[1] == len(XS)


def test_what_the_gradient_alone_does_not_need_is_computed_once():
    assert counted(lambda x: np.sum(checkpoint(np.exp)(x)), X)[1]["exp"] == 1


def test_the_checkpoints_are_there_until_capture_and_gone_in_the_end():
    stages = made(Program(kept, (PARAMS, X, XS))).stages
    assert any(isinstance(op, Checkpoint) for op in walk(stages["capture"].body))
    assert not any(isinstance(op, Checkpoint) for op in walk(stages["bufferize"].body))
    assert tapes(stages["capture"]) == 1


# ------------------------------------------------------------------------------------------ effects, and refusals
def test_what_it_prints_is_printed_once(capsys):
    def f(v):
        print("here")
        assert np.all(v > 0)
        return np.sin(v)

    assert_close(grad(lambda x: np.sum(checkpoint(f)(x) ** 2))(X), 2 * np.sin(X) * np.cos(X))
    assert capsys.readouterr().out == "here\n"


def test_what_it_raises_is_raised():
    def f(v):
        if v[0] > 0.0:
            raise ValueError("too large")
        return np.sin(v)

    g = grad(lambda x: np.sum(checkpoint(f)(x) ** 2))
    with pytest.raises(ValueError, match="too large"):
        g(X)
    assert_close(g(-X), 2 * np.sin(-X) * np.cos(X))


def test_what_depends_on_an_opaque_call_is_refused():
    import random

    def f(v):
        if random.getrandbits(3):
            return np.sin(v)
        return v

    with pytest.raises(UnsupportedError, match=r"getrandbits may return something else.*(\n.*)*call it before"):
        grad(lambda x: np.sum(checkpoint(f)(x) ** 2))(X)


# ------------------------------------------------------------------------------------------------ ways to write it
class Model:
    @checkpoint
    def method(self, v):
        return np.exp(np.sin(v))


MODEL = Model()


def test_a_method():
    assert_close(MODEL.method(X), np.exp(np.sin(X)))
    check(lambda x: np.sum(MODEL.method(x) ** 2), X)


def test_keywords_and_defaults():
    def f(v, scale=2.0, *, shift):
        return np.sin(v * scale + shift)

    check(lambda x: np.sum(checkpoint(f)(x, shift=x[0]) ** 2), X)


def test_the_gradient_of_a_checkpoint_itself():
    assert_close(grad(checkpoint(lambda x: np.sum(x * x)))(X), 2 * X)


def test_ahead_of_time(tmp_path):
    text = compile_module(kept, signatures='{"W": f64[n,n], "b": f64[n]}, f64[n], f64[m,n]')
    space: dict = {}
    exec(compile(text, "module", "exec"), space)
    assert "checkpoint" not in text.replace("test_checkpoint.py", "")
    assert_close(space["kept_grad"](PARAMS, X, XS), differences(kept, (PARAMS, X, XS)))
