"""Modules that are compiled ahead of time: they give what the compiler gives, to the bit, and do without it."""

import ast
import copy
import importlib.metadata
import importlib.util
import inspect
import io
import itertools
import math
import os
import pickle
import re
import shlex
import subprocess
import sys
import tokenize
from functools import partial
from math import erf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner, Result

import adcompiler
from adcompiler import GradientError, UnsupportedError, compile_module, grad, value_and_grad
from adcompiler.cli import main
from adcompiler.frontend.kinds import SignatureError
from rules.workspace import MAX_WORKSPACES

from . import elsewhere
from .elsewhere import amplified, power, raising
from .golden import cases
from .numerics import assert_close, assert_same, differences
from .signatures import signature_of

ROOT = Path(__file__).parents[1]
RNG = np.random.default_rng(3)
GAIN = 1.5
SINGLE = np.float32(0.1)
SCALES = (2.0, (3, np.float64(0.5)))
EDGE = -math.inf
MODE = "tanh"
SQUARE = True
WEIGHTS = np.arange(3.0)
TABLE = {"rate": 0.5}


# ---- programs ------------------------------------------------------------------------------------


def logistic(w, b, X, y):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def recurrent(params, xs, h):
    total = 0.0
    for x in xs:
        h = np.tanh(params["W"] @ h + params["U"] @ x)
        total += np.sum(h * h)
    return total


def heron(a, tolerance):
    x = a
    while abs(x * x - a) > tolerance:
        x = 0.5 * (x + a / x)
    return x


def listed(xs, y):
    total = 0.0
    for x in xs:
        total = total + np.sum(x * y)
    return total * len(xs)


def pairs(layers, x):
    for W, b in layers:
        x = np.tanh(W @ x + b)
    return np.sum(x)


def kinked(x):
    y = np.where(x > 0.1, x * x, np.sin(x))
    return y[0] * y[-1] + np.max(y)


def from_outside(x):
    return np.sum(x * GAIN * SINGLE) * SCALES[0] * SCALES[1][0] + SCALES[1][1] * np.sum(np.maximum(x, EDGE))


def by_known_values(x):
    y = np.tanh(x) if MODE == "tanh" else x
    return np.sum(y * y) if SQUARE else np.sum(y)


def from_another_module(x):
    return np.sum(amplified(x) + power(x, 3)) * elsewhere.GAIN


def of_math(t, s):
    return math.sin(t) * erf(s) + math.sqrt(1 + t * t) + math.pi


def solved(A, b):
    x = np.linalg.solve(A, b)
    return np.linalg.norm(x) + np.linalg.det(A) + np.sum(np.linalg.inv(A))


def products(x):
    return np.prod(x) + np.sum(np.cumprod(x)) + np.sum(np.sort(x) * x)


def gathered(x, i):
    return np.sum(x[i] * x[i]) + np.einsum("i,i->", x, x)


def broadcast(x, y):
    return np.sum(x * y / (1 + y * y))


def strided(u):
    return np.sum(u[1:-1] * (u[2:] - u[:-2]))


def with_defaults(x, rate=2.0, *, power=-1.5, name="a", pair=(1, None), flag=True):
    return np.sum(x * rate) * power * pair[0] if flag and name == "a" else np.sum(x)


def starred(x, *rest, **options):
    return np.sum(x) * rest[0] + np.sum(rest[1] * options["scale"])


def with_aux(x):
    y = np.cos(x)
    return np.sum(y * y), {"y": y, "n": 3}


def left_in(out, x):
    out[()] = np.sum(x**3)
    for v in x:
        out[()] = out * v


def burgers(u, n, dt):
    u = u.copy()
    for _ in range(n):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def written_into(x, y, p):
    x[0] = y[1] * y[1]
    x[1:] *= x[:-1]
    p["s"] += x[0]
    return np.sum(x * y) * p["s"]


def conjugated(z):
    return np.sum(np.abs(z) ** 2) + np.sum((z * z).real)


def in_single_precision(x, s):
    return np.sum(np.sqrt(x) * s)


def no_iterations(x, n):
    total = np.sum(x)
    for _ in range(n):
        total = total + np.sum(np.sin(x))
    return total


def twice(x):
    return np.sum(grad(lambda y: np.sum(y**3))(x) * x)


def closure(rate, exponents):
    def inner(x):
        return np.sum(rate * x ** exponents[0] + x ** exponents[1])

    return inner


@adcompiler.differentiable
def decorated(x):
    return np.sum(np.exp(x))


class Case(NamedTuple):
    """A function, with arguments that fit the signature."""

    function: Any
    args: tuple[Any, ...]
    signature: str = ""
    options: dict[str, Any] = {}


