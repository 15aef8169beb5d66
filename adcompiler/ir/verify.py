"""The laws that every pass must keep. Tests run this after each pass; it raises VerifyError at the first breach."""

from typing import Any

from adcompiler.ir.core import UNDEF, Checkpoint, For, Function, If, Region, Value, While, leaves


class VerifyError(AssertionError):
    """A pass has broken the IR."""


def verify(function: Function) -> Function:
    """Each value defined once and before its use; regions yield what they promise; kinds of joins agree.

    A lazy value is never carried by a loop. Returns the function, so that it can stand around a pass.
    """
    defined: set[Value] = set()

    def define(values: list[Value]) -> None:
        for v in values:
            if v in defined:
                raise VerifyError(f"{v!r} is defined twice in {function.name}")
            defined.add(v)

    def check(region: Region, scope: set[Value], lazy: set[Value], loop: bool) -> None:
        define(region.params)
        scope = scope | set(region.params)
        for op in region.ops:
            for v in op.operands():
                if v not in scope:
                    raise VerifyError(f"{v!r} is used before its definition, by {op.target} in {function.name}")
            if isinstance(op, If):
                _promise(op.results, [op.then.results, op.orelse.results], "if")
            elif isinstance(op, For):
                n = len(op.inits)
                if len(op.body.params) != len(op.sequences) + n or len(op.body.results) - op.stop != len(op.results):
                    raise VerifyError(f"a for of {function.name} takes or yields a wrong number of values")
                _promise(op.carried, [op.inits, op.body.results[:n]], "for")
                _promise(op.results[:n], [op.carried], "for")
            elif isinstance(op, While):
                n = len(op.inits)
                promised = len(op.body.results) - op.stop == len(op.results)
                if len(op.test.params) != n or len(op.body.params) != n or len(op.test.results) != 1 or not promised:
                    raise VerifyError(f"a while of {function.name} takes or yields a wrong number of values")
                _promise(op.carried, [op.inits, op.body.results[:n], op.test.params], "while")
                _promise(op.results[:n], [op.carried], "while")
            elif isinstance(op, Checkpoint):
                _promise(op.results, [op.body.results], "checkpoint")
            for sub in op.regions:
                check(sub, scope, lazy, isinstance(op, For | While))
            define(op.results)
            scope.update(op.results)
            if op.lazy:
                lazy.update(op.results)
        for v in leaves(region.results):
            if v not in scope:
                raise VerifyError(f"{v!r} is yielded but not defined in {function.name}")
            if loop and v in lazy:
                raise VerifyError(f"{v!r} is lazy, and carried by a loop of {function.name}")

    check(Region(function.params, function.body.ops, function.body.results), set(), set(), False)
    for v in leaves(function.result):
        if v not in defined:
            raise VerifyError(f"{v!r} is returned but not defined in {function.name}")
    return function


def _promise(values: list[Value], sides: list[list[Any]], what: str) -> None:
    for side in sides:
        if len(side) < len(values):
            raise VerifyError(f"a region of {what} yields {len(side)} values, {len(values)} are promised")
        for v, x in zip(values, side, strict=False):
            if x is UNDEF or not isinstance(x, Value):
                continue
            a, b = v.kind, x.kind
            if type(a) is not type(b) and not _compatible(a, b):
                raise VerifyError(f"{what}: {v!r} is {a}, but {x!r} is {b}")
            if getattr(a, "shape", ()) and len(a.shape) != len(b.shape):
                raise VerifyError(f"{what}: {v!r} is {a}, but {x!r} is {b}")


def _compatible(a: Any, b: Any) -> bool:
    return getattr(a, "shape", None) == () and getattr(b, "shape", None) == ()
