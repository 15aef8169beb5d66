"""Statements of the user's in the reverse sweep: an identity that hands the cotangent of its result to a function.

with cotangent(y) as d_y: d_y *= 0.5      ->      %y2 = cotangent(%y, body); .. %d = %d_y2 * 0.5; %d_y = %d

The identity goes, as that of `stop_gradient` does, once everything is differentiated.
"""

import sys
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.ir.callee import Bound
from adcompiler.ir.core import Function, If, Loc, Op, Region, Value, leaves
from rules import rule


class _Left(BaseException):
    """Leaves the body of a `with` before it begins."""


class cotangent:
    """`with cotangent(y) as d_y:` holds what the reverse sweep does where the cotangent of `y` is complete.

    `y` is a number or an array of floats that has a name, an attribute or an item of a list or dict; `d_y` has its
    shape and dtype. What `d_y` is at the end of the body takes the place of the cotangent: it may be clipped, scaled,
    printed, tested. Other names that the body assigns are its own, and what is around it can be read and not changed.
    The statement stands straight after `y` is computed, before `y` is read.

    Where the function runs as usual, and in forward mode, the body is passed over; in a loop the iterations come in
    reverse order. It does not run where nothing comes back to `y`, or where no argument that is differentiated leads
    to it. The derivative of a gradient is one of what that computes, with the body as a part of it.

    Raises:
        UnsupportedError: when a gradient is compiled, if `y` has been read before, is part of an array, or has no
            cotangent; if the body changes what is around it, or leaves the function.
        RuntimeError: when the function runs as usual, if this Python cannot pass over the body: it has no tracing.

    >>> import numpy as np
    >>> from adcompiler import grad
    >>> def loss(x):
    ...     y = 10.0 * x
    ...     with cotangent(y) as d_y:
    ...         d_y = np.clip(d_y, -1.0, 1.0)
    ...     return np.sum(y ** 2)
    >>> float(loss(np.array([0.01, 2.0])))
    400.01
    >>> grad(loss)(np.array([0.01, 2.0]))
    array([ 2., 10.])
    """

    def __init__(self, y: Any) -> None:
        self.frame: FrameType | None = None
        self.before: tuple[Any, Any, bool] = (None, None, False)

    def __enter__(self) -> None:
        self.frame = frame = sys._getframe(1)
        self.before = sys.gettrace(), frame.f_trace, frame.f_trace_opcodes
        sys.settrace(lambda *_: None)
        frame.f_trace, frame.f_trace_opcodes = self.leave, True

    def leave(self, *event: Any) -> Any:
        """Called by Python before it goes on behind the `with`."""
        raise _Left

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        assert self.frame is not None
        sys.settrace(self.before[0])
        self.frame.f_trace, self.frame.f_trace_opcodes = self.before[1:]
        self.frame = None
        if kind is not _Left:
            raise RuntimeError("Python has run the body of `with cotangent(..)`, and cannot trace it") from error
        return True


def handed(y: Any, body: Any) -> Any:
    """`y`, whose cotangent `body` is given, and may replace."""
    return y


handed.__adc_name__ = "cotangent"  # type: ignore[attr-defined]


@rule("y = cotangent(x, body)", handed)
class _Handed:
    view = "x"
    constant = "body"

    def kind(x):  # type: ignore[no-untyped-def]
        return x

    def d_x(d_y):  # type: ignore[no-untyped-def]
        return d_y

    def t_y(t_x):  # type: ignore[no-untyped-def]
        return t_x


def body_of(op: Op) -> Bound | None:
    """The statements that are given the cotangent of the result; None for all other operations."""
    return op.args[1] if op.target is handed else None


def check_handed(function: Function, active: set[Value]) -> None:
    """Raise UnsupportedError where a cotangent is handed over that lacks what another use of the value adds."""
    for arms, op in _handed(function.body, ()):
        x = op.args[0]
        other = next(_others(function.body, x, op, arms, active), None) if x in active else None
        if other is not None:
            where = f" at line {other.line}" if isinstance(other, Loc) else ""
            name = x.hint or "what is named"
            reason = f"{name} is read{where} beside this, so that the cotangent here lacks what comes back from there"
            raise UnsupportedError(problem_at(op.loc, reason, f"put the `with` straight after {name} is computed"))


def _handed(region: Region, arms: tuple[Region, ...]) -> Iterator[tuple[tuple[Region, ...], Op]]:
    """The operations that hand cotangents over, with the other arms of the branches around each."""
    for op in region.ops:
        if body_of(op) is not None:
            yield arms, op
        for sub in op.regions:
            apart = tuple(r for r in op.regions if r is not sub) if isinstance(op, If) else ()
            yield from _handed(sub, (*arms, *apart))


def _others(region: Region, x: Value, mine: Op, arms: tuple[Region, ...], active: set[Value]) -> Iterator[Any]:
    """Where else a value is read by what leads to the result, but in arms that are not taken then."""
    for op in region.ops:
        if op is not mine and x in op.operands() and any(r in active for r in op.results):
            yield op.loc
        for sub in op.regions:
            if sub not in arms:
                yield from _others(sub, x, mine, arms, active)
                if x in set(leaves(sub.results)) and any(r in active for r in op.results):
                    yield op.loc