x, y = RNG.uniform(0.5, 1.5, (2, 3))
A = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
PARAMS = {"W": RNG.normal(size=(2, 2)), "U": RNG.normal(size=(2, 3))}
z = x + 1j * y
CASES = [
    Case(logistic, (x, 0.5, A, np.array([0.0, 1.0, 1.0])), "f64[m], float, f64[n,m], f64[n]", {"argnums": (0, 1)}),
    Case(logistic, (x, np.float64(0.5), A, y), "", {"argnums": ["X", "b"], "value": True}),
    Case(recurrent, (PARAMS, A, np.zeros(2)), "{'W': f64[k,k], 'U': f64[k,m]}, f64[n,m], f64[k]", {"value": True}),
    Case(recurrent, (PARAMS, A, np.zeros(2)), "", {"argnums": (1, 0, 2), "reuse": False}),
    Case(heron, (2.0, 1e-12), "float, float", {"value": True}),
    Case(listed, ([x, x[:2], y], np.float64(2.0)), "[f64[n]], f64", {"argnums": (0, 1)}),
    Case(listed, ([0.5, 2.0], 2.0), "[float], float", {"argnums": (0, 1)}),
    Case(pairs, ([(A, x), (A.T, y)], x), "[(f64[n,n], f64[n])], f64[n]", {"argnums": (0, 1)}),
    Case(pairs, (((A, x), (A.T, y)), x), "((f64[n,n], f64[n]), (f64[n,n], f64[n])), f64[n]"),
    Case(kinked, (x - 1,)),
    Case(from_outside, (x,)),
    Case(by_known_values, (x,)),
    Case(from_another_module, (x,)),
    Case(of_math, (0.3, 0.7), "", {"argnums": (0, 1)}),
    Case(solved, (A, x), "f64[n,n], f64[n]", {"argnums": (0, 1)}),
    Case(products, (x,)),
    Case(gathered, (x, np.array([0, 2, 2, 1])), "f64[n], i64[k]"),
    Case(broadcast, (x, A), "f64[n], f64[m,n]", {"argnums": (0, 1)}),
    Case(broadcast, (A, np.ones((3, 1))), "f64[n,m], f64[n,1]", {"argnums": (0, 1)}),
    Case(broadcast, (x, np.array(2.0)), "f64[n], f64[]", {"argnums": (0, 1)}),
    Case(broadcast, (np.zeros(0), 2.0), "", {"argnums": (0, 1)}),
    Case(strided, (RNG.normal(size=6),), "f64[n]"),
    Case(strided, (RNG.normal(size=12)[::2],), "f64[n]"),
    Case(burgers, (RNG.normal(size=6), 4, 0.1), "f64[n], int, float"),
    Case(burgers, (RNG.normal(size=6), 4, 0.1), "f64[n], int, float", {"argnums": 2, "value": True, "reuse": False}),
    Case(burgers, (RNG.normal(size=6), 0, 0.1), "f64[n], int, float", {"argnums": (0, 2)}),
    Case(written_into, (x, y, {"s": 2.0}), "f64[n], f64[n], {'s': float}", {"argnums": (0, 1, 2)}),
    Case(with_defaults, (x,), "f64[n]"),
    Case(with_defaults, (x, 3.0), "f64[n], float", {"argnums": (0, "rate")}),
    Case(starred, (x, 2.0, y), "f64[n], (float, f64[m]), {'scale': float}", {"argnums": (0, 1, 2)}),
    Case(with_aux, (x,), "", {"has_aux": True}),
    Case(left_in, (np.zeros(()), x), "f64[], f64[n]", {"of": "out", "argnums": 1}),
    Case(left_in, (np.zeros(()), x), "f64[], f64[n]", {"of": 0, "argnums": ("x", "out"), "value": True}),
    Case(with_aux, (x,), "", {"has_aux": True, "value": True}),
    Case(conjugated, (z,)),
    Case(in_single_precision, (x.astype("float32"), np.float32(2.0)), "f32[n], f32", {"argnums": (0, 1)}),
    Case(no_iterations, (x, 0), "f64[n], int"),
    Case(no_iterations, (x, 3), "f64[n], int"),
    Case(raising, (x,)),
    Case(twice, (x,)),
    Case(closure(0.25, (2, np.int64(3))), (x,)),
    Case(lambda x: np.sum(x * GAIN), (x,)),
    Case(np.hypot, (0.5, 2.0), "float, float", {"argnums": (0, 1)}),
    Case(decorated, (x,)),
]  # fmt: skip


def keywords(case: Case) -> dict[str, float]:
    return {"scale": 3.0} if case.function is starred else {}


def named(case: Case) -> str:
    options = " ".join(f"{k}={v}" for k, v in case.options.items())
    return f"{getattr(case.function, '__name__', 'decorated')} {options}".strip()


def written(folder: Path, case: Case, name: str = "written") -> Path:
    path = folder / f"{name}.py"
    compile_module(case.function, path, signatures=case.signature or signature_of(case.args), **case.options)
    return path


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public(module: ModuleType) -> Any:
    (name,) = module.__all__
    return getattr(module, name)


def compiled(f: Any, path: Path, *signatures: str, **options: Any) -> Any:
    """The function in the module that is written for `f`."""
    compile_module(f, path / "written.py", signatures=signatures, **options)
    return public(imported(path / "written.py"))


def by_the_compiler(case: Case) -> Any:
    options = dict(case.options)
    make = value_and_grad if options.pop("value", False) else grad
    return make(case.function, **options)(*case.args, **keywords(case))


# ---- what a module computes ----------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=named)
def test_module_gives_the_bits_of_the_compiler(case, tmp_path):
    got = public(imported(written(tmp_path, case)))(*case.args, **keywords(case))
    assert_same(got, by_the_compiler(case))


@pytest.mark.parametrize("case", [c for c in CASES if c.options.get("reuse", True)], ids=named)
def test_module_with_workspaces_gives_the_same_every_time(case, tmp_path):
    plain = public(imported(written(tmp_path, case)))
    kept = public(imported(written(tmp_path, case._replace(options={**case.options, "workspaces": True}), "kept")))
    wanted = plain(*case.args, **keywords(case))
    first = kept(*case.args, **keywords(case))
    for _ in range(2):
        assert_same(kept(*case.args, **keywords(case)), wanted)
    assert_same(first, wanted)


