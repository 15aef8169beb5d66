"""A user's module: functions that the compiler cannot see into, with their rules. It needs `rules` alone."""

import ctypes
import math

import numpy as np

from rules import Like, borrows, nondifferentiable, primitive, rule
from rules.kind import Array, Num, promote

#: The C library, whose functions have no signature that Python could read.
C = ctypes.CDLL(None)
C.cbrt.restype, C.cbrt.argtypes = ctypes.c_double, [ctypes.c_double]


@primitive
def my_solver(A, b):
    return np.linalg.solve(np.asarray(A), np.asarray(b))


@rule("x = my_solver(A, b)", my_solver)
class my_solver_rule:
    def kind(A, b): return Array(promote(A, b), b.shape)
    def d_b(d_x, A): return my_solver(A.T, d_x)
    def d_A(d_b, x): return -np.outer(d_b, x)
    def t_x(A, x, t_A, t_b): return my_solver(A, t_b - t_A @ x)


@primitive
def root(x, *, degree=3):
    """The real root of odd degree, by C where it is the third."""
    values = [C.cbrt(v) if degree == 3 else math.copysign(abs(v) ** (1 / degree), v) for v in np.ravel(x).tolist()]
    return np.array(values, np.asarray(x).dtype).reshape(np.shape(x))


@rule("y = root(x, degree=3)", root)
class root_rule:
    static = "degree"
    def kind(x): return Array(x.dtype, x.shape)
    def d_x(d_y, x, y, degree): return d_y * y / (degree * x)
    def t_y(x, y, t_x, degree): return t_x * y / (degree * x)


@primitive
def bell(x):
    return np.array([2 / math.sqrt(math.pi) * math.exp(-v * v) for v in x.tolist()])


@rule("y = bell(x)", bell)
class bell_rule:
    why = "it is not written yet"
    def kind(x): return x


def error_function(x):
    return np.array([math.erf(v) for v in x.tolist()])


@rule("y = error_function(x)", error_function)
class error_function_rule:
    def kind(x): return x
    def d_x(d_y, x): return d_y * bell(x)
    def t_y(x, t_x): return t_x * bell(x)


def positive(x):
    return int(sum(v > 0 for v in x.tolist()))


nondifferentiable("n = positive(x)", positive, kind=lambda x: Num(int))


def padded(x, n):
    """A function with source, which the compiler would take apart if it had no rule."""
    return np.concatenate([x, np.zeros(n)])


@rule("y = padded(x, n)", padded)
class padded_rule:
    static = "n"
    def kind(x, n): return Array(x.dtype, (x.shape[0] + n,))
    @borrows("d_y")
    def d_x(d_y, x: Like): return d_y[: x.shape[0]]

    def t_y(t_x, n): return np.concatenate([t_x, np.zeros(n)])
