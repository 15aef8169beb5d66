"""What the arrays of a workspace are called: as the variable that is the first to be computed into each."""

from adcompiler.backend.names import Names
from adcompiler.ir.core import Value
from adcompiler.passes.bufferize import Buffers


class Slots:
    """Names of slots, and of the lists of arrays that loops give back; those are variables too.

    `name` is the parameter that is the workspace.
    """

    def __init__(self, name: str, buffers: Buffers, names: Names) -> None:
        self.name = name
        self.texts: dict[Value, str] = {}
        for v in dict.fromkeys([*buffers.slots.values(), *buffers.spares.values()]):
            hint = names.names.get(names.find(v)) or v.hint or "kept"
            text, n = hint, 2
            while text in self.texts.values():
                text, n = f"{hint}_{n}", n + 1
            self.texts[v] = text
        self.lists = {v: f"spare_{self.texts[v]}" for v in dict.fromkeys(buffers.spares.values())}

    def slot(self, v: Value) -> str:
        """The attribute of the workspace that has this array."""
        return self.texts[v]

    def spares(self, v: Value) -> str:
        """The variable that is the list of arrays given back."""
        return self.lists[v]