def test_a_module_keeps_the_arrays_of_the_shapes_that_were_used_last(tmp_path):
    compile_module(logistic, tmp_path / "kept.py", signatures="f64[m], float, f64[n,m], f64[n]", workspaces=True)
    module = imported(tmp_path / "kept.py")
    gradient, kept = public(module), module._WORKSPACES

    def call(n):
        return gradient(np.ones(3), 0.5, np.ones((n, 3)) / n, np.arange(n) / n)

    first = call(4)
    for n in range(2, 40):
        call(n)
    assert len(kept.pools) == MAX_WORKSPACES
    np.testing.assert_array_equal(call(4), first)
    kept.release()
    assert not kept.pools
    np.testing.assert_array_equal(call(4), first)


def test_a_parameter_may_be_called_as_the_workspace_is(tmp_path):
    def f(ws, x, *, spare_x=2.0):
        for _ in range(3):
            x = np.tanh(ws * x) * spare_x
        return np.sum(x)

    gradient = compiled(f, tmp_path, "f64[n], f64[n]", "f32[n], f32[n]", argnums=(0, 1), workspaces=True)
    for ws in (np.ones(3) / 7.0, np.ones(3, np.float32) / 7.0) * 2:
        assert_same(gradient(ws, 2.0 * ws), grad(f, (0, 1))(ws, 2.0 * ws))


PLAIN = [c for c in CASES if not {"value", "has_aux", "of"} & set(c.options) and c.function is not in_single_precision]


@pytest.mark.parametrize("case", PLAIN, ids=named)
def test_module_agrees_with_differences(case, tmp_path):
    got = public(imported(written(tmp_path, case)))(*case.args, **keywords(case))
    argnums = case.options.get("argnums", 0)
    parameters = list(inspect.signature(case.function).parameters) if argnums == (0, "rate") else []
    args = case.args

    def f(*moved):  # it may write into its arguments
        return case.function(*copy.deepcopy(moved), **keywords(case))

    for gradient, n in [(got, argnums)] if isinstance(argnums, int) else zip(got, argnums, strict=True):
        position = parameters.index(n) if isinstance(n, str) else n
        if case.function is not starred or position < 2:
            assert_close(gradient, differences(f, args, position))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [n for n in cases.NAMES if cases.case(n).example])
def test_golden_programs_ahead_of_time(name, tmp_path):
    asked, f = cases.case(name), cases.function(name)
    value = asked.mode == "value_and_grad"
    gradient = compiled(f, tmp_path, asked.signature, argnums=asked.argnums, value=value)
    jit = (value_and_grad if value else grad)(f, argnums=asked.argnums)
    assert_same(gradient(*asked.arguments()), jit(*asked.arguments()))


def test_arguments_and_results_are_the_callers_own(tmp_path):
    gradient = compiled(broadcast, tmp_path, "f64[n], f64[n]", argnums=(0, 1))
    a, b = x.copy(), y.copy()
    first = gradient(a, b)
    kept = tuple(d.copy() for d in first)
    gradient(a + 1, b)
    assert_same((a, b), (x, y))
    assert_same(first, kept)
    assert not any(np.shares_memory(d, e) for d, e in itertools.product(first, (a, b)))


def test_arguments_that_overlap_one_that_is_written_are_refused_as_by_the_compiler(tmp_path):
    gradient = compiled(written_into, tmp_path, "f64[n], f64[n], {'s': float}")
    both = np.ones(4)
    with pytest.raises(Exception) as told:
        grad(written_into)(both[1:], both[:-1], {"s": 2.0})
    with pytest.raises(type(told.value), match=re.escape(str(told.value))):
        gradient(both[1:], both[:-1], {"s": 2.0})


def test_globals_keep_the_value_that_they_had(tmp_path, monkeypatch):
    gradient = compiled(from_outside, tmp_path, "f64[n]")
    before = gradient(x)
    monkeypatch.setitem(globals(), "GAIN", 100.0)
    assert_same(gradient(x), before)


def test_errors_of_the_program_are_raised(tmp_path):
    gradient = compiled(raising, tmp_path, "f64[n]")
    with pytest.raises(ValueError, match="negative"):
        gradient(-x)
    with pytest.raises(AssertionError, match="too small"):
        gradient(np.array([-6.0, 10.0]))


# ---- without the compiler ------------------------------------------------------------------------

ALONE = """
import pickle, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("adcompiler", "scipy"):
            raise ImportError(f"{name} is not here")

sys.meta_path.insert(0, Blocked())
import importlib

results = {}
with open("calls.pickle", "rb") as file:
    calls = pickle.load(file)
import numpy.fft  # which NumPy itself imports when it is asked for
before = set(sys.modules)
for name, (args, kwargs) in calls.items():
    module = importlib.import_module(name)
    function = getattr(module, module.__all__[0])
    assert pickle.loads(pickle.dumps(function)) is function
    results[name] = function(*args, **kwargs)
try:
    import adcompiler
except ImportError:
    pass
else:
    raise SystemExit("the compiler could be imported")
roots = {name.split(".")[0] for name in set(sys.modules) - before}
with open("results.pickle", "wb") as file:
    pickle.dump((results, roots), file)
"""


def alone(folder: Path, script: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=folder, capture_output=True, text=True, env=environment
    )


