"""What `adcompiler` promises to its callers: forms of functions, of arguments, of gradients; what stays live."""

import functools
import inspect
import linecache
import math
import operator
import sys
import threading
import traceback
import types

import numpy as np
import pytest

from adcompiler import check_grad, differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.compile import STAGES, build
from adcompiler.errors import DifferentiationError, GradientError, UnsupportedError
from adcompiler.request import Request, from_call
from rules import rule, workspace
from rules.kind import Lengths
from rules.workspace import Workspace

from . import elsewhere
from .numerics import assert_close, assert_form, assert_same, check, differences

RNG = np.random.default_rng(0)
U, V = RNG.normal(size=(2, 3))
W = RNG.normal(size=(3, 3))


def quadratic(x, w=2.0):
    """Half a parabola, doubled."""
    return np.sum(w * x * x)


def mixed(p, x):
    return np.sum(np.tanh(p["W"] @ x + p["b"])) * p["scale"]


# ----------------------------------------------------------------------------------------- differentiable
@differentiable
def bare(x):
    return np.sum(np.sin(x))


@differentiable(argnums=("x", "w"))
def optioned(x, w):
    return np.sum(x * w)


def test_a_differentiable_function_is_itself_when_called():
    assert bare(U) == np.sum(np.sin(U)) and bare(x=U) == bare(U)


def test_a_bare_decorator_differentiates_the_first_argument():
    assert_close(bare.grad(U), np.cos(U))


def test_a_decorator_takes_argnums():
    assert_close(optioned.grad(U, V), (V, U))


def test_a_decorator_takes_inline():
    plain = differentiable(inline=False)(bare.__wrapped__)
    assert_close(plain.grad(U), np.cos(U))
    assert "rules." in plain.source(example=(U,)) or "d_x(" in plain.source(example=(U,))


def test_value_and_grad_gives_both():
    value, gradient = bare.value_and_grad(U)
    assert value == bare(U)
    assert_close(gradient, np.cos(U))


def test_wrapped_is_the_function():
    def f(x):
        return x

    assert differentiable(f).__wrapped__ is f
    assert grad(f).__wrapped__ is f
    assert value_and_grad(f).__wrapped__ is f


@pytest.mark.parametrize("made", [differentiable(quadratic), grad(quadratic), value_and_grad(quadratic)])
def test_name_docstring_module_and_signature_survive(made):
    assert (made.__name__, made.__qualname__, made.__module__) == ("quadratic", "quadratic", __name__)
    assert made.__doc__ == "Half a parabola, doubled."
    assert inspect.signature(made) == inspect.signature(quadratic)


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    @differentiable
    def energy(self, x):
        return self.stiffness * np.sum(x * x) / 2

    @differentiable(argnums="y")
    def coupled(self, x, y):
        return self.stiffness * np.sum(x * y)


def test_a_decorated_method_is_bound():
    spring = Spring(3.0)
    assert spring.energy(U) == 3.0 * np.sum(U * U) / 2
    assert_close(spring.energy.grad(U), 3.0 * U)


def test_a_decorated_method_counts_arguments_without_self():
    assert_close(Spring(3.0).coupled.grad(U, V), 3.0 * U)


def test_instances_of_a_decorated_method_do_not_mix():
    soft, hard = Spring(1.0), Spring(10.0)
    assert_close((soft.energy.grad(U), hard.energy.grad(U), soft.energy.grad(U)), (U, 10.0 * U, U))


def test_on_the_class_a_decorated_method_is_the_object():
    assert Spring.energy.__wrapped__.__name__ == "energy"


# --------------------------------------------------------------------------------------------- source and ir
def test_the_source_for_a_signature_an_example_and_the_last_call_agree():
    f = differentiable(bare.__wrapped__)
    by_signature = f.source("grad", signature="f64[n]")
    f.grad(U)
    assert by_signature == f.source("grad", example=(U,)) == f.source()


def test_the_source_is_python_that_computes_the_gradient():
    scope = {"np": np}
    exec(bare.source(example=(U,)), scope)
    assert_close(scope["bare_grad"](U), np.cos(U))


def test_the_source_of_value_and_grad_returns_both():
    scope = {"np": np}
    exec(bare.source("value_and_grad", signature="f64[n]"), scope)
    assert_close(scope["bare_grad"](U), (bare(U), np.cos(U)))


def test_the_source_is_the_same_each_time():
    signature = "{'W': f64[n,m], 'b': f64[n], 'scale': f64}, f64[m]"
    assert len({differentiable(mixed).source(signature=signature) for _ in range(3)}) == 1


def test_the_source_takes_other_argnums():
    assert "with respect to w." in optioned.source(argnums="w", example=(U, V))
    assert "with respect to x, w." in optioned.source(example=(U, V))


@differentiable
def settled(w, X):
    return np.sum(np.tanh(X @ w))


def test_the_source_has_a_form_with_workspaces():
    plain, reusing = (settled.source(signature="f64[m], f64[n,m]", workspaces=w) for w in (False, True))
    assert plain == settled.source(signature="f64[m], f64[n,m]")
    assert "settled_grad(w, X):" in plain and "np.tanh(X @ w)" in plain
    assert "settled_grad(w, X, *, ws):" in reusing and "np.dot(X, w, ws." in reusing


def test_the_ir_has_a_form_with_workspaces():
    @differentiable
    def repeated(h, W, n):
        for _ in range(n):
            h = np.tanh(W @ h)
        return np.sum(h)

    def shown(stage, **how):
        return repeated.ir(stage, signature="f64[n], f64[n,n], int", **how)

    assert "give_back" in shown("bufferize", workspaces=True) and "give_back" not in shown("bufferize")
    assert shown("capture", workspaces=True) == shown("capture")


def test_forward_mode_and_pullbacks_have_a_form_with_workspaces():
    for mode, definition in ("jvp", "settled_jvp(w, X, *, t_w, ws):"), ("vjp", "settled_vjp(w, X, *, ws):"):
        plain, reusing = (settled.source(mode, example=(U, W), workspaces=w) for w in (False, True))
        assert "ws" not in plain and "np.tanh(X @ w)" in plain
        assert definition in reusing and "np.dot(X, w, ws." in reusing
    assert "def pullback(d_value, *, ws):" in reusing


