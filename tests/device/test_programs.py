"""Programs of every construct on the device: the value that Python gives there, the gradient by differences of it."""

import numpy as np
import pytest
from scipy import integrate, optimize

from adcompiler import (
    UnsupportedError,
    check_grad,
    debug_nans,
    differentiable,
    grad,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from tests.device.library import REAL, counted, name, same, to_device, to_host
from tests.device.library import xp as cp

RNG = np.random.default_rng(3)
X = np.array([0.3, -0.7, 1.2, 0.5])
LAYER = {"W": RNG.standard_normal((3, 4)), "b": RNG.standard_normal(3)}


def running(x):
    total = 0.0
    for i in range(3):
        total += cp.sum(cp.sin(x) * (i + 1.0))
        x = x * 0.9
    return total


def stores(x):
    y = cp.zeros(x.shape[0])
    y[1:] = x[1:] * x[:-1]
    y[0] = x[0]
    y[2] += x[1] ** 2
    return cp.sum(y * y)


def element_is_a_view(x):
    y = x * 2.0
    v = y[0]
    y[0] = 3.0 * x[1]
    return v * x[2] + cp.sum(y)


def two_names_of_a_sum(x):
    t = cp.sum(x)
    u = t
    t += 1.0
    return u * t


def branches(x):
    if cp.sum(x) > 0.0 and x[0] < 1.0:
        return cp.sum(x * x)
    return cp.sum(x)


def branches_in_a_loop(x):
    total = 0.0
    for _ in range(4):
        total = total + cp.sum(x * x)
        if total > 3.0:
            x = x * 0.5
    return total


def over_elements(x):
    s = 0.0
    for v in x:
        s = s + v * v * v
    return s


def by_index(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += x[i] * x[i + 1]
    return s


def until_small(x):
    k = 0
    while cp.sum(x * x) > 1.0:
        x = x * 0.5
        k = k + 1
    return cp.sum(x) * 2.0**k


def layer(p):
    return cp.mean(cp.tanh(p["W"] @ p["W"].T + p["b"][:, None]) ** 2)


def made(x):
    n = x.shape[0]
    w = cp.arange(n) * 1.0
    A = cp.eye(n) + cp.ones((n, n)) * 0.1
    return x @ A @ x + cp.sum(w * x) + cp.sum(cp.linspace(0.0, 1.0, n) * x) + cp.sum(cp.full(n, 2.0) * x)


def of_a_list(x):
    y = cp.array([x[0] * x[1], x[1] ** 2, cp.sum(x)])
    return cp.sum(y**2)


def stacks(x):
    rows = [x * k for k in range(3)]
    return cp.sum(cp.stack(rows) ** 2) + cp.sum(cp.concatenate([x, x * x]))


def numpy_names(x):
    return np.sum(np.sqrt(1.0 + x * x)) + np.linalg.norm(x) + np.sin(0.5) * np.max(x)


def collected(x):
    ys = []
    for v in x:
        ys.append(v * 2.0)
    return cp.sum(cp.stack(ys) ** 2)


def to_a_number(x):
    return float(cp.sum(x * x))


def number_or_array(x):
    y = 0.0
    if x.shape[0] > 2:
        y = cp.sum(x)
    z = 1.0
    if cp.sum(x) > 0:
        z = cp.sum(x * x)
    return y * y * z + cp.sum(x)


def indices(x):
    i = cp.argsort(x)
    return cp.sum(x[i][:2] ** 2) + cp.sum(x[cp.array([0, 0, 1])] ** 3) + cp.sum(x[[1, 1, 2]] ** 2)


def stored_by_index(x):
    y = cp.zeros(6)
    y[cp.array([1, 3, 5, 0])] = x
    return cp.sum(y**2 * cp.arange(6))


def masks(x):
    y = x.copy()
    y[x < 0] = 0.0
    return cp.sum(x[x > 0] ** 2) + cp.sum(y**3) + cp.sum(cp.where(x > 0, x**2, -x))


def extrema(x):
    return cp.max(x) * cp.min(x) + x.max() + x.sum() * x.mean()


def spread_of(x):
    return cp.std(x) + cp.var(x) + cp.prod(x) + cp.sum(cp.cumsum(x) ** 2)


def in_place(x):
    y = x.copy()
    y *= 2.0
    y -= x**2
    x *= 3.0
    return (y**3).sum() + (x * y).sum()


def heat(u):
    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return cp.sum(u**2)


def solved(x):
    A = cp.eye(4) * 2.0 + cp.outer(x, x)
    return cp.sum(cp.linalg.solve(A, x)) + cp.linalg.det(A) + cp.log(cp.linalg.inv(A).trace())


def again(x, n=2):
    return cp.sum(x) if n == 0 else again(x * x, n - 1)


def either_library(x):
    xp = cp.get_array_module(x)
    return xp.sum(xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x))))


