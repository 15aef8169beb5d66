"""Windows of a length: arrays of numbers that depend on no other. The shape of Kaiser's is a parameter."""

import numpy as np

from rules.kind import Array, length_of
from rules.rule import nondifferentiable, rule

for _window in (np.bartlett, np.blackman, np.hamming, np.hanning):
    nondifferentiable(f"w = {_window.__name__}(M)", _window,
                      kind=lambda M: Array(np.dtype(np.float64), (length_of(M),)))  # fmt: skip


@rule("w = kaiser(M, beta)", np.kaiser)
class kaiser:
    why = "the derivative by beta is not written yet; np.i0 has one, of which the window is made"
    def kind(M): return Array(np.dtype(np.float64), (length_of(M),))