def test_the_form_with_workspaces_computes_the_same_in_every_call():
    scope = {"np": np}
    exec(settled.source(example=(U, W), workspaces=True), scope)
    ws, wanted = Workspace(), grad(settled, reuse_buffers=False)
    for w in (U, V, U):
        assert_same(scope["settled_grad"](w, W, ws=ws), wanted(w, W))
    assert vars(ws)


def kept(f, monkeypatch):
    """How many workspaces each call of a gradient makes: three calls of one shape, one of another."""
    made = []
    monkeypatch.setattr(workspace, "Workspace", lambda: made.append(Workspace()) or made[-1])
    counts = []
    for w, X in ((U, W), (V, W), (U, W), (U, W[:2])):
        before = len(made)
        f(w, X)
        counts.append(len(made) - before)
    return counts


def test_a_decorator_takes_the_options_of_workspaces(monkeypatch):
    f = settled.__wrapped__
    assert kept(differentiable(f).grad, monkeypatch) == [1, 0, 0, 1]
    assert kept(differentiable(f).value_and_grad, monkeypatch) == [1, 0, 0, 1]
    assert kept(differentiable(f, reuse_buffers=False).grad, monkeypatch) == [0, 0, 0, 0]
    assert kept(differentiable(max_workspaces=0)(f).value_and_grad, monkeypatch) == [0, 0, 0, 0]


def test_a_decorator_keeps_arrays_for_as_many_shapes_as_it_is_told(monkeypatch):
    f = differentiable(max_workspaces=1)(settled.__wrapped__)
    assert kept(f.grad, monkeypatch) == [1, 0, 0, 1]
    assert kept(f.grad, monkeypatch) == [1, 0, 0, 1]  # the second shape took the place of the first


def test_the_options_of_workspaces_reach_bound_methods(monkeypatch):
    class Model:
        @differentiable(argnums="w", reuse_buffers=False)
        def loss(self, w, X):
            return np.sum(np.tanh(X @ w))

    assert kept(Model().loss.grad, monkeypatch) == [0, 0, 0, 0]


def test_release_forgets_the_arrays_of_both_gradients(monkeypatch):
    f = differentiable(settled.__wrapped__)
    for call in (f.grad, f.value_and_grad):
        assert kept(call, monkeypatch)[0] == 1
        assert kept(call, monkeypatch)[0] == 0
    f.release()
    for call in (f.grad, f.value_and_grad):
        assert kept(call, monkeypatch)[0] == 1


@pytest.mark.parametrize("make", [grad, value_and_grad, differentiable])
def test_a_negative_number_of_workspaces_is_refused(make):
    with pytest.raises(ValueError, match="max_workspaces"):
        make(quadratic, max_workspaces=-1)


def test_the_source_of_annotated_functions_needs_no_signature():
    @differentiable
    def f(x: "f64[n]", a: float):  # noqa: F821
        return a * np.sum(x)

    assert f.source() == f.source(signature="f64[n], float")
    assert "np.full_like(x, a)" in f.source()


def test_unknown_kinds_are_asked_for():
    with pytest.raises(GradientError, match="signature="):
        differentiable(quadratic).source()


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_prints(stage):
    assert "sin" in bare.ir(stage, example=(U,)) or "cos" in bare.ir(stage, example=(U,))
    assert bare.ir(stage, example=(U,)).replace("n0", "n").split() == bare.ir(stage, signature="f64[n]").split()


def test_unknown_stages_and_modes_are_refused():
    with pytest.raises(ValueError, match="adjoint"):
        bare.ir("nonsense", example=(U,))
    with pytest.raises(ValueError, match="value_and_grad"):
        bare.source("nonsense", example=(U,))


# --------------------------------------------------------------------------------------------------- argnums
@pytest.mark.parametrize("argnums", [1, "w", -1, np.int64(1)])
def test_one_argnum_gives_one_gradient(argnums):
    assert_close(grad(quadratic, argnums)(U, 2.0), np.sum(U * U))
    value, gradient = value_and_grad(quadratic, argnums)(U, 2.0)
    assert_close((value, gradient), (quadratic(U), np.sum(U * U)))


@pytest.mark.parametrize("argnums", [(0, 1), [0, 1], ("x", "w"), (0, "w"), (-2, -1)])
def test_a_sequence_of_argnums_gives_a_tuple(argnums):
    assert_close(grad(quadratic, argnums)(U, 2.0), (4 * U, np.sum(U * U)))


def test_a_sequence_of_one_gives_a_tuple_of_one():
    assert_close(grad(quadratic, (0,))(U), (4 * U,))
    assert_close(grad(quadratic, ["w"])(U), (np.sum(U * U),))


def test_argnums_keep_their_order():
    assert_close(grad(quadratic, (1, 0))(U), (np.sum(U * U), 4 * U))


def test_arguments_may_be_passed_by_keyword():
    assert_close(grad(quadratic)(x=U, w=3.0), 6 * U)
    assert_close(grad(quadratic)(w=3.0, x=U), 6 * U)
    assert_close(grad(quadratic, "w")(U), np.sum(U * U))


@pytest.mark.parametrize("argnums", [2, -3, "q", 1.5, None, True, (), (0, 0), (0, "x")])
def test_argnums_that_name_no_argument_are_refused(argnums):
    with pytest.raises(DifferentiationError):
        grad(quadratic, argnums)(U)


@pytest.mark.parametrize("x", [3, True, np.int64(3), np.arange(3), np.array([True]), "x", None, [], {"n": 1}])
def test_arguments_without_floats_are_refused(x):
    with pytest.raises(GradientError, match="x"):
        grad(lambda_free)(x, 1.0)


def lambda_free(x, y):
    return y * 1.0


def test_a_result_that_is_no_number_is_refused():
    def f(x):
        return x * x

    with pytest.raises(GradientError, match="real number"):
        grad(f)(U)


@pytest.mark.parametrize("args, kwargs", [((), {}), ((U, 1.0, 2.0), {}), ((U,), {"x": U}), ((U,), {"z": 1})])
def test_calls_that_do_not_bind_raise_what_the_function_raises(args, kwargs):
    with pytest.raises(TypeError, match="quadratic"):
        quadratic(*args, **kwargs)
    with pytest.raises(TypeError, match="quadratic"):
        grad(quadratic)(*args, **kwargs)


# --------------------------------------------------------------------------------------------------- has_aux
def pair(x):
    return np.sum(x * x), {"norm": np.sqrt(np.sum(x * x)), "double": 2 * x}