def test_modules_run_where_there_is_no_compiler_and_no_scipy(tmp_path):
    calls = {}
    for i, case in enumerate(CASES):
        written(tmp_path, case, f"module_{i}")
        calls[f"module_{i}"] = (case.args, keywords(case))
    (tmp_path / "calls.pickle").write_bytes(pickle.dumps(calls))
    ran = alone(tmp_path, ALONE)
    assert ran.returncode == 0, ran.stderr
    results, roots = pickle.loads((tmp_path / "results.pickle").read_bytes())
    for i, case in enumerate(CASES):
        assert_close(results[f"module_{i}"], by_the_compiler(case), rtol=1e-13, atol=1e-14)  # SciPy factors otherwise
    assert {r for r in roots if r not in sys.stdlib_module_names} == {"rules", *calls}


def test_importing_a_module_runs_only_definitions(tmp_path):
    for case in CASES:
        for node in ast.parse(written(tmp_path, case).read_text()).body:
            mark = isinstance(node, ast.If) and "ADCOMPILER_RULES" in ast.unparse(node.test)
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            defined = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef)
            assert mark or docstring or defined, ast.unparse(node)


@pytest.mark.parametrize("stranger", ["rules.py", "rules/__init__.py", "rules/other.py"])
def test_a_strangers_rules_are_told_apart(stranger, tmp_path):
    written(tmp_path, CASES[0])
    (tmp_path / "rules").mkdir()
    (tmp_path / stranger).write_text("mine = 1\n")
    ran = alone(tmp_path, "import written", PYTHONPATH="")
    assert ran.returncode == 1
    assert "ImportError: <module 'rules'" in ran.stderr
    assert "is not adcompiler's package `rules`" in ran.stderr


def test_a_user_module_that_is_needed_is_imported(tmp_path, monkeypatch):
    (tmp_path / "aot_errors.py").write_text("class Negative(Exception):\n    pass\n")
    (tmp_path / "aot_model.py").write_text(
        "import numpy as np\nimport aot_errors\n\n\ndef f(x):\n    if np.sum(x) < 0:\n"
        "        raise aot_errors.Negative('no')\n    return np.sum(x * x)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("aot_model")
    text = compile_module(model.f, tmp_path / "out.py", signatures="f64[n]")
    assert "from aot_errors import Negative" in text
    assert "aot_model" not in text.replace("aot_model.py", "")
    with pytest.raises(model.aot_errors.Negative):
        public(imported(tmp_path / "out.py"))(-x)


# ---- entry ---------------------------------------------------------------------------------------


def rejected(gradient: Any, *args: Any) -> str:
    with pytest.raises(TypeError) as raised:
        gradient(*args)
    return str(raised.value)


def test_mismatch_tells_what_is_expected_and_what_was_got(tmp_path):
    gradient = compiled(logistic, tmp_path, "f64[m], float, f64[n,m], f64[n]")
    assert rejected(gradient, x, 0.5, np.ones((5, 4)), np.ones(5)) == (
        "logistic_grad() got arguments that it was not compiled for\n"
        "  expected w: f64[m], b: float, X: f64[n,m], y: f64[n]\n"
        "  got      w: f64[3], b: float, X: f64[5,4], y: f64[5]\n"
        "  axis 1 of X has length 4, and m is 3"
    )


@pytest.mark.parametrize(
    ("signature", "args", "problem"),
    [
        ("f64[n], f64[n]", (x.astype("float32"), y), "x is f32[3], not f64[n]"),
        ("f64[n], f64[n]", (x.astype(">f8"), y), "x is >f8[3], not f64[n]"),
        ("f64[n], f64[n]", (A, y), "x is f64[3,3], not f64[n]"),
        ("f64[n], f64[n]", (x, 2.0), "y is float, not f64[n]"),
        ("f64[n], f64[n]", (list(x), y), "x is [f64, f64, f64], not f64[n]"),
        ("f64[n], f64[n]", (np.ma.array(x), y), "x is MaskedArray f64[3], not f64[n]"),
        ("f64[n], f64[n]", (np.ones(1), np.ones(1)), "axis 0 of x has length 1, and n is not to be 1"),
        ("f64[n], f64[n]", (x, np.ones(4)), "axis 0 of y has length 4, and n is 3"),
        ("f64[n], f64[m]", (x, np.ones(4)), "n == m does not hold: n is 3, m is 4"),
        ("f64[n,m], f64[n,1]", (A, A), "axis 1 of y has length 3, and is to be 1"),
        ("f64[3], f64[3]", (np.ones(4), y), "axis 0 of x has length 4, and is to be 3"),
        ("f64[n+1], f64[n]", (x, x), "axis 0 of y has length 3, and n is 2"),
        ("f64[n-1], f64[n-1]", (np.zeros(0), np.zeros(0)), "axis 0 of x has length 0, and n is not to be 1"),
        ("f64[n], f64[()]", (x, 2.0), "y is float, not f64[]"),
        ("f64[n], f64[()]", (x, np.float64(2.0)), "y is f64, not f64[]"),
        ("f64[n], f64", (x, 2.0), "y is float, not f64"),
        ("f64[n], f64", (x, np.float32(2.0)), "y is f32, not f64"),
        ("f64[n], f64", (x, np.array(2.0)), "y is f64[], not f64"),
        ("f64[n], float", (x, np.float64(2.0)), "y is f64, not float"),
        ("f64[n], float", (x, 2), "y is int, not float"),
        ("f64[n], int", (x, True), "y is bool, not int"),
        ("f64[n], 2", (x, 3), "y is 3, not 2"),
        ("f64[n], 0.0", (x, -0.0), "y is -0.0, not 0.0"),
        ("f64[n], float", (x, None), "y is None, not float"),
    ],
)  # fmt: skip
def test_an_argument_of_another_kind_is_a_type_error(signature, args, problem, tmp_path):
    message = rejected(compiled(broadcast, tmp_path, signature), *args)
    assert message.splitlines()[-1].strip() == problem
    assert "expected x: " in message and "\n  got      x: " in message


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (({"W": A, "b": x}, (x, 2.0), [y]), ""),
        (({"b": x, "W": A}, (x, 2.0), [y]), "p is {'b': f64[3], 'W': f64[3,3]}, not {'W': f64[n,n], 'b': f64[n]}"),
        (({"W": A}, (x, 2.0), [y]), "p is {'W': f64[3,3]}, not {'W': f64[n,n], 'b': f64[n]}"),
        (({"W": A, "b": np.ones(4)}, (x, 2.0), [y]), "axis 0 of p['b'] has length 4, and n is 3"),
        (([A, x], (x, 2.0), [y]), "p is [f64[3,3], f64[3]], not {'W': f64[n,n], 'b': f64[n]}"),
        (({"W": A, "b": x}, [x, 2.0], [y]), "q is [f64[3], float], not (f64[n], float)"),
        (({"W": A, "b": x}, (x,), [y]), "q is (f64[3],), not (f64[n], float)"),
        (({"W": A, "b": x}, (x, 2), [y]), "q[1] is int, not float"),
        (({"W": A, "b": x}, (x, 2.0), (y,)), "rs is (f64[3],), not [f64[?]]"),
        (({"W": A, "b": x}, (x, 2.0), [y, 2.0]), "rs[1] is float, not f64[?]"),
        (({"W": A, "b": x}, (x, 2.0), []), "rs_len >= 1 does not hold: rs_len is 0"),
    ],
)  # fmt: skip
def test_containers_are_tested_item_by_item(args, problem, tmp_path):
    def f(p, q, rs):
        total = np.sum(p["W"] @ p["b"] * q[0]) * q[1]
        for r in rs:
            total += np.sum(r)
        return total

    gradient = compiled(f, tmp_path, "{'W': f64[n,n], 'b': f64[n]}, (f64[n], float), [f64[m]]")
    if not problem:
        assert_same(gradient(*args), grad(f)(*args))
    else:
        assert rejected(gradient, *args).splitlines()[-1].strip() == problem


