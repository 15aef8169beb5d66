"""The functions that are generated beside the one that is asked for, because it calls them.

%y, %pull = f_vjp(%x)      ->      def f_vjp(x): .. def pullback(d_y): .. return d_x; return y, pullback
"""

import ast
import builtins
import keyword
from dataclasses import dataclass
from typing import Any

from adcompiler.backend.emit import Emitted, Input, emit
from adcompiler.ir.callee import Both, Callee, passed
from adcompiler.ir.core import Function, Region, Value, leaves, walk
from adcompiler.passes.bufferize import bufferize
from adcompiler.passes.capture import capture
from adcompiler.passes.checkpoint import uncheckpoint
from adcompiler.passes.copies import copied_in_arm
from adcompiler.passes.inner_sums import inner_sums
from adcompiler.passes.keep import copy_of
from adcompiler.passes.mark import at_split
from adcompiler.passes.memory import Decisions, Memory, carries
from adcompiler.passes.pairing import paired
from adcompiler.passes.poles import past_poles
from adcompiler.passes.simplify import simplify
from adcompiler.passes.states import stateful
from adcompiler.passes.stop import unstop


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


def companions(function: Function, taken: set[str], inlined: bool = True) -> list[Companion]:
    """What has to be generated beside `function`, innermost first, under names that are not `taken`.

    Without `inlined` their pullbacks are called.
    """
    found: dict[Any, Companion] = {}
    stack, taken = [function], set(taken)
    while stack:
        for op in walk(stack.pop().body):
            for target in (op.target, *(f.callee for f in passed(op))):
                if isinstance(target, Callee | Both) and target not in found:
                    made = _made(target, taken, inlined)
                    found[target] = made
                    taken.add(made.name)
                    stack.append(made.function)
    return list(found.values())[::-1]


def _made(target: Callee | Both, taken: set[str], inlined: bool) -> Companion:
    callee = target.of if isinstance(target, Both) else target
    name = callee.name if target is callee or callee.of is None else f"{callee.of.name}_vjp"
    base, n = name, 2
    while name in taken:
        name, n = f"{base}_{n}", n + 1
    if target is callee:
        f = callee.function
        assert f is not None
        f = inner_sums(past_poles(simplify(capture(stateful(plain(paired(f)), inlined)))))
        whole = (None, list(f.body.results))
        f = Function(name, f.params, f.body, whole)
        return Companion(target, name, _doc(callee), f, [])
    f = callee.split
    assert f is not None
    f = _own_results(inner_sums(past_poles(simplify(capture(stateful(plain(paired(f)), inlined))))))
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
    forward, out = function.body.ops[:at], []
    for v in value:
        roots = memory.roots(v)
        bad = roots & taken
        inside = copied_in_arm(forward, v, bad, memory, lambda y: copy_of(y, y)) if bad else None
        if inside is not None:
            forward, roots = inside, roots - bad
        elif bad:
            forward = [*forward, copy_of(v, v)]
            v = forward[-1].result
        taken |= roots
        out.append(v)
    result = tuple(out), gradients
    ops = [*forward, *function.body.ops[at:]]
    return Function(function.name, function.params, Region([], ops, list(leaves(result))), result, function.doc)


def plain(function: Function) -> Function:
    """Without what says how to differentiate, since everything is differentiated."""
    stopless = unstop(function)
    return uncheckpoint(function if stopless is function else simplify(stopless))


def companion(c: Companion, names: dict[Any, str], reserved: dict[str, Any], free: dict[str, Any], reuse: bool) \
        -> Emitted:  # fmt: skip
    """A function that is called by the one that was asked for, and perhaps by itself."""
    f, plan, buffers = bufferize(c.function, reuse)
    taken = {*names.values(), *free, *dir(builtins), "pullback", "np", "math"}
    access: dict[Value, str] = {}
    for p in f.params:
        wanted = name = str(p.hint) if p.hint.isidentifier() else "x"
        n = 2
        while name in taken or keyword.iskeyword(name):
            name, n = f"{wanted}_{n}", n + 1
        access[p] = name
        taken.add(name)
    late = set(f.params[len(f.params) - len(c.cotangents) :]) if c.cotangents else set()
    inputs = [Input(p, access[p], pullback=p in late) for p in f.params]
    parameters = [ast.arg(access[p]) for p in f.params if p not in late]
    signature = ast.arguments([], parameters, None, [], [], None, [])
    reserved = {**reserved, **{a: object() for a in access.values()}}
    values, rest = f.result
    last = rest[0] if len(rest) == 1 else tuple(rest)
    f = Function(c.name, f.params, f.body, last if values is None else (values, last), c.doc)
    return emit(f, plan, buffers, inputs, signature, reserved, names, free, called=True)
