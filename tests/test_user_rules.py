"""Rules of users for their own functions, which the compiler cannot see into: see tests/opaque.py."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adcompiler
import rules
import rules.testing
from adcompiler import (
    UnsupportedError,
    check_rule,
    checkpoint,
    compile_module,
    differentiable,
    grad,
    primitive,
    rule,
    stop_gradient,
    value_and_grad,
)

from .counting import counted
from .numerics import assert_close, assert_form, assert_same, check, differences
from .opaque import bell, error_function, my_solver, padded, positive, root

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 4)
A = RNG.normal(size=(4, 4)) + 4 * np.eye(4)


def steps(b, A, n):
    for _ in range(n):
        b = my_solver(A, root(b)) * 3.0
    return np.sum(b * b)


# ---------------------------------------------------------------------------------------------- the public names
def test_what_rules_are_written_with_is_public():
    for name in ("Like", "borrows", "nondifferentiable", "primitive", "rule"):
        assert getattr(adcompiler, name) is getattr(rules, name)
        assert name in adcompiler.__all__
    assert check_rule is rules.testing.check_rule


@pytest.mark.parametrize(
    "f, args, options",
    [
        (my_solver, (A, X), {}),
        (root, (X,), {"complex": False, "skip": "numbers scalars"}),
        (root, (-X,), {"complex": False, "skip": "numbers scalars", "degree": 5}),
        (error_function, (X,), {"upto": 1, "complex": False, "skip": "float32 float16"}),
        (positive, (X,), {}),
        (padded, (X, 2), {"complex": False, "skip": "float32 float16"}),
    ],
)
def test_the_rules_are_right(f, args, options):
    check_rule(f, *args, **options)


def test_a_slip_is_found():
    @primitive
    def cube(x):
        return x * x * x

    @rule("y = cube(x)", cube)
    class cube_rule:
        def kind(x): return x
        def d_x(d_y, x): return 2 * d_y * x * x
        def t_y(x, t_x): return 3 * t_x * x * x

    with pytest.raises(AssertionError, match=r"rule cube.*d_x: gives .* and central differences"):
        check_rule(cube, X)


# ------------------------------------------------------------------------------------------------------- gradients
@pytest.mark.parametrize("n", [0, 1, 3])
def test_in_a_loop(n):
    check(steps, X, A, n)


def test_in_branches_and_in_a_while_loop():
    def f(b, A, limit):
        k = 0
        while np.sum(b) < limit and k < 6:
            b = my_solver(A, b) + 1.0 if positive(b - 1.0) > 2 else root(b) + 0.5
            k += 1
        return np.sum(b)

    check(f, X, A, 0.0)
    check(f, X, A, 9.0)


def test_what_nobody_asked_for_is_not_computed():
    _, both = counted(steps, X, A, 3, argnums=(0, 1))
    _, one = counted(steps, X, A, 3)
    assert both["outer"] == 3 and one["outer"] == 0
    assert both["my_solver"] == one["my_solver"] == 6


@pytest.mark.parametrize(
    "x",
    [X, X.astype(np.float32), np.array(0.5), np.abs(A[:, :1]), X[::2], np.zeros((0, 2))],
    ids=lambda x: f"{x.dtype}{x.shape}",
)
def test_arguments_of_any_form(x):
    gradient = grad(lambda x: np.sum(root(x)))(x)
    assert_form(gradient, x)
    assert_close(gradient, np.cbrt(x) / (3 * x), 1e-5 if x.dtype == np.float32 else 1e-12)


def test_an_option_that_is_known_when_compiling():
    check(lambda x: np.sum(root(x, degree=5) * root(x)), X)


def test_a_rule_goes_before_the_source_of_the_function():
    text = differentiable(lambda x: np.sum(padded(x * x, 2) ** 2)).source(signature="f64[n]")
    assert "padded(" in text
    check(lambda x: np.sum(padded(x * x, 2) ** 2), X)


def test_the_function_itself():
    assert_close(grad(lambda A, b: np.sum(my_solver(A, b)), 1)(A, X), np.linalg.solve(A.T, np.ones(4)))
    assert_close(grad(my_solver_sum := lambda b: my_solver(A, b)[0])(X), differences(my_solver_sum, (X,)))


def test_under_a_checkpoint_and_where_the_gradient_is_stopped():
    check(lambda b, A: np.sum(checkpoint(steps)(b, A, 2) * b), X, A)
    assert_close(grad(lambda b: np.sum(stop_gradient(my_solver(A, b)) * b))(X), np.linalg.solve(A, X))


# ------------------------------------------------------------------------------------------------ second derivatives
def test_the_second_derivative_by_the_rules_of_what_the_pullbacks_call():
    def slope(b, A):
        return np.sum(grad(steps, 1)(b, A, 2) ** 2)

    check(slope, X, A)


def test_a_second_derivative_that_there_is_not_is_refused_with_the_reason():
    def first(x):
        return np.sum(grad(lambda v: np.sum(error_function(v)))(x))

    assert_close(first(X), np.sum(bell(X)))
    with pytest.raises(UnsupportedError, match=r"bell has no derivative.*: it is not written yet"):
        grad(first)(X)


def test_where_it_does_not_matter_it_is_not_refused():
    def f(x):
        return np.sum(x * stop_gradient(bell(x)))

    def g(x):
        return np.sum(np.where(bell(x) > 0.5, x, 2.0 * x))

    assert_close(grad(f)(X), bell(X))
    assert_close(grad(g)(X), np.where(bell(X) > 0.5, 1.0, 2.0))


# --------------------------------------------------------------------------------------------------- ahead of time
def test_a_module_imports_the_functions_and_runs_without_the_compiler(tmp_path):
    text = compile_module(steps, tmp_path / "steps_grad.py", signatures="f64[n], f64[n,n], int", argnums=(0, 1))
    assert "from tests.opaque import my_solver, root\n" in text
    np.savez(tmp_path / "args.npz", b=X, A=A)
    program = (
        "import sys, numpy as np; from steps_grad import steps_grad; a = np.load('args.npz');"
        "np.savez('out.npz', *steps_grad(a['b'], a['A'], 3));"
        "assert not any(m.split('.')[0] == 'adcompiler' for m in sys.modules)"
    )
    root_folder = Path(__file__).parents[1]
    path = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(root_folder)!r}]; "
    package = "import types; tests = types.ModuleType('tests'); tests.__path__ = [sys.path[1] + '/tests']; " \
              "sys.modules['tests'] = tests; "  # fmt: skip
    subprocess.run([sys.executable, "-c", path + package + program], cwd=tmp_path, check=True)
    with np.load(tmp_path / "out.npz") as out:
        assert_same((out["arr_0"], out["arr_1"]), grad(steps, (0, 1))(X, A, 3))


@rule("y = here(x)", here := primitive(lambda x: np.sin(x)))
class here_rule:
    def kind(x): return x
    def d_x(d_y, x): return d_y * np.cos(x)


def test_a_function_of_the_module_that_is_compiled_is_refused():
    def f(x):
        return np.sum(here(x))

    assert_close(grad(f)(X), np.cos(X))
    with pytest.raises(UnsupportedError, match=r"no way to import it(.|\n)*define it in a module of its own"):
        compile_module(f, signatures="f64[n]", value=True)


# -------------------------------------------------------------------------------------------------------- misuse
def refused(signature, **members):
    """The message where a rule with these members is used."""

    def f(x):
        return np.array(x.tolist())

    rule(signature, f)(type("f_rule", (), members))
    with pytest.raises(UnsupportedError) as error:
        value_and_grad(lambda x: np.sum(f(x)))(X)
    return " ".join(str(error.value).split())


def test_a_rule_without_a_kind():
    text = refused("y = f(x)", d_x=lambda d_y, x: d_y)
    assert "the kind of what f returns is not known" in text and "give the rule of f a `kind`" in text


def test_a_pullback_that_calls_what_has_no_rule():
    inner = primitive(lambda x: np.array(x.tolist()))
    inner.__name__ = "inner"
    text = refused("y = f(x)", kind=lambda x: x, d_x=lambda d_y, x: d_y * inner(x))
    assert "the kind of what inner returns is not known" in text and "give inner a rule" in text


@pytest.mark.parametrize(
    "body, reason",
    [
        (lambda d_y, x: d_y * np.array([v for v in x]), "loops over a computed value; put the loop into a @primitive"),
        (lambda d_y, x: d_y if x[0] > 0 else 2 * d_y, "branches on a computed value"),
        (lambda d_y, x: d_y * float(x[0]), "goes into a function marked @primitive"),
        (lambda d_y, x: d_y * undefined, "NameError when it is traced: name 'undefined' is not defined"),  # noqa: F821
    ],
)
def test_a_pullback_that_cannot_be_traced(body, reason):
    assert reason in refused("y = f(x)", kind=lambda x: x, d_x=body)


def test_a_keyword_that_the_rule_lacks():
    with pytest.raises(UnsupportedError, match="padded.. with the keyword 'mode' has no rule"):
        grad(lambda x: np.sum(padded(x, 2, mode="edge")))(X)


def test_an_option_that_is_not_known_when_compiling():
    check(lambda x, n: np.sum(padded(x, n) ** 2), X, 2)
    with pytest.raises(UnsupportedError, match="the argument n of padded"):
        grad(lambda x: np.sum(padded(x, positive(x))))(X)