def test_what_a_slice_assumes_of_a_length_is_tested(tmp_path):
    def f(u):
        return np.sum(u[2:] * u[:-2])

    gradient = compiled(f, tmp_path, "f64[n]")
    assert rejected(gradient, np.ones(0)).splitlines()[-1].strip().endswith("n is 0")
    for n in range(3, 6):
        assert_close(gradient(np.arange(float(n))), differences(f, (np.arange(float(n)),)))


def test_a_list_has_any_number_of_elements(tmp_path):
    gradient = compiled(listed, tmp_path, "[f64[n]], float", argnums=(0, 1))
    with pytest.raises(TypeError, match="xs_len >= 1 does not hold: xs_len is 0"):  # `total` would be 0.0
        gradient([], 2.0)
    for count in 1, 2, 5:
        assert_same(gradient([x] * count, 2.0), grad(listed, (0, 1))([x] * count, 2.0))


def test_python_binds_the_call(tmp_path):
    gradient = compiled(with_defaults, tmp_path, "f64[n]")
    assert_same(gradient(x=x, power=-1.5), gradient(x))
    with pytest.raises(TypeError, match="unexpected keyword"):
        gradient(x, speed=1)
    assert "name is 'b', not 'a'" in rejected(lambda: gradient(x, name="b"))
    assert "pair[0] is float, not int" in rejected(lambda: gradient(x, pair=(1.0, None)))
    assert "flag is False, not True" in rejected(lambda: gradient(x, flag=False))


# ---- several signatures --------------------------------------------------------------------------

VARIANTS = ["f64[n], f64[n]", "f64[n], float", "f32[n], f32[n]", "f64[1], f64[n]"]


def test_the_variant_is_chosen_at_entry(tmp_path):
    gradient = compiled(broadcast, tmp_path, *VARIANTS, argnums=(0, 1))
    for args in (x, y), (x, 2.0), (x.astype("f4"), y.astype("f4")), (np.ones(1), y):
        assert_same(gradient(*args), grad(broadcast, (0, 1))(*args))
    assert rejected(gradient, A, y) == (
        "broadcast_grad() got arguments that it was not compiled for\n"
        "  expected x: f64[n], y: f64[n]\n"
        "        or x: f64[n], y: float\n"
        "        or x: f32[n], y: f32[n]\n"
        "        or x: f64[1], y: f64[n]\n"
        "  got      x: f64[3,3], y: f64[3]"
    )


def test_variants_by_value(tmp_path):
    def f(x, axis, mode="sin"):
        y = np.sin(x) if mode == "sin" else np.cos(x)
        return np.sum(np.sum(y, axis=axis) ** 2)

    given = "0", "1", "1, 'cos'", "-1", "(0, 1)"
    gradient = compiled(f, tmp_path, *(f"f64[n,m], {rest}" for rest in given))
    for rest in (0,), (1,), (1, "cos"), (-1,), ((0, 1),):
        assert_same(gradient(A, *rest), grad(f)(A, *rest))
    assert "mode: 'tan'" in rejected(gradient, A, 0, "tan")


