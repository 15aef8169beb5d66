"""Rules that keep a state: from the forward sweep to the reverse sweep, and from call to call."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from adcompiler import (
    Scratch,
    check_grad,
    check_rule,
    checkpoint,
    compile_module,
    differentiable,
    grad,
    primitive,
    rule,
    stop_gradient,
    value_and_grad,
    vjp,
)
from rules import borrows
from rules.kind import lengths
from tests.numerics import assert_close

calls: list[str] = []
given: list[object] = []
"""The states that `forward` was given, in order."""


class Factored:
    """An inverse that owns its array, and knows of which call it is."""

    def __init__(self, inverse, serial):
        self.inverse = inverse
        self.serial = serial


def solved(A, b):
    return np.linalg.solve(A, b)


@rule("x = solved(A, b)", solved)
class solved_rule:
    """A system of equations with one matrix and one right-hand side, of any dimension."""

    def kind(A, b): return b
    def d_b(d_x, A): return solved(A.T, d_x)
    def d_A(d_b, x): return -np.outer(d_b, x)
    def t_x(A, x, t_A, t_b): return solved(A, t_b - t_A @ x)

    @borrows()
    def forward(state, A, b):
        calls.append("forward")
        given.append(state)
        inverse = np.linalg.inv(A)
        if state is not None and state.inverse.shape == inverse.shape and state.inverse.dtype == inverse.dtype:
            state.inverse[...] = inverse
            return state.inverse @ b, state
        return inverse @ b, Factored(inverse, len(given))

    def with_state_d_b(d_x, state):
        calls.append("pullback")
        return state.inverse.T @ d_x


A = np.array([[4.0, 1.0, 0.5], [0.5, 3.0, 1.0], [1.0, 0.2, 5.0]])
B = np.array([[3.0, 0.3, 0.1], [0.2, 4.0, 0.3], [0.1, 1.0, 3.0]])
b = np.array([1.0, -2.0, 0.5])
c = np.array([0.3, 1.0, -1.0])


@pytest.fixture(autouse=True)
def _no_calls():
    calls.clear()
    given.clear()


def counted(f, *args):
    """What a call gives, with how often `forward` and the pullback with a state ran in it."""
    calls.clear()
    given.clear()
    out = f(*args)
    return out, calls.count("forward"), calls.count("pullback")


def text(f, *args, **options):
    return differentiable(f, argnums=tuple(range(len(args)))).source(example=args, **options)


# ------------------------------------------------------------------------------------------------ the programs
def straight(A, b):
    return np.sum(solved(A, b) ** 2)


def in_loop(A, b, n=3):
    s = 0.0
    for _ in range(n):
        b = solved(A, b)
        s = s + np.sum(b * b)
    return s


def in_nested_loops(A, b):
    for _ in range(2):
        for _ in range(3):
            b = solved(A, b)
        A = A * 1.1
    return np.sum(b * b)


def in_while(A, b):
    while np.sum(b * b) > 1e-3:
        b = solved(A, b)
    return np.sum(b * b)


def in_branch(A, b):
    if b[0] > 0:
        b = solved(A, b)
    return np.sum(b * b)


def in_branch_of_loop(A, b):
    for k in range(4):
        if k % 2:
            b = solved(A, b)
        b = b + 1.0
    return np.sum(b * b)


def until_break(A, b):
    for _ in range(10):
        b = solved(A, b)
        if np.sum(b * b) < 0.05:
            break
    return np.sum(b * b)


def helper(A, b):
    return solved(A, b) * 2.0


def through_helper(A, b):
    return np.sum(helper(A, helper(A, b)) ** 2)


def recursive(A, b, n):
    return b if n == 0 else recursive(A, solved(A, b), n - 1)


def through_recursion(A, b):
    return np.sum(recursive(A, b, 3) ** 2)


def twice(A, b):
    x = solved(A, b)
    y = solved(A.T, x + 1.0)
    return np.sum(x * y)


def overwritten(A, b):
    s = 0.0
    for _ in range(3):
        A[0] *= 1.1
        b[1:] += 0.1
        s = s + np.sum(solved(A, b))
    return s


def in_comprehension(A, b):
    return sum([np.sum(solved(A, k * b) ** 2) for k in range(1, 4)])


def in_checkpoint(A, b):
    @checkpoint
    def step(b):
        return solved(A, b)

    for _ in range(3):
        b = step(b)
    return np.sum(b * b)


PROGRAMS = [
    (straight, 1), (in_loop, 3), (in_nested_loops, 6), (in_while, 3), (in_branch, 1), (in_branch_of_loop, 2),
    (until_break, 2), (through_helper, 2), (through_recursion, 3), (twice, 2), (overwritten, 3), (in_comprehension, 3),
]  # fmt: skip
LASTING = [p for p in PROGRAMS if p[0] not in (through_helper, through_recursion)]


# -------------------------------------------------------------------------------------------------- the values
@pytest.mark.parametrize("f, n", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("reuse", [True, False])
def test_gradients_are_right_and_each_call_is_factored_once(f, n, reuse):
    g = grad(f, (0, 1), reuse_buffers=reuse)
    for scale in (1.0, 1.2, 0.9):  # later calls are given states that other matrices have left
        at = (A * scale, b)
        check_grad(f, *at, argnums=(0, 1))
        (d_A, d_b), forwards, pullbacks = counted(g, *at)
        if f is not in_while and f is not until_break:
            assert (forwards, pullbacks) == (n, n)
        assert forwards == pullbacks
        other = grad(f, (0, 1), reuse_buffers=False)(*at)
        assert np.array_equal(d_A, other[0]) and np.array_equal(d_b, other[1])


@pytest.mark.parametrize("f, n", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_value_and_gradient_agree_with_the_function(f, n):
    value, (d_A, d_b) = value_and_grad(f, (0, 1))(A, b)
    assert_close(value, f(A.copy(), b.copy()))
    d = grad(f, (0, 1))(A, b)
    assert_close(d_A, d[0])
    assert_close(d_b, d[1])


@pytest.mark.parametrize("f, n", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_pullbacks_may_be_called_again_and_interleaved(f, n):
    first, pull_first = vjp(f, A.copy(), b.copy())
    second, pull_second = vjp(f, B.copy(), c.copy())
    once = [pull(1.0) for pull in (pull_first, pull_second, pull_first)]
    for (d_A, d_b), (M, v) in zip(once, [(A, b), (B, c), (A, b)]):
        expected = grad(f, (0, 1))(M, v)
        assert_close(d_A, expected[0])
        assert_close(d_b, expected[1])
    for x, y in zip(once[0], pull_first(1.0)):
        assert np.array_equal(x, y) and not np.shares_memory(x, y)


def test_a_pullback_does_not_see_what_its_caller_does_later():
    M, v = A.copy(), b.copy()
    value, pull = vjp(straight, M, v)
    M[...], v[...] = 77.0, 77.0
    for x, y in zip(pull(1.0), grad(straight, (0, 1))(A, b)):
        assert_close(x, y)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_loops_of_any_length(n):
    f = lambda A, b: in_loop(A, b, n)
    check_grad(f, A, b, argnums=(0, 1))
    g = grad(in_loop, (0, 1))
    for trips in (n, 2, n):
        (d_A, d_b), forwards, pullbacks = counted(g, A, b, trips)
        assert forwards == pullbacks == trips
        check = grad(in_loop, (0, 1), reuse_buffers=False)(A, b, trips)
        assert np.array_equal(d_A, check[0]) and np.array_equal(d_b, check[1])


# ------------------------------------------------------------------------------------- from call to call
@pytest.mark.parametrize("f, n", LASTING, ids=lambda x: getattr(x, "__name__", ""))
def test_each_place_and_iteration_is_given_the_state_that_it_has_left(f, n):
    g = grad(f, (0, 1))
    counted(g, A, b)
    assert all(state is None for state in given)
    counted(g, A, b)
    first = [state.serial for state in given]
    assert first == list(range(1, len(given) + 1))  # in the order in which they were made
    counted(g, A, b)
    assert [state.serial for state in given] == first


@pytest.mark.parametrize("f, n", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_without_workspaces_no_state_is_handed_on(f, n):
    for g in (grad(f, (0, 1), reuse_buffers=False), lambda A, b: vjp(f, A, b, argnums=(0, 1))[1](1.0)):
        for _ in range(2):
            counted(g, A, b)
            assert given and all(state is None for state in given)


def test_gradients_of_one_function_share_no_state():
    one, other = grad(in_loop, (0, 1)), grad(in_loop, (0, 1))
    one(A, b)
    counted(other, B, c)
    assert all(state is None for state in given)
    counted(one, A, b)
    mine = {id(state) for state in given}
    counted(other, B, c)
    assert mine.isdisjoint(map(id, given))


def test_released_states_are_forgotten():
    g = grad(in_loop, (0, 1))
    g(A, b)
    g.release()
    counted(g, A, b)
    assert all(state is None for state in given)


def test_arguments_of_other_shapes_have_states_of_their_own():
    g = grad(straight, (0, 1))
    g(A, b)
    counted(g, A[:2, :2], b[:2])
    assert given == [None]
    counted(g, A, b)
    assert given[0].inverse.shape == (3, 3)


def test_a_rule_replaces_a_state_that_does_not_fit():
    def growing(A, b, sizes):
        s = 0.0
        for n in sizes:
            s = s + np.sum(solved(A[:n, :n], b[:n]) ** 2)
        return s

    g = grad(growing, (0, 1))
    for sizes in ([1, 2, 3], [3, 1, 2], [2], [1, 2, 3, 3]):
        expected = grad(growing, (0, 1), reuse_buffers=False)(A, b, sizes)
        for x, y in zip(g(A, b, sizes), expected):
            assert np.array_equal(x, y)
    check_grad(lambda A, b: growing(A, b, [3, 1, 2]), A, b, argnums=(0, 1))


def test_gradients_of_earlier_calls_stay_what_they_are():
    g = value_and_grad(in_loop, (0, 1))
    first = g(A, b)
    kept = [first[0], *(d.copy() for d in first[1])]
    g(B, c)
    assert first[0] == kept[0] and all(np.array_equal(x, y) for x, y in zip(first[1], kept[1:]))


def test_a_call_that_raises_leaves_no_state():
    def f(A, b, n):
        for k in range(3):
            b = solved(A, b)
            if k == n:
                raise ValueError("stopped")
        return np.sum(b * b)

    g = grad(f, (0, 1))
    expected = g(A, b, 5)
    with pytest.raises(ValueError, match="stopped"):
        g(B, c, 1)
    found, _, _ = counted(g, A, b, 5)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected))
    assert given == [None] * 3
    counted(g, A, b, 5)
    assert None not in given


def test_threads_share_no_state():
    g = grad(in_loop, (0, 1))
    at = [(A * (1 + k / 10), b + k) for k in range(4)]
    expected = [grad(in_loop, (0, 1), reuse_buffers=False)(*x) for x in at]
    wrong = []

    def work(k):
        for _ in range(20):
            wrong.extend(1 for x, y in zip(g(*at[k]), expected[k]) if not np.array_equal(x, y))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))  # raises what a thread raises
    assert not wrong


def test_a_gradient_that_is_called_while_it_runs_has_states_of_its_own():
    inner = []

    @rule("y = again(x)", again := primitive(lambda x: x * 1.0))
    class again_rule:
        def kind(x): return x
        def d_x(d_y): return reentered(d_y)
        def t_y(t_x): return t_x

    @primitive
    def reentered(d):
        if not inner:
            inner.append(None)
            inner[0] = g(B, c)
        return d * 1.0

    @rule("y = reentered(x)", reentered)
    class reentered_rule:
        def kind(x): return x
        def d_x(d_y): return d_y * 1.0
        def t_y(t_x): return t_x

    def f(A, b):
        return np.sum(again(solved(A, b)) ** 2)

    g = grad(f, (0, 1))
    expected = grad(straight, (0, 1))(A, b)
    for x, y in zip(g(A, b), expected):
        assert_close(x, y)
    for x, y in zip(inner[0], grad(straight, (0, 1))(B, c)):
        assert_close(x, y)


# ------------------------------------------------------------------------------------- where there is none
def test_a_function_without_its_pullback_is_the_plain_one():
    f = lambda A, b, w: np.sum(stop_gradient(solved(A, b)) * w)
    _, forwards, pullbacks = counted(grad(f, 2), A, b, c)
    assert (forwards, pullbacks) == (0, 0)
    assert "solved(A, b)" in text(lambda A, b, w: np.sum(stop_gradient(solved(A, b)) * w), A, b, c)


def test_a_pullback_without_its_function_is_the_pure_one():
    f = lambda A, b: np.sum(solved(A, b) * c)
    (_, forwards, pullbacks) = counted(grad(f, 1), A, b)
    assert (forwards, pullbacks) == (0, 0)  # the solution itself is not needed


def test_a_pullback_that_has_no_form_with_a_state_is_the_pure_one():
    assert "-np.outer(d_b, t)" in text(straight, A, b)


@pytest.mark.parametrize("f", [straight, in_loop, twice, through_recursion], ids=lambda f: f.__name__)
def test_second_derivatives_begin_with_the_pure_pullbacks(f):
    h = lambda A, b: np.sum(grad(f, 1)(A, b) * c) + np.sum(grad(f, 0)(A, b) * B)
    check_grad(h, A, b, argnums=(0, 1))


def test_a_gradient_of_a_gradient_keeps_states_of_the_plain_functions_that_are_left():
    h = lambda b: np.sum(grad(straight, 1)(A, b) * c)
    g = grad(h)
    assert_close(g(b), 2 * np.linalg.inv(A).T @ np.linalg.inv(A) @ c)


def test_forward_mode_keeps_none():
    from adcompiler import jvp

    (_, t), forwards, _ = counted(lambda: jvp(straight, (A, b), (B, c)))
    assert forwards == 0
    x = np.linalg.solve(A, b)
    assert_close(t, 2 * x @ np.linalg.solve(A, c - B @ x))


def test_what_is_recomputed_has_its_state_there():
    (_, forwards, pullbacks) = counted(grad(in_checkpoint, (0, 1)), A, b)
    assert (forwards, pullbacks) == (3, 3)
    check_grad(in_checkpoint, A, b, argnums=(0, 1))


# ---------------------------------------------------------------------------------------------------- memory
def test_what_a_state_holds_is_not_written_while_it_may_be_read():
    @primitive
    def scaled(A, b):
        return A @ b

    @rule("y = scaled(A, b)", scaled)
    class scaled_rule:
        def kind(A, b): return b
        def d_b(d_y, A): return A.T @ d_y
        def d_A(d_y, b): return np.outer(d_y, b)
        def forward(state, A, b): return A @ b, (A, b)
        def with_state_d_b(d_y, state): return state[0].T @ d_y
        def with_state_d_A(d_y, state): return np.outer(d_y, state[1])
        def t_y(A, b, t_A, t_b): return t_A @ b + A @ t_b

    def f(A, b):
        s = 0.0
        for _ in range(3):
            y = scaled(A, b)
            A[0] *= 1.5
            b[1] += 0.25
            s = s + np.sum(y * y)
        A[1] = 0.0
        return s + np.sum(A)

    for reuse in (True, False):
        g = grad(f, (0, 1), reuse_buffers=reuse)
        for _ in range(2):
            for x, y in zip(g(A, b), numeric(f, A, b)):
                assert np.allclose(x, y, rtol=1e-6, atol=1e-7)
    check_rule(scaled, A, b, skip="broadcast mixed", complex=False)


def numeric(f, *args, step=1e-6):
    out = []
    for k, x in enumerate(args):
        d = np.zeros_like(x)
        for i in np.ndindex(x.shape):
            ends = []
            for s in (step, -step):
                moved = [a.copy() for a in args]
                moved[k][i] += s
                ends.append(f(*moved))
            d[i] = (ends[0] - ends[1]) / (2 * step)
        out.append(d)
    return out


def test_what_is_borrowed_from_a_state_is_copied_before_it_is_returned():
    @primitive
    def floor(x):
        return np.floor(x)

    @rule("y = floor(x)", floor)
    class floor_rule:
        def kind(x): return x
        def d_x(d_y): return np.zeros_like(d_y)
        def t_y(t_x): return np.zeros_like(t_x)
        def forward(state, x): return np.floor(x), np.zeros_like(x) if state is None else state

        @borrows("state")
        def with_state_d_x(d_y, state): return state

    def f(x):
        y = floor(x)
        return np.sum(y * y)

    g = grad(f)
    first = g(b)
    first += 1.0
    for _ in range(2):
        assert np.array_equal(g(c), np.zeros(3))
    _, pull = vjp(f, b)
    (one,) = pull(1.0)
    one += 1.0
    assert np.array_equal(pull(1.0)[0], np.zeros(3))


# --------------------------------------------------------------------------------------------------- scratch
def test_scratch_of_a_traced_pullback_becomes_part_of_the_program():
    @primitive
    def product(x, y):
        return x * y

    @rule("z = product(x, y)", product)
    class product_rule:
        def kind(x, y):
            lengths().agree(x.shape[0], y.shape[0])
            return x

        def d_x(d_z, y, t: Scratch["z"]):  # noqa: F821
            np.exp(y, out=t)
            np.log(t, out=t)  # y, by two values that stand in one place
            t *= d_z
            return t

        def d_y(d_z, x, t: Scratch["x"]):  # noqa: F821
            t[...] = d_z
            return t * x

        def t_z(x, y, t_x, t_y): return t_x * y + x * t_y

    def f(x, y):
        return np.sum(product(x, y) ** 2)

    check_rule(product, b, c, skip="broadcast mixed numbers scalars zero-dim", complex=False)
    check_grad(lambda x, y: np.sum(grad(f, 0)(x, y) * y + grad(f, 1)(x, y)), b, c, argnums=(0, 1))
    for options in ({}, {"reuse_buffers": False}, {"inline": False}):
        g = grad(f, (0, 1), **options)
        for _ in range(2):
            d_x, d_y = g(b, c)
            assert_close(d_x, 2 * b * c * c)
            assert_close(d_y, 2 * b * b * c)
    assert "empty_like" not in differentiable(f).source(example=(b, c))  # what is computed for d_x has memory anyway


def test_scratch_is_kept_from_call_to_call():
    seen = []

    @primitive
    def halved(x):
        return x / 2

    @rule("y = halved(x)", halved)
    class halved_rule:
        def kind(x): return x
        def d_x(d_y): return d_y / 2

        def forward(state, x, t: Scratch["x"]):  # noqa: F821
            seen.append(t)
            np.divide(x, 2, out=t)
            return t.copy(), None

        def with_state_d_x(d_y, state, t: Scratch["y"]):  # noqa: F821
            seen.append(t)
            np.divide(d_y, 2, out=t)
            return t

        def t_y(t_x): return t_x / 2

    def f(x):
        return np.sum(halved(x) ** 2)

    check_rule(halved, b, skip="numbers scalars zero-dim")
    g = grad(f)
    first = g(b)
    assert_close(first, b / 2)
    n = len(seen)
    second = g(c)
    assert all(x is y for x, y in zip(seen[n:], seen[n - 2 : n])) and seen[n].shape == b.shape
    assert_close(first, b / 2)
    assert_close(second, c / 2)
    assert not any(np.shares_memory(second, t) for t in seen)
    plain = grad(f, reuse_buffers=False)
    plain(b)
    plain(b)
    assert seen[-1] is not seen[-3] and seen[-2] is not seen[-4]


# ----------------------------------------------------------------------------------------------- in a module
def test_modules_keep_states(tmp_path, monkeypatch):
    (tmp_path / "systems.py").write_text(
        "import numpy as np\n\n\ndef energy(A, b):\n    s = 0.0\n    for _ in range(3):\n"
        "        b = np.linalg.solve(A, b)\n        s = s + np.sum(b * b)\n    return s\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import systems

    expected = grad(systems.energy, (0, 1))(A, b)
    for k, workspaces in enumerate((False, True)):
        source = compile_module(systems.energy, signatures="f64[n,n], f64[n]", argnums=(0, 1), workspaces=workspaces)
        assert "from rules.numpy.decompositions import solve" in source and "adcompiler" not in source.split('"""')[-1]
        (tmp_path / f"energy_{k}.py").write_text(source)
        module = __import__(f"energy_{k}")
        for _ in range(3):
            for x, y in zip(module.energy_grad(A, b), expected):
                assert np.array_equal(x, y)


