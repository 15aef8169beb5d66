"""The end of a derivative: an identity that no derivative passes; and the removal of such once all is differentiated.

%y = stop_gradient(%x); %z = %y * %x      ->      %z = %x * %x          (with the derivative %y alone)
"""

from typing import Any, TypeVar

from adcompiler.ir.core import Function, Region, Value, map_tree, walk
from adcompiler.passes.surgery import handed
from rules import nondifferentiable

T = TypeVar("T")


def stop_gradient(x: T) -> T:
    """`x` itself, of which the result has no derivative, of whatever order and in whatever mode.

    `x` is a number, an array of any shape and dtype, or a tuple, list or dict of these; arrays are not copied. Where
    nothing is differentiated it does nothing, and generated code has no call of it.

    >>> import numpy as np
    >>> from adcompiler import grad
    >>> grad(lambda x: np.sum(stop_gradient(x) * x))(np.array([2.0, 3.0]))
    array([2., 3.])
    """
    return x


nondifferentiable("y = stop_gradient(x)", stop_gradient, kind=lambda x: x, view="x")


#: Identities that say how to differentiate.
IDENTITIES = (stop_gradient, handed)


def unstop(function: Function, identities: tuple[Any, ...] = IDENTITIES) -> Function:
    """The same function with the argument of each of these identities in place of its result."""
    if not any(op.target in identities for op in walk(function.body)):
        return function
    renamed: dict[Value, Any] = {}

    def get(v: Value) -> Any:
        return renamed.get(v, v)

    def without(region: Region) -> Region:
        ops = []
        for op in region.ops:
            new = op.rebuild(get, without)
            if op.target not in identities:
                ops.append(new)
                continue
            x = new.args[0]
            if isinstance(x, Value) and not x.hint:
                x.hint = op.result.hint
            renamed[op.result] = x
        return Region(region.params, ops, map_tree(get, region.results))

    body = without(function.body)
    return Function(function.name, function.params, body, map_tree(get, function.result), function.doc)
