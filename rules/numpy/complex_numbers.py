"""Complex numbers: the parts of one, its angle, its conjugate.

The cotangent of L by z = x + iy is dL/dx - i dL/dy, so holomorphic functions need no conjugate.
"""

import numpy as np

from rules.cotangent import strong_divide, zeros_like
from rules.kind import Array, Num, array_or_number, elementwise, kind_of, library
from rules.operands import is_complex
from rules.rule import Like, borrows, rule


def _real_kind(x: Num | Array) -> Num | Array:
    """The kind of `x.real`: a Python number stays one, an array a view."""
    x = kind_of(x)
    if isinstance(x, Num):
        return Num(type(x.type(0).real))
    return Array(np.empty(0, x.dtype).real.dtype, x.shape, x.xp)


@rule("y = real(x)", np.real, "ndarray.real")
class real:
    view = "x"
    def kind(x): return _real_kind(x)
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return np.real(t_x)


@rule("y = imag(x)", np.imag, "ndarray.imag")
class imag:
    view = "x"
    def kind(x): return _real_kind(x)
    def d_x(d_y, x: Like): return d_y * -1j if is_complex(x) else zeros_like(x)
    def t_y(t_x): return np.imag(t_x)


@rule("y = conjugate(x)", np.conjugate)
class conjugate:
    def d_x(d_y): return np.conjugate(d_y)
    def t_y(t_x): return np.conjugate(t_x)


@rule("y = conjugate(x)", "ndarray.conj", "ndarray.conjugate")
class conjugate_method:
    """Of a real array the method gives the array itself."""

    view = "x"

    def kind(x):
        x = kind_of(x)
        return elementwise(np.conjugate, x) if isinstance(x, Array) and x.dtype.kind == "c" else x

    def d_x(d_y): return np.conjugate(d_y)
    def t_y(t_x): return np.conjugate(t_x)


@rule("y = angle(z, deg=False)", np.angle)
class angle:
    """The imaginary part of log(z); 0 at the origin, and for real z, where it is piecewise constant."""

    static = "deg"

    def kind(z):
        z = kind_of(z)
        return array_or_number(np.arctan2(np.ones((), z.dtype).real, 1).dtype, z.shape, library(z))

    def d_z(d_y, z, deg):
        if not is_complex(z):
            return zeros_like(z)
        return d_y * (-180j / np.pi if deg else -1j) * _inverse(z)

    def t_y(z, deg, t_z): return np.imag(t_z * _inverse(z)) * (180 / np.pi if deg else 1)


def _inverse(z):
    """1/z, and 0 where z is 0."""
    w = np.conjugate(z)
    return strong_divide(w, np.real(z * w))
