"""Lists that grow and shrink: values, gradients, second derivatives, and the statements that come out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.compile import interpret
from adcompiler.ir.verify import verify
from tests.lists_changed import CHANGED, prefix_sums, sorted_by_swaps
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


def filtered(x):
    out = [np.sin(v) * v for v in x if v > 0]
    return np.sum(np.array(out) ** 2) + len(out) * x[0]


def two_loops(x):
    return np.sum(np.array([u * v for u in x for v in x if u > v]) ** 3)


def a_known_loop_around(x):
    products = [u * v for u in (x[0], x[1]) for v in x]
    return np.sum(np.array(products) ** 2) * products[-1]


def a_known_loop_inside(x):
    return sum([u * v for u in x for v in (x[0], 2.0) if u > 0])


def filtered_pairs(x):
    ps = [(v, np.sin(v)) for v in x if v < 1]
    return sum(a * b for a, b in ps)


def a_filter_in_an_element(x):
    return sum(sum([w for w in x if w > v]) * v for v in x)


def filtered_rows(x):
    return np.sum(np.stack([x * v for v in x if v > 0]) ** 2)


def filtered_then_appended(x):
    ys = [v * v for v in x if v > 0]
    ys.append(x[0])
    last = ys.pop()
    return sum(ys) * last


def extended_by_an_array(x):
    ys = [x[0]]
    ys.extend(x * 2.0)
    ys += [v * v for v in x if v > 0]
    return sum(v * v for v in ys)


def extended_by_itself(x):
    ys = [v * v for v in x]
    ys.extend(ys)
    return sum(a * b for a, b in zip(ys, ys[::-1]))


def extremes(x):
    return max(np.sin(v) * v for v in x) * min([v * v + v for v in x if v > -3]) + max(x) * min(x)


def dict_over_a_range(x):
    d = {i: x[i] ** 2 for i in range(3) if i != 1}
    return d[0] * d[2]


def appended_rows(x):
    out = []
    for v in x:
        out.append(np.tanh(x * v))
    return np.sum(np.stack(out) ** 2) + np.sum(sum(out)) * np.mean(out)


def appended_states(x):
    h, hs = x, []
    for v in x:
        h = np.tanh(h * v)
        hs.append(h)
    s = 0.0
    for h in hs:
        s = s + np.sum(h**2)
    return s + np.sum(hs[-1])


def a_table(x):
    return np.sum(np.array([[u * v for v in x] for u in x[1:]]) ** 3)


def a_table_of_known_lists(x):
    return np.sum(np.array([[v, v * v, 1.0] for v in x]) ** 2)


def a_filtered_table(x):
    rows = [[u * v for v in x if v > 0] for u in x]
    return np.sum(np.stack(rows) @ np.ones(3)) + np.sum(rows[0])


def any_and_all(x):
    positive, small = [v > 0 for v in x], [v < 2 for v in x]
    return x[0] ** 2 if any(positive) and all(small) and not all(positive) else x[1]


def a_default(x):
    return max((v * v for v in x if v > 1), default=x[0]) + min([v * v for v in x if v > 9], default=x[1])


def a_filter_over_known_elements(x):
    ps = [v * v for v in (x[0], x[1], x[2]) if v > 0]
    return np.sum(np.array(ps) ** 2) * len(ps)


def filters_over_known_pairs(x):
    return sum(a * b for a, b in [(v, w) for v in (x[0], x[1]) if v > 0 for w in x if w > v])


def read_beside_known_elements(x):
    ys = [v for v in x if v > 0]
    beside = sum(a * b for a, b in zip(ys, (x[0], x[1], x[2], x[1])))
    return beside + sum(a * k for a, k in zip((x[0], x[3]), range(len(ys))))


def two_lists(x):
    a, b = [], []
    for v in x:
        a.append(v * v)
        b.append(np.sin(v))
    return np.dot(np.array(a), np.array(b)) + sum(a) / len(a)


def appended_after_the_loop(x):
    out = []
    for v in x:
        out.append(v * v)
    out.append(2 * x[0])
    back = out[::-1]
    out.pop()
    return sum(a * b for a, b in zip(out, back))


def appended_and_read(x):
    ys = []
    for v in x:
        ys.append(v * v)
        v = ys[-1] * v
    return sum(ys) * v


def appended_where_the_loop_breaks(x):
    ys = []
    for v in x:
        ys.append(v * v)
        if v > 1:
            break
    return sum(ys) * len(ys)


def stencil(x):
    out = []
    for i in range(len(x) - 2):
        out.append(x[i] * x[i + 2])
    a = np.array(out)
    return np.sum(np.ones(len(out)) * a) + np.sum(x)


PROGRAMS = [
    filtered, two_loops, a_known_loop_around, a_known_loop_inside, filtered_pairs, a_filter_in_an_element,
    filtered_rows, filtered_then_appended, extended_by_an_array, extended_by_itself, extremes, dict_over_a_range,
    appended_rows, appended_states, two_lists, appended_after_the_loop, appended_and_read,
    a_filter_over_known_elements, filters_over_known_pairs, read_beside_known_elements,
    appended_where_the_loop_breaks, stencil, a_table, a_table_of_known_lists, a_filtered_table, any_and_all, a_default,
    known_structure, both_branches, unrolled, item_of_a_dict, steps, from_a_first_element, conditional,
    length_asked_in_the_loop, two_appends, augmented, until_small, while_short, pairs, stack, rows, rows_by_index,
    breaks_before, breaks_after, continues, a_list_each_time, in_an_inner_loop, emptied, copies, ints_and_floats,
    no_iterations, *CHANGED,
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


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_other_modes_agree_with_differences(f):
    """Forward mode, and a pullback that is called twice."""
    t = np.cos(np.arange(5.0))
    slope = (f(X + 1e-6 * t) - f(X - 1e-6 * t)) / 2e-6
    value, tangent = jvp(f, (X,), (t,))
    assert_close(value, f(X), 1e-12)
    assert_close(tangent, slope, 1e-5)
    value, pullback = vjp(f, X)
    assert_close(value, f(X), 1e-12)
    for scale in (1.0, -2.0):
        assert_close(np.sum(pullback(scale)[0] * t), scale * slope, 1e-5)


@pytest.mark.parametrize("f", [steps, from_a_first_element, conditional, rows, stack, *CHANGED],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_float32_keeps_its_dtype(f):
    d = grad(f)(X.astype(np.float32))
    assert d.dtype == np.float32
    assert_close(d, grad(f)(X), rtol=1e-4)


EMPTY = [
    pairs, augmented, rows, two_loops, filtered_pairs, a_filter_in_an_element, extended_by_itself, a_table,
]  # fmt: skip
#: `conditional` reads `x[0]` whatever happens, so that it has no value for an empty array.
@pytest.mark.parametrize(
    ("f", "n"),
    [(conditional, 1), (filtered, 1), *((f, n) for f in EMPTY for n in (0, 1)), *((stencil, n) for n in range(4))],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_no_element_and_one(f, n):
    check(f, X[:n])


def test_no_element_passes_a_condition():
    def f(x):
        none = [v * v for v in x if v > 100.0]
        return np.sum(np.array(none)) + sum(none) + len(none) * x[0] + np.sum(x * x)

    check(f, X)


@pytest.mark.parametrize("f", [max, min])
def test_the_extremum_of_nothing_raises(f):
    for g in (lambda x: f(v * v for v in x), lambda x: f(x)):
        with pytest.raises(ValueError):
            grad(g)(X[:0])


@pytest.mark.parametrize("f", [max, min])
def test_equal_extrema_share_the_cotangent(f):
    assert_close(grad(lambda x: f(v * 3 for v in x))(np.full(4, 2.0)), np.full(4, 0.75))
    assert_close(grad(lambda x: f(x))(np.array([1.0, 1.0])), np.full(2, 0.5))


def test_the_extremum_is_that_of_python():
    """Not that of NumPy, for which it is NaN wherever there is one."""
    x = np.array([1.0, np.nan, 3.0])
    value, d = value_and_grad(lambda x: max(v * 2.0 for v in x))(x)
    assert value == max(2.0 * x) == 6.0
    assert np.array_equal(d, [0.0, 0.0, 2.0])


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


def test_appends_in_every_iteration_are_read_backwards():
    """As one writes it by hand: what was appended is all that is kept, and its cotangents are rows of an array."""

    def f(A, w):
        out = []
        for a in A:
            out.append(np.tanh(w * a))
        return np.sum(np.stack(out) ** 2)

    assert statements(f, np.ones((3, 2)), np.ones(2)) == """\
