"""The functions that a compiled one calls: their derivatives, and the form in which they are generated.

%d = f.pull(%pull, (%x), (%d_y))      ->      f_vjp(%x) { %y = ..; split(%d_y); .. } -> (%y), (%d_x)

A derivative is of the function's own pure IR, for the arguments that the call needs, so that it calls derivatives of
the same kind in its turn, itself among them.
"""

from dataclasses import dataclass
from typing import Any

from adcompiler.ir.callee import Both, Callee, called, functions_of
from adcompiler.ir.core import Function, Op, Region, Value, leaves, walk
from adcompiler.passes.activity import active
from adcompiler.passes.adjoint import adjoint
from adcompiler.passes.capture import capture
from adcompiler.passes.checkpoint import uncheckpoint
from adcompiler.passes.dce import dce
from adcompiler.passes.inline import inline
from adcompiler.passes.keep import copy_of
from adcompiler.passes.mark import at_split, split
from adcompiler.passes.memory import Decisions, Memory, carries
from adcompiler.passes.pairing import paired
from adcompiler.passes.simplify import simplify
from adcompiler.passes.stop import unstop
from adcompiler.passes.tangent import moving_results, tangent
from adcompiler.passes.unthunk import unthunk
from rules.kind import is_differentiable, kind_of


def complete(function: Function, inlined: bool = True) -> None:
    """Derive what `function` calls, and what that calls, as far as it is not there yet. Raises UnsupportedError."""
    seen: set[Callee] = set()
    stack = [function]
    while stack:
        for callee in called(stack.pop().body):
            if callee not in seen:
                seen.add(callee)
                derive(callee, inlined)
                stack.extend(functions_of(callee))


def derive(callee: Callee, inlined: bool) -> None:
    """Give a derivative its IR, unless it has it."""
    if callee.function is not None:
        return
    assert callee.of is not None
    derive(callee.of, inlined)
    f = callee.of.function
    assert f is not None
    if not callee.pulled:
        callee.function = _pushed(f, callee.wrt, inlined)
        return
    results = f.body.results
    seeds = [(results[i], Value(_kind(results[i]), _d(results[i]))) for i in callee.given]
    wrt = [f.params[i] for i in callee.wrt]
    wanted = Region([], f.body.ops, [results[i] for i in callee.given])
    reached = active(Function(f.name, f.params, wanted, tuple(wanted.results)), wrt)
    g = adjoint(f, wrt, reached, seeds, tuple(results), pulled=True, called=True, selected=callee.selected)
    g = unthunk(g)
    callee.split = g = simplify(dce(inline(g)) if inlined else g)
    _, gradients = g.result
    body = Region([], [op for op in g.body.ops if op.target is not split], list(gradients))
    callee.function = dce(Function(callee.name, g.params, body, tuple(gradients), f.doc))


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


# ------------------------------------------------------------------------------------------- as they are generated
@dataclass(frozen=True)
class Companion:
    """A function that is generated beside the one that is asked for: what operations call it, and its IR.

    `cotangents` are the parameters of its pullback, the last ones.
    """

    target: Any
    name: str
    doc: str
    function: Function
    cotangents: list[Value]


def companions(function: Function, taken: set[str]) -> list[Companion]:
    """What has to be generated beside `function`, innermost first, under names that are not `taken`."""
    found: dict[Any, Companion] = {}
    stack, taken = [function], set(taken)
    while stack:
        for op in walk(stack.pop().body):
            if isinstance(op.target, Callee | Both) and op.target not in found:
                made = _companion(op.target, taken)
                found[op.target] = made
                taken.add(made.name)
                stack.append(made.function)
    return list(found.values())[::-1]


def _companion(target: Callee | Both, taken: set[str]) -> Companion:
    callee = target.of if isinstance(target, Both) else target
    name = callee.name if target is callee or callee.of is None else f"{callee.of.name}_vjp"
    base, n = name, 2
    while name in taken:
        name, n = f"{base}_{n}", n + 1
    if target is callee:
        f = callee.function
        assert f is not None
        f = simplify(capture(plain(paired(f))))
        whole = (None, list(f.body.results))
        f = Function(name, f.params, f.body, whole)
        return Companion(target, name, _doc(callee), f, [])
    f = callee.split
    assert f is not None
    f = _own_results(simplify(capture(plain(paired(f)))))
    n = len(f.params) - len(callee.given)
    return Companion(target, name, _doc(callee, True), Function(name, f.params, f.body, f.result), f.params[n:])


def _doc(callee: Callee, pulled: bool = False) -> str:
    """What a companion says of itself."""
    base, words = callee, []
    while base.of is not None:
        words.append("pullback" if base.pulled else "tangents")
        base = base.of
    assert base.function is not None
    if not words:
        return f"Value of {base.function.doc}."
    if pulled:
        words.pop(0)
        of = " of the ".join([*words, f"value of {base.function.doc}"])
        return f"The {of}, and its pullback." if words else f"Value of {base.function.doc}, and its pullback."
    if words == ["tangents"]:
        return f"Value of {base.function.doc}, and its tangent."
    return f"The {' of the '.join(words)} of {base.function.doc}."


def _own_results(function: Function) -> Function:
    """What is returned beside a pullback shares no memory with arguments, nor one result with another."""
    at = at_split(function)
    assert at is not None
    value, gradients = function.result
    memory = Memory(function, Decisions(shared_carries={op.carried[k] for op, k in carries(function)}))
    taken = frozenset().union(*map(memory.roots, function.params)) | memory.foreign
    leaving: list[Op] = []
    out = []
    for v in value:
        roots = memory.roots(v)
        if roots & taken:
            leaving.append(copy_of(v, v))
            v = leaving[-1].result
        taken |= roots
        out.append(v)
    result = tuple(out), gradients
    ops = [*function.body.ops[:at], *leaving, *function.body.ops[at:]]
    return Function(function.name, function.params, Region([], ops, list(leaves(result))), result, function.doc)


def plain(function: Function) -> Function:
    """Without what says how to differentiate, since everything is differentiated."""
    stopless = unstop(function)
    return uncheckpoint(function if stopless is function else simplify(stopless))


__all__ = ["Companion", "companions", "complete", "plain"]
