"""`np.pad` in the modes whose border is computed of the array: followed as if it were written out.

np.pad(x, 1, "mean")      ->      np.concatenate([np.repeat(np.mean(x, ..), 1), x, np.repeat(np.mean(x, ..), 1)])
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.frontend.kinds import Known
from adcompiler.ir.core import Value
from rules.kind import Array
from rules.numpy.padding import STATISTICS, padded_by, padded_down_to, widths_of


def _pad(self: Any, node: Any, array: Any, pad_width: Any, mode: Any = None, **options: Any) -> Any:
    how = mode.value if isinstance(mode, Known) else None
    known = isinstance(array, Value) and isinstance(array.kind, Array) and array.kind.dtype.kind in "fc"
    option, default = ("end_values", 0) if how == "linear_ramp" else ("stat_length", None)
    if not known or (how not in STATISTICS and how != "linear_ramp") or set(options) - {option}:
        return NotImplemented
    ndim = array.kind.ndim
    widths = Known(tuple(widths_of(self.static(pad_width, node, "the widths of np.pad"), ndim)))
    given = self.static(options[option], node, f"the argument {option} of np.pad") if options else default
    each = Known(tuple((a, b) for a, b in np.broadcast_to(np.array(given, object), (ndim, 2)).tolist()))
    if how == "linear_ramp":
        return self.follow("pad", padded_down_to, (array, widths, each), {}, node)
    return self.follow("pad", padded_by, (array, widths, Known(STATISTICS[how]), each), {}, node)


PADDED: dict[Any, Callable[..., Any]] = {np.pad: _pad}
