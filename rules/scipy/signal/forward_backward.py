"""`filtfilt`, a filter forwards and backwards, and the state it begins with: followed line by line."""

from typing import Any

import numpy as np
from scipy import signal

from rules.libraries import follow
from rules.scipy.forms import refused


def steady_state(b: Any, a: Any) -> Any:
    """`lfilter_zi`: the state in which a filter is whose input, and output, has always been the same."""
    b, a = np.asarray(b), np.asarray(a)
    if a[0] == 0:
        raise ValueError("the first coefficient of the denominator of a filter is 0")
    b, a = b / a[0], a / a[0]
    n = max(len(a), len(b))
    b = np.concatenate([b, np.zeros(n - len(b), dtype=b.dtype)])
    a = np.concatenate([a, np.zeros(n - len(a), dtype=a.dtype)])
    rest = b[1:] - a[1:] * b[0]
    before = np.concatenate([np.zeros(1, dtype=rest.dtype), np.cumsum(rest)[:-1]])
    return np.sum(rest) / np.sum(a) * np.cumsum(a)[:-1] - before


def forward_backward(
    b: Any, a: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None, method: str = "pad",
    irlen: Any = None,
) -> Any:  # fmt: skip
    """`filtfilt`, of an array that is continued beyond both ends."""
    if method != "pad":
        refused(f"signal.filtfilt with method={method!r}", 'write method="pad"')
    if padtype not in ("odd", "even", "constant", None):
        refused(f"signal.filtfilt with padtype={padtype!r}", 'write "odd", "even", "constant" or None')
    b, a, x = np.asarray(b), np.asarray(a), np.moveaxis(np.asarray(x), axis, -1)
    edge = 0 if padtype is None else 3 * max(len(a), len(b)) if padlen is None else padlen
    if x.shape[-1] <= edge:
        raise ValueError(f"an array of length {x.shape[-1]} is too short for signal.filtfilt with padlen={edge}")
    first, last = x[..., :1], x[..., -1:]
    before, after = x[..., 1 : edge + 1][..., ::-1], x[..., x.shape[-1] - 1 - edge : -1][..., ::-1]
    if padtype == "odd":
        before, after = 2 * first - before, 2 * last - after
    elif padtype == "constant":
        before, after = first + 0 * before, last + 0 * after
    if padtype is not None:
        x = np.concatenate([before, x, after], axis=-1)
    state = steady_state(b, a)
    y, _ = signal.lfilter(b, a, x, axis=-1, zi=state * x[..., :1])
    y = y[..., ::-1]
    y, _ = signal.lfilter(b, a, y, axis=-1, zi=state * y[..., :1])
    y = y[..., ::-1]
    if padtype is not None:
        y = y[..., edge : y.shape[-1] - edge]
    return np.moveaxis(y, -1, axis)


follow(steady_state, signal.lfilter_zi)
follow(forward_backward, signal.filtfilt)
