"""Calls and their pullbacks in the form in which they run, once everything is differentiated.

    %y = f(%x); %pull = f.forward(%x); .. %d = f.pull(%pull, (%x), (%d_y))
      ->   %y, %pull = f_vjp(%x); .. %d = f.pull(%pull, (), (%d_y))

A pullback that is differentiated itself is a call too: it is made one with its own `forward` in the same way.
"""

from typing import Any

from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.ir.build import is_scalar_constant
from adcompiler.ir.callee import PULL, Both, Forward, Pull, call_of
from adcompiler.ir.core import Function, Op, Region, Value, walk
from adcompiler.passes.dce import dce


def opened(region: Region) -> None:
    """Put a `forward` behind each call, in place: the adjoint says of which pullback, if of any."""
    ops: list[Op] = []
    for op in region.ops:
        for sub in op.regions:
            opened(sub)
        ops.append(op)
        call = call_of(op)
        if call is not None:
            ops.append(Op(Forward(), call[1], {}, [Value(PULL, "pull", op.loc)], loc=op.loc))
    region.ops[:] = ops


def paired(function: Function) -> Function:
    """The function whose pullbacks read what is kept for them."""
    if not any(isinstance(op.target, Forward | Pull) for op in walk(function.body)):
        return function
    function = dce(function)
    return dce(Function(function.name, function.params, _paired(function.body), function.result, function.doc))


def _paired(region: Region) -> Region:
    out: list[Op] = []
    for op in region.ops:
        new = op.rebuild(lambda v: v, _paired)
        if isinstance(op.target, Forward) and op.target.of is not None:
            new = _joined(op, out)
        out.append(new)
    for op in out:
        if isinstance(op.target, Pull) and op.args[1]:
            op.args = (op.args[0], (), op.args[2])
    return Region(region.params, out, region.results)


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Are these the same operands: values, and constants that are written alike?"""
    return len(a) == len(b) and all(
        x is y or (is_scalar_constant(x) and is_scalar_constant(y) and repr(x) == repr(y))
        for x, y in zip(a, b, strict=True)
    )


def _joined(forward: Op, before: list[Op]) -> Op:
    """The `forward` with the call that it belongs to, which is taken out of `before`."""
    made = forward.target.of
    assert made.of is not None
    for i, op in reversed(list(enumerate(before))):  # the last of equal calls: what others give may have been read
        call = call_of(op)
        if call is not None and call[0] is made.of and _same(call[1], forward.args):
            del before[i]
            return Op(Both(made), forward.args, {}, [*op.results, *forward.results], False, op.effect, op.loc)
    unused = [Value(k, "", forward.loc) for k in made.of.kinds]
    return Op(Both(made), forward.args, {}, [*unused, *forward.results], loc=forward.loc)


def check_pulls(function: Function) -> None:
    """Refuse a pullback that is called where its `vjp` may not have run."""

    def check(region: Region, seen: set[Value]) -> None:
        seen = seen | set(region.params)
        for op in region.ops:
            if isinstance(op.target, Pull) and op.args[0] not in seen:
                reason = "this pullback is called where the vjp that gives it may not have run"
                raise UnsupportedError(problem_at(op.loc, reason, "call vjp before the branch or the loop"))
            for sub in op.regions:
                check(sub, seen)
            seen.update(op.results)

    check(function.body, set(function.params))