def test_rules_give_way_to_variables_of_their_names(tmp_path):
    def f(A, b):
        det = np.linalg.det(A)
        solve = np.linalg.solve(A, b)
        return det * np.sum(solve * solve)

    shown = text(f, A, b)
    assert "det, state = det_2.forward(None, A)" in shown and "solve, state_2 = solve_2.forward(None, A, b)" in shown
    module = compile_module(f, signatures="f64[n,n], f64[n]", argnums=(0, 1))
    assert "det as det_2" in module and "solve as solve_2" in module
    check_grad(f, A, b, argnums=(0, 1))


def test_operands_that_have_become_constants_before_the_choice():
    """The value is not wanted, so that the pullback is the pure one, of a cotangent that is known by then."""
    def f(A):
        total = 0.0
        for k in range(2):
            total += 0.5 * np.linalg.det(A + k)
        return total

    cofactors = [np.linalg.det(M) * np.linalg.inv(M).T for M in (A, A + 1.0)]
    assert_close(grad(f)(A), 0.5 * cofactors[0] + 0.5 * cofactors[1])


def test_a_function_of_two_results():
    @primitive
    def sum_and_product(x, y):
        return x + y, x * y

    @rule("z = sum_and_product(x, y)", sum_and_product)
    class sum_and_product_rule:
        def kind(x, y): return x, y
        def d_x(d_z, y): return d_z[0] + d_z[1] * y
        def d_y(d_z, x): return d_z[0] + d_z[1] * x
        def forward(state, x, y): return (x + y, x * y), (x, y)
        def with_state_d_x(d_z, state): return d_z[0] + d_z[1] * state[1]
        def t_z(x, y, t_x, t_y): return t_x + t_y, t_x * y + x * t_y

    def f(x, y):
        for _ in range(2):
            x, y = sum_and_product(x, y)
        return np.sum(y * y)

    check_rule(sum_and_product, b, c, skip="broadcast mixed numbers scalars zero-dim", complex=False)
    assert "(x_next, y), state = sum_and_product" in text(f, b, c)
    for g in (grad(f, (0, 1)), grad(f, (0, 1), reuse_buffers=False)):
        for _ in range(2):
            for x, y in zip(g(b, c), numeric(f, b, c)):
                assert_close(x, y, rtol=1e-6)


