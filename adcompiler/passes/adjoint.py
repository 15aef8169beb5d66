"""Reverse mode: the forward operations, then their pullbacks in reverse order, each inserted as a lazy operation.

    %z = %x * %y; return %z     ->     %z = %x * %y; %d_x = lazy multiply.d_x(1.0, %y); return %d_x

Contributions to a cotangent are summed where they appear. The adjoint of a loop is a loop over what the forward
one kept, so that the adjoint is a program like any other.
"""

import itertools
from typing import Any

from adcompiler.ir.build import Builder
from adcompiler.ir.callee import Forward, Pull, call_of
from adcompiler.ir.core import (
    Checkpoint,
    CotangentName,
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    While,
    clone,
    leaves,
    map_tree,
    walk,
)  # fmt: skip
from adcompiler.ir.state import State
from adcompiler.passes.adjoint_loop import Loops
from adcompiler.passes.checkpoint import again
from adcompiler.passes.cotangents import as_argument, cotangent_kind, hint_of
from adcompiler.passes.mark import split, turn
from adcompiler.passes.missing import missing
from adcompiler.passes.pairing import opened
from adcompiler.passes.states import beside
from adcompiler.passes.stop import unstop
from adcompiler.passes.surgery import body_of, handed
from rules.kind import Array, Num


def adjoint(
    function: Function, wrt: list[Value], active: set[Value], seeds: list[tuple[Value, Any]], primal: Any = None,
    pulled: bool = False, called: bool = False, selected: bool = False, states: bool = False,
    watched: bool = False,
) -> Function:  # fmt: skip
    """The function whose result is (`primal`, the gradients in the order of `wrt`).

    `seeds` are results of `function` with their cotangents: 1.0 for the number that a gradient is of. With `pulled`
    they are new parameters of the function, and its backward sweep is a pullback. `primal` is a tree of results, kept
    as it is. With `called` the gradients are for generated code, where Python numbers may come as NumPy's; with
    `selected` the seeds have passed a selection. With `states` pullbacks may take what their functions have left. If
    it is `watched`, what each pullback gives is tested to be finite.
    """
    mapping: dict[Value, Any] = {}
    params = [Value(p.kind, p.hint, p.loc) for p in function.params]
    mapping.update(zip(function.params, params, strict=True))
    body = clone(function.body, mapping)
    opened(body)
    live = {mapping.get(v, v) for v in active}
    if states:
        beside(body, live)
    absent = {v for v in missing(Function("", params, body)) if isinstance(v.kind, Array)}
    sweep = _Sweep(live, absent, Builder(body), params, watched)
    if primal is not None:
        for v in leaves(map_tree(lambda v: mapping.get(v, v), primal)):
            v.hint = v.hint or "value"
    forward = list(body.ops)
    builder = sweep.builder
    builder.effect(split, *(seed for _, seed in seeds)) if pulled else builder.effect(turn)
    for v, seed in seeds:
        sweep.add(mapping.get(v, v) if isinstance(v, Value) else v, seed, selected)
    sweep.run(forward)
    builder.loc = None
    gradients = []
    for p in wrt:
        q = mapping.get(p, p)
        d = sweep.cotangents.get(q)
        plain = called and isinstance(q.kind, Num) and q.kind.python
        gradients.append((0.0 if d is None else sweep.on_host(d, q)) if plain else as_argument(builder, q, d))
    primal = map_tree(lambda v: mapping.get(v, v), primal)
    body.results = [*leaves((primal, gradients))]
    params += [seed for _, seed in seeds] if pulled else []
    made = Function(f"{function.name}_{'vjp' if pulled else 'grad'}", params, body, (primal, gradients))
    return unstop(made, (handed,))  # a derivative of it is one of what it computes


