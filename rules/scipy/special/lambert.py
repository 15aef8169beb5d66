"""Lambert's W, which solves W exp(W) = z, and Wright's omega, W(exp(z)): both have simple derivatives by themselves."""

from typing import Any

import numpy as np
from scipy import special

from rules.kind import array_or_number, broadcast, kind_of
from rules.rule import elementwise, rule


def _slope(W: Any) -> Any:
    return np.exp(-W) / (1 + W)


@rule("W = lambertw(z, k=0, tol=1e-8)", special.lambertw)
class lambertw:
    """Complex in double precision, whatever z is; its derivative is infinite at z = -1 / e."""

    static = "tol"
    infinite_at_pole = True
    why_k = "the branch is an integer"
    def kind(z, k): return array_or_number(np.dtype(complex), broadcast(kind_of(z).shape, kind_of(k).shape))
    def d_z(d_W, W): return d_W * _slope(W)
    def t_W(t_z, W): return t_z * _slope(W)


elementwise("y = wrightomega(z)", special.wrightomega, derivative=lambda y: y / (1 + y))