def of_complex(x):
    z = x * (1.0 + 2.0j)
    return cp.sum(cp.abs(cp.fft.fft(z)) ** 2) + cp.sum(z.real * z.imag)


def without_axes(x):
    total = cp.zeros(())
    i = 0
    while i < 3:
        total = total + cp.sum(x) * i * x[0]
        i += 1
    return total


PROGRAMS = [
    running, stores, element_is_a_view, two_names_of_a_sum, branches, branches_in_a_loop, over_elements, by_index,
    until_small, layer, made, of_a_list, stacks, numpy_names, collected, to_a_number, number_or_array, indices,
    stored_by_index, masks, extrema, spread_of, in_place, heat, solved, again, either_library, of_complex, without_axes,
]  # fmt: skip


def argument(f):
    return LAYER if f is layer else X * 3.0 if f is until_small else X


@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.parametrize("f", PROGRAMS)
def test_program(f, reuse):
    """Nothing is copied to the host, and neither sweep waits more often than the function itself."""
    x = argument(f)
    with counted() as plain:
        value = f(to_device(x))
    compiled = value_and_grad(f, reuse_buffers=reuse)
    check_grad(f, to_device(x))
    for _ in range(3):
        given = to_device(x)
        with counted() as count:
            found, d = compiled(given)
        same(to_host(value), found if f is not to_a_number else cp.asarray(found), 1e-12)
        assert count.transfers == 0
        assert count.waits <= 2 * plain.waits
        same(to_host(given), to_device(x))
    _, pullback = vjp(f, to_device(x))
    same(to_host(d), pullback(1.0)[0], 1e-12)


@pytest.mark.parametrize("f", [running, stores, heat, solved, masks, numpy_names])
def test_second_derivatives_and_tangents(f):
    x, t = to_device(X), to_device(np.array([1.0, -0.5, 0.25, 2.0]))
    value, moved = jvp(f, (x,), (t,))
    d = grad(f)(x)
    same(to_host(cp.sum(d * t)), moved, 1e-10)

    def slope(x):
        return cp.sum(grad(f)(x) * t)

    check_grad(slope, x)


def powers(x, a):
    return cp.sum(cp.exp(a * x)) + cp.sin(a) * cp.sum(x) + cp.sum(x) * np.cos(a)


@pytest.mark.parametrize("a", [0.7, np.float64(0.7)])
def test_the_gradient_by_a_number_is_a_number_which_is_waited_for(a):
    value, (d_x, d_a) = value_and_grad(powers, argnums=(0, 1))(to_device(X), a)
    assert type(value) is type(d_x) is cp.ndarray
    assert type(d_a) is type(a)
    check_grad(powers, to_device(X), a)


def test_scalars_of_numpy_at_the_left():
    def f(x, a):
        return cp.sum(cp.minimum(a, x)) + a * cp.sum(x) + (cp.sum(x) if a < x[0] else cp.max(x) - a)

    for a in (np.float64(0.4), np.float64(0.1)):
        check_grad(f, to_device(X), a)
        assert type(grad(f, argnums=1)(to_device(X), a)) is np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_dtypes_stay(dtype):
    x = to_device(X.astype(dtype))

    def f(x):
        total = 0.0
        for k in range(2):
            total += cp.sum(cp.abs(x) ** 2) * 0.5 + k
        return total * cp.mean(cp.abs(x))

    value, d = value_and_grad(f)(x)
    assert d.dtype == x.dtype
    assert value.dtype == f(x).dtype


def weighted(x):
    return cp.sum(TABLE * x)


TABLE = to_device(np.arange(4.0))


def test_arrays_of_the_module():
    same(np.arange(4.0), grad(weighted)(to_device(X)))


