"""What the arrays of a workspace are called: as the variable that is the first to be computed into each."""

from collections.abc import Container

from adcompiler.backend.names import Names
from adcompiler.backend.spell import numbered
from adcompiler.ir.core import Value
from adcompiler.passes.bufferize import Buffers
from rules.workspace import Workspace


class Slots:
    """Names of slots, and of the lists of arrays that loops give back; those are variables too, none of `taken`.

    `name` is the parameter that is the workspace.
    """

    def __init__(self, name: str, buffers: Buffers, names: Names, taken: Container[str]) -> None:
        self.name = name
        self.texts: dict[Value, str] = {}
        for v in dict.fromkeys([*buffers.lasting.values(), *buffers.slots.values(), *buffers.spares.values()]):
            hint = str(names.names.get(names.find(v)) or v.hint or "kept")
            free = (t for t in numbered(hint) if t not in self.texts.values() and not hasattr(Workspace, t))
            self.texts[v] = next(free)
        self.lists: dict[Value, str] = {}
        self.lasting: dict[Value, str] = {}
        for v in dict.fromkeys(buffers.spares.values()):
            self.lists[v] = self._list(f"spare_{self.texts[v]}", names, taken)
        for v in dict.fromkeys(buffers.given[mark] for mark in buffers.later):
            self.lasting[v] = self._list(f"kept_{self.texts[v]}", names, taken)

    def _list(self, wanted: str, names: Names, taken: Container[str]) -> str:
        variables = {*names.names.values(), *self.lists.values(), *self.lasting.values()}
        return next(t for t in numbered(wanted) if t not in variables and t not in taken)

    def slot(self, v: Value) -> str:
        """The attribute of the workspace that has this array."""
        return self.texts[v]

    def spares(self, v: Value) -> str:
        """The variable that is the list of arrays given back."""
        return self.lists[v]

    def kept(self, v: Value) -> str:
        """The variable that is the list of arrays that are given back for the next call."""
        return self.lasting[v]
