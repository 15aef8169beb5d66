"""Arithmetic: `numpy.add` and its kind, with the operators of Python that compute the same."""

import math
import operator

import numpy as np

from rules.rule import borrows, elementwise, rule


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