def test_one_gradient_serves_both_libraries():
    def f(x):
        return np.sum(np.sin(x) * x)

    d = grad(f)
    for _ in range(2):
        assert type(d(X)) is np.ndarray
        same(d(X), d(to_device(X)), 1e-12)
    assert "np.sin" in differentiable(f, argnums=0).source(example=(X,))
    assert "np.cos" not in differentiable(f, argnums=0).source(example=(to_device(X),))


def test_what_a_pullback_keeps_is_its_own():
    def f(x):
        return cp.sin(x) * x

    x = to_device(X)
    value, pullback = vjp(f, x)
    x[...] = 77.0
    value[...] = 77.0
    same(np.cos(X) * X + np.sin(X), pullback(to_device(np.ones(4)))[0], 1e-12)


class Layer:
    """An object of the user's, whose attributes are arrays of the device."""

    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return cp.tanh(self.W @ x + self.b)


def through_an_object(layer, x):
    for _ in range(2):
        x = layer(x[:3])
    return cp.sum(x * x)


def test_objects_hold_arrays_of_the_device():
    W, b, x = to_device(LAYER["W"][:, :3].copy()), to_device(LAYER["b"]), to_device(X)
    with counted() as count:
        d = grad(through_an_object)(Layer(W, b), x)
    assert count.transfers == count.waits == 0

    def of_weights(W):
        return through_an_object(Layer(W, b), x)

    same(to_host(grad(of_weights)(W)), d["W"], 1e-12)
    check_grad(of_weights, W)


def test_stopped_gradients():
    same(X, grad(lambda x: cp.sum(stop_gradient(x) * x))(to_device(X)))


def test_generated_code_is_written_with_the_library():
    text = differentiable(running, argnums=0).source(example=(to_device(X),))
    alias = "cp" if REAL else "st"
    assert f"{alias}.cos(x)" in text
    assert "np.cos" not in text
    text = differentiable(running, argnums=0).source("value_and_grad", example=(to_device(X),))
    assert f"{alias}.asarray(0.0" in text


def test_what_is_kept_is_measured_there():
    here, there = (differentiable(lambda x: np.sum(np.sin(x) ** 3)).explain(to(X)) for to in (np.copy, to_device))
    kept = [line.split()[1:6] for line in str(here).splitlines() if "bytes" in line]
    assert kept
    assert kept == [line.split()[1:6] for line in str(there).splitlines() if "bytes" in line]


def test_cotangents_that_are_not_finite_are_found_there():
    def f(x):
        return cp.sum(cp.sqrt(x))

    with debug_nans():
        same(0.5 / np.sqrt(X[2:]), grad(f)(to_device(X[2:])), 1e-12)
        with pytest.raises(FloatingPointError, match=r"the cotangent of x is not finite: inf at \[1\]"):
            grad(f)(to_device(np.array([1.0, 0.0])))


# ------------------------------------------------------------------------------------------------ refusals
HOST = np.ones(4)


def meets_a_table(x):
    return cp.sum(x * HOST)


def indexed_by_the_host(x):
    return cp.sum(x[np.array([0, 1])])


def integral(x):
    return integrate.quad(lambda t: t * cp.sum(x), 0.0, 1.0)[0]


def root(x):
    return optimize.brentq(lambda t: t - cp.sum(x), -9.0, 9.0)


def trimmed(x):
    return cp.sum(np.trapezoid(x))


@pytest.mark.parametrize(
    ("f", "line", "reason"),
    [
        (meets_a_table, 1, f"arrays of {' and '.join(sorted(('numpy', name)))} meet"),
        (indexed_by_the_host, 1, "meet"),
        (integral, 1, f"what SciPy computes here has no form for arrays of {name}"),
        (root, 1, f"brentq has no form for arrays of {name}"),
        (trimmed, 1, f"trapezoid has no form for arrays of {name}"),
    ],
)
def test_what_is_refused(f, line, reason):
    if hasattr(cp, "trapezoid") and f is trimmed:
        return  # a later CuPy has it
    with pytest.raises(UnsupportedError) as error:
        grad(f)(to_device(X))
    text = str(error.value)
    assert reason in text
    assert f"line {f.__code__.co_firstlineno + line}" in text
    assert "Instead:" in text
