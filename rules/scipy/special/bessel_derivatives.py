"""Derivatives of Bessel functions, as SciPy has them: the derivative of one is the next.

Python functions, which take the order as an array: it is in double precision where it is an integer.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from rules.kind import Num, array_or_number, broadcast, kind_of, library, ufunc_dtype
from rules.rule import recorded, rule
from rules.scipy.special.bessel import ORDER, half_difference, half_sum


def _serve(function: Callable[..., Any], ufunc: np.ufunc, first: Callable[..., Any]) -> None:
    """`first` is the derivative of the function itself, which keeps single precision."""

    def next_one(v: Any, z: Any, n: int) -> Any:
        return recorded(function, v, z, n + 1) if n else first(ufunc, v, z)

    @rule(f"y = {function.__name__}(v, z, n=1)", function)
    class derivative:
        static = "n"
        infinite_at_pole = True
        why_v = ORDER

        def kind(v, z, n):
            order, at = kind_of(v), kind_of(z)
            dtype = ufunc_dtype(ufunc, Num(order.dtype.type) if n else order, at)
            return array_or_number(dtype, broadcast(order.shape, at.shape), library(order, at))

        def d_z(d_y, v, z, n): return d_y * next_one(v, z, n)
        def t_y(t_z, v, z, n): return t_z * next_one(v, z, n)


_serve(special.jvp, special.jv, half_difference)
_serve(special.yvp, special.yv, half_difference)
_serve(special.ivp, special.iv, half_sum)
_serve(special.kvp, special.kv, lambda f, v, z: -half_sum(f, v, z))
_serve(special.h1vp, special.hankel1, half_difference)
_serve(special.h2vp, special.hankel2, half_difference)