def test_variants_take_every_way_to_pass_an_argument(tmp_path):
    def f(x, /, y, *rest, scale=2.0, **options):
        return np.sum(x * y) * scale * rest[0] * options["k"]

    options = "(float,), float, {'k': float}"
    gradient = compiled(f, tmp_path, f"f64[n], f64[n], {options}", f"f64[n], float, {options}", argnums=(0, "y"))
    for second in y, 3.0:
        got = gradient(x, second, 4.0, scale=5.0, k=0.5)
        assert_same(got, grad(f, (0, "y"))(x, second, 4.0, scale=5.0, k=0.5))


def test_the_same_signature_twice_is_one_variant():
    once, again = (compile_module(broadcast, signatures=["f64[n], float"] * k) for k in (1, 2))
    assert once == again


# ---- what is refused -----------------------------------------------------------------------------


def reads_an_array(x):
    return np.sum(x * WEIGHTS)


def reads_a_dict(x):
    return np.sum(x * TABLE["rate"])


def reads_another_modules_array(x):
    return np.sum(elsewhere.shifted(x))


def has_a_default_array(x, w=WEIGHTS):
    return np.sum(x * w)


def has_a_default_function(x, f=np.tanh):
    return np.sum(f(x))


class Strange(Exception):
    pass


def raises_its_own(x):
    if np.sum(x) < 0:
        raise Strange
    return np.sum(x)


@pytest.mark.parametrize(
    ("f", "told"),
    [
        (reads_an_array, ["WEIGHTS is an array", "WEIGHTS)", "pass it as an argument"]),
        (reads_a_dict, ["TABLE is a dict", 'TABLE["rate"]', "pass it as an argument"]),
        (reads_another_modules_array, ["OFFSETS is an array", "elsewhere.py", "pass it as an argument"]),
        (has_a_default_array, ["the default of w is an array", "test_aot.py", "leave it out"]),
        (has_a_default_function, ["the default of f is", "not a literal", "leave it out"]),
        (raises_its_own, ["Strange, which is defined in tests.test_aot", "a module of its own"]),
    ],
)
def test_what_a_module_cannot_hold_is_refused(f, told, tmp_path):
    with pytest.raises(UnsupportedError) as raised:
        compile_module(f, tmp_path / "written.py", signatures="f64[n]")
    assert all(text in str(raised.value) for text in told), str(raised.value)
    assert not (tmp_path / "written.py").exists()


def scaled(x, by=(2.0, 3.0)):
    return x * by[0] + by[1]


def weighed(x, by=WEIGHTS):
    return np.sum(x * by)


def test_defaults_of_what_is_called(tmp_path):
    def f(x):
        return np.sum(scaled(x) * scaled(x, (1.0, x)))

    gradient = compiled(f, tmp_path, "f64[n]")
    assert_same(gradient(x), grad(f)(x))
    with pytest.raises(UnsupportedError, match="a default of what it calls(.|\n)*is an array"):
        compile_module(lambda x: weighed(x), signatures="f64[n]")


def bound(k, x):
    return np.sum(x * k)


def cubed(t):
    return np.float64(2.0) * t**3


class Model:
    slope = 0.5

    def __init__(self):
        self.rate, self.weights = 2.0, WEIGHTS

    def loss(self, x):
        return np.sum(x**2) * self.rate * Model.slope

    def weighted(self, x):
        return np.sum(x * self.weights)


def test_partials_methods_and_gradients_are_functions_too(tmp_path):
    for f, arg in (partial(bound, 2.0), x), (Model().loss, x), (grad(cubed), 0.5):
        assert_same(compiled(f, tmp_path, signature_of((arg,)))(arg), grad(f)(arg))
    with pytest.raises(UnsupportedError, match="Strange, which is defined in tests.test_aot"):
        compile_module(partial(raises_its_own), signatures="f64[n]")
    for f in partial(bound, WEIGHTS), Model().weighted:
        with pytest.raises(UnsupportedError, match="is an array, which a module cannot hold"):
            compile_module(f, signatures="f64[n]")


def test_all_that_cannot_be_held_is_told_at_once():
    def f(x):
        return np.sum(x * WEIGHTS) * TABLE["rate"]

    with pytest.raises(UnsupportedError) as raised:
        compile_module(f, signatures="f64[n]")
    assert len(raised.value.problems) == 2


def test_a_value_that_decides_the_code_has_to_be_in_the_signature():
    with pytest.raises(UnsupportedError, match="the signature gives only its kind(.|\n)*'f64.n., 2'"):
        compile_module(lambda x, k: np.sum(np.sum(x, axis=k) ** 2), signatures="f64[n,m], int")


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (SignatureError, {"signatures": "f65[n], float"}),
        (SignatureError, {"signatures": "f64[n], float, float"}),
        (SignatureError, {"signatures": "f64[n], ..."}),
        (SignatureError, {"signatures": "f64[n], -float"}),
        (UnsupportedError, {"signatures": "f64[n]"}),
        (GradientError, {"signatures": "i64[n], float"}),
        (GradientError, {"signatures": "f64[n], float", "argnums": "z"}),
        (GradientError, {"signatures": "f64[n], float", "has_aux": True}),
        (ValueError, {"signatures": []}),
    ],
)
def test_requests_that_make_no_sense(error, options):
    with pytest.raises(error):
        compile_module(broadcast, **options)


# ---- the text ------------------------------------------------------------------------------------


