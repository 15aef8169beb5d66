"""Where rules keep a state for their pullbacks, decided once everything is differentiated.

    %x = np.linalg.solve(%A, %b); %s = solve.state(%A, %b) .. %d_b = solve.d_b((%d_x, %A), (%d_x, %s))
      ->   %x, %s = solve.forward(None, %A, %b) .. %d_b = solve.with_state_d_b(%d_x, %s)

That is so where the function is computed and one of the pullbacks that takes the state as well. Elsewhere the
pullback is the pure one, and no state is made.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.ir.build import Builder, is_scalar_constant
from adcompiler.ir.core import For, Function, If, Op, Region, Value, While, leaves, map_tree, walk
from adcompiler.ir.state import STATE, Forward, FromState, State
from adcompiler.passes.dce import dce, is_live, live_values
from adcompiler.passes.inline import inline
from adcompiler.passes.trace import Pullback
from rules.rule import Rule, find


@dataclass(frozen=True)
class Waiting:
    """A pullback that has two forms still. Operands: those of the pure one, then those of the one with a state."""

    pullback: Pullback
    rule: Rule
    arg: str

    @property
    def __adc_name__(self) -> str:
        return self.pullback.__adc_name__

    @property
    def result(self) -> Any:
        return self.pullback.result

    def __call__(self, pure: tuple[Any, ...], stateful: tuple[Any, ...]) -> Any:
        return self.pullback(*pure)


def beside(region: Region, active: set[Value]) -> None:
    """Put a `State` behind each active call of a rule that can keep one, in place."""
    ops: list[Op] = []
    for op in region.ops:
        for sub in op.regions:
            beside(sub, active)
        ops.append(op)
        rule = find(op.target)
        if rule is not None and rule.overlay is not None and not active.isdisjoint(op.results):
            ops.append(Op(State(rule), op.args, op.kwargs, [Value(STATE, "", op.loc)], loc=op.loc))
    region.ops[:] = ops


def pure(function: Function, everything: bool = True) -> Function:
    """The function without states."""
    if not any(isinstance(op.target, Waiting) for op in walk(function.body)):
        return function
    return _settled(function, set(), set(), everything)


def stateful(function: Function, everything: bool = True) -> Function:
    """The function with the states that pay. `everything` is inlined that is pure, or numbers alone."""
    if not any(isinstance(op.target, Waiting) for op in walk(function.body)):
        return function
    function = dce(function)
    sources = _sources(function)
    live = live_values(function, _pure_operands)
    found = {id(op): _call(op, region) for region in _regions(function.body) for op in region.ops}
    made = {key for key, call in found.items() if call is not None and is_live(call, live)}
    waiting = [op for op in walk(function.body) if isinstance(op.target, Waiting)]
    chosen: set[int] = set()
    wanted: set[int] = set()
    for op in waiting:
        states = set[int]().union(*(sources[v] for v in leaves(op.args[1]) if v.kind == STATE))
        if states and states <= made:
            chosen.add(id(op))
            wanted |= states
    return _settled(function, chosen, wanted, everything)


def _pure_operands(op: Op) -> Any:
    """What an operation reads if no state is kept."""
    return leaves(op.args[0]) if isinstance(op.target, Waiting) else op.operands()


def keeps_state(function: Function) -> bool:
    """Does a call of it keep states?"""
    return any(isinstance(op.target, Forward) for op in walk(function.body))


def _regions(region: Region) -> list[Region]:
    return [region, *(sub for op in walk(region) for sub in op.regions)]


def _sources(function: Function) -> dict[Value, set[int]]:
    """Of which `State` operations each value may be the state, or hold one: through loops, branches and tapes."""
    found: dict[Value, set[int]] = defaultdict(set)
    before = -1
    while (size := sum(map(len, found.values()))) != before:
        before = size
        for op in walk(function.body):
            if isinstance(op.target, State):
                found[op.result].add(id(op))
                continue
            if isinstance(op, If):
                pairs = [pair for side in op.regions for pair in zip(op.results, side.results, strict=False)]
            elif isinstance(op, For | While):
                pairs = list(zip(op.results, op.body.results, strict=False))
                pairs += list(zip(op.elements, op.sequences, strict=True)) if isinstance(op, For) else []
                for p, i, y in zip(op.carried, op.inits, op.body.results, strict=False):
                    pairs += [(p, i), (p, y)]
            elif type(op) is Op and not isinstance(op.target, Waiting):
                pairs = [(r, x) for r in op.results for x in op.operands()]
            else:
                pairs = [(r, y) for sub in op.regions for r, y in zip(op.results, sub.results, strict=False)]
            for r, x in pairs:
                if isinstance(x, Value) and found.get(x):
                    found[r] |= found[x]
    return found


def _call(state: Op, region: Region) -> Op | None:
    """The call that leaves a state, if it stands before it in the region."""
    if not isinstance(state.target, State):
        return None
    for op in region.ops:
        if op is state:
            return None
        if find(op.target) is state.target.rule and _same(op.args, state.args) and _same(op.kwargs, state.kwargs):
            return op
    return None


def _same(a: Any, b: Any) -> bool:
    """Are these the same operands: values, and constants that are written alike?"""
    if isinstance(a, Value) or isinstance(b, Value):
        return a is b
    if isinstance(a, tuple | list) and type(a) is type(b):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(x, b[k]) for k, x in a.items())
    return a is b or (is_scalar_constant(a) and is_scalar_constant(b) and repr(a) == repr(b))


def _settled(function: Function, chosen: set[int], wanted: set[int], everything: bool) -> Function:
    """The function with these pullbacks taking their states, and these states made by their calls."""
    renamed: dict[Value, Value] = {}

    def settled(region: Region) -> Region:
        calls: dict[int, Op] = {}
        joined: dict[int, Op] = {}
        for op in region.ops:
            call = _call(op, region) if id(op) in wanted else None
            if call is not None and id(call) in joined:
                renamed[op.result] = joined[id(call)].result  # one call made two others superfluous
            elif call is not None:
                calls[id(call)] = joined[id(call)] = op
        out: list[Op] = []
        for op in region.ops:
            if id(op) in calls:
                out += _forward(op, calls[id(op)])
            elif isinstance(op.target, Waiting):
                waiting, which = op.target, id(op) in chosen
                target = FromState(waiting.rule, waiting.arg) if which else waiting.pullback
                args = op.args[1] if which else op.args[0]
                new = Op(target, args, {}, op.results, op.lazy, op.effect, op.loc)
                out.append(new.rebuild(lambda v: renamed.get(v, v), lambda r: r))
            elif not isinstance(op.target, State):
                out.append(op.rebuild(lambda v: renamed.get(v, v), settled))
        return Region(region.params, out, map_tree(lambda v: renamed.get(v, v), region.results))

    f = function
    return inline(dce(Function(f.name, f.params, settled(f.body), f.result, f.doc)), everything)


def _forward(call: Op, state: Op) -> list[Op]:
    """The call with the state that it leaves, and the scratch arrays that it wants."""
    target = Forward(state.target.rule)
    bound = target.rule.bind(call.args, call.kwargs)
    builder = Builder(Region(), call.loc)
    args = []
    for name in target.derivative.wants:
        of = target.derivative.scratch.get(name)
        args.append(builder.call(np.empty_like, bound[of]) if of else None if name == "state" else bound[name])
    results = [*call.results, *state.results]
    return [*builder.region.ops, Op(target, tuple(args), {}, results, False, call.effect, call.loc)]
