"""How a rule is written: each misuse is a RuleError that says what to write, and names decide everything."""

from typing import Any

import numpy as np
import pytest
from scipy import special

from rules.rule import (
    Like,
    RuleError,
    Scratch,
    borrows,
    elementwise,
    find,
    find_method,
    nondifferentiable,
    partials,
    primitive,
    registry,
    rule,
    unsupported,
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("own_rules")


def f(x: Any, y: Any = None) -> Any:
    return x


def g(x: Any) -> Any:
    return x


def refuse(
    *words: str, signature: str = "z = f(x, y)", functions: tuple[Any, ...] = (f,), **members: Any
) -> None:
    """A class with these members is refused, in a message that holds each of the words."""
    with pytest.raises(RuleError) as error:
        rule(signature, *functions)(type("f_rule", (), members))
    for word in words:
        assert word in str(error.value)
    assert find(f) is None


def d_x(d_z): return d_z
def d_y(d_z): return d_z


@pytest.mark.parametrize(
    "signature",
    ["f(x, y)", "z = f", "z = f(x + 1)", "z = f(x", "z, w = f(x)", "z = f(x, **rest)", "z = np.f(x)",
     "z = f(x); f(y)", ""],
)
def test_a_signature_that_is_none(signature: str) -> None:
    refuse("is not of the form", '"result = name(argument, option=default)"', signature=signature, d_x=d_x)


def test_a_default_that_is_no_literal() -> None:
    refuse("the default of y is not a literal", signature="z = f(x, y=np.inf)", d_x=d_x)


@pytest.mark.parametrize("signature", ["z = f(x, x)", "x = f(x, y)"])
def test_a_name_that_occurs_twice(signature: str) -> None:
    refuse("a name occurs twice", signature=signature, d_x=d_x)


def test_no_function() -> None:
    refuse("name the function that it serves", functions=(), d_x=d_x)


def test_a_function_that_cannot_be_called() -> None:
    refuse("3, which is not callable", functions=(3,), d_x=d_x)


def test_a_function_that_has_a_rule() -> None:
    refuse("has a rule already", "rules.numpy.arithmetic", functions=(np.add,), d_x=d_x)


@pytest.mark.parametrize("name", ["sum", "array.sum"])
def test_a_method_of_something_else(name: str) -> None:
    refuse("a method is named 'ndarray.NAME'", name, functions=(name,), d_x=d_x)


def test_a_method_that_has_a_rule() -> None:
    refuse("ndarray.sum has a rule already", functions=("ndarray.sum",), d_x=d_x)


def test_a_pullback_of_no_argument() -> None:
    refuse("rule f has d_w, but no argument w; it has x, y", d_w=lambda d_z: d_z)


def test_a_pullback_that_asks_for_what_there_is_not() -> None:
    refuse("rule f.d_x asks for 'w'", "d_z", "x, y, z", d_x=lambda d_z, w: d_z)


def test_a_pullback_that_does_not_take_the_cotangent() -> None:
    refuse("d_x does not take d_z", "linear", d_x=lambda y: y)


@pytest.mark.parametrize("body", [lambda *args: args, lambda d_z, **names: d_z])
def test_a_pullback_of_any_number_of_arguments(body: Any) -> None:
    refuse("name each argument", d_x=body)


def test_an_annotation_other_than_like() -> None:
    def d_x(d_z, y: float): return d_z

    refuse("the annotation of y can only be Like", d_x=d_x)


def test_two_pullbacks_that_need_each_other() -> None:
    refuse("d_x needs, through its siblings, d_x itself", d_x=lambda d_y: d_y, d_y=lambda d_x: d_x)


def test_functions_that_are_called() -> None:
    refuse("has calls_g, but no argument g", d_x=d_x, calls_g=lambda x: (x,))
    pushed = lambda t_x: t_x
    refuse("t_z lacks t_y, the tangent of what y closes over", d_y=d_y, calls_y=lambda x: (x,), t_z=pushed)


def test_a_loan_of_what_is_not_taken() -> None:
    refuse("d_x borrows y, which it does not take", d_x=borrows("y")(lambda d_z: d_z))


def test_forward_mode_of_another_result() -> None:
    refuse("t_y is none of d_<argument>, t_z, kind, static, view", d_x=d_x, t_y=lambda t_x: t_x)


def test_forward_mode_that_asks_for_a_cotangent() -> None:
    refuse("rule f.t_z asks for 'd_z'", t_z=lambda d_z: d_z)


def test_a_kind_that_asks_for_the_result() -> None:
    refuse("kind asks for 'z'", d_x=d_x, kind=lambda z: z)


@pytest.mark.parametrize("option", ["static", "view"])
def test_an_option_that_names_no_argument(option: str) -> None:
    refuse(f"{option} names w, not an argument", d_x=d_x, **{option: "x w"})


def test_a_member_that_is_no_function() -> None:
    refuse("scale is neither a function nor static, view, infinite_at_pole", d_x=d_x, scale=2.0)


def test_a_misspelt_member() -> None:
    refuse("pullback_x is none of d_<argument>", pullback_x=d_x)


def test_no_derivative() -> None:
    refuse("has no derivative; use nondifferentiable", kind=lambda x: x)


def test_a_derivative_and_a_reason_for_having_none() -> None:
    refuse("has a derivative, and why", d_x=d_x, why="it jumps")


def test_elementwise_of_two_arguments() -> None:
    with pytest.raises(RuleError, match="elementwise f has 2 arguments, not one"):
        elementwise("z = f(x, y)", f, derivative=lambda x: x)


def test_partials_of_what_is_no_argument() -> None:
    with pytest.raises(RuleError, match="partials f: w is no argument"):
        partials("z = f(x, y)", f, by={"w": lambda d, x, y, z: d})
    with pytest.raises(RuleError, match="partials f: x is no argument, or has both a derivative and a reason"):
        partials("z = f(x, y)", f, by={"x": lambda d, x, y, z: d}, reasons={"x": "it jumps"})


def test_elementwise_that_asks_for_what_there_is_not() -> None:
    with pytest.raises(RuleError, match="derivative asks for 'w'; it can have x, y"):
        elementwise("y = g(x)", g, derivative=lambda w: w)


def test_a_kind_of_nondifferentiable_that_asks_for_what_there_is_not() -> None:
    with pytest.raises(RuleError, match="kind asks for 'w'"):
        nondifferentiable("y = g(x)", g, kind=lambda w: w)


def test_a_rule_is_found_by_the_function_and_by_nothing_else() -> None:
    rule("z = f(x, y)", f, "ndarray.f")(type("f_rule", (), {"d_x": d_x, "d_y": d_y}))
    found = find(f)
    assert found is not None and found is find_method("ndarray.f")
    assert find(g) is None and find([]) is None and find_method("ndarray.g") is None


def test_names_say_what_a_pullback_wants() -> None:
    def d_x(d_z, y: Like, z): return d_z

    rule("z = f(x, y)", f)(type("f_rule", (), {"d_x": d_x, "static": "y", "view": "x"}))
    found = find(f)
    assert found is not None
    assert found.pullbacks["x"].wants == ("d_z", "y", "z")
    assert found.pullbacks["x"].like == {"y"}
    assert "y" in found.static and "axis" in found.static and found.view == {"x"}


def bound(signature: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    nondifferentiable(signature, g, kind=lambda: None)
    found = find(g)
    assert found is not None
    return found.bind(args, kwargs)


def test_a_call_binds_by_the_rules_signature() -> None:
    whole = bound("y = g(a, axis=None, keepdims=False)", 1, keepdims=True)
    assert whole == {"a": 1, "axis": None, "keepdims": True}


def test_a_star_takes_the_rest() -> None:
    assert bound("y = g(a, *shape)", 1, 2, 3) == {"a": 1, "shape": (2, 3)}


@pytest.mark.parametrize(
    "args, kwargs, message",
    [
        ((), {}, "misses the argument 'a'"),
        ((1, 2, 3), {}, "takes 2 arguments, 3 were given"),
        ((1,), {"out": None}, "the keyword 'out' has no rule"),
        ((1,), {"a": 2}, "multiple values for argument 'a'"),
    ],
)
def test_a_call_that_the_signature_does_not_have(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        bound("y = g(a, axis=None)", *args, **kwargs)


def test_a_call_is_written_with_its_options_by_keyword_and_defaults_left_out() -> None:
    nondifferentiable("y = g(a, axis=None, keepdims=False)", g, kind=lambda: None)
    found = find(g)
    assert found is not None
    assert found.normal({"a": 1, "axis": 0, "keepdims": False}) == ((1,), {"axis": 0})
    assert found.normal({"a": 1, "axis": None, "keepdims": 0}) == ((1,), {"keepdims": 0})  # 0 is not False


def test_a_refused_function_may_be_given_a_rule() -> None:
    unsupported(f, why="its rule is not written yet")
    rule("z = f(x, y)", f)(type("f", (), {"d_x": lambda d_z: d_z}))
    assert not find(f).why and [r for r in registry() if f in r.functions] == [find(f)]
    d_x = {"d_x": lambda d_y, x: -d_y * special.struve(0, x) / x}
    rule("y = it2struve0(x)", special.it2struve0)(type("it2struve0", (), d_x))
    assert find(special.it2struve0).where == __name__
    with pytest.raises(RuleError, match="has a rule already, psi in rules.scipy.special.gamma_functions"):
        rule("y = psi(x)", special.psi)(type("psi", (), {"d_x": lambda d_y: d_y}))


def test_a_reason_for_one_argument() -> None:
    rule("z = f(x, y)", f)(type("f", (), {"d_x": lambda d_z: d_z, "why_y": "it jumps"}))
    assert find(f).reasons == {"y": "it jumps"}


@pytest.mark.parametrize("name", ["why_w", "why_x"])
def test_a_reason_for_what_is_no_argument_or_has_a_pullback(name: str) -> None:
    refuse(f"{name}, which is no argument without a pullback", d_x=d_x, **{name: "it jumps"})


def test_a_refusal_keeps_its_reason() -> None:
    unsupported(f, "ndarray.f", why="there is no derivative of it")
    assert find(f).why == find_method("ndarray.f").why == "there is no derivative of it"


def test_a_primitive_is_one_call_for_who_traces_and_plain_for_others() -> None:
    class Tracing:
        def __trace_call__(self, function: Any, args: Any, kwargs: Any) -> Any:
            return function, args, kwargs

    @primitive
    def twice(x: Any, times: int = 2) -> Any:
        return x * times

    t = Tracing()
    assert twice(3) == 6 == twice.__wrapped__(3)
    assert twice(t, times=3) == (twice, (t,), {"times": 3})
    assert twice([1, (t,)]) == (twice, ([1, (t,)],), {})


# ------------------------------------------------------------------------------------------- state and scratch
def forward(state, x): return x, state
def with_state_d_x(d_z, state): return d_z


def test_a_state_that_nobody_takes_or_gives() -> None:
    refuse("no with_state_d_<argument>", d_x=d_x, forward=forward)
    refuse("no forward, which gives the state", d_x=d_x, with_state_d_x=with_state_d_x)
    refuse("forward does not take the state", d_x=d_x, forward=lambda x: (x, 0), with_state_d_x=with_state_d_x)
    refuse("with_state_d_x does not take the state", d_x=d_x, forward=forward, with_state_d_x=d_x)


def test_a_pullback_with_a_state_and_no_pure_one() -> None:
    refuse("with_state_d_y without the pure d_y", d_x=d_x, forward=forward, with_state_d_y=with_state_d_x)


def test_a_state_beside_an_argument_of_this_name() -> None:
    refuse("no argument can be called state", signature="z = f(x, state)", d_x=d_x, forward=forward,
           with_state_d_x=with_state_d_x)  # fmt: skip


def test_a_form_with_a_state_that_asks_for_what_there_is_not() -> None:
    with_w = lambda d_z, state, w: d_z
    refuse("asks for 'w'", d_x=d_x, forward=forward, with_state_d_x=with_w)
    refuse("asks for 'z'", d_x=d_x, forward=lambda state, z: (z, state), with_state_d_x=with_state_d_x)
    refuse("forward borrows y", d_x=d_x, forward=borrows("y")(lambda state, x: (x, state)),
           with_state_d_x=with_state_d_x)  # fmt: skip


def test_pullbacks_with_a_state_that_need_each_other() -> None:
    refuse("needs, through its siblings", d_x=d_x, d_y=d_y, forward=forward,
           with_state_d_x=lambda d_y, state: d_y, with_state_d_y=lambda d_x, state: d_x)  # fmt: skip


def test_scratch_like_what_there_is_not() -> None:
    def d_x(d_z, t: Scratch("w")): return d_z
    def d_y(d_z, y: Scratch("x")): return d_z
    def t_z(t_x, t: Scratch("x")): return t_x
    def forward(state, x, t: Scratch("z")): return x, state
    refuse("scratch like 'w'; it can be like x, y, z", d_x=d_x)
    refuse("y is scratch, and the name of something else", d_y=d_y)
    refuse("scratch like 'x'; it is for forward and pullbacks", t_z=t_z)
    refuse("scratch like 'z'; it can be like x, y", d_x=globals()["d_x"], forward=forward,
           with_state_d_x=with_state_d_x)  # fmt: skip


@pytest.mark.parametrize("annotation", [Scratch["z"], Scratch("z"), "Scratch['z']", 'rules.Scratch["z"]'])
def test_scratch_is_asked_for_by_annotation(annotation: Any) -> None:
    def d_x(d_z, t): return d_z
    d_x.__annotations__["t"] = annotation
    rule("z = f(x, y)", f)(type("f_rule", (), {"d_x": d_x}))
    found = find(f)
    assert found is not None and dict(found.pullbacks["x"].scratch) == {"t": "z"}


def test_a_kind_is_asked_of_numbers_that_are_written():
    """`promote` takes them as they are, weak as NumPy does."""
    from adcompiler import grad, jvp
    from rules.kind import Array, Num, array_or_number, promote, reduced
    from rules.rule import rule

    def misfit(r, w):
        return np.sum(w * r * r, axis=-1)

    @rule("y = misfit(r, w)", misfit)
    class misfit_rule:
        def kind(r, w): return array_or_number(promote(r, w), reduced(r.shape, -1))
        def d_r(d_y, r, w): return np.expand_dims(d_y, -1) * (2 * w * r)
        def d_w(d_y, r): return np.expand_dims(d_y, -1) * (r * r)
        def t_y(r, w, t_r, t_w): return np.sum(2 * w * r * t_r + r * r * t_w, axis=-1)

    x = np.array([0.3, 0.5, -0.2])
    for w in (2.0, 2):
        assert np.allclose(grad(lambda x, w=w: misfit(x, w))(x), 4 * x)
    assert np.allclose(grad(lambda x: misfit(x, 2.0))(x), 4 * x)
    assert np.isclose(jvp(lambda x: misfit(x, 2), (x,), (x,))[1], 4 * x @ x)
    assert promote(Num(np.float32), 2.0) == np.float32 and promote(Array(np.dtype(np.float32), ()), 1j) == np.complex64