def test_names_of_the_program_keep_clear_of_those_of_the_module(tmp_path):
    np_, Signature, _KINDS, rules, mismatch, SOURCE_SHA256 = 2.0, 3.0, 4.0, 5.0, 6.0, 7.0

    def f(x, spread, zeros_like):
        f_grad = np.sum(x) * np_ * Signature * _KINDS * rules * mismatch * SOURCE_SHA256
        _f_grad_1 = f_grad * spread
        return _f_grad_1 * np.sum(np.cumprod(zeros_like))

    for signatures in ["f64[n], float, f64[m]"], ["f64[n], float, f64[m]", "f64[n], f64, f64[m]"]:
        gradient = compiled(f, tmp_path, *signatures, argnums=(0, 1, 2))
        assert_same(gradient(x, 2.0, y), grad(f, (0, 1, 2))(x, 2.0, y))


def test_parameters_and_globals_of_helpers_may_be_called_alike(tmp_path):
    def f(GAIN, np):
        return GAIN * amplified(np)

    gradient = compiled(f, tmp_path, "float, float", argnums=(0, 1))
    assert_same(gradient(2.0, 0.5), grad(f, (0, 1))(2.0, 0.5))


WRITE = """
import sys
sys.path[:0] = [{root!r}, {folder!r}]
from adcompiler import compile_module
import aot_written_twice
compile_module(aot_written_twice.f, "out.py", signatures=["f64[n], f64[n,n]", "f32[n], f32[n,n]"], argnums=(0, 1))
"""


def test_text_depends_on_nothing_but_the_program(tmp_path):
    (tmp_path / "aot_written_twice.py").write_text(
        "import math\nimport numpy as np\nfrom tests.elsewhere import amplified\nRATE, STEP = 0.5, 2\n\n\n"
        "def f(x, A):\n    for _ in range(STEP):\n        x = np.linalg.solve(A, amplified(x)) * RATE\n"
        "    return np.sum(np.cumprod(x)) * math.pi + np.sum(np.sort(x))\n"
    )
    texts = []
    for seed in "0", "1":
        folder = tmp_path / seed
        folder.mkdir()
        ran = alone(folder, WRITE.format(root=str(ROOT), folder=str(tmp_path)), PYTHONHASHSEED=seed)
        assert ran.returncode == 0, ran.stderr
        texts.append((folder / "out.py").read_bytes())
    assert texts[0] == texts[1]
    assert str(tmp_path).encode() not in texts[0]


def without_trailing_comments(text: str) -> str:
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]].rstrip()
    return "\n".join(lines) + "\n"