# --------------------------------------------------------------------------------------- rules of np.linalg
def test_a_system_is_factored_once(monkeypatch):
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="NumPy gives no factors away")
    import rules.lapack

    calls = []

    class Counting:
        def __getattr__(self, name):
            calls.append(name)
            return getattr(lapack, name)

    counting = Counting()
    monkeypatch.setattr(rules.lapack, "_lapack", lambda: counting)

    A, b = np.array([[2.0, 0.5], [0.3, 1.5]]), np.array([1.0, 0.7])

    def f(A, b):
        for _ in range(3):
            b = np.linalg.solve(A, b)
        return np.sum(b * b) + np.linalg.det(A)

    g = value_and_grad(f, (0, 1))
    g(A, b)
    assert not calls, "of small matrices nothing is kept"
    A, b = np.eye(40) * 1.05 + np.cos(np.arange(1600.0)).reshape(40, 40) / 80.0, np.linspace(0.5, 1.0, 40)
    for _ in range(2):
        calls.clear()
        g(A, b)
        assert calls.count("dgetrf") == 4  # three systems and a determinant
        assert calls.count("dgetrs") == 6  # of each system the solution and the pullback
        assert calls.count("dgetri") == 1
    check_grad(f, A, b, argnums=(0, 1))


@pytest.mark.parametrize("f, most", [
    (lambda A, b: np.sum(np.linalg.inv(A) @ b), {"inv": 1}),
    (lambda A, b: np.sum(np.linalg.cholesky(A) @ b), {"cholesky": 1}),  # two triangular systems in the pullback
    (lambda A, b: np.sum(np.linalg.cholesky(A) @ b) * np.linalg.cholesky(A)[0, 0], {"cholesky": 1}),
    (lambda A, b: np.sum(np.linalg.inv(A) @ b) + np.sum(np.linalg.inv(A) ** 2), {"inv": 1}),
    (lambda A, b: np.sum(np.linalg.eigh(A)[0] * b), {"eigh": 1}),
    (lambda A, b: np.sum(np.linalg.svd(A)[1] * b), {"svd": 1}),
    (lambda A, b: np.linalg.slogdet(A)[1] * b[0], {"slogdet": 1, "inv": 1}),
], ids=["inv", "cholesky", "cholesky twice", "inv twice", "eigh", "svd", "slogdet"])  # fmt: skip
def test_matrices_are_factored_once(f, most, monkeypatch):
    calls = []

    def counting(name):
        plain = getattr(np.linalg, name)
        return lambda *args, **kwargs: calls.append(name) or plain(*args, **kwargs)

    M = np.eye(40) + np.ones((40, 40)) / 40 + np.diag(np.linspace(0, 1, 40))
    g, v = value_and_grad(f, (0, 1)), np.linspace(0.5, 1.0, 40)
    g(M, v)  # compiled before NumPy's functions are replaced
    factorings = ("inv", "solve", "cholesky", "det", "slogdet", "eigh", "svd", "qr", "eig", "lstsq")
    replaced = {name: counting(name) for name in factorings}
    for name, function in replaced.items():
        monkeypatch.setattr(np.linalg, name, function)
    g(M, v)
    assert {name: calls.count(name) for name in calls} == most


