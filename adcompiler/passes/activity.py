"""Which values the gradient can reach: those that depend on the arguments asked for, and on which the result depends.

f(x, y): %a = x * 2; %b = y + 1; %c = a * b        wrt x ->  x, a, c are active; y, b are not
"""

import operator

from adcompiler.errors import Problem, UnsupportedError, problem_at
from adcompiler.ir.alias import holds_memory, reached
from adcompiler.ir.callee import CALLS
from adcompiler.ir.core import Checkpoint, For, Function, If, Op, Region, Value, While, leaves, raise_, walk
from adcompiler.ir.printer import target_name
from rules.contexts import entered, left
from rules.cotangent import alike, apart, assigned, fits, length, size, zeros_like
from rules.exceptions import error_of, raised_by, which
from rules.kind import is_differentiable
from rules.rule import Rule, find
from rules.sequences import among, must_run, same_items, same_value

_HARMLESS = (
    alike,
    apart,
    assigned,
    fits,
    operator.not_,
    operator.is_,
    operator.is_not,
    operator.contains,
    same_items,
    same_value,
    among,
    bool,
    min,
    max,
    entered,
    error_of,
    left,
    must_run,
    print,
    raise_,
    raised_by,
    which,
    str.format,
    length,
    size,
    zeros_like,
)


def active(function: Function, wrt: list[Value], forward: bool = False) -> set[Value]:
    """The active values. Raises UnsupportedError where an active one goes into what has no derivative.

    `forward` asks for the pushforwards of the rules, else for their pullbacks.
    """
    moving = varied(function, wrt)
    both = moving & useful(function)
    problems = _refused(function, both, moving, forward)
    if problems:
        raise UnsupportedError(problems)
    return both


def varied(function: Function, wrt: list[Value]) -> set[Value]:
    """What depends on some of the parameters so that it moves as they move."""
    found = set(wrt)
    _forward(function.body, found)
    return found


def useful(function: Function) -> set[Value]:
    """What the result depends on so that it moves as that moves."""
    found = {v for v in leaves(function.body.results) if is_differentiable(v.kind)}
    _backward(function.body, found)
    return found


def _carries(op: Op) -> bool:
    """Does a derivative pass through this operation?"""
    rule = find(op.target)
    return rule is None or rule.differentiable or bool(rule.why)


def _forward(region: Region, varied: set[Value]) -> None:
    for op in region.ops:
        if isinstance(op, If):
            for side in op.regions:
                _forward(side, varied)
                _mark(op.results, side.results, varied)
        elif isinstance(op, For | While):
            if isinstance(op, For):
                _mark(op.elements, op.sequences, varied)
            _mark(op.carried, op.inits, varied)
            size = -1
            while size != len(varied):
                size = len(varied)
                _forward(op.body, varied)
                _mark(op.carried, op.body.results[: len(op.inits)], varied)
            _mark(op.results, [*op.inits, *[None] * (len(op.results) - len(op.inits))], varied)
            _mark(op.results, op.body.results, varied)
        elif isinstance(op, Checkpoint):
            _forward(op.body, varied)
            _mark(op.results, op.body.results, varied)
        elif any(v in varied for v in op.operands()) and _carries(op):
            varied.update(r for r in op.results if is_differentiable(r.kind))


def _mark(targets: list[Value], sources: list[object], into: set[Value]) -> None:
    for t, s in zip(targets, sources, strict=False):
        if isinstance(s, Value) and s in into and is_differentiable(t.kind):
            into.add(t)


def _backward(region: Region, useful: set[Value]) -> None:
    for op in reversed(region.ops):
        if isinstance(op, If | Checkpoint):
            for side in op.regions:
                useful.update(
                    s for s, r in zip(side.results, op.results, strict=False) if isinstance(s, Value) and r in useful
                )
                _backward(side, useful)
        elif isinstance(op, For | While):
            body = op.body
            pairs = list(zip(body.results, op.results, strict=False))
            useful.update(s for s, r in pairs if isinstance(s, Value) and r in useful)
            before = -1
            while before != len(useful):
                before = len(useful)
                _backward(body, useful)
                carried = zip(body.results, op.carried, strict=False)
                useful.update(s for s, p in carried if isinstance(s, Value) and p in useful)
            n = len(op.inits)
            useful.update(i for i, p, r in zip(op.inits, op.carried, op.results[:n], strict=True)
                          if isinstance(i, Value) and (p in useful or r in useful))  # fmt: skip
            if isinstance(op, For):
                useful.update(
                    s for s, e in zip(op.sequences, op.elements, strict=True) if isinstance(s, Value) and e in useful
                )
        elif any(r in useful for r in op.results) and _carries(op):
            useful.update(v for v in op.operands() if is_differentiable(v.kind))


def _derivatives(rule: Rule, forward: bool) -> set[str]:
    """The arguments that a rule differentiates with respect to."""
    if not forward:
        return set(rule.pullbacks)
    return {*rule.pullbacks, *(p.name for p in rule.parameters if "t_" + p.name in rule.pushforward.wants)} \
        if rule.pushforward is not None else set()  # fmt: skip


def _refused(function: Function, both: set[Value], varied: set[Value], forward: bool) -> list[Problem]:
    problems = []
    ops = list(walk(function.body))
    for op in ops:
        if op.regions or isinstance(op.target, CALLS):
            continue
        rule = find(op.target)
        unknown = rule is None or (bool(rule.why) and (rule.kind is None or any(r in both for r in op.results)))
        opaque = unknown and op.target not in _HARMLESS and not _is_exception(op.target)
        if rule is not None and rule.differentiable and not rule.why and any(r in both for r in op.results):
            bound, known = rule.bind(op.args, op.kwargs), _derivatives(rule, forward)
            for name, x in bound.items():
                if name not in known and name not in rule.like | rule.constant and any(v in both for v in leaves(x)):
                    what = "forward mode" if forward and rule.pushforward is None else "derivative"
                    why = f": {rule.reasons[name]}" if name in rule.reasons else ""
                    problems.append(problem_at(op.loc, f"{rule.name} has no {what} with respect to {name}{why}",
                                               "pass a constant there"))  # fmt: skip
        elif opaque:
            name = target_name(op.target)
            why = f": {rule.why}" if rule is not None and rule.why else ""
            if any(r in both for r in op.results):
                lacks = "derivative" if why else "rule"
                reason = f"{name} has no {lacks}, and a derivative would flow through it{why}"
                remedy = "write it by functions with rules (`adc rules`), or give it one (docs/custom_rules.md)"
                problems.append(problem_at(op.loc, reason, remedy))
            elif why and any(v in varied for v in op.operands()):
                problems.append(problem_at(op.loc, f"{name} cannot be differentiated{why}", "use another function"))
            elif not why:
                problems.extend(_exposed(op, ops, name))
    return problems


def _exposed(op: Op, ops: list[Op], name: str) -> list[Problem]:
    """An opaque call may write into an array that is used elsewhere."""
    for v in op.operands():
        if holds_memory(v.kind):
            family = reached(ops, v)
            users = [o for o in ops if o is not op and o.target not in _HARMLESS and set(o.operands()) & family]
            if users:
                reason = f"{name} cannot be seen into, and may write into an array that is used elsewhere"
                return [problem_at(op.loc, reason, "pass it a copy: x.copy()")]
    return []


def _is_exception(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, BaseException)
