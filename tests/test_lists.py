"""Lists that grow and shrink: values, gradients, second derivatives, and the statements that come out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, differentiable, grad
from adcompiler.compile import interpret
from adcompiler.ir.verify import verify
from tests.numerics import assert_close, check
from tests.test_passes import GRADIENTS, Program, bits, made

X = np.array([0.7, -0.4, 1.3, 0.9, -0.2])


# ------------------------------------------------------------------------------------------------- programs
def known_structure(x):
    xs = []
    xs.append(x[0])
    xs.append(x[1] * x[0])
    xs.insert(0, x[2])
    xs += [x[1]]
    xs.extend([x[0] ** 2, x[3]])
    last = xs.pop()
    first = xs.pop(0)
    return np.sum(np.array(xs) ** 2) + last * first


def both_branches(x):
    xs = [x[0]]
    if x[1] > 0:
        xs.append(x[2] * x[3])
    else:
        xs.append(np.sin(x[2]))
    return xs[0] * xs[1]


def unrolled(x):
    xs = []
    for k in (0, 2, 3):
        xs.append(x[k] * xs[-1] if xs else x[k])
    return sum(xs)


def item_of_a_dict(x):
    p = {"rows": [], "n": 0}
    for v in x:
        p["rows"].append(v * v)
        p["n"] += 1
    return sum(p["rows"]) * p["n"]


def steps(x):
    y, ys = x[0], []
    for v in x:
        y = y - 0.1 * v * y * y
        ys.append(y)
    return np.sum(np.array(ys) ** 2)


def from_a_first_element(x):
    ys = [x[0]]
    for v in x:
        ys.append(ys[-1] - 0.1 * v * ys[-1] ** 2)
    return np.sum(np.stack(ys) ** 3)


def conditional(x):
    ys = []
    for v in x:
        if v > 0:
            ys.append(v * v)
    s = 0.0
    for y in ys:
        s = s + y * y
    return s + len(ys) * x[0]


def length_asked_in_the_loop(x):
    ys = []
    for v in x:
        if len(ys) > 0:
            ys.append(v * ys[-1])
        else:
            ys.append(v)
    return np.sum(np.array(ys))


def two_appends(x):
    ys = []
    for v in x:
        ys.append(v)
        ys.append(v * v)
    return sum(a * b for a, b in zip(ys, ys[::-1]))


def augmented(x):
    ys = []
    for v in x:
        ys += [v, np.exp(v)]
    return sum(ys)


def until_small(x):
    y, ys = 4.0 * x[0], []
    while y > 0.1:
        y = y * 0.5
        ys.append(y)
    return sum(ys) + ys[-1] * ys[0]


def while_short(x):
    ys = [x[0]]
    while len(ys) < 4:
        ys.append(np.sin(ys[-1]) + x[1])
    return ys[3] * ys[1]


def pairs(x):
    ps = []
    for v in x:
        ps.append((v, np.sin(v)))
    s = 0.0
    for a, b in ps:
        s += a * b
    return s


def stack(x):
    st = []
    for v in x:
        st.append(v)
        if len(st) > 2:
            b = st.pop()
            a = st.pop()
            st.append(a * b)
    return st[-1] + st[0]


def rows(x):
    h, hs = x, []
    for _ in range(3):
        h = np.tanh(h * 1.1)
        hs.append(h)
    block = np.stack(hs)
    return np.sum(block[::-1] * block)


def rows_by_index(x):
    h, hs = x, []
    for _ in range(3):
        hs.append(h)
        h = np.sin(h) * x
    s = 0.0
    for i in range(len(hs)):
        s = s + np.sum(hs[i] * hs[i - 1])
    return s


def breaks_before(x):
    ys = []
    for v in x:
        if v < 0:
            break
        ys.append(np.exp(v))
    return sum(ys[::-1]) * x[1]


def breaks_after(x):
    ys = []
    for v in x:
        ys.append(np.exp(v))
        if v < 0:
            break
    return sum(ys)


def continues(x):
    ys = []
    for v in x:
        if v < 0:
            continue
        ys.append(v * v)
    return sum(ys)


def a_list_each_time(x):
    s = 0.0
    for i in range(len(x)):
        ys = []
        for v in x[i:]:
            ys.append(v * v)
        s = s + sum(ys) * x[i]
    return s


def in_an_inner_loop(x):
    ys = []
    for i in range(3):
        for v in x:
            ys.append(v * i)
    return np.sum(np.array(ys) ** 2)


def emptied(x):
    ys = []
    s = 0.0
    for v in x:
        ys.append(v)
        if len(ys) > 2:
            s = s + ys[0] * ys[-1]
            ys.pop()
            ys.pop()
    return s


def copies(x):
    ys = [x[0]]
    for v in x:
        ys.append(v)
    zs = list(ys)
    zs.append(x[1])
    ws = ys[1:]
    ws.append(x[2])
    return sum(ys) + 2.0 * sum(zs) * sum(ws) + len(ys)


def ints_and_floats(x):
    ys = [0]
    for v in x:
        ys.append(v)
    return sum(v * v for v in ys)


def no_iterations(x):
    ys = [x[0]]
    for v in x[5:]:
        ys.append(v)
    return sum(ys) ** 2


PROGRAMS = [
    known_structure, both_branches, unrolled, item_of_a_dict, steps, from_a_first_element, conditional,
    length_asked_in_the_loop, two_appends, augmented, until_small, while_short, pairs, stack, rows, rows_by_index,
    breaks_before, breaks_after, continues, a_list_each_time, in_an_inner_loop, emptied, copies, ints_and_floats,
    no_iterations,
]  # fmt: skip


def second(f: Callable[..., Any]) -> Callable[..., Any]:
    """A number that the gradient gives: its gradient is of second order."""
    d = grad(f)

    def g(x):
        v = d(x)
        return np.sum(v * v)

    return g


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient_against_differences(f):
    check(f, X)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative_against_differences_of_the_first(f):
    check(second(f), X)


@pytest.mark.parametrize("f", [steps, from_a_first_element, conditional, rows, stack], ids=lambda f: f.__name__)
def test_float32_keeps_its_dtype(f):
    d = grad(f)(X.astype(np.float32))
    assert d.dtype == np.float32
    assert_close(d, grad(f)(X), rtol=1e-4)


#: `conditional` reads `x[0]` whatever happens, so that it has no value for an empty array.
@pytest.mark.parametrize(
    ("f", "n"),
    [(conditional, 1), *((f, n) for f in (pairs, augmented, rows) for n in (0, 1))],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_no_element_and_one(f, n):
    check(f, X[:n])


def test_numbers():
    def f(a, n):
        ys = [a]
        for _ in range(n):
            ys.append(ys[-1] * a)
        return ys[-1]

    assert grad(f)(1.5, 0) == 1.0
    assert_close(grad(f)(1.5, 4), 5 * 1.5**4)
    assert type(grad(f)(1.5, 4)) is float


def test_zero_dimensional_arrays_are_elements():
    def f(a):
        ys = []
        for _ in range(3):
            ys.append(a)
        return ys[0] * ys[1] * ys[2]

    assert_close(grad(f)(np.array(2.0)), 12.0)


def test_a_list_argument_is_copied_first_and_left_alone():
    def f(ys):
        ys = list(ys)
        for v in (1.0, 2.0):
            ys.append(ys[0] * v)
        return ys[0] * ys[-1]

    given = [3.0, 4.0]
    assert grad(f)(given) == [12.0, 0.0]
    assert given == [3.0, 4.0]


def test_a_list_argument_is_left_alone_by_a_loop():
    def f(ys, x):
        zs = list(ys)
        for v in x:
            zs.append(v * zs[0])
        return zs[-1] * len(ys)

    given = [3.0, 4.0]
    d = grad(f, argnums=(0, 1))(given, X)
    assert given == [3.0, 4.0]
    assert_close(d[0], [2 * X[-1], 0.0])
    assert_close(d[1], np.array([0, 0, 0, 0, 6.0]))


def test_arrays_in_a_list_are_not_changed_with_the_list():
    def f(x):
        y, ys = x * 2.0, []
        for _ in range(3):
            y = y * x
            ys.append(y)
        z = ys[0] * 1.0
        z += ys[1]
        return np.sum(z * ys[2])

    check(f, X)


def test_a_gradient_is_computed_twice_alike():
    d = grad(stack)
    assert_close(d(X), d(X), rtol=0)


def test_popping_from_an_empty_list_raises():
    def f(x):
        ys = []
        for v in x:
            ys.append(v)
        last = ys.pop()
        return last * last

    with pytest.raises(IndexError):
        grad(f)(np.zeros(0))


def test_a_list_that_is_never_filled_is_refused():
    def f(x):
        ys = []
        for v in x:
            if len(x.shape) > 1:
                ys.append(v)
        return np.sum(np.array(ys)) + x[0]

    with pytest.raises(UnsupportedError, match="ys"):
        grad(f)(X)


def statements(f: Callable[..., Any], *args: Any) -> str:
    """The generated statements, without comments and the docstring."""
    lines = (line.split("  #")[0].rstrip() for line in differentiable(f).source(example=args).splitlines())
    return "\n".join(line for line in lines if line and not line.strip().startswith(("#", '"""')))