@pytest.mark.parametrize("without", [False, True], ids=["as installed", "without SciPy"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_systems_of_every_dtype_and_shape(dtype, without, monkeypatch):
    if without:
        monkeypatch.setattr("rules.lapack._lapack", lambda: None)
    M = (A + 0.3j * B if np.dtype(dtype).kind == "c" else A).astype(dtype)
    v = (b + 0.1j * c if np.dtype(dtype).kind == "c" else b).astype(dtype)
    f = lambda A, b: np.sum(np.abs(np.linalg.solve(A, b)) ** 2)
    tol = 1e-4 if dtype in (np.float32, np.complex64) else 1e-10
    for at in ((M, v), (M, np.stack([v, 2 * v, v], 1)), (np.stack([M, M.T]), np.stack([M.T, M])), (M[:1, :1], v[:1]),
               (M[:0, :0], v[:0])):  # fmt: skip
        value, (d_A, d_b) = value_and_grad(f, (0, 1))(*at)
        assert (d_A.dtype, d_b.dtype) == (dtype, dtype) and value.dtype == f(*at).dtype
        x = np.linalg.solve(*at)
        seed = 2 * np.conj(x)
        T = np.swapaxes(at[0], -1, -2)
        expected = np.linalg.solve(T, seed) if at[0].size else seed
        assert_close(d_b, expected, rtol=tol, atol=tol)
        columns = (expected, x) if at[1].ndim > 1 else (expected[:, None], x[:, None])
        assert_close(d_A, -columns[0] @ np.swapaxes(columns[1], -1, -2), rtol=tol, atol=tol)


@pytest.mark.parametrize("f", [lambda A, b: np.sum(np.linalg.solve(A, b) ** 2), lambda A, b: np.linalg.inv(A)[0, 0]])
@pytest.mark.parametrize("M", [np.zeros((3, 3)), np.ones((3, 3))], ids=["zeros", "ones"])
def test_singular_matrices_raise_what_numpy_raises(f, M):
    for g in (value_and_grad(f, (0, 1)), lambda A, b: vjp(f, A, b, argnums=(0, 1))[1](1.0)):
        with np.errstate(divide="ignore"), pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            g(M, b)


def test_determinants_near_zero_are_left_to_numpy():
    f = lambda A: np.linalg.det(A) * 1.0
    for M in (np.diag([1.0, 2.0, 0.0]), np.diag([1.0, 2.0, 1e-12]), np.zeros((2, 2)), A):
        value, d = value_and_grad(f)(M)
        assert_close(value, np.linalg.det(M), atol=1e-15)
        cofactors = [[np.linalg.det(np.delete(np.delete(M, i, 0), j, 1)) * (-1) ** (i + j) for j in range(len(M))]
                     for i in range(len(M))]  # fmt: skip
        assert_close(d, np.array(cofactors), atol=1e-12)