def test_grad_with_aux_gives_gradient_and_aux():
    gradient, aux = grad(pair, has_aux=True)(U)
    assert_close(gradient, 2 * U)
    assert_close(aux, {"norm": np.linalg.norm(U), "double": 2 * U}, 1e-12)


def test_value_and_grad_with_aux_gives_value_aux_and_gradient():
    (value, aux), gradient = value_and_grad(pair, has_aux=True)(U)
    assert_close((value, gradient), (np.sum(U * U), 2 * U))
    assert_close(aux, {"norm": np.linalg.norm(U), "double": 2 * U}, 1e-12)


def test_aux_needs_a_pair():
    with pytest.raises(GradientError, match="pair"):
        grad(quadratic, has_aux=True)(U)
    with pytest.raises(GradientError, match="has_aux"):
        grad(pair)(U)


# -------------------------------------------------------------------------------- structure, shape, dtype, type
def by_dict(p):
    return np.sum(np.sin(p["W"] @ p["b"])) * p["scale"]


def by_nested_dict(p):
    return np.sum(p["layer"]["W"] * p["layer"]["b"]) + p["rate"] ** 2


def by_tuple(p):
    W, b = p
    return np.sum(np.exp(W @ b))


def by_nested_tuple(p):
    (a, b), c = p
    return a * np.sum(b) * c


def by_list(arrays):
    out = 0.0
    for a in arrays:
        out = out + np.sum(a * a * a)
    return out


def by_list_of_tuples(layers):
    h = np.ones(3)
    for W, b in layers:
        h = np.tanh(W @ h + b)
    return np.sum(h)


def by_mixture(p):
    y = np.sum(p["x"]) ** p["power"]
    return y * 2 if p["mode"] == "double" and p["nothing"] is None else y


STRUCTURES = [
    (by_dict, {"W": W, "b": U, "scale": 2.0}),
    (by_nested_dict, {"layer": {"W": W, "b": U}, "rate": 0.5}),
    (by_tuple, (W, U)),
    (by_nested_tuple, ((2.0, U), 3.0)),
    (by_list, [U, V]),
    (by_list, [U, RNG.normal(size=5), np.zeros(1)]),
    (by_list, [U, W, np.float64(2.0)]),
    (by_list_of_tuples, [(W, U), (W.T, V)]),
    (by_list_of_tuples, [(RNG.normal(size=(4, 3)), RNG.normal(size=4)), (RNG.normal(size=(2, 4)), V[:2])]),
    (by_mixture, {"x": U, "power": 3, "mode": "double", "nothing": None}),
]


@pytest.mark.parametrize("f, argument", STRUCTURES, ids=lambda x: getattr(x, "__name__", ""))
def test_gradients_have_the_structure_of_the_argument(f, argument):
    check(f, argument)


def test_gradients_of_lists_follow_their_length():
    g = grad(by_list)
    for n in (2, 1, 5):
        arrays = [RNG.normal(size=k + 1) for k in range(n)]
        assert_close(g(arrays), [3 * a * a for a in arrays])


def test_gradients_of_dicts_keep_the_order_of_keys():
    assert list(grad(by_dict)({"scale": 2.0, "b": U, "W": W})) == ["scale", "b", "W"]


def scalar(x):
    return np.sin(x) * x


def real(z):
    return np.sum(np.abs(z) ** 2 + np.real(z) * 3)


FORMS = [
    2.0, np.float64(2.0), np.float32(2.0), np.array(2.0), np.array(2.0, np.float32), U, U.astype(np.float32), W,
    W.T, W.astype(np.float32), np.zeros((0,)), np.zeros((3, 0)), np.ones((1, 3)), U[::2], W[:, 1], U[::-1],
]  # fmt: skip


def summed(x):
    return np.sum(np.sin(x) * x)


@pytest.mark.parametrize("x", FORMS, ids=lambda x: f"{type(x).__name__}-{np.asarray(x).dtype}-{np.shape(x)}")
def test_gradients_have_the_form_of_the_argument(x):
    gradient = grad(summed)(x)
    assert_form(gradient, x)
    assert_close(gradient, np.cos(x) * x + np.sin(x), 1e-5)


@pytest.mark.parametrize("x", [np.float64(2.0), np.float32(2.0)], ids=lambda x: type(x).__name__)
def test_gradients_of_sums_of_numbers_have_the_type_of_the_argument(x):
    assert_form(grad(np.sum)(x), x)
    assert_form(grad(by_list)((x, U)), (x, U))


def test_extended_precision():
    assert_form(grad(np.sin)(np.longdouble(2.0)), np.longdouble(2.0))


def test_half_precision_and_other_byte_orders():
    for dtype in (np.float16, ">f8", "<f4"):
        assert_form(grad(np.sum)(U.astype(dtype)), U.astype(dtype))


@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.float32(2.0)], ids=lambda x: type(x).__name__)
def test_values_have_the_type_that_the_function_gives(x):
    value, gradient = value_and_grad(scalar)(x)
    assert_same(value, scalar(x))
    assert_form(gradient, x)


@pytest.mark.parametrize(
    "z",
    [1 + 2j, np.complex128(1 + 2j), U + 1j * V, (U + 1j * V).astype(np.complex64)],
    ids=str,
)
def test_complex_gradients_follow_the_convention_of_jax(z):
    gradient = grad(real)(z)
    assert_form(gradient, z)
    assert_close(gradient, 2 * np.conj(z) + 3, 1e-5)


def test_a_real_argument_of_a_complex_computation_has_a_real_gradient():
    check(lambda_complex, U)


def lambda_complex(x):
    z = np.exp(1j * x) * (2 - 1j)
    return np.sum(np.real(z) ** 2 + np.imag(z))


def test_a_python_float_stays_python():
    def f(x, n):
        return math.sin(x) * x**n

    value, gradient = value_and_grad(f)(1.5, 2)
    assert type(value) is float and type(gradient) is float
    assert gradient == pytest.approx(math.cos(1.5) * 1.5**2 + math.sin(1.5) * 3)


def test_f32_data_beside_f64_parameters():
    def f(w, x):
        return np.sum(w * x)

    gradient = grad(f, (0, 1))(U, V.astype(np.float32))
    assert_form(gradient, (U, V.astype(np.float32)))
    assert_close(gradient, (V, U), 1e-6)


