"""`check_rule` lets a right rule pass and rejects each wrong one for what is wrong with it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from rules.cotangent import zeros_like
from rules.kind import Array, array_or_number, elementwise, kind_of, promote, reduced
from rules.rule import Like, Scratch, _rules, borrows, nondifferentiable, primitive, rule, unsupported
from rules.testing import check_rule
from tests.rules.case import normal

pytestmark = pytest.mark.usefixtures("own_rules")
X, Y = normal(3, 4), normal(3, 4, seed=2)


def product(x: Any, y: Any) -> Any:
    return np.multiply(x, y)


def row_sums(a: Any) -> Any:
    return np.sum(a, axis=1)


def like_product(x: Any, y: Any) -> Any:
    return elementwise(np.multiply, x, y)


def declare(**members: Callable[..., Any] | str) -> None:
    """The rule of `product`, right but for `members`."""

    def d_x(d_z, y): return d_z * y
    def d_y(d_z, x): return d_z * x
    def t_z(x, y, t_x, t_y): return t_x * y + x * t_y

    right = {"d_x": d_x, "d_y": d_y, "t_z": t_z, "kind": like_product}
    rule("z = product(x, y)", product)(type("product", (), right | members))


def reject(*words: str, function: Any = product, args: tuple[Any, ...] = (X, Y), **options: Any) -> None:
    """The check fails, and its message holds each of the words."""
    with pytest.raises(AssertionError) as failure:
        check_rule(function, *args, **options)
    for word in words:
        assert word in str(failure.value)


def test_a_right_rule_passes() -> None:
    declare()
    check_rule(product, X, Y)


def test_a_function_without_rule() -> None:
    reject("has no rule")


def test_a_function_that_is_refused() -> None:
    unsupported(product, why="it is only a test")
    reject("it is only a test")


def test_a_wrong_factor() -> None:
    declare(d_x=lambda d_z, y: 2 * d_z * y)
    reject("d_x", "central differences")


def test_a_wrong_sign() -> None:
    declare(d_y=lambda d_z, x: -d_z * x)
    reject("d_y", "central differences")


def test_a_factor_that_is_off_by_a_hundred_thousandth() -> None:
    declare(d_x=lambda d_z, y: d_z * y * (1 + 1e-5))
    reject("d_x", "central differences")


def test_a_wrong_forward_mode() -> None:
    declare(t_z=lambda x, y, t_x, t_y: t_x * y - x * t_y)
    reject("t_z", "<d, J t> == <J^T d, t>")


def test_a_missing_forward_mode() -> None:
    @rule("y = row_sums(a)", row_sums)
    class missing:
        def kind(a): return array_or_number(a.dtype, reduced(a.shape, 1))
        def d_a(d_y, a: Like): return zeros_like(a) + np.expand_dims(d_y, 1)

    reject("t_y", "not defined", function=row_sums, args=(X,))


def test_a_missing_sum() -> None:
    def weighted(a: Any, w: Any) -> Any:
        return a @ w

    @rule("y = weighted(a, w)", weighted)
    class missing:
        def kind(a): return Array(a.dtype, a.shape[:1])
        def d_w(d_y, a): return d_y[0] * a[0]
        def t_y(a, t_w): return a @ t_w

    reject("d_w", "central differences", function=weighted, args=(X, Y[0]), wrt="w")


def test_an_axis_that_projection_cannot_guess() -> None:
    @rule("y = row_sums(a)", row_sums)
    class unspread:
        def kind(a): return array_or_number(a.dtype, reduced(a.shape, 1))
        def d_a(d_y): return d_y * 1
        def t_y(t_a): return np.sum(t_a, axis=1)

    reject("d_a", "does not fit a", function=row_sums, args=(X,))


def test_sharing_with_the_cotangent_that_is_not_declared() -> None:
    def same(x: Any) -> Any:
        return np.add(x, 0)

    @rule("y = same(x)", same)
    class undeclared:
        def kind(x): return elementwise(np.add, x, 0)
        def d_x(d_y): return d_y
        def t_y(t_x): return t_x

    reject("d_x", "shares memory with d_y", "@borrows('d_y')", function=same, args=(X,))


def test_sharing_with_an_argument_that_is_not_declared() -> None:
    def half_square(x: Any) -> Any:
        return 0.5 * x * x

    @rule("y = half_square(x)", half_square)
    class undeclared:
        def kind(x): return elementwise(np.multiply, x, x)
        def d_x(d_y, x): return x[...]
        def t_y(x, t_x): return x * t_x

    reject("d_x", "shares memory with x", function=half_square, args=(X,))


def test_sharing_that_is_declared() -> None:
    def same(x: Any) -> Any:
        return np.add(x, 0)

    @rule("y = same(x)", same)
    class declared:
        def kind(x): return elementwise(np.add, x, 0)
        @borrows("d_y")
        def d_x(d_y): return d_y
        def t_y(t_x): return t_x

    check_rule(same, X)


def test_a_result_that_is_a_view_and_does_not_say_so() -> None:
    def turned(a: Any) -> Any:
        return a.T

    @rule("y = turned(a)", turned)
    class undeclared:
        def kind(a): return Array(a.dtype, a.shape[::-1])
        @borrows("d_y")
        def d_a(d_y): return d_y.T
        def t_y(t_a): return t_a.T

    reject("the result", "shares memory with a", 'view = "..."', function=turned, args=(X,))


def test_writing_into_the_cotangent() -> None:
    def d_x(d_z, y):
        d_z *= y
        return d_z + 0

    declare(d_x=d_x)
    reject("d_x", "writes into the cotangent")


def test_writing_into_an_argument() -> None:
    def d_x(d_z, y):
        out = d_z * y
        y += 1
        return out

    declare(d_x=d_x)
    reject("d_x", "writes into the arguments")


def test_writing_into_the_result() -> None:
    def d_x(d_z, y, z):
        z += 1
        return d_z * y

    declare(d_x=d_x)
    reject("d_x", "writes into the result")


def test_a_function_that_writes_into_its_argument() -> None:
    def doubled(x: Any) -> Any:
        x *= 2
        return x + 0

    @rule("y = doubled(x)", doubled)
    class writes:
        def kind(x): return x
        def d_x(d_y): return 2 * d_y
        def t_y(t_x): return 2 * t_x

    reject("the function itself", "writes into the arguments", function=doubled, args=(X,))


@pytest.mark.parametrize(
    "kind",
    [
        lambda x, y: Array(np.dtype(np.float32), x.shape),
        lambda x, y: Array(x.dtype, x.shape[:1]),
        lambda x, y: Array(x.dtype, x.shape[::-1]),
        lambda x, y: array_or_number(x.dtype, ()),
        lambda x, y: np.float64,
    ],
    ids=["dtype", "rank", "lengths", "number", "no kind"],
)
def test_a_wrong_kind(kind: Callable[..., Any]) -> None:
    declare(kind=kind)
    reject("kind")


def test_a_kind_that_is_right_for_equal_shapes_only() -> None:
    declare(kind=lambda x, y: array_or_number(promote(kind_of(x), kind_of(y)), kind_of(x).shape))
    reject("kind", "[broadcast]", skip="numbers")


def test_no_kind() -> None:
    @rule("z = product(x, y)", product)
    class product_rule:
        def d_x(d_z, y): return d_z * y
        def d_y(d_z, x): return d_z * x
        def t_z(x, y, t_x, t_y): return t_x * y + x * t_y

    reject("only ufuncs, operators and math functions go without a kind")


def test_single_precision_computed_in_double() -> None:
    declare(d_x=lambda d_z, y: d_z * y * np.float64(1))
    reject("d_x", "float64", "float32")


def test_a_conjugate_too_many() -> None:
    declare(d_x=lambda d_z, y: d_z * np.conjugate(y))
    reject("d_x", "complex")
    check_rule(product, X, Y, complex=False)


def test_a_slope_frozen_at_the_point_of_the_check() -> None:
    """Other forms are other points."""

    def cubed(x: Any) -> Any:
        return x * x * x

    slope = 3 * X * X

    @rule("y = cubed(x)", cubed)
    class frozen:
        def kind(x): return elementwise(np.multiply, x, x)
        def d_x(d_y): return d_y * slope
        def t_y(t_x): return t_x * slope

    reject("d_x", function=cubed, args=(X,))


def test_a_wrong_rule_of_a_primitive_that_a_pullback_calls() -> None:
    @primitive
    def twice(x: Any) -> Any:
        return 2 * x

    @rule("y = twice(x)", twice)
    class wrong:
        def kind(x): return kind_of(x)
        def d_x(d_y): return 3 * d_y
        def t_y(t_x): return 2 * t_x

    def squared(x: Any) -> Any:
        return np.multiply(x, x)

    @rule("y = squared(x)", squared)
    class right:
        def kind(x): return elementwise(np.multiply, x, x)
        def d_x(d_y, x): return d_y * twice(x)
        def t_y(t_x, x): return t_x * twice(x)

    reject("the second derivative, of d_x", function=squared, args=(X,))


def test_a_wrong_rule_of_a_primitive_that_forward_mode_calls() -> None:
    @primitive
    def twice(x: Any) -> Any:
        return 2 * x

    @rule("y = twice(x)", twice)
    class wrong:
        def kind(x): return kind_of(x)
        def d_x(d_y): return 3 * d_y
        def t_y(t_x): return 2 * t_x

    def squared(x: Any) -> Any:
        return np.multiply(x, x)

    @rule("y = squared(x)", squared)
    class right:
        def kind(x): return elementwise(np.multiply, x, x)
        def d_x(d_y, x): return d_y * 2 * x
        def t_y(t_x, x): return t_x * twice(x)

    reject("the second derivative, of t_y", function=squared, args=(X,))
    check_rule(squared, X, upto=1)


def test_a_forward_mode_that_cannot_be_traced() -> None:
    declare(t_z=lambda x, y, t_x, t_y: t_x * y + x * t_y if np.sum(x) < 1e9 else t_x)
    reject("the second derivative, of t_z", "branches on a value", skip="numbers")


def test_values_of_what_is_asked_for_as_like() -> None:
    def d_x(d_z, y, x: Like): return d_z * y + 0 * x
    declare(d_x=d_x)
    reject("d_x", "asked for as Like")


def test_a_kind_that_fails_in_a_form_that_the_function_takes() -> None:
    declare(kind=lambda x, y: Array(promote(x, y), x.shape if x.dtype == np.float64 else x.missing))
    reject("kind", "raises AttributeError", upto=1, skip="broadcast numbers scalars zero-dim")


def test_a_kind_that_is_right_for_equal_dtypes_only() -> None:
    declare(kind=lambda x, y: array_or_number(kind_of(x).dtype, elementwise(np.multiply, x, y).shape))
    reject("kind", "f32", "[mixed]", skip="numbers")


def test_half_precision_computed_in_double() -> None:
    declare(d_x=lambda d_z, y: d_z * (y.astype(np.float64) if y.dtype == np.float16 else y))
    reject("d_x", "float64", "[float16]", skip="numbers", upto=1)


@pytest.mark.parametrize(
    "body, why",
    [
        (lambda d_z, y: d_z * y if np.sum(y) > -1e9 else d_z, "branches on a value"),
        (lambda d_z, y: d_z * y + 0 * sum(1 for _ in d_z), "loops over elements"),
        (lambda d_z, y: d_z * y + 0 * sliding_window_view(y, 1, 0)[..., 0], "sliding_window_view, which has no rule"),
    ],
    ids=["branch", "loop", "no rule"],
)
def test_a_pullback_that_cannot_be_traced(body: Callable[..., Any], why: str) -> None:
    declare(d_x=body)
    reject("the second derivative", why, args=(X, Y), skip="numbers")


def test_a_pullback_that_raises() -> None:
    declare(d_x=lambda d_z, y: d_z.T * y)
    reject("d_x", "raises ValueError")


def test_a_pullback_that_raises_for_numbers_only() -> None:
    declare(d_x=lambda d_z, y: d_z * y.copy())
    reject("d_x", "[numbers]", upto=1)


def test_a_strided_argument_read_as_if_contiguous() -> None:
    declare(d_x=lambda d_z, y: d_z * np.frombuffer(y.copy(order="K").data, y.dtype).reshape(y.shape)
            if isinstance(y, np.ndarray) and y.size else d_z * y)  # fmt: skip
    reject("layout", upto=1, skip="broadcast")


def test_a_uniform_cotangent_that_is_taken_for_an_array() -> None:
    del _rules[np.spacing]

    @rule("y = spacing(x)", np.spacing)
    class shaped:
        def d_x(d_y, x): return np.zeros(d_y.shape, x.dtype)
        def t_y(t_x): return 0 * t_x

    reject("of one number for all", function=np.spacing, args=(np.full(3, 1.5),), upto=1)


def test_called_non_differentiable_though_it_moves() -> None:
    nondifferentiable("z = product(x, y)", product, kind=lambda x, y: like_product(x, y))
    reject("the result changes with x")


def test_nothing_to_differentiate_by() -> None:
    declare()
    with pytest.raises(ValueError, match="nothing to differentiate"):
        check_rule(product, 1, 2)


def test_project_is_applied_as_a_compiler_does() -> None:
    """A textbook formula passes although it broadcasts: the sum is not the rule's business."""

    def outer(x: Any, y: Any) -> Any:
        return np.multiply(np.expand_dims(x, 1), y)

    @rule("z = outer(x, y)", outer)
    class textbook:
        def kind(x, y): return Array(promote(x, y), x.shape + y.shape)
        def d_x(d_z, y): return np.sum(d_z * y, axis=1)
        def d_y(d_z, x): return d_z * np.expand_dims(x, 1)
        def t_z(x, y, t_x, t_y): return np.expand_dims(t_x, 1) * y + np.expand_dims(x, 1) * t_y

    check_rule(outer, X[:, 0], Y[0], skip="broadcast")


