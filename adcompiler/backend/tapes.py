"""Tapes: the lists that one loop collects and one other reads backwards are kept as one list of tuples.

for ..: e.append(%e); t.append(%t)                       for ..: e.append((e_k, t_k))
for .. in zip(reversed(e), reversed(t)): ..       ->     for e_k, t_k in reversed(e): ..
"""

from collections import defaultdict
from typing import Any

from adcompiler.backend.names import Names
from adcompiler.ir.core import For, Function, Region, Value, While, leaves, walk
from adcompiler.passes.schedule import Schedule
from rules.sequences import backwards


class Tapes:
    """`groups` has for each loop its lists that are one, with its name; `read_as` what that is called when read."""

    def __init__(self, function: Function, plan: Schedule, names: Names) -> None:
        self.f = function
        self.plan = plan
        self.names = names
        self.read_as: dict[int, str] = {}  # what the list of a loop is called where it is read
        self.groups = self._groups()

    def behind(self, s: Any) -> tuple[For | While, Value] | None:
        """The loop that collected what is read backwards here, and the list."""
        made = self.plan.defs.get(s) if isinstance(s, Value) and s in self.plan.inlined else None
        if made is None or made.target is not backwards or not isinstance(made.args[0], Value):
            return None
        tape = self.names.sources.get(made.args[0], made.args[0])
        writer = self.plan.defs.get(tape) if isinstance(tape, Value) else None
        if isinstance(writer, For | While) and tape in writer.results[len(writer.inits) :]:
            return writer, tape
        return None

    def packed(self, values: list[Any]) -> list[tuple[int | None, list[Any]]]:
        """What a loop keeps of each iteration, or reads back, lists that are one list of tuples together.

        With those goes the inner loop that makes the list, with another value None.
        """
        out: list[tuple[int | None, list[Any]]] = []
        for v in values:
            tape = self.names.sources.get(v, v) if isinstance(v, Value) else None
            inner = id(self.plan.defs.get(tape)) if tape is not None else 0
            if tape not in self.groups.get(inner, ([], ""))[0]:
                out.append((None, [v]))
                continue
            same = [vs for other, vs in out if other == inner]
            if same:
                same[0].append(v)
            else:
                out.append((inner, [v]))
        return out

    def shortest(self, values: list[Value]) -> str:
        """The name of a list of tuples: the shortest of those of the lists in it."""
        return min((self.names[v] for v in values), key=lambda text: (len(text), text))

    def _groups(self) -> dict[int, tuple[list[Value], str]]:
        """For each loop, the lists that one loop alone reads backwards: kept as one list of tuples."""
        readers: dict[int, dict[Value, list[int]]] = defaultdict(lambda: defaultdict(list))
        writers: dict[int, For | While] = {}
        uses: dict[Value, int] = defaultdict(int)
        read_as: dict[Value, tuple[For | While, Value]] = {}
        within: dict[Value, Value] = {}  # the list of an inner loop, as an element of the list of the outer one
        for op in walk(self.f.body):
            for v in op.operands():
                uses[v] += 1
            for sub in op.regions:
                for v in leaves(sub.results):
                    uses[v] += 1
            if isinstance(op, For) and id(op) not in self.plan.expressions:
                for e, s in zip(op.elements, op.sequences, strict=True):
                    tape = self.behind(s)
                    if tape is not None:
                        writers[id(tape[0])] = tape[0]
                        readers[id(tape[0])][tape[1]].append(id(op))
                        read_as[e] = tape
                        collected = self.plan.defs[s].args[0]
                        if collected is not tape[1]:
                            within[tape[1]] = collected
        for v in leaves(self.f.result):
            uses[v] += 1
        out: dict[int, tuple[list[Value], str]] = {}

        def together(v: Value) -> bool:
            """Is a list of an inner loop kept and read by the outer ones alone, in one list of tuples?"""
            if v not in within:
                return True
            writer, tape = read_as[within[v]]
            return uses[within[v]] == 1 and tape in out.get(id(writer), ([], ""))[0]

        for key, lists in readers.items():  # those of outer loops first
            first = next(iter(lists.values()))[0]
            group = [v for v in writers[key].results if v in lists and lists[v] == [first] and uses[v] == 1]
            group = _in_order_of_definition(list(filter(together, group)), writers[key])
            if group and key not in self.plan.expressions:
                out[key] = (group, self.shortest(group))
                self.read_as[key] = out[key][1]
        return out


def _in_order_of_definition(group: list[Value], writer: For | While) -> list[Value]:
    """Lists in the order in which the loop that fills them makes their elements."""
    order = {v: i for i, v in enumerate(_defined(writer.body))}
    kept = dict(zip(writer.results, writer.body.results, strict=False))
    return sorted(group, key=lambda v: order.get(kept[v], -1))


def _defined(region: Region) -> list[Value]:
    """What a region defines, in order."""
    return [*region.params, *(r for op in region.ops for r in op.results)]