# ----------------------------------------------------------------------------------------------------- zeros
ZEROS = [2.0, np.float64(2.0), np.array(2.0), U, W.astype(np.float32), (U, 2.0), {"a": U, "n": 3}, [U, V], 1 + 2j]


@pytest.mark.parametrize("x", ZEROS, ids=lambda x: type(x).__name__)
def test_arguments_that_do_not_matter_get_zeros(x):
    gradient = grad(ignoring)(x, 1.0)
    assert_form(gradient, x)
    assert_close(gradient, differences(ignoring, (x, 1.0)), 0.0, 0.0)


def ignoring(x, y):
    return y * y


def test_parts_that_do_not_matter_get_zeros():
    def f(p):
        return np.sum(p["used"])

    assert_close(grad(f)({"used": U, "idle": W, "n": 3}), {"used": np.ones(3), "idle": np.zeros((3, 3)), "n": None})


def test_a_constant_has_a_gradient_of_zeros():
    def f(x):
        return 3.0

    assert_close(value_and_grad(f)(U), (3.0, np.zeros(3)))


def test_what_rounds_has_a_gradient_of_zeros():
    def f(x):
        return np.sum(np.floor(x)) + np.argmax(x)

    assert_close(grad(f)(U), np.zeros(3))


def test_aux_and_captured_arrays_are_left_alone():
    def f(x):
        y = np.exp(x)
        z = y * x * weights
        return np.sum(z * (z + y)) + np.sum(weights[1:] * x[:-1]), (y, z, x)

    weights = V.copy()
    (value, aux), gradient = value_and_grad(f, has_aux=True)(U)
    assert_close((value, aux), f(U), 1e-12)
    assert_close(gradient, differences(lambda x: f(x)[0], (U,)))
    gradient += 1.0
    assert_close(aux, f(U)[1], 1e-12)
    assert_same(weights, V)


def test_gradients_own_their_memory():
    def f(x, y):
        return np.sum(x) + np.sum(y)

    d_x, d_y = grad(f, (0, 1))(U, V)
    d_x += 1.0
    assert_close(d_y, np.ones(3))
    again = grad(f)(U, V)
    again *= 2.0
    assert_close(grad(f)(U, V), np.ones(3))


def test_gradients_do_not_alias_arguments():
    def f(x, y):
        return np.sum(x * y)

    x, y = U.copy(), V.copy()
    d_x, d_y = grad(f, (0, 1))(x, y)
    assert not any(np.may_share_memory(d, a) for d in (d_x, d_y) for a in (x, y))
    assert d_x.flags.writeable and grad(bare.__wrapped__)(U).flags.writeable


def test_gradients_with_respect_to_the_same_array_twice():
    def f(x, y):
        return np.sum(x * x * y)

    assert_close(grad(f, (0, 1))(U, U), (2 * U * U, U * U))


# -------------------------------------------------------------------------------------------------- higher order
def test_second_derivatives():
    assert grad(grad(np.sin))(0.7) == pytest.approx(-math.sin(0.7))
    assert grad(grad(scalar))(0.7) == pytest.approx(2 * math.cos(0.7) - 0.7 * math.sin(0.7))


def test_third_and_fourth_derivatives():
    def f(x):
        return x**5 + np.exp(2 * x)

    assert grad(grad(grad(f)))(0.7) == pytest.approx(60 * 0.7**2 + 8 * math.exp(1.4))
    assert grad(grad(grad(grad(f))))(0.7) == pytest.approx(120 * 0.7 + 16 * math.exp(1.4))


def test_a_hessian_vector_product():
    def f(x):
        return np.sum(np.sin(W @ x))

    def slope(x, v):
        return np.sum(grad(f)(x) * v)

    assert_close(grad(slope)(U, V), -W.T @ (np.sin(W @ U) * (W @ V)))


def test_second_derivatives_through_a_loop():
    def f(x):
        for _ in range(3):
            x = np.sin(x)
        return x

    g, h = grad(f), 1e-5
    assert grad(g)(0.7) == pytest.approx((g(0.7 + h) - g(0.7 - h)) / (2 * h), rel=1e-6)


def test_second_derivatives_through_a_branch():
    def f(x):
        if x > 0:
            return x**3
        return x**2

    assert (grad(grad(f))(2.0), grad(grad(f))(-2.0)) == (12.0, 2.0)


def test_a_function_that_calls_a_gradient_of_another():
    def newton(x):
        return x - f(x) / grad(f)(x)

    def f(x):
        return x**2 - 2.0

    assert newton(1.5) == pytest.approx(1.5 - 0.25 / 3.0)
    assert grad(newton)(1.5) == pytest.approx(1 - (1 - 0.25 * 2.0 / 9.0))


def test_a_function_that_calls_value_and_grad_of_another():
    def f(x):
        value, slope = value_and_grad(summed)(x)
        return value + np.sum(slope)

    check(f, U)


def test_a_gradient_made_outside_is_differentiated():
    g = grad(summed)

    def f(x):
        return np.sum(g(x) ** 2)

    check(f, U)


def test_a_differentiable_is_differentiated_and_called():
    def f(x):
        return bare(x) * 2.0 + np.sum(bare.grad(x))

    check(f, U)
    assert_close(grad(bare)(U), np.cos(U))


# -------------------------------------------------------------------------------------------- kinds of functions
@pytest.mark.parametrize(
    "f, slope",
    [
        (np.sin, math.cos),
        (np.tanh, lambda x: 1 - math.tanh(x) ** 2),
        (math.sin, math.cos),
        (math.exp, math.exp),
        (np.exp, math.exp),
        (abs, lambda x: 1.0),
        (operator.neg, lambda x: -1.0),
        (np.sum, lambda x: 1.0),
    ],
)
def test_functions_of_libraries(f, slope):
    gradient = grad(f)(0.7)
    assert type(gradient) is float and gradient == pytest.approx(slope(0.7))