# ------------------------------------------------------------------------------------------ rules with a state
class Kept:
    """A state: a factor, in an array of its own."""

    def __init__(self, factor: Any) -> None:
        self.factor = np.array(factor)


def declare_kept(**members: Any) -> None:
    """The rule of `product` with a state, right but for `members`."""

    @borrows()
    def forward(state, x, y):
        if state is None or state.factor.shape != y.shape or state.factor.dtype != y.dtype:
            return x * y, Kept(y)
        state.factor[...] = y
        return x * y, state

    def with_state_d_x(d_z, state): return d_z * state.factor
    declare(**{"forward": forward, "with_state_d_x": with_state_d_x} | members)


def reject_kept(*words: str, reuse: bool = True) -> None:
    reject(*words, skip="numbers scalars zero-dim broadcast" + ("" if reuse else " reuse"))


def test_a_right_rule_with_a_state_passes() -> None:
    declare_kept()
    check_rule(product, X, Y, skip="numbers scalars zero-dim broadcast")


def test_forward_gives_another_value() -> None:
    declare_kept(forward=lambda state, x, y: (x * y + 1e-3, Kept(y)))
    reject_kept("forward", "the function itself")


def test_forward_gives_another_dtype() -> None:
    declare_kept(forward=lambda state, x, y: ((x * y).astype(complex), Kept(y)))
    reject_kept("forward", "complex128[3, 4]", "float64[3, 4]")


