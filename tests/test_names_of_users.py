"""Generated code means its own functions, whatever the user calls arguments and globals."""

import itertools
import linecache

import numpy as np
import pytest

from adcompiler import grad, jvp, vjp
from adcompiler.ahead import compile_module

from .numerics import assert_close, differences

X = np.array([0.5, 0.8])
NUMBERS = itertools.count()
NAMES = ["zip", "reversed", "range", "list", "len", "np", "float", "max", "pullback", "ws", "multiply", "f_grad",
         "f_vjp", "f_jvp", "_", "s_2"]  # fmt: skip
ARGUMENT = """
def f(NAME):
    s = NAME[0]
    for i in steps(3):
        s = s * NAME[1] + NAME[i % 2]
    return s
"""
GLOBAL = """
NAME = 0.7

def f(x):
    s = x[0] * READ
    xs = []
    i = 0
    while i < 3:
        s = s * numpy.sin(s * x[1]) + i
        xs.append(s * s)
        i += 1
    t = 0.0
    for a in xs:
        t = t + a * a + numpy.sum(numpy.where(x > 0, x, -numpy.inf))
    return t
"""


def made(text):
    file = f"<names {next(NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    module = {"numpy": np, "__name__": "names", "steps": range}
    exec(compile(text, file, "exec"), module)
    return module["f"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text, read", [(ARGUMENT, ""), (GLOBAL, "NAME"), (GLOBAL, "1.0")])
def test_names_of_builtins_and_of_generated_functions_are_free_for_the_user(name, text, read):
    f = made(text.replace("READ", read).replace("NAME", name))
    wanted = differences(f, (X,))
    assert_close(grad(f)(X), wanted)
    kept = grad(f, max_workspaces=2)
    kept(X)
    assert_close(kept(X), wanted)
    assert_close(vjp(f, X)[1](1.0)[0], wanted)
    assert_close(np.array([jvp(f, (X,), (e,))[1] for e in np.eye(2)]), wanted)
    for workspaces in (False, True):
        module: dict = {"__name__": "written"}
        exec(compile_module(f, None, signatures="f64[n]", workspaces=workspaces), module)
        assert_close(module["f_grad"](X), wanted)


def test_a_global_called_as_the_generated_function_is_what_it_was():
    f = made("f_grad = f_vjp = f_jvp = 0.5\ndef f(x):\n    return x * x * f_grad * f_vjp * f_jvp\n")
    assert grad(f)(2.0) == 0.5
    assert vjp(f, 2.0)[1](1.0) == (0.5,)
    assert jvp(f, (2.0,), (1.0,)) == (0.5, 0.5)
