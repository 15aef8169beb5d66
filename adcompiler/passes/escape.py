"""What of a program is seen outside of it: the value that it returns, and what it hands to calls that may keep it.

%y = %x * 1.0; return %y        (the caller may write into %y: it must not be %x)
"""

from collections import defaultdict

from adcompiler.ir.alias import edges
from adcompiler.ir.core import Function, Op, Value, leaves, walk
from rules.kind import Array, Opaque
from rules.rule import find


def escaping(function: Function) -> set[Value]:
    """The arrays that are seen outside as what they are, those behind views included; gradients are copied anyway."""
    tree = function.result
    value = tree[0] if isinstance(tree, tuple) and len(tree) == 2 else tree
    stack = [v for v in leaves(value) if not isinstance(v.kind, Opaque)]
    behind: dict[Value, list[Value]] = defaultdict(list)
    for op in walk(function.body):
        for x, r in edges(op):
            behind[r].append(x)
        if type(op) is Op and any(isinstance(r.kind, Opaque) for r in op.results) and find(op.target) is None:
            stack.extend(op.operands())
    found: set[Value] = set()
    while stack:
        v = stack.pop()
        if v not in found:
            found.add(v)
            stack.extend(behind[v])
    return {v for v in found if isinstance(v.kind, Array)}
