"""Spherical Bessel functions, and their derivatives, from those of the orders beside: DLMF 10.51.1 and 10.51.4."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from rules.kind import array_or_number, broadcast, kind_of
from rules.rule import recorded, rule


@cache
def _dtype(function: Callable[..., Any], dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the result, which is not that of the argument in each of the functions."""
    return np.asarray(function(1, np.ones(1, dtype))).dtype


def _serve(function: Callable[..., Any], below: int, above: int) -> None:
    """(2n + 1) f_n' is n times f_(n-1) and (n + 1) times f_(n+1), with these signs."""

    def slope(n: Any, z: Any, derivative: bool) -> Any:
        if not derivative:
            return recorded(function, n, z, True)
        lower, upper = recorded(function, np.maximum(n - 1, 0), z, True), recorded(function, n + 1, z, True)
        return (below * n * lower + above * (n + 1) * upper) / (2 * n + 1)

    @rule(f"y = {function.__name__}(n, z, derivative=False)", function)
    class spherical:
        static = "derivative"
        infinite_at_pole = True
        why_n = "the order is an integer"

        def kind(n, z):
            dtype = _dtype(function, kind_of(z).dtype)
            return array_or_number(dtype, broadcast(kind_of(n).shape, kind_of(z).shape))

        def d_z(d_y, n, z, derivative): return d_y * slope(n, z, derivative)
        def t_y(t_z, n, z, derivative): return t_z * slope(n, z, derivative)


_serve(special.spherical_jn, 1, -1)
_serve(special.spherical_yn, 1, -1)
_serve(special.spherical_in, 1, 1)
_serve(special.spherical_kn, -1, -1)
