"""Exponentials and logarithms, for arrays and (`math`) numbers."""

import math

import numpy as np

from rules.rule import elementwise, rule

LN2 = math.log(2)
LN10 = math.log(10)

elementwise("y = exp(x)", np.exp, math.exp, derivative=lambda y: y)
elementwise("y = expm1(x)", np.expm1, math.expm1, derivative=lambda y: y + 1)


@rule("y = exp2(x)", np.exp2, *([math.exp2] if hasattr(math, "exp2") else []))
class exp2:
    infinite_at_pole = True

    def d_x(d_y, y): return d_y * (LN2 * y)
    def t_y(t_x, y): return t_x * (LN2 * y)


@rule("y = log(x)", np.log)
class log:
    infinite_at_pole = True
    def d_x(d_y, x): return d_y / x
    def t_y(t_x, x): return t_x / x


@rule("y = log(x, *base)", math.log)
class math_log:
    infinite_at_pole = True
    def d_x(d_y, x, base): return d_y / (x * np.log(base[0])) if base else d_y / x
    def d_base(d_y, base, y): return tuple(d_y * (-y / (b * np.log(b))) for b in base)

    def t_y(x, base, y, t_x, t_base):
        return (t_x / x - t_base[0] * (y / base[0])) / np.log(base[0]) if base else t_x / x


@rule("y = log2(x)", np.log2, math.log2)
class log2:
    infinite_at_pole = True
    def d_x(d_y, x): return d_y / (x * LN2)
    def t_y(t_x, x): return t_x / (x * LN2)


@rule("y = log10(x)", np.log10, math.log10)
class log10:
    infinite_at_pole = True
    def d_x(d_y, x): return d_y / (x * LN10)
    def t_y(t_x, x): return t_x / (x * LN10)


@rule("y = log1p(x)", np.log1p, math.log1p)
class log1p:
    infinite_at_pole = True
    def d_x(d_y, x): return d_y / (1 + x)
    def t_y(t_x, x): return t_x / (1 + x)


@rule("z = logaddexp(x, y)", np.logaddexp)
class logaddexp:
    infinite_at_pole = True
    def d_x(d_z, x, z): return d_z * np.exp(x - z)
    def d_y(d_z, y, z): return d_z * np.exp(y - z)
    def t_z(x, y, z, t_x, t_y): return t_x * np.exp(x - z) + t_y * np.exp(y - z)


@rule("z = logaddexp2(x, y)", np.logaddexp2)
class logaddexp2:
    infinite_at_pole = True
    def d_x(d_z, x, z): return d_z * np.exp2(x - z)
    def d_y(d_z, y, z): return d_z * np.exp2(y - z)
    def t_z(x, y, z, t_x, t_y): return t_x * np.exp2(x - z) + t_y * np.exp2(y - z)
