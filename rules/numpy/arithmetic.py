"""Arithmetic: `numpy.add` and its kind, with the operators of Python that compute the same."""

import math
import operator

import numpy as np

from rules.cotangent import zeros_like
from rules.kind import Num, array_or_number, broadcast, kind_of, library, ufunc_dtype
from rules.rule import Like, borrows, elementwise, nondifferentiable, rule


@rule("z = add(x, y)", np.add, operator.add)
class add:
    @borrows("d_z")
    def d_x(d_z): return d_z
    @borrows("d_z")
    def d_y(d_z): return d_z
    def t_z(t_x, t_y): return t_x + t_y


@rule("z = subtract(x, y)", np.subtract, operator.sub)
class subtract:
    @borrows("d_z")
    def d_x(d_z): return d_z
    def d_y(d_z): return -d_z
    def t_z(t_x, t_y): return t_x - t_y


@rule("z = multiply(x, y)", np.multiply, operator.mul)
class multiply:
    def d_x(d_z, y): return d_z * y
    def d_y(d_z, x): return d_z * x
    def t_z(x, y, t_x, t_y): return t_x * y + x * t_y


@rule("z = true_divide(x, y)", np.true_divide, operator.truediv)
class true_divide:
    infinite_at_pole = True
    def d_x(d_z, y): return d_z / y
    def d_y(d_z, y, z): return d_z * (-z / y)
    def t_z(y, z, t_x, t_y): return (t_x - z * t_y) / y


@rule("y = negative(x)", np.negative, operator.neg)
class negative:
    def d_x(d_y): return -d_y
    def t_y(t_x): return -t_x


@rule("y = positive(x)", np.positive, operator.pos)
class positive:
    @borrows("d_y")
    def d_x(d_y): return d_y
    def t_y(t_x): return +t_x



elementwise("y = reciprocal(x)", np.reciprocal, derivative=lambda y: -y * y, infinite_at_pole=True)
elementwise("y = square(x)", np.square, derivative=lambda x: 2 * x)


@rule("z = remainder(x, y)", np.remainder, operator.mod)
class remainder:
    @borrows("d_z")
    def d_x(d_z): return d_z
    def d_y(d_z, x, y): return -d_z * np.floor_divide(x, y)
    def t_z(x, y, t_x, t_y): return t_x - t_y * np.floor_divide(x, y)


@rule("z = fmod(x, y)", np.fmod, math.fmod)
class fmod:
    @borrows("d_z")
    def d_x(d_z): return d_z
    def d_y(d_z, x, y): return -d_z * np.trunc(x / y)
    def t_z(x, y, t_x, t_y): return t_x - t_y * np.trunc(x / y)


# ------------------------------------------------------------------------------------------ in two parts
def _two(ufunc, *operands):
    kinds = [kind_of(x) for x in operands]
    one = array_or_number(ufunc_dtype(ufunc, *kinds), broadcast(*(k.shape for k in kinds)), library(*kinds))
    return one, one


class _Division:
    """The rounded quotient, which is constant, and the remainder."""

    @borrows("d_r")
    def d_x(d_r): return d_r[1]
    def d_y(d_r, r): return -d_r[1] * r[0]
    def t_r(t_x, t_y, r): return zeros_like(r[0]), t_x - t_y * r[0]


@rule("r = divmod(x, y)", np.divmod)
class divmod_of_arrays:
    def kind(x, y): return _two(np.divmod, x, y)
    d_x, d_y, t_r = _Division.d_x, _Division.d_y, _Division.t_r


@rule("r = divmod(x, y)", divmod)
class divmod_of_numbers:
    """Python's, which is NumPy's where one of the two is."""

    def kind(x, y):
        x, y = kind_of(x), kind_of(y)
        if isinstance(x, Num) and isinstance(y, Num) and x.python and y.python:
            return (Num(type(divmod(x.type(1), y.type(1))[0])),) * 2
        return _two(np.divmod, x, y)

    d_x, d_y, t_r = _Division.d_x, _Division.d_y, _Division.t_r


@rule("r = modf(x)", np.modf)
class modf:
    """The fractional part, and the whole one, which is constant."""

    def kind(x): return _two(np.modf, x)
    @borrows("d_r")
    def d_x(d_r): return d_r[0]
    def t_r(t_x, r: Like): return t_x, zeros_like(r[1])


# ------------------------------------------------------------------------------------------------- integers
nondifferentiable("z = gcd(x, y)", np.gcd)
nondifferentiable("z = lcm(x, y)", np.lcm)
if hasattr(np, "bitwise_count"):
    nondifferentiable("y = bitwise_count(x)", np.bitwise_count)
