"""Gradients of functions that have a rule and no Python source: they go straight to the rule."""

import functools
import math
import operator
from typing import Any

import numpy as np
import pytest
from scipy import fft, linalg, signal, special, stats

from adcompiler import UnsupportedError, differentiable, grad, jvp, value_and_grad, vjp
from tests.numerics import assert_close, differences

P = functools.partial
RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((3, 3)) + 3 * np.eye(3), RNG.standard_normal((3, 3))
S = A @ A.T
X, Y = RNG.random(3) + 0.5, RNG.standard_normal(3)

#: Functions, and arguments of which the floats are differentiated by.
CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    # ufuncs, operators, functions of numbers
    (np.exp, (X,)), (np.multiply, (X, Y)), (np.matmul, (A, X)), (operator.mul, (2.0, 3.0)), (operator.matmul, (A, X)),
    (math.sin, (0.3,)), (math.hypot, (3.0, 4.0)), (np.hypot, (X, Y)), (max, (2.0, 1.0)),
    # reductions and shapes, with options by position and in a partial
    (np.sum, (A, 0)), (P(np.sum, axis=0, keepdims=True), (A,)), (P(np.mean, axis=1), (A,)), (np.prod, (X,)),
    (P(np.clip, a_max=1.0), (X, 0.6)), (np.where, (X > 0.7, X, Y)), (np.concatenate, ([X, Y],)),
    (np.broadcast_arrays, (A, X)), (np.meshgrid, (X, Y)), (np.gradient, (X, 0.5)), (P(np.pad, mode="edge"), (X, 1)),
    (np.interp, (X, np.arange(3.0), Y)), (np.einsum, ("ij,j->i", A, X)), (P(np.einsum, "ij,jk", optimize=True), (A, B)),
    # methods of arrays, unbound and bound
    (np.ndarray.sum, (X,)), (P(np.ndarray.mean, axis=1), (A,)), (np.ndarray.dot, (X, Y)), (np.ndarray.reshape, (A, -1)),
    (np.ndarray.transpose, (A,)), (np.ndarray.clip, (X, 0.6, 1.0)), (np.ndarray.astype, (A, np.float64)), (X.dot, (Y,)),
    # linear algebra
    (np.linalg.solve, (A, X)), (np.linalg.inv, (A,)), (np.linalg.det, (A,)), (np.linalg.norm, (A, "nuc")),
    (P(np.linalg.norm, axis=1), (A,)), (np.linalg.cholesky, (S,)), (np.linalg.eigvalsh, (S,)),
    (np.linalg.svdvals, (A,)), (np.linalg.slogdet, (A,)), (np.linalg.multi_dot, ([A, B, X],)),
    # SciPy
    (special.gamma, (X,)), (special.logsumexp, (X,)), (P(special.logsumexp, axis=0), (A,)), (linalg.expm, (A,)),
    (P(linalg.solve_triangular, lower=True), (A, X)), (linalg.block_diag, (A, X)), (stats.norm.logpdf, (X, 0.1, 1.2)),
    (P(signal.convolve, mode="same"), (X, Y)), (fft.rfft, (X,)), (stats.norm(0.1, 1.2).logpdf, (X,)),
    # functions that call functions
    (np.vectorize(math.sin), (X,)),
]  # fmt: skip


def weights(result: Any) -> Any:
    """A cotangent of the result, in its structure."""
    if isinstance(result, tuple | list):
        return [weights(part) for part in result] if isinstance(result, list) else tuple(map(weights, result))
    made = np.cos(1.0 + np.arange(np.size(result))).reshape(np.shape(result)).astype(np.result_type(result, 0.0))
    return made if isinstance(result, np.ndarray) else made[()]


def leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple | list) else [x]


def product(d: Any, t: Any) -> Any:
    """The sum of the products of two trees, in which None stands for zero."""
    pairs = zip(leaves(d), leaves(t), strict=True)
    return sum(np.sum(np.real(a) * np.real(b)) for a, b in pairs if a is not None and b is not None)


def direction(x: Any) -> Any:
    """A tangent of an argument; None for what is no float."""
    if isinstance(x, list):
        return list(map(direction, x))
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return np.sin(1.0 + np.arange(x.size)).reshape(x.shape)
    return 0.7 if isinstance(x, float) else None


def moved(x: Any, t: Any, h: float) -> Any:
    return [moved(a, b, h) for a, b in zip(x, t)] if isinstance(x, list) else x if t is None else x + h * t


NAMES = [f"{k}-{getattr(getattr(f, 'func', f), '__name__', '')}" for k, (f, _) in enumerate(CALLS)]


@pytest.mark.parametrize("f, args", CALLS, ids=NAMES)
def test_both_modes(f: Any, args: Any) -> None:
    value, pullback = vjp(f, *args)
    assert_close(leaves(value), leaves(f(*args)), rtol=1e-14)
    along, h = tuple(map(direction, args)), 1e-6
    at = [f(*(moved(x, t, step) for x, t in zip(args, along))) for step in (h, -h)]
    d = weights(value)
    wanted = (product(d, at[0]) - product(d, at[1])) / (2 * h)
    pulled = sum(product(g, t) for g, t in zip(pullback(d), along) if g is not None)
    assert pulled == pytest.approx(wanted, rel=1e-6, abs=1e-7)
    _, tangent = jvp(f, args, along)
    assert product(d, tangent) == pytest.approx(wanted, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f, args, kwargs", [
    (np.sum, (X,), {"axis": 0}), (np.sum, (X,), {"keepdims": False}), (np.linalg.norm, (A,), {"ord": "fro"}),
    (np.trace, (A,), {"offset": 1}), (np.ndarray.sum, (X,), {"axis": 0}), (special.logsumexp, (X,), {"axis": 0}),
    (np.linalg.det, (A,), {}), (np.nansum, (A,), {"axis": None}),
])  # fmt: skip
def test_options_by_keyword(f: Any, args: Any, kwargs: Any) -> None:
    value, gradient = value_and_grad(f)(*args, **kwargs)
    assert value == f(*args, **kwargs)
    assert_close(gradient, differences(P(f, **kwargs), args))
    assert_close(grad(f)(*args, **kwargs), gradient)


def test_the_pullback_is_that_of_the_rule() -> None:
    text = differentiable(np.linalg.solve, argnums=(0, 1)).source("vjp", example=(A, X))
    assert "solve.with_state_d_b(d_value, state)" in text and "-np.outer(d_b, value)" in text
    assert len([line for line in text.splitlines() if "=" in line]) == 4  # factors, a copy, d_b, d_A
    assert "return np.ones_like(a)" in differentiable(np.sum).source(example=(X,))
    assert "d_x = math.cos(x)" in differentiable(math.sin).source(example=(0.3,))


@pytest.mark.parametrize("f, args, words", [
    (np.unique, (X,), "which elements there are changes by jumps"), (str.upper, ("a",), "no rule, and no source"),
    (math.gcd, (2.0, 1.0), "gcd has no rule"), (P(np.sum, where=X > 1), (X,), "keyword 'where'"),
])  # fmt: skip
def test_what_has_no_derivative_says_so(f: Any, args: Any, words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(*args)
