"""What is asked of a gradient and cannot be had: arguments, argnums, sources, signatures, too many variants."""

import collections
import dataclasses
import decimal
import fractions
import operator
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompiler import differentiable, grad, value_and_grad
from adcompiler.errors import DifferentiationError, GradientError, UnsupportedError

X = np.array([1.5, 2.0, 3.0, 4.0])


def loss(x: Any) -> Any:
    return np.sum(x * x)


def power(x: Any, n: Any) -> Any:
    return np.sum(x**n)


def with_keywords(x: Any, **scales: Any) -> Any:
    return np.sum(x) * scales["a"]


def chosen(x: Any, mode: str) -> Any:
    return np.sum(x * x) if mode else np.sum(x)


def squared(x):
    return x * x


def caught(thunk: Callable[[], Any]) -> DifferentiationError:
    with pytest.raises(DifferentiationError) as info:
        thunk()
    return info.value


def says(error: DifferentiationError, *words: str) -> None:
    missing = [w for w in words if w not in str(error)]
    assert not missing, f"{missing} not in: {error}"
    assert not re.search(r"Array\(|Num\(|Length\(|object at 0x|KindError|\bobject,|returns object", str(error))


# ---------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass
class Weights:
    w: Any


ARGUMENTS = {
    "matrix": (X.view(np.matrix), "matrix", "np.asarray"),
    "masked": (np.ma.array(X), "MaskedArray", "np.asarray"),
    "record": (np.recarray(2, dtype=[("a", float)]), "recarray", "np.asarray"),
    "of objects": (np.array([1.0, 2.0], dtype=object), "object", "numeric dtype"),
    "structured": (np.zeros(2, dtype=[("a", float)]), "dtype", "numeric dtype"),
    "of dates": (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64", "numeric dtype"),
    "of strings": (np.array(["a"]), "<U1", "numeric dtype"),
}


@pytest.mark.parametrize("argument, kind, remedy", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_of_unknown_classes(argument: Any, kind: str, remedy: str) -> None:
    error = caught(lambda: grad(loss)(argument))
    assert type(error) is UnsupportedError
    says(error, "argument x of loss", kind, "Instead: ", remedy)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_same_in_a_closure(name: str) -> None:
    table = ARGUMENTS[name][0]

    def f(x: Any) -> Any:
        return np.sum(x) * np.sum(table)

    error = caught(lambda: grad(f)(X))
    assert error.problems[0].line == f.__code__.co_firstlineno + 1
    says(error, "table", "Instead: ")


OBJECTS = {
    "object": Weights(X),
    "set": {1.0},
    "frozenset": frozenset([1.0]),
    "generator": (v for v in [1.0]),
    "None": None,
    "fraction": fractions.Fraction(1, 2),
    "decimal": decimal.Decimal(1),
    "deque": collections.deque([1.0]),
    "ordered dict": collections.OrderedDict(a=X),
    "range": range(3),
    "bytes": b"a",
    "function": np.sin,
    "class": int,
    "module": np,
    "dict": {"w": X},
    "empty dict": {},
    "list of ints": [1, 2],
    "empty list": [],
    "mixed list": [1.0, X],
    "string": "a",
    "float of its own class": type("Metres", (float,), {})(2.0),
}
#: The messages of these tell that x is what is wrong; of the others, that `x * x` cannot be had, which may do.
NAMED = {"object", "set", "None", "generator", "string"}


@pytest.mark.parametrize("name", OBJECTS)
def test_arguments_that_are_no_numbers(name: str) -> None:
    error = caught(lambda: grad(loss)(OBJECTS[name]))
    says(error, "Instead: ")
    if name in NAMED:
        assert re.search(r"\bx\b", error.problems[0].reason), error.problems[0].reason


@pytest.mark.parametrize(
    "argument, what",
    [
        (np.arange(3), "integer array (i64[n0])"),
        (np.array([True]), "boolean array (bool[1])"),
        (3, "integer number (int)"),
        (np.int64(3), "integer number (i64)"),
        (True, "True"),
    ],
)
def test_integers_and_booleans(argument: Any, what: str) -> None:
    error = caught(lambda: grad(loss)(argument))
    assert type(error) is GradientError and isinstance(error, TypeError)
    says(error, "loss", "x", what, "Instead: pass a float")


def test_an_integer_beside_floats() -> None:
    assert np.allclose(grad(power)(X, 3), 3 * X**2)
    says(caught(lambda: grad(power, argnums=1)(X, 3)), "power", " n", "int")
    says(caught(lambda: grad(power, argnums=("x", "n"))(X, 3)), "power", " n", "int")


# ------------------------------------------------------------------------------------------------ argnums
@pytest.mark.parametrize("argnums", [5, 2, -3, "zz", 1.5, True, None, {0}])
def test_unknown_argnums(argnums: Any) -> None:
    error = caught(lambda: grad(power, argnums=argnums)(X, 2))
    assert type(error) is GradientError
    says(error, "power", repr(argnums), "0: x", "1: n")


@pytest.mark.parametrize("argnums", [[0, 0], (0, "x"), ("x", 0), (0, -2), (1, "n")])
def test_duplicate_argnums(argnums: Any) -> None:
    error = caught(lambda: grad(power, argnums=argnums)(X, 2))
    assert type(error) is GradientError
    says(error, "power", "twice")


def test_no_argnums() -> None:
    says(caught(lambda: grad(power, argnums=())(X, 2)), "power", "empty")


def test_keywords_are_one_argument() -> None:
    says(caught(lambda: grad(with_keywords, argnums="a")(X, a=2.0)), "'a'", "0: x", "1: scales")
    assert grad(with_keywords, argnums="scales")(X, a=2.0) == {"a": 10.5}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: grad(power, argnums=5)(X, 2),
        lambda: grad(power, argnums=[0, 0])(X, 2),
        lambda: grad(power, argnums=())(X, 2),
        lambda: grad(power, argnums=1)(X, 2),
        lambda: grad(loss)(X.view(np.matrix)),
        lambda: differentiable(power).source(signature="f64[n]"),
        lambda: differentiable(power).source(),
    ],
)
def test_the_function_is_shown(ask: Callable[[], Any]) -> None:
    (problem,) = caught(ask).problems
    assert problem.file == __file__
    assert problem.source_line.startswith("def ")
    assert problem.remedy


