"""Rules for integrals of functions, `integrate.quad`: by what the integrand closes over, and by the ends.

The derivative of an integral is the integral of the derivative, to the same tolerances, and the integrand at an end.
"""

from typing import Any

import numpy as np
from scipy import integrate

from rules.kind import Array, KindError, Num
from rules.libraries import follow
from rules.operands import rank
from rules.rule import primitive, rule
from rules.scipy.forms import refused
from rules.scipy.packing import packed, unpacked


@primitive
def integral(func: Any, a: Any, b: Any, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8, limit: Any = 50,
             points: Any = None) -> Any:  # fmt: skip
    """The integral that `integrate.quad` gives."""
    return float(integrate.quad(func, a, b, (), 0, epsabs, epsrel, limit, points)[0])


@primitive
def integral_of_vector(func: Any, a: Any, b: Any, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
                       points: Any = None) -> Any:  # fmt: skip
    """The integral that `integrate.quad_vec` gives, of a function that returns an array."""
    return np.asarray(integrate.quad_vec(func, a, b, epsabs, epsrel, points=points)[0])


@primitive
def integral_error(func: Any, a: Any, b: Any, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8, limit: Any = 50,
                   points: Any = None) -> Any:  # fmt: skip
    """The estimate of the error that `integrate.quad` gives."""
    return float(integrate.quad(func, a, b, (), 0, epsabs, epsrel, limit, points)[1])


def _of(f: Any, a: Any, b: Any, epsabs: Any, epsrel: Any, points: Any) -> Any:
    """The integral of a function of a rule's body."""
    if f.result.ndim:
        return integral_of_vector(f, a, b, epsabs=epsabs, epsrel=epsrel, points=points)
    return integral(f, a, b, epsabs=epsabs, epsrel=epsrel, points=points)


def _times(d: Any, y: Any) -> Any:
    """The cotangent of a number by which an integral has the derivative y."""
    return np.sum(d * y) if rank(y) else d * y


def _by_function(ad: Any, d: Any, func: Any, a: Any, b: Any, epsabs: Any, epsrel: Any, points: Any) -> Any:
    """The cotangent of what the integrand closes over: an integral of its pullback."""
    around, moving = ad.around(func)
    ad.smooth(func, ad.place)
    if not moving:
        return (None, *(0.0 for _ in around))

    def pulled(x: Any) -> Any:
        closed = ad.vjp(func, x)[1](d)[0][1:]
        return packed(*(closed[k] for k in moving))

    whole = _of(ad.function(pulled, 0.0, name="integrand"), a, b, epsabs, epsrel, points)
    found = dict(zip(moving, unpacked(whole, [around[k] for k in moving])))
    return (None, *(found.get(k, 0.0) for k in range(len(around))))


def _along(ad: Any, func: Any, a: Any, b: Any, epsabs: Any, epsrel: Any, points: Any, t_func: Any) -> Any:
    """The integral of the tangent of the integrand, and that at the ends."""
    if not ad.moving(t_func):
        return 0.0
    ad.smooth(func, ad.place, t_f=t_func)
    tangent = ad.function(lambda x: ad.jvp(func, (x,), (None,), t_func)[1], 0.0, name="integrand")
    return _of(tangent, a, b, epsabs, epsrel, points)


@rule("y = integral(func, a, b, epsabs=1.49e-08, epsrel=1.49e-08, limit=50, points=None)", integral)
class integral_rule:
    constant = "points epsabs epsrel limit"

    def calls_func(): return (Num(float),)

    def kind(func):
        if not isinstance(func.result, Num | Array) or func.result.ndim or func.result.dtype.kind != "f":
            raise KindError(f"quad of a function that returns {func.result} is not supported",
                            "let it return a real number; integrate vectors by quad_vec")  # fmt: skip
        return Num(float)

    def d_a(d_y, func, a): return -_times(d_y, func(a))
    def d_b(d_y, func, b): return _times(d_y, func(b))

    def d_func(ad, d_y, func, a, b, epsabs, epsrel, points):
        return _by_function(ad, d_y, func, a, b, epsabs, epsrel, points)

    def t_y(ad, func, a, b, epsabs, epsrel, points, t_func, t_a, t_b):
        return _along(ad, func, a, b, epsabs, epsrel, points, t_func) + func(b) * t_b - func(a) * t_a


@rule("y = integral_of_vector(func, a, b, epsabs=1.49e-08, epsrel=1.49e-08, points=None)", integral_of_vector)
class integral_of_vector_rule:
    constant = "points epsabs epsrel"
    calls_func, d_a, d_b = integral_rule.calls_func, integral_rule.d_a, integral_rule.d_b
    d_func, t_y = integral_rule.d_func, integral_rule.t_y

    def kind(func):
        if not isinstance(func.result, Array) or func.result.dtype.kind != "f":
            raise KindError(f"quad_vec of a function that returns {func.result} is not supported",
                            "let it return an array of real numbers; integrate numbers by quad")  # fmt: skip
        return Array(np.dtype(float), func.result.shape)


@rule("y = integral_error(func, a, b, epsabs=1.49e-08, epsrel=1.49e-08, limit=50, points=None)", integral_error)
class integral_error_rule:
    why = "the estimate of the error of an integral has no derivative"
    def calls_func(): return (Num(float),)
    def kind(func): return Num(float)


def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
         limit: Any = 50, points: Any = None, weight: Any = None, wvar: Any = None, wopts: Any = None,
         maxp1: Any = 50, limlst: Any = 50, complex_func: Any = False) -> Any:  # fmt: skip
    """`integrate.quad`."""
    if full_output or weight is not None or complex_func:
        refused("quad with full_output, weight or complex_func", "write the weight into the function")
    args = args if isinstance(args, tuple) else (args,)
    return (integral(lambda x: func(x, *args), a, b, epsabs, epsrel, limit, points),
            integral_error(lambda x: func(x, *args), a, b, epsabs, epsrel, limit, points))  # fmt: skip


def dblquad(func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
            epsrel: Any = 1.49e-8) -> Any:  # fmt: skip
    """`integrate.dblquad`, which is `quad` of `quad`."""

    def inner(x: Any) -> Any:
        low, high = gfun(x) if callable(gfun) else gfun, hfun(x) if callable(hfun) else hfun
        return integral(lambda y: func(y, x, *args), low, high, epsabs, epsrel)

    return integral(inner, a, b, epsabs, epsrel), integral_error(inner, a, b, epsabs, epsrel)


def quad_vec(f: Any, a: Any, b: Any, epsabs: Any = 1e-200, epsrel: Any = 1e-8, *, points: Any = None,
             args: Any = ()) -> Any:  # fmt: skip
    """`integrate.quad_vec`, whose estimate of the error is left out."""
    args = args if isinstance(args, tuple) else (args,)
    return integral_of_vector(lambda x: f(x, *args), a, b, epsabs, epsrel, points), None


follow(quad, integrate.quad)
follow(dblquad, integrate.dblquad)
follow(quad_vec, integrate.quad_vec)
