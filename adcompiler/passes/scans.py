"""What loops read, without lists whose elements are known without them.

%cs = for %x in %xs: collect 1.0; for %c in %cs, %y in %ys: ...  ->  for %y in %ys: ...     (where %c is 1.0)
%ds = unstack(%d); for %e in %ds: ...                            ->  for %e in %d: ...      (row by row)
%ds = unstack(spread(%d, %z)); for %e in %ds: ...                ->  for %r in %z: %e = spread(%d, %r); ...

Sequences that a loop reads side by side are equally long, so that dead code elimination drops what is not read.
"""

from typing import Any

from adcompiler.ir.build import stands_for
from adcompiler.ir.core import For, Function, Op, Region, Value, map_tree, walk
from rules.cotangent import spread, unstack
from rules.kind import Array, Num, array_or_number
from rules.rule import find
from rules.sequences import backwards


def plain_scans(function: Function) -> Function:
    """The same function, whose loops read arrays by their rows, and no list of equal elements."""
    if not any(isinstance(op, For) for op in walk(function.body)):
        return function
    worker = _Scans()
    body = worker.region(function.body)
    return Function(function.name, function.params, body, map_tree(worker.get, function.result), function.doc)


class _Scans:
    def __init__(self) -> None:
        self.renamed: dict[Value, Any] = {}
        self.defs: dict[Value, Op] = {}

    def get(self, v: Value) -> Any:
        return self.renamed.get(v, v)

    def region(self, region: Region) -> Region:
        ops: list[Op] = []
        for op in region.ops:
            new = self.loop(op, ops) if isinstance(op, For) else op
            new = new.rebuild(self.get, self.region)
            for r in new.results:
                self.defs[r] = new
            ops.append(new)
        return Region(region.params, ops, map_tree(self.get, region.results))

    def loop(self, op: For, before: list[Op]) -> For:
        """The loop with plainer sequences, whose operations are put before it."""
        sequences, elements, inside = [], [], []
        for e, s in zip(op.elements, op.sequences, strict=True):
            s = map_tree(self.get, s)
            source, made, turned = self.source(s)
            if isinstance(made, For) and source in made.results[len(made.inits) :]:
                item = made.body.results[made.results.index(source)]
                if not made.stop and item not in _own(made.body) and stands_for(item, e):
                    self.renamed[e] = item
                    s, e = made.sequences[0], made.elements[0]
                    e = Value(e.kind, e.hint, e.loc)
            elif made is not None and made.target is unstack:
                s = made.args[0]
                spreading = self.defs.get(s)
                if spreading is not None and spreading.target is spread:
                    d, like, axis = self.spreading(spreading)
                    if axis == 0 and isinstance(d, Value) and stands_for(d, e):
                        self.renamed[e] = d
                        s, e = like, row_of(like)
                    elif axis is None and isinstance(e.kind, Array) and _number(d):
                        row = row_of(like)
                        inside.append(Op(spread, (d, row), {}, [e], loc=e.loc))
                        s, e = like, row
                    elif axis is None and _number(d) and stands_for(d, e):
                        self.renamed[e] = d
                        s, e = like, row_of(like)
                s = self.turned(s, before, op) if turned else s
            sequences.append(s)
            elements.append(e)
        body = Region([*elements, *op.carried], [*inside, *op.body.ops], op.body.results)
        return For(op.target, (sequences, op.inits), {}, op.results, op.lazy, op.effect, op.loc, body, op.stop)

    def source(self, s: Any) -> tuple[Any, Op | None, bool]:
        """What is read, the operation that made it, and whether it is read backwards."""
        turned = False
        while (op := self.defs.get(s) if isinstance(s, Value) else None) is not None and op.target is backwards:
            s, turned = op.args[0], not turned
        return s, op, turned

    def spreading(self, op: Op) -> tuple[Any, Any, Any]:
        """What is spread, to the shape of what, and the axis that it has not; an axis of -1 for other cases."""
        bound = find(spread).bind(op.args, op.kwargs)  # type: ignore[union-attr]
        d, like, axis = bound["d"], bound["like"], bound["axis"]
        if not isinstance(like, Value) or not isinstance(like.kind, Array) or bound["keepdims"]:
            return d, like, -1
        return d, like, axis if _number(d) is (axis is None) else -1

    def turned(self, s: Value, before: list[Op], op: For) -> Value:
        result = Value(s.kind, "", op.loc)
        before.append(Op(backwards, (s,), {}, [result], loc=op.loc))
        self.defs[result] = before[-1]
        return result


def row_of(a: Value) -> Value:
    """A row of an array, as a loop reads it."""
    return Value(array_or_number(a.kind.dtype, a.kind.shape[1:], a.kind.xp), "", a.loc)


def _own(body: Region) -> set[Value]:
    """The values of a loop's body."""
    return {*body.params, *(r for op in body.ops for r in op.results)}


def _number(x: Any) -> bool:
    return isinstance(x.kind, Num) if isinstance(x, Value) else isinstance(x, int | float | complex)
