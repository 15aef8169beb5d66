"""What comes of a cotangent that is zero, because nothing has asked for the result that it belongs to, is zero.

%z = zeros_like(%V); %p = %t @ %z; %q = strong(%p, %F); %d = %a + %q       ->       %d = %a
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import Op, Value
from adcompiler.passes.site import Site
from rules.cotangent import project, strong, strong_divide, zeros_like
from rules.numpy.least_squares import weights
from rules.numpy.shape import reshape_like
from rules.numpy.singular_values import leading
from rules.numpy.spectral import beyond

#: Zero where the first operand is; where the last is; where one of them is; where all are.
_FIRST = frozenset((
    operator.neg, operator.truediv, operator.getitem, strong, strong_divide, np.transpose, np.swapaxes,
    np.matrix_transpose, np.moveaxis, np.conjugate, np.real, np.imag, np.expand_dims, np.diagonal, np.tril, np.triu,
    np.sum, leading, reshape_like, project, weights,
))  # fmt: skip
_LAST = frozenset((beyond, np.linalg.solve))
_ANY = frozenset((operator.mul, operator.matmul, np.outer))
_ALL = frozenset((operator.add, operator.sub))


def note(here: Site, op: Op) -> None:
    """Remember the result of an operation of the backward sweep that is zero all over."""
    if not here.backward or not op.args:
        return
    target, args = op.target, op.args
    if target in _FIRST:
        found = is_nothing(here, args[0])
    elif target in _LAST:
        found = is_nothing(here, args[-1])
    else:
        found = (target in _ANY and any(is_nothing(here, x) for x in args)) or (
            target in _ALL and all(is_nothing(here, x) for x in args)
        )
    if found:
        here.nothing.add(op.result)


def is_nothing(here: Site, x: Any) -> bool:
    """Is this known to be an array of zeros?"""
    return isinstance(x, Value) and (x in here.nothing or here.made_by(x, zeros_like) is not None)
