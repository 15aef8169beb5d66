"""`a.item()`: the element as a number of Python's, which is differentiated like any other."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, compile_module, grad, jvp, value_and_grad

from .numerics import check

X, A = np.array([0.7, 1.3, -0.4]), np.arange(6.0).reshape(2, 3) / 7.0

PROGRAMS = [
    (lambda x: x.sum().item() ** 2, (X,)),
    (lambda x: x.item(0) * x.item(-1) + np.max(x).item(), (X,)),
    (lambda a: a.item(4) * a.item((1, 2)) + a.item(0, 1) ** 2, (A,)),
    (lambda a: np.dot(a[0], a[1]).item() * a[:1, :1].item(), (A,)),
    (lambda x: np.array(x[0] * x[1]).item() ** 2, (X,)),
    (lambda x, k: x[np.argmax(x).item()] * x[k.item()] ** 2, (X, np.int64(2))),
    (lambda x: x[0] if (x > 0.5).any().item() else x[1], (X,)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_items(f, args):
    check(f, *args)
    gradient = grad(f)(*args)
    direction = np.ones_like(args[0])
    moved = jvp(f, args, (direction, *[None] * (len(args) - 1)))[1]
    assert moved == pytest.approx(np.real(np.sum(gradient * direction)))


def test_its_type_and_single_precision():
    def f(x):
        return x.sum().item() * x.item(0)

    assert type(value_and_grad(f)(X)[0]) is type(f(X)) is float
    gradient = grad(f)(X.astype(np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, grad(f)(X), rtol=1e-6)
    namespace = {"__name__": "ahead"}
    exec(compile_module(f, signatures="f64[n]", argnums=0), namespace)
    np.testing.assert_array_equal(namespace[namespace["__all__"][0]](X), grad(f)(X))


def test_one_of_several():
    with pytest.raises(ValueError, match="can only convert an array of size 1"):
        X.item()
    with pytest.raises(UnsupportedError, match="item\\(\\) is of one element"):
        grad(lambda x: x.item())(X)
    with pytest.raises(UnsupportedError, match="item\\(\\) of complex numbers"):
        grad(lambda z: abs(z.item(0)))(X * 1j)
    with pytest.raises(IndexError):
        grad(lambda x: x.item(7))(X)
