"""Programs with classes: gradients by attribute against differences, in each mode; objects are left alone."""

import importlib.util

import numpy as np
import pytest

from adcompiler import compile_module, grad, value_and_grad
from tests.numerics import assert_close, assert_same
from tests.objects import check, entries, is_object, moving, tree
from tests.programs.objects import curves, estimators, filters, layers, machines, mechanics, networks, searches
from tests.signatures import signature_of

MODULES = (filters, networks, mechanics, curves, estimators, layers, machines, searches)
PROGRAMS = [p for m in MODULES for p in m.PROGRAMS]
#: Those that read an array of their module.
OPEN = {
    curves.logistic, estimators.kalman, estimators.extended, estimators.garch, estimators.hidden_markov,
    estimators.holt, layers.mlp, layers.recurrent, layers.batch_norm, layers.named_weights, layers.namespaces,
    layers.attention, searches.spline,
}  # fmt: skip
CLOSED = [(f, args) for f, args in PROGRAMS if not any(is_object(x) for x in args) and f not in OPEN]


def each(programs):
    return pytest.mark.parametrize(("f", "args"), programs, ids=[f.__name__ for f, _ in programs])


@each(PROGRAMS)
def test_gradient(f, args):
    check(f, *args)


@each(PROGRAMS[::3])
def test_without_workspaces(f, args):
    got, wanted = (value_and_grad(f, moving(args), reuse_buffers=b)(*args) for b in (False, True))
    assert_close(tree(got), tree(wanted), 1e-13, 1e-14)


@each(CLOSED)
def test_ahead_of_time(f, args, tmp_path):
    """What makes its objects itself is compiled into a module."""
    compile_module(f, tmp_path / "written.py", signatures=signature_of(args), argnums=moving(args), value=True)
    spec = importlib.util.spec_from_file_location("written", tmp_path / "written.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (name,) = module.__all__
    assert_same(getattr(module, name)(*args), value_and_grad(f, moving(args))(*args))


@pytest.mark.parametrize(
    "f", [mechanics.swung, curves.logistic, curves.polynomial, filters.garch_as_argument], ids=lambda f: f.__name__
)
def test_second_derivatives(f):
    """Of the gradient by one attribute, by all others: against differences of gradients."""
    args = dict(PROGRAMS)[f]
    path = {mechanics.swung: "start.theta", curves.logistic: "params.rate", curves.polynomial: "p.c",
            filters.garch_as_argument: "model.omega"}[f]  # fmt: skip
    check(lambda *a: np.sum(grad(f, path)(*a)), *args, rtol=1e-4, modes=False)


def test_there_is_something_of_everything():
    assert len(PROGRAMS) >= 50 and all(any(True for x in a for _ in entries(tree(x))) for _, a in PROGRAMS)
