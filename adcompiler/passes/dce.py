"""Removes what nobody needs, through branches and loops: dead operations, results, carries, collected lists.

for ..; %a = .., %b = .. {.. yield %a', %b'}   with %b used by itself alone   ->   %b is not carried
"""

from typing import Any

from adcompiler.ir.core import Checkpoint, For, Function, If, Op, Region, Value, While, leaves


def dce(function: Function) -> Function:
    """The same function without what no result and no effect depends on."""
    live = live_values(function)
    return Function(function.name, function.params, _sweep(function.body, live), function.result, function.doc)


def live_values(function: Function, uses: Any = None) -> set[Value]:
    """The values that results and effects depend on. `uses(op)` are the operands that count; all by default."""
    live = set(leaves(function.body.results))
    operands = uses or (lambda op: op.operands())
    _mark(function.body, live, operands)
    return live


def is_live(op: Op, live: set[Value]) -> bool:
    """Is this operation kept?"""
    return op.effect or any(r in live for r in op.results)


def _mark(region: Region, live: set[Value], operands: Any) -> None:
    for op in reversed(region.ops):
        if not is_live(op, live):
            continue
        if isinstance(op, If | Checkpoint):
            live.update(op.operands())
            for side in op.regions:
                live.update(
                    v for v, r in zip(side.results, op.results, strict=False) if isinstance(v, Value) and r in live
                )
                _mark(side, live, operands)
        elif isinstance(op, For | While):
            _mark_loop(op, live, operands)
        else:
            live.update(operands(op))


def _mark_loop(op: For | While, live: set[Value], operands: Any) -> None:
    n = len(op.inits)
    if isinstance(op, While):
        live.update(leaves(op.test.results))
    if op.stop:
        live.update(leaves(op.body.results[-1]))
    live.update(
        y for y, r in zip(op.body.results[n:], op.results[n:], strict=False) if isinstance(y, Value) and r in live
    )
    twins = op.test.params if isinstance(op, While) else op.carried
    waiting = list(zip(op.carried, op.results, twins, op.body.results, op.inits, strict=False))
    again = True
    while again:
        found = [carry for carry in waiting if not live.isdisjoint(carry[:3])]
        waiting = [carry for carry in waiting if carry not in found]
        for p, r, _, y, init in found:
            live.update((p, r, *leaves((y, init))))
        _mark(op.body, live, operands)
        if isinstance(op, While):
            _mark(op.test, live, operands)
        again = any(not live.isdisjoint(carry[:3]) for carry in waiting)
    if isinstance(op, For):
        used = [s for e, s in zip(op.elements, op.sequences, strict=True) if e in live]
        live.update(leaves(used or op.sequences[_cheapest(op)]))


def _cheapest(op: For) -> int:
    """The sequence that tells the number of iterations when no element is wanted: a range if there is one."""
    for i, s in enumerate(op.sequences):
        if isinstance(s, Value) and getattr(s.kind, "range", False):
            return i
    return 0


def _sweep(region: Region, live: set[Value]) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        if not is_live(op, live):
            continue
        if isinstance(op, If):
            keep = [i for i, r in enumerate(op.results) if r in live]
            sides = [
                Region(s.params, _sweep(s, live).ops, [s.results[i] for i in keep] if s.results else [])
                for s in op.regions
            ]
            ops.append(If(op.target, op.args, {}, [op.results[i] for i in keep], op.lazy, op.effect, op.loc, *sides))
        elif isinstance(op, Checkpoint):
            keep = [i for i, r in enumerate(op.results) if r in live]
            body = Region([], _sweep(op.body, live).ops, [op.body.results[i] for i in keep])
            ops.append(Checkpoint(op.target, (), {}, [op.results[i] for i in keep], op.lazy, op.effect, op.loc, body))
        elif isinstance(op, For | While):
            ops.append(_sweep_loop(op, live))
        else:
            ops.append(op)
    return Region(region.params, ops, region.results)


def _sweep_loop(op: For | While, live: set[Value]) -> Op:
    n = len(op.inits)
    carry = [k for k in range(n) if op.carried[k] in live]
    collect = [k for k in range(n, len(op.results)) if op.results[k] in live]
    results = [op.results[k] for k in carry + collect]
    inits = [op.inits[k] for k in carry]
    yields = [op.body.results[k] for k in carry + collect]
    if op.stop:
        yields.append(op.body.results[-1])
    inner = _sweep(op.body, live)
    if isinstance(op, While):
        test = _sweep(op.test, live)
        test.params = [op.test.params[k] for k in carry]
        body = Region([op.body.params[k] for k in carry], inner.ops, yields)
        return While(op.target, (inits,), {}, results, op.lazy, op.effect, op.loc, test, body, op.stop)
    scans = [i for i, e in enumerate(op.elements) if e in live] or [_cheapest(op)]
    params = [op.elements[i] for i in scans] + [op.carried[k] for k in carry]
    body = Region(params, inner.ops, yields)
    return For(
        op.target,
        ([op.sequences[i] for i in scans], inits),
        {},
        results,
        op.lazy,
        op.effect,
        op.loc,
        body,
        op.stop,
    )
