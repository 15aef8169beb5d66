"""Functions of the IR that operations call, and their derivatives: what recursion comes out as.

    %y = f(%x); %pull = f.forward(%x); .. %d_x = f.pull(%pull, (%x), (%d_y))     ->     y, pull = f_vjp(x); .. pull(d_y)

All of these are pure. What a pullback keeps, `%pull`, stands for the arguments: it is made by `forward` beside the
call, and a pull has the arguments as operands too, so that it can be differentiated like a call. At the end, when all
is differentiated, a call and its `forward` become one, and a pull reads `%pull` alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.ir.core import Function, Op, Region, Value, walk
from rules.kind import Num, Opaque, kind_of

#: What a pullback keeps.
PULL = Opaque("pullback")


@dataclass(eq=False)
class Callee:
    """A function of parameters to results, one after the other; `function` is None until it is lowered or derived.

    In Python, its results may share memory with the arguments `views`, or with what it reads if that is None; those of
    an `entangled` one with each other, or cannot be written into. As generated they share none.

    A derivative is made of `of`: with `pulled`, the cotangents of the arguments `wrt`, from the arguments and the
    cotangents of the results `given`, which `selected` says have passed a selection; without, the results of `of`
    and their tangents, from the arguments and the tangents of the arguments `wrt`. `split` is the former as forward
    sweep and pullback.
    """

    name: str
    function: Function | None = None
    effect: bool = False
    views: frozenset[int] | None = None
    entangled: bool = True
    of: "Callee | None" = None
    pulled: bool = False
    wrt: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    selected: bool = False
    split: Function | None = None
    derived: dict[Any, "Callee"] = field(default_factory=dict)

    @property
    def __adc_name__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<function {self.name} of the IR>"

    @property
    def kinds(self) -> list[Any]:
        """The kinds of the results."""
        if self.function is None and self.pulled and self.of is not None and self.of.function is not None:
            params = self.of.function.params
            return [Num(np.float64) if isinstance(params[i].kind, Num) else params[i].kind for i in self.wrt]
        assert self.function is not None
        return [x.kind if isinstance(x, Value) else kind_of(x) for x in self.function.results]

    @property
    def lowered(self) -> "Callee":
        """What it is a derivative of."""
        return self if self.of is None else self.of.lowered

    def pullback(self, wrt: tuple[int, ...], given: tuple[int, ...], selected: bool) -> "Callee":
        """The function that pulls cotangents of the results `given` back to the arguments `wrt`."""
        made = Callee(f"{self.name}_grad", of=self, pulled=True, wrt=wrt, given=given, selected=selected)
        return self.derived.setdefault((wrt, given, selected), made)

    def pushforward(self, wrt: tuple[int, ...]) -> "Callee":
        """The function that pushes tangents of the arguments `wrt` forward."""
        return self.derived.setdefault(wrt, Callee(f"{self.name}_jvp", of=self, wrt=wrt, effect=self.effect))


class Bound(tuple[Any, ...]):
    """A function of the IR as an operand: (it, what its last parameters are); it is called with the first of them."""

    __slots__ = ()

    def __new__(cls, *items: Any) -> "Bound":
        return super().__new__(cls, items[0] if isinstance(items[0], Iterator) else items)

    @property
    def callee(self) -> Callee:
        """The function."""
        return self[0]

    @property
    def around(self) -> tuple[Any, ...]:
        """What it has from around it: its last parameters."""
        return self[1:]

    @property
    def result(self) -> Any:
        """The kind of what it gives."""
        return self.callee.kinds[0]

    @property
    def parameters(self) -> list[Value]:
        """The parameters with which it is called."""
        assert self.callee.function is not None
        return self.callee.function.params[: len(self.callee.function.params) - len(self.around)]


@dataclass(frozen=True)
class Forward:
    """Gives what a pullback keeps, from the arguments of the call; of no pullback, it gives nothing."""

    of: Callee | None = None

    @property
    def __adc_name__(self) -> str:
        return f"{self.of.of.name}.forward" if self.of and self.of.of else "forward"


@dataclass(frozen=True)
class Pull:
    """Runs a pullback: (what it keeps, arguments, cotangents); the arguments are left out at the end."""

    of: Callee

    @property
    def __adc_name__(self) -> str:
        assert self.of.of is not None
        return f"{self.of.of.name}.pull"


@dataclass(frozen=True)
class Both:
    """A call together with `Forward`: its results, and what the pullback keeps."""

    of: Callee

    @property
    def __adc_name__(self) -> str:
        assert self.of.of is not None
        return f"{self.of.of.name}_vjp"


CALLS = (Callee, Forward, Pull, Both)


def call_of(op: Op) -> tuple[Callee, tuple[Any, ...]] | None:
    """The pure function that an operation calls, with its arguments; None if it is no such operation."""
    if isinstance(op.target, Callee):
        return op.target, op.args
    if isinstance(op.target, Pull):
        return op.target.of, (*op.args[1], *op.args[2])
    return None


def called(region: Region) -> Iterator[Callee]:
    """The functions that operations of a region name, inner regions included."""
    for op in walk(region):
        if isinstance(op.target, Callee):
            yield op.target
        elif isinstance(op.target, Forward | Pull | Both) and op.target.of is not None:
            yield op.target.of
        yield from (x.callee for x in passed(op))


def passed(op: Op) -> Iterator[Bound]:
    """The functions that an operation is given."""
    for x in (*op.args, *op.kwargs.values()) if op.kwargs else op.args:
        if x.__class__ is Bound:
            yield x


def functions_of(callee: Callee) -> list[Function]:
    """The IR there is of it."""
    return [f for f in (callee.split, callee.function) if f is not None]


def reachable(function: Function) -> list[Callee]:
    """Every function that may be called, in the order in which they are found."""
    found: dict[Callee, None] = {}
    stack = [function]
    while stack:
        for callee in called(stack.pop().body):
            if callee not in found:
                found[callee] = None
                stack.extend(functions_of(callee))
    return list(found)
