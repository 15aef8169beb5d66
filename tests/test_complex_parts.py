"""Real numbers on the way through complex ones: real and imaginary parts, conjugates, absolute values, angles."""

import numpy as np
import pytest

from adcompiler import grad, jvp, vjp

from .numerics import assert_close, differences

PARTS = {
    "imag": lambda x: (x * 1j).imag,
    "real": lambda x: (x * 1j * (1 + 2j)).real,
    "conjugate": lambda x: (x * (1 + 2j)).conjugate().imag,
    "conjugate_twice": lambda x: ((x * (1 + 2j)).conjugate() * x * 1j).real,
    "abs": lambda x: abs((x * 1j + 1) ** 2),
    "np_imag": lambda x: np.imag(x * 1j),
    "np_real": lambda x: np.real(x * (1 + 1j)),
    "np_conj": lambda x: np.real(np.conj(x * (1 + 1j)) * 1j * x),
    "np_angle": lambda x: np.angle(x + 1j),
    "negative": lambda x: (-(1j * x)).imag ** 2,
    "sum": lambda x: sum([1j * x, 2 * x, x * x * 1j]).imag,
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [float, np.float64])
@pytest.mark.parametrize("name", PARTS)
def test_parts_of_complex_numbers(name, number):
    f, x = PARTS[name], number(1.3)
    wanted = differences(f, (1.3,))
    got = grad(f)(x)
    assert type(got) is number
    assert_close(got, wanted)
    assert_close(vjp(f, x)[1](1.0)[0], wanted)
    assert_close(jvp(f, (x,), (1.0,))[1], wanted)
    assert_close(grad(lambda y: grad(f)(y))(x), differences(grad(f), (1.3,)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PARTS)
def test_parts_of_complex_numbers_of_an_array(name):
    f, x = PARTS[name], np.array([1.3, 0.7])

    def first(x):
        return f(x[0]) * x[1]

    assert_close(grad(first)(x), differences(first, (x,)))