def test_binary_functions_of_libraries():
    assert grad(operator.mul, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert grad(np.multiply, 1)(2.0, 3.0) == 2.0
    assert grad(pow)(3.0, 2) == 6.0
    assert_close(grad(np.dot, (0, 1))(U, V), (V, U))


def test_reductions_of_libraries():
    assert_close(grad(np.sum)(W), np.ones((3, 3)))
    assert_close(grad(np.mean)(W), np.full((3, 3), 1 / 9))
    assert_close(grad(np.linalg.norm)(U), U / np.linalg.norm(U))


def test_a_library_function_with_keywords():
    def f(x):
        return np.sum(np.sum(x, axis=0, keepdims=True) ** 2)

    check(f, W)


def test_a_lambda():
    assert grad(lambda x: x * x)(3.0) == 6.0


def test_a_lambda_of_two_arguments():
    assert value_and_grad(lambda x, y: x * y, 1)(3.0, 4.0) == (12.0, 3.0)
    assert "return" in differentiable(lambda x: x * x).source(signature="f64")


def test_two_lambdas_in_a_line():
    f, g = lambda x: x * x, lambda x: x * x * x
    assert (grad(f)(2.0), grad(g)(2.0)) == (4.0, 12.0)
    assert (grad(elsewhere.square)(2.0), grad(elsewhere.cube)(2.0)) == (4.0, 12.0)


def test_a_lambda_in_an_argument_list():
    assert sorted([1.0, 2.0], key=grad(lambda x: -x * x)) == [2.0, 1.0]


class Model:
    def __init__(self):
        self.W = W.copy()
        self.scale = 2.0
        self.name = "model"

    def loss(self, x, power=2):
        return self.scale * np.sum((self.W @ x) ** power)

    def __call__(self, x):
        return self.loss(x) + 1.0

    @staticmethod
    def half(x):
        return np.sum(x * x) / 2

    @classmethod
    def third(cls, x):
        return cls.half(x) * 2 / 3


def test_a_bound_method():
    model = Model()
    assert_close(grad(model.loss)(U), 4 * W.T @ (W @ U))
    assert_close(grad(model.loss, "x")(U, power=1), 2 * W.T @ np.ones(3))


def test_attributes_of_a_bound_method_are_live():
    model = Model()
    g = grad(model.loss)
    assert_close(g(U), 4 * W.T @ (W @ U))
    model.scale = 5.0
    assert_close(g(U), 10 * W.T @ (W @ U))
    model.W = np.eye(3)
    assert_close(g(U), 10 * U)
    model.W *= 2.0
    assert_close(g(U), 40 * U)


def test_an_attribute_of_another_kind_is_compiled_for():
    model = Model()
    g = grad(model.loss)
    g(U)
    model.W = RNG.normal(size=(5, 3)).astype(np.float32)
    assert_close(g(U), differences(model.loss, (U,)))
    model.scale = 3
    assert_close(g(U), differences(model.loss, (U,)))


class Layer:
    def __init__(self, activation):
        self.activation = activation

    def forward(self, x):
        return np.sum(self.activation(x))


def test_functions_held_by_an_object_are_live():
    layer = Layer(np.sin)
    g = grad(layer.forward)
    assert_close(g(U), np.cos(U))
    layer.activation = np.exp
    assert_close(g(U), np.exp(U))
    layer.activation = elsewhere.square
    assert_close(g(U), 2 * U)


def test_functions_of_a_global_object_are_live(monkeypatch):
    def f(x):
        return NETWORK.forward(x)

    g = grad(f)
    assert_close(g(U), np.cos(U))
    monkeypatch.setattr(NETWORK, "activation", np.exp)
    assert_close(g(U), np.exp(U))


def test_methods_of_a_global_object_are_live(monkeypatch):
    def f(x):
        return NETWORK.forward(x)

    g = grad(f)
    assert_close(g(U), np.cos(U))
    monkeypatch.setattr(Layer, "forward", lambda self, x: np.sum(x * x))
    assert_close(g(U), 2 * U)


class Config:
    rate = 2.0

    @classmethod
    def scaled(cls, x):
        return cls.rate * np.sum(x)


def by_class(x):
    return Config.rate * np.sum(x)


@pytest.mark.parametrize("f", [by_class, Config.scaled], ids=["global", "classmethod"])
def test_attributes_of_a_class_are_live(f, monkeypatch):
    g = grad(f)
    assert_close(g(U), np.full(3, 2.0))
    monkeypatch.setattr(Config, "rate", 5.0)
    assert_close(g(U), np.full(3, 5.0))


NETWORK = Layer(np.sin)


def test_numbers_in_containers_of_an_object_are_live():
    class Options:
        table, parts = {"rate": 2.0}, [3.0, U]

        def loss(self, x):
            return np.sum(x * self.parts[1]) * self.table["rate"] + np.sum(x) * self.parts[0]

    options = Options()
    g = grad(options.loss)
    assert_close(g(V), 2 * U + 3.0)
    options.table["rate"] = 5.0
    options.parts[0] = 1
    options.parts[1] = V
    assert_close(g(V), 5 * V + 1.0)
    options.parts = (0.0, U)
    assert_close(g(V), 5 * U)


def test_two_instances_do_not_mix():
    one, two = Model(), Model()
    two.scale = 7.0
    assert_close((grad(one.loss)(U), grad(two.loss)(U)), (4 * W.T @ (W @ U), 14 * W.T @ (W @ U)))


def test_an_object_with_call():
    model = Model()
    assert_close(grad(model)(U), 4 * W.T @ (W @ U))


def test_static_and_class_methods():
    assert_close(grad(Model.half)(U), U)
    assert_close(grad(Model().half)(U), U)
    assert_close(grad(Model.third)(U), U * 2 / 3)


def test_an_unbound_method_has_self_first():
    assert_close(grad(Model.loss, 1)(Model(), U), 4 * W.T @ (W @ U))


def test_partials():
    assert_close(grad(functools.partial(quadratic, w=3.0))(U), 6 * U)
    assert_close(grad(functools.partial(quadratic, U))(2.0), np.sum(U * U))
    nested = functools.partial(functools.partial(by_three, 2.0), c=4.0)
    assert grad(nested)(3.0) == 8.0


def test_a_partial_of_a_library_function():
    assert_close(grad(functools.partial(np.multiply, 2.0))(1.0), 2.0)
    assert_close(grad(functools.partial(np.dot, U))(V), U)


def by_three(a, b, c):
    return a * b * c


def test_a_partial_with_a_keyword_that_the_call_gives_again():
    g = grad(functools.partial(quadratic, w=3.0))
    assert_close(g(U, w=5.0), 10 * U)


def test_a_partial_with_a_keyword_before_the_argument():
    assert grad(functools.partial(by_three, a=2.0), "b")(b=3.0, c=4.0) == 8.0


def test_a_function_behind_functools_wraps():
    def scaled(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return 2.0 * f(*args, **kwargs)

        return wrapper

    @scaled
    def f(x):
        return np.sum(x * x)

    assert_close(grad(f)(U), 4 * U)


def test_coroutines_are_refused():
    async def f(x):
        return x * x

    with pytest.raises(UnsupportedError, match="coroutine|async"):
        grad(f)(1.0)


def test_generators_are_refused():
    def f(x):
        yield x * x

    with pytest.raises(UnsupportedError, match="yield"):
        grad(f)(1.0)


@pytest.mark.parametrize("f", [np.random.standard_normal, np.frompyfunc(math.sin, 1, 1)], ids=["random", "frompyfunc"])
def test_functions_without_a_rule_are_refused_as_such(f):
    with pytest.raises(UnsupportedError, match="no rule"):
        grad(f)(1.0)


def test_functions_without_source_are_refused():
    with pytest.raises(UnsupportedError, match="source"):
        grad(eval("lambda x: x * x"))(1.0)


def test_what_is_no_function_is_refused():
    for f in (3, None, "sin"):
        with pytest.raises(TypeError):
            grad(f)(1.0)


# ----------------------------------------------------------------------------------------------------- arguments
def test_defaults():
    assert_close(grad(quadratic)(U), 4 * U)
    assert_close(grad(quadratic)(U, 5.0), 10 * U)
    assert_close(grad(quadratic, "w")(U), np.sum(U * U))


def test_an_array_as_default():
    def f(x, offset=V):
        return np.sum((x - offset) ** 2)

    assert_close(grad(f)(U), 2 * (U - V))
    assert_close(grad(f)(U, np.zeros(3)), 2 * U)


def test_a_default_of_none():
    def f(x, w=None):
        if w is None:
            w = np.ones(3)
        return np.sum(w * x)

    assert_close((grad(f)(U), grad(f)(U, V), grad(f)(U)), (np.ones(3), V, np.ones(3)))


def test_keyword_only_arguments():
    def f(x, *, w, power=2):
        return np.sum(w * x**power)

    assert_close(grad(f)(U, w=3.0), 6 * U)
    assert_close(grad(f, "w")(U, w=3.0), np.sum(U * U))
    assert_close(grad(f)(U, w=3.0, power=3), 9 * U * U)


def test_positional_only_arguments():
    def f(x, /, y):
        return x * x * y

    assert grad(f, (0, 1))(2.0, y=3.0) == (12.0, 4.0)


def test_starred_arguments():
    def f(*xs):
        out = 1.0
        for x in xs:
            out = out * x
        return out

    assert grad(f, "xs")(2.0, 3.0, 4.0) == (12.0, 8.0, 6.0)
    assert grad(f, "xs")(2.0, 3.0) == (3.0, 2.0)


def test_starred_keywords():
    def f(x, **options):
        return options["scale"] * x * x

    assert grad(f)(3.0, scale=2.0) == 12.0
    assert grad(f, "options")(3.0, scale=2.0) == {"scale": 9.0}


# ------------------------------------------------------------------------------------- specialisation and guards
def broadcasting(u, v):
    return np.sum(u[1:-1] * v)


@pytest.mark.parametrize(
    "lengths", [[(5, 3), (3, 5)], [(3, 5), (5, 3)], [(5, 3), (5, 1), (3, 5), (7, 5)], [(3, 1), (5, 3)]]
)
def test_lengths_that_agreed_once_may_broadcast_later(lengths):
    g = grad(broadcasting, (0, 1))
    for n, m in lengths:
        u, v = RNG.normal(size=n), RNG.normal(size=m)
        assert_close(g(u, v), (differences(broadcasting, (u, v)), differences(broadcasting, (u, v), 1)))


def test_lengths_that_do_not_fit_raise_what_numpy_raises():
    g = grad(broadcasting, (0, 1))
    g(RNG.normal(size=5), RNG.normal(size=3))
    with pytest.raises(ValueError, match="broadcast"):
        g(RNG.normal(size=6), RNG.normal(size=3))


def product(x, y):
    return np.sum(np.sin(x) * y)


@pytest.mark.parametrize(
    "shapes",
    [[((3,), (3,)), ((1,), (3,)), ((3,), (1,)), ((1,), (1,)), ((3,), (3,))],
     [((1,), (1,)), ((4,), (4,))],
     [((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1)), ((2, 3), ())],
     [((5,), (5,)), ((0,), (0,)), ((1,), (1,)), ((1,), (0,)), ((0,), (1,)), ((5,), (5,))],
     [((2, 3), (2, 3)), ((2, 0), (2, 0)), ((0, 3), (1, 3)), ((0, 3), (3,)), ((1, 1), (0, 3))]],
)  # fmt: skip
def test_one_gradient_serves_all_shapes(shapes):
    g = grad(product, (0, 1))
    for s, t in shapes:
        x, y = RNG.normal(size=s), RNG.normal(size=t)
        assert_close(g(x, y), (differences(product, (x, y)), differences(product, (x, y), 1)))


def test_one_gradient_serves_all_dtypes_and_types():
    g = grad(product)
    for x, y in [(U, V), (U.astype(np.float32), V), (U, 2.0), (2.0, V), (U, 3), (U, np.arange(3))]:
        gradient = g(x, y)
        assert_form(gradient, x)
        assert_close(gradient, differences(product, (x, y)), 1e-5)


def test_one_gradient_serves_all_structures():
    def f(p):
        return p["a"] if isinstance(p, dict) else p[0] * 2.0

    g = grad(f)
    assert (g({"a": 1.0}), g((1.0,)), g([1.0, 2.0]), g({"b": 2.0, "a": 1.0})) == (
        {"a": 1.0}, (2.0,), [2.0, 0.0], {"b": 0.0, "a": 1.0})  # fmt: skip


def test_rows_of_another_number():
    def f(X):
        out = 0.0
        for row in X:
            out = out + np.sum(row) ** 2
        return out

    g = grad(f)
    for shape in [(2, 3), (5, 1), (1, 5), (0, 3), (3, 0), (1, 1)]:
        X = RNG.normal(size=shape)
        assert_close(g(X), differences(f, (X,)))


def test_an_error_of_numpy_is_raised_each_time():
    def f(A, x):
        return np.sum(np.sin(A @ x))

    g = grad(f)
    for _ in range(2):
        with pytest.raises(ValueError, match="matmul|mismatch"):
            g(W, np.ones(4))
        assert_close(g(W, U), np.outer(np.cos(W @ U), U))


def test_shapes_that_do_not_fit_are_an_error_though_the_value_is_not_computed():
    def f(A, x):
        return np.sum(A @ x)

    for _ in range(2):
        with pytest.raises(ValueError, match="matmul|mismatch"):
            value_and_grad(f)(W, np.ones(4))
        with pytest.raises(ValueError, match=r"\(3,4\)"):
            grad(f)(W, np.ones(4))


def test_numbers_that_turn_out_static_are_compiled_by_value():
    def f(x, k):
        return np.sum(np.sum(x, axis=k) ** 2)

    g = grad(f)
    for k in (0, 1, -1, 0):
        assert_close(g(W, k), differences(f, (W, k)))


def test_an_int_in_a_shape():
    def f(x, k):
        return np.sum(np.sum(np.reshape(x, (k, -1)), axis=0) ** 2)

    g, x = grad(f), RNG.normal(size=12)
    for k in (2, 3, 1, 12):
        assert_close(g(x, k), differences(f, (x, k)))


def test_an_int_that_indexes_a_tuple():
    def f(parts, k):
        out = 0.0
        for i in range(k):
            out = out + parts[i] * (i + 1.0)
        return out

    g = grad(f)
    assert g((1.0, 2.0, 3.0), 2) == (1.0, 2.0, 0.0)
    assert g((1.0, 2.0, 3.0), 3) == (1.0, 2.0, 3.0)
    assert g((1.0, 2.0, 3.0), 0) == (0.0, 0.0, 0.0)


def test_an_int_that_only_counts_is_not_compiled_for():
    def f(x, k):
        for _ in range(k):
            x = np.sin(x)
        return x

    g = grad(f)
    for k in range(50):  # more than there may be variants
        g(0.5, k)
    assert g(0.5, 2) == pytest.approx(math.cos(math.sin(0.5)) * math.cos(0.5))


def test_strings_and_flags_are_compiled_by_value():
    def f(x, mode, flip):
        y = np.sin(x) if mode == "sine" else np.cos(x)
        return -y if flip else y

    g = grad(f)
    calls = [("sine", False), ("cosine", False), ("sine", True), ("cosine", True)]
    assert_close([g(0.5, *c) for c in calls], [math.cos(0.5), -math.sin(0.5), -math.cos(0.5), math.sin(0.5)])


def test_functions_as_arguments():
    def f(x, activation):
        return np.sum(activation(x))

    g = grad(f)
    assert_close(g(U, np.sin), np.cos(U))
    assert_close(g(U, np.exp), np.exp(U))
    assert_close(g(U, elsewhere.cube), 3 * U * U)


def test_many_shapes_are_one_variant():
    g = grad(product)
    for n in range(2, 60):
        x = RNG.normal(size=n)
        assert_close(g(x, x), np.cos(x) * x)


# ----------------------------------------------------------------------------------------- what stays live
NUMBER = 2.0
ARRAY = np.array([1.0, 2.0, 3.0])
ACTIVATION = np.sin
LIBRARY = math
OPTIONS = {"rate": 0.5, "mode": "on"}


def by_number(x):
    return NUMBER * np.sum(x * x)


def by_array(x):
    return np.sum(ARRAY * x)


def by_function(x):
    return np.sum(ACTIVATION(x))


def by_module(x):
    return LIBRARY.sin(x)


def by_options(x):
    return x * OPTIONS["rate"] if OPTIONS["mode"] == "on" else x


def test_global_numbers_are_live(monkeypatch):
    g = grad(by_number)
    assert_close(g(U), 4 * U)
    for number in (5.0, 3, np.float32(2.0), np.array(7.0)):
        monkeypatch.setattr(sys.modules[__name__], "NUMBER", number)
        assert_close(g(U), 2 * number * U)


def test_global_arrays_are_live(monkeypatch):
    g = grad(by_array)
    assert_close(g(U), ARRAY)
    for array in (V, V.astype(np.float32), np.ones(1), RNG.normal(size=(2, 3)), np.float64(3.0), np.arange(3)):
        monkeypatch.setattr(sys.modules[__name__], "ARRAY", array)
        assert_close(g(U), differences(by_array, (U,)))


def test_global_arrays_changed_in_place_are_live(monkeypatch):
    array = V.copy()
    monkeypatch.setattr(sys.modules[__name__], "ARRAY", array)
    g = grad(by_array)
    g(U)
    array[0] = 100.0
    assert_close(g(U), array)


def test_global_functions_are_live(monkeypatch):
    g = grad(by_function)
    assert_close(g(U), np.cos(U))
    monkeypatch.setattr(sys.modules[__name__], "ACTIVATION", np.exp)
    assert_close(g(U), np.exp(U))
    monkeypatch.setattr(sys.modules[__name__], "ACTIVATION", elsewhere.square)
    assert_close(g(U), 2 * U)


def test_global_modules_are_live(monkeypatch):
    g = grad(by_module)
    assert g(0.5) == pytest.approx(math.cos(0.5))
    monkeypatch.setattr(sys.modules[__name__], "LIBRARY", types.SimpleNamespace(sin=elsewhere.square))
    assert g(0.5) == pytest.approx(1.0)


def test_global_dicts_are_live(monkeypatch):
    g = grad(by_options)
    assert g(2.0) == 0.5
    monkeypatch.setitem(OPTIONS, "rate", 0.25)
    assert g(2.0) == 0.25
    monkeypatch.setitem(OPTIONS, "mode", "off")
    assert g(2.0) == 1.0


def test_a_global_that_is_gone_raises(monkeypatch):
    g = grad(by_number)
    g(U)
    monkeypatch.delattr(sys.modules[__name__], "NUMBER")
    with pytest.raises((NameError, DifferentiationError), match="NUMBER"):
        g(U)


def test_nothing_is_written_into_the_module():
    before = dict(globals())
    grad(by_number)(U)
    grad(by_array)(U)
    assert {k: id(v) for k, v in globals().items()} == {k: id(v) for k, v in before.items()}


def test_closures_are_live():
    scale, offset = 2.0, U

    def f(x):
        return scale * np.sum((x - offset) ** 2)

    g = grad(f)
    assert_close(g(V), 4 * (V - U))
    scale, offset = 3.0, np.zeros(3)
    assert_close(g(V), 6 * V)
    scale, offset = 3, 1.0
    assert_close(g(V), 6 * (V - 1.0))


def test_functions_in_closures_are_live():
    inner = np.sin

    def f(x):
        return np.sum(inner(x))

    g = grad(f)
    assert_close(g(U), np.cos(U))
    inner = elsewhere.cube
    assert_close(g(U), 3 * U * U)


def test_helpers_of_another_module_use_its_globals(monkeypatch):
    GAIN = 100.0  # noqa: F841  (not the one that counts)

    def f(x):
        return np.sum(elsewhere.amplified(x))

    g = grad(f)
    assert_close(g(U), 3.0 + np.cos(U) / 3.0)
    monkeypatch.setattr(elsewhere, "GAIN", 5.0)
    assert_close(g(U), 5.0 + np.cos(U) / 5.0)
    monkeypatch.setattr(elsewhere, "local", elsewhere.square)
    assert_close(g(U), 5.0 + 2 * U)


def test_arrays_of_another_module():
    def f(x):
        return np.sum(elsewhere.shifted(x) ** 2) + np.sum(elsewhere.OFFSETS * x)

    check(f, U)


def test_the_function_itself_may_be_from_another_module():
    check(elsewhere.power, 3.0)
    assert_close(grad(elsewhere.power)(3.0, 3), 27.0)


# ------------------------------------------------------------------------------------------------------ threads
def test_threads_may_meet_at_the_first_call():
    def f(x, n):
        out = 0.0
        for _ in range(n):
            out = out + np.sum(np.sin(x) * x)
        return out

    g, results, errors = grad(f), [None] * 8, []
    barrier = threading.Barrier(8)

    def work(i):
        try:
            x = np.arange(1.0, 3.0 + i % 3)
            barrier.wait()
            results[i] = [g(x, 3) for _ in range(20)], 3 * (np.cos(x) * x + np.sin(x))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    for gradients, wanted in results:
        for gradient in gradients:
            assert_close(gradient, wanted)


# --------------------------------------------------------------------------------------------------- check_grad
def test_check_grad_accepts_right_gradients():
    assert check_grad(mixed, {"W": W, "b": U, "scale": 2.0}, V) < 1e-5
    assert check_grad(quadratic, U, 2.0, argnums="w") < 1e-5
    assert check_grad(bare, U) < 1e-5


def test_check_grad_rejects_wrong_rules(own_rules):
    def wrong(x):
        return x * x

    @rule("y = wrong(x)", wrong)
    class wrong_rule:
        def kind(x):
            return x

        def d_x(d_y, x):
            return d_y * x

    def f(x):
        return np.sum(wrong(x))

    assert_close(grad(f)(U), U)
    with pytest.raises(AssertionError, match="gradient of f with respect to x"):
        check_grad(f, U)


@pytest.fixture
def own_rules():
    from rules.rule import _all, _methods, _rules

    functions, methods, everything = dict(_rules), dict(_methods), list(_all)
    yield
    for table, before in ((_rules, functions), (_methods, methods)):
        table.clear()
        table.update(before)
    _all[:] = everything


def test_check_grad_needs_a_float():
    with pytest.raises(GradientError, match="float"):
        check_grad(lambda_free, 1, 2)


# --------------------------------------------------------------------------------------------------- tracebacks
def test_a_traceback_shows_the_generated_line():
    def f(A, x):
        return np.sum(np.linalg.solve(A, x))

    g = grad(f)
    g(W, U)
    with pytest.raises(np.linalg.LinAlgError) as info:
        g(np.zeros((3, 3)), U)
    frames = [x for x in traceback.extract_tb(info.tb) if x.filename.startswith("<adcompiler")]
    linecache.checkcache()
    assert frames and "solve" in frames[-1].line
    assert frames[-1].line == linecache.getline(frames[-1].filename, frames[-1].lineno).strip()
    assert "test_api.py" in frames[-1].line  # the comment names the user's line


def test_the_users_exceptions_pass_through():
    def f(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return math.sqrt(x)

    g = grad(f)
    assert g(4.0) == 0.25
    with pytest.raises(ValueError, match="negative: -1.0"):
        g(-1.0)


def test_inspect_shows_the_generated_source():
    run = build(Request(quadratic), from_call(Request(quadratic), (U,), {}), Lengths()).run
    assert inspect.getsource(run).startswith("def quadratic_grad(x, w=2.0):")


# -------------------------------------------------------------------------------------------- left as they were
def test_arguments_are_left_alone():
    x, p = U.copy(), {"W": W.copy(), "b": U.copy(), "scale": 2.0}
    grad(mixed, (0, 1))(p, x)
    assert_same((x, p), (U, {"W": W, "b": U, "scale": 2.0}))


def test_read_only_arguments_are_fine():
    x = U.copy()
    x.flags.writeable = False
    assert_close(grad(quadratic)(x), 4 * U)


def test_warnings_of_the_function_are_not_multiplied():
    def f(x):
        return np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0))

    with np.errstate(all="raise"):
        assert_close(grad(f)(np.array([0.0, 1.0, 2.0])), np.array([0.0, 1.0, 0.5]))


def test_rules_that_are_called_are_written_out_where_they_are_differentiated():
    """`inline=False` is about the code that runs."""

    def inner(x):
        return np.sum(x * x * x)

    def pulled(x):
        return np.sum(vjp(inner, x)[1](1.0)[0] ** 2)

    x = np.array([0.3, 0.7])
    assert_close(grad(pulled, inline=False)(x), 36 * x**3)
    assert_close(jvp(grad(inner, inline=False), (x,), (x,))[1], 6 * x * x)
    assert_close(vjp(grad(inner, inline=False), x)[1](x)[0], 6 * x * x)


def test_rules_that_are_called_take_no_argument_for_a_constant():
    def f(c, d):
        return np.maximum(c, d) * 2.0 + np.minimum(c, d)

    assert grad(f, (0, 1), inline=False)(1.0, 1.0) == grad(f, (0, 1))(1.0, 1.0) == (1.5, 1.5)


def test_lists_of_0d_arrays_of_another_dtype_are_compiled_for_it():
    gradient = grad(lambda xs: sum(np.sum(x * x) for x in xs))
    for dtype in (np.float64, np.float32, np.float64):
        assert [d.dtype for d in gradient([np.array(1.0, dtype), np.array(2.0, dtype)])] == [dtype, dtype]
