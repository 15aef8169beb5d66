"""The logarithm of a sum of exponentials, and the shares of its terms.

Where all terms are exp(-inf) = 0, no share is defined; 0 for each is the subgradient of least norm.
"""

from functools import cache

import numpy as np
from scipy import special

from rules.cotangent import strong
from rules.kind import KindError, Num, array_or_number, broadcast, kind_of, library, reduced
from rules.numpy.reductions import beside
from rules.operands import dtype_of, is_complex, rank
from rules.rule import Like, rule
from rules.scipy.special.kinds import together

#: A finite number below all results but -inf, by the bytes of their dtype.
LEAST = {2: -6e4, 4: -3e38}


def _shares(a, y, axis, keepdims):
    """exp(a - y), and 0 where y is -inf, as each of its terms is."""
    if not is_complex(y):
        y = np.maximum(y, LEAST.get(dtype_of(y).itemsize, -1e308))
    return np.exp(a - beside(y, axis, keepdims))


@cache
def _dtype(*dtypes):
    """The dtype of the result: of a number for `b` SciPy before 1.15 makes an array in double precision."""
    a, b = ([d(1) if isinstance(d, type) else np.ones(1, d) for d in dtypes] + [None])[:2]
    return special.logsumexp(a, b=b).dtype


def _weak(kind):
    return kind.type if isinstance(kind, Num) and kind.python else kind.dtype


@rule("y = logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False)", special.logsumexp)
class logsumexp:
    static = "return_sign"
    infinite_at_pole = True

    def kind(a, axis, b, keepdims, return_sign):
        if return_sign:
            raise KindError("special.logsumexp with return_sign=True is not supported",
                            "leave it out where the sum is positive; write the sum of exponentials where it is not")
        kinds = [kind_of(a)] if b is None else [kind_of(a), kind_of(b)]
        if keepdims and not any(k.shape for k in kinds):
            raise KindError("special.logsumexp of a number with keepdims=True is not supported", "leave out keepdims")
        shape = reduced(broadcast(*(k.shape for k in kinds)), axis, keepdims)
        return array_or_number(_dtype(*map(_weak, kinds)), shape, library(*kinds))

    def d_a(d_y, a, axis, b, keepdims, y):
        d, shares = beside(d_y, axis, keepdims), _shares(a, y, axis, keepdims)
        return d * shares if b is None else strong(d * b, shares)

    def d_b(d_y, a, axis, b: Like, keepdims, y):
        d = beside(d_y, axis, keepdims) * _shares(a, y, axis, keepdims)
        return d * np.ones_like(b) if rank(b) else d

    def t_y(a, axis, b, keepdims, y, t_a, t_b):
        shares = _shares(a, y, axis, keepdims)
        moved = t_a * shares if b is None else strong(t_a * b, shares) + t_b * shares
        return np.sum(moved, axis=axis, keepdims=keepdims)


def _summed(x, axis):
    return np.sum(x, axis=axis, keepdims=True) if rank(x) else x


@rule("y = softmax(x, axis=None)", special.softmax)
class softmax:
    def kind(x): return together(x)
    def d_x(d_y, axis, y): return y * (d_y - _summed(d_y * y, axis))
    def t_y(t_x, axis, y): return y * (t_x - _summed(t_x * y, axis))


@rule("y = log_softmax(x, axis=None)", special.log_softmax)
class log_softmax:
    def kind(x): return together(x)
    def d_x(d_y, axis, y): return d_y - np.exp(y) * _summed(d_y, axis)
    def t_y(t_x, axis, y): return t_x - _summed(np.exp(y) * t_x, axis)