def test_forward_gives_no_pair() -> None:
    declare_kept(forward=lambda state, x, y: x * y)
    reject_kept("does not return (result, state)")


def test_a_pullback_with_a_state_gives_another_value() -> None:
    declare_kept(with_state_d_x=lambda d_z, state: d_z * state.factor * 1.001)
    reject_kept("with_state_d_x", "d_x")


def test_a_pullback_with_a_state_gives_another_shape() -> None:
    declare_kept(with_state_d_x=lambda d_z, state: (d_z * state.factor)[:1])
    reject_kept("with_state_d_x", "[1, 4]")


def test_a_state_is_taken_for_that_of_the_same_arguments() -> None:
    declare_kept(forward=lambda state, x, y: (x * y, state or Kept(y)))
    reject_kept("with_state_d_x", "with the state of an earlier call")


@pytest.mark.parametrize("same", [lambda a, b: a is b, np.array_equal], ids=["the same", "equal"])
def test_a_state_is_taken_for_that_of_the_arguments_that_it_holds(same: Any) -> None:
    def forward(state, x, y):
        if state is None or not same(state.y, y):
            state = Kept(y)
            state.y = y
        return x * y, state

    declare_kept(forward=forward)
    reject_kept("with_state_d_x", "with the arrays of an earlier call", reuse=False)


