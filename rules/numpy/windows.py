"""Windows of a length: arrays of numbers that depend on no other. The shape of Kaiser's is a parameter."""

from typing import Any

import numpy as np

from rules.cotangent import length
from rules.kind import Array, length_of
from rules.numpy.bessel import bessel_over_power
from rules.rule import nondifferentiable, rule

for _window in (np.bartlett, np.blackman, np.hamming, np.hanning):
    nondifferentiable(f"w = {_window.__name__}(M)", _window,
                      kind=lambda M: Array(np.dtype(np.float64), (length_of(M),)))  # fmt: skip


@rule("w = kaiser(M, beta)", np.kaiser)
class kaiser:
    """I0(beta s) / I0(beta), with a half circle s over the places."""

    def kind(M): return Array(np.dtype(np.float64), (length_of(M),))
    def d_beta(d_w, beta, w): return np.sum(d_w * _slope(beta, w))
    def t_w(beta, w, t_beta): return t_beta * _slope(beta, w)


def _slope(beta: Any, w: Any) -> Any:
    """The derivative of Kaiser's window by beta; I1 is that of I0."""
    middle = 0.5 * (length(w, 0) - 1)
    place = (np.cumsum(np.ones_like(w)) - 1 - middle) / np.maximum(middle, 0.5)  # of one element, this is 0
    s = np.sqrt(np.maximum(1 - place * place, 0.0))
    inner = s * (beta * s) * bessel_over_power(beta * s, 1)
    return (inner - w * beta * bessel_over_power(beta, 1)) / bessel_over_power(beta, 0)