class _Sweep(Loops):
    """The reverse sweep over one region: through operations, branches, loops, calls and checkpoints."""

    def run(self, ops: list[Op]) -> None:
        """Pull the cotangents of the results of `ops` back to what they were computed from."""
        for op in ops:
            self.made.update(dict.fromkeys(op.results, op))
            if isinstance(op, For | While):
                self.made.update(dict.fromkeys(op.carried, op))
        self.forwards.update((id(op), after) for op, after in itertools.pairwise(ops) if call_of(op) is not None)
        self.states.update((id(op), s.result) for op, s in itertools.pairwise(ops) if isinstance(s.target, State))
        for op in reversed(ops):
            if not any(r in self.cotangents for r in op.results):
                continue
            self.builder.loc = op.loc
            if isinstance(op, If):
                self.pull_if(op)
            elif isinstance(op, For):
                self.pull_for(op)
            elif isinstance(op, While):
                self.pull_while(op)
            elif isinstance(op, Checkpoint):
                self.pull_checkpoint(op)
            elif call_of(op) is not None:
                self.pull_call(op)
            elif body_of(op) is not None:
                self.pull_handed(op)
            else:
                self.pull(op)

    def pull_call(self, op: Op) -> None:
        """The pullback of a function of the IR: of the arguments that are active, for the results that are wanted."""
        call = call_of(op)
        assert call is not None
        callee, args = call
        given = tuple(i for i, r in enumerate(op.results) if r in self.cotangents)
        wrt = tuple(i for i, x in enumerate(args) if isinstance(x, Value) and x in self.active)
        made = callee.pullback(wrt, given, any(op.results[i] in self.selected for i in given))
        forward = self.forwards[id(op)]
        forward.target = Forward(made)
        wanted = [(self.cotangents[op.results[i]], op.results[i]) for i in given]
        incoming = tuple(self.typed(self.as_result(self.on_host(d, r), r), r) for d, r in wanted)
        results = [Value(cotangent_kind(args[i]), hint_of(args[i]), op.loc) for i in wrt]
        self.builder.region.ops.append(
            Op(Pull(made), (forward.result, args, incoming), {}, results, False, False, op.loc)
        )
        for i, d in zip(wrt, results, strict=True):
            self.add(args[i], self.given(d, args[i], op), True)

    def pull_handed(self, op: Op) -> None:
        """The user's statements on the cotangent, in their place: what they make of it is that of the operand."""
        x, body = op.args
        y, function = op.result, body.callee.function
        d = self.typed(self.as_result(self.on_host(self.cotangents[y], y), y), y)
        mapping = dict(zip(function.params, (d, *body.around), strict=True))
        made = clone(Region([], function.body.ops, function.body.results), mapping)
        named = CotangentName(function.params[0].hint)
        for v in (v for inner in walk(made) for v in inner.results if v.hint == named):
            v.hint = named
        self.builder.region.ops.extend(made.ops)
        self.add(x, made.results[0], y in self.selected)

    def pull_checkpoint(self, op: Checkpoint) -> None:
        """Its operations once more, then their pullbacks: a checkpoint too, so that nothing of it is kept either."""
        outer, before = self.builder.region, self.cotangents
        region, copies = again(op)
        for known in (self.active, self.missing):
            known.update([copy for v, copy in copies.items() if v in known])
        self.builder.region, self.cotangents = region, dict(before)
        for r, y in zip(op.results, region.results, strict=True):
            if r in before:
                self.add(y, before[r], r in self.selected)
        self.run(list(region.ops))
        found, inside = self.cotangents, set(copies.values())
        self.builder.region, self.cotangents = outer, before
        adjoint = Checkpoint("checkpoint", (), {}, [], False, False, op.loc, region)
        region.results = []
        for v, d in found.items():
            if v not in inside and d is not before.get(v):
                region.results.append(self.joined(d, v) if self.xp else d)
                adjoint.results.append(Value(self.kind(v), hint_of(v), op.loc))
                self.cotangents[v] = adjoint.results[-1]
        outer.ops.append(adjoint)