def test_a_state_of_another_shape_is_not_replaced() -> None:
    def forward(state, x, y):
        state = state or Kept(y)
        state.factor[...] = y
        return x * y, state

    declare_kept(forward=forward)
    reject_kept("forward", "ValueError", "state of")


def test_one_state_for_all_calls() -> None:
    shared = Kept(Y)

    def forward(state, x, y):
        shared.factor = y.copy()
        return x * y, shared

    declare_kept(forward=forward)
    reject_kept("with_state_d_x", "after another call")


def test_a_pullback_uses_up_its_state() -> None:
    def with_state_d_x(d_z, state):
        state.factor *= d_z
        return state.factor.copy()

    declare_kept(with_state_d_x=with_state_d_x)
    reject_kept("writes into state, which may be read again")


def test_a_result_in_the_memory_of_the_state() -> None:
    def forward(state, x, y):
        z = x * y
        state = Kept(y)
        state.z = z.ravel()
        return z, state

    declare_kept(forward=forward)
    reject_kept("the result of forward", "shares memory with the state")


def test_a_gradient_in_the_memory_of_the_state() -> None:
    def floor(x: Any) -> Any:
        return np.floor(x)

    def d_x(d_y): return np.zeros_like(d_y)
    def t_y(t_x): return np.zeros_like(t_x)
    def forward(state, x): return np.floor(x), np.zeros_like(x)
    def with_state_d_x(d_y, state): return state

    for mark, words in ((lambda f: f, ["shares memory with state", "@borrows"]), (borrows("state"), [])):
        members = {"kind": lambda x: x, "d_x": d_x, "t_y": t_y, "forward": forward}
        members["with_state_d_x"] = mark(with_state_d_x)
        rule("y = floor(x)", floor)(type("floor", (), members))
        options = {"function": floor, "args": (X,), "skip": "numbers scalars reuse", "complex": False}
        if words:
            reject(*words, **options)
            _rules.pop(floor)
        else:
            check_rule(floor, X, skip="numbers scalars zero-dim reuse", complex=False)


