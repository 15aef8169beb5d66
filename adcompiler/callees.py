"""The derivatives of the functions of the IR that a compiled one calls.

%d = f.pull(%pull, (%x), (%d_y))      ->      f_vjp(%x) { %y = ..; split(%d_y); .. } -> (%y), (%d_x)

A derivative is of the function's own pure IR, for the arguments that the call needs, so that it calls derivatives of
the same kind in its turn, itself among them.
"""

from typing import Any

from adcompiler.ir.callee import Callee, called, functions_of
from adcompiler.ir.core import Function, Region, Value, walk
from adcompiler.passes.activity import active
from adcompiler.passes.adjoint import adjoint
from adcompiler.passes.checkpoint import uncheckpoint
from adcompiler.passes.cotangents import cotangent_kind, mixed
from adcompiler.passes.dce import dce
from adcompiler.passes.inline import inline
from adcompiler.passes.mark import split
from adcompiler.passes.simplify import simplify
from adcompiler.passes.states import pure
from adcompiler.passes.tangent import moving_results, tangent
from adcompiler.passes.unthunk import unthunk
from rules.kind import is_differentiable, kind_of


def complete(function: Function, inlined: bool = True, watched: bool = False) -> None:
    """Derive what `function` calls, and what that calls, as far as it is not there yet. Raises UnsupportedError.

    In what is `watched` cotangents are tested to be finite.
    """
    seen: set[Callee] = set()
    stack = [function]
    while stack:
        callees = list(called(stack.pop().body))
        again = {callee.of for callee in callees}
        for callee in callees:
            if callee not in seen:
                seen.add(callee)
                derive(callee, inlined or callee in again, watched)
                stack.extend(functions_of(callee))


def derive(callee: Callee, inlined: bool, watched: bool = False) -> None:
    """Give a derivative its IR, unless it has it."""
    if callee.function is not None:
        return
    assert callee.of is not None
    derive(callee.of, True, watched)  # what is differentiated again is made of functions with rules
    assert callee.of.function is not None
    f = pure(callee.of.function)
    if not callee.pulled:
        callee.function = _pushed(f, callee.wrt, inlined)
        return
    results = f.body.results
    kinds = list(map(_kind, results))
    if mixed(f.params, f.body):  # its callers may give NumPy's numbers for Python's, beside which arrays are wider
        kinds = [cotangent_kind(Value(kind)) for kind in kinds]
    seeds = [(results[i], Value(kinds[i], _d(results[i]))) for i in callee.given]
    wrt = [f.params[i] for i in callee.wrt]
    wanted = Region([], f.body.ops, [results[i] for i in callee.given])
    reached = active(Function(f.name, f.params, wanted, tuple(wanted.results)), wrt)
    g = adjoint(f, wrt, reached, seeds, tuple(results), pulled=True, called=True, selected=callee.selected,
                states=True, watched=watched)  # fmt: skip
    g = unthunk(g)
    callee.split = g = simplify(dce(inline(g)) if inlined else g)
    _, gradients = g.result
    body = _silent(Region([], [op for op in g.body.ops if op.target is not split], list(gradients)))
    callee.function = dce(Function(callee.name, g.params, body, tuple(gradients), f.doc))


def _silent(region: Region) -> Region:
    """Without what it prints, which its function has printed."""
    ops = []
    for op in region.ops:
        if op.target is print:
            continue
        if op.regions:
            op = op.rebuild(lambda v: v, _silent)
            op.effect = any(o.effect for sub in op.regions for o in walk(sub))
        ops.append(op)
    return Region(region.params, ops, region.results)


def _pushed(f: Function, wrt: tuple[int, ...], inlined: bool) -> Function:
    """The results and their tangents, from the parameters and the tangents of `wrt`."""
    f = uncheckpoint(f)
    tangents = {f.params[i]: Value(f.params[i].kind, f"t_{f.params[i].hint}") for i in wrt}
    extended = Function(f.name, [*f.params, *tangents.values()], f.body, f.result, f.doc)
    g = tangent(extended, dict(tangents), active(f, list(tangents), forward=True))
    values, moved = g.result
    tangent_of = dict(zip(moving_results(f), moved, strict=True))
    results = [*values, *(tangent_of[r] if isinstance(r, Value) else 0.0 for r in f.result
                          if is_differentiable(_kind(r)))]  # fmt: skip
    g = dce(Function(g.name, g.params, Region([], g.body.ops, results), tuple(results), f.doc))
    return simplify(dce(inline(g)) if inlined else g)


def _kind(x: Any) -> Any:
    return x.kind if isinstance(x, Value) else kind_of(x)


def _d(x: Any) -> str:
    return f"d_{x.hint}" if isinstance(x, Value) and x.hint else "d_value"