# ------------------------------------------------------------------------------------------- calls that do not bind
@pytest.mark.parametrize(
    "args, kwargs, words",
    [((X,), {}, "missing a required argument: 'n'"), ((X, 2, 3), {}, "too many"), ((X, 2), {"m": 1}, "'m'")],
)
def test_calls_that_do_not_bind(args: Any, kwargs: Any, words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)) as info:
        grad(power)(*args, **kwargs)
    assert "power()" in str(info.value)
    assert not isinstance(info.value, DifferentiationError)


# ------------------------------------------------------------------------------------------------- sources
def test_source_of_a_function_made_from_text() -> None:
    names: dict[str, Any] = {}
    exec("def made(x):\n    return (x * x).sum()\n", names)
    error = caught(lambda: grad(names["made"])(X))
    assert type(error) is UnsupportedError
    says(error, "source of made is not available", "<string>", "Instead: ")


def test_source_of_a_file_that_is_gone(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(compile("def gone(x):\n    return (x * x).sum()\n", str(tmp_path / "gone.py"), "exec"), names)
    says(caught(lambda: grad(names["gone"])(X)), "source of gone is not available", "gone.py", "Instead: ")


def test_source_of_a_file_that_has_changed(tmp_path: Path) -> None:
    file, names = tmp_path / "moved.py", {}
    file.write_text("def moved(x):\n    return (x * x).sum()\n")
    exec(compile(file.read_text(), str(file), "exec"), names)
    file.write_text("\n\n" + file.read_text())
    says(caught(lambda: grad(names["moved"])(X)), "source of moved is not available", "changed", "Instead: ")


def test_source_of_a_file_whose_body_has_changed(tmp_path: Path) -> None:
    file, names = tmp_path / "edited.py", {}
    file.write_text("def edited(x):\n    return (x * x).sum()\n")
    exec(compile(file.read_text(), str(file), "exec"), names)
    file.write_text("def edited(x):\n    return (x * x * x).sum()\n")
    try:
        g = grad(names["edited"])(X)
    except UnsupportedError:
        return
    assert np.allclose(g, 2 * X)


def test_source_that_no_longer_parses(tmp_path: Path) -> None:
    file, names = tmp_path / "broken.py", {}
    file.write_text("def broken(x):\n    return (x * x).sum()\n")
    exec(compile(file.read_text(), str(file), "exec"), names)
    file.write_text("def broken(x:\n")
    says(caught(lambda: grad(names["broken"])(X)), "source of broken is not available", "parses", "Instead: ")


BUILTINS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sorted": (sorted, (X,)),
    "np.unique": (np.unique, (X,)),
    "np.unique_counts": (np.unique_counts, (X,)),
    "deque": (collections.deque, (X,)),
    "itemgetter": (operator.itemgetter(0), (X,)),
    "len": (len, (X,)),
    "a class": (Weights, (X,)),
}