def f_grad(A, w):
    out = [np.tanh(w * a) for a in A]
    d_A_rows = []
    for d, t in zip(reversed(2.0 * np.stack(out)), reversed(out)):
        d_a = d * (1 - t * t) * w
        d_A_rows.append(d_a)
    d_A = restack(d_A_rows[::-1], A)
    return d_A"""


def test_the_list_of_a_sum_is_not_made():
    """Every term has the same cotangent, so that of the sum is read in the loop, and no list of it."""

    def f(x):
        out = []
        for v in x:
            out.append(v * v)
        return sum(out) / len(out)

    assert statements(f, X) == """\
def f_grad(x):
    d_total = 1.0 / x.shape[0]
    d_x_rows = []
    for v in reversed(x):
        d_v = 2.0 * (d_total * v)
        d_x_rows.append(d_v)
    d_x = restack(d_x_rows[::-1], x)
    return d_x"""


def test_states_that_are_collected_are_kept_once():
    def f(A, W, h):
        hs = []
        for a in A:
            h = np.tanh(W @ h + a)
            hs.append(h)
        return np.sum(np.stack(hs) ** 2)

    text = statements(f, np.ones((3, 2)), np.eye(2), np.ones(2))
    assert text.count("hs.append(h)") == 1 and "tape" not in text
    check(f, np.linspace(0, 1, 6).reshape(3, 2), 0.5 * np.eye(2), np.ones(2))


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


def test_stores_by_index_are_in_place_and_so_are_those_of_the_adjoint():
    """Nothing is copied, and of what is overwritten only what the adjoint reads is kept."""
    text = statements(sorted_by_swaps, X)
    assert "copied(" not in text and "list(" not in text and "a[j] = part_2" in text and "d_a[j] = 0.0" in text
    text = statements(prefix_sums, X)
    assert "copied(" not in text and "list(" not in text and "tape" not in text and "d_s[i] = 0.0" in text


def test_numbers_that_are_stored_have_their_types():
    def f(x, y):
        y = list(y)
        for i in range(1, len(y)):
            y[i] = y[i] * x[0] + y[i - 1]
            y[0] = y[i] * y[0]
        return sum(y)

    for scalar in (float, np.float64, np.float32):
        y = [scalar(v) for v in (1.0, 2.0, 3.0)]
        d_x, d_y = grad(f, (0, 1))(np.ones(2), y)
        assert d_x.tolist() == [34.0, 0.0] and d_y == [29.0, 11.0, 4.0] and {type(v) for v in d_y} == {scalar}
        assert y == [1.0, 2.0, 3.0]

    def complex_numbers(x):
        a = [0j] * len(x)
        for i in range(len(x)):
            a[i] = x[i] * 1j + x[i] ** 2
        return abs(a[0] * a[-1])

    check(complex_numbers, X)


def test_a_store_beyond_the_end_raises_as_in_python():
    def f(x):
        a = [0.0] * len(x)
        a[len(x)] = x[0]
        return sum(a)

    with pytest.raises(IndexError, match="list assignment index out of range"):
        grad(f)(X)


def rows_of_a_literal(x):
    return max([v * v for row in [x, 2 * x] for v in row if v > 0.5])


def outer_element_inside(x):
    return np.sum(np.array([v * row[0] for row in [x, 2 * x] for v in x if v > 0.5]))


def items_of_a_literal(x):
    return np.sum(np.array([v for k, a in {"p": x, "q": 2 * x}.items() for v in a if v > 0.5]))


def three_loops(x):
    return np.sum(np.array([v * u for row in [x, 2 * x] for u in row for v in row[1:] if v > 0.5 if u > 0.4]))


def three_loops_of_literals(x):
    return np.sum(np.array([v * u for row in [x, 2 * x] for u in (row, row * 3.0) for v in row[1:] if v > 0.5][0]))


def indices_of_a_literal(x):
    return np.sum(np.array([M[i] * i for M in [x, x[1:]] for i in range(len(M)) if M[i] > 0.4]))


LITERALS = [rows_of_a_literal, outer_element_inside, items_of_a_literal, three_loops, three_loops_of_literals,
            indices_of_a_literal]  # fmt: skip


@pytest.mark.parametrize("f", LITERALS, ids=lambda f: f.__name__)
def test_inner_loops_with_conditions_under_a_loop_over_a_literal(f):
    check(f, np.array([0.3, 0.55, 1.2]))


def test_second_derivative_of_an_array_made_of_no_rows_has_the_shape_of_the_argument():
    def f(x):
        kept = []
        for row in x:
            kept.append(row)
        return np.tanh(np.sum(np.array(kept)))

    def product(x):
        return np.sum(grad(f)(x) * np.cos(x))

    assert grad(product)(np.zeros((0, 2))).shape == (0, 2)
    check(product, np.ones((3, 2)) / 7.0, argnums=(0,))