def test_a_state_with_memory_of_an_argument_that_it_denies() -> None:
    def forward(state, x, y):
        state = Kept(y)
        state.hidden = {"deep": [(y[1:],)]}
        return x * y, state

    declare_kept(forward=borrows("x")(forward))
    reject_kept("the state", "shares memory with y", "@borrows")


def test_a_state_that_writes_into_the_arguments_of_an_earlier_call() -> None:
    def forward(state, x, y):
        if state is not None and state.factor.shape == y.shape and state.factor.dtype == y.dtype:
            state.factor[...] = y
            return x * y, state
        state = Kept(0.0)
        state.factor = y
        return x * y, state

    declare_kept(forward=forward)
    reject_kept("writes into", "an earlier call")


def test_a_later_call_that_writes_into_an_earlier_result() -> None:
    results = []

    def forward(state, x, y):
        results.append(x * y)
        for z in results[:-1]:
            z[...] = 0
        return results[-1], Kept(y)

    declare_kept(forward=forward)
    reject_kept("what an earlier call has returned", reuse=False)


def test_scratch_that_is_read_before_it_is_written() -> None:
    def with_state_d_x(d_z, state, t: Scratch("z")): return d_z * state.factor + 0 * t
    declare_kept(with_state_d_x=with_state_d_x)
    reject_kept("with_state_d_x", "nan")


def test_a_state_that_is_made_anew_in_each_call() -> None:
    declare_kept(forward=borrows()(lambda state, x, y: (x * y, Kept(y))))
    reject_kept("the state", "has a new array, float64[3, 4]")
    check_rule(product, X, Y, skip="numbers scalars zero-dim broadcast reuse")


def test_a_state_in_scratch_memory() -> None:
    def forward(state, x, y, t: Scratch("y")):
        t[...] = y
        state = Kept(0.0)
        state.factor = t
        return x * y, state

    declare_kept(forward=borrows()(forward))
    reject_kept("the state", "shares memory with t")