@pytest.mark.parametrize("name", BUILTINS)
def test_functions_without_source_and_rule(name: str) -> None:
    f, args = BUILTINS[name]
    error = caught(lambda: grad(f)(*args))
    says(error, "Instead: ")
    assert "<adcompiler>" not in str(error)


def test_length_of_a_number() -> None:
    with pytest.raises((TypeError, DifferentiationError)):
        grad(len)(2.0)


@pytest.mark.parametrize("f", [3, None, "f", np, [loss]])
def test_what_is_no_function(f: Any) -> None:
    with pytest.raises(TypeError, match="is not a function"):
        grad(f)(X)


# ------------------------------------------------------------------------------------------------- lambdas
two = [lambda x: np.sum(x) * 2.0, lambda x: np.sum(x) * 3.0]
three = [lambda x: x * 2.0, lambda y: y * 3.0, lambda x, y=1.0: x * y * 4.0]


def test_a_lambda() -> None:
    assert grad(lambda x: x * x)(3.0) == 6.0


def test_lambdas_of_one_line() -> None:
    assert [grad(f)(1.0) for f in three] == [2.0, 3.0, 4.0]
    assert [grad(f)(np.ones(1))[0] for f in two] == [2.0, 3.0]


def test_lambdas_of_one_line_without_columns(tmp_path: Path) -> None:
    file = tmp_path / "lambdas.py"
    file.write_text(
        "from adcompiler import grad\n"
        "from adcompiler.errors import UnsupportedError\n"
        "for f, k in [(lambda x: x * x * 2.0, 2.0), (lambda x: x * x * 3.0, 3.0)]:\n"
        "    try:\n"
        "        assert grad(f)(1.0) == 2 * k, (grad(f)(1.0), k)\n"
        "    except UnsupportedError as error:\n"
        "        assert 'line' in str(error)\n"
    )
    done = subprocess.run([sys.executable, "-X", "no_debug_ranges", file], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------------------------------- signatures
@pytest.mark.parametrize(
    "text, column, words",
    [
        ("f64[n", 1, "not a list of kinds"),
        ("f64[n] f64", 1, "not a list of kinds"),
        ("f64[n]; f64", 1, "not a list of kinds"),
        ("f64[,]", 1, "not a list of kinds"),
        ("[f64", 1, "not a list of kinds"),
        ("x = 1", 1, "not a list of kinds"),
        ("*", 1, "not a list of kinds"),
        ("foo", 1, "foo is not a kind"),
        ("f65[n]", 1, "f65[n] is not a kind"),
        ("float[n]", 1, "float[n] is not a kind"),
        ("np.float64", 1, "np.float64 is not a kind"),
        ("f64[n][m]", 1, "f64[n][m] is not a kind"),
        ("lambda: 0", 1, "not a kind"),
        ("{'w'}", 1, "not a kind"),
        ("obj[n]", 1, "not a kind"),
        ("f64[n], bad", 9, "bad is not a kind"),
        ("f64[1.5]", 5, "length"),
        ("f64[-1]", 5, "length"),
        ("f64[n*2]", 5, "length"),
        ("f64[:]", 5, "length"),
        ("f64[n, m/2]", 8, "length"),
        ("[f64, f64]", 1, "one kind"),
        ("[]", 1, "one kind"),
        ("{w: f64[n]}", 1, "constants"),
        ("f64[n], int, int", 14, "3 kinds"),
    ],
)
def test_wrong_signatures(text: str, column: int, words: str) -> None:
    error = caught(lambda: differentiable(power).source(signature=text))
    assert isinstance(error, ValueError)
    says(error, repr(text), f"column {column}:", words, "Instead: ", "f64[n,m]")


def test_signatures_that_give_too_little() -> None:
    says(caught(lambda: differentiable(power).source(signature="f64[n]")), "power", "n")
    says(caught(lambda: differentiable(loss).source(signature="")), "loss", "x")


def test_no_signature() -> None:
    says(caught(lambda: differentiable(power).source()), "power", "signature=", "example=")


def test_the_message_about_a_list_of_lists() -> None:
    says(caught(lambda: differentiable(loss).source(signature="[[f64]]")), "list of lists")


@pytest.mark.parametrize("text", ["i64[n]", "int", "bool", "u8[n]"])
def test_signatures_of_integers(text: str) -> None:
    assert type(caught(lambda: differentiable(loss).source(signature=text))) is GradientError


def test_unknown_modes_and_stages() -> None:
    with pytest.raises(ValueError, match="'hess'"):
        differentiable(loss).source("hess", signature="f64[n]")
    with pytest.raises(ValueError, match="'parse'.*|parsed"):
        differentiable(loss).ir("parse", signature="f64[n]")


# ------------------------------------------------------------------------------------------------ variants
def test_more_variants_than_a_function_may_have() -> None:
    g = grad(chosen)
    for i in range(32):
        assert np.allclose(g(X, f"mode {i}"), 2 * X)
    error = caught(lambda: g(X, "mode 32"))
    assert type(error) is UnsupportedError
    says(error, "chosen", "32", "string")
    assert np.allclose(g(X, "mode 0"), 2 * X), "what was compiled stays"


def test_sizes_are_no_variants() -> None:
    g = grad(loss)
    for n in range(2, 80):
        assert np.array_equal(g(np.ones(n)), np.full(n, 2.0))


# ------------------------------------------------------------------------------------------------ outputs
def two_point_zero(x: Any) -> Any:
    return 2.0


def one_for_all(x: Any) -> Any:
    return x[0] * 0 + 1


def an_int(x: Any) -> Any:
    return 2


def a_bool(x: Any) -> Any:
    return True


@pytest.mark.parametrize("f, value", [(two_point_zero, 2.0), (one_for_all, 1.0)])
def test_a_result_that_does_not_depend_on_the_argument(f: Callable[..., Any], value: float) -> None:
    got, g = value_and_grad(f)(X)
    assert got == value and np.array_equal(g, np.zeros(4))


@pytest.mark.parametrize("f", [an_int, a_bool])
def test_a_constant_that_is_no_float(f: Callable[..., Any]) -> None:
    caught(lambda: grad(f)(X))


def with_aux(x: Any) -> Any:
    return np.sum(x * x), {"x": x}


def no_pair(x: Any) -> Any:
    return np.sum(x)


def a_list(x: Any) -> Any:
    return [np.sum(x), x]


def a_triple(x: Any) -> Any:
    return np.sum(x), x, x


def test_has_aux() -> None:
    g, aux = grad(with_aux, has_aux=True)(X)
    assert np.array_equal(g, 2 * X) and np.array_equal(aux["x"], X)


@pytest.mark.parametrize("f", [no_pair, a_list, a_triple])
def test_has_aux_without_a_pair(f: Callable[..., Any]) -> None:
    error = caught(lambda: grad(f, has_aux=True)(X))
    assert error.problems[0].line == f.__code__.co_firstlineno
    says(error, "has_aux=True", "pair", "Instead: return value, aux")
