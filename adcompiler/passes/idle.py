"""A loop that reads nothing of a list goes over what tells the number of iterations, and the list is not kept.

%tape = for %i in %r { .. yield %s }; for %s in backwards(%tape) { .. }   ->   for .. in %r { .. }   (%s is not read)
"""

import operator

from adcompiler.ir.core import For, Function, Op, Region, Value, While, leaves, walk
from rules.kind import Num, Seq
from rules.sequences import backwards


def without_idle_tapes(function: Function) -> Function:
    """The same function, whose loops go over no list that nobody reads. It has loops to itself."""
    read = set(leaves(function.body.results))
    for op in walk(function.body):
        read.update(op.operands())
        read.update(v for sub in op.regions for v in leaves(sub.results))
    return Function(function.name, function.params, _without(function.body, read), function.result, function.doc)


def _without(region: Region, read: set[Value]) -> Region:
    ops = [op.rebuild(lambda v: v, lambda sub: _without(sub, read)) for op in region.ops]
    for op in ops:
        op.results = list(op.results)  # a count may be one more
    writers = {r: op for op in ops if isinstance(op, For | While) for r in op.results[len(op.inits) :]}
    turned = {op.result: op.args[0] for op in ops if op.target is backwards}
    out: list[Op] = []
    for op in ops:
        tape = turned.get(op.sequences[0], op.sequences[0]) if isinstance(op, For) and op.sequences else None
        if isinstance(op, For) and tape in writers and read.isdisjoint(op.elements):
            steps = _iterations(writers[tape], out)
            if steps is not None:
                element = Value(Num(int), "", op.loc)
                body = Region([element, *op.carried], op.body.ops, op.body.results)
                op = For(op.target, ([steps], op.inits), {}, op.results, op.lazy, op.effect, op.loc, body, op.stop)
        out.append(op)
    return Region(list(region.params), out, list(region.results))


def _iterations(loop: For | While, out: list[Op]) -> Value | None:
    """A range with an element for each iteration of a loop; None if there is none at hand."""
    if isinstance(loop, For) and not loop.stop:
        ranges = [s for s in loop.sequences if isinstance(s, Value) and isinstance(s.kind, Seq) and s.kind.range]
        return ranges[0] if ranges else None
    steps = Value(Seq(Num(int), range=True), "", loop.loc)
    out.append(Op(range, (count_of(loop),), {}, [steps], loc=loop.loc))
    return steps


def count_of(loop: For | While) -> Value:
    """How often a loop has run: counted, in place, if nothing else tells."""
    for init, p, y, r in zip(loop.inits, loop.carried, loop.body.results, loop.results, strict=False):
        if type(init) is int and init == 0 and isinstance(r.kind, Num) and r.kind.type is int:
            if any(y in o.results and o.target is operator.add and o.args == (p, 1) for o in loop.body.ops):
                return r
    count, inner, total = (Value(Num(int), "count", loop.loc) for _ in range(3))
    loop.inits.append(0)
    if isinstance(loop, While):
        loop.test.params.append(Value(Num(int), "count", loop.loc))
    n = len(loop.carried)
    loop.body.params.append(count)
    place = 0 if loop.stop else len(loop.body.ops)  # every path to a stop counts
    loop.body.ops.insert(place, Op(operator.add, (count, 1), {}, [inner], False, False, loop.loc))
    loop.body.results.insert(n, inner)
    loop.results.insert(n, total)
    return total
