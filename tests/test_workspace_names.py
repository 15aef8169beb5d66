"""Workspaces in functions that use the names that generated code has for them."""

import numpy as np
import pytest

from adcompiler import grad

from .workspaces import call, follow, kept_arrays

X, Y = np.array([0.5, -1.0, 1.5, 0.3]), np.array([1.0, 0.7, -0.4, 0.9])
W = np.outer(X, Y)


def parameters(ws, out, spare_h):
    h = np.zeros(4)
    for _ in range(5):
        h = np.tanh(ws @ h + spare_h * out)
    return np.sum(h * h * spare_h)


def parameters_as_the_lists_are_called(ws, spare_h, spare_h_next):
    h = np.zeros(4)
    for _ in range(5):
        h = np.tanh(ws @ h + spare_h + spare_h_next)
    return np.sum(h * h * spare_h_next)


def variables(W, x, y):
    ws = np.exp(x)
    out = np.sin(ws) * y
    spares = np.cos(out)
    spare_h = spares * ws
    h = np.zeros(4)
    for _ in range(5):
        h = np.tanh(W @ h + spare_h)
    return np.sum(h * spares * out * spare_h)


def variables_as_the_lists_are_called(W, x, y):
    spare_h_next = np.exp(x)
    h = np.zeros(4)
    for _ in range(5):
        h = np.tanh(W @ h + spare_h_next * y)
    return np.sum(h * spare_h_next)


def attributes(W, x, y):
    """Each variable has an array of the workspace, which has attributes of these names."""
    e = np.exp(x)
    spares = np.sin(e) * y
    __dict__ = np.cos(spares)
    __class__ = np.sin(__dict__)
    return np.sum(__class__ * __dict__ * spares * e)


@pytest.mark.parametrize(
    "f",
    [parameters, parameters_as_the_lists_are_called, variables, variables_as_the_lists_are_called, attributes],
    ids=lambda f: f.__name__,
)
def test_names_of_the_user_are_kept_apart_from_those_of_workspaces(f):
    a, b = call(W, X, Y), call(W.T.copy(), Y, X)
    _, gradient = follow(f, a, b, a, b, argnums=(0, 1, 2))
    assert kept_arrays(gradient)


def keywords(x, **ws):
    e = np.exp(x * ws["a"])
    return np.sum(e * e * np.sin(e))


def keyword_ws(x, **options):
    e = np.exp(x * options["ws"])
    return np.sum(e * e * np.sin(e)) if options["out"] else 0.0


def test_keywords_of_the_user_are_passed_on():
    for f, options in (keywords, {"a": 2.0}), (keyword_ws, {"ws": 2.0, "out": True}):
        results, gradient = follow(f, call(X, **options), call(Y, **options), call(X, **options))
        assert kept_arrays(gradient)
        e = np.exp(2 * X)
        np.testing.assert_allclose(results[2][1], 2 * e * (2 * e * np.sin(e) + e * e * np.cos(e)), rtol=1e-13)


def test_a_list_of_spare_cotangents_is_named():
    def f(x):
        t = np.stack([(x * x)[0] * x for _ in x])
        return np.sum(t * t)

    first = grad(f)

    def product(x):
        return np.sum(first(x) * np.cos(x))

    for _ in range(3):
        np.testing.assert_array_equal(grad(product)(X), grad(product, reuse_buffers=False)(X))