def test_formatter_and_linter_leave_modules_alone(tmp_path):
    for i, case in enumerate(CASES):
        path = written(tmp_path, case, f"module_{i}")
        path.write_text(without_trailing_comments(path.read_text()))
    compile_module(broadcast, tmp_path / "variants.py", signatures=VARIANTS)
    (tmp_path / "variants.py").write_text(without_trailing_comments((tmp_path / "variants.py").read_text()))
    for command in ["format", "--diff"], ["check", "--select=E,F,W,I", "--ignore=E741"]:
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--line-length=100", str(tmp_path)]
        ran = subprocess.run(ruff, cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def hash_of(text: str) -> str:
    return re.search(r'SOURCE_SHA256 = "(\w{64})"', text)[1]


def test_hash_changes_with_what_went_in_alone(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    parts = {
        "helper": "def helper(x):\n    return x * RATE\n",
        "rate": "RATE = 0.5\n",
        "f": "def f(x):\n    return np.sum(helper(x))\n",
        "other": "def other(x):\n    return x\n",
    }

    def text_with(name: str, **changed: str) -> str:
        source = "import numpy as np\n\n" + "\n\n".join({**parts, **changed}.values())
        (tmp_path / f"{name}.py").write_text(source)
        return hash_of(compile_module(importlib.import_module(name).f, signatures="f64[n]"))

    first = text_with("aot_hash_0")
    assert text_with("aot_hash_1", other="def other(x):\n    return 2 * x\n") == first
    assert text_with("aot_hash_2", helper="def helper(x):\n    return x * RATE * 2\n") != first
    assert text_with("aot_hash_3", rate="RATE = 0.25\n") != first
    assert text_with("aot_hash_4", f="def f(x):\n    return np.sum(helper(x) * 1)\n") != first


def test_header_names_the_function_and_the_version():
    tree = ast.parse(compile_module(broadcast, signatures="f64[n], float", argnums=(1, 0)))
    text = ast.get_docstring(tree)
    line = broadcast.__code__.co_firstlineno
    assert text.startswith(f"Gradient of `broadcast` (test_aot.py:{line}) with respect to y, x.")
    assert importlib.metadata.version("adcompiler") in text


def test_documentation_shows_what_is_written(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "aot.md").read_text(encoding="utf-8")
    source, shown, dispatch = re.findall(r"```python\n(.*?)```", text, re.S)
    command, checked = (shlex.split(line) for line in re.findall(r"^    adc (compile .*)$", text, re.M))
    (tmp_path / "logreg.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    for argv in command, checked:
        ran = alone(tmp_path, "from adcompiler.cli import main; main()", *argv)
        assert ran.returncode == 0, ran.stderr
    version = importlib.metadata.version("adcompiler")
    assert (tmp_path / "loss_grad.py").read_text().replace(version, "0.1.0.dev0") == shown, "copy what is written now"
    gradient = public(imported(tmp_path / "loss_grad.py"))
    message = rejected(gradient, x, 0.5, np.ones((5, 4)), np.ones(5))
    assert f"TypeError: {message}\n" in text
    command += ["--signature", "f32[m], float, f32[n,m], f32[n]"]
    alone(tmp_path, "from adcompiler.cli import main; main()", *command)
    assert dispatch in (tmp_path / "loss_grad.py").read_text()


def test_plain_code_writes_nothing_in_place(tmp_path):
    signature = "f64[m], float, f64[n,m], f64[n]"
    reused, plain = (compile_module(logistic, signatures=signature, reuse=reuse) for reuse in (True, False))
    assert re.search(r"^    \w+ [+*-]= ", reused, re.M)
    assert not re.search(r"^    \w+ [+*-]= ", plain, re.M)


# ---- the command ---------------------------------------------------------------------------------

MODEL = """\
import numpy as np

LEVEL = 0.5
WEIGHTS = np.ones(3)

def loss(w, b, X):
    return np.sum((X @ w + b - LEVEL) ** 2)

def pair(w):
    return np.sum(w * w), w

def weighted(w):
    return np.sum(w * WEIGHTS)

def yields(w):
    yield w
"""
LOSS = ("--signature", "f64[m], float, f64[n,m]", "--argnums", "w,b")


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "aot_cli_model.py").write_text(MODEL)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path / "aot_cli_model.py"
    sys.modules.pop("aot_cli_model", None)


def adc(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compile", *map(str, arguments)])


def test_command_writes_the_module(model, tmp_path):
    result = adc(f"{model}:loss", *LOSS, "-o", tmp_path / "out.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{tmp_path / 'out.py'}: the gradient of loss.\n"
    f = imported(model).loss
    assert_same(public(imported(tmp_path / "out.py"))(x, 0.5, A), grad(f, (0, 1))(x, 0.5, A))


def test_command_takes_the_options_of_the_function(model, tmp_path):
    out = tmp_path / "out.py"
    arguments = f"{model}:pair", "--signature", "f64[n]", "--signature", "f32[n]", "--value", "--has-aux", "--plain"
    assert adc(*arguments, "-o", out).exit_code == 0
    pair, options = sys.modules["aot_cli_model"].pair, {"value": True, "has_aux": True, "reuse": False}
    assert out.read_text() == compile_module(pair, signatures=["f64[n]", "f32[n]"], **options)


def test_command_compiles_the_gradient_of_what_is_left_in_an_argument(tmp_path):
    model, out = tmp_path / "aot_left_in.py", tmp_path / "out.py"
    model.write_text("import numpy as np\n\n\ndef total(out, x):\n    out[()] = np.sum(x**3)\n")
    arguments = f"{model}:total", "--signature", "f64[], f64[n]", "--argnums", "x", "-o", out
    assert adc(*arguments, "--of", "out").exit_code == 0
    assert_same(public(imported(out))(np.zeros(()), x), 3 * x**2)
    unknown = adc(*arguments, "--of", "y")
    assert (unknown.exit_code, "there is no 'y'" in unknown.stderr) == (2, True)


def test_check_passes_only_what_would_be_written_now(model, tmp_path):
    out = tmp_path / "out.py"
    checked = f"{model}:loss", *LOSS, "-o", out, "--check"
    missing = adc(*checked)
    assert (missing.exit_code, "There is no file" in missing.stderr, out.exists()) == (1, True, False)
    adc(*checked[:-1])
    fresh = adc(*checked)
    assert (fresh.exit_code, fresh.stdout) == (0, f"{out} is up to date.\n")
    text = out.read_text()
    out.write_text(text + "\n")
    edited = adc(*checked)
    assert (edited.exit_code, "is not what would be written now" in edited.stderr) == (1, True)
    assert out.read_text() == text + "\n"
    out.write_text(text)
    assert adc(*checked, "--value").exit_code == 1
    model.write_text(MODEL.replace("0.5", "0.75"))
    sys.modules.pop("aot_cli_model")
    assert adc(*checked).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["{model}:weighted", "--signature", "f64[n]", "-o", "{out}"], 1, "WEIGHTS is an array"),
        (["{model}:yields", "--signature", "f64[n]", "-o", "{out}"], 1, "yield"),
        (["{model}:loss", "--signature", "i64[n], float, f64[n,m]", "-o", "{out}"], 1, "w"),
        (["{model}:loss", "--signature", "f65[n]", "-o", "{out}"], 2, "f65"),
        (["{model}:los", "--signature", "f64[n]", "-o", "{out}"], 2, "Did you mean loss?"),
        (["{model}:loss", "--signature", "f64[n]", "--argnums", "c", "-o", "{out}"], 2, "there is no 'c'"),
        (["{model}:loss", "-o", "{out}"], 2, "--signature"),
        (["{model}:pair", "--signature", "f64[n]"], 2, "-o"),
        (["{model}:loss", *LOSS, "-o", "{folder}/none/out.py"], 2, "cannot be written"),
        (["{model}:loss", *LOSS, "-o", "{folder}"], 2, "directory"),
        (["{model}:loss", *LOSS, "-o", "{model}"], 2, "the file in which loss is defined"),
        (["{model}:loss", *LOSS, "-o", "{folder}/rules.py"], 2, "would hide the package `rules`"),
    ],
)
def test_complaints_of_the_command(model, tmp_path, arguments, status, told):
    out = tmp_path / "out.py"
    result = adc(*(a.format(model=model, out=out, folder=tmp_path) for a in arguments))
    assert result.exit_code == status, result.output
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert not out.exists()
    assert model.read_text() == MODEL
