"""What a cotangent is called, of which kind it is, what it is where nothing has come in; and their sums.

add(%x, %a); add(%x, %b)       ->       %d_x = lazy %a + %b

Each is a running left fold: a sum is formed where its term appears.
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.build import Builder, kind_of_operand
from adcompiler.ir.core import CotangentName, Op, Region, Value, is_cotangent, walk
from adcompiler.ir.library import of_kind, on_device
from adcompiler.passes.finite import Facts, of_arguments
from adcompiler.passes.trace import fit
from rules.cotangent import accumulate, project, zeros_like
from rules.finiteness import finite
from rules.kind import Array, Num, Seq, is_scalar
from rules.rule import find


def as_argument(builder: Builder, like: Value, d: Any) -> Any:
    """A gradient has its argument's own type: a Python float's is a Python float."""
    kind = like.kind
    if d is None:
        return zero_of(builder, like)
    if isinstance(kind, Num):
        if not isinstance(d, Value) and kind.python:
            return kind.type(d)
        if isinstance(d, Value) and isinstance(d.kind, Array) and d.kind.xp != "numpy":
            return builder.call(project, d, like)
        return builder.call(kind.type if find(kind.type) else project, *([d] if find(kind.type) else [d, like]))
    if isinstance(kind, Seq) and isinstance(kind.element, Num):
        return builder.call(project, d, like)
    scalar = isinstance(kind, Array) and not kind.ndim and kind.xp == "numpy"  # what is computed may be a number
    if isinstance(kind, Array) and (not isinstance(d, Value) or not isinstance(d.kind, Array) or scalar):
        return builder.call(project, d, like)
    return d


def zero_of(builder: Builder, like: Value, lazy: bool = False) -> Any:
    """The cotangent of a value to which nothing has come back."""
    kind = like.kind
    if isinstance(kind, Num) and kind.python:
        return kind.type(0)
    if isinstance(kind, Num):
        return builder.call(kind.type, 0.0) if not lazy else 0.0
    return builder.call(zeros_like, like, lazy=lazy, hint=hint_of(like))


_SMALL = (np.float16, np.float32, np.complex64)


def mixed(params: list[Value], region: Region) -> bool:
    """Is there anything of less than double precision, beside which NumPy tells its own floats and Python's apart?"""
    made = [*params, *(v for op in walk(region) for v in op.results)]
    made += [v for op in walk(region) for sub in op.regions for v in sub.params]
    kinds = [v.kind.element if isinstance(v.kind, Seq) else v.kind for v in made]
    return any(isinstance(k, Array | Num) and k.dtype.type in _SMALL for k in kinds)


def hint_of(v: Value) -> str:
    """What the cotangent of a value is called."""
    nameless = not v.hint or is_cotangent(v, named=False)
    return CotangentName("d" if nameless else f"d_{v.hint}")


def cotangent_kind(v: Any) -> Any:
    """The kind of a cotangent that comes out of a loop or a branch; that of a Python number may be NumPy's."""
    return _wider(v.kind)


def _wider(kind: Any) -> Any:
    if isinstance(kind, Num):
        return Num({float: np.float64, complex: np.complex128}.get(kind.type, kind.type))
    return Seq(_wider(kind.element), kind.range) if isinstance(kind, Seq) else kind


class Cotangents:
    """The cotangents so far, of a region that is swept in reverse: operands of the region being built."""

    def __init__(
        self, active: set[Value], missing: set[Value], builder: Builder, params: list[Value], watched: bool = False
    ) -> None:
        self.watched = watched
        self.active = active
        #: The library other than NumPy that has active arrays, if there is one: cotangents of numbers stay there.
        self.xp = on_device(list(active))
        self.missing = missing
        self.builder = builder
        self.mixed = mixed(params, builder.region)
        self.cotangents: dict[Value, Any] = {}
        self.selected: set[Value] = set()
        #: The states that calls leave, by operation.
        self.states: dict[int, Value] = {}
        self.made: dict[Value, Op] = {}
        self.parts: dict[tuple[int, Value], Value] = {}
        self.known: dict[Value, Facts] = {}
        self.argument = of_arguments(walk(builder.region))
        self.forwards: dict[int, Op] = {}

    def add(self, v: Any, term: Any, selected: bool = False) -> None:
        """A running left fold: the sum is formed where the term appears."""
        if not isinstance(v, Value) or v not in self.active:
            return
        if selected:
            self.selected.add(v)
        term = fit(self.builder, term, v, bool(self.xp), lazy=True, hint=hint_of(v))
        old = self.cotangents.get(v)
        if old is None:
            self.cotangents[v] = term
            return
        target = accumulate if isinstance(v.kind, Seq) or v in self.missing else operator.add
        self.cotangents[v] = self.builder.call(target, old, term, lazy=True, hint=hint_of(v))

    def given(self, d: Any, v: Any, op: Op) -> Any:
        """What the pullback of an operation gives for one of its operands: tested, if cotangents are watched.

        What has no name and is of the same line is passed over: what comes out of the line is tested.
        """
        if not self.watched or not isinstance(d, Value) or not isinstance(v, Value) or op.loc is None:
            return d
        if not v.hint and v.loc is not None and (v.loc.file, v.loc.line) == (op.loc.file, op.loc.line):
            return d
        return self.builder.call(finite, d, str(v.hint), op.loc.file, op.loc.line, lazy=True, hint=hint_of(v))

    def typed(self, d: Any, like: Value) -> Any:
        """The cotangent `d` of a number as what comes out of a branch or loop is declared, if its type may matter.

        A Python number times an array is of the precision of the array, NumPy's of that of the wider.
        """
        kind = cotangent_kind(like)
        if not isinstance(kind, Num) or (isinstance(d, Value) and not (isinstance(d.kind, Num) and d.kind.python)):
            return d
        if kind.type in _SMALL or (self.mixed and kind.type in (np.float64, np.complex128)):
            return d if isinstance(d, Value) and kind.type in _SMALL else self.builder.call(kind.type, d)
        return d

    def as_result(self, d: Any, r: Value) -> Any:
        """A cotangent that is an array if its result is."""
        if isinstance(r.kind, Array) and not isinstance(kind_of_operand(d), Array):
            return self.builder.call(project, d, r, lazy=True, hint=hint_of(r))
        return d

    def kind(self, v: Any) -> Any:
        """The kind of a cotangent that comes out of a loop or a branch."""
        kind = cotangent_kind(v)
        return Array(kind.dtype, (), self.xp) if self.xp and isinstance(kind, Num) else kind

    def joined(self, d: Any, v: Value) -> Any:
        """A cotangent as a loop or a branch gives it: where those of numbers stay with arrays, as such an array."""
        if not self.xp or not is_scalar(v.kind):
            return self.typed(d, v)
        made = self.kind(v)
        if isinstance(kind_of_operand(d), Array):
            return d
        return self.builder.call(of_kind(np.asarray, made), d, made.dtype, lazy=True, hint=hint_of(v))

    def on_host(self, d: Any, v: Value) -> Any:
        """The cotangent of a number as a number."""
        there = isinstance(v.kind, Num) and isinstance(d, Value) and isinstance(d.kind, Array)
        return self.builder.call(project, d, v, lazy=True, hint=hint_of(v)) if there else d

    def run(self, ops: list[Op]) -> None:
        """Pull the cotangents of the results of `ops` back to what they were computed from."""
        raise NotImplementedError
