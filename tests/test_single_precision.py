"""Single precision stays single: gradients, tangents and second derivatives have the dtype of what they are of."""

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompiler import compile_module, grad, jvp, vjp

X, W = np.array([0.5, -1.0, 2.0], np.float32), np.array([1.5, 0.25, -0.5], np.float32)
M = np.array([[0.5, -1.2, 0.7], [1.1, 0.3, -0.4]], np.float32)


def half_a_product(x, w):
    return 0.5 * np.einsum("i,i->", x, w)


def product_and_parts(x, w):
    return np.einsum("i,i->", x, w) + np.sum(np.cumsum(x) ** 2) + np.sum(x[1:] * w[1:])


def bilinear(m, w):
    return np.einsum("ij,j->", m, w) + np.sum(m[1:] ** 2) * np.sum(w**2)


def total(m, w):
    return 3.0 * np.einsum("ij->", m) * np.einsum("i,->", w, 2.0) + np.sum(m**2)


def clipped(x, w):
    return np.sum(np.clip(0.3, w, 9.0) * x) + np.sum(x**2)


def running(x, w):
    return sum(x) * sum(v * v for v in w)


def started_with_a_float(x, w):
    s = 0.0
    for v in x:
        s += v * w[0]
    return s


PROGRAMS: list[tuple[Callable[..., Any], Any, Any]] = [
    (half_a_product, X, W), (product_and_parts, X, W), (bilinear, M, W), (total, M, W), (clipped, X, W),
    (running, X, W), (started_with_a_float, X, W),
]  # fmt: skip


@pytest.mark.parametrize("f, x, w", PROGRAMS, ids=[f.__name__ for f, *_ in PROGRAMS])
def test_all_modes(f: Any, x: Any, w: Any) -> None:
    h, wide = 1e-6, (x.astype(float), w.astype(float))
    slope = (f(wide[0] + h * wide[0], wide[1] + h * wide[1]) - f(wide[0] - h * wide[0], wide[1] - h * wide[1])) / 2 / h
    gradients = grad(f, argnums=(0, 1))(x, w)
    value, tangent = jvp(f, (x, w), (x, w))
    y, pull = vjp(f, x, w)
    assert type(value) is type(tangent) is type(y) is type(f(x, w))
    assert tangent == pytest.approx(slope, rel=1e-5)
    for d_x, d_w in (gradients, pull(type(y)(1))):
        assert d_x.dtype == d_w.dtype == np.float32
        assert np.sum(d_x * x) + np.sum(d_w * w) == pytest.approx(slope, rel=1e-5)
    second = grad(lambda x, w: np.sum(grad(f)(x, w) ** 2), argnums=(0, 1))(x, w)
    assert [d.dtype for d in second] == [np.float32] * 2
    assert jvp(grad(f), (x, w), (x, w))[1].dtype == np.float32


def test_complex() -> None:
    def f(z, v):
        return 0.5 * np.real(np.einsum("i,i->", z, v)) + np.sum(np.abs(z[1:]) ** 2)

    z, v = (X + 1j * W).astype(np.complex64), (W - 2j * X).astype(np.complex64)
    d_z, d_v = grad(f, argnums=(0, 1))(z, v)
    assert d_z.dtype == d_v.dtype == np.complex64
    np.testing.assert_allclose(d_v, 0.5 * z, rtol=1e-6)
    np.testing.assert_allclose(d_z, 0.5 * v + 2 * np.conj(z) * [0, 1, 1], rtol=1e-6)


def test_ahead_of_time(tmp_path: Path) -> None:
    path = tmp_path / "single.py"
    compile_module(product_and_parts, path, signatures="f32[n], f32[n]")
    spec = importlib.util.spec_from_file_location("single", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.product_and_parts_grad(X, W).dtype == np.float32


def test_a_zero_of_single_precision_through_a_function_of_python_numbers():
    """What is written over has the cotangent zero; times a number of single precision it is one."""
    def f(a):
        c = np.array(math.sin(a.trace()))
        c -= c * c
        c.fill(0.25)
        c[()] = np.sin(c)
        return c * 1.0

    a = M[:, :1]
    assert grad(f)(a).dtype == np.float32 and not grad(f)(a).any()
    _, pullback = vjp(f, a)
    assert pullback(1.0)[0].dtype == np.float32
