"""Windows of a length: arrays of numbers that depend on no other, in double precision.

Those with a parameter, of which they would have a derivative, are had by name: `get_window(("gaussian", 2.0), n)`.
"""

import numpy as np
from scipy import signal

from rules.kind import Array, length_of
from rules.rule import nondifferentiable, rule, unsupported

_PLAIN = ("barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen "
          "triang")  # fmt: skip
_WITH_PARAMETERS = ("chebwin dpss exponential gaussian general_cosine general_gaussian general_hamming kaiser "
                    "kaiser_bessel_derived taylor tukey")  # fmt: skip

for _name in _PLAIN.split():
    nondifferentiable(f"w = {_name}(M, sym=True)", getattr(signal.windows, _name),
                      kind=lambda M: Array(np.dtype(np.float64), (length_of(M),)))  # fmt: skip

unsupported(*(getattr(signal.windows, _name) for _name in _WITH_PARAMETERS.split()),
            why='its rule is not written yet; call it outside, or write get_window(("kaiser", 8.0), n)')  # fmt: skip


@rule("w = get_window(window, Nx, fftbins=True)", signal.get_window)
class get_window:
    """A window with the parameters that are written behind its name."""

    static = "window"
    why = "a window that is got by its name has constant parameters"
    def kind(window, Nx): return Array(np.dtype(np.float64), (length_of(Nx),))
