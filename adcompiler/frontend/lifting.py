"""What a function that is lowered apart reads from around it becomes parameters, and arguments of its calls.

f(%x) { .. %w * %x; f(%x.2) .. }, with %w from outside      ->      f(%x, %w) { .. %w * %x; f(%x.2, %w) .. }
"""

from typing import Any

from adcompiler.ir.alias import READ_ONLY, holds_memory, reached
from adcompiler.ir.callee import Callee, reachable
from adcompiler.ir.core import Function, Region, Value, free_values, leaves, substitute, walk


def lifted(callee: Callee, done: Any) -> dict[Callee, list[Value]]:
    """Give functions parameters for what they read from around them, and their calls the arguments.

    Gives the values that calls from outside have to pass. What is `done` has them.
    """
    assert callee.function is not None
    found = [c for c in dict.fromkeys([callee, *reachable(callee.function)]) if c not in done and c.of is None]
    free: dict[Callee, dict[Value, None]] = {c: {} for c in found}
    inside = {c: _defined(c.function) for c in found if c.function is not None}
    grown = True
    while grown:
        grown = False
        for c in found:
            assert c.function is not None
            body = Region(c.function.params, c.function.body.ops, c.function.body.results)
            calls = [op for op in walk(body) if isinstance(op.target, Callee)]
            around = [v for op in calls if op.target in free for v in free[op.target] if v not in inside[c]]
            more = [v for v in (*free_values(body), *around) if v not in free[c]]
            effect = c.effect or any(op.effect or (op.target in found and op.target.effect) for op in walk(body))
            grown = grown or bool(more) or effect != c.effect
            free[c].update(dict.fromkeys(more))
            c.effect = effect
    for c in found:
        c.views = frozenset()
        c.entangled = False
    grown = True
    while grown:
        grown = False
        for c in found:
            before = c.views, c.entangled
            c.views, c.entangled = _viewed(c, free), _entangled(c)
            grown = grown or before != (c.views, c.entangled)
    for c in found:
        function = c.function
        assert function is not None
        for op in walk(function.body):
            if op.target in found:
                op.args = (*op.args, *free[op.target])
                op.effect = op.target.effect
        mine = {v: Value(v.kind, v.hint, v.loc) for v in free[c]}
        substitute(function.body, mine)
        results = list(function.body.results)
        c.function = Function(function.name, [*function.params, *mine.values()], Region([], function.body.ops, results),
                              tuple(results), function.doc)  # fmt: skip
    return {c: list(free[c]) for c in found}


def _viewed(callee: Callee, free: dict[Callee, dict[Value, None]]) -> frozenset[int]:
    """The parameters, and then what is read from around, whose memory the results may share."""
    f = callee.function
    assert f is not None
    ops, results = list(walk(f.body)), set(leaves(f.body.results))
    return frozenset(i for i, p in enumerate([*f.params, *free[callee]]) if reached(ops, p) & results)


def _entangled(callee: Callee) -> bool:
    """May two of the results share memory, or is one perhaps a view that cannot be written into?"""
    f = callee.function
    assert f is not None
    results = [v for v in f.body.results if isinstance(v, Value) and holds_memory(v.kind)]
    ops, wanted = list(walk(f.body)), set(results)
    if any(reached(ops, r) & wanted for op in ops if op.target in READ_ONLY for r in op.results):
        return True
    if len(results) < 2:
        return False
    several = any(op.target.entangled for op in ops if isinstance(op.target, Callee) and wanted & set(op.results))
    made = [*f.params, *free_values(f.body), *(r for op in ops for r in op.results)]
    return (
        several
        or len(wanted) < len(results)
        or any(len(reached(ops, v) & wanted) > 1 for v in made if holds_memory(v.kind))
    )


def _defined(function: Function) -> set[Value]:
    out = set(function.params)
    for op in walk(function.body):
        out.update(op.results, *(sub.params for sub in op.regions))
    return out
