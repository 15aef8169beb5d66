"""Floating-point routines: mantissa and exponent, neighbours of a number."""

import numpy as np

from rules.cotangent import zeros_like
from rules.kind import array_or_number, kind_of, library, ufunc_dtype
from rules.rule import Like, borrows, nondifferentiable, rule


@rule("r = frexp(x)", np.frexp)
class frexp:
    """x is the mantissa times a power of 2, whose exponent is constant."""

    def kind(x):
        x = kind_of(x)
        return tuple(array_or_number(t, x.shape, library(x)) for t in (ufunc_dtype(np.frexp, x), np.dtype(np.intc)))

    def d_x(d_r, r): return np.ldexp(d_r[0], -r[1])
    def t_r(t_x, r): return np.ldexp(t_x, -r[1]), zeros_like(r[1])


@rule("z = ldexp(x, i)", np.ldexp)
class ldexp:
    def d_x(d_z, i): return np.ldexp(d_z, i)
    def t_z(t_x, i): return np.ldexp(t_x, i)


@rule("z = nextafter(x, y)", np.nextafter)
class nextafter:
    """The neighbour of x moves as x does; y tells the side."""

    @borrows("d_z")
    def d_x(d_z): return d_z
    def d_y(d_z, y: Like): return zeros_like(y)
    def t_z(t_x): return +t_x


nondifferentiable("y = spacing(x)", np.spacing)
