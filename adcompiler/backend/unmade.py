"""Variables that one arm of a branch leaves without a value, where it is clear that nobody will ask for one.

if c: y = f(x)                      nothing has to be assigned in the other arm, if y is read under `if c` alone
..; if c: g(y)
"""

from adcompiler.ir.core import UNDEF, Function, If, Region, Value, leaves

#: The condition and the arm of each branch around a place.
_Place = frozenset[tuple[Value, int]]


def needless(function: Function) -> set[Value]:
    """The results of branches that need no value where an arm makes none."""
    under: dict[Value, list[_Place]] = {}
    made: list[tuple[Value, tuple[Value, int]]] = []
    _visit(function.body, frozenset(), under, made)
    for v in leaves(function.result):
        under.setdefault(v, []).append(frozenset())
    return {v for v, arm in made if all(arm in place for place in under.get(v, ()))}


def _visit(
    region: Region, place: _Place, under: dict[Value, list[_Place]], made: list[tuple[Value, tuple[Value, int]]]
) -> None:
    for op in region.ops:
        for v in op.operands():
            under.setdefault(v, []).append(place)
        for i, sub in enumerate(op.regions):
            inside = place | {(op.cond, i)} if isinstance(op, If) and isinstance(op.cond, Value) else place
            _visit(sub, inside, under, made)
        if isinstance(op, If) and isinstance(op.cond, Value):
            for k, r in enumerate(op.results):
                empty = [i for i, sub in enumerate(op.regions) if sub.results[k] is UNDEF]
                if len(empty) == 1:
                    made.append((r, (op.cond, 1 - empty[0])))
    for v in leaves(region.results):
        under.setdefault(v, []).append(place)
