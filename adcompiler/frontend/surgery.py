"""`with cotangent(y) as d_y:` the body is a function of its own, and all names of `y` denote what hands it over.

with cotangent(y) as d_y: d_y *= s      ->      %y2 = cotangent(%y, body(.., %s)), body(%d_y, %s) { .. }
"""

from typing import Any

import gast

from adcompiler.frontend.desugar import is_flag
from adcompiler.frontend.functions import passed_on
from adcompiler.frontend.iteration import CHANGING
from adcompiler.frontend.words import describe
from adcompiler.ir.core import Value
from adcompiler.passes.cotangents import cotangent_kind
from adcompiler.passes.surgery import handed
from rules.kind import Array, Num, is_differentiable, lengths

LATE = "in the body of cotangent, which runs in the reverse sweep"
STRAIGHT = "put the `with` straight after {} is computed, in the same loop"


def hand_over(lowerer: Any, node: Any, made: Any, name: Any, others: list[Any]) -> None:
    """Lower `with cotangent(y) as name:`, whose call is `made`."""
    args, kwargs = lowerer.given(made)
    if len(args) != 1 or kwargs:
        raise lowerer.refuse(made, "cotangent takes one value", "write cotangent(y)")
    if others:
        raise lowerer.refuse(node, "cotangent stands beside other contexts in a `with`", "give it a `with` of its own")
    if name is not None and not isinstance(name, gast.Name):
        raise lowerer.refuse(node, "the cotangent has no plain name", "write `with cotangent(y) as d_y:`")
    text, y = lowerer.text(made.args[0]), args[0]
    if not isinstance(y, Value) or not isinstance(y.kind, Num | Array) or not is_differentiable(y.kind):
        raise lowerer.refuse(made, f"{text} is {describe(y)}, which has no cotangent",
                             "give it a number or an array of floats")  # fmt: skip
    _check_place(lowerer, made, text, y)
    body = _body(lowerer, node, text, y, name)
    new = lowerer.emit(handed, y, body, hint=y.hint)
    if isinstance(y.kind, Array):
        lowerer.overwrite(y, new)
    else:
        lowerer.moved({y: new})


def _check_place(lowerer: Any, made: Any, text: str, y: Value) -> None:
    """Refuse where something else than what has this value may be given what comes back to it."""
    held = [(label, movable) for label, v, movable in lowerer.holders() if v is y]
    if not held:
        raise lowerer.refuse(made, f"nothing has what {text} gives", f"give it a name before: y = {text}")
    stuck = next((label for label, movable in held if not movable), None)
    if stuck is not None:
        raise lowerer.refuse(made, f"{text} is also {stuck}", STRAIGHT.format(text))
    if any(y.id < header.mark for header in lowerer.headers):
        raise lowerer.refuse(made, f"{text} is made outside of the loop around this", STRAIGHT.format(text))
    if any(y.id < wall for wall in lowerer.walls):
        raise lowerer.refuse(made, f"{text} is made outside of the function that is called here", STRAIGHT.format(text))
    if not isinstance(y.kind, Array):
        return
    lens = lowerer.lens(y)
    other = lowerer.inexact(lens.root)
    if lens.steps:
        other = next((label for label, v, _ in lowerer.holders() if v is not y and v in lowerer.family(lens.root)), "")
    if other:
        raise lowerer.refuse(made, f"{text} may share memory with {other}, whose cotangent is another",
                             f"write {text} = {text}.copy() before")  # fmt: skip


def _body(lowerer: Any, node: Any, text: str, y: Value, name: Any) -> Any:
    """The body as a function of the IR, of the cotangent."""
    d = name.id if name is not None else "d_y"
    _check_body(lowerer, node.body, d)
    parameter = gast.Name(d, gast.Param(), None, None)
    result = gast.Return(gast.Name(d, gast.Load(), None, None))
    none = gast.arguments([parameter], [], None, [], [], None, [])
    f = gast.FunctionDef(d, none, [*node.body, gast.copy_location(result, node.body[-1])], [], None, None, [])
    gast.copy_location(f, node)
    gast.fix_missing_locations(f)
    closure = lowerer.closure(f, d)
    outer, lowerer.late = lowerer.late, True
    try:
        made = passed_on(lowerer, f"the body of cotangent({text})", d, closure, (cotangent_kind(y),), (), node, True)
    finally:
        lowerer.late = outer
    kind = made.result
    fits = isinstance(kind, Num) or (isinstance(y.kind, Array) and len(kind.shape) == len(y.kind.shape))
    if fits and isinstance(kind, Array):
        for n, m in zip(kind.shape, y.kind.shape, strict=True):
            lengths().agree(n, m)
    if not fits or (kind.dtype.kind == "c" and y.kind.dtype.kind != "c"):
        raise lowerer.refuse(node, f"{d} is {kind} at the end of the body, and {text} is {y.kind}",
                             f"let {d} be like {text}")  # fmt: skip
    return made


def _check_body(lowerer: Any, body: list[Any], d: str) -> None:
    """Refuse what leaves the body, or assigns to what is around it."""
    for n in _inside(body):
        leaves = {gast.Return: "return", gast.Yield: "yield", gast.YieldFrom: "yield from"}.get(type(n))
        assigned = isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
        if assigned and is_flag(n.id) and n.id in lowerer.frame.env:
            leaves = "break` or `continue"
        if leaves:
            raise lowerer.refuse(n, f"`{leaves}` {LATE}", f"let the body assign to {d}, and go on")
        if assigned and n.id != d and n.id in lowerer.frame.env:
            raise lowerer.refuse(n, f"{n.id} is assigned {LATE}, and has a value outside of it", "give it another name")


def logged(lowerer: Any, func: Any) -> Any:
    """The method by which a body puts something into a list, dict, set or deque outside of the function; else None."""
    if not isinstance(func, gast.Attribute) or not isinstance(func.value, gast.Name) or func.attr not in CHANGING:
        return None
    name, frame = func.value.id, lowerer.frame.parent
    while frame is not None and name not in lowerer.frame.env:
        if isinstance(frame.env.get(name), list | dict):
            raise lowerer.refuse(func, f"{name} is changed {LATE}, and is made outside of it",
                                 "make it outside of the function that is differentiated")  # fmt: skip
        frame = frame.parent
    return lowerer.scope.method_outside(lowerer.frame, name, func.attr)


def _inside(body: list[Any]) -> Any:
    """The nodes of statements, but those of functions in them."""
    stack = list(body)
    while stack:
        n = stack.pop()
        yield n
        if not isinstance(n, gast.FunctionDef | gast.Lambda | gast.ClassDef):
            stack.extend(gast.iter_child_nodes(n))


__all__ = ["hand_over", "logged"]
