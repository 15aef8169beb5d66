"""Stores into elements in the order of C, into real and imaginary parts, and into views that functions make."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, differentiable, grad, jvp, value_and_grad, vjp
from tests.numerics import check, differences

X = np.array([1.5, 2.0, 3.0, 4.0])
A = np.outer(X, np.cos(X[:3])) + 0.3
Z = X[:, None] * np.array([1 + 1j, 2 - 1j, 0.5j])
T = np.arange(18.0).reshape(3, 2, 3) / 7 + 0.3


def put(a):
    b = a * 1
    np.put(b, [0, 5, 5, 7, -1], a[0, :2] ** 2)
    np.put(b.T, np.array([[1, 2]]), a)
    np.put(b[1], [2, 1, 0], b[1] * a[0])
    b.put(np.argsort(a[0]), 2.5)
    np.put(b, [25, -14], a[2, 1:] * 2, mode="wrap")
    b.put([-3, 99], a[1, 1], "clip")
    np.put(b, 4, a[3])
    np.put(b, [8], a[0, :0])
    return np.sum(b * b * a)


def put_of_what_may_be_empty(x):
    y = np.outer(x, x)
    for k in range(3):
        v = x[k + 2 :]
        np.put(y, 3, v)
        y[1].flat = v * 2.0
        y.flat[[0, k]] = v[1:] * x[0]
        np.putmask(y, y > 5.0, np.sin(v))
    return np.sum(y * y * x)


def put_of_itself(x):
    y = x * 1
    np.put(y, [0, 1, 2, 3], y[::-1])
    return np.sum(y * y * x)


def put_in_a_loop(a):
    b = a * 1
    for i in range(3):
        np.put(b, [i, 4 - i, i], b[1, i] * a[0])
    return np.sum(b * b * a)


def put_along_an_axis(a):
    b = a * 1
    np.put_along_axis(b, np.argmax(a, axis=0)[None], a[1:2] ** 2, axis=0)
    np.put_along_axis(b.T, np.array([[0, 1, 1, 2]]), a[:, 0] ** 2, 0)
    np.put_along_axis(b[0], np.array([0, 0]), a[0, :2], axis=-1)
    np.put_along_axis(b, np.array([[1]]), a[0, 0], axis=1)
    return np.sum(b * b * a)


def flat_is_read(a):
    first = a.flat[1]
    part = a.flat[2:6]
    a[0] = 0.0
    total = first * np.sum(part * part) + np.sum(a.flat[np.array([[0, 1], [1, 5]])]) + np.sum(a.flat[a.ravel() > 1.0])
    for v in a.flat:
        total = total + v * v
    return total + sum(k * v for k, v in enumerate(a.flat))


def flat_is_written(a):
    b = a * 1
    c = b
    b.flat[2] = a[0, 0] * 2
    b.flat[[3, 4, 3]] = a[1]
    b.flat[6:] = a[2, :2]
    c.flat[a.ravel() > 1.0] = a[0, :2]
    b.T.flat[1] = a[1, 1]
    b[1].flat = a[2, :2]
    b.flat[np.array([[0, 1], [1, 3]])] = a[3]
    b[:2].flat[...] = (b[:2] * 2.0)[::-1]
    return np.sum(b * c * a)


def flat_is_augmented(a):
    b = np.zeros((4, 3))
    b[...] = a
    b.flat[3] *= a[0, 0]
    b.flat[1::2] += 2.0 * a.flat[1::2]
    b.flat[[1, 1]] -= a[0, :2]
    b.flat[...] **= 2
    for i, v in enumerate(b.flat):
        if i < 11:
            b.flat[i + 1] += v * a[0, 0] / 10
    return np.sum(b * b * a)


def real_and_imaginary_parts(z):
    w = z * 1
    w.real[...] *= z.imag
    w.imag -= z.real
    w.imag[[0, 0, 1]] = z.real[:3]
    w.real[[0, 1]] += 2.0
    w.real[z.real > 2.1] = z.imag[z.real > 2.1]
    w.imag /= 2.0
    w.real **= 2
    w.imag[1:, 1] = np.abs(z[1:, 0])
    w.T.real[0] = 3.0 * z[:, 1].imag
    return np.sum(np.abs(w) ** 2 * z.real)


def parts_of_an_argument(z):
    z.real[1:] *= z.imag[1:]
    z.imag = z.real**2
    z.real, z.imag = z.imag, z.real
    return np.sum(z.real * z.imag) + np.sum(np.abs(z))


def names_of_parts(z):
    w = z * 1
    r = np.real(w)
    i = w[1:].imag
    w[1, 2] = 7.0
    r.T[1] *= 3.0
    i += r[:-1]
    w[0] = z[1] * z[2]
    np.add(r, 1.0, out=r)
    i.fill(0.5)
    return np.sum(np.abs(w) ** 2 * z.real) + np.sum(r[0] * i[0])


def parts_in_loops_and_branches(z):
    w = z * 1
    r = w.real
    for k in range(3):
        w.real[k] = np.sin(w.imag[k - 1]) * w.real[k]
        w.imag[k, 1] += w.real[k, 0] ** 2
        if k == 1:
            r[0] = w.imag[1] ** 2
    if z[0, 0].real > 1.0:
        r[1] *= 2.0
    else:
        w.imag[1] = 0.0
    return np.sum(np.abs(w) ** 2 * z.real) + np.sum(r)


def complex_into_parts(z):
    w = z * 1
    w.real = z * z
    w.imag[0] = (z * z)[1]
    return np.sum(np.abs(w) ** 2 * z.real)


def parts_of_a_real_array(x):
    y = x * 2.0
    y.real = x
    y.real[1:] *= x[1:]
    y.real += 1.0
    r = np.real(y)
    r[0] = x[1]
    return np.sum(y * y * x)


def split(x):
    y = x * 1
    left, right = np.split(y, 2)
    left[...] = x[2:] ** 2
    right *= left
    a, b, c = np.split(y, [1, 3])
    b *= x[1:3]
    a[0] = c[0] * 2.0
    parts = np.array_split(y, 3)
    parts[0] += x[2]
    parts[1][0] = parts[2][0]
    np.split(y, 2)[1][:1] *= 3.0
    for part in np.split(y, 2):
        part *= part[0]
    return np.sum(y * y * x) + np.sum(left)


def split_along_axes(a):
    b = a * 1
    u, v, w = np.hsplit(b, 3)
    u *= a[:, 1:2]
    v[0] = w[1]
    upper, lower = np.vsplit(b, [1])
    upper *= lower[1]
    left, right = np.split(b, [1], axis=-1)
    right.T[0] = left[:, 0] ** 2
    first, _, _, last = np.unstack(b)
    first *= last
    np.unstack(b, axis=1)[1][2:] += 1.0
    return np.sum(b * b * a)


def split_in_loops(x):
    y = x * 1
    left, right = np.split(y, 2)
    for _ in range(2):
        left *= right
        y[0] += 1.0
        right[0] = left[1]
        inner, _ = np.array_split(y[1:], 2)
        inner *= 0.5
    if x[0] > 1.0:
        left[0] = 4.0 * x[1]
    return np.sum(y * y * x) + np.sum(left * right)


def arrays_as_they_are(x):
    x = np.asarray(x, dtype=float)
    y = x * 1
    z = np.asanyarray(np.atleast_1d(y))
    z[1:] *= x[1:]
    y[0] = 3.0 * x[1]
    rows = np.asarray([y, x])
    y[2] = 7.0
    rows[0, 1] *= x[2]
    single = np.asarray(x * 1, dtype=np.float32)
    single[0] *= 0.0
    return np.sum(y * z * x) + np.sum(rows[0] * y)


def at_least_some_axes(x):
    y = x * 1
    w = x * 2
    row = np.atleast_2d(y)
    row[0, 1:] *= x[1:]
    row *= 2.0
    np.atleast_3d(y)[0, 0] = x[1]
    a, b = np.atleast_1d(y, w)
    a[3] = b[1]
    b *= a
    return np.sum(y * w * x) + row[0, 2]


def a_number_of_one_axis(x):
    y = np.array(x * 1)
    z = np.atleast_1d(y)
    z[0] *= x
    matrix = np.atleast_2d(y)
    matrix += 1.0
    return y * z[0]


def diagonals_of_einsum(t):
    b = t * 1
    d = np.einsum("iji->ji", b)
    d *= t[0]
    d[0] += 1.0
    np.einsum("kji", b)[1] *= 2.0
    np.einsum("ij->ji", b[0])[1] = t[0, :, 2]
    m = t[:, 0] * 1
    np.einsum("ii->i", m)[...] = t[0, 1] ** 2
    return np.sum(b * b * t) + np.sum(m @ m) + np.sum(np.einsum("iij->ij", t[:, :1].T[:1] * t[0, 0]) ** 2)


def rotated(a):
    b = a * 1
    r = np.rot90(b)
    r[1:] *= a.T[1:]
    np.rot90(b, 2)[0] += r[0, 0]
    np.flip(b, 1)[1] = a[2]
    return np.sum(b * r.T * a)


def what_calls_give(a):
    def rows(m):
        return m[1:3]

    def turned(m):
        return m.T

    b = a * 1
    rows(b)[0] = a[0] ** 2
    rows(turned(b))[1] *= a[:, 0]
    turned(rows(b))[...] += 1.0
    np.moveaxis(b, 0, -1)[0] = 3.0
    b.swapaxes(0, 1)[1, 2:] -= a[0, 0]
    b[None].squeeze(axis=0)[3] = a[1]
    np.expand_dims(b, 1)[2, 0, :1] *= 4.0
    (b * 2.0)[0] = 5.0
    b.copy()[1] = 3.0
    d = {"w": a * (1 + 1j)}
    d["w"].real[0] = a[1]
    d["w"][1].imag = 3.0 * b[0]
    return np.sum(b * b * a) + np.sum(d["w"].real * d["w"].imag)


PROGRAMS = [
    *((f, A) for f in (put, put_in_a_loop, put_along_an_axis, flat_is_read, flat_is_written, flat_is_augmented,
                       split_along_axes, rotated, what_calls_give)),
    *((f, X) for f in (put_of_itself, put_of_what_may_be_empty, parts_of_a_real_array, split, split_in_loops,
                       at_least_some_axes)),
    *((f, Z) for f in (real_and_imaginary_parts, parts_of_an_argument, names_of_parts, parts_in_loops_and_branches)),
    (diagonals_of_einsum, T), (a_number_of_one_axis, np.array(2.5)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_derivatives(f, x):
    check(f, x)
    direction = np.cos(np.arange(x.size)).reshape(x.shape).astype(x.dtype)
    _, along = jvp(f, (x.copy(),), (direction,))
    np.testing.assert_allclose(along, np.sum((differences(f, (x,)) * direction).real), rtol=1e-6)
    _, pull = vjp(f, x.copy())
    np.testing.assert_allclose(np.sum((pull(1.0)[0] * direction).real), along, rtol=1e-12)
    np.testing.assert_array_equal(pull(2.0)[0], -2.0 * pull(-1.0)[0])


def test_an_array_as_it_is_and_in_single_precision():
    """The differences are of the program without the array in single precision, which nothing reads."""
    value, d = value_and_grad(arrays_as_they_are)(X)
    assert value == arrays_as_they_are(X.copy())
    np.testing.assert_allclose(d, differences(arrays_as_they_are, (X,)), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Casting complex")
def test_complex_numbers_leave_their_real_part():
    check(complex_into_parts, Z)


def test_second_derivative():
    def f(z):
        w = z * 1
        w.real[1:] *= w.imag[1:] ** 2
        w.imag[0] = w.real[1]
        return np.sum(np.abs(w) ** 2 * z.real)

    def slope(z):
        d = grad(f)(z * 1)
        return np.sum(d.real * d.imag)

    z = Z[:2, :2]
    np.testing.assert_allclose(grad(slope)(z), differences(slope, (z,)), rtol=1e-5, atol=1e-5)


def test_single_precision():
    def f(x):
        y = x * 1
        np.put(y, [0, 1], x[2:] * x[:2])
        y.flat[2:] *= 2
        left, right = np.split(y, 2)
        left *= right
        return np.sum(y * y * x)

    d = grad(f)(X.astype(np.float32))
    assert d.dtype == np.float32
    np.testing.assert_allclose(d, grad(f)(X), rtol=1e-5)


def test_values_are_repeated_as_lengths_have_it():
    """One function for all lengths, and for values that are fewer or more than the places."""

    def f(x, v):
        y = x * 1
        np.put(y, [0, 1, 2], v)
        y.flat[2:] = v
        return np.sum(y * y * x)

    gradient = value_and_grad(f, argnums=(0, 1))
    for n, m in [(3, 5), (2, 5), (1, 4), (6, 4), (0, 4), (3, 4)]:
        x, v = np.linspace(1, 2, m), np.linspace(2, 3, n)
        value, (d_x, d_v) = gradient(x, v)
        assert value == f(x, v)
        np.testing.assert_allclose(d_x, differences(f, (x, v), 0), rtol=1e-6)
        np.testing.assert_allclose(d_v, differences(f, (x, v), 1), rtol=1e-6)


def test_an_array_that_cannot_be_split_so_raises():
    def f(x):
        y = x * 1
        a, b, c = np.split(y, 3)
        b[...] = 1.0
        return np.sum(y)

    assert grad(f)(X[:3]).tolist() == [1.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="equal division"):
        grad(f)(X)


def test_a_store_into_a_part_is_one_in_the_generated_code():
    def f(z):
        w = z * 2
        w.real[1:] = 3.0
        np.split(w, [1])[1].imag[...] *= 3.0
        return np.sum(w.real * w.imag)

    text = differentiable(f).source(signature="c128[n]")
    assert "w.real[1:] = 3.0" in text
    assert "w[1:].imag[...] *= 3.0" in text
    assert "copy()" not in text


def test_an_element_in_the_order_of_c_is_one_by_axes():
    def f(a, n):
        b = np.zeros((3, 4))
        for k in range(n):
            b.flat[k] = a.flat[k] ** 2
        return np.sum(b)

    text = differentiable(f).source(signature="f64[n,m], int")
    assert "ravel" not in text
    assert "b.copy()" not in text.replace("d_b.copy()", "")  # the ones of a sum


def as_another_type(x):
    y = np.arange(4) if x[0] > 100.0 else x * 1
    z = np.asarray(y, dtype=float)
    z[0] = 9.0
    return np.sum(y * x)


def a_kept_flat(x):
    y = x * 1
    f = y.flat
    f[2] = 1.0
    return np.sum(y * x) + f[0]


def a_flat_that_is_passed(x):
    return np.sum(np.outer(x, x).flat)


def a_method_of_flat(x):
    return np.sum(np.outer(x, x).flat.copy())


def a_helper_of_an_array_with_an_unknown_name(x):
    def doubled(m):
        m.flat[1:] *= 2.0

    y = x * 1
    z = y if x[0] > 1.0 else x
    doubled(y)
    return np.sum(y * z)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (a_flat_that_is_passed, "pass np.ravel"),
        (a_method_of_flat, "flatten"),
        (as_another_type, "z may share memory with y"),
        (a_helper_of_an_array_with_an_unknown_name, "let doubled return a changed copy"),
        (a_kept_flat, "where it is used, without a name for it"),
    ],
)
def test_refused(f, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(X)
