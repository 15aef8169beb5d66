"""Numbers and arrays as one vector, and back: solvers of integrals and differential equations take vectors."""

from typing import Any

import numpy as np

from rules.numpy.shape import reshape_like
from rules.operands import rank


def packed(*parts: Any) -> Any:
    """All elements, one after the other; of one number that number."""
    if len(parts) == 1:
        return np.ravel(parts[0]) if rank(parts[0]) else parts[0]
    return np.concatenate([np.ravel(x) if rank(x) else np.atleast_1d(x) for x in parts])


def unpacked(v: Any, likes: list[Any]) -> list[Any]:
    """The parts of such a vector, with the shapes of these."""
    if len(likes) == 1:
        return [reshape_like(v, likes[0])] if rank(likes[0]) else [v]
    out, at = [], 0
    for like in likes:
        n = at + like.size if rank(like) else at + 1
        out.append(reshape_like(v[at:n], like) if rank(like) else v[at])
        at = n
    return out