def test_an_append_in_a_loop_is_an_append_and_its_adjoint_a_pop():
    def f(x0, k, n):
        xs = [x0]
        for _ in range(n):
            xs.append(xs[-1] - k * xs[-1] ** 2)
        return np.sum(np.stack(xs) ** 2)

    assert statements(f, 1.0, 0.7, 5) == """\
def f_grad(x0, k, n):
    xs = [x0]
    tape = []
    for _ in range(n):
        part = xs[-1]
        xs.append(part - k * part**2)
        tape.append(part)
    d_xs = unstack(2.0 * np.stack(xs))
    for part in reversed(tape):
        d = d_xs.pop()
        d_xs[-1] = accumulate(d_xs[-1], -d * k * (2 * part))
        d_xs[-1] = accumulate(d_xs[-1], d)
    return float(d_xs[0])"""


def test_an_append_in_a_branch_is_popped_in_that_branch():
    def f(x):
        ys = []
        for v in x:
            if v > 0:
                ys.append(v * v)
        return np.sum(np.array(ys))

    assert statements(f, X) == """\
def f_grad(x):
    ys = []
    for v in x:
        if v > 0:
            ys.append(v * v)
    d_ys = unstack(spread(1.0, np.array(ys)))
    d_x_rows = []
    for v in reversed(x):
        if v > 0:
            d_v = d_ys.pop() * v
            d_v = 2.0 * d_v
        else:
            d_v = np.float64(0.0)
        d_x_rows.append(d_v)
    d_x = restack(d_x_rows[::-1], x)
    return d_x"""


def test_no_list_is_copied_in_a_loop():
    for f in (from_a_first_element, conditional, stack, two_appends, while_short, rows):
        text = statements(f, X)
        assert ".append(" in text and "appended(" not in text and "without_last(" not in text and "list(" not in text


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_stages_agree_and_writing_in_place_changes_no_bit(f):
    program = Program(f, (X,))
    stages = made(program).stages
    for stage in ("lower", *GRADIENTS):
        verify(stages[stage])
    first = interpret(f, (X,), GRADIENTS[0], 0, checked=True)
    for stage in GRADIENTS[1:]:
        assert_close(interpret(f, (X,), stage, 0, checked=True), first)
    assert bits(made(program).run(X)) == bits(made(program, reuse=False).run(X))
