"""The functions of `scipy.special` for strict arrays, as CuPy has them in `cupyx.scipy.special`."""

import scipy.special as _special

from tests.device import arrays as _arrays
from tests.device.names import SPECIAL as _SPECIAL

globals().update(_arrays.functions(_special, {n for n in _SPECIAL if hasattr(_special, n)}))
