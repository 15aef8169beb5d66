"""Functions that are given to a function with a rule: each is lowered apart, and what it closes over becomes operands.

brentq(lambda x: x - e * np.sin(x) - M, a, b)    ->    brentq(f(.., %e, %M), %a, %b), f(%x, %e, %M) { .. }
"""

import inspect
from typing import Any

import numpy as np

from adcompiler.errors import Refusal
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.lifting import lifted
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Callback, Closure, Poison, moment, poison_problem
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.callee import Bound, Callee, reachable
from adcompiler.ir.core import Function, Loc, Op, Region, Value, map_tree
from rules.kind import Array, Num, Opaque, Seq, kind_of
from rules.rule import Rule


def with_functions(lowerer: Any, rule: Rule, bound: dict[str, Any], node: Any) -> dict[str, Any]:
    """The arguments of a call with functions of the IR in place of the functions.

    What is called `args` among them is passed on to the functions, behind their own arguments.
    """
    out = dict(bound)
    extra = out.get("args", ())
    extra = tuple(extra) if isinstance(extra, tuple) else (extra,)
    for name, takes in rule.callbacks.items():
        f = out[name]
        if isinstance(f, Known) and f.value is None or f is None:
            continue
        kinds = takes.function(*(map_tree(lambda v: v.kind, lowerer.operand(out[w])) for w in takes.wants))
        out[name] = passed_on(lowerer, f"the {name} of {rule.name}", name, f, kinds, extra, node)
    if extra:
        out["args"] = ()
    return out


def passed_on(
    lowerer: Any, what: str, name: str, f: Any, kinds: tuple[Any, ...], extra: tuple[Any, ...], node: Any,
    changes: bool = False,
) -> Bound:  # fmt: skip
    """A function of the IR, of arguments of these kinds; `extra` is what it is called with behind them.

    Its arguments are its own to change with `changes`.
    """
    if isinstance(f, Record):
        f = lowerer.method(f, "__call__", node) or f
    if not isinstance(f, Closure | Callback) and not (isinstance(f, Known) and callable(f.value)):
        raise lowerer.refuse(node, f"{what} is {describe(f)}", "give it a function that is known when compiling")
    outer, region = lowerer.builder.region, Region()
    lowerer.builder.region = region
    before = moment()
    params = [Value(kind_of(kind), hint) for kind, hint in zip(kinds, _names(f, name), strict=False)]
    if changes:
        lowerer.arguments |= frozenset(params)
    #: What is around it is not changed by its calls, nor what it is called with.
    lowerer.walls.append(before if changes else moment())
    try:
        result = _as_floats(lowerer, what, lowerer.call(f, (*params, *extra), {}, node), node)
    finally:
        lowerer.walls.pop()
        lowerer.builder.region = outer
    called, where = _called(lowerer, f, name, node)
    region.results = [result]
    callee = Callee(called, Function(called, params, region, (result,), where))
    if any(map(lowerer.scope.is_unfinished, reachable(callee.function))):  # type: ignore[arg-type]
        raise lowerer.refuse(node, f"{what} calls the function in which it is passed on",
                             "write it without the recursion")  # fmt: skip
    around = lifted(callee, lowerer.scope.around)
    lowerer.scope.around.update(around)
    return Bound(callee, *around[callee])


def _called(lowerer: Any, f: Any, name: str, node: Any) -> tuple[str, str]:
    """What a function is called, and where it is written."""
    if isinstance(f, Closure) and f.frame.source.of_rules and f.frame.env.get(name, f) is not f:
        return _called(lowerer, f.frame.env[name], name, node)  # which it calls
    found = getattr(f, "name" if isinstance(f, Closure) else "__name__", "")
    if isinstance(f, Known):
        found = getattr(f.value, "__name__", "")
    found = found if found.isidentifier() and found != "lambda_" else name
    place = Loc(f.frame.source.file, f.node.lineno) if isinstance(f, Closure) else lowerer.loc(node)
    return found, f"`{found}` ({place.short})"


def _names(f: Any, name: str) -> list[str]:
    """What the parameters of a function are called."""
    if isinstance(f, Closure):
        found = [p.id for p in (*f.node.args.posonlyargs, *f.node.args.args)]
    else:
        code = getattr(getattr(f, "value", None), "__code__", None)
        found = list(code.co_varnames[: code.co_argcount]) if code is not None else []
        found = found[inspect.ismethod(getattr(f, "value", None)) :]
    return [*found, *["x"] * 8]


def _as_floats(lowerer: Any, what: str, d: Any, node: Any) -> Value:
    """What a function gives, as a number or an array of floats that a derivative can go through."""
    if isinstance(d, Poison):
        if d.reported:
            raise Refusal(None)
        raise Refusal(poison_problem(d, what, lowerer.loc(node)))
    if isinstance(d, list | tuple | ListOf) or (isinstance(d, Value) and isinstance(d.kind, Seq)):
        d = lowerer.emit(np.array, d)
    if isinstance(d, Known) and isinstance(d.value, int | float | complex | np.number):
        op = Op(float, (d.value,), {}, [Value(Num(float))], loc=lowerer.loc(node))
        lowerer.builder.region.ops.append(op)
        lowerer.defs[op.result] = op
        return op.result
    kind = kind_of_operand(lowerer.operand(d))
    if isinstance(kind, Num | Array) and kind.dtype.kind in "iub":
        d = lowerer.emit(float, d) if isinstance(kind, Num) else lowerer.method_rule("astype", node, d, (Known(float),))
    elif not isinstance(kind, Num | Array) or not isinstance(d, Value):
        opaque = isinstance(kind, Opaque)
        reason = f"{what} cannot be seen into" if opaque else f"{what} returns {describe(d)}"
        remedy = "write it in Python, with functions that have rules" if opaque else "return a number or an array"
        raise lowerer.refuse(node, reason, remedy)
    return d


__all__ = ["with_functions"]
