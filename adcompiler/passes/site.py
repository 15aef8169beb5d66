"""The site of an operation that may be rewritten: what is known where it stands, and what is put in its place.

%n = -%x; %a = -%n       ->       %a is %x          (`made_by` finds the first minus)
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.alias import takes_all
from adcompiler.ir.build import infer, kind_of_operand
from adcompiler.ir.core import For, Function, Op, Value, While
from adcompiler.ir.library import of_numpy
from rules.kind import Array, Num, is_scalar, same_kind
from rules.sequences import backwards


class Site:
    """The operations so far, how often each value is used, and the arrays in sight."""

    ops: list[Op]

    def __init__(self, function: Function) -> None:
        self.function = function
        self.defs: dict[Value, Op] = {}
        self.origins: dict[Value, Value] = {}  # what loops read of lists, and what was collected there
        self.uses: dict[Value, int] = {}
        self.backward = False  # in the backward sweep: sums may be formed in another order than the user's
        self.nothing: set[Value] = set()  # zeros, because a cotangent is zero
        self.arrays = [p for p in function.params if isinstance(p.kind, Array)]  # what is in sight

    def emit(self, target: Any, *args: Any, like: Value, **kwargs: Any) -> Any:
        """A new operation in the place of the one that gave `like`; the kind must be the same."""
        kind = infer(target, args, kwargs)
        result = Value(kind, like.hint, like.loc)
        op = Op(of_numpy(target), args, kwargs, [result], False, False, like.loc)
        self.defs[result] = op
        self.ops.append(op)
        return result

    def emit_if_kind(self, target: Any, args: tuple[Any, ...], out: Value) -> Any:
        """The same, if the kind is the same; else None."""
        return self.emit(target, *args, like=out) if same_kind(infer(target, args, {}), out.kind) else None

    def made_by(self, x: Any, *targets: Any) -> Op | None:
        """The operation behind an operand, if it is a call of one of these.

        A minus of integers is none: of unsigned ones, and of the least of the others, it is another number.
        """
        op = self.defs.get(x) if isinstance(x, Value) else None
        if op is None or op.target not in targets or (op.target is operator.neg and wraps(x)):
            return None
        return op

    def note_origins(self, elements: list[Value], sequences: list[Any]) -> None:
        """Remember what the elements are that a loop reads of what another has collected."""
        for e, s in zip(elements, sequences, strict=True):
            s = self.origins.get(s, s)
            turned = self.made_by(s, backwards)
            s = turned.args[0] if turned is not None else s
            writer = self.defs.get(self.origins.get(s, s))
            if isinstance(writer, For | While):
                x = writer.body.results[writer.results.index(self.origins.get(s, s))]
                if isinstance(x, Value):
                    self.origins[e] = x

    def number_in(self, x: Any) -> Any:
        """The number that an array without axes of another library is made of; None if it is not made so."""
        scalar = isinstance(x, Value) and isinstance(x.kind, Array) and is_scalar(x.kind)
        op = self.defs.get(x) if scalar else None
        if op is None or type(op) is not Op or op.target is not np.asarray:
            return None
        return op.args[0] if is_number(op.args[0]) and not isinstance(kind_of_operand(op.args[0]), Array) else None

    def turned(self, x: Any) -> Any:
        """What `x` is the transpose of, if that is how it is made."""
        op = self.made_by(x, np.transpose)
        return op.args[0] if op is not None and not op.kwargs and len(op.args) == 1 else None

    def only_use(self, x: Any) -> bool:
        """Is this a value that nothing else reads?"""
        return isinstance(x, Value) and self.uses.get(x, 1) == 1


def wraps(x: Any) -> bool:
    """Are these integers of NumPy's, whose sums and products may leave their range?"""
    kind = x.kind if isinstance(x, Value) else None
    return isinstance(kind, Array | Num) and kind.dtype.kind in "biu" and not (isinstance(kind, Num) and kind.python)


def is_exactly(x: Any, k: int) -> bool:
    """Is this the number `k`, and no minus zero?"""
    return type(x) in (int, float) and x == k and not (k == 0 and str(x).startswith("-"))


def is_number(x: Any) -> bool:
    """Is this a number, computed or not?"""
    return is_scalar(x.kind) if isinstance(x, Value) else isinstance(x, int | float | complex)


def alike(x: Any, out: Value) -> bool:
    """Is `x` a value of the kind of `out`, so that it can stand for it?"""
    return isinstance(x, Value) and same_kind(x.kind, out.kind)


def rank(x: Any) -> int:
    """The number of axes of an array, 0 of anything else."""
    return x.kind.ndim if isinstance(x, Value) and isinstance(x.kind, Array) else 0


def only_new_axes(view: Op) -> bool:
    """Has a subscript, or `np.expand_dims`, all elements of an array, in their order?"""
    if view.target is not operator.getitem:
        return view.target is np.expand_dims
    return takes_all(view.args[1])
