"""Functions that are given to `grad`, `vjp` and `jvp` inside: a method of an object is a lambda that calls it.

grad(self.energy)       ->      grad(lambda x: self.energy(x))
"""

import copy
import inspect
import types
from typing import Any

import gast

from adcompiler.frontend.records import Bound, Record
from adcompiler.frontend.scope import Callback, Closure

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def given_function(lowerer: Any, f: Any, node: Any) -> Any:
    """The function to differentiate: a closure, or a function that is known when compiling. Raises Refusal."""
    if isinstance(f, Record):
        f = lowerer.method(f, "__call__", node) or f
    if isinstance(f, Callback):
        written = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "f"), None)
        names = _parameters(f) if isinstance(written, gast.Name | gast.Attribute) else None
        if names is None:
            raise lowerer.refuse(node, "the function to differentiate is made here, of another and what it is given",
                                 "write a lambda that calls it: lambda x: f(x)")  # fmt: skip
        return lowerer.expr(_lambda(written, names))
    return f if isinstance(f, Closure) else lowerer.static(f, node, "the function to differentiate",
                                                           "write a lambda that calls it: lambda x: f(x)")  # fmt: skip


def _parameters(f: Callback) -> list[tuple[str, Any]] | None:
    """The parameters of a method but the object, with their defaults; None where they are not plain."""
    function = f.function if isinstance(f, Bound) else None
    function = getattr(function, "value", function)
    if not inspect.isfunction(function):
        return None
    _, *rest = inspect.signature(function).parameters.values()
    written = (p.default is p.empty or isinstance(p.default, int | float | str | types.NoneType) for p in rest)
    plain = all(written) and all(p.kind in _POSITIONAL for p in rest)
    return [(p.name, p.default) for p in rest] if plain else None


def _lambda(written: Any, parameters: list[tuple[str, Any]]) -> Any:
    """`lambda x, k=2.0: written(x, k)`."""
    names = [gast.Name(n, gast.Param(), None, None) for n, _ in parameters]
    defaults = [gast.Constant(d, None) for _, d in parameters if d is not inspect.Parameter.empty]
    loads = [gast.Name(n, gast.Load(), None, None) for n, _ in parameters]
    call = gast.Call(copy.deepcopy(written), loads, [])
    made = gast.Lambda(gast.arguments(names, [], None, [], [], None, defaults), call)
    for n in gast.walk(made):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, written)
    return made
